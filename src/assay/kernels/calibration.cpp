// Tie calibration (Deutsch et al. 2023): the threshold under which a metric's differences should count as ties, searched
// over all observed differences. The specification is twins/pairwise.py.
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

// The mean over groups of (concordant + tied in both) / pairs as an exact sum: whole multiples of 1 / unit.
class Weights {
  public:
    explicit Weights(const Grouped& data) {
        std::vector<size_t> sizes;
        for (size_t g = 0; g < data.groups; ++g)
            if (data.pairs(g)) sizes.push_back(data.pairs(g)), ++used;
        std::sort(sizes.begin(), sizes.end());
        sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
        pairs = sizes;
        __int128 unit = 1;
        for (size_t p : pairs) {
            const __int128 size = static_cast<__int128>(p);
            unit = unit / static_cast<__int128>(std::gcd(static_cast<uint64_t>(unit), static_cast<uint64_t>(p))) * size;
            if (unit > (static_cast<__int128>(1) << 62)) {
                unit = static_cast<__int128>(1) << 90;  // no common denominator: errors stay far below a double's
                break;
            }
        }
        for (size_t p : pairs) weight.push_back(unit / static_cast<__int128>(p));
        for (size_t g = 0; g < data.groups; ++g)
            kind.push_back(static_cast<size_t>(std::lower_bound(pairs.begin(), pairs.end(), data.pairs(g)) - pairs.begin()));
    }
    double mean(const std::vector<int64_t>& correct) const {
        double sum = 0;
        for (size_t k = 0; k < pairs.size(); ++k) sum += static_cast<double>(correct[k]) / static_cast<double>(pairs[k]);
        return sum / static_cast<double>(used);
    }
    size_t used = 0;
    std::vector<size_t> pairs;     // distinct numbers of pairs in a group
    std::vector<__int128> weight;  // what one correct pair adds to the sum, by kind
    std::vector<size_t> kind;      // of each group
};

// A pair whose verdict changes once its difference counts as a tie: kind + 1 won (gold tie) or -(kind + 1) lost.
struct Change {
    double difference;
    int64_t kind;
};

// Buckets bound what any threshold inside them can reach, so only those that may hold the best one are sorted.
class Calibration {
  public:
    explicit Calibration(const Grouped& data) : data_(data), weights_(data) {}

    // The first threshold with the highest mean accuracy.
    double search(const double* metric) {
        double widest = 0;
        for (size_t g = 0; g < data_.groups; ++g) {
            if (data_.size(g) < 2) continue;
            const auto [low, high] = std::minmax_element(metric + data_.starts[g], metric + data_.starts[g + 1]);
            widest = std::max(widest, *high - *low);
        }
        scale_ = widest > 0 ? (buckets_n - 1) / widest : 0;
        if (!std::isfinite(scale_)) scale_ = 0;
        fill(metric);
        mark();
        gather(metric);
        return sweep();
    }
    // The mean accuracy at a threshold, counted anew.
    double value(const double* metric, double threshold) const {
        std::vector<int64_t> correct(weights_.pairs.size(), 0);
        changes(metric, [&](double difference, size_t kind, bool tie) { correct[kind] += tie == (difference <= threshold); });
        return weights_.mean(correct);
    }

  private:
    static constexpr size_t buckets_n = 8192;
    struct Bucket {
        __int128 won = 0, lost = 0;
        bool candidate = false;
    };

    template <class Visit>
    void changes(const double* metric, Visit visit) const {
        for (size_t g = 0; g < data_.groups; ++g) {
            const double *y = data_.gold + data_.starts[g], *x = metric + data_.starts[g];
            const size_t n = data_.size(g), kind = weights_.kind[g];
            for (size_t i = 0; i < n; ++i)
                for (size_t j = i + 1; j < n; ++j) {
                    const double difference = x[i] - x[j];
                    const bool tie = y[i] == y[j];
                    if (!tie && (difference > 0) != (y[i] > y[j])) continue;  // wrong either way
                    if (!tie && difference == 0) continue;
                    visit(std::abs(difference), kind, tie);
                }
        }
    }
    // Rises with the difference, so that buckets follow each other as thresholds do.
    size_t bucket_of(double difference) const { return scale_ > 0 ? static_cast<size_t>(difference * scale_) : 0; }

    void fill(const double* metric) {
        buckets_.assign(buckets_n, Bucket{});
        changes(metric, [&](double difference, size_t kind, bool tie) {
            if (difference == 0) return;  // tied in both already
            Bucket& bucket = buckets_[bucket_of(difference)];
            (tie ? bucket.won : bucket.lost) += weights_.weight[kind];
        });
    }
    void mark() {
        __int128 now = 0, best = 0;
        for (const Bucket& bucket : buckets_) best = std::max(best, now += bucket.won - bucket.lost);
        now = 0;
        for (Bucket& bucket : buckets_) {
            bucket.candidate = bucket.won > 0 && now + bucket.won >= best;
            now += bucket.won - bucket.lost;
        }
    }
    void gather(const double* metric) {
        sorted_.clear();
        changes(metric, [&](double difference, size_t kind, bool tie) {
            if (difference == 0 || !buckets_[bucket_of(difference)].candidate) return;
            const auto number = static_cast<int64_t>(kind) + 1;
            sorted_.push_back({difference, tie ? number : -number});
        });
        std::sort(sorted_.begin(), sorted_.end(), [](const Change& a, const Change& b) { return a.difference < b.difference; });
    }
    double sweep() const {
        __int128 now = 0, best = 0;
        double threshold = 0;
        size_t next = 0;
        for (size_t b = 0; b < buckets_n; ++b) {
            if (!buckets_[b].candidate) {
                now += buckets_[b].won - buckets_[b].lost;
                continue;
            }
            while (next < sorted_.size() && bucket_of(sorted_[next].difference) == b) {
                const double difference = sorted_[next].difference;
                for (; next < sorted_.size() && sorted_[next].difference == difference; ++next) {
                    const int64_t kind = sorted_[next].kind;
                    now += kind > 0 ? weights_.weight[static_cast<size_t>(kind - 1)]
                                    : -weights_.weight[static_cast<size_t>(-kind - 1)];
                }
                if (now > best) best = now, threshold = difference;
            }
        }
        return threshold;
    }

    const Grouped& data_;
    Weights weights_;
    std::vector<Bucket> buckets_;
    std::vector<Change> sorted_;
    double scale_ = 0;
};

std::tuple<Vector<double>, Vector<double>, Vector<double>> tie_calibration(In gold, InRows rows, InStarts starts) {
    const Grouped data(gold, rows, starts);
    Buffer<double> thresholds(data.n_rows), values(data.n_rows), at_zero(data.n_rows);
    {
        nb::gil_scoped_release release;
        Calibration calibration(data);
        for (size_t r = 0; r < data.n_rows; ++r) {
            thresholds[r] = calibration.search(data.row(r));
            at_zero[r] = calibration.value(data.row(r), 0);
            values[r] = thresholds[r] > 0 ? calibration.value(data.row(r), thresholds[r]) : at_zero[r];
        }
    }
    return {thresholds.vector(), values.vector(), at_zero.vector()};
}

}  // namespace

void bind_calibration(nb::module_& m) {
    m.def("tie_calibration", &tie_calibration, nb::arg("gold"), nb::arg("rows"), nb::arg("starts"),
          "(thresholds, accuracies there, accuracies at zero): the first best tie threshold of every row.");
}

}  // namespace assay
