from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from assay.core.errors import InputError
from assay.tasks.checkpoint import Checkpoint
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
    with pytest.raises(InputError, match="does not know both languages"):
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
