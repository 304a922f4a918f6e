"""Benchmark: xCOMET on one GPU, compared with the official package's batching and with the hardware's matrix products.

Run from the repository's root on the machine with the GPU. It needs only torch and numpy (no compiled kernels of assay)::

    PYTHONPATH=src:. python benchmarks/comet_gpu.py                      # XL, about three minutes on an H200
    PYTHONPATH=src:. python benchmarks/comet_gpu.py --trained cut.pt     # and a trained model (benchmarks/cut_model.py)
    PYTHONPATH=src:. python benchmarks/comet_gpu.py --models xl,xxl      # about seven minutes
    PYTHONPATH=src:. python benchmarks/comet_gpu.py --tiny               # a test run of a few seconds on a CPU

Weights are random, in the real sizes. The segments have DEMETR's token lengths (XLM-R's vocabulary): 128 (source, translation,
reference) triples at equal steps through its distribution, scaled to a mean of 240 tokens over the three passes.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional
from torch.profiler import ProfilerActivity, profile

from assay.models.encoders.config import KNOWN_ENCODERS, EncoderConfig, ModelConfig
from assay.models.encoders.encoder import Encoder, Layer
from assay.models.heads.checkpoint import LoadedCheckpoint
from assay.models.heads.comet import XcometModel, build_model
from assay.models.heads.inference import Predictor
from assay.models.heads.prediction import PASSES, Prediction
from assay.models.runtime.fp8 import FP8, by_rows, can_multiply
from assay.models.runtime.precision import DTYPES
from benchmarks.cut_model import Ids, Texts, read

LENGTHS = """
20,2,23 17,14,16 29,2,25 17,17,17 31,2,29 35,2,28 20,18,21 24,17,20 27,17,18 25,17,21 26,18,19 20,21,21 23,19,22 23,20,21
28,16,23 28,19,19 21,21,24 27,21,19 24,22,21 28,19,22 21,23,24 28,20,22 25,21,24 29,21,21 32,20,20 30,19,24 26,22,24 25,22,26
25,23,25 27,23,24 26,25,22 26,25,23 23,24,28 22,27,25 25,26,24 21,27,27 26,26,24 22,27,27 26,24,28 30,25,23 32,22,26 25,27,26
26,24,30 28,25,27 33,24,24 33,23,26 29,26,26 33,25,24 25,30,25 29,27,26 35,23,26 26,30,25 30,25,29 27,28,28 23,32,26 33,27,24
28,28,28 29,27,29 28,28,29 31,29,25 32,27,27 38,26,23 36,25,27 25,28,34 34,25,30 31,29,27 38,24,28 31,29,28 33,27,29 40,20,33
29,29,31 37,28,25 31,31,27 35,28,28 31,31,28 32,28,32 30,30,31 38,28,27 33,31,28 32,29,32 41,27,27 33,30,31 39,27,30 45,26,26
34,31,30 38,30,28 33,33,29 23,38,32 38,30,29 35,33,28 30,34,32 40,29,30 40,26,35 33,33,32 39,28,34 35,33,31 38,34,27 39,31,31
37,32,32 36,36,28 40,29,35 44,32,27 36,35,31 39,33,32 42,32,31 33,34,38 39,33,34 43,33,31 35,34,38 42,34,32 40,35,33 42,35,32
35,36,38 42,34,35 43,36,32 41,38,32 45,35,34 40,38,35 48,34,35 39,39,38 41,37,41 41,38,41 55,34,35 43,41,39 45,43,36 44,43,40
44,43,44 47,48,41
"""
STRETCH = 240 / 217
Floats = NDArray[np.floating[Any]]
SIZES = {"xl": "xlm-roberta-xl", "xxl": "xlm-roberta-xxl"}
TARGETS = {"xl": 420, "xxl": 125}
HALVES = ("fp16", "bf16", "fp8")
FASTER, ALIKE = 1.4, 0.999
"""Requirements for fp8: speed relative to fp16, and Spearman's correlation with fp32."""


class Numbers(Ids):
    """Tokenizer stub: a "text" is its number of tokens and a seed. Tokens are drawn once, outside the measured time."""

    def __init__(self, vocabulary: int) -> None:
        self.vocabulary = vocabulary
        self.drawn: dict[str, list[int]] = {}

    def pieces(self, text: str) -> list[int]:
        if text not in self.drawn:
            count, seed = map(int, text.split())
            self.drawn[text] = np.random.default_rng(seed).integers(4, self.vocabulary, count).tolist()
        return self.drawn[text]


