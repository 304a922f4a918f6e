"""Interfaces and data types shared by all packages. Imports only the standard library, and numpy when needed."""

from assay.core.batch import Batch, Segment
from assay.core.errors import AssayError, CheckFailed, InputError, Interrupted, MissingPart, OutputError, UnknownName
from assay.core.item import Item
from assay.core.judged import Judged, Judgement, Outcome
from assay.core.metric import Card, Metric, Scores, Signature, statistics
from assay.core.registry import Registry
from assay.core.spans import ErrorSpan
from assay.core.suite import Measured, Suite, SuiteCard
from assay.core.table import Pivot, Table, TableColumn

__all__ = [
    "AssayError",
    "Batch",
    "Card",
    "CheckFailed",
    "ErrorSpan",
    "InputError",
    "Interrupted",
    "Item",
    "Judged",
    "Judgement",
    "Measured",
    "Metric",
    "MissingPart",
    "Outcome",
    "OutputError",
    "Pivot",
    "Registry",
    "Scores",
    "Segment",
    "Signature",
    "Suite",
    "SuiteCard",
    "Table",
    "TableColumn",
    "UnknownName",
    "statistics",
]
