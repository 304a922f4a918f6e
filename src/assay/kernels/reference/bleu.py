"""Reference implementation of the BLEU kernel."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

MARKS = re.compile(r"([\{-\~\[-\` -\&\(-\+\:-\@\/])")
STOP_BEHIND_OTHER = re.compile(r"([^0-9])([\.,])")
STOP_BEFORE_OTHER = re.compile(r"([\.,])([^0-9])")
DASH_BEHIND_DIGIT = re.compile(r"([0-9])(-)")


def tokenize_13a(text: str) -> list[str]:
    """Return the tokens of mteval-v13a.pl, without trailing whitespace."""
    line = text.rstrip().replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    line = line.replace("&quot;", '"').replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">")
    line = MARKS.sub(r" \1 ", f" {line} ")
    line = STOP_BEHIND_OTHER.sub(r"\1 \2 ", line)
    line = STOP_BEFORE_OTHER.sub(r" \1 \2", line)
    return DASH_BEHIND_DIGIT.sub(r"\1 \2 ", line).split()


def bleu_statistics(hypothesis: Sequence[str], references: Sequence[Sequence[str]], order: int) -> list[int]:
    """Return [hypothesis length, closest reference length, correct n-grams per order, all n-grams per order].

    Correct n-grams are clipped at their highest count in any single reference. If two reference lengths are equally
    close to the hypothesis's, the shorter one is used.
    """
    allowed: Counter[tuple[str, ...]] = Counter()
    for reference in references:
        allowed |= _ngrams(reference, order)
    found = _ngrams(hypothesis, order)
    length = min((abs(len(r) - len(hypothesis)), len(r)) for r in references)[1]
    return [len(hypothesis), length, *_by_order(found & allowed, order), *_by_order(found, order)]


def sentence_bleu(stats: Sequence[int], order: int, smooth_method: str, smooth_value: float) -> float:
    """Return BLEU of one segment over the orders for which the hypothesis has n-grams (effective order)."""
    length, reference, correct, total = stats[0], stats[1], stats[2 : 2 + order], stats[2 + order :]
    if not any(correct):
        return 0.0
    logs, zeros = [], 0
    for k, (hits, all_) in enumerate(zip(correct, total, strict=True)):
        added = smooth_value if smooth_method == "add-k" and k > 0 else 0
        if all_ + added == 0:
            break
        precision = 100 * (hits + added) / (all_ + added)
        if hits + added == 0:
            zeros += 1
            precision = {"exp": 100 / (2**zeros * all_), "floor": 100 * smooth_value / all_}.get(smooth_method, 0.0)
        logs.append(math.log(precision) if precision else -9999999999)
    penalty = math.exp(1 - reference / length) if length < reference else 1.0
    return penalty * math.exp(sum(logs) / len(logs))


def _ngrams(tokens: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    """Return the multisets of n-grams of every order from 1 to `order`."""
    return Counter(tuple(tokens[i : i + n]) for n in range(1, order + 1) for i in range(len(tokens) - n + 1))


def _by_order(grams: Counter[tuple[str, ...]], order: int) -> list[int]:
    """Return the number of n-grams of every order."""
    return [sum(n for gram, n in grams.items() if len(gram) == k) for k in range(1, order + 1)]
