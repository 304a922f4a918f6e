// Texts as words: split at whitespace, optionally in lower case, numbered against a reference.
#pragma once

#include "ngrams.hpp"
#include "text.hpp"

namespace assay {

// One code point in lower case, as str.lower returns it. Two are special (U+0130 becomes two code points, U+03A3 depends on
// its neighbours): callers convert texts with one of them beforehand.
inline Char lower(Char c) {
    if (c < 0x80) return c >= 'A' && c <= 'Z' ? c + 32 : c;
    return Py_UNICODE_TOLOWER(c);
}

// The words of one text, as str.split() returns them.
class Words {
  public:
    void read(const Text& text, bool lowercase) {
        buffer_.resize(text.size);
        slices_.clear();
        if (text.kind == 1)
            scan(static_cast<const uint8_t*>(text.data), text.size, lowercase);
        else if (text.kind == 2)
            scan(static_cast<const uint16_t*>(text.data), text.size, lowercase);
        else
            scan(static_cast<const uint32_t*>(text.data), text.size, lowercase);
    }
    // Number every word; unknown words are added to the vocabulary.
    void add_to(Interner& vocabulary, std::vector<uint32_t>& ids) const {
        ids.clear();
        for (const Slice& word : slices_) ids.push_back(vocabulary.add(buffer_.data() + word.begin, word.size()));
    }
    // Number every word; unknown words are 0.
    void find_in(Interner& vocabulary, std::vector<uint32_t>& ids) const {
        ids.clear();
        for (const Slice& word : slices_) ids.push_back(vocabulary.find(buffer_.data() + word.begin, word.size()));
    }

  private:
    template <class Unit>
    void scan(const Unit* from, size_t n, bool lowercase) {
        Char* to = buffer_.data();
        if (lowercase)
            for (size_t i = 0; i < n; ++i) to[i] = lower(from[i]);
        else
            std::copy(from, from + n, to);
        split(buffer_, 0, slices_);
    }
    std::vector<Char> buffer_;
    std::vector<Slice> slices_;
};

}  // namespace assay
