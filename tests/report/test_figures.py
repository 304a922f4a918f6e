from __future__ import annotations

import builtins
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from typing import Any

import pytest

from assay.analyses.table_parts import accuracies, accuracy_map, tau_dots
from assay.core.errors import MissingPart, UnknownName
from assay.core.table import Figure, Table, TableColumn
from assay.report.figures import figures, inline, render
from assay.report.figures.canvas import with_font_note
from tests.report.tables import METRIC, phenomena, row

NAMES = ["数字错误", "שמות", "costs $5 & $6", "_hidden", "<script>", "a_very_long_phenomenon_name_without_any_blanks"]


def texts(svg: bytes) -> str:
    root = ElementTree.fromstring(svg)
    return "\n".join("".join(element.itertext()) for element in root.iter("{http://www.w3.org/2000/svg}text"))


def contrastive(metrics: int = 2, copies: int = 1) -> dict[str, Table]:
    rows = [
        row(f"{name} {copy}" if copies > 1 else name, f"_metric${m}$", 0.1 * m + 0.3, "*" if m == 1 else "")
        for copy in range(copies)
        for name in NAMES
        for m in range(metrics)
    ]
    return {"phenomena": replace(phenomena(rows), figures=(accuracies("contrastive", "phenomena", rows),))}


def demetr() -> dict[str, Table]:
    numbers = {29: ("tokenized sentence", "minor"), 7: ("change to antonym", "critical"), 32: ("empty string", "base")}
    rows: list[dict[str, Any]] = [
        {"name": f"{i} {label}", "severity": severity, "metric": metric, "accuracy": value, "first": "", "z": value}
        for i, (label, severity) in numbers.items()
        for metric, value in (("chrf", i / 100), ("bleu", None))
    ]
    columns = [TableColumn("name"), TableColumn("severity"), METRIC, TableColumn("accuracy", kind="percent")]
    columns.append(TableColumn("z", kind="number", decimals=3))
    lines = {"index": "name", "group": "severity", "order": ("critical", "major", "minor", "base")}
    sensitivity = {"value": "z", "root": True, "starred": False, "title": "z", "subtitle": "share of the drop", **lines}
    drawn = (accuracy_map("demetr", "heatmap", lines), Figure("sensitivity", "heatmap", sensitivity, "demetr"))
    notes = ("† trained on this suite: chrf",)
    return {"perturbations": Table("perturbations", columns, rows, "DEMETR", notes, figures=drawn)}


def aces() -> dict[str, Table]:
    def tau(value: float) -> dict[str, Any]:
        return {"metric": "chrf", "tau": value, "tau_low": value - 0.1, "tau_high": value + 0.1, "first": ""}

    column = TableColumn("tau", kind="number", decimals=3)
    levels = [{"set": kind, "level": i, **tau(0.5 - 0.2 * i)} for kind in ("number", "named entity") for i in (1, 2, 3)]
    return {
        "categories": Table(
            "categories",
            (TableColumn("category"), METRIC, column),
            [{"category": "omission", **tau(0.2)}],
            "Categories",
            figures=(tau_dots("aces", "categories", "category"),),
        ),
        "levels": Table(
            "levels",
            (TableColumn("set"), TableColumn("level"), METRIC, column),
            levels,
            "Levels",
            figures=(Figure("levels", "levels", {"subtitle": "nearest at level 3"}, "aces"),),
        ),
    }


def hallucinations() -> dict[str, Table]:
    quantiles = {"q05": 1.0, "q25": 2.0, "median": 3.0, "q75": 4.0, "q95": 5.0}
    rows = [
        {"category": name, "metric": metric, "n": 1200, **quantiles}
        for name in ("correct", "oscillatory")
        for metric in ("a", "b", "c", "d")
    ]
    rows.append({"category": "empty", "metric": "a", "n": 0, **dict.fromkeys(quantiles)})
    columns = (TableColumn("category"), METRIC, TableColumn("n", kind="count"))
    figure = (Figure("distribution", "boxes"),)
    return {"distribution": Table("distribution", columns, rows, "Scores by category", figures=figure)}


