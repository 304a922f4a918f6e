from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from assay.core.batch import Batch
from assay.core.errors import InputError
from assay.suites.contrastive import Contrastive
from assay.verbs.make import annotate, card_path, make

GOOD = [
    "The old bridge was closed in 1979.",
    "She bought 12 red apples.",
    "The old bridge was closed in 1979.",
    "",
    "Yes",
]
SOURCES = [
    "Die alte Brücke wurde 1979 gesperrt.",
    "Sie kaufte 12 rote Äpfel.",
    "Die alte Brücke wurde 1979 gesperrt.",
    "x",
    "Ja",
]
FREE = ["repeat-twice", "word-swap", "number-replaced", "misspelling", "shuffled", "reference"]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.tsv"
    references = ["A reference.", "", "", "", ""]
    rows = ["src\tmt\tref", *map("\t".join, zip(SOURCES, GOOD, references, strict=True))]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_items_that_a_suite_loads(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "set.jsonl"
    made = make(FREE, corpus, langpair="de-en", seed=7, out=out)
    items = Contrastive(out).load()
    assert len(items) == len(made) == made.card["items"]
    assert {item.langpair for item in items} == {"de-en"}
    for item, row in zip(items, made.items(), strict=True):
        assert item.good != item.incorrect
        changed = "".join(item.incorrect[start:end] for start, end in row["meta"]["spans"])
        assert changed == "".join(text for _, _, text in row["meta"]["changes"])


def test_the_card_counts_everything(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "set.jsonl"
    made = make(["word-swap", "number-replaced", "reference"], corpus, langpair="de-en", out=out)
    card = json.loads(card_path(out).read_text(encoding="utf-8"))
    assert card == made.card
    # Three segments are left of five: one is empty, one a duplicate. "Yes" has no two words, and no number.
    assert card["usable by langpair"] == {"de-en": 3}
    assert card["perturbations"]["word-swap"]["made"] == 2
    assert card["perturbations"]["word-swap"]["refused"] == {"no two different words in a row": 1}
    assert card["perturbations"]["number-replaced"]["refused"] == {"no number": 1}
    assert card["perturbations"]["reference"]["refused"] == {"no reference": 2}
    assert made.problems == [
        "1 segment without a translation: skipped.",
        "1 segment with the same source and translation as an earlier one: skipped.",
        "2 segments without a reference: refused by perturbations that need one.",
    ]
    assert card["versions"]["mt-assay"]


@pytest.mark.slow
def test_workers_do_not_matter(tmp_path: Path) -> None:
    texts = [f"The {n} men of village {n % 7} saw {n * 3} wolves near the river." for n in range(300)]
    batch = Batch(texts, [f"Satz {n}" for n in range(300)], None, ["de-en" if n % 3 else "fr-en" for n in range(300)])
    paths = [tmp_path / f"{workers}.jsonl" for workers in (1, 2)]
    for workers, path in enumerate(paths, 1):
        make([*FREE[:-1], "unrelated"], batch, n=90, seed=7, workers=workers, out=path)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert card_path(paths[0]).read_bytes() == card_path(paths[1]).read_bytes()
    other = make(["word-swap"], batch, n=90, seed=8)
    assert other.lines != [line for line in paths[0].read_text(encoding="utf-8").splitlines() if "word-swap" in line]


def test_items_are_read_back_where_a_text_has_a_line_separator(tmp_path: Path) -> None:
    text = "The old\u2028bridge was closed in 1979."
    made = make(["repeat-twice"], Batch([text], sources=["x"]), langpair="de-en", out=tmp_path / "set.jsonl")
    assert [item["good-translation"] for item in made.items()] == [text]


def test_n_is_shared_by_language_pairs() -> None:
    texts = [f"Number {n} came home late." for n in range(40)]
    made = make(["word-swap"], Batch(texts, None, None, ["de-en"] * 30 + ["fr-en"] * 10), n=8)
    assert made.card["perturbations"]["word-swap"]["by langpair"] == {"de-en": 6, "fr-en": 2}


def test_an_item_does_not_depend_on_the_others() -> None:
    texts = ["One good sentence is here.", "Another good sentence is there.", "A third one waits outside."]
    alone = make(["word-swap"], Batch(texts[1:2], None, None, ["de-en"]))
    among = make(["repeat-twice", "word-swap"], Batch(texts, None, None, ["de-en"] * 3))
    (item,) = alone.items()
    assert item["incorrect-translation"] in {other["incorrect-translation"] for other in among.items()}


@pytest.mark.parametrize(
    ("batch", "langpair", "message"),
    [
        (Batch(["A text."]), None, "no valid language pair"),
        (Batch(["", " "]), "de-en", "there is nothing to change: none of the 2 rows"),
    ],
)
def test_bad_corpora(batch: Batch, langpair: str | None, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make(["word-swap"], batch, langpair=langpair)


def test_standard_input_is_refused() -> None:
    with pytest.raises(InputError, match="read twice"):
        make(["word-swap"], "-", langpair="de-en")


def test_annotating(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "set.jsonl"
    made = make(["word-swap", "repeat-twice"], corpus, langpair="de-en", out=out)
    assert len(made) == 5
    said = io.StringIO()
    first = annotate(out, stream=io.StringIO("a\ne\nA corrected text.\nq\n"), write=said.write)
    assert (first.accepted, first.edited, first.rejected, first.left) == (1, 1, 0, 3)
    second = annotate(out, stream=io.StringIO("r\na\ne\n\na\n"), write=said.write)  # an empty edit asks again
    assert (second.accepted, second.edited, second.rejected, second.left) == (3, 1, 1, 0)
    kept = [json.loads(line) for line in second.path.read_text(encoding="utf-8").splitlines()]
    assert len(kept) == 4
    assert kept[1]["incorrect-translation"] == "A corrected text."
    assert kept[1]["meta"]["edited"] is True
    assert len(Contrastive(second.path).load()) == 4


def test_a_run_directory_has_the_set_and_its_card(corpus: Path, tmp_path: Path) -> None:
    made = make(["word-swap"], corpus, langpair="de-en")
    folder = made.write(tmp_path / "run")
    assert {path.name for path in folder.iterdir()} == {
        "items.jsonl", "items.jsonl.card.json", "tables.json", "view.json", "manifest.json",
    }  # fmt: skip
    assert len(Contrastive(folder / "items.jsonl").load()) == len(made) == 2
    assert made.to_polars()["incorrect-translation"].to_list() == [
        item["incorrect-translation"] for item in made.items()
    ]


POOLED = ["unrelated", "nonsense", "detached-random", "detached-similar:embedding=ngrams", "text-inserted"]
WORDS = [
    "donkey",
    "pigeon",
    "beaver",
    "harbour",
    "village",
    "market",
    "bridge",
    "factory",
    "museum",
    "castle",
    "cinema",
    "garden",
    "window",
    "lantern",
    "basket",
    "needle",
    "planet",
    "island",
    "desert",
    "glacier",
    "ticket",
    "engine",
    "violin",
    "hammer",
    "candle",
    "letter",
    "button",
    "mirror",
    "carpet",
    "ladder",
    "saddle",
    "bottle",
    "kettle",
    "pepper",
    "orange",
    "walnut",
    "copper",
    "marble",
    "cotton",
    "leather",
    "timber",
]
SENTENCES = [" ".join(WORDS[(i * k) % len(WORDS)] for k in range(3, 10)).capitalize() + "." for i in range(1, 41)]
SENTENCES += [" ".join(WORDS[(i * k) % len(WORDS)] for k in range(11, 18)).capitalize() + "." for i in range(1, 41)]
SENTENCES += [" ".join(WORDS[(i * k) % len(WORDS)] for k in range(19, 26)).capitalize() + "." for i in range(1, 41)]


def test_adding_sentences_changes_no_item_of_a_named_pool(tmp_path: Path) -> None:
    pool = Batch(SENTENCES[60:100], None, None, ["de-en"] * 40)
    few = make(POOLED, Batch(SENTENCES[:30], None, None, ["de-en"] * 30), pool=pool)
    more = make(POOLED, Batch(SENTENCES[:60], None, None, ["de-en"] * 60), pool=pool)
    kept = {item["id"]: item for item in more.items()}
    assert len(few) > 100
    assert all(kept[item["id"]] == item for item in few.items())
    assert few.card["pool"] == more.card["pool"]
    assert few.card["pool"]["of"] == "a batch" and few.card["pool"]["segments"] == 40


def test_adding_a_sentence_to_the_corpus_changes_few_items() -> None:
    few = make(POOLED[:3], Batch(SENTENCES[:60], None, None, ["de-en"] * 60))
    more = make(POOLED[:3], Batch(SENTENCES[:61], None, None, ["de-en"] * 61))
    kept = {item["id"]: item["incorrect-translation"] for item in more.items()}
    changed = sum(kept.get(item["id"]) != item["incorrect-translation"] for item in few.items())
    # One of 61 sentences is new: about a sixtieth of the draws, several draws an item.
    assert changed < 0.15 * len(few)


def test_translations_of_a_length() -> None:
    texts = ["Three short words.", "This one has five words.", "And here are rather many more words than that."]
    made = make(["word-swap"], Batch(texts, None, None, ["de-en"] * 3), words=(4, 6))
    assert [item["good-translation"] for item in made.items()] == [texts[1]]
    assert made.card["words"] == [4, 6]
    assert "2 segments with fewer or more words than requested: skipped." in made.problems
    with pytest.raises(InputError, match="must be a range such as"):
        make(["word-swap"], Batch(texts, None, None, ["de-en"] * 3), words=(6, 4))


def test_the_least_confidence_is_a_share() -> None:
    with pytest.raises(InputError, match="between 0 and 1"):
        make(["word-swap"], Batch(["Two words."]), langpair="de-en", min_confidence=2)


def test_an_audit_of_a_sample(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "set.jsonl"
    batch = Batch(SENTENCES[:100], None, None, ["de-en"] * 100)
    make(["word-swap"], batch, out=out)
    said = io.StringIO()
    keys = "r\n" * 2 + "a\n" * 8
    first = annotate(out, stream=io.StringIO(keys), write=said.write, sample=10, annotator="ann")
    assert (first.accepted, first.rejected, first.left) == (8, 2, 0)
    (row,) = first.tables["audit"].rows
    # Wilson's interval for 2 of 10, by hand: 0.0567 to 0.5098 (Brown, Cai and DasGupta 2001, equation 4).
    assert (row["read"], row["bad"], row["share"]) == (10, 2, 0.2)
    assert row["low"] == pytest.approx(0.0567, abs=5e-5) and row["high"] == pytest.approx(0.5098, abs=5e-5)
    second = annotate(
        out, stream=io.StringIO("r\n" + "a\n" * 9), write=said.write, sample=10, annotator="ben"
    )  # the same ten items
    (pair,) = second.tables["agreement"].rows
    # 9 of 10 agree; by chance 0.2 * 0.1 + 0.8 * 0.9 = 0.74; kappa = (0.9 - 0.74) / 0.26.
    assert (pair["first"], pair["second"], pair["items"], pair["agree"]) == ("ann", "ben", 10, 0.9)
    assert pair["kappa"] == pytest.approx(0.16 / 0.26)
    card = json.loads(card_path(out).read_text(encoding="utf-8"))
    assert card["audit"]["audit"][0]["read"] == 10 and card["audit"]["agreement"][0]["items"] == 10
    with pytest.raises(InputError, match="an annotator's name"):
        annotate(out, stream=io.StringIO(""), write=said.write, annotator="../x")


def test_masks_filled_by_a_model(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    pytest.importorskip("torch")
    from tokenizers import Tokenizer, models, pre_tokenizers

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    vocabulary = {word: i for i, word in enumerate([*special, *WORDS])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    names = {
        "mask_token": "[MASK]",
        "pad_token": "[PAD]",
        "unk_token": "[UNK]",
        "cls_token": "[CLS]",
        "sep_token": "[SEP]",
    }
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names).save_pretrained(tmp_path)
    size = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    config = transformers.BertConfig(vocab_size=len(vocabulary), **size)
    transformers.BertForMaskedLM(config).save_pretrained(tmp_path)
    made = make([f"mask-filled:model={tmp_path}"], Batch(SENTENCES[:5], None, None, ["de-en"] * 5))
    assert len(made) == 5
    for item in made.items():
        assert item["meta"]["new"] in WORDS
        assert item["meta"]["confidence by part"] == {"fluency": 0.8}
