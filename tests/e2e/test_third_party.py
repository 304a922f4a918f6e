"""What other people bring, by entry point or as module:name, does what ours does: in the same tables, under the same verbs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

METRIC = """
import numpy as np
from assay.core import Batch, Card, Metric, Scores, Signature

class Length(Metric):
    card = Card("{name}", "{name}", "reference", {higher}, (None, None), "shorter is better", stored=False)
    @property
    def signature(self):
        return Signature.of("{name}", 1)
    def score(self, batch):
        return Scores(np.array([{sign}float(len(h)) for h in batch.hypotheses]))
"""

OTHERS = """
from assay.core import Item, Suite, SuiteCard, Table, TableColumn
from assay.core.perturbation import Change, Perturbation, PerturbationCard, Perturbed
from assay.core.task import Example, Task

class Pairs(Suite):
    card = SuiteCard("pairs", "two pairs", "contrastive", "their-analysis", "theirs", "CC0", "", "de-en", (), "Here.")
    def load(self, folder):
        return [Item(str(n), "Hund", "a dog", "one dog", "dog", "omission") for n in range(2)]

def tables(items, measured, *, seed, samples, correction):
    "Items counted."
    return [Table("summary", [TableColumn("metric"), TableColumn("n")], [{"metric": m.name, "n": len(items)} for m in measured])]

class Shout(Perturbation):
    card = PerturbationCard("their-error", "in capitals", "shout", "fluency/spelling", "minor", ("our own",))
    def perturb(self, segment, language, rng, tools):
        return Perturbed((Change(0, len(segment.hypothesis), segment.hypothesis.upper()),))

class First:
    name = "first word"
    def answer(self, inputs):
        return [given["text"].split()[0] for given in inputs]

class Echo(Task):
    "Say the first word."
    name = "echo"
    def examples(self):
        for n in range(80):
            yield Example(f"e{n}", {"text": f"w{n} more"}, {"xx": {"text": f"w{n} mehr"}}, f"w{n}", "dev" if n < 40 else "test")
    def model(self):
        return First()
    def succeeds(self, example, answer):
        return answer == example.expected

class Every:
    "Loses the first word of every so-manieth text."
    name = "every"
    def __init__(self, nth: int = 2):
        self.nth = nth
    def translate(self, texts, source, target):
        return [text if n % self.nth else text.split()[1] for n, text in enumerate(texts)]
