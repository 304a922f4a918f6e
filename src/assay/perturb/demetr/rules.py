"""Base classes and shared helpers for DEMETR's rules: articles, clean removal of words, and checks of results."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, TypeVar

from assay.core.batch import Segment
from assay.core.perturbation import Change, Perturbation, Perturbed, Refused, Rng, Tools
from assay.perturb.language.sentence import Sentence, parse_sentence
from assay.perturb.language.texts import base_language, is_spaceless, match_case, match_first, pick, shuffle

T = TypeVar("T")
Span = tuple[int, int]

_UNTIDY = re.compile(r"  | [,.;:!?](?![\w.])|,,|\( | \)|^[ ,;:]| $")
_VOWEL = re.compile(
    r"(?:[aeio]|u(?!ni|s[aeiu]|ti|k|ro)|hour|hono|heir|8|11(?!\d)|18(?!\d))(?!ne\b|nce\b|ewe|u[lrp])", re.I
)
"""Words that take "an"; the look-ahead excludes "one", "once", "ewe" and the /ju/ of "Europe"."""


def indefinite_article(word: str) -> str:
    """Return the indefinite article of a word, ``a`` or ``an``."""
    return "an" if _VOWEL.match(word) else "a"


def adapt_article(sentence: Sentence, i: int, following: str) -> list[Change]:
    """Return the change to an article before token `i` if the text that will follow requires the other one."""
    if i == 0 or sentence.lower[i - 1] not in ("a", "an") or sentence.tags[i - 1] != "DT":
        return []
    needed = indefinite_article(following)
    if needed == sentence.lower[i - 1]:
        return []
    return [Change(sentence.starts[i - 1], sentence.ends[i - 1], match_first(needed, sentence.words[i - 1]))]


def replace_token(sentence: Sentence, i: int, word: str, *, fix_article: bool = True) -> tuple[Change, ...]:
    """Replace token `i` with `word`, keep its capitals and adapt the article before it."""
    new = match_case(word, sentence.words[i])
    fixed = adapt_article(sentence, i, new) if fix_article else []
    return (*fixed, Change(sentence.starts[i], sentence.ends[i], new))


def remove_span(text: str, start: int, end: int, *, opens: bool | None = None) -> Change:
    """Remove characters `start` to `end` with one adjacent space; a new first word of the sentence gets a capital.

    `opens` is True if the removed words opened a sentence. By default they did if only quotation marks precede them.
    """
    if opens is None:
        opens = not text[:start].strip(" \"'“”‘’«„([—-")
    if end < len(text) and text[end] == " " and (start == 0 or text[start - 1] in ' "“‘«„([—\n、「（'):
        end += 1
    elif start and text[start - 1] == " ":
        start -= 1
    if opens and text[start:end].lstrip()[:1].isupper() and text[end : end + 1].islower():
        return Change(start, end + 1, text[end].upper())
    return Change(start, end, "")


def find_untidiness(good: str, bad: str) -> list[str]:
    """Return doubled or stray spaces and punctuation that are not in the good text."""
    before = [match.group() for match in _UNTIDY.finditer(good)]
    after = [match.group() for match in _UNTIDY.finditer(bad)]
    return [] if len(after) <= len(before) else [f"stray space or sign {after[-1]!r}"]


class TextRule(Perturbation):
    """Base class of perturbations of a single text, with common checks."""

    tidy = True
    """False for rules that disturb spacing or punctuation on purpose."""
    most_places = 1
    """Maximum number of separate changes in a result; an adapted article counts as one."""

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that the text changed, in no more places than allowed, and has no stray spaces or punctuation."""
        good = perturbed.good or segment.hypothesis
        bad = perturbed.apply(good)
        if bad == good:
            return ["the text did not change"]
        problems = find_untidiness(good, bad) if self.tidy else []
        if any(good[change.start : change.end] == change.text for change in perturbed.changes):
            problems.append("a change has no effect")
        if len(perturbed.changes) > self.most_places:
            problems.append(f"changed in {len(perturbed.changes)} places")
        return problems


LanguageRule = Callable[[Sentence, Rng, Tools], Perturbed | Refused]
"""A rule in a language other than English."""


def in_languages(**rules: LanguageRule) -> Mapping[str, LanguageRule]:
    """Return the rules by language: ``in_languages(ru=…, ja=…)``."""
    return rules


