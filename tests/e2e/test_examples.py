"""Every example of the README, the docs and the helps, run as it is printed.

Breakdown, decide and train have examples that take long or need a corpus of one's own, and view goes on until somebody stops it;
their own tests run the like of them.
"""

from __future__ import annotations

import importlib
import json
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars
import pytest
import sacrebleu

from assay.cli.main import VERBS, main
from tests.data import need
from tests.fuzz.markup import FILES, TMX, WMT, XLIFF

ROOT = Path(__file__).resolve().parents[2]
ELSEWHERE = ("breakdown", "decide", "train", "train_mini", "view")
NEEDS = {
    "network": r"assay fetch|comet|spbleu|bertscore:|labse|metricx|bartscore|prism|bleurt|gemba|judge|automqm|s3://|--engine ray",
    "somebody who stops it": r"^assay view",
    "real data": r"\b(demetr|aces|hallucinations|dfki|wmt\d\d|items\.jsonl)\b(?!.*--data)",
    "a person": r"--annotate",
    "what another made": r"rule\.json|run set/",
}
SLOW = ("-t wmt23", "--significance", "aces", "dfki", "xcomet", "mine/", "items.jsonl", "run demetr -m chrf -m bleu")
"""These take long or need a file that another made; tests of their own run the like of them."""
LINES = ["the cat sat on the mat", "a dog barks at 7", "seven birds sing", "two of 12 trains are late"]


def examples() -> Iterator[tuple[str, str]]:
    """Where an example stands, and the command."""
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        if path.stem not in (*ELSEWHERE, "comet"):
            fenced = False
            text = path.read_text(encoding="utf-8").replace("\\\n", " ")  # a command that goes on in the next line
            for line in text.splitlines():
                fenced ^= line.startswith("```")
                if fenced or line.startswith("    "):
                    yield path.name, line.strip().removeprefix("$ ")
    for verb in VERBS:
        if verb not in ELSEWHERE:
            module = importlib.import_module(f"assay.cli.{verb}")
            for line in module.EXAMPLES.splitlines():
                yield f"assay {verb} --help", line.strip()


def commands() -> list[tuple[str, str, str]]:
    """Each command once, where it stands first, and what it needs that is not here."""
    found: dict[str, tuple[str, str, str]] = {}
    for where, line in examples():
        if line.startswith("assay "):
            command = shlex.join(shlex.split(line, comments=True)).replace("'>'", ">")
            lack = next((name for name, pattern in NEEDS.items() if re.search(pattern, command)), "")
            found.setdefault(command, (where, command, lack))
    return list(found.values())


CHEAP = [command[:2] for command in commands() if not command[2]]
REAL = [command[:2] for command in commands() if command[2] == "real data" and not any(w in command[1] for w in SLOW)]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with the files that the examples name."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("ASSAY_DATA", raising=False)
    for i, name in enumerate(("ours.de", "online.de", "a.de", "b.de", "ref.de", "ref1.de", "ref2.de", "src.en")):
        Path(name).write_text("\n".join(line.replace("the", "the" * (i % 3)) for line in LINES) + "\n")
    table = [f"{system}\t{line}\t{line} x\t{line}\td1\tnews\n" for system in ("online", "ours") for line in LINES]
    for name in ("outputs.tsv", "corpus.tsv"):
        Path(name).write_text("system\tmt\tref\tsrc\tdoc\tdomain\n" + "".join(table))
    pairs = [f"{i}\t{line}\t{line} bad\t{line}\tomission\n" for i, line in enumerate(LINES)]
    Path("my_pairs.tsv").write_text("id\tgood\tincorrect\treference\tphenomena\n" + "".join(pairs))
    Path("theirs.tsv").write_text("id\tgood\tincorrect\n" + "".join(f"{i}\t1\t0\n" for i in range(len(LINES))))
    Path("mine.csv").write_text(
        "table,row,column,published,tolerance,derivable,reason\nsummary,metric=chrf,accuracy,75,1,yes,\n"
    )
    _judgements()
    _corpora()
    _forms()
    _scores()
    Path("my_module.py").write_text("from assay.metrics.chrf import Chrf as MyMetric\n")


def _scores() -> None:
    """What `assay score` wrote, for `assay filter`."""
    rows = [
        {"system": "ours", "lang": "de", "chrf": 20.0 + i, "assay-mini.mqm": -float(i), "mt": t}
        for i, t in enumerate(LINES)
    ]
    frame = polars.DataFrame(rows).with_columns(polars.lit("").alias("flags"))
    frame.write_csv("scores.tsv", separator="\t")
    frame.write_ndjson("scores.jsonl")
    frame.write_parquet("outputs.parquet")


def _corpora() -> None:
    """Shards in tables, and as parallel files."""
    for folder in ("corpus", "mt", "src", "ref"):
        Path(folder).mkdir()
    Path("pairs").mkdir()
    shutil.copy("my_pairs.tsv", "pairs/a.tsv")
    rows = [{"src": line, "mt": f"{line} x", "ref": line} for line in LINES]
    polars.DataFrame(rows).write_parquet("corpus/a.parquet")
    polars.DataFrame(rows).write_ndjson("corpus/b.jsonl")
    for name in ("mt/a.de", "src/a.en", "ref/a.de"):
        Path(name).write_text("\n".join(LINES) + "\n")


