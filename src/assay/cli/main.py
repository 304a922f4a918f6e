"""``assay VERB …``: finds the verb, runs it, turns deliberate errors into one line.

Nothing heavy is imported here: ``assay --help`` must answer in a few hundredths of a second. A verb is a module of this
package with ``SUMMARY``, ``add_arguments(parser)`` and ``run(args) -> int``.
"""

from __future__ import annotations

import codecs
import io
import os
import sys
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from assay import __version__

VERBS = {
    "score": "score translations with one or more metrics",
    "compare": "compare systems: intervals and significance",
    "filter": "keep the rows for which an expression over scores and flags holds",
    "run": "run metrics on challenge sets: where is a metric blind?",
    "view": "look at runs in the browser",
    "make": "make a challenge set from your own sentences",
    "meta": "how well metrics agree with people: the official WMT tables",
    "spans": "evaluate error spans against people's",
    "campaign": "people's judgements: scores, agreement, ranking",
    "reproduce": "receipts: published tables derived anew, cell by cell",
    "card": "one page with all results of a metric",
    "check": "fail when a metric got worse than its card",
    "breakdown": "judge metrics by what translations break downstream",
    "decide": "learn when to use, review or reject; label translations",
    "dfki": "judge, review and build the DFKI test suite",
    "train": "train a learned metric on judged translations",
    "rerun": "do a run again: are the numbers equal?",
    "fetch": "download a challenge set or a checkpoint",
    "list": "what there is: metrics, suites, perturbations, tasks …",
    "doctor": "what is installed, what it gives, caches and data",
    "cite": "what to cite for metrics, suites and runs",
    "selfcheck": "do the same texts give the same numbers on this machine?",
    "cache": "look at or empty the score store",
    "completion": "print a completion script for your shell",
}
"""Every verb with the line that ``assay --help`` shows; the module has the same name."""

HEAD = """assay judges machine translation: scores, comparisons, and where a metric is blind.

usage: assay VERB [options]        assay VERB --help        assay --version

"""
EXAMPLES = """
examples:
  assay compare -m chrf -m bleu -m ter --data demo
  assay compare -m chrf --mt online.de --mt ours.de --ref ref.de
  assay run -m chrf -m bleu

Exit codes: 0 done, 1 the check you asked for failed, 2 you or your files, 3 us.
"""


def main(argv: list[str] | None = None) -> int:
    """Run the command line; gives the exit code."""
    arguments = sys.argv[1:] if argv is None else argv
    _settle_streams()
    debug = "--debug" in arguments
    return _guarded([argument for argument in arguments if argument != "--debug"], debug)


def _settle_streams() -> None:
    """Text in a pipe or a file is UTF-8 whatever the locale, lone surrogates escaped as `assay.io.files.atomic` does; another
    terminal shows ``?`` for what it does not have. Streams that were closed get their numbers back, so that no file takes
    them: stdin is empty, stderr is heard by nobody, and stdout is a pipe that nobody reads."""
    sys.stdin = sys.stdin or open(os.devnull)  # noqa: SIM115
    sys.stdout = sys.stdout or _unread()
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            if stream.isatty() and codecs.lookup(stream.encoding).name != "utf-8":
                stream.reconfigure(errors="replace")
            else:
                stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _unread() -> io.TextIOWrapper:
    """Standard output where it was closed: whoever writes to it ends as with any reader that went away."""
    reading, writing = os.pipe()
    os.dup2(writing, 1)  # 1 is the reading end itself, or a number that is free
    for end in {reading, writing} - {1}:
        os.close(end)
    return open(1, "w", closefd=False)


def _run(arguments: list[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        sys.stdout.write(
            HEAD + "verbs:\n" + "".join(f"  {verb:<12}{line}\n" for verb, line in VERBS.items()) + EXAMPLES
        )
        sys.stdout.flush()
        return 0 if arguments else 2
    if arguments[0] in ("-V", "--version"):
        sys.stdout.write(f"assay {__version__}\n")
        return 0
    verb = arguments[0]
    if verb not in VERBS:
        from assay.core.errors import unknown

        raise unknown("verb", verb, VERBS, "assay --help")
    import gc
    import importlib

    from assay.cli.config import Config, config_for
    from assay.cli.formats import settle_format
    from assay.cli.options import llm_settings, parser_for
    from assay.cli.overwriting import refuse_overwriting
    from assay.cli.progress import Slow
    from assay.core.context import listen_to_progress, use_command_line

    gc.set_threshold(
        20_000, 10, 10
    )  # a set of 30,000 items is looked through 45 times less often: a tenth of its reading
    module = importlib.import_module(f"assay.cli.{verb}")
    parser = parser_for(verb, module)
    config = Config() if "--no-config" in arguments else config_for(verb, parser)
    config.prepare(parser)
    parsed = parser.parse_args([word for word in arguments[1:] if word != "--no-config"])
    config.fill(parsed)
    refuse_overwriting(parsed)
    settle_format(parsed, module)
    shown = config.used if getattr(parsed, "verbose", False) else config.decisive
    if shown:
        from assay.cli.output import note

        note(f"{config.path} sets {', '.join(shown)}")
    slow = Slow(quiet=getattr(parsed, "quiet", False))
    settings = llm_settings(parsed)
    try:
        with listen_to_progress(slow), use_command_line(arguments), _asking(settings) if settings else nullcontext():
            return int(module.run(parsed))
    finally:
        slow.close()


def _asking(settings: dict[str, Any]) -> AbstractContextManager[object]:
    from assay.verbs.llm import llm

    return llm(**settings)


def _guarded(arguments: list[str], debug: bool) -> int:
    """Run; whatever goes wrong becomes one line and an exit code."""
    try:
        code = _run(arguments)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        return _say("stopped.", 130)
    except BrokenPipeError:
        # The reader went away (assay … | head): silence, and the exit code that shells expect of SIGPIPE.
        from assay.report.writing import silence

        silence(sys.stdout)
        return 141
    except Exception as error:
        if debug:
            raise
        return _explained(error)


def _explained(error: Exception) -> int:
    from assay.core.errors import AssayError

    if isinstance(error, AssayError):
        return _say(str(error), error.exit_code)
    if isinstance(error, OSError):
        about = f" ({error.filename})" if error.filename else ""
        return _say(f"cannot go on: {error.strerror or error}{about}.", 2)
    if isinstance(error, MemoryError):
        return _say("out of memory. Try fewer --workers, or split the input.", 3)
    from assay.core.error_attribution import describe, third_party_location

    if where := third_party_location(error):
        return _say(f"{where} failed: {describe(error)}. The same command with --debug shows the way there.", 2)
    return _say(
        f"this is a bug in assay ({describe(error)}). The same command with --debug shows where; please report it.", 3
    )


def _say(sentence: str, code: int) -> int:
    from assay.report.text import visible
    from assay.report.writing import say

    say(f"assay: {visible(' '.join(sentence.split()))}\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
