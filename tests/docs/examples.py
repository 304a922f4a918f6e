"""Runner of the examples of a page, in this process and in the order of the page."""

from __future__ import annotations

import ast
import difflib
import importlib
import inspect
import io
import json
import os
import re
import shlex
import subprocess
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import yaml

import assay
from assay.cli.main import VERBS, main
from assay.cli.parser import Parser, parser_for

ROOT = Path(__file__).resolve().parents[2]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
FENCE = re.compile(r'\s*```(\w*)(?:.*\btitle="([^"]+)")?')
COMMAND = re.compile(r"(\$ )?(assay|cat|pip|make|docker|export|ray) ")
WRITES = {"-o", "--out", "--run-dir", "--summary", "--export", "--example"}
READERS: dict[str, Callable[[str], object]] = {"toml": tomllib.loads, "yaml": yaml.safe_load, "json": json.loads}
SEEN: dict[str, tuple[int, str, str]] = {}
"""Results of commands that neither read nor write a page's files: each runs once for all pages."""


class Failed(Exception):
    """An example that does not do what the page says."""


@dataclass
class Block:
    """A fenced or indented block; `follows` if only blank lines separate it from the block before."""

    line: int
    lines: list[str]
    language: str = ""
    title: str = ""
    follows: bool = False
    fenced: bool = True

    @property
    def text(self) -> str:
        return "\n".join(self.lines) + "\n"


@dataclass
class Command:
    """A command line, and its output on the page."""

    line: int
    text: str
    output: list[str] = field(default_factory=list)


def blocks(text: str) -> Iterator[Block]:
    block, follows = None, False
    for number, line in enumerate([*text.splitlines(), "end"], 1):
        fence = FENCE.match(line)
        if block and (not fence if block.fenced else not line.strip() or line.startswith("    ")):
            block.lines.append(line if block.fenced else line[4:])
            continue
        if block:
            yield block
        before, block = block, None
        if fence and not (before and before.fenced):
            block = Block(number + 1, [], fence[1], fence[2] or "", follows or bool(before))
        elif line.startswith("    ") and not fence:
            block = Block(number, [line[4:]], follows=follows, fenced=False)
        else:
            follows = bool(fence) or (follows and not line.strip())


def commands(block: Block) -> list[Command]:
    """Return commands with their output; without a prompt ($), every line is a command."""
    found: list[Command] = []
    prompts = any(line.startswith("$ ") for line in block.lines)
    for number, line in enumerate(block.lines, block.line):
        if found and found[-1].text.endswith("\\"):
            found[-1].text = found[-1].text[:-1] + line.strip()
        elif line.startswith("$ ") or (line.strip() and not prompts):
            found.append(Command(number, line.removeprefix("$ ")))
        elif found and line.strip():
            found[-1].output.append(line)
    return found


def split(words: list[str], operator: str) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for word in words:
        parts[-1].append(word) if word != operator else parts.append([])
    return parts


def words_of(command: str) -> list[str]:
    """Return words and operators of a command line, without its comment."""
    words = shlex.shlex(command, posix=True, punctuation_chars="|&>")
    words.whitespace_split = True
    return list(words)


def parser(verb: str) -> Parser:
    if verb not in VERBS:
        raise Failed(f"there is no verb {verb!r}")
    return parser_for(verb, importlib.import_module(f"assay.cli.{verb}"))


def check_command(command: str, mention: bool = False) -> None:
    """Parse every ``assay …`` of a line; a mention in running text, or a line with an …, may be incomplete."""
    for part in split(words_of(command), "&&"):
        words = split(split(part, "|")[-1], ">")[0]
        if words[0] == "make" and not re.search(rf"^{words[1]}:", MAKEFILE, re.MULTILINE):
            raise Failed(f"the Makefile has no target {words[1]}")
        verb, *rest = [*words[words.index("assay") + 1 :], ""] if "assay" in words else [""]
        if not verb or verb.startswith("-"):
            continue
        reader, rest = parser(verb), rest[:-1]
        if unknown := [
            word for word in rest if re.match("-+[a-z]", word) and word.partition("=")[0] not in reader.options()
        ]:
            raise Failed(f"assay {verb} has no option {unknown[0]}")
        if "…" in rest or "-h" in rest or "--help" in rest or (mention and not rest):
            continue
        try:
            reader.parse_args(rest)
        except assay.InputError as error:
            if not (mention and re.search("are required|expected", str(error))):
                raise


class Terminal(io.TextIOWrapper):
    """Standard output that is a terminal of 80 columns, as in the outputs on pages."""

    def isatty(self) -> bool:
        return True


def captured(call: Callable[[], Any], kind: type[io.TextIOWrapper] = io.TextIOWrapper) -> tuple[Any, str, str]:
    """Return the value of a call and its output on both streams."""
    out, err = kind(io.BytesIO(), encoding="utf-8"), io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with redirect_stdout(out), redirect_stderr(err):
        value = call()
    for stream in (out, err):
        stream.seek(0)
    return value, out.read(), err.read()


@contextmanager
def standard_input(text: str) -> Iterator[None]:
    with TemporaryFile() as file:
        file.write(text.encode())
        file.seek(0)
        before = os.dup(0)
        os.dup2(file.fileno(), 0)
        try:
            yield
        finally:
            os.dup2(before, 0)
            os.close(before)


