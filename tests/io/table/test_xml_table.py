"""TMX, XLIFF, WMT's XML and SGML: the texts that are in them, and what a hostile file can do."""

from __future__ import annotations

import gzip
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.core.errors import InputError
from assay.io.table.bad_rows import BadRows
from assay.io.table.formats import open_table
from assay.io.table.tables import read_table
from tests.fuzz.markup import FILES, SGML, TMX, WMT, XLIFF, XLIFF2


def rows(path: Path, bad: BadRows | None = None) -> list[dict[str, Any]]:
    with open_table(path, bad) as table:
        return [dict(zip(table.names, row, strict=True)) for _, row in table.rows()]


def made(tmp_path: Path, name: str, text: str | bytes) -> Path:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize("name", ["a.tmx", "a.xml", "nothing", "a.tmx.gz"])
def test_a_memory(tmp_path: Path, name: str) -> None:
    path = made(tmp_path, name, gzip.compress(TMX.encode()) if name.endswith("gz") else TMX)
    with open_table(path) as table:
        found = [tuple(row) for _, row in table.rows()]
        assert table.names == ["id", "langpair", "source", "mt"]
        assert table.notes == [f"{path}: 1 unit in only one language was left out."]
    assert found == [
        ("u1", "en-de", "Press F1.", "Drücken Sie F1."),
        ("u1", "en-fr", "Press F1.", "Appuyez sur F1."),
        ("", "de-en", "Ja", "Yes"),
    ]


def test_xliff_of_version_1(tmp_path: Path) -> None:
    path = made(tmp_path, "a.sdlxliff", XLIFF)
    assert rows(path) == [
        {"id": "1", "document": "a.docx", "langpair": "en-de", "source": "The red dog.", "mt": "Der rote Hund."},
        {"id": "4", "document": "a.docx", "langpair": "en-de", "source": "", "mt": ""},
    ]
    batches = read_table(path)
    assert sum(map(len, batches)) == 2
    assert batches.notes == [f"{path}: 2 units have no translation and were left out."]


def test_xliff_of_version_2(tmp_path: Path) -> None:
    assert [
        (row["id"], row["langpair"], row["source"], row["mt"]) for row in rows(made(tmp_path, "a.xlf", XLIFF2))
    ] == [
        ("u1/s1", "en-ja", "One bold\x0b.", "一つ。"),
        ("u1/s2", "en-ja", "Two.", "二。"),
    ]
    with pytest.raises(InputError, match=r"is XLIFF without a version; only 1\.2 and 2 are supported"):
        rows(made(tmp_path, "a.xlf", "<xliff/>"))


def test_what_the_translate_toolkit_writes() -> None:
    texts = [('He said "yes" & left.', "Er sagte „ja“ & ging."), ("a < b", "a < b")]
    for name in ("toolkit.xlf", "toolkit2.xlf"):
        assert [(row["source"], row["mt"]) for row in rows(FILES / name)] == texts
    assert [(row["source"], row["mt"]) for row in rows(FILES / "toolkit.tmx")] == [*texts, ("line\none", "Zeile\neins")]


def test_wmt_documents(tmp_path: Path) -> None:
    found = rows(made(tmp_path, "a.xml", WMT))
    assert [(row["system"], row["document"], row["id"], row["mt"]) for row in found] == [
        ("X", "d1", "1", "Ein."),
        ("X", "d1", "2", "Zwo."),
        ("Y", "d1", "1", "Eins."),
        ("Y", "d1", "2", "Zwei."),
        ("X", "d2", "1", "Drei!"),
    ]
    assert found[0]["references"] == ["Eins.", "Einer."] and found[1]["references"] == ["Zwei.", None]
    assert {(row["langpair"], row["domain"]) for row in found} == {("en-de", "news"), ("en-de", "speech")}
    result = assay.score(data=tmp_path / "a.xml", metrics=["chrf"])
    assert result.systems["Y"]["chrf"] == 100.0 and set(result.systems) == {"X", "Y"}


def test_a_segment_that_a_system_lacks_is_a_bad_row(tmp_path: Path) -> None:
    path = made(tmp_path, "a.xml", WMT.replace('<seg id="1">Eins.</seg></p></hyp>', "</p></hyp>"))
    with pytest.raises(InputError, match=r"a\.xml line 4: system 'Y' has no segment 1 of document 'd1'"):
        rows(path)
    bad = BadRows(skip=True)
    assert len(rows(path, bad)) == 4 and len(bad.found) == 1


