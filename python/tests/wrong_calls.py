"""Calls that are wrong in kind or wording, as people type them; no session is needed."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import spark_match_recognize as mr


class Frame:
    """A DataFrame as far as its kind is checked."""

    sparkSession = None  # noqa: N815 - its name in Spark
    columns = ("ts",)


class Typed(Frame):
    """A DataFrame whose types are known."""

    columns = ("ts", "symbol")
    dtypes = (("ts", "int"), ("symbol", "string"))


class Builder:
    """A builder as far as its kind is checked."""

    def config(self) -> None: ...
    def getOrCreate(self) -> None: ...  # noqa: N802 - its name in Spark


CALLS = """
mr.match_recognize(pd.DataFrame({"a": [1]}), pattern="A")
mr.match_recognize("ticks", pattern="A")
mr.match_recognize(None, pattern="A")
mr.match_recognize(Builder(), pattern="A")
mr.match_recognize(frame)
mr.match_recognize(frame, pattern=["A", "B"])
mr.match_recognize(frame, "symbol", pattern="A")
mr.match_recognize(frame, partitionBy="symbol", pattern="A")
mr.to_sql(pattern="PATTERN (A B+)")
mr.to_sql(pattern=None)
mr.to_sql(pattern="A", rows_per_match="ALL")
mr.to_sql(pattern="A", rows_per_match="one row")
mr.to_sql(pattern="A", rows_per_match=True)
mr.to_sql(pattern="A", measures={"n": "COUNT(*) AS n"})
mr.to_sql(pattern="A", measures={"n": ["COUNT(*)"]})
mr.to_sql(pattern="A", measures={"n": 1})
mr.to_sql(pattern="A", measures=["COUNT(*)", 1])
mr.to_sql(pattern="A", measures=7)
mr.to_sql(pattern="A", measures="MEASURES COUNT(*) AS n")
mr.to_sql(pattern="A", define={"B": "B AS price < 5"})
mr.to_sql(pattern="A", define={"B": "DEFINE price < 5"})
mr.to_sql(pattern="A", define={"B": True})
mr.to_sql(pattern="A", define={"B": lambda row: row.price < 5})
mr.to_sql(pattern="A", define={1: "price < 5"})
mr.to_sql(pattern="A", after_match_skip="SKIP TO NEXT ROW")
mr.to_sql(pattern="A", after_match_skip="AFTER MATCH SKIP PAST LAST ROW")
mr.to_sql(pattern="A", order_by="ORDER BY seq")
mr.to_sql(pattern="A", order_by=["symbol", "order by seq"])
mr.to_sql(pattern="A", order_by=7)
mr.to_sql(pattern="A", order_by=[["ts"]])
mr.to_sql(pattern="A", order_by={"ts": "desc"})
mr.to_sql(pattern="A", order_by=np.array(5))
mr.to_sql(pattern="A", partition_by="PARTITION BY x")
mr.to_sql(pattern="A", partition_by={"a", "b"})
mr.to_sql(pattern="A", partition_by=b"a")
mr.to_sql(pattern="A", partition_by=pd.DataFrame({"a": [1]}))
mr.to_sql(pattern="A", within="WITHIN INTERVAL '5' MINUTE")
mr.to_sql(pattern="A", within=5)
mr.to_sql(pattern="A", within=dt.timedelta(seconds=-1))
mr.to_sql(pattern="A", subset={"U": "A B"})
mr.to_sql(pattern="A", subset={"U": "U = (A, B)"})
mr.to_sql(pattern="A", subset={"U": 5})
mr.to_sql(pattern="A", subset=["A", "B"])
mr.trace(None)
mr.trace(7)
mr.trace("SELECT 1", spark="local")
mr.trace(pd.DataFrame({"a": [1]}))
mr.explain(None)
mr.report(None)
mr.lint(None)
mr.diagram(None)
mr.diagram("PATTERN (A B)")
mr.plot("ticks", x="a", y="b")
mr.plot(frame, x="a", y=["price"])
mr.plot(frame, x=5, y="b")
mr.plot(frame, x="a", y="b", limit="a")
mr.plot(typed, x="ts", y="symbol")
mr.plot(pd.DataFrame({"ts": [1], "symbol": ["A"]}), x="ts", y="symbol")
mr.plot(pd.DataFrame({"ts": [1], "price": [5]}), x="ts", y="prise")
mr.plot(pd.DataFrame({"ts": [1, 2], "price": [5, 6]}), x="ts", y="price", limit=1)
mr.plot(pd.DataFrame({"k": range(31), "price": 5}), x="price", y="price", partition_by="k")
mr.plot(frame, x="ts")
mr.plot(frame, x="ts", y=None)
mr.plot(frame, x="ts", y="price", variable=["role"])
mr.plot(frame, x="ts", y="price", match=7)
mr.plot(frame, x="ts", y="price", partition_by=7)
mr.plot(frame, x="ts", y="price", partition_by={"symbol": "A"})
mr.plot([(1, 2)], x="ts", y="price")
mr.Report("").save("report.svg")
mr.to_sql(pattern="A", measures={"a${b}": "1"})
mr.translate(None, "oracle")
mr.translate("SELECT 1", "orcale")
mr.configure(None)
mr.configure("local")
mr.configure(Frame())
mr.is_enabled(None)
mr.is_enabled(Builder())
mr.doctor(5)
mr.jar_path(4.3)
with_methods("ticks")
"""
GOLDEN = Path(__file__).parent / "messages.txt"
NAMES: dict[str, Any] = {
    "mr": mr,
    "np": np,
    "pd": pd,
    "dt": dt,
    "frame": Frame(),
    "typed": Typed(),
    "Frame": Frame,
    "Builder": Builder,
}


def told() -> str:
    """Return each call with its error."""
    from spark_match_recognize.methods import with_methods  # noqa: PLC0415 - it changes pyspark

    names = {**NAMES, "with_methods": with_methods}
    lines = []
    for call in CALLS.strip().splitlines():
        try:
            eval(call, names)  # noqa: S307 - the calls above
            lines.append(f"{call}\n  is accepted")
        except Exception as error:  # noqa: BLE001, PERF203 - whichever it is
            lines.append(f"{call}\n  {type(error).__name__}: {error}")
    return "\n".join(lines) + "\n"
