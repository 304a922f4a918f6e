"""COMET and its family (Rei et al. 2020, 2022; Guerreiro et al. 2023): learned metrics from official checkpoints.

A published model goes by its name (``xcomet-xl``), any other by the path of its folder. Nothing of torch is imported before a
segment is scored.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from assay.core.batch import Batch
from assay.core.errors import InputError
from assay.core.metric import Card, Needs, Scores, Signature
from assay.core.spec import Word
from assay.metrics.common import best
from assay.metrics.neural import device_named, free_memory, need_neural
from assay.metrics.published import members
from assay.models.runtime.memory import NetworkMetric

if TYPE_CHECKING:
    from assay.models.heads.prediction import Prediction

SLOW = 20.0
"""Segments a second below which a run without a GPU is told what it misses."""

FP8_VERSION = 2
"""Of the numbers in 8 bits; those of version 1 had means of typical text taken off, not each sequence's own."""


class Comet(NetworkMetric):
    """Base of the family. The model is loaded when the first segment is scored, and kept while there is room.

    Without options the numbers are unbabel-comet's. `inputs`: the texts that xCOMET and UniTE read; auto is what there is.
    `value`: their score, or the component that counts as it. `precision`: auto is fp32 on a CPU and fp16 on a GPU; fp8 is for
    filtering on Hopper GPUs. `device`: auto
    takes all GPUs, or the CPU; several are joined with ``+`` (``cuda:0+cuda:1``). `decoder`: exact repeats unbabel-comet's spans,
    faults included; paper groups neighbouring error tokens under the worst severity; auto is exact, but paper for models of
    ``assay train``, of which there are no other numbers. `weights`: of xCOMET's components, as
    released (0.12, 0.33, 0.33, 0.22) or as in the paper (1/9, 1/3, 1/3, 2/9). `threshold`: how probable an error must be to be
    marked. `long`: what happens to texts longer than the model reads.
    """

    published: str | None = None

    def __init__(
        self,
        *,
        path: str | None = None,
        tokenizer: str | None = None,
        inputs: Inputs = "auto",
        value: Value = "score",
        precision: Literal["auto", "fp32", "bf16", "fp16", "fp8"] = "auto",
        device: Word = "auto",
        decoder: Literal["auto", "exact", "paper"] = "auto",
        weights: Literal["released", "paper"] = "released",
        threshold: float | None = None,
        long: Literal["truncate", "window"] = "truncate",
    ) -> None:
        super().__init__()
        need_neural(self.published or "this checkpoint", "tokenizers", "yaml")
        from assay.models.files.comet import locate, read_hparams

        self.path = Path(path) if path is not None else _find(self.published)
        self.tokenizer, self.precision, self.device = tokenizer, precision, device
        self.weights, self.threshold, self.long = weights, threshold, long
        self.inputs, self.value = inputs, value
        self.files = locate(self.path, tokenizer)
        self.hparams = read_hparams(self.files)
        own = "paper" if "assay_name" in self.hparams else "exact"
        self.decoder = own if decoder == "auto" else decoder
        self.notices: Sequence[str] = ()
        self._predictor: Any = None
        self._signature: Signature | None = None
        if self.published is None:
            self.card = _card_of(self.files.folder, self.hparams)
        self.card = reading(self.card, self.hparams, inputs, value)

    @property
    def signature(self) -> Signature:
        """Name, decoder and weights where they count, what is read and what counts where that was asked for, what happens to
        long texts, the checkpoint's hash and the precision."""
        if self._signature is None:
            from assay.models.files.comet import fingerprint
            from assay.models.runtime.precision import choose_dtype

            parameters: dict[str, object] = {}
            if self.hparams.get("class_identifier") == "xcomet_metric":
                parameters |= {"decoder": self.decoder, "mix": self.weights}
            elif self.hparams.get("word_level_training"):
                parameters |= {"decoder": self.decoder}
            if self.threshold is not None:
                parameters["threshold"] = self.threshold
            parameters |= {"inputs": self.inputs} if self.inputs != "auto" else {}
            parameters |= {"value": self.value} if self.value != "score" else {}
            parameters["long"] = self.long
            dtype = str(choose_dtype(self.precision, self._devices()[0])).removeprefix("torch.")
            names = {"float32": "fp32", "bfloat16": "bf16", "float16": "fp16", "float8_e4m3fn": "fp8"}
            version = FP8_VERSION if names[dtype] == "fp8" else 1
            plain = Signature.of(self.card.label, version, **parameters)
            self._signature = replace(plain, weights=fingerprint(self.files), precision=names[dtype])
        return self._signature

    def score(self, batch: Batch) -> Scores:
        """Scores with components, spans where the model tags, and a flag on rows that were longer than it reads."""
        import numpy as np

        if not len(batch):
            return Scores(np.empty(0))
        with self._lock:
            started = time.monotonic()
            found = self.with_room(lambda: self._with_references(batch))
            self._remark(len(batch), time.monotonic() - started)
        flags = {"truncated": found.truncated} if found.truncated.any() else {}
        return Scores(found.values, components=found.components, spans=found.spans, flags=flags)

    def _with_references(self, batch: Batch) -> Prediction:
        """Each row beside each of its references; the best one counts, with its components and spans."""

        from assay.models.heads.prediction import take

        if self.card.needs_source and batch.sources is None:
            raise InputError(f"{self.card.name} needs the source, and none was given (--src FILE, or sources=[...]).")
        columns = () if self.card.reference_free else batch.references or ()
        if self.card.needs == "either" and not columns and batch.sources is None:
            raise InputError(f"{self.card.name} needs a source or a reference (--src FILE, --ref FILE).")
        rows: list[int] = []
        references: list[str | None] = []
        for i in range(len(batch)):
            here: list[str | None] = [text for column in columns if (text := column[i]) is not None]
            if not here and self.card.needs_reference:
                raise InputError(f"{self.card.name} needs a reference, and segment {i + 1} has none.")
            rows += [i] * max(len(here), 1)
            references += here or [None]
        if self._predictor is None:
            self._predictor = self._load()
        hypotheses = [batch.hypotheses[i] for i in rows]
        unread = batch.sources is None or self.card.needs in ("reference", "translation")
        sources = None if unread else [batch.sources[i] for i in rows]  # type: ignore[index]
        given = references if columns else None
        if self.long == "window":
            from assay.models.heads.prediction import predict_long

            found = predict_long(self._predictor, hypotheses, sources, given)
        else:
            found = self._predictor.predict(hypotheses, sources, given)
        found = valued(found, self.value)
        if len(rows) == len(batch):
            return found
        return take(found, best(found.values.tolist(), rows, len(batch)))

    def _load(self) -> Any:
        from assay.models.heads.prediction import PAPER, RELEASED
        from assay.models.heads.workers import PredictorSpec, Workers

        options = {
            "decoder": self.decoder,
            "threshold": self.threshold,
            "weights": PAPER if self.weights == "paper" else RELEASED,
        }
        recipe = PredictorSpec(str(self.path), self.tokenizer, self.precision, options)
        devices = self._devices()
        return recipe.make(str(devices[0])) if len(devices) == 1 else Workers(recipe, [str(each) for each in devices])

    def release(self) -> None:
        """Let the model go, worker processes too; the next segment loads it again."""
        with self._lock:
            if hasattr(self._predictor, "close"):
                self._predictor.close()
            self._predictor = None
        free_memory()

    def _loaded_now(self) -> bool:
        return self._predictor is not None

    def _places(self) -> list[Any]:
        return self._devices()

    def _devices(self) -> list[Any]:
        import torch

        if self.device == "auto" and torch.cuda.device_count() > 1:
            return [torch.device("cuda", i) for i in range(torch.cuda.device_count())]
        return [device_named(name) for name in self.device.split("+")]

    def _remark(self, rows: int, seconds: float) -> None:
        if self._devices()[0].type == "cpu" and rows >= 8 and rows / max(seconds, 1e-9) < SLOW:
            from assay.models.runtime.precision import bf16_is_fast

            quicker = self.signature.precision == "fp32" and bf16_is_fast()
            self.notices = [
                f"{self.card.name} ran on the CPU in {self.signature.precision} at {rows / seconds:.1f} segments a second; "
                + ("precision=bf16 is up to twice as fast here (scores move by up to 0.03), " if quicker else "")
                + "a GPU is many times faster."
            ]


