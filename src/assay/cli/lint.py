"""``assay lint``: deterministic checks of translations."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace

from assay._version import __version__
from assay.cli.options import add_output, add_texts, comma_separated
from assay.cli.output import Output, write
from assay.cli.parser import Help, Parser
from assay.cli.progress import Progress
from assay.cli.texts import text_inputs
from assay.core.spans import SEVERITIES
from assay.verbs.lint import MOST_SHOWN, LintResult, check_table, lint, sarif

HELP = Help(
    """Find wrong numbers, broken placeholders, untranslated text, repetition and output of language models, with reasons.

    assay lint --data demo
    assay lint --data demo --select numbers,dates --format jsonl

    more examples:
      assay lint --src src.en --mt ours.de -l en-de --fail-on major
      assay lint --data outputs.tsv --ignore completeness --out findings.xlsx
      assay lint --data outputs.tsv --format sarif --out findings.sarif

    Most checks need the source and the language pair (-l, or a column of the table). Without them, only repetition,
    encoding and output of language models are checked.

    JSON lines have one finding per line: row (from 1, without the header), start and end (code points in the
    translation; equal if something is missing), check, category, severity, reason, suggestion.

    Exit codes: 0, or 1 with --fail-on if a finding has this severity or a worse one.
    """,
    "files mt src data columns langpair select ignore fail_on list format out quiet",
)
FORMATS = ("table", "json", "jsonl", "sarif", "github", "csv", "tsv", "xlsx", "md", "latex", "html", "parquet")


def add_arguments(parser: Parser) -> None:
    """Add the arguments of the verb."""
    add_texts(parser, bare=True)
    parser.add_argument("--select", metavar="CHECK,…", help="run only these checks")
    parser.add_argument("--ignore", metavar="CHECK,…", help="leave these checks out")
    parser.add_argument(
        "--fail-on",
        choices=SEVERITIES[1:],
        metavar="SEVERITY",
        help="exit with 1 on a minor, major or critical finding",
    )
    parser.add_argument("--list", action="store_true", help="list the checks")
    add_output(parser, FORMATS, workers=False)


def run(args: argparse.Namespace) -> int:
    """Check the translations, then print or write the findings."""
    output = Output.of(args)
    if args.list:
        output.emit([check_table()])
        return 0
    with Progress("checking", quiet=args.quiet) as progress:
        result = lint(
            select=comma_separated(args.select) or None, ignore=comma_separated(args.ignore), progress=progress.add,
            **text_inputs(args),
        )  # fmt: skip
    _write(result, output, args.data or (args.files or args.mt or ["translations"])[0])
    for note in (*result.alerts, *result.notes):
        output.note(f"⚠ {note}")
    worst = result.worst()
    return int(bool(args.fail_on and worst and SEVERITIES.index(worst) >= SEVERITIES.index(args.fail_on)))


def _write(result: LintResult, output: Output, path: str) -> None:
    """Write the findings in the chosen format."""
    findings, summary = result.table("findings"), result.table("summary")
    if output.format == "jsonl":
        write("".join(json.dumps(finding, ensure_ascii=False) + "\n" for finding in result.findings), output.out)
    elif output.format == "sarif":
        write(json.dumps(sarif(result, path, __version__), ensure_ascii=False, indent=1) + "\n", output.out)
    elif output.format == "github":
        write("".join(_annotation(finding, path) for finding in result.findings), output.out)
    elif output.format in ("csv", "tsv", "parquet"):
        output.emit([findings])
    elif output.format in ("table", "md", "latex", "html"):
        shown = findings.rows[:MOST_SHOWN]
        notes = (
            [f"{len(findings.rows) - len(shown):,} more (--format jsonl)"] if len(findings.rows) > len(shown) else []
        )
        tables = [replace(findings, rows=shown, notes=notes)] if shown else []
        output.emit([*tables, replace(summary, rows=[row for row in summary.rows if row["findings"]] or summary.rows)])
    else:
        output.emit([findings, summary], head=result.head())


def _annotation(finding: dict[str, object], path: str) -> str:
    """Return a finding as a workflow command of GitHub."""
    level = "error" if finding["severity"] in ("major", "critical") else "warning"
    message = f"{finding['check']}: {finding['reason']}".replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    file = str(path).replace("%", "%25").replace(",", "%2C").replace(":", "%3A")
    return f"::{level} file={file},line={finding['row']}::{message}\n"
