"""Cards of the published COMET checkpoints: what they need, what their numbers mean, terms, languages, training data."""

from __future__ import annotations

from assay.core.metric import Card, Needs
from assay.core.weights import WeightsNeeded
from assay.models.hub import BY_HAND, PUBLISHED

_CODES = (
    "af am ar as az be bg bn br bs ca cs cy da de el en eo es et eu fa fi fr fy ga gd gl gu ha he hi hr hu hy id is it ja "
    "jv ka kk km kn ko ku ky la lo lt lv mg mk ml mn mr ms my ne nl no om or pa pl ps pt ro ru sa sd si sk sl so sq sr su "
    "sv sw ta te th tl tr ug uk ur uz vi xh yi zh"
)
XLMR_LANGUAGES = tuple(_CODES.split())
"""The hundred languages that XLM-R was trained on."""

_DA = ("wmt17-da", "wmt18-da", "wmt19-da")
_DA20 = (*_DA, "wmt20-da")
_XCOMET = (*_DA20, "mlqe-pe", "wmt20-mqm", "wmt21-mqm", "wmt22-mqm (without news)", "indic-mt", "demetr")
_FREE, _NC = "Apache-2.0", "CC BY-NC-SA 4.0"


def _card(
    name: str,
    label: str,
    needs: Needs,
    meaning: str,
    citation: str,
    trained_on: tuple[str, ...],
    licence: str = _FREE,
    bounds: tuple[float | None, float | None] = (None, None),
) -> Card:
    return Card(
        name=name,
        label=label,
        needs=needs,
        higher_is_better=True,
        range=bounds,
        meaning=meaning,
        languages=XLMR_LANGUAGES,
        licence=licence,
        citation=citation,
        trained_on=trained_on,
        extra="neural",
        decimals=4,
        kind="learned",
        weights=_weights(name),
    )


def _weights(name: str) -> WeightsNeeded:
    find = "assay.models.hub:find_checkpoint"
    if name in PUBLISHED:
        return WeightsNeeded(PUBLISHED[name].gigabytes, f"assay fetch {name}", find)
    return WeightsNeeded(None, f"download {BY_HAND[name].address}, unpack, {name}:path=FOLDER", find)


def _submissions(last: int) -> tuple[str, ...]:
    """The translations of WMT's tasks up to a year, without people's judgements of them."""
    return tuple(f"wmt{year:02}-submissions" for year in range(7, last + 1))


_XCOMET_PAPER = (
    "Guerreiro et al. 2023, xCOMET: transparent machine translation evaluation through fine-grained error detection"
)
_KIWI_23 = "Rei et al. 2023, Scaling up CometKiwi: Unbabel-IST 2023 submission for the quality estimation shared task"
_SPANS = "Quality from 0 to about 1 with the error spans it rests on; with a source, a reference, or both."
_MS_COMET = "Kocmi et al. 2022, MS-COMET: more and better human judgements improve metric performance"
_MS_DATA = ("Microsoft's own judgements of 113 languages",)
_COMETOID = (
    "Gowda et al. 2023, Cometoid: distilling strong reference-based machine translation metrics into even stronger quality "
    "estimation metrics"
)
_QE_OWN = "Expected human judgement from source and translation alone; the scale is its training's own."
_QE = "Expected quality from 0 to 1 judged against the source alone, without a reference."

CARDS = {
    card.name: card
    for card in (
        _card("xcomet-xl", "xCOMET-XL", "either", _SPANS, _XCOMET_PAPER, _XCOMET, _NC, (None, 1.0)),
        _card("xcomet-xxl", "xCOMET-XXL", "either", _SPANS, _XCOMET_PAPER, _XCOMET, _NC, (None, 1.0)),
        _card(
            "comet-20",
            "COMET-20",
            "both",
            "Expected human judgement as a z-score: 0 is average, 1 is good.",
            "Rei et al. 2020, Unbabel's participation in the WMT20 metrics shared task",
            _DA,
        ),
        _card(
            "comet-22",
            "COMET-22",
            "both",
            "Expected human judgement from 0 to about 1.",
            "Rei et al. 2022, COMET-22: Unbabel-IST 2022 submission for the metrics shared task",
            _DA20,
        ),
        _card(
            "comet-qe",
            "COMET-QE",
            "source",
            "Expected human judgement as a z-score, from source and translation alone.",
            "Rei et al. 2020, Unbabel's participation in the WMT20 metrics shared task",
            _DA,
        ),
        _card(
            "cometkiwi-22",
            "CometKiwi-22",
            "source",
            _QE,
            "Rei et al. 2022, CometKiwi: IST-Unbabel 2022 submission for the quality estimation shared task",
            (*_DA20, "mlqe-pe"),
            _NC,
        ),
        _card("cometkiwi-xl", "CometKiwi-XL", "source", _QE, _KIWI_23, (*_DA20, "mlqe-pe"), _NC),
        _card("cometkiwi-xxl", "CometKiwi-XXL", "source", _QE, _KIWI_23, (*_DA20, "mlqe-pe"), _NC),
        _card(
            "unite",
            "UniTE",
            "either",
            "Expected human judgement as a z-score; with a source, a reference, or both.",
            "Wan et al. 2022, UniTE: unified translation evaluation",
            _DA,
        ),
        _card(
            "ms-comet-22",
            "MS-COMET-22",
            "both",
            "Expected human judgement; the scale is its training's own.",
            _MS_COMET,
            _MS_DATA,
            "not stated",
        ),
        *(
            _card(
                f"cometoid22-wmt{year}",
                f"Cometoid22-wmt{year}",
                "source",
                "COMET-22's score as it would be with a reference, guessed from source and translation alone.",
                _COMETOID,
                _submissions(year),
                "not stated",
            )
            for year in (21, 22, 23)
        ),
        _card(
            "chrfoid-wmt23",
            "Chrfoid-wmt23",
            "source",
            "chrF as it would be with a reference, from 0 to 1, guessed from source and translation alone.",
            _COMETOID,
            _submissions(23),
            "not stated",
        ),
        _card("ms-comet-qe-22", "MS-COMET-QE-22", "source", _QE_OWN, _MS_COMET, _MS_DATA, "not stated"),
    )
}
