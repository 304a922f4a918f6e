"""Metadata for the metric in a score file: words after the file name, and a small card file.

``scores.tsv:lower,source`` means that lower is better and that the metric reads only the source. The card is a JSON file
called ``scores.card.json``: ``{"needs": "source", "better": "lower", "family": "learned", "trained_on": ["aces"],
"languages": ["de", "en"]}``. Every field is optional. A word takes precedence over the card.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from assay.core.errors import unknown
from assay.core.metric import Card
from assay.core.schema import Place, typed
from assay.io.documents import read_document

Reads = Literal["source", "reference", "both"]
Better = Literal["higher", "lower"]
Family = Literal["string", "embedding", "learned", "likelihood", "judge", "baseline"]

ENDINGS = (".gz", ".xz", ".zst", ".tsv", ".csv", ".jsonl", ".json", ".parquet", ".txt", ".score", ".scores", ".seg")


@dataclass(frozen=True, slots=True)
class FileCard:
    """Fields in a score file's card; `needs` lists the texts that the metric reads, `family` is its kind."""

    needs: Reads | None = None
    better: Better | None = None
    family: Family | None = None
    trained_on: tuple[str, ...] = ()
    languages: tuple[str, ...] = ("any",)


def split(spec: str) -> tuple[Path, list[str]]:
    """Split ``FILE:WORD,WORD`` into path and words; a colon that no known word follows belongs to the path."""
    vocabulary = [word for kind in (Reads, Better, Family) for word in get_args(kind)]
    path, colon, words = spec.rpartition(":")
    listed = [word.strip() for word in words.split(",")]
    strange = [word for word in listed if word not in vocabulary]
    if colon and strange and Path(path).is_file() and not Path(spec).exists():
        raise unknown(f"word for a score file ({spec})", strange[0], vocabulary)
    return (Path(path), listed) if colon and not strange else (Path(spec), [])


def file_card(path: Path, words: Sequence[str] = ()) -> Card:
    """Return the card of the metric whose scores are in `path`; it needs ``either`` if nothing else is known."""
    name = stem(path)
    card_path = path.parent / f"{name}.card.json"
    facts = FileCard()
    if card_path.is_file():
        facts = typed(FileCard, read_document(card_path, said="is not a card of a score file"), Place(str(card_path)))

    def word(kind: object) -> str | None:
        return next((word for word in words if word in get_args(kind)), None)

    return Card(
        name=name,
        label=name,
        needs=word(Reads) or facts.needs or "either",  # type: ignore[arg-type]
        higher_is_better=(word(Better) or facts.better) != "lower",
        range=(None, None),
        meaning=f"Scores read from {path.name}.",
        languages=facts.languages,
        licence="",
        trained_on=facts.trained_on,
        stored=False,
        kind=word(Family) or facts.family or "file",  # type: ignore[arg-type]
    )


def stem(path: Path) -> str:
    """Return the metric's name: the file name without its extensions."""
    name = path.name
    for ending in ENDINGS:
        name = name.removesuffix(ending)
    return name or path.name


def missing_needs_note(path: Path) -> str:
    """Return the note for a file that does not specify which texts its metric reads."""
    return (
        f"{path} does not declare what its metric reads, so it counts as reference-based. Write {path}:source (reference, both), "
        f'or {{"needs": "source"}} in {stem(path)}.card.json in the same folder.'
    )
