// Numbering of the code points of a reference.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <new>
#include <vector>

#include "text.hpp"

namespace assay {

// Code point to its number in the current reference; only pages of scripts in use are accessed.
class Alphabet {
  public:
    Alphabet() : numbers_(static_cast<uint32_t*>(std::calloc(0x110000, sizeof(uint32_t)))) {
        if (!numbers_) throw std::bad_alloc();
    }
    ~Alphabet() { std::free(numbers_); }
    Alphabet(const Alphabet&) = delete;
    Alphabet& operator=(const Alphabet&) = delete;
    void clear() {
        for (Char c : known_) numbers_[c] = 0;
        known_.clear();
    }
    uint32_t add(Char c) {
        if (numbers_[c] == 0) {
            known_.push_back(c);
            numbers_[c] = static_cast<uint32_t>(known_.size());
        }
        return numbers_[c];
    }
    uint32_t find(Char c) const { return numbers_[c]; }
    uint32_t size() const { return static_cast<uint32_t>(known_.size()); }

  private:
    uint32_t* numbers_;
    std::vector<Char> known_;
};

}  // namespace assay
