"""Token sequences that a COMET model reads for each row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.core.errors import InputError
from assay.models.encoders.tokenizer import Tokenizer, Tokens
from assay.models.heads.comet import CometModel


@dataclass(slots=True)
class Row:
    """Sequences for one row by name, and the translation's subwords, which are needed for spans.

    Regression models have ``src``, ``mt``, ``ref``. Unified models have ``src``, ``ref``, ``unified``, named after the
    texts that are read with the translation.
    """

    hypothesis: str
    sequences: dict[str, list[int]]
    cut: bool
    words: int
    """Tokens of the translation, including special tokens."""
    offsets: list[tuple[int, int]] | None


def prepare_rows(
    model: CometModel,
    tokenizer: Tokenizer,
    hypotheses: Sequence[str],
    sources: Sequence[str | None] | None,
    references: Sequence[str | None] | None,
) -> list[Row]:
    """Tokenize all rows. Each distinct text is tokenized once, so identical texts share one list of ids."""
    config, limit = model.config, model.encoder_config.max_tokens
    if config.unified and len(config.input_segments) == 1:
        return _alone(model, tokenizer, hypotheses if config.input_segments == ("mt",) else sources, limit)
    tagged = bool(config.labels)
    segments = config.input_segments if config.unified else ("mt", "src", "ref")
    others = {"src": sources if "src" in segments else None, "ref": references if "ref" in segments else None}
    rest = [text for column in others.values() if column is not None for text in column if text is not None]
    encoded = _encode(tokenizer, hypotheses if tagged else [*hypotheses, *rest], limit - 2, offsets=tagged)
    beside = _encode(tokenizer, rest, limit - 2) if tagged else encoded
    rows = []
    for i, text in enumerate(hypotheses):
        first = encoded[text]
        row_texts: dict[str, Tokens] = {}
        for name, column in others.items():
            if column is not None and (other := column[i]) is not None:
                row_texts[name] = beside[other]
        sequences, cut = (_unified if config.unified else _regression)(tokenizer, first, row_texts, limit)
        if not sequences:
            raise InputError(f"segment {i + 1} has neither a source nor a reference, and the model requires one.")
        cut = cut or first.cut or any(tokens.cut for tokens in row_texts.values())
        rows.append(Row(text, sequences, cut, len(first.ids), first.offsets))
    return rows


def _alone(model: CometModel, tokenizer: Tokenizer, texts: Sequence[str | None] | None, limit: int) -> list[Row]:
    """Return rows for a sentinel, which reads a single text: ``<s> text </s>``."""
    if texts is None:
        raise InputError("this model requires the source. Add --src FILE (in Python: sources=[...]).")
    plain = [text or "" for text in texts]
    encoded = _encode(tokenizer, plain, limit, offsets=bool(model.config.labels))
    return [
        Row(text, {"alone": tokens.ids}, tokens.cut, len(tokens.ids), tokens.offsets)
        for text, tokens in ((text, encoded[text]) for text in plain)
    ]


def _encode(tokenizer: Tokenizer, texts: Sequence[str], limit: int, *, offsets: bool = False) -> dict[str, Tokens]:
    distinct = list(dict.fromkeys(texts))
    return dict(zip(distinct, tokenizer.encode(distinct, limit, offsets=offsets), strict=True))


def _regression(
    tokenizer: Tokenizer, first: Tokens, others: dict[str, Tokens], limit: int
) -> tuple[dict[str, list[int]], bool]:
    return {"mt": first.ids, **{name: tokens.ids for name, tokens in others.items()}}, False


def _unified(
    tokenizer: Tokenizer, first: Tokens, others: dict[str, Tokens], limit: int
) -> tuple[dict[str, list[int]], bool]:
    """Return the sequences mt+src, mt+ref and, if both texts exist, mt+src+ref."""
    sequences = {name: tokenizer.join(first, tokens, limit=limit) for name, tokens in others.items()}
    if len(others) == 2:
        sequences["unified"] = tokenizer.join(first, *others.values(), limit=limit)
    return {name: ids for name, (ids, _) in sequences.items()}, any(cut for _, cut in sequences.values())
