"""Argument parser of a verb: short and full help, modes such as ``decide fit``, and suggestions for unknown options."""

from __future__ import annotations

import argparse
import inspect
import itertools
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from types import ModuleType
from typing import Any, NoReturn

from assay.core.errors import AssayError, InputError, unknown

OTHER_TOOLS = {
    "-i": "pass the translations as arguments or with --mt, the references with --ref",
    "--input": "pass the translations as arguments or with --mt, the references with --ref",
    "-tok": "set the tokenizer as an option of the metric: -m bleu:tokenize=zh",
    "--tokenize": "set the tokenizer as an option of the metric: -m bleu:tokenize=zh",
    "-lc": "set lowercasing as an option of the metric: -m bleu:lowercase=yes",
    "--gpus": "assay uses the available GPUs by default",
    "--model": "name the metric with -m",
}
"""Options of sacrebleu and COMET, with the equivalent in assay."""
LAST = ("output", "statistics", "corpora", "LLM judges")
"""Groups at the end of the full help, in this order."""
MOST_COLUMNS = 100
"""Width of help on wider terminals."""


class Help:
    """Help for a command: one sentence, two examples that run as pasted, and paragraphs for the full help."""

    def __init__(self, text: str, usual: str = "") -> None:
        self.summary, self.examples, *more = inspect.cleandoc(text).split("\n\n")
        self.details = "\n\n".join(more)
        self.usual = usual.split()
        """Names of the arguments in the short help, in this order; if empty, the short help is the full help."""


class Parser(argparse.ArgumentParser):
    """An argparse parser with short and full help, which reports errors on one line with a suggestion."""

    def __init__(self, prog: str, *, text: Help, **settings: Any) -> None:
        settings |= {
            "description": text.summary,
            "formatter_class": Formatter,
            "allow_abbrev": False,
            "add_help": False,
        }
        super().__init__(prog, **settings)
        self.text = text
        self.modes: dict[str, Parser] = {}
        """The parsers of ``assay VERB MODE``; empty for a verb without modes."""
        self.siblings: dict[str, Parser] = {}
        """If this is the parser of a mode, the parsers of all modes of its verb."""
        self._positionals.title = "arguments"
        self.add_argument("-h", "--help", action="help", help="show help")
        self.add_argument("--help-all", action="store_true", help="show every option, in groups")
        self.add_argument("--debug", action="store_true", help="print a traceback if an error occurs")

    def section(self, title: str, description: str | None = None) -> argparse._ArgumentGroup:
        """Return the group of options with this title; create it on first use."""
        for group in self._action_groups:
            if group.title == title:
                return group
        return self.add_argument_group(title, description)

    def add_mode(
        self, name: str, text: Help, add_arguments: Callable[[Parser], None], aliases: tuple[str, ...] = ()
    ) -> None:
        """Add ``assay VERB name`` with separate arguments."""
        if self._subparsers is None:
            self.add_subparsers(prog=self.prog, dest="action", title="modes", metavar="MODE", parser_class=Parser)
        choices: Any = self._subparsers._group_actions[0] if self._subparsers else None
        mode: Parser = choices.add_parser(name, help=text.summary, text=text)
        add_arguments(mode)
        mode.siblings = self.modes
        self.modes |= dict.fromkeys((name, *aliases), mode)

    def leaves(self) -> list[Parser]:
        """Return the parsers that accept options: the modes' parsers, or this one."""
        return list(dict.fromkeys(self.modes.values())) or [self]

    def commands(self) -> list[Parser]:
        """Return this parser and those of its modes."""
        return list(dict.fromkeys([self, *self.modes.values()]))

    def options(self) -> dict[str, argparse.Action]:
        """Return every option string of the verb and its modes, with its action."""
        return {option: action for leaf in self.leaves() for option, action in leaf._option_string_actions.items()}

    def format_usage(self) -> str:
        """Return the usage line."""
        words = (
            ["|".join(mode.prog.split()[-1] for mode in self.leaves())]
            if self.modes
            else filter(None, map(_usage_word, self._actions))
        )
        return f"usage: {' '.join([self.prog, *words])} [options]\n"

    def format_help(self) -> str:
        """Return the short help: summary, examples and the usual options."""
        if self._subparsers is not None:
            modes: Any = self._subparsers._group_actions[0]
            return self._help([("modes", None, modes._choices_actions)], "")
        if not self.text.usual:
            return self.format_full_help()
        actions = {action.dest: action for action in reversed(self._actions)}
        chosen = [actions[name] for name in self.text.usual]
        return self._help([("options", None, chosen)], f"All options, in groups: {self.prog} --help-all")

    def format_full_help(self) -> str:
        """Return the full help: every option in its group, and explanations."""
        if self.modes:
            return self.format_help()
        ordered = sorted(self._action_groups, key=lambda group: LAST.index(group.title) if group.title in LAST else -1)
        groups = [(group.title, group.description, group._group_actions) for group in ordered]
        return self._help(groups, filled(self.text.details))

    def _help(self, groups: Iterable[tuple[str | None, str | None, list[argparse.Action]]], end: str) -> str:
        formatter = self._get_formatter()
        formatter.add_text(self.format_usage().rstrip())
        formatter.add_text(filled(self.text.summary))
        formatter.add_text(f"examples:\n{textwrap.indent(self.text.examples, '  ')}")
        for title, description, actions in groups:
            formatter.start_section(title)
            formatter.add_text(description)
            formatter.add_arguments(actions)
            formatter.end_section()
        formatter.add_text(end or None)
        modes = [f"{mode.prog} --help" for mode in self.leaves() if self.modes]
        formatter.add_text(filled(f"More: {', '.join([*modes, f'docs/{self.prog.split()[1]}.md'])}"))
        return formatter.format_help()

    def error(self, message: str) -> NoReturn:
        """Raise the message instead of printing the usage."""
        raise InputError(f"{message} ({self.prog} --help)")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Suggest the nearest choices for a value that is not one of them."""
        if action.choices is not None and value not in action.choices:
            kind = (
                action.option_strings[-1].lstrip("-")
                if action.option_strings
                else str(action.metavar or action.dest).lower()
            )
            raise unknown(kind, value, map(str, action.choices), f"{self.prog} --help")

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse a command line; suggest the nearest option for an unknown one."""
        words = list(args or ())
        if self.modes:
            return self._parse_mode(words, namespace)
        self._print_wanted_help(words)
        for word in words:
            if word in OTHER_TOOLS and word not in self._option_string_actions:
                raise InputError(f"{self.prog} has no option {word}: {OTHER_TOOLS[word]} ({self.prog} --help).")
        many = any(action.nargs == "*" and not action.option_strings for action in self._actions)
        parse = self.parse_known_intermixed_args if many else self.parse_known_args
        parsed, extra = parse(words, namespace)
        if extra:
            raise self._unexpected(extra[0])
        return parsed

    def _parse_mode(self, words: list[str], namespace: Any) -> Any:
        """Parse a command line of a verb with modes; options may precede the mode."""
        position = next((i for i, word in enumerate(words) if word in self.modes), None)
        if position is None:
            self._print_wanted_help(words)
            if words and not words[0].startswith("-"):
                raise unknown("mode", words[0], self.modes, f"{self.prog} --help")
            raise InputError(
                f"{self.prog} requires a mode: {' or '.join(leaf.prog.split()[-1] for leaf in self.leaves())} ({self.prog} --help)."
            )
        mode = words.pop(position)
        parsed = self.modes[mode].parse_args(words, namespace)
        parsed.action = mode
        return parsed

    def _print_wanted_help(self, words: list[str]) -> None:
        """Print help and exit if the command line asks for it; argparse would do so in the middle of parsing."""
        if {"-h", "--help", "--help-all"} & {*words}:
            self._print_message(self.format_full_help() if "--help-all" in words else self.format_help(), sys.stdout)
            self.exit()

    def _unexpected(self, word: str) -> AssayError:
        """Return the error for a word that is not an argument of this command."""
        if not word.startswith("-"):
            return InputError(f"{self.prog} takes no argument {word!r} ({self.prog} --help).")
        option = word.partition("=")[0]
        for sibling in self.siblings.values():
            if option in sibling._option_string_actions:
                return InputError(f"{option} is an option of {sibling.prog}, not of {self.prog}.")
        long = [name for name in self._option_string_actions if name.startswith("--")]
        return unknown("option", option, long, f"{self.prog} --help")


