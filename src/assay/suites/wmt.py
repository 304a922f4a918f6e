"""Test sets of the WMT metrics tasks, read from mt-metrics-eval folders with the official settings for each year."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.core.batch import Batch
from assay.core.errors import InputError, unknown
from assay.core.judged import Judged
from assay.core.judged_systems import JudgedSystems, LevelScores
from assay.core.spec import Word
from assay.core.suite import Suite, SuiteCard
from assay.data import checksums
from assay.io.wmt.tree import EvalSet, langpairs, read_eval_set

if TYPE_CHECKING:
    from assay.core.metric import Floats


@dataclass(frozen=True)
class PairFacts:
    """Official settings for one language pair."""

    standard_reference: str
    gold: Mapping[str, str] = field(default_factory=dict)
    outliers: tuple[str, ...] = ()


@dataclass(frozen=True)
class WmtFacts:
    """Official settings for one year: metrics, language pairs, and the task recipe."""

    name: str
    citation: str = ""
    primary: tuple[str, ...] = ()
    baseline: tuple[str, ...] = ()
    langpairs: Mapping[str, PairFacts] = field(default_factory=dict)
    recipe: Mapping[str, Any] = field(default_factory=dict)
    title: str = ""
    folders: tuple[str, ...] = ()
    how_to_get: str = ""

    def kind(self, metric: str) -> str:
        """Return ``baseline``, ``primary`` or ``contrastive``."""
        if metric in self.baseline:
            return "baseline"
        return "primary" if metric in self.primary else "contrastive"


def years() -> list[str]:
    """Return the years with known settings."""
    folder = files("assay") / "data" / "wmt"
    return sorted(entry.name.removesuffix(".json") for entry in folder.iterdir() if entry.name.endswith(".json"))


@functools.cache
def facts(name: str) -> WmtFacts:
    """Return the settings for one year, such as ``wmt23``."""
    if name not in years():
        raise unknown("WMT test set", name, years())
    raw = json.loads((files("assay") / "data" / "wmt" / f"{name}.json").read_text(encoding="utf-8"))
    return WmtFacts(
        name=raw["name"],
        citation=raw["citation"],
        primary=tuple(raw["metrics"]["primary"]),
        baseline=tuple(raw["metrics"]["baseline"]),
        langpairs={
            pair: PairFacts(row["standard_reference"], row["gold"], tuple(row["outliers"]))
            for pair, row in raw["langpairs"].items()
        },
        recipe=raw["recipe"],
        title=raw.get("title", f"{name.upper()} metrics task"),
        folders=tuple(raw.get("folders", (name,))),
        how_to_get=raw.get("how_to_get", Wmt.card.how_to_get),
    )


def read_pairs(folder: Path, pairs: Sequence[str]) -> dict[str, EvalSet]:
    """Read several language pairs of a tree in parallel."""
    with ThreadPoolExecutor(max(1, len(pairs))) as pool:
        return dict(zip(pairs, pool.map(lambda pair: read_eval_set(folder, pair), pairs), strict=True))


def pair_facts(evalset: EvalSet, official: WmtFacts | None) -> PairFacts:
    """Return the official settings for a pair.

    If there are none, the first reference is standard, and gold is mqm or else the first human scores.
    """
    if official is not None and evalset.langpair in official.langpairs:
        return official.langpairs[evalset.langpair]
    if not evalset.references:
        raise InputError(f"{evalset.files.label} has no reference for {evalset.langpair}.")
    gold: dict[str, str] = {}
    for name in sorted(evalset.human, key=lambda name: (name != "mqm", name)):
        for level in evalset.human.levels(name):
            gold.setdefault(level, name)
    return PairFacts(sorted(evalset.references)[0], gold)


def judged_systems(
    evalset: EvalSet,
    about: PairFacts,
    metrics: Sequence[str] | None = None,
    extra: Mapping[str, LevelScores] | None = None,
) -> JudgedSystems:
    """Return a language pair's arrays: the named metrics (or all), in the variant for the standard reference."""
    if about.standard_reference not in evalset.references:
        raise unknown("reference", about.standard_reference, evalset.references, f"in {evalset.files.label}")
    files = {name.name: str(name) for name in evalset.metric_names(about.standard_reference)}
    chosen = files if metrics is None else {name: files[name] for name in metrics if name in files}
    stored = {name: evalset.metrics[file] for name, file in chosen.items()}
    return JudgedSystems(
        langpair=evalset.langpair,
        systems=evalset.systems,
        segments=len(evalset.sources),
        gold=dict(evalset.human),
        metrics={**stored, **(extra or {})},
        standard_reference=about.standard_reference,
        references=list(evalset.references),
        outliers=about.outliers,
        domains=evalset.domains,
        standard_gold=about.gold,
    )


