// The head: comparison of a translation with its reference and source, by token and as a whole.
#include <cmath>

#include "model.hpp"

namespace assay::mini {

namespace {

constexpr float EPSILON = 1e-5f;
constexpr size_t PAIR = 18;     // features of two texts
constexpr size_t FIRST = 10;    // features before those of the two sides
constexpr size_t NUMBERS = FIRST + 2 * 4 * VIEWS + 2 * PAIR + 1;
constexpr size_t WH = 2 * VIEWS + 2 + 2 * COLUMNS;  // columns of a token of the hypothesis
constexpr size_t WO = VIEWS + 2 + COLUMNS;          // and of a token of another text
constexpr size_t ORDER[2] = {6, 3};                 // n-grams against the reference, against the source

Norm norm(const Tensors& tensors, const std::string& name, size_t width) {
    return {tensors.floats(name + ".weight", {width}), tensors.floats(name + ".bias", {width})};
}

// Similarities scaled for the network: those of deep layers are close to one.
float spread_out(size_t view, float x) { return view ? (x - 0.8f) * 4.0f : x; }

float mean(const std::vector<float>& x) {
    float total = 0;
    for (const float v : x) total += v;
    return total / static_cast<float>(x.size());
}

float weighted(const std::vector<float>& x, const std::vector<float>& weights) {
    float total = 0, all = 0;
    for (size_t i = 0; i < x.size(); ++i) total += x[i] * weights[i], all += weights[i];
    return total / std::max(all, 0.05f);
}

float cosine(const std::vector<float>& a, const std::vector<float>& b) {
    double product = 0, one = 0, other = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        product += static_cast<double>(a[i]) * b[i];
        one += static_cast<double>(a[i]) * a[i], other += static_cast<double>(b[i]) * b[i];
    }
    return static_cast<float>(product / std::max(std::sqrt(one * other), 1e-16));
}

float softplus(float x) { return x > 20.0f ? x : static_cast<float>(std::log1p(std::exp(static_cast<double>(x)))); }
float sigmoid(float x) { return static_cast<float>(1.0 / (1.0 + std::exp(-static_cast<double>(x)))); }
float length(size_t n) { return static_cast<float>(std::log1p(static_cast<double>(n))); }

}  // namespace

// Features of a reference or source.
struct Head::Side {
    bool given = false;
    std::vector<float> mine[VIEWS], theirs[VIEWS];  // best similarities of the tokens of the hypothesis and of this text
    std::vector<float> similar;                     // [hypothesis][other], of the mix
    Cover to_other, from_other;
};

Head::Head(const Tensors& tensors, const Ops& ops, size_t width) : run_{ops}, width_(width) {
    hidden_ = tensors.width("nf.weight");
    last_ = norm(tensors, "nf", hidden_);
    heads_ = hidden_ / 64;
    kinds_ = tensors.floats("typ", {3, hidden_});
    const auto tau = tensors.floats("tau", {2});
    for (size_t k = 0; k < 2; ++k) {
        temperatures_[k] = static_cast<float>(std::exp(static_cast<double>(tau[k])));
        if (!std::isfinite(temperatures_[k])) throw nb::value_error("tau holds a number that is too large");
    }
    own_ = tensors.matrix("ws", hidden_, width);
    for (size_t k = 0; k < 2; ++k)
        for (size_t part = 0; part < 3; ++part)
            aligned_[k][part] = tensors.matrix(k ? "wx" : "wr", hidden_, 3 * width, part * width, width, part == 0);
    for_hypothesis_ = tensors.small("wh", hidden_, WH);
    for_other_ = tensors.small("wo", hidden_, WO);
    wide_ = tensors.width("fus.0.f1.weight.q", 2);
    for (size_t i = 0; i < tensors.layers("fus."); ++i) {
        const std::string name = "fus." + std::to_string(i) + ".";
        fusion_.push_back({tensors.matrix(name + "qkv", 3 * hidden_, hidden_), tensors.matrix(name + "o", hidden_, hidden_),
                           tensors.matrix(name + "f1", wide_, hidden_), tensors.matrix(name + "f2", hidden_, wide_),
                           norm(tensors, name + "n1", hidden_), norm(tensors, name + "n2", hidden_)});
    }
    mass_ = tensors.small("lam", 3, hidden_);
    attention_ = tensors.small("att", 1, hidden_);
    tags_ = tensors.small("tag", 2, hidden_);
    const size_t parts[] = {4 * width, 3 * hidden_, NUMBERS}, all = parts[0] + parts[1] + parts[2];
    const size_t middle = tensors.width("glob.weight.q", 2);
    for (size_t part = 0, from = 0; part < 3; from += parts[part++])
        global_[part] = tensors.matrix("glob", middle, all, from, parts[part], part == 0);
    global_next_ = tensors.matrix("g2", middle, middle);
    heads_out_ = tensors.small("heads", HEADS, middle);
    skip_ = tensors.small("skip", HEADS, NUMBERS);
    centre_ = tensors.floats("scm", {NUMBERS}), spread_ = tensors.floats("scs", {NUMBERS});
    for (const float x : spread_)
        if (x == 0.0f) throw nb::value_error("scs holds a zero");
    for (const float need : tensors.floats("sg", {NUMBERS})) {
        if (need != 0.0f && need != 1.0f && need != 2.0f) throw nb::value_error("sg holds other numbers than 0, 1, 2");
        needs_.push_back(static_cast<int>(need));
    }
}

