"""DEMETR (Karpinska et al. 2022): 35 perturbations of 1,000 checked translations from ten languages into English."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from operator import itemgetter
from pathlib import Path
from types import MappingProxyType
from typing import Any

from assay.core.errors import InputError, listing
from assay.core.item import Item
from assay.core.schema import shorten
from assay.core.suite import Suite, SuiteCard
from assay.data import checksums
from assay.data.demetr import DemetrPerturbation, perturbations
from assay.io.table.bad_rows import BadRows
from assay.io.table.formats import objects

COMMIT = "9b31cfe92b2fee26d3d7532aea349af31a63f93e"
LANGUAGES = MappingProxyType(
    {
        "chinese_simple": "zh",
        "czech": "cs",
        "french": "fr",
        "german": "de",
        "hindi": "hi",
        "italian": "it",
        "japanese": "ja",
        "polish": "pl",
        "russian": "ru",
        "spanish": "es",
    }
)
_TEXTS = ("src_sent", "eng_sent", "mt_sent", "pert_sent", "lang_tag")
_KEYS = (*_TEXTS, "id", "pert_check")
_NUMBER_OR_TEXT = (str, int)
_VALUES = itemgetter(*_KEYS)
_GOOD = frozenset(((str,) * len(_TEXTS) + (kind, bool)) for kind in _NUMBER_OR_TEXT)
"""Value types in a row that need no further check."""
_ENDINGS = (".json", ".jsonl", ".json.gz", ".jsonl.gz")


class Demetr(Suite):
    """Minimal pairs: the checked machine translation and the same text with one error.

    Only items whose perturbation was verified (``pert_check``) are used, as in the paper; `unchecked` uses all of them.
    With `skip_bad`, unusable rows are left out and listed in `problems`. Item ids are ``NUMBER:ID``, for instance
    ``17:543``; ``meta["perturbation"]`` is the number in the paper.
    """

    card = SuiteCard(
        name="demetr",
        title="DEMETR",
        kind="contrastive",
        analysis="demetr",
        origin=f"https://github.com/marzenakrp/demetr (commit {COMMIT[:7]})",
        licence="MIT",
        citation="Karpinska et al. 2022, DEMETR: Diagnosing Evaluation Metrics for Translation (EMNLP)",
        languages="cs, de, es, fr, hi, it, ja, pl, ru, zh into en",
        folders=("demetr", "DEMETR", "demetr-main"),
        how_to_get="git clone https://github.com/marzenakrp/demetr",
        checksums=checksums("demetr"),
        downloads={
            f"{one.file}.json": f"https://raw.githubusercontent.com/marzenakrp/demetr/{COMMIT}/dataset/{one.file}.json"
            for one in perturbations()
        },
    )

    def __init__(self, *, unchecked: bool = False, skip_bad: bool = False) -> None:
        self.unchecked, self.skip_bad = unchecked, skip_bad
        self.problems: list[str] = []

    def load(self, folder: Path | None) -> list[Item]:
        """Load the items from every perturbation file in `folder` (or its subfolder ``dataset``), in the paper's order."""
        if folder is None:
            raise InputError("DEMETR requires a folder. Specify it with --data-dir.")
        if (folder / "dataset").is_dir():
            folder = folder / "dataset"
        bad = BadRows(self.skip_bad)
        items: list[Item] = []
        missing = []
        for one in perturbations():
            path = next((p for end in _ENDINGS if (p := folder / f"{one.file}{end}").is_file()), None)
            if path is None:
                missing.append(f"{one.file}.json")
            else:
                items.extend(self._items(path, one, bad))
        if len(missing) == len(perturbations()):
            raise InputError(f"{folder} contains none of the DEMETR files (such as {missing[0]}).")
        self.problems = bad.sentences()
        if missing:
            self.problems.append(f"{len(missing)} of DEMETR's 35 files are not in {folder}: {listing(missing)}.")
        return items

    def _items(self, path: Path, one: DemetrPerturbation, bad: BadRows) -> Iterator[Item]:
        seen: dict[Any, int] = {}
        shared: dict[str, Mapping[str, Any]] = {}
        for line, row in objects(path, bad):
            reason = _fault(row)
            if reason or (key := row["id"]) in seen:
                bad(path, line, reason or f"id {key} was already on line {seen[key]}.")
                continue
            seen[key] = line
            if not (row["pert_check"] or self.unchecked):
                continue
            source = row.get("data_source", "")
            meta = shared.get(source)
            if meta is None:
                meta = shared[source] = MappingProxyType({"perturbation": one.number, "data_source": source})
            yield Item(
                f"{one.number}:{key}",
                row["src_sent"],
                row["eng_sent"],
                row["mt_sent"],
                row["pert_sent"],
                one.phenomenon,
                one.category,
                one.severity,
                f"{LANGUAGES[row['lang_tag']]}-en",
                meta,
            )


def _fault(row: dict[str, Any]) -> str:
    """Return the reason a row cannot be used, or an empty string."""
    try:
        kinds = tuple(map(type, _VALUES(row)))
    except KeyError as missing:
        return f"the key {missing} is missing."
    if kinds in _GOOD and type(row.get("data_source", "")) in _NUMBER_OR_TEXT and row["lang_tag"] in LANGUAGES:
        return ""
    for key in _TEXTS:
        if type(row[key]) is not str:
            return f"{key!r} must be text, not {type(row[key]).__name__}."
    for key in ("id", "data_source"):
        if not isinstance(row.get(key, ""), _NUMBER_OR_TEXT):
            return f"{key!r} must be a number or text, not {shorten(row[key])}."
    if type(row["pert_check"]) is not bool:
        return f"'pert_check' must be true or false, not {shorten(row['pert_check'])}."
    return (
        ""
        if row["lang_tag"] in LANGUAGES
        else f"'lang_tag' is {shorten(row['lang_tag'])}, none of DEMETR's ten languages."
    )
