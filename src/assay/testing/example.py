"""A small multilingual batch for contract checks."""

from __future__ import annotations

from assay.core.batch import Batch, Segment

_SEGMENTS = (
    Segment(
        langpair="en-de",
        source="The cat sleeps on the old sofa in the kitchen.",
        hypothesis="Die Katze schläft auf dem alten Sofa in der Küche.",
        references=(
            "Die Katze schläft auf der alten Couch in der Küche.",
            "In der Küche schläft die Katze auf dem alten Sofa.",
        ),
    ),
    Segment(
        langpair="en-fr",
        source="She bought three tickets for the concert on Friday.",
        hypothesis="Elle a acheté trois billets pour le concert vendredi.",
        references=(
            "Elle a acheté trois billets pour le concert de vendredi.",
            "Elle a pris trois places pour le concert de vendredi.",
        ),
    ),
    Segment(
        langpair="en-ru",
        source="We will meet at the station at half past seven.",
        hypothesis="Мы встретимся на станции в половину восьмого.",
        references=("Мы встретимся на вокзале в половине восьмого.", "Встретимся на станции в половине восьмого."),
    ),
    Segment(
        langpair="en-zh",
        source="The weather will be fine tomorrow.",
        hypothesis="明天天气会很好。",
        references=("明天的天气会很好。", "明天天气晴好。"),
    ),
    Segment(
        langpair="en-ja",
        source="I read an interesting book yesterday.",
        hypothesis="昨日は面白い本を読みました。",
        references=("昨日、面白い本を読んだ。", "きのう面白い本を読みました。"),
    ),
    Segment(
        langpair="en-ar",
        source="The library opens at nine in the morning.",
        hypothesis="تفتح المكتبة في التاسعة صباحا.",
        references=("تفتح المكتبة أبوابها في الساعة التاسعة صباحًا.", "المكتبة تفتح الساعة التاسعة صباحا."),
    ),
    Segment(
        langpair="en-he",
        source="The children are playing in the garden.",
        hypothesis="הילדים משחקים בגן.",
        references=("הילדים משחקים בגינה.", "ילדים משחקים עכשיו בגן."),
    ),
    Segment(
        langpair="en-hi",
        source="Please close the window before you leave.",
        hypothesis="जाने से पहले कृपया खिड़की बंद करें।",
        references=("कृपया जाने से पहले खिड़की बंद कर दें।", "निकलने से पहले खिड़की बंद कर दीजिए।"),
    ),
    Segment(
        langpair="en-th",
        source="This road leads to the sea.",
        hypothesis="ถนนนี้นำไปสู่ทะเล",
        references=("ถนนสายนี้ไปถึงทะเล", "ถนนเส้นนี้มุ่งสู่ทะเล"),
    ),
    Segment(
        langpair="en-ko",
        source="My brother works in a hospital.",
        hypothesis="제 형은 병원에서 일해요.",
        references=("우리 형은 병원에서 일합니다.", "내 동생은 병원에서 일한다."),
    ),
    # Segments that break careless code: joined emoji, NUL, lone surrogates, mixed directions, one word, great length.
    Segment(
        langpair="en-de",
        source="Well done \U0001f469\u200d\U0001f467 \U0001f389!",
        hypothesis="Gut gemacht \U0001f469\u200d\U0001f467\U0001f389!",
        references=("Gut gemacht \U0001f469\u200d\U0001f467 \U0001f389!", "Super \U0001f469\u200d\U0001f467!"),
    ),
    Segment(
        langpair="en-de",
        source="A zero\0byte and a \ud83d half of an emoji.",
        hypothesis="Ein Null\0byte und ein \ud83d halbes Emoji.",
        references=("Ein Null\0byte und ein \ud83d halbes Emoji!", "Ein\0Byte und ein halbes \ude00 Emoji."),
    ),
    Segment(
        langpair="en-he",
        source="\u202bMixed\u202c directions and\u00a0odd\u2003spaces\t.",
        hypothesis="\u202bכיוונים\u202c and\u00a0odd\u2003spaces\t.",
        references=("\u202bכיוונים\u202c mixed and\u00a0odd spaces.", "e\u0301 \u00e9 \u1e0b\u0323"),
    ),
    Segment(langpair="en-de", source="Yes.", hypothesis="Ja.", references=("Ja.", "Jawohl.")),
    Segment(
        langpair="en-de",
        source="word " * 300,
        hypothesis="Wort und " * 150,
        references=("Wort oder " * 150, "noch ein Wort " * 100),
    ),
)


def example_batch() -> Batch:
    """Return fifteen translations into ten languages with sources, two references and language pairs; five are unusual."""
    return Batch(
        [segment.hypothesis for segment in _SEGMENTS],
        sources=[segment.source or "" for segment in _SEGMENTS],
        references=tuple([segment.references[r] for segment in _SEGMENTS] for r in range(2)),
        langpairs=[segment.langpair or "" for segment in _SEGMENTS],
    )


def damaged(text: str) -> str:
    """Return the text without every third word, or character if there are few words, in reverse order."""
    words = text.split()
    parts = words if len(words) > 3 else list(text)
    remaining = [part for i, part in enumerate(parts) if i % 3 != 2][::-1]
    return (" " if len(words) > 3 else "").join(remaining)
