"""BARTScore (Yuan et al. 2021): log-probability of one text given another under a sequence-to-sequence model.

Scores are mean log-probabilities over the tokens of the target text, including the start and end tokens. As in section 3.3 of
the paper, they are precision (reference to translation), recall (translation to reference), F1 (the mean of both) and
faithfulness (source to translation).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from assay.core.batch import Batch
from assay.core.errors import InputError
from assay.core.langpair import target, written
from assay.core.metric import Card, Scores, Signature
from assay.core.spec import Word
from assay.metrics.common import best, truncated, with_references, with_sources_or_references
from assay.metrics.neural import NeuralMetric, Precision, need_neural
from assay.metrics.published import folder_of, weights_of

if TYPE_CHECKING:
    from assay.core.metric import Bools, Floats
    from assay.models.seq2seq.likelihood import Likelihood
    from assay.models.seq2seq.texts import Framing

Value = Literal["f1", "precision", "recall", "faithfulness"]
TextInLanguage = tuple[str, str]
"""A text and its language."""


class BartScore(NeuralMetric):
    """BARTScore with any encoder-decoder: BART (the original), mBART, M2M-100 or T5.

    `value` selects the score. `path` is a hub folder, by default bart-large-cnn. `weights` is a torch file that replaces the
    folder's weights, such as the ``bart.pth`` trained on ParaBank2. `tokenizer` is needed if the folder has none. With several
    references, `several` selects the best one or the mean. `lang` is the target language, for models that need one, if no
    language pair is specified. `precision`: auto means fp32 on a CPU and fp16 on a GPU.
    """

    reports_speed = True
    card = Card(
        name="bartscore",
        label="BARTScore",
        needs="reference",
        higher_is_better=True,
        range=(None, 0.0),
        meaning="Mean log-probability of the translation given the reference and of the reverse, 0 at best.",
        languages=("en",),
        licence="Apache-2.0; bart-large-cnn: MIT",
        citation="Yuan et al. 2021, BARTScore: evaluating generated text as text generation",
        trained_on=("cnn-dailymail",),
        extra="neural",
        decimals=3,
        kind="likelihood",
        weights=replace(weights_of("bart-large-cnn"), licence="MIT"),
    )

    def __init__(
        self,
        *,
        value: Value = "f1",
        path: str | None = None,
        weights: str | None = None,
        tokenizer: str | None = None,
        several: Literal["best", "mean"] = "best",
        lang: Word | None = None,
        precision: Precision = "auto",
        device: Word = "auto",
    ) -> None:
        need_neural(self.card.name, "tokenizers", "safetensors")
        from assay.models.seq2seq.folder import find_model
        from assay.models.seq2seq.texts import Framing, read_tokenizer

        super().__init__(precision, device)
        self.value, self.several, self.lang = value, several, lang
        files = find_model(folder_of(path, "bart-large-cnn", self.card.name))
        if weights is not None:
            file = Path(weights).expanduser()
            if not file.is_file():
                raise InputError(f"the weights {file} do not exist.")
            files = replace(files, weights=(file,))
        self.files = files
        shape = files.shape()
        if shape.causal_only:
            raise InputError(
                f"{files.config} describes a language model, but bartscore needs an encoder-decoder (bart, mbart, m2m_100, t5)."
            )
        self.on_gpu = "bf16" if shape.rms else "fp16"  # type: ignore[misc]
        self.framing: Framing = Framing(shape, read_tokenizer(files.folder, tokenizer))
        if path is not None:
            self.card = replace(self.card, languages=("any",), licence="the folder's own", trained_on=(), weights=None)
        if value == "faithfulness":
            self.card = replace(self.card, needs="source")

    @property
    def signature(self) -> Signature:
        several = {"several": self.several} if self.several != "best" else {}
        return self.signed_as(1, value=self.value, model=self.files.folder.resolve().name, **several)

    def _fingerprint(self) -> str:
        return self.files.fingerprint(*self.framing.words.files)

    def _load(self) -> Likelihood:
        from assay.models.seq2seq.likelihood import Likelihood

        ignored = self.framing.shape.pad if self.framing.shape.family == "bart" else None
        return Likelihood(self.files.model(dtype=self.dtype(), device=self.place()[0]), ignored=ignored)

    def _score(self, batch: Batch) -> Scores:
        import numpy as np

        languages = target_languages(batch, self.lang)
        translations = [*zip(batch.hypotheses, languages, strict=True)]
        if self.value == "faithfulness":
            _, texts = with_sources_or_references(batch, self.card)
            sources = list(zip(texts, source_languages(batch), strict=True))
            values, cut = likelihoods(self.loaded(), self.framing, sources, translations, self.card.name)
            return Scores(values, flags=truncated(cut))
        rows, references = with_references(batch, self.card)
        ref_texts = [(text, languages[i]) for i, text in zip(rows, references, strict=True)]
        mt_texts = [translations[i] for i in rows]
        columns: dict[str, Floats] = {}
        cut = np.zeros(len(rows), bool)
        for name, before, after in (
            ("precision", ref_texts, mt_texts),
            ("recall", mt_texts, ref_texts),
        ):
            if self.value in (name, "f1"):
                columns[name], here_cut = likelihoods(self.loaded(), self.framing, before, after, self.card.name)
                cut |= here_cut
        values = np.mean(list(columns.values()), axis=0)
        parts = columns if self.value == "f1" else {}
        if self.several == "mean" and len(rows) > len(batch):
            return self._averaged(rows, values, parts, cut, len(batch))
        best_rows = best(values.tolist(), rows, len(batch))
        return Scores(
            values[best_rows],
            components={name: column[best_rows] for name, column in parts.items()},
            flags=truncated(cut[best_rows]),
        )

    def _averaged(
        self, rows: Sequence[int], values: Floats, parts: dict[str, Floats], cut: Bools, count: int
    ) -> Scores:
        import numpy as np

        at = np.asarray(rows)
        share = np.bincount(at, minlength=count)

        def mean(column: Floats) -> Floats:
            return np.bincount(at, weights=column, minlength=count) / share

        any_cut = np.bincount(at, weights=cut, minlength=count) > 0
        return Scores(
            mean(values), components={name: mean(column) for name, column in parts.items()}, flags=truncated(any_cut)
        )


def likelihoods(
    model: Likelihood, framing: Framing, before: Sequence[TextInLanguage], after: Sequence[TextInLanguage], name: str
) -> tuple[Floats, Bools]:
    """Return the mean log-probability of each text in `after` given the corresponding text in `before`, and whether texts were cut.

    Rows in a language for which the model has no tag are NaN.
    """
    import numpy as np

    for _, language in (*before, *after):
        if framing.by_language and not language:
            raise InputError(
                f"{name} requires the languages. Specify --langpair, for example en-de, or {name}:lang=de for the target."
            )
    distinct = list(dict.fromkeys(text for text, _ in (*before, *after)))
    ids = dict(zip(distinct, framing.words.encode(distinct), strict=True))
    supported = [framing.knows(a[1]) and framing.knows(b[1]) for a, b in zip(before, after, strict=True)]
    scored = [i for i, fine in enumerate(supported) if fine]
    sources = [framing.source(ids[before[i][0]], before[i][1]) for i in scored]
    targets = [framing.target(ids[after[i][0]], after[i][1]) for i in scored]
    values, cut = np.full(len(before), np.nan), np.zeros(len(before), bool)
    pairs = [(source, target) for (source, _), (target, _) in zip(sources, targets, strict=True)]
    values[scored] = model.means(pairs)
    cut[scored] = [a or b for (_, a), (_, b) in zip(sources, targets, strict=True)]
    return values, cut


def target_languages(batch: Batch, given: str | None) -> list[str]:
    """Return the target language of each row, from the option or the language pair; empty if unknown."""
    if given:
        return [written(given)] * len(batch)
    if batch.langpairs is None:
        return [""] * len(batch)
    return [written(target(pair)) if pair else "" for pair in batch.langpairs]


def source_languages(batch: Batch) -> list[str]:
    """Return the source language of each row from its language pair; empty if unknown."""
    pairs = batch.langpairs or [""] * len(batch)
    return [written(pair.partition("-")[0]) if pair and "-" in pair else "" for pair in pairs]
