"""MetricX (Juraska et al. 2023, 2024): error score from 0 to 25 read from one logit of mT5; lower is better.

Inputs follow the scripts published with each version (google-research/metricx): ``candidate: … reference: …`` in MetricX-23,
``source: … candidate: … reference: …`` in MetricX-24, cut at 1,024 and 1,536 tokens, without the end token. The logit comes
from the decoder's first step; nothing is generated.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from assay.core.batch import Batch
from assay.core.errors import InputError
from assay.core.metric import Needs, Scores, Signature
from assay.core.spec import Word
from assay.metrics.common import best, truncated, with_any_references
from assay.metrics.neural import NeuralMetric, Precision, need_neural
from assay.metrics.published import folder_of, members

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WORD = 250_089
"""``<extra_id_10>``, the token whose logit is the score."""
Inputs = Literal["auto", "src", "ref", "both"]
LONGEST = {"22": 1024, "23": 1024, "24": 1536}
_NEEDS: dict[str, Needs] = {"src": "source", "ref": "reference", "both": "both"}


class Metricx(NeuralMetric):
    """Base class of MetricX versions and sizes.

    `path` is a folder with config.json and weights in safetensors or torch files. `tokenizer` is the mT5 tokenizer, needed if
    the folder has none. `inputs` (MetricX-24) selects the texts that are read with the translation; auto means all that are
    given. `precision`: auto means fp32 on a CPU and bf16 on a GPU. `device`: auto means the GPU if there is one. With several
    references, the best one counts.
    """

    published: ClassVar[str | None]
    reports_speed = True
    on_gpu = "bf16"

    def __init__(
        self,
        *,
        path: str | None = None,
        tokenizer: str | None = None,
        inputs: Inputs = "auto",
        precision: Precision = "auto",
        device: Word = "auto",
    ) -> None:
        need_neural(self.card.name, "tokenizers", "safetensors")
        from assay.models.seq2seq.folder import find_model
        from assay.models.seq2seq.texts import read_tokenizer

        super().__init__(precision, device)
        if inputs != "auto":
            if self.card.needs != "either":
                raise InputError(f"{self.card.name} has fixed inputs. Only MetricX-24 accepts the option inputs.")
            self.card = replace(self.card, needs=_NEEDS[inputs])
        self.inputs = inputs
        self.files = find_model(folder_of(path, self.published, self.card.name))
        self.words = read_tokenizer(self.files.folder, tokenizer)

    @property
    def version(self) -> str:
        """Year of the MetricX version."""
        return self.card.name.split("-")[1]

    @property
    def signature(self) -> Signature:
        return self.signed_as(1, **({"inputs": self.inputs} if self.inputs != "auto" else {}))

    def _fingerprint(self) -> str:
        return self.files.fingerprint(*self.words.files)

    def _load(self) -> Any:
        from assay.models.seq2seq.likelihood import RegressionLogit

        return RegressionLogit(
            self.files.model(dtype=self.dtype(), device=self.place()[0]), WORD, str(self.files.folder)
        )

    def _score(self, batch: Batch) -> Scores:
        import numpy as np

        rows, references = with_any_references(batch, self.card)
        sources = None if self.card.needs == "reference" else batch.sources
        texts = [
            framed(self.version, batch.hypotheses[i], None if sources is None else sources[i], reference)
            for i, reference in zip(rows, references, strict=True)
        ]
        sequences, cut = self._encoded(texts)
        values = self.loaded().logits(sequences)
        if self.version != "22":
            values = np.clip(values, 0.0, 25.0)
        if len(rows) == len(batch):
            return Scores(values, flags=truncated(cut))
        best_rows = best(values.tolist(), rows, len(batch), higher=self.card.higher_is_better)
        return Scores(values[best_rows], flags=truncated(cut[best_rows]))

    def _encoded(self, texts: list[str]) -> tuple[list[list[int]], NDArray[np.bool_]]:
        import numpy as np

        longest = LONGEST[self.version] - 1  # the original removes the end token after truncation
        distinct = list(dict.fromkeys(texts))
        encoded = dict(zip(distinct, self.words.encode(distinct), strict=True))
        sequences = [encoded[text] for text in texts]
        return [ids[:longest] for ids in sequences], np.array([len(ids) > longest for ids in sequences], dtype=bool)


def framed(version: str, hypothesis: str, source: str | None, reference: str | None) -> str:
    """Return the input text of a row for a MetricX version. If there is no source, MetricX-24 reads an empty one."""
    if version == "24":
        prefix = f"source: {source or ''} candidate: {hypothesis}"
        return prefix if reference is None else f"{prefix} reference: {reference}"
    return f"candidate: {hypothesis} " + (f"source: {source or ''}" if reference is None else f"reference: {reference}")


if not TYPE_CHECKING:
    __getattr__ = members("metricx", lambda: Metricx)
