"""Defaults from a file: ``assay.toml``, or ``[tool.assay]`` of ``pyproject.toml``, in the working folder.

Keys at the top are for every verb that has such an option, those in a table of a verb's name for that verb alone; what is typed
wins. The file may have come with a folder from anybody: it says how numbers are made and shown, never what is run or written
(`ALLOWED`), and the metrics that it names are registered ones.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

from assay.cli.formats import SUFFIXES
from assay.cli.main import VERBS
from assay.cli.options import parser_for
from assay.core.errors import InputError, unknown

ALLOWED = (
    "metric", "format", "quiet", "workers", "seed", "samples", "trials", "langpair", "src", "ref", "columns", "quoting", "data-dir",
    "baseline", "ci", "signatures", "short", "width", "spreadsheet-safe", "correction", "figures", "subsample", "skip-bad", "all",
    "significance", "draws", "confidence", "langs", "table", "verify", "verbose", "llm", "price", "max-cost", "max-requests", "rpm",
    "concurrency",
)  # fmt: skip
"""Options that may stand in the file, by their long names."""
DECISIVE = (
    "metric",
    "langpair",
    "src",
    "ref",
    "columns",
    "quoting",
    "data-dir",
    "baseline",
    "llm",
    "price",
    "langs",
    "subsample",
)
"""Options that choose texts, columns, metrics or an endpoint."""
PLACES = ("src", "ref")
"""Options that name inputs: a file names those of its own folder only."""
WRITTEN = {"fetch": "data-dir"}
"""Options that say where a verb writes."""
MOST_BYTES = 1 << 20


@dataclass
class Config:
    """What the file says for one verb: option to value, ready for argparse's namespace."""

    path: str = ""
    verb: str = ""
    values: dict[str, Any] = field(default_factory=dict)
    """By the name in argparse's namespace."""
    names: dict[str, str] = field(default_factory=dict)
    """That name to the option's."""
    used: list[str] = field(default_factory=list)
    """Options whose value came from the file, as a person writes them."""

    @property
    def decisive(self) -> list[str]:
        """The used options that choose what is scored, and with what: they are reported without --verbose."""
        return [line for line in self.used if line.split(" = ")[0] in DECISIVE]

    def prepare(self, parser: argparse.ArgumentParser) -> None:
        """Take away the defaults of the options that the file speaks of, so that what is typed can be told from them."""
        for action in parser._actions:
            if action.dest in self.values:
                action.default, action.required = None, False

    def fill(self, args: argparse.Namespace) -> None:
        """Put in what was not typed. A suffix of --out that chooses a format is typed, too."""
        typed_format = PurePath(getattr(args, "out", None) or "").suffix.lower() in SUFFIXES
        for dest, value in self.values.items():
            if getattr(args, dest, None) is None and not (dest == "format" and typed_format):
                self._check(self.names[dest].replace("_", "-"), value, args)
                setattr(args, dest, value)
                self.used.append(f"{self.names[dest]} = {_shown(value)}")

    def _check(self, name: str, value: Any, args: argparse.Namespace) -> None:
        """Refuse a value that would read or write outside the folder, or weaken a budget that was typed."""
        if name == WRITTEN.get(self.verb):
            raise InputError(
                f"{self.path} sets {name}, where assay {self.verb} writes: a file must not decide that. Type --{name} {value}, or "
                "--no-config."
            )
        if name == "price" and "max_cost" not in self.values and getattr(args, "max_cost", None) is not None:
            raise InputError(
                f"{self.path} sets the price that --max-cost goes by: a file must not weaken a budget. Type --price IN,OUT, too."
            )
        if name in PLACES:
            for given in value if isinstance(value, list) else [value]:
                if not Path(given).expanduser().resolve().is_relative_to(Path.cwd().resolve()):
                    raise InputError(
                        f"{self.path} sets {name} = {given}, which lies outside this folder: type --{name} {given}, or --no-config."
                    )


