"""Row selection for a single input: ``keep``, ``dedup`` and ``sample``, as for a corpus in many files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.chunk import TEXTS, Chunk
from assay.core.errors import InputError, count, unknown
from assay.core.expression import parse
from assay.core.rows import InputRows
from assay.core.sums import exact_sum
from assay.corpus.row_selection import RATIO, allocate, length_ratios
from assay.engine.scored_run import ScoredRun
from assay.report.scores import RowStream
from assay.verbs.shared.options import check_rows

if TYPE_CHECKING:
    from assay.core.batch import Batch
    from assay.core.columns import Columns
    from assay.core.metric import Bools
    from assay.corpus.job import Duplicates
    from assay.verbs.shared.request import TextRequest


@dataclass(slots=True)
class Selection:
    """The rows to write; the fields are the same as in `assay.verbs.shared.options.RowChoice`."""

    keep: str | None = None
    dedup: Duplicates | None = None
    sample: int | None = None
    sample_by: str | None = None
    seed: int = 12345
    duplicates: int = field(default=0, init=False)
    """Rows that were left out as duplicates; complete when all rows have been read."""

    def __post_init__(self) -> None:
        check_rows(asdict(self))
        if self.keep:
            parse(self.keep)

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that a run must retain for the selection."""
        texts = TEXTS if self.keep and RATIO in self.keep else ()
        return (*(("rows",) if self.keep or self.sample_by else ()), *texts)

    def without_duplicates(self, asked: TextRequest) -> TextRequest:
        """Leave out rows of a request whose texts occurred before."""
        if self.dedup is not None:
            asked.inputs.chunks = self._first_rows(asked.inputs.chunks, self.dedup)
            asked.inputs.about += f" dedup={self.dedup}"
        return asked

    def _first_rows(self, chunks: Iterator[Batch], dedup: Duplicates) -> Iterator[Batch]:
        from assay.corpus.duplicates import row_digests

        seen: set[bytes] = set()
        for batch in chunks:
            rows = []
            for row, digest in enumerate(row_digests(dedup, batch)):
                if digest not in seen:
                    seen.add(digest)
                    rows.append(row)
            self.duplicates += len(batch) - len(rows)
            if rows:
                yield batch if len(rows) == len(batch) else batch.select(rows)

    def rows_of(self, columns: Columns, chunk: Chunk | None = None) -> Bools:
        """Return the rows that satisfy the expression; `chunk` has the texts for ``length_ratio``."""
        n = len(next(iter(columns.values()), ()))
        if not self.keep:
            return np.ones(n, bool)
        condition = parse(self.keep).over([*columns, *(() if chunk is None else (RATIO,))], "the input")
        values: dict[str, Sequence[Any]] = {
            name: columns[name] if name in columns else _ratios(chunk) for name in condition.names
        }
        return condition.rows(values or {"": range(n)}, lambda row: f"row {row + 1}")

    def of_columns(self, columns: Columns) -> Columns:
        """Return the rows that satisfy the expression."""
        if not self.keep:
            return columns
        mask = self.rows_of(columns)
        rows = mask.tolist()
        return {
            name: column[mask] if isinstance(column, np.ndarray) else list(compress(column, rows))
            for name, column in columns.items()
        }

    def chosen(self, run: ScoredRun) -> ScoredRun:
        """Restrict the run to the selected rows; return the same run if all are selected."""
        if not self.keep and self.sample is None:
            return run
        masks, strata = [], list[str]()
        for chunk, columns in zip(run.chunks(), RowStream(run, run.asked), strict=True):
            mask = self.rows_of(columns, chunk)
            masks.append(mask)
            if self.sample is not None:
                strata += self._strata(columns, mask)
        return ChosenRun.of(run, self._drawn(masks, strata) if self.sample is not None else masks)

    def _strata(self, columns: Columns, mask: Bools) -> list[str]:
        """Return the stratum of each kept row."""
        if self.sample_by is None:
            return [""] * int(mask.sum())
        if self.sample_by not in columns:
            raise unknown("column in the input", self.sample_by, columns)
        column = columns[self.sample_by]
        return ["" if column[row] is None else str(column[row]) for row in np.flatnonzero(mask).tolist()]

    def _drawn(self, masks: Sequence[Bools], strata: Sequence[str]) -> list[Bools]:
        """Restrict the masks to a sample of the kept rows: each stratum's share with the smallest random numbers."""
        names, codes = np.unique(np.array(strata, dtype=object), return_inverse=True)
        shares = allocate(
            dict(zip(names.tolist(), np.bincount(codes, minlength=len(names)).tolist(), strict=True)), self.sample or 0
        )
        draws = np.random.default_rng(self.seed).random(len(strata))
        taken = np.zeros(len(strata), bool)
        for code, name in enumerate(names.tolist()):
            rows = np.flatnonzero(codes == code)
            taken[rows[np.argsort(draws[rows], kind="stable")[: shares[name]]]] = True
        whole = np.concatenate(masks) if masks else np.zeros(0, bool)
        whole[np.flatnonzero(whole)] = taken
        return np.split(whole, np.cumsum([len(mask) for mask in masks])[:-1])

    def note(self, chosen: ScoredRun, run: ScoredRun) -> str:
        """Return a summary of omitted rows, to be added to a note below a table."""
        duplicates = f" · {count(self.duplicates, 'duplicate')} left out" if self.duplicates else ""
        return duplicates + (f" · {len(chosen):,} of {len(run):,} rows selected" if chosen is not run else "")


