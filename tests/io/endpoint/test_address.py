"""Where questions go, and which key goes along."""

from __future__ import annotations

import pytest

from assay.core.errors import InputError, MissingPart
from assay.io.endpoint.address import address_of


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ASSAY_LLM_KEY", "ASSAY_LLM_ENDPOINT", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://localhost:8000/v1", "http://localhost:8000/v1/chat/completions"),
        ("http://localhost:8000/v1/", "http://localhost:8000/v1/chat/completions"),
        ("http://[::1]:8000/v1/chat/completions", "http://[::1]:8000/v1/chat/completions"),
        ("localhost:8000/v1", "http://localhost:8000/v1/chat/completions"),
        ("llm.example.org/v1", "https://llm.example.org/v1/chat/completions"),
        (
            "https://x.example.org/openai/deployments/a?api-version=2024-06-01",
            "https://x.example.org/openai/deployments/a/chat/completions?api-version=2024-06-01",
        ),
    ],
)
def test_addresses(url, said):
    assert str(address_of(url, "judge")) == said


@pytest.mark.parametrize("url", ["ftp://a.b/v1", "http://", "http://a b/v1", "http://a:99999/v1", "https://a\nb/v1"])
def test_no_addresses(url):
    with pytest.raises(InputError, match="not a valid URL"):
        address_of(url, "judge")


@pytest.mark.parametrize(
    "url", ["https://me:sk-123@a.b/v1", "https://a.b/v1?key=sk-123", "https://a.b/v1?x=1&access_token=sk-123"]
)
def test_a_key_in_the_address_is_refused_and_not_repeated(url):
    with pytest.raises(InputError, match="ASSAY_LLM_KEY") as caught:
        address_of(url, "judge")
    assert "sk-123" not in str(caught.value)


def test_without_an_endpoint_the_message_is_the_instruction():
    with pytest.raises(MissingPart, match=r"--endpoint URL, gemba-da:endpoint=URL or \$ASSAY_LLM_ENDPOINT"):
        address_of("", "gemba-da")


def test_our_key_goes_where_the_user_says(monkeypatch):
    monkeypatch.setenv("ASSAY_LLM_KEY", "secret-1")
    monkeypatch.setenv("OPENAI_API_KEY", "secret-2")
    address = address_of("http://gpu-node:8000/v1", "judge")
    assert (address.key, address.key_name) == ("secret-1", "ASSAY_LLM_KEY")
    assert "secret-1" not in repr(address) + str(address)


def test_the_key_of_openai_goes_to_openai_alone(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "secret-2")
    assert address_of("https://api.openai.com/v1", "judge").key == "secret-2"
    assert address_of("https://elsewhere.example.org/v1", "judge").key == ""
    monkeypatch.setenv("OPENAI_BASE_URL", "https://elsewhere.example.org/v1")
    assert address_of("https://elsewhere.example.org/v2", "judge").key == "secret-2"
    assert address_of("", "judge").host == "elsewhere.example.org"
    monkeypatch.setenv("OPENAI_BASE_URL", "http://elsewhere.example.org/v1")
    with pytest.raises(InputError, match="unencrypted"):
        address_of("", "judge")


def test_openai_without_a_key(monkeypatch):
    with pytest.raises(MissingPart, match="Set ASSAY_LLM_KEY or OPENAI_API_KEY"):
        address_of("https://api.openai.com/v1", "judge")


@pytest.mark.parametrize("key", ["two words", "schlüssel", "a\tb"])
def test_what_is_no_key_is_not_sent_and_not_repeated(monkeypatch, key):
    monkeypatch.setenv("ASSAY_LLM_KEY", key)
    with pytest.raises(InputError, match="is not a valid key") as caught:
        address_of("http://localhost/v1", "judge")
    assert key not in str(caught.value)