def document(hyp: str, lang: str = ' lang="de"', refs: str = "", source: str = "") -> str:
    """A document of four segments in two paragraphs, numbered anew in each."""

    def side(tag: str, about: str, texts: list[str]) -> str:
        inner = ""
        for pair in (texts[:2], texts[2:]):
            inner += "<p>" + "".join(f'<seg id="{i}">{text}</seg>' for i, text in enumerate(pair, 1)) + "</p>"
        return f"<{tag}{about}>{inner}</{tag}>"

    return (
        '<dataset id="x"><doc id="d">'
        + (source or side("src", ' lang="en"', ["One.", "Two.", "Three.", "Four."]))
        + side("ref", ' lang="de" translator="A"', ["Eins.", "Zwei.", "Drei.", "Vier."])
        + refs
        + (hyp if hyp.startswith("<") else side("hyp", f'{lang} system="S"', hyp.split("|")))
        + "</doc></dataset>"
    )


def test_segments_that_are_numbered_anew_in_every_paragraph(tmp_path: Path) -> None:
    path = made(tmp_path, "a.xml", document("Eins.|ganz falsch.|Drei.|Vier."))
    found = [(row["id"], row["source"], row["mt"], row["references"]) for row in rows(path)]
    assert found == [
        ("1.1", "One.", "Eins.", ["Eins."]),
        ("1.2", "Two.", "ganz falsch.", ["Zwei."]),
        ("2.1", "Three.", "Drei.", ["Drei."]),
        ("2.2", "Four.", "Vier.", ["Vier."]),
    ]
    twice = document("<hyp lang='de' system='S'><p><seg id='1'>a</seg><seg id='1'>b</seg></p></hyp>")
    with pytest.raises(InputError, match="two segments numbered 1 in one paragraph"):
        rows(made(tmp_path, "b.xml", twice))


def test_output_segments_without_a_source_are_bad_rows(tmp_path: Path) -> None:
    source = '<src lang="en"><p><seg id="1">One.</seg><seg id="2">Two.</seg></p></src>'
    path = made(tmp_path, "a.xml", document("Eins.|Zwei.|Drei.|Vier.", source=source))
    with pytest.raises(InputError, match=r"segment 2\.1 of system 'S' is not in the source of document 'd'"):
        rows(path)
    bad = BadRows(skip=True)
    assert len(rows(path, bad)) == 2 and len(bad.found) == 2


def test_an_output_without_a_language_takes_no_references_of_several(tmp_path: Path) -> None:
    french = '<ref lang="fr"><p><seg id="1">Un.</seg><seg id="2">Deux.</seg></p></ref>'
    one = rows(made(tmp_path, "a.xml", document("Eins.|Zwei.|Drei.|Vier.", lang="")))
    assert [row["langpair"] for row in one] == ["en-de"] * 4
    with pytest.raises(InputError, match=r"'S' has no language in document 'd', .*references in de, fr\. Add lang="):
        rows(made(tmp_path, "b.xml", document("Eins.|Zwei.|Drei.|Vier.", lang="", refs=french)))
    own = rows(made(tmp_path, "c.xml", document("Eins.|Zwei.|Drei.|Vier.", refs=french)))
    assert [row["references"] for row in own] == [["Eins."], ["Zwei."], ["Drei."], ["Vier."]]


def test_a_later_document_with_references_is_refused_if_the_first_has_none(tmp_path: Path) -> None:
    first = '<doc id="a"><src lang="en"><seg id="1">A.</seg></src><hyp lang="de" system="S"><seg id="1">A.</seg></hyp></doc>'
    text = document("Eins.|Zwei.|Drei.|Vier.").replace('<dataset id="x">', f'<dataset id="x">{first}')
    with pytest.raises(InputError, match="has 'references', and the first row does not"):
        rows(made(tmp_path, "a.xml", text))


def test_a_set_without_outputs_says_so(tmp_path: Path) -> None:
    path = made(tmp_path, "a.xml", "\n".join(line for line in WMT.splitlines() if "<hyp" not in line))
    assert [row["source"] for row in rows(path)] == ["One & all.", "Two.", "Three."]
    with pytest.raises(InputError, match="has no column with translations"):
        list(read_table(path))


def test_sgml_is_a_table_of_one_side(tmp_path: Path) -> None:
    for name in ("a.sgm", "nothing"):
        assert [(r["system"], r["document"], r["id"], r["mt"]) for r in rows(made(tmp_path, name, SGML))] == [
            ("ours", "d1", "1", "Fish & chips & salad, a < b"),
            ("ours", "d1", "2", "two lines"),
            ("theirs", "d2", "1", "„Ja“"),
        ]
    well = '<?xml version="1.0"?><mteval>'
    well += '<refset srclang="en" trglang="de"><doc docid="d"><seg id="1">a &amp; b</seg></doc></refset></mteval>'
    assert rows(made(tmp_path, "a.xml", well)) == [
        {"id": "1", "document": "d", "langpair": "en-de", "reference": "a & b"}
    ]