def run_words(words: list[str], text: str, kind: type[io.TextIOWrapper]) -> tuple[int, str, str]:
    key = f"{kind.__name__} {shlex.join(words)}"
    files = text or any(word in WRITES or Path(word.partition("=")[2] or word).exists() for word in words)
    if files or key not in SEEN:
        with standard_input(text):
            SEEN[key] = captured(lambda: main(words[1:]), kind)
    return SEEN[key]


def check_output(shown: list[str], out: str) -> None:
    """Check that the output contains the lines of a page in their order, ignoring whitespace."""
    came = [" ".join(line.split()) for line in out.splitlines()]
    rest = iter(came)
    for line in (" ".join(line.split()) for line in shown):
        if line and line != "…" and line not in rest:
            nearest = difflib.get_close_matches(line, came, 1, 0) or ["nothing"]
            raise Failed(f"the page shows {line!r}\n    and what came is {nearest[0]!r}")


def check_python(statement: ast.AST, bind: bool) -> None:
    """Check that names below `assay` exist after ``import assay``, and that calls that are not run accept their arguments."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "assay" and node.attr not in assay.__all__:
            raise Failed(f"assay.{node.attr} is not there after import assay")
        if bind and isinstance(node, ast.Call) and ast.unparse(node.func).startswith("assay."):
            called = eval(ast.unparse(node.func), {"assay": assay})
            inspect.signature(called).bind(*node.args, **{key.arg: 0 for key in node.keywords if key.arg})


@dataclass
class Page:
    """A page whose examples run in the working folder; `problems` is the report."""

    name: str
    not_run: Mapping[str, str]
    """Reason why an example does not run here, with the pattern that matches it; it is only parsed."""
    changes: Mapping[str, str | Callable[[], None]]
    """Pattern of a command, with a replacement or a function to call first."""
    names: dict[str, Any]
    problems: list[str] = field(default_factory=list)
    out: str | None = None

    def run(self, text: str) -> None:
        """Write the files of the page, then run its examples in order."""
        found = list(blocks(text))
        for block in found:
            if block.title:
                Path(block.title).write_text(block.text, encoding="utf-8")
        for block in found:
            shell = block.language in ("", "text", "console", "bash", "sh") and COMMAND.match(block.text)
            before, self.out = self.out, None
            if block.follows and before is not None and block.language in ("", "text") and not shell:
                self.attempt(block.line, "output", check_output, block.lines, before)
            elif shell:
                for command in commands(block):
                    self.attempt(command.line, command.text, self.command, command)
            elif block.language == "python" and not block.title:
                self.python(block)
            else:
                self.attempt(block.line, f"{block.language} block", self.read, block)

    def attempt(self, line: int, example: str, call: Callable[..., object], *arguments: object) -> None:
        """Call, and add any error to the report."""
        try:
            call(*arguments)
        except (Exception, SystemExit) as error:
            kind = "" if isinstance(error, Failed) else f"{type(error).__name__}: "
            self.problems.append(f"{self.name}:{line}: {example.strip()}\n    {kind}{error}")

    def runs(self, example: str) -> bool:
        return not any(re.search(pattern, example) for pattern in self.not_run.values())

    def read(self, block: Block) -> None:
        """Check that a block that is neither run nor output can be parsed, and its commands too."""
        READERS.get(block.language, str)(block.text)
        if block.language == "python":
            compile(block.text, block.title, "exec")
        if (
            block.language == "bash"
            and subprocess.run(["bash", "-n"], input=block.text.encode(), check=False).returncode
        ):
            raise Failed("not a script")
        for found in re.findall(r"\bassay [a-z]+ .*", block.text) if block.language in ("bash", "yaml") else ():
            check_command(found)

    def command(self, command: Command) -> None:
        """Run ``assay …``, optionally after ``cat FILE |``, before ``> FILE`` or ``&& assay …``; or ``export NAME=VALUE …``."""
        check_command(command.text)
        self.out = ""
        if not self.runs(command.text):
            return
        for part in split(words_of(command.text), "&&"):
            *before, last = split(part, "|")
            words, *target = split(last, ">")
            if words[0] == "export":
                os.environ.update(word.split("=", 1) for word in words[1:])
                continue
            text = "".join(Path(name).read_text(encoding="utf-8") for one in before for name in one[1:])
            words, kind = self.changed(words), Terminal if command.output else io.TextIOWrapper
            code, self.out, err = run_words(words, text, kind)
            if code:
                raise Failed(f"exit code {code}: {(err or self.out).strip()[-400:]}")
            if target:
                Path(target[0][0]).expanduser().write_text(self.out, encoding="utf-8")
        check_output(command.output, self.out)

    def changed(self, words: list[str]) -> list[str]:
        """Return a faster command in place of a slow one, after preparing what it needs."""
        text = shlex.join(words)
        for pattern, change in self.changes.items():
            if re.search(pattern, text):
                text = re.sub(pattern, change, text) if isinstance(change, str) else change() or text
        return shlex.split(text)

    def python(self, block: Block) -> None:
        """Run a block statement by statement, in one namespace per page."""
        try:
            body = ast.increment_lineno(ast.parse(block.text), block.line - 1).body
        except SyntaxError as error:
            body = []
            self.problems.append(f"{self.name}:{block.line}: {error}")
        for statement in body:
            code = ast.unparse(statement)
            self.attempt(statement.lineno, code.splitlines()[0], self.statement, statement, self.runs(code))

    def statement(self, statement: ast.stmt, runs: bool) -> None:
        check_python(statement, bind=not runs)
        if runs:
            module = compile(ast.Module([statement], []), self.name, "exec")
            self.out = (self.out or "") + captured(lambda: exec(module, self.names))[1]
