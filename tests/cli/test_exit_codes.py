"""The table of exit codes says what the command line does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from assay.cli import main as command_line
from assay.core import errors

ROOT = Path(__file__).resolve().parents[2]


def rows() -> dict[int, str]:
    """Exit code to who says it."""
    text = (ROOT / "docs" / "exit_codes.md").read_text(encoding="utf-8")
    return {int(code): who for code, who in re.findall(r"^\| (\d+) \|.*\| (.*?) \|$", text, re.MULTILINE)}


def test_the_verbs_that_can_fail_a_check_are_named() -> None:
    modules = {path.stem: path.read_text(encoding="utf-8") for path in Path(command_line.__file__).parent.glob("*.py")}
    failing = {verb for verb in command_line.VERBS if "CheckFailed" in modules[verb]}
    assert set(re.findall(r"`(\w+)`", rows()[errors.CheckFailed.exit_code])) == failing


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.InputError("no"), 2),
        (errors.MissingPart("no"), 2),
        (errors.OutputError("no"), 2),
        (errors.CheckFailed("no"), 1),
        (errors.Interrupted("no"), 130),
        (KeyboardInterrupt(), 130),
        (BrokenPipeError(), 141),
        (OSError(28, "No space left on device"), 2),
        (MemoryError(), 3),
        (ZeroDivisionError(), 3),
    ],
    ids=lambda value: type(value).__name__,
)
def test_every_code_is_in_the_table(error: BaseException, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(arguments: list[str]) -> int:
        raise error

    monkeypatch.setattr(command_line, "_run", fails)
    monkeypatch.setattr(
        "assay.core.error_attribution._third_party", set()
    )  # another test may have named a metric of the tests
    monkeypatch.setattr("assay.report.writing.silence", lambda stream: None)
    assert command_line.main(["score"]) == code
    assert code in rows()
