"""Punctuation deleted or exchanged: the four strategies of ACES section 5.14.1, in any script."""

from __future__ import annotations

import re
import unicodedata
from abc import abstractmethod

from assay.core.batch import Segment
from assay.core.perturbation import Change, Perturbation, Perturbed, Refused, Rng, Tools
from assay.perturb.cards import card_of

COMMAS = ",，、،‚"
QUOTES = '"“”„‟«»‹›「」『』《》〈〉‘‚〝〞'
_CLOSING_SINGLE = "’'"
_EXCLAMATION = {"!": "?", "！": "？", "¡": "¿"}
_STOPS = {".": "?", "。": "？", "।": "?", "．": "？", "۔": "؟"}
_LOCAL_QUESTION = {"ar": "؟", "fa": "؟", "ur": "؟", "el": ";", "hy": "՞"}


def is_punctuation(char: str) -> bool:
    """True for every character of Unicode's P classes."""
    return unicodedata.category(char).startswith("P")


def _inside_word(text: str, at: int) -> bool:
    """A sign between two letters or digits: hyphen, apostrophe, decimal sign, full stop of an abbreviation."""
    return 0 < at < len(text) - 1 and text[at - 1].isalnum() and text[at + 1].isalnum()


def _spelling(text: str, at: int) -> bool:
    """A sign inside a word or number that belongs to its spelling."""
    if not _inside_word(text, at) or text[at] in "()[]{}（）【】":
        return False
    digits = text[at - 1].isdigit() and text[at + 1].isdigit()
    return digits or not (_unspaced(text[at - 1]) or _unspaced(text[at + 1]))


class Deleted(Perturbation):
    """Some of the punctuation marks deleted."""

    nothing = "no punctuation"

    @abstractmethod
    def marks(self, text: str) -> list[int]:
        """Where the marks to be deleted stand."""

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Delete every mark of the kind, and the blank that would be left doubled."""
        text = segment.hypothesis
        marks = self.marks(text)
        if not marks:
            return Refused(self.nothing)
        if all(at in set(marks) or char.isspace() for at, char in enumerate(text)):
            return Refused("nothing but punctuation")
        changes = tuple(_merged([_deleted(text, at) for at in marks]))
        deleted = " ".join(dict.fromkeys(text[at] for at in marks))
        return Perturbed(changes, f"deleted {deleted}", {"deleted": len(marks)})

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Letters and digits are the same as before; only marks of the kind are gone, and all of them."""
        found = super().problems(segment, perturbed, language, tools)
        incorrect = perturbed.incorrect(segment)
        if _letters(incorrect) != _letters(segment.hypothesis):
            found.append("a letter or digit changed")
        if self.marks(incorrect):
            found.append("some of the marks are still there")
        if "  " in incorrect and "  " not in segment.hypothesis:
            found.append("a double blank was left")
        return found


def _letters(text: str) -> str:
    return "".join(char for char in text if not char.isspace() and not is_punctuation(char))


def _deleted(text: str, at: int) -> Change:
    """The mark, with the blank before it where a blank follows too or the text ends (French ``?``, a dash between words)."""
    start, end = at, at + 1
    if (
        start > 0
        and text[start - 1].isspace()
        and (end == len(text) or text[end].isspace() or is_punctuation(text[end]))
    ):
        start -= 1
    elif start == 0:
        while end < len(text) and text[end].isspace():
            end += 1
    return Change(start, end, "")


def _merged(changes: list[Change]) -> list[Change]:
    """Neighbouring deletions as one."""
    merged: list[Change] = []
    for change in changes:
        if merged and change.start <= merged[-1].end:
            merged[-1] = Change(merged[-1].start, max(change.end, merged[-1].end), "")
        else:
            merged.append(change)
    return merged


class AllDeleted(Deleted):
    """Every punctuation mark deleted, but not the signs inside words and numbers."""

    card = card_of("punctuation-deleted")

    def marks(self, text: str) -> list[int]:
        """Marks outside words and numbers; percent, number and currency-like signs stay."""
        return [
            at
            for at, char in enumerate(text)
            if is_punctuation(char) and not _spelling(text, at) and char not in "%‰#&@*/\\·・§" and not _minus(text, at)
        ]


