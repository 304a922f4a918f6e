"""Where each of our weights stands in a checkpoint: Hugging Face's names of T5, BART and its kin and GPT-2, and fairseq's."""

from __future__ import annotations

from assay.models.seq2seq.config import Shape

Names = list[list[str]]
"""Ways to make one weight, the first that is there counts; each way is the weights to be joined end to end."""

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
    """Whether GPT-2's matrix of this name lies the other way round."""
    return shape.family == "gpt2" and name.endswith(".weight") and name.split(".")[-2] in _TRANSPOSED


def official_names(name: str, shape: Shape) -> Names:
    """The official weights that ours under `name` may be made of."""
    rules = {"t5": _t5, "gpt2": _gpt2}.get(shape.family, _bart)
    found = rules(name, shape)
    if shape.family in ("bart", "mbart", "m2m_100"):
        return [[f"model.{one}" for one in way] for way in found] + found
    if shape.family == "gpt2":
        return [[f"transformer.{one}" for one in way] for way in found] + found
    return found


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