"""

GROUPS = {
    "suites": "Pairs",
    "analyses": "tables",
    "perturbations": "Shout",
    "tasks": "Echo",
    "translators": "Every",
}

PAIRS = """source\tgood-translation\tincorrect-translation\treference\tphenomena\tlangpair
ein Hund\ta dog\ta large dog\tone dog\taddition\tde-en
drei Katzen\tthree cats\tcats\tthree cats\tomission\tde-en
kein Regen\tno rain\train\tno rain\tomission\tde-en
"""


@pytest.fixture
def others(tmp_path: Path) -> dict[str, str]:
    """The environment of somebody who has installed a package that brings one of everything, and a broken thing of each kind."""
    info = tmp_path / "site" / "others-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: others\nVersion: 1.0\n")
    names = {"analyses": "their-analysis", "perturbations": "their-error"}
    lines = [
        f"[assay.{group}]\n{names.get(group, 'theirs')} = others:{target}\nbroken = nowhere:Nothing\n"
        for group, target in GROUPS.items()
    ]
    (info / "entry_points.txt").write_text("\n".join(lines))
    (tmp_path / "site" / "others.py").write_text(OTHERS)
    return {**os.environ, "PYTHONPATH": str(tmp_path / "site"), "ASSAY_CACHE_DIR": str(tmp_path / "cache")}


def assay(others: dict[str, str], folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "assay", *words]
    return subprocess.run(command, cwd=folder, env=others, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("kind", GROUPS)
def test_a_list_has_what_others_bring_and_says_what_is_broken(
    kind: str, others: dict[str, str], tmp_path: Path
) -> None:
    done = assay(others, tmp_path, "list", kind, "--format", "tsv")
    assert done.returncode == 0, done.stderr
    assert "\ntheir" in done.stdout and "module 'nowhere' is not on the Python path" in done.stdout
    one = assay(others, tmp_path, "list", kind, f"others:{GROUPS[kind]}")
    assert one.returncode == 0, one.stderr


@pytest.mark.parametrize("suite", ["theirs", "others:Pairs"])
def test_a_suite_with_an_analysis_of_its_own(suite: str, others: dict[str, str], tmp_path: Path) -> None:
    done = assay(others, tmp_path, "run", suite, "-m", "chrf", "--format", "json")
    assert json.loads(done.stdout)["tables"] == {"summary": [{"metric": "chrf", "n": 2}]}


@pytest.mark.parametrize("name", ["their-error", "others:Shout"])
def test_a_perturbation(name: str, others: dict[str, str], tmp_path: Path) -> None:
    done = assay(others, tmp_path, "make", "-p", name, "--data", "demo", "--out", "set.jsonl")
    assert done.returncode == 0, done.stderr
    first = json.loads((tmp_path / "set.jsonl").read_text().splitlines()[0])
    assert first["incorrect-translation"] == first["good-translation"].upper()


@pytest.mark.parametrize(("task", "translator"), [("theirs", "theirs:nth=4"), ("others:Echo", "others:Every:nth=4")])
def test_a_task_and_a_translator(task: str, translator: str, others: dict[str, str], tmp_path: Path) -> None:
    words = ("--task", task, "--translator", translator, "--langs", "xx", "-m", "chrf", "--format", "json")
    done = assay(others, tmp_path, "breakdown", *words, "--table", "balance")
    (row,) = json.loads(done.stdout)["tables"]["balance"]
    # Every fourth of 40 development and 40 test texts loses the word that is asked for.
    assert [row[key] for key in ("dev_good", "dev_bad", "test_good", "test_bad")] == [30, 10, 30, 10]


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        (("run", "others:Every"), "suite.Suite"),
        (("run", "-m", "others:Every"), "metric.Metric"),
        (("make", "-p", "others:Every", "--data", "demo", "--out", "set.jsonl"), "perturbation.Perturbation"),
        (("breakdown", "--task", "others:Every"), "task.Task"),
        (("breakdown", "--task", "parsing", "--langs", "es", "--translator", "others:Echo"), "task.Translator"),
        (
            ("breakdown", "--task", "parsing", "--translator", "none", "--error", "others:Every"),
            "perturbation.Perturbation",
        ),
    ],
)
def test_a_thing_of_another_kind_is_refused(
    words: tuple[str, ...], kind: str, others: dict[str, str], tmp_path: Path
) -> None:
    done = assay(others, tmp_path, *words)
    assert done.returncode == 2 and f"which is no assay.core.{kind}." in done.stderr


def test_all_three_appear_in_one_table(tmp_path: Path) -> None:
    site = tmp_path / "site"
    info = site / "third_party-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: third-party\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[assay.metrics]\nplugged = plugged_metric:Length\n")
    (site / "plugged_metric.py").write_text(METRIC.format(name="plugged", higher=False, sign=""))
    (site / "own_metric.py").write_text(METRIC.format(name="own", higher=True, sign="-"))
    (tmp_path / "pairs.tsv").write_text(PAIRS)
    (tmp_path / "theirs.tsv").write_text("id\tgood\tincorrect\n1\t0.9\t0.1\n2\t0.2\t0.3\n3\tnan\t0.1\n")
    env = {**os.environ, "PYTHONPATH": str(site), "ASSAY_CACHE_DIR": str(tmp_path / "cache")}
    metrics = ["-m", "chrf", "-m", "plugged", "-m", "own_metric:Length", "--metric-file", "theirs.tsv"]
    command = [sys.executable, "-m", "assay", "run", "pairs.tsv", *metrics, "--format", "json", "--quiet"]
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = {row["metric"]: row for row in json.loads(done.stdout)["tables"]["summary"]}
    # "a dog" (5) against "a large dog" (11): shorter is better, one hit; the two omissions are shorter, two losses.
    assert rows["plugged"]["accuracy"] == rows["own_metric:Length"]["accuracy"] == 1 / 3
    # theirs: one hit, one loss, one that could not be scored and counts as neither.
    assert (rows["theirs"]["accuracy"], rows["theirs"]["n"], rows["theirs"]["unscored"]) == (0.5, 2, 1)
    assert rows["chrf"]["accuracy"] == 1.0
