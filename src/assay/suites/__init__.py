"""Challenge and judged sets by name: one file each, one line here."""

from assay.core.registry import Registry
from assay.core.rooms import listed

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

listed(__name__)
