// ROUGE-N and ROUGE-L (Lin 2004) as rouge-score 0.1.2 defines them, without stemmer. The specification is reference/rouge.py.
#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include "arrays.hpp"
#include "kept.hpp"
#include "ngrams.hpp"
#include "subsequence.hpp"
#include "text.hpp"

namespace assay {
namespace {

// The tokens of a text: runs of lower-cased Latin letters and digits.
struct Tokens {
    std::vector<Char> buffer;
    std::vector<Slice> words;
    bool unsupported = false;  // more letters and digits were skipped than read

    void read(const Text& text) {
        buffer.clear();
        words.clear();
        size_t start = 0, passed = 0;
        for (size_t i = 0; i < text.size; ++i) {
            const Char c = text[i], lower = folded(c);
            if (lower) buffer.push_back(lower);
            if (!lower || c == dotted_i) {
                if (buffer.size() > start)
                    words.push_back({static_cast<uint32_t>(start), static_cast<uint32_t>(buffer.size())});
                start = buffer.size();
            }
            if (!lower && c >= 128) passed += Py_UNICODE_ISALNUM(c) != 0;
        }
        if (buffer.size() > start) words.push_back({static_cast<uint32_t>(start), static_cast<uint32_t>(buffer.size())});
        unsupported = passed > buffer.size();
    }

  private:
    static constexpr Char dotted_i = 0x130, kelvin = 0x212A;  // str.lower returns "i" + a combining dot, and "k"

    static Char folded(Char c) {
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) return c;
        if (c >= 'A' && c <= 'Z') return c + 32;
        return c == dotted_i ? 'i' : c == kelvin ? 'k' : 0;
    }
};

struct Score {
    double precision = 0, recall = 0, f1 = 0;
};

Score score_of(size_t common, size_t hypothesis, size_t reference) {
    Score score;
    score.precision = static_cast<double>(common) / static_cast<double>(std::max<size_t>(hypothesis, 1));
    score.recall = static_cast<double>(common) / static_cast<double>(std::max<size_t>(reference, 1));
    if (score.precision + score.recall > 0)
        score.f1 = 2 * score.precision * score.recall / (score.precision + score.recall);
    return score;
}

// A reference with n-gram counts, or with the positions of its tokens.
class Reference {
  public:
    bool unsupported = false;

    void prepare(const Text& text, size_t order) {
        tokens_.read(text);
        unsupported = tokens_.unsupported;
        vocabulary_.clear();
        ids_.clear();
        for (const Slice& word : tokens_.words)
            ids_.push_back(vocabulary_.add(tokens_.buffer.data() + word.begin, word.size()));
        size_ = ids_.size();
        if (order == 0) {
            subsequence_.prepare(ids_, vocabulary_.size());
        } else {
            counts_.clear(vocabulary_.size(), static_cast<int>(order), size_ * order);
            counts_.add(ids_, true);
        }
    }
    Score compare(const Tokens& hypothesis, size_t order) {
        ids_.clear();
        for (const Slice& word : hypothesis.words)
            ids_.push_back(vocabulary_.find(hypothesis.buffer.data() + word.begin, word.size()));
        if (order == 0) return score_of(subsequence_.length(ids_), ids_.size(), size_);
        const auto grams = [order](size_t n) { return n >= order ? n - order + 1 : 0; };
        matches_.assign(order, 0);
        counts_.match(ids_, matches_.data());
        return score_of(matches_[order - 1], grams(ids_.size()), grams(size_));
    }

  private:
    Tokens tokens_;
    Interner vocabulary_;
    NgramCounts<uint16_t> counts_;
    CommonSubsequence subsequence_;
    std::vector<uint32_t> ids_, matches_;
    size_t size_ = 0;
};

std::tuple<Vector<double>, Vector<double>, Vector<double>, Vector<bool>> rouge(nb::handle hypotheses,
                                                                               nb::sequence references, size_t order) {
    const Column hyps(hypotheses, "hypotheses");
    const std::vector<Column> refs = columns(references, hyps.size());
    Buffer<double> f1(hyps.size()), precision(hyps.size()), recall(hyps.size());
    Buffer<bool> unsupported(hyps.size());
    {
        nb::gil_scoped_release release;
        Kept<Reference> prepared(refs.size());
        Tokens hypothesis;
        for (size_t i = 0; i < hyps.size(); ++i) {
            hypothesis.read(hyps[i]);
            unsupported[i] = hypothesis.unsupported;
            bool first = true;
            for (size_t r = 0; r < refs.size(); ++r) {
                if (!refs[r][i]) continue;
                prepared[r].prepare(refs[r][i], order);
                unsupported[i] |= prepared[r].unsupported;
                const Score score = prepared[r].compare(hypothesis, order);
                if (first || score.f1 > f1[i]) f1[i] = score.f1, precision[i] = score.precision, recall[i] = score.recall;
                first = false;
            }
        }
        prepared.keep();
    }
    return {f1.vector(), precision.vector(), recall.vector(), unsupported.vector()};
}

}  // namespace

void bind_rouge(nb::module_& m) {
    m.def("rouge", &rouge, nb::arg("hypotheses"), nb::arg("references"), nb::arg("order"),
          "(F1, precision, recall, unsupported script): ROUGE-N for order N; order 0 is ROUGE-L.");
}

}  // namespace assay
