"""The small files that the examples name: twenty sentences of the demo, and tables made of them."""

from __future__ import annotations

import re
import shutil
import tarfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars

import assay
from assay.cli import reproduce
from tests.data import need
from tests.fuzz.markup import FILES, TMX, WMT, XLIFF

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "packages").glob("*/README.md")]
DEMO = polars.read_csv(ROOT / "src" / "assay" / "data" / "demo.tsv", separator="\t", quote_char=None)[:20]
GERMAN, ENGLISH = DEMO["src"].to_list(), DEMO["ref"].to_list()
PREPARED = (
    "score -m chrf --data demo --out demo.json",
    "score -m chrf --mt ours.de --ref ref.de --run-dir theirs",
    "run my_pairs.tsv -m chrf --run-dir runs/demetr",
    "decide fit --data outcomes.tsv -m chrf --goal 'catch 95%' --out rule.json",
)
"""Runs that a page takes for granted: somebody else's, or those of another page."""


def without(lines: list[str], word: int) -> list[str]:
    """The lines without every tenth word."""
    return [" ".join(one for i, one in enumerate(line.split()) if i % 10 != word) for line in lines]


def put(name: str, lines: list[str]) -> None:
    """A text file."""
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def table(name: str, rows: list[dict[str, Any]]) -> None:
    """A table in the form that its suffix names."""
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    frame = polars.DataFrame(rows)
    {
        ".tsv": lambda: frame.write_csv(name, separator="\t", quote_style="never"),
        ".jsonl": lambda: frame.write_ndjson(name),
        ".parquet": lambda: frame.write_parquet(name),
    }[Path(name).suffix]()


def texts(source: list[str], reference: list[str], *systems: list[str]) -> None:
    """Line by line, from English to German."""
    first, second = systems
    for name in ("src.en", "a.en", "src/a.en", "a.src"):
        put(name, source)
    for name in ("ref.de", "ref1.de", "ref/a.de", "a.ref"):
        put(name, reference)
    for name in ("online.de", "a.de", "a.mt"):
        put(name, first)
    for name in ("ours.de", "b.de", "ref2.de", "mt/a.de"):
        put(name, second)
    for name, lines in {"ours.en": without(source, 1), "ref.en": source, "new.es": reference}.items():
        put(name, lines)
    put("new.en", without(source, 3))
    put("new.ref.en", source)


def fill() -> None:
    """Every small file, in the working folder."""
    online, ours = without(GERMAN, 2), without(GERMAN, 5)
    texts(ENGLISH, GERMAN, online, ours)
    rows = [
        {"system": name, "src": s, "mt": t, "ref": r, "doc": f"d{i // 5}", "domain": "news", "langpair": "en-de"}
        for name, lines in (("online", online), ("ours", ours))
        for i, (s, t, r) in enumerate(zip(ENGLISH, lines, GERMAN, strict=True))
    ]
    for name in ("outputs.tsv", "outputs.parquet", "texts.tsv"):
        table(name, rows)
    scored = [
        {**row, "lang": "de", "chrf": 20.0 + i, "assay-mini.mqm": -i / 2, "flags": ""} for i, row in enumerate(rows)
    ]
    table("scores.tsv", scored)
    table("scores.jsonl", scored)
    corpus = [{"src": g, "mt": e, "ref": e} for g, e in zip(GERMAN, ENGLISH, strict=True)]
    table("corpus.tsv", corpus)
    table("corpus/a.parquet", corpus[:10])
    table("corpus/b.parquet", corpus[10:])
    judged(online, ours)
    pairs()
    outcomes()
    forms()


def judged(online: list[str], ours: list[str]) -> None:
    """Scores of raters, of a metric, and error spans."""
    systems = {"A": online, "B": ours, "C": without(ours, 7)}
    cells = [
        {"langpair": "en-de", "system": name, "segment": i + 1, "src": ENGLISH[i], "mt": lines[i], "ref": GERMAN[i]}
        for name, lines in systems.items()
        for i in range(20)
    ]
    scored = [{**row, "score": 60 + (7 * i) % 30 + (i < 20)} for i, row in enumerate(cells)]
    table("judgements.tsv", [{**row, "rater": rater} for row in scored for rater in ("r1", "r2")])
    table("theirs_scores.tsv", [{k: row[k] for k in ("langpair", "system", "segment", "score")} for row in scored])
    span = '[{"start": 0, "end": %d, "severity": "%s"}]'
    table("gold.tsv", [{**row, "spans": span % (5, "major")} for row in cells[:20]])
    table("ours.jsonl", [{**row, "spans": [{"start": 0, "end": 8, "severity": "minor"}]} for row in cells[:20]])
    table("answers.jsonl", [{**row, "answer": f'Major:\naccuracy - "{row["mt"].split()[0]}"'} for row in cells[:20]])


