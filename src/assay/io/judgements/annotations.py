"""MQM annotation file, updated atomically after every change.

A ``.tsv`` is Google's MQM format, one error per line. A ``.jsonl`` has one line per translation and rater, with the language
pair, the reference, the MQM score and a list of spans; it can hold any text. All judgement readers accept both formats.
Every change takes a lock, so concurrent writers lose nothing, and replaces the file atomically.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.core.errors import InputError, OutputError, count
from assay.core.spans import ErrorSpan
from assay.io.documents import decode
from assay.io.files.atomic import atomic_write
from assay.io.files.system import MOVES_OPEN_FILES, NO_LINK, PLAIN, lock
from assay.io.files.text import read_text
from assay.io.judgements.mqm import GOOGLE, WANTED, without_tags
from assay.io.table.vocabulary import assign

Errors = tuple[ErrorSpan, ...]
Key = tuple[str, str, str, str]
"""Language pair (empty in Google's format), system, segment and rater."""


@dataclass(frozen=True, slots=True)
class AnnotatedText:
    """Translation for annotators to mark."""

    langpair: str
    system: str
    document: str
    position: str
    """Its position in the document."""
    segment: str
    source: str
    target: str
    reference: str = ""


class GoogleForm:
    """Google's MQM format. Its columns may be in any order; other columns stay empty."""

    def __init__(self) -> None:
        self.columns: list[str] = [*WANTED.required]
        self.places = {name: index for index, name in enumerate(self.columns)}

    def heading(self) -> list[str]:
        return ["\t".join(self.columns)]

    def key(self, text: AnnotatedText, rater: str) -> Key:
        return ("", text.system, text.segment, rater)

    def problem(self, text: AnnotatedText) -> str:
        """Return the reason that the format cannot represent a text, if any."""
        for cell in (text.system, text.document, text.segment, text.source, text.target):
            if any(sign in cell for sign in "\t\n\r\x00") or '""' in cell or without_tags(cell)[0] != cell:
                return "contains a tab, a line end, doubled quotes or <v>"
        return ""

    def lines(self, text: AnnotatedText, rater: str, errors: Errors) -> list[str]:
        """Return one line per error, or a single line that reports no error."""
        cells = {
            "system": text.system, "doc": text.document, "doc_id": text.position, "seg_id": text.segment, "rater": rater,
            "source": text.source, "target": text.target, "category": "No-error", "severity": "No-error",
        }  # fmt: skip
        if not errors:
            return [self._line(cells)]
        lines = []
        for error in errors:
            own = getattr(text, error.side)
            marked = f"{own[: error.start]}<v>{own[error.start : error.end]}</v>{own[error.end :]}"
            more = {error.side: marked, "category": error.category, "severity": error.severity.capitalize()}
            lines.append(self._line(cells | more))
        return lines

    def _line(self, cells: Mapping[str, str]) -> str:
        row = [""] * len(self.columns)
        for name, index in self.places.items():
            row[index] = cells[name]
        return "\t".join(row)

    def keyed(self, lines: Sequence[str], path: Path) -> dict[Key, list[str]]:
        """Return the lines by segment and rater; the header names the columns."""
        by_key: dict[Key, list[str]] = {}
        if not lines:
            return by_key
        self.columns = lines[0].removeprefix("\ufeff").split("\t")
        self.places = dict(assign(self.columns, WANTED, None, str(path)).places)
        for number, line in enumerate(lines[1:], 2):
            row = line.split("\t")
            if len(row) <= max(self.places.values()):
                raise InputError(
                    f"{path} line {number} has {count(len(row), 'column')}, fewer than the header. Correct or remove "
                    "it."
                )
            system, doc, position, segment, rater = (
                row[self.places[name]] for name in ("system", "doc", "doc_id", "seg_id", "rater")
            )
            key = ("", system, segment if segment != "-1" else f"{doc}:{position}", rater)
            by_key.setdefault(key, []).append(line)
        return by_key


class SpanLines:
    """One JSON object per translation and rater."""

    def heading(self) -> list[str]:
        return []

    def key(self, text: AnnotatedText, rater: str) -> Key:
        return (text.langpair, text.system, text.segment, rater)

    def problem(self, text: AnnotatedText) -> str:
        return ""

    def lines(self, text: AnnotatedText, rater: str, errors: Errors) -> list[str]:
        spans = [
            {
                "start": error.start, "end": error.end, "severity": error.severity, "category": error.category,
                "text": error.text, "is_source_error": error.side == "source",
            }
            for error in errors
        ]  # fmt: skip
        score = 0.0 - sum(GOOGLE.of(error.severity, error.category) for error in errors)
        row = {
            "langpair": text.langpair, "system": text.system, "doc": text.document, "segment": text.segment, "rater": rater,
            "src": text.source, "mt": text.target, "ref": text.reference, "mqm": score, "spans": spans,
        }  # fmt: skip
        return [json.dumps(row, ensure_ascii=False)]

    def keyed(self, lines: Sequence[str], path: Path) -> dict[Key, list[str]]:
        """Return the lines by translation and rater."""
        by_key: dict[Key, list[str]] = {}
        for number, line in enumerate(lines, 1):
            try:
                row: Any = decode(line)
            except ValueError:
                row = None
            names = ("langpair", "system", "segment", "rater")
            if not isinstance(row, dict) or not all(isinstance(row.get(name), str) for name in (*names, "mt")):
                raise InputError(
                    f"{path} line {number} is not an annotation (langpair, system, segment, rater, mt and spans). "
                    "Specify a new file, or one written by assay view --annotate."
                )
            langpair, system, segment, rater = (row[name] for name in names)
            by_key.setdefault((langpair, system, segment, rater), []).append(line)
        return by_key


FORMS: Mapping[str, type[GoogleForm] | type[SpanLines]] = {".tsv": GoogleForm, ".jsonl": SpanLines}


class AnnotationFile:
    """Annotations by all raters, as stored on disk at the last `reload` or `put`."""

    def __init__(self, path: Path) -> None:
        if path.suffix not in FORMS:
            raise InputError(f"{path} must end in .jsonl, which can hold any text, or in .tsv (Google's MQM format).")
        self.path, self.form = path, FORMS[path.suffix]()
        self._lines: dict[Key, list[str]] = {}
        self._found: dict[Key, Errors] = {}
        self._texts: dict[tuple[str, str, str], str] = {}
        self._stamp: tuple[int, int, int] | None = None
        folder = path.absolute().parent
        if not folder.is_dir():
            raise OutputError(f"cannot write {path}: the folder {folder} does not exist. Create it: mkdir -p {folder}")
        if not os.access(folder, os.W_OK):
            raise OutputError(f"cannot write {path}: no permission to write to {folder}. Choose a different folder.")
        self.reload()

    def of(self, text: AnnotatedText, rater: str) -> Errors | None:
        """Return the errors that a rater marked; None without an annotation."""
        return self._found.get(self.form.key(text, rater))

    def raters(self) -> list[str]:
        """Return all raters in the file."""
        return list(dict.fromkeys(key[3] for key in self._found))

    def other_text(self, text: AnnotatedText) -> str | None:
        """Return the translation that the file contains for the same system and segment, if it differs."""
        pair, system, segment, _ = self.form.key(text, "")
        stored = self._texts.get((pair, system, segment))
        return stored if stored is not None and stored != text.target else None

    def reload(self) -> bool:
        """Read the file again if it has changed; return whether it had."""
        stamp = _stamp(self.path)
        if stamp == self._stamp:
            return False
        self._read(stamp)
        return True

    def _read(self, stamp: tuple[int, int, int]) -> None:
        lines = [line for line in read_text(self.path).split("\n") if line.strip()] if stamp[1] > 0 else []
        self._lines = self.form.keyed(lines, self.path)
        self._found, self._texts = {}, {}
        if self._lines:
            from assay.io.judgements.campaign import read_campaign

            people = read_campaign(self.path)
            for cell, judgements in people.judgements.items():
                self._texts[cell.langpair, cell.system, cell.segment] = people.texts[cell].text or ""
                for judgement in judgements:
                    self._found[cell.langpair, cell.system, cell.segment, judgement.rater] = judgement.spans
        self._stamp = stamp

    def put(self, text: AnnotatedText, rater: str, errors: Errors | None, seen: Errors | None) -> bool:
        """Write a rater's errors to disk, or remove the annotation (None).

        If the errors in the file differ from those that the caller has `seen`, write nothing and return False.
        """
        if problem := self.form.problem(text):
            raise InputError(
                f"segment {text.segment} of {text.system or 'the table'} {problem}, which Google's format cannot "
                "represent. Write the annotations to a .jsonl file."
            )
        key = self.form.key(text, rater)
        with _locked(self.path):
            self.reload()
            if self._found.get(key) != seen:
                return False
            lines = {other: rows for other, rows in self._lines.items() if other != key or errors is not None}
            if errors is not None:
                lines[key] = self.form.lines(text, rater, errors)
            with atomic_write(self.path, "w", typed=True) as stream:
                for line in [*self.form.heading(), *(line for rows in lines.values() for line in rows)]:
                    stream.write(f"{line}\n")
            self._lines, self._stamp = lines, _stamp(self.path)
            self._found.pop(key, None)
            if errors is not None:
                self._found[key] = errors
                self._texts[key[:3]] = text.target
        return True


def _stamp(path: Path) -> tuple[int, int, int]:
    try:
        status = path.stat()
    except FileNotFoundError:
        return (0, 0, 0)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}.") from error
    return (status.st_ino, status.st_size, status.st_mtime_ns)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Exclude all other writers with a separate lock file, since the annotation file itself is replaced."""
    lock_path = path.with_name(f".{path.name}.assay-lock")
    while True:
        try:
            file = os.open(lock_path, os.O_RDWR | os.O_CREAT | NO_LINK | PLAIN, 0o666)
        except OSError as error:
            raise OutputError(f"cannot write {path}: {error.strerror}. Nothing was saved.") from error
        lock(file)
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(file), lock_path.stat()):
                break
        os.close(file)
    try:
        yield
    finally:
        if MOVES_OPEN_FILES:
            lock_path.unlink(missing_ok=True)
        os.close(file)