def _forms() -> None:
    """The tables of docs/tables.md that are no plain text."""
    shutil.copy(FILES / "inline.xlsx", "translated.xlsx")
    Path("project.sdlxliff").write_text(XLIFF, encoding="utf-8")
    Path("newstest.xml").write_text(WMT.partition(' <doc origlang="en" id="d2"')[0] + "</collection></dataset>")
    Path("memory.tmx").write_text(TMX, encoding="utf-8")
    shutil.copytree(FILES / "splits", "my_dataset")


def _judgements() -> None:
    """Gold and predicted error spans, and what two raters said about two systems."""
    head = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
    marked = [f"A\td\t{i}\t{i}\tr\tx\t<v>{line[:3]}</v>{line[3:]}\tAccuracy\tMajor\n" for i, line in enumerate(LINES)]
    Path("gold.tsv").write_text(head + "".join(marked))
    rows = [{"system": "A", "segment": i, "mt": line} for i, line in enumerate(LINES)]
    span = {"start": 0, "end": 3, "severity": "minor"}
    Path("ours.jsonl").write_text("".join(json.dumps({**row, "spans": [span]}) + "\n" for row in rows))
    Path("answers.jsonl").write_text("".join(json.dumps({**row, "answer": "No errors."}) + "\n" for row in rows))
    cells = [(system, i, line) for system in ("A", "B") for i, line in enumerate(LINES)]
    judged = [f"{s}\t{i}\t{r}\t{70 + i + (s == 'A')}\t{t}\t{t} x\n" for s, i, t in cells for r in ("r", "q")]
    Path("judgements.tsv").write_text("system\tsegment\trater\tscore\tmt\tref\n" + "".join(judged))
    Path("theirs_scores.tsv").write_text("system\tsegment\tscore\n" + "".join(f"{s}\t{i}\t{i}\n" for s, i, _ in cells))


def run(line: str) -> int:
    """The exit code of the command, which runs after the one that makes what it reads."""
    if "run set.jsonl" in line:
        assert main(["make", "-p", "word-swap", "--data", "demo", "--out", "set.jsonl", "--quiet"]) == 0
    if "--against card.json" in line:
        assert main(["card", "chrf", "--suite", "my_pairs.tsv", "--format", "json", "--out", "card.json"]) == 0
    if line.startswith("assay rerun "):
        where = ["--out", "demo.json"] if "demo.json" in line else ["--run-dir", line.split()[2]]
        assert main(["score", "-m", "chrf", "--data", "demo", "--quiet", *where]) == 0
    words = shlex.split(line, comments=True)
    if ">" in words:
        words = words[: words.index(">")]
    return main(words[1:])


def test_the_examples_are_found() -> None:
    assert len(CHEAP) > 25 and len(REAL) > 3
    assert {where for where, _ in CHEAP} >= {"README.md", "score.md", "compare.md", "make.md", "assay card --help"}


@pytest.mark.parametrize(("where", "line"), CHEAP, ids=lambda text: text)
def test_as_printed(where: str, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(line) == 0


@pytest.mark.real
@pytest.mark.parametrize(("where", "line"), REAL, ids=lambda text: text)
def test_as_printed_on_real_data(where: str, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_DATA", str(need("data")))
    assert run(line) == 0


def printed(command: str) -> list[str]:
    """What the README shows under a command."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block = text.partition(f"$ {command}\n")[2].partition("```")[0]
    return [line for line in block.partition("\n$ ")[0].splitlines() if line]


def test_the_readme_shows_what_comes_out(capsys: pytest.CaptureFixture[str]) -> None:
    command = "assay compare -m chrf -m bleu -m ter --data demo"
    assert run(command) == 0
    found = capsys.readouterr().out.splitlines()
    assert len(printed(command)) > 4
    assert all(line in found for line in printed(command))


@pytest.mark.real
def test_the_readme_shows_what_comes_out_of_demetr(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_DATA", str(need("data")))
    command = "assay run demetr -m chrf -m bleu -m ter"
    assert run(f"{command} --format json") == 0
    rows = json.loads(capsys.readouterr().out)["tables"]["summary"]
    shown = "\n".join(printed(command))
    for row in rows:
        assert f"{100 * row['all']:.1f} ±" in shown and row["blindest"] in shown


def test_python_as_printed() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8").partition("```python\n")[2].partition("```")[0]
    ready = "online, ours, references = ['a dog'] * 9, ['a cat'] * 9, ['the cat'] * 9\n"
    said: dict[str, Any] = {}
    exec(ready + text.replace('"demetr"', '"embedded"').replace("my_module:MyMetric", "bleu"), said)
    assert said["result"].system["chrf"] == pytest.approx(sacrebleu.corpus_chrf(["a cat sat"], [["the cat sat"]]).score)
