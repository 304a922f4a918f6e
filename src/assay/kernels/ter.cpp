// Translation edit rate (Snover et al. 2006) with sacrebleu's shift search. The specification is reference/ter.py.
#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include <bit>

#include "arrays.hpp"
#include "kept.hpp"
#include "ter_rows.hpp"
#include "words.hpp"

namespace assay {
namespace {

using ter::Ids, ter::Move, ter::Op;

constexpr size_t max_shift_size = 10;
constexpr size_t max_shift_distance = 50;
constexpr size_t max_candidates = 1000;
constexpr size_t max_words = 2000;  // with more words on either side, no shift is searched

struct Edits {
    size_t edits, length;
    bool bounded;
};

// A possible shift: `length` words from `start` move to before word `target`.
struct Candidate {
    uint32_t start, length, target;

    Move move(size_t words) const {
        if (target < start) return {target, start, start + length};
        if (target > start + length) return {start, start + length, target};
        return {start, start + length, std::min(length + target, static_cast<uint32_t>(words))};
    }
    // Ties go to the longest shift, then the earliest, then the one to the earliest position.
    bool precedes(const Candidate& other) const {
        if (length != other.length) return length > other.length;
        return start != other.start ? start < other.start : target < other.target;
    }
};

// The wrong words, and the number of hypothesis words before the alignment of each reference word.
struct Alignment {
    std::vector<uint8_t> hyp_wrong, ref_wrong;
    std::vector<uint32_t> place;  // place[j]: hypothesis words up to and including the one aligned to reference word j - 1

    template <class Rows>
    void trace(const Rows& rows, const Ids& hyp, const Ids& ref) {
        hyp_wrong.assign(hyp.size(), 1);
        ref_wrong.assign(ref.size(), 1);
        place.resize(ref.size() + 1);
        place[0] = 0;
        size_t i = hyp.size(), j = ref.size();
        while (i > 0 || j > 0) {
            const bool equal = i > 0 && j > 0 && hyp[i - 1] == ref[j - 1];
            const Op op = rows.at(i, j, equal);
            if (op != Op::remove) place[j] = static_cast<uint32_t>(i);
            if (op == Op::keep) hyp_wrong[i - 1] = ref_wrong[j - 1] = 0;
            if (op != Op::insert) --i;
            if (op != Op::remove) --j;
        }
    }
};

class Reference {
  public:
    void prepare(const Text& text, bool lowercase) {
        words_.read(text, lowercase);
        vocabulary_.clear();
        words_.add_to(vocabulary_, ref_);
        counts_.assign(vocabulary_.size() + 1, 0);
        for (uint32_t id : ref_) ++counts_[id];
        blocks_ = (ref_.size() + 63) / 64;
        masks_.clear();
        if (ref_.size() > max_words) return;
        masks_.resize((vocabulary_.size() + 1) * blocks_);
        for (size_t j = 0; j < ref_.size(); ++j) masks_[ref_[j] * blocks_ + j / 64] |= 1ull << (j % 64);
    }
    Edits compare(const Text& hypothesis, bool lowercase) {
        words_.read(hypothesis, lowercase);
        words_.find_in(vocabulary_, hyp_);
        if (ref_.empty()) return {hyp_.size(), 0, false};
        if (hyp_.empty()) return {ref_.size(), ref_.size(), false};
        if (hyp_ == ref_) return {0, ref_.size(), false};
        const int floor = least_distance();
        if (std::max(hyp_.size(), ref_.size()) > max_words) {
            beam_.start(hyp_, ref_);
            const int distance = beam_.distance(hyp_);
            return {static_cast<size_t>(distance), ref_.size(), distance > floor};
        }
        bits_.start(hyp_, ref_.size(), masks_, blocks_);
        int distance = bits_.fill(hyp_, 0);
        if (ter::beam_is_idle(hyp_.size(), ref_.size(), distance))
            return {search(bits_, distance, floor), ref_.size(), false};
        beam_.start(hyp_, ref_);
        distance = beam_.fill(hyp_, 0);
        return {search(beam_, distance, floor), ref_.size(), false};
    }

