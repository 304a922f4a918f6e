from __future__ import annotations

import json

import pytest

from scripts.make_sacrebleu_fixture import fixture
from tests.metrics.sacrebleu_cases import FIXTURE


@pytest.mark.real
@pytest.mark.soak
def test_the_stored_hashes_are_what_sacrebleu_counts() -> None:
    assert fixture() == json.loads(FIXTURE.read_text())
