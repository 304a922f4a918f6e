"""Entry point of the command line: runs one verb and reports deliberate errors on one line.

Nothing heavy is imported here, because ``assay --help`` must answer in a few hundredths of a second. A verb is a module of
this package with ``HELP``, ``add_arguments(parser)`` (or ``MODES``) and ``run(args) -> int``.
"""

from __future__ import annotations

import codecs
import io
import os
import sys
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from assay import __version__
from assay.cli import GROUPS, VERBS

HEAD = """assay judges machine translation: scores, comparisons, and where a metric is blind.

usage: assay VERB [options]        assay VERB --help        assay --version
"""
EXAMPLES = """
examples:
  assay compare -m chrf -m bleu -m ter --data demo
  assay run -m chrf -m bleu

Exit codes: 0 success, 1 check failed, 2 usage or input error, 3 internal error.
"""


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return the exit code; every error becomes one line and an exit code."""
    arguments = sys.argv[1:] if argv is None else argv
    _prepare_streams()
    debug = "--debug" in arguments
    try:
        code = _run([argument for argument in arguments if argument != "--debug"])
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        return _print_error("stopped.", 130)
    except BrokenPipeError:
        # The reader closed the pipe (assay … | head). Exit like a process that SIGPIPE ended, without a message.
        from assay.report.writing import silence

        silence(sys.stdout)
        return 141
    except Exception as error:
        if debug:
            raise
        return _report(error)


def _prepare_streams() -> None:
    """Set the encoding of the standard streams, and open closed ones.

    Pipes and files get UTF-8 in every locale, with lone surrogates escaped as in `assay.io.files.atomic`. A terminal with another
    encoding shows ``?`` for missing characters. Closed streams are opened, or a file would get their numbers: stdin is empty,
    stderr is discarded, and stdout is a pipe without a reader.
    """
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
    """Return a replacement for a closed stdout: a write fails as with any pipe whose reader is gone."""
    reading, writing = os.pipe()
    os.dup2(writing, 1)  # 1 is the reading end itself or a free descriptor
    for end in {reading, writing} - {1}:
        os.close(end)
    return open(1, "w", closefd=False)


def _group_help(heading: str) -> str:
    return f"\n{heading}\n" + "".join(f"  {verb:<12}{line}\n" for verb, line in GROUPS[heading].items())


def _run(arguments: list[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help", "--help-all", "help"):
        sys.stdout.write(HEAD + "".join(map(_group_help, GROUPS)) + EXAMPLES)
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
    from assay.cli.formats import set_format
    from assay.cli.options import llm_settings
    from assay.cli.overwriting import refuse_overwriting
    from assay.cli.parser import parser_for
    from assay.cli.progress import MetricProgress
    from assay.core.context import listen_to_progress, use_command_line

    # A set of 30,000 items is scanned 45 times less often, which saves a tenth of the time to read it.
    gc.set_threshold(20_000, 10, 10)
    module = importlib.import_module(f"assay.cli.{verb}")
    parser = parser_for(verb, module)
    config = Config() if "--no-config" in arguments else config_for(verb, parser)
    config.prepare(parser)
    parsed = parser.parse_args([word for word in arguments[1:] if word != "--no-config"])
    config.fill(parsed)
    refuse_overwriting(parsed)
    set_format(parsed, module)
    settings_used = config.used if getattr(parsed, "verbose", False) else config.decisive
    if settings_used:
        from assay.cli.output import note

        note(f"{config.path} sets {', '.join(settings_used)}")
    metric_progress = MetricProgress(quiet=getattr(parsed, "quiet", False))
    settings = llm_settings(parsed)
    try:
        with (
            listen_to_progress(metric_progress),
            use_command_line(arguments),
            _llm(settings) if settings else nullcontext(),
        ):
            return int(module.run(parsed))
    finally:
        metric_progress.close()


def _llm(settings: dict[str, Any]) -> AbstractContextManager[object]:
    from assay.verbs.llm import llm

    return llm(**settings)


def _report(error: Exception) -> int:
    from assay.core.errors import AssayError

    if isinstance(error, AssayError):
        return _print_error(str(error), error.exit_code)
    if isinstance(error, OSError):
        where = f" ({error.filename})" if error.filename else ""
        return _print_error(f"cannot continue: {error.strerror or error}{where}.", 2)
    if isinstance(error, MemoryError):
        return _print_error("out of memory. Try fewer --workers, or split the input.", 3)
    from assay.core.error_attribution import describe, third_party_location

    if where := third_party_location(error):
        return _print_error(f"{where} failed: {describe(error)}. Re-run with --debug for a traceback.", 2)
    return _print_error(
        f"this is a bug in assay ({describe(error)}). Re-run with --debug for a traceback, and please report it.", 3
    )


def _print_error(message: str, code: int) -> int:
    from assay.report.text import visible
    from assay.report.writing import write_stderr

    write_stderr(f"assay: {visible(' '.join(message.split()))}\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
