"""Labels for new translations: use, review or reject, with the probability of a breakdown and the reason."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.core.chunk import LABELS as LABEL_COLUMNS
from assay.core.chunk import Chunk, Flagging, Retained
from assay.core.errors import InputError
from assay.core.metric import Scores
from assay.core.rows import InputRows
from assay.core.spans import SEVERITIES
from assay.decide.rule import EVERY, Group, Rule
from assay.stats.drift import Drift, DriftCounter

Floats = NDArray[np.float64]

LABELS = ("use", "review", "reject")
USE, REVIEW, REJECT = range(3)
FEWEST = 30
"""Fewer new scores than these say nothing about drift."""
DISTANCE, LEVEL, INDEX = 0.1, 0.01, 0.25


class LanguageCodes(NamedTuple):
    """The languages of translations: the names met, and for each translation which of them."""

    names: Sequence[str]
    codes: NDArray[np.int32]

    @classmethod
    def of(cls, languages: Sequence[str] | str, n: int) -> LanguageCodes:
        """From one language for all `n`, or one for each."""
        if isinstance(languages, str):
            return cls([languages], np.zeros(n, np.int32))
        if len(languages) != n:
            raise InputError(
                f"languages has {len(languages):,} values for {n:,} translations: give one for all, or one each."
            )
        known: dict[str, int] = {}
        codes = np.fromiter((known.setdefault(name, len(known)) for name in languages), np.int32, n)
        return cls(list(known), codes)


@dataclass(frozen=True)
class Decisions:
    """One label, probability and reason a translation, in their order."""

    codes: NDArray[np.int8]
    probabilities: Floats
    qualities: Floats
    languages: LanguageCodes
    reasons: Sequence[str]
    scores: Mapping[str, Floats] = field(default_factory=dict)
    """The scores that the labels go by."""
    rows: InputRows | None = None
    """The translations as they came in, where they are kept."""
    flags: Sequence[Sequence[str]] | None = None
    """What a reader should know of each translation."""

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def labels(self) -> list[str]:
        """The labels as words."""
        return [LABELS[code] for code in self.codes.tolist()]


def decide(
    rule: Rule,
    scores: Mapping[str, Floats],
    languages: Sequence[str] | str | LanguageCodes = "",
    marks: Sequence[str] | None = None,
) -> Decisions:
    """Label translations by their scores (as the metrics give them). What has no finite score goes to review.

    `marks` are what `worst_spans` found, to stand behind the reasons.
    """
    quality = _finite_quality(rule, scores)
    n = len(quality)
    spoken = languages if isinstance(languages, LanguageCodes) else LanguageCodes.of(languages, n)
    groups = [rule.group(name) for name in spoken.names]
    codes, chances = np.full(n, REVIEW, np.int8), np.full(n, np.nan)
    for code, group in enumerate(groups):
        rows = np.arange(n) if len(groups) == 1 else np.flatnonzero(spoken.codes == code)
        mine = quality[rows]
        chance = group.curve.at(mine)
        use = (mine > group.above) & (chance <= group.use_at)
        codes[rows] = np.where(use, USE, np.where(chance >= group.reject_at, REJECT, REVIEW))
        codes[rows[np.isnan(mine)]] = REVIEW
        chances[rows] = np.where(np.isnan(mine), np.nan, chance)
    named = [name if group.name == EVERY else group.name for name, group in zip(spoken.names, groups, strict=True)]
    reasons = _reasons(rule, scores, quality, groups, spoken.codes)
    for i in np.flatnonzero(np.isnan(quality)).tolist():
        reasons[i] = _unscored({member.name: float(scores[member.name][i]) for member in rule.members})
    if marks is not None:
        reasons = [reason + mark for reason, mark in zip(reasons, marks, strict=True)]
    held = {member.name: scores[member.name] for member in rule.members}
    return Decisions(codes, chances, quality, LanguageCodes(named, spoken.codes), reasons, held)


def _finite_quality(rule: Rule, scores: Mapping[str, Floats]) -> Floats:
    """The rule's quality of each translation; NaN where a score, or what the rule makes of the scores, is not finite."""
    with np.errstate(invalid="ignore", over="ignore"):
        quality = rule.quality(scores)
    known = np.isfinite(quality)
    for member in rule.members:
        known &= np.isfinite(scores[member.name])
    return np.where(known, quality, np.nan)


def _unscored(values: Mapping[str, float]) -> str:
    """Why a translation has no quality: metrics that gave it no score, or one that is infinite."""
    if missing := [name for name, value in values.items() if math.isnan(value)]:
        return f"not scored by {', '.join(missing)}"
    infinite = [f"{name} {value:g}" for name, value in values.items() if math.isinf(value)]
    return f"not a finite score: {', '.join(infinite) or 'blend'}"


def label(rule: Rule, scored: Mapping[str, Scores], languages: Sequence[str] | str | LanguageCodes = "") -> Decisions:
    """`decide` by what the rule's metrics said, with the worst error spans behind the reasons where a metric marks them.

    `languages` is the source's language, one for all or one each; of a language pair the first part counts.
    """
    mine = {member.name: scored[member.name] for member in rule.members}
    return decide(rule, {name: scores.values for name, scores in mine.items()}, languages, worst_spans(mine))


def worst_spans(scored: Mapping[str, Scores]) -> list[str] | None:
    """For each translation its worst error by each metric that marks spans, in words; None where no metric does."""
    marking = {name: found.spans for name, found in scored.items() if found.spans is not None}
    if not marking:
        return None
    marks = [""] * len(next(iter(marking.values())))
    for name, rows in marking.items():
        for i, found in enumerate(rows):
            if found:
                worst = max(found, key=lambda span: SEVERITIES.index(span.severity))
                marks[i] += f" · {worst.severity} {worst.category or 'error'} {worst.text!r} ({name})"
    return marks


