"""What ACES's paper says about its 68 phenomena (Amrhein, Moghe and Guillou 2022, Sections 5 to 8)."""

from __future__ import annotations

from collections.abc import Mapping

WEIGHTS: dict[str, float] = {
    "addition": 5.0,
    "omission": 5.0,
    "mistranslation": 5.0,
    "untranslated": 1.0,
    "do not translate": 1.0,
    "overtranslation": 5.0,
    "undertranslation": 5.0,
    "real-world knowledge": 1.0,
    "wrong language": 1.0,
    "punctuation": 0.1,
}
"""Top-level categories in the order of Table 1, with their weights in the ACES-Score (Section 7.2)."""

_PHENOMENA: dict[tuple[str, str], tuple[str, ...]] = {
    ("addition", ""): ("addition",),
    ("omission", ""): ("omission",),
    ("mistranslation", "discourse"): (
        "ambiguous-translation-wrong-discourse-connective-while-contrast",
        "ambiguous-translation-wrong-discourse-connective-while-temporal",
        "anaphoric_group_it-they:deletion",
        "anaphoric_group_it-they:substitution",
        "anaphoric_intra_non-subject_it:deletion",
        "anaphoric_intra_non-subject_it:substitution",
        "anaphoric_intra_subject_it:deletion",
        "anaphoric_intra_subject_it:substitution",
        "anaphoric_intra_they:deletion",
        "anaphoric_intra_they:substitution",
        "anaphoric_singular_they:deletion",
        "anaphoric_singular_they:substitution",
        "coreference-based-on-commonsense",
        "pleonastic_it:deletion",
        "pleonastic_it:substitution",
    ),
    ("mistranslation", "hallucination"): (
        "hallucination-date-time",
        "hallucination-named-entity-level-1",
        "hallucination-named-entity-level-2",
        "hallucination-named-entity-level-3",
        "hallucination-number-level-1",
        "hallucination-number-level-2",
        "hallucination-number-level-3",
        "hallucination-real-data-vs-ref-word",
        "hallucination-real-data-vs-synonym",
        "hallucination-unit-conversion-amount-matches-ref",
        "hallucination-unit-conversion-unit-matches-ref",
        "nonsense",
    ),
    ("mistranslation", "other"): (
        "ambiguous-translation-wrong-discourse-connective-since-causal",
        "ambiguous-translation-wrong-discourse-connective-since-temporal",
        "ambiguous-translation-wrong-gender-female-anti",
        "ambiguous-translation-wrong-gender-female-pro",
        "ambiguous-translation-wrong-gender-male-anti",
        "ambiguous-translation-wrong-gender-male-pro",
        "ambiguous-translation-wrong-sense-frequent",
        "ambiguous-translation-wrong-sense-infrequent",
        "lexical-overlap",
        "modal_verb:deletion",
        "modal_verb:substitution",
        "ordering-mismatch",
        "overly-literal-vs-correct-idiom",
        "overly-literal-vs-explanation",
        "overly-literal-vs-ref-word",
        "overly-literal-vs-synonym",
        "xnli-addition-contradiction",
        "xnli-addition-neutral",
        "xnli-omission-contradiction",
        "xnli-omission-neutral",
    ),
    ("untranslated", ""): (
        "copy-source",
        "untranslated-vs-ref-word",
        "untranslated-vs-synonym",
    ),
    ("do not translate", ""): ("do-not-translate",),
    ("overtranslation", ""): ("hyponym-replacement",),
    ("undertranslation", ""): ("hypernym-replacement",),
    ("real-world knowledge", ""): (
        "antonym-replacement",
        "commonsense-only-ref-ambiguous",
        "commonsense-src-and-ref-ambiguous",
        "real-world-knowledge-entailment",
        "real-world-knowledge-hypernym-vs-distractor",
        "real-world-knowledge-hypernym-vs-hyponym",
        "real-world-knowledge-synonym-vs-antonym",
    ),
    ("wrong language", ""): (
        "similar-language-high",
        "similar-language-low",
    ),
    ("punctuation", ""): (
        "punctuation:deletion_all",
        "punctuation:deletion_commas",
        "punctuation:deletion_quotes",
        "punctuation:statement-to-question",
    ),
}

