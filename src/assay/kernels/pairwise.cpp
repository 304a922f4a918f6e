// Comparison of all pairs within groups: counts and results. The specification is reference/pairwise.py.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "arrays.hpp"
#include "grouped.hpp"

namespace assay {
namespace {

struct Counts {
    int64_t concordant = 0, discordant = 0, metric_tie = 0, gold_tie = 0, both_tie = 0;
};

Counts count_small(const double* gold, const double* metric, size_t n, double epsilon) {
    Counts counts;
    for (size_t i = 0; i < n; ++i)
        for (size_t j = i + 1; j < n; ++j) {
            const double m = metric[i] - metric[j];
            const bool metric_tie = std::abs(m) <= epsilon, gold_tie = gold[i] == gold[j];
            const bool same = (m > 0) == (gold[i] > gold[j]);
            counts.both_tie += metric_tie & gold_tie;
            counts.metric_tie += metric_tie & !gold_tie;
            counts.gold_tie += !metric_tie & gold_tie;
            counts.concordant += !metric_tie & !gold_tie & same;
            counts.discordant += !metric_tie & !gold_tie & !same;
        }
    return counts;
}

// Knight's method with a threshold: cells enter a Fenwick tree over gold ranks when they are more than epsilon below.
class Knight {
  public:
    Counts count(const double* gold, const double* metric, size_t n, double epsilon) {
        rank_gold(gold, n);
        order_.resize(n);
        std::iota(order_.begin(), order_.end(), size_t{0});
        std::sort(order_.begin(), order_.end(), [&](size_t a, size_t b) { return metric[a] < metric[b]; });
        tree_.assign(distinct_ + 1, 0);
        equal_.assign(distinct_ + 1, 0);
        Counts counts;
        int64_t inside = 0;
        for (size_t i = 0, j = 0; i < n; ++i) {
            const size_t cell = order_[i];
            while (j < i && metric[cell] - metric[order_[j]] > epsilon) insert(ranks_[order_[j++]]), ++inside;
            const int64_t lower = below(ranks_[cell] - 1), equal = equal_[ranks_[cell]];
            counts.concordant += lower;
            counts.gold_tie += equal;
            counts.discordant += inside - lower - equal;
        }
        const int64_t all = static_cast<int64_t>(n) * (static_cast<int64_t>(n) - 1) / 2;
        counts.both_tie = gold_ties_ - counts.gold_tie;
        counts.metric_tie = all - counts.concordant - counts.discordant - counts.gold_tie - counts.both_tie;
        return counts;
    }

