"""Direct assessments, one judgement a row: raw scores from 0 to 100, standardised by rater (Graham et al. 2013).

CSV, TSV, JSON lines or Parquet with the columns system, segment, rater and score, and perhaps langpair; DA-SQM files have the
same shape. A rater's z-score is (score - mean) / standard deviation of all this rater's judgements (n - 1). A rater with
one judgement has no scale of their own: it counts in the raw mean and in no z-score. A rater who always gives the same score
says nothing about differences: z is 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assay.core.errors import InputError
from assay.core.numbers import to_number
from assay.io.table.bad_rows import BadRows
from assay.io.table.forms import open_table
from assay.io.table.vocabulary import Wanted, assign

if TYPE_CHECKING:
    from assay.core.metric import Floats

WANTED = Wanted(
    {
        "system": ("system",),
        "segment": ("segment", "segment id", "item"),
        "rater": ("rater",),
        "score": ("score", "raw", "raw score", "da"),
        "langpair": ("langpair",),
    },
    required=("system", "segment", "rater", "score"),
    missing="{file} has no column {options}; there is {listing}.",
)


@dataclass(frozen=True, slots=True)
class Assessed:
    """One translation's direct assessment: mean raw score, mean z-score (NaN where no rater has one), judgements behind it."""

    raw: float
    z: float
    judgements: int


def z_scores(raters: Sequence[str], scores: Floats) -> Floats:
    """Each score standardised by its rater; NaN for a rater's only score, 0 for a rater who never varies."""
    import numpy as np

    scores = np.asarray(scores, dtype=np.float64)
    _, which = np.unique(np.asarray(raters, dtype=str), return_inverse=True)
    n = np.bincount(which)
    means = np.bincount(which, scores) / n
    centred = scores - means[which]
    with np.errstate(invalid="ignore", divide="ignore"):
        deviation = np.sqrt(np.bincount(which, centred**2) / (n - 1))
        z = np.where(deviation[which] > 0, centred / deviation[which], 0.0)
    return np.where(n[which] > 1, z, np.nan)


def read_da(path: Path, *, skip_bad: bool = False) -> dict[tuple[str, str, str], Assessed]:
    """(langpair, system, segment) to its assessment; the langpair is empty where the file has none."""
    import numpy as np

    bad = BadRows(skip_bad)
    keys: list[tuple[str, str, str]] = []
    raters: list[str] = []
    values: list[float] = []
    with open_table(path, bad) as table:
        at = assign(table.names, WANTED, None, table.name).places
        for line, row in table.rows():
            text = str(row[at["score"]]).strip()[:40]
            value = to_number(text)
            if value is None or not math.isfinite(value):
                bad(path, line, f"the score is {text!r}, not a finite number.")
                continue
            pair = str(row[at["langpair"]]) if "langpair" in at else ""
            keys.append((pair, str(row[at["system"]]), str(row[at["segment"]])))
            raters.append(str(row[at["rater"]]))
            values.append(value)
    if not keys:
        raise InputError(f"{path} has no judgements.")
    raw = np.array(values)
    standardised = z_scores(raters, raw)
    places: dict[tuple[str, str, str], list[int]] = {}
    for place, key in enumerate(keys):
        places.setdefault(key, []).append(place)
    return {key: _assessed(raw[rows_], standardised[rows_]) for key, rows_ in places.items()}


def _assessed(raw: Floats, z: Floats) -> Assessed:
    import numpy as np

    known = z[~np.isnan(z)]
    return Assessed(float(raw.mean()), float(known.mean()) if len(known) else math.nan, len(raw))
