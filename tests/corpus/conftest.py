from __future__ import annotations

import pytest

from assay.corpus.engines import ENGINES


@pytest.fixture(autouse=True)
def _inline(monkeypatch: pytest.MonkeyPatch) -> None:
    """``engine="inline"`` for the tests of this folder."""
    monkeypatch.setitem(ENGINES, "inline", "tests.corpus.inline:InlineEngine")
