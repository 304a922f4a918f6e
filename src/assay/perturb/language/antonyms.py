"""Opposites that WordNet lacks or hides behind rare senses: ours, for the commonest words of news and encyclopaedias."""

from __future__ import annotations

_PAIRS = {
    "VERB": (
        "increase decrease, rise fall, win lose, accept reject, allow forbid, open close, start stop, begin end, gain lose, "
        "support oppose, confirm deny, admit deny, agree disagree, include exclude, arrive depart, enter leave, buy sell, "
        "remember forget, succeed fail, attack defend, build destroy, improve worsen, strengthen weaken, encourage discourage, "
        "love hate, approve reject, create destroy, expand shrink, raise lower, arrest release, appear disappear, live die, "
        "join leave, continue stop, protect endanger, save waste, teach learn, push pull, borrow lend, give take, send receive, "
        "reveal hide, praise criticize, say deny, announce conceal, report conceal, help hinder, enable prevent, bring take, "
        "remain leave, lead follow, know ignore, think doubt, believe doubt, show hide, find lose, become cease, "
        "provide withhold, prove disprove, reduce increase, grow shrink, develop deteriorate, hold release, cause prevent, "
        "keep discard, receive send, come go, ask answer, arise vanish, add remove, publish withhold, prefer dislike, "
        "want refuse, use avoid, consider ignore, expect doubt, connect separate, contain lack, demand offer, "
        "establish abolish, introduce abolish, launch cancel, elect reject, happen fail, ensure prevent, meet avoid, "
        "indicate conceal, state deny, claim deny, warn reassure, visit avoid, write erase, need refuse"
    ),
    "NOUN": (
        "increase decrease, victory defeat, success failure, beginning end, start end, friend enemy, ally opponent, war peace, "
        "death birth, life death, man woman, boy girl, son daughter, father mother, brother sister, husband wife, day night, "
        "morning evening, north south, east west, minority majority, advantage disadvantage, strength weakness, growth decline, "
        "rise fall, winner loser, top bottom, front back, profit loss, buyer seller, entrance exit, summer winter, "
        "teacher student, hope despair, love hatred, supporter opponent, support opposition, poverty wealth, question answer, "
        "problem solution, cause effect, demand supply, import export, arrival departure, child adult, adult child, "
        "employer employee, past future, present past, attack defense, freedom captivity, order disorder, health illness, "
        "presence absence, maximum minimum, benefit harm, truth lie, gain loss, risk safety, danger safety, "
        "innocence guilt, hero villain, king queen, people animal, agreement disagreement, city village"
    ),
    "ADJ": (
        "new old, old new, young old, first last, last first, many few, few many, more less, less more, most least, "
        "large small, small large, big small, high low, low high, good bad, bad good, better worse, best worst, long short, "
        "short long, early late, late early, public private, private public, local foreign, foreign domestic, "
        "national international, international domestic, important insignificant, strong weak, rich poor, poor rich, "
        "hot cold, warm cool, cold hot, full empty, easy difficult, difficult easy, hard easy, happy sad, safe dangerous, "
        "dangerous safe, possible impossible, male female, female male, northern southern, southern northern, eastern western, "
        "western eastern, major minor, senior junior, same different, different same, similar different, common rare, "
        "modern ancient, ancient modern, natural artificial, human animal, military civilian, political apolitical, "
        "positive negative, negative positive, left right, right wrong, true false, open closed, free occupied, "
        "famous unknown, popular unpopular, active inactive, alive dead, dead alive, rural urban, urban rural, "
        "former current, current former, recent distant, next previous, previous next, final initial, initial final, "
        "entire partial, whole partial, total partial, main secondary, special ordinary, great small, wide narrow, "
        "clear unclear, fast slow, heavy light, dark bright, wet dry, able unable, available unavailable, likely unlikely, "
        "legal illegal, serious trivial, significant insignificant, several few, other same, various identical, "
        "real fake, own borrowed, official unofficial, traditional modern, upper lower, inner outer, white black, black white"
    ),
    "ADV": (
        "very slightly, always never, never always, often rarely, rarely often, early late, late early, more less, less more, "
        "most least, soon later, quickly slowly, slowly quickly, well badly, currently formerly, recently previously, "
        "finally initially, initially finally, still already, here there, there here, together separately, usually rarely, "
        "only also, mostly rarely, already still, again never, completely partially, largely barely, especially hardly, "
        "nearly far, approximately exactly, about exactly, almost hardly, directly indirectly, probably hardly, even hardly, "
        "significantly slightly, widely narrowly, highly barely, mainly hardly, today yesterday, now later, then now, "
        "first last, much little, far near, however therefore, too hardly, sometimes always, generally rarely, just hardly, "
        "clearly vaguely, particularly hardly, officially unofficially, immediately eventually, ago hence, long briefly"
    ),
}


