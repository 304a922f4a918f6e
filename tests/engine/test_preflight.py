"""A look at the first rows warns about texts in the wrong place, and says nothing about honest input."""

from __future__ import annotations

import json
import tarfile
import warnings
from pathlib import Path

import pytest

import assay
from assay.cli.main import main
from assay.core.batch import Batch
from assay.core.errors import AssayWarning
from assay.core.langpair import plain_pair, target
from assay.engine import language_id, preflight
from assay.engine.language_id import script_of, script_of_language
from assay.engine.preflight import find_misplaced_texts
from tests.data import need

EN = [f"The committee of the city has decided on {n} new rules for the schools." for n in range(12)]
DE = [f"Der Ausschuss der Stadt hat {n} neue Regeln für die Schulen beschlossen." for n in range(12)]
ZH = [f"该市委员会已经为所有学校决定了{n}条新的规定，明年开始生效。" for n in range(12)]
RU = [f"Городской комитет принял {n} новых правил для всех школ города." for n in range(12)]
TH = [f"คณะกรรมการของเมืองได้ตัดสินใจเกี่ยวกับกฎใหม่ {n} ข้อสำหรับโรงเรียน" for n in range(12)]


def near(texts: list[str]) -> list[str]:
    return [f"{text} -" for text in texts]


def look(mt: list[str], src: list[str] | None = None, ref: list[str] | None = None, pair: str = "") -> list[str]:
    return find_misplaced_texts(
        Batch(mt, sources=src, references=None if ref is None else (ref,), langpairs=[pair] * len(mt) if pair else None)
    )


WRONG = {
    "reference as a system": ((near(DE), None, near(DE)), "equal to a reference"),
    "source as reference": ((DE, EN, EN), "a reference is equal to the sources"),
    "exchanged, by the pair": ((near(EN), ZH, None, "en-zh"), "were sources and translations exchanged"),
    "exchanged, by pair and references": ((near(EN), ZH, near(ZH), "en-zh"), "were sources and translations exchanged"),
    "exchanged, without a pair": (
        (near(EN), ZH, near(ZH)),
        "were sources and translations exchanged, or the sources given",
    ),
    "reference in the script of the sources": (
        (near(EN), ZH, near(ZH), "zh-en"),
        "were the sources given as references",
    ),
    "reference in another language": ((near(ZH), None, RU), "is one of them in the wrong place"),
    "translation in another language": ((near(RU), None, ZH, "en-zh"), "is one of them in the wrong place"),
    "another pair": ((near(ZH), None, ZH, "zh-en"), "but the language pair is zh-en"),
    "another pair, no reference": ((near(RU), None, None, "en-de"), "but the language pair is en-de"),
}
ONE_SCRIPT = {
    "exchanged": ((near(EN), DE, near(DE), "en-de"), "were sources and translations exchanged"),
    "reference in the language of the sources": (
        (near(DE), EN, near(EN), "en-de"),
        "were the sources given as references",
    ),
    "reference in another language": ((near(DE), None, near(EN)), "is one of them in the wrong place"),
    "another pair": ((near(DE), None, DE, "de-en"), "but the language pair is de-en"),
}


