from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which fixtures are unpacked once."""
    return tmp_path_factory.mktemp("checkpoints")
