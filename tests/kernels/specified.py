"""What each kernel should have given for one row, by its twin: (expected, found), or None where the twin has no say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from assay.kernels.reference import (
    bleu,
    chrf,
    edit,
    meteor,
    mini,
    pairwise,
    permutation,
    requests,
    resample,
    rouge,
    ter,
)
from tests.kernels.calls import Arguments
from tests.kernels.mini_model import random_model
from tests.kernels.texts import Batch

Verdict = tuple[Any, Any] | None
LONGEST = 150
"""Characters of a text up to which the twins with quadratic loops are asked."""


def of_row(arguments: Arguments, row: int) -> tuple[str, list[str]]:
    return Batch(arguments[0], arguments[1]).row(row)


def too_long(hypothesis: str, references: Sequence[str]) -> bool:
    return max(map(len, (hypothesis, *references))) > LONGEST


def judge_bleu(arguments: Arguments, result: Any, row: int) -> Verdict:
    hypothesis, references = of_row(arguments, row)
    order, tokenize, smoothing, value = arguments[2:]
    split: Callable[[str], Sequence[str]] = bleu.tokenize_13a if tokenize else str.split
    stats = bleu.bleu_statistics(split(hypothesis), [split(text) for text in references], order)
    return [stats, bleu.sentence_bleu(stats, order, smoothing, value)], [result[0][row], result[1][row]]


def judge_chrf(arguments: Arguments, result: Any, row: int) -> Verdict:
    """Of several references the best by score; the twin knows statistics only, so the kernel's must be one of theirs."""
    hypothesis, references = of_row(arguments, row)
    chars, words, _, whitespace, _ = arguments[2:]
    each = [list(map(float, chrf.chrf_statistics(hypothesis, text, chars, words, whitespace))) for text in references]
    found = result[0][row]
    return (found if found in each else each), found


def judge_ter(arguments: Arguments, result: Any, row: int) -> Verdict:
    """Not where a text needs str.lower as a whole: callers lower those beforehand."""
    hypothesis, references = of_row(arguments, row)
    lowercase = arguments[2]
    if lowercase and any(c in text for text in (hypothesis, *references) for c in "\u0130\u03a3"):
        return None
    if too_long(hypothesis, references):
        return None
    split: Callable[[str], list[str]] = (lambda text: text.lower().split()) if lowercase else str.split
    return list(ter.ter_statistics(split(hypothesis), [split(text) for text in references])), result[0][row]


def judge_edit(split: Callable[[str], Sequence[str]], arguments: Arguments, result: Any, row: int) -> Verdict:
    hypothesis, references = of_row(arguments, row)
    if too_long(hypothesis, references):
        return None
    edits, length, rate = edit.error_rate(split(hypothesis), [split(text) for text in references])
    return [edits, length, rate], [*result[0][row], result[1][row]]


def judge_rouge(arguments: Arguments, result: Any, row: int) -> Verdict:
    hypothesis, references = of_row(arguments, row)
    if arguments[2] == 0 and too_long(hypothesis, references):
        return None
    unsupported = any(map(rouge.unsupported_script, (hypothesis, *references)))
    return [*rouge.rouge(hypothesis, references, arguments[2]), unsupported], [column[row] for column in result]


def judge_tokens(arguments: Arguments, result: Any, row: int) -> Verdict:
    return " ".join(bleu.tokenize_13a(arguments[0][row])), result[row]


def judge_word_ids(arguments: Arguments, result: Any, row: int) -> Verdict:
    """All rows at once, since words are numbered over all of them."""
    if row % 10:
        return None
    words, ids = meteor.word_ids(arguments[0])
    return [words, [number for text in ids for number in text]], [result[0], result[1]]


def judge_meteor(arguments: Arguments, result: Any, row: int) -> Verdict:
    ids, starts, rows, _, stem, synonym_starts, synonyms, alpha, beta, gamma = arguments
    texts = [ids[starts[t] : starts[t + 1]].tolist() for t in range(row, len(starts) - 1, rows)]
    words = sorted({number for text in texts for number in text})
    stems = {f"w{number}": f"s{stem[number]}" for number in words if number >= 0}
    known = {int(stem[number]) for number in words if number >= 0}
    alike = {f"s{s}": [f"s{x}" for x in synonyms[synonym_starts[s] : synonym_starts[s + 1]]] for s in known}
    names = [None if text == [-1] else [f"w{number}" for number in text] for text in texts]
    scores = [
        meteor.meteor(names[0] or [], ref, stems, alike, alpha, beta, gamma) for ref in names[1:] if ref is not None
    ]
    return max(scores), result[row]


def judge_distinct(arguments: Arguments, result: Any, row: int) -> Verdict:
    return (list(requests.distinct(*arguments)), result) if row % 10 == 0 else None


def judge_describe(arguments: Arguments, result: Any, row: int) -> Verdict:
    hypotheses, sources, references, ratio, margin = arguments
    texts = [column[row] for column in references]
    source = sources[row] if sources is not None else None
    return requests.describe(hypotheses[row], source, texts, ratio, margin), result[row]


def groups(arguments: Arguments) -> list[list[list[tuple[float, float]]]]:
    gold, rows, starts = (value.tolist() for value in arguments[:3])
    return [pairwise.groups(gold, metric, starts) for metric in rows]


