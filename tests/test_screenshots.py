"""Pages, diagrams and plots in a real browser: Chromium without a window, if it is installed.

The pictures stay in out/screenshots, to be looked at. The tests hold that what should be in them is
drawn: enough of the area has the right colours, in light and in dark.
"""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from PIL import Image

import spark_match_recognize as mr

ROOT = Path(__file__).resolve().parent.parent
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("chrome")
SHOTS = ROOT / "out/screenshots"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(BROWSER is None, reason="no Chromium"),
]
Colour = tuple[int, int, int]


def shot(page: Path, name: str, *, is_dark: bool = False, height: int = 1000) -> Counter[Colour]:
    """Draw a page, and return how many pixels have which colour."""
    SHOTS.mkdir(parents=True, exist_ok=True)
    picture = SHOTS / f"{name}.png"
    picture.unlink(missing_ok=True)
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    options += ["--blink-settings=preferredColorScheme=0"] if is_dark else []
    options += [f"--window-size=1300,{height}", f"--screenshot={picture}"]
    subprocess.run(
        [str(BROWSER), *options, page.as_uri()],
        check=True,
        capture_output=True,
        timeout=120,
    )
    image = Image.open(picture).convert("RGB")
    assert image.size == (1300, height)
    return Counter(image.get_flattened_data())


@pytest.fixture(scope="module")
def site() -> Path:
    subprocess.run(["make", "-C", str(ROOT), "docs"], check=True)  # noqa: S607 - as a user does
    return ROOT / "out/site"


def has(found: Counter[Colour], colour: str, pixels: int) -> bool:
    """Return whether a colour, such as `#dbe9fb`, has at least so many pixels."""
    wanted = tuple(bytes.fromhex(colour[1:]))
    near = (
        n for c, n in found.items() if max(abs(a - b) for a, b in zip(c, wanted, strict=True)) <= 2
    )
    return sum(near) >= pixels


def test_start_page(site: Path) -> None:
    light = shot(site / "index.html", "start")
    assert has(light, "#ff7f0e", 30)  # DOWN in the plot
    assert has(light, "#d9d9d9", 2000)  # the span of a match
    assert has(light, "#a8480c", 30)  # variables in the query
    dark = shot(site / "index.html", "start-dark", is_dark=True)
    assert has(dark, "#f0a868", 30)
    assert sum(n for c, n in dark.items() if max(c) < 70) > 400_000


def test_gallery(site: Path) -> None:
    found = shot(site / "gallery.html", "gallery", height=2600)
    assert has(found, "#dbe9fb", 5000)  # boxes of diagrams
    assert has(found, "#2ca02c", 50)  # UP in the plots


def test_diagram_alone(tmp_path: Path) -> None:
    page = tmp_path / "diagram.svg"
    mr.diagram("STRT (DOWN | FLAT)+ {- UP{2,}? -} $").save(page)
    assert has(shot(page, "diagram"), "#dbe9fb", 2000)
    assert has(shot(page, "diagram-dark", is_dark=True), "#24405f", 2000)


def test_plot_of_the_tutorial(site: Path) -> None:
    found = shot(site / "tutorial/images/absence-middle.svg", "plot")
    assert has(found, "#1f77b4", 30)
    assert has(found, "#ff7f0e", 30)
