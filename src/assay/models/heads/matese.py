"""MaTESe (Perrella et al. 2022): tags the translation's tokens with error labels, and scores the marked spans.

An encoder (InfoXLM) reads ``<candidate> translation <reference> reference``, or the source in place of the reference. The
sum of its last layers passes through two more transformer layers. Every token of the translation then gets one of five
labels: no error, or the beginning or inside of a major or minor error.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import torch
from torch import Tensor, nn

from assay.core.errors import InputError, MissingPart
from assay.core.schema import Bounds, Place, typed
from assay.core.spans import PENALTIES, ErrorSpan
from assay.io.documents import read_document
from assay.models.encoders.config import KNOWN_ENCODERS, EncoderConfig
from assay.models.encoders.encoder import Encoder, Layer, add
from assay.models.encoders.pretrained import fill
from assay.models.encoders.tokenizer import replace_surrogates
from assay.models.files.encoder import MateseFiles, read_shape
from assay.models.files.weights import read_torch
from assay.models.heads.pairs import PairPredictor, TokenPair
from assay.models.runtime.packing import Packed

LABELS = 5
LOWEST = -25
"""Lowest possible score of a segment."""
SOURCE, CANDIDATE, REFERENCE, EMPTY = "<source>", "<candidate>", "<reference>", "<empty-string>"
INNER = 2048
"""Feed-forward width in the two additional layers (torch's default)."""


@dataclass(frozen=True, slots=True)
class MateseShape:
    """MaTESe's configuration (``configs/matese.json``); the default is that of the released models."""

    reference_less: bool = False
    transformer_model_name: str = "microsoft/infoxlm-large"
    encoder_layers: Annotated[int, Bounds(1, 100)] = 2
    encoder_attention_heads: Annotated[int, Bounds(1, 1000)] = 8
    use_last_n_layers: Annotated[int, Bounds(1, 1000)] = 4


class MateseModel(nn.Module):
    """Token classifier that returns logits (tokens that are read, 5)."""

    def __init__(self, config: EncoderConfig, shape: MateseShape) -> None:
        super().__init__()
        self.encoder = Encoder(config)
        further = replace(
            config, heads=shape.encoder_attention_heads, feed_forward=INNER, epsilon=1e-5, layers=shape.encoder_layers
        )
        self.last = min(shape.use_last_n_layers, config.layers + 1)
        self.further = nn.ModuleList(Layer(further) for _ in range(shape.encoder_layers))
        self.head = nn.Linear(config.hidden, LABELS, bias=False)

    def forward(self, packed: Packed) -> Tensor:
        """Return the logits; the two additional layers compute in float32."""
        summed: Tensor | None = None
        first = self.encoder.config.layers + 1 - self.last
        for index, hidden in enumerate(self.encoder.states(replace(packed, read=None))):
            if index >= first:
                summed = hidden if summed is None else summed + hidden
        assert summed is not None
        for index, layer in enumerate(self.further, 1):
            assert isinstance(layer, Layer)
            final = index == len(self.further)
            added = layer.attention(summed, packed, final=final)
            selected = packed.select(summed) if final else summed
            _, middle, _ = add(selected, added, layer.attention_norm, torch.float32)
            _, summed, _ = add(
                middle, layer.feed_forward(middle, packed, final=final), layer.feed_forward_norm, torch.float32
            )
        logits: Tensor = self.head(summed)
        return logits


class MateseTagger:
    """A loaded model that marks error spans. Not thread-safe."""

    def __init__(
        self,
        files: MateseFiles,
        *,
        dtype: torch.dtype = torch.float32,
        device: torch.device | str = "cpu",
    ) -> None:
        shape = read_matese_shape(files)
        content = read_torch(files.weights)
        state = content.get("state_dict") if isinstance(content, dict) else None
        if not isinstance(state, dict) or not all(isinstance(one, Tensor) for one in state.values()):
            raise InputError(f"{files.weights} has no state_dict of tensors: it is not a MaTESe checkpoint.")
        self.labels = _labels(content.get("hyper_parameters"), files.weights)
        self.reference_less = shape.reference_less
        config = _config(files, shape, state)
        with torch.device("meta"):
            model = MateseModel(config, shape)
        fill(model, state, config, files.weights, _theirs, "MaTESe", dtype=dtype, device=device)
        model.encoder.prepack()
        self.backend = _tokenizer(files.tokenizer, config)
        self.ids = {name: self.backend.token_to_id(name) for name in (SOURCE, CANDIDATE, REFERENCE)}
        self.limit = min(512, config.longest)
        self.predictor = PairPredictor(model, config, torch.device(device), dtype)

    def spans(
        self, hypotheses: Sequence[str], others: Sequence[str]
    ) -> tuple[list[tuple[ErrorSpan, ...]], list[float], list[bool]]:
        """Return the error spans and score of every pair, and whether it exceeded the model's maximum length."""
        marker = SOURCE if self.reference_less else REFERENCE
        texts = [
            f"{CANDIDATE} {replace_surrogates(a) or EMPTY} {marker} {replace_surrogates(b) or EMPTY}"
            for a, b in zip(hypotheses, others, strict=True)
        ]
        pairs, offsets = [], []
        for encoding in self.backend.encode_batch(texts):
            cut = len(encoding.ids) > self.limit
            ids = [*encoding.ids[: self.limit - 1], encoding.ids[-1]] if cut else encoding.ids
            offsets_of_text = [*encoding.offsets[: self.limit - 1], (0, 0)] if cut else encoding.offsets
            first = ids.index(self.ids[CANDIDATE]) + 1
            last = ids.index(self.ids[marker]) if self.ids[marker] in ids else len(ids)
            pairs.append(TokenPair(ids, len(ids), cut, last))
            offsets.append((first, last, offsets_of_text))
        all_spans, scores = [], []
        for text, rows, (first, last, offsets_of_text) in zip(
            hypotheses, self.predictor.rows(pairs), offsets, strict=True
        ):
            logits = torch.from_numpy(rows[first:last])
            shares, numbers = logits.softmax(-1).max(-1)
            tags = [self.labels[number] for number in numbers.tolist()]
            spans = list(marked(text, tags, shares.tolist(), offsets_of_text[first:last]))
            all_spans.append(tuple(spans))
            scores.append(float(max(LOWEST, -sum(PENALTIES[span.severity] for span in spans))))
        return all_spans, scores, [pair.cut for pair in pairs]


def marked(
    text: str, tags: Sequence[str], shares: Sequence[float], offsets: Sequence[tuple[int, int]]
) -> Iterator[ErrorSpan]:
    """Yield the spans in a label sequence.

    B begins a span, I continues an open span or begins one, O ends it. The first label of a span gives its severity.
    Offsets refer to the whole input, in which a special token and a space precede the translation.
    """
    shift = len(CANDIDATE) + 1
    groups: list[tuple[str, list[int]]] = []
    opened = False
    for at, tag in enumerate(tags):
        kind, _, severity = tag.partition("-")
        if kind == "B" or (kind == "I" and not opened):
            groups.append((severity.lower(), [at]))
        elif kind == "I":
            groups[-1][1].append(at)
        opened = kind != "O"
    for severity, tokens in groups:
        extents = [offsets[at] for at in tokens if offsets[at][1] > offsets[at][0]]
        if not extents:
            continue
        start, end = (min(max(place - shift, 0), len(text)) for place in (extents[0][0], extents[-1][1]))
        sure = sum(shares[at] for at in tokens) / len(tokens)
        yield ErrorSpan.of(text, start, end, severity, confidence=sure)


def read_matese_shape(files: MateseFiles) -> MateseShape:
    """Return the configuration in the folder, or that of the released models."""
    if files.config is None:
        return MateseShape(reference_less=files.quality_estimation)
    return typed(
        MateseShape, read_document(files.config, said="cannot be read"), Place(str(files.config)), strict=False
    )


def _labels(hyper: Any, path: Path) -> tuple[str, ...]:
    labels = hyper.get("ordered_labels") if isinstance(hyper, dict) else None
    expected = {"O", "B-Major", "I-Major", "B-Minor", "I-Minor"}
    if not isinstance(labels, list | tuple) or set(labels) != expected or len(labels) != LABELS:
        raise InputError(f"{path} lacks the order of its five labels (ordered_labels): it is not a MaTESe checkpoint.")
    return tuple(labels)


def _config(files: MateseFiles, shape: MateseShape, state: dict[str, Tensor]) -> EncoderConfig:
    if files.encoder is not None:
        published = read_shape(files.encoder)
    else:
        name = shape.transformer_model_name.rsplit("/", 1)[-1]
        if name not in KNOWN_ENCODERS:
            raise MissingPart(
                f"{files.folder} is based on {name[:80]}, an encoder with an unknown architecture. Put its config.json "
                "next to the weights."
            )
        published = KNOWN_ENCODERS[name]
    if published.family != "xlm-roberta":
        raise InputError(
            f"{files.folder}: assay supports MaTESe only with encoders like XLM-R, and this one is a {published.family} encoder."
        )
    words = state.get("transformer_model.embeddings.word_embeddings.weight")
    if words is None or words.dim() != 2:
        raise InputError(f"{files.weights} has no encoder called transformer_model: it is not a MaTESe checkpoint.")
    return replace(published, vocabulary=words.shape[0])


_PARTS = {
    "out": "self_attn.out_proj",
    "attention_norm": "norm1",
    "feed_forward_norm": "norm2",
    "up": "linear1",
    "down": "linear2",
}


def _theirs(name: str) -> str:
    """Return a weight's name in torch's TransformerEncoder."""
    if name.startswith("head."):
        return "classification_head.1.weight"
    _, index, part, kind = name.split(".")
    inner = f"self_attn.in_proj_{kind}" if part == "qkv" else f"{_PARTS[part]}.{kind}"
    return f"encoder.layers.{index}.{inner}"


def _tokenizer(path: Path, config: EncoderConfig) -> Any:
    """Return the encoder's tokenizer with MaTESe's four special tokens added."""
    from tokenizers import AddedToken

    from assay.models.encoders.tokenizer import Tokenizer

    backend = Tokenizer.load(path).backend
    names = (SOURCE, CANDIDATE, REFERENCE, EMPTY)
    backend.add_special_tokens([AddedToken(name, lstrip=True, rstrip=False, normalized=False) for name in names])
    if backend.get_vocab_size() > config.vocabulary:
        raise InputError(
            f"{path} has {backend.get_vocab_size():,} tokens including MaTESe's, the model {config.vocabulary:,}: it is the "
            "tokenizer of another encoder."
        )
    return backend
