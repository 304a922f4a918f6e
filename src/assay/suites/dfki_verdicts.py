"""The verdict of each output of the DFKI suite as a table (Avramidis et al. 2023, section 3.1)."""

from __future__ import annotations

from collections.abc import Sequence

from assay.core.table import Table, TableColumn
from assay.suites.dfki import DfkiItem
from assay.suites.dfki_judge import JudgedOutputs


def verdicts(directions: Sequence[tuple[Sequence[DfkiItem], JudgedOutputs]]) -> Table:
    """One row an output: its item, year, system and text, the verdict and what it rests on (``rules``, ``person`` …)."""
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
    return Table("verdicts", columns, rows, "DFKI: the verdict of each output")
