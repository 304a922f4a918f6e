"""Pretrained encoders from folders of the Hugging Face hub: ``config.json``, weights and a tokenizer.

    loaded = load_encoder("LaBSE", dtype=torch.float32, device="cpu")
    packed = pack([[101, 7, 102]], pad=loaded.tokenizer.pad)
    *_, last = loaded.encoder.states(packed)

Families that `Encoder` supports run on packed batches. The transformers library builds any other encoder
(`TransformersEncoder`). Nothing is downloaded, and no code from a checkpoint is run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from assay.core.errors import InputError, MissingPart
from assay.models.encoders.config import EncoderConfig
from assay.models.encoders.encoder import Encoder
from assay.models.encoders.tokenizer import Tokenizer
from assay.models.files.encoder import EncoderFiles, locate_encoder, read_shape
from assay.models.files.weights import check_finite, read_state
from assay.models.runtime.packing import Packed


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence transformers' warnings about a config.json; assay reports the problem in one line."""
    from transformers.utils import logging

    before = logging.get_verbosity()
    logging.set_verbosity_error()  # type: ignore[no-untyped-call, unused-ignore]
    try:
        yield
    finally:
        logging.set_verbosity(before)


class StateEncoder(Protocol):
    """Interface of an encoder."""

    config: EncoderConfig

    def states(self, packed: Packed, last: int | None = None) -> Iterator[Tensor]:
        """Yield the hidden states of a packed batch, layer by layer."""

    def cast(self, dtype: torch.dtype) -> None:
        """Set the precision of the matrix products."""

    def prepack(self) -> None:
        """Prepare the weight layout for inference, if that helps."""


class TransformersEncoder(nn.Module):
    """An encoder from the transformers library, with the interface of `assay.models.encoders.encoder.Encoder`.

    It is slower because it also computes on padding.
    """

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
        except Exception as error:  # an invalid config.json may raise any exception
            reason = (str(error).splitlines() or [type(error).__name__])[0][:160]
            raise InputError(
                f"transformers cannot build an encoder of type {kind[:40]!r} from this config.json: {reason}."
            ) from error
        if getattr(self.model, "pooler", None) is not None:
            self.model.pooler = None

    def cast(self, dtype: torch.dtype) -> None:
        """Convert the whole encoder, norms included, since its code does not support mixed precision."""
        self.model.to(dtype)

    def prepack(self) -> None:
        """Do nothing, since the layers are unknown to assay."""

    def states(self, packed: Packed, last: int | None = None) -> Iterator[Tensor]:
        """Yield the hidden states, with padding removed after the forward pass."""
        positions = torch.arange(packed.longest, device=packed.ids.device)
        mask = positions[None, :] < packed.lengths[:, None]
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
    """Return an encoder of this shape with newly initialised weights: assay's own class, or one from the transformers library."""
    if config.family == "other":
        return TransformersEncoder(config)
    return Encoder(config)


@dataclass(frozen=True, slots=True)
class LoadedEncoder:
    """An encoder with its tokenizer, and the folder's other weights (poolers and heads) by name."""

    encoder: StateEncoder
    tokenizer: Tokenizer
    rest: Mapping[str, Tensor]


def load_encoder(
    files: EncoderFiles | str | Path,
    *,
    dtype: torch.dtype = torch.float32,
    device: torch.device | str = "cpu",
) -> LoadedEncoder:
    """Load the encoder in a folder for inference, with its matrices in `dtype` on `device`."""
    files = files if isinstance(files, EncoderFiles) else locate_encoder(files)
    config = read_shape(files.config)
    state = read_state(files.weights)
    if config.family == "other":
        encoder = build_encoder(config)
    else:
        with torch.device("meta"):
            encoder = build_encoder(config)
    assert isinstance(encoder, nn.Module)
    shapes = {name: tensor.shape for name, tensor in encoder.state_dict().items()}
    weights, rest = encoder_weights(shapes, state, config, files.weights[0])
    narrow = {name: dtype if "norm" not in name.lower() else torch.float32 for name in weights}
    encoder.load_state_dict({name: tensor.to(device, narrow[name]) for name, tensor in weights.items()}, assign=True)
    encoder.to(device).eval().requires_grad_(False)
    encoder.cast(dtype)
    encoder.prepack()
    words = Tokenizer.load(files.tokenizer)
    check_tokenizer(words, config, files.tokenizer)
    return LoadedEncoder(encoder, words, rest)


