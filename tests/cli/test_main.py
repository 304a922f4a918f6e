"""The command line as a person meets it: help, wrong words, odd terminals, closed pipes."""

from __future__ import annotations

import ast
import ctypes
import functools
import importlib
import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from assay.cli.main import GROUPS, VERBS, main
from assay.cli.output import save_run_dir
from assay.cli.parser import Parser, parser_for

ROOT = Path(__file__).resolve().parents[2]
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": ""}

PR_CAPBSET_DROP, CAP_DAC_OVERRIDE = 24, 1
"""Of Linux's prctl.h and capability.h."""


def assay(*words: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    known = {**os.environ, "COLUMNS": "80", **environment}
    return subprocess.run([sys.executable, "-m", "assay", *words], check=False, capture_output=True, env=known)


COMMANDS = {
    command.prog: command
    for verb in VERBS
    for command in parser_for(verb, importlib.import_module(f"assay.cli.{verb}")).commands()
}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_help_is_a_sentence_two_examples_and_the_usual_options(
    command: Parser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = command.format_help()
    lines, verb = text.splitlines(), command.prog.split()[1]
    assert lines[0].startswith(f"usage: {command.prog}") and lines[0].endswith("[options]")
    assert "examples:" in lines[:6] and len(lines) <= 50
    assert (ROOT / "docs" / f"{verb}.md").exists() and f"docs/{verb}.md" in lines[-1]
    assert len([line for line in command.text.examples.splitlines() if line.startswith("assay ")]) == 2
    assert max(len(line) for line in lines if not line.startswith("  assay ")) <= 80


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_the_full_help_has_every_option_once(command: Parser) -> None:
    text = command.format_full_help()
    shown = re.findall(r"^  (?:-\w, )?(--[a-z-]+)", text, re.MULTILINE)
    if command.modes:
        assert all(f"{mode.prog} --help" in " ".join(text.split()) for mode in command.modes.values()) and not shown
        return
    known = [long[0] for action in command._actions if (long := [o for o in action.option_strings if len(o) > 2])]
    assert sorted(shown) == sorted(known)
    assert not command.text.usual or f"{command.prog} --help-all" in command.format_help()


def test_the_overview_names_every_verb_under_a_heading(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    assert re.findall(r"^ {1,8}([a-z]+) {2,}\S", text, re.MULTILINE) == list(VERBS)
    assert all(f"\n\n{heading}\n" in text for heading in GROUPS)


@pytest.mark.parametrize("words", [["cache", "info"], ["cache", "show"], ["cache", "--quiet", "show"]])
def test_a_mode_may_follow_options_and_have_another_name(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 0
    assert "folder" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["scroe"], "unknown verb 'scroe'. Did you mean score?"),
        (["score", "--mtt", "x"], "unknown option '--mtt'. Did you mean --mt"),
        (["score", "--format", "htm"], "unknown format 'htm'. Did you mean html?"),
        (["decide", "aply"], "unknown mode 'aply'. Did you mean apply"),
        (["decide", "--rule", "r.json"], "assay decide requires a mode: fit or apply"),
        (["list", "metricss"], "unknown kind 'metricss'. Did you mean metrics?"),
        (["score", "--langpair", "klingon"], "'klingon' is not a language pair such as en-de"),
        (["score", "-m", "bleu:tokenize", "--mt", "x"], "Write bleu:tokenize=VALUE."),
        (["make", "-p", "word-swap", "--data", "demo", "--out", "set.tsv"], "--out set.jsonl"),
    ],
)
def test_a_wrong_word_is_answered_in_one_line(
    words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    said = capsys.readouterr().err
    assert sentence in said and said.count("\n") == 1


@pytest.mark.parametrize("pair", ["en-de", "zh-en", "pt-br-en", "eng_Latn-deu_Latn", "en-es-419"])
def test_language_pairs_as_people_write_them(pair: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "-m", "chrf", "--data", "demo", "--langpair", pair]) == 0


def test_a_pipe_is_utf_8_whatever_the_locale() -> None:
    done = assay("score", "-m", "ter", "--data", "demo", **ASCII)
    assert done.returncode == 0
    assert "TER ↓" in done.stdout.decode("utf-8")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("words", [["--help"], ["list", "metrics"]])
def test_a_full_disk_is_not_a_bug(words: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run([sys.executable, "-m", "assay", *words], check=False, stdout=full, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (2, b"assay: cannot continue: No space left on device.\n")


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = f"{sys.executable} -m assay list perturbations | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], check=False, capture_output=True, text=True)
    # 0 where all was written before the reader went away, else what shells expect of SIGPIPE
    assert done.stdout.splitlines()[-1] in ("0", "141") and not done.stderr


def test_a_folder_without_permission_is_named() -> None:
    """Root may write anywhere, unless the process gives that capability up before it starts."""
    give_up = functools.partial(ctypes.CDLL(None).prctl, PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0)
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o555)
        here = f"{folder}/here"
        words = ["run", "-m", "chrf", "--figures", "none", "--run-dir", here]
        done = subprocess.run(
            [sys.executable, "-m", "assay", *words],
            check=False,
            capture_output=True,
            text=True,
            env={**os.environ, "ASSAY_CACHE_DIR": f"{folder}/cache"},
            preexec_fn=give_up if os.geteuid() == 0 else None,
        )
    assert done.returncode == 2
    assert f"Permission denied ({here})" in done.stderr


def test_a_run_that_nobody_asked_to_keep_may_stay_unkept(tmp_path: Path) -> None:
    def refused(folder: str) -> Path:
        raise PermissionError(13, "Permission denied", folder)

    assert save_run_dir(refused, "runs/x", 1.0, required=False).startswith(
        "⚠ the run was not saved in runs/x: Permission denied."
    )
    with pytest.raises(PermissionError):
        save_run_dir(refused, "runs/x", 1.0, required=True)
    (tmp_path / "tables.json").touch()
    assert save_run_dir(lambda folder: tmp_path, "", 1.0, required=True) == f"wrote {tmp_path}/ (tables.json) · 1.0 s"


def test_help_and_version_load_nothing_of_the_rooms() -> None:
    script = "import sys; from assay.cli.main import main; main(sys.argv[1:]); print(sorted(sys.modules))"
    for option in ("--help", "--version"):
        out = subprocess.run([sys.executable, "-c", script, option], capture_output=True, text=True, check=True).stdout
        loaded = [name for name in ast.literal_eval(out.splitlines()[-1]) if name.startswith("assay")]
        assert loaded == ["assay", "assay._version", "assay.cli", "assay.cli.main"]


def test_a_lone_surrogate_is_written_to_standard_output_as_to_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="utf-8"))
    main(["--version"])
    sys.stdout.write('"a \ud800 ü"')
    sys.stdout.flush()
    assert raw.getvalue().endswith('"a \\ud800 ü"'.encode())
