"""What each kernel should have given for one row, by the tool whose numbers it promises: (expected, found), or None."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from types import SimpleNamespace
from typing import Any

from nltk.translate.meteor_score import single_meteor_score
from rapidfuzz.distance import Levenshtein
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from tests.kernels.calls import Arguments
from tests.kernels.specified import Verdict, of_row, too_long

bleu, chrf, ter, rouge = cache(BLEU), cache(CHRF), cache(TER), cache(RougeScorer)


def judge_bleu(arguments: Arguments, result: Any, row: int) -> Verdict:
    hypothesis, references = of_row(arguments, row)
    order, tokenize, smoothing, value = arguments[2:]
    tool = bleu(
        effective_order=True,
        max_ngram_order=order,
        tokenize="13a" if tokenize else "none",
        smooth_method=smoothing,
        smooth_value=value if smoothing in ("floor", "add-k") else None,
    )
    return tool.sentence_score(hypothesis, references).score, result[1][row]


def judge_chrf(arguments: Arguments, result: Any, row: int) -> Verdict:
    hypothesis, references = of_row(arguments, row)
    chars, words, beta, whitespace, eps = arguments[2:]
    tool = chrf(char_order=chars, word_order=words, beta=int(beta), whitespace=whitespace, eps_smoothing=eps)
    return tool.sentence_score(hypothesis, references).score, result[1][row]


def judge_ter(arguments: Arguments, result: Any, row: int) -> Verdict:
    hypothesis, references = of_row(arguments, row)
    lowercase = arguments[2]
    if lowercase and any(c in text for text in (hypothesis, *references) for c in "\u0130\u03a3"):
        return None
    if too_long(hypothesis, references):
        return None
    return ter(case_sensitive=not lowercase).sentence_score(hypothesis, references).score, result[1][row]


def judge_rouge(arguments: Arguments, result: Any, row: int) -> Verdict:
    hypothesis, references = of_row(arguments, row)
    name = f"rouge{arguments[2] or 'L'}"
    score = rouge((name,)).score_multi(references, hypothesis)[name]
    return [score.fmeasure, score.precision, score.recall], [column[row] for column in result[:3]]


def judge_edit(split: Callable[[str], Sequence[str]], arguments: Arguments, result: Any, row: int) -> Verdict:
    hypothesis, references = of_row(arguments, row)
    rates = []
    for reference in references:
        edits, length = Levenshtein.distance(split(hypothesis), split(reference)), len(split(reference))
        rates.append(edits / length if length else float(edits > 0))
    return min(rates), result[1][row]


def judge_tokens(arguments: Arguments, result: Any, row: int) -> Verdict:
    return Tokenizer13a()(arguments[0][row].rstrip()), result[row]


def judge_meteor(arguments: Arguments, result: Any, row: int) -> Verdict:
    """NLTK's alignment over the stems and synonyms that were drawn, in place of Porter's and WordNet's."""
    ids, starts, rows, _, stem, synonym_starts, synonyms, alpha, beta, gamma = arguments
    texts = [ids[starts[t] : starts[t + 1]].tolist() for t in range(row, len(starts) - 1, rows)]

    def lemmas(word: str) -> list[SimpleNamespace]:
        number = int(word[1:])
        names = [f"s{synonym}" for synonym in synonyms[synonym_starts[number] : synonym_starts[number + 1]]]
        return [SimpleNamespace(name=lambda name=name: name) for name in names]

    tools = {
        "stemmer": SimpleNamespace(stem=lambda word: f"s{stem[int(word[1:])]}"),
        "wordnet": SimpleNamespace(synsets=lambda word: [SimpleNamespace(lemmas=lambda: lemmas(word))]),
    }
    names = [[f"w{number}" for number in text] for text in texts if text != [-1]]
    scores = [single_meteor_score(ref, names[0], alpha=alpha, beta=beta, gamma=gamma, **tools) for ref in names[1:]]
    return max(scores), result[row]


JUDGES: dict[str, Callable[[Arguments, Any, int], Verdict]] = {
    "bleu": judge_bleu,
    "chrf": judge_chrf,
    "ter": judge_ter,
    "rouge": judge_rouge,
    "meteor": judge_meteor,
    "cer": partial(judge_edit, str),
    "wer": partial(judge_edit, str.split),
    "tokenize_13a": judge_tokens,
}
