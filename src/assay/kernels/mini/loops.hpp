// Implementation of the loops in ops.hpp, compiled once per kind of processor by the file that includes this one.
//
// No template of the standard library is instantiated here: the linker could use such a function for other files, too, and
// a processor without these instructions would crash.

namespace assay::mini {
namespace {

using V = float __attribute__((vector_size(64)));
using I = int32_t __attribute__((vector_size(64)));
// Unaligned vectors in memory. With aliases (using), clang would assume that they are aligned.
typedef float Loose __attribute__((vector_size(64), aligned(4), may_alias));
typedef int32_t LooseI __attribute__((vector_size(64), aligned(4), may_alias));
typedef int16_t Halves __attribute__((vector_size(32), aligned(2), may_alias));
typedef uint8_t Bytes __attribute__((vector_size(16), aligned(1), may_alias));
static_assert(alignof(Loose) == 4 && alignof(LooseI) == 4 && alignof(Halves) == 2 && alignof(Bytes) == 1);

inline V load(const float* p) { return *reinterpret_cast<const Loose*>(p); }
inline void store(float* p, V v) { *reinterpret_cast<Loose*>(p) = v; }
inline V all(float x) { return V{} + x; }
inline V smaller(V a, V b) { return a < b ? a : b; }
inline V larger(V a, V b) { return a > b ? a : b; }

using V8 = float __attribute__((vector_size(32)));
using V4 = float __attribute__((vector_size(16)));

// Sum of sixteen numbers: add the upper half to the lower half, four times.
template <class Join>
inline float reduce(V v, const Join& join) {
    const V8 eight = join(V8(__builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7)),
                          V8(__builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15)));
    const V4 four = join(V4(__builtin_shufflevector(eight, eight, 0, 1, 2, 3)),
                         V4(__builtin_shufflevector(eight, eight, 4, 5, 6, 7)));
    const V4 two = join(four, V4(__builtin_shufflevector(four, four, 2, 3, 2, 3)));
    return join(two, V4(__builtin_shufflevector(two, two, 1, 1, 1, 1)))[0];
}
inline float sum(V v) {
    return reduce(v, [](auto a, auto b) { return a + b; });
}
inline float least(V v) {
    return reduce(v, [](auto a, auto b) { return decltype(a)(a < b ? a : b); });
}
inline float most(V v) {
    return reduce(v, [](auto a, auto b) { return decltype(a)(a > b ? a : b); });
}

// Adding this moves a number's nearest integer into its last bits.
constexpr float ROUND = 12582912.0f;

// e to the x: 2 to the n times a polynomial, as in Cephes (error below 2e-7 of the value).
inline V exponential(V x) {
    x = smaller(larger(x, all(-87.0f)), all(88.0f));
    const V shifted = x * 1.44269504088896341f + ROUND;
    const V n = shifted - ROUND;
    V r = x - n * 0.693359375f;
    r = r - n * -2.12194440e-4f;
    V p = all(1.9875691500e-4f);
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    const V y = p * r * r + r + 1.0f;
    return reinterpret_cast<V>(reinterpret_cast<I>(y) + (reinterpret_cast<I>(shifted) << 23));
}

// x times the cumulative normal probability of x, by Abramowitz and Stegun 7.1.26 (error below 2e-7).
inline V gelu_of(V x) {
    const V z = (x < 0.0f ? -x : x) * 0.70710678118654752f;
    const V t = 1.0f / (1.0f + z * 0.3275911f);
    V p = all(1.061405429f);
    p = p * t + -1.453152027f;
    p = p * t + 1.421413741f;
    p = p * t + -0.284496736f;
    p = p * t + 0.254829592f;
    const V tail = p * t * exponential(-z * z);  // 1 - erf z
    return x * 0.5f * (x < 0.0f ? tail : 2.0f - tail);
}

void gelu(float* x, size_t n) {
    for (size_t i = 0; i < n; i += LANES) store(x + i, gelu_of(load(x + i)));
}

