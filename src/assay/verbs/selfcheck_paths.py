"""Code paths on which ``assay selfcheck`` scores the same texts, and the deviations between them.

Segment scores, components, flags and the corpus score are compared.
"""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

import assay
from assay.core.batch import Batch, apply_empty_reference
from assay.core.context import cores
from assay.core.errors import InputError
from assay.core.metric import Metric, Scores, statistics
from assay.core.spec import parse
from assay.core.sums import exact_sum
from assay.metrics import is_path

if TYPE_CHECKING:
    from assay.core.metric import Floats
    from assay.engine.arguments import References

Columns = Mapping[str, "Floats"]
"""Everything that a metric returned, as numbers by name; the corpus score is a column of one number."""
SIZES = (1, 7)
"""Numbers of segments that are scored at a time, besides all of them."""
WORKERS = (2, 4)


def data(name: str) -> Any:
    """Return the content of one of the self-check's JSON files."""
    return json.loads((files("assay") / "data" / f"selfcheck_{name}.json").read_text(encoding="utf-8"))


def batch_of(texts: Sequence[Mapping[str, Any]], references: int = 2) -> Batch:
    """Return the texts with their sources and the requested number of references."""
    return Batch(
        [text["mt"] for text in texts],
        sources=[text["src"] for text in texts],
        references=tuple([text[key] for text in texts] for key in ("ref", "ref2")[:references]),
        langpairs=[text["langpair"] for text in texts],
    )


def columns(metric: Metric, scores: Scores, corpus: float | None = None) -> dict[str, Floats]:
    """Return all numbers in `scores`, with the specified corpus score or the one computed from them."""
    if corpus is None:
        corpus = float(metric.combine(exact_sum(statistics(scores))))
    return {
        "values": scores.values,
        **{f"component {name}": column for name, column in scores.components.items()},
        **{f"flag {name}": column.astype(np.float64) for name, column in scores.flags.items()},
        "corpus": np.array([corpus]),
    }


def drift(one: Columns, other: Columns) -> float:
    """Return the largest difference between columns with the same name; infinite if only one side has a number.

    A flag that is never raised may be missing.
    """
    return max((_furthest(one.get(name), other.get(name)) for name in {**one, **other}), default=0.0)


def _furthest(one: Floats | None, other: Floats | None) -> float:
    if one is None or other is None:
        return float("inf") if np.any(one if one is not None else other) else 0.0
    if one.shape != other.shape or (np.isnan(one) != np.isnan(other)).any():
        return float("inf")
    return float(np.max(np.abs(one - other), initial=0.0, where=~np.isnan(one)))


class Ways:
    """Code paths of one metric: each method returns the deviation from scoring all texts at once."""

    def __init__(self, metric: Metric, batch: Batch) -> None:
        self.metric, self.batch = metric, batch
        self.scores = metric.score(batch)
        self.whole = columns(metric, self.scores)

    def command_line(self, printed: Columns) -> float:
        """Return the deviation of the command line's output for a table, where an empty reference counts as missing."""
        references = apply_empty_reference(self.batch.references or (), "score", str)
        tabled = columns(self.metric, self.metric.score(replace(self.batch, references=references)))
        return drift({key: tabled[key] for key in printed}, printed)

    def order(self) -> float:
        """Score the segments in reverse and in random order."""
        shuffled = np.random.default_rng(1).permutation(len(self.batch))
        return max(self._in_order(rows) for rows in (shuffled, np.arange(len(self.batch))[::-1]))

    def _in_order(self, rows: Any) -> float:
        scores = self.metric.score(self.batch.select(rows.tolist()))
        return drift(columns(self.metric, self.scores.take(rows)), columns(self.metric, scores))

    def batch_size(self) -> float:
        """Score one segment at a time, and seven at a time."""
        return max(
            self._drift(
                Scores.concat(
                    [self.metric.score(self.batch.slice(at, at + size)) for at in range(0, len(self.batch), size)]
                )
            )
            for size in SIZES
        )

    def workers(self) -> float | None:
        """Score every translation with every reference, with one thread and with several.

        An integer model distributes the texts itself; other models use only their device.
        """
        from assay.engine.scoring import score

        if self.metric.card.tolerance:
            return None
        pairs = self.batch if self.metric.card.neural else crossed(self.batch)
        alone = columns(self.metric, score(pairs, self.metric, workers=1))
        counts = {*WORKERS, cores()}
        return max(drift(alone, columns(self.metric, score(pairs, self.metric, workers=n))) for n in counts)

    def python(self) -> float:
        """Score lists with `assay.score`; lists have no language pair per row."""
        references = cast("References", self.batch.references)  # None if a row lacks one, as in a table
        result = assay.score(
            self.batch.hypotheses, references, sources=self.batch.sources, metrics=[self.metric], store=False
        )
        (scores,) = result.scores.values()
        (corpus,) = result.system.values()
        whole = columns(self.metric, self.metric.score(replace(self.batch, langpairs=None)))
        return drift(whole, columns(self.metric, scores, corpus))

    def precision(self) -> float | None:
        """Score in another precision: fp32, or bf16 if fp32 is the default; int16 for int8, and vice versa."""
        if not self.metric.card.neural or "precision" not in _options(self.metric):
            return None
        other = {"fp32": "bf16", "int8": "int16", "int16": "int8"}.get(self.metric.signature.precision or "", "fp32")
        return self._drift(remade(self.metric, precision=other).score(self.batch))

    def device(self) -> float | None:
        """Score on the GPU and on the CPU, both in fp32."""
        if not self.metric.card.neural or not {"device", "precision"} <= _options(self.metric).keys() or not _gpu():
            return None
        on_gpu = remade(self.metric, device="cuda", precision="fp32")
        on_cpu = remade(self.metric, device="cpu", precision="fp32")
        return drift(columns(on_gpu, on_gpu.score(self.batch)), columns(on_cpu, on_cpu.score(self.batch)))

    def _drift(self, scores: Scores, corpus: float | None = None) -> float:
        return drift(self.whole, columns(self.metric, scores, corpus))


