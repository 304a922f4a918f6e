"""A language's CLDR data, read from Babel's files: month names, units, number symbols, plural rules.

The files are read directly because ``babel.Locale`` resolves inherited aliases into shared tables. As a result, stand-alone
month names of one language can appear in the next language (seen in Babel 2.18).
"""

from __future__ import annotations

import functools
import pickle
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.core.errors import MissingPart
from assay.perturb.language.texts import base_language


@dataclass(frozen=True, slots=True)
class NumberSigns:
    """Number format of a language: decimal and group separators."""

    decimal: str
    group: str


@functools.lru_cache(maxsize=64)
def _data(language: str) -> Mapping[str, Any]:
    try:
        from babel import localedata
    except ImportError:
        raise MissingPart("month names and units need Babel: pip install 'mt-assay[make]'.") from None
    if not localedata.exists(language):
        raise MissingPart(f"CLDR has no language {language!r}: use a code such as de, fr or zh.")
    return dict(pickle.loads(Path(localedata.resolve_locale_filename(language)).read_bytes()))


def months(language: str) -> dict[str, dict[int, str]]:
    """Return month names by form (``format-wide``, the genitive if there is one; ``stand-alone-wide``, ``format-abbreviated``
    …).
    """
    table = _data(base_language(language)).get("months", {})
    names_by_form = {}
    for context in ("format", "stand-alone"):
        widths = table.get(context, {})
        for width in ("wide", "abbreviated"):
            names = widths.get(width) if isinstance(widths, Mapping) else None
            if isinstance(names, Mapping) and len(names) == 12:
                names_by_form[f"{context}-{width}"] = {int(number): str(name) for number, name in names.items()}
    return names_by_form


def unit_patterns(language: str, unit: str) -> dict[str, dict[str, str]]:
    """Return patterns of a unit (``length-mile``) by length (long, short, narrow) and plural form: ``{"one": "{0} Meile"}``."""
    lengths = _data(base_language(language)).get("unit_patterns", {}).get(unit, {})
    return {
        length: {form: str(text) for form, text in forms.items() if form != "per" and "{0}" in str(text)}
        for length, forms in lengths.items()
        if isinstance(forms, Mapping)
    }


def number_signs(language: str) -> NumberSigns:
    """Return the decimal and group separators that a language uses with the digits 0 to 9."""
    symbols = _data(base_language(language)).get("number_symbols", {}).get("latn", {})
    return NumberSigns(str(symbols.get("decimal", ".")), str(symbols.get("group", ",")))


def plural_form(language: str, value: float, decimals: int = 0) -> str:
    """Return CLDR's plural form of a number: one, two, few, many, other …"""
    from decimal import Decimal

    rule = _data(base_language(language)).get("plural_form")
    return "other" if rule is None else str(rule(Decimal(f"{value:.{decimals}f}")))
