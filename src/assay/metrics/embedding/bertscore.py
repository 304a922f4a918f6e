"""BERTScore (Zhang et al. 2020): token similarity of translation and reference in any pretrained encoder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from assay.core.batch import Batch
from assay.core.errors import InputError, MissingPart
from assay.core.metric import Metric, Scores, Signature
from assay.core.spec import Word
from assay.data import rows
from assay.io.files.text import read_text
from assay.metrics.common import f1, with_references
from assay.metrics.embedding.base import EncoderMetric, Rarity, bertscore_weight, frequency_file
from assay.metrics.embedding.cards import BERTSCORE
from assay.metrics.neural import Precision

if TYPE_CHECKING:
    from assay.core.metric import Floats
    from assay.models.encoders.matching import Weigh

LANGUAGES = {"en": "roberta-large", "zh": "bert-base-chinese", "tr": "bert-base-turkish-cased"}
"""Encoders that bert-score selects by language; multilingual BERT for all others."""
_OTHERS = f"(Into {', '.join(f'{language}: {encoder}' for language, encoder in LANGUAGES.items())}; with --langpair.)"


class Bertscore(EncoderMetric):
    """F1 of every token's best match, with precision and recall as components.

    `model` is an encoder by name or folder, by default bert-score's choice for the target language (roberta-large,
    bert-base-chinese, otherwise bert-base-multilingual-cased). `layer` is the layer whose vectors are matched, by default the
    best one according to bert-score's authors, or the last. `idf` is a text file for computing document frequencies, so rare
    tokens get a higher weight; bert-score uses the references.

    `baseline` is a file in bert-score format (LAYER,P,R,F), or a language for which ``assay fetch`` saved a file in the
    encoder's folder (``baselines/de.tsv``). Scores are then rescaled so that unrelated texts score about 0. `value` selects
    which of the three values is the score.
    """

    card = BERTSCORE
    default_model = "bert-base-multilingual-cased"

    def __init__(
        self,
        *,
        model: str | None = None,
        layer: int | None = None,
        idf: str | None = None,
        baseline: str | None = None,
        value: Literal["f1", "precision", "recall"] = "f1",
        precision: Precision = "auto",
        device: Word = "auto",
    ) -> None:
        self.by_language, self.value = model is None, value
        self.idf = frequency_file(self.card.name, "idf", idf)
        self.wanted = {
            "layer": layer,
            "idf": idf,
            "baseline": baseline,
            "value": value,
            "precision": precision,
            "device": device,
        }
        self._of_language: dict[str, Bertscore] = {}
        self._missing: MissingPart | None = None
        self._rarity: Rarity | None = None
        try:
            super().__init__(model=model, precision=precision, device=device)
        except MissingPart as missing:
            if model is not None:
                raise
            if not any(map(_is_here, LANGUAGES.values())):
                raise MissingPart(f"{missing} {_OTHERS}") from missing
            self._missing = missing  # raised for the first language that needs it
            return
        self.layer = best_layer(self.folder) if layer is None else layer
        self.baseline = None if baseline is None else _baseline_file(baseline, self.folder)
        self.shift = None if self.baseline is None else read_baseline(self.baseline, self.layer)

    def for_language(self, language: str) -> Metric:
        """Return the metric with bert-score's encoder for this language, unless an encoder was specified."""
        encoder = LANGUAGES.get(language)
        if not self.by_language:
            return self
        if encoder is None:
            if self._missing is not None:
                raise self._missing
            return self
        if encoder not in self._of_language:
            self._of_language[encoder] = Bertscore(model=encoder, **self.wanted)  # type: ignore[arg-type]
        return self._of_language[encoder]

    @property
    def signature(self) -> Signature:
        if self._missing is not None:  # such a metric never scores
            return Signature.of(self.card.label, 1, model=self.default_model, weights="not here")
        parameters: dict[str, object] = {"layer": "last" if self.layer is None else self.layer}
        parameters |= {"idf": self.idf is not None, "rescaled": self.baseline is not None}
        parameters |= {"value": self.value} if self.value != "f1" else {}
        return self.signed_as(1, **parameters)

    def others(self) -> Sequence[Path]:
        """Return the files that define token weights and the baseline."""
        return [Path(path) for path in (self.idf, self.baseline) if path is not None]

    def release(self) -> None:
        for one in self._of_language.values():
            one.release()
        super().release()
        self._rarity = None

    def _score(self, batch: Batch) -> Scores:
        from assay.models.encoders.matching import matched

        if self._missing is not None:
            raise self._missing
        rows, references = with_references(batch, self.card)
        embedder = self.loaded()
        weigh = self._weigh()
        matches = matched(embedder, [batch.hypotheses[row] for row in rows], references, (weigh, weigh), inner=False)
        both = np.stack([matches.precision, matches.recall], 1)
        both[matches.empty] = 0.0
        both = np.nan_to_num(both, nan=0.0)
        columns = np.column_stack([both, f1(both[:, 0], both[:, 1])])
        cut = np.zeros(len(batch), bool)
        np.logical_or.at(cut, rows, matches.cut)
        best = np.full((len(batch), 3), -np.inf)
        np.maximum.at(best, rows, columns)
        if self.shift is not None:
            best = (best - self.shift) / (1 - self.shift)
        names = ("precision", "recall", "f1")
        return Scores(
            best[:, names.index(self.value)].copy(),
            components={name: best[:, at].copy() for at, name in enumerate(names)},
            flags={"truncated": cut} if cut.any() else {},
        )

    def _weigh(self) -> Weigh:
        from assay.models.encoders.matching import uniform

        if self.idf is None:
            return uniform
        if self._rarity is None:
            self._rarity = Rarity(self.idf, self.loaded(), bertscore_weight)
        return self._rarity


def _is_here(name: str) -> bool:
    from assay.models.files.published import find_encoder

    try:
        find_encoder(name)
    except MissingPart:
        return False
    return True


def best_layer(folder: Path) -> int | None:
    """Return the layer that bert-score uses for an encoder of this name, or None (the last layer) if it does not list one."""
    names = {folder.resolve().name.lower()}
    if folder.parent.name == "snapshots":
        names.add(folder.parent.parent.name.rpartition("--")[2].lower())
    return next((int(row["layer"]) for row in rows("bertscore_layers.csv") if row["encoder"].lower() in names), None)


def _baseline_file(name: str, folder: Path) -> Path:
    for path in (Path(name), folder / "baselines" / f"{name}.tsv"):
        if path.is_file():
            return path
    raise InputError(
        f"the baseline {name} does not exist. Specify a file in bert-score format (LAYER,P,R,F), or save one as "
        f"{folder / 'baselines' / f'{name}.tsv'}."
    )


def read_baseline(path: Path, layer: int | None) -> Floats:
    """Return the precision, recall and F1 that unrelated texts get at this layer."""
    lines = [line.split(",") for line in read_text(path).splitlines() if line.strip()]
    if not lines or [cell.strip() for cell in lines[0]] != ["LAYER", "P", "R", "F"]:
        raise InputError(f"{path} is not a bert-score baseline file: its first line must be LAYER,P,R,F.")
    if layer is None:
        raise InputError(f"{path} has one line per layer. Select the layer to match (layer=N).")
    for number, cells in enumerate(lines[1:], 2):
        try:
            row = [float(cell) for cell in cells]
        except ValueError:
            row = []
        if len(row) != 4 or not all(-1 <= share < 1 for share in row[1:]):
            raise InputError(f"{path}, line {number}: expected four numbers, the last three below 1.")
        if row[0] == layer:
            return np.array(row[1:])
    raise InputError(f"{path} has no line for layer {layer}.")
