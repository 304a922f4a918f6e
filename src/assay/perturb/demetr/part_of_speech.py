"""DEMETR 13: a word replaced by a relative of another part of speech."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from assay.core.batch import Segment
from assay.core.perturbation import Perturbed, Refused, Tools
from assay.perturb.cards import card_of
from assay.perturb.demetr.lexical import PARTS, LexicalRule
from assay.perturb.demetr.rules import first_fit, replaced
from assay.perturb.language.sentence import Sentence
from assay.perturb.language.texts import pick

if TYPE_CHECKING:
    import numpy as np


class PartOfSpeechShift(LexicalRule):
    """DEMETR 13: another word of the same root and another part of speech, by WordNet's derivations."""

    most_places = 1
    card = card_of("part-of-speech-shift")

    def change(
        self, sentence: Sentence, segment: Segment, rng: np.random.Generator, tools: Tools
    ) -> Perturbed | Refused:
        """Shift a random word."""
        wordnet, frequency = tools.get("wordnet", "en"), tools.get("frequency", "en")

        def shifted(i: int) -> Perturbed | None:
            options = sorted(set(relatives(wordnet, frequency, sentence.lemmas[i].lower(), PARTS[sentence.pos[i]])))
            options = [word for word in options if word != sentence.lower[i] and word[:3] == sentence.lower[i][:3]]
            if not options:
                return None
            word = pick(options, rng)
            changes = replaced(sentence, i, word, fix_article=False)
            return Perturbed(changes, f"{sentence.words[i]} -> {word}")

        return first_fit(rng, self.words(sentence), shifted, "no word with a relative of another part of speech")

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """The same root: at least the first three letters."""
        found = super().problems(segment, perturbed, language, tools)
        change = perturbed.changes[0]
        if segment.hypothesis[change.start : change.end][:3].lower() != change.text[:3].lower():
            found.append("not the same root")
        return found


def relatives(wordnet: Any, frequency: Any, lemma: str, part: str) -> Iterator[str]:
    """Words of other parts of speech derived from this one (or the other way round), with its root visible."""
    root = lemma[: max(3, min(5, len(lemma) - 2))]
    for sense in wordnet.synsets(lemma, part)[:3]:
        for pointer in sense.pointers:
            derived = pointer.symbol in ("+", "\\") and pointer.part != part and pointer.source
            if not derived or sense.names[pointer.source - 1].lower() != lemma:
                continue
            name = wordnet.synset(pointer.part, pointer.offset).names[pointer.target - 1]
            if name != lemma and name.isalpha() and name.islower() and name.startswith(root) and frequency(name) >= 2:
                yield str(name)
    if part == "adj" and wordnet.synsets(lemma + "ly", "adv"):
        yield lemma + "ly"
    if part == "adv" and lemma.endswith("ly") and wordnet.synsets(lemma[:-2], "adj"):
        yield lemma[:-2]
