"""Application of a decision rule: labels for translations with probability and reason, and label counts over a run."""

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
"""Minimum number of new scores for a drift check."""
DISTANCE, LEVEL, INDEX = 0.1, 0.01, 0.25


class LanguageCodes(NamedTuple):
    """Languages of the translations: the distinct names, and the index of each translation's language among them."""

    names: Sequence[str]
    codes: NDArray[np.int32]

    @classmethod
    def of(cls, languages: Sequence[str] | str, n: int) -> LanguageCodes:
        """Return the codes of one language for all `n` translations, or of one language each."""
        if isinstance(languages, str):
            return cls([languages], np.zeros(n, np.int32))
        if len(languages) != n:
            raise InputError(
                f"languages has {len(languages):,} values for {n:,} translations. Specify one language for all "
                "translations, or one for each."
            )
        numbers: dict[str, int] = {}
        codes = np.fromiter((numbers.setdefault(name, len(numbers)) for name in languages), np.int32, n)
        return cls(list(numbers), codes)


@dataclass(frozen=True)
class Decisions:
    """One label, probability and reason per translation, in order."""

    codes: NDArray[np.int8]
    probabilities: Floats
    qualities: Floats
    languages: LanguageCodes
    reasons: Sequence[str]
    scores: Mapping[str, Floats] = field(default_factory=dict)
    """The scores that the labels are based on."""
    rows: InputRows | None = None
    """The input rows of the translations, if they were retained."""
    flags: Sequence[Sequence[str]] | None = None
    """Warnings about each translation."""

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
    """Label translations by their scores, in the form that metrics return. Translations without a finite score go to review.

    `marks`, the result of `worst_spans`, is appended to the reasons.
    """
    quality = _finite_quality(rule, scores)
    n = len(quality)
    spoken = languages if isinstance(languages, LanguageCodes) else LanguageCodes.of(languages, n)
    groups = [rule.group(name) for name in spoken.names]
    codes, chances = np.full(n, REVIEW, np.int8), np.full(n, np.nan)
    for code, group in enumerate(groups):
        rows = np.arange(n) if len(groups) == 1 else np.flatnonzero(spoken.codes == code)
        qualities = quality[rows]
        chance = group.curve.at(qualities)
        use = (qualities > group.above) & (chance <= group.use_at)
        codes[rows] = np.where(use, USE, np.where(chance >= group.reject_at, REJECT, REVIEW))
        codes[rows[np.isnan(qualities)]] = REVIEW
        chances[rows] = np.where(np.isnan(qualities), np.nan, chance)
    named = [name if group.name == EVERY else group.name for name, group in zip(spoken.names, groups, strict=True)]
    reasons = _reasons(rule, scores, quality, groups, spoken.codes)
    for i in np.flatnonzero(np.isnan(quality)).tolist():
        reasons[i] = _unscored({member.name: float(scores[member.name][i]) for member in rule.members})
    if marks is not None:
        reasons = [reason + mark for reason, mark in zip(reasons, marks, strict=True)]
    rule_scores = {member.name: scores[member.name] for member in rule.members}
    return Decisions(codes, chances, quality, LanguageCodes(named, spoken.codes), reasons, rule_scores)


def _finite_quality(rule: Rule, scores: Mapping[str, Floats]) -> Floats:
    """Return the quality of each translation under the rule; NaN if a score or the resulting quality is not finite."""
    with np.errstate(invalid="ignore", over="ignore"):
        quality = rule.quality(scores)
    finite = np.isfinite(quality)
    for member in rule.members:
        finite &= np.isfinite(scores[member.name])
    return np.where(finite, quality, np.nan)


def _unscored(values: Mapping[str, float]) -> str:
    """Explain why a translation has no quality: metrics without a score, or with an infinite one."""
    if missing := [name for name, value in values.items() if math.isnan(value)]:
        return f"not scored by {', '.join(missing)}"
    infinite = [f"{name} {value:g}" for name, value in values.items() if math.isinf(value)]
    return f"not a finite score: {', '.join(infinite) or 'blend'}"


def label(rule: Rule, scored: Mapping[str, Scores], languages: Sequence[str] | str | LanguageCodes = "") -> Decisions:
    """Label translations by the scores from the rule's metrics, with the worst error spans appended to the reasons.

    `languages` is the source language, one for all or one each; for a language pair, the first part counts.
    """
    rule_scores = {member.name: scored[member.name] for member in rule.members}
    return decide(
        rule, {name: scores.values for name, scores in rule_scores.items()}, languages, worst_spans(rule_scores)
    )


