"""Files that name what is run: a rule, a card, receipts. They run nothing, import nothing, and open no path of their choice."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.cli.main import main
from assay.core.errors import InputError
from assay.core.registry import Registry
from assay.core.trust import check_spec
from assay.metrics import METRICS, metric
from assay.suites import SUITES, admit_suite
from assay.suites.embedded import Embedded
from assay.tasks import TRANSLATORS

HEAD = "table,row,column,published,tolerance,derivable,reason\n"
OWN = """
import pathlib
import assay
from assay.metrics.chrf import Chrf
from assay.suites.embedded import Embedded
pathlib.Path(__file__).with_name("imported").touch()

class Mine(Chrf):
    "chrF under another name."

class Set(Embedded):
    "The embedded set under another name."

@assay.metric(name="near")
def near(hypotheses, references, sources):
    "1 for the same length, less for others."
    return [min(len(h), len(r)) / max(len(h), len(r), 1) for h, r in zip(hypotheses, references)]
"""
HOSTILE = [
    "subprocess:getoutput:cmd=touch ran",
    "os:system:command=touch ran",
    "own_things:Mine",
    "own_things:nowhere",
    "builtins:exec:source=open('ran','w')",
    "./checkpoint",
    "/etc/passwd:x",
]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the Python path with a module of one's own, texts, and outcomes to learn from."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delitem(sys.modules, "own_things", raising=False)
    (tmp_path / "own_things.py").write_text(OWN)
    (tmp_path / "t").write_text("a b c\nd e f\n")
    rows = [f"the cat sat {'x' * (i % 7)}\tthe cat sat\t{'bad' if i % 7 > 3 else 'good'}" for i in range(140)]
    (tmp_path / "outcomes.tsv").write_text("translation\treference\toutcome\n" + "\n".join(rows) + "\n")
    return tmp_path


def nothing_ran(place: Path) -> bool:
    return not (place / "ran").exists() and not (place / "imported").exists() and "own_things" not in sys.modules


def write_rule(place: Path, metric: str, **changes: Any) -> Path:
    """A rule learned with chrF, whose file then names another metric."""
    path = place / "rule.json"
    assay.fit_rule(place / "outcomes.tsv", ["chrf"], "catch 90%").save(path)
    read = json.loads(path.read_text())
    read["metrics"][0] |= {"name": metric, **changes}
    path.write_text(json.dumps(read))
    return path


def write_card(place: Path, metric: str = "chrf", suite: str = "embedded") -> Path:
    """chrF's card, whose file then names another metric or suite."""
    read = assay.card("chrf", ["embedded"], samples=2).to_dict()
    results = {suite: read["results"]["embedded"]}
    path = place / "card.json"
    path.write_text(json.dumps({**read, "metric": metric, "results": results}))
    return path


def write_receipts(place: Path, metric: str = "chrf", suite: str | None = None) -> Path:
    path = place / "mine.csv"
    row = f"metric={metric}; phenomenon=omission".replace('"', '""')
    path.write_text(f'{HEAD}phenomena,"{row}",n,6,,yes,\n')
    if suite is not None:
        path.with_suffix(".json").write_text(json.dumps({"suite": suite}))
    return path


def commands(place: Path, spec: str) -> dict[str, tuple[list[str], str]]:
    """For each way that a spec takes out of a file: the command that reads it, and the file that must be named."""
    rule = ["decide", "apply", "--rule", str(write_rule(place, spec)), "--mt", "t", "--ref", "t"]
    metric = write_card(place, metric=spec).rename(place / "metric.json")
    suite = write_card(place, suite=spec).rename(place / "suite.json")
    row = write_receipts(place, metric=spec).rename(place / "row.csv")
    beside = write_receipts(place, suite=spec)
    return {
        "rule": (rule, "rule.json"),
        "card's metric": (["check", "--against", str(metric)], "metric.json"),
        "card's suite": (["check", "--against", str(suite)], "suite.json"),
        "receipts' row": (["reproduce", "embedded", "--receipts", str(row)], "row.csv"),
        "receipts' JSON": (["reproduce", str(beside)], "mine.json"),
    }


