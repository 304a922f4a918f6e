"""DEMETR's rules in Russian and Japanese: what comes of short sentences, each read by a person, and what is refused."""

from __future__ import annotations

import csv
import gzip
import hashlib
from pathlib import Path

import pytest

from assay.core.batch import Segment
from assay.core.errors import MissingPart
from assay.core.perturbation import Perturbed
from assay.perturb import PERTURBATIONS
from assay.perturb.language.confidence import SURE, confidence
from assay.perturb.language.russian_parser import _reaches_the_root
from assay.perturb.making.corpus import key
from assay.perturb.making.maker import Generators
from assay.perturb.making.selection import choose_perturbations, fitting
from tests.data import need
from tests.perturb.texts import every, perturbation, tools

READ = Path(__file__).parents[1] / "read"
RULES = [
    (name, language)
    for name in PERTURBATIONS.entries
    for language in ("ru", "ja")
    if language in PERTURBATIONS.resolve(name).card.languages and "parse" in PERTURBATIONS.resolve(name).card.needs
]
MADE = {
    ("ru", "negation"): {
        "Комитет принял новый закон в понедельник.": {"Комитет не принял новый закон в понедельник."},
        "Он не пришёл на встречу.": {"Он пришёл на встречу."},
    },
    ("ru", "tense"): {
        "Комитет принял новый закон в понедельник.": {"Комитет примет новый закон в понедельник."},
        "Она пишет письмо.": {"Она писала письмо."},
        "Мы пригласили консультантов.": {"Мы пригласим консультантов."},
    },
    ("ru", "gender-pronoun"): {
        "Его жена говорила с ним о работе.": {
            "Ее жена говорила с ним о работе.",
            "Его жена говорила с ней о работе.",
        },
        "Врач пошёл к ней.": {"Врач пошёл к нему."},
    },
    ("ru", "pronoun-case"): {"Он купил новую машину.": {"Его купил новую машину.", "Ему купил новую машину."}},
    ("ru", "omitted-adjective-adverb"): {"Комитет принял новый закон.": {"Комитет принял закон."}},
    ("ru", "omitted-name"): {"Министр встретился в Лондоне с журналистами.": {"Министр встретился в с журналистами."}},
    ("ru", "omitted-subject"): {"Новый закон вступил в силу.": {"Новый вступил в силу."}},
    ("ru", "omitted-noun"): {"Комитет принял новый закон.": {"Комитет принял новый."}},
    ("ru", "omitted-verb"): {"Комитет принял новый закон.": {"Комитет новый закон."}},
    ("ru", "omitted-prepositional-phrase"): {
        "Комитет принял новый закон в понедельник.": {"Комитет принял новый закон."},
        "Он живёт в доме отца.": {"Он живёт."},
    },
    ("ru", "omitted-conjunction"): {
        "Он устал, но продолжил работу.": {"Он устал, продолжил работу."},
        "Он настаивает на том, что она уехала.": {"Он настаивает на том, она уехала."},
    },
    ("ja", "negation"): {
        "委員会は新しい法律を可決した。": {"委員会は新しい法律を可決しなかった。"},
        "彼は会議に出席しなかった。": {"彼は会議に出席した。"},
        "私は毎日手紙を書く。": {"私は毎日手紙を書かない。"},
        "これは本です。": {"これは本ではありません。"},
        "部屋には机がある。": {"部屋には机がない。"},
    },
    ("ja", "tense"): {
        "委員会は新しい法律を可決した。": {"委員会は新しい法律を可決する。"},
        "子供たちは公園で遊びました。": {"子供たちは公園で遊びます。"},
        "彼女は昨日東京へ行った。": {"彼女は昨日東京へ行く。"},
    },
    ("ja", "interrogative"): {
        "子供たちは公園で遊びました。": {"子供たちは公園で遊びましたか。"},
        "彼は学生だ。": {"彼は学生なのか。"},
    },
    ("ja", "gender-pronoun"): {"彼は医者です。": {"彼女は医者です。"}},
    ("ja", "omitted-adjective-adverb"): {
        "委員会は新しい法律を可決した。": {"委員会は法律を可決した。"},
        "彼は重要な役割を果たした。": {"彼は役割を果たした。"},
    },
    ("ja", "omitted-name"): {
        "大臣はロンドンで記者団と会った。": {"大臣は記者団と会った。"},
        "ドイツの首相は会見を開いた。": {"首相は会見を開いた。"},
    },
    ("ja", "omitted-prepositional-phrase"): {"大臣は土曜日に新しい法律を発表した。": {"大臣は新しい法律を発表した。"}},
    ("ja", "omitted-conjunction"): {"しかし、彼は来なかった。": {"彼は来なかった。"}},
}
REFUSED = [
    ("ru", "negation", "Никто не пришёл на встречу."),  # denied twice
    ("ru", "negation", "Врач не получил ответа."),  # the genitive needs the denial
    ("ru", "negation", "У него есть дом."),  # the opposite is нет
    ("ru", "tense", "Если бы он знал, он бы пришёл."),
    ("ru", "gender-pronoun", "Врач пошёл к ним."),  # them
    ("ru", "pronoun-case", "Машина стоит у дома."),
    ("ru", "omitted-name", "Лондон ждал министра."),  # a subject
    ("ru", "omitted-subject", "Он принял новый закон."),  # may be left out
    ("ru", "omitted-verb", "Комитет не принял новый закон."),
    ("ru", "omitted-conjunction", "Говорят, что она уехала."),  # reads as well without
    ("ja", "negation", "彼は何も言わなかった。"),  # nothing
    ("ja", "negation", "彼は来るという。"),  # hearsay
    ("ja", "tense", "彼は来ると述べた。"),  # a report
    ("ja", "gender-pronoun", "彼らは医者です。"),  # they
    ("ja", "omitted-prepositional-phrase", "計画によって費用が増えた。"),
    ("ja", "omitted-conjunction", "しかしながら彼は来なかった。"),
]


