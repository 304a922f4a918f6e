"""What a user's metric does wrong is told as the user's, with the file and the line, in one sentence with exit code 2."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import assay
from assay.cli.main import main
from assay.core.errors import InputError
from assay.metrics import METRICS

HEAD = """import numpy as np
import assay
from assay.core import Card, Metric, Scores, Signature


class Base(Metric):
    card = Card("theirs", "Theirs", "reference", True, (None, None), "what they say", stored=False)

    @property
    def signature(self):
        return Signature.of("theirs", 1)

    def score(self, batch):
        return Scores(np.ones(len(batch)))
"""
FIRST = len(HEAD.splitlines()) + 1
"""The line on which what a test adds begins."""


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    """Puts a module `faulty` on the path, with `Base` and what is given, and with an entry point ``faulty`` for `Theirs`."""
    site = tmp_path / "site"
    info = site / "faulty-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: faulty\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[assay.metrics]\nfaulty-metric = faulty:Theirs\n")
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setattr(METRICS, "_plugins", None)
    monkeypatch.delitem(sys.modules, "faulty", raising=False)
    for name in ("mt", "ref"):
        (tmp_path / name).write_text("a b\nc d\ne f\n")

    def written(body: str) -> str:
        path = site / "faulty.py"
        path.write_text(HEAD + body)
        return str(path)

    yield written
    sys.modules.pop("faulty", None)


def said(tmp_path: Path, capsys, spec: str, verb: str = "score") -> str:  # type: ignore[no-untyped-def]
    files = ["--mt", str(tmp_path / "mt"), "--ref", str(tmp_path / "ref")]
    assert main([verb, "-m", spec, *files, "--quiet"]) == 2
    error = capsys.readouterr().err
    assert "bug in assay" not in error and error.count("\n") == 1
    return str(error).removeprefix("assay: ").strip()


CLASSES = {
    "exception": (
        'def score(self, batch):\n        return {}["x"]',
        2,
        "the metric theirs failed at {}: KeyError: 'x'.",
    ),
    "in a helper": (
        "def score(self, batch):\n        return self.help(batch)\n\n    def help(self, batch):\n        return batch.nothing",
        5,
        "the metric theirs failed at {}: AttributeError: 'Batch' object has no attribute 'nothing'.",
    ),
    "in a library": (
        "def score(self, batch):\n        return Scores(np.array([1.0]).reshape(7))",
        2,
        "the metric theirs failed at {}: ValueError: cannot reshape array of size 1 into shape (7,).",
    ),
    "file": (
        "def score(self, batch):\n        open('/no/such/file')",
        2,
        "the metric theirs failed at {}: FileNotFoundError: [Errno 2] No such file or directory: '/no/such/file'.",
    ),
    "exit": (
        "def score(self, batch):\n        raise SystemExit('enough')",
        2,
        "the metric theirs failed at {}: SystemExit: enough.",
    ),
    "length": (
        "def score(self, batch):\n        return Scores(np.ones(2))",
        1,
        "score of the metric theirs ({}) returned 2 scores for 3 segments; it must return one per segment, in order.",
    ),
    "a list": (
        "def score(self, batch):\n        return [1.0, 2.0, 3.0]",
        1,
        "score of the metric theirs ({}) returned list, not assay.Scores.",
    ),
    "words": (
        "def score(self, batch):\n        return Scores(['a', 'b', 'c'])",
        1,
        "score of the metric theirs ({}) returned values that are ['a', 'b', 'c'], not numbers.",
    ),
    "one number": (
        "def score(self, batch):\n        return Scores(1.0)",
        1,
        "score of the metric theirs ({}) returned values of 0 dimensions, not 1.",
    ),
    "statistics": (
        "def score(self, batch):\n        return Scores(np.ones(3), stats=np.ones(3))",
        1,
        "score of the metric theirs ({}) returned stats of 1 dimensions, not 2.",
    ),
    "flags": (
        "def score(self, batch):\n        return Scores(np.ones(3), flags={'odd': np.ones(2, bool)})",
        1,
        "score of the metric theirs ({}) returned 2 flag 'odd' for 3 segments; it must return one per segment, in order.",
    ),
    "components": (
        "def score(self, batch):\n        return Scores(np.ones(3), components={'part': ['x'] * 3})",
        1,
        "score of the metric theirs ({}) returned component 'part' that are ['x', 'x', 'x'], not numbers.",
    ),
    "combine": (
        "def combine(self, stats):\n        return stats.nothing",
        2,
        "combine of the metric theirs failed at {}: AttributeError: 'numpy.ndarray' object has no attribute 'nothing'.",
    ),
    "combine gives a word": (
        "def combine(self, stats):\n        return 'x'",
        1,
        "combine of the metric theirs ({}) returned 'x', not a number.",
    ),
    "combine forgets the axis": (
        "def combine(self, stats):\n        return stats.sum()",
        1,
        "combine of the metric theirs ({}) returned an array of shape (), not one number per row of sums; it must work on the "
        "last axis.",
    ),
    "signature": (
        "@property\n    def signature(self):\n        return self.nothing",
        3,
        "the signature of the metric theirs failed at {}: AttributeError: 'Theirs' object has no attribute 'nothing'.",
    ),
    "signature that is text": (
        "@property\n    def signature(self):\n        return 'theirs'",
        1,
        "the signature of the metric theirs ({}) is str, not an assay.Signature.",
    ),
}


@pytest.mark.parametrize("spec", ["faulty:Theirs", "faulty-metric"])
@pytest.mark.parametrize("fault", CLASSES)
def test_the_fault_of_a_class_is_its_authors(fault: str, spec: str, write, tmp_path: Path, capsys) -> None:  # type: ignore[no-untyped-def]
    body, line, words = CLASSES[fault]
    path = write(f"\n\nclass Theirs(Base):\n    {body}\n")
    assert said(tmp_path, capsys, spec) == words.format(f"{path} line {FIRST + 2 + line}")


@pytest.mark.parametrize("spec", ["faulty:Theirs", "faulty-metric"])
@pytest.mark.parametrize(
    ("body", "line", "words"),
    [
        ("raise RuntimeError('no model')", 3, "making {spec} failed at {place}: RuntimeError: no model."),
        ("self.size = 1 / 0", 3, "making {spec} failed at {place}: ZeroDivisionError: division by zero."),
    ],
)
def test_the_fault_of_a_constructor(spec: str, body: str, line: int, words: str, write, tmp_path: Path, capsys) -> None:  # type: ignore[no-untyped-def]
    path = write(f"\n\nclass Theirs(Base):\n    def __init__(self):\n        {body}\n")
    assert said(tmp_path, capsys, spec) == words.format(spec=spec, place=f"{path} line {FIRST + 1 + line}")


def test_an_argument_that_a_constructor_needs_is_an_option(write, tmp_path: Path, capsys) -> None:  # type: ignore[no-untyped-def]
    write("\n\nclass Theirs(Base):\n    def __init__(self, size: int):\n        self.size = size\n")
    wanted = "faulty:Theirs needs the option size: write faulty:Theirs:size=VALUE."
    assert said(tmp_path, capsys, "faulty:Theirs") == wanted
    files = ["--mt", str(tmp_path / "mt"), "--ref", str(tmp_path / "ref")]
    assert main(["score", "-m", "faulty:Theirs:size=3", *files]) == 0


@pytest.mark.parametrize(
    ("body", "line", "words"),
    [
        (
            "return [len(h) / 0 for h in hypotheses]",
            2,
            "the metric theirs failed at {}: ZeroDivisionError: division by zero.",
        ),
        ("pass", 0, "the metric theirs failed at {}: TypeError: 'NoneType' object is not iterable."),
        ("return [1.0]", 0, "the metric theirs ({}) returned 1 score for 3 segments; it must return one per segment."),
        ("return ['good'] * 3", 0, "the metric theirs ({}) returned 'good', not a number."),
        ("return [None] * 3", 0, "the metric theirs ({}) returned 'None', not a number."),
    ],
)
def test_the_fault_of_a_function_is_its_authors(
    body: str, line: int, words: str, write, tmp_path: Path, capsys
) -> None:  # type: ignore[no-untyped-def]
    path = write(f"\n\n@assay.metric\ndef theirs(hypotheses, references, sources):\n    {body}\n")
    assert said(tmp_path, capsys, "faulty:theirs") == words.format(f"{path} line {FIRST + 2 + line}")


@pytest.mark.parametrize(
    ("body", "line", "words"),
    [
        ("size = undefined", 0, " (NameError: name 'undefined' is not defined)."),
        ("def broken(:", 0, " (SyntaxError: invalid syntax)."),
        (
            "class Theirs(Base):\n    card = Card('theirs', 'T', 'ref', True, (0, 1), '')",
            1,
            ": the card of theirs needs 'ref': it must be one of reference, source, both, either, translation.",
        ),
    ],
)
def test_the_fault_of_a_module(body: str, line: int, words: str, write, tmp_path: Path, capsys) -> None:  # type: ignore[no-untyped-def]
    path = write(body + "\n")
    place = f"{path} line {FIRST + line}"
    assert said(tmp_path, capsys, "faulty:Theirs") == (
        f"metric 'faulty:Theirs': importing the module 'faulty' failed at {place}{words}"
    )


def test_a_fault_that_shows_later_is_still_its_authors(write, tmp_path: Path, capsys) -> None:  # type: ignore[no-untyped-def]
    # combine keeps its contract for the corpus, and fails for a thousand resamples
    body = "if len(stats) > 3:\n            raise ValueError('too many')\n        return stats[..., 0]"
    path = write(f"\n\nclass Theirs(Base):\n    def combine(self, stats):\n        {body}\n")
    files = ["--mt", str(tmp_path / "mt"), "--ref", str(tmp_path / "ref"), "--ci", "--quiet"]
    assert main(["score", "-m", "faulty:Theirs", *files]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"assay: {path} line {FIRST + 5} failed: ValueError: too many. ")


def test_values_that_mean_numbers_are_taken(write, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    write("\n\nclass Theirs(Base):\n    def score(self, batch):\n        return Scores([1, 2, 6])\n")
    found = assay.score(["a", "b", "c"], ["a", "b", "c"], metrics=["faulty:Theirs"])
    assert found.system["faulty:Theirs"] == 3.0


def test_a_plain_function_is_told_how_to_become_a_metric() -> None:
    with pytest.raises(
        InputError,
        match=r"metrics must be names or Metric objects, not <built-in function len>: decorate the function with @assay\.metric",
    ):
        assay.score(["a"], ["a"], metrics=[len])  # type: ignore[list-item]


def test_a_fault_of_ours_stays_ours(monkeypatch: pytest.MonkeyPatch, capsys) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr("assay.metrics.chrf.Chrf.score", lambda self, batch: {}["x"])
    monkeypatch.setattr(
        "assay.core.error_attribution._third_party", set()
    )  # another test may have named a metric of the tests
    assert main(["score", "-m", "chrf", "--data", "demo"]) == 3
    assert "this is a bug in assay (KeyError: 'x')" in capsys.readouterr().err
