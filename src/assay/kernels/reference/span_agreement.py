"""Reference implementation of span agreement: how well predicted error spans match reference spans.

For each segment it returns four numbers: the credit of the predictions and its greatest possible value, then the same for the
references. Precision and recall are their ratios. Micro and macro averages are computed from them in `assay.stats.span_agreement`.

The measures and matchings are those of span-mt-metrics-eval (arXiv 2603.19921). Everything here is written for reading: the
optimal matching for MPP enumerates all matchings, which is exponential. The kernel is exact without the enumeration.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

Span = tuple[int, int, str, str]
"""Start, end, side and severity."""
Place = tuple[int, int, str]
Character = tuple[str, int, str]
"""Side, position and severity."""
Credits = tuple[float, float, float, float]

EQUAL = 1e-12
"""Values that differ by less are equal."""


def span_credits(
    predictions: Sequence[Sequence[Span]],
    references: Sequence[Sequence[Span]],
    measure: str,
    matching: str,
    penalty: float,
    weights: Mapping[str, float] | None = None,
) -> list[Credits]:
    """Return the credit and the total of predictions and references for each segment."""
    segment = segment_many if matching == "many_to_many" else segment_one
    return [
        segment(predicted, gold, measure, matching, penalty, weights)
        for predicted, gold in zip(predictions, references, strict=True)
    ]


def segment_one(
    predicted: Sequence[Span],
    gold: Sequence[Span],
    measure: str,
    matching: str,
    penalty: float,
    weights: Mapping[str, float] | None,
) -> Credits:
    """Return the credits of one segment if each span is matched at most once."""
    values: dict[tuple[int, int], tuple[float, float]] = {}
    dice: dict[tuple[int, int], float] = {}
    for i, p in enumerate(predicted):
        for j, g in enumerate(gold):
            shared = overlap(p, g)
            if not shared:
                continue
            factor = reward(p, g, penalty, weights)
            dice[i, j] = 2 * shared / (length(p) + length(g)) * factor
            if measure == "EM":
                values[i, j] = (factor * same_place(p, g),) * 2
            elif measure == "MP":
                values[i, j] = (factor, factor)
            elif measure == "WMT25":
                values[i, j] = (shared * factor, shared * factor)
            else:
                values[i, j] = (shared / length(p) * factor, shared / length(g) * factor)
    totals = total(predicted, measure, weights), total(gold, measure, weights)
    pairs = greedy(dice) if matching == "one_to_one-greedy" else best_matching(values, totals, measure)
    return sum(values[pair][0] for pair in pairs), totals[0], sum(values[pair][1] for pair in pairs), totals[1]


def greedy(dice: Mapping[tuple[int, int], float]) -> list[tuple[int, int]]:
    """Return the pairs taken in falling order of overlap, ties in order of prediction and reference."""
    chosen: list[tuple[int, int]] = []
    for (i, j), value in sorted(dice.items(), key=lambda pair: (-pair[1], pair[0])):
        if value > 0 and all(i != other and j != another for other, another in chosen):
            chosen.append((i, j))
    return chosen


def matchings(pairs: Sequence[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
    """Yield every set of pairs that uses each span at most once."""
    if not pairs:
        yield []
        return
    (i, j), rest = pairs[0], pairs[1:]
    yield from matchings(rest)
    for others in matchings([pair for pair in rest if pair[0] != i and pair[1] != j]):
        yield [(i, j), *others]


def best_matching(
    values: Mapping[tuple[int, int], tuple[float, float]], totals: tuple[float, float], measure: str
) -> list[tuple[int, int]]:
    """Return the matching with the greatest sum of values, or for MPP with the greatest F, then P + R, then P."""
    best: list[tuple[int, int]] = []
    reached = (-1.0, -1.0, -1.0)
    for chosen in matchings(list(values)):
        p, r = (sum(values[pair][side] for pair in chosen) for side in (0, 1))
        goals = (p, p, p)
        if measure == "MPP":
            precision, recall = p / totals[0] if totals[0] else 1.0, r / totals[1] if totals[1] else 1.0
            added = precision + recall
            goals = (2 * precision * recall / added if added else 0.0, added, precision)
        for goal, other in zip(goals, reached, strict=True):
            if goal > other + EQUAL:
                best, reached = chosen, goals
            if abs(goal - other) > EQUAL:
                break
    return best


def segment_many(
    predicted: Sequence[Span],
    gold: Sequence[Span],
    measure: str,
    matching: str,
    penalty: float,
    weights: Mapping[str, float] | None,
) -> Credits:
    """Return the credits of one segment without a matching: characters, or spans that touch, are counted."""
    totals = total(predicted, measure, weights), total(gold, measure, weights)
    if measure == "MP":
        return touching(predicted, gold, penalty), totals[0], touching(gold, predicted, penalty), totals[1]
    if measure == "EM":
        cells = [Counter((a, b, text, severity) for a, b, text, severity in side) for side in (predicted, gold)]
        places: list[dict[Place, Counter[str]]] = [defaultdict(Counter), defaultdict(Counter)]
        for side, counted in enumerate(cells):
            for (start, end, text, severity), n in counted.items():
                places[side][start, end, text][severity] += n
        credit = 0.0
        for place in set(places[0]) & set(places[1]):
            ours, theirs = places[0][place], places[1][place]
            exact = sum(min(n, theirs[severity]) for severity, n in ours.items())
            credit += exact + (1 - penalty) * (min(ours.total(), theirs.total()) - exact)
        return credit, totals[0], credit, totals[1]
    shares = character_shares(predicted, gold, 0.0 if weights else penalty, weights)
    credits = []
    for side, spans in enumerate((predicted, gold)):
        credit = 0.0
        for start, end, text, severity in spans:
            inside = sum(shares[side][text, at, severity] for at in range(start, end))
            if measure == "WMT25":
                credit += inside
            else:
                credit += inside / (end - start) * (weights[severity] if weights else 1.0)
        credits.append(credit)
    return credits[0], totals[0], credits[1], totals[1]


def touching(spans: Sequence[Span], others: Sequence[Span], penalty: float) -> float:
    """Return how many spans touch a span of the other side; only with another severity, they count less."""
    credit = 0.0
    for span in spans:
        severities = {other[3] for other in others if overlap(span, other)}
        credit += 1.0 if span[3] in severities else 1.0 - penalty if severities else 0.0
    return credit


def character_shares(
    predicted: Sequence[Span], gold: Sequence[Span], penalty: float, weights: Mapping[str, float] | None
) -> list[dict[Character, float]]:
    """Return the credited share of one span at each character, for predictions and references, by severity."""
    masses: list[dict[tuple[str, int], dict[str, float]]] = [defaultdict(lambda: defaultdict(float)) for _ in range(2)]
    for side, spans in enumerate((predicted, gold)):
        for start, end, text, severity in spans:
            for at in range(start, end):
                masses[side][text, at][severity] += weights[severity] if weights else 1.0
    shares: list[dict[Character, float]] = [{}, {}]
    for place in set(masses[0]) | set(masses[1]):
        counts = [dict(masses[side][place]) for side in (0, 1)]
        exact = {s: min(counts[0].get(s, 0.0), counts[1].get(s, 0.0)) for s in {*counts[0], *counts[1]}}
        left = [{s: n - exact[s] for s, n in counts[side].items()} for side in (0, 1)]
        mismatch = min(sum(left[0].values()), sum(left[1].values()))
        for side in (0, 1):
            whole = sum(left[side].values())
            for severity, n in counts[side].items():
                part = mismatch * left[side][severity] / whole if whole else 0.0
                shares[side][*place, severity] = (exact[severity] + (1 - penalty) * part) / n
    return shares


def reward(p: Span, g: Span, penalty: float, weights: Mapping[str, float] | None) -> float:
    """Return the factor of a pair: the lesser weight, or 1 less the penalty if severities differ."""
    if weights:
        return min(weights[p[3]], weights[g[3]])
    return 1.0 if p[3] == g[3] else 1.0 - penalty


def total(spans: Sequence[Span], measure: str, weights: Mapping[str, float] | None) -> float:
    """Return the greatest possible credit: the number of spans, their characters or their weights."""
    if measure == "WMT25":
        return float(sum(length(span) for span in spans))
    return sum(weights[span[3]] for span in spans) if weights else float(len(spans))


def overlap(p: Span, g: Span) -> int:
    """Return the number of characters that two spans share."""
    return max(0, min(p[1], g[1]) - max(p[0], g[0])) if p[2] == g[2] else 0


def same_place(p: Span, g: Span) -> bool:
    """Return whether two spans are equal apart from their severity."""
    return tuple(p[:3]) == tuple(g[:3])


def length(span: Span) -> int:
    """Return the number of characters of a span."""
    return int(span[1] - span[0])