void quantise(float* x, size_t rows, size_t width, size_t stride, bool through_gelu, Integers& to) {
    const float middle = to.range == 255 ? 0.0f : static_cast<float>(to.range / 2);
    for (size_t row = 0; row < rows; ++row, x += stride) {
        V low = all(3.0e38f), high = -low;
        for (size_t i = 0; i < width; i += LANES) {
            V v = load(x + i);
            if (through_gelu) store(x + i, v = gelu_of(v));
            low = smaller(low, v), high = larger(high, v);
        }
        const float from = least(low), scale = (most(high) - from) / static_cast<float>(to.range);
        const float inverse = scale > 0.0f ? 1.0f / scale : 0.0f;
        to.scales[row] = scale;
        to.offsets[row] = from + middle * scale;
        if (to.bytes) {
            uint8_t* out = static_cast<uint8_t*>(to.data) + row * width;
            for (size_t i = 0; i < width; i += LANES) {
                const I bits = reinterpret_cast<I>((load(x + i) - from) * inverse + ROUND);
                *reinterpret_cast<Bytes*>(out + i) = __builtin_convertvector(bits, Bytes);
            }
        } else {
            int16_t* out = static_cast<int16_t*>(to.data) + row * width;
            for (size_t i = 0; i < width; i += LANES) {
                const I bits = reinterpret_cast<I>((load(x + i) - from) * inverse + ROUND) - static_cast<int32_t>(middle);
                *reinterpret_cast<Halves*>(out + i) = __builtin_convertvector(bits, Halves);
            }
        }
    }
}

// One row of the tile's sums as floating-point numbers.
inline void finish(const int32_t* sums, const Integers& x, size_t row, const Weights& w, size_t from, size_t n, float* out,
                   bool add) {
    const float scale = x.scales[row], offset = x.offsets[row];
    for (size_t i = 0; i < n; i += LANES) {
        const V total = __builtin_convertvector(I(*reinterpret_cast<const LooseI*>(sums + i)), V);
        const V value = (total * scale + load(w.sums + from + i) * offset) * load(w.scales + from + i);
        store(out + i, value + (add ? load(out + i) : load(w.bias + from + i)));
    }
}

#include ASSAY_MINI_PRODUCT

void dense(const float* x, size_t rows, size_t stride, const float* weights, size_t inputs, size_t outputs, float* out,
           size_t out_stride) {
    for (size_t row = 0; row < rows; ++row, x += stride, out += out_stride) {
        for (size_t i = 0; i < outputs; i += LANES) {
            V total = load(out + i);
            for (size_t k = 0; k < inputs; ++k) total = total + load(weights + k * outputs + i) * x[k];
            store(out + i, total);
        }
    }
}

void norm(float* x, const float* y, size_t rows, size_t width, const float* weight, const float* bias, float epsilon,
          float* out) {
    for (size_t row = 0; row < rows; ++row, x += width, out += width) {
        V total{};
        for (size_t i = 0; i < width; i += LANES) {
            V v = load(x + i);
            if (y) store(x + i, v = v + load(y + row * width + i));
            total = total + v;
        }
        const float mean = sum(total) / static_cast<float>(width);
        V squares{};
        for (size_t i = 0; i < width; i += LANES) {
            const V d = load(x + i) - mean;
            squares = squares + d * d;
        }
        const float inverse = 1.0f / __builtin_sqrtf(sum(squares) / static_cast<float>(width) + epsilon);
        for (size_t i = 0; i < width; i += LANES)
            store(out + i, (load(x + i) - mean) * inverse * load(weight + i) + load(bias + i));
    }
}

// exp(x * scale - largest) of four rows at most, zeros behind the n-th; the sums of the rows.
inline void exponentials(float* x, size_t rows, size_t n, size_t room, float scale, float* sums) {
    for (size_t r = 0; r < rows; ++r, x += room) {
        for (size_t i = n; i < room; ++i) x[i] = -3.0e38f;
        V high = load(x);
        for (size_t i = LANES; i < room; i += LANES) high = larger(high, load(x + i));
        const float top = most(high);
        V total{};
        for (size_t i = 0; i < room; i += LANES) {
            const V e = exponential((load(x + i) - top) * scale);
            store(x + i, e);
        }
        for (size_t i = n; i < room; ++i) x[i] = 0.0f;
        for (size_t i = 0; i < room; i += LANES) total = total + load(x + i);
        sums[r] = sum(total);
    }
}

