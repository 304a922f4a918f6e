"""``assay campaign``: scores, rater agreement and a ranking of systems from human judgements (MQM, ESA, direct assessment)."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from assay.analyses.campaign import metrics as metric_tables
from assay.analyses.campaign import ranking, raters
from assay.analyses.campaign.score_arrays import describe_size, scored_pairs
from assay.analyses.spans.alignment import with_gold_names
from assay.core.call import recorded
from assay.core.campaign import Cell
from assay.core.columns import Columns
from assay.core.errors import InputError, unknown
from assay.core.metric import Card, Metric
from assay.core.table import Table, TableColumn
from assay.engine.languages import as_computed, languages_of
from assay.engine.scoring import score
from assay.engine.store import Store
from assay.io.judgements.campaign import read_campaign
from assay.io.scores.cards import file_card
from assay.io.scores.metric_file import parse_spec
from assay.metrics import build_metrics
from assay.stats.rater_reliability import z_scores
from assay.verbs.result import Result
from assay.verbs.shared.campaigns import judged_batch, read_people
from assay.verbs.shared.input_files import tree_files
from assay.verbs.shared.view_judgements import view_of_campaign

if TYPE_CHECKING:
    from assay.analyses.campaign.metrics import Correlation
    from assay.analyses.campaign.ranking import SystemTest
    from assay.analyses.campaign.score_arrays import ScoredPair, Standardised
    from assay.core.campaign import Campaign
    from assay.core.metric import Floats
    from assay.core.view_data import ViewData

PathName = str | os.PathLike[str]
LABELS = {"MQM": "MQM", "ESA": "ESA", "DA": "direct assessment", "spans": "score"}


@dataclass(repr=False)
class CampaignResult(Result):
    """Tables of a campaign, with its judgements and scores."""

    people: Campaign
    pairs: Sequence[ScoredPair]
    seed: int | None = None
    by: str = "score"
    scores: Mapping[str, Mapping[str, Floats]] = field(default_factory=dict)
    """Scores by language pair and metric (systems by segments); higher is better."""
    cards: Mapping[str, Card] = field(default_factory=dict)

    verb = "campaign"
    headline = "systems"

    def subject(self) -> str:
        return f"assay campaign {self.people.name}"

    def heading(self) -> str:
        return f"Judgements: {self.people.name}"

    def head(self) -> Mapping[str, Any]:
        """Return the campaign's name and protocol."""
        return {"campaign": self.people.name, "protocol": self.people.protocol}

    def lead(self) -> str:
        """Return the size of the campaign."""
        return describe_size(self.people)

    def columns(self) -> Columns:
        """Return one row per judged translation: langpair, system, segment, score, z, judgements."""
        return self.tables["segments"].by_column()

    scores_columns = columns

    def viewed(self) -> ViewData:
        """Return every judged translation with its texts, errors and every metric's score."""
        label = LABELS[self.people.protocol] if self.by == "score" else "score standardised by rater (z)"
        return view_of_campaign(self.people, self.pairs, self.scores, label, self.by, self.cards)

    def sizes(self) -> Mapping[str, int]:
        """Return the number of judged translations."""
        return {self.people.name: len(self.people.judgements)}


@recorded("campaign")
def campaign(
    judgements: PathName,
    metrics: Sequence[str | Metric] = (),
    *,
    metric_files: Sequence[str] = (),
    langpairs: Sequence[str] | None = None,
    by: str = "score",
    test: SystemTest = "signed-rank",
    statistic: Correlation = "pearson",
    resample: str = "both",
    columns: Mapping[str, str] | None = None,
    skip_bad: bool = False,
    data_dir: PathName | None = None,
    samples: int = 1000,
    seed: int = 12345,
    workers: int | None = None,
    store: bool = True,
) -> CampaignResult:
    """Turn judgements into segment and system scores, rater agreement and a ranking with clusters, and correlate metrics with
    them.

    Args:
        judgements: A file (Google's MQM format, an Appraise export, any table with system, segment and score), a year (``wmt23``),
            or an mt-metrics-eval tree with ratings.
        metrics: Metrics to correlate with the judgements, if the file has the texts.
        metric_files: Score tables from third-party metrics: langpair, system, segment, score (``FILE:lower`` if lower is
            better).
        langpairs: Use only these language pairs; for a file that names none, specify its language pair.
        by: Rank by the mean ``score``, or by ``z``, the score standardised per rater.
        test: Significance test between two systems: ``signed-rank``, ``rank-sum`` or ``permutation``.
        statistic: Correlation with metrics: ``pearson``, ``spearman`` or ``kendall``.
        resample: Bootstrap units for correlations: ``systems``, ``inputs`` (segments) or ``both``.
        columns: The table column for each role, if its name is not a standard one.
        skip_bad: Leave out malformed rows and list them in `notes`.
        data_dir: Folder with local copies of the data; by default ``$ASSAY_DATA``.
        samples: Number of bootstrap resamples.
        seed: Random seed for the resampling.
        workers: Number of threads, by default one per core.
        store: Whether to look up and cache the scores of slow metrics.

    Returns:
        The tables, with the underlying judgements and scores.

    Raises:
        InputError: The judgements or an option are invalid.
        MissingPart: The data for the year is missing.

    Example:
        >>> import assay
        >>> assay.campaign("wmt23", langpairs=["en-de"]).table("ranking")  # doctest: +SKIP
    """
    for option, value, there in (
        ("--by", by, ("score", "z")), ("--test", test, ranking.TESTS), ("--statistic", statistic, metric_tables.CORRELATIONS),
        ("--resample", resample, ("systems", "inputs", "both")),
    ):  # fmt: skip
        if value not in there:
            raise unknown(f"choice of {option}", value, there)
    people = read_people(judgements, langpairs=langpairs, columns=columns, skip_bad=skip_bad, data_dir=data_dir)
    pairs = scored_pairs(people, standardised(people))
    label = LABELS[people.protocol]
    made_tables = ranking.tables(
        pairs, by=by, test=test, samples=samples, seed=seed, notes=[describe_size(people)], label=label
    )
    made_tables += raters.tables(people, samples=samples, seed=seed)
    built = build_metrics(metrics) if metrics else {}
    scores = _metric_scores(people, pairs, built, metric_files, workers=workers, store=store)
    if scores:
        how: Any = resample
        made_tables += metric_tables.tables(
            pairs, scores, by=by, statistic=statistic, resample=how, samples=samples, seed=seed
        )
    made_tables.append(segment_table(pairs, label))
    computed = as_computed(built, people.langpairs)
    signatures = {name: metric.signed(1) for name, metric in computed.items()}
    notices = [notice for metric in computed.values() for notice in metric.notices]
    named = {table.name: table for table in made_tables}
    files = tree_files(judgements, data_dir, people.langpairs)
    cards = {name: metric.card for name, metric in built.items()}
    return CampaignResult(
        named,
        people,
        pairs,
        seed,
        by,
        scores,
        cards,
        signatures=signatures,
        notes=[*people.notes, *notices],
        files=files,
    )


