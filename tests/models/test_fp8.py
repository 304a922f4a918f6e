"""8-bit products: what they are off by, and what keeps that small. Here in plain torch; a GPU multiplies the same numbers."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.nn import functional

from assay.core.errors import InputError
from assay.models.config import EncoderConfig
from assay.models.encoder import Encoder, Layer
from assay.models.fp8 import FP8, LARGEST, Fp8Layer, Fp8Linear, quantise, typical_ids
from assay.models.inference import choose_dtype
from assay.models.packing import pack

SMALL = EncoderConfig("xlm-roberta-xl", 64, 3, 4, 256, 500)


def encoders() -> tuple[Encoder, Encoder]:
    """The same random weights in fp32 and in 8 bits."""
    torch.manual_seed(3)
    exact = Encoder(SMALL).eval()
    small = Encoder(SMALL).eval()
    small.load_state_dict(exact.state_dict())
    small.cast(FP8)
    return exact, small


def test_rows_keep_their_own_scale() -> None:
    rows = torch.tensor([[1.0, -2.0, 0.5], [1000.0, 0.0, -4000.0], [0.0, 0.0, 0.0]])
    found, scale = quantise(rows)
    assert found.dtype == FP8
    assert scale.flatten().tolist() == pytest.approx([2 / LARGEST, 4000 / LARGEST, 1e-12])
    assert (found.float() * scale)[2].tolist() == [0, 0, 0]
    assert torch.allclose(found.float() * scale, rows, rtol=1 / 16, atol=0)  # three bits of fraction


def test_shift_gelu_and_mean_come_in_that_order() -> None:
    rows, shift, mean = torch.tensor([[1.0, -1.0]]), torch.tensor([0.5, 2.0]), torch.tensor([0.25, 0.5])
    found, scale = quantise(rows, mean, shift=shift, gelu=True)
    assert torch.allclose(found.float() * scale, functional.gelu(rows + shift) - mean, rtol=1 / 16)


def test_what_inputs_have_in_common_is_multiplied_exactly() -> None:
    torch.manual_seed(0)
    linear, common = nn.Linear(64, 32), torch.randn(64)
    rows = 100 * common + torch.randn(8, 64)
    exact = linear(rows)
    centred, plain = Fp8Linear(linear, 100 * common), Fp8Linear(linear, torch.zeros(64))
    near = (centred(rows).float() + centred.constant - exact).abs().mean()
    far = (plain(rows).float() + plain.constant - exact).abs().mean()
    assert near < far / 20


def test_first_tokens_are_as_exact_as_float16() -> None:
    exact, small = encoders()
    layer, whole = small.layers[0], exact.layers[0]
    assert isinstance(layer, Layer) and isinstance(whole, Layer) and isinstance(layer.small, Fp8Layer)
    hidden = torch.randn(10, 64)
    found = layer.small.feed_forward(hidden.half(), torch.tensor([0, 6])).float() + layer.small.constants[1]
    error = (found - whole.down(functional.gelu(whole.up(hidden)))).abs().mean(dim=1)
    assert error[[0, 6]].max() < error[[1, 2, 3, 4, 5, 7, 8, 9]].min() / 3


@torch.no_grad()
def test_an_encoder_in_8_bits_stays_near_and_knows_no_neighbours() -> None:
    exact, small = encoders()
    sequences = typical_ids(SMALL.vocabulary)[:6]
    together = list(small.states(pack(sequences, pad=1)))[-1]
    expected = list(exact.states(pack(sequences, pad=1)))[-1]
    assert (together - expected).norm() / expected.norm() < 0.02
    alone = torch.cat([list(small.states(pack([one], pad=1)))[-1] for one in sequences])
    assert torch.allclose(alone, together, atol=2e-3)


def test_a_cast_back_forgets_the_small_weights() -> None:
    _, small = encoders()
    small.cast(torch.float32)
    assert all(isinstance(layer, Layer) and layer.small is None for layer in small.layers)


def test_a_processor_without_8_bit_products_says_so() -> None:
    with pytest.raises(InputError, match=r"precision=fp8 needs a GPU that multiplies 8-bit floats .* and cpu is none"):
        choose_dtype("fp8", torch.device("cpu"))
