"""``assay completion``: scripts that complete verbs, options and names in a shell."""

from __future__ import annotations

import argparse
import importlib
import sys

from assay.cli import VERBS
from assay.cli.parser import Help, Parser, declare
from assay.verbs.shared.registries import names

HELP = Help("""Print a completion script for bash, zsh, fish or tcsh.

    assay completion bash > ~/.local/share/bash-completion/completions/assay
    assay completion fish > ~/.config/fish/completions/assay.fish

    more examples:
      assay completion zsh > ~/.zfunc/_assay

    For zsh, add fpath+=~/.zfunc to ~/.zshrc, before compinit.
""")


def add_arguments(parser: Parser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument("shell", choices=["bash", "zsh", "fish", "tcsh"], help="your shell")


def run(args: argparse.Namespace) -> int:
    """Print the script."""
    import shtab

    completions = {kind: names(kind) for kind in ("metrics", "perturbations", "suites")}
    completions["names"] = [*completions["metrics"], *completions["suites"]]
    root = argparse.ArgumentParser(prog="assay")
    root.add_argument("--version", action="store_true", help="print the version")
    verbs = root.add_subparsers(parser_class=Parser)
    for verb, line in VERBS.items():
        module = importlib.import_module(f"assay.cli.{verb}")
        parser = verbs.add_parser(verb, help=line, text=module.HELP)
        declare(parser, module)
        for action in (action for leaf in parser.leaves() for action in leaf._actions):
            if action.dest in completions:
                action.choices = completions[action.dest]
            elif action.metavar in ("FILE", "RUN"):
                action.complete = shtab.FILE  # type: ignore[attr-defined]
            elif action.metavar == "DIR":
                action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
    sys.stdout.write(shtab.complete(root, shell=args.shell) + "\n")
    return 0
