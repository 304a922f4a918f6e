"""The kernels compile for other systems (scripts/cross.py). Needs Zig, which is too large to be installed for the tests."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def cross() -> ModuleType:
    pytest.importorskip("ziglang", reason="ziglang is not installed (make cross)")
    spec = importlib.util.spec_from_file_location("cross", ROOT / "scripts" / "cross.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.missing() == []
    return module


@pytest.mark.slow
@pytest.mark.parametrize("target", ["x86_64-windows-gnu", "aarch64-macos", "aarch64-linux-gnu"])
def test_the_loops_of_assay_mini_compile(cross: ModuleType, tmp_path: Path, target: str) -> None:
    made = cross.build(target, "mini/ops_generic.cpp", tmp_path)
    starts = {"x86_64-windows-gnu": b"\x64\x86", "aarch64-macos": b"\xcf\xfa\xed\xfe", "aarch64-linux-gnu": b"\x7fELF"}
    assert made.read_bytes().startswith(starts[target])


@pytest.mark.soak
@pytest.mark.parametrize("target", ["x86_64-windows-gnu", "aarch64-macos", "x86_64-macos", "aarch64-linux-gnu"])
def test_all_kernels_compile_and_link(cross: ModuleType, tmp_path: Path, target: str) -> None:
    assert cross.build(target, folder=tmp_path).stat().st_size > 500_000
