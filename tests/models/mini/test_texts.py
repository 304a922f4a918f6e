"""From texts to rows: pieces and their characters, synthetic errors, joined segments."""

from __future__ import annotations

import json
import lzma
import random

import numpy as np
import pytest

pytest.importorskip("torch", reason="torch is not installed (pip install 'mt-assay[neural]')")
pytest.importorskip("tokenizers", reason="tokenizers is not installed (pip install 'mt-assay[neural]')")

from assay.models.mini import synthetic_errors
from assay.models.mini.corpus import join_documents
from assay.models.mini.groups import JudgedGroup, JudgedTranslation
from assay.models.mini.subwords import SubwordModel, inverse_frequency
from assay.models.mini.synthetic_errors import synthetic_groups, with_error
from tests.data import need, ntrex
from tests.models.mini.test_features import description

TEXT = "Der Vertrag wurde 1997 nicht von zwei Ländern, sondern von drei unterzeichnet."


@pytest.mark.real
def test_texts_are_cut_as_the_description_cuts_them() -> None:
    path = need("research", "mini", "D1", "pieces.json.xz")
    told = description().Tokenizer(path)
    with lzma.open(path, "rt", encoding="utf-8") as file:
        stored = json.load(file)
    model = SubwordModel(stored["pieces"], np.array(stored["scores"], np.float32), stored["norm"], stored["unk_score"])
    texts = [line for code in ("deu", "zho-CN", "hin", "tha") for line in ntrex(code)[:12]] + [" a  b ", "１２ ﬁn", ""]
    for text, found in zip(texts, model.cut(texts), strict=True):
        ids, ranges = told(text)
        assert found.ids[:400] == ids, text
        mine = model.ranges(text, found.offsets[:400])
        assert [pair for pair in mine if text[slice(*pair)].strip()] == [
            pair for pair in ranges if text[slice(*pair)].strip()
        ]


def test_rarity_by_hand() -> None:
    # 999,997 of a million: log(1e6 / (999,997 + 3)) = 0, raised to 0.1; none: log(1e6 / 3).
    assert inverse_frequency(np.array([999_997, 3, 0])).tolist() == pytest.approx(
        [0.1, np.log(1e6 / 6), np.log(1e6 / 3)]
    )


def one(rule: str, seed: int = 1) -> synthetic_errors.Made | None:
    words = [match.span() for match in synthetic_errors._WORD.finditer(TEXT)]
    text = synthetic_errors._ErrorMaterial(
        TEXT, words, "de", "The treaty was signed.", "Etwas ganz anderes steht hier.", random.Random(seed)
    )
    made: synthetic_errors.Made | None = getattr(synthetic_errors, rule)(text)
    return made


def test_errors_by_hand() -> None:
    made, spans, cost = one("_number") or ("", [], 0.0)
    (start, end, weight) = spans[0]
    assert (start, end, weight, cost) == (18, 22, 5.0, 5.0)
    assert sum(a != b for a, b in zip(made[18:22], "1997", strict=True)) == 1 and made[:18] + made[22:] == TEXT.replace(
        "1997", ""
    )
    assert one("_negated") == (TEXT.replace(" nicht", ""), [(19, 23, 5.0)], 5.0)
    assert one("_tokenised") == (
        "Der Vertrag wurde 1997 nicht von zwei Ländern , sondern von drei unterzeichnet .",
        [],
        1.0,
    )
    assert one("_unrelated") == ("Etwas ganz anderes steht hier.", [(0, 30, 5.0)], 25.0)
    assert with_error("zu kurz hier", "de", "", "", random.Random(1)) is None


def test_every_rule_marks_what_it_changed_inside_the_text() -> None:
    for rule in synthetic_errors.RULES:
        for seed in range(30):
            found = one(rule.__name__, seed)
            if found is None:
                continue
            made, spans, cost = found
            assert 0.5 <= cost <= 25 and all(0 <= start < end <= len(made) for start, end, _ in spans), rule.__name__


def group(collection: str, segment: int, *hypotheses: JudgedTranslation) -> JudgedGroup:
    return JudgedGroup(
        collection, "mqm", "en-de", f"{collection}|d", segment, "train", "The treaty.", (TEXT,), hypotheses
    )


def test_synthetic_groups_keep_the_base_and_cost_more() -> None:
    base = JudgedTranslation(TEXT.replace("Vertrag", "Pakt"), -1.0, "s", ((4, 8, 1.0, 1.0),))
    made = synthetic_groups([group("mqm20", 1, base, JudgedTranslation("schlecht", -20.0))], {"mqm20": 1.0}, 3)
    (found,) = made
    assert found.collection == "syn-made-mqm20" and found.kind == "syn" and found.hypotheses[0].text == base.text
    assert len(found.hypotheses) > 1 and all(one.score <= -1.5 for one in found.hypotheses[1:])
    assert synthetic_groups([group("mqm20", 1, base)], {}, 3) == []


def test_joined_segments_sum_their_scores() -> None:
    # Three segments of one document, two systems, one piece a text: sources 0-2, references 3-5, translations 6-11.
    table = {
        "group_collection": np.zeros(3, np.int64),
        "group_kind": np.zeros(3, np.int64),
        "group_langpair": np.zeros(3, np.int64),
        "group_split": np.zeros(3, np.int64),
        "group_source": np.arange(3),
        "group_references": np.array([[3, -1, -1], [4, -1, -1], [5, -1, -1]]),
        "group_document": np.zeros(3, np.int64),
        "group_segment": np.array([7, 8, 9]),
        "group_rows": np.array([0, 2, 4, 6]),
        "row_group": np.array([0, 0, 1, 1, 2, 2]),
        "row_text": np.arange(6, 12),
        "row_score": np.array([-1, -2, -4, -8, -16, -32], np.float32),
        "row_system": np.array([0, 1, 0, 1, 0, 1]),
        "row_labels": np.arange(6),
        "labels": np.arange(12, dtype=np.uint8).reshape(6, 2),
        "pieces": np.arange(100, 112, dtype=np.uint32),
        "text_starts": np.arange(13),
    }
    joined, added = join_documents(table, 20, 1, np.random.default_rng(1))
    assert added > 0 and len(joined["group_kind"]) == 3 + added
    for number in range(3, 3 + added):
        rows = range(*joined["group_rows"][number : number + 2].tolist())
        assert len(rows) == 2 and joined["group_collection"][number] == 1
        for row in rows:
            start, end = joined["text_starts"][joined["row_text"][row] : joined["row_text"][row] + 2].tolist()
            texts = joined["pieces"][start:end].astype(np.int64) - 106
            system = joined["row_system"][row]
            assert (texts % 2 == system).all() and len(texts) in (2, 3) and (np.diff(texts) == 2).all()
            assert joined["row_score"][row] == table["row_score"][texts].sum()
            begin = joined["row_labels"][row]
            assert joined["labels"][begin : begin + len(texts), 0].tolist() == (2 * texts).tolist()
