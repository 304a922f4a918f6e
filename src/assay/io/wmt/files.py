"""File access for an mt-metrics-eval tree, in an unpacked folder or in one archive per language pair."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from assay.core.errors import InputError, listing, unknown
from assay.io.documents import decode

FOLDERS = ("sources", "references", "documents", "system-outputs", "human-scores", "metric-scores")
TEXTS = (".txt", ".jsonl")
ARCHIVES = (".tar.xz", ".tar.gz", ".tgz", ".tar.zst", ".tar")

MOST_UNPACKED = 1 << 29
"""Bytes of an archive, which is held in memory; those of WMT have a tenth of it."""

Content = Mapping[str, "Path | memoryview"]


class TreeFiles:
    """Files by their path in the tree (``sources/en-de.txt``), read on demand."""

    def __init__(self, label: str, content: Content) -> None:
        self.label, self.content = label, content

    def names(self, under: str, prefix: str = "") -> list[str]:
        """Return the sorted names of the files in a folder of the tree that start with `prefix`."""
        head = f"{under}/"
        names = (path[len(head) :] for path in self.content if path.startswith(head))
        return sorted(name for name in names if "/" not in name and name.startswith(prefix))

    def where(self, path: str) -> str:
        """Return the name of a file in messages."""
        return f"{self.label}/{path}"

    def read(self, path: str) -> bytes:
        content = self.content.get(path)
        if content is None:
            raise InputError(f"{self.where(path)} is missing.")
        if isinstance(content, Path):
            try:
                return content.read_bytes()
            except OSError as error:
                raise InputError(f"{content} cannot be read: {error}.") from error
        return bytes(content)

    def lines(self, path: str) -> list[str]:
        """Return a file's lines; only a line feed ends a line, and trailing whitespace is dropped.

        A byte-order mark is text: WMT23's AIRC.txt has one, and the official scores were computed with it.
        """
        raw = self.read(path)
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            line = raw.count(b"\n", 0, error.start) + 1
            raise InputError(f"{self.where(path)} is not UTF-8 at byte {error.start:,} (line {line}).") from error
        lines = text.split("\n")
        if lines[-1] == "":
            lines.pop()
        return [line.rstrip() for line in lines]

    def texts(self, path: str, field: str) -> list[str]:
        """Return one text per line; for JSON Lines, which WMT25 uses for texts with several paragraphs, the value of `field`."""
        lines = self.lines(path)
        if not path.endswith(".jsonl"):
            return lines
        texts = []
        for number, line in enumerate(lines, 1):
            try:
                text = decode(line)[field]
            except (ValueError, LookupError, TypeError):
                text = None
            if not isinstance(text, str):
                raise InputError(f"{self.where(path)} line {number}: expected an object with a string under {field!r}.")
            texts.append(text)
        return texts


def langpairs(path: Path) -> list[str]:
    """Return the language pairs in the tree at `path`."""
    root = _root(path)
    if root is not None:
        return sorted(file.stem for file in (root / "sources").iterdir() if file.suffix in TEXTS)
    return sorted(_archives(path))


def open_files(path: Path, langpair: str, more: Sequence[str] = ()) -> TreeFiles:
    """Return the files for one language pair; `more` names additional archives (``en-de.MORE.tar.xz``)."""
    root = _root(path)
    if root is not None:
        return TreeFiles(str(root), _unpacked(root, langpair))
    archives = _archives(path)
    if langpair not in archives:
        raise unknown("language pair", langpair, archives, f"in {path}")
    content = dict(_packed(archives[langpair]))
    for name in more:
        further = next((file for end in ARCHIVES if (file := path / f"{langpair}.{name}{end}").is_file()), None)
        if further is None:
            raise InputError(f"{path} has no archive {langpair}.{name}.tar.xz.")
        content |= _packed(further)
    return TreeFiles(str(archives[langpair]), content)


def source_files(path: Path, pairs: Sequence[str]) -> list[Path]:
    """Return the files on disk that contain the texts and judgements for these language pairs."""
    root = _root(path)
    if root is None:
        archives = _archives(path)
        return [archives[pair] for pair in pairs if pair in archives]
    matching = [file for pair in pairs for name, file in _unpacked(root, pair).items() if _belongs_to(name, pair)]
    return sorted(set(matching))


def _belongs_to(name: str, langpair: str) -> bool:
    folder, _, rest = name.partition("/")
    return folder == "system-outputs" or (folder != "metric-scores" and rest.startswith(f"{langpair}."))


def _root(path: Path) -> Path | None:
    """Return the folder that contains ``sources``: `path` itself or its only subfolder with one."""
    if not path.exists():
        raise InputError(f"the folder {path} does not exist. Check the path.")
    if path.is_file():
        return None
    if (path / "sources").is_dir():
        return path
    inside = [folder.parent for folder in path.glob("*/sources") if folder.is_dir()]
    if len(inside) > 1:
        raise InputError(f"{path} contains several trees ({listing(p.name for p in inside)}). Specify one of them.")
    return inside[0] if inside else None


def _archives(path: Path) -> dict[str, Path]:
    """Return a mapping from language pairs to archives; ``en-de.esa-campaign.tar.xz`` does not count as a pair."""
    files = [path] if path.is_file() else sorted(path.iterdir())
    archives = {}
    for file in files:
        end = next((end for end in ARCHIVES if file.name.endswith(end)), None)
        if end and "." not in (pair := file.name.removesuffix(end)):
            archives[pair] = file
    if not archives:
        raise InputError(
            f"{path} is not an mt-metrics-eval tree: it has neither a folder 'sources' nor an archive such as "
            "en-de.tar.xz."
        )
    return archives


def _unpacked(root: Path, langpair: str) -> dict[str, Path]:
    places = [
        *(root / folder for folder in ("sources", "references", "documents", "human-scores")),
        *(root / folder / langpair for folder in ("system-outputs", "metric-scores")),
    ]
    files = (file for directory in places if directory.is_dir() for file in directory.iterdir() if file.is_file())
    by_name = {file.relative_to(root).as_posix(): file for file in files}
    if not any(f"sources/{langpair}{end}" in by_name for end in TEXTS):
        raise unknown("language pair", langpair, langpairs(root), f"in {root}")
    return by_name


def _packed(archive: Path) -> dict[str, memoryview]:
    from assay.io.files.text import open_bytes

    with open_bytes(archive) as stream:
        raw = stream.read(MOST_UNPACKED + 1)
    if len(raw) > MOST_UNPACKED:
        raise InputError(f"{archive} unpacks to more than {MOST_UNPACKED >> 20} MiB. Unpack it into a folder.")
    view = memoryview(raw)
    members = {}
    try:
        with tarfile.open(fileobj=io.BytesIO(raw), mode="r:") as tar:
            for member in tar:
                parts = member.name.split("/")
                start = next((i for i, part in enumerate(parts) if part in FOLDERS), None)
                if member.isreg() and start is not None:
                    members["/".join(parts[start:])] = view[member.offset_data : member.offset_data + member.size]
    except (tarfile.TarError, ValueError, OverflowError, EOFError) as error:
        raise InputError(f"{archive} is not a tar archive: {error}.") from error
    return members
