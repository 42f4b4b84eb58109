"""The page of `report` in a browser without a screen: Debian's chromium."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

import browser
import pytest
from browser import DARK, needs_browser
from pyspark.sql import SparkSession

import spark_match_recognize as mr

pytestmark = needs_browser

MARKUP = "</script><script>document.title='run'</script><img src=x onerror=document.title='run'>"
TICKS = [
    ("A", 1, 50, "plain"),
    ("A", 2, 40, MARKUP),
    ("A", 3, 45, "plain"),
    ("A", 4, 44, None),
    ("A", 5, 46, "a & b"),
    ("A", 6, 47, "last"),
]
# Reads what a user sees, then filters, presses a variable and points at a row.
USE = """
<script>
window.addEventListener('load', () => {
  const section = document.querySelector('section.partition');
  const closed = [...document.querySelectorAll('details')].filter(each => !each.open).length;
  section.querySelectorAll('details').forEach(each => { each.open = true; });
  const rows = () => [...section.querySelectorAll('tbody.rows tr')].filter(
    row => getComputedStyle(row).display !== 'none').map(row => row.dataset.row);
  const colour = name => {
    const chip = [...section.querySelectorAll('.chip')].find(c => c.textContent.startsWith(name));
    return getComputedStyle(chip).color;
  };
  const seen = {
    title: document.title, all: rows(),
    colours: ['STRT', 'DOWN', 'UP'].map(colour),
    chips: [...section.querySelectorAll('.chip')].map(chip => chip.textContent),
    cell: section.querySelector('tr[data-row="2"]').lastElementChild.textContent,
    images: document.querySelectorAll('img').length,
    drawn: document.querySelectorAll('svg.railroad-diagram text').length,
    ground: getComputedStyle(document.body).backgroundColor,
    text: getComputedStyle(document.body).color,
    closed: closed,
    spans: [...section.querySelectorAll('svg.chart rect title')].map(each => each.textContent),
    dots: section.querySelectorAll('svg.chart circle').length,
    axis: [...section.querySelectorAll('svg.chart text')].map(each => each.textContent),
    failed: [...document.querySelectorAll('table.failures tbody tr')].map(
      row => [...row.children].map(cell => cell.textContent)),
    tabs: [...document.querySelectorAll('select, summary, input, button, [tabindex="0"]')].filter(
      each => each.tabIndex === 0 && each.checkVisibility()).map(each => each.localName),
    sideways: document.documentElement.scrollWidth - innerWidth,
    elements: document.querySelectorAll('*').length,
    opened: performance.now(),
  };
  const filter = section.querySelector('input');
  filter.value = '46';
  filter.dispatchEvent(new Event('input'));
  seen.filtered = rows();
  seen.count = section.querySelector('.shown').textContent;
  filter.value = '';
  filter.dispatchEvent(new Event('input'));
  const button = [...section.querySelectorAll('button')].find(b => b.textContent === 'DOWN');
  button.click();
  seen.pressed = rows();
  button.click();
  const pointed = section.querySelector('tr[data-row="2"]');
  pointed.dispatchEvent(new MouseEvent('mouseenter'));
  seen.pointed = section.querySelector('.detail').innerText;
  section.querySelector('tr[data-row="3"]').focus();
  seen.detail = section.querySelector('.detail').innerText;
  seen.lit = [...section.querySelectorAll('.lit')].map(lit => lit.tagName + lit.dataset.row);
  const choice = document.querySelector('select.partitions');
  const visible = () => [...document.querySelectorAll('section.partition')].filter(
    each => each.checkVisibility()).map(each => each.querySelector('h2').textContent);
  seen.partitions = [visible()];
  for (const value of choice ? ['1', 'all'] : []) {
    choice.value = value;
    choice.dispatchEvent(new Event('change'));
    seen.partitions.push(visible());
  }
  const out = document.createElement('pre');
  out.id = 'seen';
  out.textContent = JSON.stringify(seen);
  document.body.append(out);
});
</script>
"""


@pytest.fixture(scope="module")
def page(spark: SparkSession) -> str:
    ticks = spark.createDataFrame(TICKS, "symbol STRING, ts INT, price INT, note STRING")
    found = mr.match_recognize(
        ticks,
        partition_by="symbol",
        order_by="ts",
        measures={"n": "COUNT(*)"},
        pattern="STRT DOWN UP",
        define={"DOWN": "price < PREV(price)", "UP": "price > PREV(price)"},
    )
    return mr.report(found, title="Ticks").html


def browse(path: Path, *options: str) -> tuple[str, list[str]]:
    """Load a page and return its DOM and what the browser's console says."""
    logged = ("--dump-dom", "--enable-logging=stderr", *options)
    done = browser.browse(path, path.parent / "profile", *logged)
    return done.stdout, re.findall(r".*CONSOLE.*", done.stderr)


def use(page: str, folder: Path, *options: str) -> dict[str, Any]:
    """Use the page and return what was seen."""
    path = folder / "page.html"
    path.write_text(page.replace("</body>", f"{USE}</body>"), encoding="utf-8")
    dom, console = browse(path, *options)
    assert console == []
    seen = re.search(r'<pre id="seen">(.*?)</pre>', dom, re.DOTALL)
    assert seen is not None, dom[-2000:]
    return dict(json.loads(html.unescape(seen[1])))


