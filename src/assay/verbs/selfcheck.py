"""``assay selfcheck``: do the same texts give the same numbers on this machine, whichever way they are scored?

String metrics and networks of whole numbers must give the same bits by every way, string metrics those of the original tools;
another network's numbers may move by its card's tolerance. The largest drift of each signature is kept, and ``assay list
metrics NAME`` shows it.
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
"""How far a number may lie from the original tool's: it adds and takes logarithms in an order of its own."""
JUDGED = ("order", "batch size", "workers", "Python", "command line", "device", "original")
"""The ways that must hold. Another precision has another signature: its drift is shown, not judged."""
WAYS = (*JUDGED[:5], "precision", *JUDGED[5:])


@dataclass(frozen=True, slots=True)
class WayDrift:
    """How far a metric's numbers moved by one way."""

    metric: str
    way: str
    drift: float
    tolerance: float | None
    """None where the drift is shown, not judged."""

    @property
    def failed(self) -> bool:
        """Whether the numbers moved further than they may."""
        return self.tolerance is not None and not self.drift <= self.tolerance

    def sentence(self) -> str:
        """``chrf by workers 0.3 (at most 0)``."""
        allowed = "" if self.tolerance is None else f" (at most {self.tolerance:g})"
        return f"{self.metric} by {self.way} {in_digits(self.drift)}{allowed}"


@dataclass(repr=False)
class SelfcheckResult(Result):
    """The drift of every metric by every way: ``selfcheck`` is one row a metric, ``ways`` one row a metric and way."""

    drifts: list[WayDrift]
    machine: str

    verb = "selfcheck"
    headline = "selfcheck"

    @property
    def failures(self) -> list[WayDrift]:
        """What moved further than it may, the furthest first."""
        return sorted((one for one in self.drifts if one.failed), key=lambda one: -one.drift)

    @property
    def failed(self) -> bool:
        """True when a number moved further than it may."""
        return bool(self.failures)

    def largest(self, metric: str) -> float:
        """The largest drift of a metric by the ways that are judged."""
        return max((one.drift for one in self.drifts if one.metric == metric and one.tolerance is not None), default=0)

    def head(self) -> Mapping[str, Any]:
        """The machine, the signatures, and whether a metric failed."""
        return {"machine": self.machine, "signatures": self.signatures, "failed": self.failed}


def selfcheck(metrics: Sequence[str | Metric] | str | Metric | None = None) -> SelfcheckResult:
    """Score built-in texts of many scripts by every way that there is and say how far the numbers move.

    Args:
        metrics: Names with options, paths of checkpoints, or Metric objects (which the command line cannot name); by
            default every metric that is installed and gives the same bits by every way.

    The largest drift of each signature on this machine is kept in the cache folder.
    """
    wanted = _wanted(metrics)
    texts = data("texts")
    batch = batch_of(texts)
    typed = {name: made for name, made in wanted.items() if _is_typed(name, metrics)}
    commanded = by_command_line(typed, texts) if typed else {}
    drifts: list[WayDrift] = []
    for name, made in wanted.items():
        ways = Ways(made, batch)
        found = {
            "order": ways.order(),
            "batch size": ways.batch_size(),
            "workers": ways.workers(),
            "Python": ways.python(),
            "command line": None,
            "precision": ways.precision(),
            "device": ways.device(),
            "original": _from_original(name, made, texts),
        }
        if name in commanded:
            found["command line"] = ways.command_line(commanded[name])
        drifts += [WayDrift(name, way, far, _tolerance(way, made)) for way, far in found.items() if far is not None]
    signatures = {name: str(made.signature) for name, made in wanted.items()}
    result = SelfcheckResult({}, drifts, machine(), signatures=signatures)
    save_drifts((made.card.name, signatures[name], float(result.largest(name))) for name, made in wanted.items())
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
    """Whether a metric was asked for by a spec, which the command line can take."""
    return metrics is None or name == metrics or (not isinstance(metrics, (str, Metric)) and name in metrics)


def _from_original(name: str, made: Metric, texts: Sequence[Mapping[str, Any]]) -> float | None:
    """The drift from what the original tool gave; None for a metric or options that no original was asked about."""
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
    """One row a metric, one column a way that some metric was scored by."""
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
        f"How far the numbers of {texts} texts move",
        (*_notes(result), f"measured on {result.machine}; kept in {drifts_file()}"),
        reading="The largest difference between the numbers of the same texts scored whole and scored this way. 0 is the same "
        "bits.",
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
    """Every drift as a number."""
    rows = [
        {"metric": one.metric, "way": one.way, "drift": one.drift, "tolerance": one.tolerance, "failed": one.failed}
        for one in result.drifts
    ]
    keys = ("metric", "way", "drift", "tolerance", "failed")
    return Table("ways", [TableColumn(key) for key in keys], rows)
