"""Phenomena that only people can write, made into items from columns that people fill in.

Every class names the columns it needs; without them it refuses and says which. ACES wrote these sets by hand or took them
from annotated corpora (XNLI, PIE, FLORES post-editing).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.core.batch import Segment
from assay.core.perturbation import Change, Perturbation, Perturbed, Refused, Tools
from assay.perturb.cards import card_of
from assay.perturb.language.texts import ngram_overlap, reference_of, word_at

if TYPE_CHECKING:
    import numpy as np

_ALIKE = 0.5
"""Least chrF between premise and hypothesis (ACES section 5.6.3)."""
_HIGH = {
    "es": 9,
    "fr": 9,
    "de": 9,
    "it": 8,
    "pt": 8,
    "ru": 9,
    "zh": 9,
    "ja": 9,
    "en": 10,
    "cs": 6,
    "hi": 6,
    "ar": 8,
    "tr": 7,
}
"""Rough order of resources; languages not listed are low (5). As in ACES, Czech and Hindi stand above Polish and Marathi."""


class MeaningError(Perturbation):
    """The other half of a premise and hypothesis pair in place of the translation (columns `partner`, `partner_is`, `label`)."""

    label = "contradiction"
    partner_is = "premise"

    def perturb(self, segment: Segment, language: str, rng: np.random.Generator, tools: Tools) -> Perturbed | Refused:
        """Use the partner where label, direction and overlap fit."""
        meta = segment.meta
        partner, label, kind = (meta.get(name, "") for name in ("partner", "label", "partner_is"))
        if not partner or not label or not kind:
            return Refused("needs the columns partner, partner_is (premise or hypothesis) and label")
        if label != self.label or kind != self.partner_is:
            return Refused(f"the partner is a {kind}, the label {label}")
        reference = reference_of(segment)
        if reference is None:
            return Refused("no reference")
        if ngram_overlap(partner, reference) < _ALIKE:
            return Refused("premise and hypothesis are not much alike")
        return Perturbed((Change(0, len(segment.hypothesis), partner),), f"{label}: {kind}", {"label": label})

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """The incorrect text is the partner and not the reference."""
        found = super().problems(segment, perturbed, language, tools)
        if perturbed.incorrect(segment) in segment.references:
            found.append("the incorrect text is the reference")
        return found


class AdditionContradiction(MeaningError):
    """The premise in place of a hypothesis that contradicts it."""

    card = card_of("xnli-addition-contradiction")
    label, partner_is = "contradiction", "premise"


class AdditionNeutral(MeaningError):
    """The premise in place of a hypothesis that does not follow from it."""

    card = card_of("xnli-addition-neutral")
    label, partner_is = "neutral", "premise"


class OmissionContradiction(MeaningError):
    """The hypothesis in place of the premise it contradicts."""

    card = card_of("xnli-omission-contradiction")
    label, partner_is = "contradiction", "hypothesis"


class OmissionNeutral(MeaningError):
    """The hypothesis in place of the premise it does not follow from."""

    card = card_of("xnli-omission-neutral")
    label, partner_is = "neutral", "hypothesis"


class SimilarLanguage(Perturbation):
    """A translation into a similar language in place of the right one (columns `similar`, `similar_language`)."""

    higher = True

    def perturb(self, segment: Segment, language: str, rng: np.random.Generator, tools: Tools) -> Perturbed | Refused:
        """Use the text in the similar language, where the languages stand in the right order of resources."""
        similar, other = segment.meta.get("similar", ""), segment.meta.get("similar_language", "")
        if not similar.strip() or not other:
            return Refused("needs the columns similar (a reference in a similar language) and similar_language")
        if other == language:
            return Refused("the similar language is the target language")
        if (_HIGH.get(language, 5) >= _HIGH.get(other, 5)) != self.higher:
            return Refused(
                "the target language has fewer resources" if self.higher else "the target language has more resources"
            )
        change = Change(0, len(segment.hypothesis), similar)
        return Perturbed((change,), f"{language} -> {other}", {"language": other})


class SimilarLanguageHigh(SimilarLanguage):
    """The target has more resources than the wrong language."""

    card = card_of("similar-language-high")
    higher = True


class SimilarLanguageLow(SimilarLanguage):
    """The target has fewer resources than the wrong language."""

    card = card_of("similar-language-low")
    higher = False


class GivenWord(Perturbation):
    """A wrong word or phrase that a person wrote (`column`) over the right one (`right`)."""

    column = "literal"
    right = "target_word"
    in_reference: bool | None = None

    def perturb(self, segment: Segment, language: str, rng: np.random.Generator, tools: Tools) -> Perturbed | Refused:
        """Replace the right phrase by the wrong one."""
        wrong, right = segment.meta.get(self.column, ""), segment.meta.get(self.right, "")
        if not wrong or not right:
            return Refused(f"needs the columns {self.right} (in the translation) and {self.column}")
        places = word_at(segment.hypothesis, right)
        if not places:
            return Refused(f"{self.right} does not stand in the translation")
        if self.in_reference is not None and bool(word_at(reference_of(segment) or "", right)) != self.in_reference:
            return Refused("the reference does not have it" if self.in_reference else "the reference has it too")
        start, end = places[0]
        return Perturbed((Change(start, end, wrong),), f"{right} -> {wrong}", {"old": right, "new": wrong})

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """One place differs, and it is the one that was named."""
        found = super().problems(segment, perturbed, language, tools)
        change = perturbed.changes[0]
        if segment.hypothesis[change.start : change.end] != segment.meta.get(self.right):
            found.append("another phrase was replaced than the one named")
        return found


class LiteralVersusReference(GivenWord):
    """An overly literal word over the reference's word."""

    card = card_of("overly-literal-vs-ref-word")
    in_reference = True


class LiteralVersusSynonym(GivenWord):
    """An overly literal word over a synonym of the reference's word."""

    card = card_of("overly-literal-vs-synonym")
    in_reference = False


class LiteralVersusIdiom(GivenWord):
    """A literal rendering over the right idiom; the reference explains."""

    card = card_of("overly-literal-vs-correct-idiom")
    right = "idiom"


class LiteralVersusExplanation(GivenWord):
    """A literal rendering over an explanation; the reference has the idiom."""

    card = card_of("overly-literal-vs-explanation")
    right = "explanation"
