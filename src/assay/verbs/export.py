"""``assay run --export``: texts of a suite with ids, for third-party metrics whose score files `run` reads."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Unpack

from assay.core.columns import polars_frame
from assay.core.errors import InputError, listing
from assay.core.item import Item
from assay.core.judged import Judged
from assay.core.suite import Suite
from assay.core.table import Table, TableColumn
from assay.io.files.atomic import atomic_write
from assay.report.data import as_csv, rows
from assay.verbs.result import Result
from assay.verbs.shared.options import SuiteInputs
from assay.verbs.shared.suites import choose, load_suite

ENDINGS = (".tsv", ".csv", ".jsonl", ".parquet")
ITEM = ("id", "source", "reference", "good", "incorrect", "phenomenon", "category", "severity", "langpair")


@dataclass(repr=False)
class Exported(Result):
    """Texts of a suite: one row per item (good and incorrect) or per judged segment (hypothesis)."""

    suite: str
    path: Path | None = None

    verb: ClassVar[str] = "export"
    headline: ClassVar[str] = "items"

    def __len__(self) -> int:
        return len(self.table().rows)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the texts; the suffix selects the format (.tsv, .csv, .jsonl, .parquet)."""
        self.path = Path(path)
        ending = self.path.suffix
        if ending not in ENDINGS:
            raise InputError(f"{path}: the suffix must be one of {listing(ENDINGS)}.")
        if ending == ".parquet":
            frame = polars_frame(self.columns(), f"{path}: Parquet")
            with atomic_write(self.path, "wb", typed=True) as stream:
                frame.write_parquet(stream)
            return self.path
        import json

        table = self.table()
        text = (
            "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows(table))
            if ending == ".jsonl"
            else as_csv([table], "\t" if ending == ".tsv" else ",")
        )
        with atomic_write(self.path, "w", typed=True) as stream:
            stream.write(text)
        return self.path


def export(
    suite: str | Suite,
    path: str | os.PathLike[str] | None = None,
    *,
    subsample: int | None = None,
    seed: int = 12345,
    **inputs: Unpack[SuiteInputs],
) -> Exported:
    """Export a suite's texts with the ids that `run` expects in score files; if `path` is specified, write them there.

    An item has ``good`` and ``incorrect``, a judged segment ``hypothesis``. The other arguments are the same as for `run`.
    """
    loaded, content = load_suite(suite, **inputs)
    content = choose(content, subsample, seed)
    rows = _segments(content) if isinstance(content, Judged) else _items(content)
    keys = [key for key in rows[0] if any(row[key] for row in rows)] if rows else []
    table = Table(
        "items",
        [TableColumn(key) for key in keys],
        [{key: row[key] for key in keys} for row in rows],
        loaded.card.title,
    )
    exported = Exported({"items": table}, loaded.card.name, notes=[*loaded.notes, *loaded.problems])
    if path is not None:
        exported.save(path)
    return exported


def _items(items: Sequence[Item]) -> list[dict[str, Any]]:
    return [{key: getattr(item, key) for key in ITEM} for item in items]


def _segments(judged: Judged) -> list[dict[str, Any]]:
    batch = judged.batch
    return [
        {
            "id": batch.ids[i] if batch.ids else str(i + 1),
            "source": batch.sources[i] if batch.sources else None,
            "reference": batch.references[0][i] if batch.references else None,
            "hypothesis": batch.hypotheses[i],
            "langpair": batch.langpairs[i] if batch.langpairs else None,
            "system": batch.systems[i] if batch.systems else None,
        }
        for i in range(len(batch))
    ]
