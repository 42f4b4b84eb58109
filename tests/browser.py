"""Chromium without a window, for tests of pages.

`make test` installs Debian's package where it may (tools/browser.sh). Elsewhere the tests that need
a browser are skipped, and `.ci/run` counts each skip that its list does not name as a failure.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
BROWSER = next(filter(None, map(shutil.which, NAMES)), None)
needs_browser = pytest.mark.skipif(BROWSER is None, reason="no Chromium (apt-get install chromium)")
# The browser is to load the page and nothing else: without these it looks up its maker's hosts.
OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
)
DARK = "--blink-settings=preferredColorScheme=0"


def browse(page: Path, profile: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Open a page with a profile of its own and return what the browser printed.

    Raises:
        subprocess.CalledProcessError: If the browser fails.
        subprocess.TimeoutExpired: If it does not end within two minutes.
    """
    command = [str(BROWSER), *OPTIONS, f"--user-data-dir={profile}", *options, page.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)


class Keyboard:
    """A page in a browser, used by keys."""

    def __init__(self, to_browser: int, from_browser: int) -> None:
        """Talk to a browser that was started with --remote-debugging-pipe."""
        self.to_browser, self.from_browser = to_browser, from_browser
        self.number = 0
        self.session: str | None = None
        self.rest = b""

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command of Chromium's protocol and return its result."""
        self.number += 1
        message: dict[str, Any] = {"id": self.number, "method": method, "params": params}
        if self.session is not None:
            message["sessionId"] = self.session
        os.write(self.to_browser, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.rest:
                read = os.read(self.from_browser, 1 << 20)
                if not read:
                    raise EOFError(method)
                self.rest += read
            text, _, self.rest = self.rest.partition(b"\0")
            answer = json.loads(text)
            if answer.get("id") == self.number:
                return dict(answer["result"])

    def press(self, key: str, code: int) -> None:
        """Press a key and let it go, as `press("Tab", 9)`."""
        text = {"text": "\r"} if key == "Enter" else {}
        for kind in "keyDown" if text else "rawKeyDown", "keyUp":
            self.ask(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=key,
                windowsVirtualKeyCode=code,
                **(text if kind == "keyDown" else {}),
            )

    def value(self, script: str) -> Any:
        """Return the value of an expression in the page."""
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True)
        return answer["result"].get("value")


@contextmanager
def keyboard(page: Path, profile: Path) -> Iterator[Keyboard]:
    """Open a page to use it by keys."""
    in_read, in_write = os.pipe()
    out_read, out_write = os.pipe()
    command = [str(BROWSER), *OPTIONS, f"--user-data-dir={profile}", "--remote-debugging-pipe"]
    shell = f'exec "$@" 3<&{in_read} 4>&{out_write}'
    with subprocess.Popen(
        ["bash", "-c", shell, "bash", *command],  # noqa: S607 - any; sh knows fewer descriptors
        pass_fds=(in_read, out_write),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            os.close(in_read)
            os.close(out_write)
            keys = Keyboard(in_write, out_read)
            target = keys.ask("Target.createTarget", url=page.as_uri())["targetId"]
            attached = keys.ask("Target.attachToTarget", targetId=target, flatten=True)
            keys.session = attached["sessionId"]
            keys.ask("Emulation.setFocusEmulationEnabled", enabled=True)
            # a target begins with an empty page, which is complete, too
            ready = "location.protocol + document.readyState"
            while keys.value(ready) != "file:complete":
                time.sleep(0.05)
            yield keys
        finally:
            process.kill()
            os.close(in_write)
            os.close(out_read)