def pairs() -> None:
    """Minimal pairs, and the scores of a metric for them."""
    bad = without(GERMAN, 0)
    rows = [
        {"id": i, "source": s, "good": g, "incorrect": b, "reference": g, "phenomena": "omission", "langpair": "en-de"}
        for i, (s, g, b) in enumerate(zip(ENGLISH, GERMAN, bad, strict=True))
    ]
    table("my_pairs.tsv", rows)
    table("pairs/a.tsv", rows[:10])
    table("pairs/b.tsv", rows[10:])
    table("theirs.tsv", [{"id": i, "good": 1.0, "incorrect": 0.5} for i in range(20)])


def outcomes() -> None:
    """Which translations broke something: those that lost a third of their words."""
    rows = []
    for i in range(240):
        text, broken = f"{ENGLISH[i % 20]} {i}", i % 3 == 0
        translation = " ".join(text.split()[: -max(2, len(text.split()) // 3)]) if broken else text
        outcome = {"outcome": "breakdown" if broken else "success", "split": "dev" if i // 20 % 3 else "test"}
        rows.append(
            {"source": GERMAN[i % 20], "translation": translation, "reference": text, "language": "es", **outcome}
        )
    table("outcomes.tsv", rows)
    table("translations.tsv", [{k: row[k] for k in ("source", "translation", "reference", "language")} for row in rows])


def forms() -> None:
    """The tables of docs/tables.md that are not plain text, a module, and folders of a home."""
    shutil.copy(FILES / "inline.xlsx", "translated.xlsx")
    shutil.copytree(FILES / "splits", "my_dataset")
    put("project.sdlxliff", [XLIFF])
    put("newstest.xml", [WMT.partition(' <doc origlang="en" id="d2"')[0] + "</collection></dataset>"])
    put("memory.tmx", [TMX])
    receipts = [
        line.strip() for line in reproduce.EXAMPLES.splitlines() if line.startswith(("  table,", "  phenomena,"))
    ]
    put("mine.csv", receipts)
    put(
        "judge.py",
        ["import sys", "for line in sys.stdin:", "    print(['success', 'breakdown'][len(line) % 2], flush=True)"],
    )
    put("my_module.py", ["from assay.metrics.chrf import Chrf as MyMetric"])
    for folder in (".local/share/bash-completion/completions", ".zfunc", ".config/fish/completions"):
        (Path.home() / folder).mkdir(parents=True, exist_ok=True)


def names() -> dict[str, Any]:
    """What Python blocks take for granted."""
    online, ours = without(GERMAN, 2), without(GERMAN, 5)
    columns = {
        "src": ENGLISH,
        "mt": ours,
        "ref": GERMAN,
        "Output": ours,
        "online": online,
        "ours": ours,
        "chrf": [20.0] * 20,
    }
    rows = [SimpleNamespace(source=s, output=o, gold=g) for s, o, g in zip(ENGLISH, ours, GERMAN, strict=True)]
    pages = {"assay": assay, "frame": polars.DataFrame(columns), "database": rows, "s": ENGLISH, "h": ours}
    return pages | {"online": online, "ours": ours, "hypotheses": ours, "references": GERMAN, "sources": ENGLISH}


def whole_wmt23() -> None:
    """Two systems of WMT23 in place of twenty sentences, for ``-t wmt23``."""
    with tarfile.open(need("data", "wmt23", "en-de.tar.xz")) as tar:
        files = ("sources/en-de.txt", "references/en-de.refA.txt", "system-outputs/en-de/ONLINE-B.txt")
        read = [tar.extractfile(f"wmt23/{name}").read().decode().split("\n")[:-1] for name in files]  # type: ignore[union-attr]
    texts(*read, read[2])


def scores_of_wmt23() -> None:
    """The scores of a metric as mt-metrics-eval keeps them."""
    Path("mine/en-de").mkdir(parents=True)
    with tarfile.open(need("data", "wmt23", "en-de.tar.xz")) as tar:
        for level in ("seg", "sys"):
            file = tar.extractfile(f"wmt23/metric-scores/en-de/BLEU-refA.{level}.score")
            Path(f"mine/en-de/MINE-refA.{level}.score").write_bytes(file.read())  # type: ignore[union-attr]


def shorten_training() -> None:
    """A few steps on a few rows in place of those of the example."""
    for path in Path("trial").glob("*.yaml"):
        path.write_text(re.sub(r"\bsteps: \d+", "steps: 4", path.read_text(encoding="utf-8")), encoding="utf-8")
    toy = Path("trial/toy.jsonl")
    toy.write_text("".join(toy.read_text(encoding="utf-8").splitlines(keepends=True)[:60]), encoding="utf-8")
