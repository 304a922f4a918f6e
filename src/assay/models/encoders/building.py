"""Builds encoders: of the families that `Encoder` has, or as transformers makes them (RemBERT, DeBERTa …), padded inside and packed
outside.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from assay.core.errors import InputError, MissingPart
from assay.models.encoders.config import EncoderConfig
from assay.models.encoders.encoder import Encoder
from assay.models.runtime.packing import Packed


@contextmanager
def _quiet() -> Iterator[None]:
    """transformers without its warnings about a config.json: what is wrong with one is told in one line."""
    from transformers.utils import logging

    before = logging.get_verbosity()
    logging.set_verbosity_error()  # type: ignore[no-untyped-call, unused-ignore]
    try:
        yield
    finally:
        logging.set_verbosity(before)


class StateEncoder(Protocol):
    """What a model needs of an encoder."""

    config: EncoderConfig

    def states(self, packed: Packed, last: int | None = None) -> Iterator[Tensor]:
        """Hidden states of a packed batch, layer by layer."""

    def cast(self, dtype: torch.dtype) -> None:
        """The precision of the matrix products."""

    def prepack(self) -> None:
        """Weights laid out for inference, where that helps."""


class ForeignEncoder(nn.Module):
    """A transformers encoder behind the interface of `assay.models.encoders.encoder.Encoder`. Slower: it computes on padding."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        try:
            from transformers import AutoConfig, AutoModel
        except ImportError as error:
            raise MissingPart(
                f"an encoder of type {config.raw.get('model_type')!r} needs the package transformers: pip install transformers"
            ) from error
        self.config = config
        settings = dict(config.raw)
        kind = str(settings.pop("model_type", ""))
        try:
            with _quiet():
                about = AutoConfig.for_model(kind, **settings)
            self.model: Any = AutoModel.from_config(about)  # type: ignore[no-untyped-call, unused-ignore]
        except Exception as error:  # a config.json may say anything, and transformers stumbles in as many ways
            said = (str(error).splitlines() or [type(error).__name__])[0][:160]
            raise InputError(
                f"transformers makes no encoder of type {kind[:40]!r} from this config.json: {said}."
            ) from error
        if getattr(self.model, "pooler", None) is not None:
            self.model.pooler = None

    def cast(self, dtype: torch.dtype) -> None:
        """The whole encoder, norms included: its own code decides nothing about mixed precision."""
        self.model.to(dtype)

    def prepack(self) -> None:
        """Nothing: its layers are not ours to lay out."""

    def states(self, packed: Packed, last: int | None = None) -> Iterator[Tensor]:
        """Hidden states, unpadded again after the forward pass."""
        places = torch.arange(packed.longest, device=packed.ids.device)
        mask = places[None, :] < packed.lengths[:, None]
        ids = torch.full(mask.shape, self.config.pad, dtype=torch.int64, device=mask.device)
        ids[mask] = packed.ids
        further = {}
        if packed.types is not None:
            types = torch.ones_like(ids)
            types[mask] = packed.types
            further["token_type_ids"] = types
        states = self.model(
            input_ids=ids, attention_mask=mask.long(), output_hidden_states=True, **further
        ).hidden_states
        last = len(states) - 1 if last is None else last
        for index, hidden in enumerate(states[: last + 1]):
            yield packed.select(hidden[mask].float()) if index == last else hidden[mask].float()


def build_encoder(config: EncoderConfig) -> StateEncoder:
    """An encoder of this shape with fresh weights: ours, or the one that transformers makes."""
    if config.family == "other":
        return ForeignEncoder(config)
    return Encoder(config)
