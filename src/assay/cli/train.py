"""``assay train``: a learned metric trained on human judgements."""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING

from assay.cli.options import add_quiet
from assay.cli.output import Output, note, write
from assay.cli.parser import Help, Parser
from assay.cli.progress import Progress
from assay.core.errors import InputError
from assay.verbs.train import example, preview, train

if TYPE_CHECKING:
    from assay.verbs.train import Evaluation, PhaseConfig

HELP = Help("""Train a metric with error spans on human judgements, with the recipe of xCOMET or of assay-mini.

    assay train --example trial
    assay train trial/train.yaml

    more examples:
      assay train config.yaml --dry-run
      assay train config.yaml --resume
      assay train --example trial --architecture mini && assay train trial/mini.yaml

    Training data that appear in DEMETR, ACES, WMT22, WMT23 or the hallucination benchmark are rejected and counted. A
    resumed run gives the same result as an uninterrupted one. docs/train_mini.md describes the recipe of assay-mini.
""")


def add_arguments(parser: Parser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument("config", nargs="?", metavar="CONFIG", help="configuration in YAML (docs/train.md)")
    parser.add_argument(
        "--resume", action="store_true", help="resume the run in the output folder of the configuration"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="read and count the data of every phase without training"
    )
    parser.add_argument(
        "--example", metavar="DIR", help="write an example configuration with toy data (trains in 30 seconds)"
    )
    parser.add_argument(
        "--architecture", choices=["xcomet", "mini"], default="xcomet", help="recipe of the example (default: xcomet)"
    )
    parser.add_argument(
        "--minutes", type=float, metavar="N", help="stop after N minutes; --resume continues (architecture mini)"
    )
    add_quiet(parser)


def run(args: argparse.Namespace) -> int:
    """Train, or show the data of a dry run."""
    output = Output.of(args)
    if args.example:
        path = example(args.example, args.architecture)
        write(f"wrote {path} and {path.parent / 'toy.jsonl'}. Try: assay train {path}\n", None)
        if not args.config:
            return 0
    if not args.config:
        raise InputError(
            "assay train requires a configuration. Try: assay train --example trial && assay train trial/train.yaml"
        )
    if args.dry_run:
        data = preview(args.config)
        for text in data.notes:
            output.note(text)
        output.emit([data.table()])
    else:
        _train(output, args.config, args.resume, args.minutes)
    return 0


def _train(output: Output, config: str, resume: bool, minutes: float | None) -> None:
    display = Display(output.quiet)
    try:
        trained = train(config, resume=resume, minutes=minutes, listener=display)
    finally:
        display.close()
    if "search" in trained.tables:
        output.emit([trained.tables["search"]])
    if trained.finished:
        output.note(f"trained: assay score -m {trained.metric} --src … --mt … --ref …")
    else:
        output.note(f"the time limit was reached in {trained.table().rows[0]['stage']}. Use --resume to continue.")


class Display:
    """Listener that prints notes and a progress line with the loss and the last validation."""

    def __init__(self, quiet: bool) -> None:
        self.quiet, self.name, self.validation = quiet, "", ""
        self.loss: float | None = None
        self.line = Progress("training", quiet=quiet)

    def close(self) -> None:
        """Clear the line."""
        self.line.close()

    def note(self, text: str) -> None:
        """Print a note above the line."""
        self.line.close()
        note(text, self.quiet)

    def phase(self, config: PhaseConfig, records: int, first: int, steps: int) -> None:
        """Show the start of a phase, or its resumption at step `first`."""
        self.note(
            f"{config.name}: {records:,} records, {steps:,} steps" + (f", from step {first + 1:,} on" if first else "")
        )
        self.name, self.validation, self.loss = config.name, "", None
        self.line = Progress(config.name, steps, quiet=self.quiet)
        self.line.add(first, reused=True)

    def step(self, number: int, loss: float) -> None:
        """Show a finished step, with a moving average of the loss."""
        self.loss = loss if self.loss is None else 0.95 * self.loss + 0.05 * loss
        self.line.what = f"{self.name} · loss {self.loss:.4f}{self.validation}"
        self.line.add(1)

    def stage_step(self, what: str, number: int, steps: int, loss: float) -> None:
        """Show that `number` of the `steps` of a stage are finished."""
        if self.name != what.partition(" ")[0] or number < self.line.done:
            self.line.close()
            self.name, self.line = what.partition(" ")[0], Progress(what, steps, quiet=self.quiet)
        self.line.what = what if math.isnan(loss) else f"{what} · loss {loss:.4f}"
        self.line.add(number - self.line.done)

    def evaluated(self, config: PhaseConfig, number: int, evaluation: Evaluation) -> None:
        """Show the validation after step `number`."""
        parts = [("Kendall", evaluation.kendall), ("Pearson", evaluation.pearson), ("span F1", evaluation.span_f1)]
        text = " · ".join(f"{name} {value:.3f}" for name, value in parts if not math.isnan(value))
        self.validation = f" · {text}" if text else ""
        loss = "" if self.loss is None else f"loss {self.loss:.4f} · "
        self.note(
            f"{config.name}, step {number:,}: {loss}validation: {text or 'no correlation'} (n = {evaluation.n:,})"
        )
