from __future__ import annotations

import shutil
import subprocess

import pytest

from assay.cli.main import VERBS, main

ASK = {
    "bash": """
        complete_with() {
            COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
            local function; function=$(complete -p assay | sed 's/.*-F \\([^ ]*\\).*/\\1/')
            "$function" assay "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
            printf '%s\\n' "${COMPREPLY[@]}"
        }
        complete_with assay sc; complete_with assay score -m chrf; complete_with assay run de""",
    "fish": "complete -C 'assay sc'; complete -C 'assay score -m chrf'; complete -C 'assay run de'",
}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "tcsh"])
def test_every_shell_has_a_script_with_every_verb(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert all(verb in script for verb in VERBS)
    if shutil.which(shell) and shell != "tcsh":
        subprocess.run([shell, "-n"], input=script, text=True, check=True)


@pytest.mark.parametrize("shell", ASK)
def test_names_are_completed(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    if not shutil.which(shell):
        pytest.skip(f"no {shell} here")
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    done = subprocess.run([shell, "-c", f"{script}\n{ASK[shell]}"], capture_output=True, text=True, check=True)
    found = [line.partition("\t")[0] for line in done.stdout.splitlines()]
    assert found == ["score", "chrf", "chrf++", "chrfoid-wmt23", "demetr"]
