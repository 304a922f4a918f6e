"""Speed of span agreement: assay's kernel next to the plain Python version of the same definitions.

PYTHONPATH=src:. python benchmarks/span_agreement.py                     # 100,000 segments, about a minute
PYTHONPATH=src:. python benchmarks/span_agreement.py --segments 200      # a second
"""

from __future__ import annotations

import argparse
import random
import time

from assay.kernels.reference.span_agreement import span_credits
from assay.stats.span_agreement import WEIGHTS, SpanVariant, averaged, segment_credits

VARIANTS = (
    "EM/one_to_one-optimal/micro/penalty=0.5",
    "MP/one_to_one-optimal/micro/penalty=0.5",
    "WMT25/one_to_one-greedy/micro/penalty=0.5",
    "WMT25/many_to_many/micro/penalty=0.5",
    "MPP/one_to_one-optimal/micro/penalty=0",
    "MPP/many_to_many/micro/weights=w1",
)


Spans = list[tuple[int, int, str, str]]


def gold_spans(rng: random.Random) -> Spans:
    """Return zero to six spans of a segment of 150 characters."""
    spans = []
    for _ in range(rng.choice((0, 1, 1, 2, 2, 3, 4, 6))):
        start = rng.randrange(140)
        spans.append((start, start + rng.randrange(1, 25), "target", rng.choice(("minor", "major"))))
    return spans


def predicted_spans(rng: random.Random, gold: Spans) -> Spans:
    """Return spans near most of the reference spans, and some elsewhere: F is about that of a second annotator."""
    near = [
        (max(0, a + rng.randrange(-8, 9)), b + 10, side, severity)
        for a, b, side, severity in gold
        if rng.random() < 0.7
    ]
    return near + gold_spans(rng)[:2]


def main() -> None:
    """Time every variant and print how many times faster the kernel is."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--segments", type=int, default=100_000)
    segments = parser.parse_args().segments
    rng = random.Random(1)
    gold = [gold_spans(rng) for _ in range(segments)]
    predicted = [predicted_spans(rng, spans) for spans in gold]
    for name in VARIANTS:
        variant = SpanVariant.parse(name)
        weights = WEIGHTS[variant.weights] if variant.weights else None
        start = time.process_time()
        plain = span_credits(predicted, gold, variant.measure, variant.matching, variant.penalty, weights)
        middle = time.process_time()
        credits = segment_credits(predicted, gold, variant)
        seconds = time.process_time() - middle
        assert abs(credits - plain).max(initial=0.0) < 1e-9
        print(
            f"{name:45} F {averaged(credits, variant.average)[2]:.4f}  plain {middle - start:7.2f} s  "
            f"assay {seconds:6.3f} s  {(middle - start) / max(seconds, 1e-9):5.0f}x"
        )


if __name__ == "__main__":
    main()
