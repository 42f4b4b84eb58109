"""Columns of pyspark as arguments of `match_recognize`, in a session, classic or Connect."""

from __future__ import annotations

from typing import Any

import columns_in_sql
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it

import spark_match_recognize as mr
from spark_match_recognize._columns import column_sql

ODD = "it's $ \\ `b"
TICKS = [("A", 1, 50), ("A", 2, 40), ("A", 3, 30), ("A", 4, 45), ("B", 1, 9), ("B", 2, 8)]


def ticks(spark: SparkSession) -> DataFrame:
    """Return a frame with two partitions, and a column whose name needs backticks."""
    frame = spark.createDataFrame(TICKS, "symbol STRING, ts INT, price INT")
    return frame.withColumn("last price", frame.price)


def rows(frame: DataFrame) -> list[list[Any]]:
    """Return the rows, sorted."""
    return sorted(list(row) for row in frame.collect())


def columns(spark: SparkSession) -> Any:
    """Columns that are not written as SQL, or not where they are given."""
    frame = ticks(spark)
    other = frame.withColumn("price", F.col("price") * 2)
    window = Window.orderBy("ts")
    told = []
    arguments: list[dict[str, Any]] = [
        {"partition_by": F.row_number().over(window)},
        {"order_by": ["symbol", F.transform(F.array("ts"), lambda x: x + 1)]},
        {"define": {"A": F.udf(lambda value: f"{value}", "string")("price") == "1"}},
        {"order_by": F.col("ts").isin([])},
        {"order_by": F.col("*")},
        {"order_by": F.expr("ts, price")},
        {"partition_by": F.col("symbol").alias("a", metadata={"x": 1})},
        {"partition_by": F.col("a${b}")},
        {"partition_by": F.desc("symbol")},
        {"measures": [F.count("*")]},
        {"measures": {"n": F.count("*").alias("m")}},
        {"measures": {"n": F.col("ts").desc()}},
        {"define": {"A": other.price > 1}, "order_by": frame.ts},
        {"pattern": F.col("A")},
        {"within": F.lit(1)},
        {"measures": {"a${b}": "1"}},
        {"partition_by": F.col("symbol").alias("${b}")},
        {"measures": F.struct(F.col("ts").alias("${b}")).alias("n")},
        {"pattern": "${b}", "define": {"${b}": "TRUE"}},
        {"subset": {"U": ["${b}"]}},
        {"measures": F.first("price", ignorenulls=True).alias("p")},
        {"measures": {"p": F.last("price", ignorenulls=True)}},
        {"measures": {"p": F.lag("price", 1, 0)}},
        {"measures": {"p": F.call_function("lag", F.col("price"), F.lit(1), F.col("price"))}},
    ]
    for more in arguments:
        try:
            mr.match_recognize(frame, **{"pattern": "A", **more})
        except (TypeError, ValueError) as error:  # noqa: PERF203 - each call fails
            told.append(str(error))
    return told


def columns_as_sql(spark: SparkSession) -> Any:
    """Columns for which Spark does not compute the same from their SQL, and how many there are.

    Once for each type that TIMESTAMP may mean in SQL.
    """
    found = []
    for kind in "TIMESTAMP_LTZ", "TIMESTAMP_NTZ":
        spark.conf.set("spark.sql.timestampType", kind)
        found += other_values(spark)
    spark.conf.unset("spark.sql.timestampType")
    return found


def other_values(spark: SparkSession) -> list[Any]:
    """Columns whose SQL has another value, and how many there are."""
    frame = spark.sql(columns_in_sql.TABLE)
    wrong: list[Any] = []
    for group in (columns_in_sql.of_rows(frame), columns_in_sql.of_groups()):
        texts = [column_sql(column).text for column in group]
        made, read = frame.select(*group), frame.select(*map(F.expr, texts))
        values = [frame.collect()[0] for frame in (made, read)]
        for at, text in enumerate(texts):
            kinds = [frame.schema[at].dataType.simpleString() for frame in (made, read)]
            if kinds[0] != kinds[1] or repr(values[0][at]) != repr(values[1][at]):
                wrong.append([text, kinds, repr(values[0][at]), repr(values[1][at])])
        wrong.append(len(texts))
    return wrong


