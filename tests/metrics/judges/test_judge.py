"""Judges through the engine, against a server on a socket: scores, spans, flags, samples, signature, store, budget."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.core.errors import AssayError, InputError, Interrupted, MissingPart
from assay.io.endpoint.budget import BudgetReached
from assay.metrics import metric
from tests.chat_server import ChatServer, status

SOURCES = ["The dog sleeps.", "I saw it today.", "Good night.", "Stop!"]
TRANSLATIONS = ["Die Katze schläft.", "Ich sah es.", "Gute Nacht.", "Halt!"]
ANSWERS = {
    "Die Katze schläft.": 'Critical:\nno-error\nMajor:\naccuracy/mistranslation - "Katze"\nMinor:\nno-error',
    "Ich sah es.": 'Critical:\nno-error\nMajor:\naccuracy/omission - "today"\nMinor:\nstyle - "gesehen"',
    "Gute Nacht.": "Critical:\nno-error\nMajor:\nno-error\nMinor:\nno-error",
    "Halt!": "I am sorry, but I cannot judge this.",
}
RATINGS = {"Die Katze schläft.": 20, "Ich sah es.": 70, "Gute Nacht.": 100}


def asked(body: dict[str, Any]) -> str:
    """The translation that a question is about."""
    last = body["messages"][-1]["content"]
    return next(text for text in TRANSLATIONS if text in last)


def errors_or_score(body: dict[str, Any]) -> Any:
    last = body["messages"][-1]["content"]
    if "points" in last:
        return str(RATINGS.get(asked(body), "I cannot say"))
    return ANSWERS[asked(body)]


TWO_STEPS = """
name = "two"
answer = "number"
low = 0
high = 100
[[messages]]
content = "How many points for {translation}, with these errors: {first_answer}?"
[first]
[[first.messages]]
content = "Which errors has {translation} as a translation of {source}?"
"""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.toml").write_text(TWO_STEPS)
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr("assay.io.endpoint.client.backoff", lambda attempt: 0.001)
    monkeypatch.setenv("NO_PROXY", "*")
    for name in ("ASSAY_LLM_KEY", "ASSAY_LLM_ENDPOINT", "ASSAY_LLM_MODEL", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(errors_or_score) as running:
        yield running


def judged(
    server: ChatServer, spec: str, *, store: bool = True, spans: bool = False, rows: int = 4, **settings: Any
) -> Any:
    with assay.llm(server.url, "tiny", **settings):
        return assay.score(
            sources=SOURCES[:rows], hypotheses=TRANSLATIONS[:rows], langpair="en-de", metrics=[spec], spans=spans,
            references=["Der Hund schläft.", "Ich sah es heute.", "Gute Nacht.", "Stopp!"][:rows],
        )  # fmt: skip


def test_errors_and_points(server):
    """5 for the cat; 5 for what was left out and 1 for a quote that stands nowhere; nothing; no answer that says anything."""
    result = judged(server, "judge-mqm", spans=True)
    scores = result.scores["judge-mqm"]
    np.testing.assert_array_equal(scores.values, [-5, -6, 0, math.nan])
    assert result.system["judge-mqm"] == pytest.approx(-11 / 3)  # the mean of those that have a score
    assert [[(span.side, span.text) for span in row] for row in scores.spans] == [
        [("target", "Katze")], [("source", "today")], [], [],
    ]  # fmt: skip
    assert {name: column.tolist() for name, column in scores.flags.items()} == {
        "lost_span": [False, True, False, False], "refused_answer": [False, False, False, True],
    }  # fmt: skip
    assert result.flags["judge-mqm refused_answer"] == 1
    assert "1 segment that the judge refused to judge (judge-mqm)" in str(result)


def test_an_unreadable_answer_is_asked_for_again_and_warmer(server):
    judged(server, "judge-mqm", rows=4)
    halt = [body["temperature"] for body in server.bodies if asked(body) == "Halt!"]
    assert halt == [0.0, 0.1, 0.2, 0.3]
    assert server.answered == 3 + 4


def test_the_question_has_the_names_of_languages(server):
    judged(server, "judge-da", rows=1)
    body = server.bodies[0]
    assert body["messages"][0]["content"].startswith("A colleague put this text from English into German.")
    assert body == {"model": "tiny", "messages": body["messages"], "temperature": 0.0, "max_tokens": 500}


@pytest.mark.parametrize("stream", [False, True])
def test_a_prompt_in_two_steps_asks_twice_and_shows_the_errors_to_the_second(server, stream):
    result = judged(server, "judge:prompt=two.toml,insist=0", spans=True, rows=3, stream=stream)
    np.testing.assert_array_equal(result.segments["judge:prompt=two.toml,insist=0"], [20, 70, 100])
    second = [body["messages"][-1]["content"] for body in server.bodies if "points" in body["messages"][-1]["content"]]
    assert any('accuracy/mistranslation - "Katze"' in text for text in second)
    assert [len(row) for row in result.scores["judge:prompt=two.toml,insist=0"].spans] == [1, 1, 0]


def test_references_are_shown_where_asked_for(server):
    judged(server, "judge-da:reference=yes", rows=1)
    judged(server, "automqm:reference=yes", rows=1)
    assert all("Der Hund schläft." in body["messages"][-1]["content"] for body in server.bodies)
    assert metric("judge-da").card.needs == "source"
    assert metric("judge-da:reference=yes").card.needs == "both"


def test_a_prompt_needs_what_it_shows(server, tmp_path):
    for shown, needs in (
        ("{translation}", "translation"),
        ("{translation} {source}", "source"),
        ("{translation} {reference}", "reference"),
    ):
        (tmp_path / "p.toml").write_text(
            f'answer = "number"\nlow = 0\nhigh = 100\n[[messages]]\ncontent = "How fluent? {shown}"\n'
        )
        assert metric(f"judge:{tmp_path}/p.toml").card.needs == needs


def test_refusals_and_filters_are_flags(server):
    server.answer = lambda body: (
        {"refusal": "No."} if asked(body) == "Halt!" else {"content": "", "finish": "content_filter"}
    )
    result = judged(server, "judge-da", rows=4)
    scores = result.scores["judge-da"]
    assert np.isnan(scores.values).all() and scores.flags["refused_answer"].all()
    assert server.answered == 4  # a refusal is not asked again
    assert math.isnan(result.system["judge-da"])


def test_an_answer_that_was_cut_off_is_no_score(server):
    server.answer = lambda body: {"content": 'Critical:\nno-error\nMajor:\naccuracy - "Kat', "finish": "length"}
    scores = judged(server, "judge-mqm:insist=1", rows=1).scores["judge-mqm:insist=1"]
    assert math.isnan(scores.values[0]) and scores.flags["cut_answer"][0]


def test_a_text_longer_than_the_model_reads(server):
    server.always = status(400, {"message": "too long", "code": "context_length_exceeded"})
    scores = judged(server, "judge-da", rows=1).scores["judge-da"]
    assert math.isnan(scores.values[0]) and scores.flags["truncated"][0]


def test_samples_and_their_spread(server):
    """Three samples of each: 60, 70, 80 in whatever order they are asked; mean 70, spread 10."""
    server.answer = lambda body: str(60 + 10 * (sum(asked(b) == asked(body) for b in server.bodies) - 1) % 30)
    spec = "judge-da:samples=3,temperature=0.7"
    result = judged(server, spec, rows=1, concurrency=1)
    scores = result.scores[spec]
    assert (scores.values[0], scores.components["spread"][0], scores.components["answered"][0]) == (70, 10, 3)
    again = judged(server, spec, rows=1)
    assert again.segments[spec][0] == 70 and server.answered == 3


def test_several_samples_at_no_temperature_are_refused():
    with pytest.raises(InputError, match=r"3 samples at temperature 0 .* Add temperature=0.7"):
        metric("judge-da:samples=3")


def test_the_signature_says_who_answered(server):
    result = judged(server, "judge-da", rows=2)
    assert result.signatures["judge-da"] == (
        f"judge-DA|prompt:assay-1-{metric('judge-da').prompt.digest}|model:tiny|answered:tiny-2026-01-01|temp:0.0|samples:1|"
        "insist:3|limit:500|v:3"
    )
    server.model = "tiny-2026-02-02"  # the endpoint moved on: new answers come from another model
    assert "answered:tiny-2026-01-01+tiny-2026-02-02|" in judged(server, "judge-da", rows=3).signatures["judge-da"]


def test_nothing_is_asked_twice(server):
    first = judged(server, "judge-mqm", rows=2)
    assert server.answered == 2
    second = judged(server, "judge-mqm", rows=3, stream=True)  # streaming changes no answer
    assert server.answered == 3 and set(server.questions.values()) == {1}
    assert first.segments["judge-mqm"].tolist() == second.segments["judge-mqm"].tolist()[:2]
    assert first.notes == [f"judge-mqm asked {server.url[7:-3]}: 2 requests, 220 tokens."]
    assert judged(server, "judge-mqm", rows=3).notes == []
    judged(server, "judge-mqm:model=other", rows=1)
    assert server.answered == 4


def test_each_judge_tells_its_own_costs_and_the_purse_all(server):
    texts = {
        "sources": SOURCES[:3],
        "hypotheses": TRANSLATIONS[:3],
        "langpair": "en-de",
        "metrics": ["judge-da", "judge:prompt=two.toml"],
    }
    with assay.llm(server.url, "tiny", price=(1000, 0)) as spent:
        notes = assay.score(**texts).notes
    assert [note.partition(": ")[2] for note in notes] == [
        "3 requests, 330 tokens, 0.3000.",
        "6 requests, 660 tokens, 0.6000.",
    ]
    assert (spent.requests, spent.cost) == (9, pytest.approx(0.9))


def test_equal_rows_are_one_question(server):
    with assay.llm(server.url, "tiny"):
        assay.score(sources=["Stop!"] * 5, hypotheses=["Gute Nacht."] * 5, langpair="en-de", metrics=["judge-da"])
    assert server.answered == 1


def test_answers_that_are_not_kept(server):
    assert "repeating the call asks and pays again" in judged(server, "judge-da", rows=1, keep=False).notes[-1]
    judged(server, "judge-da", rows=1, keep=False)
    assert server.answered == 2


def test_answers_are_kept_where_scores_are_not(server):
    """Who wants scores made anew (`assay rerun`) does not want to pay anew."""
    for _ in range(2):
        with assay.llm(server.url, "tiny"):
            assay.score(
                sources=["a"], hypotheses=["Halt!"], langpair="en-de", metrics=["automqm:insist=0"], store=False
            )
    assert server.answered == 1


def test_what_cannot_be_kept_is_not_asked_for(server, place):
    (place / "cache" / "store").mkdir(parents=True)
    (place / "cache" / "store" / "answers").write_text("in the way")
    with pytest.raises(
        AssayError, match=r"answers cannot be cached, so no further ones are requested: .*Set ASSAY_CACHE_DIR"
    ):
        judged(server, "judge-da", rows=3, concurrency=1)
    assert server.bodies == []


def test_faults_in_the_middle(server):
    server.faults = [status(429), status(500), status(503)]
    np.testing.assert_array_equal(judged(server, "judge-da", rows=3).segments["judge-da"], [20, 70, 100])
    assert set(server.questions.values()) == {1}


def test_the_budget_stops_and_the_same_call_goes_on(server):
    with pytest.raises(
        BudgetReached,
        match="judge-da stopped: the 2 requests of --max-requests have been sent, 2 of 3 segments judged; their answers are cached",
    ):
        judged(server, "judge-da", rows=3, max_requests=2, concurrency=1)
    assert server.answered == 2
    np.testing.assert_array_equal(
        judged(server, "judge-da", rows=3, max_requests=1).segments["judge-da"], [20, 70, 100]
    )
    assert server.answered == 3


def test_answers_under_way_when_the_budget_ends_count(server):
    server.delay = 0.3  # two are under way when a third is refused
    with pytest.raises(BudgetReached, match=r"2 of 3 segments judged; .* resumes from there, with a new budget\.$"):
        judged(server, "judge-da", rows=3, max_requests=2, concurrency=3)
    assert server.answered == 2


def test_a_budget_that_is_too_small_for_one_request_says_so(server):
    with pytest.raises(
        BudgetReached, match=r"^judge-da stopped: a request may cost 0\.05\d\d, more than the 0\.0010 of --"
    ):
        judged(server, "judge-da", rows=3, price=(10, 100), max_cost=0.001)
    assert server.bodies == []


def test_money_stops_too(server):
    """100 tokens in and 10 out at 10 and 100 for a million are 0.002 a request; at most 0.05 for the answer are set aside."""
    with pytest.raises(BudgetReached, match=r"0.0040 of the 0.0540 of --max-cost have been spent"):
        judged(server, "judge-da", rows=3, price=(10, 100), max_cost=0.054, concurrency=2)
    assert server.answered == 2


def test_an_endpoint_that_fails_says_how_far_it_was(server):
    server.faults = []
    judged(server, "judge-da", rows=2)
    server.always = status(500, "it fell over")
    with pytest.raises(
        InputError,
        match=r"answered 500: it fell over, in each of 2 attempts. 2 of 3 segments judged; their answers are cached",
    ):
        judged(server, "judge-da", rows=3, retries=1, concurrency=1)


def test_a_user_who_stops_it(server, monkeypatch):
    def stop(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr("assay.metrics.judges.judge.as_completed", stop)
    with pytest.raises(Interrupted, match="the same command resumes from there"):
        judged(server, "judge-da", rows=3)


def test_many_at_once_but_no_more(server):
    server.delay = 0.05
    server.answer = lambda body: "50"
    with assay.llm(server.url, "tiny", concurrency=4):
        rows = [f"Satz {i}" for i in range(12)]
        assay.score(sources=rows, hypotheses=rows, langpair="en-de", metrics=["judge-da"])
    assert server.most == 4


def test_what_is_missing_is_the_instruction(server):
    texts = {"sources": ["a"], "hypotheses": ["b"], "metrics": ["judge-da"]}
    with pytest.raises(MissingPart, match="--endpoint URL"):
        assay.score(**texts, langpair="en-de")
    with assay.llm(server.url), pytest.raises(MissingPart, match="--llm NAME"):
        assay.score(**texts, langpair="en-de")
    with assay.llm(server.url, "tiny"), pytest.raises(InputError, match="Specify --langpair, for example en-de"):
        assay.score(**texts)
    with pytest.raises(MissingPart, match=r"judge:prompt=FILE\.toml"):
        metric("judge")
    assert server.bodies == []


def test_the_environment_will_do(server, monkeypatch):
    monkeypatch.setenv("ASSAY_LLM_ENDPOINT", server.url)
    monkeypatch.setenv("ASSAY_LLM_MODEL", "tiny")
    result = assay.score(sources=SOURCES[:1], hypotheses=TRANSLATIONS[:1], langpair="en-de", metrics=["judge-da"])
    assert result.system == {"judge-da": 20}
    assert "model:tiny" in result.signatures["judge-da"]


def test_a_prompt_of_ones_own(server, place):
    (place / "p.toml").write_text(
        'name = "kind"\nanswer = "errors"\npoints = {major = 3}\n[[messages]]\ncontent = "Judge: {translation}"\n'
    )
    server.answer = lambda body: json.dumps({"errors": [{"span": "Katze", "severity": "major"}]})
    spec = "judge:prompt=p.toml"
    with assay.llm(server.url, "tiny"):
        result = assay.score(sources=SOURCES[:1], hypotheses=TRANSLATIONS[:1], metrics=[spec], spans=True)
    assert result.system[spec] == -3
    assert result.scores[spec].spans[0][0].text == "Katze"
    assert result.signatures[spec].startswith("kind|prompt:1-")
    assert str(metric("judge:p.toml:samples=2,temperature=1").prompt.digest) == metric(spec).prompt.digest


def test_a_suite(server):
    """The embedded pairs: a judge that prefers whatever is longer."""
    server.answer = lambda body: str(min(100, len(body["messages"][-1]["content"]) - 415))
    with assay.llm(server.url, "tiny", concurrency=16):
        result = assay.run("embedded", metrics=["judge-da"], langpair="en-de", subsample=1)
    assert len(result.content) > 5
    assert server.answered == len({t for i in result.content for t in ((i.source, i.good), (i.source, i.incorrect))})
    assert "answered:tiny-2026-01-01" in result.signatures["judge-da"]


def test_an_estimate_asks_nothing_and_knows_what_is_kept(server):
    judged(server, "judge-mqm", rows=1)
    texts = {
        "sources": SOURCES,
        "hypotheses": TRANSLATIONS,
        "langpair": "en-de",
        "metrics": ["judge-mqm", "judge:prompt=two.toml"],
    }
    with assay.llm(server.url, "tiny", price=(1e6, 1e6)):
        found = assay.estimate(**texts)
    mqm, two = found.estimates["judge-mqm"], found.estimates["judge:prompt=two.toml"]
    assert (mqm.requests, mqm.kept, two.requests, two.kept) == (3, 1, 8, 0)
    # The question has 750 letters around the texts: a token for about four.
    assert 3 * 170 < mqm.tokens_in < 3 * 220
    assert found.cost == sum(e.tokens_in + e.tokens_out for e in (mqm, two))
    assert server.answered == 1
    with pytest.raises(InputError, match="an estimate requires an LLM judge"):
        assay.estimate(hypotheses=["a"], references=["b"], metrics=["chrf"])


def test_a_reasoning_model_is_heard_and_a_refusal_in_words_is_one(server):
    """Thoughts name other numbers and errors than the answer does; a second question gets the answer without them."""
    server.answer = lambda body: '<think>Critical:\n"Katze" — or 20?</think>\n90'
    assert judged(server, "judge-da", rows=1).segments["judge-da"].tolist() == [90]
    server.answer = lambda body: (
        '<think>Critical:\naccuracy - "Katze"</think>\nCritical:\nno-error\nMajor:\nno-error\nMinor:\nno-error'
    )
    assert judged(server, "judge-mqm", rows=1).segments["judge-mqm"].tolist() == [0]
    server.answer = lambda body: "I'm sorry, but I can't help with that."
    spec = "judge-da:insist=1,max_tokens=7"
    before = server.answered
    scores = judged(server, spec, rows=1).scores[spec]
    assert (
        math.isnan(scores.values[0]) and scores.flags["refused_answer"][0] and "unreadable_answer" not in scores.flags
    )
    assert server.answered - before == 2  # what is said in words may be said otherwise when it is warmer
