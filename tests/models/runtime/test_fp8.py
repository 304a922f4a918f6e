"""8-bit products: what they are off by, and what keeps that small. Here in plain torch; a GPU multiplies the same numbers."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from assay.core.errors import InputError
from assay.models.encoders.config import EncoderConfig
from assay.models.encoders.encoder import Encoder, Layer, attend
from assay.models.runtime.fp8 import FP8, LARGEST, Fp8Layer, Fp8Linear, by_rows, exact_rows, quantise
from assay.models.runtime.packing import Places, centres_of, pack
from assay.models.runtime.precision import choose_dtype

SMALL = EncoderConfig("xlm-roberta-xl", 64, 3, 4, 256, 500)
AFTER = EncoderConfig("xlm-roberta", 64, 3, 4, 256, 500)


def encoders(config: EncoderConfig = SMALL, dtype: torch.dtype = FP8) -> tuple[Encoder, Encoder]:
    """The same random weights in fp32 and in another precision."""
    torch.manual_seed(3)
    exact = Encoder(config).eval()
    small = Encoder(config).eval()
    small.load_state_dict(exact.state_dict())
    small.cast(dtype)
    return exact, small


def sequences(count: int = 6) -> list[list[int]]:
    drawn = torch.randint(3, 500, (count, 40), generator=torch.Generator().manual_seed(8)).tolist()
    return [[0, *row[: 20 + 3 * i], 2] for i, row in enumerate(drawn)]


def places(*lengths: int) -> Places:
    starts = torch.tensor([0, *lengths]).cumsum(0).int()
    return Places(starts, int(starts[-1]), max(lengths))


def test_rows_keep_their_own_scale() -> None:
    rows = torch.tensor([[1.0, -2.0, 0.5], [1000.0, 0.0, -4000.0], [0.0, 0.0, 0.0]])
    found, scale = by_rows(rows)
    assert found.dtype == FP8
    assert scale.flatten().tolist() == pytest.approx([2 / LARGEST, 4000 / LARGEST, 1e-12])
    assert (found.float() * scale)[2].tolist() == [0, 0, 0]
    assert torch.allclose(found.float() * scale, rows, rtol=1 / 16, atol=0)  # three bits of fraction


def test_a_centre_is_the_mean_of_all_rows_but_the_first() -> None:
    rows = torch.tensor([[9.0, 9.0], [1.0, 2.0], [3.0, 6.0], [7.0, 7.0], [5.0, 5.0], [1.0, -1.0]])
    exact = exact_rows(rows, places(3, 1, 2))
    assert exact.tolist()[:3] == [[9, 9], [7, 7], [5, 5]]
    assert centres_of(exact).tolist() == [[2, 4], [0, 0], [1, -1]]  # the second has a first row only


def test_shift_gelu_and_centre_come_in_that_order() -> None:
    rows, where = torch.tensor([[1.0, -1.0], [2.0, 0.0]]), places(1, 1)
    shift, centres = torch.tensor([[0.5, 2.0], [1.0, 0.0]]).half(), torch.tensor([[0.25, 0.5], [0.0, 1.0]]).half()
    firsts = torch.full((2, 2), 99.0).half()
    found, scale = quantise(rows, where, torch.cat((firsts, centres)), torch.cat((firsts, shift)))
    assert torch.allclose(found.float() * scale, functional.gelu(rows + shift) - centres, rtol=1 / 16)


def test_what_a_sequence_has_in_common_is_multiplied_in_float16() -> None:
    torch.manual_seed(0)
    linear, where = nn.Linear(64, 32).half(), places(9, 7)
    rows = (100 * torch.randn(2, 64).repeat_interleave(torch.tensor([9, 7]), 0) + torch.randn(16, 64)).half()
    exact = linear(rows).float()
    small, scale = by_rows(rows)
    product = Fp8Linear(linear.weight, linear.bias)
    far = functional.linear(small.float() * scale, product.weight.float() * product.scale.T) + linear.bias - exact
    near = product(rows, where).onto(torch.zeros(16, 32)) - exact
    assert near.abs().mean() < far.abs().mean() / 20


def test_errors_of_a_sequence_cancel() -> None:
    torch.manual_seed(1)
    linear, where = nn.Linear(64, 64).half(), places(81)
    rows = torch.randn(81, 64).half()
    found = Fp8Linear(linear.weight, linear.bias)(rows, where).onto(torch.zeros(81, 64))
    error = found - linear(rows).float()
    assert error[1:].mean(dim=0).norm() < error[1:].norm(dim=1).mean() / 6  # weights' errors gone, tokens' by √80
    assert error[0].abs().max() == 0


@torch.no_grad()
def test_attention_is_that_of_whole_keys() -> None:
    exact, small = encoders()
    layer, whole = small.layers[0], exact.layers[0]
    assert isinstance(layer, Layer) and isinstance(whole, Layer)
    nn.init.normal_(whole.qkv.bias, std=3.0)
    nn.init.normal_(whole.qkv.weight, std=0.2)
    fresh = Fp8Layer(whole.qkv.half(), layer.out, layer.up, layer.down)
    packed = pack(sequences(), pad=1)
    hidden = torch.randn(len(packed.ids), 64).half()
    query_key, value = fresh.attended(hidden, packed.places)
    found = attend(query_key.float(), packed, 4, value=value.float())
    expected = attend(whole.qkv(hidden).float(), packed, 4)
    assert (found - expected).norm() / expected.norm() < 0.06


@torch.no_grad()
def test_first_tokens_are_as_exact_as_float16() -> None:
    exact, small = encoders()
    layer, whole = small.layers[0], exact.layers[0]
    assert isinstance(layer, Layer) and isinstance(whole, Layer) and isinstance(layer.small, Fp8Layer)
    hidden = torch.randn(10, 64)
    found = layer.small.feed_forward(hidden.half(), places(6, 4)).onto(torch.zeros(10, 64))
    error = (found - whole.down(functional.gelu(whole.up(hidden)))).abs().mean(dim=1)
    assert error[[0, 6]].max() < error[[1, 2, 3, 4, 5, 7, 8, 9]].min() / 3


def first_tokens(encoder: Encoder) -> Tensor:
    packed = pack(sequences(), pad=1)
    return list(encoder.states(packed))[-1][packed.firsts]


@torch.no_grad()
@pytest.mark.parametrize("config", [SMALL, AFTER], ids=["norms before", "norms after"])
def test_an_encoder_in_8_bits_is_nearer_than_bfloat16_where_scores_are_read(config: EncoderConfig) -> None:
    exact, small = encoders(config)
    _, half = encoders(config, torch.bfloat16)
    expected = first_tokens(exact)
    error, usual = ((first_tokens(each) - expected).norm() / expected.norm() for each in (small, half))
    assert error < usual < 0.02


@torch.no_grad()
@pytest.mark.parametrize("config", [SMALL, AFTER], ids=["norms before", "norms after"])
def test_an_encoder_in_8_bits_stays_near_and_knows_no_neighbours(config: EncoderConfig) -> None:
    exact, small = encoders(config)
    together = list(small.states(pack(sequences(), pad=1)))[-1]
    expected = list(exact.states(pack(sequences(), pad=1)))[-1]
    assert (together - expected).norm() / expected.norm() < 0.02
    alone = torch.cat([list(small.states(pack([one], pad=1)))[-1] for one in sequences()])
    firsts = pack(sequences(), pad=1).firsts
    assert torch.allclose(alone[firsts], together[firsts], atol=2e-3)
    assert (alone - together).norm() / together.norm() < 5e-3  # a last bit may round a token's number the other way


@torch.no_grad()
@pytest.mark.parametrize("config", [SMALL, AFTER], ids=["norms before", "norms after"])
def test_tokens_that_nobody_reads_are_left_out_of_the_last_layer(config: EncoderConfig) -> None:
    _, small = encoders(config)
    packed = pack(sequences(), pad=1, leading=[1, 5, 3, 1, 9, 2])
    assert packed.read is not None
    found = list(small.states(packed))[-1]
    expected = list(small.states(pack(sequences(), pad=1)))[-1].index_select(0, packed.read.rows)
    firsts = packed.read_places.firsts
    assert torch.allclose(found[firsts], expected[firsts], atol=2e-3)
    assert torch.allclose(found, expected, atol=0.1)  # the others' centre is that of fewer


def test_a_cast_back_forgets_the_small_weights() -> None:
    _, small = encoders()
    small.cast(torch.float32)
    assert all(isinstance(layer, Layer) and layer.small is None for layer in small.layers)


def test_a_processor_without_8_bit_products_says_so() -> None:
    with pytest.raises(InputError, match=r"precision=fp8 needs a GPU that supports 8-bit floats .*, unlike cpu"):
        choose_dtype("fp8", torch.device("cpu"))


INTERPRETED = """
import torch
from assay.models.runtime import fp8, fused, triton_fp8, triton_norm
from assay.models.runtime.packing import Places

