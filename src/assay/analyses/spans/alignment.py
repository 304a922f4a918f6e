"""Alignment of gold and predicted error spans on the same translations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from assay.core.campaign import Campaign, Cell, JudgedText
from assay.core.errors import InputError, count
from assay.core.schema import shorten
from assay.core.spans import ErrorSpan
from assay.stats.spans import Span

Marks = Mapping[Cell, Sequence[ErrorSpan]]
"""Spans of each translation."""


@dataclass(frozen=True)
class AlignedSpans:
    """One row per gold judgement: its translation, its spans, and every prediction's spans for it (target side)."""

    cells: Sequence[Cell]
    lengths: Sequence[int]
    gold: Sequence[Sequence[ErrorSpan]]
    predicted: Mapping[str, Sequence[Sequence[ErrorSpan]]]

    @property
    def langpairs(self) -> dict[str, list[int]]:
        """Rows of each language pair."""
        rows: dict[str, list[int]] = {}
        for row, cell in enumerate(self.cells):
            rows.setdefault(cell.langpair, []).append(row)
        return rows


def predictions_of(campaign: Campaign, name: str) -> dict[str, Marks]:
    """Return the predictions in a file: one called `name`, or one per annotator if there are several."""
    by_rater: dict[str, dict[Cell, Sequence[ErrorSpan]]] = {}
    for cell, judgement in campaign.each():
        by_rater.setdefault(judgement.rater, {})[cell] = judgement.spans
    return {name if len(by_rater) == 1 else rater: spans for rater, spans in by_rater.items()}


def with_gold_names(predicted: Campaign, gold: Campaign) -> Campaign:
    """Return the prediction with the gold's language pair and system, if one side omits them and each has only one."""

    def changed(position: int) -> dict[str, str]:
        theirs, ours = ({cell[position] for cell in side.judgements} for side in (predicted, gold))
        one_each = len(theirs) == len(ours) == 1 and "" in theirs | ours
        return dict(zip(theirs, ours, strict=True)) if one_each else {}

    pairs, systems = changed(0), changed(1)
    if not pairs and not systems:
        return predicted

    def cell_of(cell: Cell) -> Cell:
        return Cell(pairs.get(cell.langpair, cell.langpair), systems.get(cell.system, cell.system), cell.segment)

    return replace(
        predicted,
        judgements={cell_of(cell): cell_judgements for cell, cell_judgements in predicted.judgements.items()},
        texts={cell_of(cell): text for cell, text in predicted.texts.items()},
    )


def match_translations(predicted: Campaign, gold: Campaign) -> Campaign:
    """Return the prediction under the names of the gold translations, matched by name or else by language pair and texts.

    A prediction for a text that several translations share applies to each of them. Numbers that were assigned by counting do
    not match names on the other side.
    """
    named = predicted.counted == gold.counted
    judgements = {
        c: cell_judgements for c, cell_judgements in predicted.judgements.items() if named and c in gold.judgements
    }
    others = [cell for cell in predicted.judgements if cell not in judgements]
    if not others:
        return predicted
    by_name, texts = set(judgements), {cell: predicted.texts[cell] for cell in judgements if cell in predicted.texts}
    pairs = {cell.langpair for cell in (*gold.judgements, *predicted.judgements)} - {""}
    alike: dict[tuple[str, str | None], list[Cell]] = {}
    for cell in gold.judgements:
        alike.setdefault((cell.langpair if len(pairs) > 1 else "", _text_of(gold, cell).text), []).append(cell)
    for cell in others:
        own_text = _text_of(predicted, cell)
        for gold_cell in (
            alike.get((cell.langpair if len(pairs) > 1 else "", own_text.text), ()) if own_text.text is not None else ()
        ):
            gold_text = _text_of(gold, gold_cell)
            if gold_cell in by_name or (
                None not in (own_text.source, gold_text.source) and own_text.source != gold_text.source
            ):
                continue
            if judgements.setdefault(gold_cell, predicted.judgements[cell]) != predicted.judgements[cell]:
                raise InputError(
                    f"{predicted.name} has different spans for the same translation ({gold_cell}). Use the segment names from "
                    f"{gold.name} in it."
                )
            texts[gold_cell] = gold_text
    return replace(predicted, judgements=judgements, texts=texts) if len(judgements) > len(by_name) else predicted


def _text_of(campaign: Campaign, cell: Cell) -> JudgedText:
    return campaign.texts.get(cell) or JudgedText()


def check_texts(predicted: Campaign, gold: Campaign) -> None:
    """Reject a prediction for texts that differ from the gold texts, because its offsets would refer to other characters."""
    for cell, theirs in predicted.texts.items():
        ours = gold.texts.get(cell)
        if ours is not None and theirs.text != ours.text:
            raise InputError(
                f"{predicted.name} and {gold.name} have different translations for {cell}: "
                f"{shorten(theirs.text)} and {shorten(ours.text)}. Spans can be compared only on identical text."
            )


def align(gold: Campaign, predicted: Mapping[str, Marks], *, common: bool = False) -> AlignedSpans:
    """Align every gold judgement with every prediction.

    A prediction must cover all judged translations. With `common`, only the translations that all predictions cover are
    used.
    """
    judged = [cell for cell in gold.judgements if (cell.langpair, cell.system) not in gold.standard]
    for name, marks in predicted.items():
        missing = [cell for cell in judged if cell not in marks]
        if len(missing) == len(judged):
            first = next(iter(marks), None)
            raise InputError(
                f"{name} contains none of the {len(judged):,} judged translations of {gold.name}. Langpair, system and "
                "segment must "
                f"match ({judged[0] if judged else 'none'!s} there, {first} here)."
            )
        if missing and not common:
            raise InputError(
                f"{name} does not cover {len(missing):,} of {count(len(judged), 'judged translation')} (first: {missing[0]}). "
                "Add an empty list for translations without errors, or compare the common translations with --common."
            )
    covered = [cell for cell in judged if all(cell in marks for marks in predicted.values())]
    rows = [(cell, judgement) for cell in covered for judgement in gold.judgements[cell]]
    if not rows:
        raise InputError(f"no judged translation of {gold.name} is covered by all predictions.")
    if not any(span.severity != "neutral" for _, judgement in rows for span in on_target(judgement.spans)):
        raise InputError(
            f"{gold.name} marks no error in {count(len(covered), 'translation')}, so there is nothing to evaluate."
        )
    return AlignedSpans(
        [cell for cell, _ in rows],
        [len(gold.texts[cell].text or "") for cell, _ in rows],
        [on_target(judgement.spans) for _, judgement in rows],
        {name: [on_target(marks[cell]) for cell, _ in rows] for name, marks in predicted.items()},
    )


def on_target(spans: Sequence[ErrorSpan]) -> list[ErrorSpan]:
    """Return the spans in the translation."""
    return [span for span in spans if span.side == "target"]


def as_tuples(spans: Sequence[ErrorSpan]) -> list[Span]:
    """Return spans as tuples for the statistics."""
    return [(span.start, span.end, span.severity) for span in spans]
