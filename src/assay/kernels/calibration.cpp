// Tie calibration (Deutsch et al. 2023): the threshold under which a metric's differences should count as ties, searched
// over all observed differences. The specification is reference/pairwise.py.
#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "arrays.hpp"
#include "grouped.hpp"

namespace assay {
namespace {

using Wide = __int128;

// One correct pair adds 1 / (pairs of its group) to the sum of accuracies. Sums are integer multiples of 1 / unit.
Wide common_unit(const Grouped& data) {
    Wide unit = 1;
    for (size_t g = 0; g < data.groups; ++g) {
        if (data.pairs(g) == 0) continue;
        const uint64_t pairs = data.pairs(g);
        unit *= static_cast<Wide>(pairs / std::gcd(static_cast<uint64_t>(unit), pairs));
        if (unit >> 62) return static_cast<Wide>(1) << 90;  // no common unit: rounding errors are far below those of a double
    }
    return unit;
}

struct Best {
    double threshold, value, at_zero;
};

// Buckets of differences bound the accuracy of every threshold inside them, so only buckets that may contain the best are sorted.
template <class Sum>
class Calibration {
  public:
    Calibration(const Grouped& data, Wide unit) : data_(data), unit_(static_cast<double>(unit)), sums_(2 * n_buckets) {
        for (size_t g = 0; g < data.groups; ++g) {
            used_ += data.pairs(g) > 0;
            weight_.push_back(static_cast<Sum>(data.pairs(g) ? unit / static_cast<Wide>(data.pairs(g)) : 0));
        }
    }

    // The first threshold with the highest mean accuracy.
    Best search(const double* metric) {
        double widest = 0;
        for (size_t g = 0; g < data_.groups; ++g) {
            if (data_.size(g) < 2) continue;
            const auto [low, high] = std::minmax_element(metric + data_.starts[g], metric + data_.starts[g + 1]);
            widest = std::max(widest, *high - *low);
        }
        scale_ = widest > 0 ? (n_buckets - 1) / widest : 0;
        if (!std::isfinite(scale_)) scale_ = 0;
        const Sum at_zero = fill(metric);
        mark();
        gather(metric);
        const auto [threshold, gain] = sweep();
        return {threshold, mean(at_zero + gain), mean(at_zero)};
    }

  private:
    static constexpr size_t n_buckets = 8192;

    double mean(Sum sum) const { return static_cast<double>(sum) / unit_ / static_cast<double>(used_); }

    // Increases with the difference, so that buckets are in the order of thresholds.
    size_t bucket_of(double difference) const { return scale_ > 0 ? static_cast<size_t>(difference * scale_) : 0; }

    // Visit every pair: the metric's absolute difference, whether gold ties, and whether the pair is correct without ties.
    template <class Visit>
    void pairs(const double* metric, Visit visit) const {
        for (size_t g = 0; g < data_.groups; ++g) {
            const double *y = data_.gold + data_.starts[g], *x = metric + data_.starts[g];
            const size_t n = data_.size(g);
            for (size_t i = 0; i < n; ++i)
                for (size_t j = i + 1; j < n; ++j) {
                    const double difference = x[i] - x[j];
                    const bool tie = y[i] == y[j];
                    const bool right = !tie & (difference != 0) & ((difference > 0) == (y[i] > y[j]));
                    visit(std::abs(difference), tie, right, weight_[g]);
                }
        }
    }
    // What each bucket's pairs gain (gold ties) and lose (correct pairs) if they count as ties, and the sum at threshold zero.
    Sum fill(const double* metric) {
        std::fill(sums_.begin(), sums_.end(), Sum{0});
        Sum at_zero = 0;
        pairs(metric, [&](double difference, bool tie, bool right, Sum weight) {
            const bool apart = difference > 0;
            at_zero += weight * static_cast<Sum>(right | (tie & !apart));
            sums_[2 * bucket_of(difference) + right] += weight * static_cast<Sum>(right | (tie & apart));
        });
        return at_zero;
    }
    void mark() {
        Sum now = 0, best = 0;
        for (size_t b = 0; b < n_buckets; ++b) best = std::max(best, now += sums_[2 * b] - sums_[2 * b + 1]);
        now = 0;
        candidate_.assign(n_buckets, 0);
        for (size_t b = 0; b < n_buckets; ++b) {
            candidate_[b] = sums_[2 * b] > 0 && now + sums_[2 * b] >= best;
            now += sums_[2 * b] - sums_[2 * b + 1];
        }
    }
    void gather(const double* metric) {
        changes_.clear();
        pairs(metric, [&](double difference, bool tie, bool right, Sum weight) {
            if (candidate_[bucket_of(difference)] & (right | tie) && difference > 0)
                changes_.push_back({difference, tie ? weight : -weight});
        });
        std::sort(changes_.begin(), changes_.end(), [](const Change& a, const Change& b) { return a.difference < b.difference; });
    }
    std::pair<double, Sum> sweep() const {
        Sum now = 0, best = 0;
        double threshold = 0;
        auto next = changes_.begin();
        for (size_t b = 0; b < n_buckets; ++b) {
            if (!candidate_[b]) {
                now += sums_[2 * b] - sums_[2 * b + 1];
                continue;
            }
            while (next != changes_.end() && bucket_of(next->difference) == b) {
                const double difference = next->difference;
                for (; next != changes_.end() && next->difference == difference; ++next) now += next->gain;
                if (now > best) best = now, threshold = difference;
            }
        }
        return {threshold, best};
    }

    // A pair whose result changes if its difference counts as a tie.
    struct Change {
        double difference;
        Sum gain;
    };
    const Grouped& data_;
    double unit_, scale_ = 0;
    size_t used_ = 0;
    std::vector<Sum> weight_;  // of each group's pairs
    std::vector<Sum> sums_;    // gains and losses, by bucket
    std::vector<uint8_t> candidate_;
    std::vector<Change> changes_;
};

template <class Sum>
void calibrate(const Grouped& data, Wide unit, double* thresholds, double* values, double* at_zero) {
    Calibration<Sum> calibration(data, unit);
    for (size_t r = 0; r < data.n_rows; ++r) {
        const Best best = calibration.search(data.row(r));
        thresholds[r] = best.threshold, values[r] = best.value, at_zero[r] = best.at_zero;
    }
}

std::tuple<Vector<double>, Vector<double>, Vector<double>> tie_calibration(In gold, InRows rows, InStarts starts) {
    const Grouped data(gold, rows, starts);
    Buffer<double> thresholds(data.n_rows), values(data.n_rows), at_zero(data.n_rows);
    {
        nb::gil_scoped_release release;
        const Wide unit = common_unit(data);
        const bool narrow = unit * static_cast<Wide>(data.groups + 1) >> 62 == 0;
        (narrow ? calibrate<int64_t> : calibrate<Wide>)(data, unit, &thresholds[0], &values[0], &at_zero[0]);
    }
    return {thresholds.vector(), values.vector(), at_zero.vector()};
}

}  // namespace

void bind_calibration(nb::module_& m) {
    m.def("tie_calibration", &tie_calibration, nb::arg("gold"), nb::arg("rows"), nb::arg("starts"),
          "(thresholds, accuracies there, accuracies at zero): the first best tie threshold of every row.");
}

}  // namespace assay
