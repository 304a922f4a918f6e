"""Write ``src/assay/data/contamination.bin.xz`` from local copies of the test sets.

    python scripts/make_contamination.py --data DATA --wmt22 wmt22-news-systems --wmt23 wmt23-news-systems

DATA holds demetr/, aces_subset/, hallucinations/ and wmt23/ (the mt-metrics-eval archives). The two repositories
(github.com/wmt-conference) have the sources and references of every pair of the 2022 and 2023 general tasks, without the
additional test suites; git directories without a work tree are enough. Only hashes are written.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

from assay.core.item import Item
from assay.io.files.atomic import atomic_write
from assay.io.resources.contamination import FILE, pack, unpack
from assay.io.table.bad_rows import BadRows
from assay.io.table.formats import open_table
from assay.suites.aces import Aces
from assay.suites.demetr import Demetr

OLDER = re.compile(r"\.(en-hr|en-liv|liv-en)\.")
"""Pairs of the 2022 task with the sources of earlier test sets (en-hr: newstest2020), which are permitted for training."""


def contrastive(items: list[Item]) -> Iterator[str]:
    """Yield all texts of minimal pairs."""
    for item in items:
        yield from (text for text in (item.source, item.reference, item.good, item.incorrect) if text)


def hallucinations(folder: Path) -> Iterator[str]:
    """Yield sources, translations and references of the three files of the benchmark."""
    for path in sorted(folder.glob("*.[ct]sv.gz")):
        with open_table(path, BadRows(skip=True)) as table:
            wanted = [
                i for i, name in enumerate(table.names) if name.startswith(("src", "mt", "ref", "translation", "hyp"))
            ]
            for _, row in table.rows():
                yield from (str(row[i]) for i in wanted)


def tree(folder: Path) -> Iterator[str]:
    """Yield sources, references and system outputs of mt-metrics-eval archives."""
    for path in sorted(folder.glob("*.tar.xz")):
        with tarfile.open(path) as archive:
            for member in archive:
                if member.isfile() and any(
                    f"/{part}/" in member.name for part in ("sources", "references", "system-outputs")
                ):
                    file = archive.extractfile(member)
                    assert file is not None
                    yield from file.read().decode("utf-8").split("\n")


def repository(folder: Path) -> Iterator[str]:
    """Yield sources and references of a wmt-conference repository."""
    git = ["git", "-C", str(folder)]
    names = subprocess.run([*git, "ls-tree", "-r", "-z", "--name-only", "HEAD"], check=True, capture_output=True).stdout
    for name in names.decode().split("\0"):
        if name.startswith("txt/") and ("/sources/" in name or "/references/" in name) and not OLDER.search(name):
            yield from (
                subprocess.run([*git, "show", f"HEAD:{name}"], check=True, capture_output=True)
                .stdout.decode()
                .split("\n")
            )


def main() -> None:
    """Write the hashes and print their number."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--wmt22", type=Path, required=True)
    parser.add_argument("--wmt23", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("src/assay/data") / FILE)
    args = parser.parse_args()
    sets = {
        "DEMETR": set(contrastive(Demetr(unchecked=True, skip_bad=True).load(args.data / "demetr"))),
        "ACES": set(contrastive(Aces(skip_bad=True).load(args.data / "aces_subset"))),
        "the hallucination benchmark": set(hallucinations(args.data / "hallucinations")),
        "WMT22": set(repository(args.wmt22)),
        "WMT23": {*tree(args.data / "wmt23"), *repository(args.wmt23)},
    }
    data = pack({name: sorted(texts) for name, texts in sets.items()})
    for name, hashes in unpack(data).items():
        sys.stdout.write(f"{name}: {len(hashes):,} texts\n")
    with atomic_write(args.out) as file:
        file.write(data)
    sys.stdout.write(f"{args.out}: {len(data):,} bytes\n")


if __name__ == "__main__":
    main()