def _minus(text: str, at: int) -> bool:
    """A minus sign, a decimal sign without a zero, or an apostrophe or hyphen at a word's edge, which is spelling."""
    after = text[at + 1 : at + 2]
    before = text[at - 1 : at] if at else ""
    if text[at] in "-−" and (after.isalnum() or before.isalnum()):
        return True
    return (text[at] in _CLOSING_SINGLE and before.isalpha() and _apostrophe(text, at)) or text[at] == "״"


def _apostrophe(text: str, at: int) -> bool:
    """True for a closing apostrophe that no single quotation mark opened."""
    return not re.search(r"(?:^|[\s(\[—–])['‘]", text[:at])


class CommasDeleted(Deleted):
    """Every comma deleted that stands between words."""

    card = card_of("commas-deleted")
    nothing = "no comma"

    def marks(self, text: str) -> list[int]:
        """Commas, except those inside numbers."""
        return [
            at
            for at, char in enumerate(text)
            if char in COMMAS and not (0 < at < len(text) - 1 and text[at - 1].isdigit() and text[at + 1].isdigit())
        ]


class QuotesDeleted(Deleted):
    """Every quotation mark deleted."""

    card = card_of("quotes-deleted")
    nothing = "no quotation mark"

    def marks(self, text: str) -> list[int]:
        """Quotation marks of every script; a single one only where it opens or closes, never inches or a gershayim."""
        found = []
        for at, char in enumerate(text):
            inside = _inside_word(text, at) and not _unspaced(text[at - 1]) and not _unspaced(text[at + 1])
            if char == "‘" and (inside or text[at + 1 : at + 2].isdigit()):
                continue
            if (
                char in QUOTES
                and not (inside or (char == '"' and text[at - 1 : at].isdigit() and text.count('"') == 1))
            ) or (char in _CLOSING_SINGLE and not inside and _quotes_single(text, at)):
                found.append(at)
        return found


def _unspaced(char: str) -> bool:
    return bool(re.match(r"[぀-ヿ㐀-鿿฀-๿]", char))


def _quotes_single(text: str, at: int) -> bool:
    """``'…'`` or ``‘…’`` around words, not the apostrophe of *dogs'*, *'90s* or *gonna'*."""
    opens = re.search(r"(?:^|[\s(\[—–])['‘](?=\w)", text)
    if text[at] == "'" and (at == 0 or not text[at - 1].isalnum()) and text[at + 1 : at + 2].isalpha():
        return bool(re.search(r"[\w.,!?]'(?=[\s.,;:!?)\]]|$)", text[at + 1 :]))
    before = at > 0 and (text[at - 1].isalnum() or text[at - 1] in ".,!?…")
    after = at + 1 == len(text) or not text[at + 1].isalnum()
    return bool(opens and before and after and opens.start() < at)


class StatementToQuestion(Perturbation):
    """Exclamation marks become question marks; a text without one has its last full stop exchanged."""

    card = card_of("statement-to-question")

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Exchange the marks; Spanish opening marks too."""
        text, base = segment.hypothesis, language.partition("-")[0]
        marks = [at for at, char in enumerate(text) if char in _EXCLAMATION]
        if marks:
            changes = tuple(Change(at, at + 1, self._question(_EXCLAMATION[text[at]], base)) for at in marks)
            return Perturbed(changes, "! -> ?", {"marks": len(marks)})
        end = re.search(r"([.。।．۔])[\"”“»’'」』)\]\s]*$", text)
        if end is None:
            return Refused("no exclamation mark and no full stop at the end")
        at = end.start(1)
        if text[at - 1 : at] in (".", "…") or re.search(r"\b[A-Za-zА-Яа-я]$", text[:at]):
            return Refused("the last full stop belongs to an abbreviation or an ellipsis")
        return Perturbed((Change(at, at + 1, self._question(_STOPS[text[at]], base)),), ". -> ?", {"marks": 1})

    @staticmethod
    def _question(mark: str, language: str) -> str:
        return _LOCAL_QUESTION.get(language, mark) if mark in "?" else mark

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Only marks changed, each into a question mark."""
        found = super().problems(segment, perturbed, language, tools)
        incorrect = perturbed.incorrect(segment)
        if len(incorrect) != len(segment.hypothesis) or _letters(incorrect) != _letters(segment.hypothesis):
            found.append("more than the marks changed")
        if any(change.text not in ("?", "？", "¿", "؟", ";", "՞") for change in perturbed.changes):
            found.append("a mark became something else than a question mark")
        return found
