"""MEE beside lists worked through as the released code does it, and NLTK's sentence BLEU of characters."""

from __future__ import annotations

import json
import math
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.batch import Batch
from assay.core.errors import InputError, MissingPart
from assay.metrics import metric
from assay.metrics.embedding.mee import Mee, character_bleu
from assay.testing import check_metric

bleu_score = pytest.importorskip("nltk.translate.bleu_score", reason="nltk is not installed")

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "bertscore"
# On a circle: the cosine of two words is that of the angle between them.
ANGLES = {"cat": 0, "cats": 40, "dog": 65, "sat": 180, "mat": 200, "lay": 243, "the": 300}
VECTORS = f"{len(ANGLES)} 2\n" + "".join(
    f"{word} {3 * math.cos(math.radians(angle))} {3 * math.sin(math.radians(angle))}\n"
    for word, angle in ANGLES.items()
)
PAIRS = [
    ("the cat sat", "the cat sat"),
    ("the cats sat", "the cat sat"),
    ("cat", "cats dog"),
    ("dog dog dog", "cat cats sat"),
    ("unknown cat", "cat unseen"),
    ("", "cat"),
    ("the the cat", "the mat lay cats"),
]


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    path = tmp_path / "words.vec"
    path.write_text(VECTORS, encoding="utf-8")
    return path


def by_hand(hypothesis: str, reference: str) -> float:
    """Exact matches take words out of the reference; then every word of the translation may take one more that is near."""
    ours, theirs = hypothesis.split(), reference.split()
    exact = near = far = 0
    left = list(theirs)
    for word in ours:
        if word in left:
            left.remove(word)
            exact += 1
    for word in ours:
        for other in list(left):
            if word in ANGLES and other in ANGLES:
                cosine = math.cos(math.radians(ANGLES[word] - ANGLES[other]))
                if cosine >= 0.4:
                    near, far = (near + 1, far) if cosine >= 0.5 else (near, far + 1)
                    left.remove(other)
                    break

    def fmean(matches: int) -> float:
        if not matches:
            return 0.0
        precision, recall = matches / len(ours), matches / len(theirs)
        return precision * recall / (0.9 * precision + 0.1 * recall)

    return (fmean(exact) + fmean(exact + near) + fmean(exact + near + far)) / 3


def test_words(vectors: Path) -> None:
    made = Mee(vectors=str(vectors))
    hypotheses, references = zip(*PAIRS, strict=True)
    found = made.score(Batch(hypotheses, references=(references,))).values.tolist()
    assert found == pytest.approx([by_hand(*pair) for pair in PAIRS], abs=1e-9)
    # cat beside "cats dog": nothing equal, cats is near (40 degrees, 0.77): 0, then 1 of 1 and 1 of 2 twice.
    one = (1 * 0.5) / (0.9 * 1 + 0.1 * 0.5)
    assert found[2] == pytest.approx(2 * one / 3)
    assert made.score(Batch(("cat",), references=(("sat",), ("cat",)))).values.tolist() == [1.0]
    check_metric(made)


@pytest.mark.parametrize(
    "pair", [*PAIRS, ("a", "abcabc"), ("xyz" * 9, "Ein langer Satz, der weitergeht."), ("ab", "b")]
)
def test_runs_of_characters_are_nltks(pair: tuple[str, str]) -> None:
    hypothesis, reference = pair
    orders = math.ceil(len(reference) / 3)
    smooth = bleu_score.SmoothingFunction().method4
    expected = bleu_score.sentence_bleu([reference], hypothesis, [1 / orders] * orders, smooth) if hypothesis else 0.0
    assert character_bleu(hypothesis, reference) == pytest.approx(float(expected), rel=1e-12)


def test_sentences_count_half_or_three_quarters(vectors: Path) -> None:
    """((2 MEE + BLEU) / 3 + cosine) / 2, and ((2 MEE + BLEU) / 3 + 3 cosine) / 4."""
    pytest.importorskip("torch", reason="torch is not installed (pip install 'mt-assay[neural]')")
    hypotheses, references = zip(*[pair for pair in PAIRS if pair[0]], strict=True)
    batch = Batch(hypotheses, references=(references,))
    options = f"vectors={vectors},model={FIXTURES / 'bert'}"
    words = np.array([by_hand(*pair) for pair in zip(hypotheses, references, strict=True)])
    runs = np.array([character_bleu(*pair) for pair in zip(hypotheses, references, strict=True)])
    cosines = metric(f"labse-sim:model={FIXTURES / 'bert'},against=reference").score(batch).values
    part = (2 * words + runs) / 3
    assert metric(f"mee2:{options}").score(batch).values.tolist() == pytest.approx(
        ((part + cosines) / 2).tolist(), abs=1e-6
    )
    assert metric(f"mee4:{options}").score(batch).values.tolist() == pytest.approx(
        ((part + 3 * cosines) / 4).tolist(), abs=1e-6
    )


def test_what_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MissingPart, match=r"mee requires word vectors for the target language"):
        metric("mee")
    with pytest.raises(InputError, match=r"the word vectors .*nosuch.* do not exist"):
        metric("mee:vectors=nosuch")
    batch = Batch(("cat dog",), references=(("cats dog",),))
    for content, said in (
        ("cat 1 2\n", r"its first line must give the number and the dimension"),
        ("2 2\ncat 1 0\ncats 1\n", r"line 3: expected 2 numbers after the word"),
        ("2 2\ncat 1 0\ncats 1 nan\n", r"line 3: expected 2 numbers"),
    ):
        path = tmp_path / "odd.vec"
        path.write_text(content)
        with pytest.raises(InputError, match=said):
            metric(f"mee:vectors={path}").score(batch)


@given(st.binary(max_size=60))
def test_any_bytes_are_vectors_or_refused(rest: bytes) -> None:
    from assay.io.vectors import VectorFile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "any.vec"
        path.write_bytes(b"2 2\n" + rest)
        try:
            found = VectorFile(path)
            vectors = [found.get(word.decode("utf-8", "replace")) for word in found.places]
        except InputError:
            return
    assert all(vector is None or vector.shape == (2,) for vector in vectors)


def test_the_first_line_of_a_word_counts(tmp_path: Path) -> None:
    from assay.io.vectors import VectorFile

    path = tmp_path / "twice.vec"
    path.write_text("2 2\ncat 3 4\ncat 1 0\n")
    found = VectorFile(path).get("cat")
    assert found is not None and found.tolist() == pytest.approx([0.6, 0.8])
    assert VectorFile(path).get("dog") is None
    assert json.dumps(sorted(word.decode() for word in VectorFile(path).places)) == '["cat"]'
