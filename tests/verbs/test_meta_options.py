"""``assay meta`` with options: WMT23 beside mt-metrics-eval's own values, and the options as a person types them."""

import csv
import json
import tarfile
from pathlib import Path

import pytest

from assay.cli.main import main
from assay.verbs.meta import meta
from tests import wmt
from tests.data import need

VARIANTS = Path(__file__).resolve().parents[1] / "fixtures" / "wmt23_variants.csv"
SETTINGS = ("langpairs", "level", "statistic", "grouping", "gold", "domain", "human")
SYSTEMS = ("pairwise_accuracy", "pearson", "spearman", "kendall", "soft_pairwise_accuracy")
CALLS = [
    {"statistics": SYSTEMS, "humans": True},
    {"statistics": SYSTEMS, "humans": False},
    {"statistics": SYSTEMS, "humans": False, "gold": "da-sqm"},
    {"statistics": ("kendall", "pearson"), "groups": ("item", "system"), "humans": True, "langpairs": ("he-en",)},
    {"statistics": ("kendall", "pearson"), "groups": ("item", "system"), "humans": False},
    {"statistics": ("kendall", "pearson"), "groups": ("item", "system"), "humans": False, "gold": "da-sqm"},
    {"statistics": ("pairwise_accuracy", "pearson"), "domains": ("*",), "humans": False},
    {"statistics": ("kendall",), "groups": ("item",), "domains": ("news",), "humans": False, "langpairs": ("en-de",)},
    {"statistics": ("acc_t",), "humans": False, "gold": "da-sqm", "langpairs": ("en-de",)},
]


def expected() -> dict[tuple[str, ...], dict[str, float]]:
    """Settings to metric to value (made by scripts/make_wmt23_variants.py)."""
    with VARIANTS.open(encoding="utf-8") as lines:
        return {
            tuple(row.pop(name) for name in SETTINGS): {name: float(value) for name, value in row.items() if value}
            for row in csv.DictReader(lines)
        }


@pytest.mark.real
def test_wmt23_under_other_settings_equals_mt_metrics_eval(tmp_path: Path) -> None:
    """All submissions; people's DA+SQM; every domain; humans in and out; every statistic and grouping."""
    left = expected()
    assert len(left) == 78
    for pair in ("en-de", "he-en", "zh-en"):
        with tarfile.open(need("data", "wmt23") / f"{pair}.tar.xz") as packed:
            packed.extractall(tmp_path, filter="data")
    for call in CALLS:
        rows = meta(tmp_path / "wmt23", contrastive=True, **call).tables["tasks"].rows
        found: dict[tuple[str, ...], dict[str, float]] = {}
        for row in rows:
            label = row["statistic"].removesuffix("_item").removesuffix("_system")
            grouping = row["statistic"].removeprefix(label).removeprefix("_") or "none"
            gold = row["gold"] or "mqm"
            key = (row["langpair"], row["level"], label, grouping, gold, row["domain"], str(row["human"]))
            found.setdefault(key, {})[row["metric"]] = row["value"]
        for key in left.keys() & found.keys():
            # the sign flips of soft pairwise accuracy are summed in single precision there: ties may fall otherwise
            near = 1e-4 if key[2] == "soft_pairwise_accuracy" else 1e-9
            assert found[key] == pytest.approx(left.pop(key), abs=near), key
    assert not left


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "cache"))
    for pair in ("en-de", "he-en"):
        standard = "refB" if pair == "he-en" else "refA"
        metrics = (f"BLEU-{standard}", f"chrF-{standard}", f"XCOMET-XL-{standard}", "CometKiwi-src")
        wmt.make_pair(tmp_path / "data" / "wmt23", pair, metrics=metrics)
    for file in (tmp_path / "data" / "wmt23" / "human-scores").glob("en-de.mqm.*"):
        file.with_name(file.name.replace("mqm", "esa")).write_bytes(file.read_bytes())
    return tmp_path / "data"


def tasks(data: Path, capsys: pytest.CaptureFixture[str], *options: str) -> list[dict]:
    assert main(["meta", "wmt23", "--data-dir", str(data), *options, "--format", "json", "--quiet"]) == 0
    return json.loads(capsys.readouterr().out)["tables"]["tasks"]