def texts(count: int) -> Texts:
    """Return sources, translations and references of the segments, in an order independent of length."""
    triples = [[round(int(n) * STRETCH) for n in each.split(",")] for each in LENGTHS.split()]
    order = np.random.default_rng(7).permutation(count)
    rows = [[f"{length} {3 * i + side}" for side, length in enumerate(triples[i % len(triples)])] for i in order]
    sources, hypotheses, references = zip(*rows, strict=True)
    return list(sources), list(hypotheses), list(references)


def tokens_of(sources: list[str], hypotheses: list[str], references: list[str]) -> int:
    def size(column: list[str]) -> int:
        return sum(int(text.split()[0]) for text in column)

    return 2 * size(sources) + 3 * size(hypotheses) + 2 * size(references) + 14 * len(sources)


def random_model(encoder: EncoderConfig, device: torch.device) -> XcometModel:
    """Build xCOMET with random weights directly on the device."""
    config = ModelConfig.from_hparams(
        {
            "class_identifier": "xcomet_metric",
            "word_layer": encoder.layers,
            "hidden_sizes": [encoder.hidden, encoder.hidden // 2],
        }
    )
    with torch.device("meta"):
        model = build_model(config, encoder)
    model.to_empty(device=device)
    torch.manual_seed(0)
    assert model.mix is not None and isinstance(model, XcometModel) and isinstance(model.encoder, Encoder)
    for module in model.modules():
        if isinstance(module, (nn.Linear, nn.LayerNorm)):
            module.reset_parameters()
    for module in model.encoder.modules():  # as in transformers; the heads keep torch's initialisation
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, std=0.02)
        if isinstance(module, nn.Linear):
            nn.init.zeros_(module.bias)
    nn.init.zeros_(model.mix.weights)
    nn.init.ones_(model.mix.gamma)
    return model


def wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def product(device: torch.device, size: int, dtype: torch.dtype) -> Callable[[], Tensor]:
    """Multiply square matrices of random numbers; 8-bit ones row by row, without the conversion."""
    a, b = (torch.randn(size, size, device=device) for _ in range(2))
    if dtype != FP8:
        a, b = a.to(dtype), b.to(dtype)
        return lambda: a @ b
    (small, scale), (other, outer) = by_rows(a), by_rows(b)
    if not can_multiply(device):
        return lambda: (small.float() * scale) @ (other.float() * outer).T
    outer = outer.T.contiguous()
    return lambda: torch._scaled_mm(small, other.T, scale, outer, out_dtype=torch.bfloat16, use_fast_accum=True)


def matrix_limit(device: torch.device, size: int, dtype: torch.dtype, seconds: float) -> float:
    """Return TFLOP/s of a square product repeated for some seconds: after the first, a GPU slows down to its power limit."""
    multiply = product(device, size, dtype)
    for _ in range(5):
        multiply()
    wait(device)
    started, count = time.perf_counter(), 0
    while not count or time.perf_counter() - started < seconds:
        for _ in range(20 if device.type == "cuda" else 1):
            multiply()
            count += 1
        wait(device)
    return 2 * size**3 * count / (time.perf_counter() - started) / 1e12


def norm(hidden: Tensor, layer: nn.LayerNorm) -> Tensor:
    weight, bias = layer.weight.to(hidden.dtype), layer.bias.to(hidden.dtype)
    return functional.layer_norm(hidden, layer.normalized_shape, weight, bias, layer.eps)


def padded_states(encoder: Encoder, ids: Tensor, mask: Tensor) -> list[Tensor]:
    """Run the same encoder on a padded batch, keeping every layer, as the official package does."""
    places = torch.cumsum(mask, 1) * mask + 1
    hidden = encoder.words(ids) + encoder.places(places) + encoder.types(torch.zeros_like(ids))
    states, (count, length) = [hidden], ids.shape
    allowed = mask[:, None, None, :].bool()
    for layer in encoder.layers:
        assert isinstance(layer, Layer)
        qkv = layer.qkv(norm(hidden, layer.attention_norm)).view(count, length, 3, layer.heads, -1)
        query, key, value = (part.transpose(1, 2) for part in qkv.unbind(2))
        mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=allowed)
        hidden = hidden + layer.out(mixed.transpose(1, 2).reshape(count, length, -1))
        hidden = hidden + layer.down(functional.gelu(layer.up(norm(hidden, layer.feed_forward_norm))))
        states.append(hidden)
    assert encoder.final_norm is not None
    states[-1] = norm(states[-1], encoder.final_norm)
    return states


