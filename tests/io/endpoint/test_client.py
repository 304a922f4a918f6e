"""Asking a server over real sockets: what it may answer, what is tried again, what stops, and what is spent."""

from __future__ import annotations

import json
import shutil
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from email.utils import formatdate

import pytest

from assay.core.errors import InputError
from assay.io.endpoint import settings as settings_module
from assay.io.endpoint.address import address_of
from assay.io.endpoint.budget import BudgetReached, LlmBudget, Prices, estimated_tokens
from assay.io.endpoint.chat import Later, read_reply
from assay.io.endpoint.client import LlmClient
from assay.io.endpoint.connection import MOST_BODY, Reply
from assay.io.endpoint.settings import AskingStopped, Llm, RateLimiter, backoff
from tests.chat_server import ChatServer, Handler, cut, cut_stream, hang_up, raw, slow, status

KEY = "sk-very-secret-0123456789"
QUESTION = {
    "model": "tiny",
    "messages": [{"role": "user", "content": "How good?"}],
    "temperature": 0.0,
    "max_tokens": 50,
}


def until_later(handler: Handler) -> bool:
    """Not before two hours from now, as a date."""
    return status(429, Retry_After=formatdate(time.time() + 7200, usegmt=True))(handler)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retries without the waiting; the key of these tests."""
    monkeypatch.setattr("assay.io.endpoint.client.backoff", lambda attempt: 0.001)
    monkeypatch.setenv("ASSAY_LLM_KEY", KEY)
    monkeypatch.setenv("NO_PROXY", "*")


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(lambda body: f"Score: {len(body['messages'][0]['content'])}", key=KEY) as running:
        yield running


def asker(server: ChatServer, **changes: object) -> LlmClient:
    settings = Llm(timeout=changes.pop("timeout", 5.0), **changes)  # type: ignore[arg-type]
    return LlmClient(address_of(server.url, "judge"), "tiny", settings, None)


@pytest.mark.parametrize("stream", [False, True])
def test_an_answer(server, stream):
    answer = asker(server, stream=stream).ask(QUESTION, 0)
    assert (answer.text, answer.finish, answer.model) == ("Score: 9", "stop", "tiny-2026-01-01")
    assert (answer.tokens_in, answer.tokens_out, answer.counted) == (100, 10, True)
    assert server.bodies[0].get("stream", False) is stream
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("stream", [False, True])
def test_one_line_for_many_questions(server, stream):
    ours = asker(server, stream=stream)
    for number in range(5):
        ours.ask(QUESTION, number)
    assert (server.lines, server.answered, len(server.bodies)) == (1, 5, 5)
    ours.close()


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    "fault",
    [
        status(429), status(500), status(503, Retry_After="0"), status(529, "overloaded"), hang_up, cut, cut_stream,
        raw(b'{"choices": [{"message": {"content": "Sc'), raw(b"nonsense"), raw(b"[]"), raw(b'{"choices": []}'), raw(b""),
        raw(b'data: {"choices": [{"delta"\n\n', "text/event-stream"), raw(b'data: {"error": {"message": "gone"}}\n\n'),
        raw(b"<html>bad gateway</html>", "text/html", 502),
    ],
)  # fmt: skip
def test_what_may_pass_is_tried_again(server, fault, stream):
    server.faults = [fault, fault]
    ours = asker(server, stream=stream)
    assert ours.ask(QUESTION, 0).text == "Score: 9"
    assert (ours.settings.budget.requests, server.answered) == (3, 1)


def test_no_reply_in_time_is_tried_again(server):
    server.faults = [slow(1.0)]
    assert asker(server, timeout=0.2).ask(QUESTION, 0).text == "Score: 9"


def test_in_the_end_it_stops(server):
    server.always = status(500, {"message": "the model fell over"})
    with pytest.raises(InputError, match=r"answered 500: the model fell over, in each of 3 attempts"):
        asker(server, retries=2).ask(QUESTION, 0)
    assert len(server.bodies) == 3


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (status(404, {"message": "The model `tiny` does not exist"}), "has no model 'tiny'.*does not exist"),
        (status(400, {"message": "temperature is not allowed"}), r"cannot answer \(400\): temperature is not allowed"),
        (status(402), "no credit left"),
        (status(429, {"message": "You exceeded your quota", "code": "insufficient_quota"}), "no credit left"),
        (status(429, Retry_After="7200"), "requests a delay of 120 minutes"),
        (until_later, "requests a delay of 1(19|20) minutes"),
        (raw(b"<!doctype html><h1>Hello</h1>", "text/html"), "returned a web page"),
        (raw(b"", code=302, Location="https://evil.example.org/v1"), "redirects to 'https://evil.example.org/v1'"),
        (raw(b"[" + b" " * MOST_BODY + b"]"), "more than 4 MB"),
    ],
)
def test_what_cannot_pass_is_said_at_once(server, fault, said):
    server.always = fault
    with pytest.raises(InputError, match=said) as caught:
        asker(server).ask(QUESTION, 0)
    assert len(server.bodies) == 1
    assert "\n" not in str(caught.value)


def test_a_wrong_key_is_told_by_its_name_and_never_repeated(server, monkeypatch):
    monkeypatch.setenv("ASSAY_LLM_KEY", "sk-wrong-key-99")
    with pytest.raises(InputError, match=r"rejects the key in ASSAY_LLM_KEY \(401\): Incorrect") as caught:
        asker(server).ask(QUESTION, 0)
    assert "sk-wrong" not in str(caught.value)
    monkeypatch.delenv("ASSAY_LLM_KEY")
    with pytest.raises(InputError, match=r"requires a key \(401\)\. Set ASSAY_LLM_KEY"):
        asker(server).ask(QUESTION, 0)


def test_an_endpoint_that_is_down_is_not_tried_again():
    with ChatServer(lambda body: "") as gone:
        pass
    started = time.monotonic()
    with pytest.raises(InputError, match=r"cannot be reached: Connection refused. Is the server running\?"):
        asker(gone).ask(QUESTION, 0)
    assert time.monotonic() - started < 2


@pytest.mark.parametrize(
    ("said", "finish"),
    [
        ({"refusal": "I cannot help with that."}, "refused"),
        ({"content": "", "finish": "content_filter"}, "refused"),
        ({"content": "Major:\nacc", "finish": "length"}, "length"),
        ({"content": [{"type": "text", "text": "Score: 9"}]}, "stop"),
    ],
)
def test_how_answers_end(server, said, finish):
    server.answer = lambda body: dict(said)
    answer = asker(server).ask(QUESTION, 0)
    assert answer.finish == finish
    assert answer.text == {"refused": said.get("refusal", ""), "length": "Major:\nacc", "stop": "Score: 9"}[finish]


def test_filters_and_lengths_that_come_as_errors(server):
    server.faults = [
        status(400, {"message": "filtered", "code": "content_filter"}),
        status(400, {"message": "8192 tokens at most", "code": "context_length_exceeded"}),
    ]
    ours = asker(server)
    assert [ours.ask(QUESTION, number).finish for number in range(2)] == ["refused", "too_long"]


def test_the_newer_name_of_the_limit(server):
    server.faults = [status(400, {"message": "Unsupported parameter: use 'max_completion_tokens' instead."})]
    ours = asker(server)
    assert ours.ask(QUESTION, 0).text == ours.ask(QUESTION, 1).text == "Score: 9"
    assert [("max_tokens" in b, "max_completion_tokens" in b) for b in server.bodies] == [
        (True, False), (False, True), (False, True),
    ]  # fmt: skip


def test_tokens_are_estimated_where_nobody_counts(server):
    server.usage = False
    ours = asker(server, price=(1e6, 1e6))
    ours.ask(QUESTION, 0)
    purse = ours.settings.budget
    assert purse.estimated and purse.tokens_out == estimated_tokens("Score: 9") == 3
    assert purse.summary().count("about") == 2


def test_proxies_are_those_of_the_environment(server, monkeypatch):
    """The server stands in for a proxy: it is asked for the whole address, of a host that does not exist."""
    monkeypatch.setenv("NO_PROXY", "")
    monkeypatch.setenv("no_proxy", "")
    monkeypatch.setenv("http_proxy", server.url.removesuffix("/v1").replace("http://", "http://me:pass@"))
    address = address_of("http://nowhere.invalid/v1", "judge")
    server.key = ""
    handler = server.server.RequestHandlerClass
    path = []
    original = handler.serve
    handler.serve = lambda self, body, fault: path.append(self.path) or self.reply(404, {"error": "no"})
    try:
        with pytest.raises(InputError, match="404"):
            LlmClient(address, "tiny", Llm(), None).ask(QUESTION, 0)
    finally:
        handler.serve = original
    assert path == ["http://nowhere.invalid/v1/chat/completions"]
    assert server.headers[0]["proxy-authorization"] == "Basic bWU6cGFzcw=="  # base64 of me:pass


def test_the_budget_of_requests_counts_every_try(server):
    server.faults = [status(500), status(500)]
    ours = asker(server, max_requests=4)
    assert [ours.ask(QUESTION, n).text for n in range(2)] == ["Score: 9"] * 2
    with pytest.raises(BudgetReached, match="the 4 requests of --max-requests have been sent"):
        ours.ask(QUESTION, 2)
    assert len(server.bodies) == 4


def test_the_purse_never_gives_more_than_it_has():
    """100 tokens in at 1, 10 out at 2 for a million: 0.00012 a request. Twenty threads, money for five."""
    purse = LlmBudget(Prices(1.0, 2.0), max_cost=0.00065)
    reached = []

    def spend() -> None:
        from assay.io.endpoint.chat import ChatAnswer

        try:
            aside = purse.reserve(100, 100)
        except BudgetReached:
            reached.append(1)
            return
        time.sleep(0.002)
        purse.settle(aside, ChatAnswer("x", tokens_in=100, tokens_out=10))

    threads = [threading.Thread(target=spend) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    # A request that might cost 0.0003 is not begun once more than 0.00035 are spent: after the third.
    assert purse.cost == pytest.approx(3 * 0.00012)
    assert (purse.requests, len(reached)) == (3, 17)


def test_a_budget_needs_prices():
    with pytest.raises(InputError, match=r"--max-cost requires prices. Add --price IN,OUT"):
        Llm(max_cost=1.0)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"rpm": 0}, "rpm must be above 0"),
        ({"concurrency": 0}, "concurrency must be at least 1"),
        ({"price": (1, -1)}, "two non-negative numbers"),
    ],
)
def test_settings_that_cannot_be_meant(wrong, said):
    with pytest.raises(InputError, match=said):
        Llm(**wrong)


def test_the_pace_is_kept_and_a_rest_is_for_all(monkeypatch):
    """600 a minute are 0.1 s apart: the fourth comes after 0.3 s."""
    pace, stop = RateLimiter(600), threading.Event()
    started = time.monotonic()
    for _ in range(4):
        pace.wait(stop)
    assert 0.28 <= time.monotonic() - started < 1
    pace.rest(0.2)
    started = time.monotonic()
    pace.wait(stop)
    assert time.monotonic() - started >= 0.19
    stop.set()
    with pytest.raises(AskingStopped):
        pace.wait(stop)


def test_waits_grow_to_a_minute_and_differ():
    waits = [[backoff(attempt) for _ in range(50)] for attempt in range(10)]
    for attempt, found in enumerate(waits):
        most = min(60, 2**attempt)
        assert all(most / 4 <= wait <= most for wait in found)
        assert len(set(found)) > 40
    assert settings_module.LONGEST_WAIT == 300


def test_records_keep_all():
    from assay.io.endpoint.chat import ChatAnswer

    answer = ChatAnswer("ü \ud83d", "length", "m", 3, 4, False)
    assert ChatAnswer.of_record(answer.record()) == answer
    assert json.loads(answer.record().decode("utf-8", "surrogatepass"))[0] == "ü \ud83d"


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")
def test_a_certificate_that_nobody_vouches_for(server, tmp_path, monkeypatch):
    """Nothing is sent to a server that cannot show who it is; one whose certificate the user trusts is asked."""
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"]
    names = ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", "key.pem", "-out", "cert.pem"]
    subprocess.run([*made, *names], cwd=tmp_path, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
    server.server.socket = context.wrap_socket(server.server.socket, server_side=True)
    server.server.handle_error = lambda *_: None
    secure = server.url.replace("http://", "https://")

    def ask() -> str:
        return LlmClient(address_of(secure, "judge"), "tiny", Llm(timeout=5), None).ask(QUESTION, 0).text

    with pytest.raises(InputError, match=r"the certificate of 127\.0\.0\.1:\d+ is not trusted: self.signed"):
        ask()
    assert server.bodies == []
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert.pem"))
    assert ask() == "Score: 9"


@pytest.mark.parametrize(
    "choices", ["5", '["x"]', '[{"delta": [1]}]', '[{"delta": 5}]', "{}", '[null, {"delta": {"content": 5}}]']
)
def test_events_of_any_shape_are_no_answer(choices: str) -> None:
    body = f'data: {{"choices": {choices}}}\n\ndata: [DONE]\n\n'.encode()
    reply = Reply(200, {"content-type": "text/event-stream"}, body)
    assert read_reply(reply, address_of("http://127.0.0.1:1/v1", "judge"), "tiny").text == ""


@pytest.mark.parametrize(
    "when", ["Fri, 31 Dec 99999999999 23:59:59 GMT", "nan", "inf", "1e999", "-5", "x", "9" * 500], ids=repr
)
def test_a_wait_of_any_shape(when: str) -> None:
    with pytest.raises(Later) as found:
        read_reply(Reply(429, {"retry-after": when}, b"{}"), address_of("http://127.0.0.1:1/v1", "judge"), "tiny")
    assert found.value.wait in (None, 0.0)


@pytest.mark.parametrize("tokens", [10**400, -1, True, 1.5, "7", None], ids=lambda value: str(value)[:9])
def test_a_count_of_tokens_that_cannot_be_is_estimated(tokens: object) -> None:
    usage = {"prompt_tokens": tokens, "completion_tokens": 3}
    body = json.dumps({"choices": [{"message": {"content": "no-error"}}], "usage": usage}).encode()
    answer = read_reply(
        Reply(200, {"content-type": "application/json"}, body), address_of("http://127.0.0.1:1/v1", "judge"), "tiny"
    )
    assert not answer.counted and answer.tokens_in == 0
    purse = LlmBudget(Prices(1.0, 1.0), 1.0)
    purse.settle(purse.reserve(10, 10), answer, "How good?")
    assert 0 < purse.cost < 1
