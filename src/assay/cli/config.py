"""Defaults of options from ``assay.toml``, or from ``[tool.assay]`` in ``pyproject.toml``, in the working directory.

Top-level keys apply to every verb with such an option; a table named after a verb applies to that verb. Options on the command line
override the file. The file may come from a third party. It can therefore set only how numbers are computed and shown, never
what is run or written (`ALLOWED`), and can name only registered metrics.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

from assay.cli import VERBS
from assay.cli.formats import SUFFIXES
from assay.cli.parser import Parser, parser_for
from assay.core.errors import InputError, unknown

ALLOWED = (
    "metric", "format", "quiet", "workers", "seed", "samples", "trials", "langpair", "src", "ref", "columns", "quoting", "data-dir",
    "baseline", "ci", "signatures", "short", "width", "spreadsheet-safe", "correction", "figures", "subsample", "skip-bad", "all",
    "significance", "draws", "confidence", "langs", "table", "verify", "verbose", "llm", "price", "max-cost", "max-requests", "rpm",
    "concurrency",
)  # fmt: skip
"""Long names of the options that the file can set."""
DECISIVE = (
    "metric", "langpair", "src", "ref", "columns", "quoting", "data-dir", "baseline", "llm", "price", "langs", "subsample",
)  # fmt: skip
"""Options that select texts, columns, metrics or an endpoint."""
INPUTS = ("src", "ref")
"""Options that name inputs; the file can name inputs in its own folder only."""
WRITTEN = {"fetch": "data-dir"}
"""Options that set where a verb writes."""
MOST_BYTES = 1 << 20


@dataclass
class Config:
    """Options of one verb that the file sets, converted for argparse's namespace."""

    path: str = ""
    verb: str = ""
    values: dict[str, Any] = field(default_factory=dict)
    """Values by name in the namespace."""
    names: dict[str, str] = field(default_factory=dict)
    """Keys of the file by name in the namespace."""
    used: list[str] = field(default_factory=list)
    """Options whose value came from the file, as ``key = value``."""

    @property
    def decisive(self) -> list[str]:
        """The options in effect that affect scoring; they are reported even without --verbose."""
        return [line for line in self.used if line.split(" = ")[0] in DECISIVE]

    def prepare(self, parser: Parser) -> None:
        """Remove the defaults of options that the file sets, to recognize those that the command line sets."""
        for action in parser.options().values():
            if action.dest in self.values:
                action.default, action.required = None, False

    def fill(self, args: argparse.Namespace) -> None:
        """Set the options that are not on the command line. A suffix of --out counts as a format on the command line."""
        typed_format = PurePath(getattr(args, "out", None) or "").suffix.lower() in SUFFIXES
        for dest, value in self.values.items():
            if getattr(args, dest, "") is None and not (dest == "format" and typed_format):
                self._check(self.names[dest].replace("_", "-"), value, args)
                setattr(args, dest, value)
                self.used.append(f"{self.names[dest]} = {_shown(value)}")

    def _check(self, name: str, value: Any, args: argparse.Namespace) -> None:
        """Reject a value that reads or writes outside the folder, or weakens a budget set on the command line."""
        if name == WRITTEN.get(self.verb):
            raise InputError(
                f"{self.path} sets {name}, where assay {self.verb} writes; only the command line can set it. "
                f"Add --{name} {value}, or --no-config."
            )
        if name == "price" and "max_cost" not in self.values and getattr(args, "max_cost", None) is not None:
            raise InputError(
                f"{self.path} sets the price used for --max-cost, which could weaken the budget. Add --price IN,OUT."
            )
        if name in INPUTS:
            for path in value if isinstance(value, list) else [value]:
                if not Path(path).expanduser().resolve().is_relative_to(Path.cwd().resolve()):
                    raise InputError(
                        f"{self.path} sets {name} = {path}, which is outside this folder. Add --{name} {path}, or --no-config."
                    )


