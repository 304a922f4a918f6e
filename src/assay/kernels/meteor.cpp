// METEOR's word alignment (Lavie and Agarwal 2007), as NLTK defines it. The specification is reference/meteor.py.
//
// NLTK processes the translation from its end and aligns each word with the last unaligned reference word that matches: by
// surface form, then by stem, then by a WordNet synonym of the stem. Here every word is a small integer, and its unaligned
// positions are a linked list that starts at the last one. So a stage takes one step per word (and one per synonym),
// however long the line is, and needs no limit.
#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include <cmath>

#include "arrays.hpp"
#include "ngrams.hpp"
#include "text.hpp"

namespace assay {
namespace {

using Ints = nb::ndarray<const int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Longs = nb::ndarray<const int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// The first occurrence of a word: text and position.
struct FirstSeen {
    const Text* text;
    Slice place;
};

// (distinct words, ids, starts): the ids of text t of column c are ids[starts[c * rows + t] : starts[c * rows + t + 1]].
// A missing text (None) has the single id -1.
std::tuple<nb::list, Vector<int32_t>, Vector<int64_t>> word_ids(nb::sequence sequences) {
    std::vector<Column> all;
    size_t texts = 0;
    for (nb::handle sequence : sequences) {
        all.emplace_back(sequence, "texts");
        texts += all.back().size();
    }
    Buffer<int64_t> starts(texts + 1);
    std::vector<int32_t> ids;
    std::vector<FirstSeen> distinct;
    {
        nb::gil_scoped_release release;
        Interner vocabulary;
        vocabulary.clear();
        std::vector<Char> buffer;
        std::vector<Slice> words;
        size_t t = 0;
        for (const Column& column : all)
            for (size_t i = 0; i < column.size(); ++i) {
                const Text& text = column[i];
                if (text) {
                    buffer.clear();
                    words.clear();
                    text.append_to(buffer);
                    split(buffer, 0, words);
                    for (const Slice& word : words) {
                        const uint32_t id = vocabulary.add(buffer.data() + word.begin, word.size());
                        if (id > distinct.size()) distinct.push_back({&text, word});
                        ids.push_back(static_cast<int32_t>(id - 1));
                    }
                } else {
                    ids.push_back(-1);
                }
                starts[++t] = static_cast<int64_t>(ids.size());
            }
    }
    nb::list names;
    for (const FirstSeen& word : distinct) {
        PyObject* name = PyUnicode_Substring(word.text->object, word.place.begin, word.place.end);
        if (!name) throw nb::python_error();
        names.append(nb::steal(name));
    }
    Buffer<int32_t> numbers(ids.size());
    std::copy(ids.begin(), ids.end(), numbers.data.get());
    return {names, numbers.vector(), starts.vector()};
}

struct Span {
    const int32_t* begin;
    const int32_t* end;
    size_t size() const { return static_cast<size_t>(end - begin); }
    bool missing() const { return size() == 1 && *begin < 0; }
};

struct Parameters {
    double alpha, beta, gamma;
};

class Aligner {
  public:
    Aligner(const Ints& surface, const Ints& stem, const Longs& synonym_starts, const Ints& synonyms)
        : surface_(surface.data()),
          stem_(stem.data()),
          synonym_starts_(synonym_starts.data()),
          synonyms_(synonyms.data()),
          has_synonyms_(synonyms.size() > 0) {
        int32_t largest = -1;
        for (size_t i = 0; i < surface.size(); ++i) largest = std::max({largest, surface_[i], stem_[i]});
        for (size_t i = 0; i < synonyms.size(); ++i) largest = std::max(largest, synonyms_[i]);
        last_.assign(static_cast<size_t>(largest + 1), -1);
    }

    double score(Span hypothesis, Span reference, const Parameters& p) {
        align(hypothesis, reference);
        size_t matches = 0, chunks = 0;
        int32_t before = -2;  // the match of the previous word
        for (int32_t j : match_) {
            if (j >= 0) {
                ++matches;
                if (j != before + 1) ++chunks;
            }
            before = j >= 0 ? j : -2;
        }
        if (matches == 0) return 0.0;
        const double precision = static_cast<double>(matches) / static_cast<double>(hypothesis.size());
        const double recall = static_cast<double>(matches) / static_cast<double>(reference.size());
        const double mean = (precision * recall) / (p.alpha * precision + (1 - p.alpha) * recall);
        const double fragmentation = static_cast<double>(chunks) / static_cast<double>(matches);
        return (1 - p.gamma * std::pow(fragmentation, p.beta)) * mean;
    }

