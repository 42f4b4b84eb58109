"""Chromium without a window, for tests of pages.

`make test-slow` installs Debian's package where it may (tools/browser.sh). Elsewhere the tests that
need a browser are skipped.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

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
