"""The csv module's limit of a field, which is one for the whole process: raised while we read, and put back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from assay.io.files.text import LONGEST_LINE

LONGEST_FIELD = LONGEST_LINE
"""Characters. A longer CSV field is a quote that nobody closed."""


@contextmanager
def long_fields() -> Iterator[None]:
    """In this block a field may be as long as a line."""
    import csv

    old = csv.field_size_limit(LONGEST_FIELD)
    try:
        yield
    finally:
        csv.field_size_limit(old)
