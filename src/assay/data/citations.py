"""Bibliography: the publications to cite for a metric, suite, analysis or method."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from assay._version import __version__
from assay.data.checkpoints import checkpoints

KINDS = ("metrics", "suites", "analyses", "methods")


@dataclass(frozen=True, slots=True)
class Work:
    """A publication: its key, its BibTeX type, and its fields in print order."""

    key: str
    type: str
    fields: Mapping[str, str]

    @property
    def authors(self) -> str:
        """``Papineni et al.``, ``Lavie and Agarwal``, ``Popović``."""
        names = [name.partition(",")[0].strip("{}") for name in self.fields["author"].split(" and ")]
        return f"{names[0]} et al." if len(names) > 2 or "others" in names else " and ".join(names)

    @property
    def text(self) -> str:
        """The citation as one line of text."""
        fields = self.fields
        where = next((fields[key] for key in ("booktitle", "journal", "howpublished") if key in fields), "")
        url = f" {fields['url']}" if "url" in fields else ""
        return f"{self.authors} {fields['year']}. {fields['title']}. {where}.{url}"

    @property
    def bibtex(self) -> str:
        """The BibTeX entry; braces protect the capitals of titles."""
        shown = {key: f"{{{value}}}" if key == "title" else value for key, value in self.fields.items()}
        lines = ",\n".join(f"  {key} = {{{value}}}" for key, value in shown.items())
        return f"@{self.type}{{{self.key},\n{lines}\n}}\n"


@functools.cache
def _facts() -> Any:
    return json.loads((files("assay") / "data" / "citations.json").read_text(encoding="utf-8"))


def works(name: str) -> list[Work]:
    """Return the publications to cite for a name, each once; empty if there are none."""
    keys = [key for kind in KINDS for key in _facts()["of"][kind].get(name, ())]
    if not keys and (checkpoint := checkpoints().get(name)) is not None:
        keys = list(checkpoint.citation.cite)
    return [_work(key) for key in dict.fromkeys(keys)]


def names(kind: str) -> list[str]:
    """Return the names of one kind that have a publication to cite."""
    published = [name for name, one in checkpoints().items() if one.is_metric] if kind == "metrics" else []
    return [*_facts()["of"][kind], *published]


def _work(key: str) -> Work:
    entry = dict(_facts()["entries"][key])
    kind = str(entry.pop("type"))
    return Work(key, kind, {name: str(value).replace("VERSION", __version__) for name, value in entry.items()})
