"""``assay decide apply --data FOLDER --out FOLDER``: labels for a corpus in many files, shard by shard."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from assay.core.errors import InputError
from assay.core.flags import flag_notes
from assay.decide.apply import Tally
from assay.decide.tables import labels_table, warnings
from assay.io.table.vocabulary import one_each
from assay.verbs.decide import FittedRule, plain_rule, rule_metrics
from assay.verbs.score_corpus import scoring_job
from assay.verbs.shared.corpora import CorpusResult, CorpusWorkers, alerts_of, corpus_shards, counted, remarks

if TYPE_CHECKING:
    from assay.core.batch import EmptyReference
    from assay.core.chunk import Flagging
    from assay.corpus.driver import Watch
    from assay.corpus.job import OnError
    from assay.corpus.plan import Paths
    from assay.decide.rule import Rule
    from assay.io.table.open_table import Quoting
    from assay.io.table.vocabulary import ColumnChoice
    from assay.verbs.decide import AnyRule


@dataclass(repr=False)
class LabelledCorpus(CorpusResult):
    """How many of each label there are in many shards, and whether scores still lie as they did."""

    rule: Rule | None = None
    tally: Tally | None = None

    verb: ClassVar[str] = "decide apply"
    headline: ClassVar[str] = "decisions"

    @property
    def labels(self) -> dict[str, int]:
        """How many of each label."""
        assert self.tally is not None
        return self.tally.shares()

    @property
    def warnings(self) -> list[str]:
        """What a user should know before relying on the labels: missing promises, scores that have drifted."""
        assert self.tally is not None
        return warnings(self.tally)


def label_corpus(
    rule: AnyRule,
    data: Paths = (),
    *,
    out: str | os.PathLike[str],
    mt: Paths = (),
    ref: Sequence[Paths] = (),
    src: Paths | None = None,
    language: str = "",
    columns: ColumnChoice | None = None,
    quoting: Quoting = "auto",
    langpair: str | None = None,
    empty_reference: EmptyReference | None = None,
    flags: Flagging = "auto",
    keep: str | None = None,
    on_error: OnError = "stop",
    engine: str = "local",
    workers: int | None = None,
    batch: int | None = None,
    address: str | None = None,
    gpus_per_worker: float | None = None,
    trust: bool = False,
    progress: Watch | None = None,
) -> LabelledCorpus:
    """Label a corpus in many files: each shard becomes a shard of the same name in `out`, with its columns, label and scores.

    A rule by ready scores takes them from the shards, and nothing is scored.

    Args:
        rule: What `fit_rule` gave, or the path of its JSON.
        data: As for `score_corpus`: a folder, a pattern or several files of tables.
        out: The folder of results; made where it is missing. A call that was killed goes on there when it is made again.
        mt: Instead of `data`: files of translations; a folder or a pattern.
        ref: The references that go with `mt`.
        src: The sources that go with `mt`.
        language: The language translated from, of every row; by default the rows' language pairs say it.
        columns: Which column plays which role where the names differ.
        quoting: How quotation marks in a TSV are read.
        langpair: The language pair where the tables do not say.
        empty_reference: What becomes of rows whose references are all empty: ``skip`` leaves them out of metrics that need a
            reference (the default for tables), ``score`` scores them against an empty text (the default for text files and
            lists, as in sacrebleu), ``error`` refuses them.
        flags: Which flags of the texts to raise.
        keep: Let only rows out for which an expression holds: ``"label == 'use'"``.
        on_error: What to do about a shard that cannot be read: ``stop``, or ``skip`` it.
        engine: Where workers are: ``local`` or ``ray``.
        workers: How many; by default as for `score_corpus`.
        batch: Rows that a metric gets at a time, at most.
        address: The head of the Ray cluster, ``host:port`` or ``auto``.
        gpus_per_worker: GPUs that each worker in a Ray cluster gets.
        trust: Let a rule from a file name ``module:name`` and the path of a checkpoint.
        progress: Called with how far it is (`assay.corpus.driver.Seen`).
    """
    how = CorpusWorkers(engine, workers, address, gpus_per_worker, on_error, progress)
    read = plain_rule(rule)
    names = [member.name for member in read.members]
    ready = all(member.source == "column" for member in read.members)
    if ready and mt:
        raise InputError(f"the rule goes by ready scores: give tables with them ({', '.join(names)}), not --mt.")
    where = os.fspath(rule) if isinstance(rule, (str, os.PathLike)) else "the rule"
    shards, notes = corpus_shards(out, data, mt, ref, src)
    built = {} if ready else rule_metrics(read, where, trust=trust or isinstance(rule, FittedRule))
    settings: dict[str, Any] = {"rule": read.to_dict(), "language": language}
    if ready:
        chosen, flags = one_each(columns or {}), "none"
        settings["ready"] = {name: chosen.get(name, name) for name in names}
    job = scoring_job(built, os.fspath(out), shards, {
        "columns": columns, "quoting": quoting, "langpair": langpair, "empty_reference": empty_reference,
        "spans": False, "flags": flags, "keep": keep, "dedup": None,
        "sample": None, "sample_by": None, "seed": 12345, "batch": batch, "purpose": "label",
        "settings": settings,
    }, on_error)  # fmt: skip
    told, driver = how.carry_out(job, shards, built)
    tally = Tally(read)
    tally.merge({"labels": told.get("labels", {}), "drift": told.get("drift", {})})
    table = labels_table(tally, [counted(told["counts"]), *flag_notes({"": told["flags"]})])
    alerts = alerts_of(told, built)
    return LabelledCorpus(
        {"decisions": table},
        out=os.fspath(out),
        told=told,
        reused=driver.reused,
        rule=read,
        tally=tally,
        signatures=dict(told["signatures"]),
        alerts=alerts,
        notes=[*alerts, *notes, *remarks(told, driver)],
    )
