"""Where the real data lies, and how tests get at it."""

from __future__ import annotations

import functools
import glob
import gzip
import json
import os
from pathlib import Path

import pytest

SHARED = Path(os.environ.get("ASSAY_SHARED", Path(__file__).resolve().parents[2] / "shared"))


def need(*parts: str) -> Path:
    """The path under the shared folder, or a skip that says what is missing."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"real data not here: {'/'.join(parts)} (set ASSAY_SHARED)")
    return path


@functools.cache
def demetr_requests() -> list[tuple[str, str]]:
    """All distinct (hypothesis, reference) pairs of DEMETR's checked items."""
    pairs: dict[tuple[str, str], None] = {}
    for name in sorted(glob.glob(str(need("data", "demetr") / "*.jsonl.gz"))):
        with gzip.open(name, "rt", encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                if row["pert_check"]:
                    pairs[row["mt_sent"], row["eng_sent"]] = pairs[row["pert_sent"], row["eng_sent"]] = None
    return list(pairs)


@functools.cache
def ntrex(code: str) -> list[str]:
    """The 1,997 lines of one NTREX language (``eng`` is the source)."""
    folder = need("data", "ntrex")
    name = "src.eng.txt.gz" if code == "eng" else f"ref.{code}.txt.gz"
    with gzip.open(folder / name, "rt", encoding="utf-8", newline="\n") as lines:
        return lines.read().rstrip("\n").split("\n")
