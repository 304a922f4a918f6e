"""The matrix of perturbations and languages: what is on, off by default, there after an installation, or does not exist."""

from __future__ import annotations

from typing import Any

from assay.core.errors import AssayError
from assay.core.perturbation import Perturbation
from assay.core.spec import contracted
from assay.core.table import Table, TableColumn
from assay.perturb import PERTURBATIONS
from assay.perturb.making.selection import doubt_by_default, obstacle

LANGUAGES = ("en", "de", "fr", "es", "ru", "zh", "ja")
ON, OFF, INSTALL, NOT = "✓", "◐", "○", "·"
_LEGEND = f"{ON} on · {OFF} off by default, or waits for a column · {INSTALL} after an installation · {NOT} not in this language"
_MORE = "assay list perturbations NAME says why"


def matrix() -> Table:
    """One line a perturbation, one column a target language: on, off by default, after an installation, or not at all."""
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
            reason = obstacle(card, language)
            possible = _installable(reason)
            row[language] = INSTALL if possible else NOT if reason else OFF if doubt_by_default(card, language) else ON
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


def states(name: str) -> dict[str, str]:
    """One perturbation in words: what it does and follows, and for each language whether it is on, and why not."""
    card = contracted(PERTURBATIONS, name, Perturbation).card
    found = {"name": name, "about": card.about, "phenomenon": card.phenomenon, "follows": ", ".join(card.follows)}
    for language in LANGUAGES:
        reason = obstacle(card, language).removeprefix(f"{name}: ").removeprefix(f"{name} ").rstrip(".")
        if reason and _installable(reason + " "):
            reason = f"after an installation: {reason}"
        found[language] = reason or doubt_by_default(card, language) or "on"
    return found


def _installable(reason: str) -> bool:
    """True where the reason says what to install."""
    return " install " in reason
