"""Rows of `assay meta` and `assay campaign` for the screen *People* of `assay view`: judged texts, and systems as points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assay.core.campaign import Cell, JudgedText
from assay.core.metric import Card
from assay.core.screens import Apart, JudgedPair, Numbers, PairwiseTests, People
from assay.core.view_data import ViewData
from assay.verbs.shared.view_rows import marked

if TYPE_CHECKING:
    from assay.analyses.campaign.score_arrays import ScoredPair
    from assay.core.campaign import Campaign
    from assay.core.judged_systems import JudgedSystems
    from assay.core.metric import Floats
    from assay.io.wmt.tree import EvalSet

MEANING = "Higher is better, because meta-evaluation orients all metrics that way."


def numbers(values: Floats) -> Numbers:
    """Return the numbers of an array, with None for NaN and infinities."""
    return tuple(
        None if value != value or value in (float("inf"), float("-inf")) else value for value in values.tolist()
    )


def turned(names: Sequence[str], cards: Mapping[str, Card]) -> dict[str, Card]:
    """Return one card per metric with "higher is better", since these scores are oriented that way."""
    from dataclasses import replace

    own = {name: cards.get(name.removesuffix(" (new)")) for name in names}
    return {
        name: Card(name, name, "either", True, (None, None), MEANING, licence="", decimals=3)
        if card is None
        else replace(card, name=name, label=card.label if card.higher_is_better else f"−{card.label}", higher_is_better=True)
        for name, card in own.items()
    }  # fmt: skip


def view_of_meta(
    sets: Mapping[str, JudgedSystems],
    texts: Mapping[str, EvalSet],
    comparisons: Sequence[PairwiseTests],
    gold: str | None,
    cards: Mapping[str, Card],
) -> ViewData:
    """Return the judged translations with every metric's score, and each language pair's systems as points."""
    names = list(dict.fromkeys(name for judged in sets.values() for name in judged.metrics))
    pairs = [pair for judged in sets.values() if (pair := _points(judged, gold)) is not None]
    people = People(tuple(comparisons), tuple(pairs))
    return ViewData("segments", turned(names, cards), _judged_rows(sets, texts, gold, names), people)


def _gold(judged: JudgedSystems, level: str, gold: str | None) -> str | None:
    """Return the name of the human scores at a level, if any."""
    name = gold or judged.standard_gold.get(level)
    gold_scores = judged.gold.get(name) if name is not None else None
    return name if gold_scores is not None and getattr(gold_scores, level) is not None else None


def _points(judged: JudgedSystems, gold: str | None) -> JudgedPair | None:
    import numpy as np

    name = _gold(judged, "sys", gold)
    if name is None:
        return None
    people = judged.gold[name].sys
    assert people is not None
    kept = [
        i for i, system in enumerate(judged.systems) if system != judged.standard_reference and people[i] == people[i]
    ]
    at = np.array(kept, np.int64)
    metrics = {metric: numbers(scores.sys[at]) for metric, scores in judged.metrics.items() if scores.sys is not None}
    systems = tuple(judged.systems[i] for i in kept)
    apart: tuple[Apart, ...] = tuple(
        "outlier" if system in judged.outliers else "human" if system in judged.references else "" for system in systems
    )
    column = _gold(judged, "seg", gold) or ""
    return JudgedPair(judged.langpair, name, systems, numbers(people[at]), apart, metrics, column)


def _judged_rows(
    sets: Mapping[str, JudgedSystems], texts: Mapping[str, EvalSet], gold: str | None, names: Sequence[str]
) -> Iterator[Mapping[str, Any]]:
    people = list(dict.fromkeys(n for judged in sets.values() if (n := _gold(judged, "seg", gold)) is not None))
    for pair, judged in sets.items():
        name, tree = _gold(judged, "seg", gold), texts[pair]
        if name is None:
            continue
        scores = judged.gold[name].seg
        assert scores is not None
        reference = tree.references.get(judged.standard_reference)
        for i, system in enumerate(judged.systems):
            if system == judged.standard_reference:
                continue
            segments = {metric: judged.metrics[metric].seg for metric in names if metric in judged.metrics}
            columns = {
                metric: () if (values := segments.get(metric)) is None else numbers(values[i]) for metric in names
            }
            scores_of_system = numbers(scores[i])
            for k, value in enumerate(scores_of_system):
                if value is None:
                    continue
                row: dict[str, Any] = {
                    "system": system,
                    "segment": k + 1,
                    "doc": tree.documents[k] if tree.documents else "",
                    "domain": tree.domains[k] if tree.domains else "",
                    "langpair": pair,
                    "src": tree.sources[k],
                    "mt": tree.outputs[system][k],
                    "ref": None if reference is None else reference[k],
                }
                row |= {one: value if one == name else None for one in people}
                yield row | {metric: column[k] if column else None for metric, column in columns.items()}


def view_of_campaign(
    people: Campaign,
    pairs: Sequence[ScoredPair],
    scores: Mapping[str, Mapping[str, Floats]],
    label: str,
    by: str,
    cards: Mapping[str, Card],
) -> ViewData:
    """Return every judged translation with its score, errors and metrics, and the systems as points."""
    names = list(dict.fromkeys(name for by_metric in scores.values() for name in by_metric))
    points = tuple(_campaign_points(people, pair, scores.get(pair.langpair, {}), label, by) for pair in pairs)
    return ViewData(
        "segments", turned(names, cards), _campaign_rows(people, pairs, scores, names), People(pairs=points)
    )


def _campaign_points(
    people: Campaign, pair: ScoredPair, scores: Mapping[str, Floats], label: str, by: str
) -> JudgedPair:
    import warnings

    import numpy as np

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a system without any score has no mean
        means = np.nanmean(pair.at(by), axis=1)
        metrics = {
            name: numbers(np.nanmean(np.where(np.isfinite(pair.at(by)), matrix, np.nan), axis=1))
            for name, matrix in scores.items()
        }
    apart: tuple[Apart, ...] = tuple(
        "human" if (pair.langpair, system) in people.standard else "" for system in pair.systems
    )
    return JudgedPair(pair.langpair, label, tuple(pair.systems), numbers(means), apart, metrics, by)


def _campaign_rows(
    people: Campaign, pairs: Sequence[ScoredPair], scores: Mapping[str, Mapping[str, Floats]], names: Sequence[str]
) -> Iterator[Mapping[str, Any]]:
    for pair in pairs:
        by_metric = scores.get(pair.langpair, {})
        for i, system in enumerate(pair.systems):
            judged, z = numbers(pair.score[i]), numbers(pair.z[i])
            columns = {name: numbers(by_metric[name][i]) if name in by_metric else () for name in names}
            for k, value in enumerate(judged):
                if value is None:
                    continue
                cell = Cell(pair.langpair, system, pair.segments[k])
                text = people.texts.get(cell, JudgedText())
                row: dict[str, Any] = {"system": system, "segment": cell.segment, "doc": text.document}
                row |= {"langpair": pair.langpair, "src": text.source, "mt": text.text, "ref": text.reference}
                row |= {"score": value, "z": z[k], "judgements": int(pair.judgements[i, k])}
                row |= {name: column[k] if column else None for name, column in columns.items()}
                if people.marked:
                    row["spans"] = marked({j.rater or "people": j.spans for j in people.judgements[cell]})
                yield row