@pytest.mark.parametrize("spec", HOSTILE)
def test_no_file_runs_or_imports_anything(spec: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for way, (words, file) in commands(place, spec).items():
        capsys.readouterr()
        assert main(words) == 2, way
        said = capsys.readouterr().err
        assert said.count("\n") == 1 and file in said and repr(spec) in said and "--trust" in said, said
        assert nothing_ran(place), way


@pytest.mark.parametrize(
    ("spec", "option"),
    [
        ("comet-22:path=/tmp/theirs", "path"),
        ("comet-22:tokenizer=theirs.json", "tokenizer"),
        ("meteor:wordnet=theirs", "wordnet"),
        ("meteor:alpha=0.5,wordnet=../theirs", "wordnet"),
    ],
)
def test_options_that_are_paths_need_trust(spec: str, option: str) -> None:
    with pytest.raises(InputError, match=rf"rule\.json names the metric .*, which has the option {option}, .*--trust"):
        check_spec(METRICS, spec, "rule.json")
    assert check_spec(METRICS, spec, "rule.json", trust=True) == spec


@pytest.mark.parametrize("spec", ["wmt:path=/tmp/tree,year=wmt23", "dfki:decisions=theirs.jsonl"])
def test_options_of_suites_that_are_paths_need_trust(spec: str) -> None:
    with pytest.raises(InputError, match=r"which may be a path\. Use --trust"):
        admit_suite(spec, "card.json")


@pytest.mark.parametrize(
    "spec",
    [
        "chrf",
        "bleu:tokenize=zh,lowercase=yes",
        "chrf:word_order=2",
        "bleu:smooth_value=0.1",
        "bleu:smooth_value=none",
        "meteor:wordnet=none",
        "comet-22:device=cpu,precision=fp32",
    ],
)
def test_registered_metrics_with_plain_options_need_none(spec: str) -> None:
    assert check_spec(METRICS, spec, "rule.json") == spec


def test_registered_suites_and_files_of_pairs_need_none(place: Path) -> None:
    for spec in ("embedded", "wmt:langpair=en-de,year=wmt23", "dfki:n=10,langpair=de-en", "outcomes.tsv"):
        assert admit_suite(spec, "card.json") == spec
    (place / "own_things:Set").write_text("a file with the name of a module")
    for spec in ("own_things:Set", "not-here.tsv", "x" * 10_000, "\0", "/dev/stdin", 7, None):
        with pytest.raises(InputError, match=r"^card\.json names "):
            admit_suite(spec, "card.json")
    assert nothing_ran(place)


def test_a_registration_that_runs_a_command_is_marked_and_refused() -> None:
    assert TRANSLATORS.commands == {"cmd"}
    for spec in ("cmd:touch ran", "cmd:A=1 touch ran", "cmd"):
        with pytest.raises(InputError, match="--trust"):
            check_spec(TRANSLATORS, spec, "some.json")
    assert METRICS.commands == SUITES.commands == frozenset()


def test_a_plug_in_counts_as_registered_and_its_free_options_do_not(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place / "plugged_thing.py").write_text(
        "from assay.metrics.chrf import Chrf\nclass Plugged(Chrf):\n"
        "    def __init__(self, depth: int = 1, where: str = '', loose=None): super().__init__()\n"
    )
    registry = Registry("metric", {})
    monkeypatch.setattr(registry, "_plugins", {"plugged": "plugged_thing:Plugged"})
    assert check_spec(registry, "plugged:depth=2", "rule.json") == "plugged:depth=2"
    for option in ("where", "loose"):
        with pytest.raises(InputError, match=f"has the option {option}"):
            check_spec(registry, f"plugged:{option}=x", "rule.json")


def test_a_folder_with_the_name_of_a_plug_in_does_not_take_its_place(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(METRICS, "_plugins", {"plugged": "own_things:Mine"})
    (place / "plugged").mkdir()
    (place / "plugged" / "hparams.yaml").write_text("class_identifier: regression_metric\n")
    assert type(metric("plugged")).__name__ == "Mine"


def test_trust_lets_ones_own_rule_through(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["decide", "fit", "--data", "outcomes.tsv", "-m", "own_things:near", "--goal", "catch 90%"]
    assert main([*words, "--out", "own.json"]) == 0
    apply = ["decide", "apply", "--rule", "own.json", "--mt", "t", "--ref", "t", "--format", "jsonl"]
    assert main(apply) == 2
    capsys.readouterr()
    assert main([*apply, "--trust"]) == 0
    # The translations are the references: equally long, 1.00.
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["label"] for row in rows] == ["use", "use"] and rows[0]["reason"].startswith("own_things:near 1.000")
    with pytest.raises(InputError, match=r"own\.json names the metric 'own_things:near'"):
        assay.apply_rule("own.json", ["a"], ["a"])
    assert assay.apply_rule("own.json", ["a"], ["a"], trust=True).labels == ["use"]
    assert main([*words, "--trust"]) == 2
    assert "--trust is an option of assay decide apply" in capsys.readouterr().err


def test_a_rule_that_was_learned_here_needs_no_trust_and_one_that_was_read_does(place: Path) -> None:
    from assay.verbs.decide import read_rule

    fitted = assay.fit_rule("outcomes.tsv", ["own_things:near"], "catch 90%")
    assert assay.apply_rule(fitted, ["a"], ["a"]).labels == ["use"]
    with pytest.raises(InputError, match=r"^the rule names the metric 'own_things:near'"):
        assay.apply_rule(read_rule(fitted.save("own.json")), ["a"], ["a"])


def test_trust_lets_ones_own_card_through(place: Path) -> None:
    words = ["check", "--against", str(write_card(place, "own_things:Mine", "own_things:Set"))]
    assert main([*words, "--trust"]) == 0
    assert main(words) == 2
    # What is typed is meant.
    assert main([*words, "-m", "own_things:Mine", "--suite", "own_things:Set"]) == 0
    assert not assay.check("card.json", trust=True).failed
    with pytest.raises(InputError, match=r"^the card names the suite 'own_things:Set'"):
        assay.check(json.loads(Path("card.json").read_text()))


def test_trust_lets_ones_own_receipts_through(place: Path) -> None:
    names = [item.phenomenon for item in Embedded().load()]
    path = write_receipts(place, suite="own_things:Set")
    address = f"metric=own_things:Mine; phenomenon={names[0]}"
    path.write_text(f"{HEAD}phenomena,{address},n,{names.count(names[0])},,yes,\n")
    assert main(["reproduce", str(path), "--trust"]) == 0
    assert main(["reproduce", str(path)]) == 2
    assert not assay.reproduce(path, trust=True).failed


def test_a_checkpoint_by_its_path_needs_trust(place: Path) -> None:
    (place / "model").mkdir()
    (place / "model" / "hparams.yaml").write_text("class_identifier: regression_metric\n")
    for spec in ("model", "./model", "model/epoch=1.ckpt"):
        with pytest.raises(InputError, match="--trust"):
            assay.apply_rule(write_rule(place, spec), ["a"], ["a"])


@pytest.mark.parametrize("wrong", [7, None, ["chrf"], {"name": "chrf"}])
def test_a_name_that_is_no_text_is_refused(wrong: object) -> None:
    with pytest.raises(InputError, match=r"^card\.json names a metric that is \w+, not text\.$"):
        check_spec(METRICS, wrong, "card.json")
