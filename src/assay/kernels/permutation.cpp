// Counts and sums under many random masks, for permutation tests. The specification is reference/permutation.py.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <vector>

#include "arrays.hpp"
#include "processor.hpp"

namespace assay {
namespace {

using InBytes = nb::ndarray<const uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using InRows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using InWords = nb::ndarray<const uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void count_bits_plain(const uint64_t* columns, size_t n, const uint64_t* mask, size_t words, int64_t* out) {
    for (size_t c = 0; c < n; ++c) {
        int64_t sum = 0;
        for (size_t w = 0; w < words; ++w) sum += __builtin_popcountll(columns[c * words + w] & mask[w]);
        out[c] = sum;
    }
}

#if defined(__x86_64__)
__attribute__((target("popcnt"))) void count_bits_popcnt(const uint64_t* columns, size_t n, const uint64_t* mask,
                                                         size_t words, int64_t* out) {
    for (size_t c = 0; c < n; ++c) {
        int64_t sum = 0;
        for (size_t w = 0; w < words; ++w) sum += __builtin_popcountll(columns[c * words + w] & mask[w]);
        out[c] = sum;
    }
}
#endif

Matrix<int64_t> masked_counts(InWords masks, InWords columns) {
    const size_t draws = masks.shape(0), words = masks.shape(1), n = columns.shape(0);
    if (columns.shape(1) != words) throw nb::value_error("masks and columns must have the same number of words");
    Buffer<int64_t> out(draws * n);
    {
        nb::gil_scoped_release release;
        auto* count = &count_bits_plain;
#if defined(__x86_64__)
        if (Processor::here().popcnt) count = &count_bits_popcnt;
#endif
        for (size_t d = 0; d < draws; ++d) count(columns.data(), n, masks.data() + d * words, words, &out[d * n]);
    }
    return out.matrix(n);
}

// Eight columns at a time; the sums of all 256 subsets of eight cells are computed, and each draw adds one of them.
constexpr size_t width = 8;

void subset_sums(const double* cells, double* table) {
    std::fill_n(table, width, 0.0);
    for (size_t subset = 1; subset < 256; ++subset) {
        const double* smaller = table + (subset & (subset - 1)) * width;
        const double* cell = cells + static_cast<size_t>(__builtin_ctzll(subset)) * width;
        for (size_t c = 0; c < width; ++c) table[subset * width + c] = smaller[c] + cell[c];
    }
}

// masks: one row per eight cells, one byte per draw, the first cell in the lowest bit
Matrix<double> masked_sums(InBytes masks, InRows rows) {
    const size_t blocks = masks.shape(0), draws = masks.shape(1), n = rows.shape(0), cells = rows.shape(1);
    if (blocks != (cells + 7) / 8) throw nb::value_error("masks must have one row for every eight cells");
    Buffer<double> out(draws * n);
    {
        nb::gil_scoped_release release;
        std::vector<double> table(256 * width), part(8 * width), sums(draws * width);
        for (size_t first = 0; first < n; first += width) {
            const size_t columns = std::min(width, n - first);
            std::fill(sums.begin(), sums.end(), 0.0);
            for (size_t b = 0; b < blocks; ++b) {
                std::fill(part.begin(), part.end(), 0.0);
                for (size_t c = 0; c < columns; ++c)
                    for (size_t i = 0; i < std::min<size_t>(8, cells - 8 * b); ++i)
                        part[i * width + c] = rows.data()[(first + c) * cells + 8 * b + i];
                subset_sums(part.data(), table.data());
                const uint8_t* mask = masks.data() + b * draws;
                for (size_t d = 0; d < draws; ++d) {
                    const double* add = table.data() + mask[d] * width;
                    double* to = sums.data() + d * width;
                    for (size_t c = 0; c < width; ++c) to[c] += add[c];
                }
            }
            for (size_t d = 0; d < draws; ++d) std::copy_n(sums.data() + d * width, columns, &out[d * n + first]);
        }
    }
    return out.matrix(n);
}

}  // namespace

void bind_permutation(nb::module_& m) {
    m.def("masked_counts", &masked_counts, nb::arg("masks"), nb::arg("columns"),
          "Number of bits set in both, for every mask and column.");
    m.def("masked_sums", &masked_sums, nb::arg("masks"), nb::arg("rows"),
          "Sums of each row's cells under each draw's mask (draws by rows); masks hold eight cells a byte, a byte a draw.");
}

}  // namespace assay
