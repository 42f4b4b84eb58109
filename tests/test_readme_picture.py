"""The picture at the top of README: V shapes in real prices, by `plot`, for light and dark pages.

`make snippets` writes it anew.
"""

from __future__ import annotations

import importlib.util
import os
import re
from pathlib import Path

import pictures
import pytest
from pyspark.sql import SparkSession

import spark_match_recognize as mr

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs/images"
# the ink of `plot` and of its line, which suit both grounds, as colours for one of them
COLOURS = {
    "light": {"#787878": "#57606a", "#808080": "#59636e"},
    "dark": {"#787878": "#9198a1", "#808080": "#b1bac4"},
}
DAYS = "day BETWEEN DATE '2012-08-01' AND DATE '2013-01-31'"


@pytest.fixture(scope="module")
def drawn(spark: SparkSession) -> str:
    spec = importlib.util.spec_from_file_location("demo_data", ROOT / "examples/demo_data.py")
    assert spec is not None
    assert spec.loader is not None
    data = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(data)
    session = spark.newSession()
    data.create_view(session, "stocks", data.stocks())
    rows = mr.match_recognize(
        session.sql(f"SELECT day, close AS price FROM stocks WHERE symbol = 'IBM' AND {DAYS}"),
        order_by="day",
        measures={"variable": "CLASSIFIER()", "number": "MATCH_NUMBER()"},
        rows_per_match="ALL ROWS PER MATCH WITH UNMATCHED ROWS",
        pattern="STRT DOWN{3,} UP{3,}",
        define={"DOWN": "price < PREV(price)", "UP": "price > PREV(price)"},
    )
    return pictures.svg(mr.plot(rows, x="day", y="price"))


@pytest.mark.parametrize("ground", COLOURS)
def test_picture_of_readme(drawn: str, ground: str) -> None:
    got = re.sub("|".join(COLOURS[ground]), lambda found: COLOURS[ground][found[0]], drawn)
    kept = IMAGES / f"readme-{ground}.svg"
    if "UPDATE_SNIPPETS" in os.environ:
        kept.write_text(got, encoding="utf-8")
    pictures.assert_same(got, kept.read_text(encoding="utf-8"), str(kept))
    assert kept.stat().st_size < 60_000
    assert all(name in got for name in ("STRT", "DOWN", "UP", "price", "day"))
    # two matches at least: their spans are shaded one after the other
    assert got.count("opacity: 0.3") >= 1
    assert got.count("opacity: 0.126") >= 1


def test_readme_shows_it() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.search(r"<picture>.*?</picture>", text, re.DOTALL)
    assert shown is not None
    assert re.findall(r'"(docs/images/[^"]+)"', shown[0]) == [
        "docs/images/readme-dark.svg",
        "docs/images/readme-light.svg",
    ]
    assert "prefers-color-scheme: dark" in shown[0]
