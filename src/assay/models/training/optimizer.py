"""Optimization of xCOMET: layer-wise learning rates, gradual unfreezing, and the loss.

The loss follows section 4.2.1, equations 1 to 4, and Appendix B of Guerreiro et al. 2023.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from assay.models.training.encoding import IGNORE

if TYPE_CHECKING:
    from assay.models.heads.comet import UnifiedModel, UnifiedOutput
    from assay.models.runtime.packing import Packed
    from assay.models.training.config import PhaseConfig

_EMBEDDINGS = ("words", "places", "types", "embedding_norm")


def grouped(model: nn.Module, settings: Callable[[str], tuple[float, float] | None]) -> list[dict[str, Any]]:
    """Return groups of named parameters. `settings` returns learning rate and weight decay by name, or None if frozen."""
    groups: dict[tuple[float, float], list[tuple[str, nn.Parameter]]] = {}
    for name, parameter in model.named_parameters():
        if (setting := settings(name)) is not None:
            groups.setdefault(setting, []).append((name, parameter))
    return [
        {
            "params": [p for _, p in named],
            "names": [n for n, _ in named],
            "lr": rate,
            "base_lr": rate,
            "weight_decay": decay,
        }
        for (rate, decay), named in groups.items()
    ]


def parameter_groups(model: UnifiedModel, phase: PhaseConfig) -> list[dict[str, Any]]:
    """Return groups of named parameters with their learning rates.

    The encoder's top layer learns at `encoder_learning_rate`. The rate of each layer below it is multiplied by
    `layerwise_decay`, and the embeddings learn more slowly still, unless they are frozen. The layer mix and the heads learn at
    `learning_rate`.
    """
    depth = model.encoder_config.layers

    def settings(name: str) -> tuple[float, float] | None:
        layer = encoder_layer(name, depth)
        if layer is None:
            return phase.learning_rate, phase.weight_decay
        if layer < 0 and phase.keep_embeddings_frozen:
            return None
        return phase.encoder_learning_rate * phase.layerwise_decay ** (depth - 1 - layer), phase.weight_decay

    return grouped(model, settings)


def encoder_layer(name: str, depth: int) -> int | None:
    """Return a parameter's encoder layer: -1 for embeddings, the top layer for a final norm, None outside the encoder."""
    if not name.startswith("encoder."):
        return None
    parts = name.split(".")
    if parts[1] in _EMBEDDINGS or "embeddings" in parts:
        return -1
    number = next((int(part) for part in parts if part.isdigit()), None)
    return depth - 1 if number is None else number


def unfreeze(model: UnifiedModel, phase: PhaseConfig, step: int, frozen_steps: int) -> None:
    """Select the parameters to train in this step: heads always, the encoder after `frozen_steps`, embeddings if allowed."""
    depth = model.encoder_config.layers
    for name, parameter in model.named_parameters():
        layer = encoder_layer(name, depth)
        learns = layer is None or (step >= frozen_steps and not (layer < 0 and phase.keep_embeddings_frozen))
        parameter.requires_grad_(learns)
        if not learns:
            parameter.grad = None


def adamw(model: UnifiedModel, phase: PhaseConfig) -> torch.optim.AdamW:
    """Return torch's AdamW with the phase's parameter groups."""
    return torch.optim.AdamW(parameter_groups(model, phase), lr=phase.learning_rate, weight_decay=phase.weight_decay)


def warm_up(optimizer: torch.optim.Optimizer, phase: PhaseConfig, step: int) -> float:
    """Set the learning rates for a step (linear up to `warmup_steps`, then constant). Return the rate of the heads."""
    share = min(1.0, (step + 1) / phase.warmup_steps) if phase.warmup_steps else 1.0
    for group in optimizer.param_groups:
        group["lr"] = group["base_lr"] * share
    return phase.learning_rate * share


def losses(
    output: UnifiedOutput,
    packed: Packed,
    targets: Tensor,
    labels: Tensor,
    class_weights: Tensor,
    loss_lambda: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the sum of the sequences' losses (equation 3), and its unweighted sentence and word parts.

    `targets` is NaN for sequences without a score, `labels` -1 for tokens without a class. The word loss is the mean over
    the labelled tokens of a sequence (equation 2), so long translations do not outweigh short ones.
    """
    scored = ~targets.isnan()
    errors = torch.where(scored, output.scores.float() - targets.nan_to_num(), torch.zeros_like(targets))
    sentence = errors.square().sum()
    word = torch.zeros_like(sentence)
    if loss_lambda and output.logits is not None:
        each = functional.cross_entropy(
            output.logits.float(), labels, weight=class_weights, ignore_index=IGNORE, reduction="none"
        )
        counts = torch.segment_reduce((labels != IGNORE).float(), "sum", lengths=packed.lengths, axis=0, unsafe=True)
        word = (each / counts.clamp(min=1).repeat_interleave(packed.lengths)).sum()
    return (1 - loss_lambda) * sentence + loss_lambda * word, sentence.detach(), word.detach()


def named_state(optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """Return the optimizer state as named tensors: ``PARAMETER/exp_avg`` and so on."""
    state: dict[str, Tensor] = {}
    for group in optimizer.param_groups:
        for name, parameter in zip(group["names"], group["params"], strict=True):
            for key, value in optimizer.state.get(parameter, {}).items():
                state[f"{name}/{key}"] = value.detach()
    return state


def load_named_state(optimizer: torch.optim.Optimizer, state: dict[str, Tensor]) -> None:
    """Restore the state that `named_state` returned."""
    by_name: dict[str, dict[str, Tensor]] = {}
    for path, value in state.items():
        name, _, key = path.rpartition("/")
        by_name.setdefault(name, {})[key] = value
    for group in optimizer.param_groups:
        for name, parameter in zip(group["names"], group["params"], strict=True):
            if name in by_name:
                # AdamW keeps its step count on the CPU, except in the fused kernel.
                counts = parameter.device if group.get("fused") else "cpu"
                optimizer.state[parameter] = {
                    key: value.to(counts if key == "step" else parameter.device, copy=True)
                    for key, value in by_name[name].items()
                }


def clip(model: nn.Module, limit: float) -> Tensor:
    """Scale gradients down to a norm of `limit` (0: no limit). Return the norm before scaling."""
    learning = [parameter for parameter in model.parameters() if parameter.grad is not None]
    return nn.utils.clip_grad_norm_(learning, limit or float("inf"))
