"""SMAUG perturbations (Alves et al. 2022; xCOMET section 7.1 and appendix C), except swapped numbers and names.

SMAUG generates text with a large language model. Here, an inserted text is a short sentence from the same corpus. If the option
`model` specifies the folder of a masked language model, it fills masked spans. Otherwise they are filled with n-grams from the
corpus that occurred between the same neighbours.
"""

from __future__ import annotations

import functools
import importlib.util
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assay.core.batch import Segment
from assay.core.errors import InputError, MissingPart
from assay.core.perturbation import Change, Perturbation, Perturbed, Refused, Rng, Tools
from assay.data.words import patterns
from assay.perturb.cards import card_of
from assay.perturb.demetr.clauses import Negation
from assay.perturb.hallucinations import word_overlap
from assay.perturb.language.hash_ring import draw_text, word_ring
from assay.perturb.language.texts import delete_span, first_reference, is_spaceless, pick, replace_span, target_language

_SENTENCE_END = re.compile(r"[.!?。！？][\"”»]?\s+(?=\S)|[。！？]")
_BY_MODEL, _BY_NEIGHBOURS = 0.8, 0.6
"""Confidence that a filling is fluent: chosen by a model, or found between the same two words."""
NEGATIONS = patterns("negations")
"""Negations that can be removed without breaking the sentence, as regular expressions by language."""


class TextInserted(Perturbation):
    """Perturbation that inserts a short sentence from the corpus at a sentence boundary."""

    card = card_of("text-inserted")

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Draw another segment of at most 80 characters and a position."""
        text = segment.hypothesis
        if not text.strip():
            return Refused("empty translation")
        target = target_language(segment)
        pool = [
            other.hypothesis.strip()
            for other in tools.others()
            if target_language(other) == target
            and 10 <= len(other.hypothesis) <= 80
            and re.search(r"[.!?。！？]$", other.hypothesis.strip())
        ]
        around = word_ring(tuple(pool))
        options = [around.draw(rng) for _ in range(10)] if pool else []
        new = next((other for other in options if other not in text and word_overlap(other, text) < 0.5), None)
        if new is None:
            return Refused("no short sentence in the corpus to insert")
        positions = [0, *(match.end() for match in _SENTENCE_END.finditer(text) if match.end() < len(text))]
        at = pick(positions, rng)
        gap = "" if is_spaceless(language) else " "
        return Perturbed((Change(at, at, new + gap),), f"inserted: {new}", {"new": new})

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that text was only inserted, and that the reference does not contain it."""
        problems = super().problems(segment, perturbed, language, tools)
        change = perturbed.changes[0]
        if change.start != change.end:
            problems.append("something was replaced")
        if change.text.strip() in (first_reference(segment) or ""):
            problems.append("the reference has the text")
        return problems


class NegationChanged(Perturbation):
    """Perturbation that changes the polarity: as in DEMETR 8 in English, by removing a negation in other languages."""

    card = card_of("negation-changed")

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        if language == "en":
            return Negation().perturb(segment, language, rng, tools)
        pattern = NEGATIONS.get(language)
        if pattern is None:
            return Refused(f"no negation words for {language}")
        text = segment.hypothesis
        edges = ("", "") if is_spaceless(language) else (r"(?<![\w-])", r"(?![\w-])")
        spans = [match.span() for match in re.finditer(f"{edges[0]}(?:{pattern}){edges[1]}", text)]
        spans = [
            span
            for span in spans
            if not re.match(r" (?:nur|solo|sólo|só|только|tylko|sondern|quin)\b", text[span[1] :])
        ]
        if len(spans) != 1:
            return Refused("not exactly one negation word")
        start, end = spans[0]
        return Perturbed((delete_span(text, start, end),), f"{text[start:end]} removed", {"old": text[start:end]})


