"""Rule-based judge of system outputs for the DFKI suite (Avramidis et al. 2023, Section 3.1; Macketanz et al. 2022).

A translation is right if a positive rule of its item matches and no negative one does, and wrong in the reverse case. If
both or neither match, it stays unresolved until an annotator decides. Annotators' decisions override the rules. Regexes are
searched as written (case-sensitive, see `core/patterns.py`); a token is a complete sentence that must equal the
translation.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from assay.core.errors import InputError
from assay.core.patterns import Searched, Span, search, shortened
from assay.core.review import Choice, Passage, Question
from assay.core.table import Table, TableColumn
from assay.io.judgements.decisions import decision_key, fold
from assay.suites.dfki_files import DfkiItem, Outputs

Verdict = Literal["pass", "fail", "unresolved"]
Ground = Literal["rules", "both", "neither", "bad rule", "person"]
"""Reason for a verdict: the rules agreed, both kinds or neither matched, a rule is invalid, or an annotator decided."""

PASS_OR_FAIL = (Choice("p", "pass"), Choice("f", "fail"))


@dataclass(frozen=True, slots=True)
class Ruling:
    """The verdict on one translation, with the spans (start, end) that a positive and a negative rule matched."""

    verdict: Verdict
    ground: Ground
    right: Span | None = None
    wrong: Span | None = None


BAD_RULE = Ruling("unresolved", "bad rule")


@dataclass(frozen=True, slots=True)
class JudgedOutputs:
    """Outputs for one direction with a ruling on each; `problems` names the items with invalid rules."""

    langpair: str
    outputs: Outputs
    rulings: Sequence[Ruling]
    problems: tuple[str, ...] = ()


def judge(items: Iterable[DfkiItem], outputs: Outputs, decisions: Mapping[str, str] | None = None) -> JudgedOutputs:
    """Judge every output. Items must belong to one direction, because ids differ between directions.

    `decisions` maps `key` to ``pass`` or ``fail``; with any other value, the verdict of the rules stands. Identical outputs for
    an item are judged once.
    """
    by_id = {item.id: item for item in items}
    langpairs = sorted({item.langpair for item in by_id.values()})
    if len(langpairs) > 1:
        raise InputError(f"DFKI items must have the same language pair; these have {', '.join(langpairs)}.")
    distinct: dict[str, dict[str, None]] = defaultdict(dict)
    for id, text in zip(outputs.ids, outputs.texts, strict=True):
        distinct[id][text] = None
    for id in distinct:
        if id not in by_id:
            raise InputError(f"the outputs refer to item {id}, which is not among the {len(by_id):,} items.")
    searched, problems = _search([by_id[id] for id in distinct], distinct), list[str]()
    by_item = {id: _rule_on(by_id[id], texts, searched, decisions or {}, problems) for id, texts in distinct.items()}
    rulings = [by_item[id][text] for id, text in zip(outputs.ids, outputs.texts, strict=True)]
    return JudgedOutputs(langpairs[0] if langpairs else "", outputs, rulings, tuple(problems))


def key(item: DfkiItem, text: str) -> str:
    """Return the key for a decision on `text` as a translation of `item`."""
    return decision_key(f"dfki:{item.langpair}:{item.id}", text)


def _overruled(ruling: Ruling, item: DfkiItem, text: str, decisions: Mapping[str, str]) -> Ruling:
    decided = decisions.get(key(item, text)) if decisions else None
    if decided == "pass":
        return Ruling("pass", "person", ruling.right, ruling.wrong)
    if decided == "fail":
        return Ruling("fail", "person", ruling.right, ruling.wrong)
    return ruling


def _search(items: Iterable[DfkiItem], distinct: Mapping[str, Iterable[str]]) -> dict[str, Searched]:
    """Search for every rule in the outputs for its items; rules shared by several items are searched for once."""
    texts_of: dict[str, dict[str, None]] = defaultdict(dict)
    for item in items:
        for pattern in (item.positive_regex, item.negative_regex):
            if pattern:
                texts_of[pattern].update(dict.fromkeys(distinct[item.id]))
    return search({pattern: list(texts) for pattern, texts in texts_of.items()})


def _rule_on(
    item: DfkiItem,
    texts: Iterable[str],
    searched: Mapping[str, Searched],
    decisions: Mapping[str, str],
    problems: list[str],
) -> dict[str, Ruling]:
    """Judge each output for an item; an invalid regex leaves all of them to annotators."""
    right_in, wrong_in = searched.get(item.positive_regex, {}), searched.get(item.negative_regex, {})
    if isinstance(right_in, str) or isinstance(wrong_in, str):
        name, pattern, wrong = (
            ("positive_regex", item.positive_regex, right_in)
            if isinstance(right_in, str)
            else ("negative_regex", item.negative_regex, wrong_in)
        )
        problems.append(f"item {item.id} ({item.langpair}): {name} {shortened(pattern)} {wrong}.")
        return {text: _overruled(BAD_RULE, item, text, decisions) for text in texts}
    right_sentences, wrong_sentences = frozenset(item.positive_tokens), frozenset(item.negative_tokens)
    return {
        text: _overruled(
            _ruling(_where(right_in, text, right_sentences), _where(wrong_in, text, wrong_sentences)),
            item,
            text,
            decisions,
        )
        for text in texts
    }


def _ruling(right: Span | None, wrong: Span | None) -> Ruling:
    if right and not wrong:
        return Ruling("pass", "rules", right)
    if wrong and not right:
        return Ruling("fail", "rules", None, wrong)
    return Ruling("unresolved", "both" if right else "neither", right, wrong)


def _where(spans: Mapping[str, Span], text: str, sentences: frozenset[str]) -> Span | None:
    return spans.get(text) or ((0, len(text)) if text in sentences else None)


def questions(items: Iterable[DfkiItem], judged: JudgedOutputs) -> Iterator[Question]:
    """Yield one question for each distinct unresolved translation of an item, in output order."""
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
        source_language, _, target_language = item.langpair.partition("-")
        yield Question(
            id=key(item, text),
            title=f"{item.langpair} {item.id} · {item.category} · {item.phenomenon} · {names[0]}{more}",
            passages=(
                Passage("source", item.source.strip(), source_language),
                Passage("output", text, target_language),
                *_rule_passages(item, text, ruling),
            ),
            choices=PASS_OR_FAIL,
        )


def _rule_passages(item: DfkiItem, text: str, ruling: Ruling) -> Iterator[Passage]:
    language = item.langpair.partition("-")[2]
    if ruling.ground == "bad rule":
        yield Passage("rules", "invalid")
    elif ruling.ground == "neither":
        yield Passage("rules", "neither matched" if _has_rule(item) else "this item has none")
    for label, span in (("right", ruling.right), ("wrong", ruling.wrong)):
        if span:
            yield Passage(label, text, language, (span,))
    if ruling.ground == "both":
        return
    for label, regex, tokens in (
        ("right", item.positive_regex, item.positive_tokens),
        ("wrong", item.negative_regex, item.negative_tokens),
    ):
        if regex:
            yield Passage(f"{label} if", regex)
        for token in tokens[:3]:
            yield Passage(f"{label} is", token, language)


def _has_rule(item: DfkiItem) -> bool:
    return bool(item.positive_regex or item.negative_regex or item.positive_tokens or item.negative_tokens)


def judge_summary(judged: Sequence[JudgedOutputs]) -> Table:
    """Count passed, failed and unresolved outputs for each direction (system ``all``) and for each system."""
    rows = []
    for direction in judged:
        outputs = direction.outputs
        what = [(ruling.verdict, ruling.ground) for ruling in direction.rulings]
        rows.append(_summary_row(direction.langpair, "", "all", Counter(what)))
        by_system: dict[tuple[str, str], Counter[tuple[Verdict, Ground]]] = defaultdict(Counter)
        for (year, system, one), n in Counter(zip(outputs.years, outputs.systems, what, strict=True)).items():
            by_system[year, system][one] += n
        rows += [_summary_row(direction.langpair, *name, by_system[name]) for name in sorted(by_system)]
    return Table(
        name="judged",
        columns=_SUMMARY_COLUMNS,
        rows=rows,
        caption="DFKI outputs judged by rules and annotators (Avramidis et al. 2023, Section 3.1)",
        notes=tuple(problem for direction in judged for problem in direction.problems),
    )


def _summary_row(langpair: str, year: str, system: str, counts: Counter[tuple[Verdict, Ground]]) -> dict[str, object]:
    n = counts.total()
    row: dict[str, object] = {"langpair": langpair, "year": year, "system": system, "n": n}
    for verdict in ("pass", "fail", "unresolved"):
        row[verdict] = number = sum(times for (one, _), times in counts.items() if one == verdict)
        row[f"{verdict}_share"] = number / n if n else None
    for ground in ("both", "neither", "bad rule", "person"):
        row[ground] = sum(times for (_, one), times in counts.items() if one == ground)
    return row


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
    TableColumn("person", "by annotators", kind="count"),
)


def verdicts(directions: Sequence[tuple[Sequence[DfkiItem], JudgedOutputs]]) -> Table:
    """Return one row per output: item, year, system, text, verdict and its reason (``rules``, ``person`` …)."""
    rows = []
    for items, judged in directions:
        by_id = {item.id: item for item in items}
        outputs = judged.outputs
        for id, year, system, text, ruling in zip(
            outputs.ids, outputs.years, outputs.systems, outputs.texts, judged.rulings, strict=True
        ):
            item = by_id[id]
            rows.append(
                {
                    "langpair": judged.langpair,
                    "id": id,
                    "category": item.category,
                    "phenomenon": item.phenomenon,
                    "year": year,
                    "system": system,
                    "verdict": ruling.verdict,
                    "ground": ruling.ground,
                    "output": text,
                }
            )
    columns = tuple(
        TableColumn(key)
        for key in ("langpair", "id", "category", "phenomenon", "year", "system", "verdict", "ground", "output")
    )
    return Table("verdicts", columns, rows, "DFKI: verdict of each output")
