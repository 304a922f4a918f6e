// BLEU statistics and sentence BLEU (Papineni et al. 2002) as sacrebleu defines them. The specification is reference/bleu.py.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>

#include <cmath>
#include <string>
#include <string_view>

#include "arrays.hpp"
#include "ngrams.hpp"
#include "text.hpp"
#include "tokenize13a.hpp"

namespace assay {
namespace {

enum class Smoothing { none, exp, floor, add_k };

Smoothing smoothing_called(std::string_view name) {
    if (name == "none") return Smoothing::none;
    if (name == "exp") return Smoothing::exp;
    if (name == "floor") return Smoothing::floor;
    if (name == "add-k") return Smoothing::add_k;
    throw nb::value_error("the smoothing is none, exp, floor or add-k");
}

struct Options {
    int order;
    bool tokenize;
    Smoothing smoothing;
    double smooth_value;
};

// Sentence BLEU over the orders for which the hypothesis has n-grams (effective order).
double sentence_bleu(const double* stats, const Options& options) {
    const double hyp_len = stats[0], ref_len = stats[1];
    const double *correct = stats + 2, *total = correct + options.order;
    double logs = 0, halved = 1;
    int effective = 0;
    bool any = false;
    for (int k = 0; k < options.order; ++k) any |= correct[k] > 0;
    if (!any) return 0;
    for (int k = 0; k < options.order; ++k) {
        const double added = options.smoothing == Smoothing::add_k && k > 0 ? options.smooth_value : 0;
        const double hits = correct[k] + added, all = total[k] + added;
        if (all == 0) break;
        ++effective;
        double precision = 100. * hits / all;
        if (hits == 0 && options.smoothing == Smoothing::exp) precision = 100. / ((halved *= 2) * all);
        if (hits == 0 && options.smoothing == Smoothing::floor) precision = 100. * options.smooth_value / all;
        logs += precision == 0 ? -9999999999. : std::log(precision);
    }
    const double penalty = hyp_len < ref_len ? std::exp(1 - ref_len / hyp_len) : 1.0;
    return penalty * std::exp(logs / effective);
}

// The references of one segment with n-gram counts, reused while consecutive segments share them.
class References {
  public:
    explicit References(const Options& options) : options_(options) {}

    void prepare(const std::vector<Column>& columns, size_t row) {
        if (row > 0 && same(columns, row)) return;
        vocabulary_.clear();
        lengths_.clear();
        size_t grams = 0;
        for (const Column& column : columns) {
            if (!column[row]) continue;
            if (ids_.size() == lengths_.size()) ids_.emplace_back();
            auto& ids = ids_[lengths_.size()];
            tokenize(column[row]);
            ids.clear();
            for (const Slice& token : tokens_) ids.push_back(vocabulary_.add(buffer_.data() + token.begin, token.size()));
            lengths_.push_back(ids.size());
            grams += ids.size() * static_cast<size_t>(options_.order);
        }
        counts_.clear(vocabulary_.size(), options_.order, grams);
        for (size_t r = 0; r < lengths_.size(); ++r) counts_.add(ids_[r], r == 0);
    }

    // [hypothesis length, reference length, correct for every order, total for every order]
    void compare(const Text& hypothesis, double* stats) {
        tokenize(hypothesis);
        hypothesis_.clear();
        for (const Slice& token : tokens_)
            hypothesis_.push_back(vocabulary_.find(buffer_.data() + token.begin, token.size()));
        const auto order = static_cast<size_t>(options_.order);
        matches_.assign(order, 0);
        if (!lengths_.empty()) counts_.match(hypothesis_, matches_.data());
        const size_t n = hypothesis_.size();
        stats[0] = static_cast<double>(n);
        stats[1] = static_cast<double>(closest(n));
        for (size_t k = 0; k < order; ++k) {
            stats[2 + k] = matches_[k];
            stats[2 + order + k] = static_cast<double>(n > k ? n - k : 0);
        }
    }

  private:
    static bool same(const std::vector<Column>& columns, size_t row) {
        for (const Column& column : columns)
            if (!(column[row] == column[row - 1])) return false;
        return true;
    }
    void tokenize(const Text& text) {
        tokens_.clear();
        if (options_.tokenize) {
            Tokenizer13a::run(text, buffer_, tokens_);
        } else {
            buffer_.clear();
            text.append_to(buffer_);
            split(buffer_, 0, tokens_);
        }
    }
    // The reference length closest to the hypothesis's; ties go to the shorter one.
    size_t closest(size_t length) const {
        const auto distance = [length](size_t other) { return other > length ? other - length : length - other; };
        size_t best = lengths_.empty() ? 0 : lengths_[0];
        for (size_t other : lengths_)
            if (distance(other) < distance(best) || (distance(other) == distance(best) && other < best)) best = other;
        return best;
    }

    const Options options_;
    Interner vocabulary_;
    NgramCounts<uint16_t> counts_;
    std::vector<size_t> lengths_;
    std::vector<std::vector<uint32_t>> ids_;
    std::vector<uint32_t> hypothesis_, matches_;
    std::vector<Char> buffer_;
    std::vector<Slice> tokens_;
};

std::tuple<Matrix<double>, Vector<double>> bleu(nb::handle hypotheses, nb::sequence references, int max_order,
                                                bool tokenize, std::string_view smooth_method, double smooth_value) {
    const Options options{max_order, tokenize, smoothing_called(smooth_method), smooth_value};
    const Column hyps(hypotheses, "hypotheses");
    const std::vector<Column> refs = columns(references, hyps.size());
    const size_t width = 2 + 2 * static_cast<size_t>(max_order);
    Buffer<double> stats(hyps.size() * width), values(hyps.size());
    {
        nb::gil_scoped_release release;
        References prepared(options);
        for (size_t i = 0; i < hyps.size(); ++i) {
            prepared.prepare(refs, i);
            prepared.compare(hyps[i], &stats[i * width]);
            values[i] = sentence_bleu(&stats[i * width], options);
        }
    }
    return {stats.matrix(width), values.vector()};
}

nb::list tokenize_13a(nb::handle texts) {
    const Column column(texts, "texts");
    std::vector<Char> buffer, line;
    std::vector<Slice> tokens;
    nb::list out;
    for (size_t i = 0; i < column.size(); ++i) {
        tokens.clear();
        line.clear();
        Tokenizer13a::run(column[i], buffer, tokens);
        for (const Slice& token : tokens) {
            if (!line.empty()) line.push_back(' ');
            line.insert(line.end(), buffer.begin() + token.begin, buffer.begin() + token.end);
        }
        PyObject* made = PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, line.data(), static_cast<Py_ssize_t>(line.size()));
        if (!made) throw nb::python_error();
        out.append(nb::steal(made));
    }
    return out;
}

}  // namespace

void bind_bleu(nb::module_& m) {
    m.def("bleu", &bleu, nb::arg("hypotheses"), nb::arg("references"), nb::arg("max_order"), nb::arg("tokenize"),
          nb::arg("smooth_method"), nb::arg("smooth_value"),
          "(statistics, scores): [hypothesis length, reference length, correct, total for every order], sentence BLEU.");
    m.def("tokenize_13a", &tokenize_13a, nb::arg("texts"), "Each text tokenized as mteval-v13a does, blanks between tokens.");
}

}  // namespace assay
