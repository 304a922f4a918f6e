"""Weights that are not what they should be: assay-mini's kernel says so, and never reads where nothing is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from assay.kernels._native import Mini
from tests.kernels.mini_model import Tensors, random_model

GOOD = random_model(layers=3)
HYPOTHESIS, REFERENCE = ["die katze schläft 1979"], ["die katze ΞΩ"]
FLOATS = sorted(name for name, array in GOOD.items() if array.dtype.kind == "f")


def with_(**changed: Any) -> Tensors:
    """The good model with other tensors; underscores and double ones stand for full stops in a name."""
    return GOOD | {name.replace("__", "."): value for name, value in changed.items()}


def starts(name: str, at: int, value: int) -> np.ndarray:
    changed = GOOD[name].copy()
    changed[at] = value
    return changed


def text(*parts: bytes) -> Tensors:
    """A vocabulary whose pieces after the four special ones are these bytes, as often as they fit."""
    count = len(GOOD["scores"])
    pieces = [b"<s>", b"<pad>", b"</s>", b"<unk>", *(parts[i % len(parts)] for i in range(count - 4))]
    return GOOD | {
        "text": np.frombuffer(b"".join(pieces), np.uint8),
        "starts": np.cumsum([0, *map(len, pieces)]).astype(np.uint32),
    }


WRONG_NUMBERS = {
    "no heads": (with_(enc__heads=np.array([0], np.int32)), "heads do not fit"),
    "negative heads": (with_(enc__heads=np.array([-(2**31)], np.int32)), "heads do not fit"),
    "too many heads": (with_(enc__heads=np.array([64], np.int32)), "heads do not fit"),
    "an unknown layer": (with_(enc__seen=np.array([0, 1, 3], np.int32)), "enc.seen"),
    "a negative layer": (with_(enc__seen=np.array([-1, 1, 2], np.int32)), "enc.seen"),
    "layers out of order": (with_(enc__seen=np.array([2, 1, 0], np.int32)), "enc.seen"),
    "a layer twice": (with_(enc__seen=np.array([1, 1, 2], np.int32)), "enc.seen"),
    "no mix": (with_(enc__mix=np.zeros(0, np.float32)), "enc.mix"),
    "too much mix": (with_(enc__mix=np.zeros(4, np.float32)), "enc.mix"),
    "a mix beyond numbers": (with_(enc__mix=np.array([6e4], np.float16)), "enc.mix"),
    "heat beyond numbers": (with_(tau=np.array([1.0, 100.0], np.float32)), "tau"),
    "no spread": (with_(scs=np.zeros(87, np.float32)), "scs"),
    "unknown groups": (with_(sg=np.full(87, 3, np.float16)), "sg"),
    "pieces that begin later": (with_(starts=starts("starts", 0, 1)), "starts"),
    "pieces that end early": (with_(starts=starts("starts", -1, 9)), "starts"),
    "pieces that go back": (with_(starts=starts("starts", 9, 2**32 - 1)), "starts"),
    "a map that goes back": (with_(norm_starts=starts("norm_starts", 2, 2**31)), "norm_starts"),
    "a map out of order": (with_(norm_from=GOOD["norm_from"][::-1].copy()), "norm_from"),
    "a map to no character": (with_(norm_to=starts("norm_to", 3, 0x110000)), "norm_to"),
    "continuation bytes": (text(b"\x80\x80"), "UTF-8"),
    "a lead at the end": (text(b"a\xe4"), "UTF-8"),
    "a lead before a letter": (text(b"\xe4ab"), "UTF-8"),
    "overlong": (text(b"\xc0\x80"), "UTF-8"),
    "a surrogate": (text(b"\xed\xa0\x80"), "UTF-8"),
    "behind the last character": (text(b"\xf4\x90\x80\x80"), "UTF-8"),
    "five bytes": (text(b"\xf8\x88\x80\x80\x80"), "UTF-8"),
    "latin 1": (text("ä".encode("latin-1")), "UTF-8"),
    "three pieces": (with_(scores=GOOD["scores"][:3].copy()), "too few pieces"),
    "two positions": (with_(enc__pos__weight__q=np.zeros((2, 64), np.int8)), "too few positions"),
    "no inner width": (
        GOOD | {f"enc.layers.{i}.fi.weight.q": np.zeros((0, 64), np.int8) for i in range(3)},
        "width of 0",
    ),
    "nothing, and endless": (with_(enc__layers__0__fi__weight__q=np.zeros((2**62, 0), np.int8)), "width of"),
    "endless positions": (with_(enc__pos__weight__q=np.zeros((2**62, 0), np.int8)), "enc.pos"),
    "a huge width": (with_(enc__ln__weight=np.zeros(2**24, np.float16)), "width of 16777216"),
    "a width of 65": (with_(enc__ln__weight=np.ones(65, np.float16)), "width of 65"),
    "no width": (with_(nf__weight=np.ones(0, np.float16)), "width of 0"),
    "not aligned": (
        with_(starts=np.frombuffer(b"\0" + GOOD["starts"].tobytes(), np.uint8)[1:].view(np.uint32)),
        "not aligned",
    ),
}


@pytest.mark.parametrize("what", WRONG_NUMBERS)
def test_wrong_numbers_are_named(what: str) -> None:
    tensors, message = WRONG_NUMBERS[what]
    with pytest.raises(ValueError, match=message):
        Mini(tensors)


@pytest.mark.parametrize("name", sorted(GOOD))
def test_every_tensor_must_be_there_and_be_itself(name: str) -> None:
    """Absent, of another kind, of no, one, two or three dimensions, longer, shorter, empty, transposed."""
    optional = name == "enc.seen"
    array = GOOD[name]
    if not optional:
        with pytest.raises(ValueError, match="the model has no tensor"):
            Mini({key: value for key, value in GOOD.items() if key != name})
    square = array.ndim == 2 and array.shape[0] == array.shape[1]
    others = [
        array.astype(np.float64), array.astype(np.complex64), array.astype(np.int64), array.astype(bool),
        array.reshape(-1)[0], array[..., None], array[None], array[:0].copy(),
        *([] if name == "enc.mix" else [np.concatenate([array, array[:1]]), array[:-1].copy()]),  # any number of layers
        *([array.T.copy(), array.reshape(-1)] if array.ndim == 2 and not square else []),
    ]  # fmt: skip
    for other in others:
        with pytest.raises((ValueError, TypeError)):
            Mini(GOOD | {name: np.asarray(other)})


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_numbers_are_finite(name: str, number: float) -> None:
    changed = GOOD[name].copy()
    changed.reshape(-1)[-1] = number
    with pytest.raises(ValueError, match=r"finite|sg holds"):
        Mini(GOOD | {name: changed})


def test_what_is_no_tensor_is_refused() -> None:
    for value in (None, "text", 3, [1.0, 2.0], object(), np.array(["a"]), np.array([object()])):
        with pytest.raises(TypeError, match=r"enc.ln.weight is no array"):
            Mini(GOOD | {"enc.ln.weight": value})  # type: ignore[dict-item]
    for name in (3, None, b"bytes", "\ud800"):
        with pytest.raises(TypeError, match="the name of a tensor"):
            Mini({name: GOOD["sg"]})  # type: ignore[dict-item]
    for tensors in ([], None, "", 3):
        with pytest.raises(TypeError):
            Mini(tensors)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="the model has no tensor"):
        Mini({})


def test_other_byte_orders_are_refused_and_other_layouts_are_read() -> None:
    with pytest.raises((TypeError, ValueError)):
        Mini(GOOD | {"scm": GOOD["scm"].astype(">f4")})
    expected = Mini(GOOD).score(HYPOTHESIS, REFERENCE, None, False, 1)[0]
    for name in ("codes", "enc.layers.0.fi.weight.q", "scm"):
        for scattered in (np.asfortranarray(GOOD[name]), np.repeat(GOOD[name], 2, axis=0)[::2]):
            try:
                found = Mini(GOOD | {name: scattered}).score(HYPOTHESIS, REFERENCE, None, False, 1)[0]
            except TypeError as error:
                assert "in one piece" in str(error)
            else:
                assert (found == expected).all()


def test_large_numbers_lead_nowhere_else() -> None:
    """What overflows inside the network is a number of no use, on every kind of processor the same, and no crash."""
    large = {name: np.full_like(GOOD[name], 6e4) for name in FLOATS if name.endswith((".bias", ".s", "scales"))}
    found = [
        Mini(GOOD | large, processor).score(HYPOTHESIS, REFERENCE, REFERENCE, precise, 2)[2:]
        for processor in ("", "generic")
        for precise in (False, True)
    ]
    assert all(np.array_equal(a, b) for other in found for a, b in zip(other, found[0], strict=True))


def test_a_vocabulary_may_have_empty_pieces_and_equal_ones() -> None:
    tensors = text(b"", b"a", b"a", "\u2581".encode())
    ids = Mini(tensors).pieces(["a a"])[0].tolist()
    last = max(i for i in range(4, len(GOOD["scores"])) if (i - 4) % 4 in (1, 2))
    blank = max(i for i in range(4, len(GOOD["scores"])) if (i - 4) % 4 == 3)
    assert ids == [blank, last, blank, last]
