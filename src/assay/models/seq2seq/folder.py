"""Encoder-decoders from hub folders: ``config.json``, weights in safetensors or torch files, and a tokenizer.

No code from a file is run. A folder is recognised by its content, never by its name. Weights are renamed to match the model's
modules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from assay.core.errors import InputError, MissingPart, count
from assay.io.documents import read_document
from assay.models.files.hashing import fingerprint_files
from assay.models.files.weights import check_finite, read_torch
from assay.models.seq2seq.config import Shape, read_shape
from assay.models.seq2seq.encoder_decoder import EncoderDecoder

Take = Callable[[], Tensor]
PATTERNS = ("model*.safetensors", "pytorch_model*.bin")


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """Files of one model."""

    folder: Path
    config: Path
    weights: tuple[Path, ...]

    def shape(self) -> Shape:
        """Return the shape described by ``config.json``."""
        return read_shape(read_document(self.config, said="cannot be read"), str(self.config))

    def model(self, *, dtype: torch.dtype, device: torch.device) -> EncoderDecoder:
        """Return the model with its weights, in `dtype` on `device`."""
        weights = tensors(self.weights)
        return build(self.shape(), weights, str(self.weights[0]), dtype=dtype, device=device)

    def fingerprint(self, *others: Path) -> str:
        return fingerprint_files(*self.weights, self.config, *others)


def find_model(path: str | Path) -> ModelFolder:
    """Return the model in a folder. Raise an error if a file is missing."""
    folder = Path(path).expanduser()
    if not folder.is_dir():
        raise MissingPart(f"the model folder {folder} does not exist.")
    config = folder / "config.json"
    if not config.is_file():
        raise MissingPart(f"{folder} has no config.json: a model folder has config.json, weights and a tokenizer.")
    for pattern in PATTERNS:
        if files := tuple(sorted(folder.glob(pattern))):
            _all_parts(files)
            return ModelFolder(folder, config, files)
    raise MissingPart(f"{folder} has no weights: model.safetensors or pytorch_model.bin is missing.")


def _all_parts(found: tuple[Path, ...]) -> None:
    """Raise an error if some of the files ``…-00001-of-00003…`` are missing."""
    total = found[0].stem.rpartition("-of-")[2]
    if total.isascii() and total.isdigit() and int(total) != len(found):
        raise MissingPart(f"{found[0].parent} has {len(found)} of the {int(total)} files of its weights.")


def tensors(paths: Iterable[Path]) -> dict[str, Take]:
    """Return functions that read each weight, by name."""
    readers: dict[str, Take] = {}
    for path in paths:
        readers |= _safetensors(path) if path.suffix == ".safetensors" else _torch(path)
    return readers


def _safetensors(path: Path) -> dict[str, Take]:
    from safetensors import safe_open

    try:
        file: Any = safe_open(path, "pt")
        return {name: partial(file.get_tensor, name) for name in file.keys()}  # noqa: SIM118
    except Exception as error:  # a damaged file may raise any exception
        raise InputError(
            f"{path} is incomplete or not a safetensors file ({str(error).splitlines()[0][:160]}). Download it again."
        ) from error


def _torch(path: Path) -> dict[str, Take]:
    return given(read_torch(path), path)


def given(state: Any, path: Path) -> dict[str, Take]:
    """Return functions for the weights in a mapping that torch saved."""
    if not isinstance(state, Mapping) or not all(isinstance(name, str) for name in state):
        raise InputError(f"{path} contains no named weights.")
    for name, value in state.items():
        if not isinstance(value, Tensor):
            raise InputError(f"{path}: {name[:80]} is not a tensor. The checkpoint is damaged.")
    return {name: partial(_itself, value) for name, value in state.items()}


def _itself(value: Tensor) -> Tensor:
    return value


def build(
    shape: Shape, found: Mapping[str, Take], where: str, *, dtype: torch.dtype, device: torch.device
) -> EncoderDecoder:
    """Return a model with these weights, loaded tensor by tensor, so a large model is never in memory twice.

    Tied weights share one tensor.
    """
    with torch.device("meta"):
        model = EncoderDecoder(shape, head_bias=any(name.endswith("final_logits_bias") for name in found))
    shared: dict[tuple[tuple[str, ...], torch.dtype], Tensor] = {}
    filled: dict[str, Tensor] = {}
    for name, empty in model.state_dict().items():
        ways = official_names(name, shape)
        way = next((way for way in ways if all(one in found for one in way)), None)
        if way is None:
            missing = sum(
                not any(all(one in found for one in way) for way in official_names(other, shape))
                for other in model.state_dict()
            )
            raise InputError(
                f"{where} lacks {count(missing, 'weight')} that a {shape.family} model of its config.json needs, the first being "
                f"{ways[0][0]}. A file is missing, or config.json belongs to another model."
            )
        kind = dtype if _narrow(name) else torch.float32
        if (tuple(way), kind) not in shared:
            shared[tuple(way), kind] = _joined(name, way, found, shape, empty.shape, where).to(device, kind, copy=True)
        filled[name] = shared[tuple(way), kind]
    model.load_state_dict(filled, assign=True)
    model.eval()
    model.requires_grad_(False)
    return model


def _narrow(name: str) -> bool:
    """Return whether a weight is part of a matrix product; norms, positions and T5's bias stay in float32."""
    return not any(part in ("places", "bias") or part.endswith("norm") for part in name.split(".")[:-1])


