// The loops for any processor.
#include "ops.hpp"

#define ASSAY_MINI_PRODUCT "product_generic.inc"
#include "loops.hpp"

namespace assay::mini {

const Ops& generic_ops() {
    static constexpr Ops ops = {"generic", false, quantise, product, dense, norm, gelu, attention, blend, dots, units};
    return ops;
}

}  // namespace assay::mini
