// The edit-distance matrix under TER: rows are prefixes of the hypothesis, columns prefixes of the reference.
//
// Two classes share an interface. BeamRows is the matrix as TER defines it: only cells near the pseudo-diagonal exist.
// BitRows is the full matrix with 64 cells per machine word. It gives the same distance and alignment if the beam has no
// effect (`beam_is_idle`). Both store the rows of the current hypothesis, so that a shift recomputes only the rows after
// its first moved word.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "bits.hpp"

namespace assay::ter {

using Ids = std::vector<uint32_t>;

constexpr int beam_width = 25;
constexpr int unreachable = 1 << 29;

// Swap words [middle, last) with [first, middle).
struct Move {
    uint32_t first, middle, last;
};

enum class Op : uint8_t { keep, substitute, remove, insert };  // hypothesis word removed, reference word inserted

// Whether every path that leaves the beam costs more than `distance`. The pseudo-diagonal is between the diagonals of
// the two corners. So a cell outside the beam (at least 24 columns away, one lost to rounding) costs |r - h| plus twice
// the rest of the 24.
inline bool beam_is_idle(size_t hyp, size_t ref, int distance) {
    const int aside = std::abs(static_cast<int>(hyp) - static_cast<int>(ref));
    return ref < beam_width || distance < 2 * (beam_width - 1) - aside;
}

class BitRows {
  public:
    // `masks` has `blocks` words for each id of the reference's vocabulary (id 0 matches nothing).
    void start(const Ids& hyp, size_t ref, const std::vector<uint64_t>& masks, size_t blocks) {
        masks_ = masks.data(), blocks_ = blocks;
        last_bit_ = (ref - 1) % 64;
        cells_.resize((hyp.size() + 1) * blocks);
        scores_.resize(hyp.size() + 1);
        for (size_t b = 0; b < blocks; ++b) cells_[b] = {~0ull, 0, 0, 0};
        scores_[0] = static_cast<int>(ref);
        scratch_.resize(blocks);
    }
    // Compute the rows after the first `from` words; return the distance to the reference.
    int fill(const Ids& hyp, size_t from) {
        for (size_t i = from; i < hyp.size(); ++i) {
            const Cell* before = &cells_[i * blocks_];
            Cell* now = &cells_[(i + 1) * blocks_];
            uint64_t plus = 1, minus = 0;
            for (size_t b = 0; b < blocks_; ++b) {
                now[b].up = before[b].up, now[b].down = before[b].down;
                const Step step = advance(now[b].up, now[b].down, masks_[hyp[i] * blocks_ + b], plus, minus);
                now[b].zero = step.zero, now[b].plus = step.plus;
                const size_t bit = b + 1 == blocks_ ? last_bit_ : 63;
                plus = (step.plus >> bit) & 1, minus = (step.minus >> bit) & 1;
            }
            scores_[i + 1] = scores_[i] + static_cast<int>(plus) - static_cast<int>(minus);
        }
        return scores_[hyp.size()];
    }
    // The distance after a move, or any value above `limit` if it is greater.
    int moved(const Ids& hyp, const Move& move, int limit) {
        return blocks_ == 1 ? moved_single(hyp, move, limit) : moved_many(hyp, move, limit);
    }
    Op at(size_t i, size_t j, bool equal) const {
        if (j == 0) return Op::remove;
        if (i == 0) return Op::insert;
        const Cell& cell = cells_[i * blocks_ + (j - 1) / 64];
        const uint64_t bit = 1ull << ((j - 1) % 64);
        if (equal) return Op::keep;
        if (!(cell.zero & bit)) return Op::substitute;
        return cell.plus & bit ? Op::remove : Op::insert;
    }
    // The largest gain of moving `words` past `others`: they could be removed and inserted instead.
    static int most_gain(size_t words, size_t others) { return 2 * static_cast<int>(std::min(words, others)); }