  private:
    // A lower bound of the distance for any order of the hypothesis's words.
    int least_distance() {
        left_ = counts_;
        size_t common = 0;
        for (uint32_t id : hyp_)
            if (left_[id] > 0) --left_[id], ++common;
        return static_cast<int>(std::max(hyp_.size(), ref_.size()) - common);
    }
    // Shift words while that reduces the distance; return the number of shifts and remaining edits.
    template <class Rows>
    size_t search(Rows& rows, int distance, int floor) {
        size_t shifts = 0, checked = 0;
        while (distance > floor) {
            alignment_.trace(rows, hyp_, ref_);
            checked += find_candidates();
            if (checked >= max_candidates) break;
            const auto [best, gain] = best_candidate(rows, distance, distance - floor);
            if (gain <= 0) break;
            const Move move = best.move(hyp_.size());
            const auto at = [&](uint32_t i) { return hyp_.begin() + i; };
            std::rotate(at(move.first), at(move.middle), at(move.last));
            distance = rows.fill(hyp_, move.first);
            ++shifts;
        }
        return shifts + static_cast<size_t>(distance);
    }
    // Common runs of words that are wrong on both sides, and their possible positions. The number of positions
    // counts towards the limit even if two runs lead to the same shift.
    size_t find_candidates() {
        for (auto& bucket : candidates_) bucket.clear();
        size_t found = 0;
        for (size_t start = 0; start < hyp_.size(); ++start) {
            const uint64_t* mask = &masks_[hyp_[start] * blocks_];
            for (size_t b = 0; b < blocks_; ++b)
                for (uint64_t bits = mask[b]; bits; bits &= bits - 1) {
                    const size_t at = b * 64 + static_cast<size_t>(std::countr_zero(bits));
                    if (at + max_shift_distance < start || start + max_shift_distance < at) continue;
                    found += find_runs(start, at);
                }
        }
        return found;
    }
    size_t find_runs(size_t start, size_t at) {
        const size_t longest = std::min({max_shift_size, hyp_.size() - start, ref_.size() - at});
        bool hyp_wrong = false, ref_wrong = false;
        size_t found = 0;
        for (size_t length = 1; length <= longest && hyp_[start + length - 1] == ref_[at + length - 1]; ++length) {
            hyp_wrong |= alignment_.hyp_wrong[start + length - 1];
            ref_wrong |= alignment_.ref_wrong[at + length - 1];
            const uint32_t aligned = alignment_.place[at + 1];
            if (!hyp_wrong || !ref_wrong || (aligned > start && aligned <= start + length)) continue;
            uint32_t before = ~0u;
            for (size_t j = at; j <= at + length; ++j) {
                const uint32_t target = alignment_.place[j];
                if (target == before) continue;
                before = target;
                candidates_[length - 1].push_back({static_cast<uint32_t>(start), static_cast<uint32_t>(length), target});
                ++found;
            }
        }
        return found;
    }
    // The candidate with the greatest gain; ties are decided by rank. `most` bounds every gain.
    template <class Rows>
    std::pair<Candidate, int> best_candidate(Rows& rows, int distance, int most) {
        Candidate best{};
        int best_gain = 0;
        for (size_t length = max_shift_size; length > 0; --length)
            for (const Candidate& candidate : candidates_[length - 1]) {
                const Move move = candidate.move(hyp_.size());
                // the gain needed to replace the best candidate so far
                const int needed = best_gain > 0 && candidate.precedes(best) ? best_gain : best_gain + 1;
                if (std::min(most, Rows::most_gain(move.middle - move.first, move.last - move.middle)) < needed) continue;
                const int gain = distance - rows.moved(hyp_, move, distance - needed);
                if (gain >= needed) best = candidate, best_gain = gain;
            }
        return {best, best_gain};
    }

    Words words_;
    Interner vocabulary_;
    Ids ref_, hyp_;
    std::vector<uint32_t> counts_, left_;
    std::vector<uint64_t> masks_;
    size_t blocks_ = 0;
    ter::BitRows bits_;
    ter::BeamRows beam_;
    Alignment alignment_;
    std::vector<Candidate> candidates_[max_shift_size];
};

std::tuple<Matrix<double>, Vector<double>, Vector<bool>> ter_statistics(nb::handle hypotheses, nb::sequence references,
                                                                        bool lowercase) {
    const Column hyps(hypotheses, "hypotheses");
    const std::vector<Column> refs = columns(references, hyps.size());
    Buffer<double> stats(hyps.size() * 2), values(hyps.size());
    Buffer<bool> bounded(hyps.size());
    {
        nb::gil_scoped_release release;
        Kept<Reference> prepared(refs.size());
        for (size_t i = 0; i < hyps.size(); ++i) {
            size_t best = ~size_t(0), lengths = 0, count = 0;
            for (size_t r = 0; r < refs.size(); ++r) {
                if (!refs[r][i]) continue;
                prepared[r].prepare(refs[r][i], lowercase);
                const Edits found = prepared[r].compare(hyps[i], lowercase);
                best = std::min(best, found.edits);
                lengths += found.length;
                bounded[i] = bounded[i] || found.bounded;
                ++count;
            }
            if (count == 0) continue;
            const double edits = static_cast<double>(best), length = static_cast<double>(lengths) / static_cast<double>(count);
            stats[2 * i] = edits;
            stats[2 * i + 1] = length;
            values[i] = 100 * (length > 0 ? edits / length : edits > 0 ? 1.0 : 0.0);
        }
        prepared.keep();
    }
    return {stats.matrix(2), values.vector(), bounded.vector()};
}

}  // namespace

void bind_ter(nb::module_& m) {
    m.def("ter", &ter_statistics, nb::arg("hypotheses"), nb::arg("references"), nb::arg("lowercase"),
          "(statistics, scores, bounded): [edits, reference length], the segment TER in percent, and whether the shift "
          "search was left out because a text is longer than 2,000 words.");
}

}  // namespace assay
