// The extension module assay.kernels._native: the bindings of all kernel families.
#include <nanobind/nanobind.h>

namespace assay {
void bind_bleu(nanobind::module_& m);
void bind_chrf(nanobind::module_& m);
void bind_requests(nanobind::module_& m);
void bind_resample(nanobind::module_& m);
void bind_rouge(nanobind::module_& m);
void bind_meteor(nanobind::module_& m);
void bind_edit(nanobind::module_& m);
void bind_ter(nanobind::module_& m);
void bind_calibration(nanobind::module_& m);
void bind_pairwise(nanobind::module_& m);
void bind_permutation(nanobind::module_& m);
void bind_mini(nanobind::module_& m);
void bind_span_agreement(nanobind::module_& m);
}

NB_MODULE(_native, m) {
    m.doc() = "Native loops: strings and arrays in, arrays out, without the GIL.";
    assay::bind_bleu(m);
    assay::bind_chrf(m);
    assay::bind_requests(m);
    assay::bind_resample(m);
    assay::bind_rouge(m);
    assay::bind_meteor(m);
    assay::bind_edit(m);
    assay::bind_ter(m);
    assay::bind_calibration(m);
    assay::bind_pairwise(m);
    assay::bind_permutation(m);
    assay::bind_mini(m);
    assay::bind_span_agreement(m);
}
