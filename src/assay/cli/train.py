"""``assay train``: a learned metric from judged translations."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.models.training.config import PhaseConfig, TrainConfig
    from assay.models.training.trainer import Listener
    from assay.models.training.watching import Look

SUMMARY = "Train a learned metric with error spans on judged translations (the curriculum of xCOMET)."
EXAMPLES = """examples:
  assay train --example trial                # writes trial/train.yaml and toy data
  assay train trial/train.yaml               # about half a minute; then: assay score -m trial/run/model …
  assay train config.yaml --dry-run          # read, guard and count the data, train nothing
  assay train config.yaml --resume           # go on after a kill, with the same result

Texts that stand in DEMETR, ACES, WMT22, WMT23 or the hallucination benchmark are refused and counted."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this verb."""
    parser.add_argument("config", nargs="?", metavar="CONFIG", help="a YAML file (docs/train.md)")
    parser.add_argument("--resume", action="store_true", help="go on with the run in the configuration's output folder")
    parser.add_argument("--dry-run", action="store_true", help="read and count the data of every phase, train nothing")
    parser.add_argument("--example", metavar="DIR", help="write a configuration and toy data to try it with")
    parser.add_argument("--quiet", action="store_true", help="no progress, no notes")
    parser.add_argument("--debug", action="store_true", help=argparse.SUPPRESS)


def run(args: argparse.Namespace) -> int:
    """Train, or say what would be trained."""
    from assay.cli.output import note, write
    from assay.core.errors import InputError

    if args.example:
        from assay.models.training.toy import write_example

        path = write_example(Path(args.example))
        write(f"wrote {path} and {path.parent / 'toy.jsonl'}. Try: assay train {path}\n", None)
        if not args.config:
            return 0
    if not args.config:
        raise InputError("no configuration was given. Try: assay train --example trial && assay train trial/train.yaml")
    from assay.models.training.config import load_config

    config = load_config(Path(args.config))
    if args.dry_run:
        return _dry_run(config, args)
    _need_torch()
    from assay.models.training.trainer import Trainer

    display = Display(args.quiet)
    try:
        model = Trainer(config, resume=args.resume, listener=display.listener()).run()
    finally:
        display.close()
    note(f"trained: assay score -m {model} --src … --mt … --ref …", args.quiet)
    return 0


def _need_torch() -> None:
    from assay.core.errors import MissingPart

    try:
        import safetensors  # noqa: F401
        import tokenizers  # noqa: F401
        import torch  # noqa: F401
    except ImportError as error:
        raise MissingPart(
            f"training needs {error.name} of the extra 'neural': pip install 'mt-assay[neural]'"
        ) from error


def _dry_run(config: TrainConfig, args: argparse.Namespace) -> int:
    from assay.cli.output import emit, note
    from assay.core.table import Table, TableColumn
    from assay.models.training.data import load_held_out, load_phase

    rows = []
    for number, phase in enumerate(config.phases):
        loaded = load_phase(config, number)
        for sentence in loaded.notes:
            note(sentence, args.quiet)
        records = loaded.records
        rows.append(
            {
                "phase": phase.name,
                "records": len(records),
                "scores": sum(not math.isnan(record.score) for record in records),
                "spans": sum(record.spans is not None for record in records),
                "references": sum(bool(record.reference) for record in records),
                "held_out": len(load_held_out(config, number, loaded)),
                "lambda": phase.loss_lambda,
            }
        )
    counts = {
        "records": "",
        "scores": "with score",
        "spans": "with spans",
        "references": "with reference",
        "held_out": "held out",
    }
    columns = [TableColumn("phase"), *(TableColumn(key, label, "count") for key, label in counts.items())]
    table = Table(
        "training",
        [*columns, TableColumn("lambda", "λ", "number", 3)],
        rows,
        f"{config.name}: what would be trained on",
    )
    args.format, args.out = "table", None
    emit([table], args, title="assay train")
    return 0


class Display:
    """Notes and one line of progress, with the loss and the last look at the held-out records."""

    def __init__(self, quiet: bool) -> None:
        from assay.cli.progress import Progress

        self.quiet, self.name, self.seen = quiet, "", ""
        self.loss: float | None = None
        self.line = Progress("training", quiet=quiet)

    def listener(self) -> Listener:
        """What the trainer tells."""
        from assay.models.training.trainer import Listener

        return Listener(note=self.say, phase=self.phase, step=self.step, look=self.look)

    def close(self) -> None:
        """Wipe the line."""
        self.line.close()

    def say(self, sentence: str) -> None:
        """A remark above the line."""
        from assay.cli.output import note

        self.line.close()
        note(sentence, self.quiet)

    def phase(self, config: PhaseConfig, records: int, first: int, steps: int) -> None:
        """A phase begins, or goes on after a kill."""
        from assay.cli.progress import Progress

        self.say(
            f"{config.name}: {records:,} records, {steps:,} steps" + (f", from step {first + 1:,} on" if first else "")
        )
        self.name, self.seen, self.loss = config.name, "", None
        self.line = Progress(config.name, steps, quiet=self.quiet)
        self.line.add(first, reused=True)

    def step(self, number: int, loss: float) -> None:
        """A step is done; the loss shown is a moving average, since that of one batch jumps."""
        self.loss = loss if self.loss is None else 0.95 * self.loss + 0.05 * loss
        self.line.what = f"{self.name} · loss {self.loss:.4f}{self.seen}"
        self.line.add(1)

    def look(self, config: PhaseConfig, number: int, seen: Look) -> None:
        """The held-out records were scored."""
        parts = [("Kendall", seen.kendall), ("Pearson", seen.pearson), ("span F1", seen.span_f1)]
        text = " · ".join(f"{name} {value:.3f}" for name, value in parts if not math.isnan(value))
        self.seen = f" · {text}" if text else ""
        loss = "" if self.loss is None else f"loss {self.loss:.4f} · "
        self.say(f"{config.name}, step {number:,}: {loss}held out: {text or 'nothing to compare'} (n = {seen.n:,})")