class CometFolder(Comet):
    """A checkpoint folder given by its path."""

    card = Card(
        "checkpoint", "COMET", "either", True, (None, None), "A COMET checkpoint from the disk.", kind="learned"
    )


def _find(name: str | None) -> Path:
    from assay.models.files.published import find_published

    if name is None:
        raise InputError("a checkpoint needs its path: -m PATH.")
    return find_published(name)


def _card_of(folder: Path, hparams: dict[str, Any]) -> Card:
    """What the hyperparameters of a checkpoint say about it."""
    kind = hparams.get("class_identifier")
    segments = hparams.get("input_segments") or ["mt", "src", "ref"]
    needs: Needs = "either"
    if kind in ("regression_metric", "ranking_metric"):
        needs = "both"
    elif kind == "unified_metric" and segments == ["mt"]:
        needs = "translation"
    elif kind == "referenceless_regression_metric" or (kind == "unified_metric" and "ref" not in segments):
        needs = "source"
    elif kind == "unified_metric" and "src" not in segments:
        needs = "reference"
    learned = tuple(str(name) for name in hparams.get("assay_trained_on") or ())
    name = str(hparams.get("assay_name") or folder.resolve().name)
    meaning, licence = f"What the {kind} in {name} learned to predict.", "the checkpoint's own"
    if "assay_name" in hparams:
        meaning = f"Quality from 0 to 1, learned by assay train on the encoder {hparams.get('assay_encoder')}."
        licence = str(hparams.get("assay_licence") or "not stated by its training run")
        if len(segments) == 1:
            side = "translation" if segments == ["mt"] else "source"
            meaning = f"A sentinel: quality from 0 to 1 guessed from the {side} alone. A metric must beat it."
    return Card(
        name=name,
        label=name,
        needs=needs,
        higher_is_better=True,
        range=(None, None),
        meaning=meaning,
        licence=licence,
        trained_on=learned,
        extra="neural",
        decimals=4,
        kind="learned",
    )


