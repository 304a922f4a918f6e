"""Analyses by name: one file a paper's family of tables, one line here. Items (or Judged) and Scores in, Tables out."""

from assay.core.registry import Registry

ANALYSES = Registry(
    "analysis",
    {
        "demetr": "assay.analyses.demetr.tables:tables",
        "aces": "assay.analyses.aces.tables:tables",
        "dfki": "assay.analyses.dfki:tables",
        "hallucinations": "assay.analyses.hallucinations:tables",
        "judged": "assay.analyses.judged:tables",
        "contrastive": "assay.analyses.contrastive:tables",
        "breakdown": "assay.analyses.breakdown.tables:tables",
    },
)
