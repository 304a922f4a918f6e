"""``assay compare``: systems beside each other, with intervals and significance."""

from __future__ import annotations

import argparse

SUMMARY = "Compare two or more systems: scores, 95% bootstrap intervals, and paired tests against the first system."
EXAMPLES = """examples:
  assay compare -m chrf -m bleu -m ter --data demo
  assay compare -m chrf -m bleu -m ter --mt online.de --mt ours.de --ref ref.de
  assay compare -m chrf --data outputs.tsv --baseline online --format json

The first system is the baseline unless --baseline names another. The same seed gives sacrebleu's p-values."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this verb."""
    from assay.cli.options import add_metrics, add_output, add_texts, natural, positive
    from assay.report import FORMATS

    add_metrics(parser)
    add_texts(parser)
    add_output(parser, FORMATS)
    parser.add_argument("--baseline", metavar="SYSTEM", help="the system to test against (default: the first)")
    parser.add_argument(
        "--samples", type=positive, default=1000, metavar="N", help="bootstrap resamples (default: 1000)"
    )
    parser.add_argument(
        "--trials", type=natural, default=10_000, metavar="N", help="randomization trials, 0 for none (default: 10000)"
    )
    parser.add_argument("--seed", type=natural, default=12345, metavar="N", help="seed of the tests (default: 12345)")
    parser.add_argument("--signatures", action="store_true", help="show every metric's signature")


def run(args: argparse.Namespace) -> int:
    """Score every system, then test."""
    import json
    from dataclasses import replace

    from assay.analyses import comparison
    from assay.api import scoring as api
    from assay.cli.output import emit, write
    from assay.cli.running import run_metrics
    from assay.core.errors import InputError, unknown
    from assay.report.data import plain
    from assay.results import Comparison

    with run_metrics(args, keep_stats=True) as finished:
        result = finished.result
        systems = list(result.systems)
        if args.baseline is not None:
            if args.baseline not in systems:
                raise unknown("system", args.baseline, systems)
            systems.sort(key=lambda system: system != args.baseline)
        if len(systems) < 2:
            raise InputError("compare needs two systems or more: repeat --mt, or give --data with a system column.")
        if len(set(result.segments.values())) > 1:
            counts = ", ".join(f"{system} {n:,}" for system, n in result.segments.items())
            raise InputError(
                f"the systems have different numbers of segments ({counts}): a paired test needs the same."
            )
        stats = {s: {m: result.stats(s, m) for m in result.metrics} for s in systems}
        standings = comparison.compare(stats, result.metrics, samples=args.samples, trials=args.trials, seed=args.seed)
        whole = Comparison(
            standings,
            result.metrics,
            finished.signatures,
            result.segments[systems[0]],
            api.settings(args.samples, args.trials, args.seed),
            result.flags,
        )
        if args.format == "json":
            write(json.dumps(plain(whole.to_dict()), ensure_ascii=False, indent=1) + "\n", args.out)
        else:
            table = whole.table()
            emit([replace(table, notes=(*table.notes, *finished.signature_notes(args)))], args)
    return 0
