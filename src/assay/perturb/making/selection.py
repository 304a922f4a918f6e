"""Selection of perturbations by name, option or group, and the reasons why some are not available."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.core.errors import AssayError, InputError, MissingPart, listing
from assay.core.perturbation import Perturbation, PerturbationCard
from assay.core.spec import contracted, create
from assay.core.table import Table, TableColumn
from assay.perturb import PERTURBATIONS
from assay.perturb.language.texts import base_language
from assay.perturb.language.tools import PARSED, RESOURCES, find_missing

GROUPS = {"all": "", "demetr": "DEMETR", "aces": "ACES", "smaug": "SMAUG", "hallucinations": "xCOMET"}
"""Groups by name, with the prefix of their entries in ``follows``."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A selected perturbation: its spec, and whether it was named or belongs to a selected group."""

    spec: str
    perturbation: Perturbation
    named: bool


def choose_perturbations(specs: Iterable[str]) -> list[Chosen]:
    """Return the perturbations for specs such as ``number-replaced``, ``empty:stop=no``, ``demetr`` or ``all``, each once, in
    order.
    """
    chosen: dict[str, Chosen] = {}
    for spec in specs:
        if spec in GROUPS:
            for name in PERTURBATIONS.names():
                perturbation = _build(name)
                if any(entry.startswith(GROUPS[spec]) for entry in perturbation.card.follows):
                    chosen.setdefault(name, Chosen(name, perturbation, named=False))
        else:
            chosen[spec] = Chosen(spec, _build(spec), named=True)
    if not chosen:
        raise InputError("no perturbation is selected. Specify one (-p number-replaced) or a group (-p demetr).")
    by_name: dict[str, str] = {}
    for one in chosen.values():
        name = one.perturbation.card.name
        if name in by_name:
            raise InputError(f"{by_name[name]} and {one.spec} are the same perturbation: select only one of them.")
        by_name[name] = one.spec
    return list(chosen.values())


def _build(spec: str) -> Perturbation:
    perturbation: Perturbation = create(PERTURBATIONS, spec, Perturbation)
    return perturbation


def find_obstacle(card: PerturbationCard, language: str) -> str:
    """Return the reason a perturbation is not available in a language, as a sentence; empty if it is available."""
    if card.off:
        return f"{card.name}: disabled: {card.off}."
    base = base_language(language)
    if "any" not in card.languages and base not in card.languages:
        if "parse" in card.needs and base not in PARSED:
            return f"{card.name}: {find_missing('parse', language)}"
        return f"{card.name} works in {', '.join(card.languages)}, not in {language}."
    for need in card.needs:
        if need in RESOURCES and (absent := find_missing(need, language)):
            return f"{card.name}: {absent}"
    return ""


def find_default_doubt(card: PerturbationCard, language: str) -> str:
    """Return the reason a perturbation makes no items in a language by default; empty if it does."""
    if card.columns:
        return f"needs the column {', '.join(card.columns)}"
    if "any" in card.sure_in or base_language(language) in card.sure_in:
        return ""
    alternative = f"give the column {', '.join(card.unless)}, or " if card.unless else ""
    return f"off by default, in doubt: {alternative}--min-confidence 0"


def select_available(
    chosen: Sequence[Chosen], languages: Sequence[str], columns: Collection[str] = ()
) -> tuple[dict[str, list[str]], dict[str, str]]:
    """Return the available specs for each language, and the reason for each spec that is left out.

    A named perturbation that fits none of the languages is an error; one from a group is left out. `columns` are the corpus's
    columns in addition to the usual ones.
    """
    able: dict[str, list[str]] = {language: [] for language in languages}
    left_out: dict[str, str] = {}
    for one in chosen:
        card = one.perturbation.card
        absent = [column for column in card.columns if column not in columns]
        needs = f"{card.name} needs the column {', '.join(absent)} in the corpus." if absent else ""
        reasons = {language: needs or find_obstacle(card, language) for language in languages}
        for language, reason in reasons.items():
            if not reason:
                able[language].append(one.spec)
        if all(reasons.values()):
            reason = next(iter(reasons.values()))
            if one.named:
                raise MissingPart(reason)
            left_out[one.spec] = reason
    return able, left_out


def explain_left_out(reasons: Mapping[str, str]) -> list[str]:
    """Return one sentence per reason, with the perturbations that it excludes."""
    by_reason: dict[str, list[str]] = {}
    for spec, reason in reasons.items():
        by_reason.setdefault(reason.removeprefix(f"{spec}: ").removeprefix(f"{spec} "), []).append(spec)
    return [f"left out: {listing(specs, 4)}: {reason}" for reason, specs in by_reason.items()]


LANGUAGES = ("en", "de", "fr", "es", "ru", "zh", "ja")
ON, OFF, INSTALL, NOT = "✓", "◐", "○", "·"
_LEGEND = f"{ON} on · {OFF} off by default, or needs a column · {INSTALL} needs an installation · {NOT} not available"
_MORE = "Details: assay list perturbations NAME"


def availability_table() -> Table:
    """Return a table of perturbations and target languages: on, off by default, after an installation, or not available."""
    rows: list[dict[str, Any]] = []
    installs: dict[str, dict[str, None]] = {}
    for name in PERTURBATIONS.names():
        try:
            card = contracted(PERTURBATIONS, name, Perturbation).card
        except AssayError as error:
            rows.append({"name": name, "follows": "", "about": str(error)})
            continue
        number = next((int(entry.split()[1]) for entry in card.follows if entry.startswith("DEMETR ")), None)
        row: dict[str, Any] = {"name": name, "perturbation": number, "phenomenon": card.phenomenon}
        row |= {"follows": ", ".join(card.follows), "about": card.about}
        for language in LANGUAGES:
            reason = find_obstacle(card, language)
            possible = _is_installable(reason)
            row[language] = (
                INSTALL if possible else NOT if reason else OFF if find_default_doubt(card, language) else ON
            )
            if possible:
                sentence = reason.partition(": ")[2].replace(f" for {language} ", " for LANGUAGES ")
                installs.setdefault(sentence, {})[language] = None
        rows.append(row)
    columns = [TableColumn("name"), *(TableColumn(language) for language in LANGUAGES)]
    columns += [TableColumn("follows"), TableColumn("about")]
    columns += [TableColumn("perturbation", "DEMETR's number", kind="count", hidden=True)]
    columns += [TableColumn("phenomenon", hidden=True)]
    notes = [_LEGEND, _MORE]
    notes += [sentence.replace("LANGUAGES", ", ".join(wanting)) for sentence, wanting in installs.items()]
    return Table("perturbations", columns, rows, notes=notes)


def describe(name: str) -> dict[str, str]:
    """Return the description of one perturbation: what it does, which paper it follows, and its state in each language."""
    card = contracted(PERTURBATIONS, name, Perturbation).card
    description = {"name": name, "about": card.about, "phenomenon": card.phenomenon, "follows": ", ".join(card.follows)}
    for language in LANGUAGES:
        reason = find_obstacle(card, language).removeprefix(f"{name}: ").removeprefix(f"{name} ").rstrip(".")
        if reason and _is_installable(reason + " "):
            reason = f"needs an installation: {reason}"
        description[language] = reason or find_default_doubt(card, language) or "on"
    return description


def _is_installable(reason: str) -> bool:
    """Return whether the reason has an install command."""
    return " install " in reason
