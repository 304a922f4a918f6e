"""Perturbations that convert a unit wrongly (ACES section 5.3.3, with the permitted conversions of Appendix A.2).

The good translation has the same quantity in another unit. One incorrect version combines the amount in the reference with the
new unit (100 feet -> 100 metres). The other combines the old unit with the converted amount (30.5 feet).
"""

from __future__ import annotations

import re

from assay.core.batch import Segment
from assay.core.perturbation import Change, Perturbation, Perturbed, Refused, Rng, Tools
from assay.perturb.aces.conversions import (
    PERMITTED,
    Quantity,
    convert,
    find_quantities,
    format_quantity,
    round_converted,
)
from assay.perturb.cards import card_of
from assay.perturb.language.texts import base_language, first_reference, shuffle

_DATIVE = re.compile(
    r"\b(?:in|vor|seit|nach|mit|von|aus|bei|zu|ab|binnen|den|letzten|nächsten|vergangenen|ersten)(?: \w+)? $"
)
_PER = re.compile(
    r"\s?(?:/|(?:per|pro|an?|each|every|par|por|a la|à l|all['’]|al|a|na|za|в|на|في|saatte|一?小时|每|毎)\s?"
    r"(?:hour|day|week|second|Stunde|heure|hora|ora|godzin|hodin|час|секунд|годин|الساعة|小时))"
)
_PER_BEFORE = re.compile(r"(?:時速|秒速|每小时|每小時|時|第|시속|saatte|kello|klo|at)\s?$")
_CLOCK = re.compile(
    r"\s?(?:утра|вечера|ночи|дня|пополудни|ранку|вечора|rano|ráno|večer|wieczorem|sáng|chiều|tối|de la mañana|de la tarde|半|前)"
)
_CLOCK_BEFORE = re.compile(
    r"(?:\b(?:в|об?|около|к|v|ve|o|um|à|vers|alle|las|às|lúc)|午前|午後|上午|下午|凌晨|晚上|早上)\s?$", re.IGNORECASE
)
_JOINED_BEFORE = re.compile(
    r"\d\S*\s?(?:[-–—~〜,、]|to|or|and|bis|und|oder|à|et|ou|a|e|o|y|u|do|i|lub|az|až|nebo|до|и|или|至|到|或|和|から|または|ve|ila|tai|hadi|و|أو|إلى)?\s?$"
)
_OPENING = re.compile(r"[(（\[]\s?$|[(（\[][^)）\]]*$")


class WrongUnit(Perturbation):
    """Base class of perturbations that convert a quantity correctly in the good translation and only half in the incorrect one."""

    keeps_amount = True

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Draw a quantity and one of its permitted conversions."""
        text = segment.hypothesis
        quantities = find_quantities(text, language)
        if not quantities:
            return Refused("no amount with a unit")
        quantities = [quantity for quantity in quantities if not _has_two_units(text, quantity, quantities)]
        if not quantities:
            return Refused("the amount is given in two units or in a range")
        quantities = [quantity for quantity in quantities if not _is_other_quantity(text, quantity)]
        if not quantities:
            return Refused("a speed, a time of day or a title")
        control = first_reference(segment) or segment.source
        if control is not None:
            digits = set(re.findall(r"\d+", control))
            quantities = [q for q in quantities if set(re.findall(r"\d+", q.amount.text)) <= digits]
            if not quantities:
                return Refused("the amount is not in the reference or source")
        for quantity in shuffle(quantities, rng):
            for other in shuffle(PERMITTED[quantity.unit], rng):
                result = self._convert(text, quantity, other, base_language(language))
                if result is not None:
                    return result
        return Refused("no conversion that reads well")

    def _convert(self, text: str, quantity: Quantity, other: str, language: str) -> Perturbed | None:
        value, decimals = round_converted(convert(quantity.amount.value, quantity.unit, other))
        if value < 0.1 or value == quantity.amount.value:
            return None
        british = bool(re.search(r"(?:met|lit)res?\b|\b\w+ise[ds]?\b|colour", text))
        amount = quantity.amount
        good = format_quantity(value, decimals, other, quantity.length, amount, language, british)
        if self.keeps_amount:
            wrong = format_quantity(amount.value, amount.decimals, other, quantity.length, amount, language, british)
        else:
            wrong = format_quantity(value, decimals, quantity.unit, quantity.length, amount, language, british)
        if good is None or wrong is None:
            return None
        old = text[quantity.start : quantity.end]
        good, wrong = (_fit_spelling(new, old, text[: quantity.start], language) for new in (good, wrong))
        before, after = text[: quantity.start], text[quantity.end :]
        if good == wrong or wrong == old or _article_clash(before, good, wrong, language):
            return None
        meta = {"old": old, "good": good, "new": wrong, "unit": quantity.unit, "other_unit": other}
        change = Change(quantity.start, quantity.start + len(good), wrong)
        return Perturbed((change,), f"{old} = {good} -> {wrong}", meta, good=before + good + after)

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that the texts differ in one quantity, either in its amount or in its unit."""
        problems = super().problems(segment, perturbed, language, tools)
        if perturbed.good is None or len(perturbed.changes) != 1:
            return [*problems, "there must be a converted good translation and one change"]
        change = perturbed.changes[0]
        good = perturbed.good[change.start : change.end]
        same_amount = re.findall(r"[\d.,]+", good) == re.findall(r"[\d.,]+", change.text)
        if same_amount:
            problems.append("the incorrect amount is the converted one and the unit may be right")
        if not re.search(r"\d", change.text):
            problems.append("the amount was removed")
        unchanged = segment.hypothesis[: change.start]
        if not perturbed.good.startswith(unchanged):
            problems.append("the text before the quantity changed")
        return problems


