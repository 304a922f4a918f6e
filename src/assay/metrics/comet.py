"""COMET and its family (Rei et al. 2020, 2022; Guerreiro et al. 2023): learned metrics from official checkpoints.

Published models are selected by name (``xcomet-xl``), others by the path of their folder. torch is imported when the first
segment is scored.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from assay.core.batch import Batch
from assay.core.errors import InputError
from assay.core.metric import Card, Needs, Scores, Signature
from assay.core.spec import Word
from assay.metrics.common import best, truncated, with_any_references
from assay.metrics.neural import NeuralMetric, device_named, need_neural
from assay.metrics.published import members

if TYPE_CHECKING:
    from assay.models.heads.prediction import Prediction

FP8_VERSION = 2
"""Version of 8-bit scores. Version 1 subtracted the mean of typical text instead of the mean of each sequence."""


class Comet(NeuralMetric):
    """Base class of the COMET family. With the default options, scores are the same as with unbabel-comet.

    `inputs` selects the texts that xCOMET and UniTE read; auto means all that are given. `value` selects the model's score or
    one of its components. `precision`: auto means fp32 on a CPU and fp16 on a GPU; fp8 is meant for filtering on Hopper GPUs.
    `device`: auto means all GPUs, or the CPU if there are none; join several with ``+`` (``cuda:0+cuda:1``).

    `decoder`: exact reproduces the spans of unbabel-comet, including its bugs; paper groups neighbouring error tokens under the
    worst severity; auto means paper for models trained with ``assay train``, otherwise exact. `weights` are the weights of
    xCOMET's components, as released (0.12, 0.33, 0.33, 0.22) or as in the paper (1/9, 1/3, 1/3, 2/9). `threshold` is the
    minimum probability of a marked error. `long` determines whether texts that exceed the model's maximum length are truncated
    or scored in windows.
    """

    published: str | None = None
    reports_speed = True

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
        super().__init__(precision, device)
        need_neural(self.published or "this checkpoint", "tokenizers", "yaml")
        from assay.models.files.comet import locate, read_hparams

        self.path = Path(path) if path is not None else _find(self.published)
        self.tokenizer, self.weights, self.threshold, self.long = tokenizer, weights, threshold, long
        self.inputs, self.value = inputs, value
        self.files = locate(self.path, tokenizer)
        self.hparams = read_hparams(self.files)
        own = "paper" if "assay_name" in self.hparams else "exact"
        self.decoder = own if decoder == "auto" else decoder
        if self.published is None:
            self.card = _card_of(self.files.folder, self.hparams)
        self.card = card_for_inputs(self.card, self.hparams, inputs, value)

    @property
    def signature(self) -> Signature:
        parameters: dict[str, object] = {}
        if self.hparams.get("class_identifier") == "xcomet_metric":
            parameters |= {"decoder": self.decoder, "mix": self.weights}
        elif self.hparams.get("word_level_training"):
            parameters |= {"decoder": self.decoder}
        if self.threshold is not None:
            parameters["threshold"] = self.threshold
        parameters |= {"inputs": self.inputs} if self.inputs != "auto" else {}
        parameters |= {"value": self.value} if self.value != "score" else {}
        version = FP8_VERSION if self.place()[1] == "fp8" else 1
        return self.signed_as(version, **parameters, long=self.long)

    def _fingerprint(self) -> str:
        from assay.models.files.comet import fingerprint

        return fingerprint(self.files)

    def _score(self, batch: Batch) -> Scores:
        """Return the scores, components and spans of each row with its best reference."""
        from assay.models.heads.prediction import predict_long, take

        rows, references = with_any_references(batch, self.card)
        hypotheses = [batch.hypotheses[i] for i in rows]
        sources = None
        if batch.sources is not None and self.card.needs not in ("reference", "translation"):
            sources = [batch.sources[i] for i in rows]
        shown_references = None if self.card.reference_free or not batch.references else references
        predictor = self.loaded()
        predict = functools.partial(predict_long, predictor.predict) if self.long == "window" else predictor.predict
        prediction = with_value(predict(hypotheses, sources, shown_references), self.value)
        if len(rows) > len(batch):
            prediction = take(prediction, best(prediction.values.tolist(), rows, len(batch)))
        flags = truncated(prediction.truncated)
        return Scores(prediction.values, components=prediction.components, spans=prediction.spans, flags=flags)

    def _load(self) -> Any:
        from assay.models.heads.prediction import PAPER, RELEASED
        from assay.models.heads.workers import PredictorSpec, Workers

        options = {
            "decoder": self.decoder,
            "threshold": self.threshold,
            "weights": PAPER if self.weights == "paper" else RELEASED,
        }
        recipe = PredictorSpec(str(self.path), self.tokenizer, self.precision, options)
        devices = self.devices()
        return recipe.make(str(devices[0])) if len(devices) == 1 else Workers(recipe, [str(each) for each in devices])

    def devices(self) -> list[Any]:
        """Return the devices listed in the option, joined by ``+``; auto means all GPUs, or the CPU if there are none."""
        import torch

        if self.device == "auto" and torch.cuda.device_count() > 1:
            return [torch.device("cuda", i) for i in range(torch.cuda.device_count())]
        return [device_named(name) for name in self.device.split("+")]

    def _report_speed(self, rows: int, seconds: float, hint: str = "") -> None:
        from assay.models.runtime.precision import bf16_is_fast

        if self.place()[1] == "fp32" and bf16_is_fast():
            hint = "precision=bf16 is up to twice as fast here (scores move by up to 0.03), "
        super()._report_speed(rows, seconds, hint)


class CometFolder(Comet):
    """Metric for a checkpoint folder that is specified by its path."""

    card = Card(
        "checkpoint", "COMET", "either", True, (None, None), "A COMET checkpoint in a local folder.", kind="learned"
    )


def _find(name: str | None) -> Path:
    from assay.models.files.published import find_published

    if name is None:
        raise InputError("a checkpoint requires a path: -m PATH.")
    return find_published(name)


def _card_of(folder: Path, hparams: dict[str, Any]) -> Card:
    """Return the card that matches a checkpoint's hyperparameters."""
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
    meaning, licence = f"Score that the {kind} in {name} was trained to predict.", "the checkpoint's own"
    if "assay_name" in hparams:
        meaning = f"Quality from 0 to 1, trained by assay train with the encoder {hparams.get('assay_encoder')}."
        licence = str(hparams.get("assay_licence") or "not stated in its training configuration")
        if len(segments) == 1:
            side = "translation" if segments == ["mt"] else "source"
            meaning = f"A sentinel: quality from 0 to 1 predicted from the {side} alone. A metric should beat it."
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
"""Inputs that a component needs."""


