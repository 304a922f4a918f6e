"""What to cite: facts that agree with the cards, and BibTeX that can be read."""

from __future__ import annotations

from pathlib import Path

import pytest

import assay
from assay.cli.main import main
from assay.core.errors import UnknownName
from assay.data.citations import KINDS, names, works
from assay.metrics import METRICS
from assay.suites import SUITES
from assay.suites.wmt import facts, years


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "cache"))


@pytest.mark.parametrize("name", [*METRICS.entries, *SUITES.entries])
def test_the_facts_agree_with_the_card(name: str) -> None:
    """The card names the first author of what is cited for it, with the year or the title; or there is nothing to cite."""
    card = (METRICS if name in METRICS.entries else SUITES).resolve(name).card
    assert bool(card.citation) == bool(works(name))
    for work in works(name)[:1]:
        title = work.fields["title"].partition(":")[0].lower()
        assert work.authors.split()[0] in card.citation
        assert work.fields["year"] in card.citation or title in card.citation.lower()


@pytest.mark.parametrize("year", years())
def test_every_wmt_year_is_cited_as_its_facts_say(year: str) -> None:
    title = works(year)[0].fields["title"]
    said = facts(year).citation.partition(", ")[2].rpartition(" (")[0]
    assert title.lower().startswith(said.lower())


def test_every_entry_can_be_printed() -> None:
    for kind in KINDS:
        for name in names(kind):
            for work in works(name):
                assert {"author", "title", "year"} <= set(work.fields) and work.text.count("  ") == 0
                assert work.bibtex.startswith(f"@{work.type}{{{work.key},\n") and work.bibtex.count(
                    "{"
                ) == work.bibtex.count("}")


def test_a_work_is_named_once_with_all_it_is_for() -> None:
    result = assay.cite("cer", "wer", "bleu:tokenize=zh", "Unbabel/wmt22-comet-da")
    rows = {row["key"]: row["for"] for row in result.table().rows}
    assert rows["levenshtein1966binary"] == "cer, wer"
    assert list(rows) == ["levenshtein1966binary", "papineni2002bleu", "post2018call", "rei2022comet22"]
    assert result.bibtex.count("@") == 4


def test_a_run_is_cited_by_what_it_used(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "-m", "chrf,ter", "--data", "demo", "--run-dir", "kept", "--quiet"]) == 0
    keys = [work.key for work in assay.cite("kept").works]
    assert keys == ["popovic2015chrf", "snover2006ter", "koehn2004statistical", "riezler2005pitfalls", "assay"]
    capsys.readouterr()
    assert main(["cite", "kept", "-o", "refs.bib"]) == 0
    assert Path("refs.bib").read_text().count("@") == 5
    assert main(["cite"]) == 0
    assert f"version {assay.__version__}" in capsys.readouterr().out


def test_a_name_that_is_none_and_one_without_a_publication(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UnknownName, match="Did you mean bleu"):
        assay.cite("blue")
    assert main(["cite", "embedded"]) == 0
    assert "embedded has no publication to cite" in capsys.readouterr().err
