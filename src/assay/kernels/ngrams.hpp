// n-gram multisets of small-integer sequences and their clipped intersection.
//
// The symbols of one reference are numbered 1, 2, 3, … (0 = not in the reference). If the numbers fit `Id`, an n-gram is
// the n lowest ids of one unaligned 64-bit load, so its key needs no loop. Packed ids are never 0 (the unknown symbol
// becomes the largest Id), so the key also encodes the length. All orders share one open-addressed table. If the alphabet
// or the order is too large, `DeepTable` numbers n-grams one order after another: slower, but exact for any input.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "text.hpp"

namespace assay {

inline uint64_t scramble(uint64_t key) {
    key *= 0x9E3779B97F4A7C15ull;
    return key ^ (key >> 32);
}

// Numbers of words (or characters) from 1 on. `find` does not change the table and returns 0 for unknown words.
class Interner {
  public:
    void clear() {
        if (++epoch_ == 0) slots_.clear(), epoch_ = 1;  // all epoch numbers are used: start over
        count_ = 0;
        store_.clear();
        words_.clear();
        if (slots_.empty()) slots_.resize(256);
    }
    uint32_t add(const Char* word, size_t size) { return locate(word, size, true); }
    uint32_t find(const Char* word, size_t size) { return locate(word, size, false); }
    uint32_t size() const { return count_; }

  private:
    struct Slot {
        uint64_t hash = 0;
        uint32_t id = 0;
        uint32_t epoch = 0;
    };
    static uint64_t hash_of(const Char* word, size_t size) {
        uint64_t h = 0xCBF29CE484222325ull ^ size;
        for (size_t i = 0; i < size; ++i) h = (h ^ word[i]) * 0x9E3779B97F4A7C15ull, h ^= h >> 29;
        return h;
    }
    uint32_t locate(const Char* word, size_t size, bool insert) {
        const uint64_t h = hash_of(word, size);
        size_t mask = slots_.size() - 1;
        size_t at = h & mask;
        while (slots_[at].epoch == epoch_) {
            if (slots_[at].hash == h) {
                const Slice& known = words_[slots_[at].id - 1];
                if (known.size() == size && std::equal(word, word + size, store_.data() + known.begin)) return slots_[at].id;
            }
            at = (at + 1) & mask;
        }
        if (!insert) return 0;
        const auto begin = static_cast<uint32_t>(store_.size());
        store_.insert(store_.end(), word, word + size);
        words_.push_back({begin, static_cast<uint32_t>(store_.size())});
        slots_[at] = {h, ++count_, epoch_};
        const uint32_t id = count_;
        if (count_ * 2 > slots_.size()) grow();
        return id;
    }
    void grow() {
        std::vector<Slot> old(slots_.size() * 2);
        old.swap(slots_);
        const size_t mask = slots_.size() - 1;
        for (const Slot& slot : old) {
            if (slot.epoch != epoch_) continue;
            size_t at = slot.hash & mask;
            while (slots_[at].epoch == epoch_) at = (at + 1) & mask;
            slots_[at] = slot;
        }
    }
    std::vector<Slot> slots_;
    std::vector<Char> store_;
    std::vector<Slice> words_;
    uint32_t count_ = 0;
    uint32_t epoch_ = 0;
};

// Counts of all n-grams up to an order, for ids of type Id (uint8_t or uint16_t) that fit order * sizeof(Id) <= 8. Keys and
// counts of a sentence fit into the first-level cache. Counts have 16 bits, so longer texts use the other table.
template <class Id>
class PackedTable {
  public:
    static constexpr int max_order = 8 / sizeof(Id);
    static constexpr uint32_t unknown = static_cast<Id>(~Id(0));
    static constexpr uint32_t max_id = unknown - 1;

    // Start counting with space for `grams` n-grams.
    void clear(size_t grams) {
        size_t capacity = 256;
        while (capacity * 2 < grams * 3) capacity *= 2;
        if (capacity > keys_.size() || capacity * 8 < keys_.size()) {
            keys_.assign(capacity, 0);
            counts_.assign(capacity, 0);
        } else {
            std::fill(keys_.begin(), keys_.end(), 0);
            std::fill(counts_.begin(), counts_.end(), 0);
        }
        shift_ = 64 - std::countr_zero(keys_.size());
        mask_ = keys_.size() - 1;
    }
    // Count the n-grams of one more reference; a count is the maximum over the references. `ids` needs 8 bytes of slack.
    void add(const Id* ids, size_t n, int order, bool first) {
        if (first) {
            for (int k = 1; k <= order; ++k)
                for (size_t i = 0; i + k <= n; ++i) ++counts_[place(key_at(ids + i, k))];
            return;
        }
        seen_.assign(keys_.size(), 0);
        for (int k = 1; k <= order; ++k)
            for (size_t i = 0; i + k <= n; ++i) {
                const size_t at = place(key_at(ids + i, k));
                counts_[at] = std::max(counts_[at], ++seen_[at]);
            }
    }
    // match[k-1] += clipped number of k-grams of `ids` that are in the table. The unknown id matches nothing.
    void match(const Id* ids, size_t n, int order, uint32_t* matches) {
        left_.assign(counts_.begin(), counts_.end());
        for (size_t i = 0; i < n; ++i) {
            const int most = static_cast<int>(std::min<size_t>(static_cast<size_t>(order), n - i));
            for (int k = 1; k <= most; ++k) {
                const uint64_t key = key_at(ids + i, k);
                size_t at = index(key);
                while (keys_[at] != key && keys_[at] != 0) at = (at + 1) & mask_;
                if (keys_[at] == 0) break;  // no longer n-gram that starts here can be in the table
                const uint16_t hit = left_[at] > 0;
                left_[at] = static_cast<uint16_t>(left_[at] - hit);
                matches[k - 1] += hit;
            }
        }
    }