@torch.inference_mode()
def official(model: XcometModel, numbers: Numbers, rows: Texts, device: torch.device) -> float:
    """Return the seconds for all segments: 16 at a time, sorted by the source's length, in three padded passes."""
    encoder = model.encoder
    assert isinstance(encoder, Encoder) and model.tagger is not None and model.mix is not None
    encoded = [numbers.encode(column, 512) for column in rows]
    order = sorted(range(len(rows[0])), key=lambda i: len(encoded[0][i].ids))
    dtype = encoder.words.weight.dtype
    shares = model.mix.shares().to(dtype)
    tagger, estimator = model.tagger.to(dtype), model.estimator.to(dtype)
    wait(device)
    started = time.perf_counter()
    for start in range(0, len(order), 16):
        batch = order[start : start + 16]
        for sides in ((0,), (2,), (0, 2)):
            joined = [numbers.join(encoded[1][i], *(encoded[side][i] for side in sides), limit=512)[0] for i in batch]
            longest = max(map(len, joined))
            ids = torch.tensor([row + [1] * (longest - len(row)) for row in joined], device=device)
            states = padded_states(encoder, ids, (ids != 1).long())
            mixed = torch.zeros_like(states[0])
            for share, state in zip(shares, states, strict=True):
                mixed = mixed + share * state
            score = estimator.ff(mixed[:, 0])
            torch.softmax(tagger(states[-1]), dim=2).cpu()
            score.cpu()
    wait(device)
    seconds = time.perf_counter() - started
    model.tagger.float(), model.estimator.float()
    return seconds


def report(
    name: str, encoder: EncoderConfig, device: torch.device, count: int, check: int, limits: dict[str, float]
) -> None:
    rows = texts(count)
    part, few = first(rows, check), first(rows, min(check, 128))
    tokens = tokens_of(*rows)
    numbers = Numbers(encoder.vocabulary)
    work = 2 * encoder.layers * (4 * encoder.hidden**2 + 2 * encoder.hidden * encoder.feed_forward) * tokens / count
    print(f"\n{name}: {count:,} segments, {tokens / count:.0f} tokens each over the three passes", flush=True)

    def line(what: str, rate: float, rest: str = "") -> None:
        print(f"  {what + ':':42} {rate:8.1f} segments/s{rest}", flush=True)

    def fresh(dtype: torch.dtype) -> tuple[XcometModel, Predictor]:
        """Build the same random weights again: a cast to half precision cannot be undone."""
        model = random_model(encoder, device)
        return model, Predictor(LoadedCheckpoint(model, numbers, "random"), device=device, dtype=dtype)  # type: ignore[arg-type]

    model, predictor = fresh(torch.float32)
    predictor.predict(rows[1][:4], rows[0][:4], rows[2][:4])
    exact = predictor.predict(part[1], part[0], part[2])
    line(f"ours, fp32 ({len(few[0])} segments)", rate_of(predictor, few, repeats=1))
    official(model, numbers, few, device)
    line(f"official batching, fp32 ({len(few[0])} segments)", len(few[0]) / official(model, numbers, few, device))
    del model, predictor
    rates = {}
    for short in HALVES:
        model, predictor = fresh(DTYPES[short])
        compare(predictor.predict(part[1], part[0], part[2]), exact, short)
        rates[short] = rate = rate_of(predictor, rows)
        line(
            f"ours, {short}", rate, f" ({rate * work / (limits[short] * 1e12):.0%} of what products alone would allow)"
        )
        if short == "fp8":
            profiled(predictor, first(rows, 512))
        if short == "fp16":
            official(model, numbers, few, device)
            half = count / official(model, numbers, rows, device)
            line("official batching, fp16", half)
        del model, predictor
    wanted = TARGETS.get(name.lower())
    for short, rate in rates.items():
        goal = f"; required {wanted}: {'reached' if rate >= wanted else 'missed'}" if wanted else ""
        print(f"  {name} in {short}: {rate:.0f} segments/s, {rate / half:.1f} times official batching in fp16{goal}")
    faster = rates["fp8"] / rates["fp16"]
    print(
        f"  fp8 is {faster:.2f} times as fast as fp16; required {FASTER}: {'reached' if faster >= FASTER else 'missed'}"
    )


def first(rows: Texts, count: int) -> Texts:
    return rows[0][:count], rows[1][:count], rows[2][:count]


def trained(path: str, device: torch.device) -> None:
    """Compare a trained model of `benchmarks/cut_model.py` in every precision with fp32."""
    found = {}
    for short in ("fp32", *HALVES):
        loaded, rows = read(path)
        found[short] = Predictor(loaded, device=device, dtype=DTYPES[short]).predict(rows[1], rows[0], rows[2])
    print(f"\ntrained: {len(rows[0]):,} segments, {loaded.model.encoder_config.layers} layers")
    for short in HALVES:
        compare(found[short], found["fp32"], short)


