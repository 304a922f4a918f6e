"""The target language chooses BLEU's tokenizer, in every door; expected numbers and choices are sacrebleu's."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import sacrebleu

import assay
from assay.cli.main import main
from assay.core import batch
from assay.core.chunk import Retained
from assay.core.errors import InputError, MissingPart
from assay.metrics.bleu import Bleu
from assay.verbs.compare_tables import agreements
from assay.verbs.shared.request import request

REFERENCES = {
    "zh": ["今天天气很好，我们去公园散步。", "他昨天买了三本新书。", "会议将于下周二举行。"],
    "ja": [
        "今日は天気がいいので、公園を散歩します。",
        "彼は昨日新しい本を三冊買いました。",
        "会議は来週の火曜日に開かれます。",
    ],
    "ko": [
        "오늘은 날씨가 좋아서 공원을 산책합니다.",
        "그는 어제 새 책 세 권을 샀습니다.",
        "회의는 다음 주 화요일에 열립니다.",
    ],
    "de": [
        "Heute ist das Wetter schön, wir gehen im Park spazieren.",
        "Er kaufte gestern drei neue Bücher.",
        "Die Sitzung ist am Dienstag.",
    ],
    "th": ["วันนี้อากาศดีมาก เราไปเดินเล่นที่สวน", "เขาซื้อหนังสือสามเล่ม", "การประชุมจะจัดขึ้น"],
}
HYPOTHESES = {
    language: [texts[0], texts[1].replace("三", "两").replace("세", "두"), texts[2][:-4]]
    for language, texts in REFERENCES.items()
}
TOKENIZERS = {"zh": "zh", "ja": "ja-mecab-0.996-IPA", "ko": "ko-mecab-0.996/ko-0.9.2-KO", "de": "13a", "th": "13a"}
NO_TOTAL = "the texts are in 3 target languages: BLEU is computed for each language, and there is no total."


def theirs(language: str) -> sacrebleu.metrics.bleu.BLEUScore:
    return sacrebleu.BLEU(trg_lang=language).corpus_score(HYPOTHESES[language], [REFERENCES[language]])


@pytest.fixture
def table(tmp_path: Path) -> Callable[..., Path]:
    """A table of some languages' texts, row by row in turn, for each of two systems; the second is the reference itself."""

    def write(*languages: str) -> Path:
        rows = [
            f"{system}\t{texts[language][i]}\t{REFERENCES[language][i]}\ten-{language}\n"
            for system, texts in (("ours", HYPOTHESES), ("theirs", REFERENCES))
            for i in range(3)
            for language in languages
        ]
        path = tmp_path / "texts.tsv"
        path.write_text("system\tmt\tref\tlangpair\n" + "".join(rows))
        return path

    return write


@pytest.mark.parametrize("language", [*REFERENCES, "zh_TW", "zho_Hans"])
def test_the_language_pair_chooses_the_tokenizer_as_sacrebleu_does(language: str) -> None:
    short = language[:2]
    result = assay.score(HYPOTHESES[short], REFERENCES[short], metrics=["bleu"], langpair=f"en-{language}")
    assert result.system["bleu"] == pytest.approx(theirs(short).score, abs=1e-9)
    assert f"|tok:{TOKENIZERS[short]}|" in result.signatures["bleu"]


def test_an_option_wins_over_the_language() -> None:
    texts = HYPOTHESES["zh"], REFERENCES["zh"]
    for spec, pair in (("bleu:tokenize=13a", "en-zh"), ("bleu:tokenize=13a", None), ("bleu", "zh-en")):
        result = assay.score(*texts, metrics=[spec], langpair=pair)
        assert result.system[spec] == pytest.approx(sacrebleu.corpus_bleu(texts[0], [texts[1]]).score, abs=1e-9)
        assert "|tok:13a|" in result.signatures[spec]
    by_object = assay.score(*texts, metrics=[Bleu(lowercase=True)], langpair="en-zh")
    assert "|case:lc|eff:no|tok:zh|" in by_object.signatures["bleu"]


def test_a_language_without_blanks_gets_a_note_and_an_option_silences_it(tmp_path: Path, capsys) -> None:  # type: ignore[no-untyped-def]
    texts = HYPOTHESES["th"], REFERENCES["th"]
    (note,) = assay.score(*texts, metrics=["bleu"], langpair="en-th").notes
    assert note == (
        "BLEU counts words between spaces (tok:13a), and th is written without spaces: use spbleu or bleu:tokenize=char."
    )
    assert assay.score(*texts, metrics=["bleu:tokenize=char"], langpair="en-th").notes == []
    assert assay.score(*texts, metrics=["chrf"], langpair="en-th").notes == []
    for name, lines in zip(("mt", "ref"), texts, strict=True):
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    command = [
        "score",
        "-m",
        "bleu",
        "--mt",
        str(tmp_path / "mt"),
        "--ref",
        str(tmp_path / "ref"),
        "--langpair",
        "en-th",
    ]
    assert main(command) == 0
    assert "written without" in capsys.readouterr().err


