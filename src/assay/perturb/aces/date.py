"""Perturbation that replaces the month in a date (ACES section 5.3.1), in every CLDR language.

The good translation uses the month's abbreviation if the language has one; the incorrect one names a different month. As in the
paper, the month must also occur in the reference or, if there is none, in the source.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from assay.core.batch import Segment
from assay.core.errors import MissingPart
from assay.core.perturbation import Change, Perturbation, Perturbed, Refused, Rng, Tools
from assay.perturb.cards import card_of
from assay.perturb.language.cldr import months
from assay.perturb.language.texts import base_language, other_reference, pick, shuffle, source_language

_VOWEL_SENSITIVE = frozenset(("en", "fr", "ca", "it"))
"""Languages in which the word before a month depends on its first sound: *d'avril* but *de mars*."""
_WORDS = {"en": frozenset(("May", "March", "August")), "fr": frozenset(("mars",)), "tr": frozenset(("Ocak", "Ekim"))}
"""Month names that are also other words; they count only next to a number."""
_UNSPACED = ("zh", "ja", "ko", "th")
_PREPOSITIONS = {"en": r"\b(?:in|last|next|this|early|late|since|until|by|of|mid-?|every|from|between|through|and) ?$"}


@dataclass(frozen=True, slots=True)
class Month:
    """The name of a month in a text."""

    start: int
    end: int
    number: int
    form: str


def find_months(text: str, language: str) -> list[Month]:
    """Return the months that the text names in full, in any CLDR form (Slavic genitive and nominative …)."""
    base = base_language(language)
    months_found: dict[tuple[int, int], Month] = {}
    for form, names in months(base).items():
        if form.endswith("abbreviated") and base != "zh":
            continue
        for number, name in names.items():
            for start, end in _find_name(text, _without_preposition(name, base), base):
                if _is_a_month(text, start, end, base):
                    months_found.setdefault((start, end), Month(start, end, number, form))
    longest = [
        month
        for month in months_found.values()
        if not any(o.start <= month.start and month.end <= o.end and o is not month for o in months_found.values())
    ]
    return sorted(longest, key=lambda month: month.start)


def _without_preposition(name: str, language: str) -> str:
    """Return the name without the preposition that CLDR adds in Catalan."""
    return re.sub(r"^(?:de |d[’'])", "", name) if language == "ca" else name


def _find_name(text: str, name: str, language: str) -> list[tuple[int, int]]:
    if language in _UNSPACED:
        pattern = rf"(?<![\d一二三四五六七八九十]){re.escape(name)}(?!間|间|份的确)"
    elif language == "vi":
        pattern = rf"(?<!\d )(?<!\w)(?i:{re.escape(name)})(?!\d| \d?\d? ?tuổi)(?!\w)"
    elif language == "ar":
        pattern = rf"(?<!\w){re.escape(name)}(?!\w)"
    elif language == "he":
        pattern = rf"(?<!\w)(?:[בלמהו]?-?)({re.escape(name)})(?!\w)"
        return [match.span(1) for match in re.finditer(pattern, text)]
    else:
        pattern = rf"(?<![\w-]){re.escape(name)}(?![\w'’]|-\w)"
    return [match.span() for match in re.finditer(pattern, text)]


def _is_a_month(text: str, start: int, end: int, language: str) -> bool:
    """Return whether the name is unambiguous or has an adjacent number (in English also *in*, *last* …, except for *May*)."""
    if language == "cs" and not re.search(r"\d\.? $", text[:start]):
        return False  # genitive and locative are the same for some months only: "v listopadu" but "v říjnu"
    if text[start:end] not in _WORDS.get(language, ()):
        return True
    if re.match(r"\.?,? ?(?:the )?\d", text[end:]) or re.search(r"\d(?:st|nd|rd|th|er)?(?: of)? $", text[:start]):
        return True
    preposition = _PREPOSITIONS.get(language)
    return text[start:end] != "May" and preposition is not None and bool(re.search(preposition, text[:start]))


