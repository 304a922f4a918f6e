"""Rules for Japanese predicates: negated or affirmed (DEMETR 8), in another tense (17), or turned into a question (19).

The last words before the full stop, with their classes and forms, determine the change. The rules refuse all endings that are
not listed here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from assay.core.perturbation import Change, Perturbed, Refused, Rng, Tools
from assay.data.words import word_list
from assay.perturb.language.sentence import Sentence

_BEFORE_NAI = dict(zip("うくぐすつぬぶむる", "わかがさたなばまら", strict=True))
_BEFORE_TA = {
    "う": "った", "つ": "った", "る": "った", "く": "いた", "ぐ": "いだ", "す": "した", "ぬ": "んだ", "ぶ": "んだ", "む": "んだ",
}  # fmt: skip
_GOING = ("行く", "いく", "ゆく", "逝く")
_UNUSUAL = ("問う", "請う", "乞う", "とう", "くださる", "下さる", "なさる", "いらっしゃる", "おっしゃる", "ござる")
"""Verbs with irregular forms that are missing from the table."""


def negative_stem(lemma: str, kind: str) -> str | None:
    """Return the stem before *ない* (*書か* for *書く*); None if the conjugation class is not modern."""
    if lemma in _UNUSUAL or lemma.endswith("ある"):
        return None
    return _stem(lemma, kind, _BEFORE_NAI)


def past_form(lemma: str, kind: str) -> str | None:
    """Return the plain past (*書いた* for *書く*), or None."""
    if lemma in _UNUSUAL:
        return None
    if lemma in _GOING:
        return lemma[:-1] + "った"
    if kind.startswith("五段"):
        return _stem(lemma, kind, _BEFORE_TA)
    stem = _stem(lemma, kind, {})
    if stem is None:
        return None
    return ("き" if stem == "こ" else stem) + "た"


def _stem(lemma: str, kind: str, rows: dict[str, str]) -> str | None:
    if kind.startswith("五段"):
        return lemma[:-1] + rows[lemma[-1]] if lemma[-1] in rows else None
    if kind.startswith(("上一段", "下一段")) and lemma.endswith("る"):
        return lemma[:-1]
    if kind.startswith("サ行変格") and lemma.endswith("する"):
        return lemma[:-2] + "し"
    if kind.startswith("カ行変格"):
        return {"来る": "来", "くる": "こ"}.get(lemma)
    return None


_ONLY_DENIED = word_list("ja words that need a negation")
"""Words that need a negated verb, or whose meaning depends on the negation."""
_SET = word_list("ja stems that make a set phrase with nai")
"""Words that form a set phrase with *ない*."""
_SAYING = frozenset(word_list("ja verbs of saying"))
"""Verbs of saying and thinking, for which present and past tense are equally good."""
_AUXILIARY = frozenset(word_list("ja auxiliaries after te"))
"""Verbs after *て* whose negation would not negate the sentence."""
_DEPENDENT = frozenset(word_list("ja nouns and particles that lean on a clause"))
"""Grammatical nouns and particles; a copula after them does not belong to a plain noun."""
_NOMINAL = ("NOUN", "PROPN", "NUM", "PRON")


@dataclass(frozen=True, slots=True)
class End:
    """The end of a sentence, from `start` to the full stop, with its replacements."""

    start: int
    stop: int
    denied: str | None
    """The end with the other polarity."""
    shifted: str | None
    """The end in the other tense."""
    asked: str | None
    """The end as a question."""
    negative: bool = False
    """True if the sentence is already negative."""


def _kind(sentence: Sentence, i: int) -> tuple[str, str]:
    """Return the class and the form of an inflected word."""
    kind, _, form = sentence.feats[i].get("Inflection", "").partition(";")
    return kind, form


def _find_end(sentence: Sentence) -> End | None:
    """Return the end of the last sentence; None if the rules do not cover it."""
    last = len(sentence) - 1
    if last < 3 or sentence.words[last] != "。":
        return None
    i = last - 1
    kind, form = _kind(sentence, i)
    if not form.startswith(("終止形", "連体形")) and sentence.words[i] != "ん":
        return None
    if sentence.lemmas[i] in ("いう", "言う") and sentence.words[i - 1] == "と":
        return None  # hearsay: its tense and negation are not those of the sentence
    analysis = _analyse_past(sentence, i) if kind == "助動詞-タ" else _analyse_present(sentence, i, kind)
    if analysis is None:
        return None
    first, denied, shifted, question, negative = analysis
    return End(sentence.starts[first], sentence.starts[last], denied, shifted, question, negative)


_Found = tuple[int, str | None, str | None, str | None, bool]


def _analyse_past(sentence: Sentence, i: int) -> _Found | None:
    """Analyse ends in *た* by the kind of predicate before it."""
    p = i - 1
    kind, _ = _kind(sentence, p)
    word, lemma, ta = sentence.words[p], sentence.lemmas[p], sentence.words[i]
    ending = word + ta
    if kind == "助動詞-マス" and word == "まし":
        return p, "ませんでした", "ます", "ましたか", False
    if kind == "助動詞-デス" and word == "でし":
        if sentence.lower[p - 2 : p] == ["ませ", "ん"]:
            return p - 2, _affirm_unless_set(sentence, p - 3, "ました"), "ません", "ませんでしたか", True
        if sentence.pos[p - 1] in _NOMINAL and _noun_before(sentence, p):
            return p, "ではありませんでした", "です", "でしたか", False
        return None
    if kind == "助動詞-ダ" and word == "だっ":
        return (p, "ではなかった", "だ", "だったのか", False) if _noun_before(sentence, p) else None
    if kind == "助動詞-ナイ" and word == "なかっ":
        verb = p - 1
        kind, _ = _kind(sentence, verb)
        affirmed = past_form(sentence.lemmas[verb], kind) if sentence.pos[verb] in ("VERB", "AUX") else None
        if sentence.words[verb] in _SET or affirmed is None:
            return p, None, "ない", "なかったのか", True
        return verb, affirmed, f"{sentence.words[verb]}ない", f"{sentence.words[verb]}なかったのか", True
    if kind.startswith("形容詞") and word.endswith("かっ") and word not in ("なかっ", "よかっ", "良かっ"):
        stem = word[:-2]
        return p, f"{stem}くなかった", f"{stem}い", f"{ending}のか", False
    if lemma == "ある" and word == "あっ":
        return _analyse_aru(sentence, p, past=True)
    stem_ = negative_stem(lemma, kind)
    if stem_ is None or sentence.pos[p] not in ("VERB", "AUX"):
        return None
    return p, f"{stem_}なかった", lemma, f"{ending}のか", False


def _analyse_present(sentence: Sentence, i: int, kind: str) -> _Found | None:
    """Analyse ends in a dictionary form, *ます*, *です*, *だ* or *ない*."""
    word, lemma = sentence.words[i], sentence.lemmas[i]
    if kind == "助動詞-マス" and word == "ます":
        return i, "ません", "ました", "ますか", False
    if word == "ん" and sentence.words[i - 1] == "ませ":
        return i - 1, _affirm_unless_set(sentence, i - 2, "ます"), "ませんでした", "ませんか", True
    if kind == "助動詞-デス" and word == "です":
        if not _noun_before(sentence, i):
            return None
        return i, "ではありません", "でした", "ですか", False
    if kind == "助動詞-ダ" and word == "だ":
        return (i, "ではない", "だった", "なのか", False) if _noun_before(sentence, i) else None
    if kind == "助動詞-ナイ" and word == "ない":
        verb = i - 1
        verb_kind, _ = _kind(sentence, verb)
        regular = negative_stem(sentence.lemmas[verb], verb_kind) == sentence.words[verb]
        if sentence.words[verb] in _SET or not regular:
            return i, None, "なかった", "ないのか", True
        return verb, sentence.lemmas[verb], f"{sentence.words[verb]}なかった", f"{sentence.words[verb]}ないのか", True
    if kind.startswith("形容詞") and word.endswith("い") and sentence.tags[i].startswith("形容詞-一般"):
        if word in ("いい", "良い", "よい", "ない", "無い"):
            return None
        return i, f"{word[:-1]}くない", f"{word[:-1]}かった", f"{word}のか", False
    if lemma == "ある" and word == "ある":
        return _analyse_aru(sentence, i, past=False)
    if sentence.pos[i] not in ("VERB", "AUX") or word != lemma:
        return None
    if lemma == "違う":
        return None
    stem, before = negative_stem(lemma, kind), past_form(lemma, kind)
    if stem is None or before is None:
        return None
    return i, f"{stem}ない", before, f"{word}のか", False


def _analyse_aru(sentence: Sentence, i: int, *, past: bool) -> _Found | None:
    """Analyse *ある*, negated as *ない*, and *である*, negated as *ではない*."""
    copula = sentence.words[i - 1] == "で" and _kind(sentence, i - 1)[0] == "助動詞-ダ"
    if copula and not _noun_before(sentence, i - 1):
        return None
    if not copula and sentence.words[i - 1] not in ("が", "も", "は", "に"):
        return None
    ga = "は" if copula else ""
    if past:
        return i, f"{ga}なかった", "ある", "あったのか", False
    return i, f"{ga}ない", "あった", "あるのか", False


def _noun_before(sentence: Sentence, i: int) -> bool:
    word, tag = sentence.words[i - 1], sentence.tags[i - 1]
    if word in _DEPENDENT:
        return False
    return tag.startswith("名詞") or tag == "形状詞-一般"


def _affirm_unless_set(sentence: Sentence, i: int, text: str) -> str | None:
    """Return the affirmative end, or None if the word before forms a set phrase with the negation."""
    return None if sentence.words[i] in ("しれ", "なり", "いけ", "すみ", "ござい", "あり", "かまい") else text


def negation(sentence: Sentence, rng: Rng, tools: Tools) -> Perturbed | Refused:
    """Change the polarity of the last predicate."""
    end = _find_end(sentence)
    if end is None or end.denied is None:
        return Refused("no plain predicate at the end that can be negated")
    begin = max((first for first in sentence.firsts if sentence.starts[first] < end.start), default=0)
    clause = sentence.text[sentence.starts[begin] : end.start]
    if any(word in clause for word in _ONLY_DENIED) or clause.endswith(("わけで", "とは")):
        return Refused("a word that occurs only with a negation")
    if _is_auxiliary_construction(sentence, end):
        return Refused("no plain predicate at the end that can be negated")
    return _replace_end(sentence, end, end.denied)


def _is_auxiliary_construction(sentence: Sentence, end: End) -> bool:
    """Return whether it is *てしまった* or *ことになる*, which are not negated like other verbs."""
    i = sentence.starts.index(end.start)
    before = sentence.words[i - 1]
    if sentence.lemmas[i] in _AUXILIARY and before in ("て", "で", "ちゃっ"):
        return True
    return sentence.lemmas[i] in ("なる", "する") and before == "に" and sentence.words[i - 2] in ("こと", "よう")


def _allows_both_tenses(sentence: Sentence, end: End) -> bool:
    """Return whether both tenses may be right: the last content word is a verb of saying or thinking, or describes a state."""
    i = sentence.starts.index(end.start)
    if sentence.lemmas[i] == "くる" and sentence.words[i - 1] == "て":
        return True  # *てきた* is not the past of *てくる*
    if "いる" in sentence.lemmas[max(0, i - 1) : i + 1]:
        return True  # *ている* and *ていた* are often both right, as are *と言う人もいる* and *いた*
    while i > 0 and (
        sentence.pos[i] == "AUX"
        or sentence.tags[i].startswith(("助詞", "助動詞"))
        or sentence.lemmas[i] in ("する", "いる")
    ):
        if sentence.words[i] in ("と", "とも"):
            return True
        i -= 1
    return sentence.lemmas[i] in _SAYING or sentence.words[i - 1] in ("と", "とも")


_CHRONICLE = re.compile(r"^\d{2,4} ?年 ?[:：]|」")
"""Entries in lists of years, which may also be in the present, and quotations."""


def tense(sentence: Sentence, rng: Rng, tools: Tools) -> Perturbed | Refused:
    """Switch between past and present or future. The result is in doubt, since Japanese often narrates in the present."""
    end = _find_end(sentence)
    if end is None or end.shifted is None:
        return Refused("no plain predicate at the end")
    if _allows_both_tenses(sentence, end) or _CHRONICLE.search(sentence.text):
        return Refused("a report, for which both tenses are right")
    return _replace_end(sentence, end, end.shifted).with_confidence(sense=0.4)


def interrogative(sentence: Sentence, rng: Rng, tools: Tools) -> Perturbed | Refused:
    """Turn the statement into a question: *か* after polite forms, *のか* after plain ones."""
    end = _find_end(sentence)
    if end is None or end.asked is None:
        return Refused("no plain predicate at the end")
    return _replace_end(sentence, end, end.asked)


def _replace_end(sentence: Sentence, end: End, new: str) -> Perturbed:
    old = sentence.text[end.start : end.stop]
    start = end.start
    while old and new and old[0] == new[0]:
        old, new, start = old[1:], new[1:], start + 1
    whole_end = sentence.text[end.start : end.stop]
    result = Perturbed((Change(start, end.stop, new),), f"{whole_end} -> {sentence.text[end.start : start]}{new}")
    return result.with_confidence(parse=0.9)
