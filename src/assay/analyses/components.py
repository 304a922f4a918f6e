"""What corpus scores are made of, as a table: BLEU's brevity penalty, lengths and precisions."""

from __future__ import annotations

from collections.abc import Mapping

from assay.core.metric import Metric
from assay.core.table import Table, TableColumn

Components = Mapping[str, Mapping[str, Mapping[str, float]]]
"""System to metric name to the parts by name."""
_LABELS = {"bp": "BP", "hyp_len": "length", "ref_len": "ref length"}
_DECIMALS = {"bp": 3, "ratio": 3}


def table(components: Components, metrics: Mapping[str, Metric]) -> list[Table]:
    """One line for each system and metric that says what its score is made of; no table where none does."""
    rows = [
        {"system": system, "metric": name, "label": metrics[name].card.label, **parts}
        for system, row in components.items()
        for name, parts in row.items()
    ]
    keys = dict.fromkeys(key for row in components.values() for parts in row.values() for key in parts)
    columns = [TableColumn("system", " "), TableColumn("metric", hidden=True), TableColumn("label", "metric")]
    for key in keys:
        label = _LABELS.get(key, key.replace("precision_", "p"))
        columns.append(TableColumn(key, label, "count" if key.endswith("_len") else "number", _DECIMALS.get(key, 1)))
    reading = "The score is BP times the geometric mean of the precisions p1, p2 … (in %); lengths are in words."
    return [Table("components", columns, rows, "what the scores are made of", reading=reading)] if rows else []
