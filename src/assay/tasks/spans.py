"""Extractive question answering with the user's span model, judged by SQuAD exact match.

Moghe et al. (2023), §3.2.2, use a RoBERTa fine-tuned on SQuAD and translate question and context. An answer is correct only if
it is the same as the English gold answer after SQuAD's normalisation, which ignores case, punctuation, articles and extra
spaces. A translated context may express the same content in other words, and then no model could find the gold answer. This
counts as a failure too, as in the paper.

Names, numbers and dates survive a good translation; a paraphrase of the answer counts as a breakdown. The criterion is strict,
but the same for every metric.
"""

from __future__ import annotations

import re
import string
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from assay.core.errors import InputError
from assay.tasks.checkpoint import load_pretrained

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_LONGEST_ANSWER = 30
_STRIDE = 128


class Span(NamedTuple):
    """A span of the context."""

    text: str


def normalise_answer(answer: str) -> str:
    """Normalise an answer as in SQuAD 1.1: lower case, single spaces, no ASCII punctuation, no English articles."""
    return " ".join(_ARTICLES.sub(" ", answer.lower().translate(_PUNCTUATION)).split())


class SpanFinder:
    """Model that returns the span with the highest sum of start and end scores; long contexts are read in windows."""

    def __init__(self, folder: str) -> None:
        """Load a transformers question-answering checkpoint with safetensors weights; no code from the folder is run."""
        self.folder = Path(folder).expanduser()
        self.name = f"span-{self.folder.name}"
        if not (self.folder / "config.json").is_file():
            raise InputError(
                f"{self.folder} has no config.json. Specify the folder of a question-answering checkpoint."
            )
        if not list(self.folder.glob("*.safetensors")):
            raise InputError(
                f"{self.folder} has no safetensors weights. Other formats can run code, so convert them first."
            )
        self._tokenizer, self._model = self._load()

    def answer(self, inputs: Sequence[Mapping[str, str]]) -> list[Span]:
        """Return one span per question; an empty one if the context has none."""
        return [Span(self._best(row["question"], row["context"])) for row in inputs]

    def _best(self, question: str, context: str) -> str:
        import torch

        longest = min(384, int(getattr(self._model.config, "max_position_embeddings", 512)) - 2)
        room = longest - len(self._tokenizer(question)["input_ids"]) - 2
        if room < 2 or not context.strip():
            return ""
        coded = self._tokenizer(
            question,
            context,
            truncation="only_second",
            max_length=longest,
            stride=min(_STRIDE, room // 2),
            return_overflowing_tokens=True,
            return_offsets_mapping=True,
        )
        best, best_text = float("-inf"), ""
        for window in range(len(coded["input_ids"])):
            texts = {
                name: torch.tensor([coded[name][window]]) for name in self._tokenizer.model_input_names if name in coded
            }
            with torch.inference_mode():
                scores = self._model(**texts)
            inside = [position for position, part in enumerate(coded.sequence_ids(window)) if part == 1]
            total, first, last = _best_span(scores.start_logits[0], scores.end_logits[0], inside)
            if total > best:
                offsets = coded["offset_mapping"][window]
                best, best_text = total, context[offsets[first][0] : offsets[last][1]]
        return best_text

    def _load(self) -> tuple[Any, Any]:
        tokenizer, (model, report) = load_pretrained(
            self.name,
            self.folder,
            "AutoModelForQuestionAnswering",
            "a question-answering checkpoint",
            use_safetensors=True,
            output_loading_info=True,
        )
        if report["missing_keys"]:
            raise InputError(
                f"{self.folder} is not a question-answering model: it has no weights for {sorted(report['missing_keys'])[0]}."
            )
        if not tokenizer.is_fast:
            raise InputError(f"{self.folder} has no tokenizer.json, which is needed to locate answers in the context.")
        return tokenizer, model.eval()


def _best_span(starts: Any, ends: Any, inside: Sequence[int]) -> tuple[float, int, int]:
    """Return the score, start and end of the best span of at most 30 tokens, by the sum of its start and end scores; ties go to
    the first.
    """
    import torch

    if not inside:
        return float("-inf"), 0, 0
    first = inside[0]
    sums = starts[inside][:, None].double() + ends[inside][None, :].double()
    allowed = torch.ones_like(sums, dtype=torch.bool).triu().tril(_LONGEST_ANSWER - 1)
    position = int(sums.masked_fill(~allowed, float("-inf")).argmax())
    start, end = divmod(position, len(inside))
    return float(sums[start, end]), first + start, first + end
