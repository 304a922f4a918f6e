"""Metadata cards for assay-mini's scores and for the token-matching metrics that use its encoder."""

from __future__ import annotations

from assay.core.metric import Card, Needs
from assay.data import model_languages

_TRAINED_ON = (
    "wmt20-mqm", "wmt21-mqm", "ted21-mqm", "wmt24", "bio-mqm", "mlqe-pe", "wmt19-da", "wmt20-da", "wmt21-da", "indic-qe",
    "wmt25 metric scores", "ntrex-128 with made errors",
)  # fmt: skip
_LICENCE = "MIT; part of its training data was published for research (docs/mini.md)"
_E5 = "Wang et al. 2024, Multilingual E5 text embeddings"
_COMET = "after Rei et al. 2020 (COMET), Guerreiro et al. 2023 (xCOMET) and Juraska et al. 2023 (MetricX)"


def _card(
    name: str,
    needs: Needs,
    meaning: str,
    *,
    bounds: tuple[float | None, float | None] = (None, None),
    decimals: int = 2,
    learned: bool = True,
    citation: str = f"{_COMET}; encoder: {_E5}",
) -> Card:
    return Card(
        name=name,
        label=name,
        needs=needs,
        higher_is_better=True,
        range=bounds,
        meaning=meaning,
        languages=model_languages()["xlm-r"],
        licence=_LICENCE,
        citation=citation,
        trained_on=_TRAINED_ON,
        extra="mini",
        decimals=decimals,
        kind="learned" if learned else "embedding",
        exact=True,
    )


MINI = _card(
    "assay-mini",
    "either",
    "Ranking score for comparing translations, 0 for an average output of WMT23 and above 4 for the best tenth, with the error "
    "spans it marks; with a source, a reference, or both.",
)
UNIT = _card(
    "assay-mini.unit",
    "either",
    "The ranking score of assay-mini from 0 to 1: the share of known translations with a lower score.",
    bounds=(0.0, 1.0),
    decimals=3,
)
MQM = _card(
    "assay-mini.mqm",
    "either",
    "Minus the expected MQM penalties of a segment (minor 1, major 5): 0 is without errors; long segments have more.",
    bounds=(None, 0.0),
)
_BERTSCORE = "Zhang et al. 2020, BERTScore: evaluating text generation with BERT"
BERTSCORE = _card(
    "bertscore-mini",
    "reference",
    "Similarity of the subwords of translation and reference: F1 of each subword's best match in assay-mini's encoder.",
    bounds=(-1.0, 1.0),
    decimals=4,
    learned=False,
    citation=f"{_BERTSCORE}; encoder: {_E5}",
)
E5_QE = _card(
    "e5-qe",
    "source",
    "Similarity of the subwords of translation and source: F1 of each subword's best match. It detects texts that are "
    "not translations, but does not rank good ones.",
    bounds=(-1.0, 1.0),
    decimals=4,
    learned=False,
    citation=f"{_BERTSCORE}; encoder: {_E5}",
)
