"""Endpoint address and the API key that is sent to it.

The key is read from the environment only. ``ASSAY_LLM_KEY`` is sent to any endpoint that the user names. ``OPENAI_API_KEY`` may
be set for other programs, so it is sent only to the server of ``OPENAI_BASE_URL``, or to OpenAI.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from urllib.parse import SplitResult, urlsplit

from assay.core.errors import InputError, MissingPart

OPENAI = "https://api.openai.com/v1"
_LOCAL = ("localhost", "127.0.0.1", "::1")
_SECRET = re.compile(r"key|token|secret|password|sig", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Address:
    """Endpoint address with its API key, which no string produced by this class reveals."""

    scheme: str
    host: str
    port: int
    path: str
    """The path of requests, with the query."""
    key: str = field(default="", repr=False)
    key_name: str = ""
    """The environment variable of the key."""

    def __str__(self) -> str:
        return f"{self.scheme}://{self.server}{self.path}"

    @property
    def server(self) -> str:
        """Return host and port for messages."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    def hidden(self, text: str) -> str:
        """Remove the key from a server's text, in case the server echoes it."""
        return text.replace(self.key, "[the key]") if self.key else text


_PORTS = {"https": 443, "http": 80}


def address_of(url: str, judge: str) -> Address:
    """Return the address of an endpoint from a URL such as ``http://localhost:8000/v1``; reject an unusable one."""
    url = url or os.environ.get("ASSAY_LLM_ENDPOINT", "") or os.environ.get("OPENAI_BASE_URL", "")
    if not url:
        raise MissingPart(
            f"{judge} requires an OpenAI-compatible endpoint (--endpoint URL, {judge}:endpoint=URL or $ASSAY_LLM_ENDPOINT) and "
            "a model (--llm NAME). See docs/judges.md."
        )
    parts = _split(url)
    path = parts.path.rstrip("/")
    if not path.endswith("/chat/completions"):
        path += "/chat/completions"
    path += f"?{parts.query}" if parts.query else ""
    host = str(parts.hostname)
    key, name = _key(parts)
    return Address(parts.scheme, host, parts.port or _PORTS[parts.scheme], path, key, name)


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url if "://" in url else f"//{url}", "https")
        if "://" not in url and parts.hostname in _LOCAL:
            parts = parts._replace(scheme="http")
        fine = parts.scheme in _PORTS and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        fine = False
    if not fine or not url.isprintable() or " " in url:
        raise InputError(
            "the endpoint is not a valid URL. Use one such as https://api.openai.com/v1 or http://localhost:8000/v1."
        )
    if parts.username is not None or parts.password is not None or _SECRET.search(parts.query):
        raise InputError(
            f"the URL of the endpoint {parts.hostname} contains a key, which would be saved with the results. Set "
            "ASSAY_LLM_KEY instead."
        )
    return parts


def _key(parts: SplitResult) -> tuple[str, str]:
    """Return the key for a server and the variable that holds it. OpenAI's key is returned only for its own server."""
    for name in ("ASSAY_LLM_KEY", "OPENAI_API_KEY"):
        key = os.environ.get(name, "").strip()
        if not key or (name == "OPENAI_API_KEY" and not _is_home_server(parts)):
            continue
        if not key.isascii() or not key.isprintable() or " " in key:
            raise InputError(f"{name} is not a valid key: it contains spaces or non-ASCII characters. Set it again.")
        if parts.scheme == "http" and name == "OPENAI_API_KEY" and parts.hostname not in _LOCAL:
            raise InputError(
                f"{name} would be sent to {parts.hostname} unencrypted. Use https, or set ASSAY_LLM_KEY for that "
                "server."
            )
        return key, name
    if parts.hostname == urlsplit(OPENAI).hostname:
        raise MissingPart(f"{parts.hostname} requires a key. Set ASSAY_LLM_KEY or OPENAI_API_KEY in the environment.")
    return "", ""


def _is_home_server(parts: SplitResult) -> bool:
    own = urlsplit(os.environ.get("OPENAI_BASE_URL") or OPENAI)
    return (own.scheme, own.hostname, own.port) == (parts.scheme, parts.hostname, parts.port)
