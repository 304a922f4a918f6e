// assay-mini's network: an encoder over each text, and a head over the texts of a translation.
//
// The specification is reference/mini.py. Activations are quantized to 8-bit integers (14 bits if `precise`) and scaled by
// row, so that the result for a text depends on that text only.
#pragma once

#include <optional>
#include <vector>

#include "lexical.hpp"
#include "ops.hpp"
#include "tensors.hpp"
#include "tokenizer.hpp"

namespace assay::mini {

constexpr size_t WINDOW = 400;  // largest number of tokens of a text
constexpr size_t VIEWS = 5;     // depths at which texts are compared: embeddings, three layers, and the mix of the last
constexpr size_t HEADS = 6;
constexpr size_t VALUES = HEADS + 1;  // log mu, and the heads

enum Kind : uint8_t { HYPOTHESIS = 0, REFERENCE = 1, SOURCE = 2 };

// Input of the head for one text.
struct Encoding {
    std::vector<Piece> pieces;  // inside the window
    bool cut = false;           // whether the text was truncated
    std::optional<Letters> letters;
    std::vector<int16_t> units[VIEWS];  // unit vectors [n][width]
    std::vector<float> lengths;         // lengths of the mix's vectors, [n]
    std::vector<float> mean;            // mean of the mix's vectors, [width]
    std::vector<float> idf;             // [n]

    size_t n() const { return pieces.empty() ? 1 : pieces.size(); }  // positions; an empty text has one
    size_t bytes() const {
        return sizeof *this + VIEWS * units[0].size() * 2 + (lengths.size() + mean.size() + idf.size()) * 4 +
               pieces.size() * sizeof(Piece) + letters->bytes();
    }
};

struct Request {
    const Encoding* hypothesis;
    const Encoding* others[2];  // reference and source; nullptr if missing
    float* values;              // [VALUES]
    float* tags;                // [pieces][2]

    size_t rows() const {
        return hypothesis->n() + (others[0] ? others[0]->n() : 0) + (others[1] ? others[1]->n() : 0);
    }
};

// Memory that a thread reuses between blocks of texts.
struct Workspace {
    std::vector<int16_t> integers;
    std::vector<float> scales, offsets, scratch;
    std::vector<float> x, y, wide, mixed, parts;  // work space
    std::vector<int32_t> products;
    Counts counts;
    Tokenizer::Room tokenizer;
};

// A buffer for at least n numbers, with unspecified content.
template <class T>
T* room_for(std::vector<T>& buffer, size_t n) {
    if (buffer.size() < n) buffer.resize(n);
    return buffer.data();
}

struct Norm {
    std::vector<float> weight, bias;
};

// A transformer layer: attention and feed-forward network, with a norm each.
struct Layer {
    Matrix8 qkv, out, up, down;
    Norm first, second;
};

// Base of all parts of the network: products of rows with a matrix.
struct Runtime {
    const Ops& ops;
    void apply(const Matrix8& matrix, float* x, size_t rows, size_t stride, bool precise, float* out, bool add, Workspace& room,
               bool through_gelu = false) const;
    // Attention within each text: rows [starts[i], starts[i + 1]) attend to each other.
    void attend(const float* qkv, const std::vector<size_t>& starts, size_t heads, size_t width, float* out,
                Workspace& room) const;
};

class Encoder {
  public:
    Encoder(const Tensors& tensors, const Ops& ops, size_t pieces);
    // Encode texts together, so that the matrices are read once for all of them.
    void operator()(const std::vector<Encoding*>& texts, const std::vector<Kind>& kinds, bool precise, Workspace& room) const;

    size_t width() const { return width_; }
    size_t window() const { return window_; }

  private:
    void embed(int32_t id, float* out) const;

    Runtime run_;
    size_t width_, wide_, heads_, window_;
    std::vector<size_t> seen_;
    Array codes_;
    std::vector<float> block_scales_, idf_, positions_, kinds_, mix_;
    Norm start_;
    std::vector<Layer> layers_;
};

class Head {
  public:
    Head(const Tensors& tensors, const Ops& ops, size_t width);
    void operator()(const std::vector<Request>& requests, bool precise, Workspace& room) const;
    // Precision, recall, the two weighted by idf, and the cosine of the means.
    void match(const Encoding& hypothesis, const Encoding& other, size_t depth, float* out, Workspace& room) const;

  private:
    struct Side;
    Side compare(const Encoding& hypothesis, const Encoding& other, size_t which, Workspace& room) const;
    void similarities(const Encoding& a, const Encoding& b, size_t view, float* out, Workspace& room) const;
    void fuse(float* z, const std::vector<size_t>& starts, bool precise, Workspace& room) const;
    void finish(const Request& request, const Side* sides, const float* z, float* global, Workspace& room) const;
    void numbers(const Request& request, const Side* sides, float* out) const;

    Runtime run_;
    size_t width_, hidden_, wide_, heads_;
    std::vector<float> kinds_;
    float temperatures_[2];
    Matrix8 own_, aligned_[2][3];  // for a vector; for its counterpart, their product and their distance
    Small for_hypothesis_, for_other_, mass_, attention_, tags_, heads_out_, skip_;
    std::vector<Layer> fusion_;
    Norm last_;
    Matrix8 global_[3], global_next_;  // for the means, the output of the layers, the features
    std::vector<float> centre_, spread_;
    std::vector<int> needs_;  // for each feature: 0 nothing, 1 a reference, 2 a source
};

}  // namespace assay::mini