class Wmt(Suite):
    """Every judged translation in a WMT test set as one batch, with human segment scores.

    The standard reference is not scored as a system. ``wmt:path=FOLDER,year=NAME`` reads any tree of the same format.
    """

    year = ""
    card = SuiteCard(
        name="wmt",
        title="an mt-metrics-eval tree",
        kind="judged",
        analysis="judged",
        origin="https://github.com/google-research/mt-metrics-eval",
        licence="texts for research use; scores Apache-2.0",
        citation="Freitag et al. 2023, Results of WMT23 Metrics Shared Task (WMT)",
        languages="those of the tree",
        folders=("wmt",),
        how_to_get="Download it with python3 -m mt_metrics_eval.mtme --download",
        by_language=True,
    )

    def __init__(self, *, path: str | None = None, year: Word | None = None, langpair: Word | None = None) -> None:
        self.path = Path(path) if path else None
        if self.path is not None:
            self.card = replace(self.card, folders=())
        name = year or self.year or (self.path.name if self.path is not None and self.path.name in years() else "")
        self.official = facts(name) if name else None
        self.langpair = langpair

    def pairs(self, folder: Path) -> list[str]:
        """Return the requested language pair, or all pairs of the tree with official gold scores."""
        available = langpairs(folder)
        if self.langpair is not None:
            if self.langpair not in available:
                raise unknown("language pair", self.langpair, available, f"in {folder}")
            return [self.langpair]
        if self.official is None:
            return available
        return [pair for pair in available if pair in self.official.langpairs and self.official.langpairs[pair].gold]

    def load(self, folder: Path | None) -> Judged:
        """Load one row per judged segment and system; ids are ``en-de/SYSTEM/17``."""
        import numpy as np

        folder = self.path or folder
        if folder is None:
            raise InputError("the suite wmt requires a folder. Specify it with wmt:path=FOLDER or --data-dir.")
        columns: dict[str, list[Any]] = {key: [] for key in ("mt", "src", "ref", "pair", "system", "document", "id")}
        scores: list[Floats] = []
        for pair, evalset in read_pairs(folder, self.pairs(folder)).items():
            about = pair_facts(evalset, self.official)
            if "seg" not in about.gold:
                continue
            gold = evalset.human.at(about.gold["seg"], "seg")
            for row, system in enumerate(evalset.systems):
                if system == about.standard_reference:
                    continue
                judged = np.flatnonzero(~np.isnan(gold[row]))
                scores.append(gold[row][judged])
                _extend(columns, evalset, about, pair, system, judged.tolist())
        if not scores:
            raise InputError(f"{folder} contains no human segment scores.")
        batch = Batch(
            hypotheses=columns["mt"],
            sources=columns["src"],
            references=(columns["ref"],),
            langpairs=columns["pair"],
            systems=columns["system"],
            documents=columns["document"] or None,
            ids=columns["id"],
        )
        return Judged(batch, scores={"gold": np.concatenate(scores)})


def _extend(
    columns: dict[str, list[Any]], evalset: EvalSet, about: PairFacts, pair: str, system: str, rows: list[int]
) -> None:
    reference = evalset.references[about.standard_reference]
    columns["mt"] += [evalset.outputs[system][i] for i in rows]
    columns["src"] += [evalset.sources[i] for i in rows]
    columns["ref"] += [reference[i] for i in rows]
    columns["pair"] += [pair] * len(rows)
    columns["system"] += [system] * len(rows)
    columns["document"] += [evalset.documents[i] if evalset.documents else "" for i in rows]
    columns["id"] += [f"{pair}/{system}/{i + 1}" for i in rows]


class Wmt23(Wmt):
    """WMT23: en-de (paragraphs), he-en and zh-en with MQM. This is test data: do not train metrics on it."""

    year = "wmt23"
    card = SuiteCard(
        name="wmt23",
        title="WMT23 metrics task",
        kind="judged",
        analysis="judged",
        origin="https://github.com/google-research/mt-metrics-eval (mt-metrics-eval-v2, wmt23)",
        licence="texts for research use; scores Apache-2.0",
        citation="Freitag et al. 2023, Results of WMT23 Metrics Shared Task (WMT); Kocmi et al. 2023, Findings of WMT23",
        languages="en-de, he-en, zh-en",
        folders=("wmt23",),
        how_to_get="Download it with python3 -m mt_metrics_eval.mtme --download (github.com/google-research/mt-metrics-eval)",
        checksums=checksums("wmt23"),
    )


def card_of(year: str) -> SuiteCard:
    """Return the card that locates the tree of a year."""
    if year == Wmt23.year:
        return Wmt23.card
    about = facts(year)
    return replace(
        Wmt.card,
        name=year,
        title=about.title,
        folders=about.folders,
        citation=about.citation,
        how_to_get=about.how_to_get,
    )
