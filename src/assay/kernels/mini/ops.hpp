// Low-level loops of assay-mini as tables of functions, one table per kind of processor.
//
// All tables give the same bits. Matrix products are sums of integers, which do not depend on the order. Floating-point
// numbers are processed in sixteen lanes in a fixed order, without fused multiply-add, for any register width.
#pragma once

#include <cstddef>
#include <cstdint>

namespace assay::mini {

constexpr size_t LANES = 16;   // floating-point numbers processed in parallel
constexpr size_t PANEL = 64;   // outputs of a matrix processed in parallel; matrices are padded to a multiple of it
constexpr size_t DEPTH = 4;    // inputs of a matrix processed together

constexpr size_t padded(size_t n, size_t to) { return (n + to - 1) / to * to; }

// A matrix of 8-bit rows with one scale each, in the order [outputs / 16][inputs / 4][16][4].
struct Weights {
    const int8_t* packed;
    const float* scales;  // one per output
    const float* sums;    // of each output's weights
    const float* bias;
    size_t inputs;   // a multiple of LANES
    size_t outputs;  // a multiple of PANEL
};

// Rows of integers that represent number * scale + offset, with one scale and offset per row.
struct Integers {
    void* data;  // unsigned bytes or 16-bit integers
    float* scales;
    float* offsets;
    int range;   // the largest distance between two numbers of a row: 255, or more for 16 bits
    bool bytes;  // how they are stored
};

struct Ops {
    const char* name;
    bool bytes;  // whether 8-bit activations are stored as bytes, which the processor can multiply directly

    // Rows of `width` numbers (a multiple of LANES), with gelu applied first if requested, as integers between their smallest
    // and largest value.
    void (*quantise)(float* x, size_t rows, size_t width, size_t stride, bool through_gelu, Integers& to);
    // out = weights x + bias, or out += weights x without the bias.
    void (*product)(const Integers& x, size_t rows, const Weights& weights, float* out, size_t stride, bool add);
    // out += x weights, for small matrices stored as [inputs][outputs] with outputs a multiple of LANES.
    void (*dense)(const float* x, size_t rows, size_t stride, const float* weights, size_t inputs, size_t outputs, float* out,
                  size_t out_stride);
    // x = x + y if y is given, then out = (x - mean) / deviation * weight + bias, row by row.
    void (*norm)(float* x, const float* y, size_t rows, size_t width, const float* weight, const float* bias, float epsilon,
                 float* out);
    void (*gelu)(float* x, size_t n);
    // Self-attention of a text's positions: rows of queries, keys and values, `heads` of `width` each.
    void (*attention)(const float* rows, size_t n, size_t stride, size_t heads, size_t width, float* scratch, float* out,
                      size_t out_stride);
    // softmax of x * scale over each row, then the mean of `values` weighted by it.
    void (*blend)(const float* x, size_t rows, size_t n, size_t x_stride, float scale, const float* values, size_t width,
                  float* scratch, float* out);
    // All products of rows of `a` with rows of `b`, exact: unit vectors of 16-bit numbers.
    void (*dots)(const int16_t* a, size_t n, const int16_t* b, size_t m, size_t width, int32_t* out);
    // Unit vectors as 16-bit numbers, and their lengths.
    void (*units)(const float* x, size_t rows, size_t width, int16_t* out, float* lengths);
};

constexpr float UNIT = 32767.0f;  // the value of 1 in a unit vector of 16-bit integers

// Work space that `attention` and `blend` need, in numbers.
constexpr size_t attention_room(size_t n, size_t width) { return (width + 4) * padded(n, LANES); }
constexpr size_t blend_room(size_t n) { return 4 * padded(n, LANES); }

// The tables that this library has and the processor supports, best first; nullptr ends the list.
const Ops* const* available();

const Ops& generic_ops();
#if defined(__x86_64__)
const Ops& avx2_ops();
const Ops& avx512_ops();
#endif

}  // namespace assay::mini
