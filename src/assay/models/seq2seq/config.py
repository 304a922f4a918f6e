"""Shape of an encoder-decoder, read from a ``config.json``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from assay.core.errors import InputError, unknown
from assay.core.schema import Bounds, Place, typed

Family = Literal["t5", "bart", "mbart", "m2m_100", "fairseq", "gpt2"]
Positions = Literal["relative", "learned", "sinusoidal"]
KINDS: Mapping[str, Family] = {
    "t5": "t5", "mt5": "t5", "bart": "bart", "mbart": "mbart", "m2m_100": "m2m_100", "gpt2": "gpt2",
}  # fmt: skip
"""Family for each ``model_type`` in a config.json."""
ACTIVATIONS = {"relu": "relu", "gelu": "gelu", "gelu_new": "gelu_tanh", "silu": "silu", "swish": "silu"}

Size = Annotated[int, Bounds(1, 10_000_000)]
Count = Annotated[int, Bounds(1, 1000)]
Token = Annotated[int, Bounds(0, 10_000_000)]


@dataclass(frozen=True, slots=True)
class Shape:
    """Shape of an encoder-decoder or a language model."""

    family: Family
    hidden: int
    heads: int
    head_size: int
    encoder_layers: int
    decoder_layers: int
    encoder_inner: int
    decoder_inner: int
    vocabulary: int
    target_vocabulary: int
    activation: str = "gelu"
    gated: bool = False
    pre_norm: bool = False
    positions: Positions = "learned"
    offset: int = 2
    longest: int = 1024
    """Maximum number of tokens in a sequence."""
    embedding_scale: float = 1.0
    embedding_norm: bool = False
    final_norm: bool = False
    epsilon: float = 1e-5
    pad: int = 1
    end: int = 2
    start: int = 2
    """First token that the decoder reads."""
    output_scale: float = 1.0
    buckets: int = 32
    distance: int = 128
    causal_only: bool = False
    """Whether the model is a language model: a decoder without an encoder."""

    @property
    def rms(self) -> bool:
        """Whether, as in T5, norms have neither a mean nor a bias, and linear layers have no bias."""
        return self.family == "t5"

    @property
    def attention_scale(self) -> float:
        """Factor for the attention logits. T5 does not scale them, since its initial weights account for it."""
        return 1.0 if self.family == "t5" else float(self.head_size**-0.5)


@dataclass(frozen=True, slots=True)
class _T5:
    d_model: Size
    d_kv: Size
    d_ff: Size
    num_layers: Count
    num_heads: Size
    vocab_size: Size
    num_decoder_layers: Count | None = None
    feed_forward_proj: str = "relu"
    relative_attention_num_buckets: Annotated[int, Bounds(4, 4096)] = 32
    relative_attention_max_distance: Annotated[int, Bounds(8, 65536)] = 128
    layer_norm_epsilon: Annotated[float, Bounds(0, 1)] = 1e-6
    tie_word_embeddings: bool = True
    scale_decoder_outputs: bool | None = None
    pad_token_id: Token | None = 0
    eos_token_id: Token | None = 1
    decoder_start_token_id: Token | None = None


@dataclass(frozen=True, slots=True)
class _Bart:
    d_model: Size
    encoder_layers: Count
    decoder_layers: Count
    encoder_attention_heads: Size
    decoder_attention_heads: Size
    encoder_ffn_dim: Size
    decoder_ffn_dim: Size
    vocab_size: Size
    max_position_embeddings: Size = 1024
    activation_function: str = "gelu"
    scale_embedding: bool = False
    pad_token_id: Token | None = 1
    eos_token_id: Token | None = 2
    decoder_start_token_id: Token | None = None


@dataclass(frozen=True, slots=True)
class _Gpt2:
    n_embd: Size
    n_layer: Count
    n_head: Size
    vocab_size: Size
    n_positions: Size = 1024
    n_inner: Size | None = None
    activation_function: str = "gelu_new"
    layer_norm_epsilon: Annotated[float, Bounds(0, 1)] = 1e-5
    eos_token_id: Token | None = 50256
    bos_token_id: Token | None = None
    scale_attn_by_inverse_layer_idx: bool = False


def read_shape(data: Any, where: str) -> Shape:
    """Return the shape described by a Hugging Face ``config.json``."""
    kind = data.get("model_type") if isinstance(data, dict) else None
    if not isinstance(kind, str) or kind not in KINDS:
        raise InputError(
            f"{where} describes {f'a {kind[:40]}' if isinstance(kind, str) else 'no model'}, not an encoder-decoder that assay "
            f"knows ({', '.join(KINDS)})."
        )
    family = KINDS[kind]
    try:
        if family == "t5":
            return _t5(typed(_T5, data, Place(where), strict=False), kind)
        if family == "gpt2":
            return _gpt2(typed(_Gpt2, data, Place(where), strict=False))
        return _bart(typed(_Bart, data, Place(where), strict=False), family)
    except InputError as error:
        raise InputError(f"{where} does not describe a {kind}: {error}") from error


def activation(name: str) -> str:
    """Return assay's name for an activation."""
    if name not in ACTIVATIONS:
        raise unknown("activation", name, ACTIVATIONS)
    return ACTIVATIONS[name]


