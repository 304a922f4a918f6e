// The tensors of a model file in the layout of the loops.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <vector>

#include "ops.hpp"

namespace assay::mini {

namespace nb = nanobind;

using Array = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

inline float from_half(uint16_t h) {
    const uint32_t sign = (h & 0x8000u) << 16, exponent = h >> 10 & 31u, fraction = h & 1023u;
    if (exponent == 0) {  // zero or subnormal
        const float small = static_cast<float>(fraction) * 5.9604644775390625e-8f;
        return sign ? -small : small;
    }
    const uint32_t bits = sign | (exponent == 31 ? 255u : exponent + 112u) << 23 | fraction << 13;
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

// A matrix that owns its memory, packed for `Ops::product`.
struct Matrix8 {
    std::vector<int8_t> packed;
    std::vector<float> scales, sums, bias;
    size_t inputs = 0, outputs = 0;  // padded

    Matrix8() = default;
    // Columns [from, from + width) of a matrix of int8 rows.
    Matrix8(const int8_t* rows, size_t outputs_given, size_t stride, size_t from, size_t width, const std::vector<float>& s,
            const std::vector<float>& b)
        : inputs(padded(width, LANES)), outputs(padded(outputs_given, PANEL)) {
        packed.assign(inputs * outputs, 0);
        scales.assign(outputs, 0.0f), sums.assign(outputs, 0.0f), bias.assign(outputs, 0.0f);
        for (size_t o = 0; o < outputs_given; ++o) {
            int32_t total = 0;
            int8_t* const chunk = packed.data() + o / LANES * LANES * inputs + o % LANES * DEPTH;
            for (size_t k = 0; k < width; ++k) {
                const int8_t weight = rows[o * stride + from + k];
                chunk[k / DEPTH * DEPTH * LANES + k % DEPTH] = weight;
                total += weight;
            }
            scales[o] = s[o], sums[o] = static_cast<float>(total);
            if (!b.empty()) bias[o] = b[o];
        }
    }
    Weights weights() const { return {packed.data(), scales.data(), sums.data(), bias.data(), inputs, outputs}; }
};

// A small matrix as [inputs][outputs], for `Ops::dense`.
struct Small {
    std::vector<float> columns, bias;
    size_t inputs = 0, outputs = 0;  // outputs padded
};

constexpr size_t WIDEST = size_t{1} << 16;  // sums of 8-bit products of this many elements fit into 32 bits

// All tensors by name, validated on every access.
class Tensors {
  public:
    explicit Tensors(nb::dict given) {
        for (auto [key, value] : given) {
            // not nb::try_cast: if memory for the copy runs out, nanobind would end the process
            Py_ssize_t size = 0;
            const char* const characters = PyUnicode_Check(key.ptr()) ? PyUnicode_AsUTF8AndSize(key.ptr(), &size) : nullptr;
            if (!characters) {
                PyErr_Clear();
                throw nb::type_error("the name of a tensor is no string");
            }
            std::string name(characters, static_cast<size_t>(size));
            Array array;
            if (!nb::try_cast<Array>(value, array))
                throw nb::type_error((name + " is no array of plain numbers that lies in one piece").c_str());
            arrays_.emplace_back(std::move(name), std::move(array));
        }
    }

    bool has(const std::string& name) const { return find(name) != nullptr; }

    const Array& get(const std::string& name) const {
        if (const Array* found = find(name)) return *found;
        throw nb::value_error(("the model has no tensor " + name).c_str());
    }

    // The number of layers: one more than the largest number after `prefix`. A missing layer is detected later.
    size_t layers(const std::string& prefix) const {
        size_t count = 0;
        for (const auto& [name, array] : arrays_) {
            size_t number = 0, i = prefix.size();
            if (name.compare(0, i, prefix)) continue;
            for (; i < name.size() && name[i] >= '0' && name[i] <= '9' && number < WIDEST; ++i) number = 10 * number + (name[i] - '0');
            count = std::max(count, number + 1);
        }
        return count;
    }

    // The length of a vector or the number of rows of a matrix.
    size_t length(const std::string& name, size_t dimensions = 1) const {
        const Array& array = get(name);
        if (array.ndim() != dimensions) throw nb::value_error((name + " has another number of dimensions").c_str());
        return array.shape(0);
    }

    // A valid width: a multiple of PANEL within limits.
    size_t width(const std::string& name, size_t dimensions = 1) const {
        const size_t n = length(name, dimensions);
        if (!n || n % PANEL || n > WIDEST)
            throw nb::value_error((name + " has a width of " + std::to_string(n) + ", not a multiple of 64").c_str());
        return n;
    }

    using Shape = std::initializer_list<size_t>;

    template <class T>
    const T* data(const std::string& name, Shape shape) const {
        const Array& array = shaped(name, shape);
        if (array.dtype() != nb::dtype<T>()) throw nb::value_error((name + " has numbers of another kind").c_str());
        if (reinterpret_cast<uintptr_t>(array.data()) % alignof(T)) throw nb::value_error((name + " is not aligned").c_str());
        return static_cast<const T*>(array.data());
    }

    // Finite numbers of either precision.
    std::vector<float> floats(const std::string& name, Shape shape) const {
        const Array& array = shaped(name, shape);
        std::vector<float> out(array.size());
        if (array.dtype() == nb::dtype<float>()) {
            const auto* numbers = data<float>(name, shape);
            for (size_t i = 0; i < out.size(); ++i) out[i] = numbers[i];
        } else if (array.dtype() == half()) {
            const auto* bytes = static_cast<const uint8_t*>(array.data());
            for (size_t i = 0; i < out.size(); ++i) out[i] = from_half(static_cast<uint16_t>(bytes[2 * i] | bytes[2 * i + 1] << 8));
        } else {
            throw nb::value_error((name + " has numbers of another kind").c_str());
        }
        for (const float x : out)
            if (!std::isfinite(x)) throw nb::value_error((name + " holds a number that is not finite").c_str());
        return out;
    }

    // NAME.weight and NAME.bias, or some of its columns; 8-bit rows with their scales.
    Matrix8 matrix(const std::string& name, size_t outputs, size_t inputs, size_t from = 0, size_t width = 0,
                   bool bias = true) const {
        const auto* rows = data<int8_t>(name + ".weight.q", {outputs, inputs});
        return Matrix8(rows, outputs, inputs, from, width ? width : inputs, floats(name + ".weight.s", {outputs}),
                       bias ? floats(name + ".bias", {outputs}) : std::vector<float>{});
    }

    Small small(const std::string& name, size_t outputs, size_t inputs) const {
        std::vector<float> rows;
        if (has(name + ".weight.q")) {
            const auto* q = data<int8_t>(name + ".weight.q", {outputs, inputs});
            const auto scales = floats(name + ".weight.s", {outputs});
            rows.resize(outputs * inputs);
            for (size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<float>(q[i]) * scales[i / inputs];
        } else {
            rows = floats(name + ".weight", {outputs, inputs});
        }
        Small out{{}, floats(name + ".bias", {outputs}), inputs, padded(outputs, LANES)};
        out.columns.assign(inputs * out.outputs, 0.0f);
        out.bias.resize(out.outputs, 0.0f);
        for (size_t o = 0; o < outputs; ++o)
            for (size_t k = 0; k < inputs; ++k) out.columns[k * out.outputs + o] = rows[o * inputs + k];
        return out;
    }

  private:
    static nb::dlpack::dtype half() { return {static_cast<uint8_t>(nb::dlpack::dtype_code::Float), 16, 1}; }

    const Array& shaped(const std::string& name, Shape shape) const {
        const Array& array = get(name);
        bool same = array.ndim() == shape.size();
        for (size_t i = 0; same && i < shape.size(); ++i) same = array.shape(i) == shape.begin()[i];
        if (!same) throw nb::value_error((name + " has another shape").c_str());
        return array;
    }

    const Array* find(const std::string& name) const {
        for (const auto& [key, array] : arrays_)
            if (key == name) return &array;
        return nullptr;
    }
    std::vector<std::pair<std::string, Array>> arrays_;
};

}  // namespace assay::mini