@pytest.mark.parametrize("extra", [True, False])
@pytest.mark.parametrize("case", WRONG)
def test_texts_in_the_wrong_place(case: str, extra: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not extra:
        for name in ("main_language", "is_identifiable"):
            monkeypatch.setattr(preflight, name, lambda text: "")
    given, said = WRONG[case]
    (sentence,) = look(*given)  # type: ignore[arg-type]
    assert said in sentence


@pytest.mark.parametrize("case", ONE_SCRIPT)
def test_languages_of_one_script_with_the_extra(case: str) -> None:
    if not language_id.available():
        pytest.skip("needs the extra 'languages'")
    given, said = ONE_SCRIPT[case]
    (sentence,) = look(*given)  # type: ignore[arg-type]
    assert said in sentence


HONEST = {
    "translations": (near(DE), EN, DE, "en-de"),
    "without a pair": (near(ZH), EN, ZH),
    "very short texts": (["Ja", "Nein", "OK"] * 10, ["Yes", "No", "OK"] * 10, ["Ja", "Nein", "OK"] * 10, "en-de"),
    "names": (["Angela Merkel", "iPhone 15 Pro Max", "GitHub"] * 10, None, ["安格拉", "苹果", "GitHub"] * 10, "en-zh"),
    "numbers": (["1,234.56", "2024-01-01 12:00:00 +0000 1234567890 1234567890"] * 10, None, ["1234", "2024"] * 10, "en-zh"),
    "copied names": (["Angela Merkel"] * 30, ["Angela Merkel"] * 30, ["Angela Merkel"] * 30, "en-zh"),
    "code-switched": ([f"{zh} please check the README file and the API" for zh in ZH], EN, near(ZH), "en-zh"),
    "four equal rows": (DE[:4], None, DE[:4]),
    "some equal rows": ([*DE[:6], *near(DE[6:])], None, DE),
    "near relatives": ([f"Predsjednik je jučer rekao da će vlada donijeti {n} novih zakona." for n in range(12)], None,
                       [f"Predsednik je juče rekao da će vlada doneti {n} novih zakona." for n in range(12)], "en-sr"),
    "two scripts": ([f"Predsednik je juče rekao da će vlada doneti {n} novih zakona." for n in range(12)], None, None, "en-sr"),
    "a script that the code names": ([f"Председник је јуче рекао да ће влада донети {n} закона." for n in range(12)], None, None,
                                     "eng_Latn-srp_Cyrl"),
    "an unknown language": (near(DE), None, None, "en-qq"),
    "several pairs": ([*near(DE), *near(ZH)], None, [*DE, *ZH]),
    "empty": (["", "", ""], ["", "", ""], [""] * 3, "en-de"),
}  # fmt: skip


@pytest.mark.parametrize("case", HONEST)
def test_honest_texts(case: str) -> None:
    assert look(*HONEST[case]) == []  # type: ignore[arg-type]


def test_the_system_that_is_the_reference_is_named() -> None:
    batch = Batch([*near(DE), *DE], references=([*DE, *DE],), systems=["ours"] * 12 + ["gold"] * 12)
    assert [sentence.partition(" ")[0] for sentence in find_misplaced_texts(batch)] == ["gold"]


@pytest.mark.real
def test_outputs_of_campaigns_are_not_suspected(tmp_path: Path) -> None:
    """Every system of WMT24's news, beside a reference by somebody else: 0 alarms; each reference beside itself: an alarm."""
    for name in ("en-de", "en-es", "ja-zh"):
        with tarfile.open(need("data", "wmt24_news", f"{name}.tar.xz")) as archive:
            archive.extractall(tmp_path, filter="data")
    seen = 0
    for file in sorted(tmp_path.glob("*/system-outputs/*/*.txt")):
        root, pair = file.parents[2], file.parent.name
        for path in root.glob(f"references/{pair}.*.txt"):
            texts = [p.read_text().split("\n")[:300] for p in (file, root / "sources" / f"{pair}.txt", path)]
            n = min(map(len, texts))
            mt, src, ref = (column[:n] for column in texts)
            found = [*look(mt, src, ref), *look(mt, src, ref, pair)]
            assert bool(found) == (mt == ref), (file, path, found)
            seen += 1
    assert seen > 20


def test_scripts() -> None:
    assert [script_of(text) for text in ("Hello", "Привет", "你好吗", "こんにちは世界", "안녕", "สวัสดี", "123", "")] == [
        "Latin", "Cyrillic", "Chinese", "Japanese", "Korean", "Thai", "", "",
    ]  # fmt: skip
    assert [script_of_language(code) for code in ("de", "zho_Hans", "zh-TW", "sr", "sr_Latn", "ru", "xx")] == [
        "Latin", "Chinese", "Chinese", "", "", "Cyrillic", "",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("given", "plain"),
    [
        ("EN_ZH", "en-zh"), ("EN-ZH", "en-zh"), ("en_zh", "en-zh"), ("ENG_ZHO", "eng-zho"), ("en-zh", "en-zh"), ("zh_CN", "zh_CN"),
        ("zh_tw", "zh_tw"), ("pt_BR", "pt_BR"), ("en-zh_CN", "en-zh_CN"), ("eng_Latn-zho_Hans", "eng_Latn-zho_Hans"), ("de", "de"),
        ("zh-TW", "zh-TW"),
    ],
)  # fmt: skip
def test_pairs_in_capitals(given: str, plain: str) -> None:
    assert plain_pair(given) == plain


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "cache"))
    path = tmp_path / "x.tsv"
    path.write_text(
        "langpair\tmt\tref\n" + "".join(f"EN_ZH\t{mt}\t{ref}\n" for mt, ref in zip(near(ZH), ZH, strict=True))
    )
    return path


