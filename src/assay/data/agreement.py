"""How often annotators prefer the system that a metric prefers, by metric and size of the difference.

Two sources: the pairs of systems of WMT23 (`agreement.csv`, made by scripts/make_agreement.py), and the curves of Kocmi et al.
2024 (MT-Thresholds, `thresholds.csv`), which are based on more systems and languages. The lower of the two shares is reported.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from assay.core.langpair import languages as languages_of
from assay.data import rows

FEWEST = 20
"""Minimum number of system pairs for a share to be reported."""
GROUPS = ("all", "into English", "from English")


@dataclass(frozen=True, slots=True)
class Share:
    """The share of `pairs` system pairs that annotators rank in the same order as a metric, with its 95% interval."""

    share: float
    low: float
    high: float
    pairs: int

    def in_words(self, of: str = "") -> str:
        """Return ``about 85% OF (n = 41, 95% CI 72–93%)``."""
        return " ".join(
            filter(None, (about(self.share), of, f"(n = {self.pairs}, 95% CI {100 * self.low:.0f}–{self.high:.0%})"))
        )


@dataclass(frozen=True, slots=True)
class AgreementEstimate:
    """Estimates from two studies for a difference of a given size."""

    share: float
    """The lower of the two estimates."""
    wmt23: Share
    languages: str
    """WMT23 group of language pairs: one of `GROUPS`."""
    better: Share | None = None
    """Share among the better half of the systems of each language pair, if enough pairs differ by as much."""
    published: float | None = None
    """Share according to Kocmi et al. 2024, if they cover the metric."""


@dataclass(frozen=True, slots=True)
class Bin:
    """Pairs of systems whose difference lies between two bounds."""

    low: float
    high: float
    share: Share


@dataclass(frozen=True, slots=True)
class AgreementTable:
    """The shares for one metric by group of languages, quality band and size of the difference."""

    bins: Mapping[tuple[str, str], Sequence[Bin]]
    curve: tuple[float, float] | None = None
    """Ceiling and slope of the published curve."""

    def at(self, difference: float, languages: str = "all") -> AgreementEstimate | None:
        """Return the estimate for systems this far apart; None if fewer than `FEWEST` pairs differed by as much."""
        size = abs(difference)
        wmt23, group = self._share(size, "all", languages)
        if wmt23 is None:
            return None
        better, _ = self._share(size, "better", languages)
        published = self._published(size)
        share = wmt23.share if published is None else min(wmt23.share, published)
        return AgreementEstimate(share, wmt23, group, better, published)

    @property
    def pairs(self) -> int:
        """Number of system pairs over all languages together."""
        return sum(one.share.pairs for one in self._whole)

    def points(self) -> list[tuple[float, float, float, float]]:
        """Return the shares of all languages together as a curve: difference, share and interval, two points per bin.

        The curve never falls: a share is at most that of any larger difference, so noise between bins cannot inflate it.
        """
        points: list[tuple[float, float, float, float]] = []
        least = 1.0
        for one in reversed(self._whole):
            for size in (one.high, one.low):
                published = self._published(size)
                least = min(least, one.share.share, 1.0 if published is None else published)
                points.append((size, least, min(one.share.low, least), max(one.share.high, least)))
        return points[::-1]

    @property
    def _whole(self) -> Sequence[Bin]:
        return self.bins.get(("all", "all"), ())

    def _published(self, size: float) -> float | None:
        return None if self.curve is None else self.curve[0] / (1 + math.exp(-self.curve[1] * size))

    def _share(self, size: float, band: str, languages: str) -> tuple[Share | None, str]:
        """Return the share in this group of languages, or in all together if the group has too few pairs."""
        for group in (languages, "all"):
            for one in self.bins.get((group, band), ()):
                if one.low <= size <= one.high and one.share.pairs >= FEWEST:
                    return one.share, group
        return None, languages


def group_of(langpair: str) -> str:
    """Return the group of a language pair."""
    languages = languages_of(langpair)
    if len(languages) != 2 or languages.count("en") != 1:
        return "all"
    return "from English" if languages[0] == "en" else "into English"


def group_of_all(langpairs: Iterable[str | None]) -> str:
    """Return the group that all these language pairs belong to; ``all`` if they differ or are unknown."""
    groups = {group_of(pair) if pair else "all" for pair in langpairs}
    return groups.pop() if len(groups) == 1 else "all"


@functools.cache
def _tables() -> dict[str, AgreementTable]:
    curves = {row["metric"]: (float(row["ceiling"]), float(row["slope"])) for row in rows("thresholds.csv")}
    bins: dict[str, dict[tuple[str, str], list[Bin]]] = {}
    for row in rows("agreement.csv"):
        pairs = int(row["pairs"])
        share = Share(int(row["agree"]) / pairs, float(row["agree_low"]), float(row["agree_high"]), pairs)
        bin_list = bins.setdefault(row["metric"], {}).setdefault((row["languages"], row["systems"]), [])
        bin_list.append(Bin(float(row["low"]), float(row["high"]), share))
    return {name: AgreementTable(groups, curves.get(name)) for name, groups in bins.items()}


def agreement(metric: str) -> AgreementTable | None:
    """Return the shares for a metric with its default options; None if nothing was measured for it."""
    return _tables().get(metric)


def about(share: float) -> str:
    """Return ``about 85%``, rounded to 5%, because no share is based on more than about forty pairs."""
    return "over 95%" if share > 0.975 else f"about {5 * round(20 * share)}%"
