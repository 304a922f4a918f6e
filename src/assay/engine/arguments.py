"""Conversion of Python arguments (lists, frames, generators) to a Batch, with clear messages for common mistakes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from types import NoneType
from typing import Any

from assay.core.batch import Batch, EmptyReference, apply_empty_reference
from assay.core.errors import InputError, count

Texts = Iterable[str]
"""A list, a column of a frame or a generator."""
References = Texts | Iterable[Texts]


def make_batch(
    hypotheses: Texts,
    references: References | None,
    sources: Texts | None = None,
    langpair: str | None = None,
    empty_reference: EmptyReference | None = None,
) -> Batch:
    """Return the arguments of a Python function as a Batch.

    None is a missing reference and an empty text is an empty reference, as in sacrebleu, unless `empty_reference` overrides this.
    """
    if isinstance(hypotheses, str):
        raise InputError("hypotheses must be a list of strings, not one string. Write hypotheses=[text].")
    hypotheses = _listed(hypotheses)
    n = len(hypotheses)
    batch = Batch(
        hypotheses=_strings("hypotheses", hypotheses),
        sources=None if sources is None else _strings("sources", sources),
        references=None if references is None else _reference_columns(references, n),
        langpairs=None if langpair is None else [langpair] * n,
    )
    if empty_reference is not None and batch.references:
        return replace(
            batch, references=apply_empty_reference(batch.references, empty_reference, lambda row: f"segment {row + 1}")
        )
    return batch


def _reference_columns(references: References, n: int) -> tuple[Sequence[str | None], ...]:
    if isinstance(references, str):
        raise InputError("references must be a list of strings, not one string. Write references=[text].")
    references = _listed(references)
    if all(issubclass(kind, (str, NoneType)) for kind in set(map(type, references))):
        return (_strings("references", references),)
    columns = []
    for column in references:
        if isinstance(column, str) or not isinstance(column, Iterable):
            raise InputError("references mixes strings and lists. Pass one list of strings per reference.")
        columns.append(_strings("references", column))
    lengths = {len(column) for column in columns}
    if lengths != {n}:
        if len(columns) == n:
            raise InputError(
                f"references are nested the wrong way round: {count(n, 'list')} for as many hypotheses. "
                "Pass one list per reference, each as long as hypotheses: references=[first_references, second_references]."
            )
        numbers = ", ".join(f"{length:,}" for length in sorted(lengths))
        raise InputError(f"references have {numbers} segments, but hypotheses has {n:,}; they must match.")
    return tuple(columns)


def _listed(column: Iterable[Any]) -> Sequence[Any]:
    if isinstance(column, (set, frozenset)):
        raise InputError("a set is unordered, so its texts cannot be paired with other texts. Pass a list.")
    return column if isinstance(column, (list, tuple)) else list(column)


def _strings(name: str, column: Iterable[Any]) -> Sequence[Any]:
    """Return the column after checking that it contains only strings (and None for missing references)."""
    texts = _listed(column)
    allowed = (str, NoneType) if name == "references" else (str,)
    if any(not issubclass(kind, allowed) for kind in set(map(type, texts))):
        i = next(i for i, text in enumerate(texts) if not isinstance(text, allowed))
        raise InputError(f"{name}[{i}] is {type(texts[i]).__name__}, not a string.")
    return texts
