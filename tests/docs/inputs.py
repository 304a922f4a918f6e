"""Small files that the examples name: twenty sentences of the demo, and tables made of them."""

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
from tests.docs.examples import ROOT
from tests.fuzz.markup import FILES, TMX, WMT, XLIFF

DEMO = polars.read_csv(ROOT / "src" / "assay" / "data" / "demo.tsv", separator="\t", quote_char=None)[:20]
GERMAN, ENGLISH = DEMO["src"].to_list(), DEMO["ref"].to_list()
PREPARED = (
    "score -m chrf --data demo --out demo.json",
    "score -m chrf --mt ours.de --ref ref.de --run-dir theirs",
    "run my_pairs.tsv -m chrf --run-dir runs/demetr",
    "decide fit --data outcomes.tsv -m chrf --goal 'catch 95%' --out rule.json",
)
"""Runs that a page assumes: those of other people or of another page."""


def without(lines: list[str], word: int) -> list[str]:
    """Return the lines without every tenth word."""
    return [" ".join(one for i, one in enumerate(line.split()) if i % 10 != word) for line in lines]


ONLINE, OURS = without(GERMAN, 2), without(GERMAN, 5)


def put(names: str, text: str | list[str]) -> None:
    for path in map(Path, names.split()):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text if isinstance(text, str) else "".join(f"{line}\n" for line in text), encoding="utf-8")


def table(names: str, rows: list[dict[str, Any]], columns: str = "") -> None:
    """Write rows, or some of their columns, in the format of the suffix."""
    frame = polars.DataFrame(rows).select(columns.split() or polars.all())
    for name in names.split():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        match Path(name).suffix:
            case ".tsv":
                frame.write_csv(name, separator="\t", quote_style="never")
            case ".jsonl":
                frame.write_ndjson(name)
            case ".parquet":
                frame.write_parquet(name)


def texts(source: list[str], reference: list[str], online: list[str], ours: list[str]) -> None:
    """Write texts line by line, from English to German."""
    put("src.en a.en src/a.en a.src ref.en new.ref.en", source)
    put("ref.de ref1.de ref/a.de a.ref new.es", reference)
    put("online.de a.de a.mt", online)
    put("ours.de b.de ref2.de mt/a.de", ours)
    put("ours.en new.en", without(source, 3))


def outputs(systems: dict[str, list[str]]) -> list[dict[str, Any]]:
    """Return one row per system and segment."""
    return [
        {"langpair": "en-de", "system": name, "segment": i + 1, "doc": f"d{i // 5}", "domain": "news"}
        | {"src": ENGLISH[i], "mt": lines[i], "ref": GERMAN[i], "lang": "de", "chrf": 20 + i, "assay-mini.mqm": -i / 2}
        for name, lines in systems.items()
        for i in range(20)
    ]