class Formatter(argparse.RawDescriptionHelpFormatter):
    """Help with ``-m, --metric METRIC`` on one line, at most `MOST_COLUMNS` wide."""

    def __init__(self, prog: str, **settings: Any) -> None:
        super().__init__(prog, **({"max_help_position": 27, "width": _width()} | settings))

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings:
            return super()._format_action_invocation(action)
        names = ", ".join(action.option_strings)
        return names if action.nargs == 0 else f"{names} {self._format_args(action, action.dest.upper())}"

    def _split_lines(self, text: str, width: int) -> list[str]:
        return textwrap.wrap(" ".join(text.split()), width, break_on_hyphens=False)

    def _format_args(self, action: argparse.Action, default_metavar: str) -> str:
        (metavar,) = self._metavar_formatter(action, default_metavar)(1)
        return f"{metavar} ..." if action.nargs in ("+", "*") else metavar


def parser_for(verb: str, module: ModuleType) -> Parser:
    """Return the parser of a verb, declared by its module."""
    parser = Parser(f"assay {verb}", text=module.HELP)
    declare(parser, module)
    for command in parser.commands():
        command.set_defaults(verb=verb)
    return parser


def declare(parser: Parser, module: ModuleType) -> None:
    """Add the arguments that a verb's module declares in `add_arguments` or, for modes, in `MODES`."""
    if not hasattr(module, "MODES"):
        module.add_arguments(parser)
        return
    for name, (text, add_arguments, *aliases) in module.MODES.items():
        parser.add_mode(name, text, add_arguments, tuple(aliases))


def _usage_word(action: argparse.Action) -> str:
    """Return a positional or required argument as shown in the usage line; nothing for other options."""
    name = str(action.metavar or "|".join(map(str, action.choices or ())) or action.dest)
    if action.option_strings:
        return f"{action.option_strings[-1]} {name}" if action.required else ""
    return {"?": f"[{name}]", "*": f"[{name} ...]", "+": f"{name} ..."}.get(str(action.nargs), name)


def filled(text: str) -> str:
    """Wrap paragraphs to the width of the terminal; indented lines stay unchanged."""
    return "\n".join(_filled_lines(text))


def _filled_lines(text: str) -> Iterator[str]:
    for verbatim, group in itertools.groupby(text.splitlines(), key=lambda line: not line or line.startswith(" ")):
        lines = list(group)
        yield from lines if verbatim else textwrap.wrap(" ".join(lines), _width(), break_on_hyphens=False)


def _width() -> int:
    return min(shutil.get_terminal_size().columns, MOST_COLUMNS) - 2
