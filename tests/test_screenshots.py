"""Pages, diagrams and plots in a real browser: Chromium without a window, if it is installed.

The pictures stay in out/screenshots, to be looked at. The tests hold that what should be in them is
drawn: enough of the area has the right colours, in light and in dark.
"""

from __future__ import annotations

import subprocess
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from browser import DARK, browse, needs_browser
from PIL import Image
from pyspark.sql import SparkSession

import spark_match_recognize as mr

ROOT = Path(__file__).resolve().parent.parent
SHOTS = ROOT / "out/screenshots"
TICKS = """
    SELECT * FROM VALUES ('A', 1, 50), ('A', 2, 45), ('A', 3, 40), ('A', 4, 44), ('A', 5, 47)
    AS ticks(symbol, ts, price)
"""
QUERY = """\
SELECT * FROM ticks MATCH_RECOGNIZE (
  PARTITION BY symbol ORDER BY ts
  MEASURES FIRST(ts) AS first_ts, LAST(ts) AS last_ts
  PATTERN (STRT DOWN+ UP+)
  DEFINE DOWN AS price < PREV(price), UP AS price > PREV(price)
)
"""

pytestmark = [pytest.mark.slow, needs_browser]
Colour = tuple[int, int, int]


def shot(page: Path, name: str, *, is_dark: bool = False, height: int = 1000) -> Counter[Colour]:
    """Draw a page, and return how many pixels have which colour."""
    SHOTS.mkdir(parents=True, exist_ok=True)
    picture = SHOTS / f"{name}.png"
    picture.unlink(missing_ok=True)
    options = ["--hide-scrollbars", f"--window-size=1300,{height}", f"--screenshot={picture}"]
    with TemporaryDirectory() as profile:
        browse(page, Path(profile), *options, *([DARK] if is_dark else []))
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


def test_report(spark: SparkSession, tmp_path: Path) -> None:
    session = spark.newSession()
    session.sql(TICKS).createOrReplaceTempView("ticks")
    page = tmp_path / "report.html"
    mr.report(QUERY, title="Falls and recoveries", spark=session).save(page)
    assert has(shot(page, "report", height=1000), "#ff7f0e", 50)  # DOWN in the plot
    assert has(shot(page, "report-dark", is_dark=True), "#ff7f0e", 50)


def test_plot_on_a_dark_page(tmp_path: Path) -> None:
    picture = (ROOT / "docs/tutorial/images/shapes-v.svg").as_uri()
    page = tmp_path / "dark.html"
    page.write_text(f'<body style="background: #1e2129"><img src="{picture}"></body>')
    found = shot(page, "plot-dark")
    assert found.most_common(1)[0][0] == (0x1E, 0x21, 0x29)
    assert has(found, "#787878", 300)  # axes and text
    assert not has(found, "#ffffff", 100)
    assert not has(found, "#000000", 100)


def test_plot_of_the_tutorial(site: Path) -> None:
    found = shot(site / "tutorial/images/absence-middle.svg", "plot")
    assert has(found, "#1f77b4", 30)
    assert has(found, "#ff7f0e", 30)
