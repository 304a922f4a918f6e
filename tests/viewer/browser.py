"""A real Chromium, driven through chromedriver by WebDriver's own words: HTTP and JSON, and no package for it."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

MISSING = "Chromium is not here: apt-get install chromium chromium-driver"
FLAGS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars",
]  # fmt: skip
AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
needs_axe = pytest.mark.skipif(not AXE.exists(), reason="no axe-core here: cd web && npm ci")
_DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))
_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
ENTER, ESCAPE, TAB = "\ue007", "\ue00c", "\ue004"


class Browser:
    """One Chromium with a profile of its own."""

    def __init__(self, folder: Path) -> None:
        driver, browser = shutil.which("chromedriver"), shutil.which("chromium") or shutil.which("chromium-browser")
        if driver is None or browser is None:
            pytest.skip(MISSING)
        self.downloads = folder / "downloads"
        self.downloads.mkdir(parents=True)
        self._process = subprocess.Popen(
            [driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert self._process.stdout is not None
        port = 0
        for line in self._process.stdout:
            if "successfully on port " in line:
                port = int(line.rpartition("on port ")[2].strip(". \n"))
                break
        self._base = f"http://127.0.0.1:{port}"
        options = {
            "binary": browser,
            "args": [*FLAGS, f"--user-data-dir={folder / 'profile'}"],
            "prefs": {
                "download.default_directory": str(self.downloads),
                "profile.default_content_setting_values.automatic_downloads": 1,
            },
        }
        wanted = {
            "capabilities": {"alwaysMatch": {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}}
        }
        self._base += f"/session/{self._ask('POST', '/session', wanted)['sessionId']}"

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        data = None if method in ("GET", "DELETE") else json.dumps(body or {}).encode()
        asked = urllib.request.Request(self._base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with _DIRECT.open(asked, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(json.load(error)["value"]["message"]) from error

    def close(self) -> None:
        """End the browser, then its driver."""
        try:
            self._ask("DELETE", "")
        finally:
            self._process.terminate()
            self._process.wait(10)

    def open(self, url: str) -> None:
        """Go there; an address that differs behind # alone is loaded anew."""
        self._ask("POST", "/url", {"url": "about:blank"})
        self._ask("POST", "/url", {"url": url})

    @property
    def url(self) -> str:
        """The address."""
        return str(self._ask("GET", "/url"))

    def run(self, script: str, *args: Any) -> Any:
        """What a script returns."""
        return self._ask("POST", "/execute/sync", {"script": script, "args": list(args)})

    def texts(self, css: str) -> list[str]:
        """The texts of all elements that a selector finds."""
        return list(
            self.run("return [...document.querySelectorAll(arguments[0])].map((one) => one.innerText ?? '')", css)
        )

    def text(self, css: str) -> str:
        """The text of the first."""
        return (self.texts(css) or [""])[0]

    def _find(self, css: str) -> str:
        until(lambda: self.texts(css))
        return str(self._ask("POST", "/element", {"using": "css selector", "value": css})[_ELEMENT])

    def click(self, css: str) -> None:
        """Click the first element."""
        self._ask("POST", f"/element/{self._find(css)}/click")

    def choose(self, css: str, text: str) -> None:
        """Click the element with this text, as soon as it can be seen."""
        script = (
            "const found = [...document.querySelectorAll(arguments[0])].find((one) => one.innerText.startsWith(arguments[1]));"
            "found?.click(); return !!found"
        )
        until(lambda: self.run(script, css, text))

    def type(self, css: str, keys: str, *, clear: bool = True) -> None:
        """Write into a field."""
        element = self._find(css)
        if clear:
            self._ask("POST", f"/element/{element}/clear")
        self._ask("POST", f"/element/{element}/value", {"text": keys})

    def press(self, keys: str) -> None:
        """Keys, wherever the focus is."""
        strokes = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self._ask("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": strokes}]})

    def chord(self, held: Sequence[str], key: str) -> None:
        """A key while others are held down."""
        down = [{"type": "keyDown", "value": one} for one in (*held, key)]
        up = [{"type": "keyUp", "value": one} for one in (key, *reversed(held))]
        self._ask("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": [*down, *up]}]})

    def select(self, css: str, first: str, last: str) -> None:
        """Drag with the mouse from the beginning of one text in an element to the end of another."""
        box = self.run(
            "const root = document.querySelector(arguments[0]); root.scrollIntoView({block: 'center'});"
            "const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT); const found = [];"
            "for (let node; (node = walk.nextNode());) {"
            "  const at = node.data.lastIndexOf(arguments[found.length + 1]);"
            "  if (found.length < 2 && at >= 0) {"
            "    const range = document.createRange();"
            "    range.setStart(node, at); range.setEnd(node, at + arguments[found.length + 1].length);"
            "    const b = range.getBoundingClientRect();"
            "    found.push(found.length ? [b.right, b.top + b.height / 2] : [b.left, b.top + b.height / 2]);"
            "  }"
            "} return found.flat()",
            css, first, last,
        )  # fmt: skip
        x0, y0, x1, y1 = (round(place) for place in box)
        steps = [
            {"type": "pointerMove", "x": x0, "y": y0, "duration": 0}, {"type": "pointerDown", "button": 0},
            {"type": "pointerMove", "x": x1, "y": y1, "duration": 100}, {"type": "pointerUp", "button": 0},
        ]  # fmt: skip
        self._ask("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": steps}]})

    def drag(self, css: str, start: tuple[float, float], end: tuple[float, float]) -> None:
        """From one place of an element to another, given as shares of its width and height."""
        self.run("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", css)
        box = self.run(
            "const b = document.querySelector(arguments[0]).getBoundingClientRect(); return [b.x, b.y, b.width, b.height]",
            css,
        )
        (x0, y0), (x1, y1) = (
            (int(box[0] + share[0] * box[2]), int(box[1] + share[1] * box[3])) for share in (start, end)
        )
        steps = [
            {"type": "pointerMove", "x": x0, "y": y0, "duration": 0}, {"type": "pointerDown", "button": 0},
            {"type": "pointerMove", "x": x1, "y": y1, "duration": 100}, {"type": "pointerUp", "button": 0},
        ]  # fmt: skip
        self._ask("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": steps}]})

    def size(self, width: int, height: int) -> None:
        """The size of the page."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self._cdp("Emulation.setDeviceMetricsOverride", metrics)

    def scheme(self, name: str) -> None:
        """light or dark, as the system says it."""
        self._cdp("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": name}]})

    def _cdp(self, command: str, parameters: Any) -> None:
        self._ask("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def picture(self, path: Path) -> None:
        """What is seen, as a PNG."""
        path.write_bytes(base64.b64decode(self._ask("GET", "/screenshot")))

    def faults(self) -> list[str]:
        """What axe-core calls moderate, serious or critical on the page as it is."""
        if not self.run("return 'axe' in window"):
            self.run(AXE.read_text())
        return list(
            self.run(
                "return axe.run({resultTypes: ['violations']}).then((said) => said.violations"
                ".filter((one) => one.impact !== 'minor').map((one) => `${one.impact} ${one.id}: ${one.nodes[0].html}`))"
            )
        )

    def sound(self, what: str) -> None:
        """Hold the screen that is open to axe, in light, in dark and on a phone, where nothing may be wider than it is. A test that
        is about nothing else is marked `needs_axe`."""
        try:
            for scheme, width in (("light", 1280), ("dark", 1280), ("dark", 390)):
                self.scheme(scheme)
                self.size(width, 800)
                assert not AXE.exists() or self.faults() == [], (what, scheme, width)
            assert self.run("return document.documentElement.scrollWidth") <= 390, what
        finally:
            self.scheme("light")
            self.size(1280, 800)

    def complaints(self) -> list[str]:
        """What the page's console got since it was last asked: errors, and what the policy refused. An expression that the server
        refuses, as it must, is none, nor is a page that looks for news of a server which a test has ended."""
        found = self._ask("POST", "/se/log", {"type": "browser"})
        severe = [entry["message"] for entry in found if entry["level"] == "SEVERE"]
        ended = ("/api/live", "ERR_CONNECTION_")
        return [m for m in severe if "status of 400" not in m and not all(part in m for part in ended)]


def until(holds: Callable[[], Any], seconds: float = 40) -> Any:
    """Wait until something is so; what it gave."""
    end = time.monotonic() + seconds
    while True:
        found = holds()
        if found or time.monotonic() > end:
            assert found
            return found
        time.sleep(0.02)


def whole(path: Path) -> bool:
    """Whether a file was downloaded: it has its name before it has anything in it."""
    return path.exists() and path.stat().st_size > 0