CATEGORY: dict[str, str] = {name: category for (category, _), names in _PHENOMENA.items() for name in names}
"""Top-level category of each of the 68 phenomena."""
SUBLEVEL: dict[str, str] = {name: sublevel for (_, sublevel), names in _PHENOMENA.items() for name in names if sublevel}
"""Sub-level of the mistranslation phenomena (Section 7.3, Table 2)."""
SUBLEVELS = ("discourse", "hallucination", "other")

TRAINED_PAIRS = frozenset({"en-de", "en-ru", "zh-en"})
"""Pairs for which WMT 2022 gave training material (Section 7.4)."""

_AMBIGUOUS = "ambiguous-translation-wrong-"
SOURCE_NEEDED: dict[str, str] = {
    f"{_AMBIGUOUS}discourse-connective-since-causal": "since causal",
    f"{_AMBIGUOUS}discourse-connective-since-temporal": "since temporal",
    f"{_AMBIGUOUS}gender-female-anti": "female anti",
    f"{_AMBIGUOUS}gender-female-pro": "female pro",
    f"{_AMBIGUOUS}gender-male-anti": "male anti",
    f"{_AMBIGUOUS}gender-male-pro": "male pro",
    f"{_AMBIGUOUS}sense-frequent": "sense frequent",
    f"{_AMBIGUOUS}sense-infrequent": "sense infrequent",
}
"""Phenomena whose good translation shows only in the source (Section 8.1, Table 4), with short names."""

CLAUSE_IN_SOURCE = "commonsense-only-ref-ambiguous"
CLAUSE_NOWHERE = "commonsense-src-and-ref-ambiguous"

LEVELS: dict[str, tuple[str, str, str]] = {
    "named entity": (
        "hallucination-named-entity-level-1",
        "hallucination-named-entity-level-2",
        "hallucination-named-entity-level-3",
    ),
    "number": ("hallucination-number-level-1", "hallucination-number-level-2", "hallucination-number-level-3"),
}
"""Three levels of growing overlap between incorrect translation and reference (Section 5.3.2, Figure 2)."""

COPIED_AND_SYNONYM: dict[str, tuple[str, str]] = {
    "hallucination": ("hallucination-real-data-vs-ref-word", "hallucination-real-data-vs-synonym"),
    "overly-literal": ("overly-literal-vs-ref-word", "overly-literal-vs-synonym"),
    "untranslated": ("untranslated-vs-ref-word", "untranslated-vs-synonym"),
}
"""The same errors mended with the reference's word or with a synonym (Section 8.2, Table 6)."""

_COMMONSENSE_PAIRS = (("de-en", "ru-en", "en-ru", "en-de"), ("ru-de", "fr-ru", "ru-fr", "de-ru"))
UNSEEN_PAIRS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "antonym-replacement": (("de-en",), ("ko-en", "es-en")),
    CLAUSE_IN_SOURCE: _COMMONSENSE_PAIRS,
    CLAUSE_NOWHERE: _COMMONSENSE_PAIRS,
    "nonsense": (("de-en",), ("fr-ja", "ko-ja", "en-ko", "ko-en")),
}
"""WMT and non-WMT pairs of each phenomenon (Appendix A.3, Tables 7 and 9)."""

COPIED_SOURCE = "copy-source"
"""The sentence-level untranslated phenomenon (Section 5.9.2, Figure 3)."""


def aces_score(categories: Mapping[str, float]) -> float:
    """The ACES-Score (Section 7.2, Equation 1): the weighted sum of the ten categories' tau, from -29.1 to 29.1."""
    return sum(weight * categories[category] for category, weight in WEIGHTS.items())