def test_sgml_serves_as_text_files(tmp_path: Path) -> None:
    def of(kind: str, texts: list[str]) -> str:
        body = "".join(f'<seg id="{i}">{text}</seg>\n' for i, text in enumerate(texts, 1))
        return f'<{kind} setid="x" srclang="en" trglang="de"><doc docid="d" sysid="s">\n{body}</doc></{kind}>\n'

    made(tmp_path, "mt.sgm", of("tstset", ["der Hund", "die Katze &amp; der Hund"]))
    made(tmp_path, "ref.sgm.gz", gzip.compress(of("refset", ["der Hund", "eine Katze"]).encode()))
    made(tmp_path, "src.txt", "the dog\nthe cat\n")
    texts = assay.score(["der Hund", "die Katze & der Hund"], ["der Hund", "eine Katze"], metrics=["chrf"])
    files = assay.score(mt=tmp_path / "mt.sgm", ref=tmp_path / "ref.sgm.gz", src=tmp_path / "src.txt", metrics=["chrf"])
    assert files.segments["chrf"].tolist() == texts.segments["chrf"].tolist()
    made(tmp_path, "mt.sgm", of("tstset", ["x"]))
    with pytest.raises(InputError, match=r"mt\.sgm has 1 line but .* they must match"):
        assay.score(mt=tmp_path / "mt.sgm", ref=tmp_path / "ref.sgm.gz", metrics=["chrf"])
    made(tmp_path, "mt.sgm", "plain\n")
    with pytest.raises(
        InputError, match=r"mt\.sgm has no <srcset>, <refset> or <tstset>, so it is not a WMT SGML file"
    ):
        assay.score(mt=tmp_path / "mt.sgm", ref=tmp_path / "ref.sgm.gz", metrics=["chrf"])


@pytest.mark.parametrize("end", ["", "<seg id='2'>b</seg></doc></tstset>"])
def test_a_segment_that_is_not_closed_is_named(tmp_path: Path, end: str) -> None:
    path = made(tmp_path, "a.sgm", "<tstset>\n<doc>\n<seg id='1'>a\n" + end)
    with pytest.raises(InputError, match=r"a\.sgm line 3: a <seg> is never closed"):
        rows(path)


def test_sets_of_several_kinds_in_one_file(tmp_path: Path) -> None:
    path = made(tmp_path, "a.sgm", "<srcset><doc><seg>a</seg></doc></srcset>\n<refset><doc><seg>a</seg></doc></refset>")
    with pytest.raises(InputError, match="line 2: the file has sets of several kinds"):
        rows(path)


LAUGHS = "".join('<!ENTITY l{} "{}">'.format(i, f"&l{i - 1};" * 10) for i in range(1, 10))
HOSTILE = {
    "laughs": (f'<!DOCTYPE tmx [<!ENTITY l0 "ha">{LAUGHS}]><tmx>&l9;</tmx>', "it declares the entity 'l0'"),
    "outside": ('<!DOCTYPE tmx [<!ENTITY x SYSTEM "file:///etc/passwd">]><tmx>&x;</tmx>', "it declares the entity 'x'"),
    "parameter": (
        '<!DOCTYPE tmx [<!ENTITY % p SYSTEM "http://localhost:1/x"> %p;]><tmx/>',
        "it declares the entity 'p'",
    ),
    "blown attribute": ('<!DOCTYPE t [<!ENTITY a "b">]><tmx x="&a;"/>', "it declares the entity 'a'"),
    "undefined": (
        '<!DOCTYPE tmx SYSTEM "http://localhost:1/tmx.dtd"><tmx>&nbsp;</tmx>',
        "the entity &nbsp; is undefined",
    ),
    "undefined at all": ("<tmx>&nbsp;</tmx>", "not well-formed XML: undefined entity"),
    "deep": ("<tmx>" + "<a>" * 200, "more than 100 elements are nested"),
    "cut": ("<tmx><body>", "not well-formed XML: no element found"),
    "mismatched": ("<tmx>\n</body>", "line 2 column 3: not well-formed XML: mismatched tag"),
    "two roots": ("<tmx/><tmx/>", "not well-formed XML: junk after document element"),
    "encoding": ('<?xml version="1.0" encoding="klingon"?><tmx/>', "declares an encoding that cannot be read"),
    "another": (
        "<html><body/></html>",
        "is XML with the root <html>; only TMX, XLIFF and WMT's <dataset> are supported",
    ),
    "nothing in it": ("<tmx><body/></tmx>", "is empty"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_and_broken_files_are_refused_in_one_line(tmp_path: Path, name: str) -> None:
    text, said = HOSTILE[name]
    path = made(tmp_path, "a.tmx", text)
    tracemalloc.start()
    with pytest.raises(InputError) as error:
        if not rows(path):
            list(read_table(path, needs={"source": "x"}))
            raise InputError(f"{path} is empty")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert said in str(error.value) and str(path) in str(error.value) and "\n" not in str(error.value)
    assert peak < 4_000_000


def test_a_document_type_that_is_elsewhere_is_not_looked_at(tmp_path: Path) -> None:
    (tmp_path / "tmx14.dtd").write_text('<!ENTITY nbsp "!">')
    assert len(rows(made(tmp_path, "a.tmx", TMX))) == 3


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "latin-1"])
def test_encodings_that_a_file_declares(tmp_path: Path, encoding: str) -> None:
    text = TMX.replace("?>", f' encoding="{encoding.replace("-sig", "")}"?>', 1)
    assert rows(made(tmp_path, "a.tmx", text.encode(encoding)))[0]["mt"] == "Drücken Sie F1."


