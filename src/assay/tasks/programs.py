"""Runner of programs that answer line by line (translators, judges): a crash or a hang costs one segment, not the run."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Callable, Sequence

from assay.core.errors import InputError

_NOT_FOUND = 127
_LEAST_SECONDS = 5.0
_PATIENCE = 6
_LINE_END = re.compile("\r\n|[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")


class LineProgram:
    """A command that reads lines and writes the same number of lines.

    `blank_lines` adds an empty line after each line, for programs that would otherwise read past the end of a line. `noun` is
    how messages refer to the program. `complaint` is the last line that it wrote to standard error when it failed.
    """

    def __init__(
        self, command: Sequence[str], seconds: float = 120.0, blank_lines: bool = False, noun: str = "translator"
    ) -> None:
        if seconds <= 0:
            raise InputError(f"a time limit must be above 0 seconds, not {seconds:g}.")
        self.command = list(command)
        self.seconds = seconds
        self.blank_lines = blank_lines
        self.noun = noun
        self.complaint = ""
        self._time_outs = 0

    def translate(self, texts: Sequence[str], batch: int = 256) -> list[str | None]:
        """Return one translation per text, or None.

        Multi-line texts are sent line by line and joined again; empty lines are not sent.
        """
        parts = [_LINE_END.split(text) for text in texts]
        sent = [line for text in parts for line in text if line.strip()]
        answers = iter(self.answers(sent, batch))
        return [_joined([next(answers) if line.strip() else "" for line in text]) for text in parts]

    def answers(
        self, lines: Sequence[str], batch: int = 256, receive: Callable[[int, Sequence[str | None]], None] | None = None
    ) -> list[str | None]:
        """Return one answer (or None) per line, from calls with `batch` lines each; `receive` is called with the start and the
        answers of each batch.

        If the program crashes, hangs or writes a wrong number of lines, the lines are bisected until the failing one is found.
        After six time-outs in a row the remaining lines are skipped.
        """
        received: list[str | None] = []
        self._time_outs = 0
        for start in range(0, len(lines), batch):
            batch_answers = self._lines(list(lines[start : start + batch]), self.seconds)
            received += batch_answers
            if receive is not None:
                receive(start, batch_answers)
        return received

    def _lines(self, lines: list[str], seconds: float) -> list[str | None]:
        if self._time_outs >= _PATIENCE:
            return [None] * len(lines)
        answer = self._call(lines, seconds)
        if answer is not None:
            self._time_outs = 0
            return list(answer)
        if len(lines) == 1:
            return [None]
        half = len(lines) // 2
        less = max(min(_LEAST_SECONDS, seconds), seconds / 2)
        return self._lines(lines[:half], less) + self._lines(lines[half:], less)

    def _call(self, lines: list[str], seconds: float) -> list[str] | None:
        """Return the program's answer, or None if it failed."""
        end = "\n\n" if self.blank_lines else "\n"
        payload = "".join(line + end for line in lines).encode("utf-8", "replace")
        environment = {**os.environ, "PYTHONIOENCODING": "utf-8", "LC_ALL": "C.UTF-8"}
        try:
            process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            raise InputError(f"the {self.noun} {self.command[0]!r} cannot be started: {error.strerror}.") from error
        with process:
            try:
                output, error_output = process.communicate(payload, timeout=seconds)
            except subprocess.TimeoutExpired:
                self._time_outs += 1
                self.complaint = f"no answer within {seconds:g} seconds"
                return None
            finally:
                _end(process)
        if process.returncode == _NOT_FOUND:
            raise InputError(
                f"the {self.noun} {' '.join(self.command)!r} was not found. Check that it is installed and on PATH."
            )
        if process.returncode:
            self.complaint = _last_line(error_output) or f"exit status {process.returncode}"
            return None
        answer = output.decode("utf-8", "replace").split("\n")
        answer = [line.strip("\r") for line in (answer[:-1] if answer[-1] == "" else answer)]
        if self.blank_lines:
            answer = answer[::2]
        if len(answer) == len(lines):
            return answer
        self.complaint = f"{len(answer):,} lines for {len(lines):,}"
        return None


def _last_line(error_output: bytes) -> str:
    """Return the last line of an error output, shortened for a message."""
    lines = error_output[-4000:].decode("utf-8", "replace").split("\n")
    return next((" ".join(line.split())[:200] for line in reversed(lines) if line.strip()), "")


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the program and the processes that it started, unless it has ended."""
    if process.poll() is None:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:  # Windows
            process.kill()
        process.wait()


def _joined(lines: Sequence[str | None]) -> str | None:
    return None if None in lines else "\n".join(line for line in lines if line is not None)