  private:
    static uint64_t key_at(const Id* ids, int k) {
        uint64_t key;
        std::memcpy(&key, ids, 8);
        return key & (~0ull >> (64 - 8 * sizeof(Id) * k));
    }
    size_t index(uint64_t key) const { return (key * 0x9E3779B97F4A7C15ull) >> shift_; }
    size_t place(uint64_t key) {
        size_t at = index(key);
        while (keys_[at] != key) {
            if (keys_[at] == 0) {
                keys_[at] = key;
                break;
            }
            at = (at + 1) & mask_;
        }
        return at;
    }
    std::vector<uint64_t> keys_;
    std::vector<uint16_t> counts_, left_, seen_;
    int shift_ = 56;
    size_t mask_ = 255;
};

// The same for any ids and any order: an n-gram's number is looked up from (number of its first n-1 ids, last id).
class DeepTable {
  public:
    void clear() {
        numbers_.clear();
        counts_.clear();
    }
    void add(const std::vector<uint32_t>& ids, int order, bool first) {
        walk(ids, order, true);
        std::vector<uint32_t> seen(counts_.size(), 0);
        for (int k = 0; k < order; ++k)
            for (uint32_t node : levels_[static_cast<size_t>(k)]) {
                if (first)
                    ++counts_[node];
                else
                    counts_[node] = std::max(counts_[node], ++seen[node]);
            }
    }
    void match(const std::vector<uint32_t>& ids, int order, uint32_t* matches) {
        walk(ids, order, false);
        std::vector<uint32_t> left(counts_);
        for (int k = 0; k < order; ++k)
            for (uint32_t node : levels_[static_cast<size_t>(k)])
                if (node != none && left[node] > 0) --left[node], ++matches[k];
    }

  private:
    static constexpr uint32_t none = ~0u;
    // levels_[k][i]: number of the (k+1)-gram starting at i
    void walk(const std::vector<uint32_t>& ids, int order, bool insert) {
        levels_.assign(static_cast<size_t>(order), {});
        for (int k = 0; k < order; ++k) {
            auto& level = levels_[static_cast<size_t>(k)];
            for (size_t i = 0; i + static_cast<size_t>(k) < ids.size(); ++i) {
                const uint32_t before = k == 0 ? 0 : levels_[static_cast<size_t>(k) - 1][i] + 1;
                level.push_back(k > 0 && before == 0 ? none : number(before, ids[i + static_cast<size_t>(k)], insert));
            }
        }
    }
    uint32_t number(uint32_t before, uint32_t id, bool insert) {
        const uint64_t key = (static_cast<uint64_t>(before) << 32) | id;
        if (id == 0) return none;
        if (numbers_.slots.empty()) numbers_.slots.resize(1024);
        size_t mask = numbers_.slots.size() - 1;
        size_t at = scramble(key) & mask;
        while (numbers_.slots[at].second != 0) {
            if (numbers_.slots[at].first == key) return numbers_.slots[at].second - 1;
            at = (at + 1) & mask;
        }
        if (!insert) return none;
        counts_.push_back(0);
        numbers_.slots[at] = {key, static_cast<uint32_t>(counts_.size())};
        const auto made = static_cast<uint32_t>(counts_.size()) - 1;
        if (counts_.size() * 2 > numbers_.slots.size()) {
            std::vector<std::pair<uint64_t, uint32_t>> old(numbers_.slots.size() * 2);
            old.swap(numbers_.slots);
            mask = numbers_.slots.size() - 1;
            for (const auto& slot : old) {
                if (slot.second == 0) continue;
                size_t to = scramble(slot.first) & mask;
                while (numbers_.slots[to].second != 0) to = (to + 1) & mask;
                numbers_.slots[to] = slot;
            }
        }
        return made;
    }
    struct Numbers {
        std::vector<std::pair<uint64_t, uint32_t>> slots;
        void clear() { slots.clear(); }
    } numbers_;
    std::vector<uint32_t> counts_;
    std::vector<std::vector<uint32_t>> levels_;
};

// Common interface of both tables: the packed one if it fits, otherwise the deep one.
template <class Id>
class NgramCounts {
  public:
    // Clear everything; `largest` is the largest id, `grams` the largest number of n-grams.
    void clear(uint32_t largest, int order, size_t grams) {
        order_ = order;
        packed_ = largest <= PackedTable<Id>::max_id && order <= PackedTable<Id>::max_order && grams < 0xFFFF;
        if (packed_)
            table_.clear(grams);
        else
            deep_.clear();
    }
    void add(const std::vector<uint32_t>& ids, bool first) {
        if (packed_)
            table_.add(narrow(ids), ids.size(), order_, first);
        else
            deep_.add(ids, order_, first);
    }
    void match(const std::vector<uint32_t>& ids, uint32_t* matches) {
        if (packed_)
            table_.match(narrow(ids), ids.size(), order_, matches);
        else
            deep_.match(ids, order_, matches);
    }

  private:
    const Id* narrow(const std::vector<uint32_t>& ids) {
        narrow_.resize(ids.size() + 8);
        for (size_t i = 0; i < ids.size(); ++i) narrow_[i] = static_cast<Id>(ids[i] == 0 ? PackedTable<Id>::unknown : ids[i]);
        std::fill(narrow_.end() - 8, narrow_.end(), Id(0));
        return narrow_.data();
    }
    bool packed_ = true;
    int order_ = 1;
    PackedTable<Id> table_;
    DeepTable deep_;
    std::vector<Id> narrow_;
};

}  // namespace assay