def columns_as_arguments(spark: SparkSession) -> Any:
    """Columns of pyspark in each part; each frame equals that of the SQL."""
    odd = ticks(spark).withColumnsRenamed({"symbol": "my key", "price": "a.b"})
    odd = odd.withColumn(
        "s", F.struct(F.col("ts").alias("the ts"), F.col("ts").alias("x"), F.col("ts").alias(ODD))
    )
    more: list[dict[str, Any]] = [
        {"partition_by": odd["my key"], "order_by": odd.ts},
        {"partition_by": F.col("my key").alias("k`1"), "order_by": F.col("`a.b`").desc()},
        {
            "partition_by": ["`my key`", F.col("ts")],
            "order_by": (F.asc_nulls_last("`a.b`"), F.col("s.`the ts`").desc_nulls_first()),
        },
        {"order_by": [F.expr("ts").desc(), odd["s.x"], odd["s"]["x"].asc()]},
        {
            "partition_by": [F.lower("my key").alias("k"), F.col("ts") % 2],
            "order_by": F.col("ts").alias("t").desc(),
            "define": {"A": (odd.ts > 1) & (F.col("`a.b`") < F.lit("60").cast("int"))},
        },
        {
            "order_by": "ts",
            "measures": [
                F.max("A.ts").alias("last ts"),
                F.count("A.*").alias("n"),
                F.expr("COUNT(*) AS m"),
                "FIRST(ts) AS f",
            ],
            "define": {"A": F.col("`a.b`") > F.coalesce(F.expr("PREV(`a.b`)"), F.lit(0))},
        },
        {"measures": F.first(odd.ts).alias("f"), "define": (F.col("ts") > 0).alias("A")},
        {"pattern": "s+", "measures": F.max(odd["s.x"]).alias("m"), "order_by": odd["s.x"]},
        {
            "pattern": "s+",
            "measures": F.max(F.col("s").getField(ODD)).alias("m"),
            "define": {"s": odd.s[ODD] > 1},
            "order_by": F.col("s")[ODD],
        },
    ]
    measures: Any = {"n": F.count("*"), "p": F.expr("FIRST(`a.b`)")}
    found = []
    for given in more:
        arguments = {"pattern": "A+", "measures": measures, **given}
        text = mr.to_sql(**arguments)
        found.append([line.strip() for line in text.splitlines()[1:-1]])
        made = mr.match_recognize(odd, **arguments)
        written = spark.sql(f"SELECT * FROM {{odd}} {text}", odd=odd)
        found.append([made.columns == written.columns, rows(made) == rows(written)])
    return found


def navigation(spark: SparkSession) -> Any:
    """What `F.lag` and `F.lead` are in the clause."""
    arguments: dict[str, Any] = {
        "partition_by": "symbol",
        "order_by": "ts",
        "measures": {"before": F.lag("price"), "two after": F.lead("price", 2)},
        "pattern": "A DOWN",
        "define": {"DOWN": F.col("price") < F.lag(F.col("price"), 1)},
    }
    text = mr.to_sql(**arguments)
    lines = [line.strip() for line in text.splitlines() if "PREV" in line or "NEXT" in line]
    return [lines, rows(mr.match_recognize(ticks(spark), **arguments))]


def without_nulls(spark: SparkSession) -> Any:
    """What the messages say to write instead of ignorenulls, for values and for none."""
    first = F.get(F.collect_list("v"), F.lit(0))
    last = F.try_element_at(F.collect_list("v"), F.lit(-1))
    found = []
    for values in "NULL), (5), (6), (NULL", "NULL":
        frame = spark.sql(f"SELECT CAST(v AS INT) AS v FROM VALUES ({values}) AS t(v)")
        made = mr.match_recognize(frame, measures={"f": first, "l": last}, pattern="A+")
        found += rows(made)
    return found


def of_alias(spark: SparkSession) -> Any:
    """Columns of a frame with an alias, which Connect keeps in their names."""
    frame = ticks(spark).withColumn("s", F.struct(F.col("ts").alias("x"))).alias("t")
    found = mr.match_recognize(
        frame,
        partition_by=frame["t.symbol"],
        order_by=frame["t.s.x"].desc(),
        measures={
            "n": F.count("*"),
            "m": F.max(frame["t.s.x"]),
            "p": F.max(frame["T.`last price`"]),
        },
        pattern="s+",
        define={"s": frame["t.price"] > 8},
    )
    return rows(found)


def of_another_frame(spark: SparkSession) -> Any:
    """A column of an unrelated frame, also where Connect may resolve it by its name."""
    frame, other = ticks(spark), ticks(spark)
    kept = frame.where("ts > 1")
    count: dict[str, Any] = {"measures": {"n": "COUNT(*)"}, "pattern": "A+"}
    told: list[Any] = []
    for strict in "true", "false":
        spark.conf.set("spark.sql.analyzer.strictDataFrameColumnResolution", strict)
        for column in kept.ts, frame.ts, other.ts:
            try:
                told.append(rows(mr.match_recognize(kept, order_by=column, **count)))
            except ValueError as error:  # noqa: PERF203 - some fail
                told.append(str(error)[:40])
    spark.conf.unset("spark.sql.analyzer.strictDataFrameColumnResolution")
    return told


CHECKS = (
    columns,
    columns_as_arguments,
    columns_as_sql,
    of_alias,
    of_another_frame,
    navigation,
    without_nulls,
)