torch.manual_seed(0)
starts = torch.tensor([0, 1, 20, 34], dtype=torch.int32)
where = Places(starts, 34, 19)
for width in (40, 320, 640):
    rows, shift = torch.randn(34, width).half(), torch.randn(6, width).half()
    exact = fp8.exact_rows(rows, where)
    assert torch.allclose(triton_fp8.exact_rows(rows, starts).float(), exact.float(), atol=4e-3)
    for table in (None, shift):
        found, scale = triton_fp8.quantise(rows, starts, 19, exact, table)
        small, expected = fp8.quantise(rows, where, exact, table)
        assert torch.allclose(scale, expected, rtol=2e-3)
        # triton's interpreter loses the carry of what is rounded up to a power of two; the tanh moves a few by a step
        usual, whole = torch.frexp(small.float())[0].abs() != 0.5, small.float() * expected
        gap = torch.where(usual, (found.float() * scale - whole).abs(), 0.0)
        assert float(gap.mean() / whole.abs().mean()) < (1e-4 if table is None else 1e-3)
    summed = fp8.Product(rows.clone(), shift, where).query_key()
    assert torch.allclose(triton_fp8.query_key(rows.clone(), starts, shift), summed, atol=4e-3, rtol=1e-3)
    assert not torch.equal(summed, rows)
    residual, norm = torch.randn(34, width), torch.nn.LayerNorm(width)
    with torch.no_grad():
        ours = triton_norm.fused_add_norm(residual, rows, norm, torch.float16, True, (shift, where))
        plain = fused.add_norm(residual, rows, norm, torch.float16, shared=(shift, where))
    for one, other in zip(ours, plain, strict=True):
        assert torch.allclose(one.float(), other.float(), atol=4e-3)
print("the same")
"""


@pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="needs triton, which comes with torch for GPUs")
def test_the_kernels_give_what_torch_gives() -> None:
    """On a CPU, through triton's interpreter; on a GPU they are checked again before they are used."""
    ran = subprocess.run(
        [sys.executable, "-c", INTERPRETED],
        env={**os.environ, "TRITON_INTERPRET": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.stdout == "the same\n", ran.stderr
