"""Which texts a COMET model reads, and which of its numbers counts: the rows xCOMET (MQM), xCOMET (SRC), UniTE-ref, UniTE-src."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from assay.core.errors import InputError
from assay.core.metric import Card, Needs

if TYPE_CHECKING:
    from assay.models.prediction import Prediction

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