def _joined(name: str, way: list[str], found: Mapping[str, Take], shape: Shape, size: torch.Size, where: str) -> Tensor:
    try:
        parts = [found[one]() for one in way]
    except Exception as error:  # damage may become apparent only here
        raise InputError(f"{where} cannot be read ({str(error).splitlines()[0][:160]}). Download it again.") from error
    if transposed(name, shape):
        parts = [part.T for part in parts]
    if name == "head.bias":
        parts = [part.flatten() for part in parts]
    fits = all(part.dim() == len(size) and part.shape[1:] == size[1:] for part in parts)
    whole = torch.cat(parts) if fits and len(parts) > 1 else parts[0]
    if not fits or whole.shape != size:
        raise InputError(
            f"{where}: {way[0]} has the shape {tuple(parts[0].shape)}, which a {shape.family} model of its config.json does not "
            "have. config.json belongs to another model."
        )
    return check_finite(whole, way[0], where)


Names = list[list[str]]
"""Alternative sources for one weight, in order of preference; each is a list of weights to join end to end."""

_BART = {
    "attention_norm": "self_attn_layer_norm",
    "out": "self_attn.out_proj",
    "cross_norm": "encoder_attn_layer_norm",
    "query": "encoder_attn.q_proj",
    "cross_out": "encoder_attn.out_proj",
    "inner_norm": "final_layer_norm",
    "up": "fc1",
    "down": "fc2",
}
_GPT2 = {
    "attention_norm": "ln_1", "qkv": "attn.c_attn", "out": "attn.c_proj", "inner_norm": "ln_2", "up": "mlp.c_fc",
    "down": "mlp.c_proj",
}  # fmt: skip
_TRANSPOSED = ("qkv", "out", "up", "down")


def transposed(name: str, shape: Shape) -> bool:
    """Return whether GPT-2 stores the matrix with this name transposed."""
    return shape.family == "gpt2" and name.endswith(".weight") and name.split(".")[-2] in _TRANSPOSED


def official_names(name: str, shape: Shape) -> Names:
    """Return the official weights from which one of assay's may be built."""
    rules = {"t5": _t5, "gpt2": _gpt2}.get(shape.family, _bart)
    names = rules(name, shape)
    if shape.family in ("bart", "mbart", "m2m_100"):
        return [[f"model.{one}" for one in way] for way in names] + names
    if shape.family == "gpt2":
        return [[f"transformer.{one}" for one in way] for way in names] + names
    return names


def _t5(name: str, shape: Shape) -> Names:
    words: Names = [["shared.weight"], ["encoder.embed_tokens.weight"], ["decoder.embed_tokens.weight"]]
    if name == "head.weight":
        return [["lm_head.weight"], *words]
    stack, _, rest = name.partition(".")
    if rest == "words.weight":
        return [*words, ["lm_head.weight"]]
    if rest == "bias.weight":
        return [[f"{stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"]]
    if rest == "final_norm.weight":
        return [[f"{stack}.final_layer_norm.weight"]]
    _, index, part, kind = rest.split(".")
    block, last = f"{stack}.block.{index}.layer", 2 if stack == "decoder" else 1
    own, other, inner = f"{block}.0.SelfAttention", f"{block}.1.EncDecAttention", f"{block}.{last}.DenseReluDense"
    joined = {
        "qkv": [f"{own}.{one}" for one in "qkv"],
        "out": [f"{own}.o"],
        "attention_norm": [f"{block}.0.layer_norm"],
        "query": [f"{other}.q"],
        "key_value": [f"{other}.{one}" for one in "kv"],
        "cross_out": [f"{other}.o"],
        "cross_norm": [f"{block}.1.layer_norm"],
        "up": [f"{inner}.wi_0", f"{inner}.wi_1"] if shape.gated else [f"{inner}.wi"],
        "down": [f"{inner}.wo"],
        "inner_norm": [f"{block}.{last}.layer_norm"],
    }
    return [[f"{one}.{kind}" for one in joined[part]]]


def _bart(name: str, shape: Shape) -> Names:
    both: Names = [["shared.weight"], ["encoder.embed_tokens.weight"], ["decoder.embed_tokens.weight"]]
    if name == "head.weight":
        if shape.family == "fairseq":
            return [["decoder.output_projection.weight"], ["decoder.embed_out"], ["decoder.embed_tokens.weight"]]
        return [["lm_head.weight"], *both]
    if name == "head.bias":
        return [["final_logits_bias"]]
    stack, _, rest = name.partition(".")
    if rest == "words.weight":
        own: Names = [[f"{stack}.embed_tokens.weight"]]
        return own if shape.family == "fairseq" else [["shared.weight"], *own, *both, ["lm_head.weight"]]
    part, _, kind = rest.rpartition(".")
    top = {"places": "embed_positions", "embedding_norm": "layernorm_embedding", "final_norm": "layer_norm"}
    if part in top:
        return [[f"{stack}.{top[part]}.{kind}"]]
    _, index, part = part.split(".")
    layer = f"{stack}.layers.{index}"
    if part == "qkv":
        return [[f"{layer}.self_attn.{one}_proj.{kind}" for one in "qkv"]]
    if part == "key_value":
        return [[f"{layer}.encoder_attn.{one}_proj.{kind}" for one in "kv"]]
    return [[f"{layer}.{_BART[part]}.{kind}"]]


def _gpt2(name: str, shape: Shape) -> Names:
    name = name.removeprefix("decoder.")
    top = {"words.weight": "wte.weight", "places.weight": "wpe.weight", "head.weight": "wte.weight"}
    if name in top:
        return [[top[name]]]
    part, _, kind = name.rpartition(".")
    if part == "final_norm":
        return [[f"ln_f.{kind}"]]
    _, index, part = part.split(".")
    return [[f"h.{index}.{_GPT2[part]}.{kind}"]]
