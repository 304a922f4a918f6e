"""Error attribution: report an exception in third-party code with its file and line, not as a bug in assay."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType, TracebackType
from typing import Any

from assay.core.errors import AssayError, InputError

_PACKAGE = "assay"
_third_party: set[str] = set()
"""Top-level names of the modules that were imported because a spec or an entry point named them."""


def is_third_party(thing: Any) -> bool:
    """Return whether a class, a function or an object is defined outside assay."""
    return _top(_definition(thing).__module__) != _PACKAGE


def register_third_party(module: str) -> None:
    """Record that a module is imported because the user named it, so that its errors are attributed to it."""
    if _top(module) != _PACKAGE:
        _third_party.add(_top(module))


@contextmanager
def attribute_errors(thing: Any, description: str) -> Iterator[None]:
    """Turn exceptions in this block into an `InputError` that names the file and line, if `thing` is third-party.

    The message refers to it by `description`. Memory errors and assay's own errors pass unchanged.
    """
    try:
        yield
    except (AssayError, MemoryError):
        raise
    except (Exception, SystemExit) as error:
        if not is_third_party(thing):
            raise
        raise InputError(f"{description} failed at {location(thing, error)}: {describe(error)}.") from error


def location(thing: Any, error: BaseException | None = None, method: str = "") -> str:
    """Return ``FILE line N`` of the error in the file that defines `thing`, or of the first call outside assay.

    Without an error, return where `thing` (or its `method`) is defined.
    """
    code = _code(thing, method)
    calls = list(_calls(error.__traceback__)) if error is not None else []
    in_its_file = [call for call in calls if code is not None and call[0] == code.co_filename]
    outside = [call for call in calls if call[2] != _PACKAGE]
    if in_its_file or outside:
        file, line, _ = in_its_file[-1] if in_its_file else outside[0]
        return f"{file} line {line}"
    kind = _definition(thing)
    return f"{code.co_filename} line {code.co_firstlineno}" if code else f"{kind.__module__}.{kind.__qualname__}"


def third_party_location(error: BaseException) -> str:
    """Return ``FILE line N`` of the last third-party call that led to the error, or an empty text."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename} line {error.lineno}"
    calls = [f"{file} line {line}" for file, line, module in _calls(error.__traceback__) if module in _third_party]
    return calls[-1] if calls else ""


def describe(error: BaseException) -> str:
    """Return the error as ``KeyError: 'a'``, on one line and without a full stop."""
    message = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{type(error).__name__}: {message}".partition("\n")[0].rstrip(" .:")


def _calls(traceback: TracebackType | None) -> Iterator[tuple[str, int, str]]:
    """Yield the file, line and top-level module of every call, the outermost first."""
    while traceback is not None:
        frame = traceback.tb_frame
        yield frame.f_code.co_filename, traceback.tb_lineno, _top(str(frame.f_globals.get("__name__", "")))
        traceback = traceback.tb_next


def _definition(thing: Any) -> Any:
    """Return the function or class behind an object or a wrapper."""
    thing = inspect.unwrap(thing) if callable(thing) else thing
    return thing if hasattr(thing, "__qualname__") and hasattr(thing, "__module__") else type(thing)


def _code(thing: Any, method: str) -> CodeType | None:
    """Return the code of a function, or of a class's `method`, or else of the first method that the class defines itself."""
    kind = _definition(thing)
    members = [getattr(kind, method, None), *vars(kind).values()] if inspect.isclass(kind) else [kind]
    functions = (member.fget if isinstance(member, property) else member for member in members)
    codes = (getattr(inspect.unwrap(function), "__code__", None) for function in functions if callable(function))
    return next((code for code in codes if isinstance(code, CodeType)), None)


def _top(module: str) -> str:
    return module.partition(".")[0]
