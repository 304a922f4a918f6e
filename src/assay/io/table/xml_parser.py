"""Streaming XML parser that reads only the specified file.

Files that declare entities are rejected: a few lines may expand to gigabytes or read other files. External DTDs are not
loaded. Elements in the root's namespace have their local names. Those in other namespaces keep the namespace as a prefix, so
no reader confuses them.
"""

from __future__ import annotations

import codecs
import re
from abc import abstractmethod
from collections.abc import Collection, Iterator, Mapping
from itertools import chain
from typing import Literal, NamedTuple, NoReturn
from xml.parsers import expat

from assay.core.errors import InputError
from assay.io.files.text import BLOCK, LONGEST_LINE, file_name
from assay.io.table.open_table import Opened

DEEPEST = 100
"""Maximum nesting of elements."""
MOST_NAMES = 1000
"""Names of elements that are cached."""
_XML = "http://www.w3.org/XML/1998/namespace "
_WAS_UTF16 = re.compile(rb"""<\?xml[^>]*encoding=["']utf-?16""", re.IGNORECASE)


class Event(NamedTuple):
    """Parser event with its line: a start with its attributes, an end, or text (in `name`)."""

    kind: Literal["start", "end", "text"]
    name: str
    attributes: Mapping[str, str]
    line: int


Events = Iterator[Event]


def events(opened: Opened) -> Events:
    """Yield the events in an XML file, read block by block."""
    parser = _EventParser(opened)
    for _ in parser.blocks():
        pending, parser.found = parser.found, []
        yield from pending


class SafeParser:
    """Parser whose subclasses handle elements by `start`, `end` and `text`."""

    def __init__(self, opened: Opened) -> None:
        self._opened, self.name = opened, file_name(opened.path)
        head = opened.head.removeprefix(codecs.BOM_UTF8)
        # A file that declares UTF-16 was converted to UTF-8 when it was opened.
        encoding = "utf-8" if _WAS_UTF16.match(head) else None
        parser = self._parser = expat.ParserCreate(encoding, namespace_separator=" ")
        parser.buffer_text, parser.buffer_size = True, BLOCK
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self.text
        parser.EntityDeclHandler = self._on_entity
        parser.ExternalEntityRefHandler = self._on_external
        parser.SkippedEntityHandler = self._on_skipped
        self._depth = 0
        self._root = ""
        self._known: dict[str, str] = {}

    @abstractmethod
    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Handle the start of an element."""

    @abstractmethod
    def end(self, name: str) -> None:
        """Handle the end of an element."""

    @abstractmethod
    def text(self, text: str) -> None:
        """Handle a run of text, which may be continued in the next call."""

    @property
    def line(self) -> int:
        """Return the parser's current line."""
        return self._parser.CurrentLineNumber

    def blocks(self) -> Iterator[None]:
        """Parse the file; yield after every block."""
        fed, head = 0, self._opened.head
        first = (head[at : at + BLOCK] for at in range(0, len(head), BLOCK))
        for data in chain(first, iter(lambda: self._opened.file.read(BLOCK), b"")):
            self._feed(data)
            fed += len(data)
            if fed - max(self._parser.CurrentByteIndex, 0) > LONGEST_LINE + BLOCK:
                self.refuse(f"a tag or a text is longer than {LONGEST_LINE >> 20} MiB")
            yield
        self._feed(b"", last=True)
        yield

    def refuse(self, problem: str) -> NoReturn:
        """Raise an error with the current line."""
        raise InputError(f"{self.name} line {self.line}: {problem}.")

    def _feed(self, data: bytes, last: bool = False) -> None:
        try:
            self._parser.Parse(data, last)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            raise InputError(
                f"{self.name} line {error.lineno} column {error.offset + 1}: not well-formed XML: {reason}. Fix the file, or "
                "export it again."
            ) from None
        except InputError:
            raise
        except (ValueError, LookupError) as error:  # an unsupported or multi-byte encoding
            raise InputError(
                f"{self.name} declares an encoding that cannot be read ({error}). Save it as UTF-8."
            ) from None

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            self.refuse(f"more than {DEEPEST} elements are nested")
        if self._depth == 1:
            self._root = name.rpartition(" ")[0]
        self.start(self._known.get(name) or self._plain_name(name), attributes)

    def _end(self, name: str) -> None:
        self._depth -= 1
        self.end(self._known.get(name) or self._plain_name(name))

    def _plain_name(self, name: str) -> str:
        space, _, local = name.rpartition(" ")
        plain = local if space in ("", self._root) else name
        if len(self._known) < MOST_NAMES:
            self._known[name] = plain
        return plain

    def _on_entity(self, name: str, *_: object) -> None:
        self.refuse(
            f"it declares the entity {name[:40]!r}, and such files are refused. Write the entity's text instead"
        )

    def _on_external(self, *_: object) -> NoReturn:
        self.refuse("it includes another file. Insert that text instead")

    def _on_skipped(self, name: str, is_parameter: bool) -> None:
        self.refuse(f"the entity &{name[:40]}; is undefined. Write the character itself")


class _EventParser(SafeParser):
    def __init__(self, opened: Opened) -> None:
        super().__init__(opened)
        self.found: list[Event] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if attributes:
            attributes = {key.replace(_XML, "xml:"): value for key, value in attributes.items()}
        self.found.append(Event("start", name, attributes, self.line))

    def end(self, name: str) -> None:
        self.found.append(Event("end", name, {}, self.line))

    def text(self, text: str) -> None:
        self.found.append(Event("text", text, {}, self.line))


def text_until_end(stream: Events, dropped: Collection[str], where: str) -> str:
    """Return the text up to the end of the element whose start event was just read.

    The content of `dropped` elements (formatting codes) is left out; that of other elements is included. ``<cp hex="0A"/>`` is a
    character that XML cannot contain.
    """
    parts: list[str] = []
    inside: list[str] = []
    size = silent = 0
    for event in stream:
        if event.kind == "text":
            if not silent:
                parts.append(event.name)
                size += len(event.name)
                if size > LONGEST_LINE:
                    raise InputError(
                        f"{where} line {event.line}: a text is longer than {LONGEST_LINE >> 20} million characters."
                    )
        elif event.kind == "start":
            inside.append(event.name)
            silent += event.name in dropped
            if event.name == "cp" and not silent:
                parts.append(_character(event.attributes.get("hex", "")))
        elif not inside:
            break
        else:
            silent -= inside.pop() in dropped
    return "".join(parts)


def _character(code: str) -> str:
    return chr(int(code, 16)) if re.fullmatch(r"[0-9A-Fa-f]{1,4}", code) else ""


def pass_over(stream: Events) -> None:
    """Skip to the end of the element whose start event was just read."""
    depth = 1
    for event in stream:
        depth += {"start": 1, "end": -1}.get(event.kind, 0)
        if not depth:
            return


def pair(source: str, target: str) -> str:
    """Return two language tags as a language pair: ``EN-US`` and ``de`` become ``en-de``; empty if one is unknown."""
    parts = [re.split("[-_]", tag.strip())[0].lower() for tag in (source, target)]
    return "-".join(parts) if all(re.fullmatch("[a-z]{2,3}", part) for part in parts) else ""
