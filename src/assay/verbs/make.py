"""``assay make``: challenge sets from your own sentences, and their review by annotators."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TextIO, Unpack

from assay.analyses.audit import audit_tables
from assay.core.batch import Batch
from assay.core.errors import InputError
from assay.core.table import Table, TableColumn
from assay.io.documents import decode
from assay.perturb.making.job import MakingJob
from assay.review.decisions import DecisionLog
from assay.review.item_review import annotate_items, decisions_path, read_all_logs, read_verdicts
from assay.verbs.result import Result
from assay.verbs.shared.corpus_paths import in_shards
from assay.verbs.shared.made_set import MadeSet, card_path, made_table, write_card, write_lines
from assay.verbs.shared.options import CorpusOptions, MakeOptions, TableOptions, need_folder, parted
from assay.verbs.shared.review_sessions import open_review

if TYPE_CHECKING:
    from assay.corpus.discovery import Paths
    from assay.verbs.shared.review_sessions import OnPage


@dataclass(repr=False)
class AnnotatedSet(Result):
    """Review state of a set, and the location of the reviewed set."""

    accepted: int
    edited: int
    rejected: int
    left: int
    path: Path

    verb: ClassVar[str] = "make"
    headline: ClassVar[str] = "annotated"


def make(
    perturbations: Sequence[str],
    data: Paths | Batch,
    *,
    n: int = 1000,
    seed: int = 12345,
    workers: int | None = None,
    words: tuple[int, int] | None = None,
    min_confidence: float = 0.5,
    pool: str | os.PathLike[str] | Batch | None = None,
    out: str | os.PathLike[str] | None = None,
    progress: Callable[[Any], None] | None = None,
    **options: Unpack[MakeOptions],
) -> MadeSet:
    """Make a challenge set from good translations: incorrect versions, each with a record of what was changed and where.

    The same `seed` gives the same bytes for any number of workers.

    Args:
        perturbations: Names, names with options, or groups (``demetr``, ``all``).
        data: A table with good translations in ``mt``, and with ``src`` and ``ref``; a Batch; or a corpus in many files (a
        folder, a pattern or a list of tables). Each shard is treated as a separate corpus.
        n: Maximum number of items per perturbation (and shard), divided among the language pairs.
        seed: Random seed for all choices.
        workers: Number of processes; by default one, and for a corpus in many files one per core.
        words: Minimum and maximum number of words in a translation to be changed.
        min_confidence: Reject items with a lower confidence.
        pool: A table or a Batch that other sentences are drawn from; by default, the corpus itself.
        out: Output file for the items; the data card is written next to it (``OUT.card.json``). For a corpus in many files, the
            output folder: each shard becomes a shard of items. An interrupted run resumes from it.
        progress: Called with the number of segments of each finished chunk; for a corpus, with a
            `assay.corpus.driver.CorpusProgress`.
        options: Options for reading the table (`assay.verbs.shared.options.TableOptions`) and for corpus workers (`CorpusOptions`).

    Returns:
        The set, with counts per perturbation and its data card; for a corpus in many files, a `MadeCorpus`.

    Raises:
        InputError: The corpus or a perturbation is invalid.

    Example:
        >>> import assay
        >>> made = assay.make(["word-swap"], assay.Batch(["The cat sat on the mat ."], langpairs=["de-en"]))
        >>> len(made), made.items()[0]["incorrect-translation"]
        (1, 'The sat cat on the mat .')
    """
    table, corpus = parted("make", options, TableOptions, CorpusOptions)
    if in_shards(data, out):
        if out is None or isinstance(pool, Batch):
            raise InputError("a corpus in many files requires out=FOLDER, and its pool must be a file.")
        choice = {"n": n, "words": list(words) if words else None, "least": min_confidence}
        given: Any = {**options, "data": data, "workers": workers, "progress": progress}
        from assay.verbs.make_corpus import make_corpus

        return make_corpus(perturbations, out, given, choice, pool=pool, seed=seed)
    need_folder(corpus)
    source: Any = data
    job = MakingJob.prepare(
        perturbations, source, langpair=table.get("langpair"), columns=table.get("columns"), quoting=table.get("quoting", "auto"),
        n=n, seed=seed, workers=workers or 1, words=words, least=min_confidence, pool=pool,
    )  # fmt: skip
    if out is None:
        lines = list(job.lines(progress))
        return _made(job.card(), lines=lines, problems=job.survey.problems())
    path = Path(out)
    write_lines(path, job.lines(progress))
    card = job.card()
    write_card(path, card)
    return _made(card, path=path, problems=job.survey.problems())


def annotate(
    path: str | os.PathLike[str],
    *,
    stream: TextIO | None = None,
    write: Callable[[str], Any] | None = None,
    page: OnPage | None = None,
    sample: int | None = None,
    seed: int = 12345,
    annotator: str | None = None,
) -> AnnotatedSet:
    """Let an annotator accept, reject or edit each item of a set that has no decision yet.

    Decisions are saved immediately in ``SET.decisions.jsonl`` (``SET.ANNOTATOR.decisions.jsonl`` with an `annotator`). Accepted
    and edited items are written to ``SET.reviewed.jsonl``. An audit of all decisions is added to the data card: the share of
    bad items with its interval, and inter-annotator agreement.

    Args:
        path: The set.
        stream: Source of key presses: a terminal, or the lines of a file.
        write: Called with the text to show.
        page: Page in the browser, instead of `stream` and `write`.
        sample: Show only this many items per perturbation.
        seed: Random seed for the sample.
        annotator: Name of the annotator.
    """
    items_file = Path(path)
    log = DecisionLog(decisions_path(items_file, annotator), annotator)
    others = {name or "no name": other for name, other in read_all_logs(items_file).items() if other.path != log.path}
    hold = open_review(log, f"Items of {items_file.name}", stream=stream, write=write, page=page, apart=others)
    counts, reviewed = annotate_items(items_file, log, hold, sample=sample, seed=seed)
    columns = [TableColumn(key, kind="count") for key in counts]
    tables = {"annotated": Table("annotated", columns, [counts])}
    tables |= {table.name: table for table in audit_tables(read_verdicts(path))}
    _write_audit(Path(path), tables)
    accepted, edited, rejected, left = (counts[key] for key in ("accepted", "edited", "rejected", "left"))
    return AnnotatedSet(tables, accepted, edited, rejected, left, reviewed)


def _write_audit(path: Path, tables: Mapping[str, Table]) -> None:
    """Write the audit to the data card of the set, if there is one."""
    card_file = card_path(path)
    if not card_file.is_file() or "audit" not in tables:
        return

    card: Any = decode(card_file.read_text(encoding="utf-8"))
    card["audit"] = {name: tables[name].rows for name in ("audit", "agreement") if name in tables}
    write_card(path, card)


def _made(card: dict[str, Any], **rest: Any) -> MadeSet:
    return MadeSet({"made": made_table(card)}, card, **rest)
