"""Text flags for every verb: empty, copied, much too long or short, in the wrong language.

Length is counted in characters. A Han character or kana counts three times, a Hangul syllable twice. A translation is too long if
it exceeds three times the length of its longest reference (without references, of its source) by more than 50 characters. At this
threshold, one in ten thousand human translations between the 22 languages of NTREX is flagged (docs/decisions/0010-flags.md).

All flags except the language flag take a few percent of the cheapest metric's time. Languages are identified if the extra
``languages`` is installed and either a slow metric runs anyway or there are few rows. ``flags="all"`` forces language
identification, ``flags="none"`` disables flags.
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
"""Number of rows up to which languages are identified with fast metrics, too; it takes about 20 milliseconds."""


def raise_flags(batch: Batch, *, languages: bool = False) -> dict[str, Bools]:
    """Return the text flags by row, omitting flags that are never raised; with `languages`, identify languages."""
    bits = _native.describe(batch.hypotheses, batch.sources, batch.references or (), RATIO, MARGIN)
    raised: dict[str, Bools] = {}
    if bits.any():
        _drop_far_longer(bits, batch)
        raised = {name: column for bit, name in BITS.items() if (column := (bits & bit) != 0).any()}
    if languages:
        wrong = wrong_language(batch)
        if wrong.any():
            raised["wrong_language"] = wrong
    return raised


def _drop_far_longer(bits: NDArray[np.uint8], batch: Batch) -> None:
    """Drop ``far_longer`` from rows whose references are all empty, since any text is longer than an empty one."""
    for i in ((bits & 12) == 12).nonzero()[0].tolist():
        if not any((column[i] or "").strip() for column in batch.references or ()):
            bits[i] &= ~4 & 0xFF


def uncovered(batch: Batch, metric: Metric) -> dict[str, Bools]:
    """Return the flag ``unknown_language`` for rows in language pairs that the metric's card does not list, if any."""
    import numpy as np

    if batch.langpairs is None or metric.card.languages == ("any",):
        return {}
    unsupported = {pair for pair in set(batch.langpairs) if not metric.card.covers(pair)}
    if not unsupported:
        return {}
    return {"unknown_language": np.array([pair in unsupported for pair in batch.langpairs], bool)}


def with_languages(flagging: Flagging, metrics: Iterable[Metric], rows: int | None) -> bool:
    """Return whether to identify languages; `rows` is the number of rows, None for more than one chunk."""
    if flagging == "none":
        return False
    if flagging == "all":
        require()
        return True
    cheap = (rows is not None and rows <= FEW) or any(metric.card.neural for metric in metrics)
    return cheap and available()
