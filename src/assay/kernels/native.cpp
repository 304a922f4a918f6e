// The extension module assay.kernels._native: every kernel family binds itself here.
#include <nanobind/nanobind.h>

namespace assay {
void bind_chrf(nanobind::module_& m);
void bind_edit(nanobind::module_& m);
void bind_ter(nanobind::module_& m);
}

NB_MODULE(_native, m) {
    m.doc() = "Native loops: strings and arrays in, arrays out, without the GIL.";
    assay::bind_chrf(m);
    assay::bind_edit(m);
    assay::bind_ter(m);
}