def _read() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for part, pairs in _PAIRS.items():
        for pair in pairs.split(","):
            word, opposite = pair.split()
            found.setdefault(word, {})[part] = opposite
    return found


OPPOSITES = _read()
"""Word to its opposite as VERB, NOUN, ADJ or ADV; each pair is read in the order given."""


_SURE = {
    "NOUN": (
        "victory defeat, success failure, friend enemy, ally enemy, enemy friend, majority minority, minority majority, winner "
        "loser, loser winner, strength weakness, weakness strength, man woman, "
        "woman man, boy girl, girl boy, son daughter, daughter son, father mother, mother father, brother sister, sister "
        "brother, husband wife, wife husband, king queen, queen king, summer winter, winter summer, north south, south north, "
        "east west, west east, profit loss, growth decline, supporter opponent, opponent supporter, buyer seller, seller buyer, "
        "arrival departure, departure arrival, import export, export import, increase decrease, decrease increase, "
        "poverty wealth, wealth poverty, grandfather grandmother, grandmother grandfather, uncle aunt, aunt uncle, "
        "nephew niece, niece nephew, boyfriend girlfriend, girlfriend boyfriend, optimism pessimism, pessimism optimism, "
        "employer employee, employee employer, hero villain, villain hero, maximum minimum, minimum maximum, guilt innocence, "
        "innocence guilt, entrance exit, success failure, failure success, defeat victory, presence absence, absence presence"
    ),
    "ADJ": (
        "new old, young old, many few, few many, more less, less more, large small, small large, big small, low high, good bad, "
        "bad good, better worse, worse better, best worst, worst best, larger smaller, smaller larger, bigger smaller, "
        "higher lower, lower higher, longer shorter, shorter longer, older younger, younger older, largest smallest, "
        "smallest largest, biggest smallest, highest lowest, lowest highest, oldest youngest, youngest oldest, "
        "long short, short long, private public, strong weak, weak strong, stronger weaker, weaker stronger, "
        "hot cold, cold hot, easy difficult, difficult easy, happy unhappy, unhappy happy, safe dangerous, "
        "dangerous safe, possible impossible, impossible possible, male female, female male, northern southern, "
        "southern northern, eastern western, western eastern, major minor, minor major, senior junior, junior senior, "
        "similar different, common uncommon, positive negative, negative positive, true false, false true, rural urban, "
        "urban rural, former current, current former, final initial, initial final, fast slow, slow fast, heavy light, "
        "wet dry, able unable, unable able, available unavailable, unavailable available, likely unlikely, "
        "unlikely likely, legal illegal, illegal legal, significant insignificant, official unofficial, "
        "wide narrow, narrow wide, fair unfair, unfair fair, healthy unhealthy, unhealthy healthy, necessary unnecessary, "
        "expensive cheap, cheap expensive, guilty innocent, innocent guilty, temporary permanent, permanent temporary, "
        "successful unsuccessful, optimistic pessimistic, pessimistic optimistic, "
        "certain uncertain, comfortable uncomfortable, pleasant unpleasant, friendly hostile, hostile friendly, "
        "important unimportant, regular irregular, modern ancient, ancient modern, domestic foreign, external internal, "
        "internal external, maximum minimum, minimum maximum, direct indirect, indirect direct, visible invisible"
    ),
    "ADV": (
        "always never, never always, often rarely, rarely often, frequently rarely, quickly slowly, slowly quickly, together "
        "separately, separately together, usually rarely, completely partially, directly indirectly, officially unofficially, "
        "significantly slightly, slightly significantly, more less, less more, publicly privately, privately publicly, "
        "sharply slightly, rapidly slowly, strongly weakly, successfully unsuccessfully, "
        "illegally legally, legally illegally, temporarily permanently, permanently temporarily, positively negatively, "
        "negatively positively, repeatedly rarely, carefully carelessly, safely dangerously, heavily lightly"
    ),
}
SURE_OPPOSITES: dict[str, dict[str, str]] = {
    part: dict(pair.split() for pair in pairs.split(", ")) for part, pairs in _SURE.items()
}
"""Opposites that hold in almost any sentence, by part of speech."""
