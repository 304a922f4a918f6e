"""Files that once ended in "this is a bug in assay": each is refused with exit 2 and one line."""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.cli.main import main
from assay.core.errors import AssayError
from assay.decide.rule import FORMAT
from tests.data import need
from tests.fuzz.target import Target
from tests.fuzz.targets import all_targets

DEEP = "[" * 100_000
HUGE = "9" * 401
CURVE = {"quality": [1.0, 2.0], "probability": [0.5, 0.1]}
GROUP = {
    "n": 9, "breakdowns": 1, "above": 1.5, "use_at": 1.0, "reject_at": 0.5, "curve": CURVE, "quantiles": [1.0], "promise": "p",
    "promised": None, "limits": "own",
}  # fmt: skip
MEMBER = {"name": "chrf", "signature": "s", "higher_is_better": True}
RULE = {"format": FORMAT, "goal": "g", "metrics": [MEMBER], "blend": None, "groups": {"all": GROUP}, "card": {}}
ROW = {"phenomenon": "addition", "accuracy": 0.5, "unscored": 0}
CARD = {"metric": "chrf", "signature": "s", "results": {"embedded": {"phenomena": [ROW]}}}


def changed(document: Any, value: Any, *path: str | int) -> str:
    """The document as JSON with another value at a place in it."""
    plain = json.loads(json.dumps(document))
    holder = plain
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    return json.dumps(plain)


def apply_rule(path: Path) -> list[str]:
    (path.parent / "mt.txt").write_text("a\n")
    texts = str(path.parent / "mt.txt")
    return ["decide", "apply", "--rule", str(path), "--mt", texts, "--ref", texts]


def check_card(path: Path) -> list[str]:
    return ["check", "--against", str(path)]


def run_set(path: Path) -> list[str]:
    return ["run", str(path), "-m", "chrf"]


def score(path: Path) -> list[str]:
    return ["score", "-m", "chrf", "--data", str(path)]


def outcomes(path: Path) -> list[str]:
    return ["breakdown", "--data", str(path), "--score", "comet"]


Command = Callable[[Path], list[str]]
CASES: list[tuple[Command, str, str, str]] = [
    (apply_rule, "rule.json", DEEP, "is not a rule: nested more than 100 deep"),
    (apply_rule, "rule.json", changed(RULE, 10**400, "groups", "all", "above"), "a number of 401 digits"),
    (apply_rule, "rule.json", changed(RULE, "x", "groups", "all", "above"), "groups.all.above must be a number, not 'x'"),
    (apply_rule, "rule.json", changed(RULE, float("inf"), "groups", "all", "n"), "groups.all.n must be a whole number"),
    (apply_rule, "rule.json", changed(RULE, [1], "groups", "all", "use_at"), "groups.all.use_at must be a number"),
    (apply_rule, "rule.json", changed(RULE, 1e308, "metrics", 0, "name"), "metrics[1].name must be text"),
    (apply_rule, "rule.json", changed(RULE, -1, "metrics", 0, "decimals"), "metrics[1].decimals must be between 0 and 30"),
    (apply_rule, "rule.json", changed(RULE, [2.0, 1.0], "groups", "all", "curve", "quality"), "curve.quality is not increasing"),
    (check_card, "card.json", DEEP, "is not a card: nested more than 100 deep"),
    (check_card, "card.json", changed(CARD, "x", "results", "embedded"), "results.embedded must be a mapping"),
    (check_card, "card.json", changed(CARD, 1.5, "results", "embedded", "phenomena"), "results.embedded.phenomena must be a list"),
    (check_card, "card.json", changed(CARD, "\\", "results", "embedded", "phenomena", 0, "unscored"), "unscored must be a whole"),
    (check_card, "card.json", changed(CARD, float("inf"), "results", "embedded", "phenomena", 0, "accuracy"), "must be a finite"),
    (run_set, "set.json", DEEP, "is not JSON: nested too deeply: line 1"),
    (run_set, "set.jsonl", '{"good": ' + DEEP, "line 1: not JSON: nested more than 100 deep"),
    (run_set, "set.jsonl", '{"good": {"a": ' + "[" * 101 + "]" * 101 + "}}", "line 1: not JSON: nested more than 100 deep"),
    (score, "table.jsonl", '{"mt": ' + "9" * 5000 + "}", "line 1: not JSON"),
    (score, "table.jsonl", '{"mt": ' + HUGE + ', "ref": "a"}', "is a number"),
    (outcomes, "o.jsonl", '{"mt": "a", "outcome": "good", "comet": ' + HUGE + "}", "line 1: comet is '9999"),
    (outcomes, "o.jsonl", '{"mt": "a", "outcome": "good", "comet": 1, "split": {"a": 1}}', "is unknown. Use dev, test"),
    (outcomes, "o.tsv", "mt\toutcome\tcomet\na\tgood\t1_000\n", "line 2: comet is '1_000', not a number"),
    (outcomes, "o.tsv", "mt\toutcome\tcomet\na\tgood\t１２\n", "line 2: comet is '１２', not a number"),
]  # fmt: skip