// out = weights values / sums, for four rows at most; other rows are computed but ignored.
inline void weigh(const float* weights, size_t rows, size_t n, size_t room, const float* values, size_t stride, size_t width,
                  const float* sums, float* out, size_t out_stride) {
    for (size_t i = 0; i < width; i += LANES) {
        V a{}, b{}, c{}, d{};
        for (size_t j = 0; j < n; ++j) {
            const V v = load(values + j * stride + i);
            a = a + v * weights[j], b = b + v * weights[room + j];
            c = c + v * weights[2 * room + j], d = d + v * weights[3 * room + j];
        }
        const V found[4] = {a, b, c, d};
        for (size_t r = 0; r < rows; ++r) store(out + r * out_stride + i, found[r] / sums[r]);
    }
}

void attention(const float* qkv, size_t n, size_t stride, size_t heads, size_t width, float* scratch, float* out,
               size_t out_stride) {
    const size_t room = padded(n, LANES);
    float* const keys = scratch;  // [width][room]
    float* const scores = scratch + width * room;
    const float scale = 1.0f / __builtin_sqrtf(static_cast<float>(width));
    for (size_t head = 0; head < heads; ++head) {
        const float* const query = qkv + head * width;
        const float* const key = query + heads * width;
        const float* const value = key + heads * width;
        for (size_t j = 0; j < n; ++j)
            for (size_t d = 0; d < width; ++d) keys[d * room + j] = key[j * stride + d];
        for (size_t d = 0; d < width; ++d)
            for (size_t j = n; j < room; ++j) keys[d * room + j] = 0.0f;
        for (size_t i = 0; i < n; i += 4) {
            const size_t rows = n - i < 4 ? n - i : 4;
            const float* q[4];
            for (size_t r = 0; r < 4; ++r) q[r] = query + (i + (r < rows ? r : 0)) * stride;
            for (size_t j = 0; j < room; j += LANES) {
                V a{}, b{}, c{}, d{};
                for (size_t k = 0; k < width; ++k) {
                    const V v = load(keys + k * room + j);
                    a = a + v * q[0][k], b = b + v * q[1][k], c = c + v * q[2][k], d = d + v * q[3][k];
                }
                store(scores + j, a), store(scores + room + j, b);
                store(scores + 2 * room + j, c), store(scores + 3 * room + j, d);
            }
            float sums[4];
            exponentials(scores, rows, n, room, scale, sums);
            weigh(scores, rows, n, room, value, stride, width, sums, out + i * out_stride + head * width, out_stride);
        }
    }
}

void blend(const float* x, size_t rows, size_t n, size_t x_stride, float scale, const float* values, size_t width,
           float* scratch, float* out) {
    const size_t room = padded(n, LANES);
    for (size_t i = 0; i < rows; i += 4) {
        const size_t here = rows - i < 4 ? rows - i : 4;
        for (size_t r = 0; r < here; ++r)
            for (size_t j = 0; j < n; ++j) scratch[r * room + j] = x[(i + r) * x_stride + j];
        float sums[4];
        exponentials(scratch, here, n, room, scale, sums);
        weigh(scratch, here, n, room, values, width, width, sums, out + i * width, width);
    }
}

void dots(const int16_t* a, size_t n, const int16_t* b, size_t m, size_t width, int32_t* out) {
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < m; ++j) {
            int32_t total = 0;
            for (size_t k = 0; k < width; ++k) total += static_cast<int32_t>(a[i * width + k]) * b[j * width + k];
            out[i * m + j] = total;
        }
}

void units(const float* x, size_t rows, size_t width, int16_t* out, float* lengths) {
    for (size_t row = 0; row < rows; ++row, x += width, out += width) {
        V squares{};
        for (size_t i = 0; i < width; i += LANES) squares = squares + load(x + i) * load(x + i);
        const float length = __builtin_sqrtf(sum(squares));
        const float inverse = UNIT / (length > 1e-12f ? length : 1e-12f);
        lengths[row] = length;
        for (size_t i = 0; i < width; i += LANES) {
            const I bits = reinterpret_cast<I>(load(x + i) * inverse + ROUND);
            *reinterpret_cast<Halves*>(out + i) = __builtin_convertvector(bits, Halves);
        }
    }
}

}  // namespace
}  // namespace assay::mini
