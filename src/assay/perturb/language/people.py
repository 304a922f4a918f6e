"""Where people are named in a text.

English names come from spaCy's entities of type person, as in ACES, and only where the sentence bears them out: given name
and surname, or a surname after a title or with a verb of saying. Into other languages written with Latin letters a name is
mostly copied: what stands letter by letter in source and text. Russian and Japanese names must sound like a person of the
English source, Chinese ones have the middle dot of foreign names and only characters that such names use.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from assay.core.batch import Segment
from assay.core.perturbation import Tools
from assay.perturb.demetr.rules import listed
from assay.perturb.language.skeletons import sounds_like
from assay.perturb.language.texts import source_language, word_at

_CAPITAL = r"[A-ZÀ-ÖØ-ÞĀ-Ž][\w’'-]*[a-zà-öø-ÿā-ž][\w’'-]*"
_CAPITALISED = re.compile(rf"{_CAPITAL}(?: {_CAPITAL})+")
_HAN = (
    "阿埃艾安昂奥巴芭白拜班邦保鲍贝本比彼毕宾波伯博勃布策查昌楚茨达戴黛丹德登邓蒂迪丁蒂东杜顿多厄恩尔凡范方菲费芬丰冯弗芙福富盖甘冈高"
    "戈格葛根贡古哈海汉汗赫亨恒洪华怀霍吉基加迦佳贾简杰捷金津卡凯坎康考科柯克肯孔寇库夸昆拉莱兰朗劳勒雷黎李里理丽利莉莲列烈林琳龙卢鲁伦"
    "罗洛马玛迈麦曼芒毛梅门蒙孟米密缅明摩莫默姆木穆娜纳南内尼妮宁牛纽农诺努欧帕派潘庞佩彭皮平珀普奇齐恰钱乔切琴琼丘瑞若萨塞赛桑瑟森沙"
    "莎山珊尚绍舍申圣施石史丝斯松苏孙索琐塔泰坦汤唐陶特腾提廷汀图托瓦旺万威韦维卫魏温文翁沃沙伍武乌西希锡席霞夏香肖萧歇谢辛欣兴休许雅"
    "亚延扬耶伊易因英尤约越云泽曾扎詹湛章珍芝朱祖佐柱坤妲妥娃娅姬姗婷媞晓柏桃梁梯楠榭歌沁洁潘热瑙璐禄科穆维翰耐肖腊舒芮茜莘萝葆蓓蕾薇贺赖辉"
    "迭逊道邱郎钦隆雅雪露靳韩顺颂颇马魁鲜麦廉夫拿奈珂赞宗芦茉妍嘉利娟威瓜胡狄纪诸厂季汶滕甸筑"
)
_HAN_NAME = re.compile(rf"[{_HAN}]{{1,5}}(?:·[{_HAN}]{{1,6}})+")
_KANA_NAME = re.compile(r"(?<![゠-ヿ])[ァ-ヺー]{2,9}・[ァ-ヺー]{3,9}(?![゠-ヿ])")
_LATIN_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_PARTS = re.compile(r"[ ·・]")
_TITLE = re.compile(
    r"\b(?:Mr|Mrs|Ms|Dr|Sir|President|Judge|Justice|Senator|Sen|Rep|Minister|Chancellor|Prof|Professor)\.? $"
)
_PLACES = frozenset(
    listed(
        "Street Road Avenue Bridge Park Square Hotel Cup Club City County Stadium School University Church House "
        "Centre Center Island River Lake Mountain Beach Street Award Prize Show Band Festival Storm Hurricane "
        "Palace United Rovers"
    )
)
_HUMAN_VERBS = frozenset(
    listed(
        "say tell add ask write think believe insist claim admit argue explain reply deny testify tweet joke "
        "recall note announce promise agree warn suggest smile laugh marry resign apologise apologize"
    )
)


@dataclass(frozen=True, slots=True)
class Person:
    """A name in a text, with the script that its letters belong to."""

    start: int
    end: int
    text: str
    script: str
    grammemes: frozenset[str] = frozenset()
    """Case, gender and number where the language inflects names."""

    @property
    def parts(self) -> list[str]:
        """Given name and surname, or the one of them that stands there."""
        return _PARTS.split(self.text)


def people(text: str, language: str, segment: Segment, tools: Tools) -> list[Person]:
    """The people that a text in `language` names."""
    if language == "en":
        return english_people(text, tools)
    known = _source_people(segment, tools)
    if language == "ru":
        return _russian(text, known, tools.get("morphology", "ru"))
    if language == "zh":
        return _chinese(text, tools) if known is None or any(" " in name for name in known) else []
    if language == "ja":
        return [
            Person(*match.span(), match[0], "kana")
            for match in _KANA_NAME.finditer(text)
            if known is None or any(" " in name and sounds_like(match[0], name) for name in known)
        ]
    return _copied(text, segment, known, language)


def english_people(text: str, tools: Tools) -> list[Person]:
    """People of an English text, by spaCy's entities and what stands around them."""
    found = []
    for entity in tools.parse(text, "en").ents:
        tokens = [token for token in entity if token.text not in ("'s", "’s", "'", "’")]
        while tokens and _TITLE.match(tokens[0].text + " "):
            tokens = tokens[1:]
        if tokens and tokens[0].text in ("Der", "Die", "Das", "La", "Le", "El", "The"):
            continue  # a newspaper
        if entity.label_ != "PERSON" or not 1 <= len(tokens) <= 3 or not all(map(_is_name, tokens)):
            continue
        start, end = tokens[0].idx, tokens[-1].idx + len(tokens[-1].text)
        if len(tokens) == 1 and not _borne_out(tokens[0], text):
            continue
        if tokens[-1].text not in _PLACES and not text[end : end + 1].isalnum():
            found.append(Person(start, end, text[start:end], "latin"))
    return found


