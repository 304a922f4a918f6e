// Levenshtein distance between sequences of small numbers, 64 cells of the matrix per step (Myers 1999, Hyyrö 2003).
//
// The reference is divided into blocks of 64 symbols. A sweep processes the hypothesis for one block with its state in
// registers and stores how the bottom row changed at every step, for the block below. Memory is linear in both lengths.
//
// Long texts are swept within a band around the diagonal. The band is doubled until the distance proves that no path
// outside is shorter. If that would take more than `max_steps` block steps (about a second), the result is the distance
// of the best path within the band, an upper bound.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "bits.hpp"

namespace assay {

struct Distance {
    size_t value;
    bool exact;
};

class Levenshtein {
  public:
    // `ref` holds numbers from 1 to `largest`; it must outlive the comparisons.
    void prepare(const std::vector<uint32_t>& ref, uint32_t largest) {
        ref_ = &ref;
        stride_ = static_cast<size_t>(largest) + 1;
        const size_t blocks = (ref.size() + 63) / 64;
        kept_ = blocks * stride_ <= max_kept;
        masks_.assign(kept_ ? blocks * stride_ : stride_, 0);
        if (kept_)
            for (size_t j = 0; j < ref.size(); ++j) masks_[j / 64 * stride_ + ref[j]] |= 1ull << (j % 64);
    }
    // `hyp` holds the reference's numbers, and 0 for what the reference does not have.
    Distance compare(const std::vector<uint32_t>& hyp) {
        const std::vector<uint32_t>& ref = *ref_;
        hyp_ = &hyp;
        columns_ = hyp.size(), rows_ = ref.size();
        while (columns_ && rows_ && hyp[columns_ - 1] == ref[rows_ - 1]) --columns_, --rows_;
        const size_t shorter = std::min(columns_, rows_);
        const auto differ = std::mismatch(ref.begin(), ref.begin() + static_cast<std::ptrdiff_t>(shorter), hyp.begin());
        skipped_ = static_cast<size_t>(differ.first - ref.begin()) / 64 * 64;  // complete blocks, so that masks stay aligned
        columns_ -= skipped_, rows_ -= skipped_;
        if (columns_ == 0 || rows_ == 0) return {columns_ + rows_, true};
        for (size_t width = 1024;; width *= 2) {
            const size_t distance = banded(width);
            if (width >= rows_) return {distance, true};
            // A path that leaves the band costs at least |rows - columns| plus twice the rest of the band.
            const size_t aside = rows_ > columns_ ? rows_ - columns_ : columns_ - rows_;
            if (distance + aside + 4 < 2 * width) return {distance, true};
            if (columns_ * (std::min(4 * width, rows_) / 64 + 2) > max_steps) return {distance, false};
        }
    }

  private:
    static constexpr size_t max_kept = 1 << 18;
    static constexpr size_t max_steps = 1 << 28;

    // The distance over paths that stay within `width` rows of the diagonal (and a few more, because complete blocks are swept).
    size_t banded(size_t width) {
        changes_.assign(columns_, 1);  // above the first block every step costs one
        size_t corner = 0;             // D[from][top of the block]
        size_t from = 0;
        for (size_t top = 0; top < rows_; top += 64) {
            const size_t bottom = std::min(top + 64, rows_);
            const size_t to = bottom == rows_ ? columns_ : std::min(columns_, column_of(bottom + width) + 1);
            const size_t next = bottom < width ? 0 : std::min(columns_, column_of(bottom - width));
            corner = sweep(top, bottom, from, to, std::max(next, from), corner);
            from = std::max(next, from);
        }
        return corner;
    }
    size_t column_of(size_t row) const {
        return static_cast<size_t>(static_cast<double>(row) * static_cast<double>(columns_) / static_cast<double>(rows_));
    }
    // Process rows [top, bottom) for columns [from, to). `corner` is the distance above and left of them; the result is
    // the one below them at column `next`, where the block below starts (at the last block: at the last column).
    size_t sweep(size_t top, size_t bottom, size_t from, size_t to, size_t next, size_t corner) {
        const uint64_t* masks = block(top);
        const uint32_t* hyp = hyp_->data() + skipped_;
        const int shift = static_cast<int>(bottom - top) - 1;
        uint64_t up = ~0ull, down = 0;
        size_t score = corner + (bottom - top), wanted = score;
        if (bottom == rows_) next = columns_;
        const auto run = [&](size_t begin, size_t end) {
            for (size_t i = begin; i < end; ++i) {
                const int8_t in = changes_[i];
                const Step step = advance(up, down, masks[hyp[i]], in > 0, in < 0);
                const int out = static_cast<int>((step.plus >> shift) & 1) - static_cast<int>((step.minus >> shift) & 1);
                changes_[i] = static_cast<int8_t>(out);
                score += static_cast<size_t>(static_cast<std::ptrdiff_t>(out));
            }
        };
        run(from, std::min(next, to));
        wanted = score;
        run(std::min(next, to), to);
        if (!kept_) clear(top);
        return wanted;
    }
    const uint64_t* block(size_t top) {
        const size_t at = (skipped_ + top) / 64;
        if (kept_) return &masks_[at * stride_];
        for (size_t j = 0; j < 64 && at * 64 + j < ref_->size(); ++j) masks_[(*ref_)[at * 64 + j]] |= 1ull << j;
        return masks_.data();
    }
    void clear(size_t top) {
        const size_t at = (skipped_ + top) / 64;
        for (size_t j = 0; j < 64 && at * 64 + j < ref_->size(); ++j) masks_[(*ref_)[at * 64 + j]] = 0;
    }

    const std::vector<uint32_t>*ref_ = nullptr, *hyp_ = nullptr;
    size_t stride_ = 0, columns_ = 0, rows_ = 0, skipped_ = 0;
    bool kept_ = true;
    std::vector<uint64_t> masks_;
    std::vector<int8_t> changes_;
};

}  // namespace assay