void Head::similarities(const Encoding& a, const Encoding& b, size_t view, float* out, Workspace& room) const {
    const size_t n = a.n() * b.n();
    if (room.products.size() < n) room.products.resize(n);
    run_.ops.dots(a.units[view].data(), a.n(), b.units[view].data(), b.n(), width_, room.products.data());
    for (size_t i = 0; i < n; ++i) out[i] = static_cast<float>(room.products[i]) / (UNIT * UNIT);
}

Head::Side Head::compare(const Encoding& hypothesis, const Encoding& other, size_t which, Workspace& room) const {
    Side side;
    const size_t n = hypothesis.n(), m = other.n();
    side.given = true;
    side.similar.resize(n * m);
    for (size_t view = 0; view < VIEWS; ++view) {
        similarities(hypothesis, other, view, side.similar.data(), room);
        auto &mine = side.mine[view], &theirs = side.theirs[view];
        mine.assign(n, -2.0f), theirs.assign(m, -2.0f);
        for (size_t i = 0; i < n; ++i)
            for (size_t j = 0; j < m; ++j) {
                const float s = side.similar[i * m + j];
                mine[i] = std::max(mine[i], s), theirs[j] = std::max(theirs[j], s);
            }
    }
    side.to_other = cover(*hypothesis.letters, *other.letters, ORDER[which], room.counts);
    side.from_other = cover(*other.letters, *hypothesis.letters, ORDER[which], room.counts);
    return side;
}

void Head::match(const Encoding& hypothesis, const Encoding& other, size_t depth, float* out, Workspace& room) const {
    const size_t n = hypothesis.n(), m = other.n();
    std::vector<float> similar(n * m), mine(n, -2.0f), theirs(m, -2.0f);
    similarities(hypothesis, other, depth, similar.data(), room);
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < m; ++j)
            mine[i] = std::max(mine[i], similar[i * m + j]), theirs[j] = std::max(theirs[j], similar[i * m + j]);
    out[0] = mean(mine), out[1] = mean(theirs);
    out[2] = weighted(mine, hypothesis.idf), out[3] = weighted(theirs, other.idf);
    out[4] = cosine(hypothesis.mean, other.mean);
}

void Head::fuse(float* z, const std::vector<size_t>& starts, bool precise, Workspace& room) const {
    const size_t rows = starts.back();
    const auto& ops = run_.ops;
    float* const y = room_for(room.y, rows * hidden_);
    float* const wide = room_for(room.wide, rows * std::max(padded(3 * hidden_, PANEL), wide_));
    const float* added = nullptr;
    for (const Layer& layer : fusion_) {
        ops.norm(z, added, rows, hidden_, layer.first.weight.data(), layer.first.bias.data(), EPSILON, y);
        run_.apply(layer.qkv, y, rows, hidden_, precise, wide, false, room);
        run_.attend(wide, starts, heads_, hidden_, y, room);
        run_.apply(layer.out, y, rows, hidden_, precise, wide, false, room);
        ops.norm(z, wide, rows, hidden_, layer.second.weight.data(), layer.second.bias.data(), EPSILON,
                 y);
        run_.apply(layer.up, y, rows, hidden_, precise, wide, false, room);
        run_.apply(layer.down, wide, rows, wide_, precise, y, false, room, true);
        added = y;
    }
    ops.norm(z, added, rows, hidden_, last_.weight.data(), last_.bias.data(), EPSILON, z);
}

