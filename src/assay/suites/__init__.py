"""Registry of challenge sets and human-rated test sets by name."""

from assay.core.registry import Registry

SUITES = Registry(
    "suite",
    {
        "demetr": "assay.suites.demetr:Demetr",
        "aces": "assay.suites.aces:Aces",
        "dfki": "assay.suites.dfki:Dfki",
        "hallucinations": "assay.suites.hallucinations:Hallucinations",
        "wmt23": "assay.suites.wmt:Wmt23",
        "wmt": "assay.suites.wmt:Wmt",
        "embedded": "assay.suites.embedded:Embedded",
    },
)


def admit_suite(spec: object, where: str, *, trust: bool = False) -> str:
    """Check a suite with `assay.core.trust`; a local file of pairs is data and needs no trust."""
    import os

    from assay.core.trust import check_spec

    if isinstance(spec, str) and ":" not in spec and os.path.isfile(spec):
        return spec
    return check_spec(SUITES, spec, where, trust=trust)
