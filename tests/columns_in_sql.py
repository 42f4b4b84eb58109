"""Columns of pyspark for which SQL is written, of a table with a column of each type."""

from __future__ import annotations

import datetime as dt
import decimal

import numpy as np
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it
from pyspark.sql.types import TimestampType

TABLE = """
    SELECT 1 AS a, 10L AS b, named_struct('x', 1, 'y z', 2, "it's", 3, '$ \\\\ {a} `b', 4) AS s,
      map('k', 1, "k's", 2) AS m,
      array(1, 2) AS r, array(named_struct('q', 1)) AS rs, TIMESTAMP '2020-01-01 01:00:00' AS ts,
      map(1, 2) AS mi, map(DATE '2020-01-01', 3) AS md, map(1.5BD, 4, 2.5BD, 5) AS mc,
      DATE '2020-01-01' AS d, 1.5D AS f, 2.50BD AS c, true AS o, 'it' AS t, 7 AS `odd.``name```
"""
ODD = 'it\'s \\n "x" ${env:HOME} {b} `q` -- \n ü😀 /* $'


def of_rows(df: DataFrame) -> list[Column]:
    """Return columns of one row."""
    a, t, f = F.col("a"), F.col("t"), df.f
    columns = [
        *[df["s.x"], df.s.x, df["s.`y z`"], df["m.k"], df["m"]["k"], df.r[0], df["rs.q"]],
        *[df.s["it's"], F.col("s").getField("$ \\ {a} `b"), F.col("m")["k's"], df["m"][ODD]],
        *[df["`odd.``name```"], F.col("`odd.``name```"), F.col("A"), F.col("s.x"), df.r[a]],
        *[df.mi[1], df["mi"][a], F.col("mi").getItem(1), df.md[dt.date(2020, 1, 1)]],
        *[df.mc[decimal.Decimal("2.5")], df["m"][F.lit("k")]],
        *[a + 1, a * 2 - F.col("b") / (f + 1), 2 - a, -a, a % 2, a**2, -F.lit(-5)],
        *[a != 1, a == None, a.eqNullSafe(1), ~((a < 5) & (a > 1) | (a == 3)), ~F.col("o")],  # noqa: E711
        *[a.isin(1, 2), t.isin("it", ODD), a.between(1, 2), a.isNull(), a.isNotNull(), f.isNaN()],
        *[t.like("i\\_%"), t.rlike("\\w+'?"), t.ilike("IT"), t.contains("'"), t.substr(1, 1)],
        *[t.startswith("i"), F.concat(t, F.lit("'")), F.split(t, "\\s"), F.trim(t, F.lit("i"))],
        *[a.cast("string"), t.try_cast("int"), a.cast("decimal(10,2)"), F.lit(None).cast("date")],
        *[a.cast(TimestampType()), df.d.cast("timestamp"), F.lit(None).cast(TimestampType())],
        *[F.when(a > 1, "x").otherwise(t), F.when(a > 1, 1).when(a < 2, a + 2)],
        *[a.bitwiseAND(1), a.bitwiseOR(4).bitwiseXOR(1), F.bitwise_not("a"), F.shiftleft("a", 2)],
        *[F.expr("a + 1"), F.expr("a -- x") + 1, F.expr("a + 1") * 2, F.call_function("abs", a)],
        *[F.struct(a.alias("b c"), df["s.x"]), F.array("a", "b"), F.create_map("t", "a")],
        *[F.to_date("ts"), F.year(df.ts), F.date_trunc("day", "ts"), F.date_format("ts", "'T'HH")],
        *[F.timestamp_add("DAY", F.lit(1), "ts"), df.ts - F.expr("INTERVAL '1' DAY")],
        *[df.ts > dt.datetime(2020, 1, 1, 5), df.d >= dt.date(2020, 1, 15), df.ts > "2020-03-01"],  # noqa: DTZ001
        *[F.coalesce("a", F.lit(0)), F.round("f", 2), F.rand(5) < 2, F.current_date()],
    ]
    literals = [
        *[5, -5, -(2**31), 2**40, -(2**63), 1.5, -1e300, 1e-7, float("nan"), float("-inf")],
        *[ODD, "", "'", True, None, b"a\x00", [1, 2], np.int64(5), np.float32(0.1), np.str_("x")],
        *[dt.date(2020, 1, 1), dt.date(9999, 12, 31), dt.timedelta(days=-3, microseconds=7)],
        *[dt.datetime(2020, 7, 1, 5, 0, 0, 123456), dt.datetime(1950, 1, 1)],  # noqa: DTZ001
    ]
    return [*columns, *map(F.lit, literals)]


def of_groups() -> list[Column]:
    """Return aggregates."""
    a = F.col("a")
    return [
        *[F.count("*"), F.count("a"), F.count_distinct("a", "ts"), F.sum_distinct("b"), F.max(a)],
        *[F.first("a"), F.last(a), F.avg("f") + 1, F.collect_list("t"), F.count_if(a > 1)],
        *[F.any_value("a"), F.percentile_approx("f", 0.5), F.max_by("a", "ts"), F.bool_and("o")],
        *[F.sum(F.when(a > 0, F.lit(decimal.Decimal("1.50")))).cast("string")],
    ]