@dataclass
class ChosenRun(ScoredRun):
    """Scored run restricted to selected rows: counts, totals and chunks cover only these."""

    masks: Sequence[Bools] = ()
    """Which rows of each chunk are selected."""

    @classmethod
    def of(cls, run: ScoredRun, masks: Sequence[Bools]) -> ChosenRun:
        """Select rows of a run."""
        chosen = cls(**vars(run), masks=masks)
        chosen.segments, chosen.system_flags, chosen.totals = dict.fromkeys(run.systems, 0), {}, {}
        for chunk in chosen.chunks():
            for code, system in enumerate(chunk.systems):
                rows = chunk.codes == code
                chosen.segments[system] += int(rows.sum())
                flags = chosen.system_flags.setdefault(system, {})
                for flag, column in chunk.flags().items():
                    if n := int(column[rows].sum()):
                        flags[flag] = flags.get(flag, 0) + n
        if run.retained.stats:
            chosen.totals = {
                system: {name: exact_sum(chosen.own_stats(system, name)) for name in run.metrics}
                for system, rows in chosen.segments.items()
                if rows
            }
        return chosen

    def chunks(self) -> Iterator[Chunk]:
        """Return the selected rows of every chunk, with their numbers in the whole input."""
        met: dict[int, int] = {}
        for chunk, mask in zip(super().chunks(), self.masks, strict=True):
            yield _taken(chunk, np.flatnonzero(mask).tolist(), chunk.rows(met))


def _taken(chunk: Chunk, rows: list[int], inputs: InputRows) -> Chunk:
    def take(column: Sequence[Any]) -> Sequence[Any]:
        return [column[row] for row in rows] if len(column) else column

    columns: dict[str, Any] = {
        name: [take(each) for each in column] if name == "references" else take(column)
        for name, column in chunk.columns.items()
        if name != "rows"
    }
    return replace(
        chunk,
        codes=chunk.codes[rows],
        scores={name: scores.take(np.array(rows, np.int64)) for name, scores in chunk.scores.items()},
        raised={flag: column[rows] for flag, column in chunk.raised.items()},
        columns={**columns, "rows": inputs.map(take).to_dict()},
        language_codes=None if chunk.language_codes is None else chunk.language_codes[rows],
    )


def _ratios(chunk: Chunk | None) -> list[float]:
    columns: Mapping[str, Any] = {} if chunk is None else chunk.columns
    others = columns.get("sources") or next(iter(columns.get("references") or ()), None)
    if others is None:
        raise InputError(f"--keep: {RATIO} requires sources or references, but the input has neither.")
    return length_ratios(columns["hypotheses"], others)
