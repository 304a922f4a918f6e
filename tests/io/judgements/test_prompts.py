"""Prompts: ours say what they are, a user's own is checked before anything is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.core.errors import AssayError
from assay.io.judgements.prompts import built_in, filled, from_file


def test_every_prompt_names_its_licence_and_what_to_cite():
    from importlib.resources import files

    names = [
        Path(str(path)).stem for path in (files("assay") / "data" / "prompts").iterdir() if path.name.endswith(".toml")
    ]
    assert sorted(names) == sorted(
        f"{name}{ref}" for name in ("automqm", "judge-da", "judge-mqm") for ref in ("", "-ref")
    )
    for name in names:
        prompt = built_in(name)
        assert (prompt.name, prompt.version, prompt.licence) == (name, "assay-1", "Apache-2.0")
        assert bool(prompt.citation) == name.startswith("automqm")
        assert prompt.reads >= {"source", "translation"} and ("reference" in prompt.reads) == name.endswith("-ref")


MINE = """
name = "mine"
version = "3"
answer = "number"
low = 1
high = 7
[[messages]]
content = 'Rate {translation} of {source} like {"score": 5} {other}'
"""


def test_ones_own(tmp_path):
    (tmp_path / "p.toml").write_text(MINE)
    prompt = from_file(str(tmp_path / "p.toml"))
    texts = {"translation": "a {source} b", "source": "S"}
    assert filled(prompt.messages, texts) == [
        {"role": "user", "content": 'Rate a {source} b of S like {"score": 5} {other}'}
    ]
    assert prompt.reads == {"source", "translation"}
    digest = prompt.digest
    (tmp_path / "p.toml").write_text(MINE.replace("Rate", "Judge"))
    assert from_file(str(tmp_path / "p.toml")).digest != digest


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("{translation}", "it"), "no message contains the translation"),
        (("low = 1", ""), "a rating needs a scale"),
        (("low = 1", "low = 1000"), "high must be above low"),
        (("{other}", "{sorce}"), r"\{sorce\} is not a placeholder. Did you mean \{source\}"),
        (('"number"', '"classes"'), "the classes are missing"),
        (('"number"', '"score"'), "unknown value 'score' of .*answer"),
        (("{other}", "{first_answer}"), r"no \[first\] step"),
        (("low = 1", "points = {huge = 3}\nlow = 1"), "not for 'huge'"),
        (("low = 1", "lowest = 1"), "unknown key 'lowest'. Did you mean low"),
        (("[[messages]]", "[[messages"), "is not valid TOML"),
        (("[[messages]]", '[[messages]]\nrole = "assistant"'), "the last message must have the role user"),
    ],
)
def test_what_is_wrong_with_a_prompt_is_said_in_a_line(tmp_path, change, said):
    (tmp_path / "p.toml").write_text(MINE.replace(*change))
    with pytest.raises(AssayError, match=said) as caught:
        from_file(str(tmp_path / "p.toml"))
    assert "p.toml" in str(caught.value) and "\n" not in str(caught.value)


def test_a_prompt_that_is_not_there():
    with pytest.raises(AssayError, match=r"nowhere\.toml"):
        from_file("nowhere.toml")
