// The loops of assay-mini over plain memory, as a table of functions: one table for each kind of processor.
//
// Every table gives the same bits. Products of matrices are sums of integers, which no order can change; floating-point
// numbers go through sixteen lanes in a fixed order, without fused multiply-add, whatever the width of the registers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace assay::mini {

constexpr size_t LANES = 16;   // floating-point numbers that go side by side
constexpr size_t PANEL = 64;   // outputs of a matrix that go side by side; matrices are padded to it
constexpr size_t DEPTH = 4;    // inputs of a matrix that go together

constexpr size_t padded(size_t n, size_t to) { return (n + to - 1) / to * to; }

// A matrix of 8-bit rows with a scale each, in the order [outputs / 16][inputs / 4][16][4].
struct Weights {
    const int8_t* packed;
    const float* scales;  // one an output
    const float* sums;    // of an output's weights
    const float* bias;
    size_t inputs;   // a multiple of LANES
    size_t outputs;  // a multiple of PANEL
};

// Rows of integers that stand for number * scale + offset, with a scale and an offset a row.
struct Integers {
    void* data;  // bytes without sign, or 16-bit numbers
    float* scales;
    float* offsets;
    int range;   // the largest distance between two numbers of a row: 255, or more where 16 bits are wanted
    bool bytes;  // how they are kept
};

struct Ops {
    const char* name;
    bool bytes;  // whether 8-bit activations are kept as bytes: the processor multiplies them as they are

    // Rows of `width` numbers (a multiple of LANES), first put through gelu where wanted, as integers between their smallest
    // and their largest.
    void (*quantise)(float* x, size_t rows, size_t width, size_t stride, bool through_gelu, Integers& to);
    // out = weights x + bias, or out += weights x without the bias.
    void (*product)(const Integers& x, size_t rows, const Weights& weights, float* out, size_t stride, bool add);
    // out += x weights, for small matrices kept as [inputs][outputs] with outputs a multiple of LANES.
    void (*dense)(const float* x, size_t rows, size_t stride, const float* weights, size_t inputs, size_t outputs, float* out,
                  size_t out_stride);
    // x = x + y where y is given, then out = (x - mean) / deviation * weight + bias, row by row.
    void (*norm)(float* x, const float* y, size_t rows, size_t width, const float* weight, const float* bias, float epsilon,
                 float* out);
    void (*gelu)(float* x, size_t n);
    // Attention of a text's positions to one another: rows of queries, keys and values side by side, `heads` of `width` each.
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

constexpr float UNIT = 32767.0f;  // what 1 is in a unit vector of 16-bit numbers

// Room that `attention` and `blend` need, in numbers.
constexpr size_t attention_room(size_t n, size_t width) { return (width + 4) * padded(n, LANES); }
constexpr size_t blend_room(size_t n) { return 4 * padded(n, LANES); }

// The tables this library was built with, best first; nullptr ends the list. Only those the processor can run.
const Ops* const* available();

const Ops& generic_ops();
#if defined(__x86_64__)
const Ops& avx2_ops();
const Ops& avx512_ops();
#endif

}  // namespace assay::mini
