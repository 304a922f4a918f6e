"""One table in every spelling that people send, read by every reader to the same values."""

from __future__ import annotations

import csv
import gzip
import io
import json
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import polars
import pytest

from assay.io.judgements.campaign import read_campaign
from assay.io.judgements.outcomes import read_outcomes
from assay.io.judgements.tables import read_judged_table
from assay.io.scores.metric_file import read_pairs, read_values
from assay.io.scores.precomputed import read_precomputed_scores
from assay.io.table.bad_rows import BadRows
from assay.io.table.tables import read_segments, read_table
from assay.models.training.sources import read_assessments
from assay.suites.contrastive import Contrastive
from assay.tasks.translators import Ready

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
HEADER = [
    "id",
    "source",
    "mt",
    "reference",
    "good",
    "incorrect",
    "langpair",
    "system",
    "rater",
    "outcome",
    "language",
    "z",
]
ROWS = [
    [
        "1",
        'Der Hund, "Rex".',
        'The dog, "Rex".',
        'A dog, "Rex".',
        "0.5",
        "0.25",
        "de-en",
        "A",
        "r",
        "good",
        "de",
        "1.5",
    ],
    ["2", "Es regnet.", "It rains.", "It is raining.", "0.75", "", "de-en", "A", "r", "bad", "de", "-0.5"],
    ["3", '"Ja."', '"Yes."', '"Yes."', "1", "0", "de-en", "B", "r", "good", "de", "0.25"],
]


def delimited(
    separator: str = "\t",
    end: str = "\n",
    mark: str = "",
    tail: str = "",
    cells: bool = True,
    header: bool = False,
    extra: str = "",
) -> bytes:
    """Rows with all cells in quotes or only those that need them, and with whatever stands at the end of a line."""

    def line(row: list[str], quoted: bool) -> str:
        out = io.StringIO()
        quoting = csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL
        csv.writer(out, delimiter=separator, quoting=quoting, lineterminator="").writerow(row)
        return out.getvalue()

    lines = [line(HEADER, header), *(line(row, cells) + tail for row in ROWS)]
    return (mark + end.join(lines) + end + extra).encode()


def objects() -> list[dict[str, str]]:
    return [dict(zip(HEADER, row, strict=True)) for row in ROWS]


def lines() -> bytes:
    return "\n".join(json.dumps(row) for row in objects()).encode()


def parquet() -> bytes:
    out = io.BytesIO()
    polars.DataFrame(objects()).write_parquet(out)
    return out.getvalue()


def arrow() -> bytes:
    out = io.BytesIO()
    polars.DataFrame(objects()).write_ipc(out)
    return out.getvalue()


def stream() -> bytes:
    out = io.BytesIO()
    polars.DataFrame(objects()).write_ipc_stream(out)
    return out.getvalue()


def across() -> bytes:
    """A further column with a line end in every cell."""
    first, *lines = delimited(cells=False).split(b"\n")[:-1]
    return first + b"\tfurther\n" + b"".join(line + b'\t"two\nlines"\n' for line in lines)


def workbook() -> bytes:
    out = io.BytesIO()
    rows = "".join(
        "<row>" + "".join(f"<c t='str'><v>{escape(c)}</v></c>" for c in row) + "</row>" for row in [HEADER, *ROWS]
    )
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(
            "xl/workbook.xml",
            f"<workbook xmlns='{MAIN}' xmlns:r='{OFFICE}'><sheets><sheet name='S' r:id='a'/></sheets></workbook>",
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels", "<Relationships><Relationship Id='a' Target='s.xml'/></Relationships>"
        )
        archive.writestr("xl/s.xml", f"<worksheet xmlns='{MAIN}'><sheetData>{rows}</sheetData></worksheet>")
    return out.getvalue()


def zstd(data: bytes) -> bytes:
    zstandard = pytest.importorskip("zstandard")
    packed: bytes = zstandard.ZstdCompressor().compress(data)
    return packed


