// Coverage of one text by another: common character n-grams, tokens and numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tokenizer.hpp"

namespace assay::mini {

constexpr size_t ORDERS = 6;    // largest order of character n-grams
constexpr size_t COLUMNS = 4;   // features per token: the token, its neighbours, its characters, its number

// Tokens and characters of a text, prepared for comparison.
struct Letters {
    struct Number {
        uint32_t begin, end;  // digits
        int32_t first, last;  // tokens
    };
    std::vector<int32_t> ids;
    std::vector<Char> characters;   // without whitespace marks
    std::vector<int32_t> owners;    // the token of each character
    std::vector<Char> digits;
    std::vector<Number> numbers;

    Letters(const Tokenizer& tokenizer, std::vector<int32_t> pieces) : ids(std::move(pieces)) {
        std::vector<Char> all;
        std::vector<int32_t> owner;
        for (size_t t = 0; t < ids.size(); ++t)
            for (const Char* c = tokenizer.begin(ids[t]); c != tokenizer.end(ids[t]); ++c) {
                all.push_back(*c), owner.push_back(static_cast<int32_t>(t));
                if (*c != BLANK) characters.push_back(*c), owners.push_back(static_cast<int32_t>(t));
            }
        const auto digit = [&](size_t i) { return i < all.size() && all[i] >= '0' && all[i] <= '9'; };
        for (size_t i = 0; i < all.size();) {
            if (!digit(i)) {
                ++i;
                continue;
            }
            Number number{static_cast<uint32_t>(digits.size()), 0, owner[i], owner[i]};
            for (; digit(i) || (i < all.size() && (all[i] == ',' || all[i] == '.') && digit(i + 1)); ++i) {
                if (digit(i)) digits.push_back(all[i]);
                number.last = owner[i];
            }
            number.end = static_cast<uint32_t>(digits.size());
            numbers.push_back(number);
        }
    }

    size_t bytes() const {
        return ids.size() * 4 + characters.size() * 8 + digits.size() * 4 + numbers.size() * sizeof(Number);
    }
};

// Counts of keys of up to six characters, exact.
class Counts {
  public:
    struct Key {
        uint64_t high, low;
        bool operator==(const Key& other) const { return high == other.high && low == other.low; }
    };
    struct Cell {
        Key key;
        uint32_t round = 0;
        int32_t left = 0;
    };
    void clear(size_t keys) {
        size_t wanted = 256;
        while (wanted < 2 * keys) wanted *= 2;
        if (cells_.size() < wanted) cells_.assign(wanted, Cell{}), round_ = 0;
        ++round_;
    }
    Cell* find(const Key& key) {
        Cell& cell = at(key);
        return cell.round == round_ ? &cell : nullptr;
    }
    void add(const Key& key) {
        Cell& cell = at(key);
        if (cell.round != round_) cell = {key, round_, 0};
        ++cell.left;
    }

  private:
    Cell& at(const Key& key) {
        uint64_t h = (key.low ^ (key.high * 0xC2B2AE3D27D4EB4FULL)) * 0x9E3779B97F4A7C15ULL;
        h ^= h >> 29;
        size_t i = h & (cells_.size() - 1);
        while (cells_[i].round == round_ && !(cells_[i].key == key)) i = (i + 1) & (cells_.size() - 1);
        return cells_[i];
    }
    std::vector<Cell> cells_;
    uint32_t round_ = 0;
};

// Coverage of a text by another: columns for its tokens (shares from 0 to 1), and shares of its n-grams, tokens and numbers.
struct Cover {
    std::vector<float> columns;  // [pieces][COLUMNS]
    float ngrams[ORDERS] = {};
    float pieces = 0, pairs = 0, numbers = 1;
};

inline Counts::Key pair_key(int32_t a, int32_t b) {
    return {static_cast<uint64_t>(static_cast<uint32_t>(a)) + 1, static_cast<uint64_t>(static_cast<uint32_t>(b)) + 1};
}

inline Cover cover(const Letters& a, const Letters& b, size_t order, Counts& counts) {
    Cover out;
    const size_t n = a.ids.size(), length = a.characters.size(), other = b.characters.size();
    std::vector<int32_t> columns(n * COLUMNS, 0);
    std::vector<uint8_t> covered(length, 0);
    const auto key = [](const std::vector<Char>& text, size_t i, size_t size) {
        Counts::Key found{0, 0};
        for (size_t k = 0; k < size; ++k) {
            const uint64_t c = text[i + k] + uint64_t{1};
            (k < 3 ? found.low : found.high) = (k < 3 ? found.low : found.high) << 21 | (c & 0x1FFFFF);
        }
        return found;
    };
    for (size_t size = 1; size <= order && size <= length; ++size) {
        counts.clear(other + 1);
        for (size_t i = 0; i + size <= other; ++i) counts.add(key(b.characters, i, size));
        size_t hits = 0;
        for (size_t i = 0; i + size <= length; ++i) {
            Counts::Cell* cell = counts.find(key(a.characters, i, size));
            if (!cell) continue;
            std::memset(covered.data() + i, static_cast<int>(size), size);
            hits += cell->left-- > 0;
        }
        out.ngrams[size - 1] = static_cast<float>(static_cast<double>(hits) / static_cast<double>(length - size + 1));
    }

    counts.clear(2 * b.ids.size() + 1);
    for (size_t i = 0; i < b.ids.size(); ++i) {
        counts.add(pair_key(b.ids[i], -1));
        if (i + 1 < b.ids.size()) counts.add(pair_key(b.ids[i], b.ids[i + 1]));
    }
    size_t ones = 0, twos = 0;
    for (size_t i = 0; i < n; ++i) {
        if (Counts::Cell* cell = counts.find(pair_key(a.ids[i], -1))) {
            columns[i * COLUMNS] = 255;
            ones += cell->left-- > 0;
        }
        if (i + 1 == n) continue;
        if (Counts::Cell* cell = counts.find(pair_key(a.ids[i], a.ids[i + 1]))) {
            columns[i * COLUMNS + 1] += 127, columns[(i + 1) * COLUMNS + 1] += 127;
            twos += cell->left-- > 0;
        }
    }
    if (n) out.pieces = static_cast<float>(static_cast<double>(ones) / static_cast<double>(n));
    if (n > 1) out.pairs = static_cast<float>(static_cast<double>(twos) / static_cast<double>(n - 1));

    for (size_t i = 0; i < length;) {
        const int32_t piece = a.owners[i];
        size_t total = 0, letters = 0;
        for (; i < length && a.owners[i] == piece; ++i) total += covered[i], ++letters;
        columns[piece * COLUMNS + 2] = static_cast<int32_t>(255 * total / (order * letters));
    }
    size_t found = 0;
    for (const auto& number : a.numbers) {
        const auto equal = [&](const Letters::Number& candidate) {
            return std::equal(a.digits.begin() + number.begin, a.digits.begin() + number.end,
                              b.digits.begin() + candidate.begin, b.digits.begin() + candidate.end);
        };
        const bool hit = std::any_of(b.numbers.begin(), b.numbers.end(), equal);
        found += hit;
        for (int32_t t = number.first; t <= number.last; ++t) columns[t * COLUMNS + 3] = hit ? 255 : 128;
    }
    if (!a.numbers.empty())
        out.numbers = static_cast<float>(static_cast<double>(found) / static_cast<double>(a.numbers.size()));
    out.columns.resize(columns.size());
    for (size_t i = 0; i < columns.size(); ++i) out.columns[i] = static_cast<float>(columns[i]) / 255.0f;
    return out;
}

}  // namespace assay::mini
