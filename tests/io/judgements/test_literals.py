"""Words out of Python files that are never run."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.io.judgements.literals import MOST_STEPS, MOST_WORDS, PythonLiterals

CONVERSATION = """
def talk(shots):
    prompts = [{"role": "system", "content": "Be kind."}]
    template = "<{a}> or <{b}>?"
    for shot in shots:
        prompts.append(template.format(**shot))
    return prompts
shots = {"x": {"a": "1", "b": "{a}", "answer": "one"}, "y": {"a": "2", "b": "3", "answer": "none"}}
TALK = talk([shots["y"], shots["x"]])
"""


def test_literals_are_read_as_python_would_read_them():
    text = (
        "a = 'one ' 'two' + f' three' + \"\"\"\\nfour\"\"\"\nb = [a, 2, None, True, (1.5,)]\n"
        "c = {'k': {'l': b}, 'n': lambda x, y=['z']: x}\n"
        "d = c['k']\na = 'later'\n"
    )
    read = PythonLiterals(text, "f.py")
    assert read.value("c") == {"k": {"l": ["one two three\nfour", 2, None, True, [1.5]]}, "n": {"y": ["z"]}}
    assert read.value("d") == read.value("c")["k"]


def test_a_conversation_with_examples():
    """What is put into a question is not looked at again: the {a} of an example stays."""
    assert PythonLiterals(CONVERSATION, "f.py").conversation("TALK") == [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "<2> or <3>?"},
        {"role": "assistant", "content": "none"},
        {"role": "user", "content": "<1> or <{a}>?"},
        {"role": "assistant", "content": "one"},
        {"role": "user", "content": "<{a}> or <{b}>?"},
    ]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (('{"a": "1", "b": "{a}", "answer": "one"}', "open('ran', 'w')"), "line 8: a value is computed by code"),
        (('"b": "{a}", ', ""), "an example has no 'b'"),
        (('"answer": "one"', '"answer": 1'), "is not a conversation with examples"),
        (('template = "', 'template = 3 * "'), "a value is computed by code"),
        (("talk([", "tell(["), "no opening and question"),
        (('talk([shots["y"], shots["x"]])', "[]"), "is not built from examples"),
        (("[shots[", "[" + 'shots["x"], ' * 20 + "shots["), "is not a conversation with examples"),
        (("TALK =", "TALKED ="), r"has no TALK\. Use the published file"),
    ],
)
def test_other_conversations_are_refused_in_a_line(change, said):
    with pytest.raises(InputError, match=said) as caught:
        PythonLiterals(CONVERSATION.replace(*change), "f.py").conversation("TALK")
    assert "f.py" in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = open('ran', 'w').write('x')", "line 1: a value is computed by code, .* None of it was run or saved"),
        ("import os\na = f'{os.system(\"touch ran\")}'", "line 2: a value is computed by code"),
        ("a = ['x' for _ in open('ran', 'w')]", "computed by code"),
        ("a = 'x' * 10 ** 9", "computed by code"),
        (f"a = '{'x' * (MOST_WORDS + 1)}'", "more than 20,000 characters"),
        ("a = '" + "x" * MOST_WORDS + "'+'y'", "more than 20,000 characters"),
        ("a = " + repr(["x"] * MOST_STEPS), "more than 10,000 literals"),
        ("a = [a1, a1]\n" + "".join(f"a{n} = [a{n + 1}, a{n + 1}]\n" for n in range(1, 60)) + "a60 = 'x'", "literals"),
        ("a = a", "refers to itself or is nested too deeply"),
        ("a = " + "'x' + " * 3000 + "'x'", "cannot be parsed|nested too deeply"),
        ("a = " + "[" * 5000 + "]" * 5000, "cannot be read as Python: too many nested parentheses"),
        ("a = " + "-" * 60_000 + "1", "cannot be parsed|too complex|computed by code"),
        ("a = {**{'x': 1}}", "computed by code"),
        ("Dear all,\nhello", "cannot be read as Python: invalid syntax"),
        ("a = '\0'", "cannot be read as Python"),
        ("<html>", "cannot be read as Python"),
    ],
)
def test_hostile_files_are_refused_in_a_line_and_nothing_is_run(text, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=said) as caught:
        PythonLiterals(text, "f.py").value("a")
    assert len(str(caught.value)) < 200 and "\n" not in str(caught.value)
    assert list(Path().iterdir()) == []
