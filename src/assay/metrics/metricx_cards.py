"""Cards of MetricX: what each version and size reads, what its number means, terms, languages, training data."""

from __future__ import annotations

from assay.core.metric import Card, Needs
from assay.core.weights import WeightsNeeded
from assay.models.seq2seq.published import MODELS

_CODES = (
    "af am ar az be bg bn ca co cs cy da de el en eo es et eu fa fi fr fy ga gd gl gu ha haw he hi hmn ht hu hy id ig is it ja jv "
    "ka kk km kn ko ku ky la lb lo lt lv mg mi mk ml mn mr ms mt my ne nl no ny pa pl ps pt ro ru sd si sk sl sm sn so sq sr st su "
    "sv sw ta te tg th tl tr uk ur uz vi xh yi yo zh zu"
)
MT5_LANGUAGES = tuple(_CODES.split())
"""The languages that mT5 was trained on (Xue et al. 2021, table 6)."""

_DA = tuple(f"wmt{year}-da" for year in range(15, 21))
_TRAINED = {
    "22": (*_DA[:5], "wmt20-mqm"),
    "23": (*_DA, "wmt21-da", "wmt20-mqm", "wmt21-mqm"),
    "24": (*_DA, "wmt21-da", "wmt22-da", "wmt20-mqm", "wmt21-mqm", "wmt22-mqm"),
}
_PAPERS = {
    "22": "Freitag et al. 2022, Results of WMT22 metrics shared task: stop using BLEU, neural metrics are better and more robust",
    "23": "Juraska et al. 2023, MetricX-23: the Google submission to the WMT 2023 metrics shared task",
    "24": "Juraska et al. 2024, MetricX-24: the Google submission to the WMT 2024 metrics shared task",
}
_SIZES = {"large": "1.2 billion parameters", "xl": "3.7 billion parameters", "xxl": "13 billion parameters"}


def _card(version: str, size: str, qe: bool) -> Card:
    name = f"metricx-{version}-{'qe-' if qe else ''}{size}"
    needs: Needs = "source" if qe else "reference" if version == "23" else "either"
    beside = {"source": "the source alone", "reference": "a reference", "either": "a source, a reference, or both"}[
        needs
    ]
    model = name.replace("-qe", "") if version == "24" else name
    return Card(
        name=name,
        label=f"MetricX-{version}-{'QE-' if qe else ''}{size.upper() if size != 'large' else 'Large'}",
        needs=needs,
        higher_is_better=False,
        range=(0.0, 25.0),
        meaning=f"Expected MQM errors from 0 (none) to 25, with {beside}. mT5 of {_SIZES[size]}. Characters outside its "
        "vocabulary are read as bytes; the published script makes <unk> of them.",
        languages=MT5_LANGUAGES,
        licence="Apache-2.0",
        citation=_PAPERS[version],
        trained_on=_TRAINED[version],
        extra="neural",
        decimals=3,
        kind="learned",
        weights=WeightsNeeded(
            MODELS[model].gigabytes, f"assay fetch {model}", "assay.models.seq2seq.published:find_model_of", model
        ),
    )


CARDS = {
    card.name: card
    for card in (
        Card(
            name="metricx-22",
            label="MetricX-22",
            needs="reference",
            higher_is_better=True,
            range=(None, None),
            meaning="Expected human judgement; reads as MetricX-23 does, not clipped. The weights of WMT22 were never published.",
            languages=MT5_LANGUAGES,
            licence="the folder's own",
            citation=_PAPERS["22"],
            trained_on=_TRAINED["22"],
            extra="neural",
            decimals=3,
            kind="learned",
            weights=WeightsNeeded(None, "-m metricx-22:path=FOLDER, with a folder of your own"),
        ),
        *(_card("23", size, qe) for qe in (False, True) for size in _SIZES),
        *(_card("24", size, qe) for qe in (False, True) for size in _SIZES),
    )
}