def config_for(verb: str, parser: Parser) -> Config:
    """Return a verb's defaults in the working directory; empty if there is no file."""
    if (file := _section()) is None:
        return Config()
    path, section = file

    for key, value in section.items():
        if isinstance(value, dict) and key not in VERBS:
            raise unknown(f"verb in {path}", key, VERBS, "docs/config.md")
        if isinstance(value, dict):
            for inner in value:
                _permitted(path, f"{key}.", inner)
        else:
            _permitted(path, "", key)
    for_verb = section.get(verb, {})
    options = {option[2:]: action for option, action in parser.options().items() if option.startswith("--")}
    for key in for_verb:
        if _name(key) not in options:
            raise unknown(f"option of assay {verb}", key, [name for name in ALLOWED if name in options], f"in {path}")
    merged = {
        _name(key): value for key, value in section.items() if not isinstance(value, dict) and _name(key) in options
    }
    merged |= {_name(key): value for key, value in for_verb.items()}
    values = {options[key].dest: _value(options[key], value, path, key) for key, value in merged.items()}
    return Config(path, verb, values, {options[key].dest: key for key in merged})


def _shown(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def _section() -> tuple[str, dict[str, Any]] | None:
    """Return the name of the file and its settings: all of assay.toml, or the table in pyproject.toml."""
    import tomllib

    for name, keys in (("assay.toml", ()), ("pyproject.toml", ("tool", "assay"))):
        path = Path(name)
        if not path.is_file():
            continue
        if path.stat().st_size > MOST_BYTES:
            raise InputError(f"{name} is larger than {MOST_BYTES >> 20} MB, the maximum size of a configuration file.")
        try:
            section: Any = tomllib.loads(path.read_text(encoding="utf-8"))
        except (ValueError, RecursionError, OSError) as error:
            if keys:  # other tools report errors in pyproject.toml
                continue
            raise InputError(f"{name} is not valid TOML: {' '.join(str(error).split()).rstrip('.')}.") from error
        for key in keys:
            section = section.get(key) if isinstance(section, dict) else None
        if isinstance(section, dict):
            return name, section
    return None


def _name(key: str) -> str:
    return key.replace("_", "-")


def _permitted(path: str, table: str, key: str) -> None:
    if _name(key) in ALLOWED:
        return
    import importlib

    every = (parser_for(verb, importlib.import_module(f"assay.cli.{verb}")).options() for verb in VERBS)
    if any(f"--{_name(key)}" in options for options in every):
        raise InputError(
            f"{path}: only the command line can set {table}{key}, because it decides what is run or written."
        )
    raise unknown("option", f"{table}{key}", ALLOWED, f"in {path}, docs/config.md")


def _value(action: argparse.Action, value: Any, path: str, key: str) -> Any:
    """Convert a value in the same way as argparse converts command-line arguments."""
    several = isinstance(action.nargs, str) or type(action).__name__ in ("_AppendAction", "_ExtendAction", "Specs")
    if action.nargs == 0:
        if not isinstance(value, bool):
            raise InputError(f"{path}: {key} must be true or false.")
        return value
    if several:
        items = [_one(action, item, path, key) for item in (value if isinstance(value, list) else [value])]
        return [_admitted(item, path) if key == "metric" else item for item in items]
    if isinstance(value, list):
        raise InputError(f"{path}: {key} must be a single value, not a list.")
    item = _one(action, value, path, key)
    return _admitted(item, path) if key == "metric" else item


def _one(action: argparse.Action, value: Any, path: str, key: str) -> Any:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise InputError(f"{path}: {key} must be a string or a number.")
    convert: Any = action.type or str
    try:
        item = convert(str(value))
    except (argparse.ArgumentTypeError, ValueError, TypeError) as error:
        raise InputError(f"{path}: {key}: {error}.") from error
    if action.choices is not None and item not in action.choices:
        raise unknown(f"{key} in {path}", str(item), map(str, action.choices))
    return item


def _admitted(spec: str, path: str) -> str:
    from assay.verbs.list import is_admitted

    if not is_admitted(spec, path):
        raise InputError(
            f"{path}: only the command line can name the metric {spec!r} (-m). A file can name registered metrics without paths "
            "and without a language model."
        )
    return spec