def _is_name(token: Any) -> bool:
    word = token.text
    shape = bool(_LATIN_WORD.fullmatch(word)) and word[0].isupper() and len(word) > 2 and not word.isupper()
    return shape and token.tag_ == "NNP"


def _borne_out(token: Any, text: str) -> bool:
    """A lone surname: after a title, or the subject of a verb that takes a person."""
    subject = token.dep_ in ("nsubj", "nsubjpass") and token.head.lemma_ in _HUMAN_VERBS
    return subject or bool(_TITLE.search(text[: token.idx]))


def _source_people(segment: Segment, tools: Tools) -> list[str] | None:
    """The people of an English source; None where the source is in another language."""
    if not segment.source or source_language(segment) != "en":
        return None
    return [person.text for person in english_people(segment.source, tools)]


def _copied(text: str, segment: Segment, known: list[str] | None, language: str) -> list[Person]:
    """Names of the source that stand in the text letter by letter, and are not part of a longer name there."""
    if known is None:
        known = [match[0] for match in _CAPITALISED.finditer(segment.source or "")]
    found = []
    for name in dict.fromkeys(known):
        for start, end in word_at(text, name):
            if re.match(r"[-'’]\w", text[end:]) or re.search(r"\w[-'’]$", text[:start]):
                continue
            longer = re.match(rf" {_CAPITAL}", text[end:]) or re.search(rf"[a-z] {_CAPITAL} $", text[:start])
            if language == "de" or not longer:
                found.append(Person(start, end, name, "latin"))
    return sorted(found, key=lambda person: person.start)


def _chinese(text: str, tools: Tools) -> list[Person]:
    """Runs of name characters around a middle dot, cut where words begin and end."""
    words = tools.get("words", "zh")(text)
    starts, ends = {start for start, _ in words}, {end for _, end in words}
    found = []
    for match in _HAN_NAME.finditer(text):
        dot = match.start() + match[0].index("·")
        start = next((at for at in range(match.start(), dot) if at in starts), None)
        if start is not None and match.end() in ends:
            found.append(Person(start, match.end(), text[start : match.end()], "han"))
    return found


def _russian(text: str, known: list[str] | None, morphology: Any) -> list[Person]:
    """Words that the dictionary reads as a given name or surname and that sound like a person of the source."""
    surnames = None if known is None else [name.split()[-1] for name in known]
    found = []
    for match in re.finditer(r"[А-ЯЁ][а-яё]{2,}(?![\w-])", text):
        parses = [parse for parse in morphology.parse(match[0]) if {"Surn", "Name"} & parse.tag.grammemes]
        if sum(parse.score for parse in parses) < 0.6 or "Fixd" in parses[0].tag or text[: match.start()].endswith("-"):
            continue
        if surnames is None and not morphology.word_is_known(match[0]):
            continue
        if surnames is not None and not any(sounds_like(match[0], name, 0.7) for name in surnames):
            continue
        tag = parses[0].tag
        if match[0][-1] in "уюоиэ" and not morphology.word_is_known(match[0]):
            continue  # Роналду, Кавано: foreign names that do not decline
        if tag.gender == "masc" and _of_a_woman(text, match, morphology):
            continue
        kept = frozenset(filter(None, (tag.case, tag.gender, tag.number)))
        found.append(Person(*match.span(), match[0], "cyrillic", kept | {"Surn"}))
    return found


def _of_a_woman(text: str, match: re.Match[str], morphology: Any) -> bool:
    """True where the given name before or the verb near by is feminine: her surname may not take a man's ending."""
    before = re.search(r"([А-ЯЁ][а-яё]+) $", text[: match.start()])
    if before and any({"Name", "femn"} <= parse.tag.grammemes for parse in morphology.parse(before[1])[:2]):
        return True
    near = text[max(0, match.start() - 25) : match.end() + 25]
    return bool(re.search(r"\w(?:ла|лась)\b|\bг-ж|\bона\b|госпож|миссис", near))
