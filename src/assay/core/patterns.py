"""Searching texts for regular expressions of others in a process of its own, so that none can hold a run up.

The rules of the DFKI suite and the patterns of a filter come from outside. Python's regular expressions backtrack: `(a+)+$` on
thirty letters takes longer than anyone waits, holds the interpreter's lock and cannot be told from an honest rule by its looks.
The file is also the program of that process: it imports little, reads every rule with its texts, and gives the processor time of
each rule a limit at which the system ends it. The rules after such a one are searched by the next process. Why not another
engine: docs/decisions/0007-patterns.md.

Windows cannot limit processor time. There a watchdog thread of `faulthandler` ends the process by elapsed time. It needs no
interpreter lock, so it also ends a search that never returns to Python.
"""

from __future__ import annotations

import faulthandler
import json
import re
import signal
import sys
import time
from collections.abc import Mapping, Sequence

Span = tuple[int, int]
Searched = Mapping[str, Span] | str
"""Where a rule fired, by the texts in which it did; or, for a rule that cannot be used, what is wrong with it."""

SECONDS = 2.0
"""Processor time for all texts of one rule; a rule of the suite takes a hundredth of it at most."""
WHOLE = 20.0
"""Processor time for all rules together, with a millisecond more for every text of a rule."""
PATIENCE = 10
"""So many rules may end their process before all are refused."""
CLOCK = "processor" if hasattr(signal, "setitimer") else "elapsed"
"""The time that limits are measured in. Elapsed time is counted generously, because it also passes while other programs run."""
GENEROSITY = 5.0
"""Seconds of elapsed time per second of a limit."""
WATCHDOG_STATUS = 1
"""Exit status of a process that the watchdog ended."""
TOGETHER = 256
"""Rules that a process answers at once; after an end the next process answers each by itself, and names the culprit."""


def search(rules: Mapping[str, Sequence[str]], whose: str = "these DFKI items") -> dict[str, Searched]:
    """Search the texts of every rule (pattern to texts); nothing depends on how busy the machine is.

    `whose` is what a message calls the rules' owner.
    """
    searched: dict[str, Searched] = {}
    together, ended = TOGETHER, 0
    while rest := {pattern: texts for pattern, texts in rules.items() if pattern not in searched}:
        code = _process(rest, together, searched)
        if len(searched) < len(rules):
            if together == 1:
                pattern = next(pattern for pattern in rest if pattern not in searched)
                searched[pattern], ended = (wrong := _end(code)), ended + 1
                if ended == PATIENCE:
                    raise _too_many(pattern, wrong, whose)
            together = 1
    return searched


def _process(rules: Mapping[str, Sequence[str]], together: int, searched: dict[str, Searched]) -> int:
    """Put what one process says about the rules into `searched`, up to one that ends it; the process's exit status."""
    import subprocess

    command = [sys.executable, "-I", "-S", "-W", "ignore", __file__, CLOCK, str(SECONDS), str(WHOLE), str(together)]
    request = json.dumps(list(rules.items())).encode()
    done = subprocess.run(command, input=request, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    *lines, _ = done.stdout.split(b"\n")
    for (pattern, texts), answer in zip(rules.items(), json.loads(b"[%b]" % b",".join(lines)), strict=False):
        searched[pattern] = answer if isinstance(answer, str) else {texts[i]: (start, end) for i, start, end in answer}
    return done.returncode


def _end(code: int) -> str:
    if code == (-signal.SIGPROF if CLOCK == "processor" else WATCHDOG_STATUS):
        return f"takes too long to search (a rule has {SECONDS:g} seconds, all rules together {WHOLE:g})"
    return f"cannot be searched: its process ended with {f'signal {-code}' if code < 0 else f'status {code}'}"


def _too_many(pattern: str, wrong: str, whose: str) -> Exception:
    from assay.core.errors import InputError

    return InputError(f"{PATIENCE} rules of {whose} cannot be used; the last, {shortened(pattern)}, {wrong}.")


def shortened(pattern: str) -> str:
    """A rule as a message shows it: on one line, and not all of a very long one."""
    return repr(pattern if len(pattern) <= 200 else f"{pattern[:200]}…")


def _end_after(seconds: float, clock: str) -> None:
    """End this process when the time is up, unless this is called again before."""
    if clock == "processor":
        signal.setitimer(signal.ITIMER_PROF, seconds)
    else:
        faulthandler.dump_traceback_later(GENEROSITY * seconds, exit=True)


def _serve(clock: str, seconds: float, whole: float, together: int) -> None:
    """Answer every rule on standard input with a line: the number of each text where it fired, start and end; or a sentence."""
    answers: list[str] = []
    for pattern, texts in json.load(sys.stdin.buffer):
        whole += len(texts) / 1000
        _end_after(min(seconds, max(whole - time.process_time(), 0.001)), clock)
        answer: list[tuple[int, int, int]] | str
        try:
            matches = map(re.compile(pattern).search, texts)
            answer = [(i, *match.span()) for i, match in enumerate(matches) if match]
        except (re.error, OverflowError) as error:
            answer = f"is not a regular expression ({error})"
        except RecursionError:
            answer = "is not a regular expression (it is nested too deeply)"
        answers.append(json.dumps(answer) + "\n")
        if len(answers) == together:
            _say(answers)
    _say(answers)


def _say(answers: list[str]) -> None:
    sys.stdout.write("".join(answers))
    sys.stdout.flush()
    answers.clear()


if __name__ == "__main__":
    _serve(sys.argv[1], float(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]))
