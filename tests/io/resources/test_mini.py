"""The weights of assay-mini: found, compared with their hashes, mapped; what is wrong is said in one line with the remedy."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.core.errors import AssayError, InputError, MissingPart
from assay.io.resources import mini
from assay.io.resources.mini import FILES, MANIFEST, load_mini, mini_card, mini_folder
from tests.mini_weights import PIECES, Tensors, small, written


def one_line(folder: Path) -> str:
    with pytest.raises(AssayError) as caught:
        load_mini(folder)
    message = str(caught.value)
    assert "\n" not in message and len(message) < 400
    assert "pip install 'mt-assay[mini]'" in message
    return message


def test_tensors_of_all_files_lie_under_one_roof_read_only(tmp_path: Path) -> None:
    weights = load_mini(written(tmp_path / "w", small()))
    assert weights.name == "small" and weights.folder == tmp_path / "w"
    for tensors in small().values():
        for name, array in tensors.items():
            np.testing.assert_array_equal(weights.tensors[name], array, strict=True)
            assert not weights.tensors[name].flags.writeable
    assert mini_card(tmp_path / "w") == {"name": "small"}


def test_the_hash_in_a_signature_is_that_of_the_tensor_files(tmp_path: Path) -> None:
    folder = written(tmp_path / "w", small())
    listed = "".join(f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in FILES)
    assert load_mini(folder).identity == hashlib.sha256(listed.encode()).hexdigest()[:12]  # as sha256sum prints them
    (folder / "card.json").write_text("{}")
    assert load_mini(folder).identity == hashlib.sha256(listed.encode()).hexdigest()[:12]


def test_without_the_package_the_message_is_the_instruction(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mini, "PACKAGE", "assay_mini_that_nobody_installed")
    assert mini_folder() is None
    for asked in (load_mini, mini_card):
        with pytest.raises(MissingPart, match=r"weights are not installed: pip install 'mt-assay\[mini\]'"):
            asked()


def test_the_package_is_found_without_being_imported(tmp_path: Path) -> None:
    (tmp_path / "assay_mini").mkdir()
    (tmp_path / "assay_mini" / "__init__.py").write_text("raise SystemExit('imported')")
    code = "from assay.io.resources.mini import mini_folder; print(mini_folder())"
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == str(tmp_path / "assay_mini")


def test_a_folder_without_a_manifest(tmp_path: Path) -> None:
    assert f"{tmp_path} has no manifest.json" in one_line(tmp_path)


def test_another_format(tmp_path: Path) -> None:
    folder = written(tmp_path / "w", small())
    manifest = json.loads((folder / MANIFEST).read_text())
    (folder / MANIFEST).write_text(json.dumps(manifest | {"format": 2}))
    assert "has format 2, but this assay reads format 1" in one_line(folder)
    (folder / MANIFEST).write_text(json.dumps(manifest | {"files": {}}))
    assert "does not list model.safetensors" in one_line(folder)


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"format": 1}', '{"format": "1", "name": "a", "files": {}}', "[" * 9999]
)
def test_a_damaged_manifest(tmp_path: Path, content: str) -> None:
    folder = written(tmp_path / "w", small())
    (folder / MANIFEST).write_text(content)
    with pytest.raises(InputError, match=r"manifest\.json") as caught:
        load_mini(folder)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_absent_cut_or_changed(tmp_path: Path, name: str) -> None:
    folder = written(tmp_path / "w", small())
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content[:-1])
    assert f"{name} has {len(content) - 1:,} bytes, but its manifest has {len(content):,}" in one_line(folder)
    (folder / name).write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    assert f"{name} is damaged: its SHA-256 differs from the manifest" in one_line(folder)
    (folder / name).unlink()
    assert f"{name} is missing" in one_line(folder)


def wrong(name: str, change: Callable[[np.ndarray[Any, Any]], np.ndarray[Any, Any]]) -> dict[str, Tensors]:
    files = small()
    for tensors in files.values():
        if name in tensors:
            tensors[name] = change(tensors[name])
    return files


WRONG = {
    "codes": (lambda a: a[1:], "'codes' has the wrong type or shape"),
    "scales": (lambda a: a.astype(np.float32), "'scales' has the wrong type or shape"),
    "scores": (lambda a: a.reshape(2, 3), "'scores' has the wrong type or shape"),
    "trained": (lambda a: a[0], "'trained' has the wrong type or shape"),
    "starts": (lambda a: a[::-1], "'starts' does not split 'text' correctly"),
    "norm_starts": (lambda a: a + np.uint32(1), "'norm_starts' does not split 'norm_to' correctly"),
    "text": (lambda a: a ^ 0xFF, "can't decode"),
    "norm_from": (lambda a: a[::-1], "are not in order"),
    "norm_to": (lambda a: a + np.uint32(0x110000), "are not in order"),
    "idf": (lambda a: a * np.float32("nan"), "a number is not finite"),
    "unk_score": (lambda a: a - np.float32("inf"), "a number is not finite"),
    "tau": (lambda a: a * np.float16("nan"), "'tau' contains a number that is not finite"),
    "g2.weight.s": (lambda a: a[1:], "'g2.weight.q' does not have one scale per row"),
    "g2.weight.q": (lambda a: a.astype(np.float16), "'g2.weight.q' does not have one scale per row"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_weights_that_do_not_fit_each_other(tmp_path: Path, name: str) -> None:
    change, told = WRONG[name]
    assert told in one_line(written(tmp_path / "w", wrong(name, change)))


def test_a_piece_that_begins_inside_a_character(tmp_path: Path) -> None:
    files = small()
    files["pieces.safetensors"]["starts"] = files["pieces.safetensors"]["starts"] - np.uint32([0, 0, 0, 0, 0, 1, 0])
    assert "a subword begins inside a character" in one_line(written(tmp_path / "w", files))


def test_the_marks_come_first(tmp_path: Path) -> None:
    files = small()
    files["pieces.safetensors"]["text"] = np.frombuffer("".join(PIECES).replace("<s>", "abc").encode(), np.uint8)
    assert "its first subwords are not <s> <pad> </s> <unk>" in one_line(written(tmp_path / "w", files))


def test_no_pieces_at_all(tmp_path: Path) -> None:
    files = small()
    files["embeddings.safetensors"] = {"codes": np.zeros((6, 0), np.uint8), "scales": np.zeros((6, 0), np.float16)}
    assert "it contains no subwords" in one_line(written(tmp_path / "w", files))


def test_a_tensor_that_is_absent_or_stands_twice(tmp_path: Path) -> None:
    files = small()
    del files["pieces.safetensors"]["scores"]
    assert "the tensor 'scores' is missing" in one_line(written(tmp_path / "w", files))
    files = small()
    files["model.safetensors"]["idf"] = files["pieces.safetensors"]["idf"]
    assert "repeats the tensor 'idf' of another file" in one_line(written(tmp_path / "w", files))
