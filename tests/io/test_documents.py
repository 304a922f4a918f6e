from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.io import documents
from assay.io.documents import decode, read_document


def write(folder: Path, text: str | bytes, name: str = "a.json") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    return path


def test_a_document_is_read_plain_or_packed(tmp_path: Path) -> None:
    text = '\ufeff{"a": [1, 2.5, "ü", null, true], "deep": ' + "[" * 98 + "]" * 98 + "}"
    assert read_document(write(tmp_path, text))["a"] == [1, 2.5, "ü", None, True]
    packed = write(tmp_path, gzip.compress(text.encode()), "a.json.gz")
    assert read_document(packed) == json.loads(text.removeprefix("\ufeff"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": 1', "it is incomplete; copy it again."),
        ("hello", "Expecting value: line 1 column 1 (char 0)."),
        ("[" * 101 + "]" * 101, "nested more than 100 deep."),
        ("[" * 200_000, "nested more than 100 deep."),
        ('{"a": ' + "9" * 301 + "}", "a number of 301 digits."),
        ('{"a": ' + "9" * 5000 + "}", "a number of 5,000 digits."),
        ('{"a": {"b": 1, "c": 2, "b": 3}}', "the key 'b' is repeated in one object."),
        (r'{"a": "\ud800"}', r"a lone surrogate in the text '\ud800'."),
        (r'{"\ud800": 1}', r"a lone surrogate in the text '\ud800'."),
    ],
)
def test_what_is_refused_and_why(tmp_path: Path, text: str, said: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(InputError) as caught:
        read_document(path, remedy="Make it again.")
    assert str(caught.value) == f"{path} is not JSON: {said} Make it again."


def test_a_document_that_is_too_large_is_not_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "MOST_BYTES", 1 << 20)
    path = write(tmp_path, gzip.compress(b'{"a": "' + b"x" * (1 << 21)), "a.json.gz")
    with pytest.raises(InputError, match=r"a\.json\.gz has more than 1 MiB, the maximum for this kind of file"):
        read_document(path)


def test_not_utf_8(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a\.json is not valid UTF-8 \(byte 7, line 1\)"):
        read_document(write(tmp_path, b'{"a": "\xff"}'))


def test_lines_take_what_json_takes_everywhere_else() -> None:
    """The last of two equal keys, half characters and Python's own words for odd numbers; the bounds hold."""
    assert decode('{"a": 1, "a": 2}') == {"a": 2}
    assert decode(r'"\ud800"') == "\ud800"
    assert decode("[NaN]")[0] != decode("[NaN]")[0]
    assert decode("[" * 100 + "]" * 100)
    for text in ("[" * 101 + "]" * 101, "[" * 100_000, "9" * 5000, "{", ""):
        with pytest.raises(ValueError):
            decode(text)


yaml = pytest.importorskip("yaml", reason="YAML needs the extra 'neural'")


def test_yaml_has_plain_values(tmp_path: Path) -> None:
    path = write(tmp_path, "a: &x [1, 2.5e-3]\nb: *x\nc: {<<: {d: 1, e: 2}, d: 3}\n", "a.yaml")
    assert read_document(path, yaml=True) == {"a": [1, 0.0025], "b": [1, 0.0025], "c": {"d": 3, "e": 2}}


LAUGHS = "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 12))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [", "is not YAML"),
        ("a: 1\na: 2\n", "a key is repeated in the mapping that begins on line 1"),
        ("[" * 5000, "nested more than 100 deep"),
        ("a: &a [*a]", "nested more than 100 deep"),
        ("a0: &a0 [x]\n" + LAUGHS, "more than 20,000,000 values"),
        ("a: " + "9" * 400, "a number of 400 digits"),
        ("a: " + "1:" * 400 + "1", "a number of 801 digits"),
        ("a: 2020-99-99", "month must be in 1..12"),
        ("!!python/object/apply:os.system [true]", "could not determine a constructor"),
        ("? [a]\n: 1", "unhashable"),
        ("a: !!int ''", "is not YAML"),
        ("a: \x00", "special characters are not allowed"),
    ],
)
def test_yaml_is_held_to_the_same_bounds(tmp_path: Path, text: str, said: str) -> None:
    path = write(tmp_path, text, "a.yaml")
    with pytest.raises(InputError) as caught:
        read_document(path, yaml=True)
    assert str(caught.value).startswith(f"{path} is not YAML: ") and said in str(caught.value)
    assert "\n" not in str(caught.value)
