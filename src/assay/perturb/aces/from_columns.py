"""Perturbations that take a human-written error from columns in the corpus.

Each class names the columns that it needs and refuses rows without them. The ACES authors wrote these sets by hand or took them
from annotated corpora (XNLI, PIE, FLORES post-editing).
"""

from __future__ import annotations

from assay.core.batch import Segment
from assay.core.perturbation import Change, Perturbation, Perturbed, Refused, Rng, Tools
from assay.perturb.cards import variant
from assay.perturb.language.texts import find_word, first_reference, ngram_overlap, replace_span

_ALIKE = 0.5
"""Minimum chrF between premise and hypothesis (ACES section 5.6.3)."""
_LEVELS = {10: "en", 9: "de es fr ja ru zh", 8: "ar it pt", 7: "tr", 6: "cs hi"}
_HIGH = {language: level for level, languages in _LEVELS.items() for language in languages.split()}
"""Rough resource level by language; unlisted languages have 5. As in ACES, Czech and Hindi are above Polish and Marathi."""


class MeaningError(Perturbation):
    """Perturbation that uses the other text in a premise-hypothesis pair (columns `partner`, `partner_is`, `label`)."""

    label = "contradiction"
    partner_is = "premise"

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Use the partner if its label, direction and overlap are suitable."""
        meta = segment.meta
        partner, label, kind = (meta.get(name, "") for name in ("partner", "label", "partner_is"))
        if not partner or not label or not kind:
            return Refused("needs the columns partner, partner_is (premise or hypothesis) and label")
        if label != self.label or kind != self.partner_is:
            return Refused(f"the partner is a {kind}, the label {label}")
        reference = first_reference(segment)
        if reference is None:
            return Refused("no reference")
        if ngram_overlap(partner, reference) < _ALIKE:
            return Refused("premise and hypothesis are not similar enough")
        return Perturbed((Change(0, len(segment.hypothesis), partner),), f"{label}: {kind}", {"label": label})

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that the incorrect text is not the reference."""
        problems = super().problems(segment, perturbed, language, tools)
        if perturbed.incorrect(segment) in segment.references:
            problems.append("the incorrect text is the reference")
        return problems


AdditionContradiction = variant(
    MeaningError, "xnli-addition-contradiction", label="contradiction", partner_is="premise"
)
AdditionNeutral = variant(MeaningError, "xnli-addition-neutral", label="neutral", partner_is="premise")
OmissionContradiction = variant(
    MeaningError, "xnli-omission-contradiction", label="contradiction", partner_is="hypothesis"
)
OmissionNeutral = variant(MeaningError, "xnli-omission-neutral", label="neutral", partner_is="hypothesis")


class SimilarLanguage(Perturbation):
    """Perturbation that uses a translation into a similar language (columns `similar`, `similar_language`)."""

    higher = True

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Use the text in the similar language if the resource levels of the two languages are in the right order."""
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


SimilarLanguageHigh = variant(SimilarLanguage, "similar-language-high", higher=True)
SimilarLanguageLow = variant(SimilarLanguage, "similar-language-low", higher=False)


class GivenWord(Perturbation):
    """Perturbation that replaces the right word or phrase (`right`) with a human-written wrong one (`column`)."""

    column = "literal"
    right = "target_word"
    in_reference: bool | None = None

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        wrong, right = segment.meta.get(self.column, ""), segment.meta.get(self.right, "")
        if not wrong or not right:
            return Refused(f"needs the columns {self.right} (in the translation) and {self.column}")
        spans = find_word(segment.hypothesis, right)
        if not spans:
            return Refused(f"{self.right} is not in the translation")
        if (
            self.in_reference is not None
            and bool(find_word(first_reference(segment) or "", right)) != self.in_reference
        ):
            return Refused("the reference does not have it" if self.in_reference else "the reference has it too")
        return replace_span(segment.hypothesis, *spans[0], wrong)

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that the replaced phrase is the one in the column."""
        problems = super().problems(segment, perturbed, language, tools)
        change = perturbed.changes[0]
        if segment.hypothesis[change.start : change.end] != segment.meta.get(self.right):
            problems.append("the replaced phrase is not the one in the column")
        return problems


LiteralVersusReference = variant(GivenWord, "overly-literal-vs-ref-word", in_reference=True)
LiteralVersusSynonym = variant(GivenWord, "overly-literal-vs-synonym", in_reference=False)
LiteralVersusIdiom = variant(GivenWord, "overly-literal-vs-correct-idiom", right="idiom")
LiteralVersusExplanation = variant(GivenWord, "overly-literal-vs-explanation", right="explanation")
