// Python strings, read without copying and without the GIL.
//
// A Column borrows the buffers of a list of str (or None). It keeps its own references, so the list may change while the
// GIL is released; the strings themselves never change. Lone surrogates are ordinary code points here.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace assay {

namespace nb = nanobind;
using Char = uint32_t;

struct Text {
    PyObject* object = nullptr;  // nullptr for a missing reference
    const void* data = nullptr;
    size_t size = 0;
    int kind = 1;

    explicit operator bool() const { return object != nullptr; }

    Char operator[](size_t i) const {
        if (kind == 1) return static_cast<const uint8_t*>(data)[i];
        if (kind == 2) return static_cast<const uint16_t*>(data)[i];
        return static_cast<const uint32_t*>(data)[i];
    }

    bool operator==(const Text& other) const {
        if (object == other.object) return true;
        if (!object || !other.object || size != other.size || kind != other.kind) return false;
        return std::memcmp(data, other.data, size * kind) == 0;
    }

    // Append the code points to a buffer.
    void append_to(std::vector<Char>& out) const {
        const size_t start = out.size();
        out.resize(start + size);
        Char* to = out.data() + start;
        if (kind == 1) {
            const auto* from = static_cast<const uint8_t*>(data);
            for (size_t i = 0; i < size; ++i) to[i] = from[i];
        } else if (kind == 2) {
            const auto* from = static_cast<const uint16_t*>(data);
            for (size_t i = 0; i < size; ++i) to[i] = from[i];
        } else {
            std::memcpy(to, data, size * sizeof(Char));
        }
    }
};

class Column {
  public:
    // Borrow every string of a sequence; call with the GIL held.
    explicit Column(nb::handle sequence, const char* name) : Column() {  // complete from here on: an exception releases everything
        const nb::object fast = nb::steal(PySequence_Fast(sequence.ptr(), "expected a sequence of strings"));
        if (!fast.is_valid()) throw nb::python_error();
        const auto n = static_cast<size_t>(PySequence_Fast_GET_SIZE(fast.ptr()));
        PyObject** items = PySequence_Fast_ITEMS(fast.ptr());
        texts_.resize(n);
        for (size_t i = 0; i < n; ++i) {
            PyObject* item = items[i];
            if (item == Py_None) continue;
            if (!PyUnicode_Check(item)) {
                const std::string kind = Py_TYPE(item)->tp_name;
                throw nb::type_error((std::string(name) + "[" + std::to_string(i) + "] is " + kind + ", not str").c_str());
            }
            Text& text = texts_[i];
            text.object = Py_NewRef(item);
            text.data = PyUnicode_DATA(item);
            text.size = static_cast<size_t>(PyUnicode_GET_LENGTH(item));
            text.kind = static_cast<int>(PyUnicode_KIND(item));
        }
    }
    Column(Column&& other) noexcept : texts_(std::exchange(other.texts_, {})) {}
    Column(const Column&) = delete;
    Column& operator=(const Column&) = delete;
    ~Column() {  // with the GIL held
        for (Text& text : texts_) Py_XDECREF(text.object);
    }

    size_t size() const { return texts_.size(); }
    const Text& operator[](size_t i) const { return texts_[i]; }

  private:
    Column() = default;
    std::vector<Text> texts_;
};

// One column per reference; every column must be as long as the hypotheses.
inline std::vector<Column> columns(nb::sequence references, size_t rows) {
    std::vector<Column> out;
    for (nb::handle column : references) {
        out.emplace_back(column, "references");
        if (out.back().size() != rows) throw nb::value_error("every reference column must be as long as the hypotheses");
    }
    return out;
}

// Whitespace of Python's str.isspace and str.split.
constexpr bool is_space(Char c) {
    if (c < 0x80) return c == ' ' || (c >= 9 && c <= 13) || (c >= 28 && c <= 31);
    return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
           c == 0x202F || c == 0x205F || c == 0x3000;
}

// [begin, end) of a word in a buffer of code points.
struct Slice {
    uint32_t begin, end;
    uint32_t size() const { return end - begin; }
};

// The words of buffer[from..], as str.split() returns them.
inline void split(const std::vector<Char>& buffer, size_t from, std::vector<Slice>& words) {
    const size_t n = buffer.size();
    size_t i = from;
    while (i < n) {
        while (i < n && is_space(buffer[i])) ++i;
        const size_t start = i;
        while (i < n && !is_space(buffer[i])) ++i;
        if (i > start) words.push_back({static_cast<uint32_t>(start), static_cast<uint32_t>(i)});
    }
}

}  // namespace assay