def test_every_label_is_there_as_text() -> None:
    [(name, svg)] = render(contrastive()).items()
    assert name == "phenomena.svg"
    found = texts(svg)
    for label in (
        "By phenomenon",
        "数字错误",
        "שמות",
        "costs $5 & $6",
        "_hidden",
        "<script>",
        "_metric$0$",
        "_metric$1$",
    ):
        assert label in found
    assert "".join(found.split()).count("a_very_long_phenomenon_name_without_any_blanks") == 1


def test_a_picture_says_so_when_no_font_has_a_letter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.report.figures.canvas._OTHER_SCRIPTS", ())  # DejaVu has no Chinese; it has Hebrew
    table = contrastive()["phenomena"]
    assert with_font_note(table).notes[-1].startswith("□ boxed letters are missing from the installed fonts")
    latin = replace(table, rows=[row for row in table.rows if row["phenomenon"] != "数字错误"])
    assert with_font_note(latin) == latin


def test_many_phenomena_become_a_heat_map_with_numbers() -> None:
    found = texts(render(contrastive(copies=6))["phenomena.svg"]).split("\n")
    assert found.count("30.0") == 36 and found.count("40.0*") == 36


def test_heat_maps_of_demetr_have_severities_numbers_and_gaps() -> None:
    files = render(demetr())
    assert list(files) == ["heatmap.svg", "sensitivity.svg"]
    found = texts(files["heatmap.svg"]).split("\n")
    for label in ("chrf", "bleu", "29.0", "7.0", "32.0", "29 tokenized sentence", "minor", "critical", "base"):
        assert label in found
    assert found.count("–") == 3
    assert found.index("critical") < found.index("minor") < found.index("base")
    assert "† trained on this suite: chrf" in " ".join(found)
    assert "0.290" in texts(files["sensitivity.svg"])


def test_aces_has_dots_and_levels() -> None:
    files = render(aces())
    assert list(files) == ["categories.svg", "levels.svg"]
    assert "omission" in texts(files["categories.svg"])
    found = texts(files["levels.svg"]).split("\n")
    assert {"number", "named entity", "level 1", "level 3", "tau", "chrf"} <= set(found)


def test_distributions_have_a_panel_a_metric() -> None:
    found = texts(render(hallucinations())["distribution.svg"]).split("\n")
    assert {"a", "b", "c", "d"} <= set(found)
    assert found.count("correct (1,200)") == 2  # two rows of panels, each labelled on its left


@pytest.mark.parametrize("tables", [contrastive(), demetr(), aces()])
def test_the_same_tables_give_the_same_bytes(tables: dict[str, Table]) -> None:
    assert render(tables) == render(tables) == render(list(tables.values()))


def test_png() -> None:
    [png] = render(contrastive(metrics=8), "png").values()
    assert png.startswith(b"\x89PNG\r\n\x1a\n")


def test_settings_of_the_caller_stay_as_they_were() -> None:
    import matplotlib

    before = dict(matplotlib.rcParams)
    assert list(figures(contrastive())) == ["phenomena"]
    assert dict(matplotlib.rcParams) == before


def test_inline_figures_repeat_no_ids() -> None:
    import re

    drawn = [svg for found in inline(aces()).values() for svg in found]
    ids = [found for svg in drawn for found in re.findall(r' id="([^"]*)"', svg)]
    assert len(drawn) == 2 and len(ids) == len(set(ids))
    for svg in drawn:
        ElementTree.fromstring(svg)


def test_nothing_to_draw() -> None:
    bare = replace(contrastive()["phenomena"], figures=())
    assert render({}) == {} and render([bare]) == {}
    assert render([replace(contrastive()["phenomena"], rows=[])]) == {}
    with pytest.raises(UnknownName, match="unknown kind of figure 'pie'"):
        render([replace(bare, figures=(Figure("x", "pie"),))])  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="unknown figure format 'pdf'"):
        render(contrastive(), "pdf")


