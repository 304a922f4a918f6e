// chrF and chrF++ statistics (Popović 2015, 2017), as sacrebleu defines them. The specification is reference/chrf.py.
#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include "alphabet.hpp"
#include "arrays.hpp"
#include "kept.hpp"
#include "ngrams.hpp"
#include "text.hpp"

namespace assay {
namespace {

struct Options {
    int char_order, word_order;
    double beta;
    bool whitespace, eps_smoothing;
    int orders() const { return char_order + word_order; }
};

bool is_punctuation(Char c) {
    return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

// Split off one punctuation mark at the end of a word, or else one at its start.
void separate_punctuation(const std::vector<Char>& text, std::vector<Slice>& plain, std::vector<Slice>& words) {
    plain.clear();
    words.clear();
    split(text, 0, plain);
    for (const Slice& word : plain) {
        if (word.size() > 1 && is_punctuation(text[word.end - 1])) {
            words.push_back({word.begin, word.end - 1});
            words.push_back({word.end - 1, word.end});
        } else if (word.size() > 1 && is_punctuation(text[word.begin])) {
            words.push_back({word.begin, word.begin + 1});
            words.push_back({word.begin + 1, word.end});
        } else {
            words.push_back(word);
        }
    }
}

double f_score(const double* stats, const Options& options) {
    const double eps = 1e-16, factor = options.beta * options.beta;
    double score = 0, precision = 0, recall = 0;
    int effective = 0;
    for (int i = 0; i < options.orders(); ++i) {
        const double hyp = stats[3 * i], ref = stats[3 * i + 1], match = stats[3 * i + 2];
        const double p = hyp > 0 ? match / hyp : eps, r = ref > 0 ? match / ref : eps;
        const double denominator = factor * p + r;
        score += denominator > 0 ? (1 + factor) * p * r / denominator : eps;
        if (hyp > 0 && ref > 0) precision += p, recall += r, ++effective;
    }
    if (options.eps_smoothing) return 100 * score / options.orders();
    if (effective == 0) return 0;
    precision /= effective;
    recall /= effective;
    if (precision + recall == 0) return 0;
    score = (1 + factor) * precision * recall;
    return 100 * (score / (factor * precision + recall));
}

// A reference with n-gram counts.
class Reference {
  public:
    void prepare(const Text& text, const Options& options) {
        buffer_.clear();
        text.append_to(buffer_);
        alphabet_.clear();
        ids_.clear();
        for (Char c : buffer_)
            if (options.whitespace || !is_space(c)) ids_.push_back(alphabet_.add(c));
        chars_ = ids_.size();
        counts_.clear(alphabet_.size(), options.char_order, chars_ * static_cast<size_t>(options.char_order));
        counts_.add(ids_, true);
        if (options.word_order == 0) return;
        separate_punctuation(buffer_, plain_, words_);
        vocabulary_.clear();
        ids_.clear();
        for (const Slice& word : words_) ids_.push_back(vocabulary_.add(buffer_.data() + word.begin, word.size()));
        n_words_ = ids_.size();
        word_counts_.clear(vocabulary_.size(), options.word_order, n_words_ * static_cast<size_t>(options.word_order));
        word_counts_.add(ids_, true);
    }
    // [hypothesis, reference, match] for every order
    void compare(const Text& hypothesis, const Options& options, double* stats) {
        buffer_.clear();
        hypothesis.append_to(buffer_);
        ids_.clear();
        for (Char c : buffer_)
            if (options.whitespace || !is_space(c)) ids_.push_back(alphabet_.find(c));
        fill(counts_, chars_, options.char_order, stats);
        if (options.word_order == 0) return;
        separate_punctuation(buffer_, plain_, words_);
        ids_.clear();
        for (const Slice& word : words_) ids_.push_back(vocabulary_.find(buffer_.data() + word.begin, word.size()));
        fill(word_counts_, n_words_, options.word_order, stats + 3 * options.char_order);
    }

  private:
    template <class Counts>
    void fill(Counts& counts, size_t reference_size, int order, double* stats) {
        matches_.assign(static_cast<size_t>(order), 0);
        counts.match(ids_, matches_.data());
        for (size_t k = 0; k < static_cast<size_t>(order); ++k) {
            const size_t ref = reference_size > k ? reference_size - k : 0;
            const size_t hyp = ids_.size() > k ? ids_.size() - k : 0;
            stats[3 * k] = ref ? static_cast<double>(hyp) : 0.0;
            stats[3 * k + 1] = static_cast<double>(ref);
            stats[3 * k + 2] = matches_[k];
        }
    }
    Alphabet alphabet_;
    Interner vocabulary_;
    NgramCounts<uint8_t> counts_;
    NgramCounts<uint16_t> word_counts_;
    std::vector<Char> buffer_;
    std::vector<uint32_t> ids_, matches_;
    std::vector<Slice> plain_, words_;
    size_t chars_ = 0, n_words_ = 0;
};

std::tuple<Matrix<double>, Vector<double>> chrf(nb::handle hypotheses, nb::sequence references, int char_order,
                                                int word_order, double beta, bool whitespace, bool eps_smoothing) {
    const Options options{char_order, word_order, beta, whitespace, eps_smoothing};
    const Column hyps(hypotheses, "hypotheses");
    const std::vector<Column> refs = columns(references, hyps.size());
    const size_t width = 3 * static_cast<size_t>(options.orders());
    Buffer<double> stats(hyps.size() * width), values(hyps.size());
    {
        nb::gil_scoped_release release;
        Kept<Reference> prepared(refs.size());
        std::vector<double> row(width);
        for (size_t i = 0; i < hyps.size(); ++i) {
            double best = -1;
            for (size_t r = 0; r < refs.size(); ++r) {
                if (!refs[r][i]) continue;
                prepared[r].prepare(refs[r][i], options);
                prepared[r].compare(hyps[i], options, row.data());
                const double score = f_score(row.data(), options);
                if (score > best) {
                    best = score;
                    std::copy(row.begin(), row.end(), &stats[i * width]);
                }
            }
            values[i] = best;
        }
        prepared.keep();
    }
    return {stats.matrix(width), values.vector()};
}

}  // namespace

void bind_chrf(nb::module_& m) {
    m.def("chrf", &chrf, nb::arg("hypotheses"), nb::arg("references"), nb::arg("char_order"), nb::arg("word_order"),
          nb::arg("beta"), nb::arg("whitespace"), nb::arg("eps_smoothing"),
          "(statistics, scores): [hypothesis, reference, match] n-gram counts for every order, and the segment chrF.");
}

}  // namespace assay