if not TYPE_CHECKING:
    __getattr__ = members("comet", lambda: Comet)


Inputs = Literal["auto", "src", "ref", "both"]
Value = Literal["score", "mqm", "src", "ref", "unified"]

_NEEDS: Mapping[Inputs, Needs] = {"src": "source", "ref": "reference", "both": "both"}
_IMPLIED: Mapping[Value, Inputs] = {"src": "src", "ref": "ref", "unified": "both"}
"""The score of one reading needs no other one."""


def reading(card: Card, hparams: Mapping[str, Any], inputs: Inputs, value: Value) -> Card:
    """The card of a model that reads `inputs` and whose score is `value`; what the model cannot do is refused."""
    if inputs == "auto" and value == "score":
        return card
    kind = hparams.get("class_identifier")
    sides = set(hparams.get("input_segments") or ("mt", "src", "ref"))
    if kind not in ("unified_metric", "xcomet_metric") or not {"src", "ref"} <= sides:
        raise InputError(
            f"{card.name} has one way to read its texts and one score: inputs and value are for xCOMET and UniTE."
        )
    if value == "mqm" and kind != "xcomet_metric":
        raise InputError(f"{card.name} marks no errors, and so has no value=mqm. There is score, src, ref, unified.")
    implied = _IMPLIED.get(value, inputs)
    if inputs not in ("auto", implied):
        raise InputError(f"value={value} is the score that reads inputs={implied}, not inputs={inputs}.")
    bounds = (0.0, 1.0) if value == "mqm" else card.range
    return replace(card, needs=card.needs if implied == "auto" else _NEEDS[implied], range=bounds)


def valued(found: Prediction, value: Value) -> Prediction:
    """The prediction with the wanted component for its score."""
    return found if value == "score" else replace(found, values=found.components[value].copy())
