"""Gold and predicted error spans of the same translations, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from assay.core.campaign import Campaign, Cell, JudgedText
from assay.core.errors import InputError, count
from assay.core.schema import shorten
from assay.core.spans import ErrorSpan
from assay.stats.spans import Span

Marks = Mapping[Cell, Sequence[ErrorSpan]]
"""The spans of each translation."""


@dataclass(frozen=True)
class AlignedSpans:
    """One row for each gold judgement: its translation, its spans, and what every prediction marked there (target side)."""

    cells: Sequence[Cell]
    lengths: Sequence[int]
    gold: Sequence[Sequence[ErrorSpan]]
    predicted: Mapping[str, Sequence[Sequence[ErrorSpan]]]

    @property
    def langpairs(self) -> dict[str, list[int]]:
        """The rows of each language pair."""
        found: dict[str, list[int]] = {}
        for row, cell in enumerate(self.cells):
            found.setdefault(cell.langpair, []).append(row)
        return found


def predictions_of(campaign: Campaign, name: str) -> dict[str, Marks]:
    """The predictions in a file: one called `name`, or one for each annotator where several took part."""
    by_rater: dict[str, dict[Cell, Sequence[ErrorSpan]]] = {}
    for cell, judgement in campaign.each():
        by_rater.setdefault(judgement.rater, {})[cell] = judgement.spans
    return {name if len(by_rater) == 1 else rater: spans for rater, spans in by_rater.items()}


def with_gold_names(predicted: Campaign, gold: Campaign) -> Campaign:
    """The prediction with the language pair and the system of the gold, where one side does not say and there is but one."""

    def changed(place: int) -> dict[str, str]:
        theirs, ours = ({cell[place] for cell in side.judgements} for side in (predicted, gold))
        one_each = len(theirs) == len(ours) == 1 and "" in theirs | ours
        return dict(zip(theirs, ours, strict=True)) if one_each else {}

    pairs, systems = changed(0), changed(1)
    if not pairs and not systems:
        return predicted

    def cell_of(cell: Cell) -> Cell:
        return Cell(pairs.get(cell.langpair, cell.langpair), systems.get(cell.system, cell.system), cell.segment)

    return replace(
        predicted,
        judgements={cell_of(cell): found for cell, found in predicted.judgements.items()},
        texts={cell_of(cell): text for cell, text in predicted.texts.items()},
    )


def match_translations(predicted: Campaign, gold: Campaign) -> Campaign:
    """The prediction under the names of the gold's translations: by their own names, else by language pair and texts.

    A prediction about a text that several translations share is about each of them. Counted numbers name nothing where the other
    side has names.
    """
    named = predicted.counted == gold.counted
    judgements = {c: found for c, found in predicted.judgements.items() if named and c in gold.judgements}
    others = [cell for cell in predicted.judgements if cell not in judgements]
    if not others:
        return predicted
    own, texts = set(judgements), {cell: predicted.texts[cell] for cell in judgements if cell in predicted.texts}
    pairs = {cell.langpair for cell in (*gold.judgements, *predicted.judgements)} - {""}
    alike: dict[tuple[str, str | None], list[Cell]] = {}
    for cell in gold.judgements:
        alike.setdefault((cell.langpair if len(pairs) > 1 else "", _text_of(gold, cell).text), []).append(cell)
    for cell in others:
        said = _text_of(predicted, cell)
        for place in (
            alike.get((cell.langpair if len(pairs) > 1 else "", said.text), ()) if said.text is not None else ()
        ):
            theirs = _text_of(gold, place)
            if place in own or (None not in (said.source, theirs.source) and said.source != theirs.source):
                continue
            if judgements.setdefault(place, predicted.judgements[cell]) != predicted.judgements[cell]:
                raise InputError(
                    f"{predicted.name} says different things about the same translation ({place}): give it the segment names of "
                    f"{gold.name}."
                )
            texts[place] = theirs
    return replace(predicted, judgements=judgements, texts=texts) if len(judgements) > len(own) else predicted


def _text_of(campaign: Campaign, cell: Cell) -> JudgedText:
    return campaign.texts.get(cell) or JudgedText()


def check_texts(predicted: Campaign, gold: Campaign) -> None:
    """Refuse a prediction about other texts than the gold's: offsets would mean other characters."""
    for cell, theirs in predicted.texts.items():
        ours = gold.texts.get(cell)
        if ours is not None and theirs.text != ours.text:
            raise InputError(
                f"{predicted.name} and {gold.name} have different translations for {cell}: "
                f"{shorten(theirs.text)} and {shorten(ours.text)}. Spans can be compared on the same text only."
            )


def align(gold: Campaign, predicted: Mapping[str, Marks], *, common: bool = False) -> AlignedSpans:
    """Every gold judgement beside every prediction. A prediction must cover all judged translations, unless `common`
    keeps to those that all of them cover."""
    wanted = [cell for cell in gold.judgements if (cell.langpair, cell.system) not in gold.standard]
    for name, marks in predicted.items():
        missing = [cell for cell in wanted if cell not in marks]
        if len(missing) == len(wanted):
            first = next(iter(marks), None)
            raise InputError(
                f"{name} has none of the {len(wanted):,} judged translations of {gold.name}: langpair, system and segment must "
                f"match ({wanted[0] if wanted else 'none'!s} there, {first} here)."
            )
        if missing and not common:
            raise InputError(
                f"{name} says nothing about {len(missing):,} of {count(len(wanted), 'judged translation')} (first: {missing[0]}): "
                "give an empty list where it found no error, or --common compares what all have."
            )
    kept = [cell for cell in wanted if all(cell in marks for marks in predicted.values())]
    rows = [(cell, judgement) for cell in kept for judgement in gold.judgements[cell]]
    if not rows:
        raise InputError(f"no judged translation of {gold.name} is covered by all predictions.")
    if not any(span.severity != "neutral" for _, judgement in rows for span in on_target(judgement.spans)):
        raise InputError(f"{gold.name} marks no error in {count(len(kept), 'translation')}: there is nothing to find.")
    return AlignedSpans(
        [cell for cell, _ in rows],
        [len(gold.texts[cell].text or "") for cell, _ in rows],
        [on_target(judgement.spans) for _, judgement in rows],
        {name: [on_target(marks[cell]) for cell, _ in rows] for name, marks in predicted.items()},
    )


def on_target(spans: Sequence[ErrorSpan]) -> list[ErrorSpan]:
    """The spans that lie in the translation."""
    return [span for span in spans if span.side == "target"]


def as_tuples(spans: Sequence[ErrorSpan]) -> list[Span]:
    """Spans as the statistics take them."""
    return [(span.start, span.end, span.severity) for span in spans]
