// The tensors of a model file as the loops want them.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "ops.hpp"

namespace assay::mini {

namespace nb = nanobind;

using Array = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

inline float from_half(uint16_t h) {
    const uint32_t sign = (h & 0x8000u) << 16, exponent = h >> 10 & 31u, fraction = h & 1023u;
    if (exponent == 0) {  // zero, or too small for the usual form
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

// All tensors by name; every access checks what it finds.
class Tensors {
  public:
    explicit Tensors(nb::dict given) {
        for (auto [name, value] : given) {
            Array array;
            if (!nb::try_cast<Array>(value, array))
                throw nb::type_error((nb::cast<std::string>(name) + " is no array that lies in one piece").c_str());
            arrays_.emplace_back(nb::cast<std::string>(name), std::move(array));
        }
    }

    bool has(const std::string& name) const { return find(name) != nullptr; }

    const Array& get(const std::string& name) const {
        if (const Array* found = find(name)) return *found;
        throw nb::value_error(("the model has no tensor " + name).c_str());
    }

    template <class T>
    const T* data(const std::string& name, size_t size) const {
        const Array& array = get(name);
        if (array.dtype() != nb::dtype<T>()) throw nb::value_error((name + " has numbers of another kind").c_str());
        if (array.size() != size) throw nb::value_error((name + " has another size").c_str());
        return static_cast<const T*>(array.data());
    }

    // Numbers of either precision; `size` 0: however many there are.
    std::vector<float> floats(const std::string& name, size_t size = 0) const {
        const Array& array = get(name);
        const size_t n = array.size();
        if (size && n != size) throw nb::value_error((name + " has another size").c_str());
        std::vector<float> out(n);
        const nb::dlpack::dtype kind = array.dtype();
        if (kind == nb::dtype<float>()) {
            std::memcpy(out.data(), array.data(), n * sizeof(float));
        } else if (kind.code == static_cast<uint8_t>(nb::dlpack::dtype_code::Float) && kind.bits == 16) {
            const auto* halves = static_cast<const uint16_t*>(array.data());
            for (size_t i = 0; i < n; ++i) out[i] = from_half(halves[i]);
        } else {
            throw nb::value_error((name + " has numbers of another kind").c_str());
        }
        return out;
    }

    // NAME.weight and NAME.bias, or some of its columns; 8-bit rows with their scales.
    Matrix8 matrix(const std::string& name, size_t outputs, size_t inputs, size_t from = 0, size_t width = 0,
                   bool bias = true) const {
        const auto* rows = data<int8_t>(name + ".weight.q", outputs * inputs);
        return Matrix8(rows, outputs, inputs, from, width ? width : inputs, floats(name + ".weight.s", outputs),
                       bias ? floats(name + ".bias", outputs) : std::vector<float>{});
    }

    Small small(const std::string& name, size_t outputs, size_t inputs) const {
        std::vector<float> rows;
        if (has(name + ".weight.q")) {
            const auto* q = data<int8_t>(name + ".weight.q", outputs * inputs);
            const auto scales = floats(name + ".weight.s", outputs);
            rows.resize(outputs * inputs);
            for (size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<float>(q[i]) * scales[i / inputs];
        } else {
            rows = floats(name + ".weight", outputs * inputs);
        }
        Small out{{}, floats(name + ".bias", outputs), inputs, padded(outputs, LANES)};
        out.columns.assign(inputs * out.outputs, 0.0f);
        out.bias.resize(out.outputs, 0.0f);
        for (size_t o = 0; o < outputs; ++o)
            for (size_t k = 0; k < inputs; ++k) out.columns[k * out.outputs + o] = rows[o * inputs + k];
        return out;
    }

  private:
    const Array* find(const std::string& name) const {
        for (const auto& [key, array] : arrays_)
            if (key == name) return &array;
        return nullptr;
    }
    std::vector<std::pair<std::string, Array>> arrays_;
};

}  // namespace assay::mini
