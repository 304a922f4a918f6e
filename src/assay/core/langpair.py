"""Language and language pair codes: normalization of the many ways to write them."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

_LANGUAGE = re.compile("[a-z]{2,3}")
_THREE = (
    "afr:af amh:am ara:ar arb:ar asm:as aze:az azj:az bel:be ben:bn bih:bho bul:bg bos:bs cat:ca ces:cs ckb:ku cmn:zh cym:cy "
    "dan:da deu:de ell:el eng:en epo:eo est:et eus:eu fas:fa fin:fi fra:fr gla:gd gle:ga glg:gl guj:gu hau:ha heb:he hin:hi hrv:hr "
    "hun:hu hye:hy ind:id isl:is ita:it jav:jv jpn:ja kan:kn kat:ka kaz:kk khm:km kir:ky kmr:ku kor:ko kur:ku lao:lo lat:la "
    "lav:lv lit:lt lvs:lv mal:ml mar:mr mkd:mk mlg:mg mon:mn msa:ms mya:my nep:ne nld:nl nno:no nob:no nor:no npi:ne ori:or "
    "orm:om ory:or pan:pa pbt:ps pes:fa plt:mg pol:pl por:pt pus:ps ron:ro rus:ru san:sa sin:si slk:sk slv:sl snd:sd som:so "
    "spa:es sqi:sq als:sq srp:sr sun:su swa:sw swe:sv swh:sw tam:ta tel:te tgl:tl tha:th tur:tr uig:ug ukr:uk urd:ur uzb:uz "
    "uzn:uz vie:vi xho:xh ydd:yi yid:yi zho:zh zsm:ms"
)
_OTHER = (
    "bh:bho bod:bo bur:my chi:zh dzo:dz fil:tl hak:zh iii:ii in:id iw:he ji:yi jw:jv lzh:zh nan:zh nb:no nn:no tib:bo "
    "wuu:zh yue:zh"
)
_SHORTER = dict(pair.split(":") for pair in f"{_THREE} {_OTHER}".split())
NO_SPACES = ("th", "lo", "my", "km", "bo", "dz", "shn", "nod", "khb", "tdd", "ii")
"""Languages written without spaces, in addition to Chinese and Japanese: Thai, Lao, Burmese, Khmer, Tibetan, Dzongkha, Shan,
Northern Thai, Lü, Tai Nüa, Nuosu."""


@lru_cache(maxsize=1024)
def target(langpair: str | None) -> str:
    """Return the target language: ``de`` for en-de, ``zh-CN`` for en-zh-CN, ``zho_Hans`` for eng_Latn-zho_Hans.

    A single language is the target itself. Without a language pair, the result is empty.
    """
    parts = (langpair or "").strip().split("-")
    languages = [at for at, part in enumerate(parts) if at and _LANGUAGE.fullmatch(re.split("_", part)[0])]
    regions = any(part[:1].isupper() for part in parts)
    first = languages[-1] if languages and regions else 1
    return "-".join(parts[first:]) if len(parts) > 1 else parts[0]


@lru_cache(maxsize=1024)
def plain_pair(langpair: str) -> str:
    """Return a pair with a hyphen in lower case: ``en-zh`` for ``EN_ZH`` and ``EN-ZH``; other texts are unchanged.

    ``pt_BR`` and ``zh_tw`` are a language with its region, not a pair.
    """
    match = re.fullmatch("([a-z]{2,3}|[A-Z]{2,3})([-_])([a-z]{2,3}|[A-Z]{2,3})", langpair.strip())
    if match is None or (match[2] == "_" and (match[1].islower() != match[3].islower() or not _is_language(match[3]))):
        return langpair
    if match[2] == "-" and match[1].islower() != match[3].islower():
        return langpair
    return f"{match[1]}-{match[3]}".lower()


def _is_language(code: str) -> bool:
    return code.lower() in _SHORTER or code.lower() in _SHORTER.values()


def written(language: str) -> str:
    """Return a language without script and region, with two letters if possible: ``zh`` for zh_TW and for zho_Hans."""
    code = re.split("[-_]", language)[0].lower()
    return _SHORTER.get(code, code)


def languages(langpair: str) -> list[str]:
    """Return the base codes of the languages of a pair such as ``en-de``, ``en-zh_CN`` or ``eng-deu``, or of a single language."""
    source, _, rest = langpair.partition("-")
    return [written(side) for side in (source, target(langpair) if rest else "") if side]


def has_unsupported(langpair: str, supported: Collection[str]) -> bool:
    """Return whether one of the pair's languages is not among the supported ones."""
    return any(language not in supported for language in languages(langpair))