// The error mass and the tags from the output of the layers, and the inputs of the global part: means, pooled tokens, features.
void Head::finish(const Request& request, const Side* sides, const float* z, float* global, Workspace& room) const {
    const auto& ops = run_.ops;
    const Encoding& hypothesis = *request.hypothesis;
    const size_t rows = request.rows(), n = hypothesis.n();
    const size_t ends[3] = {n, n + (request.others[0] ? request.others[0]->n() : 0), rows};
    std::vector<float> logits(rows, 0.0f);
    float mass = 0;
    for (size_t i = 0; i < rows; ++i) {
        float out[LANES] = {}, one[LANES] = {};
        ops.dense(z + i * hidden_, 1, hidden_, mass_.columns.data(), hidden_, LANES, out, LANES);
        ops.dense(z + i * hidden_, 1, hidden_, attention_.columns.data(), hidden_, LANES, one, LANES);
        const size_t kind = i < ends[0] ? HYPOTHESIS : i < ends[1] ? REFERENCE : SOURCE;
        mass += softplus(out[kind] + mass_.bias[kind]);
        logits[i] = one[0] + attention_.bias[0];
    }
    for (size_t i = 0; i < hypothesis.pieces.size(); ++i) {
        float out[LANES] = {};
        ops.dense(z + i * hidden_, 1, hidden_, tags_.columns.data(), hidden_, LANES, out, LANES);
        for (size_t t = 0; t < 2; ++t) request.tags[2 * i + t] = sigmoid(out[t] + tags_.bias[t]);
    }
    request.values[0] = mass;

    for (size_t which = 0; which < 2; ++which, global += 2 * width_) {
        if (!sides[which].given) continue;
        const auto& other = request.others[which]->mean;
        for (size_t k = 0; k < width_; ++k) {
            global[k] = std::fabs(hypothesis.mean[k] - other[k]);
            global[width_ + k] = hypothesis.mean[k] * other[k];
        }
    }
    if (room.scratch.size() < blend_room(rows)) room.scratch.resize(blend_room(rows));
    ops.blend(logits.data(), 1, rows, rows, 1.0f, z, hidden_, room.scratch.data(), global);
    global += hidden_;
    for (size_t kind = 0, from = 0; kind < 2; from = ends[kind++], global += hidden_) {
        const size_t here = ends[kind] - from;
        for (size_t i = from; i < ends[kind]; ++i)
            for (size_t k = 0; k < hidden_; ++k) global[k] += z[i * hidden_ + k];
        for (size_t k = 0; here && k < hidden_; ++k) global[k] /= static_cast<float>(here);
    }
    numbers(request, sides, global);
}

// Standardized features of whole texts; zero for a missing text.
void Head::numbers(const Request& request, const Side* sides, float* out) const {
    const Encoding& hypothesis = *request.hypothesis;
    const float flags[3] = {1.0f, sides[0].given ? 1.0f : 0.0f, sides[1].given ? 1.0f : 0.0f};
    float lengths[2], cosines[2];
    for (size_t which = 0; which < 2; ++which) {
        const Encoding* const other = request.others[which];
        lengths[which] = length(other ? other->n() : 1);
        cosines[which] = other ? cosine(hypothesis.mean, other->mean) : 0.0f;
    }
    const float own = length(hypothesis.n());
    float* to = out;
    for (const float x : {own, lengths[0], lengths[1], own - lengths[0], std::fabs(own - lengths[0]), own - lengths[1], flags[1],
                          flags[2], cosines[0], cosines[1]})
        *to++ = x;
    for (size_t which = 0; which < 2; ++which)
        for (size_t v = 0; v < VIEWS; ++v, to += 4) {
            if (!sides[which].given) continue;
            const auto &mine = sides[which].mine[v], &theirs = sides[which].theirs[v];
            to[0] = mean(mine), to[1] = mean(theirs);
            to[2] = weighted(mine, hypothesis.idf), to[3] = weighted(theirs, request.others[which]->idf);
        }
    for (size_t which = 0; which < 2; ++which, to += PAIR) {
        if (!sides[which].given) continue;
        const Cover &a = sides[which].to_other, &b = sides[which].from_other;
        std::copy(a.ngrams, a.ngrams + ORDERS, to);
        std::copy(b.ngrams, b.ngrams + ORDERS, to + ORDERS);
        float* const rest = to + 2 * ORDERS;
        rest[0] = a.pieces, rest[1] = a.pairs, rest[2] = b.pieces, rest[3] = b.pairs;
        rest[4] = a.numbers, rest[5] = b.numbers;
    }
    float total = 0;  // chrF over these n-grams
    if (sides[0].given)
        for (size_t k = 0; k < ORDERS; ++k) {
            const float precision = sides[0].to_other.ngrams[k], recall = sides[0].from_other.ngrams[k];
            total += 5.0f * precision * recall / (4.0f * precision + recall + 1e-6f);
        }
    *to = total / static_cast<float>(ORDERS);
    for (size_t i = 0; i < NUMBERS; ++i)
        out[i] = std::clamp((out[i] - centre_[i]) / spread_[i], -6.0f, 6.0f) * flags[needs_[i]];
}