@pytest.mark.parametrize("language", ["ja", "ko"])
def test_without_its_extra_a_language_is_refused_by_name(language: str, tmp_path: Path, capsys, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    module = pytest.importorskip(f"sacrebleu.tokenizers.tokenizer_{language}_mecab")
    monkeypatch.setattr(module, "MeCab", None)
    texts, pair = (HYPOTHESES[language], REFERENCES[language]), f"en-{language}"
    with pytest.raises(MissingPart, match=rf"pip install 'mt-assay\[{language}\]'"):
        assay.score(*texts, metrics=["bleu"], langpair=pair)
    for name, lines in zip(("mt", "ref"), texts, strict=True):
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    files = ["--mt", str(tmp_path / "mt"), "--ref", str(tmp_path / "ref"), "--langpair", pair]
    assert main(["score", "-m", "bleu", *files]) == 2
    assert f"mt-assay[{language}]" in capsys.readouterr().err
    # What nobody asked for by name is left out instead, with the same instruction.
    unasked = assay.score(*texts, langpair=pair)
    assert "bleu" not in unasked.system and "chrf" in unasked.system
    assert f"BLEU was left out: tokenizer {language}-mecab needs the extra '{language}'" in unasked.notes[0]


def test_a_set_with_one_language_whose_extra_is_missing_is_run_without_it(tmp_path: Path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    module = pytest.importorskip("sacrebleu.tokenizers.tokenizer_ja_mecab")
    monkeypatch.setattr(module, "MeCab", None)
    german = "s\tder hund schläft heute hier\tder hund schläft heute\tdie katze schläft\taddition\ten-de"
    japanese = "s\t犬は今日ここで寝る\t犬は今日寝る\t猫が寝る\taddition\ten-ja"
    head = "source\treference\tgood-translation\tincorrect-translation\tphenomena\tlangpair"
    tables = {}
    for name, rows in {"both": [german, japanese], "german": [german], "japanese": [japanese]}.items():
        tables[name] = tmp_path / f"{name}.tsv"
        tables[name].write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    whole = assay.run(str(tables["both"]), ["bleu", "chrf"], analysis="aces")
    alone = assay.run(str(tables["german"]), ["bleu"], analysis="aces")
    bleu, chrf = whole.measured
    assert [len(scores[~np.isnan(scores)]) for scores in (bleu.good, bleu.incorrect, chrf.good)] == [1, 1, 2]
    assert (bleu.good[0], bleu.incorrect[0]) == (alone.measured[0].good[0], alone.measured[0].incorrect[0])
    (note,) = (note for note in whole.notes if note.startswith("⚠ bleu"))
    assert note.startswith("⚠ bleu: 1 of 2 are not scored: tokenizer ja-mecab needs the extra 'ja': pip install")
    with pytest.raises(MissingPart, match="needs the extra 'ja'"):
        assay.run(str(tables["japanese"]), ["bleu"], analysis="aces")


def test_several_languages_give_one_bleu_each_and_no_total(table: Callable[..., Path]) -> None:
    result = assay.score(data=table("zh", "de", "ja"), metrics=["bleu", "chrf"])
    assert list(result.systems["ours"]) == ["bleu zh", "bleu de", "bleu ja", "chrf"]
    for language in ("zh", "de", "ja"):
        name = f"bleu {language}"
        assert result.systems["ours"][name] == pytest.approx(theirs(language).score, abs=1e-9)
        assert result.systems["theirs"][name] == pytest.approx(100)
        assert f"|tok:{TOKENIZERS[language]}|" in result.signatures[name]
    assert [column.title for column in result.table().columns] == [" ", "BLEU zh", "BLEU de", "BLEU ja", "chrF"]
    assert NO_TOTAL in result.notes
    # A row's score is that of its own language, in one column.
    frame = result.to_polars()
    assert frame.columns == ["system", "segment", "bleu", "chrf", "flags"]
    own = [
        sacrebleu.BLEU(trg_lang=language, effective_order=True)
        .sentence_score(HYPOTHESES[language][i], [REFERENCES[language][i]])
        .score
        for i in range(3)
        for language in ("zh", "de", "ja")
    ]
    assert frame["bleu"].to_list()[:9] == pytest.approx(own, abs=1e-9)
    # A metric of one language has nothing to say about the rows of the others, and keeps their places.
    (values,), about = result.run.values("ours", "bleu de"), result.run.about("ours", "bleu de")
    assert about.tolist() == [False, True, False] * 3
    assert values[about] == pytest.approx([own[i] for i in (1, 4, 7)], abs=1e-9)
    assert np.isnan(values[~about]).all()


def test_the_command_says_the_same_of_several_languages(table: Callable[..., Path], capsys) -> None:  # type: ignore[no-untyped-def]
    path = table("zh", "de")
    assert main(["score", "-m", "bleu", "--data", str(path), "--format", "json", "--quiet"]) == 0
    found = json.loads(capsys.readouterr().out)["systems"]["ours"]
    assert set(found) == {"bleu zh", "bleu de"}
    alone = assay.score(HYPOTHESES["zh"], REFERENCES["zh"], metrics=["bleu"], langpair="en-zh")
    assert found["bleu zh"]["score"] == alone.system["bleu"]
    assert found["bleu zh"]["segments"] == alone.segments["bleu"].tolist()
    assert main(["score", "-m", "bleu", "--data", str(path), "--format", "tsv", "--quiet"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "system\tmt\tref\tlangpair\tbleu\tflags"


def test_languages_that_come_late_are_told_apart_in_every_chunk(table: Callable[..., Path], monkeypatch) -> None:  # type: ignore[no-untyped-def]
    whole = assay.score(data=table("zh", "de", "ja"), metrics=["bleu"], ci=True, samples=50)
    monkeypatch.setattr(batch.regroup, "__defaults__", (2, 16_000_000))
    monkeypatch.setattr("assay.engine.inputs.PIECE", 2)
    parts = assay.score(data=table("zh", "de", "ja"), metrics=["bleu"], ci=True, samples=50)
    assert len(list(parts.run.chunks())) > 4
    assert parts.systems == whole.systems
    assert parts.standings == whole.standings
    assert np.array_equal(parts.scores_of("ours")["bleu"].values, whole.scores_of("ours")["bleu"].values)


def test_compare_tests_each_language_alone(table: Callable[..., Path]) -> None:
    together = assay.compare(data=table("zh", "de"), metrics=["bleu"], samples=100, trials=100)
    for language in ("zh", "de"):
        alone = assay.compare(
            {"ours": HYPOTHESES[language], "theirs": REFERENCES[language]}, REFERENCES[language], metrics=["bleu"],
            langpair=f"en-{language}", samples=100, trials=100,
        )  # fmt: skip
        for system in ("ours", "theirs"):
            assert together.standings[system][f"bleu {language}"] == alone.standings[system]["bleu"]


def test_compare_refuses_systems_in_other_languages(tmp_path: Path) -> None:
    rows = ["a\ta b\ta b\ten-de", "a\ta b\ta b\ten-zh", "b\ta b\ta b\ten-de", "b\ta b\ta b\ten-de"]
    (tmp_path / "t.tsv").write_text("system\tmt\tref\tlangpair\n" + "\n".join(rows) + "\n")
    with pytest.raises(InputError, match=r"row 2 of a and of b differ in the language pair: 'en-zh' and 'en-de'"):
        assay.compare(data=tmp_path / "t.tsv", metrics=["bleu"])
    found = assay.score(data=tmp_path / "t.tsv", metrics=["bleu"], ci=True, samples=10)
    assert list(found.systems["b"]) == ["bleu de"]  # no number where there is no text


def test_agreement_is_known_of_the_measured_tokenizer_alone() -> None:
    systems = {"a": HYPOTHESES["zh"], "b": REFERENCES["zh"]}
    for pair, known in (("en-zh", ["chrf"]), ("en-de", ["bleu", "chrf"])):
        asked = request(systems=systems, references=REFERENCES["zh"], metrics=["bleu", "chrf"], langpair=pair)
        assert list(agreements(asked.run(Retained(), None, False, None), asked)) == known


def test_agreement_is_known_of_assay_mini_with_sources_alone() -> None:
    texts, refs = {"a": HYPOTHESES["de"], "b": REFERENCES["de"]}, REFERENCES["de"]
    for more, known in (
        ({"sources": refs, "references": refs}, True),
        ({"references": refs}, False),
        ({"sources": refs}, False),
    ):
        asked = request(systems=texts, metrics=["assay-mini"], **more)
        assert bool(agreements(asked.run(Retained(), None, False, None), asked)) == known


@pytest.mark.parametrize("language", ["zh", "de", "th"])
def test_components_are_sacrebleus(language: str) -> None:
    result = assay.score(
        HYPOTHESES[language], REFERENCES[language], metrics=["bleu", "chrf"], langpair=f"en-{language}"
    )
    want = theirs(language)
    found = result.components[""]["bleu"]
    assert (found["hyp_len"], found["ref_len"]) == (want.sys_len, want.ref_len)
    assert found["bp"] == pytest.approx(want.bp)
    assert found["ratio"] == pytest.approx(want.ratio)
    assert [found[f"precision_{n}"] for n in range(1, 5)] == pytest.approx(want.precisions)
    assert set(result.components[""]) == {"bleu"}
    assert result.to_dict()["systems"][""]["bleu"]["components"] == found
    (row,) = result.table("components").rows
    assert (row["metric"], row["bp"]) == ("bleu", found["bp"])


def test_components_are_shown_when_asked_for(capsys) -> None:  # type: ignore[no-untyped-def]
    for verb in ("score", "compare"):
        assert main([verb, "-m", "bleu", "--data", "demo", "--quiet"]) == 0
        assert "BP" not in capsys.readouterr().out
        assert main([verb, "-m", "bleu", "--data", "demo", "--quiet", "--components"]) == 0
        # sacrebleu: 76.1/53.1/32.9/21.7 (BP = 0.973 ratio = 0.973 hyp_len = 180 ref_len = 185)
        shown = capsys.readouterr().out
        assert " baseline  BLEU    0.973  0.973     180         185  76.1  53.1  32.9  21.7" in shown
        assert main([verb, "-m", "bleu", "--data", "demo", "--quiet", "--format", "json"]) == 0
        parts = json.loads(capsys.readouterr().out)["systems"]["baseline"]["bleu"]["components"]
        assert (parts["hyp_len"], parts["ref_len"]) == (180, 185)


PAIRS = "langpair\treference\tgood\tincorrect\n" + "".join(
    f"en-{language}\t{REFERENCES[language][i]}\t{REFERENCES[language][i]}\t{HYPOTHESES[language][i]}\n"
    for language in ("zh", "de")
    for i in (1, 2)
)


def test_a_contrastive_file_of_ones_own_goes_by_the_language_and_a_registered_set_does_not(tmp_path: Path) -> None:
    (tmp_path / "pairs.tsv").write_text(PAIRS)
    own = assay.run(str(tmp_path / "pairs.tsv"), ["bleu"], samples=10)
    expected = [
        sacrebleu.BLEU(trg_lang=language, effective_order=True)
        .sentence_score(HYPOTHESES[language][i], [REFERENCES[language][i]])
        .score
        for language in ("zh", "de")
        for i in (1, 2)
    ]
    assert own.measured[0].incorrect == pytest.approx(expected, abs=1e-9)
    assert {name: "tok:zh" in signature for name, signature in own.signatures.items()} == {
        "bleu zh": True,
        "bleu de": False,
    }
    embedded = assay.run("embedded", ["bleu", "bleu:tokenize=13a"], langpair="en-zh", samples=10)
    usual, fixed = embedded.measured
    assert usual.incorrect is not None and fixed.incorrect is not None
    assert np.array_equal(usual.incorrect, fixed.incorrect)
    assert "tok:13a" in embedded.signatures["bleu"]


def test_a_wmt_table_takes_the_language_of_the_pair() -> None:
    from assay.core.judged_systems import LevelScores
    from assay.engine.measure import measure_systems
    from assay.io.wmt.tree import EvalSet

    class Chinese:
        langpair, systems, sources, domains, domain_names = "en-zh", ["refA", "ours"], [""] * 3, ["news"] * 3, ["news"]
        outputs, references = {"ours": HYPOTHESES["zh"]}, {"refA": REFERENCES["zh"]}

    made: EvalSet = Chinese()  # type: ignore[assignment]
    found: LevelScores = measure_systems(made, "refA", Bleu())
    assert found.sys is not None
    assert found.sys[1] == pytest.approx(theirs("zh").score, abs=1e-9)


def test_a_rule_scores_with_what_it_was_learned_with() -> None:
    from assay.decide.rule import Member, Rule
    from assay.verbs.decide import rule_metrics

    class Learned:
        members = (Member("bleu", Bleu().signed(0), True),)

    rule: Rule = Learned()  # type: ignore[assignment]
    metrics = rule_metrics(rule, "rule.json")
    assert not metrics["bleu"].by_language
    result = assay.score(HYPOTHESES["zh"], REFERENCES["zh"], metrics=list(metrics.values()), langpair="en-zh")
    assert "|tok:13a|" in result.signatures["bleu"]
