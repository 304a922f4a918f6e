"""GEMBA's prompts, fetched from a server with words of our own in their place: read, known, kept, refused."""

from __future__ import annotations

import functools
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest

import assay
from assay.cli.main import main
from assay.core.errors import InputError, MissingPart
from assay.io.judgements import gemba
from assay.metrics import metric
from assay.verbs.fetch import fetch
from tests import gemba_folder
from tests.chat_server import ChatServer

NAMES = [f"gemba-{kind}{ref}" for kind in ("da", "sqm", "stars", "classes") for ref in ("", "-ref")]
NAMES += ["gemba-mqm", "gemba-esa"]


class Quiet(http.server.SimpleHTTPRequestHandler):
    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.asked.append(self.path)
        super().do_GET()

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setenv("NO_PROXY", "*")
    made = gemba_folder.checkout(tmp_path / "checkout")
    gemba_folder.know(made, monkeypatch)
    return made


@pytest.fixture
def mirror(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """A server that has the folder; the paths that it was asked for."""
    Quiet.asked = []
    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        threading.Thread(target=running.serve_forever, args=(0.02,), daemon=True).start()
        monkeypatch.setenv("ASSAY_GEMBA", f"http://127.0.0.1:{running.server_address[1]}/")
        yield Quiet.asked
        running.shutdown()


def test_what_is_known_of_the_published_prompts():
    known = gemba.facts()
    assert list(known.prompts) == NAMES
    assert {fact.file for fact in known.prompts.values()} == known.files.keys()
    sums = [*known.files.values(), *(fact.sha256 for fact in known.prompts.values())]
    assert len(set(sums)) == 13 and {len(one) for one in sums} == {64} and len(known.commit) == 40
    assert "messages" not in str(known) and "classes" not in known.prompts["gemba-classes"].reading


def test_fetched_kept_and_read_again(mirror, tmp_path):
    place = fetch("gemba").path
    assert place == tmp_path / "cache" / "prompts" / "gemba"
    assert sorted(path.name for path in place.iterdir()) == sorted(f"{name}.toml" for name in NAMES)
    assert all("CC BY-SA 4.0" in path.read_text().splitlines()[0] for path in place.iterdir())
    assert mirror == [f"/{name}" for name in gemba_folder.FILES]
    assert fetch("gemba-mqm").path == place and len(mirror) == 3  # nothing is asked for twice
    prompts = {name: gemba.gemba_prompt(name) for name in NAMES}
    assert prompts["gemba-da-ref"].messages[0].content == (
        'Rate {target_lang} "{target_seg}" for {source_lang} "{source_seg}" beside {reference_seg}, please.\nGEMBA-DA: '
    )
    assert prompts["gemba-classes"].classes == tuple(gemba_folder.CLASSES)
    assert (prompts["gemba-mqm"].version, prompts["gemba-mqm"].points["critical"]) == ("gemba-1", 25)
    assert [turn.role for turn in prompts["gemba-mqm"].messages] == ["system", *["user", "assistant"] * 2, "user"]
    assert prompts["gemba-mqm"].messages[3].content == "From English: <Two teas.>\nInto German: <Zwei Tee {x}.>\nSlips?"
    first = prompts["gemba-esa"].first
    assert first is not None and len(first.messages) == 4 and "error_spans" in prompts["gemba-esa"].messages[0].content
    assert {prompt.licence for prompt in prompts.values()} == {"CC BY-SA 4.0"}


def test_a_download_that_broke_off_goes_on(mirror, tmp_path):
    text = gemba_folder.FILES["gemba/gemba_esa.py"].encode()
    part = tmp_path / "d" / "gemba" / "gemba" / "gemba_esa.py.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(text[:100])  # the same file's beginning: this server sends all of it again
    place = fetch("gemba", data_dir=tmp_path / "d").path
    assert place == tmp_path / "d" / "gemba" and not list(place.rglob("*.p*"))
    assert gemba.gemba_prompt("gemba-esa", str(place)) == gemba.gemba_prompt("gemba-esa", str(tmp_path / "checkout"))


def test_a_file_that_is_another_one_is_not_kept(mirror, folder, tmp_path):
    (folder / "gemba" / "gemba_esa.py").write_text("import os")
    with pytest.raises(InputError, match=r"gemba_esa\.py has changed: its sha256 is"):
        fetch("gemba")
    assert not list((tmp_path / "cache").rglob("*.toml"))


def test_offline(mirror, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(MissingPart, match=r"HF_HUB_OFFLINE is set. Unset it to download gemba"):
        fetch("gemba")
    assert mirror == []


def test_without_the_words_one_line_says_how_to_get_them(folder, capsys):
    Path("s").write_text("a\n")
    assert main(["score", "-m", "gemba-mqm", "--src", "s", "--mt", "s", "-l", "en-de"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "the GEMBA prompts (CC BY-SA 4.0), which are not shipped" in line and "assay fetch gemba." in line
    assert main(["list", "metrics", "gemba-da", "--format", "json"]) == 0
    assert "prompts 22 kB (CC BY-SA 4.0) + an OpenAI-compatible endpoint" in capsys.readouterr().out


def test_a_checkout_or_another_folder(folder, tmp_path):
    plain = gemba.gemba_prompt("gemba-mqm", str(folder))
    file = folder / "gemba" / "gemba_mqm_utils.py"
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))  # as git checks it out on Windows
    assert gemba.gemba_prompt("gemba-mqm", str(folder)) == plain
    assert metric(f"gemba-classes:prompts={folder}").prompt.classes == tuple(gemba_folder.CLASSES)
    assert metric(f"gemba-classes:reference=yes,prompts={folder}").card.needs == "both"
    with pytest.raises(MissingPart, match=r"has neither gemba-esa\.toml nor gemba/gemba_esa\.py: name a checkout"):
        metric(f"gemba-esa:prompts={tmp_path}")


def test_other_words_are_refused(mirror, folder, tmp_path):
    file = folder / "gemba" / "gemba_mqm_utils.py"
    file.write_text(file.read_text().replace("slips", "crimes"))
    with pytest.raises(InputError, match=r"differs from the prompt gemba-mqm of gemba-1 .*judge:prompt=FILE") as caught:
        metric(f"gemba-mqm:prompts={folder}")
    assert "\n" not in str(caught.value)
    gemba_folder.checkout(folder)
    kept = fetch("gemba").path / "gemba-mqm.toml"
    whole = kept.read_text()
    kept.write_text(whole.replace("slips", "crimes"))
    with pytest.raises(InputError, match=r"gemba-mqm\.toml differs from .* assay fetch gemba"):
        metric("gemba-mqm")
    fetch("gemba")  # mends it
    assert kept.read_text() == whole and metric("gemba-mqm")


def test_a_file_of_another_size_is_not_read(folder):
    (folder / "gemba" / "prompt.py").write_text(f"prompts = {'[1]' + ' ' * (1 << 20)}")
    with pytest.raises(InputError, match=r"prompt\.py has more than 1 MiB"):
        metric(f"gemba-da:prompts={folder}")


@pytest.mark.parametrize("text", ["prompts = {}", "prompts = 3", "prompts = {'GEMBA-DA': {'prompt': 3}}"])
def test_a_file_in_another_shape(folder, text):
    (folder / "gemba" / "prompt.py").write_text(text)
    with pytest.raises(InputError, match=r"no prompt named GEMBA-DA|no text where a question is expected"):
        metric(f"gemba-da:prompts={folder}")


def test_asked_of_a_server(mirror):
    """GEMBA-MQM's points; GEMBA-ESA in two steps; the signature has the version and the hash."""
    fetch("gemba")
    said = 'Critical:\nno-error\nMajor:\naccuracy - "Tee"\nMinor:\nno-error'
    texts = {"sources": ["Three teas."], "hypotheses": ["Drei Tee."], "langpair": "en-de"}
    with (
        ChatServer(lambda body: "70" if "Score" in body["messages"][-1]["content"] else said) as server,
        assay.llm(server.url, "tiny"),
    ):
        result = assay.score(**texts, metrics=["gemba-mqm", "gemba-esa"], spans=True)
        assert result.system == {"gemba-mqm": -5, "gemba-esa": 70}
        assert [span.text for span in result.scores["gemba-esa"].spans[0]] == ["Tee"]
        assert server.bodies[-1]["messages"] == [{"role": "user", "content": f"Score Drei Tee. of Three teas.: {said}"}]
    digest = gemba.gemba_prompt("gemba-mqm").digest
    assert result.signatures["gemba-mqm"].startswith(f"GEMBA-MQM|prompt:gemba-1-{digest}|model:tiny|")