void Head::operator()(const std::vector<Request>& requests, bool precise, Workspace& room) const {
    const auto& ops = run_.ops;
    std::vector<size_t> starts(1, 0);
    for (const Request& request : requests) starts.push_back(starts.back() + request.rows());
    const size_t rows = starts.back();

    float* const x = room_for(room.x, rows * width_);  // the texts' vectors: hypothesis, reference, source of each request
    for (size_t r = 0; r < requests.size(); ++r) {
        float* to = x + starts[r] * width_;
        for (const Encoding* text : {requests[r].hypothesis, requests[r].others[0], requests[r].others[1]})
            for (size_t i = 0; text && i < text->n(); ++i, to += width_) {
                const float scale = text->lengths[i] / UNIT;
                const int16_t* unit = text->units[VIEWS - 1].data() + i * width_;
                for (size_t k = 0; k < width_; ++k) to[k] = static_cast<float>(unit[k]) * scale;
            }
    }
    float* const z = room_for(room.mixed, rows * hidden_);
    float* const parts = room_for(room.parts, 3 * rows * width_);
    run_.apply(own_, x, rows, width_, precise, z, false, room);

    std::vector<Side> sides(2 * requests.size());
    for (size_t which = 0; which < 2; ++which) {  // each text with its counterpart: aligned vector, product, distance
        std::vector<size_t> places;
        for (size_t r = 0; r < requests.size(); ++r) {
            const Encoding &hypothesis = *requests[r].hypothesis, *other = requests[r].others[which];
            if (!other) continue;
            Side& side = sides[2 * r + which] = compare(hypothesis, *other, which, room);
            const size_t n = hypothesis.n(), m = other->n();
            const size_t mine = starts[r], theirs = mine + n + (which && requests[r].others[0] ? requests[r].others[0]->n() : 0);
            std::vector<float> turned(n * m), counterpart((n + m) * width_);
            for (size_t i = 0; i < n; ++i)
                for (size_t j = 0; j < m; ++j) turned[j * n + i] = side.similar[i * m + j];
            float* const scratch = room_for(room.scratch, blend_room(std::max(n, m)));
            const float t = temperatures_[which];
            ops.blend(side.similar.data(), n, m, m, t, x + theirs * width_, width_, scratch,
                      counterpart.data());
            ops.blend(turned.data(), m, n, n, t, x + mine * width_, width_, scratch,
                      counterpart.data() + n * width_);
            for (size_t i = 0; i < n + m; ++i) {
                const size_t at = i < n ? mine + i : theirs + i - n;
                const float *a = counterpart.data() + i * width_, *own = x + at * width_;
                float* const three = parts + 3 * places.size() * width_;
                places.push_back(at);
                for (size_t k = 0; k < width_; ++k) {
                    three[k] = a[k];
                    three[width_ + k] = own[k] * a[k];
                    three[2 * width_ + k] = std::fabs(own[k] - a[k]);
                }
            }
        }
        if (places.empty()) continue;
        float* const found = room_for(room.y, places.size() * hidden_);
        for (size_t part = 0; part < 3; ++part)
            run_.apply(aligned_[which][part], parts + part * width_, places.size(), 3 * width_, precise, found,
                       part > 0, room);
        for (size_t i = 0; i < places.size(); ++i)
            for (size_t k = 0; k < hidden_; ++k) z[places[i] * hidden_ + k] += found[i * hidden_ + k];
    }

    for (size_t r = 0; r < requests.size(); ++r) {  // kinds, similarities and coverage
        const Side* const side = &sides[2 * r];
        const float flags[2] = {side[0].given ? 1.0f : 0.0f, side[1].given ? 1.0f : 0.0f};
        size_t row = starts[r];
        const auto add = [&](const float* columns, size_t n, const Small& matrix, Kind kind) {
            float* const to = z + row++ * hidden_;
            for (size_t k = 0; k < hidden_; ++k) to[k] = to[k] + matrix.bias[k] + kinds_[kind * hidden_ + k];
            ops.dense(columns, 1, n, matrix.columns.data(), matrix.inputs, matrix.outputs, to, hidden_);
        };
        for (size_t i = 0; i < requests[r].hypothesis->n(); ++i) {
            float columns[WH];
            for (size_t which = 0; which < 2; ++which) {
                for (size_t v = 0; v < VIEWS; ++v)
                    columns[which * VIEWS + v] = spread_out(v, side[which].given ? side[which].mine[v][i] : 0.0f);
                columns[2 * VIEWS + which] = flags[which];
                for (size_t c = 0; c < COLUMNS; ++c) {
                    const auto& lexical = side[which].to_other.columns;
                    columns[2 * VIEWS + 2 + which * COLUMNS + c] =
                        i * COLUMNS + c < lexical.size() ? lexical[i * COLUMNS + c] : 0.0f;
                }
            }
            add(columns, WH, for_hypothesis_, HYPOTHESIS);
        }
        for (size_t which = 0; which < 2; ++which)
            for (size_t i = 0; side[which].given && i < requests[r].others[which]->n(); ++i) {
                float columns[WO];
                for (size_t v = 0; v < VIEWS; ++v) columns[v] = spread_out(v, side[which].theirs[v][i]);
                columns[VIEWS] = flags[0], columns[VIEWS + 1] = flags[1];
                const auto& lexical = side[which].from_other.columns;
                for (size_t c = 0; c < COLUMNS; ++c)
                    columns[VIEWS + 2 + c] = i * COLUMNS + c < lexical.size() ? lexical[i * COLUMNS + c] : 0.0f;
                add(columns, WO, for_other_, which ? SOURCE : REFERENCE);
            }
    }
    ops.gelu(z, rows * hidden_);
    fuse(z, starts, precise, room);

    const size_t input = global_[0].inputs + global_[1].inputs + global_[2].inputs, middle = global_next_.outputs;
    std::vector<float> global(requests.size() * input, 0.0f), out(requests.size() * middle), next(out.size());
    for (size_t r = 0; r < requests.size(); ++r)
        finish(requests[r], &sides[2 * r], z + starts[r] * hidden_, global.data() + r * input, room);
    for (size_t part = 0, from = 0; part < 3; from += global_[part++].inputs)
        run_.apply(global_[part], global.data() + from, requests.size(), input, true, out.data(), part > 0, room);
    run_.apply(global_next_, out.data(), requests.size(), middle, true, next.data(), false, room, true);
    ops.gelu(next.data(), next.size());
    for (size_t r = 0; r < requests.size(); ++r) {
        float heads[LANES] = {};
        for (size_t h = 0; h < HEADS; ++h) heads[h] = heads_out_.bias[h] + skip_.bias[h];
        ops.dense(next.data() + r * middle, 1, middle, heads_out_.columns.data(), middle, LANES, heads, LANES);
        ops.dense(global.data() + r * input + global_[0].inputs + global_[1].inputs, 1, NUMBERS, skip_.columns.data(),
                  NUMBERS, LANES, heads, LANES);
        const double mass = requests[r].values[0];
        requests[r].values[0] = static_cast<float>(std::log(mass + 0.02) + heads[0]);
        for (size_t h = 0; h < HEADS; ++h) requests[r].values[1 + h] = heads[h];
    }
}

}  // namespace assay::mini