def config_for(verb: str, parser: argparse.ArgumentParser) -> Config:
    """The defaults that the working folder has for a verb; empty where it has none."""
    found = _section()
    if found is None:
        return Config()
    path, section = found

    for key, value in section.items():
        if isinstance(value, dict) and key not in VERBS:
            raise unknown(f"verb in {path}", key, VERBS, "docs/config.md")
        if isinstance(value, dict):
            for inner in value:
                _permitted(path, f"{key}.", inner)
        else:
            _permitted(path, "", key)
    own = section.get(verb, {})
    options = {
        option[2:]: action for action in parser._actions for option in action.option_strings if option[:2] == "--"
    }
    for key in own:
        if _name(key) not in options:
            raise unknown(f"option of assay {verb}", key, [name for name in ALLOWED if name in options], f"in {path}")
    merged = {
        _name(key): value for key, value in section.items() if not isinstance(value, dict) and _name(key) in options
    }
    merged |= {_name(key): value for key, value in own.items()}
    values = {options[key].dest: _value(options[key], value, path, key) for key, value in merged.items()}
    return Config(path, verb, values, {options[key].dest: key for key in merged})


def _shown(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def _section() -> tuple[str, dict[str, Any]] | None:
    """The file and what it says: assay.toml whole, else the table of pyproject.toml."""
    import tomllib

    for name, keys in (("assay.toml", ()), ("pyproject.toml", ("tool", "assay"))):
        path = Path(name)
        if not path.is_file():
            continue
        if path.stat().st_size > MOST_BYTES:
            raise InputError(f"{name} has more than {MOST_BYTES >> 20} MB: that is no configuration.")
        try:
            section: Any = tomllib.loads(path.read_text(encoding="utf-8"))
        except (ValueError, RecursionError, OSError) as error:
            if keys:  # somebody else's file, which need not concern us
                continue
            raise InputError(f"{name} is not TOML: {' '.join(str(error).split()).rstrip('.')}.") from error
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

    every = (parser_for(verb, importlib.import_module(f"assay.cli.{verb}"))._option_string_actions for verb in VERBS)
    if any(f"--{_name(key)}" in options for options in every):
        raise InputError(
            f"{path}: {table}{key} is said on the command line alone: a file must not decide what is run or written."
        )
    raise unknown("option", f"{table}{key}", ALLOWED, f"in {path}, docs/config.md")


def _value(action: argparse.Action, value: Any, path: str, key: str) -> Any:
    """A value as argparse would have made it of the words."""
    several = isinstance(action.nargs, str) or type(action).__name__ in ("_AppendAction", "_ExtendAction", "Specs")
    if action.nargs == 0:
        if not isinstance(value, bool):
            raise InputError(f"{path}: {key} is true or false.")
        return value
    if several:
        given = value if isinstance(value, list) else [value]
        made = [_one(action, one, path, key) for one in given]
        return [_admitted(one, path) if key == "metric" else one for one in made]
    if isinstance(value, list):
        raise InputError(f"{path}: {key} takes one value, not a list.")
    made = _one(action, value, path, key)
    return _admitted(made, path) if key == "metric" else made


def _one(action: argparse.Action, value: Any, path: str, key: str) -> Any:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise InputError(f"{path}: {key} takes a text or a number.")
    convert: Any = action.type or str
    try:
        made = convert(str(value))
    except (argparse.ArgumentTypeError, ValueError, TypeError) as error:
        raise InputError(f"{path}: {key}: {error}.") from error
    if action.choices is not None and made not in action.choices:
        raise unknown(f"{key} in {path}", str(made), map(str, action.choices))
    return made


def _admitted(spec: str, path: str) -> str:
    from assay.verbs.list import is_admitted

    if not is_admitted(spec, path):
        why = "a file names registered ones, without paths, that ask no service"
        raise InputError(f"{path}: the metric {spec!r} is said on the command line alone (-m): {why}.")
    return spec