def test_options_choose_tasks_systems_and_metrics(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = tasks(data, capsys, "--statistic", "kendall", "--group", "item", "--metrics", "XCOMET*", "--metrics", "chrF")
    assert {(row["langpair"], row["level"], row["statistic"]) for row in rows} == {
        ("en-de", "seg", "kendall_item"),
        ("he-en", "seg", "kendall_item"),
    }
    assert {row["metric"] for row in rows} == {"XCOMET-XL", "chrF"}
    assert {row["human"] for row in rows if row["langpair"] == "en-de"} == {False}  # as the official tasks have it
    inside, out = (
        tasks(data, capsys, "--statistic", "pearson", "--level", "sys", "--langpair", "he-en", option)
        for option in ("--humans", "--no-humans")
    )
    assert [row["value"] for row in inside] != [row["value"] for row in out]
    some = tasks(data, capsys, "--statistic", "pearson", "--langpair", "en-de", "--systems", "!D", "--no-humans")
    assert [row["value"] for row in some] != [
        row["value"] for row in tasks(data, capsys, "--statistic", "pearson", "--langpair", "en-de", "--no-humans")
    ]
    by_domain = tasks(data, capsys, "--domain", "*", "--task", "3")
    assert {(row["task"], row["domain"], row["langpair"]) for row in by_domain} == {
        (1, "news", "en-de"),
        (2, "social", "en-de"),
    }


def test_other_gold_scores_leave_out_pairs_without_them(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = tasks(data, capsys, "--gold", "esa")
    assert {row["langpair"] for row in rows} == {"en-de"} and {row["gold"] for row in rows} == {"esa"}
    standard = tasks(data, capsys, "--langpair", "en-de")
    assert [row["value"] for row in rows] == [row["value"] for row in standard]  # the same scores under another name
    assert main(["meta", "wmt23", "--data-dir", str(data), "--gold", "esa", "--worth", "--draws", "10"]) == 0
    assert "no scores esa for he-en: left out" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["mine.yaml", "mine.json"])
def test_a_file_of_tasks(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    file = tmp_path / name
    rows = [
        {"statistic": "pairwise_accuracy", "level": "sys", "weight": 2},
        {"statistic": "pearson", "level": "seg", "domain": "news", "langpairs": ["he-en"]},
    ]
    file.write_text(json.dumps({"tasks": rows}), encoding="utf-8")  # JSON is YAML
    found = tasks(data, capsys, "--recipe", str(file))
    assert {(row["task"], row["langpair"], row["domain"], row["weight"]) for row in found} == {
        (1, "en-de+he-en", "", 2 / 3),
        (2, "he-en", "news", 1 / 3),
    }
    assert main(["meta", "wmt23", "--data-dir", str(data), "--recipe", str(file)]) == 0
    assert "2: he-en seg pearson, news" in capsys.readouterr().out  # people see the tasks first


def test_xcomets_evaluation_takes_a_domain_and_stored_metrics(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["meta", "wmt23", "--data-dir", str(data), "--recipe", "xcomet", "--draws", "5", "--langpair", "he-en"]
    found = {}
    for name, options in {
        "all": ["--metrics", "*"],
        "news": ["--metrics", "[BX]*", "--domain", "news"],
        "paper": [],
    }.items():
        assert main([*command, *options, "--format", "json"]) == 0
        rows = json.loads(capsys.readouterr().out)["tables"]["segments"]
        found[name] = {(row["metric"], row["column"]): row["value"] for row in rows}
    assert {metric for metric, _ in found["all"]} == {"BLEU", "chrF", "CometKiwi", "XCOMET-XL"}
    assert {metric for metric, _ in found["news"]} == {"BLEU", "XCOMET-XL"}
    assert all(found["all"][key] != value for key, value in found["news"].items())
    assert {metric for metric, _ in found["paper"]} == {"XCOMET-XL"}
    assert main([*command, "--domain", "news"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "domain news" in out
    assert (
        "⚠ no stored scores of BLEURT-20, COMET, MetricX-23, XCOMET-XXL: --metrics '*' shows every stored metric" in out
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--recipe", "xcomet", "--domain", "*"], "--recipe xcomet requires exactly one domain, but --domain matches"),
        (["--recipe", "xcomet", "--domain", "sports"], "unknown domain 'sports'"),
        (["--recipe", "xcomet", "--metrics", "COMET-99"], "unknown stored metric 'COMET-99'"),
        (["--gold", "wmt"], "unknown human score 'wmt'. Available: esa, mqm."),
        (["--metrics", "COMET-99"], "unknown stored metric 'COMET-99'"),
        (["--systems", "Z"], "unknown system 'Z'"),
        (["--domain", "sports"], "unknown domain 'sports'"),
        (["--statistic", "kendal"], "unknown statistic 'kendal'. Did you mean kendall"),
        (["--level", "doc"], "no task matches doc"),
        (["--recipe", "mine"], "unknown recipe 'mine'. Available: official, xcomet. (or specify a task file)"),
        (["--worth", "--domain", "news"], "--worth compares whole systems"),
        (["--recipe", "xcomet", "--no-humans"], "--humans cannot be combined with --recipe xcomet"),
        (["--systems", "A"], "has 1 judged system; agreement"),
    ],
)
def test_mistakes_are_one_line(data: Path, capsys: pytest.CaptureFixture[str], options, message) -> None:
    assert main(["meta", "wmt23", "--data-dir", str(data), *options]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