ODD: dict[str, Callable[[], bytes]] = {
    "minimal.tsv": lambda: delimited(cells=False),
    "quoted.tsv": delimited,
    "quoted_header.tsv": lambda: delimited(header=True),
    "tail.tsv": lambda: delimited(tail="\t"),
    "tails.tsv": lambda: delimited(tail="\t\t \t", cells=False),
    "windows.tsv": lambda: delimited(end="\r\n", mark="\ufeff"),
    "again.tsv": lambda: delimited(cells=False, extra="\t".join(HEADER) + "\n\n"),
    "blank_first.tsv": lambda: b"\n\n" + delimited(cells=False),
    "no_suffix": lambda: delimited(cells=False),
    "a.csv": lambda: delimited(","),
    "windows.csv": lambda: delimited(",", "\r\n", "\ufeff", cells=False),
    "tail.csv": lambda: delimited(",", tail=",", cells=False),
    "a.jsonl": lines,
    "lines_without_suffix": lines,
    "marked.jsonl": lambda: b"\xef\xbb\xbf" + lines().replace(b"\n", b"\r\n\r\n"),
    "array.json": lambda: json.dumps(objects(), indent=1).encode(),
    "array_without_suffix": lambda: b"\xef\xbb\xbf \n" + json.dumps(objects()).encode(),
    "array.jsonl": lambda: json.dumps(objects()).encode(),
    "a.parquet": parquet,
    "parquet_without_suffix": parquet,
    "quoted.tsv.gz": lambda: gzip.compress(delimited()),
    "packed_without_suffix": lambda: gzip.compress(delimited(header=True)),
    "array.json.xz": lambda: lzma.compress(json.dumps(objects()).encode()),
    "a.csv.zst": lambda: zstd(delimited(",")),
    "a.jsonl.zst": lambda: zstd(lines()),
    "semicolon.csv": lambda: delimited(";", "\r\n", "\ufeff", cells=False),
    "said.csv": lambda: b"sep=;\r\n" + delimited(";", "\r\n", cells=False),
    "unicode.txt": lambda: delimited(cells=False).decode().encode("utf-16"),
    "across.tsv": across,
    "a.xlsx": workbook,
    "workbook_without_suffix": workbook,
    "a.arrow": arrow,
    "stream.arrow": stream,
}  # fmt: skip
TEXTS = [(row[1], row[2], row[3]) for row in ROWS]


def batches(path: Path) -> Any:
    return [(b[i].source, b[i].hypothesis, *b[i].references) for b in read_table(path, chunk=2) for i in range(len(b))]


def segments(path: Path) -> Any:
    return [(s.source, s.hypothesis, *s.references, s.meta["rater"]) for s in read_segments(path, further=["rater"])]


def items(path: Path) -> Any:
    columns = {"good": "mt", "incorrect": "reference", "reference": "source"}
    return [(item.id, item.reference, item.good, item.incorrect) for item in Contrastive(path, columns).load()]


def outcomes(path: Path) -> Any:
    found = read_outcomes(path, scores=["z"])
    batch = found.batch
    texts = [(batch[i].source, batch[i].hypothesis, *batch[i].references) for i in range(len(batch))]
    return texts, found.success.tolist(), found.scores["z"].tolist()


def judged(path: Path) -> Any:
    found = read_judged_table(path)
    batch = found.batch
    return [(batch[i].source, batch[i].hypothesis, *batch[i].references) for i in range(3)], found.scores["z"].tolist()


def pairs(path: Path) -> Any:
    good, incorrect = read_pairs(path, ["1", "2", "3"])
    return good.tolist(), [None if value != value else value for value in incorrect.tolist()]


def ids(path: Path) -> Any:
    return read_judged_table(path, columns={"id": "id"}).batch.ids


def ready(path: Path) -> Any:
    return [(found["z"].tolist(), languages) for found, languages, _ in read_precomputed_scores(path, ["z"])]


def records(path: Path) -> Any:
    return [(r.source, r.hypothesis, r.reference, r.score, r.langpair) for r in read_assessments(path, BadRows())]


def translations(path: Path) -> Any:
    return list(Ready(str(path)).translate([row[1] for row in ROWS], "de", "en"))


