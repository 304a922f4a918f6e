"""Benchmark: assay compared with sacrebleu, rouge-score, NLTK and rapidfuzz, in one run.

    python benchmarks/string_metrics.py [PATH TO THE SHARED DATA]

Segments: all distinct requests of DEMETR, shuffled, through the public Python call, without the store. The peers are timed on
the first `PEER` of them. Comparison: two systems of 1,997 lines, 1,000 resamples, including statistics, the same seed.
"""

from __future__ import annotations

import glob
import gzip
import json
import os
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

import sacrebleu
from rapidfuzz.distance import Levenshtein
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.significance import PairedTest

import assay

PEER = 1500


def requests(shared: Path) -> tuple[list[str], list[str]]:
    pairs: dict[tuple[str, str], None] = {}
    for name in sorted(glob.glob(str(shared / "data" / "demetr" / "*.jsonl.gz"))):
        with gzip.open(name, "rt", encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                if row["pert_check"]:
                    pairs[row["mt_sent"], row["eng_sent"]] = pairs[row["pert_sent"], row["eng_sent"]] = None
    shuffled = list(pairs)
    random.Random(1).shuffle(shuffled)
    return [pair[0] for pair in shuffled], [pair[1] for pair in shuffled]


def seconds(call: Callable[[], object], repeat: int = 1) -> float:
    best = float("inf")
    for _ in range(repeat):
        started = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - started)
    return best


def peers() -> dict[str, tuple[str, Callable[[str, str], object]]]:
    bleu, chrf, chrf2, ter = (
        sacrebleu.BLEU(effective_order=True),
        sacrebleu.CHRF(),
        sacrebleu.CHRF(word_order=2),
        sacrebleu.TER(),
    )
    rouge = RougeScorer(["rouge2"])
    return {
        "chrf": ("sacrebleu", lambda h, r: chrf.sentence_score(h, [r])),
        "chrf++": ("sacrebleu", lambda h, r: chrf2.sentence_score(h, [r])),
        "ter": ("sacrebleu", lambda h, r: ter.sentence_score(h, [r])),
        "bleu": ("sacrebleu", lambda h, r: bleu.sentence_score(h, [r])),
        "rouge2": ("rouge-score", lambda h, r: rouge.score(r, h)),
        "cer": ("rapidfuzz", Levenshtein.distance),
        "meteor": ("nltk", meteor()),
    }


def meteor() -> Callable[[str, str], object]:
    from nltk.translate.meteor_score import single_meteor_score

    class NoWordNet:
        def synsets(self, word: str) -> list[object]:
            return []

    return lambda h, r: single_meteor_score(r.split(), h.split(), wordnet=NoWordNet())  # type: ignore[arg-type]


def main() -> None:
    shared = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2] / "shared"
    hypotheses, references = requests(shared)
    print(f"{len(hypotheses):,} requests, {os.cpu_count()} cores; microseconds per segment")
    print(f"{'metric':<10}{'peer':<14}{'theirs':>9}{'ours':>8}{'ratio':>8}")
    for name, (peer, call) in peers().items():
        spec = "meteor:wordnet=none" if name == "meteor" else name
        some = list(zip(hypotheses[:PEER], references[:PEER], strict=True))
        theirs = seconds(lambda some=some, call=call: [call(h, r) for h, r in some]) / PEER  # type: ignore[misc]
        assay.score(hypotheses[:100], references[:100], metrics=[spec])
        ours = seconds(lambda spec=spec: assay.score(hypotheses, references, metrics=[spec]), 3) / len(hypotheses)  # type: ignore[misc]
        print(f"{name:<10}{peer:<14}{theirs * 1e6:>9.1f}{ours * 1e6:>8.2f}{theirs / ours:>7.0f}x", flush=True)
    compare(hypotheses, references)


def compare(hypotheses: list[str], references: list[str]) -> None:
    n = 1997
    systems = {"a": hypotheses[:n], "b": [line.replace("the", "a", 1) for line in hypotheses[:n]]}
    for name, peer in (("chrf", sacrebleu.CHRF()), ("bleu", sacrebleu.BLEU()), ("ter", sacrebleu.TER())):
        theirs = seconds(
            lambda peer=peer: PairedTest(list(systems.items()), {"m": peer}, [references[:n]], "bs", 1000)()  # type: ignore[misc]
        )
        ours = seconds(lambda name=name: assay.compare(systems, references[:n], metrics=[name], trials=0), 3)  # type: ignore[misc]
        print(
            f"paired bootstrap, {name}: sacrebleu {theirs:.2f} s, assay {ours:.3f} s, {theirs / ours:.0f}x", flush=True
        )


if __name__ == "__main__":
    main()
