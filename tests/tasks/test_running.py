from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from assay.core.errors import InputError, UnknownName
from assay.core.task import Example
from assay.tasks.running import task_outcomes
from tests.tasks_fake import Mirror, Same, WordTask


def test_only_examples_that_succeed_in_the_task_language_take_part() -> None:
    run = task_outcomes(WordTask(40), Mirror(), ["xx"])
    # e9, e19, e29, e39 fail in English; e7 is not translated. Of the 36 kept, texts 0, 4, 8 … are spoilt.
    assert (run.examples, run.kept, run.untranslated) == (40, 36, {"xx": ["e7"]})
    outcomes = run.outcomes
    assert len(outcomes) == 35
    spoilt = {name for name, good in zip(outcomes.ids, outcomes.success, strict=True) if not good}
    kept = [f"e{i}" for i in range(40) if i % 10 != 9]
    assert spoilt == set(kept[::4]) - {"e7"}
    first = outcomes.batch[1]
    assert (first.source, first.hypothesis, first.references) == ("ereh 1drow", "word1 here", ("word1 here",))


def test_question_and_context_are_both_scored_and_the_worse_counts() -> None:
    mirror = Mirror()
    outcomes = task_outcomes(WordTask(40, context=True), mirror, ["xx"]).outcomes
    assert len(outcomes.batch) == 2 * len(outcomes)
    asked = [text for text in mirror.asked[0] if text.endswith(("a", "b", "c"))]
    assert len(asked) == 3, "each different context is translated once"
    scores = Same().score(outcomes.batch).values
    folded = outcomes.fold(scores, True)
    assert folded.tolist() == [min(pair) for pair in scores.reshape(-1, 2).tolist()]
    assert outcomes.fold(scores, False).tolist() == [max(pair) for pair in scores.reshape(-1, 2).tolist()]
    # A spoilt context breaks every example that shares it; a spoilt question breaks its own.
    assert (outcomes.success == (folded == 1.0)).all()


class Gaps(WordTask):
    """Every fifth example has no text in xx, every tenth for a known reason; five more are left out in every language."""

    def examples(self) -> list[Example]:
        found = super().examples()
        for i in range(0, self.n, 5):
            found[i] = replace(found[i], translations={}, absent={"xx": "too long"} if i % 10 == 0 else {})
        found[1] = replace(found[1], translations=found[1].translations | {"yy": {"question": "1 2"}})
        return found

    def omitted(self) -> Mapping[str, int]:
        return {"unreadable": 5}


def test_examples_without_a_text_in_a_language_are_reported() -> None:
    # Of 40 examples e9, e19, e29 and e39 fail in English; 0, 10, 20, 30 and 5, 15, 25, 35 have no text in xx; e7 is not translated.
    run = task_outcomes(Gaps(40), Mirror(), ["xx"])
    assert run.absent == {"xx": {"too long": 4, "no human translation": 4}} and len(run.outcomes) == 36 - 8 - 1
    assert run.notes() == [
        "36 of 40 examples succeed in the task language and take part",
        "⚠ 5 examples left out in every language: unreadable",
        "⚠ xx: 28 of 36 take part, 8 left out (4: too long; 4: no human translation)",
        "⚠ xx: 1 example could not be translated (e7)",
    ]
    assert task_outcomes(WordTask(40), Mirror(), ["xx"]).absent == {}


class Broken(Mirror):
    def translate(self, texts: Any, source: str, target: str) -> list[str | None]:
        if len(texts) > 1 or "3" in texts[0]:
            raise RuntimeError("boom")
        return super().translate(texts, source, target)


def test_a_translator_that_crashes_costs_its_segments_only() -> None:
    run = task_outcomes(WordTask(20), Broken(), ["xx"])
    assert run.untranslated == {"xx": ["e3", "e7", "e13"]}

    class Dead(Mirror):
        def translate(self, texts: Any, source: str, target: str) -> list[str | None]:
            raise RuntimeError("boom")

    with pytest.raises(InputError, match="mirror failed on xx to en: RuntimeError: boom"):
        task_outcomes(WordTask(20), Dead(), ["xx"])


def test_impossible_wishes_are_refused() -> None:
    with pytest.raises(UnknownName, match="language"):
        task_outcomes(WordTask(20), Mirror(), ["yy"])
    with pytest.raises(InputError, match="needs a translator"):
        task_outcomes(WordTask(20), None, ["xx"])
