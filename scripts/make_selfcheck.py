"""Write ``src/assay/data/selfcheck_vectors.json``: scores of the original tools for the texts of ``assay selfcheck``.

    python scripts/make_selfcheck.py        # after a change of selfcheck_texts.json, with the versions in requirements/test.txt

No number comes from assay. A null is a segment for which the original gives no score.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from nltk.translate.meteor_score import meteor_score
from rapidfuzz.distance import Levenshtein
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

DATA = Path(__file__).resolve().parents[1] / "src" / "assay" / "data"
Row = tuple[str, list[str]]
"""A hypothesis and its references."""
Numbers = tuple[list[float | None], float | None]
"""Segment scores and the corpus score."""
Original = Callable[[list[Row], list[list[str | None]]], Numbers]
"""Rows, and the same references as columns."""


class NoWordNet:
    """A replacement for WordNet in NLTK's METEOR."""

    def synsets(self, word: str) -> list[Any]:
        """Return no synonyms."""
        return []


def bleu(**options: Any) -> Original:
    """Return sentence BLEU with effective order and corpus BLEU without, as sacrebleu's command line does."""

    def numbers(rows: list[Row], columns: list[list[str | None]]) -> Numbers:
        sentences = BLEU(effective_order=True, **options)
        corpus = BLEU(**options).corpus_score([hypothesis for hypothesis, _ in rows], columns)  # type: ignore[arg-type]
        return [sentences.sentence_score(*row).score for row in rows], corpus.score

    return numbers


def sacrebleu_metric(kind: type[CHRF] | type[TER], **options: Any) -> Original:
    """Return the segment scores one by one, then the corpus score."""

    def numbers(rows: list[Row], columns: list[list[str | None]]) -> Numbers:
        made = kind(**options)
        corpus = made.corpus_score([hypothesis for hypothesis, _ in rows], columns)  # type: ignore[arg-type]
        return [made.sentence_score(*row).score for row in rows], corpus.score

    return numbers


def error_rate(symbols: Callable[[str], list[str]]) -> Original:
    """Return Levenshtein distance divided by the reference's length, for the best reference; None if one has no symbols."""

    def numbers(rows: list[Row], _: list[list[str | None]]) -> Numbers:
        segments: list[float | None] = []
        for hypothesis, references in rows:
            rates = [
                Levenshtein.distance(symbols(hypothesis), symbols(reference)) / len(symbols(reference))
                for reference in references
                if symbols(reference)
            ]
            segments.append(min(rates) if len(rates) == len(references) else None)
        return segments, None

    return numbers


def rouge(name: str) -> Original:
    """Return F1 without stemmer, for the best reference."""

    def numbers(rows: list[Row], _: list[list[str | None]]) -> Numbers:
        scorer = RougeScorer([name])
        return [scorer.score_multi(references, hypothesis)[name].fmeasure for hypothesis, references in rows], None

    return numbers


def meteor(rows: list[Row], _: list[list[str | None]]) -> Numbers:
    """Return NLTK's METEOR on words split at whitespace."""
    return [
        float(meteor_score([text.split() for text in references], hypothesis.split(), wordnet=NoWordNet()))  # type: ignore[arg-type]
        for hypothesis, references in rows
    ], None


ORIGINALS: dict[str, tuple[str, Original]] = {
    "bleu": ("sacrebleu", bleu()),
    "bleu:lowercase=yes": ("sacrebleu", bleu(lowercase=True)),
    "bleu:tokenize=zh": ("sacrebleu", bleu(tokenize="zh")),
    "bleu:tokenize=intl": ("sacrebleu", bleu(tokenize="intl")),
    "bleu:tokenize=char": ("sacrebleu", bleu(tokenize="char")),
    "chrf": ("sacrebleu", sacrebleu_metric(CHRF)),
    "chrf:lowercase=yes": ("sacrebleu", sacrebleu_metric(CHRF, lowercase=True)),
    "chrf++": ("sacrebleu", sacrebleu_metric(CHRF, word_order=2)),
    "ter": ("sacrebleu", sacrebleu_metric(TER)),
    "ter:case_sensitive=yes": ("sacrebleu", sacrebleu_metric(TER, case_sensitive=True)),
    "cer": ("rapidfuzz", error_rate(list)),
    "wer": ("rapidfuzz", error_rate(str.split)),
    "rouge1": ("rouge-score", rouge("rouge1")),
    "rouge2": ("rouge-score", rouge("rouge2")),
    "rougeL": ("rouge-score", rouge("rougeL")),
    "meteor:wordnet=none": ("nltk", meteor),
}
STANDS_FOR = {"meteor:wordnet=none": "meteor"}
"""Specifications whose numbers also check another one: METEOR is compared without the WordNet that a machine may have."""


def main() -> None:
    """Write the vectors: metric, tool with version, and segment and corpus scores for one and for two references."""
    texts = json.loads((DATA / "selfcheck_texts.json").read_text(encoding="utf-8"))
    vectors = {}
    for spec, (tool, numbers) in ORIGINALS.items():
        by_references = {}
        for count in (1, 2):
            keys = ("ref", "ref2")[:count]
            rows = [(text["mt"], [text[key] for key in keys if text[key] is not None]) for text in texts]
            segments, corpus = numbers(rows, [[text[key] for text in texts] for key in keys])
            by_references[str(count)] = {"segments": segments, "corpus": corpus}
        vectors[spec] = {
            "stands_for": STANDS_FOR.get(spec, spec),
            "tool": f"{tool} {version(tool)}",
            "references": by_references,
        }
    body = ",\n".join(f" {json.dumps(spec)}: {json.dumps(vector)}" for spec, vector in vectors.items())
    (DATA / "selfcheck_vectors.json").write_text("{\n" + body + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
