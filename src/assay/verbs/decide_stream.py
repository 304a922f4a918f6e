"""``assay decide apply`` over files of any size: labels come chunk by chunk, and a run that was stopped goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from assay.core.columns import Columns
from assay.core.errors import InputError
from assay.core.flags import flag_notes
from assay.decide.apply import Tally, label_chunks, retained
from assay.decide.tables import labels_table, totals, warnings
from assay.verbs.decide import label_ready_scores, labelled_columns, read_rule, rule_metrics
from assay.verbs.result import Result
from assay.verbs.shared.request import request, table_among
from assay.verbs.viewed_decisions import SeenQualities, viewed_labels

if TYPE_CHECKING:
    import os

    from assay.core.chunk import Flagging
    from assay.core.view_data import ViewData
    from assay.decide.apply import Decisions
    from assay.decide.rule import Rule
    from assay.engine.manifest import Manifest
    from assay.engine.scored_run import RowsDone, ScoredRun
    from assay.io.table.open_table import Quoting
    from assay.verbs.shared.request import TextRequest


@dataclass(repr=False)
class LabelStream(Result):
    """Labels that are made while they are read: take `parts` or call `count`; then `tables` holds the counts."""

    rule: Rule
    tally: Tally
    chunks: Iterator[Decisions]
    run: ScoredRun | None = None
    again: Callable[[], Iterator[Decisions]] | None = None
    """The same labels once more, from what was scored, where a run directory will keep them."""
    seen: SeenQualities = field(default_factory=SeenQualities)

    verb = "decide apply"
    headline = "decisions"

    def heading(self) -> str:
        """What the labels are for."""
        return f"Labels: {self.rule.goal}"

    def viewed(self) -> ViewData | None:
        """Every translation with its label, and how many would be used at other limits; known when all labels are through."""
        return None if self.again is None else viewed_labels(self.rule, self.again(), self.seen)

    def _count(self, part: Decisions) -> None:
        self.tally.add(part)
        if self.again is not None:
            self.seen.add(part)

    def parts(self) -> Iterator[Columns]:
        """The rows of each chunk with their labels, as columns."""
        renamed: list[str] = []
        for part in self.chunks:
            rows = labelled_columns(part, len(self.tally) + 1, self.scores, renamed)
            self._count(part)
            yield rows
        self.notes += renamed
        self._complete()

    @property
    def scores(self) -> list[str]:
        """The scores that were computed; ready ones are columns of the input."""
        return [] if self.run is None else [member.name for member in self.rule.members]

    def count(self) -> None:
        """Go through all labels and keep their counts alone."""
        for part in self.chunks:
            self._count(part)
        self._complete()

    def _complete(self) -> None:
        self.tables["decisions"] = labels_table(self.tally, flag_notes(self.flags))

    @property
    def flags(self) -> dict[str, dict[str, int]]:
        """By system, how many translations a reader should know about, and why."""
        return {} if self.run is None else self.run.flagged()

    @property
    def totals(self) -> str:
        """How many were labelled, and how; known when all labels are through."""
        return totals(self.tally)

    @property
    def warnings(self) -> list[str]:
        """What a user should know before relying on the labels: missing promises, scores that have drifted."""
        return warnings(self.tally)

    def manifest(self) -> Manifest:
        """What was asked and done, and how much of it an earlier run had left."""
        made = super().manifest()
        if self.run is None:
            return made
        return replace(made, data_hash=self.run.data_hash, chunks_reused=self.run.reused, chunks_scored=self.run.scored)

    def sizes(self) -> Mapping[str, int]:
        """Segments that were labelled."""
        return self.run.segments if self.run is not None else {"segments": len(self.tally)}

    def __enter__(self) -> LabelStream:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if self.run is not None and kind is None:
            self.run.finish()
        elif self.run is not None:
            self.run.close()


def label_request(
    rule: str | os.PathLike[str], *, trust: bool = False, **texts: Any
) -> tuple[Rule, TextRequest | None]:
    """The rule in a file, and the request for the texts (as for `request`) that it asks to be scored; None where it goes by
    ready scores. `trust` is as for `apply_rule`."""
    read = read_rule(rule)
    if not all(member.source == "column" for member in read.members):
        return read, request(metrics=rule_metrics(read, str(rule), trust=trust), **texts)
    if texts.get("data") is None and table_among(texts.get("mt", ())) is None:
        names = ", ".join(member.name for member in read.members)
        raise InputError(f"the rule goes by ready scores: give a table with them, --data FILE ({names}).")
    return read, None


def label_stream(
    rule: Rule,
    asked: TextRequest | None,
    *,
    data: str | None = None,
    columns: Mapping[str, str] | None = None,
    quoting: Quoting = "auto",
    language: str = "",
    files: Sequence[str] = (),
    texts: bool = False,
    flags: Flagging = "auto",
    workers: int | None = None,
    store: bool = True,
    progress: RowsDone | None = None,
    kept_rows: bool = False,
) -> LabelStream:
    """Label what `label_request` asked for. `language` is the one translated from, of every row (default: the rows' own); `texts`
    and `flags` are as for `score`; `kept_rows` lets `write` keep every row for `assay view`."""
    if asked is None:
        notes: list[str] = []

        def ready(said: list[str]) -> Iterator[Decisions]:
            return label_ready_scores(rule, str(data), columns=columns, quoting=quoting, notes=said, language=language)

        again = (lambda: ready([])) if kept_rows else None
        return LabelStream({}, rule, Tally(rule), ready(notes), again=again, notes=notes, files=[str(data), *files])
    run = asked.run(retained(flags, texts=texts), workers, store, progress)

    def scored() -> Iterator[Decisions]:
        return label_chunks(rule, run.chunks(), language, flags=flags != "none")

    return LabelStream(
        {}, rule, Tally(rule), scored(), run, scored if kept_rows else None, signatures=run.signatures, notes=run.notices,
        alerts=run.alerts,        files=[*asked.inputs.paths, *files],
    )  # fmt: skip