def fill() -> None:
    """Write every small file into the working folder."""
    texts(ENGLISH, GERMAN, ONLINE, OURS)
    rows = outputs({"online": ONLINE, "ours": OURS})
    table("outputs.tsv outputs.parquet texts.tsv", rows, "system src mt ref doc domain langpair lang")
    table("scores.tsv scores.jsonl", [{**row, "flags": ""} for row in rows])
    corpus = [{"src": g, "mt": e, "ref": e} for g, e in zip(GERMAN, ENGLISH, strict=True)]
    table("corpus.tsv corpus/a.parquet", corpus)
    table("corpus/b.parquet", corpus[:10])

    rows = [
        {**row, "score": 60 + 7 * i % 30 + (i < 20)}
        for i, row in enumerate(outputs({"A": ONLINE, "B": OURS, "C": GERMAN}))
    ]
    judged = [{**row, "rater": rater} for row in rows for rater in ("r1", "r2")]
    table("judgements.tsv", judged, "system segment rater langpair score src mt ref")
    table("theirs_scores.tsv", rows, "langpair system segment score")
    marked = [{**row, "answer": f'Major:\naccuracy - "{row["mt"].split()[0]}"'} for row in rows[:20]]
    marked = [{**row, "spans": [{"start": 0, "end": 5 + i % 3, "severity": "major"}]} for i, row in enumerate(marked)]
    table("ours.jsonl", marked, "langpair system segment src mt spans")
    table("answers.jsonl", marked, "langpair system segment src mt answer")
    gold = [{**row, "spans": '[{"start": 0, "end": 5, "severity": "major"}]'} for row in marked]
    table("gold.tsv", gold, "langpair system segment src mt spans")

    texts_of = zip(ENGLISH, GERMAN, without(GERMAN, 0), strict=True)
    pairs = [{"id": i, "source": s, "good": g, "incorrect": b, "reference": g} for i, (s, g, b) in enumerate(texts_of)]
    pairs = [{**pair, "phenomena": "omission", "langpair": "en-de"} for pair in pairs]
    table("my_pairs.tsv pairs/a.tsv", pairs)
    table("pairs/b.tsv", [{**pair, "id": f"b{pair['id']}"} for pair in pairs])
    table("theirs.tsv", [{"id": i, "good": 1.0, "incorrect": 0.5} for i in range(20)])

    rows = []
    for i in range(240):  # a translation without a third of its words is a breakdown
        text, bad, split = f"{ENGLISH[i % 20]} {i}", i % 3 == 0, "dev" if i // 20 % 3 else "test"
        mt = " ".join(text.split()[: -max(2, len(text.split()) // 3)]) if bad else text
        row = {"source": GERMAN[i % 20], "translation": mt, "reference": text, "language": "es", "split": split}
        rows.append({**row, "outcome": "breakdown" if bad else "success"})
    table("outcomes.tsv", rows)
    table("translations.tsv", rows, "source translation reference language")

    shutil.copy(FILES / "inline.xlsx", "translated.xlsx")
    shutil.copytree(FILES / "splits", "my_dataset")
    put("project.sdlxliff", XLIFF)
    put("newstest.xml", WMT.partition(' <doc origlang="en" id="d2"')[0] + "</collection></dataset>")
    put("memory.tmx", TMX)
    put("my_module.py", "from assay.metrics.chrf import Chrf as MyMetric\n")
    put(
        "judge.py",
        "import sys\nfor line in sys.stdin:\n    print(['success', 'breakdown'][len(line) % 2], flush=True)\n",
    )
    put(
        "mine.csv",
        [line.strip() for line in reproduce.HELP.details.splitlines() if re.match(" +(table|phenomena),", line)],
    )
    for folder in (".local/share/bash-completion/completions", ".zfunc", ".config/fish/completions"):
        (Path.home() / folder).mkdir(parents=True, exist_ok=True)


def names() -> dict[str, Any]:
    """Return the names that Python blocks assume."""
    columns = {
        "src": ENGLISH,
        "mt": OURS,
        "ref": GERMAN,
        "Output": OURS,
        "online": ONLINE,
        "ours": OURS,
        "chrf": [20.0] * 20,
    }
    rows = [SimpleNamespace(source=s, output=o, gold=g) for s, o, g in zip(ENGLISH, OURS, GERMAN, strict=True)]
    given = {"assay": assay, "frame": polars.DataFrame(columns), "database": rows, "s": ENGLISH, "h": OURS}
    return given | {"online": ONLINE, "ours": OURS, "hypotheses": OURS, "references": GERMAN, "sources": ENGLISH}


def of_wmt23(name: str) -> str:
    with tarfile.open(need("data", "wmt23", "en-de.tar.xz")) as tar:
        file = tar.extractfile(f"wmt23/{name}")
        assert file is not None
        return file.read().decode("utf-8")


def whole_wmt23() -> None:
    """Write all of WMT23 instead of twenty sentences, for ``-t wmt23``."""
    files = ("sources/en-de.txt", "references/en-de.refA.txt", "system-outputs/en-de/ONLINE-B.txt")
    source, reference, system = (of_wmt23(name).split("\n")[:-1] for name in files)
    texts(source, reference, system, system)


def scores_of_wmt23() -> None:
    """Write scores of a metric in mt-metrics-eval's format."""
    for level in ("seg", "sys"):
        put(f"mine/en-de/MINE-refA.{level}.score", of_wmt23(f"metric-scores/en-de/BLEU-refA.{level}.score"))


def shorten_training() -> None:
    """Reduce the example's steps and rows."""
    for path in Path("trial").glob("*.yaml"):
        put(str(path), re.sub(r"\bsteps: \d+", "steps: 4", path.read_text(encoding="utf-8")))
    put("trial/toy.jsonl", Path("trial/toy.jsonl").read_text(encoding="utf-8").splitlines()[:60])
