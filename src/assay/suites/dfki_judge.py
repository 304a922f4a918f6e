"""The semi-automatic judge of the DFKI suite (Avramidis et al. 2023, section 3.1; Macketanz et al. 2022).

A translation is right when a positive rule of its item fires and no negative one, wrong in the reverse case. When both or
neither fire it stays unresolved until a person decides; a person's decision overrules the rules. Regexes are searched as
they are written (case counts), tokens are whole sentences and must be equal to the translation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from assay.core.errors import InputError
from assay.core.question import Choice, Question
from assay.core.table import Table, TableColumn
from assay.io.judgements.decisions import decision_key, fold
from assay.suites.dfki import DfkiItem, Outputs

Verdict = Literal["pass", "fail", "unresolved"]
Ground = Literal["rules", "both", "neither", "bad rule", "person"]
"""Why: the rules agreed; both kinds fired, or neither; a rule of the item cannot be read; a person decided."""

PASS_OR_FAIL = (Choice("p", "pass"), Choice("f", "fail"))


@dataclass(frozen=True, slots=True)
class Ruling:
    """The verdict on one translation, with the stretches (start, end) where a positive and a negative rule fired."""

    verdict: Verdict
    ground: Ground
    right: tuple[int, int] | None = None
    wrong: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class JudgedOutputs:
    """Outputs of one direction with a ruling on each; `problems` names the items whose rules cannot be read."""

    langpair: str
    outputs: Outputs
    rulings: Sequence[Ruling]
    problems: tuple[str, ...] = ()


def judge(items: Iterable[DfkiItem], outputs: Outputs, decisions: Mapping[str, str] | None = None) -> JudgedOutputs:
    """Rule on every output. Items of one direction only: ids mean different sentences in the other.

    `decisions` maps `key` to ``pass`` or ``fail`` (anything else leaves the rules' verdict in force). Equal outputs of an
    item are looked at once.
    """
    by_id = {item.id: item for item in items}
    langpairs = sorted({item.langpair for item in by_id.values()})
    if len(langpairs) > 1:
        raise InputError(f"DFKI items are judged one direction at a time; these are of {', '.join(langpairs)}.")
    rule_on: dict[str, Callable[[str], Ruling]] = {}
    problems: list[str] = []
    known: dict[tuple[str, str], Ruling] = {}
    rulings = []
    for id, text in zip(outputs.ids, outputs.texts, strict=True):
        ruling = known.get((id, text))
        if ruling is None:
            if id not in rule_on:
                if id not in by_id:
                    raise InputError(f"outputs name item {id}, which is not among the {len(by_id):,} items.")
                rule_on[id] = _rules(by_id[id], problems)
            ruling = known[id, text] = _overruled(rule_on[id](text), by_id[id], text, decisions or {})
        rulings.append(ruling)
    return JudgedOutputs(langpairs[0] if langpairs else "", outputs, rulings, tuple(problems))


def key(item: DfkiItem, text: str) -> str:
    """The key under which a decision on `text` as a translation of `item` is kept."""
    return decision_key(f"dfki:{item.langpair}:{item.id}", text)


def _overruled(ruling: Ruling, item: DfkiItem, text: str, decisions: Mapping[str, str]) -> Ruling:
    decided = decisions.get(key(item, text)) if decisions else None
    if decided == "pass":
        return Ruling("pass", "person", ruling.right, ruling.wrong)
    if decided == "fail":
        return Ruling("fail", "person", ruling.right, ruling.wrong)
    return ruling


def _rules(item: DfkiItem, problems: list[str]) -> Callable[[str], Ruling]:
    """The item's rules as one function; a regex that cannot be read leaves all its outputs to people."""
    searches: list[Callable[[str], re.Match[str] | None]] = []
    for name, pattern in (("positive_regex", item.positive_regex), ("negative_regex", item.negative_regex)):
        try:
            searches.append(re.compile(pattern).search if pattern else lambda text: None)
        except re.error as error:
            problems.append(
                f"item {item.id} ({item.langpair}): {name} {pattern!r} is not a regular expression ({error})."
            )
            return lambda text: Ruling("unresolved", "bad rule")
    right_in, wrong_in = searches
    right_sentences, wrong_sentences = frozenset(item.positive_tokens), frozenset(item.negative_tokens)

    def rule(text: str) -> Ruling:
        right = _where(right_in(text), text, right_sentences)
        wrong = _where(wrong_in(text), text, wrong_sentences)
        if right and not wrong:
            return Ruling("pass", "rules", right)
        if wrong and not right:
            return Ruling("fail", "rules", None, wrong)
        return Ruling("unresolved", "both" if right else "neither", right, wrong)

    return rule


def _where(match: re.Match[str] | None, text: str, sentences: frozenset[str]) -> tuple[int, int] | None:
    if match is not None:
        return match.span()
    return (0, len(text)) if text in sentences else None


def questions(items: Iterable[DfkiItem], judged: JudgedOutputs) -> Iterator[Question]:
    """One question for each distinct unresolved translation of an item, in the order of the outputs."""
    by_id = {item.id: item for item in items}
    systems: dict[tuple[str, str], list[str]] = {}
    rulings: dict[tuple[str, str], tuple[str, Ruling]] = {}
    outputs = judged.outputs
    for id, year, system, text, ruling in zip(
        outputs.ids, outputs.years, outputs.systems, outputs.texts, judged.rulings, strict=True
    ):
        if ruling.verdict == "unresolved":
            systems.setdefault((id, fold(text)), []).append(f"{system} {year}")
            rulings.setdefault((id, fold(text)), (text, ruling))
    for (id, folded), (text, ruling) in rulings.items():
        item = by_id[id]
        names = systems[id, folded]
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        yield Question(
            id=key(item, text),
            title=f"{item.langpair} {item.id} · {item.category} · {item.phenomenon} · {names[0]}{more}",
            body=(f"source   {item.source.strip()}", f"output   {text}", *_what_the_rules_said(item, text, ruling)),
            choices=PASS_OR_FAIL,
        )


def _what_the_rules_said(item: DfkiItem, text: str, ruling: Ruling) -> Iterator[str]:
    if ruling.ground == "bad rule":
        yield "rules    cannot be read"
    elif ruling.ground == "neither":
        yield "rules    neither fired" if _has_rule(item) else "rules    this item has none"
    for label, span in (("right", ruling.right), ("wrong", ruling.wrong)):
        if span:
            start, end = span
            yield f"{label}    {text[:start]}⟦{text[start:end]}⟧{text[end:]}"
    if ruling.ground == "both":
        return
    for label, regex, tokens in (
        ("right", item.positive_regex, item.positive_tokens),
        ("wrong", item.negative_regex, item.negative_tokens),
    ):
        if regex:
            yield f"{label} if {regex}"
        for token in tokens[:3]:
            yield f"{label} is {token}"


def _has_rule(item: DfkiItem) -> bool:
    return bool(item.positive_regex or item.negative_regex or item.positive_tokens or item.negative_tokens)


def judge_summary(judged: Sequence[JudgedOutputs]) -> Table:
    """Passed, failed and unresolved outputs of every direction as a whole (system ``all``) and of each system."""
    groups: dict[tuple[str, str, str], dict[str, int]] = {}
    for direction in judged:
        outputs = direction.outputs
        groups[direction.langpair, "", "all"] = {}
        names = sorted(set(zip(outputs.years, outputs.systems, strict=True)))
        groups.update({(direction.langpair, year, system): {} for year, system in names})
        for year, system, ruling in zip(outputs.years, outputs.systems, direction.rulings, strict=True):
            for group in ((direction.langpair, "", "all"), (direction.langpair, year, system)):
                counts = groups[group]
                for what in (ruling.verdict, ruling.ground):
                    counts[what] = counts.get(what, 0) + 1
    rows = []
    for (langpair, year, system), counts in groups.items():
        n = sum(counts.get(verdict, 0) for verdict in ("pass", "fail", "unresolved"))
        row: dict[str, object] = {"langpair": langpair, "year": year, "system": system, "n": n}
        for verdict in ("pass", "fail", "unresolved"):
            row[verdict] = counts.get(verdict, 0)
            row[f"{verdict}_share"] = counts.get(verdict, 0) / n if n else None
        row.update({ground: counts.get(ground, 0) for ground in ("both", "neither", "bad rule", "person")})
        rows.append(row)
    return Table(
        name="judged",
        columns=_SUMMARY_COLUMNS,
        rows=rows,
        caption="DFKI outputs judged by the items' rules and by people (Avramidis et al. 2023, section 3.1)",
        notes=tuple(problem for direction in judged for problem in direction.problems),
    )


_SUMMARY_COLUMNS = (
    TableColumn("langpair", "pair"),
    TableColumn("year"),
    TableColumn("system"),
    TableColumn("n", kind="count"),
    TableColumn("pass", kind="count"),
    TableColumn("pass_share", "pass %", kind="percent"),
    TableColumn("fail", kind="count"),
    TableColumn("fail_share", "fail %", kind="percent"),
    TableColumn("unresolved", "open", kind="count"),
    TableColumn("unresolved_share", "open %", kind="percent"),
    TableColumn("both", kind="count"),
    TableColumn("neither", kind="count"),
    TableColumn("bad rule", kind="count", hidden=True),
    TableColumn("person", "by people", kind="count"),
)
