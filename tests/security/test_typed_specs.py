"""What a person types as module:name: a class of the contract or a marked function, looked at before anything is called."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pytest

import assay
from assay.cli.main import main
from assay.core.batch import Batch
from assay.core.errors import InputError
from assay.core.function_metric import FunctionMetric
from assay.metrics import metric
from assay.testing import check_metric

THINGS = """
import pathlib
import assay
from assay.core import Table, TableColumn

CALLED = pathlib.Path(__file__).with_name("called")
ANALYSIS = {"not": "a function"}

def touch(*arguments, **options):
    CALLED.touch()

class Loud:
    def __init__(self, *arguments, **options):
        CALLED.touch()

def tables(items, measured, *, seed, samples, correction):
    return touch()

@assay.requires()
def counted(items, measured, *, seed, samples, correction):
    return [Table("summary", [TableColumn("n")], [{"n": len(items)}])]

def unmarked(text, rng):
    return touch()

@assay.error
def shout(text, rng):
    return (text.upper() if len(text) % 2 else text.split()[0]), "shout"
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "cache"))
    for module in ("typed_things", "typed_metrics"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    (tmp_path / "typed_things.py").write_text(THINGS)
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        *(
            [*verb, spec]
            for spec in ("typed_things:touch", "typed_things:Loud", "typed_things:ANALYSIS")
            for verb in (
                ["score", "--data", "demo", "-m"],
                ["card"],
                ["run"],
                ["fetch"],
                ["list", "metrics"],
                ["list", "suites"],
                ["list", "perturbations"],
                ["make", "--data", "demo", "--out", "set.jsonl", "-p"],
                ["breakdown", "--task"],
                ["breakdown", "--task", "parsing", "--langs", "es", "--translator"],
                ["breakdown", "--task", "parsing", "--translator", "none", "--error"],
                ["run", "embedded", "--analysis"],
            )
        ),
        ["score", "--data", "demo", "-m", "typed_things:touch:cmd=x"],
        ["run", "embedded", "--analysis", "typed_things:tables"],
        ["breakdown", "--task", "parsing", "--translator", "none", "--error", "typed_things:unmarked"],
    ],
    ids=" ".join,
)
def test_what_keeps_no_contract_is_refused_uncalled(
    words: list[str], place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "typed_things" in said
    assert not (place / "called").exists()


@pytest.mark.parametrize(
    "spec", ["subprocess:getoutput:cmd=touch called", "os:system:command=touch called", "os:system"]
)
def test_a_function_of_pythons_is_no_metric(spec: str, place: Path) -> None:
    with pytest.raises(InputError, match=r"which is no assay\.core\.metric\.Metric\. Write @assay\.metric above"):
        metric(spec)
    assert main(["breakdown", "--task", "parsing", "--translator", "none", "--error", "os:system"]) == 2
    assert not (place / "called").exists()


def test_marked_functions_are_called(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert assay.run("embedded", ["chrf"], analysis="typed_things:counted").table().rows[0]["n"] > 0
    words = ["breakdown", "--task", "parsing", "--translator", "none", "-m", "cer", "--table", "matrix"]
    assert main([*words, "--error", "typed_things:shout"]) == 0
    assert "shout" in capsys.readouterr().out


METRICS = '''
import assay

@assay.metric
def same(hypotheses, references, sources):
    """Whether the words are the same."""
    return [h.split() == r.split() for h, r in zip(hypotheses, references)]

@assay.metric(needs="source", higher_is_better=False, name="growth", version=3, range=(0, None), decimals=1)
def longer(hypotheses, references, sources):
    assert references is None
    return (len(h) / max(len(s), 1) for h, s in zip(hypotheses, sources))

@assay.metric
def short(hypotheses, references, sources):
    return [1.0]

@assay.metric
def words(hypotheses, references, sources):
    return ["1.0" for _ in hypotheses]

@assay.metric
def nothing(hypotheses, references, sources):
    return None

@assay.metric
def broken(hypotheses, references, sources):
    rows = list(zip(hypotheses, references))
    return [len(h) / 0 for h, r in rows]
'''


@pytest.fixture
def metrics(place: Path) -> Path:
    (place / "typed_metrics.py").write_text(METRICS)
    return place


def test_a_marked_function_scores(metrics: Path) -> None:
    result = assay.score(["a b", "a  b", "c"], ["a b", "a b", "d"], metrics=["typed_metrics:same"])
    assert result.scores["typed_metrics:same"].values.tolist() == [1, 1, 0]
    assert result.system["typed_metrics:same"] == pytest.approx(2 / 3)
    same = metric("typed_metrics:same")
    assert str(same.signature) == "typed_metrics.same|v:1"
    assert (same.card.needs, same.card.higher_is_better, same.card.stored) == ("reference", True, False)
    assert same.card.meaning == "Whether the words are the same."
    check_metric(same)


def test_the_card_is_made_of_the_decorators_arguments(metrics: Path, capsys: pytest.CaptureFixture[str]) -> None:
    growth = metric("typed_metrics:longer")
    assert str(growth.signature) == "typed_metrics.longer|v:3"
    assert (growth.card.name, growth.card.needs, growth.card.higher_is_better) == ("growth", "source", False)
    assert (growth.card.range, growth.card.decimals) == ((0, None), 1)
    # 4 letters for 2, and 1 for 4.
    assert growth.score(Batch(["abcd", "a"], ["ab", "abcd"])).values.tolist() == [2.0, 0.25]
    with pytest.raises(InputError, match="growth requires the source"):
        growth.score(Batch(["a"], None, (["a"],)))
    assert main(["list", "metrics", "typed_metrics:longer"]) == 0
    assert "lower" in capsys.readouterr().out


def test_the_best_of_several_references_counts() -> None:
    @assay.metric(higher_is_better=False)
    def distance(hypotheses, references, sources):  # type: ignore[no-untyped-def]
        return np.array([abs(len(h) - len(r)) for h, r in zip(hypotheses, references, strict=True)])

    assert isinstance(distance, FunctionMetric)
    batch = Batch(["abc", "abc", "abc"], None, (["a", "abcd", None], ["ab", None, "abc"]))
    # |3-1| and |3-2|; |3-4| alone; |3-3| alone.
    assert distance.score(batch).values.tolist() == [1, 1, 0]
    assert assay.score(["abc"], ["abcde"], metrics=[distance]).system["distance"] == 2.0
    assert distance(["abc"], ["a"], None).tolist() == [2]  # type: ignore[attr-defined]


def test_a_score_that_is_missing_stays_missing() -> None:
    @assay.metric(needs="either")
    def some(hypotheses, references, sources):  # type: ignore[no-untyped-def]
        return [math.nan if h == "?" else 1 for h in hypotheses]

    assert np.isnan(some.score(Batch(["?", "a"], ["s", "s"])).values).tolist() == [True, False]
    with pytest.raises(InputError, match="some requires a source or a reference"):
        some.score(Batch(["a"]))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "short",
            r"the metric short \(.*typed_metrics\.py line 14\) returned 1 score for 2 segments; it must return one per segment\.",
        ),
        ("words", r"the metric words \(.*typed_metrics\.py line 18\) returned '1\.0', not a number\."),
        ("nothing", r"the metric nothing failed at .*typed_metrics\.py line 22: TypeError: .*"),
        ("broken", r"the metric broken failed at .*typed_metrics\.py line 29: ZeroDivisionError: division by zero\."),
    ],
)
def test_a_fault_of_the_function_is_its_authors(
    name: str, words: str, metrics: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(InputError, match=f"^{words}$"):
        metric(f"typed_metrics:{name}").score(Batch(["a", "b"], None, (["a", "b"],)))
    (metrics / "t").write_text("a\nb\n")
    assert main(["score", "--mt", "t", "--ref", "t", "-m", f"typed_metrics:{name}"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "bug" not in said


def test_a_function_that_takes_something_else_and_a_module_that_fails_are_told_so(place: Path) -> None:
    with pytest.raises(InputError, match="alone cannot be a metric: the function must take hypotheses, ref"):

        @assay.metric  # type: ignore[arg-type]
        def alone(hypothesis):  # type: ignore[no-untyped-def]
            return 1.0

    (place / "typed_metrics.py").write_text("undefined\n")
    with pytest.raises(
        InputError,
        match=r"importing the module 'typed_metrics' failed at .*typed_metrics\.py line 1 \(NameError: .*\)\.$",
    ):
        metric("typed_metrics:same")


def test_a_function_takes_no_options(metrics: Path) -> None:
    with pytest.raises(InputError, match="'typed_metrics:same' accepts no options"):
        metric("typed_metrics:same:depth=3")


def test_the_documented_function_scores(place: Path) -> None:
    text = (Path(__file__).parents[2] / "docs" / "score.md").read_text(encoding="utf-8")
    (place / "typed_metrics.py").write_text(text.partition("```python\n")[2].partition("```")[0])
    scores = assay.score(["abc"], ["abcd"], metrics=["typed_metrics:near"]).scores["typed_metrics:near"]
    assert scores.values.tolist() == [0.75]
