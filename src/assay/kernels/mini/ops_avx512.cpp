// The loops for x86 processors with AVX-512 and VNNI (2019 on).
#if defined(__x86_64__)
#include <immintrin.h>

#include "ops.hpp"

#define ASSAY_MINI_PRODUCT "product_avx512.inc"
#include "loops.hpp"

namespace assay::mini {

const Ops& avx512_ops() {
    static constexpr Ops ops = {"avx512-vnni", true, quantise, product, dense, norm, gelu, attention, blend, dots, units};
    return ops;
}

}  // namespace assay::mini
#endif