@pytest.mark.parametrize(("command", "name", "text", "said"), CASES)
def test_bad_files_are_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: Command, name: str, text: str, said: str
) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert main(command(path)) == 2
    printed = capsys.readouterr().err
    assert printed.count("\n") == 1 and name in printed and said in printed, printed


def test_the_same_through_a_process_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "rule.json").write_text(DEEP)
    command = [sys.executable, "-m", "assay", *apply_rule(tmp_path / "rule.json")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def test_the_citation_beside_receipts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "r.csv").write_text("table,row,column,published,tolerance,derivable,reason\na,b,c,1,,yes,\n")
    for text, said in (
        (b"\xff{}", "is not valid UTF-8"),
        (b"[]", "must be a mapping"),
        (b'{"tables": [1]}', "tables must be a mapping"),
    ):
        (tmp_path / "r.json").write_bytes(text)
        assert main(["reproduce", str(tmp_path / "r.csv")]) == 2
        printed = capsys.readouterr().err
        assert printed.count("\n") == 1 and "r.json" in printed and said in printed


VALID = {"receipts-AttributeError-io_receipts.py:128.csv", "receipts-UnicodeDecodeError-io_receipts.py:122.csv"}
"""What was wrong with these stood in another file beside them."""
JUDGED = {"dfki.items-OverflowError-suites_dfki_judge.py:93.json"}
"""Whose items are well-formed: what is wrong is a regular expression in them."""


@pytest.mark.real
def test_every_file_that_once_crashed(tmp_path: Path) -> None:
    targets = {target.name: target for target in all_targets(tmp_path)}
    seen = 0
    with tarfile.open(need("attack", "crash.tar.xz")) as tar:
        for member in tar:
            file, name = tar.extractfile(member), Path(member.name).name
            if file is None or name in VALID | JUDGED:
                continue
            target = targets[{"panic.parquet": "table.parquet"}.get(name.partition("-")[0], name.partition("-")[0])]
            with pytest.raises(AssayError) as caught:
                target.read(placed(target, tmp_path / "crash", file.read()))
            assert caught.value.exit_code == 2 and "\n" not in str(caught.value), name
            seen += 1
    assert seen == 48


def placed(target: Target, folder: Path, data: bytes) -> Path:
    for name, content in (*target.beside, (target.file, data)):
        (folder / target.name / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / target.name / name).write_bytes(content)
    return folder / target.name / target.file


def test_a_column_whose_name_has_line_ends_stays_on_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.csv").write_text('"so\n\nurce",other\na,b\n')
    assert main(run_set(tmp_path / "a.csv")) == 2
    printed = capsys.readouterr().err
    assert printed.count("\n") == 1 and "its columns are so urce, other" in printed
