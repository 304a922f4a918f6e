"""Perturbations that omit or add a constituent (ACES section 5.1).

A constituent is a phrase that can be left out of the sentence. In English these are prepositional phrases, relative and
adverbial clauses, appositions and modifiers, found by the parse. In other languages they are text in parentheses and relative
clauses between commas.

Omission removes one from the translation. Addition reverses the pair if source and reference can lose the constituent too
(parentheses, or the column `partial_source`). Otherwise it adds a phrase that is not in the source.
"""

from __future__ import annotations

import re

from assay.core.batch import Segment
from assay.core.perturbation import Change, Perturbation, Perturbed, Refused, Rng, Tools
from assay.data.words import lists, patterns
from assay.perturb.cards import card_of
from assay.perturb.language.sentence import Sentence, parse_sentence
from assay.perturb.language.texts import delete_span, first_reference, pick

Span = tuple[int, int]

RELATIVES = patterns("relative pronouns")
_STARTS, _GAPS = {"en": " ", "zh": "，"}, {"zh": "，"}
"""Separators before an added phrase and between two phrases; the defaults are a comma with a space, and a space."""


def _combine_phrases() -> dict[str, tuple[str, ...]]:
    phrases = lists("additions")
    added = {}
    for language in dict.fromkeys(key.split()[0] for key in phrases):
        start, gap = _STARTS.get(language, ", "), _GAPS.get(language, " ")
        added[language] = tuple(
            start + phrase
            for first in phrases[f"{language} first"]
            for phrase in (first, *(first + gap + second for second in phrases[f"{language} second"]))
        )
    return added


ADDED = _combine_phrases()
"""All phrases in a language, in the form in which they are appended to a sentence."""
_PARENTHESES = re.compile(r"\s?[(（][^()（）]{2,80}[)）]")


def find_constituents(text: str, language: str, tools: Tools) -> list[Span]:
    """Return the spans that can be left out of the text."""
    spans = [match.span() for match in _PARENTHESES.finditer(text) if match.start() > 0]
    if language == "en":
        return [*spans, *_find_english(parse_sentence(tools, text, "en"))]
    relative = RELATIVES.get(language)
    if relative:
        preposition = r"(?:\w{1,5} )?"
        pattern = re.compile(rf"(?<=\w), {preposition}{relative} [^,.;:!?«»„“\"()–—]{{8,90}}(?=,)")
        for match in pattern.finditer(text):
            last = re.match(r", (?:und|et|y|e|i|и|a)\b", text[match.end() :])
            spans.append((match.start(), match.end() if last else match.end() + 1))
    return spans


def _find_english(sentence: Sentence) -> list[Span]:
    kinds = ("prep", "relcl", "advcl", "appos", "amod", "advmod", "npadvmod", "acl")
    spans = []
    for i, dep in enumerate(sentence.deps):
        first, last = sentence.edges[i]
        length = last - first + 1
        if dep not in kinds or length > 12 or first == 0 or length > len(sentence) // 2:
            continue
        if sentence.lower[i] in ("not", "never", "no", "more", "less", "of", "as", "than") or (
            sentence.deps[sentence.heads[i]] == "ROOT" and dep == "prep" and length < 3
        ):
            continue
        if dep == "prep" and sentence.lower[first] in ("of", "to", "by", "than", "as"):
            continue
        inner = list(range(first, last + 1))
        if any(sentence.heads[j] in inner for j in range(len(sentence)) if not first <= j <= last):
            continue
        if sentence.lower[first - 1] in ("a", "an", "-", "very", "most") or (
            last + 1 < len(sentence) and sentence.words[last + 1] == "-"
        ):
            continue
        start, end = sentence.starts[first], sentence.ends[last]
        if sentence.words[first - 1] == "," and last + 1 < len(sentence) and sentence.words[last + 1] in (",", "."):
            start = sentence.starts[first - 1]
            end += 1 if sentence.words[last + 1] == "," else 0
        spans.append((start, end))
    return spans


class Omission(Perturbation):
    """Perturbation that leaves one constituent out."""

    card = card_of("constituent-omitted")

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Delete one random constituent."""
        text = segment.hypothesis
        spans = [span for span in find_constituents(text, language, tools) if 2 * (span[1] - span[0]) < len(text) - 2]
        if not spans:
            return Refused("no phrase that can be left out")
        start, end = pick(spans, rng)
        change = delete_span(text, start, end)
        old = text[start:end].strip()
        return Perturbed((change,), f"left out: {old}", {"old": old})

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that at most half of the text was removed, nothing was added, and no double space remains."""
        problems = super().problems(segment, perturbed, language, tools)
        incorrect = perturbed.incorrect(segment)
        if any(change.text for change in perturbed.changes):
            problems.append("something was added")
        if len(incorrect) * 2 < len(segment.hypothesis):
            problems.append("more than half of the text was removed")
        if "  " in incorrect and "  " not in segment.hypothesis:
            problems.append("a double space is left")
        return problems


class Addition(Perturbation):
    """Perturbation that adds a constituent that is not in the source."""

    card = card_of("constituent-added")

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Reverse the pair as in ACES if source and reference can lose the constituent; otherwise add a listed phrase."""
        turned = self._reverse_pair(segment, language, rng, tools)
        if turned is not None:
            return turned
        text = segment.hypothesis
        if language not in ADDED:
            return Refused(f"no phrases to add for {language} and none to take from the source")
        end = re.search(r"[.。!?](?=[\"”»]?\s*$)", text)
        if end is None or end[0] not in ".。" or re.search(r"\b\w\.$", text[: end.end()]):
            return Refused("no full stop at the end")
        phrase = pick(ADDED[language], rng)
        return Perturbed((Change(end.start(), end.start(), phrase),), f"added: {phrase.strip(' ,，')}", {"new": phrase})

    @staticmethod
    def _reverse_pair(segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | None:
        """Return an item whose good translation, reference and source all lack a constituent (section 5.1)."""
        text, reference, partial = segment.hypothesis, first_reference(segment), segment.meta.get("partial_source")
        if reference is None or not segment.source:
            return None
        if not partial:
            parentheses = list(_PARENTHESES.finditer(segment.source))
            partial = _PARENTHESES.sub("", segment.source) if len(parentheses) == 1 else None
            options = [match.span() for match in _PARENTHESES.finditer(text) if match.start() > 0]
            if partial is None or len(options) != 1:
                return None
        else:
            options = find_constituents(text, language, tools)
        options = [span for span in options if text[slice(*span)].strip() in reference]
        if not options:
            return None
        start, end = pick(options, rng)
        old = text[start:end].strip()
        cut = delete_span(text, start, end)
        good = text[: cut.start] + text[cut.end :]
        at = reference.index(old)
        gone = delete_span(reference, at, at + len(old))
        change = Change(cut.start, cut.start, text[cut.start : cut.end])
        return Perturbed(
            (change,),
            f"added: {old}",
            {"new": old},
            good=good,
            source=partial,
            reference=reference[: gone.start] + reference[gone.end :],
        )

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that text was only inserted and that the reference does not contain it."""
        problems = super().problems(segment, perturbed, language, tools)
        change = perturbed.changes[0]
        if change.start != change.end or not change.text.strip():
            problems.append("nothing was inserted, or something was replaced")
        if len(change.text.strip(" ,.()")) > 3 and change.text.strip() in (
            perturbed.reference or first_reference(segment) or ""
        ):
            problems.append("the reference has the addition")
        return problems
