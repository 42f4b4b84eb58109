"""What the tests of odd texts ask in a session, classic or Connect.

Run as a program, it asks in a Connect session and prints the answers as JSON. Each question is
asked of keys, names and values with signs that SQL, formats, variables or HTML read, and of
harmless ones; the answers are the differences.
"""

from __future__ import annotations

import html
import random
import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.functions import col, expr, lit
from through_connect import print_answers

import spark_match_recognize as mr

SIGNS = ("{", "}", "'", '"', "\\", "$", "`", "\0", "\n", "\u2028")
MIXED = (
    *("${x}", "${env:HOME}", "{rows}", "{df}", "{}", "{{", "}}", "{{rows}}", "{rows.columns[0]}"),
    *("$$", "''", '""', "``", "\\'", "'; --", "/*", "-- {", "<b>", "&lt;", "%s", ":query"),
)
SEED = 3
ROWS = 2  # of each key


def odd_texts(count: int) -> list[str]:
    """Return the signs, mixtures of them, and texts drawn from both; no two are equal."""
    draw = random.Random(SEED)  # noqa: S311 - the same texts each time
    drawn = ("".join(draw.choices((*SIGNS, *MIXED, "a"), k=draw.randint(2, 5))) for _ in range(99))
    return list(dict.fromkeys((*SIGNS, *MIXED, *drawn)))[:count]


def harmless(count: int) -> list[str]:
    """Return as many texts of letters, in the same order."""
    return [f"{chr(97 + number // 26)}{chr(97 + number % 26)}" for number in range(count)]


def quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"


def shape(text: str) -> list[str]:
    """Return the numbers of a sentence, which the texts in it have no part in."""
    return re.findall(r"\d+", text)


def of_values(spark: SparkSession, texts: list[str]) -> Iterator[tuple[str, Any]]:
    """Ask about rows whose keys and values are texts; a text in an answer is its number."""
    number = {text: place for place, text in enumerate(texts)}
    rows = [(text, at, at * 10, text) for text in texts for at in range(ROWS)]
    frame = spark.createDataFrame(rows, "k STRING, ts INT, v INT, t STRING")
    found = mr.match_recognize(
        frame,
        partition_by="k",
        order_by="ts",
        measures={"last": "LAST(t)", "role": "CLASSIFIER()", "match_number": "MATCH_NUMBER()"},
        rows_per_match="ALL ROWS PER MATCH",
        pattern="A B",
        define={"B": "t = PREV(t) AND v > 1"},
    )
    yield "rows", sorted([number[row.k], row.ts, number[row.last]] for row in found.collect())
    with_literals = mr.match_recognize(
        frame.where("v = 0"),
        partition_by="k",
        order_by="ts",
        measures={f"m{place}": lit(text) for text, place in number.items()},
        pattern="A",
        define={"A": col("k").isin(*texts)},
    )
    yield "literals", sorted([number[cell] for cell in row] for row in with_literals.collect())
    steps = mr.trace(found).groupBy("partition_key", "event").count().collect()
    yield "trace", sorted([row.event, row["count"]] for row in steps)
    yield "lint", [shape(told) for told in mr.lint(found, data=True)]
    yield "explain", [shape(told) for told in mr.explain(found)]
    for text in texts[:: len(texts) // 2]:
        yield f"trace of {number[text]}", mr.trace(found, {"k": text}).count()
        yield f"explain of {number[text]}", [shape(told) for told in mr.explain(found, {"k": text})]
    few = texts[-6:]  # a picture of each takes time
    chosen = mr.match_recognize(
        frame.where(col("k").isin(*few)),
        partition_by="k",
        order_by="ts",
        measures={"n": "COUNT(*)"},
        pattern="A+",
    )
    page = mr.report(chosen).html
    titles = re.findall(r"<h2>k = (.*?)</h2>", page, re.DOTALL)
    yield "report", sorted(number[html.unescape(title)] for title in titles)
    yield "matches on the page", page.count("<td>A{2}</td>")
    figure = mr.plot(found.where(col("k").isin(*few)), x="ts", y="v")
    yield "plot", sorted(number[axes.get_title()] for axes in figure.axes)


def of_names(spark: SparkSession, names: list[str]) -> Iterator[tuple[str, Any]]:
    """Ask about a frame with columns, a measure and a variable that are called so."""
    key, order, value, measure = names
    rows = [(place % 2, place, place % 5) for place in range(12)]
    frame = spark.createDataFrame(rows, "k INT, ts INT, v INT")
    frame = frame.withColumnsRenamed({"k": key, "ts": order, "v": value})
    found = mr.match_recognize(
        frame,
        partition_by=col(quoted(key)),
        order_by=quoted(order),
        measures={measure: f"COUNT({quoted(value)})", "number": "MATCH_NUMBER()"},
        rows_per_match="ALL ROWS PER MATCH",
        pattern="A B+",
        define={"B": col(quoted(value)) > expr(f"PREV({quoted(value)})")},
    )
    yield "columns", [names.index(name) for name in found.columns if name in names]
    yield "rows", sorted(list(row) for row in found.collect())
    yield "trace", mr.trace(found, {key: 1}).where("event = 'end'").count()
    yield "explain", [shape(told) for told in mr.explain(found, {key: 0})]
    yield "lint", [shape(told) for told in mr.lint(found, data=True)]
    page = html.unescape(mr.report(found).html)
    yield "report", [f"{value} by {order} {key} = {place}" in page for place in (0, 1)]
    figure = mr.plot(found, x=order, y=value)
    yield "plot", [axes.get_title() for axes in figure.axes]
    yield "labels", [figure.axes[0].get_ylabel() == value, figure.axes[-1].get_xlabel() == order]


def differences(odd: Iterator[tuple[str, Any]], plain: Iterator[tuple[str, Any]]) -> list[Any]:
    """Compare answers; the first item is how many were compared."""
    expected = dict(plain)
    found = dict(odd)
    return [len(expected)] + [
        [name, found.get(name), answer]
        for name, answer in expected.items()
        if found.get(name) != answer
    ]


def refused(spark: SparkSession) -> list[str]:
    """Names with a variable, which Spark would replace whatever quotes are around them."""
    frame = spark.createDataFrame([(1, 2)], "`${x}` INT, v INT")
    clause: dict[str, Any] = {"order_by": "v", "measures": {"n": "1"}, "pattern": "A"}
    found = mr.match_recognize(frame, **clause)
    return [
        error_of(mr.match_recognize, frame, **{**clause, "measures": {"${x}": "1"}}),
        error_of(mr.match_recognize, frame, **clause, partition_by=col("`${x}`")),
        error_of(mr.match_recognize, frame, **clause, define={"${x}": "TRUE"}),
        error_of(mr.trace, found, {"${x}": 1}),
    ]


def error_of(call: Callable[..., object], *arguments: Any, **named: Any) -> str:
    try:
        call(*arguments, **named)
    except (TypeError, ValueError) as error:
        return str(error)
    return "no error"


def everything(spark: SparkSession, _: Path) -> dict[str, Any]:
    """Return all answers of a session."""
    odd = odd_texts(32)
    names = [f"{text}x" for text in odd if "${" not in text][:12]
    warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)  # matplotlib's
    answers: dict[str, Any] = {
        "values": differences(of_values(spark, odd), of_values(spark, harmless(len(odd)))),
        "refused": refused(spark),
    }
    plain = list(of_names(spark, harmless(4)))
    for place in range(3):
        answers[f"names {place}"] = differences(of_names(spark, names[place::3]), iter(plain))
    return answers


if __name__ == "__main__":
    print_answers(everything)
