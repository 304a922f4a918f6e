// Length of the longest common subsequence, 64 reference positions at a time (Hyyrö 2004).
//
// Each bit represents a position of the reference. It is zero if the common subsequence of the hypothesis so far and the
// reference up to there has grown. A token adds at its positions, and overflow is carried into the next block of 64.
// Two optimizations keep long lines cheap. Blocks below the first one bit and above the last zero bit can change at only
// one position, so a token is processed between them only. And a token in few blocks accesses only these and the blocks
// that a carry reaches, so that not every word needs a full bit mask.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace assay {

// a + more + carry for four words, one carrying into the next; the carry (0 or 1) becomes the one out of the last.
inline void add_four(uint64_t& a, uint64_t& b, uint64_t& c, uint64_t& d, const uint64_t (&more)[4], uint64_t& carry) {
#if defined(__x86_64__)
    // compilers move the sums of _addcarry_u64 through memory, which takes 50% longer
    asm("add $-1, %4\n\tadc %5, %0\n\tadc %6, %1\n\tadc %7, %2\n\tadc %8, %3\n\tsbb %4, %4\n\tneg %4"
        : "+&r"(a), "+&r"(b), "+&r"(c), "+&r"(d), "+&r"(carry)
        : "r"(more[0]), "r"(more[1]), "r"(more[2]), "r"(more[3])
        : "cc");
#else
    uint64_t* const words[] = {&a, &b, &c, &d};
    for (int i = 0; i < 4; ++i) {
        const uint64_t before = *words[i], once = before + more[i];
        *words[i] = once + carry;
        carry = static_cast<uint64_t>(once < before) | static_cast<uint64_t>(*words[i] < once);
    }
#endif
}

class CommonSubsequence {
  public:
    // `ids` are numbers from 1 to `largest`.
    void prepare(const std::vector<uint32_t>& ids, uint32_t largest) {
        size_ = ids.size();
        blocks_ = (size_ + 63) / 64;
        words_.assign(largest + 1, {});
        if (blocks_ <= max_all_rows)
            for (size_t id = 0; id < words_.size(); ++id) words_[id].row = id * blocks_;
        else
            plan(ids);
        rows_.assign(blocks_ <= max_all_rows ? words_.size() * blocks_ : rows_needed_, 0);
        for (size_t i = 0; i < ids.size(); ++i) {
            Word& word = words_[ids[i]];
            const uint64_t bit = 1ull << (i % 64);
            if (word.row != nowhere) {
                rows_[word.row + i / 64] |= bit;
            } else {
                if (word.end == word.begin || places_[word.end - 1].block != i / 64) places_[word.end++] = {i / 64, 0};
                places_[word.end - 1].mask |= bit;
            }
        }
    }
    // `ids` are the reference's numbers, and 0 for what the reference does not have.
    size_t length(const std::vector<uint32_t>& ids) {
        bits_.assign(blocks_, ~0ull);
        low_ = high_ = 0;
        for (uint32_t id : ids) {
            if (id == 0) continue;
            const Word& word = words_[id];
            if (word.row != nowhere)
                add_row(&rows_[word.row]);
            else
                add_places(word);
        }
        size_t zeros = low_ * 64;
        for (size_t b = low_; b < high_; ++b) zeros += static_cast<size_t>(std::popcount(~bits_[b]));
        return zeros;
    }

  private:
    static constexpr size_t nowhere = ~size_t(0);
    static constexpr size_t max_all_rows = 4;  // number of blocks up to which every word has a row

    // The positions of a word: a row of masks, one per block, or a list of the blocks that contain it.
    struct Word {
        size_t row = nowhere, begin = 0, end = 0;
    };
    struct Place {
        size_t block;
        uint64_t mask;
    };

    // Use a row for words in at least a quarter of the blocks, and a list for the others.
    void plan(const std::vector<uint32_t>& ids) {
        last_.assign(words_.size(), nowhere);
        for (size_t i = 0; i < ids.size(); ++i) {
            words_[ids[i]].end += last_[ids[i]] != i / 64;
            last_[ids[i]] = i / 64;
        }
        rows_needed_ = 0;
        size_t places = 0;
        for (Word& word : words_) {
            const size_t stands_in = word.end;
            word.begin = word.end = places;
            if (stands_in * 4 >= blocks_)
                word.row = rows_needed_, rows_needed_ += blocks_;
            else
                places += stands_in;
        }
        places_.resize(places);
    }
    void add_row(const uint64_t* row) {
        uint64_t carry = 0;
        size_t b = low_;
        uint64_t* const bits = bits_.data();
        for (const size_t high = high_; b + 4 <= high; b += 4) {  // four at a time: their carries stay in the carry flag
            uint64_t b0 = bits[b], b1 = bits[b + 1], b2 = bits[b + 2], b3 = bits[b + 3];
            const uint64_t matched[] = {b0 & row[b], b1 & row[b + 1], b2 & row[b + 2], b3 & row[b + 3]};
            const uint64_t rest[] = {b0 ^ matched[0], b1 ^ matched[1], b2 ^ matched[2], b3 ^ matched[3]};
            add_four(b0, b1, b2, b3, matched, carry);
            bits[b] = b0 | rest[0], bits[b + 1] = b1 | rest[1], bits[b + 2] = b2 | rest[2], bits[b + 3] = b3 | rest[3];
        }
        for (; b < high_; ++b) add(b, row[b], carry);
        if (!carry) {
            while (b < blocks_ && row[b] == 0) ++b;
            if (b < blocks_) open(b, row[b]);
        }
        while (low_ < high_ && bits_[low_] == 0) ++low_;
    }
    void add_places(const Word& word) {
        uint64_t carry = 0;
        for (size_t p = word.begin; p < word.end; ++p) {
            const auto [block, mask] = places_[p];
            if (block >= high_) {
                if (!carry) open(block, mask);
                break;
            }
            add(block, mask, carry);
            if (carry) pass_on(block + 1, p + 1 < word.end ? std::min(places_[p + 1].block, high_) : high_, carry);
        }
        while (low_ < high_ && bits_[low_] == 0) ++low_;
    }
    // bits = (bits + (bits & mask) + carry) | (bits & ~mask)
    void add(size_t block, uint64_t mask, uint64_t& carry) {
        const uint64_t bits = bits_[block], matched = bits & mask;
        const uint64_t once = bits + matched, sum = once + carry;
        bits_[block] = sum | (bits ^ matched);
        carry = static_cast<uint64_t>(once < bits) | static_cast<uint64_t>(sum < once);
    }
    // A carry passes through blocks of ones and ends in the first block with a zero.
    void pass_on(size_t from, size_t to, uint64_t& carry) {
        while (from < to && bits_[from] == ~0ull) ++from;
        if (from < to) bits_[from] |= bits_[from] + 1, carry = 0;
    }
    // The first zero above all others; its carry has no effect.
    void open(size_t block, uint64_t mask) {
        bits_[block] = ~(mask & (~mask + 1));
        high_ = block + 1;
    }

    std::vector<Word> words_;
    std::vector<uint64_t> rows_, bits_;
    std::vector<Place> places_;
    std::vector<size_t> last_;
    size_t blocks_ = 0, size_ = 0, rows_needed_ = 0;
    size_t low_ = 0, high_ = 0;  // only zeros below low_, only ones from high_ on
};

}  // namespace assay
