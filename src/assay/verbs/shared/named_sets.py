"""Test sets specified by name (``-t wmt23 -l en-de``), which provide sources and references as in sacrebleu."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assay.analyses.meta.recipes import langpairs_of
from assay.core.errors import InputError, MissingPart, listing, unknown
from assay.engine.inputs import Known
from assay.io.files.text import read_parallel
from assay.io.wmt.files import langpairs, source_files
from assay.io.wmt.tree import read_eval_set
from assay.suites.locate import locate
from assay.suites.wmt import card_of, facts, pair_facts, years

if TYPE_CHECKING:
    from assay.suites.wmt import WmtFacts


def known_texts(
    name: str | os.PathLike[str], langpair: str | None, data_dir: str | os.PathLike[str] | None = None
) -> Known:
    """Return the texts for a year or an mt-metrics-eval tree, with the standard reference, or for a set downloaded by sacrebleu."""
    text = os.fspath(name)
    if text in years() or Path(text).exists():
        try:
            return _tree(text, langpair, data_dir)
        except MissingPart:
            if not _downloaded(text).is_dir():
                raise
    return _sacrebleu(text, langpair)


def _tree(name: str, langpair: str | None, data_dir: str | os.PathLike[str] | None) -> Known:
    official, folder = find_set(name, data_dir)
    pair = _chosen(name, langpair, langpairs(folder))
    evalset = read_eval_set(folder, pair)
    reference = evalset.references[pair_facts(evalset, official).standard_reference]
    label = official.name if official is not None else Path(name).name
    files = [str(path) for path in source_files(folder, [pair])]
    return Known(f"{label} {pair}", pair, evalset.sources, [reference], evalset.documents, files)


def _downloaded(name: str) -> Path:
    home = os.environ.get("SACREBLEU") or "~/.sacrebleu"
    return Path(home).expanduser() / name.replace("/", "_")


def _sacrebleu(name: str, langpair: str | None) -> Known:
    """Read the texts that sacrebleu stores in its folder: SET.PAIR.src, SET.PAIR.ref (or ref:A, ref:B …)."""
    folder, stem = _downloaded(name), name.replace("/", "_")
    if not folder.is_dir():
        from sacrebleu import DATASETS

        if name in DATASETS:
            pair = langpair or next(iter(DATASETS[name].langpairs))
            get = f"sacrebleu -t {name} -l {pair} --echo src > /dev/null"
            raise MissingPart(f"the test set {name} is not on this machine. Download it with: {get}")
        raise unknown("test set", name, [*years(), *DATASETS], "or specify the path of an mt-metrics-eval tree")
    pairs = sorted({path.name[len(stem) + 1 : -4] for path in folder.glob(f"{stem}.*.src")})
    pair = _chosen(name, langpair, pairs)
    files = [str(folder / f"{stem}.{pair}.src")]
    references = sorted(str(path) for path in folder.glob(f"{stem}.{pair}.ref*"))
    if not references:
        raise InputError(f"{folder} has no reference for {pair}.")
    columns: list[list[str]] = [[] for _ in (*files, *references)]
    for piece in read_parallel([*files, *references], 10_000):
        for column, lines in zip(columns, piece, strict=True):
            column += lines
    return Known(f"{name} {pair}", pair, columns[0], columns[1:], [], [*files, *references])


def _chosen(name: str, langpair: str | None, there: Sequence[str]) -> str:
    if langpair is None:
        if len(there) == 1:
            return there[0]
        raise InputError(f"{name} contains several language pairs ({listing(there)}). Choose one with -l.")
    if langpair not in there:
        raise unknown(f"language pair of {name}", langpair, there)
    return langpair


def find_set(name: str | os.PathLike[str], data_dir: str | os.PathLike[str] | None) -> tuple[WmtFacts | None, Path]:
    """Return the official facts and the folder of a test set. A tree in another location may have the same name as an
    official set."""
    text = os.fspath(name)
    if text in years():
        return facts(text), locate(card_of(text), data_dir)
    path = Path(text)
    if not path.exists():
        raise unknown("WMT test set", text, years(), "or specify the path of an mt-metrics-eval tree")
    return (facts(path.name) if path.name in years() else None), path


def default_pairs(official: WmtFacts | None, folder: Path) -> list[str]:
    """Return the official tasks' language pairs that are in the tree, or all pairs in a tree without official tasks."""
    there = langpairs(folder)
    if official is None:
        return there
    wanted = langpairs_of(official.recipe)
    here = [pair for pair in wanted if pair in there]
    if not here:
        raise InputError(f"{folder} has none of {', '.join(wanted)}, the language pairs of {official.name}.")
    return here