def _reasons(
    rule: Rule, scores: Mapping[str, Floats], quality: Floats, groups: Sequence[Group], codes: NDArray[np.int32]
) -> list[str]:
    """The score and the limit it was held against; of several metrics, also the one that speaks most against it."""
    single = rule.members[0] if rule.blend is None else None
    name, sign, decimals = ("blend", 1.0, 2) if single is None else (single.name, single.sign, single.decimals)
    tails = [_tail(group, sign, decimals) for group in groups]
    form = f"%s %.{decimals}f%s"
    values = (sign * quality).tolist()
    reasons = [form % (name, value, tails[code]) for value, code in zip(values, codes.tolist(), strict=True)]
    return reasons if single else [f"{a}; {b}" for a, b in zip(reasons, _weakest(rule, scores), strict=True)]


def _tail(group: Group, sign: float, decimals: int) -> str:
    if not math.isfinite(group.above):
        return "" if group.above < 0 else ", nothing is used"
    better = "above" if sign > 0 else "below"
    return f", used {better} {sign * group.above:.{decimals}f}"


def _weakest(rule: Rule, scores: Mapping[str, Floats]) -> list[str]:
    """The metric that speaks most against the translation, with its score and what is usual."""
    assert rule.blend is not None
    with np.errstate(invalid="ignore", over="ignore"):
        parts = rule.blend.parts(rule.qualities(scores))
    worst = np.argmin(np.where(np.isnan(parts), np.inf, parts), axis=0).tolist()
    usual = [
        f"{member.sign * mean:.{member.decimals}f}" for member, mean in zip(rule.members, rule.blend.means, strict=True)
    ]
    forms = [f"weakest %s %.{member.decimals}f, usual %s" for member in rule.members]
    columns = [scores[member.name].tolist() for member in rule.members]
    return [forms[m] % (rule.members[m].name, columns[m][i], usual[m]) for i, m in enumerate(worst)]


def retained(flags: Flagging = "auto", *, texts: bool = False) -> Retained:
    """Return the parts of its chunks that a run must retain for `label_chunks`, whatever the rule.

    `texts` retains all columns of the input.
    """
    return Retained(spans=True, columns=("langpairs", *LABEL_COLUMNS, *(("rows",) if texts else ())), flags=flags)


def label_chunks(
    rule: Rule, chunks: Iterable[Chunk], language: Sequence[str] | str = "", *, flags: bool = True
) -> Iterator[Decisions]:
    """Return the decisions about each chunk.

    `language` is that of every row, or one per row of all chunks; without it, the language pairs of the rows decide. With `flags`,
    the decisions have the flags of each row.
    """
    met: dict[int, int] = {}
    first = 0
    for chunk in chunks:
        pairs = [pair or "" for pair in chunk.columns["langpairs"]]
        mine = language if isinstance(language, str) else language[first : first + len(chunk)]
        first += len(chunk)
        made = label(rule, chunk.scores, mine if mine or not pairs else pairs)
        yield replace(made, rows=chunk.rows(met), flags=chunk.flag_lists() if flags else None)


class Tally:
    """Counts over all decisions of a run; memory does not grow with them."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.counts: dict[str, NDArray[np.int64]] = {}
        """How many of each label, by language."""
        self._drift: dict[str, DriftCounter] = {}

    def add(self, decisions: Decisions) -> None:
        """Count one chunk."""
        names, codes = decisions.languages
        for code, name in enumerate(names):
            mine = codes == code
            found = np.bincount(decisions.codes[mine], minlength=len(LABELS))
            self.counts[name] = self.counts.get(name, np.zeros(len(LABELS), np.int64)) + found
            group = self.rule.group(name)
            counter = self._drift.setdefault(group.name, DriftCounter(group.quantiles, group.n))
            counter.add(decisions.qualities[mine])

    def to_dict(self) -> dict[str, Any]:
        """What was counted, as plain values that can be added up: `merge` has them back."""
        return {
            "labels": {name: dict(zip(LABELS, found.tolist(), strict=True)) for name, found in self.counts.items()},
            "drift": {name: counter.counts() for name, counter in self._drift.items()},
        }

    def merge(self, told: Mapping[str, Any]) -> None:
        """Count what other tallies of the same rule counted."""
        for name, found in told["labels"].items():
            before = self.counts.get(name, np.zeros(len(LABELS), np.int64))
            self.counts[name] = before + np.array([found[label] for label in LABELS], np.int64)
        for name, counts in told["drift"].items():
            group = self.rule.groups[name]
            self._drift.setdefault(name, DriftCounter(group.quantiles, group.n)).merge(counts)

    def __len__(self) -> int:
        return int(sum(found.sum() for found in self.counts.values()))

    def shares(self) -> dict[str, int]:
        """How many of each label over all languages."""
        return dict(zip(LABELS, np.sum(list(self.counts.values()), axis=0).tolist(), strict=True))

    def drifts(self) -> dict[str, Drift]:
        """For each group with enough new translations, how far their qualities lie from those the rule was learned from."""
        return {name: counter.drift() for name, counter in self._drift.items() if counter.n >= FEWEST}


def has_drifted(found: Drift) -> bool:
    """Whether the promise should no longer be relied on: the distributions differ surely, and by much."""
    return found.p < LEVEL and (found.distance > DISTANCE or found.stability_index > INDEX)
