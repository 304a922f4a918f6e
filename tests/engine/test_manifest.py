from __future__ import annotations

import hashlib
import json
from datetime import datetime
from pathlib import Path

import pytest

import assay
from assay.core.errors import InputError
from assay.engine.manifest import InputFile, Manifest


def test_there_and_back(tmp_path: Path) -> None:
    data = b"a line\n" * 100_000
    (tmp_path / "a.txt").write_bytes(data)
    file = InputFile.of(tmp_path / "a.txt")
    assert (file.size, file.hash) == (700_000, hashlib.blake2b(data, digest_size=16).hexdigest())
    manifest = Manifest("score", {"chrf": "chrF2|v:1"}, (file,), {"segments": 7}, seed=12345)
    done = manifest.finish(chunks_reused=3, chunks_scored=4)
    assert manifest.finished is None and done.finished is not None
    assert datetime.fromisoformat(done.started) <= datetime.fromisoformat(done.finished)
    done.write(tmp_path / "manifest.json")
    assert Manifest.read(tmp_path / "manifest.json") == done
    plain = json.loads((tmp_path / "manifest.json").read_text())
    assert plain["version"] == assay.__version__ and plain["chunks_reused"] == 3


def test_what_is_no_manifest(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"command": "score"}')
    with pytest.raises(InputError, match=r"a\.json is not a manifest"):
        Manifest.read(tmp_path / "a.json")
    with pytest.raises(InputError, match="cannot be read: No such file"):
        Manifest.read(tmp_path / "b.json")
    with pytest.raises(InputError, match="cannot be read: No such file"):
        InputFile.of(tmp_path / "b.txt")
