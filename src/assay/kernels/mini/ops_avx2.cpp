// The loops for x86 processors with AVX2 (2013 on).
#if defined(__x86_64__)
#include <immintrin.h>

#include "ops.hpp"

#define ASSAY_MINI_PRODUCT "product_avx2.inc"
#include "loops.hpp"

namespace assay::mini {

const Ops& avx2_ops() {
    static constexpr Ops ops = {"avx2", false, quantise, product, dense, norm, gelu, attention, blend, dots, units};
    return ops;
}

}  // namespace assay::mini
#endif
