"""What people who come from other tools type: commas, bare files, names, test sets, sacrebleu's switches, names of the hub."""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
import sacrebleu

import assay
from assay.cli.main import main
from assay.core.errors import InputError
from assay.core.metric import short_signature
from assay.core.spec import split
from assay.data.checkpoints import of_family
from assay.models.files.published import published_name
from tests.data import need

HYP = ["the cat sat on the mat", "a dog", "ein Hund"]
REF = ["the cat is on the mat", "a dog barks", "ein Hund bellt"]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("SACREBLEU", str(tmp_path / "sacrebleu"))
    monkeypatch.delenv("ASSAY_DATA", raising=False)
    Path("h").write_text("\n".join(HYP) + "\n")
    Path("h2").write_text("\n".join(REF) + "\n")
    Path("r").write_text("\n".join(REF) + "\n")
    return tmp_path


def systems(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, dict[str, float]]:
    assert main(["score", *words, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["systems"]
    return {system: {name: known["score"] for name, known in row.items()} for system, row in found.items()}


@pytest.mark.parametrize(
    ("text", "specs"),
    [
        ("chrf", ["chrf"]),
        ("chrf,bleu", ["chrf", "bleu"]),
        ("chrf, bleu ,", ["chrf", "bleu"]),
        ("bleu:tokenize=zh,lowercase=yes", ["bleu:tokenize=zh,lowercase=yes"]),
        ("chrf,bleu:tokenize=zh,lowercase=yes,ter", ["chrf", "bleu:tokenize=zh,lowercase=yes", "ter"]),
        ("bleu:tokenize=zh,chrf:order=3", ["bleu:tokenize=zh", "chrf:order=3"]),
        ("my_module:Metric:power=2,chrf", ["my_module:Metric:power=2", "chrf"]),
        ("my_module:Metric,my_module:Other:path=a:b,x=1", ["my_module:Metric", "my_module:Other:path=a:b,x=1"]),
    ],
)
def test_specs_with_commas(text: str, specs: list[str]) -> None:
    assert split(text) == specs


def test_an_option_without_its_colon_is_explained() -> None:
    with pytest.raises(InputError, match="Write chrf:order=3"):
        split("chrf,order=3")


def test_metrics_with_commas_and_repeated(capsys: pytest.CaptureFixture[str]) -> None:
    found = systems(capsys, "-m", "chrf,bleu:tokenize=char,lowercase=yes", "-m", "ter", "--mt", "h", "--ref", "r")
    assert list(found["h"]) == ["chrf", "bleu:tokenize=char,lowercase=yes", "ter"]


@pytest.mark.parametrize(
    "words",
    [
        ["--mt", "h", "h2", "--ref", "r"],
        ["--mt", "h", "--mt", "h2", "--ref", "r"],
        ["h", "h2", "--ref", "r"],
        ["--ref", "r", "h", "h2"],
    ],
)
def test_translations_however_they_are_given(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    found = systems(capsys, "-m", "chrf", *words)
    assert list(found) == ["h", "h2"]
    assert found["h"]["chrf"] == pytest.approx(sacrebleu.corpus_chrf(HYP, [REF]).score)


def test_systems_with_names(capsys: pytest.CaptureFixture[str]) -> None:
    found = systems(capsys, "-m", "chrf", "--mt", "Online=h", "Ours=h2", "--ref", "r")
    assert list(found) == ["Online", "Ours"]
    assert (
        assay.score(mt={"Online": "h", "h2": Path("h2")}, ref="r", metrics=["chrf"]).systems["Online"]
        == found["Online"]
    )
    Path("a=b").write_text(Path("h").read_text())
    assert list(systems(capsys, "-m", "chrf", "a=b", "--ref", "r")) == ["a=b"]  # a file of that name is there


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["h", "--mt", "h2", "--ref", "r"], "specify the translations as arguments (h …) or with --mt, not both"),
        (["-m", "chrf", "bleu", "--ref", "r"], "bleu is a metric, not a file of translations. Use -m chrf,bleu"),
        (["--mt", "A=h", "A=h2", "--ref", "r"], "two systems are named 'A'"),
        (["--mt", "=h", "--ref", "r"], "write NAME=FILE"),
        (["--mt", "Ours=nothere", "--ref", "r"], "nothere"),
        (
            ["-i", "h", "r"],
            "has no option -i: pass the translations as arguments or with --mt, the references with --ref",
        ),
        (["h", "--ref", "r", "-tok", "zh"], "-m bleu:tokenize=zh"),
        (["h", "--ref", "r", "-b", "--ci"], "-b cannot be combined with --format, --ci or --spans"),
        (["h", "--out", "h", "--ref", "r"], "would overwrite the input h"),
        (["Ours=h", "--out", "h", "--ref", "r"], "would overwrite the input"),
    ],
)
def test_what_cannot_be_meant(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", *words]) == 2
    told = capsys.readouterr().err
    assert said in told and told.count("\n") == 1


def test_the_score_alone_with_as_many_digits(capsys: pytest.CaptureFixture[str]) -> None:
    bleu, chrf = sacrebleu.corpus_bleu(HYP, [REF]).score, sacrebleu.corpus_chrf(HYP, [REF]).score
    assert main(["score", "-m", "bleu", "h", "--ref", "r", "-b"]) == 0
    assert capsys.readouterr().out == f"{bleu:.1f}\n"
    assert main(["score", "-m", "bleu,chrf", "h", "h2", "--ref", "r", "-b", "-w", "4"]) == 0
    assert capsys.readouterr().out == f"{bleu:.4f}\t{chrf:.4f}\n100.0000\t100.0000\n"
    assert main(["score", "-m", "chrf", "h", "--ref", "r", "-w", "3"]) == 0
    assert f"{chrf:.3f}" in capsys.readouterr().out


def test_the_short_signature_is_sacrebleus(capsys: pytest.CaptureFixture[str]) -> None:
    metric = sacrebleu.BLEU()
    metric.corpus_score(HYP, [REF])
    theirs = metric.get_signature().format(short=True).split("|")  # #:1|c:mixed|e:no|tok:13a|s:exp|v:2.x
    assert main(["score", "-m", "bleu", "h", "--ref", "r", "--short"]) == 0
    ours = capsys.readouterr().out.strip().splitlines()[-1].strip().split("|")
    assert ours[0] == "BLEU" and ours[1:-1] == theirs[:-1]
    assert short_signature("chrF2|nrefs:2|case:mixed|eff:yes|nc:6|nw:0|space:no|v:1") == (
        "chrF2|#:2|c:mixed|e:yes|nc:6|nw:0|s:no|v:1"
    )


def test_names_of_the_hub_are_understood(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HOME", "nowhere")
    for name, one in of_family("comet").items():
        assert published_name(one.repository) == published_name(one.repository.partition("/")[2].lower()) == name
    assert published_name("someone/wmt22-comet-da") is None
    assert main(["score", "-m", "Unbabel/wmt22-comet-da", "h", "--ref", "r", "--src", "r"]) == 2
    assert "comet-22 is not on this machine" in capsys.readouterr().err
    assert main(["list", "metrics", "Unbabel/XCOMET-XL"]) == 0


def test_a_test_set_brings_sources_and_references(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = place / "sacrebleu" / "wmt17"
    folder.mkdir(parents=True)
    (folder / "wmt17.en-de.src").write_text("\n".join(HYP) + "\n")
    (folder / "wmt17.en-de.ref").write_text("\n".join(REF) + "\n")
    found = systems(capsys, "-t", "wmt17", "-l", "en-de", "-m", "chrf", "h")
    assert found["h"]["chrf"] == pytest.approx(sacrebleu.corpus_chrf(HYP, [REF]).score)
    assert systems(capsys, "-t", "wmt17", "-m", "chrf", "h") == found  # the only pair there is
    words = [sys.executable, "-m", "assay", "score", "-t", "wmt17", "-l", "en-de", "-m", "chrf", "-b", "-w", "4"]
    piped = subprocess.run(words, check=True, input=Path("h").read_bytes(), capture_output=True)
    assert float(piped.stdout) == pytest.approx(found["h"]["chrf"], abs=1e-4)
    for wrong, said in [
        (["-t", "wmt17", "-l", "en-fr", "h"], "unknown language pair 'en-fr' of wmt17"),
        (["-t", "wmt17", "h", "--ref", "r"], "a test set (-t) includes sources and references"),
        (["-t", "wmt18", "-l", "en-de", "h"], "sacrebleu -t wmt18 -l en-de --echo src"),
        (["-t", "wmt177", "h"], "unknown test set 'wmt177'. Did you mean wmt17"),
    ]:
        assert main(["score", "-m", "chrf", *wrong]) == 2
        assert said in capsys.readouterr().err
    for lines, has in [(HYP[:2], "h has 2 lines"), ([*HYP, "x"], "h has more than 3 lines")]:
        Path("h").write_text("\n".join(lines) + "\n")
        assert main(["score", "-m", "chrf", "-t", "wmt17", "h"]) == 2
        assert f"{has}, but wmt17 en-de has 3; they must match." in capsys.readouterr().err


@pytest.mark.real
def test_the_official_score_of_a_wmt23_system(capsys: pytest.CaptureFixture[str]) -> None:
    """BLEU of ONLINE-Y into English as the metrics task published it, in the same archive."""
    archive = need("data", "wmt23", "he-en.tar.xz")
    with tarfile.open(archive) as tar:
        ends = ("/ONLINE-Y.txt", "/BLEU-refB.sys.score")
        members = {Path(name).name: tar.extractfile(name) for name in tar.getnames() if name.endswith(ends)}
        files = {name: member.read() for name, member in members.items() if member is not None}
    Path("online").write_bytes(files["ONLINE-Y.txt"])
    published = dict(line.split() for line in files["BLEU-refB.sys.score"].decode().splitlines())
    found = systems(capsys, "-t", "wmt23", "-l", "he-en", "--data-dir", str(archive.parents[1]), "-m", "bleu", "online")
    assert found["online"]["bleu"] == pytest.approx(float(published["ONLINE-Y"]), abs=1e-9)


def test_ref_takes_several_files(capsys: pytest.CaptureFixture[str]) -> None:
    Path("r2").write_text("\n".join(HYP) + "\n")
    expected = sacrebleu.corpus_bleu(HYP, [REF, HYP]).score
    assert systems(capsys, "h", "-m", "bleu", "--ref", "r", "r2") == {"h": {"bleu": pytest.approx(expected)}}
    assert systems(capsys, "h", "-m", "bleu", "--ref", "r", "--ref", "r2") == {"h": {"bleu": pytest.approx(expected)}}
    assert systems(capsys, "-m", "bleu", "--ref", "r", "r2", "--mt", "h") == {"h": {"bleu": pytest.approx(expected)}}


def test_a_bare_table_is_read_as_one_by_every_verb(capsys: pytest.CaptureFixture[str]) -> None:
    rows = "".join(f"{system}\t{mt}\t{ref}\n" for system in "AB" for mt, ref in zip(HYP, REF, strict=True))
    Path("x.tsv").write_text(f"system\tmt\tref\n{rows}")
    assert systems(capsys, "x.tsv", "-m", "chrf") == systems(capsys, "--data", "x.tsv", "-m", "chrf")
    said = []
    for words in (["x.tsv"], ["--data", "x.tsv"]):
        assert main(["compare", *words, "-m", "chrf", "--format", "json"]) == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]
    Path("outcomes.tsv").write_text(
        "id\tmt\tref\toutcome\n" + "".join(f"{i}\t{'ab' * (i % 7)} c\tabab c\t{int(i % 7 > 2)}\n" for i in range(140))
    )
    assert main(["decide", "fit", "--data", "outcomes.tsv", "-m", "chrf", "--out", "rule.json"]) == 0
    assert main(["decide", "fit", "--data", "scored.tsv", "--score", "mine", "--out", "ready.json"]) == 2
    capsys.readouterr()
    said = []
    for words in (["x.tsv"], ["--data", "x.tsv"]):
        assert main(["decide", "apply", "rule.json", *words, "--format", "tsv"]) == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]
