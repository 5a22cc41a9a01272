"""A real headless Chromium, told what to do over a pipe (its DevTools protocol): no port is opened and nothing is installed for it.

`CHROMIUM` in the environment names the program; else it is looked for by its usual names. Debian's package `chromium` has one.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-default-apps", "--disable-extensions", "--mute-audio",
    "--disable-dev-shm-usage", "--remote-debugging-pipe",
)  # fmt: skip
PATIENCE = 60.0
"""How many seconds one command may take: a page that stalls for longer is broken."""


def program() -> str | None:
    """The browser that is here, if any."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


class Page:
    """One tab: what it is told, and what it said, asked for and complained of since."""

    def __init__(self, told: Any, heard: Any) -> None:
        self._told, self._heard = os.fdopen(told, "wb", buffering=0), heard
        self._buffer = b""
        self._number = 0
        self._session: str | None = None
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self._loaded = 0

    def attach(self) -> Page:
        """Open the tab, and hear of all that goes on in it."""
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")
        return self

    def send(self, method: str, **params: Any) -> Any:
        """Send a command and answer what came of it."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        self._told.write(json.dumps(message).encode() + b"\0")
        until = time.monotonic() + PATIENCE
        while True:
            heard = self._hear(until)
            if heard.get("id") == self._number:
                if "error" in heard:
                    raise RuntimeError(f"{method}: {heard['error']}")
                return heard["result"]

    def open(self, url: str) -> None:
        """Go to the address, and come back when the page is loaded."""
        before = self._loaded
        self.requests.clear()
        self.complaints.clear()
        self.send("Page.navigate", url=url)
        until = time.monotonic() + PATIENCE
        while self._loaded == before:
            self._hear(until)

    def js(self, code: str) -> Any:
        """What the expression comes to; a promise is waited for."""
        done = self.send(
            "Runtime.evaluate",
            expression=code,
            awaitPromise=True,
            returnByValue=True,
            allowUnsafeEvalBlockedByCSP=False,
        )
        if "exceptionDetails" in done:
            raise RuntimeError(done["exceptionDetails"].get("exception", {}).get("description", code))
        return done["result"].get("value")

    def until(self, condition: str) -> None:
        """Wait, frame by frame, for the condition to hold."""
        self.js(
            "new Promise((held, not) => { let frames = 0; const look = () => "
            f"({condition}) ? held() : ++frames > 600 ? not(new Error('never: ' + {json.dumps(condition)})) : requestAnimationFrame(look); look(); }})"
        )

    def key(self, key: str) -> None:
        """Press a key, as a person does."""
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        code = {"Enter": 13, "Escape": 27, "Tab": 9}.get(key, ord(key.upper()) if len(key) == 1 else 0)
        about = {"key": key, "windowsVirtualKeyCode": code}
        self.send("Input.dispatchKeyEvent", type="keyDown", text=text, **about)
        self.send("Input.dispatchKeyEvent", type="keyUp", **about)

    def type(self, text: str) -> None:
        """Type a text where the focus is."""
        self.send("Input.insertText", text=text)

    def size(self, width: int, height: int = 800, mobile: bool = False) -> None:
        """Make the window so wide and so high."""
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)

    def prefers(self, scheme: str) -> None:
        """Be a browser whose user likes it light or dark."""
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def picture(self, path: Path) -> None:
        """Keep what is on the screen."""
        path.write_bytes(base64.b64decode(self.send("Page.captureScreenshot")["data"]))

    def _hear(self, until: float) -> Any:
        while b"\0" not in self._buffer:
            left = until - time.monotonic()
            ready, _, _ = select.select([self._heard], [], [], max(0.0, left))
            if not ready:
                raise TimeoutError("the browser did not answer")
            read = os.read(self._heard, 1 << 20)
            if not read:
                raise EOFError("the browser has gone")
            self._buffer += read
        first, _, self._buffer = self._buffer.partition(b"\0")
        heard = json.loads(first)
        self._note(heard.get("method", ""), heard.get("params", {}))
        return heard

    def _note(self, method: str, about: Any) -> None:
        if method == "Network.requestWillBeSent":
            self.requests.append(about["request"]["url"])
        elif method == "Page.loadEventFired":
            self._loaded += 1
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(str(about["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled":
            self.complaints.append(f"{about['type']}: {about['args']}")
        elif method == "Log.entryAdded":
            self.complaints.append(f"{about['entry']['level']}: {about['entry']['text']}")
        elif method == "Page.javascriptDialogOpening":
            self.complaints.append(f"a dialog: {about['message']}")


# The browser reads what it is told from descriptor 3, and writes to 4.
_PIPED = """
import fcntl, os, sys
reads, writes = (fcntl.fcntl(int(number), fcntl.F_DUPFD, 10) for number in sys.argv[1:3])
os.dup2(reads, 3)
os.dup2(writes, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


@contextlib.contextmanager
def browsing(folder: Path) -> Iterator[Page]:
    """A page of a new browser, which keeps what it keeps in `folder`, and is ended afterwards."""
    found = program()
    assert found is not None
    child_reads, told = os.pipe()
    heard, child_writes = os.pipe()
    words = [found, *FLAGS, f"--user-data-dir={folder}", "about:blank"]
    process = subprocess.Popen(
        [sys.executable, "-c", _PIPED, str(child_reads), str(child_writes), *words], pass_fds=(child_reads, child_writes), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    os.close(child_reads)
    os.close(child_writes)
    page = Page(told, heard)
    try:
        yield page.attach()
    finally:
        with contextlib.suppress(OSError, RuntimeError, EOFError, TimeoutError):
            page._session = None
            page.send("Browser.close")
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, 9)
        process.wait()
        page._told.close()
        os.close(heard)
