"""Language pairs as people write them, held against the languages that a model's card names."""

from __future__ import annotations

import re
from collections.abc import Collection

_THREE = (
    "afr:af amh:am ara:ar arb:ar asm:as aze:az azj:az bel:be ben:bn bih:bho bul:bg bos:bs cat:ca ces:cs ckb:ku cmn:zh cym:cy "
    "dan:da deu:de ell:el eng:en epo:eo est:et eus:eu fas:fa fin:fi fra:fr gla:gd gle:ga glg:gl guj:gu hau:ha heb:he hin:hi hrv:hr "
    "hun:hu hye:hy ind:id isl:is ita:it jav:jv jpn:ja kan:kn kat:ka kaz:kk khm:km kir:ky kmr:ku kor:ko kur:ku lao:lo lat:la "
    "lav:lv lit:lt lvs:lv mal:ml mar:mr mkd:mk mlg:mg mon:mn msa:ms mya:my nep:ne nld:nl nno:no nob:no nor:no npi:ne ori:or "
    "orm:om ory:or pan:pa pbt:ps pes:fa plt:mg pol:pl por:pt pus:ps ron:ro rus:ru san:sa sin:si slk:sk slv:sl snd:sd som:so "
    "spa:es sqi:sq als:sq srp:sr sun:su swa:sw swe:sv swh:sw tam:ta tel:te tgl:tl tha:th tur:tr uig:ug ukr:uk urd:ur uzb:uz "
    "uzn:uz vie:vi xho:xh ydd:yi yid:yi zho:zh zsm:ms"
)
_SHORT = {"bh": "bho", "iw": "he", "nb": "no", "nn": "no", "fil": "tl", "yue": "zh"} | dict(
    pair.split(":") for pair in _THREE.split()
)


def languages(langpair: str) -> list[str]:
    """The two languages of a pair such as ``en-de``, ``en-zh_CN`` or ``eng-deu``, by the code they go by here."""
    codes = (re.split("[-_]", side)[0].lower() for side in langpair.partition("-")[::2])
    return [_SHORT.get(code, code) for code in codes if code]


def outside(langpair: str, known: Collection[str]) -> bool:
    """Whether one of the two languages is none of the known ones."""
    return any(language not in known for language in languages(langpair))
