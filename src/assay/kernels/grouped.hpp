// Flat rows of scores divided into groups, the input of the pairwise kernels.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>

namespace assay {

namespace nb = nanobind;

using In = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using InRows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using InStarts = nb::ndarray<const int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Gold scores divided into groups, and rows of metric scores over the same cells.
struct Grouped {
    Grouped(const In& gold_in, const InRows& rows_in, const InStarts& starts_in)
        : gold(gold_in.data()), rows(rows_in.data()), starts(starts_in.data()), n_rows(rows_in.shape(0)),
          cells(gold_in.shape(0)), groups(starts_in.shape(0) ? starts_in.shape(0) - 1 : 0) {
        if (rows_in.shape(1) != cells) throw nb::value_error("every row must have one score for each gold score");
        int64_t before = 0;
        for (size_t g = 0; g <= groups && starts_in.shape(0); ++g) {
            if (starts[g] < before || starts[g] > static_cast<int64_t>(cells))
                throw nb::value_error("starts must rise from 0 to the number of cells");
            before = starts[g];
        }
    }
    const double* row(size_t r) const { return rows + r * cells; }
    size_t size(size_t g) const { return static_cast<size_t>(starts[g + 1] - starts[g]); }
    size_t pairs(size_t g) const { return size(g) * (size(g) - (size(g) > 0)) / 2; }

    const double *gold, *rows;
    const int64_t* starts;
    size_t n_rows, cells, groups;
};

}  // namespace assay