def _find_month_numbers(text: str, language: str) -> set[int]:
    """Return the numbers of the months in a text, by full name or abbreviation."""
    base = base_language(language)
    numbers = {month.number for month in find_months(text, base)}
    for form, names in months(base).items():
        if form.endswith("abbreviated"):
            numbers |= {
                number
                for number, name in names.items()
                if _find_name(text, _without_preposition(name, base).rstrip("."), base)
            }
    return numbers


class WrongMonth(Perturbation):
    """Perturbation that replaces one month's name with another's."""

    card = card_of("date")

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Abbreviate the month in the good translation and put a different one into the incorrect translation."""
        text, base = segment.hypothesis, base_language(language)
        candidates = all_months = find_months(text, base)
        if not candidates:
            return Refused("no month")
        control = _allowed_months(segment, base)
        if control is not None:
            candidates = [month for month in candidates if month.number in control]
            if not candidates:
                return Refused("the month is not in the reference or source")
        for month in shuffle(candidates, rng):
            names, present = months(base)[month.form], {other.number for other in all_months}
            others = [n for n in range(1, 13) if n not in present and self._fits(names, n, month, text, base)]
            if not others:
                continue
            number = pick(others, rng)
            old, new = text[month.start : month.end], _without_preposition(names[number], base)
            good = _abbreviate(text, month, base)
            change = Change(month.start, month.end, new)
            meta = {"old": old, "new": new, "month": month.number, "other": number}
            same = good == text
            return Perturbed(
                (change,), f"{old} -> {new}", meta, good=None if same else good, base=None if same else text
            )
        return Refused("no other month fits")

    @staticmethod
    def _fits(names: dict[int, str], number: int, month: Month, text: str, language: str) -> bool:
        if number == month.number or names[number] == names[month.number]:
            return False
        if language in _VOWEL_SENSITIVE:
            old, new = (
                _without_preposition(names[n], language)[0].lower() in "aeiouàèéo" for n in (month.number, number)
            )
            if old != new:
                return False
        day = re.search(r"(\d\d?)(?:\.|st|nd|rd|th|er)?(?: de| of| d['’])? ?$", text[: month.start])
        return not (day and number == 2 and int(day[1]) > 28) and not (
            day and int(day[1]) == 31 and number in (4, 6, 9, 11)
        )

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that exactly one month was replaced and that the good translation still has the old one."""
        problems = super().problems(segment, perturbed, language, tools)
        base = base_language(language)
        if len(perturbed.changes) != 1:
            return [*problems, "more than one place was changed"]
        change, text = perturbed.changes[0], perturbed.edited(segment)
        names = {_without_preposition(name, base) for form in months(base).values() for name in form.values()}
        if text[change.start : change.end] not in names and text[change.start : change.end].capitalize() not in names:
            problems.append("the replaced text is not a month")
        if change.text not in names:
            problems.append("the replacement is not a month")
        if perturbed.good is not None and perturbed.good == perturbed.incorrect(segment):
            problems.append("good and incorrect are the same")
        return problems


def _allowed_months(segment: Segment, language: str) -> set[int] | None:
    """Return the months in the reference, or in the source if there is no reference; None if neither can be read."""
    reference = other_reference(segment)
    if reference is not None:
        return _find_month_numbers(reference, language)
    origin = source_language(segment)
    if not origin or segment.source is None:
        return None

    try:
        return _find_month_numbers(segment.source, origin)
    except MissingPart:
        return None


def _abbreviate(text: str, month: Month, language: str) -> str:
    """Return the text with the month abbreviated; unchanged if the language has no shorter form."""
    forms = months(language)
    short = forms.get("format-abbreviated", {}).get(month.number)
    if language == "zh":
        short = forms["format-wide" if month.form == "format-abbreviated" else "format-abbreviated"][month.number]
    if short is None or language in ("fi", "vi", "ko", "ja"):
        return text
    short = _without_preposition(short, language)
    after = text[month.end :]
    if short.endswith(".") and after.startswith("."):
        short = short[:-1]
    if short.rstrip(".").lower() == text[month.start : month.end].lower():
        return text
    return text[: month.start] + short + after