def card_for_inputs(card: Card, hparams: Mapping[str, Any], inputs: Inputs, value: Value) -> Card:
    """Return the card of a model that reads `inputs` and returns `value`. Raise an error if the model does not support them."""
    if inputs == "auto" and value == "score":
        return card
    kind = hparams.get("class_identifier")
    sides = set(hparams.get("input_segments") or ("mt", "src", "ref"))
    if kind not in ("unified_metric", "xcomet_metric") or not {"src", "ref"} <= sides:
        raise InputError(
            f"{card.name} has fixed inputs and one score. Only xCOMET and UniTE accept the options inputs and value."
        )
    if value == "mqm" and kind != "xcomet_metric":
        raise InputError(f"{card.name} marks no errors, so it has no value=mqm. Use score, src, ref or unified.")
    implied = _IMPLIED.get(value, inputs)
    if inputs not in ("auto", implied):
        raise InputError(f"value={value} requires inputs={implied}, not inputs={inputs}.")
    bounds = (0.0, 1.0) if value == "mqm" else card.range
    return replace(card, needs=card.needs if implied == "auto" else _NEEDS[implied], range=bounds)


def with_value(found: Prediction, value: Value) -> Prediction:
    """Return the prediction with the selected component as its score."""
    return found if value == "score" else replace(found, values=found.components[value].copy())
