"""Whose fault an error is: what other people's code does wrong is told with its file and line, never as a bug in assay."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType, TracebackType
from typing import Any

from assay.core.errors import AssayError, InputError

_OURS = "assay"
_others: set[str] = set()
"""Top names of the modules that were imported because a spec or an entry point named them."""


def foreign(thing: Any) -> bool:
    """Whether a class, a function or an object comes from elsewhere than assay."""
    return _top(_kind(thing).__module__) != _OURS


def met(module: str) -> None:
    """A module was imported because somebody named it: what fails in it is its author's."""
    if _top(module) != _OURS:
        _others.add(_top(module))


@contextmanager
def blamed(thing: Any, what: str) -> Iterator[None]:
    """What goes wrong inside is the fault of `thing`, if that is foreign; `what` is how a message calls it.

    Memory that has run out is nobody's fault, and a deliberate error says what it has to say already.
    """
    try:
        yield
    except (AssayError, MemoryError):
        raise
    except (Exception, SystemExit) as error:
        if not foreign(thing):
            raise
        raise InputError(f"{what} failed at {place(thing, error)}: {why(error)}.") from error


def place(thing: Any, error: BaseException | None = None, method: str = "") -> str:
    """``FILE line N``: where `error` rose in the file of `thing`, or where it left ours; without one, where `thing` begins."""
    code = _code(thing, method)
    steps = list(_steps(error.__traceback__)) if error is not None else []
    home = [step for step in steps if code is not None and step[0] == code.co_filename]
    outside = [step for step in steps if step[2] != _OURS]
    if home or outside:
        file, line, _ = home[-1] if home else outside[0]
        return f"{file} line {line}"
    kind = _kind(thing)
    return f"{code.co_filename} line {code.co_firstlineno}" if code else f"{kind.__module__}.{kind.__qualname__}"


def culprit(error: BaseException) -> str:
    """``FILE line N`` of the last step that other people's code took to this error; empty where it took none."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename} line {error.lineno}"
    found = [f"{file} line {line}" for file, line, module in _steps(error.__traceback__) if module in _others]
    return found[-1] if found else ""


def why(error: BaseException) -> str:
    """``KeyError: 'a'``, on one line and without a full stop."""
    said = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{type(error).__name__}: {said}".partition("\n")[0].rstrip(" .:")


def _steps(traceback: TracebackType | None) -> Iterator[tuple[str, int, str]]:
    """The file, line and top module of every step, the outermost first."""
    while traceback is not None:
        frame = traceback.tb_frame
        yield frame.f_code.co_filename, traceback.tb_lineno, _top(str(frame.f_globals.get("__name__", "")))
        traceback = traceback.tb_next


def _kind(thing: Any) -> Any:
    thing = inspect.unwrap(thing) if callable(thing) else thing
    return thing if hasattr(thing, "__qualname__") and hasattr(thing, "__module__") else type(thing)


def _code(thing: Any, method: str) -> CodeType | None:
    """The code of a function, or of a class's `method` and else of the first that it defines itself."""
    kind = _kind(thing)
    own = [getattr(kind, method, None), *vars(kind).values()] if inspect.isclass(kind) else [kind]
    plain = (one.fget if isinstance(one, property) else one for one in own)
    codes = (getattr(inspect.unwrap(one), "__code__", None) for one in plain if callable(one))
    return next((code for code in codes if isinstance(code, CodeType)), None)


def _top(module: str) -> str:
    return module.partition(".")[0]
