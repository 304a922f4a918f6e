"""Perturbations that replace or delete a modal verb (ACES section 5.5), in English and a few other languages."""

from __future__ import annotations

import re

from assay.core.batch import Segment
from assay.core.perturbation import Change, Perturbation, Perturbed, Refused, Rng, Tools
from assay.data import rows
from assay.perturb.cards import card_of
from assay.perturb.language.sentence import Sentence, parse_sentence
from assay.perturb.language.texts import delete_span, match_case, pick, shuffle


def _read_strengths() -> dict[str, dict[str, tuple[str, ...]]]:
    strengths: dict[str, dict[str, tuple[str, ...]]] = {}
    for row in rows("words/modals.tsv"):
        strengths.setdefault(row["language"], {})[row["modal"]] = tuple(row["others"].split())
    return strengths


STRENGTHS = _read_strengths()
"""Forms of modal verbs, each with forms of different strength in the same person and tense."""

ACES_MODALS = ("may", "might", "could", "must")
"""English modals that occur in the paper's examples."""


def _find_modals(text: str, language: str) -> list[tuple[int, int, str]]:
    forms = STRENGTHS[language]
    names = "|".join(sorted(map(re.escape, forms), key=len, reverse=True))
    edge = ("", "") if language in ("zh", "ja") else (r"(?<![\w’'])", r"(?![\w’'])")
    matches = re.finditer(f"{edge[0]}(?:{names}){edge[1]}", text, re.IGNORECASE)
    return [(*match.span(), match[0].lower()) for match in matches]


def _find_english(sentence: Sentence) -> list[int]:
    """Return modal auxiliaries with a verb that are not negated; *can*, *should* and *will* only if there is no other."""
    modals = []
    for i, tag in enumerate(sentence.tags):
        if tag != "MD" or (sentence.words[i] != sentence.lower[i] and i not in sentence.firsts):
            continue  # "May" inside a sentence is a name
        if sentence.lower[i] not in STRENGTHS["en"] or sentence.deps[i] not in ("aux", "auxpass"):
            continue
        after = sentence.lower[i + 1] if i + 1 < len(sentence) else ""
        if after not in ("not", "n't", "n’t", "never", "have") and "'" not in sentence.words[i]:
            modals.append(i)
    strong = [i for i in modals if sentence.lower[i] in ACES_MODALS]
    return strong or modals


class ModalSubstituted(Perturbation):
    """Perturbation that replaces a modal verb with one of different strength."""

    card = card_of("modal-substituted")

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Replace one random modal."""
        text = segment.hypothesis
        if language not in STRENGTHS:
            return Refused(f"no list of modal verbs for {language}")
        if language == "en":
            sentence = parse_sentence(tools, text, "en")
            modals = [(sentence.starts[i], sentence.ends[i], sentence.lower[i]) for i in _find_english(sentence)]
        else:
            modals = [modal for modal in _find_modals(text, language) if not _is_negated(text, modal)]
        if not modals:
            return Refused("no modal verb")
        start, end, old = pick(modals, rng)
        new = match_case(pick(STRENGTHS[language][old], rng), text[start:end])
        return Perturbed((Change(start, end, new),), f"{old} -> {new}", {"old": old, "new": new})

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that one modal was replaced by one of those listed for it."""
        problems = super().problems(segment, perturbed, language, tools)
        change = perturbed.changes[0]
        old = segment.hypothesis[change.start : change.end].lower()
        if change.text.lower() not in STRENGTHS.get(language, {}).get(old, ()):
            problems.append("the replacement is not another modal verb")
        return problems


def _is_negated(text: str, modal: tuple[int, int, str]) -> bool:
    """Return whether a negation precedes the modal: French *ne peut pas* would change its meaning twice."""
    return bool(re.search(r"(?:\bn['’]|\bne |\bno |\bnão |\bnon |不)$", text[: modal[0]]))


class ModalDeleted(Perturbation):
    """Perturbation that deletes an English modal verb."""

    card = card_of("modal-deleted")

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Delete one modal and the space after it, unless it is the first word of a question."""
        sentence = parse_sentence(tools, segment.hypothesis, language)
        options = [i for i in _find_english(sentence) if i not in sentence.firsts and sentence.lower[i] != "will"]
        if not options:
            return Refused("no modal verb")
        i = shuffle(options, rng)[0]
        change = delete_span(segment.hypothesis, sentence.starts[i], sentence.ends[i])
        return Perturbed((change,), f"{sentence.words[i]} left out", {"old": sentence.words[i]})

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that only a modal was removed."""
        problems = super().problems(segment, perturbed, language, tools)
        change = perturbed.changes[0]
        if segment.hypothesis[change.start : change.end].strip().lower() not in STRENGTHS["en"] or change.text:
            problems.append("something other than a modal verb was removed")
        return problems
