// Character and word error rate: Levenshtein distance divided by the reference's length. The specification is reference/edit.py.
#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include "alphabet.hpp"
#include "arrays.hpp"
#include "kept.hpp"
#include "levenshtein.hpp"
#include "words.hpp"

namespace assay {
namespace {

// The symbols of a text: its code points,
class Characters {
  public:
    uint32_t read_reference(const Text& text, std::vector<uint32_t>& ids) {
        alphabet_.clear();
        ids.clear();
        buffer_.clear();
        text.append_to(buffer_);
        for (Char c : buffer_) ids.push_back(alphabet_.add(c));
        return alphabet_.size();
    }
    void read_hypothesis(const Text& text, std::vector<uint32_t>& ids) {
        ids.clear();
        text.append_to(ids);
        for (uint32_t& id : ids) id = alphabet_.find(id);
    }

  private:
    Alphabet alphabet_;
    std::vector<Char> buffer_;
};

// or its words.
class WordSymbols {
  public:
    uint32_t read_reference(const Text& text, std::vector<uint32_t>& ids) {
        vocabulary_.clear();
        words_.read(text, false);
        words_.add_to(vocabulary_, ids);
        return vocabulary_.size();
    }
    void read_hypothesis(const Text& text, std::vector<uint32_t>& ids) {
        words_.read(text, false);
        words_.find_in(vocabulary_, ids);
    }

  private:
    Words words_;
    Interner vocabulary_;
};

template <class Symbols>
class Reference {
  public:
    void prepare(const Text& text) {
        const uint32_t largest = symbols_.read_reference(text, ref_);
        distance_.prepare(ref_, largest);
    }
    Distance compare(const Text& hypothesis) {
        symbols_.read_hypothesis(hypothesis, hyp_);
        return distance_.compare(hyp_);
    }
    size_t size() const { return ref_.size(); }

  private:
    Symbols symbols_;
    std::vector<uint32_t> ref_, hyp_;
    Levenshtein distance_;
};

using Rates = std::tuple<Matrix<double>, Vector<double>, Vector<bool>>;

template <class Symbols>
Rates error_rate(nb::handle hypotheses, nb::sequence references) {
    const Column hyps(hypotheses, "hypotheses");
    const std::vector<Column> refs = columns(references, hyps.size());
    Buffer<double> stats(hyps.size() * 2), values(hyps.size());
    Buffer<bool> bounded(hyps.size());
    {
        nb::gil_scoped_release release;
        Kept<Reference<Symbols>> prepared(refs.size());
        for (size_t i = 0; i < hyps.size(); ++i) {
            bool first = true;
            for (size_t r = 0; r < refs.size(); ++r) {
                if (!refs[r][i]) continue;
                prepared[r].prepare(refs[r][i]);
                const Distance found = prepared[r].compare(hyps[i]);
                const double edits = static_cast<double>(found.value), length = static_cast<double>(prepared[r].size());
                const double rate = length > 0 ? edits / length : edits > 0 ? 1.0 : 0.0;
                bounded[i] = bounded[i] || !found.exact;
                if (!first && rate >= values[i]) continue;
                first = false;
                values[i] = rate;
                stats[2 * i] = edits;
                stats[2 * i + 1] = length;
            }
        }
        prepared.keep();
    }
    return {stats.matrix(2), values.vector(), bounded.vector()};
}

}  // namespace

void bind_edit(nb::module_& m) {
    m.def("cer", &error_rate<Characters>, nb::arg("hypotheses"), nb::arg("references"),
          "(statistics, rates, bounded): [edits, reference length] over code points for the best reference, edits over "
          "length, and whether the distance is an upper bound because the texts are too long and too different.");
    m.def("wer", &error_rate<WordSymbols>, nb::arg("hypotheses"), nb::arg("references"),
          "The same as cer over words, split at white space.");
}

}  // namespace assay
