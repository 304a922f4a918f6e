from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
import sacrebleu
from sacrebleu.significance import PairedTest

from assay.cli.main import main


@pytest.fixture
def systems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], list[str], list[str]]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "cache"))
    rng = random.Random(3)
    references = [" ".join(rng.choices(["ab", "cd", "efg", "hi", "j"], k=9)) for _ in range(120)]
    one = [line.replace("ab", "xy", 1) for line in references]
    two = [line.replace("cd", "xy", 1) if rng.random() < 0.9 else line for line in references]
    for name, lines in (("ref", references), ("one", one), ("two", two)):
        Path(name).write_text("\n".join(lines) + "\n")
    return references, one, two


def test_json_has_sacrebleus_p_values(
    systems: tuple[list[str], list[str], list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    references, one, two = systems
    arguments = ["--mt", "one", "--mt", "two", "--ref", "ref", "--trials", "1000", "--format", "json"]
    assert main(["compare", "-m", "chrf", "-m", "ter", *arguments]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["baseline"] == "one"
    for test, key, samples in (("bs", "p_bootstrap", 1000), ("ar", "p_randomization", 1000)):
        peers = {"chrF2": sacrebleu.CHRF(), "TER": sacrebleu.TER()}
        _, theirs = PairedTest([("one", one), ("two", two)], peers, [references], test_type=test, n_samples=samples)()
        for name, label in (("chrf", "chrF2"), ("ter", "TER")):
            assert found["systems"]["two"][name][key] == theirs[label][1].p_value


def test_baseline_may_be_named(systems: object, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--mt", "one", "--mt", "two", "--ref", "ref", "--trials", "0", "--format", "json"]
    assert main(["compare", "-m", "chrf", "--baseline", "two", *arguments]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["baseline"] == "two"
    assert found["systems"]["two"]["chrf"]["p_bootstrap"] is None
    assert found["systems"]["one"]["chrf"]["p_randomization"] is None


def test_one_system_or_unequal_ones_are_refused(systems: object, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "-m", "chrf", "--mt", "one", "--ref", "ref"]) == 2
    assert "at least two systems" in capsys.readouterr().err
    Path("d.tsv").write_text("system\tmt\tref\na\tx\ty\na\tx\ty\nb\tx\ty\n")
    assert main(["compare", "-m", "chrf", "--data", "d.tsv"]) == 2
    assert "a 2, b 1" in capsys.readouterr().err
