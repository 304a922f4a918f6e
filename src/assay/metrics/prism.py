"""Prism (Thompson and Post 2020): log-probability of translation and reference under a multilingual paraphraser.

The score is the mean log-probability (natural logarithm) of the translation's tokens and the end token given the reference. It
is averaged with that of the reference given the translation. Prism-QE uses the source instead, in one direction. The decoder's
first token is the language tag, which does not count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.core.batch import Batch
from assay.core.errors import InputError
from assay.core.metric import Card, Needs, Scores, Signature
from assay.core.spec import Word
from assay.data import model_languages
from assay.metrics.bartscore import likelihoods, target_languages
from assay.metrics.common import best, truncated, with_references, with_sources_or_references
from assay.metrics.neural import NeuralMetric, Precision, need_neural
from assay.metrics.published import folder_of, weights_of

if TYPE_CHECKING:
    from assay.models.seq2seq.likelihood import Likelihood


def _card(name: str, label: str, needs: Needs, meaning: str) -> Card:
    return Card(
        name=name,
        label=label,
        needs=needs,
        higher_is_better=True,
        range=(None, 0.0),
        meaning=meaning,
        languages=model_languages()["m39v1"],
        licence="MIT",
        citation="Thompson and Post 2020, Automatic machine translation evaluation in many languages via zero-shot paraphrasing",
        extra="neural",
        decimals=3,
        kind="likelihood",
        weights=weights_of("m39v1"),
    )


class Prism(NeuralMetric):
    """Prism with a reference.

    `path` is a folder with checkpoint.pt, spm.model and the two dictionaries, as in m39v1. `lang` is the target language if no
    language pair is specified. `temperature` applies to the distribution over tokens; the paper uses 1. With several
    references, the best one counts. `precision`: auto means fp32 on a CPU and fp16 on a GPU.
    """

    reports_speed = True
    card = _card(
        "prism",
        "Prism",
        "reference",
        "Mean log-probability of translation and reference as paraphrases of each other, 0 at best.",
    )

    def __init__(
        self,
        *,
        path: str | None = None,
        lang: Word | None = None,
        temperature: float = 1.0,
        precision: Precision = "auto",
        device: Word = "auto",
    ) -> None:
        need_neural(self.card.name, "tokenizers", "safetensors")
        from assay.models.seq2seq.fairseq_file import find_fairseq

        if not temperature > 0:
            raise InputError(f"temperature must be above 0, not {temperature:g}.")
        super().__init__(precision, device)
        self.lang, self.temperature = lang, temperature
        self.files = find_fairseq(folder_of(path, "m39v1", self.card.name))

    @property
    def signature(self) -> Signature:
        return self.signed_as(1, **({"temperature": self.temperature} if self.temperature != 1.0 else {}))

    def _fingerprint(self) -> str:
        return self.files.fingerprint()

    def _load(self) -> tuple[Likelihood, Any]:
        from assay.models.seq2seq.likelihood import Likelihood
        from assay.models.seq2seq.texts import Framing

        words = self.files.words()
        model = self.files.model(dtype=self.dtype(), device=self.place()[0])
        return Likelihood(model, temperature=self.temperature), Framing(model.shape, words)

    def _score(self, batch: Batch) -> Scores:

        languages = target_languages(batch, self.lang)
        rows, references = with_references(batch, self.card)
        ref_texts = [(text, languages[i]) for i, text in zip(rows, references, strict=True)]
        mt_texts = [(batch.hypotheses[i], languages[i]) for i in rows]
        model, framing = self.loaded()
        forward, cut = likelihoods(model, framing, ref_texts, mt_texts, self.card.name)
        backward, also = likelihoods(model, framing, mt_texts, ref_texts, self.card.name)
        values = 0.5 * forward + 0.5 * backward
        best_rows = best(values.tolist(), rows, len(batch))
        return Scores(values[best_rows], flags=truncated((cut | also)[best_rows]))


class PrismQe(Prism):
    """Prism with the source instead of the reference."""

    card = _card(
        "prism-qe",
        "Prism-QE",
        "source",
        "Mean log-probability of the translation given the source, 0 at best.",
    )

    def _score(self, batch: Batch) -> Scores:
        _, texts = with_sources_or_references(batch, self.card)
        languages = target_languages(batch, self.lang)
        # The encoder reads no language tag, so the source can be encoded with the tag of the target language.
        sources = list(zip(texts, languages, strict=True))
        mt_texts = list(zip(batch.hypotheses, languages, strict=True))
        model, framing = self.loaded()
        values, cut = likelihoods(model, framing, sources, mt_texts, self.card.name)
        return Scores(values, flags=truncated(cut))