def judge_pair_counts(arguments: Arguments, result: Any, row: int) -> Verdict:
    cut = zip(groups(arguments), arguments[3].tolist(), strict=True)
    return [pairwise.pair_counts(cells, epsilon) for row_cut, epsilon in cut for cells in row_cut], result


def judge_kendall_like(arguments: Arguments, result: Any, row: int) -> Verdict:
    return [pairwise.kendall_like(cells, arguments[3]) for cut in groups(arguments) for cells in cut], result


def judge_correct_pairs(arguments: Arguments, result: Any, row: int) -> Verdict:
    expected = [
        [
            int(pairwise.verdict(one, other, epsilon) in (0, 4))
            for cells in cut
            for i, one in enumerate(cells)
            for other in cells[i + 1 :]
        ]
        for cut, epsilon in zip(groups(arguments), arguments[3].tolist(), strict=True)
    ]
    return (expected, result) if any(expected) else ([], result)  # without pairs there are no rows either


def judge_tie_calibration(arguments: Arguments, result: Any, row: int) -> Verdict:
    sizes = np.diff(arguments[2])
    if sizes.max() < 2 or sizes.max() > 9:  # no pair at all, or more than Python can search in time
        return None
    found = [pairwise.tie_calibration(cut) for cut in groups(arguments)]
    return [[float(row[k]) for row in found] for k in range(3)], result


def judge_masked_sums(arguments: Arguments, result: Any, row: int) -> Verdict:
    masks, rows = arguments
    bits = np.concatenate([mask >> np.arange(8)[:, None] & 1 for mask in masks])  # one row a cell, one column a draw
    return permutation.masked_sums(bits.T[:, : rows.shape[1]].astype(bool).tolist(), rows.tolist()), result


@cache
def twin() -> mini.Mini:
    return mini.Mini(random_model(layers=3))


NEAR = {True: 0.005, False: 0.2}
"""How far assay-mini's whole numbers may lead from its twin, with 14 bits and with 8, in a model of chance."""


def nearly(expected: Any, found: Any, precise: bool) -> Verdict:
    """The verdict where numbers need only be near."""
    distance = (
        np.abs(np.subtract(expected, found)).max(initial=0.0) if np.shape(expected) == np.shape(found) else np.inf
    )
    return (found if distance <= NEAR[precise] else expected), found


def judge_mini_pieces(arguments: Arguments, result: Any, row: int) -> Verdict:
    ids, starts, begins, ends, *counts = result
    own = slice(starts[row], starts[row + 1])
    expected = [array.tolist() for array in twin().pieces([arguments[0][row]])]
    del expected[1]
    return expected, [ids[own], begins[own], ends[own], *([column[row]] for column in counts)]


def judge_mini_score(arguments: Arguments, result: Any, row: int) -> Verdict:
    hypotheses, references, sources, precise, _ = arguments
    others = [column[row] if column else None for column in (references, sources)]
    if too_long(hypotheses[row], [text or "" for text in others]):
        return None
    values, tags, starts, begins, ends, cut = result
    own = slice(starts[row], starts[row + 1])
    wanted = twin().score([hypotheses[row]], *([text] for text in others))
    expected, found = nearly(
        np.vstack([wanted[0].reshape(-1, 1), wanted[1].reshape(-1, 1)]).ravel().tolist(),
        [*values[row], *(number for pair in tags[own] for number in pair)],
        precise,
    ) or ([], [])
    plain = [array.tolist() for array in wanted[3:]]
    return [expected, plain], [found, [begins[own], ends[own], [cut[row]]]]


def judge_mini_match(arguments: Arguments, result: Any, row: int) -> Verdict:
    hypotheses, others, kind, depth, precise, _ = arguments
    pair = hypotheses[row], others[row] or ""
    if too_long(pair[0], pair[1:]):
        return None
    return nearly(twin().match([pair[0]], [pair[1]], kind, depth)[0].tolist(), result[row], precise)


JUDGES: dict[str, Callable[[Arguments, Any, int], Verdict]] = {
    "bleu": judge_bleu,
    "chrf": judge_chrf,
    "ter": judge_ter,
    "rouge": judge_rouge,
    "meteor": judge_meteor,
    "cer": partial(judge_edit, list),
    "wer": partial(judge_edit, str.split),
    "tokenize_13a": judge_tokens,
    "word_ids": judge_word_ids,
    "distinct": judge_distinct,
    "describe": judge_describe,
    "Mini.pieces": judge_mini_pieces,
    "Mini.score": judge_mini_score,
    "Mini.match": judge_mini_match,
    "pair_counts": judge_pair_counts,
    "kendall_like": judge_kendall_like,
    "correct_pairs": judge_correct_pairs,
    "tie_calibration": judge_tie_calibration,
    "masked_sums": judge_masked_sums,
    "resample_sums": lambda arguments, result, row: (resample.resample_sums(*arguments).tolist(), result),
    "bit_sums": lambda arguments, result, row: (resample.bit_sums(*arguments).tolist(), result),
    "masked_counts": lambda arguments, result, row: (
        permutation.masked_counts(*(value.tolist() for value in arguments)),
        result,
    ),
}
