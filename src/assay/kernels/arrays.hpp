// Results as numpy arrays that own their memory.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>

namespace assay {

namespace nb = nanobind;

template <class T>
using Vector = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
template <class T>
using Matrix = nb::ndarray<nb::numpy, T, nb::ndim<2>>;

// A zeroed buffer that becomes an array when the GIL is held again.
template <class T>
struct Buffer {
    explicit Buffer(size_t n) : data(new T[n]()), size(n) {}
    std::unique_ptr<T[]> data;
    size_t size;
    T& operator[](size_t i) { return data[i]; }

    Vector<T> vector() {
        T* const raw = data.get();
        return Vector<T>(raw, {size}, owner());
    }
    Matrix<T> matrix(size_t columns) {
        T* const raw = data.get();
        return Matrix<T>(raw, {columns ? size / columns : 0, columns}, owner());
    }

  private:
    // From here on, the capsule owns the memory.
    nb::capsule owner() {
        nb::capsule made(data.get(), [](void* p) noexcept { delete[] static_cast<T*>(p); });
        (void)data.release();
        return made;
    }
};

}  // namespace assay
