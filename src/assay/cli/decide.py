"""``assay decide``: learn a rule from outcomes, and label new translations with it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.api.decide import Decided
    from assay.core.batch import Batch
    from assay.core.metric import Metric
    from assay.decide.apply import Decisions
    from assay.decide.rule import Rule

SUMMARY = "Learn from outcomes which translations to use, review or reject, and label new ones."
EXAMPLES = """examples:
  assay decide fit --data outcomes.tsv -m chrf --goal "catch 95%" --out rule.json
  assay decide apply --rule rule.json --src new.es --mt new.en --ref new.ref.en --lang es --format tsv

Goals: "catch 95%" (of breakdowns), "at most 2% bad" (among what is used), "cost use-bad=10 review=1 reject-good=4".
The first two come with a promise that holds for finite samples; the rule's card says what was promised and, where the
outcomes have a test part, what was kept. apply warns when scores no longer lie as they did."""
FORMATS = ("table", "tsv", "jsonl", "csv", "json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this verb."""
    from assay.cli.options import add_metrics, add_output, add_texts, natural

    parser.add_argument("action", choices=["fit", "apply"], help="what to do")
    add_metrics(parser)
    add_texts(parser)
    parser.add_argument(
        "--goal", metavar="GOAL", default="catch 95%", help="fit: what to achieve (default: catch 95%%)"
    )
    parser.add_argument("--confidence", type=float, default=0.9, metavar="P", help="fit: of 'at most …' (default: 0.9)")
    parser.add_argument(
        "--reject-at",
        type=float,
        default=0.5,
        metavar="P",
        help="fit: reject from this breakdown probability on (default: 0.5)",
    )
    parser.add_argument("--score", action="append", default=[], metavar="COLUMN", help="fit: ready scores in --data")
    parser.add_argument("--langs", metavar="xx,yy", help="fit: these languages only")
    parser.add_argument("--dev-share", type=float, metavar="SHARE", help="fit: learn from this share, test on the rest")
    parser.add_argument("--seed", type=natural, default=12345, metavar="N", help="fit: seed (default: 12345)")
    parser.add_argument("--rule", metavar="FILE", help="apply: the rule")
    parser.add_argument("--lang", metavar="xx", default="", help="apply: the language translated from")
    add_output(parser, FORMATS)


def run(args: argparse.Namespace) -> int:
    """Fit or apply."""
    return {"fit": _fit, "apply": _apply}[args.action](args)


def _fit(args: argparse.Namespace) -> int:
    from assay.api.decide import fit_rule
    from assay.cli.options import column_map
    from assay.cli.output import emit, note
    from assay.core.errors import InputError

    if not args.data or args.mt or args.rule:
        raise InputError("assay decide fit learns from a table of outcomes: --data outcomes.tsv.")
    fitted = fit_rule(
        args.data,
        args.metrics if args.metrics is not None else ([] if args.score else ["chrf"]),
        args.goal,
        scores=args.score,
        columns=column_map(args.columns),
        langs=[language.strip() for language in (args.langs or "").split(",") if language.strip()],
        dev_share=args.dev_share,
        confidence=args.confidence,
        reject_at=args.reject_at,
        seed=args.seed,
        workers=args.workers,
    )
    if args.out:
        fitted.write(args.out)
    emit([fitted.table()], argparse.Namespace(**{**vars(args), "out": None}))
    kept = (
        f"wrote {args.out} · assay decide apply --rule {args.out} --mt …"
        if args.out
        else "not kept: --out rule.json keeps it"
    )
    note(kept, args.quiet)
    return 0


def _apply(args: argparse.Namespace) -> int:
    from dataclasses import replace

    from assay.api.decide import checked, read_rule, rule_metrics
    from assay.cli.inputs import open_inputs
    from assay.cli.output import emit, note
    from assay.cli.progress import Progress
    from assay.core.errors import InputError

    if not args.rule:
        raise InputError("assay decide apply needs a rule: --rule rule.json (assay decide fit makes one).")
    if args.metrics:
        raise InputError("the rule says which metrics to use: leave out -m.")
    if args.mt and len(args.mt) > 1:
        raise InputError("assay decide apply labels one system at a time: give one --mt.")
    rule = read_rule(args.rule)
    metrics = rule_metrics(rule)
    inputs = open_inputs(args, metrics)
    progress = Progress("labelling", inputs.rows, quiet=args.quiet)
    parts: list[Decisions] = []
    with _rows_out(args) as write_rows:
        for part in _labelled(rule, metrics, inputs.chunks, args, progress):
            write_rows(part)
            # What was written need not be kept; the drift check and the counts need no reasons.
            parts.append(part if args.format == "json" else replace(part, reasons=()))
        progress.close()
        if not parts:
            raise InputError(f"{inputs.paths[0]} is empty: there is nothing to label.")
    decided = checked(rule, _joined(parts))
    if args.format == "table":
        emit([decided.table()], args)
    else:
        for warning in decided.warnings:
            note(warning, args.quiet)
    if args.format == "json":
        _as_json(args, decided)
    return 0


@contextmanager
def _rows_out(args: argparse.Namespace) -> Iterator[Callable[[Decisions], None]]:
    """A function that writes decisions as rows while they come; a file appears only when whole."""
    from assay.api.decide import frame

    if args.format in ("table", "json"):
        yield lambda part: None
        return
    from assay.io.atomic import atomic_write

    written = 0
    with atomic_write(args.out, "w") if args.out and args.out != "-" else nullcontext(sys.stdout) as stream:

        def write_rows(part: Decisions) -> None:
            nonlocal written
            rows = frame(part, written + 1)
            separator = "\t" if args.format == "tsv" else ","
            stream.write(
                rows.write_ndjson()
                if args.format == "jsonl"
                else rows.write_csv(separator=separator, include_header=written == 0, float_precision=4)
            )
            written += len(part)

        yield write_rows


def _as_json(args: argparse.Namespace, decided: Decided) -> None:
    import json

    from assay.cli.output import write
    from assay.report.data import plain

    whole = {"goal": decided.rule.goal, "counts": decided.decisions.shares(), "warnings": decided.warnings}
    rows = decided.to_polars().to_dicts()
    write(json.dumps(plain({**whole, "segments": rows}), ensure_ascii=False, indent=1) + "\n", args.out)


def _labelled(
    rule: Rule, metrics: dict[str, Metric], chunks: Iterator[Batch], args: argparse.Namespace, progress: Any
) -> Iterator[Decisions]:
    from assay.api.decide import label
    from assay.api.scoring import default_store

    store = default_store() if any(metric.card.stored for metric in metrics.values()) else None
    for batch in chunks:
        languages: Any = batch.langpairs if batch.langpairs is not None and not args.lang else args.lang
        yield label(rule, metrics, batch, languages, workers=args.workers, store=store)
        progress.add(len(batch))


def _joined(parts: list[Decisions]) -> Decisions:
    import numpy as np

    from assay.decide.apply import Decisions

    return Decisions(
        np.concatenate([part.codes for part in parts]),
        np.concatenate([part.probabilities for part in parts]),
        np.concatenate([part.qualities for part in parts]),
        [name for part in parts for name in part.groups],
        [reason for part in parts for reason in part.reasons],
    )
