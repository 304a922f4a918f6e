"""``assay score``: corpus and segment scores of one or more systems."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.analyses.comparison import Standings
    from assay.cli.running import Finished

SUMMARY = "Score translations with one or more metrics, corpus and segment level."
EXAMPLES = """examples:
  assay score -m chrf -m bleu -m ter --data demo
  assay score -m chrf -m bleu --mt ours.de --ref ref.de
  assay score -m bleu:tokenize=zh --data outputs.tsv --format jsonl --out scores.jsonl
  assay score -m xcomet-xl --src src.en --mt ours.de --spans

JSON has the form {"systems": {SYSTEM: {METRIC: {"score": x, "signature": "...", "segments": [...]}}}};
jsonl, tsv and parquet have one row a segment. A run that was stopped goes on where it stood when the same
command is given again."""
FORMATS = ("table", "json", "jsonl", "tsv", "parquet", "csv", "md", "latex", "html")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this verb."""
    from assay.cli.options import add_metrics, add_output, add_texts, natural, positive

    add_metrics(parser)
    add_texts(parser)
    add_output(parser, FORMATS)
    parser.add_argument("--ci", action="store_true", help="95%% bootstrap intervals beside the scores")
    parser.add_argument(
        "--samples", type=positive, default=1000, metavar="N", help="bootstrap resamples (default: 1000)"
    )
    parser.add_argument(
        "--seed", type=natural, default=12345, metavar="N", help="seed of the resampling (default: 12345)"
    )
    parser.add_argument("--signatures", action="store_true", help="show every metric's signature")
    parser.add_argument("--spans", action="store_true", help="show each translation with the errors found in it")


def run(args: argparse.Namespace) -> int:
    """Score, then write in the wanted format."""
    if args.spans:
        from assay.cli import spans

        return spans.run(args)
    from assay.analyses import comparison
    from assay.cli.running import run_metrics

    with run_metrics(args, keep_stats=args.ci) as finished:
        result = finished.result
        if args.ci:
            stats = {s: {m: result.stats(s, m) for m in result.metrics} for s in result.systems}
            standings = comparison.compare(stats, result.metrics, samples=args.samples, seed=args.seed, paired=False)
        else:
            standings = comparison.plain(result.totals, result.metrics)
        _write(args, finished, standings)
    return 0


def _write(args: argparse.Namespace, finished: Finished, standings: Standings) -> None:
    if args.format in ("json", "jsonl", "tsv", "parquet"):
        _write_segments(args, finished, standings)
    else:
        from assay.analyses import comparison
        from assay.cli.output import emit
        from assay.results import flag_notes

        notes = finished.notes(args)
        if args.ci:
            notes[0] += f" · 95% bootstrap, n={args.samples}, seed {args.seed}"
        notes += flag_notes(finished.result.flags)
        notes += finished.signature_notes(args)
        emit([comparison.table(standings, finished.result.metrics, notes=notes)], args)


def _write_segments(args: argparse.Namespace, finished: Finished, standings: Standings) -> None:
    from assay.io.files.atomic import atomic_write
    from assay.report import scores

    result = finished.result

    def to(stream: Any) -> None:
        if args.format == "json":
            known = {
                system: {
                    metric: {"score": s.score, "low": s.low, "high": s.high, "signature": finished.signatures[metric]}
                    for metric, s in row.items()
                }
                for system, row in standings.items()
            }
            scores.as_json(result, known, stream.write)
        elif args.format == "jsonl":
            scores.as_jsonl(result, result.metrics, stream.write)
        elif args.format == "tsv":
            scores.as_tsv(result, result.metrics, stream.write)
        else:
            scores.as_parquet(result, result.metrics, stream)

    if args.out and args.out != "-":
        with atomic_write(args.out, "wb" if args.format == "parquet" else "w") as stream:
            to(stream)
    else:
        to(sys.stdout.buffer if args.format == "parquet" else sys.stdout)
        sys.stdout.flush()
