"""HWTSC-TLM (Liu et al. 2022): log-probability of the translation alone under a language model of the target language.

The submission's abstract and the ACES paper (section 6.2) describe it as unsupervised and reference-free, with the translation
as its only input. They do not say which model was used, or whether log-probabilities were summed or averaged, and no weights
were published. Here the score is the mean log-probability of the tokens and the end token under a model that the user supplies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.core.batch import Batch
from assay.core.errors import InputError, MissingPart
from assay.core.metric import Card, Scores, Signature
from assay.core.spec import Word
from assay.core.weights import WeightsNeeded
from assay.metrics.common import truncated
from assay.metrics.neural import NeuralMetric, Precision, need_neural

if TYPE_CHECKING:
    from assay.models.seq2seq.likelihood import Likelihood
    from assay.models.seq2seq.texts import Framing


class HwtscTlm(NeuralMetric):
    """Mean log-probability under a language model.

    `path` is a folder with a causal language model of the GPT-2 type (GPT-2, mGPT and similar). `tokenizer` is needed if the
    folder has none. `precision`: auto means fp32 on a CPU and fp16 on a GPU.
    """

    reports_speed = True
    card = Card(
        name="hwtsc-tlm",
        label="HWTSC-TLM",
        needs="translation",
        higher_is_better=True,
        range=(None, 0.0),
        meaning="Mean log-probability of the translation's tokens under a language model, without source or reference.",
        licence="the folder's own",
        citation="Liu et al. 2022, Partial could be better than whole. HW-TSC 2022 submission for the metrics shared task",
        extra="neural",
        decimals=3,
        kind="likelihood",
        weights=WeightsNeeded(None, "-m hwtsc-tlm:path=FOLDER, with a language model of the target language"),
    )

    def __init__(
        self,
        *,
        path: str | None = None,
        tokenizer: str | None = None,
        precision: Precision = "auto",
        device: Word = "auto",
    ) -> None:
        need_neural(self.card.name, "tokenizers", "safetensors")
        from assay.models.seq2seq.folder import find_model
        from assay.models.seq2seq.texts import Framing, read_tokenizer

        super().__init__(precision, device)
        if path is None:
            raise MissingPart(
                "hwtsc-tlm has no published weights. Specify a language model for the target language with -m "
                "hwtsc-tlm:path=FOLDER."
            )
        self.files = find_model(path)
        shape = self.files.shape()
        if not shape.causal_only:
            raise InputError(
                f"{self.files.config} describes a {shape.family} model, but hwtsc-tlm needs a language model (gpt2)."
            )
        self.framing: Framing = Framing(shape, read_tokenizer(self.files.folder, tokenizer))

    @property
    def signature(self) -> Signature:
        return self.signed_as(1, model=self.files.folder.resolve().name)

    def _fingerprint(self) -> str:
        return self.files.fingerprint(*self.framing.words.files)

    def _load(self) -> Likelihood:
        from assay.models.seq2seq.likelihood import Likelihood

        return Likelihood(self.files.model(dtype=self.dtype(), device=self.place()[0]))

    def _score(self, batch: Batch) -> Scores:
        import numpy as np

        distinct = list(dict.fromkeys(batch.hypotheses))
        ids = dict(zip(distinct, self.framing.words.encode(distinct), strict=True))
        targets = [self.framing.target(ids[text], "") for text in batch.hypotheses]
        values = self.loaded().means([((), target) for target, _ in targets])
        return Scores(values, flags=truncated(np.array([cut for _, cut in targets], dtype=bool)))
