"""``assay selfcheck``: check that all code paths on this machine give the same scores, and match the reference tools.

String metrics and integer models must be bit-identical on every code path. String metrics must also match the reference
tools bit for bit. Scores of other neural metrics may deviate by the tolerance on their card. The largest deviation of each
signature is stored, and ``assay list metrics NAME`` shows it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.core.errors import MissingPart
from assay.core.metric import Metric
from assay.core.table import Table, TableColumn
from assay.engine.drifts import drifts_file, in_digits, machine, save_drifts
from assay.metrics import METRICS, build_metrics, metric
from assay.verbs.result import Result
from assay.verbs.selfcheck_paths import Ways, batch_of, by_command_line, data, from_vector

ORIGINAL_TOLERANCE = 1e-9
"""Largest deviation from a reference tool, which may add numbers in another order."""
JUDGED = ("order", "batch size", "workers", "Python", "command line", "device", "original")
"""Code paths that must agree. A different precision has a different signature, so its deviation is only reported."""
WAYS = (*JUDGED[:5], "precision", *JUDGED[5:])


@dataclass(frozen=True, slots=True)
class WayDrift:
    """Deviation of a metric's scores on one code path."""

    metric: str
    way: str
    drift: float
    tolerance: float | None
    """None if the deviation is only reported."""

    @property
    def failed(self) -> bool:
        """Whether the deviation exceeds the tolerance."""
        return self.tolerance is not None and not self.drift <= self.tolerance

    def sentence(self) -> str:
        """Return a sentence such as ``chrf by workers 0.3 (at most 0)``."""
        allowed = "" if self.tolerance is None else f" (at most {self.tolerance:g})"
        return f"{self.metric} by {self.way} {in_digits(self.drift)}{allowed}"


@dataclass(repr=False)
class SelfcheckResult(Result):
    """Deviations by metric and code path: table ``selfcheck`` has one row per metric, ``ways`` one row per metric and code path."""

    drifts: list[WayDrift]
    machine: str

    verb = "selfcheck"
    headline = "selfcheck"

    @property
    def failures(self) -> list[WayDrift]:
        """Deviations beyond the tolerance, the largest first."""
        return sorted((one for one in self.drifts if one.failed), key=lambda one: -one.drift)

    @property
    def failed(self) -> bool:
        """Whether a deviation exceeds its tolerance."""
        return bool(self.failures)

    def largest(self, metric: str) -> float:
        """Return a metric's largest deviation on code paths that must agree."""
        return max((one.drift for one in self.drifts if one.metric == metric and one.tolerance is not None), default=0)

    def head(self) -> Mapping[str, Any]:
        """Return the machine, the signatures, and whether a metric failed."""
        return {"machine": self.machine, "signatures": self.signatures, "failed": self.failed}


def selfcheck(metrics: Sequence[str | Metric] | str | Metric | None = None) -> SelfcheckResult:
    """Score built-in texts in many scripts on every code path, and report the deviations.

    The largest deviation of each signature on this machine is stored in the cache folder.

    Args:
        metrics: Names with options, checkpoint paths, or Metric objects (which the command line cannot name). The default is
        all installed metrics that are bit-identical on every code path.

    Returns:
        The deviations, with a verdict.

    Raises:
        InputError: A metric does not exist.

    Example:
        >>> import assay
        >>> assay.selfcheck(["chrf"]).failed
        False
    """
    wanted = _wanted(metrics)
    texts = data("texts")
    batch = batch_of(texts)
    typed = {name: built for name, built in wanted.items() if _is_typed(name, metrics)}
    commanded = by_command_line(typed, texts) if typed else {}
    drifts: list[WayDrift] = []
    for name, built in wanted.items():
        ways = Ways(built, batch)
        deviations = {
            "order": ways.order(),
            "batch size": ways.batch_size(),
            "workers": ways.workers(),
            "Python": ways.python(),
            "command line": None,
            "precision": ways.precision(),
            "device": ways.device(),
            "original": _from_original(name, built, texts),
        }
        if name in commanded:
            deviations["command line"] = ways.command_line(commanded[name])
        drifts += [
            WayDrift(name, way, far, _tolerance(way, built)) for way, far in deviations.items() if far is not None
        ]
    signatures = {name: str(built.signature) for name, built in wanted.items()}
    result = SelfcheckResult({}, drifts, machine(), signatures=signatures)
    save_drifts((built.card.name, signatures[name], float(result.largest(name))) for name, built in wanted.items())
    result.tables = {"selfcheck": _table(result, len(texts)), "ways": _ways_table(result)}
    return result


