// Counting under many random masks: the sums a permutation test of pairwise verdicts needs. twins/permutation.py is the
// specification.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "arrays.hpp"

namespace assay {
namespace {

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
        if (__builtin_cpu_supports("popcnt")) count = &count_bits_popcnt;
#endif
        for (size_t d = 0; d < draws; ++d) count(columns.data(), n, masks.data() + d * words, words, &out[d * n]);
    }
    return out.matrix(n);
}

}  // namespace

void bind_permutation(nb::module_& m) {
    m.def("masked_counts", &masked_counts, nb::arg("masks"), nb::arg("columns"),
          "Number of bits set in both, for every mask and column.");
}

}  // namespace assay
