"""HTTP requests to untrusted download servers, with checks of their headers, redirects and speed."""

from __future__ import annotations

import http.client
import os
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from email.message import Message
from typing import IO, Any

TIMEOUT = 30.0
"""Seconds of silence after which a request fails."""
PATIENCE = 60.0
"""Seconds over which the average speed must be at least a thousand bytes per second."""
_BLOCK = 1 << 16
_REDIRECTS = 5
_HERE = ("localhost", "127.0.0.1", "::1")


def may_carry_secrets(address: str) -> bool:
    """Return whether a token may be sent to an address, because nobody can intercept it."""
    parts = urllib.parse.urlsplit(address)
    return parts.scheme == "https" or parts.hostname in _HERE


def offline() -> bool:
    """Return whether HF_HUB_OFFLINE forbids downloads."""
    return os.environ.get("HF_HUB_OFFLINE", "").strip().upper() in ("1", "ON", "YES", "TRUE")


def head(address: str, headers: Mapping[str, str]) -> tuple[int, Message]:
    """Return the status and headers of a file without downloading it; follow redirects only to the same server."""
    opener = urllib.request.build_opener(_NoRedirects)
    for _ in range(_REDIRECTS):
        request = _request(address, headers, method="HEAD")
        try:
            with opener.open(request, timeout=TIMEOUT) as response:
                return response.status, response.headers
        except urllib.error.HTTPError as error:
            if not 300 <= error.code < 400:
                raise
            onward = urllib.parse.urljoin(address, error.headers.get("Location", ""))
            if not _same_server(address, onward) or onward == address:
                return error.code, error.headers
            address = onward
    raise OSError("the server redirects in a loop")


def ask(address: str, headers: Mapping[str, str], start: int = 0) -> http.client.HTTPResponse:
    """Return the response to a request for a file, or for the rest after byte `start`; raise OSError if the server does not
    send it."""
    request = _request(address, headers)
    if start:
        request.add_header("Range", f"bytes={start}-")
    response: http.client.HTTPResponse = urllib.request.build_opener(_LoyalRedirects).open(request, timeout=TIMEOUT)
    if response.status not in (200, 206):
        response.close()
        raise OSError(f"the server answered {response.status} without the file")
    return response


def length(response: http.client.HTTPResponse) -> int | None:
    """Return the size in Content-Length; None if the header is missing."""
    announced = response.headers.get("Content-Length")
    if announced is not None and not re.fullmatch("[0-9]{1,18}", announced.strip()):
        raise OSError(f"the server says Content-Length: {announced[:40]}, which is not a number of bytes")
    return None if announced is None else int(announced)


def blocks(response: http.client.HTTPResponse) -> Iterator[bytes]:
    """Yield the received blocks; abandon a server that is too slow."""
    began, arrived = time.monotonic(), 0
    while block := response.read1(_BLOCK):
        yield block
        arrived += len(block)
        if time.monotonic() - began > PATIENCE:
            if arrived < 1000 * PATIENCE:
                raise OSError(f"the server sent {arrived:,} bytes in {PATIENCE:.0f} seconds, which is too slow")
            began, arrived = time.monotonic(), 0


def _request(address: str, headers: Mapping[str, str], method: str = "GET") -> urllib.request.Request:
    request = urllib.request.Request(address, method=method, headers={"User-Agent": "mt-assay"})
    for header, value in headers.items():
        if header != "Authorization" or may_carry_secrets(address):
            request.add_unredirected_header(header, value)
    return request


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """Turn every redirect into an error for the caller."""


class _LoyalRedirects(urllib.request.HTTPRedirectHandler):
    """Redirect handler that sends Authorization only to the same server and rejects redirects from HTTPS to HTTP."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        before, after = (urllib.parse.urlsplit(address).scheme for address in (req.full_url, newurl))
        if after not in ("https", before):
            raise OSError(f"the server redirects from {before} to {newurl}, which is not encrypted")
        onward = super().redirect_request(req, fp, code, msg, headers, newurl)
        if onward is not None and _same_server(req.full_url, newurl) and req.has_header("Authorization"):
            onward.add_unredirected_header("Authorization", str(req.get_header("Authorization")))
        return onward


def _same_server(one: str, other: str) -> bool:
    return urllib.parse.urlsplit(one)[:2] == urllib.parse.urlsplit(other)[:2]