  private:
    void rank_gold(const double* gold, size_t n) {
        order_.resize(n);
        ranks_.resize(n);
        std::iota(order_.begin(), order_.end(), size_t{0});
        std::sort(order_.begin(), order_.end(), [&](size_t a, size_t b) { return gold[a] < gold[b]; });
        distinct_ = 0;
        gold_ties_ = 0;
        int64_t run = 0;
        for (size_t i = 0; i < n; ++i) {
            const bool fresh = i == 0 || gold[order_[i]] != gold[order_[i - 1]];
            run = fresh ? 0 : run + 1;
            distinct_ += fresh;
            gold_ties_ += run;
            ranks_[order_[i]] = distinct_;
        }
    }
    void insert(size_t rank) {
        ++equal_[rank];
        for (; rank <= distinct_; rank += rank & (~rank + 1)) ++tree_[rank];
    }
    int64_t below(size_t rank) const {
        int64_t sum = 0;
        for (; rank; rank &= rank - 1) sum += tree_[rank];
        return sum;
    }
    std::vector<size_t> order_, ranks_;
    std::vector<int64_t> tree_, equal_;
    size_t distinct_ = 0;
    int64_t gold_ties_ = 0;
};

Matrix<int64_t> pair_counts(In gold, InRows rows, InStarts starts, In epsilons) {
    const Grouped data(gold, rows, starts);
    if (epsilons.shape(0) != data.n_rows) throw nb::value_error("epsilons must have one value a row");
    Buffer<int64_t> out(data.n_rows * data.groups * 5);
    {
        nb::gil_scoped_release release;
        Knight knight;
        for (size_t r = 0; r < data.n_rows; ++r)
            for (size_t g = 0; g < data.groups; ++g) {
                const double *y = data.gold + data.starts[g], *x = data.row(r) + data.starts[g];
                const size_t n = data.size(g);
                const Counts c = n <= 64 ? count_small(y, x, n, epsilons.data()[r]) : knight.count(y, x, n, epsilons.data()[r]);
                int64_t* to = &out[(r * data.groups + g) * 5];
                to[0] = c.concordant, to[1] = c.discordant, to[2] = c.metric_tie, to[3] = c.gold_tie, to[4] = c.both_tie;
            }
    }
    return out.matrix(5);
}

Matrix<int64_t> kendall_like(In gold, InRows rows, InStarts starts, double threshold) {
    const Grouped data(gold, rows, starts);
    Buffer<int64_t> out(data.n_rows * data.groups * 2);
    {
        nb::gil_scoped_release release;
        for (size_t r = 0; r < data.n_rows; ++r)
            for (size_t g = 0; g < data.groups; ++g) {
                const double *y = data.gold + data.starts[g], *x = data.row(r) + data.starts[g];
                int64_t concordant = 0, pairs = 0;
                for (size_t i = 0; i < data.size(g); ++i)
                    for (size_t j = i + 1; j < data.size(g); ++j) {
                        const double difference = y[i] - y[j];
                        if (!(std::abs(difference) >= threshold)) continue;
                        ++pairs;
                        concordant += (difference > 0 && x[i] > x[j]) || (difference < 0 && x[i] < x[j]);
                    }
                out[(r * data.groups + g) * 2] = concordant;
                out[(r * data.groups + g) * 2 + 1] = pairs - concordant;
            }
    }
    return out.matrix(2);
}

Matrix<uint8_t> correct_pairs(In gold, InRows rows, InStarts starts, In epsilons) {
    const Grouped data(gold, rows, starts);
    if (epsilons.shape(0) != data.n_rows) throw nb::value_error("epsilons must have one value a row");
    size_t pairs = 0;
    for (size_t g = 0; g < data.groups; ++g) pairs += data.pairs(g);
    Buffer<uint8_t> out(data.n_rows * pairs);
    {
        nb::gil_scoped_release release;
        size_t to = 0;
        for (size_t r = 0; r < data.n_rows; ++r)
            for (size_t g = 0; g < data.groups; ++g) {
                const double *y = data.gold + data.starts[g], *x = data.row(r) + data.starts[g];
                const double epsilon = epsilons.data()[r];
                for (size_t i = 0; i < data.size(g); ++i)
                    for (size_t j = i + 1; j < data.size(g); ++j) {
                        const double m = x[i] - x[j];
                        const bool metric_tie = std::abs(m) <= epsilon, gold_tie = y[i] == y[j];
                        out[to++] = metric_tie || gold_tie ? metric_tie && gold_tie : (m > 0) == (y[i] > y[j]);
                    }
            }
    }
    return out.matrix(pairs);
}

}  // namespace

void bind_pairwise(nb::module_& m) {
    m.def("pair_counts", &pair_counts, nb::arg("gold"), nb::arg("rows"), nb::arg("starts"), nb::arg("epsilons"),
          "[concordant, discordant, tied in metric only, in gold only, in both] for every row and group.");
    m.def("kendall_like", &kendall_like, nb::arg("gold"), nb::arg("rows"), nb::arg("starts"), nb::arg("threshold"),
          "[concordant, discordant] for every row and group, over pairs whose gold scores differ by the threshold.");
    m.def("correct_pairs", &correct_pairs, nb::arg("gold"), nb::arg("rows"), nb::arg("starts"), nb::arg("epsilons"),
          "1 where a row orders (or ties) a pair as gold does, for every row and pair, group after group.");
}

}  // namespace assay
