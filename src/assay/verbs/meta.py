"""``assay meta``: agreement of metrics with human judgements; official WMT tables, with your own metrics added."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Unpack

from assay.core.call import recorded
from assay.core.errors import InputError
from assay.core.judged_systems import LevelScores
from assay.core.metric import Metric
from assay.verbs.meta_xcomet import xcomet
from assay.verbs.shared.meta_choice import MetaChoice
from assay.verbs.shared.meta_scores import MetaResult, NewMetrics, evaluate
from assay.verbs.shared.options import parted

if TYPE_CHECKING:
    pass


@recorded("meta", {**dict.fromkeys(MetaChoice.__annotations__, ()), "gold": None, "humans": None, "contrastive": False})
def meta(
    name: str | os.PathLike[str] = "wmt23",
    metrics: Sequence[str | Metric] = (),
    *,
    recipe: str | os.PathLike[str] = "official",
    metric_files: Sequence[str] = (),
    extra: Mapping[str, Mapping[str, LevelScores]] | None = None,
    data_dir: str | os.PathLike[str] | None = None,
    langpairs: Sequence[str] | None = None,
    tasks: Sequence[int] | None = None,
    significance: bool = False,
    worth: bool = False,
    draws: int | None = None,
    seed: int = 12345,
    workers: int | None = None,
    store: bool = True,
    **options: Unpack[MetaChoice],
) -> MetaResult:
    """Evaluate metrics against human judgements: the official table of a WMT metrics task, or of custom tasks.

    Args:
        name: A year (``wmt23``) or the path of any mt-metrics-eval tree.
        metrics: Metrics to score on its texts with the standard reference.
        recipe: ``official`` for the year's tasks, ``xcomet`` for the evaluation in Guerreiro et al. (2023), or a task file.
        metric_files: Score files from third-party metrics.
        extra: Scores as arrays, by metric and language pair.
        data_dir: Folder with local copies of the data; by default ``$ASSAY_DATA``.
        langpairs: Use only these language pairs.
        tasks: Use only these tasks, by number.
        significance: Add clusters of metrics that do not differ significantly.
        worth: Add the tables ``point_worth`` and ``point_curve``: agreement with human judgements at a given score difference.
        draws: Number of draws for the significance tests; by default 1000, and 200 for ``xcomet``.
        seed: Random seed for these tests.
        workers: Number of threads, by default one per core.
        store: Whether to look up and cache the scores of slow metrics.
        options: Choice of tasks other than the official ones, and of stored metrics (`assay.verbs.shared.meta_choice.MetaChoice`).

    Returns:
        The tables, with the underlying scores.

    Raises:
        InputError: The set, the metrics or the tasks are invalid.
        MissingPart: The data for the year is missing; the message says how to download it.

    Example:
        >>> import assay
        >>> assay.meta("wmt23", ["chrf"]).table("overall")  # doctest: +SKIP
    """
    parted("meta", options, MetaChoice)
    if recipe == "xcomet":
        given = {
            "--task": tasks, "--contrastive": options.get("contrastive"), "--worth": worth, "extra": extra,
            "--statistic": options.get("statistics"), "--level": options.get("levels"), "--group": options.get("groups"),
            "--gold": options.get("gold"), "--systems": options.get("systems"), "--humans": options.get("humans") is not None,
        }  # fmt: skip
        if wrong := next((option for option, value in given.items() if value), None):
            raise InputError(f"{wrong} cannot be combined with --recipe xcomet.")
        return xcomet(
            name, NewMetrics.of(metrics, metric_files, {}, workers, store), stored=options.get("stored", ()), data_dir=data_dir,
            langpairs=langpairs, domain=options.get("domains", ()), draws=draws or 200, seed=seed,
        )  # fmt: skip
    if worth and options.get("domains"):
        raise InputError("--worth compares whole systems, so it cannot be combined with --domain.")
    new = NewMetrics.of(metrics, metric_files, extra or {}, workers, store)
    return evaluate(
        name, new, options, recipe=recipe, data_dir=data_dir, langpairs=langpairs, tasks=tasks, significance=significance,
        worth=worth, draws=draws or 1000, seed=seed,
    )  # fmt: skip