Z = [1.5, -0.5, 0.25]
READERS: dict[str, tuple[Callable[[Path], Any], Any]] = {
    "read_table": (batches, TEXTS),
    "read_segments": (segments, [(*texts, "r") for texts in TEXTS]),
    "contrastive": (items, [(row[0], row[1], row[2], row[3]) for row in ROWS]),
    "read_outcomes": (outcomes, (TEXTS, [True, False, True], Z)),
    "read_judged_table": (judged, (TEXTS, Z)),
    "ids": (ids, ["1", "2", "3"]),
    "metric file": (pairs, ([0.5, 0.75, 1.0], [0.25, None, 0.0])),
    "ready scores": (ready, [(Z, ["de", "de", "de"])]),
    "training": (records, [(*texts, z, "de-en") for texts, z in zip(TEXTS, Z, strict=True)]),
    "ready translations": (translations, [row[2] for row in ROWS]),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("name", ODD)
def test_every_reader_gives_the_same_values(tmp_path: Path, name: str, reader: str) -> None:
    path = tmp_path / name
    path.write_bytes(ODD[name]())
    read, expected = READERS[reader]
    assert read(path) == expected


RATED = "system\tsegment\trater\tscore\nA\t1\tr\t50\nA\t2\tr\t70\n"


@pytest.mark.parametrize(
    "text",
    [RATED, RATED.replace("0\n", "0\t\n"), RATED.replace("A", '"A"'), RATED.replace("\t", ",").replace("A", '"A"')],
)
def test_direct_assessments_too(tmp_path: Path, text: str) -> None:
    (tmp_path / "da").write_text(text)
    assert [one.score for (one,) in read_campaign(tmp_path / "da").judgements.values()] == [50.0, 70.0]


def test_scores_without_a_header_in_quotes(tmp_path: Path) -> None:
    (tmp_path / "x.tsv").write_text('"b"\t"0.5"\n"a"\t"1"\n')
    assert read_values(tmp_path / "x.tsv", ["a", "b"]).tolist() == [1.0, 0.5]


def test_raw_text_that_begins_with_a_quotation_mark_stays(tmp_path: Path) -> None:
    rows = [
        ['"Ja", sagte er.', '"Yes," he said.', '"No," he said.', '"Yes", he said.'],
        ["Gut.", "Good.", "Bad.", '"Good'],
    ]
    path = tmp_path / "raw.tsv"
    path.write_text("".join("\t".join(row) + "\n" for row in [["source", "good", "bad", "ref"], *rows]))
    assert [[i.source, i.good, i.incorrect, i.reference] for i in Contrastive(path).load()] == rows
    found = [batch[i] for batch in read_table(path, {"mt": "good"}) for i in range(len(batch))]
    assert [[s.source, s.hypothesis, *s.references] for s in found] == [[row[0], row[1], row[3]] for row in rows]


@pytest.mark.parametrize("form", ["jsonl", "json", "parquet"])
def test_lists_of_references_are_read_by_every_reader(tmp_path: Path, form: str) -> None:
    rows: list[dict[str, Any]] = [
        {"mt": "a", "incorrect": "b", "references": ["r", "s"], "z": 1.0, "outcome": "good", "tag": "x"},
        {"mt": "c", "incorrect": "d", "references": ["t"], "z": 2.0, "outcome": "bad", "tag": "y"},
    ]
    path = tmp_path / f"a.{form}"
    if form == "parquet":
        polars.DataFrame(rows).write_parquet(path)
    else:
        path.write_text(json.dumps(rows) if form == "json" else "\n".join(map(json.dumps, rows)))
    both = [("r", "s"), ("t",)]
    for further in ((), ("tag",)):
        assert [s.references for s in read_segments(path, further=further)] == both
    for batch in (read_outcomes(path).batch, read_judged_table(path).batch, next(read_table(path))):
        assert [batch[i].references for i in range(2)] == both
    assert [item.reference for item in Contrastive(path, {"good": "mt"}).load()] == ["r", "t"]
    assert [record.reference for record in read_assessments(path, BadRows())] == ["r", "t"]