def _t5(read: _T5, kind: str) -> Shape:
    # T5 scales its last states if embeddings and outputs share a matrix. mT5 never shares them, although later versions of
    # transformers write so into its config.json.
    scaled = kind == "t5" and (
        read.tie_word_embeddings if read.scale_decoder_outputs is None else read.scale_decoder_outputs
    )
    gated = read.feed_forward_proj.startswith("gated-")
    name = read.feed_forward_proj.removeprefix("gated-")
    return Shape(
        "t5",
        hidden=read.d_model,
        heads=read.num_heads,
        head_size=read.d_kv,
        encoder_layers=read.num_layers,
        decoder_layers=read.num_decoder_layers or read.num_layers,
        encoder_inner=read.d_ff,
        decoder_inner=read.d_ff,
        vocabulary=read.vocab_size,
        target_vocabulary=read.vocab_size,
        activation=activation("gelu_new" if gated and name == "gelu" else name),
        gated=gated,
        pre_norm=True,
        positions="relative",
        longest=1024,
        final_norm=True,
        epsilon=read.layer_norm_epsilon,
        pad=read.pad_token_id or 0,
        end=1 if read.eos_token_id is None else read.eos_token_id,
        start=read.decoder_start_token_id or read.pad_token_id or 0,
        output_scale=float(read.d_model**-0.5) if scaled else 1.0,
        buckets=read.relative_attention_num_buckets,
        distance=read.relative_attention_max_distance,
    )


def _bart(read: _Bart, family: Family) -> Shape:
    if read.encoder_attention_heads != read.decoder_attention_heads:
        raise InputError("encoder_attention_heads and decoder_attention_heads differ.")
    heads = _heads(read.d_model, read.encoder_attention_heads)
    end = 2 if read.eos_token_id is None else read.eos_token_id
    pad = 1 if read.pad_token_id is None else read.pad_token_id
    waves, late = family == "m2m_100", family == "bart"
    return Shape(
        family,
        hidden=read.d_model,
        heads=heads,
        head_size=read.d_model // heads,
        encoder_layers=read.encoder_layers,
        decoder_layers=read.decoder_layers,
        encoder_inner=read.encoder_ffn_dim,
        decoder_inner=read.decoder_ffn_dim,
        vocabulary=read.vocab_size,
        target_vocabulary=read.vocab_size,
        activation=activation(read.activation_function),
        pre_norm=not late,
        positions="sinusoidal" if waves else "learned",
        offset=pad + 1 if waves else 2,
        longest=read.max_position_embeddings,
        embedding_scale=float(read.d_model**0.5) if read.scale_embedding else 1.0,
        embedding_norm=not waves,
        final_norm=not late,
        pad=pad,
        end=end,
        start=end if read.decoder_start_token_id is None else read.decoder_start_token_id,
    )


def _gpt2(read: _Gpt2) -> Shape:
    if read.scale_attn_by_inverse_layer_idx:
        raise InputError("scale_attn_by_inverse_layer_idx is not supported.")
    heads = _heads(read.n_embd, read.n_head)
    end = read.eos_token_id or 0
    inner = read.n_inner or 4 * read.n_embd
    return Shape(
        "gpt2",
        hidden=read.n_embd,
        heads=heads,
        head_size=read.n_embd // heads,
        encoder_layers=0,
        decoder_layers=read.n_layer,
        encoder_inner=inner,
        decoder_inner=inner,
        vocabulary=read.vocab_size,
        target_vocabulary=read.vocab_size,
        activation=activation(read.activation_function),
        pre_norm=True,
        offset=0,
        longest=read.n_positions,
        final_norm=True,
        epsilon=read.layer_norm_epsilon,
        pad=end,
        end=end,
        start=end if read.bos_token_id is None else read.bos_token_id,
        causal_only=True,
    )


def _heads(hidden: int, heads: int) -> int:
    if hidden % heads:
        raise InputError(f"{hidden} units cannot be split into {heads} heads.")
    return heads
