"""A program that translates may crash, hang or lose a line; one segment is lost, never the run."""

from __future__ import annotations

import sys
import time

import pytest

from assay.core.errors import InputError
from assay.tasks.programs import LineProgram

_ECHO = "import sys\nfor line in sys.stdin: print(line.rstrip('\\n').upper(), flush=True)"


def program(code: str, seconds: float = 20.0) -> LineProgram:
    return LineProgram([sys.executable, "-c", code], seconds)


def test_one_line_in_one_line_out() -> None:
    assert program(_ECHO).translate(["uno", "dos", "çá"]) == ["UNO", "DOS", "ÇÁ"]


def test_texts_of_several_lines_come_back_whole() -> None:
    assert program(_ECHO).translate(["a\nb", "", "c\r\n\u2028d", "  "]) == ["A\nB", "", "C\n\nD", ""]


def test_no_texts_start_no_program() -> None:
    assert LineProgram(["/no/such/program"]).translate([]) == []


def test_a_crash_costs_the_guilty_line_only() -> None:
    code = "import sys, os\ntext = sys.stdin.read()\nif 'bad' in text: os.abort()\nprint(text, end='')"
    assert program(code).translate(["a", "b", "bad", "c", "d"]) == ["a", "b", None, "c", "d"]


def test_a_crash_inside_a_text_of_several_lines_loses_that_text() -> None:
    code = "import sys\ntext = sys.stdin.read()\nif 'bad' in text: sys.exit(3)\nprint(text, end='')"
    assert program(code).translate(["a\nbad", "b"]) == [None, "b"]


def test_a_lost_line_is_never_shifted_onto_its_neighbour() -> None:
    code = "import sys\nfor line in sys.stdin:\n  if 'drop' not in line: print(line, end='')"
    assert program(code).translate(["a", "drop", "b"]) == ["a", None, "b"]


def test_a_hang_costs_the_guilty_line_only() -> None:
    code = "import sys, time\ntext = sys.stdin.read()\nif 'hang' in text: time.sleep(60)\nprint(text, end='')"
    start = time.monotonic()
    assert program(code, seconds=1.0).translate(["a", "hang", "b", "c"]) == ["a", None, "b", "c"]
    assert time.monotonic() - start < 30


def test_a_program_that_always_hangs_is_given_up() -> None:
    start = time.monotonic()
    assert program("import time\ntime.sleep(60)", seconds=0.3).translate(["x"] * 40) == [None] * 40
    assert time.monotonic() - start < 20


def test_what_the_program_started_is_ended_with_it(tmp_path) -> None:
    mark = tmp_path / "late"
    command = ["/bin/sh", "-c", f"(sleep 3; touch {mark}) & sleep 60"]
    assert LineProgram(command, 0.3).translate(["a"]) == [None]
    time.sleep(3.2)
    assert not mark.exists()


def test_a_missing_program_is_said_by_name() -> None:
    with pytest.raises(InputError, match="no-such-translator"):
        LineProgram(["no-such-translator"]).translate(["a"])
    with pytest.raises(InputError, match="was not found"):
        LineProgram(["/bin/sh", "-c", "no-such-translator"]).translate(["a"])


def test_the_time_limit_must_be_positive() -> None:
    with pytest.raises(InputError, match="above 0"):
        LineProgram(["cat"], 0)