def profiled(predictor: Predictor, rows: Texts, most: int = 14) -> None:
    """Print where the device's time is spent."""
    gpu = predictor.device.type == "cuda"
    with profile(activities=[ProfilerActivity.CUDA if gpu else ProfilerActivity.CPU]) as seen:
        predictor.predict(rows[1], rows[0], rows[2])
        wait(predictor.device)
    times = [(getattr(e, f"self_{'device' if gpu else 'cpu'}_time_total"), e.count, e.key) for e in seen.key_averages()]
    whole = sum(each for each, _, _ in times)
    print(f"  of {whole / 1e3:,.1f} ms on the device for {len(rows[0])} segments:")
    for spent, count, what in sorted(times, reverse=True)[:most]:
        print(f"    {spent / whole:6.1%} {spent / 1e3:9.2f} ms {count:6,} times  {what[:90]}", flush=True)


def rate_of(predictor: Predictor, rows: Texts, repeats: int = 4) -> float:
    """Return segments per second: the best of some repetitions after a first one that is not counted."""
    sources, hypotheses, references = rows
    times = []
    for _ in range(repeats + 1):
        wait(predictor.device)
        started = time.perf_counter()
        predictor.predict(hypotheses, sources, references)
        wait(predictor.device)
        times.append(time.perf_counter() - started)
    return len(hypotheses) / min(times[1:])


def compare(found: Prediction, exact: Prediction, short: str) -> None:
    """Compare 16 or 8 bits with fp32: the largest difference of a pass, of the final score, and the share of identical spans."""
    gaps = {name: np.abs(found.components[name] - exact.components[name]).max() for name in PASSES}
    same = np.mean([a == b for a, b in zip(_tags(found), _tags(exact), strict=True)])
    print(
        f"  {short} compared with fp32: a pass differs by at most {max(gaps.values()):.1e} "
        f"({', '.join(f'{k} {v:.1e}' for k, v in gaps.items())}), the score by {np.abs(found.values - exact.values).max():.1e}; "
        f"scores spread by {np.std(exact.components['unified']):.1e}; same spans {same:.0%}; "
        f"Spearman of the passes {', '.join(f'{ranked(found.components[k], exact.components[k]):.4f}' for k in PASSES)}",
    )
    alike = ranked(*(np.mean([one.components[k] for k in PASSES], axis=0) for one in (found, exact)))
    goal = f"; required {ALIKE}: {'reached' if alike >= ALIKE else 'missed'}" if short == "fp8" else ""
    print(f"  {short} compared with fp32: Spearman of the passes' mean {alike:.4f}{goal}", flush=True)


def ranked(found: Floats, exact: Floats) -> float:
    """Return Spearman's correlation; equal numbers share their rank."""
    places = []
    for column in (found, exact):
        _, which, counts = np.unique(column, return_inverse=True, return_counts=True)
        places.append((np.cumsum(counts) - counts / 2)[which])
    return float(np.corrcoef(*places)[0, 1])


def _tags(prediction: Prediction) -> list[list[tuple[int, int, str]]]:
    return [[(s.start, s.end, s.severity) for s in row] for row in prediction.spans or ()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", default="xl")
    parser.add_argument("--segments", type=int, default=1024)
    parser.add_argument("--check", type=int, default=384, help="segments for comparing 16 and 8 bits with fp32")
    parser.add_argument("--trained", metavar="FILE", help="a trained model, written by benchmarks/cut_model.py")
    parser.add_argument("--tiny", action="store_true", help="a small model on any device")
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if device.type == "cpu" and not args.tiny:
        raise SystemExit("this machine has no GPU (--tiny runs on a CPU)")
    from assay.models.encoders.encoder import _varlen
    from assay.models.runtime.fp8 import _kernels, _output
    from assay.models.runtime.fused import _kernel

    print(f"torch {torch.__version__} on {torch.cuda.get_device_name(device) if device.type == 'cuda' else 'CPU'}")
    if device.type == "cuda":
        print(f"variable-length attention: {_varlen() is not None}; fused residual and norm: {_kernel() is not None}")
        if can_multiply(device):
            print(f"kernels for 8 bits: {_kernels() is not None}; products come out in {_output(device)}")
    size = 64 if args.tiny else 8192
    print(f"{size}³ bf16 product, cold: {matrix_limit(device, size, torch.bfloat16, 0.05):,.1f} TFLOP/s", flush=True)
    limits = {short: matrix_limit(device, size, DTYPES[short], 0.01 if args.tiny else 3) for short in HALVES}
    print(f"repeated: {', '.join(f'{short} {limit:,.1f}' for short, limit in limits.items())} TFLOP/s", flush=True)
    if args.trained:
        trained(args.trained, device)
    if args.tiny:
        tiny = EncoderConfig("xlm-roberta-xl", 32, 2, 2, 64, 500)
        report("tiny", tiny, device, 16, 8, limits)
        return
    for name in args.models.split(","):
        report(name.upper(), KNOWN_ENCODERS[SIZES[name]], device, args.segments, args.check, limits)
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