class ParsedRule(TextRule):
    """Base class of rules on a parsed sentence: `change` for English, one of `other_languages` for other languages."""

    other_languages: ClassVar[Mapping[str, LanguageRule]] = {}

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Parse the text (once for all rules) and change it."""
        sentence = parse_sentence(tools, segment.hypothesis, language)
        other = self.other_languages.get(base_language(language))
        return self.change(sentence, rng, tools) if other is None else other(sentence, rng, tools)

    @abstractmethod
    def change(self, sentence: Sentence, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Return the change, or a refusal."""


def first_fit(
    rng: Rng, options: Sequence[T], make: Callable[[T], Perturbed | None], reason: str
) -> Perturbed | Refused:
    """Try the options in random order and return the first result."""
    for option in shuffle(options, rng):
        result = make(option)
        if result is not None:
            return result
    return Refused(reason)


def omit_tokens(sentence: Sentence, first: int, last: int) -> tuple[Change, ...]:
    """Remove tokens `first` to `last`, with a comma after them at the start of a sentence, and adapt the article before them."""
    text = sentence.text
    start, end = sentence.starts[first], sentence.ends[last]
    if text[end - 1] == "." and not text[end:].strip("\"'”’) ") and end - start > 1:
        end -= 1
    opens = first in sentence.firsts or not text[:start].strip(" \"'“”‘’«„([")
    before, after = text[:start].rstrip()[-1:], text[end : end + 1]
    if after == "," and before == ",":
        start, end = len(text[:start].rstrip()) - 1, end + 1
        return (Change(start, end, ""),)
    if after in (",", ":", ";") and (opens or before in ("(", "—", "-", ";", ":")):
        end += 1
    change = remove_span(text, start, end, opens=opens)
    following = text[change.end :].lstrip()
    fixed = adapt_article(sentence, first, following) if following[:1].isalnum() else []
    return (*fixed, change)


def omit_words(sentence: Sentence, first: int, last: int) -> tuple[Change, ...]:
    """Remove tokens that are not parenthetical: of two commas around them, the first one is kept."""
    text, start, end = sentence.text, sentence.starts[first], sentence.ends[last]
    opens = first in sentence.firsts or not text[:start].strip(" \"'“”‘’«„([")
    if text[end : end + 1] == "," and text[:start].rstrip()[-1:] == ",":
        end += 1
    return (remove_span(text, start, end, opens=opens),)


def omission_rule(
    spans: Callable[[Sentence], Sequence[Span]],
    nothing: str,
    leave_out: Callable[[Sentence, int, int], tuple[Change, ...]] = omit_tokens,
) -> LanguageRule:
    """Return an omission rule for a language other than English; it removes one of the runs from `spans`."""

    def change(sentence: Sentence, rng: Rng, tools: Tools) -> Perturbed | Refused:
        candidates = [span for span in spans(sentence) if span[1] - span[0] + 2 < len(sentence)]
        if not candidates:
            return Refused(nothing)
        first, last = pick(candidates, rng)
        return Perturbed(leave_out(sentence, first, last), f"{sentence.span(first, last)} omitted").with_confidence(
            parse=0.9
        )

    return change


class TokensOmitted(ParsedRule):
    """Base class of rules that remove one of the token runs from `spans`."""

    most_places = 2
    nothing = ""
    """Reason for the refusal if nothing can be removed."""

    @abstractmethod
    def spans(self, sentence: Sentence) -> Sequence[Span]:
        """Return the runs of tokens (first, last) that may be removed."""

    def change(self, sentence: Sentence, rng: Rng, tools: Tools) -> Perturbed | Refused:
        spans = [span for span in self.spans(sentence) if span[1] - span[0] + 2 < len(sentence)]
        if not spans:
            return Refused(self.nothing)
        first, last = pick(spans, rng)
        return Perturbed(omit_tokens(sentence, first, last), f"{sentence.span(first, last)} omitted")

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that the remaining words are words from the good text in the same order."""
        good = segment.hypothesis
        bad = perturbed.apply(good)
        problems = super().problems(segment, perturbed, language, tools)
        bare = list if is_spaceless(language) else _bare
        rest = iter(bare(good))
        if not all(any(word == other for other in rest) for word in bare(bad)):
            problems.append("more than an omission")
        return problems


def _bare(text: str) -> list[str]:
    """Return a text's words in lower case, without the articles that an omission may adapt."""
    return [word for word in re.findall(r"\w+", text.lower()) if word not in ("a", "an")]
