"""Comparison of assay's parsers for judges' answers with GEMBA's own.

    python scripts/gemba_answers.py PATH_TO_GEMBA [FOLDER_OF_ANSWERS]

PATH_TO_GEMBA is a checkout of github.com/MicrosoftTranslator/GEMBA. The script runs its parsers, so use one that you trust.
It compares three kinds of answers:

- raw answers in a folder (a diskcache folder such as GEMBA's `cache/`, or JSON lines with an `answer`);
- the scores in the repository (mt-metrics-eval-v2/…/GEMBA-*.seg.score), each read by assay's parser as if it were the answer;
- constructed answers in many formats.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import itertools
import json
import sqlite3
import sys
import types
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from assay.core.errors import InputError
from assay.io.judgements.answers import named_errors
from assay.io.judgements.gemba import gemba_prompt
from assay.io.judgements.prompts import Prompt
from assay.io.judgements.ratings import read_class, read_number, read_stars
from assay.metrics.judges.reading import points

Parser = Callable[[str], float | None]


def our_parsers(root: Path) -> dict[str, Parser]:
    """Return assay's parsers for the prompts of a checkout."""
    errors, classes = gemba_prompt("gemba-mqm", str(root)), our_classes(root)
    return {
        "DA": lambda answer: read_number(answer, 0, 100),
        "SQM": lambda answer: read_number(answer, 0, 100),
        "Stars": lambda answer: read_stars(answer, 1, 5),
        "Classes": lambda answer: read_class(answer, classes),
        "MQM": lambda answer: mqm(errors, answer),
    }


def our_classes(root: Path) -> tuple[str, ...]:
    """Return the names of the classes, worst first."""
    return gemba_prompt("gemba-classes", str(root)).classes


def mqm(prompt: Prompt, answer: str) -> float | None:
    """Return assay's points for an MQM answer, or None if it is unreadable."""
    try:
        return points(prompt, named_errors(answer))
    except InputError:
        return None


def main(arguments: list[str]) -> int:
    """Count answers and print differences."""
    if not arguments or not (Path(arguments[0]) / "gemba" / "prompt.py").is_file():
        print(__doc__)
        return 2
    root = Path(arguments[0])
    ours, theirs, classes = our_parsers(root), their_parsers(root), our_classes(root)
    raw = [pair for folder in arguments[1:] for pair in raw_answers(Path(folder))]
    print(f"raw answers: {len(raw):,}")
    if raw:
        compare("MQM", [answer for _, answer in raw], ours, theirs)
    stored(root, ours, classes)
    for kind, answers in made(classes).items():
        compare(kind, answers, ours, theirs)
    return 0


def their_parsers(root: Path) -> dict[str, Parser]:
    """Import the parsers of GEMBA's code without its other imports."""
    for name, attributes in {"ipdb": {}, "termcolor": {"colored": lambda text, *_: text}}.items():
        sys.modules.setdefault(name, types.ModuleType(name)).__dict__.update(attributes)
    prompt, mqm_utils = (_module(root / "gemba" / f"{name}.py") for name in ("prompt", "gemba_mqm_utils"))

    def quiet(parse: Callable[[str], Any]) -> Parser:
        def parsed(answer: str) -> float | None:
            with contextlib.redirect_stdout(io.StringIO()):
                value = parse(answer)
            return None if value is None else float(value)

        return parsed

    return {
        "DA": quiet(prompt.validate_number),
        "SQM": quiet(prompt.validate_number),
        "Stars": quiet(prompt.validate_stars),
        "Classes": quiet(lambda answer: prompt.parse_classes(answer, our_classes(root))),
        "MQM": quiet(mqm_utils.parse_mqm_answer),
    }


