"""``assay lint``: deterministic checks for translations, with the position of each error and a reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

from assay.core.columns import Columns
from assay.core.errors import InputError, count
from assay.core.spans import SEVERITIES
from assay.core.table import Table, TableColumn
from assay.linting import CHECKS, lint_batch, select_checks
from assay.linting.finding import Finding
from assay.verbs.result import Result
from assay.verbs.shared.options import TextInputs
from assay.verbs.shared.request import request

if TYPE_CHECKING:
    from assay.engine.arguments import References
    from assay.engine.arguments import Texts as TextColumn
    from assay.engine.scored_run import RowsDone

MOST_SHOWN = 50
"""Findings in the table for a terminal; data formats have all."""
FIELDS = ("row", "system", "start", "end", "text", "check", "category", "severity", "reason", "suggestion")


@dataclass(repr=False)
class LintResult(Result):
    """Check results: `findings` by row, and counts per check."""

    findings: list[dict[str, Any]] = field(default_factory=list)
    """One dictionary per finding: row (from 1), start, end, source_start, source_end, check, severity, reason …"""
    rows: int = 0

    verb: ClassVar[str] = "lint"

    def __len__(self) -> int:
        return self.rows

    def columns(self) -> Columns:
        """Return the findings as columns."""
        return {name: [finding[name] for finding in self.findings] for name in _keys(self.findings)}

    def worst(self) -> str:
        """Return the worst severity among the findings; empty if there are none."""
        return max((finding["severity"] for finding in self.findings), key=SEVERITIES.index, default="")

    def head(self) -> Mapping[str, Any]:
        """Return the counts that precede the tables in JSON."""
        return {"rows": self.rows, "findings": len(self.findings)}

    def sizes(self) -> Mapping[str, int]:
        """Return the numbers of translations and findings."""
        return {"translations": self.rows, "findings": len(self.findings)}

    def sentence(self) -> str:
        """Return the result as a single line."""
        rows = len({(finding["system"], finding["row"]) for finding in self.findings})
        return f"{count(len(self.findings), 'finding')} in {rows:,} of {count(self.rows, 'translation')}"


def lint(
    hypotheses: TextColumn | None = None,
    references: References | None = None,
    *,
    select: Sequence[str] | None = None,
    ignore: Sequence[str] = (),
    progress: RowsDone | None = None,
    **texts: Unpack[TextInputs],
) -> LintResult:
    """Check translations for errors that can be detected reliably: numbers, placeholders, wrong language, repetition.

    Args:
        hypotheses: The translations.
        references: References, if any; no current check reads them.
        select: Names of the checks to run; the default is shown by ``assay lint --list``.
        ignore: Names of checks to leave out.
        progress: Called after every chunk with its number of rows.
        **texts: Source of the texts, as for `assay.score`. The checks need sources, and most need languages (`langpair`, or
        a column of the table).

    Returns:
        The findings and their counts per check.

    Raises:
        InputError: A check is unknown, or the texts cannot be read.

    Example:
        ```python
        result = assay.lint(["Der Vertrag wurde 1997 unterzeichnet."], sources=["It was signed in 1979."], langpair="en-de")
        result.findings[0]["reason"]  # "1979 in the source, 1997 in the translation"
        ```
    """
    checks = select_checks(select, ignore)
    asked = request(hypotheses, references, metrics={}, **texts)
    result = LintResult({}, files=asked.inputs.paths, call=asked.call)
    numbers: dict[str, int] = {}
    sourceless = languageless = 0
    for batch in asked.inputs.chunks:
        sourceless += len(batch) if batch.sources is None else sum(not source for source in batch.sources)
        languageless += len(batch) if batch.langpairs is None else sum(not pair for pair in batch.langpairs)
        for row, finding in enumerate(lint_batch(batch, checks)):
            system = batch.systems[row] if batch.systems is not None else ""
            # Files or columns for several systems have one row per segment; a long table has one row per translation.
            counted = system if asked.inputs.aligned else ""
            numbers[counted] = numbers.get(counted, 0) + 1
            result.findings += [_fields(numbers[counted], system, batch.hypotheses[row], one) for one in finding]
        result.rows += len(batch)
        if progress is not None:
            progress(len(batch), False)
    if not result.rows:
        raise InputError(f"{asked.inputs.name} has no translations to check.")
    if languageless:
        result.notes.append(
            f"{count(languageless, 'translation')} without a language pair: number words, dates and wrong languages are not "
            "checked there. Specify -l, such as en-de, or a column langpair."
        )
    if sourceless:
        result.notes.append(
            f"{count(sourceless, 'translation')} without a source: only the checks that need none were run."
        )
    result.notes += asked.inputs.notes
    result.alerts = list(asked.inputs.alerts)
    result.tables = {"summary": _summary(result, checks), "findings": _findings(result)}
    return result


def _fields(row: int, system: str, translation: str, finding: Finding) -> dict[str, Any]:
    return {
        "row": row,
        "system": system,
        "start": finding.start,
        "end": finding.end,
        "text": translation[finding.start : finding.end],
        "source_start": finding.source_start,
        "source_end": finding.source_end,
        "check": finding.check,
        "category": finding.category,
        "severity": finding.severity,
        "reason": finding.reason,
        "suggestion": finding.suggestion,
    }


def _keys(findings: Sequence[Mapping[str, Any]]) -> Sequence[str]:
    return list(findings[0]) if findings else [*FIELDS, "source_start", "source_end"]


def _summary(result: LintResult, checks: Sequence[str]) -> Table:
    rows = []
    by_check = {name: [f for f in result.findings if f["check"] == name] for name in checks}
    for name in checks:
        found = by_check[name]
        touched = len({(f["system"], f["row"]) for f in found})
        rows.append({
            "check": name, "findings": len(found), "translations": touched,
            "share": touched / result.rows if result.rows else None,
            "worst": max((f["severity"] for f in found), key=SEVERITIES.index, default=""),
            "summary": CHECKS[name][0].summary,
        })  # fmt: skip
    columns = (
        TableColumn("check"),
        TableColumn("findings", "", "count"),
        TableColumn("translations", "", "count"),
        TableColumn("share", "share of translations", "percent"),
        TableColumn("worst", "worst severity"),
        TableColumn("summary", "meaning"),
    )
    return Table("summary", columns, rows, "Findings per check", notes=[result.sentence()])


def _findings(result: LintResult) -> Table:
    several = len({finding["system"] for finding in result.findings}) > 1
    columns = (
        TableColumn("row", "", "count"),
        TableColumn("system", hidden=not several),
        TableColumn("start", hidden=True),
        TableColumn("end", hidden=True),
        TableColumn("check"),
        TableColumn("severity"),
        TableColumn("text"),
        TableColumn("reason"),
        TableColumn("category", hidden=True),
        TableColumn("suggestion", hidden=True),
        TableColumn("source_start", hidden=True),
        TableColumn("source_end", hidden=True),
    )
    return Table("findings", columns, result.findings, "Findings")


def check_table() -> Table:
    """Return the table of all checks."""
    rows = [
        {"check": name, "default": "on" if check.default else "off", "source": "yes" if check.needs_source else "no",
         "category": check.category, "summary": check.summary}
        for name, (check, _) in CHECKS.items()
    ]  # fmt: skip
    columns = (
        TableColumn("check"), TableColumn("default"), TableColumn("source", "needs source"), TableColumn("category"),
        TableColumn("summary", "finds"),
    )  # fmt: skip
    return Table("checks", columns, rows, "Checks")


def sarif(result: LintResult, path: str, version: str) -> dict[str, Any]:
    """Return the findings as a SARIF 2.1.0 log, which code hosts show next to the lines of the file."""
    return {
        "version": "2.1.0",
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "runs": [{
            "tool": {"driver": {"name": "assay lint", "version": version, "rules": [
                {"id": name, "shortDescription": {"text": CHECKS[name][0].summary}}
                for name, _ in groupby(sorted(f["check"] for f in result.findings))
            ]}},
            "results": [{
                "ruleId": f["check"],
                "level": "error" if f["severity"] in ("major", "critical") else "warning",
                "message": {"text": f["reason"]},
                "locations": [{"physicalLocation": {
                    "artifactLocation": {"uri": path}, "region": {"startLine": f["row"]},
                }}],
                "properties": {"start": f["start"], "end": f["end"], "severity": f["severity"], "category": f["category"]},
            } for f in result.findings],
        }],
    }  # fmt: skip