def _tolerance(way: str, metric: Metric) -> float | None:
    if way not in JUDGED:
        return None
    return ORIGINAL_TOLERANCE if way == "original" else metric.card.tolerance


def _wanted(metrics: Sequence[str | Metric] | str | Metric | None) -> dict[str, Metric]:
    if metrics is not None:
        return build_metrics(metrics)
    ready = {}
    for name in METRICS.names():
        try:
            if METRICS.resolve(name).card.tolerance == 0:
                ready[name] = metric(name)
        except MissingPart:
            continue
    return ready


def _is_typed(name: str, metrics: Sequence[str | Metric] | str | Metric | None) -> bool:
    """Whether a metric was specified by name, which the command line accepts."""
    return metrics is None or name == metrics or (not isinstance(metrics, (str, Metric)) and name in metrics)


def _from_original(name: str, made: Metric, texts: Sequence[Mapping[str, Any]]) -> float | None:
    """Return the deviation from the reference tool; None for metrics or options without stored reference scores."""
    drifts = []
    for spec, vector in data("vectors").items():
        compared = metric(spec)
        if compared.signature == made.signature or name == vector["stands_for"]:
            drifts += [
                from_vector(compared, batch_of(texts, int(references)), numbers)
                for references, numbers in vector["references"].items()
            ]
    return max(drifts, default=None)


def _table(result: SelfcheckResult, texts: int) -> Table:
    """Return one row per metric, one column per code path."""
    ways = [way for way in WAYS if any(one.way == way for one in result.drifts)]
    cells = {(one.metric, one.way): one for one in result.drifts}
    rows = []
    for name in result.signatures:
        shown = {way: in_digits(cells[name, way].drift) if (name, way) in cells else "–" for way in ways}
        failed = [way for way in ways if (name, way) in cells and cells[name, way].failed]
        rows.append({"metric": name, **shown, "verdict": "out: " + ", ".join(failed) if failed else "holds"})
    columns = [TableColumn("metric"), *map(TableColumn, ways), TableColumn("verdict")]
    return Table(
        "selfcheck",
        columns,
        rows,
        f"Deviation of the scores of {texts} texts",
        (*_notes(result), f"measured on {result.machine}; stored in {drifts_file()}"),
        reading="The largest difference from scoring all texts at once. 0 means the same bits.",
    )


def _notes(result: SelfcheckResult) -> list[str]:
    judged = [one for one in result.drifts if one.tolerance is not None]
    furthest = max(judged, key=lambda one: one.drift, default=None)
    notes = [f"largest drift: {furthest.sentence()}"] if furthest is not None and furthest.drift else []
    if any(one.way == "original" for one in judged):
        tools = dict.fromkeys(vector["tool"] for vector in data("vectors").values())
        notes.append(f"original: {', '.join(tools)}, at most {ORIGINAL_TOLERANCE:g}")
    return notes


def _ways_table(result: SelfcheckResult) -> Table:
    """Return every deviation as a number."""
    rows = [
        {"metric": one.metric, "way": one.way, "drift": one.drift, "tolerance": one.tolerance, "failed": one.failed}
        for one in result.drifts
    ]
    keys = ("metric", "way", "drift", "tolerance", "failed")
    return Table("ways", [TableColumn(key) for key in keys], rows)
