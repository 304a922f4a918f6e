"""The matrix of perturbations and languages: what works here, what would after an installation, what does not exist."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.core.errors import AssayError
from assay.core.perturbation import Perturbation
from assay.core.spec import contracted
from assay.core.table import Table, TableColumn
from assay.perturb import PERTURBATIONS
from assay.perturb.making.selection import obstacle

LANGUAGES = ("en", "de", "fr", "es", "ru", "zh", "ja")
WORKS, INSTALL, NOT = "✓", "○", "·"


def matrix(names: Sequence[str] | None = None) -> Table:
    """One line a perturbation (of all, or of those named), one column a target language.

    ✓ works, ○ after an installation, · not in this language.
    """
    rows: list[dict[str, Any]] = []
    installs: dict[str, dict[str, None]] = {}
    for name in names or PERTURBATIONS.names():
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
            possible = " install " in reason
            row[language] = WORKS if not reason else INSTALL if possible else NOT
            if possible:
                sentence = reason.partition(": ")[2].replace(f" for {language} ", " for LANGUAGES ")
                installs.setdefault(sentence, {})[language] = None
        rows.append(row)
    columns = [TableColumn("name"), *(TableColumn(language) for language in LANGUAGES)]
    columns += [TableColumn("follows"), TableColumn("about")]
    columns += [TableColumn("perturbation", "DEMETR's number", kind="count", hidden=True)]
    columns += [TableColumn("phenomenon", hidden=True)]
    notes = [f"{WORKS} works · {INSTALL} after an installation · {NOT} not in this language"]
    notes += [sentence.replace("LANGUAGES", ", ".join(wanting)) for sentence, wanting in installs.items()]
    return Table("perturbations", columns, rows, notes=notes)