def encoder_weights(
    shapes: Mapping[str, torch.Size], state: Mapping[str, Tensor], config: EncoderConfig, path: Path
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Return a folder's weights under assay's names, and the remaining ones. `shapes` contains the encoder's weight shapes."""
    heart = "embeddings.word_embeddings.weight"
    prefix = next((name.removesuffix(heart) for name in state if name.endswith(heart)), None)
    if prefix is None:
        some = ", ".join(list(state)[:2]) or "nothing"
        raise InputError(f"{path} contains no encoder (it begins with {some}): it is another kind of checkpoint.")
    tensors: dict[str, Tensor] = {}
    used: set[str] = set()
    for name, shape in shapes.items():
        official = [prefix + one.removeprefix("encoder.model.") for one in official_names(f"encoder.{name}", config)]
        if missing := next((one for one in official if one not in state), None):
            if name.endswith(".position_ids"):
                continue
            raise InputError(
                f"{path} lacks {missing}: it is incomplete, or not the {_kind(config)} encoder that its config.json describes."
            )
        parts = [state[one] for one in official]
        whole = (sum(len(part) for part in parts), *parts[0].shape[1:]) if parts[0].dim() else ()
        if whole != tuple(shape) or any(part.shape[1:] != parts[0].shape[1:] for part in parts):
            raise InputError(
                f"{path}: {official[0]} has the shape {tuple(parts[0].shape)}, which does not match its config.json."
            )
        tensor = check_finite(parts[0] if len(parts) == 1 else torch.cat(parts), official[0], path)
        tensors[name] = tensor.float() if tensor.is_floating_point() else tensor
        used.update(official)
    return tensors, {name.removeprefix(prefix): tensor for name, tensor in state.items() if name not in used}


def fill(
    model: nn.Module,
    state: Mapping[str, Tensor],
    config: EncoderConfig,
    path: Path,
    heads: Callable[[str], str],
    metric: str,
    *,
    dtype: torch.dtype,
    device: torch.device | str,
) -> None:
    """Load a checkpoint's weights into a model that consists of an `encoder` and heads, and prepare it for inference.

    `heads` returns the official name of a weight outside the encoder; `metric` names the model in messages. Norms and
    heads stay in float32.
    """
    names = {name: tensor.shape for name, tensor in model.state_dict().items()}
    shapes = {name.removeprefix("encoder."): shape for name, shape in names.items() if name.startswith("encoder.")}
    weights, rest = encoder_weights(shapes, state, config, path)
    filled = {
        f"encoder.{name}": tensor.to(device, torch.float32 if "norm" in name else dtype)
        for name, tensor in weights.items()
    }
    for name, shape in names.items():
        if name not in filled:
            official = heads(name)
            if (tensor := rest.get(official)) is None:
                raise InputError(f"{path} lacks {official}: it is an encoder without {metric}'s head, or incomplete.")
            if tensor.shape != shape:
                raise InputError(
                    f"{path}: {official} has the shape {tuple(tensor.shape)}, {metric}'s is {tuple(shape)}."
                )
            filled[name] = check_finite(tensor, official, path).to(device, torch.float32)
    model.load_state_dict(filled, assign=True)
    model.to(device).eval().requires_grad_(False)


def check_tokenizer(tokenizer: Tokenizer, config: EncoderConfig, path: Path) -> None:
    """Raise an error if a tokenizer has more tokens than the encoder."""
    if len(tokenizer) > config.vocabulary:
        raise InputError(
            f"{path} has {len(tokenizer):,} tokens, the encoder {config.vocabulary:,}: it is the tokenizer of another encoder."
        )


def _kind(config: EncoderConfig) -> str:
    return str(config.raw.get("model_type", config.family)) if config.family == "other" else config.family


_EMBEDDINGS = {
    "words": "embeddings.word_embeddings",
    "places": "embeddings.position_embeddings",
    "types": "embeddings.token_type_embeddings",
    "embedding_norm": "embeddings.LayerNorm",
    "final_norm": "encoder.LayerNorm",
    "distances": "encoder.relative_attention_bias",
    "widen": "encoder.embedding_hidden_mapping_in",
}
_LAYER = {
    "out": "attention.output.dense",
    "up": "intermediate.dense",
    "down": "output.dense",
    "attention_norm": "attention.output.LayerNorm",
    "feed_forward_norm": "output.LayerNorm",
}
_OTHERWISE = {
    "xlm-roberta-xl": {"attention_norm": "attention.self_attn_layer_norm", "feed_forward_norm": "LayerNorm"},
    "mpnet": {"out": "attention.attn.o", "attention_norm": "attention.LayerNorm"},
}
_QKV = ("attention.self.query", "attention.self.key", "attention.self.value")
_QKV_OTHERWISE = {"mpnet": ("attention.attn.q", "attention.attn.k", "attention.attn.v")}
_HEADS = {"estimator.": "estimator.", "tagger.": "hidden2tag.", "mix.gamma": "layerwise_attention.gamma"}


def official_names(name: str, config: EncoderConfig) -> list[str]:
    """Return the official names of the weights that are joined, in this order, to form one of assay's."""
    if name == "mix.weights":
        return [f"layerwise_attention.scalar_parameters.{i}" for i in range(config.layers + 1)]
    for own, official in _HEADS.items():
        if name.startswith(own):
            return [official + name.removeprefix(own)]
    inner = name.removeprefix("encoder.")
    if config.family == "other":
        return [f"encoder.{inner}"]
    if inner.startswith("layers."):
        _, index, part, kind = inner.split(".")
        layer = f"encoder.model.encoder.layer.{index}"
        if part == "qkv":
            return [f"{layer}.{each}.{kind}" for each in _QKV_OTHERWISE.get(config.family, _QKV)]
        parts = _LAYER | _OTHERWISE.get(config.family, {})
        return [f"{layer}.{parts[part]}.{kind}"]
    part, kind = inner.split(".")
    return [f"encoder.model.{_EMBEDDINGS[part]}.{kind}"]


def to_official(state: Mapping[str, Tensor], config: EncoderConfig) -> dict[str, Tensor]:
    """Return the weights under their official names, as in the ``state_dict`` of a Lightning checkpoint."""
    result: dict[str, Tensor] = {}
    for name, tensor in state.items():
        names = official_names(name, config)
        parts = [tensor] if len(names) == 1 else torch.chunk(tensor, len(names))
        result |= {official: part.detach().clone() for official, part in zip(names, parts, strict=True)}
    return result
