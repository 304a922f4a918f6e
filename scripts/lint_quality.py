"""Measure the checks of ``assay lint``: findings on human translations, and errors found in challenge sets.

    python scripts/lint_quality.py ../shared/data                  # about three minutes
    python scripts/lint_quality.py ../shared/data --lines 1200:1997     # the lines of NTREX that were not used for development

Prints Markdown tables for ``docs/lint.md``.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from assay.linting import CHECKS, lint_texts
from assay.linting.finding import Texts

NTREX = {
    "ar": "arb", "ca": "cat", "cs": "ces", "de": "deu", "es": "spa", "fi": "fin", "fr": "fra", "he": "heb", "hi": "hin",
    "it": "ita", "ja": "jpn", "ko": "kor", "pl": "pol", "pt": "por", "ru": "rus", "sw": "swa", "th": "tha", "tr": "tur",
    "uk": "ukr", "vi": "vie", "zh": "zho-CN",
}  # fmt: skip
DEMETR = {
    "german": "de", "french": "fr", "spanish": "es", "italian": "it", "polish": "pl", "czech": "cs", "russian": "ru",
    "japanese": "ja", "chinese": "zh", "hindi": "hi",
}  # fmt: skip


def lines(path: Path) -> list[str]:
    """Return the lines of a compressed text."""
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        return [line.strip() for line in stream.read().split("\n")]


def human(data: Path, first: int, last: int) -> None:
    """Print the share of human translations with a finding, by language and check, in both directions."""
    english = lines(data / "ntrex/src.eng.txt.gz")[first:last]
    print(f"| language | {' | '.join(CHECKS)} | any |\n|---|{'---:|' * (len(CHECKS) + 1)}")
    for language, name in NTREX.items():
        path = data / f"ntrex/ref.{name}.txt.gz"
        if not path.exists():
            continue
        counts: Counter[str] = Counter()
        total = 0
        for source, other in zip(english, lines(path)[first:last], strict=True):
            for texts in (Texts(source, other, "en", language), Texts(other, source, language, "en")):
                found = {finding.check for finding in lint_texts(texts, list(CHECKS))}
                counts.update(found)
                counts["any"] += bool(found)
                total += 1
        cells = " | ".join(f"{100 * counts[check] / total:.1f}" for check in [*CHECKS, "any"])
        print(f"| {language} | {cells} |")


def demetr_items(data: Path, name: str) -> Iterator[tuple[Texts, Texts]]:
    """Yield the original and the perturbed translation of the items that were changed."""
    for line in lines(data / f"demetr/{name}.jsonl.gz"):
        row = json.loads(line) if line else {}
        if row and row["mt_sent"] != row["pert_sent"]:
            language = next((code for word, code in DEMETR.items() if row["lang_tag"].startswith(word)), "")
            yield (
                Texts(row["src_sent"], row["mt_sent"], language, "en"),
                Texts(row["src_sent"], row["pert_sent"], language, "en"),
            )


def challenge(data: Path) -> None:
    """Print how many perturbed translations have a finding that the original does not have."""
    print("\n| set | items | found | found in the original |\n|---|---:|---:|---:|")
    for name, checks in (
        ("critical_id10_numbers_replaced", ("numbers", "dates")),
        ("critical_id4_codemix", ("untranslated", "language")),
        ("minor_id1_repeat2", ("repetition",)),
        ("minor_id2_repeat4", ("repetition",)),
        ("base_id33_empty", ("completeness",)),
    ):
        items = hits = before = 0
        for original, perturbed in demetr_items(data, name):
            items += 1
            hits += bool(lint_texts(perturbed, checks))
            before += bool(lint_texts(original, checks))
        print(f"| DEMETR {name.partition('_')[2]} | {items} | {hits} ({100 * hits / items:.1f}%) | {before} |")


def main() -> None:
    """Run both measurements."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--lines", default="0:1200", metavar="FIRST:LAST")
    args = parser.parse_args()
    first, last = map(int, args.lines.split(":"))
    human(args.data, first, last)
    challenge(args.data)


if __name__ == "__main__":
    main()