  private:
    void align(Span hypothesis, Span reference) {
        match_.assign(hypothesis.size(), -1);
        taken_.assign(reference.size(), 0);
        earlier_.resize(reference.size());
        left_.resize(hypothesis.size());
        for (size_t i = 0; i < left_.size(); ++i) left_[i] = static_cast<int32_t>(left_.size() - 1 - i);
        same(hypothesis, reference, surface_);
        if (left_.empty()) return;
        same(hypothesis, reference, stem_);
        if (!left_.empty() && has_synonyms_) synonymous(hypothesis, reference);
    }
    // Link the unaligned reference positions of each word, the last one first.
    void chain(Span reference, const int32_t* word) {
        for (size_t j = 0; j < reference.size(); ++j) {
            if (taken_[j]) continue;
            int32_t& last = last_[static_cast<size_t>(word[reference.begin[j]])];
            earlier_[j] = last;
            last = static_cast<int32_t>(j);
        }
    }
    void unchain(Span reference, const int32_t* word) {
        for (const int32_t* id = reference.begin; id != reference.end; ++id) last_[static_cast<size_t>(word[*id])] = -1;
    }
    void take(int32_t i, int32_t& last) {
        match_[static_cast<size_t>(i)] = last;
        taken_[static_cast<size_t>(last)] = 1;
        last = earlier_[static_cast<size_t>(last)];
    }
    void same(Span hypothesis, Span reference, const int32_t* word) {
        chain(reference, word);
        size_t kept = 0;
        for (int32_t i : left_) {
            int32_t& last = last_[static_cast<size_t>(word[hypothesis.begin[i]])];
            if (last >= 0)
                take(i, last);
            else
                left_[kept++] = i;
        }
        left_.resize(kept);
        unchain(reference, word);
    }
    void synonymous(Span hypothesis, Span reference) {
        chain(reference, stem_);
        for (int32_t i : left_) {
            const auto stem = static_cast<size_t>(stem_[hypothesis.begin[i]]);
            int32_t* best = nullptr;
            for (int64_t s = synonym_starts_[stem]; s < synonym_starts_[stem + 1]; ++s) {
                int32_t& last = last_[static_cast<size_t>(synonyms_[s])];
                if (last >= 0 && (!best || last > *best)) best = &last;
            }
            if (best) take(i, *best);
        }
        unchain(reference, stem_);
    }

    const int32_t *surface_, *stem_;
    const int64_t* synonym_starts_;
    const int32_t* synonyms_;
    bool has_synonyms_;
    std::vector<int32_t> last_;     // word -> its last unaligned reference position, -1: none
    std::vector<int32_t> earlier_;  // reference position -> the previous unaligned one with the same word
    std::vector<int32_t> match_;    // hypothesis position -> reference position, -1: none
    std::vector<int32_t> left_;     // unaligned hypothesis positions, last first
    std::vector<uint8_t> taken_;
};

Vector<double> meteor(Ints ids, Longs starts, size_t rows, Ints surface, Ints stem, Longs synonym_starts, Ints synonyms,
                      double alpha, double beta, double gamma) {
    const size_t texts = starts.size() - 1;
    if (rows > 0 && (texts < rows || texts % rows != 0)) throw nb::value_error("starts must hold whole columns of texts");
    const size_t columns = rows ? texts / rows : 0;
    Buffer<double> values(rows);
    {
        nb::gil_scoped_release release;
        Aligner aligner(surface, stem, synonym_starts, synonyms);
        const auto text = [&](size_t t) { return Span{ids.data() + starts.data()[t], ids.data() + starts.data()[t + 1]}; };
        for (size_t i = 0; i < rows; ++i) {
            const Span hypothesis = text(i);
            for (size_t c = 1; c < columns; ++c) {
                const Span reference = text(c * rows + i);
                if (hypothesis.missing() || reference.missing()) continue;
                values[i] = std::max(values[i], aligner.score(hypothesis, reference, {alpha, beta, gamma}));
            }
        }
    }
    return values.vector();
}

}  // namespace

void bind_meteor(nb::module_& m) {
    m.def("word_ids", &word_ids, nb::arg("columns"),
          "(distinct words, ids, starts) of white-space words over columns of texts; a missing text has the one id -1.");
    m.def("meteor", &meteor, nb::arg("ids"), nb::arg("starts"), nb::arg("rows"), nb::arg("surface"), nb::arg("stem"),
          nb::arg("synonym_starts"), nb::arg("synonyms"), nb::arg("alpha"), nb::arg("beta"), nb::arg("gamma"),
          "METEOR of the first column against the best of the others; the arguments are as word_ids gives them.");
}

}  // namespace assay