class AmountKept(WrongUnit):
    """Perturbation that combines the new unit with the old amount."""

    card = card_of("unit-amount-matches-reference")
    keeps_amount = True

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that the amount is the one in the translation."""
        problems = super().problems(segment, perturbed, language, tools)
        old = re.findall(r"\d", str(perturbed.meta.get("old", "")))
        if not problems and re.findall(r"\d", perturbed.changes[0].text) != old:
            problems.append("the amount is not that of the translation")
        return problems


class UnitKept(WrongUnit):
    """Perturbation that combines the old unit with the converted amount."""

    card = card_of("unit-unit-matches-reference")
    keeps_amount = False

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that the unit is the one in the translation, possibly in another plural form."""
        problems = [
            text for text in super().problems(segment, perturbed, language, tools) if "unit may be right" not in text
        ]
        units = {quantity.unit for quantity in find_quantities(perturbed.changes[0].text, language)}
        if not problems and perturbed.meta.get("unit") not in units:
            problems.append("the unit is not that of the translation")
        return problems


def _has_two_units(text: str, quantity: Quantity, quantities: list[Quantity]) -> bool:
    """Return whether the text gives the amount in two units, as in ``645 miles (1040 km)``, or as a range."""
    around = [other for other in quantities if other is not quantity]
    near = any(abs(other.start - quantity.end) < 4 or abs(quantity.start - other.end) < 4 for other in around)
    opened = re.match(r"[^\w]{0,2}[(（\[]\s?\D{0,8}\d", text[quantity.end :])
    inside = _OPENING.search(text[: quantity.start])
    joined = re.match(r"\s?(?:[-–—]|to|and|bis|und|à|et|a|e|y|do|i|до|и|hadi|kwa|tai|ila|ve)\s\d", text[quantity.end :])
    return bool(near or opened or inside or joined or _JOINED_BEFORE.search(text[: quantity.start]))


def _is_other_quantity(text: str, quantity: Quantity) -> bool:
    """Return whether it is a speed that CLDR's pattern missed, a time of day, or a quoted title (*60 Minutes*)."""
    before, after = text[: quantity.start], text[quantity.end :]
    if _PER.match(after) or _PER_BEFORE.search(before) or re.search(r"[\"“”„«『「《‘]\s?$", before):
        return True
    hours = quantity.unit == "duration-hour" and quantity.amount.value <= 24
    minutes = quantity.unit == "duration-minute" and re.search(r"[時时시]\s?$|\bh\s?$", before)
    return bool(minutes or (hours and (_CLOCK.match(after) or _CLOCK_BEFORE.search(before))))


def _fit_spelling(new: str, old: str, before: str, language: str) -> str:
    """Adapt the spelling: no space if the old text had none, and German dative after its prepositions."""
    unspaced = not re.search(r"\s", old) and re.search(r"\d[^\W\d]|[^\W\d]\d", old)
    if language in ("zh", "ja", "ko") and unspaced:
        new = re.sub(r"(?<=\d) (?=\D)|(?<=[^\W\d]) (?=\d)", "", new)
    if language == "de" and new.endswith(" Tage") and _DATIVE.search(before):
        new += "n"
    return new


def _article_clash(before: str, good: str, wrong: str, language: str) -> bool:
    """Return whether English *a/an* or a Romance elision depends on the sound of the amount."""
    if language != "en":
        return before.endswith(("'", "’"))
    article = re.search(r"\b(an?) $", before, re.IGNORECASE)
    if article is None:
        return False
    return any((article[1].lower() == "an") != bool(re.match(r"8|11\b|18\b", text)) for text in (good, wrong))
