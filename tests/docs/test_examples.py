"""Every example of every page and of every --help runs as printed, and everything named in running text exists."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.cli.main import VERBS, main
from assay.core.batch import Segment
from tests.chat_server import ChatServer
from tests.data import SHARED
from tests.docs import inputs, prose
from tests.docs.examples import ROOT, Command, Page, parser

NOT_RUN = {
    "installs something": r"^(pip|docker|make) ",
    "the network": r"^assay fetch|s3://",
    "weights": r"-m \S*(comet-|xcomet|metricx|bartscore|prism|bleurt|gemba|labse|bertscore:|path/to/|checkpoint)|'xcomet-xl'",
    "a cluster": r"^ray |RAY_AUTH|--engine ray",
    "a person": r"--annotate\b|dfki review|--review|annotate=|OnPage\(",
    "somebody who stops it": r"^assay view (?!.*--out)",
    "Apertium": r"--translator auto",
    "data that nobody has here": r"\bconfig\.yaml|wmt22",
}
"""Reasons why an example does not run here, with a pattern that matches it. Its command line is still parsed."""
if not (SHARED / "data").exists():
    NOT_RUN["the real data"] = r"\b(demetr|aces|hallucinations|dfki|wmt23|items\.jsonl|mine/)\b"
CHANGES = {
    r"-t wmt23": inputs.whole_wmt23,
    r"--metric-file mine/": inputs.scores_of_wmt23,
    r"assay train trial/": inputs.shorten_training,
    r"assay run$": "assay run --subsample 2",
    r"(assay meta wmt23 (?!.*--langpair|.*mine\.yaml).+)": r"\1 --langpair en-de",
    r"(--recipe xcomet|--significance)": r"\1 --draws 5",
    r"-m judge-mqm --subsample 20": "-m judge-mqm --subsample 1",
    r"--error all": "--error word-swap",
    r"-p demetr corpus/": "-p word-swap corpus/",
    r"(assay card [\w:]+)(?!.*--suite)": r"\1 --suite embedded",
    r"(assay run demetr.*(--format html|--run-dir \S+))": r"\1 --subsample 20",
    r"(assay dfki judge)": r"\1 --langpair de-en",
}
"""Replacements for slow commands, and preparations before an example."""
FILES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "packages").glob("*/README.md")]
PAGES = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in FILES}
HELPS = {
    f"{command.prog} --help": "\n\n".join(
        [
            textwrap.indent(command.text.examples, "    "),
            re.sub("^  ", "    ", command.text.details, flags=re.MULTILINE),
        ]
    )
    for verb in VERBS
    for command in parser(verb).commands()
}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the files that the examples name."""
    folder, before = tmp_path_factory.mktemp("inputs"), dict(os.environ)
    settings = {"HOME": "home", "ASSAY_CACHE_DIR": "cache"}
    os.environ |= {name: str(folder / path) for name, path in settings.items()} | {"NO_COLOR": "1"}
    os.environ["ASSAY_DATA"] = str(SHARED / "data")
    (folder / "page").mkdir()
    with contextlib.chdir(folder / "page"):
        inputs.fill()
        for line in inputs.PREPARED:
            assert main(shlex.split(line)) == 0
    yield folder / "page"
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture
def page(
    request: pytest.FixtureRequest, prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Page]:
    """A page in its own folder; modules imported from there are unloaded afterwards."""
    folder, before, environment = tmp_path / "page", set(sys.modules), dict(os.environ)
    shutil.copytree(prepared, folder)
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder))
    yield Page(request.param, NOT_RUN, CHANGES, inputs.names())
    for name in set(sys.modules) - before:
        if (getattr(sys.modules[name], "__file__", None) or "").startswith(f"{folder}{os.sep}"):
            del sys.modules[name]
    os.environ.clear()
    os.environ.update(environment)


def answer(body: dict[str, Any]) -> str:
    """Return the answer of a language model to any prompt."""
    return "Critical:\nno-error\nMajor:\nno-error\nMinor:\nno-error" if "no-error" in str(body) else "90"


@pytest.mark.parametrize("page", [*PAGES, *HELPS], indirect=True)
def test_examples(page: Page) -> None:
    text = PAGES.get(page.name) or HELPS[page.name]
    with ChatServer(answer) as server:
        page.run(text.replace("http://localhost:8000/v1", server.url))
    if "coming/" in page.name:
        for line, code in prose.inline(text):
            if re.match("assay [a-z]+ .", code) and not re.search("[…]|[A-Z]{4}", code):
                page.attempt(line, code, page.command, Command(line, code))
    if page.name != "CHANGELOG.md":
        page.problems += prose.problems(page.name, text)
    if page.name == "CONTRIBUTING.md":
        page.attempt(0, "the classes", contributed, page.names)
    if page.problems:
        pytest.fail("\n".join([f"{len(page.problems)} examples", *page.problems]), pytrace=False)


def contributed(names: dict[str, Any]) -> None:
    """Check that the metric, suite, analysis and perturbation of CONTRIBUTING.md work as described."""
    result = assay.run(names["Tiny"](), ["chrf"], samples=10)
    assert (result.suite, len(result), result.tables["phenomena"].rows[0]["accuracy"]) == ("tiny", 2, 1.0)
    result = assay.run(names["Tiny"](), ["chrf", "ter"], analysis=names["tables"], samples=10)
    assert [row["ties"] for row in result.table().rows] == [0.0, 0.0]
    assert result.table().caption == "Undecided pairs" and "fewer ties" in result.section().tables[0].reading
    exclaimed = names["Exclaimed"]()
    assert exclaimed.perturb(Segment("He came."), "en", None, None).apply("He came.") == "He came!"
    assert exclaimed.perturb(Segment("He came"), "en", None, None).reason == "no final full stop"
    assert assay.score(["ab"], ["abcd"], metrics=[names["Length"]()]).system["length"] == 0.5


WRONG = """# A page with eight faults: `assay score --refs r.de`, `docs/nowhere.md`

    assay score -m chrf --data demo --colour      # no such option
    assay score -m chrf --data no.tsv

```
$ assay score -m chrf --data demo --width 1
 baseline  70.2
 ours      76.1
```

```python
print(len([1, 2]))
assay.score(hypotheses=["a"], references=["a"], metrics=["chrf"]).systems_
assay.verbs
```

```
3
```
"""


@pytest.mark.parametrize("page", ["wrong.md"], indirect=True)
def test_faults_are_reported_with_their_lines(page: Page) -> None:
    page.run(WRONG)
    assert [problem.split(": ")[0] for problem in page.problems] == [
        f"wrong.md:{line}" for line in (3, 4, 7, 14, 15, 19)
    ]
    assert "the page shows 'ours 76.1'" in page.problems[2] and "'ours 76.0'" in page.problems[2]
    assert len([*prose.problems("wrong.md", WRONG)]) == 2
