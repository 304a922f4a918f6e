"""`assay.lint`: findings of texts in memory, files and tables."""

from __future__ import annotations

from pathlib import Path

import pytest

import assay
from assay.core.errors import InputError
from assay.verbs.lint import sarif


def test_lists() -> None:
    result = assay.lint(
        ["Der Vertrag wurde 1997 unterzeichnet.", "Das Haus ist alt."],
        sources=["The contract was signed in 1979.", "The house is old."],
        langpair="en-de",
    )
    (finding,) = result.findings
    assert finding["row"] == 1 and finding["text"] == "1997"
    assert finding["reason"] == "1979 in the source, 1997 in the translation"
    assert (finding["start"], finding["end"], finding["source_start"], finding["source_end"]) == (18, 22, 27, 31)
    assert result.worst() == "major"
    assert result.table("summary").rows[0]["translations"] == 1
    assert len(result) == 2 and result.sentence() == "1 finding in 1 of 2 translations"


def test_rows_of_files_are_counted_per_system_and_of_long_tables_over_all(tmp_path: Path) -> None:
    for name, text in (("src", "In 1979.\nIn 1980.\n"), ("a", "In 1979.\nIn 1981.\n"), ("b", "In 1978.\nIn 1980.\n")):
        (tmp_path / name).write_text(text)
    files = assay.lint(mt=[tmp_path / "a", tmp_path / "b"], src=tmp_path / "src", langpair="en-de")
    assert [(f["system"], f["row"]) for f in files.findings] == [("a", 2), ("b", 1)]
    table = tmp_path / "long.tsv"
    table.write_text("system\tsrc\tmt\tlangpair\nA\tIn 1979.\tIn 1979.\ten-de\nB\tIn 1979.\tIn 1978.\ten-de\n")
    assert [(f["system"], f["row"]) for f in assay.lint(data=table).findings] == [("B", 2)]


def test_checks_are_selected() -> None:
    texts = {"hypotheses": ["Ja ja ja 1997"], "sources": ["Yes 1979"], "langpair": "en-de"}
    assert {f["check"] for f in assay.lint(**texts, select=["numbers"]).findings} == {"numbers"}
    assert "numbers" not in {f["check"] for f in assay.lint(**texts, ignore=["numbers"]).findings}
    with pytest.raises(InputError, match="check"):
        assay.lint(**texts, select=["number"])
    with pytest.raises(InputError, match="exclude every check"):
        assay.lint(**texts, select=["numbers"], ignore=["numbers"])


def test_without_sources_only_some_checks_run() -> None:
    result = assay.lint(["Hier ist die Übersetzung: schön schön schön schön"])
    assert {f["check"] for f in result.findings} == {"repetition", "llm-artefacts"}
    assert any("without a source" in note for note in result.notes)


def test_sarif() -> None:
    log = sarif(assay.lint(["In 1997."], sources=["In 1979."], langpair="en-de"), "a.tsv", "0.1.0")
    (run,) = log["runs"]
    assert run["results"][0]["ruleId"] == "numbers" and run["results"][0]["level"] == "error"
    assert run["tool"]["driver"]["rules"] == [
        {"id": "numbers", "shortDescription": {"text": "a number differs from the source"}}
    ]