def _module(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(f"gemba_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def raw_answers(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield models' answers from JSON lines or from the texts in a diskcache folder."""
    for path in sorted(folder.rglob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            value = json.loads(line)
            if isinstance(value, dict) and isinstance(value.get("answer"), str):
                yield path.name, value["answer"]
    for path in sorted(folder.rglob("cache.db")):
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            for (value,) in connection.execute("SELECT value FROM Cache WHERE typeof(value) = 'text'"):
                yield path.parent.name, value


def stored(root: Path, ours: dict[str, Parser], classes: tuple[str, ...]) -> None:
    """Compare the scores in the repository, read as answers. Classes are stored as numbers and stay numbers."""
    counts: dict[str, Counter[str]] = {}
    for path in sorted(root.glob("mt-metrics-eval-v2/*/metric-scores/*/GEMBA-*.seg.score")):
        kind = path.name.split("-")[2]
        count = counts.setdefault(kind, Counter())
        for line in path.read_text(encoding="utf-8").splitlines():
            score = line.rpartition("\t")[2]
            if score == "None":
                count["no score"] += 1
                continue
            answer = classes[int(float(score))] if kind == "Classes" else score
            count["same" if ours[kind](answer) == float(score) else f"other ({score})"] += 1
    for kind, count in counts.items():
        print(f"stored scores, {kind}: {dict(count.most_common(8))}")


def made(names: tuple[str, ...]) -> dict[str, list[str]]:
    """Return answers in the formats that models use."""
    frames = [
        "{}",
        "{}.",
        "Score: {}",
        "{}/100",
        "Score: {}/100",
        "['{}']",
        "**{}**",
        "{} out of 100",
        "I give it {}.",
        "{}%",
        "\n{}\n",
    ]
    numbers = [f.format(n) for f in frames for n in (0, 1, 55, 85, 100, 101, "85.5", "-5")]
    numbers += ["", "none", "between 80 and 90", "85, because 2 words are wrong", "Score (0-100): 85"]
    words = ["one", "two", "three", "four", "five"]
    frames = ["{}", "{} stars", "{} star", "**{} stars**", "{} stars: fine", "I would give {} stars."]
    told = [f.format(n) for f in frames for n in (*words, 1, 2, 3, 4, 5, 6)]
    told += [mark * n for mark in "*★" for n in range(1, 7)] + ["four or five", "", "★★★☆☆", "4/5", "4.5 stars"]
    classes = [f.format(n) for f in ("{}", "{}.", 'Class: "{}"', "{}\n\nIt reads well.") for n in (*names, "Good")]
    classes += [f"{a} or {b}" for a, b in itertools.combinations(names, 2)]
    return {"DA": numbers, "Stars": told, "Classes": classes, "MQM": list(_mqm_answers())}


def _mqm_answers() -> Iterator[str]:
    """Return every combination of up to three errors of each severity, in the format of the examples and in common deviations
    from it.
    """
    error = {
        "Critical": 'accuracy/mistranslation - "a"',
        "Major": 'accuracy/omission - "b"',
        "Minor": 'style/awkward - "c"',
    }
    for counts in itertools.product(range(4), repeat=3):
        parts = zip(error, counts, strict=True)
        yield "\n".join(f"{level}:\n" + ("\n".join([error[level]] * n) or "no-error") for level, n in parts)
    yield 'Critical:\nno-error\nMajor:\nnon-translation - "x"\nMinor:\nno-error'
    yield 'Major:\naccuracy/addition - "major: a"\nMinor:\nno-error'
    yield "Critical:\n\nMajor:\n\nMinor:\n"
    yield "no-error"
    yield 'Major: accuracy/omission - "b"\nMinor: no-error'
    yield '**Major:**\naccuracy/omission - "b"'
    yield "I cannot judge this."
    yield ""


def compare(kind: str, answers: list[str], ours: dict[str, Parser], theirs: dict[str, Parser]) -> None:
    """Print how many answers both parsers read alike, and the others."""
    different = [(a, t, o) for a in answers if (t := theirs[kind](a)) != (o := ours[kind](a))]
    print(f"{kind}: {len(answers) - len(different)} of {len(answers)} answers read alike")
    for answer, their, our in different:
        print(f"    {answer!r}: GEMBA {their}, assay {our}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