def test_a_long_memory_is_read_in_flat_memory(tmp_path: Path) -> None:
    unit = '<tu><tuv xml:lang="en"><seg>{0} text</seg></tuv><tuv xml:lang="de"><seg>{0} Text</seg></tuv></tu>'
    text = (
        '<tmx><header srclang="en"/><body>'
        + "".join(unit.format("word " * 40 + str(i)) for i in range(40_000))
        + "</body></tmx>"
    )
    path = made(tmp_path, "a.tmx", text)
    tracemalloc.start()
    assert sum(map(len, read_table(path, chunk=64))) == 40_000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 6_000_000 < len(text) / 3


def test_a_tag_without_an_end_is_refused_before_all_is_held(tmp_path: Path) -> None:
    path = made(tmp_path, "a.tmx", b"<tmx " + b'a="' + b"x" * (40 << 20))
    tracemalloc.start()
    with pytest.raises(InputError, match="a tag or a text is longer than 16 MiB"):
        rows(path)
    tracemalloc.stop()


@pytest.mark.parametrize("spoken", ["en", "EN", "en-US", "en_US"])
def test_the_source_of_a_memory_is_found_by_its_primary_language(tmp_path: Path, spoken: str) -> None:
    text = (
        f'<tmx version="1.4"><header srclang="{spoken}"/><body><tu><tuv xml:lang="de-DE"><seg>Hund</seg></tuv>'
        '<tuv xml:lang="en-US"><seg>dog</seg></tuv></tu></body></tmx>'
    )
    (row,) = rows(made(tmp_path, "a.tmx", text))
    assert (row["source"], row["mt"]) == ("dog", "Hund")


@pytest.mark.parametrize("tags", [("de-DE", "fr-FR"), ("en-US", "en-GB")])
def test_a_memory_without_a_clear_source_is_refused(tmp_path: Path, tags: tuple[str, str]) -> None:
    variants = "".join(f'<tuv xml:lang="{tag}"><seg>x</seg></tuv>' for tag in tags)
    text = f'<tmx version="1.4"><header srclang="en"/><body><tu>{variants}</tu></body></tmx>'
    with pytest.raises(InputError, match="line 1: the source language is 'en', but the variants are in"):
        rows(made(tmp_path, "a.tmx", text))


def test_segments_of_sgml_are_matched_by_document_and_number(tmp_path: Path) -> None:
    def of(kind: str, texts: dict[tuple[str, str], str]) -> str:
        body = "".join(f'<doc docid="{d}"><seg id="{i}">{text}</seg></doc>' for (d, i), text in texts.items())
        return f'<{kind} setid="x" srclang="en" trglang="de">{body}</{kind}>'

    texts = {("d1", "1"): "Eins.", ("d1", "2"): "Zwei.", ("d2", "1"): "Drei."}
    ref = made(tmp_path, "r.sgm", of("refset", texts))
    mt = made(tmp_path, "t.sgm", of("tstset", dict(reversed(texts.items()))))
    scored = assay.score(mt=mt, ref=ref, metrics=["chrf"])
    assert scored.system["chrf"] == pytest.approx(100)
    src = made(tmp_path, "s.txt", "One.\nTwo.\nThree.\n")
    with pytest.raises(InputError, match="in different orders"):
        assay.score(mt=mt, ref=ref, src=src, metrics=["chrf"])
    other = made(tmp_path, "o.sgm", of("tstset", {("d1", "1"): "a", ("d1", "2"): "b", ("d3", "1"): "c"}))
    with pytest.raises(InputError, match=r"segment 3 is d3/1 in .*o\.sgm and d2/1 in .*r\.sgm"):
        assay.score(mt=other, ref=ref, metrics=["chrf"])
