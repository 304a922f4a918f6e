"""Reference implementation of the chrF kernel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


def ngrams(symbols: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    """Return the multiset of n-grams of one order."""
    return Counter(tuple(symbols[i : i + order]) for i in range(len(symbols) - order + 1))


def chrf_words(text: str) -> list[str]:
    """Return the words, with one punctuation mark split off at the end or else at the start."""
    words: list[str] = []
    for word in text.split():
        if len(word) > 1 and word[-1] in PUNCTUATION:
            words += [word[:-1], word[-1]]
        elif len(word) > 1 and word[0] in PUNCTUATION:
            words += [word[0], word[1:]]
        else:
            words.append(word)
    return words


def chrf_statistics(hypothesis: str, reference: str, char_order: int, word_order: int, whitespace: bool) -> list[int]:
    """Return n-gram counts [hypothesis, reference, match] for every character order, then every word order.

    If the reference has no n-grams of an order, those of the hypothesis do not count.
    """
    hyp, ref = ((text if whitespace else "".join(text.split())) for text in (hypothesis, reference))
    sides = [(ngrams(hyp, n), ngrams(ref, n)) for n in range(1, char_order + 1)]
    hyp_words, ref_words = chrf_words(hypothesis), chrf_words(reference)
    sides += [(ngrams(hyp_words, n), ngrams(ref_words, n)) for n in range(1, word_order + 1)]
    return [number for h, r in sides for number in (h.total() if r else 0, r.total(), (h & r).total())]