def standardised(people: Campaign) -> Standardised:
    """Standardise every score per rater within a language pair; empty if the file names no raters."""
    import numpy as np

    z_by_judgement: dict[Any, float] = {}
    for pair in people.langpairs:
        rows = [(c, j) for c, j in people.each() if c.langpair == pair and j.score is not None and j.rater]
        if rows:
            z = z_scores([j.rater for _, j in rows], np.array([j.score for _, j in rows], np.float64))
            z_by_judgement |= {(cell, j.rater): float(value) for (cell, j), value in zip(rows, z, strict=True)}
    return z_by_judgement


def segment_table(pairs: Sequence[ScoredPair], label: str) -> Table:
    """Return the table `segments`: the score of every judged translation, in the format that ``--metric-file`` reads."""
    import numpy as np

    rows = []
    for pair in pairs:
        for i, system in enumerate(pair.systems):
            for k in np.flatnonzero(np.isfinite(pair.score[i])).tolist():
                z = float(pair.z[i, k])
                row = {"langpair": pair.langpair, "system": system, "segment": pair.segments[k]}
                more = {"z": None if np.isnan(z) else z, "judgements": int(pair.judgements[i, k])}
                rows.append({**row, "score": float(pair.score[i, k]), **more})
    columns = [
        TableColumn("langpair"), TableColumn("system"), TableColumn("segment"), TableColumn("score", label, "number", 3),
        TableColumn("z", "z", "number", 3), TableColumn("judgements", kind="count"),
    ]  # fmt: skip
    return Table("segments", columns, rows, "judged translations", reading="The mean over raters of each translation.")


def _metric_scores(
    people: Campaign,
    pairs: Sequence[ScoredPair],
    built: Mapping[str, Metric],
    metric_files: Sequence[str],
    *,
    workers: int | None,
    store: bool,
) -> dict[str, dict[str, Floats]]:
    """Return scores by language pair and metric (systems × segments); higher is better."""
    by_cell: dict[str, dict[Any, float]] = {}
    if built:
        cells, batch = judged_batch(people)
        kept = Store.for_metrics(built, store)
        for name, metric in built.items():
            values = score(batch, metric, languages=languages_of(batch), workers=workers, store=kept).values
            sign = 1 if metric.card.higher_is_better else -1
            by_cell[name] = dict(zip(cells, (sign * values).tolist(), strict=True))
    for spec in metric_files:
        name, scores = _from_file(spec, people)
        by_cell[name if name not in by_cell else f"{name} (file)"] = scores
    return _matrices(people, pairs, by_cell)


def _from_file(spec: str, people: Campaign) -> tuple[str, dict[Any, float]]:
    path, higher = parse_spec(spec)
    if not path.exists():
        raise InputError(f"{path} does not exist.")
    only = people.langpairs[0] if len(people.langpairs) == 1 else ""
    read = with_gold_names(read_campaign(path, langpair=only), people)
    sign = 1 if higher else -1
    scores = {cell: sign * j.score for cell, j in read.each() if j.score is not None}
    missing = [c for c in people.judgements if c not in scores and (c.langpair, c.system) not in people.standard]
    if missing:
        raise InputError(
            f"{path} has no score for {len(missing):,} of {len(people.judgements):,} judged translations (first: {missing[0]})."
        )
    return file_card(path).name, scores


def _matrices(
    people: Campaign, pairs: Sequence[ScoredPair], by_cell: Mapping[str, Mapping[Any, float]]
) -> dict[str, dict[str, Floats]]:
    import numpy as np

    matrices: dict[str, dict[str, Floats]] = {}
    for pair in pairs:
        for name, scores in by_cell.items():
            matrix = np.full(pair.score.shape, np.nan)
            for i, system in enumerate(pair.systems):
                for k, segment in enumerate(pair.segments):
                    matrix[i, k] = scores.get(Cell(pair.langpair, system, segment), np.nan)
            matrices.setdefault(pair.langpair, {})[name] = matrix
    return matrices
