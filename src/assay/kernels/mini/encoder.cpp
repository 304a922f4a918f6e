// The encoder: the transformer layers over the tokens of a text.
#include "model.hpp"

#include <cmath>

namespace assay::mini {

namespace {

constexpr float EPSILON = 1e-12f;
constexpr size_t BLOCK = 32;  // number of embedding weights that share a scale

Norm norm(const Tensors& tensors, const std::string& name, size_t width) {
    return {tensors.floats(name + ".weight", {width}), tensors.floats(name + ".bias", {width})};
}

}  // namespace

void Runtime::apply(const Matrix8& matrix, float* x, size_t rows, size_t stride, bool precise, float* out, bool add,
                    Workspace& room, bool through_gelu) const {
    Integers integers{room_for(room.integers, rows * matrix.inputs), room_for(room.scales, rows), room_for(room.offsets, rows),
                      255, ops.bytes && !precise};
    // the largest activations whose sums of products with 8-bit weights fit into 32 bits
    if (precise) integers.range = 2 * static_cast<int>(std::min<size_t>(8191, 2147483647 / (128 * matrix.inputs)));
    ops.quantise(x, rows, matrix.inputs, stride, through_gelu, integers);
    ops.product(integers, rows, matrix.weights(), out, matrix.outputs, add);
}

void Runtime::attend(const float* qkv, const std::vector<size_t>& starts, size_t heads, size_t width, float* out,
                     Workspace& room) const {
    const size_t each = width / heads, stride = padded(3 * width, PANEL);
    for (size_t i = 0; i + 1 < starts.size(); ++i) {
        const size_t n = starts[i + 1] - starts[i];
        float* const scratch = room_for(room.scratch, attention_room(n, each));
        ops.attention(qkv + starts[i] * stride, n, stride, heads, each, scratch, out + starts[i] * width, width);
    }
}

Encoder::Encoder(const Tensors& tensors, const Ops& ops, size_t pieces) : run_{ops} {
    width_ = tensors.width("enc.ln.weight");
    start_ = norm(tensors, "enc.ln", width_);
    const int32_t heads = tensors.has("enc.heads") ? *tensors.data<int32_t>("enc.heads", {1}) : static_cast<int32_t>(width_ / 32);
    if (heads < 1 || width_ % (static_cast<size_t>(heads) * LANES))
        throw nb::value_error("the encoder's heads do not fit its width");
    heads_ = static_cast<size_t>(heads);

    const size_t places = tensors.length("enc.pos.weight.q", 2);
    if (places < 3) throw nb::value_error("enc.pos.weight.q has too few positions");
    const auto* q = tensors.data<int8_t>("enc.pos.weight.q", {places, width_});
    const auto s = tensors.floats("enc.pos.weight.s", {places});
    window_ = std::min(WINDOW, places - 2);
    positions_.resize((window_ + 2) * width_);
    for (size_t i = 0; i < positions_.size(); ++i) positions_[i] = static_cast<float>(q[i]) * s[i / width_];

    kinds_ = tensors.floats("enc.typ", {3, width_});
    idf_ = tensors.floats("idf", {pieces});
    (void)tensors.data<uint8_t>("codes", {pieces, width_ / 2});
    codes_ = tensors.get("codes");
    block_scales_ = tensors.floats("scales", {pieces, width_ / BLOCK});

    wide_ = tensors.width("enc.layers.0.fi.weight.q", 2);
    for (size_t i = 0; i < tensors.layers("enc.layers."); ++i) {
        const std::string name = "enc.layers." + std::to_string(i) + ".";
        layers_.push_back({tensors.matrix(name + "qkv", 3 * width_, width_), tensors.matrix(name + "o", width_, width_),
                           tensors.matrix(name + "fi", wide_, width_), tensors.matrix(name + "fo", width_, wide_),
                           norm(tensors, name + "l1", width_), norm(tensors, name + "l2", width_)});
    }
    const auto logits = tensors.floats("enc.mix", {tensors.length("enc.mix")});
    if (logits.empty() || logits.size() > layers_.size()) throw nb::value_error("enc.mix has other layers than the encoder");
    double total = 0;
    for (const float x : logits) total += std::exp(static_cast<double>(x));
    for (const float x : logits) mix_.push_back(static_cast<float>(std::exp(static_cast<double>(x)) / total));
    if (!std::isfinite(total) || total == 0.0) throw nb::value_error("enc.mix holds a number that is too large");
    seen_ = {3, 6, 10};
    if (tensors.has("enc.seen")) {
        const auto* given = tensors.data<int32_t>("enc.seen", {VIEWS - 2});
        seen_.assign(given, given + VIEWS - 2);
    }
    for (size_t i = 0; i < seen_.size(); ++i)
        if (seen_[i] >= layers_.size() || (i && seen_[i] <= seen_[i - 1]))
            throw nb::value_error("enc.seen names layers that the encoder lacks, or not in their order");
}

void Encoder::embed(int32_t id, float* out) const {
    const size_t blocks = width_ / BLOCK;
    const auto* code = static_cast<const uint8_t*>(codes_.data()) + id * width_ / 2;
    const float* scale = block_scales_.data() + id * blocks;
    for (size_t b = 0; b < blocks; ++b, code += BLOCK / 2)
        for (size_t i = 0; i < BLOCK / 2; ++i) {
            out[b * BLOCK + i] = static_cast<float>((code[i] & 15) - 8) * scale[b];
            out[b * BLOCK + BLOCK / 2 + i] = static_cast<float>((code[i] >> 4) - 8) * scale[b];
        }
}

void Encoder::operator()(const std::vector<Encoding*>& texts, const std::vector<Kind>& kinds, bool precise,
                         Workspace& room) const {
    std::vector<size_t> starts(1, 0);
    for (const Encoding* text : texts) starts.push_back(starts.back() + text->pieces.size() + 2);
    const size_t rows = starts.back(), numbers = rows * width_;
    float *const x = room_for(room.x, numbers), *const y = room_for(room.y, numbers);
    float* const wide = room_for(room.wide, rows * std::max(padded(3 * width_, PANEL), wide_));
    float* const mixed = room_for(room.mixed, numbers);
    std::fill_n(mixed, numbers, 0.0f);

    for (size_t t = 0; t < texts.size(); ++t) {  // y: embeddings only; x: with position and kind
        const auto& pieces = texts[t]->pieces;
        texts[t]->idf.clear();
        for (size_t i = 0; i < pieces.size() + 2; ++i) {
            const int32_t id = i == 0 ? START : i <= pieces.size() ? pieces[i - 1].id : END;
            float* const plain = y + (starts[t] + i) * width_;
            embed(id, plain);
            for (size_t k = 0; k < width_; ++k)
                x[(starts[t] + i) * width_ + k] = plain[k] + positions_[i * width_ + k] + kinds_[kinds[t] * width_ + k];
            if (i >= 1 && i <= texts[t]->n()) texts[t]->idf.push_back(idf_[id]);
        }
    }
    const auto keep = [&](size_t view, const float* vectors) {
        for (size_t t = 0; t < texts.size(); ++t) {
            Encoding& text = *texts[t];
            text.units[view].resize(text.n() * width_);
            text.lengths.resize(text.n());
            run_.ops.units(vectors + (starts[t] + 1) * width_, text.n(), width_, text.units[view].data(),
                           text.lengths.data());
        }
    };
    keep(0, y);
    const auto& ops = run_.ops;
    ops.norm(x, nullptr, rows, width_, start_.weight.data(), start_.bias.data(), EPSILON, x);
    size_t view = 1;
    for (size_t i = 0; i < layers_.size(); ++i) {
        const Layer& layer = layers_[i];
        run_.apply(layer.qkv, x, rows, width_, precise, wide, false, room);
        run_.attend(wide, starts, heads_, width_, y, room);
        run_.apply(layer.out, y, rows, width_, precise, wide, false, room);
        ops.norm(x, wide, rows, width_, layer.first.weight.data(), layer.first.bias.data(), EPSILON, x);
        run_.apply(layer.up, x, rows, width_, precise, wide, false, room);
        run_.apply(layer.down, wide, rows, wide_, precise, y, false, room, true);
        ops.norm(x, y, rows, width_, layer.second.weight.data(), layer.second.bias.data(), EPSILON, x);
        if (view < VIEWS - 1 && i == seen_[view - 1]) keep(view++, x);
        const size_t first = layers_.size() - mix_.size();
        if (i >= first)
            for (size_t k = 0; k < numbers; ++k) mixed[k] = mixed[k] + x[k] * mix_[i - first];
    }
    keep(VIEWS - 1, mixed);
    for (size_t t = 0; t < texts.size(); ++t) {
        Encoding& text = *texts[t];
        text.mean.assign(width_, 0.0f);
        for (size_t i = 1; i <= text.n(); ++i)
            for (size_t k = 0; k < width_; ++k) text.mean[k] += mixed[(starts[t] + i) * width_ + k];
        for (float& m : text.mean) m /= static_cast<float>(text.n());
    }
}

}  // namespace assay::mini
