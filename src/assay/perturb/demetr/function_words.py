"""DEMETR 16: a wrong preposition or article."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.core.batch import Segment
from assay.core.perturbation import Change, Perturbed, Refused, Tools
from assay.data.words import word_list
from assay.perturb.cards import card_of
from assay.perturb.demetr.rules import ParsedRule, article
from assay.perturb.language.sentence import Sentence
from assay.perturb.language.texts import like_first, pick

if TYPE_CHECKING:
    import numpy as np

PREPOSITIONS = word_list("prepositions")

_NEAR = (
    frozenset(("in", "within", "into")),
    frozenset(("on", "upon", "over", "above")),
    frozenset(("by", "through", "with")),
    frozenset(("to", "toward", "into")),
    frozenset(("between", "among")),
    frozenset(("around", "about")),
    frozenset(("under", "below")),
)
"""Prepositions that may stand for each other, so that an exchange would not be an error."""
_WRONG = {
    word: [other for other in PREPOSITIONS if other != word and not any({other, word} <= near for near in _NEAR)]
    for word in PREPOSITIONS
}


class FunctionWord(ParsedRule):
    """A preposition is replaced by one that means something else, or an article by the wrong one."""

    card = card_of("function-word")

    def change(
        self, sentence: Sentence, segment: Segment, rng: np.random.Generator, tools: Tools
    ) -> Perturbed | Refused:
        """Exchange a random one."""
        found = [i for i in range(len(sentence)) if _options(sentence, i)]
        if not found:
            return Refused("no preposition or article")
        i = pick(found, rng)
        new = like_first(pick(_options(sentence, i), rng), sentence.words[i])
        change = Change(sentence.starts[i], sentence.ends[i], new)
        return Perturbed((change,), f"{sentence.words[i]} -> {new}")

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """An article became an article, a preposition a preposition that does not mean the same."""
        found = super().problems(segment, perturbed, language, tools)
        change = perturbed.changes[0]
        old, new = segment.hypothesis[change.start : change.end].lower(), change.text.lower()
        articles = {old, new} <= {"a", "an", "the"}
        if not articles and (not {old, new} <= {*PREPOSITIONS} or any({old, new} <= near for near in _NEAR)):
            found.append(f"{new!r} is no wrong word for {old!r}")
        return found


def _options(sentence: Sentence, i: int) -> list[str]:
    """The wrong words for token `i`; none where it is neither a preposition nor an article."""
    word = sentence.lower[i]
    if sentence.tags[i] == "DT" and word in ("a", "an"):
        return ["an" if word == "a" else "a"]
    if sentence.tags[i] == "DT" and word == "the" and i + 1 < len(sentence):
        return ["an" if article(sentence.words[i + 1]) == "a" else "a"]
    if word in PREPOSITIONS and sentence.pos[i] == "ADP" and sentence.deps[i] in ("prep", "agent", "dative", "pcomp"):
        return _WRONG[word]
    return []
