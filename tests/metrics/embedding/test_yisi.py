"""YiSi beside a plain re-computation after Lo 2019 and the definitions of its released code: loops over runs of tokens."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed (pip install 'mt-assay[neural]')")
transformers = pytest.importorskip("transformers", reason="transformers is not installed")

from assay.core.batch import Batch  # noqa: E402
from assay.core.errors import InputError  # noqa: E402
from assay.metrics.embedding.yisi import Yisi1, Yisi2  # noqa: E402
from assay.testing import check_metric  # noqa: E402

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "bertscore"
FOLDER = FIXTURES / "bert"
TEXTS: Any = json.loads((FIXTURES / "reference.json").read_text())["texts"]
HYPOTHESES, OTHERS = tuple(row[0] for row in TEXTS), tuple(row[1] for row in TEXTS)


class Plain:
    """Tokens and their vectors at a layer, one text at a time, by transformers."""

    def __init__(self, layer: int) -> None:
        from tokenizers import Tokenizer

        self.model = transformers.AutoModel.from_pretrained(FOLDER).float().eval()
        self.tokenizer, self.layer = Tokenizer.from_file(str(FOLDER / "tokenizer.json")), layer

    def ids(self, text: str) -> list[int]:
        ids = list(self.tokenizer.encode(text.strip()).ids)
        return ids if len(ids) <= 40 else [*ids[:39], ids[-1]]  # the encoder has 40 positions

    def vectors(self, text: str) -> Any:
        with torch.no_grad():
            states = self.model(torch.tensor([self.ids(text)]), output_hidden_states=True).hidden_states[self.layer][0]
        rows = states[1:-1].double().numpy()
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def by_hand(plain: Plain, hypothesis: str, other: str, n: int, alpha: float, heavy: Any) -> float:
    """One pair, run by run."""
    first, second = plain.ids(hypothesis)[1:-1], plain.ids(other)[1:-1]
    if not first or not second:
        return 0.0
    a, b = plain.vectors(hypothesis), plain.vectors(other)
    n = min(n, len(first), len(second))

    def side(own: list[int], theirs: list[int], cosine: Any) -> float:
        above = below = 0.0
        for i in range(len(own) - n + 1):
            weights = [heavy(own[i + k]) for k in range(n)]
            best = 0.0
            for j in range(len(theirs) - n + 1):
                inside = sum(weights[k] * max(0.0, cosine(i + k, j + k)) for k in range(n))
                best = max(best, inside / sum(weights))
            above, below = above + sum(weights) * best, below + sum(weights)
        return above / below

    precision = side(first, second, lambda i, j: float(a[i] @ b[j]))
    recall = side(second, first, lambda i, j: float(b[i] @ a[j]))
    return precision * recall / (alpha * precision + (1 - alpha) * recall) if precision and recall else 0.0


def lines_of(path: Path, texts: tuple[str, ...]) -> str:
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(("n", "alpha", "rare"), [(1, 0.5, False), (3, 0.8, False), (3, 0.8, True), (2, 0.7, True)])
def test_the_numbers_of_a_plain_computation(n: int, alpha: float, rare: bool, tmp_path: Path) -> None:
    plain = Plain(layer=2)
    counts: dict[int, int] = {}
    for text in OTHERS:
        for token in set(plain.ids(text)):
            counts[token] = counts.get(token, 0) + 1

    def heavy(token: int) -> float:
        return math.log2(1 + (len(OTHERS) + 1) / (counts.get(token, 0) + 1)) if rare else 1.0

    idf = lines_of(tmp_path / "lines", OTHERS) if rare else None
    made = Yisi1(model=str(FOLDER), layer=2, ngram=n, alpha=alpha, idf=idf)
    found = made.score(Batch(HYPOTHESES, references=(OTHERS,))).values
    expected = [by_hand(plain, *pair, n, alpha, heavy) for pair in zip(HYPOTHESES, OTHERS, strict=True)]
    assert found.tolist() == pytest.approx(expected, abs=1e-5)
    assert np.std(expected) > 0.05


def test_the_source_has_weights_of_its_own(tmp_path: Path) -> None:
    """YiSi-2 is YiSi-1 held against the source; with the same file for both sides the numbers are the same."""
    lines = lines_of(tmp_path / "lines", OTHERS)
    two = Yisi2(model=str(FOLDER), layer=2, idf=lines, idf_source=lines).score(Batch(HYPOTHESES, sources=OTHERS))
    one = Yisi1(model=str(FOLDER), layer=2, idf=lines).score(Batch(HYPOTHESES, references=(OTHERS,)))
    assert two.values.tolist() == pytest.approx(one.values.tolist(), abs=1e-7)
    other = lines_of(tmp_path / "others", ("The cat", "The mat", "The the"))
    apart = Yisi2(model=str(FOLDER), layer=2, idf=lines, idf_source=other).score(Batch(HYPOTHESES, sources=OTHERS))
    assert np.abs(apart.values - two.values).max() > 1e-3


def test_the_best_of_several_references() -> None:
    made = Yisi1(model=str(FOLDER), layer=2)
    both = made.score(Batch(HYPOTHESES, references=(OTHERS, HYPOTHESES))).values
    assert both.tolist() == pytest.approx([1.0] * len(HYPOTHESES), abs=1e-6)


def test_the_contract_and_what_is_refused() -> None:
    check_metric(Yisi1(model=str(FOLDER), layer=2))
    with pytest.raises(InputError, match=r"yisi1 requires an ngram of at least 1, not 0"):
        Yisi1(model=str(FOLDER), ngram=0)
    with pytest.raises(InputError, match=r"yisi1 does not use the source"):
        Yisi1(model=str(FOLDER), idf_source="x")
