"""Implementation of ``assay decide apply FOLDER --out FOLDER``: workers label a corpus in many files shard by shard."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from assay.core.errors import InputError
from assay.core.flags import flag_notes
from assay.core.metric import Metric
from assay.decide.apply import Tally
from assay.decide.rule import Rule
from assay.decide.tables import labels_table, warnings
from assay.io.table.vocabulary import one_each
from assay.verbs.shared.corpora import CorpusResult, CorpusRun, counted

if TYPE_CHECKING:
    from assay.verbs.shared.options import ScoreOptions


@dataclass(repr=False)
class LabelledCorpus(CorpusResult):
    """Label counts for a corpus, and whether scores have drifted."""

    rule: Rule = field(kw_only=True)
    tally: Tally = field(kw_only=True)

    verb: ClassVar[str] = "decide apply"
    headline: ClassVar[str] = "decisions"

    @property
    def labels(self) -> dict[str, int]:
        """Number of rows by label."""
        return self.tally.shares()

    @property
    def warnings(self) -> list[str]:
        """What to know before relying on the labels: missing guarantees, scores that have drifted."""
        return warnings(self.tally)


def label_corpus(
    rule: Rule, metrics: Mapping[str, Metric], out: str | os.PathLike[str], options: ScoreOptions, *, language: str
) -> LabelledCorpus:
    """Label a corpus: each shard becomes a shard of the same name in `out`, with its columns, labels and scores.

    Without `metrics`, scores are read from columns of the shards, and nothing is scored.
    """
    settings: dict[str, Any] = {"rule": rule.to_dict(), "language": language}
    fields: dict[str, Any] = {}
    if not metrics:
        names = [member.name for member in rule.members]
        if options.get("mt"):
            raise InputError(
                f"the rule uses precomputed scores. Specify tables that contain them ({', '.join(names)}), not --mt."
            )
        chosen, fields = one_each(options.get("columns") or {}), {"flags": "none"}
        settings["ready"] = {name: chosen.get(name, name) for name in names}
    run = CorpusRun.of(out, options)
    job = run.scoring_job(metrics, purpose="label", settings=settings, **fields)
    driver = run.carry_out(job, metrics)
    corpus, tally = driver.manifest, Tally(rule)
    tally.merge({"labels": corpus.more.get("labels", {}), "drift": corpus.more.get("drift", {})})
    table = labels_table(tally, [counted(corpus), *flag_notes({"": corpus.flags})])
    return LabelledCorpus({"decisions": table}, rule=rule, tally=tally, **run.outcome(driver, metrics))
