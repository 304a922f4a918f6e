"""Search for untrusted regular expressions in a separate process with a time limit.

The rules of the DFKI suite and the patterns of filters come from files and users. Python's regular expression engine
backtracks: `(a+)+$` on thirty letters practically never finishes and holds the interpreter lock. Such patterns cannot be
recognized in advance.

This file is also the program that the process runs. It imports little, reads each rule with its texts, and limits the CPU
time per rule; the system ends the process at the limit. A new process then searches for the remaining rules. Alternatives
are discussed in docs/decisions/0007-patterns.md.

Windows cannot limit CPU time. There, a watchdog thread of `faulthandler` ends the process by elapsed time. It does not need
the interpreter lock, so it also ends a search that never returns to Python.
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
"""The first match of a rule by text or, if the rule is unusable, the reason."""

SECONDS = 2.0
"""Limit of processor time for all texts of one rule; rules of the suite take at most a hundredth of it."""
WHOLE = 20.0
"""Limit of processor time for all rules together, plus one millisecond per text of a rule."""
PATIENCE = 10
"""Number of rules that may exceed the limit before all are rejected."""
CLOCK = "processor" if hasattr(signal, "setitimer") else "elapsed"
"""The time that limits are measured in. Elapsed time gets a larger limit, because it also passes while other programs run."""
GENEROSITY = 5.0
"""Seconds of elapsed time per second of a limit."""
WATCHDOG_STATUS = 1
"""Exit status of a process that the watchdog ended."""
TOGETHER = 256
"""Number of rules that a process answers at once. After a process has ended, the next one answers each rule separately, which
identifies the rule that exceeded the limit."""


def search(rules: Mapping[str, Sequence[str]], whose: str = "these DFKI items") -> dict[str, Searched]:
    """Return the first match of every rule in each of its texts. The result does not depend on machine load.

    `rules` maps patterns to texts. `whose` names the source of the rules in messages.
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
    """Add the answers of one process to `searched`, up to a rule that ends it; return the process's exit status."""
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
    """Return a rule for a message: on one line, shortened if it is very long."""
    return repr(pattern if len(pattern) <= 200 else f"{pattern[:200]}…")


def _end_after(seconds: float, clock: str) -> None:
    """End this process after `seconds`, unless this function is called again before."""
    if clock == "processor":
        signal.setitimer(signal.ITIMER_PROF, seconds)
    else:
        faulthandler.dump_traceback_later(GENEROSITY * seconds, exit=True)


def _serve(clock: str, seconds: float, whole: float, together: int) -> None:
    """Answer each rule on standard input with a line: the number, start and end of each match, or an error message."""
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
            _send(answers)
    _send(answers)


def _send(answers: list[str]) -> None:
    sys.stdout.write("".join(answers))
    sys.stdout.flush()
    answers.clear()


if __name__ == "__main__":
    _serve(sys.argv[1], float(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]))