  private:
    struct Cell {
        uint64_t up, down, zero, plus;
    };
    int moved_single(const Ids& hyp, const Move& move, int limit) {
        uint64_t up = cells_[move.first].up, down = cells_[move.first].down;
        int score = scores_[move.first];
        const auto run = [&](uint32_t from, uint32_t to) {
            for (uint32_t i = from; i < to; ++i) {
                const Step step = advance(up, down, masks_[hyp[i]], 1, 0);
                score += static_cast<int>((step.plus >> last_bit_) & 1) - static_cast<int>((step.minus >> last_bit_) & 1);
            }
        };
        run(move.middle, move.last);
        run(move.first, move.middle);
        const auto n = static_cast<uint32_t>(hyp.size());
        for (uint32_t i = move.last; i < n; ++i) {
            if (score - static_cast<int>(n - i) > limit) return unreachable;
            if (up == cells_[i].up && down == cells_[i].down) return score + scores_[n] - scores_[i];
            run(i, i + 1);
        }
        return score;
    }
    int moved_many(const Ids& hyp, const Move& move, int limit) {
        std::copy_n(&cells_[move.first * blocks_], blocks_, scratch_.data());
        int score = scores_[move.first];
        const auto run = [&](uint32_t from, uint32_t to) {
            for (uint32_t i = from; i < to; ++i) {
                uint64_t plus = 1, minus = 0;
                for (size_t b = 0; b < blocks_; ++b) {
                    const Step step =
                        advance(scratch_[b].up, scratch_[b].down, masks_[hyp[i] * blocks_ + b], plus, minus);
                    const size_t bit = b + 1 == blocks_ ? last_bit_ : 63;
                    plus = (step.plus >> bit) & 1, minus = (step.minus >> bit) & 1;
                }
                score += static_cast<int>(plus) - static_cast<int>(minus);
            }
        };
        run(move.middle, move.last);
        run(move.first, move.middle);
        const auto n = static_cast<uint32_t>(hyp.size());
        for (uint32_t i = move.last; i < n; ++i) {
            if (score - static_cast<int>(n - i) > limit) return unreachable;
            const bool same = std::equal(scratch_.begin(), scratch_.end(), &cells_[i * blocks_],
                                         [](const Cell& a, const Cell& b) { return a.up == b.up && a.down == b.down; });
            if (same) return score + scores_[n] - scores_[i];
            run(i, i + 1);
        }
        return score;
    }
    size_t blocks_ = 0, last_bit_ = 0;
    const uint64_t* masks_ = nullptr;
    std::vector<Cell> cells_, scratch_;
    std::vector<int> scores_;
};

class BeamRows {
  public:
    void start(const Ids& hyp, const Ids& ref) {
        ref_ = &ref;
        const size_t n = hyp.size(), r = ref.size();
        const double ratio = n ? static_cast<double>(r) / static_cast<double>(n) : 1.0;
        const int width = beam_width < ratio / 2 ? static_cast<int>(std::ceil(ratio / 2 + beam_width)) : beam_width;
        spans_.assign(1, {0, static_cast<int>(r) + 1});
        size_t widest = 0;
        for (size_t i = 1; i <= n; ++i) {
            const int diagonal = static_cast<int>(std::floor(static_cast<double>(i) * ratio));
            const int last = i == n ? static_cast<int>(r) + 1 : std::min(static_cast<int>(r) + 1, diagonal + width);
            spans_.push_back({std::max(0, diagonal - width), last});
            widest = std::max(widest, static_cast<size_t>(spans_.back().size()));
        }
        stride_ = widest;
        initial_.resize(r + 1);
        for (size_t j = 0; j <= r; ++j) initial_[j] = static_cast<int>(j);
        for (auto& row : scratch_) row.resize(widest);
    }
    // The distance alone, in two rows of memory.
    int distance(const Ids& hyp) { return moved(hyp, {0, 0, 0}, unreachable); }
    int fill(const Ids& hyp, size_t from) {
        rows_.resize((hyp.size() + 1) * stride_);
        for (size_t i = from; i < hyp.size(); ++i) next(i, hyp[i], row(i), row(i + 1));
        return hyp.empty() ? static_cast<int>(ref_->size()) : value(hyp.size(), static_cast<int>(ref_->size()));
    }
    int moved(const Ids& hyp, const Move& move, int) {
        const int* before = row(move.first);
        size_t i = move.first;
        const auto run = [&](size_t from, size_t to) {
            for (size_t k = from; k < to; ++k, ++i) {
                int* now = scratch_[i % 2].data();
                next(i, hyp[k], before, now);
                before = now;
            }
        };
        run(move.middle, move.last);
        run(move.first, move.middle);
        run(move.last, hyp.size());
        return before[static_cast<int>(ref_->size()) - spans_[hyp.size()].first];
    }
    Op at(size_t i, size_t j, bool equal) const {
        if (j == 0) return Op::remove;
        if (i == 0) return Op::insert;
        const int column = static_cast<int>(j);
        const int diagonal = value(i - 1, column - 1) + !equal, above = value(i - 1, column) + 1;
        const int before = value(i, column - 1) + 1;
        if (diagonal <= above && diagonal <= before) return equal ? Op::keep : Op::substitute;
        return above <= before ? Op::remove : Op::insert;
    }
    static int most_gain(size_t, size_t) { return unreachable; }

  private:
    struct Span {
        int first, last;
        int size() const { return last - first; }
        bool holds(int j) const { return j >= first && j < last; }
    };
    const int* row(size_t i) const { return i ? &rows_[i * stride_] : initial_.data(); }
    int* row(size_t i) { return i ? &rows_[i * stride_] : initial_.data(); }
    int value(size_t i, int j) const { return spans_[i].holds(j) ? row(i)[j - spans_[i].first] : unreachable; }
    // Row i + 1 from row i and the word between them.
    void next(size_t i, uint32_t word, const int* before, int* now) const {
        const Span above = spans_[i], span = spans_[i + 1];
        const Ids& ref = *ref_;
        int left = unreachable;
        for (int j = span.first; j < span.last; ++j) {
            int best = left + 1;
            if (above.holds(j)) best = std::min(best, before[j - above.first] + 1);
            if (above.holds(j - 1))
                best = std::min(best, before[j - 1 - above.first] + (ref[static_cast<size_t>(j) - 1] != word));
            now[j - span.first] = left = best;
        }
    }
    const Ids* ref_ = nullptr;
    size_t stride_ = 0;
    std::vector<Span> spans_;
    std::vector<int> rows_, initial_, scratch_[2];
};

}  // namespace assay::ter
