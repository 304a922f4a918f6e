"""Configuration of models: the shape of an encoder, and the hyperparameters of an official ``hparams.yaml``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Annotated, Any, Literal

from assay.core.errors import InputError, unknown
from assay.core.schema import Bounds, Place, Share, typed

Family = Literal["xlm-roberta", "xlm-roberta-xl", "bert", "mpnet", "other"]
FAMILIES: tuple[Family, ...] = ("xlm-roberta", "xlm-roberta-xl", "bert", "mpnet")
TRAINED: tuple[Family, ...] = ("xlm-roberta", "xlm-roberta-xl", "bert")
"""Families of encoders in official COMET checkpoints. ``assay train`` supports the same ones."""

ENCODER_NAMES: dict[str, Family] = {
    "XLM-RoBERTa": "xlm-roberta",
    "XLM-RoBERTa-XL": "xlm-roberta-xl",
    "MiniLM": "bert",
    "BERT": "bert",
    "RemBERT": "other",
}
"""Names of encoders in official checkpoints (hyperparameter ``encoder_model``)."""

CLASSES = (
    "regression_metric",
    "referenceless_regression_metric",
    "ranking_metric",
    "unified_metric",
    "xcomet_metric",
)
"""Class identifiers of the official package."""


Size = Annotated[int, Bounds(1, 10_000_000)]
"""A number of units, layers or tokens; the upper limit is a hundred times that of the largest published encoders."""


@dataclass(frozen=True, slots=True)
class _Published:
    """The keys of a Hugging Face ``config.json`` that assay reads; all others are ignored."""

    hidden_size: Size
    num_hidden_layers: Annotated[int, Bounds(1, 1000)]
    num_attention_heads: Size
    intermediate_size: Size
    vocab_size: Size
    model_type: str = ""
    max_position_embeddings: Size = 512
    type_vocab_size: Annotated[int, Bounds(0, 10_000_000)] = 1
    layer_norm_eps: Annotated[float, Bounds(0, 1)] = 1e-12
    pad_token_id: Annotated[int, Bounds(-1, 10_000_000)] | None = None
    hidden_dropout_prob: Share = 0.1
    hidden_act: str = "gelu"
    position_embedding_type: str = "absolute"
    relative_attention_num_buckets: Annotated[int, Bounds(2, 10_000)] = 32

    @property
    def ours(self) -> bool:
        """Whether `Encoder` supports the blocks of this model: GELU activation and absolute positions."""
        return self.hidden_act == "gelu" and self.position_embedding_type == "absolute"


@dataclass(frozen=True, slots=True)
class EncoderConfig:
    """Shape of a transformer encoder.

    `xlm-roberta` (RoBERTa, XLM-R, InfoXLM), `bert` (BERT, mBERT, LaBSE, MiniLM) and `mpnet` normalise after each block,
    `xlm-roberta-xl` (XL and XXL) before it. MPNet has no token types and adds a learned bias for the distance between two
    tokens to its attention logits. `other` is any encoder that the transformers library builds from `raw`, its own config.json.
    """

    family: Family
    hidden: int
    layers: int
    heads: int
    feed_forward: int
    vocabulary: int
    positions: int = 514
    types: int = 1
    epsilon: float = 1e-5
    pad: int = 1
    dropout: float = 0.1
    raw: Mapping[str, Any] = field(default_factory=dict)
    buckets: int = 0
    """Number of distances that MPNet distinguishes; 0 for other encoders."""
    embedding: int = 0
    """Embedding width if a layer widens the embeddings to `hidden`, as in RemBERT; 0 if they already have that width."""
    gelu: Literal["none", "tanh"] = "none"
    """How GELU is computed: exactly, or with the tanh approximation, as in Google's BERT."""

    def __post_init__(self) -> None:
        if self.hidden % self.heads:
            raise InputError(f"an encoder with {self.hidden} units cannot be split into {self.heads} heads.")

    @property
    def max_tokens(self) -> int:
        """Maximum sequence length in official COMET, which subtracts two from the number of positions for every encoder."""
        return self.positions - 2

    @property
    def longest(self) -> int:
        return self.positions - self.offset

    @property
    def offset(self) -> int:
        """Position of a sequence's first token; RoBERTa counts from the padding index plus one."""
        return 0 if self.family == "bert" else self.pad + 1

    @classmethod
    def from_json(cls, data: Any, where: str = "config.json") -> EncoderConfig:
        """Return the shape described by a Hugging Face ``config.json``."""
        try:
            read = typed(_Published, data, Place(where), strict=False)
        except InputError as error:
            raise InputError(f"{where} does not describe an encoder: {error}") from error
        kinds: Mapping[str, Family] = {"roberta": "xlm-roberta", **{name: name for name in FAMILIES}}
        family = kinds.get(read.model_type, "other") if read.ours else "other"
        return cls(
            family=family,
            hidden=read.hidden_size,
            layers=read.num_hidden_layers,
            heads=read.num_attention_heads,
            feed_forward=read.intermediate_size,
            vocabulary=read.vocab_size,
            positions=read.max_position_embeddings,
            types=0 if family == "mpnet" else read.type_vocab_size,
            epsilon=read.layer_norm_eps,
            pad=(0 if family == "bert" else 1) if read.pad_token_id is None else read.pad_token_id,
            dropout=read.hidden_dropout_prob,
            raw=dict(data) if family == "other" else {},
            buckets=read.relative_attention_num_buckets if family == "mpnet" else 0,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the content of a Hugging Face ``config.json``."""
        if self.raw:
            return dict(self.raw)
        distances = {"relative_attention_num_buckets": self.buckets} if self.buckets else {}
        return distances | {
            "model_type": self.family,
            "hidden_size": self.hidden,
            "num_hidden_layers": self.layers,
            "num_attention_heads": self.heads,
            "intermediate_size": self.feed_forward,
            "vocab_size": self.vocabulary,
            "max_position_embeddings": self.positions,
            "type_vocab_size": self.types,
            "layer_norm_eps": self.epsilon,
            "pad_token_id": self.pad,
            "hidden_act": "gelu",
            "hidden_dropout_prob": self.dropout,
            "attention_probs_dropout_prob": self.dropout,
        }


KNOWN_ENCODERS: dict[str, EncoderConfig] = {
    "xlm-roberta-base": EncoderConfig("xlm-roberta", 768, 12, 12, 3072, 250002),
    "xlm-roberta-large": EncoderConfig("xlm-roberta", 1024, 24, 16, 4096, 250002),
    "infoxlm-base": EncoderConfig("xlm-roberta", 768, 12, 12, 3072, 250002),
    "infoxlm-large": EncoderConfig("xlm-roberta", 1024, 24, 16, 4096, 250002),
    "xlm-roberta-xl": EncoderConfig("xlm-roberta-xl", 2560, 36, 32, 10240, 250880),
    "xlm-roberta-xxl": EncoderConfig("xlm-roberta-xl", 4096, 48, 32, 16384, 250880),
    "Multilingual-MiniLM-L12-H384": EncoderConfig("bert", 384, 12, 12, 1536, 250037, 512, 2, 1e-12, 0),
    "bert-base-multilingual-cased": EncoderConfig("bert", 768, 12, 12, 3072, 119547, 512, 2, 1e-12, 0),
}
"""Published encoders by the last part of their hub name, for checkpoints that have no config.json."""


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """Hyperparameters of a metric model, named as in the official ``hparams.yaml``; `extra` contains the training settings."""

    class_identifier: str
    encoder_model: str = "XLM-RoBERTa"
    pretrained_model: str = "xlm-roberta-large"
    pool: str = "avg"
    layer: int | str = "mix"
    """Layer that the sentence score reads (``mix``: a weighted sum of all). Unified models call it ``sent_layer``."""
    layer_transformation: str = "softmax"
    layer_norm: bool = True
    hidden_sizes: tuple[Size, ...] = (3072, 1024)
    activations: str = "Tanh"
    final_activation: str | None = None
    dropout: Share = 0.1
    input_segments: tuple[str, ...] = ("mt", "src", "ref")
    word_level_training: bool = False
    word_layer: Annotated[int, Bounds(-1000, 1000)] = 24
    error_labels: tuple[str, ...] = ("minor", "major")
    cross_entropy_weights: tuple[float, ...] | None = None
    loss_lambda: float = 0.65
    extra: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.class_identifier not in CLASSES:
            raise unknown("COMET class", self.class_identifier, CLASSES)
        if self.encoder_model == "BERT" and self.pool == "default" and not self.unified:
            raise InputError("pool default needs BERT's pooler, which assay does not load. Use avg, max or cls.")

    @property
    def unified(self) -> bool:
        """Whether all texts are read together as one sequence."""
        return self.class_identifier in ("unified_metric", "xcomet_metric")

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of the word-level head, "no error" first; empty for models without this head."""
        return ("O", *self.error_labels) if self.unified and self.word_level_training else ()

    @classmethod
    def from_hparams(cls, hparams: Mapping[str, Any], where: str = "hparams.yaml") -> ModelConfig:
        """Return the configuration described by official hyperparameters. Missing ones get the defaults of the official class."""
        identifier = str(hparams.get("class_identifier", ""))
        if identifier not in CLASSES:
            raise unknown("COMET class", identifier or "(none)", CLASSES)
        present = {key: value for key, value in hparams.items() if value is not None}
        if identifier in ("unified_metric", "xcomet_metric"):
            present["layer"] = present.pop("sent_layer", present.get("layer", "mix"))
        names = {f.name for f in fields(cls)} - {"extra"}
        values: dict[str, Any] = _DEFAULTS[identifier] | {key: present[key] for key in present if key in names}
        if identifier == "xcomet_metric":
            values["word_level_training"], values["input_segments"] = True, ("mt", "src", "ref")
        values["extra"] = {key: value for key, value in present.items() if key not in names}
        return typed(cls, values, Place(where))

    def to_hparams(self) -> dict[str, Any]:
        """Return the hyperparameters of an official ``hparams.yaml``."""
        values = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "extra"}
        if self.unified:
            values["sent_layer"] = values.pop("layer")
            del values["pool"]
        else:
            for key in ("input_segments", "word_level_training", "word_layer", "error_labels"):
                del values[key]
            del values["cross_entropy_weights"], values["loss_lambda"]
        plain = {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}
        return {**self.extra, **plain}


_DEFAULTS: dict[str, dict[str, Any]] = {
    "regression_metric": {"class_identifier": "regression_metric"},
    "referenceless_regression_metric": {
        "class_identifier": "referenceless_regression_metric",
        "hidden_sizes": (2048, 1024),
    },
    "ranking_metric": {
        "class_identifier": "ranking_metric",
        "pretrained_model": "xlm-roberta-base",
        "hidden_sizes": (),
    },
    "unified_metric": {
        "class_identifier": "unified_metric",
        "pretrained_model": "microsoft/infoxlm-large",
        "layer_transformation": "sparsemax",
    },
    "xcomet_metric": {
        "class_identifier": "xcomet_metric",
        "encoder_model": "XLM-RoBERTa-XL",
        "pretrained_model": "facebook/xlm-roberta-xl",
        "layer_transformation": "sparsemax",
        "layer_norm": False,
        "word_layer": 36,
        "hidden_sizes": (2560, 1280),
        "error_labels": ("minor", "major", "critical"),
        "loss_lambda": 0.055,
        "cross_entropy_weights": (0.08, 0.486, 0.505, 0.533),
    },
}