def test_page_as_a_reader_uses_it(page: str, tmp_path: Path) -> None:
    seen = use(page, tmp_path)
    assert seen["title"] == "Ticks"
    assert seen["all"] == ["1", "2", "3", "4", "5", "6"]
    assert seen["chips"] == ["STRT 1", "DOWN 1", "UP 1"]
    assert len(set(seen["colours"])) == 3
    # markup in a cell stays text
    assert seen["cell"] == MARKUP
    assert seen["images"] == 0
    assert seen["drawn"] >= 3
    assert seen["spans"] == [
        "match 1, STRT: 1 row, 1",
        "match 1, DOWN: 1 row, 2",
        "match 1, UP: 1 row, 3",
    ]
    assert seen["dots"] == 3
    assert seen["axis"] == ["40", "45", "50", "1", "2", "3", "4", "5", "6"]
    assert seen["closed"] == 3  # matches, rows and attempts, plan
    assert seen["failed"] == [
        ["2", "DOWN", "price < PREV(price) is FALSE", "row 6 of symbol = A: 47 < 46"],
        ["1", "", "rows ended", ""],
    ]
    assert seen["filtered"] == ["5"]
    assert seen["count"] == "1 of 6 rows"
    assert seen["pressed"] == ["2"]
    assert seen["detail"].splitlines() == [
        "row 3",
        "attempt 1: UP is TRUE (price = 45, PREV(price) = 40): kept",
    ]
    assert seen["pointed"].splitlines()[0] == "row 2"
    assert seen["lit"] == ["TR3"]
    # what the keyboard reaches: the picture, what is closed, the rows
    assert seen["tabs"][:2] == ["div", "summary"]
    assert seen["tabs"].count("tr") == 6
    assert seen["partitions"] == [["Partition symbol = A"]]


def test_by_keyboard(page: str, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(page, encoding="utf-8")
    focused = "document.activeElement"
    with browser.keyboard(path, tmp_path / "profile") as keys:
        seen = []
        while len(seen) < 30 and keys.value(f"{focused}.dataset.row") != "3":
            keys.press("Tab", 9)
            seen.append(keys.value(f"{focused}.className || {focused}.localName"))
            if seen[-1] == "summary":
                keys.press("Enter", 13)
                assert keys.value(f"{focused}.parentElement.open")
        assert seen[:4] == ["figure", "summary", "summary", "input"]
        detail = keys.value("document.querySelector('.detail').innerText")
        assert detail.startswith("row 3\nattempt 1: UP is TRUE")
    assert seen.count("summary") == 2


@pytest.mark.parametrize("width", [500, 900, 1600])
def test_no_page_scrolls_sideways(page: str, tmp_path: Path, width: int) -> None:
    seen = use(page, tmp_path, f"--window-size={width},900")
    assert seen["sideways"] <= 0


@pytest.mark.slow
def test_a_large_search_is_a_small_page(spark: SparkSession, tmp_path: Path) -> None:
    rows = spark.sql("""
        SELECT id % 25 AS symbol, timestamp_seconds(1700000000 + id * 60) AS ts,
          HASH(id) % 1000 / 10 AS price FROM range(36000)""")
    found = mr.match_recognize(
        rows.where("symbol > 5 OR symbol = 0"),
        partition_by="symbol",
        order_by="ts",
        measures={"n": "COUNT(*)"},
        pattern="STRT DOWN UP",
        define={"DOWN": "price < PREV(price)", "UP": "price > PREV(price)"},
    )
    text = mr.report(found, max_rows=5_000).html
    assert len(text.encode()) < 1_000_000
    assert "rows of 20 partitions found" in text
    assert "Attempts were looked at in 3 of 20 partitions, 4,320 of 28,800 rows" in text
    assert "Too many to draw each" in text
    seen = use(text, tmp_path)
    assert [len(titles) for titles in seen["partitions"]] == [1, 1, 20]
    with browser.keyboard(tmp_path / "page.html", tmp_path / "keys") as keys:
        keys.value("document.querySelector('select').value = '0'")
        keys.value("document.querySelector('select').focus()")
        keys.press("ArrowDown", 40)
        hidden = "[...document.querySelectorAll('section.partition')].map(each => each.hidden)"
        assert keys.value(hidden)[:3] == [True, False, True]
    assert seen["elements"] < 12_000
    assert seen["opened"] < 5_000  # milliseconds; a second on a machine that has nothing else to do


def luminance(colour: str) -> float:
    """Return the relative luminance of `rgb(...)`, as WCAG defines it."""
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_light_and_dark_are_readable(page: str, tmp_path: Path) -> None:
    for options, is_dark in (((), False), ((DARK,), True)):
        folder = tmp_path / str(is_dark)
        folder.mkdir()
        seen = use(page, folder, *options)
        ground = luminance(seen["ground"])
        assert (ground < 0.5) == is_dark
        for colour in [seen["text"], *seen["colours"]]:
            lighter, darker = sorted((luminance(colour), ground), reverse=True)
            assert (lighter + 0.05) / (darker + 0.05) >= 4.5, (colour, seen["ground"])


def test_console_errors_are_seen(page: str, tmp_path: Path) -> None:
    path = tmp_path / "broken.html"
    path.write_text(page.replace("'use strict';", "'use strict'; nosuch();"), encoding="utf-8")
    assert "nosuch" in " ".join(browse(path)[1])


def test_page_loads_nothing(page: str) -> None:
    assert "default-src 'none'" in page
    assert re.findall(r"""(?:src|href)\s*=\s*["'](?!data:)[^"']*|url\(""", page) == []


def test_notebooks_show_a_frame(page: str) -> None:
    shown = mr.Report(page)._repr_html_()
    frame = re.fullmatch(r'<iframe [^>]*srcdoc="([^"]*)"></iframe>', shown)
    assert frame is not None
    assert html.unescape(frame[1]) == page
