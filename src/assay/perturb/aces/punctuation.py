"""Perturbations that delete or replace punctuation, in any script (the four strategies in ACES section 5.14.1)."""

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
    """Return whether a character is in one of Unicode's P classes."""
    return unicodedata.category(char).startswith("P")


def _is_inside_word(text: str, at: int) -> bool:
    """Return whether a sign is between two letters or digits: hyphen, apostrophe, decimal sign, dot of an abbreviation."""
    return 0 < at < len(text) - 1 and text[at - 1].isalnum() and text[at + 1].isalnum()


def _is_spelling(text: str, at: int) -> bool:
    """Return whether a sign is part of the spelling of a word or number."""
    if not _is_inside_word(text, at) or text[at] in "()[]{}（）【】":
        return False
    digits = text[at - 1].isdigit() and text[at + 1].isdigit()
    return digits or not (_is_unspaced(text[at - 1]) or _is_unspaced(text[at + 1]))


class MarksDeleted(Perturbation):
    """Base class of perturbations that delete one kind of punctuation mark."""

    nothing = "no punctuation"

    @abstractmethod
    def marks(self, text: str) -> list[int]:
        """Return the positions of the marks to delete."""

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Delete every mark of the kind, and spaces that would be doubled."""
        text = segment.hypothesis
        marks = self.marks(text)
        if not marks:
            return Refused(self.nothing)
        if all(at in set(marks) or char.isspace() for at, char in enumerate(text)):
            return Refused("nothing but punctuation")
        changes = tuple(_merge_adjacent([_delete_mark(text, at) for at in marks]))
        deleted = " ".join(dict.fromkeys(text[at] for at in marks))
        return Perturbed(changes, f"deleted {deleted}", {"deleted": len(marks)})

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that letters and digits are unchanged and that all marks of the kind are gone."""
        problems = super().problems(segment, perturbed, language, tools)
        incorrect = perturbed.incorrect(segment)
        if _letters(incorrect) != _letters(segment.hypothesis):
            problems.append("a letter or digit changed")
        if self.marks(incorrect):
            problems.append("some of the marks are still there")
        if "  " in incorrect and "  " not in segment.hypothesis:
            problems.append("a double space is left")
        return problems


def _letters(text: str) -> str:
    return "".join(char for char in text if not char.isspace() and not is_punctuation(char))


def _delete_mark(text: str, at: int) -> Change:
    """Delete the mark, with the space before it if a space follows or the text ends (French ``?``, a dash between words)."""
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


def _merge_adjacent(changes: list[Change]) -> list[Change]:
    """Join adjacent deletions."""
    merged: list[Change] = []
    for change in changes:
        if merged and change.start <= merged[-1].end:
            merged[-1] = Change(merged[-1].start, max(change.end, merged[-1].end), "")
        else:
            merged.append(change)
    return merged


class AllDeleted(MarksDeleted):
    """Perturbation that deletes all punctuation marks except signs inside words and numbers."""

    card = card_of("punctuation-deleted")

    def marks(self, text: str) -> list[int]:
        """Return marks outside words and numbers; percent signs, number signs and similar signs are kept."""
        return [
            at
            for at, char in enumerate(text)
            if is_punctuation(char)
            and not _is_spelling(text, at)
            and char not in "%‰#&@*/\\·・§"
            and not _is_minus(text, at)
        ]


def _is_minus(text: str, at: int) -> bool:
    """Return whether a sign is a minus, or an apostrophe or hyphen at the edge of a word, which belongs to the spelling."""
    after = text[at + 1 : at + 2]
    before = text[at - 1 : at] if at else ""
    if text[at] in "-−" and (after.isalnum() or before.isalnum()):
        return True
    return (text[at] in _CLOSING_SINGLE and before.isalpha() and _is_apostrophe(text, at)) or text[at] == "״"


def _is_apostrophe(text: str, at: int) -> bool:
    """Return whether a closing apostrophe has no opening single quotation mark before it."""
    return not re.search(r"(?:^|[\s(\[—–])['‘]", text[:at])


class CommasDeleted(MarksDeleted):
    """Perturbation that deletes all commas between words."""

    card = card_of("commas-deleted")
    nothing = "no comma"

    def marks(self, text: str) -> list[int]:
        return [
            at
            for at, char in enumerate(text)
            if char in COMMAS and not (0 < at < len(text) - 1 and text[at - 1].isdigit() and text[at + 1].isdigit())
        ]


class QuotesDeleted(MarksDeleted):
    """Perturbation that deletes all quotation marks."""

    card = card_of("quotes-deleted")
    nothing = "no quotation mark"

    def marks(self, text: str) -> list[int]:
        """Return quotation marks in any script; single ones only if they open or close a quotation (no inch signs or gershayim)."""
        positions = []
        for at, char in enumerate(text):
            inside = _is_inside_word(text, at) and not _is_unspaced(text[at - 1]) and not _is_unspaced(text[at + 1])
            if char == "‘" and (inside or text[at + 1 : at + 2].isdigit()):
                continue
            if (
                char in QUOTES
                and not (inside or (char == '"' and text[at - 1 : at].isdigit() and text.count('"') == 1))
            ) or (char in _CLOSING_SINGLE and not inside and _is_single_quote(text, at)):
                positions.append(at)
        return positions


def _is_unspaced(char: str) -> bool:
    return bool(re.match(r"[぀-ヿ㐀-鿿฀-๿]", char))


def _is_single_quote(text: str, at: int) -> bool:
    """Return whether a sign belongs to ``'…'`` or ``‘…’`` around words, unlike the apostrophe of *dogs'*, *'90s* or *gonna'*."""
    opens = re.search(r"(?:^|[\s(\[—–])['‘](?=\w)", text)
    if text[at] == "'" and (at == 0 or not text[at - 1].isalnum()) and text[at + 1 : at + 2].isalpha():
        return bool(re.search(r"[\w.,!?]'(?=[\s.,;:!?)\]]|$)", text[at + 1 :]))
    before = at > 0 and (text[at - 1].isalnum() or text[at - 1] in ".,!?…")
    after = at + 1 == len(text) or not text[at + 1].isalnum()
    return bool(opens and before and after and opens.start() < at)


class StatementToQuestion(Perturbation):
    """Perturbation that replaces exclamation marks, or else the last full stop, with question marks."""

    card = card_of("statement-to-question")

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Replace the marks, including Spanish opening marks."""
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
        """Check that only marks changed, each into a question mark."""
        problems = super().problems(segment, perturbed, language, tools)
        incorrect = perturbed.incorrect(segment)
        if len(incorrect) != len(segment.hypothesis) or _letters(incorrect) != _letters(segment.hypothesis):
            problems.append("more than the marks changed")
        if any(change.text not in ("?", "？", "¿", "؟", ";", "՞") for change in perturbed.changes):
            problems.append("a mark became something other than a question mark")
        return problems
