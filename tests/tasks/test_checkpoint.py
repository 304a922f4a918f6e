from __future__ import annotations

import importlib.util
import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest

from assay.core.errors import InputError, MissingPart
from assay.tasks import TRANSLATORS, checkpoint
from assay.tasks.checkpoint import Checkpoint, Converted
from assay.tasks.translators import open_translator
from tests.tasks import tiny


def folder(tmp_path: Path, kind: str) -> Path:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": kind}))
    return tmp_path


def test_a_folder_without_a_checkpoint_is_refused(tmp_path) -> None:
    with pytest.raises(InputError, match=r"has no config\.json"):
        open_translator(f"transformers:{tmp_path}")


class Tokens:
    """A tokenizer's vocabulary and nothing else."""

    def __init__(self, *tokens: str) -> None:
        self.tokens = list(tokens)
        self.src_lang = ""

        self.unk_token_id = len(tokens)

    def convert_tokens_to_ids(self, token: str) -> int:
        return self.tokens.index(token) if token in self.tokens else self.unk_token_id


@pytest.mark.parametrize(
    ("tokens", "source"), [(("a", "__es__", "__en__"), "es"), (("a", "spa_Latn", "eng_Latn"), "spa_Latn")]
)
def test_m2m100_and_nllb_are_told_their_languages(tmp_path, tokens, source) -> None:
    vocabulary = Tokens(*tokens)
    options = Checkpoint(str(folder(tmp_path, "m2m_100")))._languages(vocabulary, "es", "en")
    assert options == {"forced_bos_token_id": 2} and vocabulary.src_lang == source


def test_marian_is_told_nothing(tmp_path) -> None:
    assert Checkpoint(str(folder(tmp_path, "marian")))._languages(Tokens(), "es", "en") == {}


def test_a_language_that_the_model_does_not_know(tmp_path) -> None:
    with pytest.raises(InputError, match="must support both languages"):
        Checkpoint(str(folder(tmp_path, "m2m_100")))._languages(Tokens("__es__"), "es", "en")


def test_a_failing_text_is_marked_and_the_others_go_on(tmp_path, monkeypatch) -> None:
    checkpoint = Checkpoint(str(folder(tmp_path, "marian")), batch=3)

    def generate(tokenizer: Any, model: Any, texts: list[str], options: dict[str, Any]) -> list[str]:
        if "bad" in texts:
            raise RuntimeError("index out of range")
        return [text.upper() for text in texts]

    monkeypatch.setattr(checkpoint, "_load", lambda: (None, None))
    monkeypatch.setattr(checkpoint, "_generate", generate)
    assert checkpoint.translate(["a", "bad", "ccc", "dd"], "es", "en") == ["A", None, "CCC", "DD"]


@pytest.mark.slow
def test_a_real_checkpoint_with_random_weights_translates(tmp_path) -> None:
    if not all(importlib.util.find_spec(name) for name in ("torch", "transformers", "tokenizers")):
        pytest.skip("torch and transformers are not installed")
    tiny.m2m100(tmp_path)
    translator = Checkpoint(str(tmp_path), longest=8)
    first = translator.translate(["w1 w2", "w3"], "es", "en")
    assert len(first) == 2 and all(isinstance(text, str) for text in first)
    assert not any("__en__" in str(text) for text in first), "the language's token is no part of a translation"
    assert Checkpoint(str(tmp_path), longest=8).translate(["w1 w2", "w3"], "es", "en") == first


FILES = ("tokenizer.json", "tokenizer_config.json")


def test_the_registry_knows_it() -> None:
    assert TRANSLATORS.resolve("ctranslate2") is Converted


def test_a_folder_that_was_not_converted_is_refused(tmp_path) -> None:
    with pytest.raises(InputError, match=r"has no model\.bin\. Specify a folder written by ct2-transformers-converter"):
        open_translator(f"ctranslate2:{tmp_path}")
    (tmp_path / "model.bin").write_bytes(b"")
    with pytest.raises(InputError, match=r"has no tokenizer_config\.json\. Convert the model again"):
        open_translator(f"ctranslate2:{tmp_path}")
    with pytest.raises(InputError, match="Write ctranslate2: followed by a converted checkpoint's folder"):
        open_translator("ctranslate2:")


def looks_converted(folder: Path) -> Path:
    for name in ("model.bin", "tokenizer_config.json"):
        (folder / name).write_text("{}")
    return folder


def test_what_is_missing_is_said(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingPart, match="needs ctranslate2 and transformers: pip install"):
        Converted(str(looks_converted(tmp_path))).translate(["a"], "es", "en")


WORKER = """
import sys
for line in sys.stdin.read().splitlines():
    if line == "hang":
        import time; time.sleep(60)
    if line == "crash":
        import os; os.abort()
    print(line.upper())
"""


def test_a_crash_and_a_hang_cost_one_segment_each(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: True)
    monkeypatch.setattr(checkpoint, "_WORKER", WORKER)
    translator = Converted(str(looks_converted(tmp_path)), seconds=1.0)
    assert translator.translate(["a", "crash", "b", "hang"], "es", "en") == ["A", None, "B", None]


def test_what_cannot_be_loaded_is_said_once(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: True)
    monkeypatch.setattr(checkpoint, "_WORKER", "raise RuntimeError('model.bin is broken')")
    with pytest.raises(InputError, match=r"cannot be used: RuntimeError: model\.bin is broken"):
        Converted(str(looks_converted(tmp_path))).translate(["a"], "es", "en")
    monkeypatch.setattr(checkpoint, "_WORKER", "import time; time.sleep(60)")
    with pytest.raises(InputError, match=r"could not be loaded within 0\.2 seconds"):
        Converted(str(tmp_path), seconds=0.2).translate(["a"], "es", "en")


@pytest.mark.slow
@pytest.mark.parametrize("make", [tiny.m2m100, tiny.marian])
def test_word_for_word_what_transformers_says(tmp_path, make) -> None:
    if not all(importlib.util.find_spec(name) for name in ("torch", "transformers", "ctranslate2")):
        pytest.skip("ctranslate2 or transformers is not installed: pip install 'mt-assay[ctranslate2]' torch")
    from ctranslate2.converters import TransformersConverter

    original, folder = make(tmp_path / "original"), tmp_path / "converted"
    TransformersConverter(str(original)).convert(str(folder))
    for name in FILES:
        shutil.copy(original / name, folder)
    draw = random.Random(5)
    texts = [" ".join(draw.choices(tiny.WORDS, k=draw.randrange(1, 12))) for _ in range(40)]
    expected = Checkpoint(str(original), longest=16).translate(texts, "es", "en")
    found = Converted(str(folder), longest=16).translate([*texts, ""], "es", "en")
    assert len(set(expected)) > 3
    # Both may be cut at 16 tokens, and each counts its own beginning among them.
    assert [str(text).split()[:12] for text in found[:-1]] == [str(text).split()[:12] for text in expected]
    assert found[-1] == ""
    if make is tiny.m2m100:
        with pytest.raises(InputError, match="must support both languages of the pair, es and fr"):
            Converted(str(folder)).translate(texts, "es", "fr")
