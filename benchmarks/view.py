"""Benchmark: waiting times of the page of `assay view`, its size and its memory.

    python benchmarks/view.py [--items 36000] [--rows 1000000] [--rounds 5]

Prints the time from `assay view` to its address, from there to the first rows in a real Chromium (if available) and by HTTP,
the time of filters, searches and sorts at both sizes, requested over HTTP as the page does (the slowest of the rounds, each
with another expression, so that none is cached), the size of the page without data, and the memory of the server's process.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from assay.core.metric import Card
from assay.core.view_data import ViewData
from assay.report.view_files import write_view_files

TEXT = (
    "der die das Haus Baum Straße geht läuft schnell heute morgen nicht 1979 zwei Länder Vertrag unterzeichnet wurde von und oder "
    "aber trotzdem Ministerium erklärte am Freitag dass keine weiteren Verhandlungen stattfinden werden"
)
WORDS = TEXT.split()
PAIRS = ("en-de", "de-en", "ja-en", "zh-en")
_DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def items(n: int) -> Iterator[dict[str, Any]]:
    """Return pairs about as long as DEMETR's, with two metrics."""
    rng = random.Random(1)
    for i in range(n):
        src, good, bad = (" ".join(rng.choices(WORDS, k=rng.randint(10, 35))) for _ in range(3))
        scores = {f"{m} {side}": rng.gauss(60, 15) for m in ("chrf", "bleu") for side in ("good", "incorrect")}
        yield {
            "id": str(i), "phenomenon": f"phenomenon {i % 35}", "category": f"category {i % 3}", "severity": "minor",
            "langpair": PAIRS[i % 4], "src": src, "ref": good, "good": good, "incorrect": bad, **scores,
        }  # fmt: skip


def segments(n: int) -> Iterator[dict[str, Any]]:
    """Return translations of five systems, with two metrics."""
    rng = random.Random(2)
    texts = [" ".join(rng.choices(WORDS, k=rng.randint(6, 25))) for _ in range(20_000)]
    for i in range(n):
        yield {
            "system": "ABCDE"[i * 5 // n], "segment": i % max(1, n // 5) + 1, "langpair": PAIRS[i % 4], "src": rng.choice(texts),
            "mt": f"{rng.choice(texts)} {i}", "ref": rng.choice(texts), "chrf": rng.gauss(60, 15), "bleu": rng.random() * 100,
        }  # fmt: skip


def kept_items(folder: Path, n: int) -> Path:
    """Write a run directory of `n` items."""
    folder.mkdir()
    cards = {name: Card(name, name, "reference", True, (0, 100), "made up") for name in ("chrf", "bleu")}
    write_view_files(folder, ViewData("items", cards, items(n)), [], title="benchmark")
    (folder / "manifest.json").write_text(json.dumps({"command": "assay run"}))
    return folder


def kept_segments(path: Path, n: int) -> Path:
    """Write a table of `n` segments: Parquet if polars is installed, otherwise JSON lines."""
    try:
        import polars as pl
    except ImportError:
        path = path.with_suffix(".jsonl")
        with path.open("w") as stream:
            stream.writelines(json.dumps(row) + "\n" for row in segments(n))
        return path
    pl.DataFrame(list(segments(n))).write_parquet(path)
    return path


class Served:
    """Run `assay view` in a separate process."""

    def __init__(self, path: Path) -> None:
        start = time.perf_counter()
        code = "import sys; from assay.cli.main import main; sys.exit(main(sys.argv[1:]))"
        self.process = subprocess.Popen(
            [sys.executable, "-c", code, "view", str(path), "--no-open", "--quiet"], stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().strip()
        self.started = time.perf_counter() - start

    def ask(self, **asked: Any) -> tuple[float, int]:
        """Return the seconds until a window of 100 rows has arrived, and the total number of rows."""
        query = "&".join(f"{name}={quote(str(value))}" for name, value in {"run": "r0", "count": 100, **asked}.items())
        start = time.perf_counter()
        with _DIRECT.open(f"{self.url}api/rows?{query}", timeout=120) as answer:
            found = json.load(answer)
        return time.perf_counter() - start, int(found["total"])

    @property
    def memory(self) -> float:
        """Return the memory of the process in MB, if Linux reports it."""
        try:
            for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
                if line.startswith("VmRSS"):
                    return int(line.split()[1]) / 1000
        except OSError:
            pass
        return float("nan")


@contextmanager
def served(path: Path) -> Iterator[Served]:
    """Serve the page of a run or table within this context."""
    made = Served(path)
    try:
        yield made
    finally:
        made.process.terminate()
        made.process.wait()


def in_browser(url: str, folder: Path) -> float | None:
    """Return the seconds from opening an address to its first rows, in a browser that is already running; None without
    Chromium.
    """
    import shutil

    if shutil.which("chromedriver") is None:
        return None
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from tests.viewer.browser import Browser, until

    browser = Browser(folder)
    try:
        browser.open(f"{url}#/segments?run=r0")
        until(lambda: browser.texts(".rows td.score"), 120)
        return float(browser.run("return performance.now()")) / 1000
    finally:
        browser.close()


FILTERS = {
    "numbers and a label": '{score} < {n} and langpair == "en-de"',
    "a regular expression": '{text} ~ "Haus.*{n}"',
    "lengths": "length({text}) > {n} + length(src)",
}


def measure(page: Served, score: str, text: str, rounds: int) -> None:
    """Return filters, a search and two sorts."""
    for name, form in FILTERS.items():
        show(name, [page.ask(where=form.format(score=score, text=text, n=n + 20)) for n in range(rounds)])
    show(
        "text, small or capital",
        [page.ask(find=word) for word in ("straße", "vertrag", "HAUS", "minis", "1979")[:rounds]],
    )
    show("in order of a score", [page.ask(where=f"{score} > {n}", sort=score.strip("`")) for n in range(rounds)])


def show(name: str, found: list[tuple[float, int]]) -> None:
    """Print one line: the slowest and the median."""
    times = sorted(seconds for seconds, _ in found)
    print(f"   {name:<26}{times[-1] * 1000:8.0f} ms maximum{times[len(times) // 2] * 1000:8.0f} ms median")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, default=36_000)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    static = Path(__file__).parents[1] / "src" / "assay" / "viewer" / "static"
    page = b"".join((static / name).read_bytes() for name in ("app.js", "app.css"))
    print(f"page without data: {len(page) / 1000:.0f} kB, {len(gzip.compress(page)) / 1000:.0f} kB compressed")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for what, path, score, text in (
            (
                f"{args.items:,} items in a run directory",
                kept_items(folder / "items", args.items),
                "`chrf good`",
                "incorrect",
            ),
            (f"{args.rows:,} segments in a table", kept_segments(folder / "rows.parquet", args.rows), "chrf", "mt"),
        ):
            with served(path) as running:
                print(f"{what} ({os.path.getsize(path / 'rows.jsonl.gz' if path.is_dir() else path) / 1e6:.0f} MB)")
                seen = in_browser(running.url, folder / f"browser-{path.name}")
                first, _ = running.ask()
                print(f"   the address is printed   {running.started * 1000:8.0f} ms after the command")
                if seen is not None:
                    print(f"   first rows are seen      {seen * 1000:8.0f} ms after it is opened")
                print(f"   a window of 100 rows     {first * 1000:8.0f} ms")
                running.ask(where="segment > 0" if not path.is_dir() else "id != ''")  # all rows have been read
                measure(running, score, text, args.rounds)
                print(f"   memory                   {running.memory:8.0f} MB")


if __name__ == "__main__":
    main()
