"""Small corpora in many files, for the tests of `assay.corpus`."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assay.core.rows import flat_row

WORDS = [
    "der",
    "die",
    "das",
    "Haus",
    "Baum",
    "geht",
    "nicht",
    "sehr",
    "schnell",
    '"Ja",',
    "sagte",
    "er",
    "7",
    "blau",
    ".",
]
FORMS = ("jsonl", "jsonl.gz", "tsv", "parquet")


def rows(shard: int, n: int, rng: random.Random) -> list[dict[str, Any]]:
    """Rows with texts that share words; the same numbers give the same rows."""
    made = []
    for i in range(n):
        ref = [rng.choice(WORDS) for _ in range(rng.randrange(3, 12))]
        mt = [word for word in ref if rng.random() < 0.8] or ["x"]
        src = f"line {rng.randrange(1000)} of it"
        made.append({"id": f"{shard}-{i}", "src": src, "mt": " ".join(mt), "ref": " ".join(ref)})
    return made


def write(path: Path, found: Sequence[dict[str, Any]]) -> None:
    """One shard, in the form that its name says."""
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in found]
    if path.name.endswith(".jsonl.gz"):
        path.write_bytes(gzip.compress("".join(lines).encode(), mtime=0))
    elif path.suffix == ".jsonl":
        path.write_text("".join(lines), encoding="utf-8")
    elif path.suffix == ".tsv":
        head = "\t".join(found[0]) + "\n"
        path.write_text(head + "".join("\t".join(map(str, row.values())) + "\n" for row in found), encoding="utf-8")
    else:
        import polars

        polars.DataFrame(found).write_parquet(path)


def corpus(folder: Path, shards: int, n: int = 8, seed: int = 1) -> list[dict[str, Any]]:
    """Shards of four forms in turn; all rows, in the order of the shards."""
    rng, whole = random.Random(seed), []
    folder.mkdir(parents=True, exist_ok=True)
    for shard in range(shards):
        found = rows(shard, n, rng)
        write(folder / f"part-{shard:04}.{FORMS[shard % len(FORMS)]}", found)
        whole += found
    return whole


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder of results by name, the manifest among them."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def read(folder: Path) -> list[dict[str, Any]]:
    """All rows of a folder of results, in the order of the shards; numbers and lists as JSON has them."""
    import polars

    found: list[dict[str, Any]] = []
    for path in sorted(folder.iterdir()):
        if path.name.startswith("_"):
            continue
        if path.suffix == ".parquet":
            found += polars.read_parquet(path).to_dicts()
        elif path.suffix == ".tsv":
            head, *lines = path.read_text(encoding="utf-8").split("\n")[:-1]
            names = head.split("\t")
            for line in lines:
                cells = [_unquoted(cell) for cell in line.split("\t")]
                row: dict[str, Any] = dict(zip(names, cells, strict=True))
                found.append(row | {name: float(row[name]) for name in row if name in ("chrf", "bleu")})
        else:
            text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
            found += [flat_row(json.loads(line)) for line in text.decode().split("\n")[:-1]]
    return found


def _unquoted(cell: str) -> str:
    return cell[1:-1].replace('""', '"') if cell.startswith('"') else cell
