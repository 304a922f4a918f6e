"""Running metrics over the inputs of a command: spool, progress, interruption and manifest in one place."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assay.core.errors import InputError, Interrupted

if TYPE_CHECKING:
    from assay.core.batch import Batch
    from assay.core.metric import Metric
    from assay.engine.run import Keep, RunResult
    from assay.engine.spool import Spool


@dataclass
class Finished:
    """A run that is through, with what is printed beside its numbers."""

    result: RunResult
    signatures: dict[str, str]

    def notes(self, args: argparse.Namespace) -> list[str]:
        """The line under a table: how many segments."""
        counts = sorted(set(self.result.segments.values()))
        return [" to ".join(f"{n:,}" for n in (counts if len(counts) < 2 else (counts[0], counts[-1]))) + " segments"]

    def signature_notes(self, args: argparse.Namespace) -> list[str]:
        """The signatures, all of them when asked for or when the table goes into a document."""
        if args.quiet:
            return []
        lines = list(self.signatures.values())
        if args.signatures or args.format != "table" or len(lines) == 1:
            return lines
        return [f"{lines[0]}     (--signatures shows all)"]


@contextmanager
def run_metrics(
    args: argparse.Namespace,
    *,
    keep_stats: bool = False,
    metrics: Mapping[str, Metric] | None = None,
    keep: Keep | None = None,
    kept: str = "",
    beside: str | None = None,
) -> Iterator[Finished]:
    """Score the inputs; the spool is removed when the block that writes the results ends well.

    `metrics` stand in for those of the arguments. `keep` makes more arrays to keep of every chunk and `kept` says which, so
    that runs that keep different things are told apart. `beside` is one more file that the results come from.
    """
    from assay.api import scoring as api
    from assay.cli.inputs import open_inputs
    from assay.cli.output import note
    from assay.cli.progress import Progress
    from assay.engine.manifest import InputFile, Manifest, now
    from assay.engine.run import score_stream
    from assay.engine.spool import Spool
    from assay.io.files.paths import spool_dir

    metrics = metrics or api.build_metrics(args.metrics or ())
    inputs = open_inputs(args, metrics)
    nrefs = 0
    spools: list[Spool] = []

    def open_spool() -> Spool:
        key = [
            *(f"{name} {metric.signature}" for name, metric in metrics.items()),
            f"stats:{keep_stats}",
            f"langpair:{args.langpair}",
            *([f"keep:{kept}"] if keep else []),
        ]
        key += [os.path.abspath(path) if path != "-" else "-" for path in inputs.paths]
        spools.append(Spool.open("\n".join(key), spool_dir()))
        if spools[0].notice:
            note(f"⚠ {spools[0].notice}", args.quiet)
        return spools[0]

    def counted() -> Iterator[Batch]:
        nonlocal nrefs
        for batch in inputs.chunks:
            nrefs = max(nrefs, batch.nrefs)
            yield batch

    progress = Progress("scoring", inputs.rows, quiet=args.quiet)
    started = now()
    store = api.default_store() if any(metric.card.stored for metric in metrics.values()) else None
    try:
        result = score_stream(
            counted(),
            metrics,
            open_spool=open_spool,
            workers=args.workers,
            store=store,
            keep_stats=keep_stats,
            keep=keep,
            progress=progress.add,
        )
        progress.close()
        if not result.systems:
            raise InputError(f"{inputs.paths[0]} is empty: there is nothing to score.")
        yield Finished(result, {name: api.signature(metric, nrefs) for name, metric in metrics.items()})
    except KeyboardInterrupt:
        progress.close()
        for spool in spools:
            spool.close()
        what_now = "nothing is lost. The same command goes on from there." if spools else "give the same command again."
        of = f" of about {inputs.rows:,}" if inputs.rows and inputs.rows > progress.done else ""
        raise Interrupted(f"stopped at {progress.done:,}{of} segments; {what_now}") from None
    finally:
        progress.close()
    for spool in spools:
        spool.finish()
    heard = [*(store.notices if store else ()), *(said for metric in metrics.values() for said in metric.notices)]
    for notice in heard:
        note(f"⚠ {notice}", args.quiet)
    if args.out and Path(args.out).is_file():
        files = [*inputs.paths, *([beside] if beside else [])]
        Manifest(
            command=f"assay {args.verb}",
            signatures={name: str(metric.signature) for name, metric in metrics.items()},
            inputs=tuple(InputFile.of(path) for path in files if Path(path).is_file()),
            counts=result.segments,
            data_hash=result.data_hash,
            chunks_reused=result.reused,
            chunks_scored=result.scored,
            started=started,
        ).finish().write(f"{args.out}.manifest.json")
