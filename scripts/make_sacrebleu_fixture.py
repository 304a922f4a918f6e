"""Write ``tests/fixtures/sacrebleu.json``: hashes of sacrebleu's counts on DEMETR and NTREX for TER, chrF and chrF++.

    python -m scripts.make_sacrebleu_fixture        # some minutes; with the version of sacrebleu in requirements/test.txt

No number comes from assay.
"""

from __future__ import annotations

import json
import multiprocessing
from importlib.metadata import version

from tests.metrics.sacrebleu_cases import FIXTURE, ORIGINALS, cases, hashes, original_statistics


def stored(name: str) -> dict[str, list[str]]:
    """Return the hashes of one metric, by case."""
    return {case: hashes(original_statistics(name, rows)) for case, rows in cases().items()}


def fixture() -> dict[str, object]:
    """Return the content of the fixture."""
    with multiprocessing.get_context("fork").Pool() as pool:
        return {
            "sacrebleu": version("sacrebleu"),
            "hashes": dict(zip(ORIGINALS, pool.map(stored, ORIGINALS), strict=True)),
        }


if __name__ == "__main__":
    FIXTURE.write_text(json.dumps(fixture(), indent=1) + "\n")
