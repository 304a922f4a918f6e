"""Perturbations that put the wrong noun or pronoun into a clause of reason (ACES sections 5.8.3 and 5.12.5).

*He liked gel more than spray, because the spray made him feel nerdy*: the incorrect translation names the other noun or uses a
pronoun of the wrong gender. In English the parse finds the other noun. In other languages the columns `filler` (the noun phrase
in the clause) and `distractor` (the other noun phrase, in the right form) name both.
"""

from __future__ import annotations

import re

from assay.core.batch import Segment
from assay.core.perturbation import Perturbation, Perturbed, Refused, Rng, Tools
from assay.data.words import patterns
from assay.perturb.aces.pronoun import GUESSED, WRONG
from assay.perturb.cards import card_of, variant
from assay.perturb.language.sentence import parse_sentence
from assay.perturb.language.texts import find_word, first_reference, match_case, pick, replace_span, source_language

REASONS = patterns("clauses of reason")
"""Openings of clauses of reason, as regular expressions by language."""


_NEAR = 4
"""Maximum position of the pronoun in the clause, counted in words including the conjunction."""


def find_clause(text: str, language: str) -> int | None:
    """Return the position of the clause of reason; None if the text does not contain one or starts with it."""
    pattern = REASONS.get(language)
    match = re.search(pattern, text) if pattern else None
    return match.start() if match and match.start() > 8 else None


def remove_clause(text: str, language: str) -> str | None:
    """Return the text up to its clause of reason, with the final punctuation; None if there is no clause."""
    at = find_clause(text, language)
    if at is None:
        return None
    end = re.search(r"[.!?。]+[\"”»]?\s*$", text)
    return text[:at] + (end[0] if end else "")


class Commonsense(Perturbation):
    """Perturbation that replaces the noun in the clause of reason with the other noun in the sentence."""

    strips_source = False

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Put the other noun into the clause, and remove the clause from the reference (and the source)."""
        text = segment.hypothesis
        at = find_clause(text, language)
        if at is None:
            return Refused("no clause of reason")
        reference = remove_clause(first_reference(segment) or text, language)
        if reference is None:
            return Refused("no clause of reason in the reference")
        source = segment.source
        if self.strips_source:
            source = remove_clause(source or "", source_language(segment))
            if source is None:
                return Refused("no clause of reason in the source")
        pair = self._pair(segment, at, language, tools)
        if isinstance(pair, Refused):
            return pair
        start, end, new = pair
        return replace_span(text, start, end, new, source=source, reference=reference)

    def _pair(self, segment: Segment, at: int, language: str, tools: Tools) -> tuple[int, int, str] | Refused:
        text = segment.hypothesis
        filler, distractor = segment.meta.get("filler", ""), segment.meta.get("distractor", "")
        if filler and distractor:
            spans = [span for span in find_word(text, filler) if span[0] >= at]
            return (*spans[0], distractor) if spans else Refused("filler is not in the clause of reason")
        if language != "en":
            return Refused("needs the columns filler and distractor")
        sentence = parse_sentence(tools, text, "en")
        heads = [
            i for i in range(len(sentence)) if sentence.tags[i] in ("NN", "NNS") and sentence.deps[i] != "compound"
        ]
        main = {sentence.lower[i]: i for i in heads if sentence.starts[i] < at}
        for i in heads:
            others = [
                j for word, j in main.items() if word != sentence.lower[i] and sentence.tags[j] == sentence.tags[i]
            ]
            if sentence.starts[i] >= at and sentence.lower[i] in main and others and sentence.lower[i - 1] == "the":
                return sentence.starts[i], sentence.ends[i], sentence.words[others[-1]].lower()
        return Refused("the clause does not repeat one of two nouns of the main clause")

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that the change is in the clause and that the clause is missing from the reference."""
        problems = super().problems(segment, perturbed, language, tools)
        at = find_clause(segment.hypothesis, language)
        if at is None or perturbed.changes[0].start < at:
            problems.append("the change is not in the clause of reason")
        if find_clause(perturbed.reference or "", language) is not None:
            problems.append("the reference still has the clause")
        return problems


OnlyReferenceAmbiguous = variant(Commonsense, "commonsense-only-ref-ambiguous")
SourceAndReferenceAmbiguous = variant(Commonsense, "commonsense-src-and-ref-ambiguous", strips_source=True)


class Coreference(Perturbation):
    """Perturbation that replaces the pronoun in a clause of reason with one of another gender, or with the column `distractor`."""

    card = card_of("coreference-based-on-commonsense")

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Find *because it …* in an English source and a single pronoun in the corresponding clause of the translation."""
        if language not in WRONG:
            return Refused(f"no list of pronouns for {language}")
        if source_language(segment) == "en" and not re.search(r"\b(?:because|since|as) it\b", segment.source or ""):
            return Refused("no 'because it' in the source")
        if segment.source and re.search(
            r"\b(?:because|since|as) it(?:['’]s| is| was| would be| seems)? \w+ (?:that|to)\b", segment.source
        ):
            return Refused("a pleonastic it")
        text, at = segment.hypothesis, find_clause(segment.hypothesis, language)
        if at is None:
            return Refused("no clause of reason")
        forms = "|".join(WRONG[language])
        spans = list(re.finditer(rf"(?<!\w)(?:{forms})(?!\w)", text[at:]))
        if not spans or len(text[at : at + spans[0].start()].split()) > _NEAR:
            return Refused("no pronoun at the beginning of the clause of reason")
        if spans[0][0] in ("es", "il") and not segment.meta.get("distractor"):
            return Refused("es and il may be impersonal")
        start, end = spans[0].start() + at, spans[0].end() + at
        new = segment.meta.get("distractor") or pick(WRONG[language][text[start:end].lower()], rng)
        new = match_case(new, text[start:end])
        result = replace_span(text, start, end, new)
        return result if segment.meta.get("distractor") else result.with_confidence(parse=GUESSED)
