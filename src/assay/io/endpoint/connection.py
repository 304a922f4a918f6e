"""Persistent HTTP connection to one server, with certificate checks, size and time limits, and no redirects.

The standard library suffices for a POST through a proxy (docs/decisions/0015-judges.md). Proxies come from the environment
(``HTTPS_PROXY``, ``NO_PROXY``).
"""

from __future__ import annotations

import base64
import http.client
import time
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from assay.io.endpoint.address import Address

MOST_BODY = 1 << 22
"""Bytes of a reply. An answer has thousands; a server that sends millions is not an endpoint."""
_BLOCK = 1 << 16


class Broken(OSError):
    """The connection broke before the reply was complete."""


class TooMuch(OSError):
    """The reply exceeds the size limit."""


@dataclass(frozen=True, slots=True)
class Reply:
    """HTTP reply of a server."""

    status: int
    headers: Mapping[str, str]
    """Values by lower-case name."""
    body: bytes


class Connection:
    """Connection to the server of `address`, for one thread at a time."""

    def __init__(self, address: Address, timeout: float) -> None:
        self.address, self.timeout = address, timeout
        self._line: http.client.HTTPConnection | None = None
        self._proxied = False
        self._introduction: dict[str, str] = {}
        """Headers for a proxy that requires a login."""

    def post(self, body: bytes) -> Reply:
        """Send a request and read the whole reply; raise OSError or HTTPException if the connection fails."""
        try:
            return self._post(body)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        if self._line is not None:
            self._line.close()
            self._line = None

    def _post(self, body: bytes) -> Reply:
        line = self._line = self._line or self._open()
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        headers |= {"User-Agent": "mt-assay"}
        if self.address.key:
            headers["Authorization"] = f"Bearer {self.address.key}"
            headers["api-key"] = self.address.key
        target = self.address.path
        if self._proxied and self.address.scheme == "http":
            target = f"http://{self.address.server}{target}"
            headers |= self._introduction
        line.request("POST", target, body, headers)
        response = line.getresponse()
        reply = Reply(response.status, {k.lower(): v for k, v in response.getheaders()}, self._read(response))
        response.close()  # the connection can be reused only if the whole body was read
        if response.will_close:
            self.close()
        return reply

    def _read(self, response: http.client.HTTPResponse) -> bytes:
        """Read the body; abandon a slow server after ten times the timeout."""
        parts, size, end = [], 0, time.monotonic() + 10 * self.timeout
        while block := response.read1(_BLOCK):
            parts.append(block)
            size += len(block)
            if size > MOST_BODY:
                raise TooMuch(f"the reply has more than {MOST_BODY >> 20} MB")
            if time.monotonic() > end:
                raise TimeoutError("the reply was too slow")
        if response.length:
            raise Broken(f"the reply is incomplete: {response.length:,} bytes are missing")
        return b"".join(parts)

    def _open(self) -> http.client.HTTPConnection:
        import ssl

        address = self.address
        host, port = address.host, address.port
        self._proxied, self._introduction = False, {}
        proxy = urllib.request.getproxies().get(address.scheme)
        if proxy and not urllib.request.proxy_bypass(address.host):
            parts = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
            host, port, self._proxied = parts.hostname or host, parts.port or 3128, True
            if parts.username is not None:
                login = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
                self._introduction = {"Proxy-Authorization": f"Basic {base64.b64encode(login).decode()}"}
        if address.scheme == "http":
            return http.client.HTTPConnection(host, port, timeout=self.timeout)
        line = http.client.HTTPSConnection(host, port, timeout=self.timeout, context=ssl.create_default_context())
        if self._proxied:
            line.set_tunnel(address.host, address.port, self._introduction)
        return line