class MaskFilled(Perturbation):
    """Perturbation that replaces one to three words with others that fit between their neighbours."""

    card = card_of("mask-filled")

    def __init__(self, model: str = "") -> None:
        if model:
            _check_model(model)
        self.model = model

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Draw a span inside the sentence and fill it."""
        text = segment.hypothesis
        words = tools.get("words", language)(text)
        if len(words) < 5:
            return Refused("fewer than five words")
        for _ in range(12):
            size = int(rng.integers(1, 4))
            first = int(rng.integers(1, max(2, len(words) - size)))
            if first + size >= len(words):
                continue
            start, end = words[first][0], words[first + size - 1][1]
            left, right = text[slice(*words[first - 1])], text[slice(*words[first + size])]
            old = text[start:end]
            if not old.replace(" ", "").isalpha():
                continue
            new = self._filled(text, start, end, left, right, rng, tools, language)
            if new and new.lower() != old.lower():
                result = replace_span(text, start, end, new)
                return result.with_confidence(fluency=_BY_MODEL if self.model else _BY_NEIGHBOURS)
        nothing = "the model has no other word for a place in the sentence"
        return Refused(nothing if self.model else "nothing in the corpus fits between two words of the sentence")

    def _filled(
        self, text: str, start: int, end: int, left: str, right: str, rng: Rng, tools: Tools, language: str
    ) -> str | None:
        if self.model:
            filled: str | None = _masked_model(self.model)(text[:start], text[end:], rng)
            return filled
        between = _ngrams(tuple(o.hypothesis for o in tools.others()), tools.get("words", language))
        options = [
            new for new in between.get((left.lower(), right.lower()), ()) if new.lower() != text[start:end].lower()
        ]
        return draw_text(options, rng) if options else None

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that one span was replaced by other words."""
        problems = super().problems(segment, perturbed, language, tools)
        if len(perturbed.changes) != 1 or not perturbed.changes[0].text.strip():
            problems.append("there must be exactly one filled span")
        return problems


def _ngrams(texts: tuple[str, ...], words: Any) -> dict[tuple[str, str], list[str]]:
    """Return the distinct fillings of one to three words that occur between each pair of words in the corpus."""
    key = hash(texts)
    if key not in _tables:
        _tables.clear()
        table: dict[tuple[str, str], dict[str, None]] = {}
        for text in texts:
            spans = words(text)
            for i in range(len(spans)):
                for size in (1, 2, 3):
                    if i + size + 1 >= len(spans):
                        break
                    new = text[spans[i + 1][0] : spans[i + size][1]]
                    if new.replace(" ", "").isalpha():
                        ends = text[slice(*spans[i])].lower(), text[slice(*spans[i + size + 1])].lower()
                        table.setdefault(ends, {})[new] = None
        _tables[key] = {ends: list(fillings) for ends, fillings in table.items()}
    return _tables[key]


_tables: dict[int, dict[tuple[str, str], list[str]]] = {}


def _check_model(folder: str) -> None:
    """Raise an error before anything is made if a masked language model cannot be used."""
    for package in ("torch", "transformers"):
        if importlib.util.find_spec(package) is None:
            raise MissingPart(
                f"filling masks with a model needs the package {package!r}: pip install 'mt-assay[neural]' transformers."
            )
    if not Path(folder, "config.json").is_file():
        raise InputError(f"{folder!r} is not the folder of a masked language model: it has no config.json.")


@functools.lru_cache(maxsize=1)
def _masked_model(folder: str) -> Any:
    """Return a function that fills one mask between two texts with one of the model's six most likely words."""
    import transformers

    try:
        fill: Any = transformers.pipeline("fill-mask", model=folder, top_k=6)
    except (OSError, ValueError, KeyError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"{folder!r} could not be read as a masked language model: {reason}") from error

    def filled(before: str, after: str, rng: Rng) -> str | None:
        options: Sequence[Any] = fill(f"{before}{fill.tokenizer.mask_token}{after}")
        words = [str(option["token_str"]).strip() for option in options]
        words = [word for word in words if word.isalpha()]
        return pick(words, rng) if words else None

    return filled