def test_without_matplotlib_the_message_is_the_instruction(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def blocked(name: str, *args: Any, **more: Any) -> Any:
        if name.split(".")[0] == "matplotlib":
            raise ImportError(name)
        return real(name, *args, **more)

    monkeypatch.setattr(builtins, "__import__", blocked)
    for tables in (contrastive(), demetr()):
        with pytest.raises(MissingPart, match=r"pip install 'mt-assay\[figures\]'"):
            render(tables)


def breakdown(panels: int = 3, types: int = 14) -> dict[str, Table]:
    ranges = [
        {"task": "parsing", "language": f"l{p}", "metric": "ter", "from": 10.0 * i, "to": 10.0 * (i + 1), "good": 9 - i}
        | {"bad": i, "threshold": 40.0, "higher_is_better": False}
        for p in range(panels)
        for i in range(10)
    ]
    rates = [
        {"error_type": f"{NAMES[i % len(NAMES)]} {i}", "task": task, "n": 1000, "rate": value, "rate_low": 0.1}
        | {"rate_high": 0.9}
        for i in range(types)
        for task, value in (("parsing", i / types), ("dialogue", None))
    ]
    columns = [TableColumn(key) for key in ("task", "language", "metric", "threshold")]
    return {
        "cases": Table("cases", columns, ranges, "ter: scores and outcomes", figures=(Figure("cases", "cases"),)),
        "matrix": Table(
            "matrix",
            [TableColumn("error_type"), TableColumn("task")],
            rates,
            "Errors and tasks",
            figures=(Figure("matrix", "rates"),),
        ),
    }


def test_breakdown_figures_show_every_panel_and_cell() -> None:
    drawn = {name: texts(content) for name, content in render(breakdown()).items()}
    assert all(f"parsing l{p}" in drawn["cases.svg"] for p in range(3))
    assert "the task survives" in drawn["cases.svg"] and "breakdown" in drawn["cases.svg"]
    assert drawn["matrix.svg"].count("n=1,000") == 14 and "dialogue" in drawn["matrix.svg"]
    assert "the first 12 of 15 panels" in texts(render(breakdown(15))["cases.svg"]).replace("\n", " ")
    assert render(breakdown(), "png").keys() == {"cases.png", "matrix.png"}


def tied_rows() -> list[dict[str, Any]]:
    """A metric that ties every pair, and one that loses every pair: both have an accuracy of 0."""
    counts = ({"wins": 0, "losses": 0, "marks": "="}, {"wins": 0, "losses": 10, "marks": ""})
    return [
        {**row(f"{name} {copy}", "m", 0.0), "n": 10, **count}
        for copy in range(copies_of_a_heat_map())
        for name, count in zip(("blind", "wrong"), counts, strict=True)
    ]


def copies_of_a_heat_map() -> int:
    """So many phenomena that dots would be too many."""
    return 20


def test_a_heat_map_tells_ties_from_losses() -> None:
    rows = tied_rows()
    svg = render({"phenomena": replace(phenomena(rows), figures=(accuracies("contrastive", "phenomena", rows),))})
    drawn, found = svg["phenomena.svg"].decode(), texts(svg["phenomena.svg"]).split("\n")
    assert found.count("0.0=") == found.count("0.0") == 20
    assert any("= mostly ties, coloured as half won" in text for text in found)
    assert drawn.count("#f7f7f7") == 20 and drawn.count("#b3480a") == 20  # no colour for ties, the full one for losses


def test_dots_of_ties_are_hollow() -> None:
    rows = tied_rows()[:4]
    svg = render({"phenomena": replace(phenomena(rows), figures=(accuracies("contrastive", "phenomena", rows),))})
    assert "hollow: mostly ties" in texts(svg["phenomena.svg"])
    plain = [{**one, "marks": ""} for one in rows]
    other = render({"phenomena": replace(phenomena(plain), figures=(accuracies("contrastive", "phenomena", plain),))})
    assert "hollow" not in texts(other["phenomena.svg"])
    assert svg["phenomena.svg"].count(b"fill: #ffffff") > other["phenomena.svg"].count(b"fill: #ffffff")