def worst_spans(scored: Mapping[str, Scores]) -> list[str] | None:
    """Describe the worst error in each translation according to each metric that marks spans; None if no metric does."""
    marking = {name: spans.spans for name, spans in scored.items() if spans.spans is not None}
    if not marking:
        return None
    marks = [""] * len(next(iter(marking.values())))
    for name, rows in marking.items():
        for i, spans in enumerate(rows):
            if spans:
                worst = max(spans, key=lambda span: SEVERITIES.index(span.severity))
                marks[i] += f" · {worst.severity} {worst.category or 'error'} {worst.text!r} ({name})"
    return marks


def _reasons(
    rule: Rule, scores: Mapping[str, Floats], quality: Floats, groups: Sequence[Group], codes: NDArray[np.int32]
) -> list[str]:
    """Return the score and its threshold; with several metrics, also the metric that argues most against the translation."""
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
    """Return the metric that argues most against each translation, with its score and its usual score."""
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
    """Return everything that a run must retain from its chunks for `label_chunks`, whatever the rule.

    `texts` retains all columns of the input.
    """
    return Retained(spans=True, columns=("langpairs", *LABEL_COLUMNS, *(("rows",) if texts else ())), flags=flags)


def label_chunks(
    rule: Rule, chunks: Iterable[Chunk], language: Sequence[str] | str = "", *, flags: bool = True
) -> Iterator[Decisions]:
    """Yield the decisions for each chunk.

    `language` applies to every row, or is one value per row over all chunks; if it is missing, the rows' language pairs are
    used. With `flags`, the decisions include the flags for each row.
    """
    seen: dict[int, int] = {}
    first = 0
    for chunk in chunks:
        pairs = [pair or "" for pair in chunk.columns["langpairs"]]
        languages = language if isinstance(language, str) else language[first : first + len(chunk)]
        first += len(chunk)
        decisions = label(rule, chunk.scores, languages if languages or not pairs else pairs)
        yield replace(decisions, rows=chunk.rows(seen), flags=chunk.flag_lists() if flags else None)


class Tally:
    """Counts over all decisions in a run; memory use does not depend on their number."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.counts: dict[str, NDArray[np.int64]] = {}
        """Number of translations with each label, by language."""
        self._drift: dict[str, DriftCounter] = {}

    def add(self, decisions: Decisions) -> None:
        """Count one chunk."""
        names, codes = decisions.languages
        for code, name in enumerate(names):
            chosen = codes == code
            label_counts = np.bincount(decisions.codes[chosen], minlength=len(LABELS))
            self.counts[name] = self.counts.get(name, np.zeros(len(LABELS), np.int64)) + label_counts
            group = self.rule.group(name)
            counter = self._drift.setdefault(group.name, DriftCounter(group.quantiles, group.n))
            counter.add(decisions.qualities[chosen])

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as plain values that can be added up and passed to `merge`."""
        return {
            "labels": {
                name: dict(zip(LABELS, label_counts.tolist(), strict=True))
                for name, label_counts in self.counts.items()
            },
            "drift": {name: counter.counts() for name, counter in self._drift.items()},
        }

    def merge(self, other: Mapping[str, Any]) -> None:
        """Add the counts from other tallies for the same rule."""
        for name, label_counts in other["labels"].items():
            before = self.counts.get(name, np.zeros(len(LABELS), np.int64))
            self.counts[name] = before + np.array([label_counts[label] for label in LABELS], np.int64)
        for name, counts in other["drift"].items():
            group = self.rule.groups[name]
            self._drift.setdefault(name, DriftCounter(group.quantiles, group.n)).merge(counts)

    def __len__(self) -> int:
        return int(sum(label_counts.sum() for label_counts in self.counts.values()))

    def shares(self) -> dict[str, int]:
        """Return the number of translations with each label, over all languages."""
        return dict(zip(LABELS, np.sum(list(self.counts.values()), axis=0).tolist(), strict=True))

    def drifts(self) -> dict[str, Drift]:
        """Return the drift of new qualities from those the rule was learned from, for each group with enough new translations."""
        return {name: counter.drift() for name, counter in self._drift.items() if counter.n >= FEWEST}


def has_drifted(drift: Drift) -> bool:
    """Return whether the guarantee is in doubt: the distributions differ significantly and by a large amount."""
    return drift.p < LEVEL and (drift.distance > DISTANCE or drift.stability_index > INDEX)