def crossed(batch: Batch) -> Batch:
    """Combine every hypothesis with every row's source and references: this gives enough distinct requests for several threads."""
    n = len(batch)
    rights = batch.select([j for _ in range(n) for j in range(n)])
    return Batch(
        [text for text in batch.hypotheses for _ in range(n)],
        sources=rights.sources,
        references=rights.references,
        langpairs=rights.langpairs,
    )


def _gpu() -> bool:
    try:
        import torch
    except ImportError:
        return False
    return bool(torch.cuda.is_available())


def _options(metric: Metric) -> dict[str, Any]:
    """Return the constructor's arguments that the metric stores under the same names."""
    names = inspect.signature(type(metric)).parameters
    return {name: getattr(metric, name) for name in names if hasattr(metric, name)}


def remade(metric: Metric, **changes: Any) -> Metric:
    """Return the same metric with other options."""
    return type(metric)(**{**_options(metric), **changes})


def by_command_line(wanted: Mapping[str, Metric], texts: Iterable[Mapping[str, Any]]) -> dict[str, Columns]:
    """Return the output of ``python -m assay score`` for the texts, by spec: segment scores and the corpus score.

    The command uses a separate cache folder, so no score comes from the store.
    """
    specs = {spec: _complete(spec, metric) for spec, metric in wanted.items()}
    with tempfile.TemporaryDirectory(prefix="assay-selfcheck-") as folder:
        table = Path(folder) / "texts.jsonl"
        keys = ("src", "mt", "ref", "ref2", "langpair")
        table.write_text("".join(json.dumps({key: text[key] for key in keys}) + "\n" for text in texts))
        metrics = [part for spec in specs.values() for part in ("-m", spec)]
        command = [
            sys.executable,
            "-m",
            "assay",
            "score",
            "--data",
            str(table),
            "--empty-reference",
            "score",
            "--format",
            "json",
            "--quiet",
            *metrics,
        ]
        done = subprocess.run(
            command,
            env={**os.environ, "ASSAY_CACHE_DIR": str(Path(folder) / "cache")},
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
    if done.returncode:
        raise InputError(
            f"the command line failed on texts that Python can score: {done.stderr.strip().removeprefix('assay: ')}"
        )
    (printed,) = json.loads(done.stdout)["systems"].values()
    return {spec: _from_json(printed[complete]) for spec, complete in specs.items()}


def _complete(spec: str, metric: Metric) -> str:
    """Add the checkpoint folder to the spec, because the command does not use this process's cache folder.

    A metric that depends on the target language is used as if no language were known.
    """
    name, given = parse(spec)
    if metric.by_language:
        fixed = {
            key: value for key, value in _options(metric.for_language("")).items() if value != _options(metric)[key]
        }
        return f"{name}:" + ",".join(f"{key}={value}" for key, value in (given | fixed).items())
    path = getattr(metric, "path", None)
    if is_path(name) or not metric.card.neural or path is None or "path" in given:
        return spec
    return f"{name}:" + ",".join(f"{key}={value}" for key, value in (given | {"path": str(path)}).items())


def _from_json(entry: Mapping[str, Any]) -> Columns:
    values = [np.nan if value is None else value for value in entry["segments"]]
    score = np.nan if entry["score"] is None else entry["score"]
    return {"values": np.array(values, np.float64), "corpus": np.array([score], np.float64)}


def from_vector(metric: Metric, batch: Batch, numbers: Mapping[str, Any]) -> float:
    """Return the deviation from a reference tool's segment and corpus scores; missing scores are not compared."""
    scores = metric.score(batch)
    values, corpus = scores.values.copy(), columns(metric, scores)["corpus"]
    expected = np.array([np.nan if value is None else value for value in numbers["segments"]])
    values[np.isnan(expected)] = np.nan
    known = {} if numbers["corpus"] is None else {"corpus": np.array([numbers["corpus"]])}
    return drift({"values": values, **dict.fromkeys(known, corpus)}, {"values": expected, **known})
