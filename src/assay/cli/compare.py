"""``assay compare``: systems beside each other, with intervals and significance."""

from __future__ import annotations

import argparse

SUMMARY = "Compare two or more systems: scores, 95% bootstrap intervals, and paired tests against the first system."
EXAMPLES = """examples:
  assay compare --data demo
  assay compare -m chrf,bleu,ter --mt Online=online.de Ours=ours.de --ref ref.de
  assay compare -m chrf --data outputs.tsv --baseline online --format json

The first system is the baseline unless --baseline names another. The same seed gives sacrebleu's p-values."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this verb."""
    from assay.cli.options import add_components, add_metrics, add_output, add_texts, natural, positive
    from assay.cli.texts import add_looks, add_run_dir
    from assay.report import FORMATS

    add_metrics(parser)
    add_texts(parser, bare=True)
    add_output(parser, FORMATS)
    parser.add_argument("--baseline", metavar="SYSTEM", help="the system to test against (default: the first)")
    parser.add_argument(
        "--samples", type=positive, default=1000, metavar="N", help="bootstrap resamples (default: 1000)"
    )
    parser.add_argument(
        "--trials", type=natural, default=10_000, metavar="N", help="randomization trials, 0 for none (default: 10000)"
    )
    parser.add_argument("--seed", type=natural, default=12345, metavar="N", help="seed of the tests (default: 12345)")
    add_run_dir(parser)
    add_looks(parser)
    add_components(parser)


def run(args: argparse.Namespace) -> int:
    """Score every system, then test."""
    import time

    from assay.cli.output import Output
    from assay.cli.texts import chosen_components, finish, keep_run, looked, rows_progress, text_request
    from assay.verbs.compare import compare_request

    output, asked, started = Output.of(args), text_request(args), time.monotonic()
    with rows_progress(asked, args.quiet) as progress:
        result = compare_request(
            asked, baseline=args.baseline, samples=args.samples, trials=args.trials, seed=args.seed,
            workers=args.workers, progress=progress.add,
        )  # fmt: skip
    with result:
        if args.format == "json":
            output.emit_json(result.to_dict())
        else:
            output.emit([looked(result.table(), result.signatures, args, output), *chosen_components(result, args)])
        keep_run(result, args, output, started)
    finish(result, output)
    return 0
