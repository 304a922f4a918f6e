// Sums of statistics over resampled rows: bootstrap (indices) and approximate randomization (random bits). Rows are added
// in their order, so the result depends on the draw alone. The specification is reference/resample.py.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <vector>

#include "arrays.hpp"

namespace assay {
namespace {

using Stats = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Indices = nb::ndarray<const int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Words = nb::ndarray<const uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

Matrix<double> resample_sums(Stats stats, Indices indices) {
    const size_t n = stats.shape(0), width = stats.shape(1), samples = indices.shape(0), draws = indices.shape(1);
    Buffer<double> sums(samples * width);
    bool outside = false;
    {
        nb::gil_scoped_release release;
        std::vector<uint32_t> times(n);
        for (size_t s = 0; s < samples && !outside; ++s) {
            std::fill(times.begin(), times.end(), 0);
            const int64_t* drawn = indices.data() + s * draws;
            for (size_t i = 0; i < draws; ++i) {
                if (static_cast<uint64_t>(drawn[i]) >= n) {
                    outside = true;
                    break;
                }
                ++times[static_cast<size_t>(drawn[i])];
            }
            double* sum = &sums[s * width];
            for (size_t row = 0; row < n; ++row) {
                if (times[row] == 0) continue;
                const double weight = times[row];
                const double* from = stats.data() + row * width;
                for (size_t k = 0; k < width; ++k) sum[k] += weight * from[k];
            }
        }
    }
    if (outside) throw nb::index_error("an index lies outside the rows");
    return sums.matrix(width);
}

Matrix<double> bit_sums(Stats stats, Words words, size_t samples) {
    const size_t n = stats.shape(0), width = stats.shape(1);
    if (words.shape(0) * 32 < samples * n) throw nb::value_error("too few random words for that many samples");
    Buffer<double> sums(samples * width);
    {
        nb::gil_scoped_release release;
        size_t bit = 0;
        for (size_t s = 0; s < samples; ++s) {
            double* sum = &sums[s * width];
            for (size_t row = 0; row < n; ++row, ++bit) {
                if (!((words.data()[bit >> 5] >> (bit & 31)) & 1)) continue;
                const double* from = stats.data() + row * width;
                for (size_t k = 0; k < width; ++k) sum[k] += from[k];
            }
        }
    }
    return sums.matrix(width);
}

}  // namespace

void bind_resample(nb::module_& m) {
    m.def("resample_sums", &resample_sums, nb::arg("stats"), nb::arg("indices"),
          "For every row of `indices`, the sum of the rows of `stats` that it names.");
    m.def("bit_sums", &bit_sums, nb::arg("stats"), nb::arg("words"), nb::arg("samples"),
          "For every sample, the sum of the rows of `stats` whose bit is set; bits run on through `words`, lowest first.");
}

}  // namespace assay