@pytest.mark.parametrize(("language", "spec"), MADE, ids=".".join)
def test_made(language: str, spec: str) -> None:
    for text, expected in MADE[language, spec].items():
        assert every(spec, text, language=language) == expected


@pytest.mark.parametrize(("language", "spec", "text"), REFUSED)
def test_refused(language: str, spec: str, text: str) -> None:
    (only,) = every(spec, text, language=language)
    assert only.startswith("refused: ")


@pytest.mark.parametrize(
    ("language", "texts"),
    [
        (
            "ru",
            [
                "",
                "«",
                "—",
                "Не.",
                "Он",
                "Он не",
                "в Лондоне",
                "и",
                "Да? Нет!",
                "новый",
                "Он сказал: «",
                "ПРИНЯЛ",
                "1 2 3",
            ],
        ),
        (
            "ja",
            [
                "",
                "。",
                "で",
                "東京で",
                "新しい",
                "ない。",
                "た。",
                "は。",
                "彼",
                "です。",
                "ません。",
                "しかし、",
                "「」",
                "A B。",
            ],
        ),
    ],
)
def test_fragments_are_made_rightly_or_refused(language: str, texts: list[str]) -> None:
    for text in texts:
        for name in [name for name, of in RULES if of == language]:
            every(name, text, language=language)


def test_every_rule_has_its_sentences_and_was_read() -> None:
    assert {(language, name) for name, language in RULES} == set(MADE)
    assert all((READ / f"{name}.{language}.tsv").is_file() for name, language in RULES)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "language"), RULES, ids=lambda part: part)
def test_what_was_read_is_what_is_made(name: str, language: str) -> None:
    """Of the first good items each is made as it was read (with the parsers of the lock)."""
    rule = perturbation(name, language)
    corpus = need("data", "ntrex", f"ref.{ {'ru': 'rus', 'ja': 'jpn'}[language] }.txt.gz")
    texts = gzip.decompress(corpus.read_bytes()).decode().splitlines()
    generators = Generators(12345)
    with (READ / f"{name}.{language}.tsv").open(encoding="utf-8") as lines:
        rows = [
            row for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE) if row["verdict"] == "good"
        ]
    for row in rows[:6]:
        segment = Segment(texts[int(row["line"].removeprefix("ntrex:")) - 1], "x", (), f"en-{language}")
        made = rule.perturb(segment, language, generators.of(name, key(segment)), tools())
        assert isinstance(made, Perturbed)
        assert (confidence(made) >= SURE) == ((name, language) != ("tense", "ja"))  # too many were bad
        assert hashlib.blake2b(made.incorrect(segment).encode(), digest_size=8).hexdigest() == row["hash"]


@pytest.mark.parametrize("language", ["de", "zh"])
def test_without_a_parser_it_is_said_why(language: str) -> None:
    with pytest.raises(MissingPart, match=f"needs a parse, and no parser of {language} with open weights installs"):
        fitting(choose_perturbations(["negation"]), [language])


def test_french_has_a_parser_but_no_rules() -> None:
    with pytest.raises(MissingPart, match="negation works in en, ru, ja, not in fr"):
        fitting(choose_perturbations(["negation"]), ["fr"])


def test_heads_in_a_circle() -> None:
    # 1 -> 2 -> root; 3 and 4 hold each other.
    assert [_reaches_the_root([2, 0, 4, 3], i) for i in range(4)] == [True, True, False, False]
