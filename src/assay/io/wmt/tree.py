"""Reader for one language pair in an mt-metrics-eval tree: texts, documents, human scores, ratings, metric scores.

::

    sources/LP.txt                     references/LP.NAME.txt            documents/LP.docs ("domain<TAB>document")
    system-outputs/LP/SYSTEM.txt       human-scores/LP.NAME.LEVEL.score  human-scores/LP.NAME.seg.rating
    metric-scores/LP/METRIC-REF.LEVEL.score

Texts may also be JSON lines (``.jsonl``, under source, target and hypothesis). REF is ``src`` for a reference-free metric.
The last hyphen separates it from the metric's name. LEVEL is seg, sys or domain.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from assay.core.campaign import Campaign, Cell, JudgedText
from assay.core.errors import InputError, count, listing, unknown
from assay.core.judged import Judgement
from assay.core.judged_systems import Level, LevelScores
from assay.io.wmt.files import TEXTS, TreeFiles, langpairs, open_files
from assay.io.wmt.scores import read_domain_scores, read_scores

if TYPE_CHECKING:
    from assay.core.metric import Floats
    from assay.io.judgements.spans_json import Ratings

LEVELS: tuple[Level, ...] = ("seg", "sys", "domain")
SOURCE_ONLY = "src"

__all__ = ["EvalSet", "MetricName", "ScoreFiles", "campaign_of", "langpairs", "read_eval_set"]


@dataclass(frozen=True, order=True)
class MetricName:
    """Name of a metric and its reference (``src``: none)."""

    name: str
    reference: str

    @classmethod
    def parse(cls, text: str) -> MetricName:
        """Split a name: ``MetricX-23-QE-src`` is the metric MetricX-23-QE without a reference."""
        name, hyphen, reference = text.rpartition("-")
        if not hyphen or not name:
            raise InputError(f"metric file name {text!r} is not METRIC-REFERENCE.LEVEL.score.")
        return cls(name, reference)

    def __str__(self) -> str:
        return f"{self.name}-{self.reference}"


class ScoreFiles(Mapping[str, LevelScores]):
    """Scores by name, read on first use."""

    def __init__(self, kind: str, paths: Mapping[str, Mapping[Level, str]], tree: EvalSet | None = None) -> None:
        self.kind, self.paths, self.tree = kind, dict(paths), tree
        self._read: dict[tuple[str, Level], Floats] = {}

    def __iter__(self) -> Iterator[str]:
        return iter(self.paths)

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, name: str) -> LevelScores:
        by_level = {level: self.at(name, level) for level in self.levels(name)}
        return LevelScores(by_level.get("seg"), by_level.get("sys"), by_level.get("domain"))

    def levels(self, name: str) -> list[Level]:
        """Return the levels for which a file exists."""
        if name not in self.paths:
            raise unknown(self.kind, name, self.paths)
        return list(self.paths[name])

    def at(self, name: str, level: Level) -> Floats:
        """Return the scores at one level, one row per system (sys: one number per system)."""
        if level not in self.levels(name):
            raise InputError(f"{self.kind} {name!r} has no {level} scores.")
        if (name, level) not in self._read:
            self._read[name, level] = self._load(self.paths[name][level], level)
        return self._read[name, level]

    def _load(self, path: str, level: Level) -> Floats:
        if self.tree is None:
            raise InputError(f"{self.kind}: no tree to read {path} from.")
        tree, data = self.tree, self.tree.files.read(path)
        where, systems = tree.files.where(path), list(tree.outputs)
        if level == "domain":
            return read_domain_scores(data, where, systems, tree.domain_names)
        if level == "sys":
            return read_scores(data, where, systems, 1)[:, 0]
        return read_scores(data, where, systems, len(tree.sources))


@dataclass
class EvalSet:
    """One language pair of a judged test set. Texts are read immediately, scores and ratings on first use."""

    langpair: str
    sources: Sequence[str]
    references: Mapping[str, Sequence[str]]
    domains: Sequence[str]
    documents: Sequence[str]
    outputs: Mapping[str, Sequence[str]]
    """System to its translations; human references are systems too."""
    files: TreeFiles
    human: ScoreFiles = field(init=False)
    """Human scores by name (``mqm``, ``da-sqm``)."""
    metrics: ScoreFiles = field(init=False)
    """Metric scores by full name (``BLEU-refA``, ``CometKiwi-src``)."""

    def __post_init__(self) -> None:
        pair = self.langpair
        human: dict[str, dict[Level, str]] = {}
        for file in self.files.names("human-scores", f"{pair}."):
            name, level, ending = _split(file.removeprefix(f"{pair}."))
            if ending == "score" and level in LEVELS:
                human.setdefault(name, {})[level] = f"human-scores/{file}"
        metrics: dict[str, dict[Level, str]] = {}
        for file in self.files.names(f"metric-scores/{pair}"):
            name, level, ending = _split(file)
            if ending == "score" and level in LEVELS:
                MetricName.parse(name)
                metrics.setdefault(name, {})[level] = f"metric-scores/{pair}/{file}"
        self.human = ScoreFiles(f"human score of {pair}", human, self)
        self.metrics = ScoreFiles(f"metric of {pair}", metrics, self)

    @property
    def systems(self) -> list[str]:
        """Return the systems in the order of score rows."""
        return list(self.outputs)

    @property
    def domain_names(self) -> list[str]:
        """Return the domains in alphabetical order, which is the column order of domain scores."""
        return sorted(set(self.domains))

    def metric_names(self, reference: str | None = None) -> list[MetricName]:
        """Return the metrics with stored scores; with `reference`, only those that use it or no reference."""
        names = map(MetricName.parse, self.metrics)
        return [name for name in names if reference is None or name.reference in (reference, SOURCE_ONLY)]

    @property
    def raters(self) -> list[str]:
        """Return the names of the rating files (``mqm.rater1``, ``mqm.merged``)."""
        files = self.files.names("human-scores", f"{self.langpair}.")
        return [
            f.removeprefix(f"{self.langpair}.").removesuffix(".seg.rating") for f in files if f.endswith(".seg.rating")
        ]

    def ratings(self, rater: str) -> Ratings:
        """Return error spans by system and segment; None for a segment that the rater did not see."""
        from assay.io.judgements.spans_json import read_ratings

        if rater not in self.raters:
            raise unknown(f"rater of {self.langpair}", rater, self.raters)
        path = f"human-scores/{self.langpair}.{rater}.seg.rating"
        return read_ratings(self.files.read(path), self.files.where(path), self.sources, self.outputs, rater)


def read_eval_set(path: Path, langpair: str, *, more: Sequence[str] = ()) -> EvalSet:
    """Read one language pair of the tree at `path`: an unpacked tree, a folder of archives, or one archive.

    `more` names additional archives for the pair, such as ``esa-campaign``.
    """
    files = open_files(path, langpair, more)
    source = next(
        (name for end in TEXTS if (name := f"sources/{langpair}{end}") in files.content), f"sources/{langpair}.txt"
    )
    sources = files.texts(source, "source")

    def texts(name: str, field: str) -> list[str]:
        lines = files.texts(name, field)
        if len(lines) != len(sources):
            raise InputError(
                f"{files.where(name)} has {count(len(lines), 'line')}, but {files.where(source)} has "
                f"{len(sources):,}; they must match."
            )
        return lines

    references = {
        Path(name.removeprefix(f"{langpair}.")).stem: texts(f"references/{name}", "target")
        for name in files.names("references", f"{langpair}.")
    }
    outputs = {
        Path(name).stem: texts(f"system-outputs/{langpair}/{name}", "hypothesis")
        for name in files.names(f"system-outputs/{langpair}")
        if name.endswith(TEXTS)
    }
    if not outputs:
        raise InputError(f"{files.where(f'system-outputs/{langpair}')} contains no system outputs.")
    domains, documents = _documents(files, langpair, len(sources))
    return EvalSet(langpair, sources, references, domains, documents, outputs, files)


def _documents(files: TreeFiles, langpair: str, segments: int) -> tuple[list[str], list[str]]:
    name = f"documents/{langpair}.docs"
    if name not in files.content:
        return [], []
    rows = [line.split(None, 1) for line in files.lines(name)]
    if len(rows) != segments:
        raise InputError(
            f"{files.where(name)} has {count(len(rows), 'line')}, but the source has {segments:,}; they must match."
        )
    for number, row in enumerate(rows, 1):
        if len(row) != 2:
            raise InputError(f"{files.where(name)} line {number}: expected DOMAIN<TAB>DOCUMENT.")
    return [row[0] for row in rows], [row[1] for row in rows]


def _split(file: str) -> tuple[str, Level | str, str]:
    """Split ``mqm.merged.seg.rating`` into name, level and extension."""
    parts = file.rsplit(".", 2)
    return (parts[0], parts[1], parts[2]) if len(parts) == 3 else (file, "", "")


def campaign_of(sets: Sequence[EvalSet], references: Mapping[str, str], name: str) -> Campaign:
    """Return the rated translations for several language pairs; `references` names the standard reference for each."""
    judgements: dict[Cell, list[Judgement]] = {}
    texts: dict[Cell, JudgedText] = {}
    for evalset in sets:
        pair = evalset.langpair
        standard = evalset.references[references[pair]]
        for rater in evalset.raters:
            for system, row in evalset.ratings(rater).items():
                for index, judgement in enumerate(row):
                    if judgement is None:
                        continue
                    cell = Cell(pair, system, str(index + 1))
                    judgements.setdefault(cell, []).append(judgement)
                    document = evalset.documents[index] if evalset.documents else ""
                    texts[cell] = JudgedText(
                        evalset.outputs[system][index], evalset.sources[index], standard[index], document
                    )
    if not judgements:
        pairs = listing(evalset.langpair for evalset in sets)
        raise InputError(f"{name} has no ratings with error spans for {pairs} (human-scores/PAIR.NAME.seg.rating).")
    standard_systems = frozenset((pair, reference) for pair, reference in references.items())
    return Campaign(name, "MQM", judgements, texts, marked=True, standard=standard_systems)
