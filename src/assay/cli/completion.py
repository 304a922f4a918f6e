"""``assay completion``: scripts that complete verbs, options and names in a shell."""

from __future__ import annotations

import argparse
import importlib
import sys

from assay.cli.main import VERBS
from assay.verbs.list import names

SUMMARY = "Print a completion script for bash, zsh, fish or tcsh."
EXAMPLES = """examples:
  assay completion bash > ~/.local/share/bash-completion/completions/assay
  assay completion zsh > ~/.zfunc/_assay
  assay completion fish > ~/.config/fish/completions/assay.fish

For zsh ~/.zfunc must be on the path of functions: fpath+=~/.zfunc, before compinit, in ~/.zshrc."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this verb."""
    parser.add_argument("shell", choices=["bash", "zsh", "fish", "tcsh"], help="the shell that you use")


def run(args: argparse.Namespace) -> int:
    """Print the script."""
    import shtab

    completed = {kind: names(kind) for kind in ("metrics", "perturbations", "suites")}
    completed["names"] = [*completed["metrics"], *completed["suites"]]
    root = argparse.ArgumentParser(prog="assay")
    root.add_argument("--version", action="store_true", help="print the version")
    verbs = root.add_subparsers()
    for verb, line in VERBS.items():
        parser = verbs.add_parser(verb, help=line, description=line)
        importlib.import_module(f"assay.cli.{verb}").add_arguments(parser)
        for action in parser._actions:
            if action.dest in completed:
                action.choices = completed[action.dest]
            elif action.metavar in ("FILE", "RUN"):
                action.complete = shtab.FILE  # type: ignore[attr-defined]
            elif action.metavar == "DIR":
                action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
    sys.stdout.write(shtab.complete(root, shell=args.shell) + "\n")
    return 0