def test_a_pair_in_capitals_chooses_the_tokenizer(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = assay.score(data=table, metrics=["bleu"])
    assert "tok:zh" in result.signatures["bleu"]
    plain = assay.score(near(ZH), ZH, langpair="en-zh", metrics=["bleu"])
    assert result.systems["x.tsv"] == plain.system
    (table.parent / "mt").write_text("".join(f"{text}\n" for text in near(ZH)))
    (table.parent / "ref").write_text("".join(f"{text}\n" for text in ZH))
    words = ["score", str(table.parent / "mt"), "--ref", str(table.parent / "ref"), "-m", "bleu", "-l", "EN_ZH"]
    assert main([*words, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["systems"]["mt"]["bleu"]["score"] == plain.system["bleu"]


def test_a_pair_that_contradicts_the_column_is_reported(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.warns(AssayWarning, match="a column of language pairs with en-zh. en-de"):
        result = assay.score(data=table, metrics=["bleu"], langpair="en-de")
    assert "tok:zh" in result.signatures["bleu"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assay.score(data=table, metrics=["bleu"], langpair="en-zh")
        gaps = [
            {"mt": mt, "ref": ref, "langpair": pair}
            for mt, ref, pair in zip(near(ZH), ZH, ["en-zh", ""] * 6, strict=True)
        ]
        assert "tok:zh" in assay.score(data=gaps, metrics=["bleu"], langpair="en-zh").signatures["bleu"]
    assert main(["score", str(table), "-m", "bleu", "-l", "en-de", "-q"]) == 0
    assert "with en-zh. en-de (-l) is used only for rows" in " ".join(capsys.readouterr().err.split())


def test_the_tokenizer_is_reported_as_a_warning_and_despite_quiet(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.warns(AssayWarning, match="the translations are in Chinese: BLEU uses tokenize=zh"):
        chosen = assay.score(near(ZH), ZH, metrics=["bleu"])
    assert chosen.system == assay.score(near(ZH), ZH, metrics=["bleu"], langpair="en-zh").system
    with pytest.warns(AssayWarning, match="th is written without"):
        assay.score(near(TH), TH, metrics=["bleu"])
    (tmp_path / "mt").write_text("".join(f"{text}\n" for text in near(ZH)))
    (tmp_path / "ref").write_text("".join(f"{text}\n" for text in ZH))
    assert main(["score", str(tmp_path / "mt"), "--ref", str(tmp_path / "ref"), "-m", "bleu", "-q"]) == 0
    assert "BLEU uses tokenize=zh" in capsys.readouterr().err


def test_a_corpus_takes_the_same_tokenizer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    for shard in "ab":
        rows = "".join(f"{mt}\t{ref}\n" for mt, ref in zip(near(ZH), ZH, strict=True))
        (folder / f"{shard}.tsv").write_text(f"mt\tref\n{rows}")
    words = ["score", f"{folder}/", "-m", "bleu,chrf", "--workers", "1", "--format", "json", "-q"]
    assert main([*words, "--out", f"{tmp_path}/out/"]) == 0
    said = capsys.readouterr()
    assert "BLEU uses tokenize=zh" in said.err
    told = json.loads(said.out)
    assert "tok:zh" in told["signatures"]["bleu"]
    with pytest.warns(AssayWarning):
        whole = assay.score(near(ZH) * 2, ZH * 2, metrics=["bleu", "chrf"]).system
    assert told["scores"][""] == pytest.approx(whole)


def test_targets_of_plain_pairs() -> None:
    assert target(plain_pair("EN_ZH")) == "zh"
