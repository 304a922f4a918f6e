"""The hash by which signatures know weights: of the bytes, whatever an archive says of itself."""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.models.files import hashing
from assay.models.files.hashing import fingerprint_files


@pytest.fixture
def remembering(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Hashes of files of any size and age are remembered, in a folder of the test's own."""
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(hashing, "_WORTH", 0)
    monkeypatch.setattr(hashing, "_SETTLED", 0)
    return tmp_path / "cache" / "hashes"


def archive(path: Path, content: bytes, claimed: int | None = None) -> Path:
    """An archive as torch writes it; with `claimed`, its directory and its member have that checksum."""
    with zipfile.ZipFile(path, "w") as out:
        out.writestr("model/data/0", content)
        true = out.infolist()[0].CRC
    if claimed is not None:
        path.write_bytes(path.read_bytes().replace(true.to_bytes(4, "little"), claimed.to_bytes(4, "little")))
    return path


def test_the_hash_is_of_the_bytes(tmp_path: Path) -> None:
    one, two = tmp_path / "a", tmp_path / "b"
    one.write_bytes(b"first")
    two.write_bytes(b"second")
    assert fingerprint_files(one, two) == hashlib.blake2b(b"firstsecond", digest_size=8).hexdigest()


@pytest.mark.parametrize("claimed", [0, None], ids=["checksums left out", "checksums right"])
def test_other_weights_have_another_hash(tmp_path: Path, claimed: int | None) -> None:
    one = archive(tmp_path / "one.ckpt", b"\1" * 4000, claimed)
    two = archive(tmp_path / "two.ckpt", b"\2" * 4000, claimed)
    assert fingerprint_files(one) != fingerprint_files(two)


def test_changed_weights_under_an_old_checksum_are_refused(tmp_path: Path) -> None:
    """Finding A6: the directory of the archive says what the bytes should be."""
    path = archive(tmp_path / "model.ckpt", b"\1" * 4000)
    damaged = bytearray(path.read_bytes())
    damaged[2000] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(InputError, match=r"model\.ckpt is damaged .*model/data/0"):
        fingerprint_files(path)


def test_a_hash_is_computed_once_and_again_after_any_change(
    tmp_path: Path, remembering: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(b"a" * 100)
    first = fingerprint_files(path)
    (record,) = remembering.iterdir()
    with monkeypatch.context() as never:
        never.setattr(hashing, "blake2b", _other_digest_size(never))
        assert fingerprint_files(path) == first
    before = path.stat()
    path.write_bytes(b"b" * 100)  # equal size, and the time set back: ctime tells
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert fingerprint_files(path) == hashlib.blake2b(b"b" * 100, digest_size=8).hexdigest() != first
    assert json.loads(record.read_text())["hash"] != first


def _other_digest_size(patch: pytest.MonkeyPatch) -> object:
    """blake2b that fails for a hash of weights, and works for names and checks of records."""

    def digest(*content: bytes, digest_size: int) -> object:
        assert digest_size != 8 or not patch, "the weights were read again"
        return hashlib.blake2b(*content, digest_size=digest_size)

    return digest


@pytest.mark.parametrize("spoil", ["cut", "other hash", "nested", "link", "folder"])
def test_a_damaged_record_is_ignored(tmp_path: Path, remembering: Path, spoil: str) -> None:
    path = tmp_path / "model.bin"
    path.write_bytes(b"a" * 100)
    first = fingerprint_files(path)
    (record,) = remembering.iterdir()
    content = record.read_text()
    if spoil == "cut":
        record.write_text(content[:-20])
    elif spoil == "other hash":
        record.write_text(content.replace(first, "0" * 16))
    elif spoil == "nested":
        record.write_text("[" * 100_000)
    elif spoil == "link":
        (tmp_path / "elsewhere").write_text(content.replace(first, "0" * 16))
        record.unlink()
        record.symlink_to(tmp_path / "elsewhere")
    else:
        record.unlink()
        record.mkdir()
    assert fingerprint_files(path) == first


def test_fresh_files_are_not_remembered(tmp_path: Path, remembering: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file may change again within the resolution of its times."""
    monkeypatch.setattr(hashing, "_SETTLED", 60_000_000_000)
    path = tmp_path / "model.bin"
    path.write_bytes(b"a" * 100)
    fingerprint_files(path)
    assert not remembering.exists() or not list(remembering.iterdir())
