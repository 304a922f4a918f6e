"""The one place where texts are flagged, for every verb: empty, copied, far too long or short, in another language.

Length is counted in characters, of which a Han character or kana counts three and a Hangul syllable two; a translation is far
too long at more than three times its longest reference (or, where there is none, its source) and 50 characters more. So one in
ten thousand human translations between the 22 languages of NTREX is flagged (docs/decisions/0010-flags.md).

All but the language costs a few percent of the cheapest metric. Languages are identified where the extra ``languages`` is
installed and a slow metric runs anyway, or the rows are few; ``flags="all"`` asks for it, ``flags="none"`` for no flag at all.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from assay.core.batch import Batch
from assay.core.chunk import Flagging
from assay.core.metric import Metric
from assay.engine.language_id import available, require, wrong_language
from assay.kernels import _native

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from assay.core.metric import Bools

RATIO, MARGIN = 3.0, 50
BITS = {1: "empty_hypothesis", 2: "copied_source", 4: "far_longer", 16: "far_shorter", 8: "empty_reference"}
FEW = 2000
"""Rows whose languages are identified beside fast metrics, too: some 20 milliseconds."""


def raise_flags(batch: Batch, *, languages: bool = False) -> dict[str, Bools]:
    """The flags of the texts by row; those that no row has are left out. `languages`: identify them."""
    bits = _native.describe(batch.hypotheses, batch.sources, batch.references or (), RATIO, MARGIN)
    raised: dict[str, Bools] = {}
    if bits.any():
        _unecho(bits, batch)
        raised = {name: column for bit, name in BITS.items() if (column := (bits & bit) != 0).any()}
    if languages:
        wrong = wrong_language(batch)
        if wrong.any():
            raised["wrong_language"] = wrong
    return raised


def _unecho(bits: NDArray[np.uint8], batch: Batch) -> None:
    """Drop ``far_longer`` from rows whose references are all empty: anything is longer than nothing."""
    for i in ((bits & 12) == 12).nonzero()[0].tolist():
        if not any((column[i] or "").strip() for column in batch.references or ()):
            bits[i] &= ~4 & 0xFF


def uncovered(batch: Batch, metric: Metric) -> dict[str, Bools]:
    """``unknown_language`` on the rows whose language pair is none that the metric's card claims; nothing where all are."""
    import numpy as np

    if batch.langpairs is None or metric.card.languages == ("any",):
        return {}
    strange = {pair for pair in set(batch.langpairs) if not metric.card.covers(pair)}
    if not strange:
        return {}
    return {"unknown_language": np.array([pair in strange for pair in batch.langpairs], bool)}


def with_languages(asked: Flagging, metrics: Iterable[Metric], rows: int | None) -> bool:
    """Whether to identify languages; `rows` is how many there are, None for more than one chunk of them."""
    if asked == "none":
        return False
    if asked == "all":
        require()
        return True
    cheap = (rows is not None and rows <= FEW) or any(metric.card.neural for metric in metrics)
    return cheap and available()
