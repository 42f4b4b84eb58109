"""The clause over Delta tables, and its rows written into them."""

from __future__ import annotations

import pytest
from lakehouse.lake import CLAUSE, SHAPES, exchanges, found
from pyspark.errors import AnalysisException
from pyspark.sql import Row, SparkSession

pytestmark = pytest.mark.matrix


@pytest.mark.every_order
def test_a_table_is_input_and_sink(delta: SparkSession) -> None:
    assert found(delta, "ticks") == SHAPES
    delta.sql(f"CREATE TABLE shapes USING delta AS SELECT * FROM ticks {CLAUSE}")
    assert delta.table("shapes").count() == 3
    delta.sql(f"INSERT INTO shapes SELECT * FROM ticks {CLAUSE} WHERE symbol = 'b'")
    assert delta.table("shapes").count() == 4
    delta.sql(f"INSERT OVERWRITE shapes SELECT * FROM ticks {CLAUSE}")
    assert sorted(map(tuple, delta.table("shapes").collect())) == SHAPES
    matches = delta.sql(f"SELECT * FROM ticks {CLAUSE}")
    matches.where("symbol = 'b'").write.format("delta").mode("overwrite").option(
        "replaceWhere", "symbol = 'b'"
    ).saveAsTable("shapes")
    assert sorted(map(tuple, delta.table("shapes").collect())) == SHAPES


@pytest.mark.every_order
def test_merge_into_with_the_clause_as_source(delta: SparkSession) -> None:
    delta.sql("CREATE TABLE shapes (symbol STRING, from_day INT, low INT, to_day INT) USING delta")
    delta.sql("INSERT INTO shapes VALUES ('a', 1, -1, -1), ('z', 9, 9, 9)")
    delta.sql(
        f"""MERGE INTO shapes AS s
            USING (SELECT * FROM ticks {CLAUSE}) AS m
            ON s.symbol = m.symbol AND s.from_day = m.from_day
            WHEN MATCHED THEN UPDATE SET *
            WHEN NOT MATCHED THEN INSERT *
            WHEN NOT MATCHED BY SOURCE THEN DELETE"""
    )
    assert sorted(map(tuple, delta.table("shapes").collect())) == SHAPES


def test_views_and_ctes(delta: SparkSession) -> None:
    delta.sql(f"CREATE OR REPLACE VIEW shape_view AS SELECT * FROM ticks {CLAUSE}")
    try:
        assert sorted(map(tuple, delta.table("shape_view").collect())) == SHAPES
        delta.sql("INSERT INTO ticks VALUES (7, 'b', 10), (8, 'b', 30)")
        assert ("b", 6, 10, 8) in [tuple(row) for row in delta.table("shape_view").collect()]
    finally:
        delta.sql("DROP VIEW shape_view")


@pytest.mark.every_order
def test_time_travel(delta: SparkSession) -> None:
    (before,) = delta.sql("DESCRIBE HISTORY ticks").select("timestamp").collect()
    delta.sql("DELETE FROM ticks WHERE symbol = 'a'")
    assert found(delta, "ticks") == SHAPES[2:]
    assert found(delta, "ticks VERSION AS OF 0") == SHAPES
    assert found(delta, f"ticks TIMESTAMP AS OF '{before[0]}'") == SHAPES
    delta.sql("RESTORE TABLE ticks TO VERSION AS OF 0")
    assert found(delta, "ticks") == SHAPES


def test_change_data_feed(delta: SparkSession) -> None:
    delta.sql("ALTER TABLE ticks SET TBLPROPERTIES (delta.enableChangeDataFeed = true)")
    delta.sql("INSERT INTO ticks SELECT day, 'c' AS symbol, price FROM rows WHERE symbol = 'a'")
    changes = "table_changes('ticks', 2)"
    assert found(delta, changes) == [("c", 1, 6, 4), ("c", 5, 7, 7)]
    kinds = delta.sql(
        f"""SELECT * FROM {changes} MATCH_RECOGNIZE (
              PARTITION BY symbol ORDER BY day MEASURES FIRST(A._change_type) AS kind,
              FIRST(A._commit_version) AS version PATTERN (A+))"""
    )
    assert kinds.collect() == [Row(symbol="c", kind="insert", version=2)]


def test_deletion_vectors(delta: SparkSession) -> None:
    delta.sql("ALTER TABLE ticks SET TBLPROPERTIES (delta.enableDeletionVectors = true)")
    delta.sql("DELETE FROM ticks WHERE day = 3 AND symbol = 'a'")
    metrics = delta.sql("DESCRIBE HISTORY ticks").first()
    assert metrics is not None
    assert metrics["operationMetrics"]["numDeletionVectorsAdded"] == "1"
    assert found(delta, "ticks") == [("a", 1, 8, 4), *SHAPES[1:]]
    delta.sql("UPDATE ticks SET price = 1 WHERE day = 2 AND symbol = 'a'")
    assert found(delta, "ticks") == [("a", 1, 1, 4), *SHAPES[1:]]


def test_column_mapping_and_schema_evolution(delta: SparkSession) -> None:
    delta.sql(f"CREATE OR REPLACE TEMP VIEW evolving AS SELECT * FROM ticks {CLAUSE}")
    delta.sql("ALTER TABLE ticks SET TBLPROPERTIES (delta.columnMapping.mode = 'name')")
    delta.sql("ALTER TABLE ticks ADD COLUMN venue STRING FIRST")
    assert found(delta, "ticks") == SHAPES
    assert sorted(map(tuple, delta.table("evolving").collect())) == SHAPES
    delta.sql("ALTER TABLE ticks RENAME COLUMN price TO `the price`")
    renamed = CLAUSE.replace("price", "`the price`")
    rows = delta.sql(f"SELECT * FROM ticks {renamed}").collect()
    assert sorted(map(tuple, rows)) == SHAPES
    more = delta.sql("SELECT 8 AS day, 'a' AS symbol, 1 AS `the price`, 'x' AS venue, 1.5 AS size")
    more.write.format("delta").mode("append").option("mergeSchema", "true").saveAsTable("ticks")
    rows = delta.sql(f"SELECT * FROM ticks {renamed}").collect()
    assert sorted(map(tuple, rows)) == SHAPES


def test_no_layout_spares_the_exchange(delta: SparkSession) -> None:
    delta.sql("CREATE TABLE clustered USING delta CLUSTER BY (symbol, day) AS SELECT * FROM rows")
    delta.sql("CREATE TABLE parted USING delta PARTITIONED BY (symbol) AS SELECT * FROM rows")
    for statement in ("clustered", "parted", "ticks ZORDER BY (symbol, day)"):
        delta.sql(f"OPTIMIZE {statement}")
        table = statement.partition(" ")[0]
        assert found(delta, table) == SHAPES
        assert exchanges(delta, f"SELECT * FROM {table} {CLAUSE}") == 1, statement


@pytest.mark.one_order
@pytest.mark.parametrize("change", ["DELETE FROM ticks", "UPDATE ticks SET price = 1"])
def test_a_clause_in_a_condition_is_refused_by_delta(delta: SparkSession, change: str) -> None:
    fallen = f"SELECT symbol FROM ticks {CLAUSE}"
    with pytest.raises(AnalysisException, match=r"(?i)subquer"):
        delta.sql(f"{change} WHERE symbol IN ({fallen})")
    assert found(delta, "ticks") == SHAPES


@pytest.mark.every_order
def test_statements_of_delta(delta: SparkSession) -> None:
    delta.sql("OPTIMIZE ticks ZORDER BY (day)")
    delta.sql("VACUUM ticks RETAIN 200 HOURS DRY RUN")
    assert delta.sql("DESCRIBE DETAIL ticks").first()["format"] == "delta"  # type: ignore[index]
    delta.sql("ALTER TABLE ticks ADD CONSTRAINT positive CHECK (price > 0)")
    delta.sql("CREATE TABLE copied SHALLOW CLONE ticks")
    assert found(delta, "copied") == SHAPES
    delta.sql(
        "CREATE TABLE generated (day INT, twice INT GENERATED ALWAYS AS (day * 2)) USING delta"
    )
    delta.sql("INSERT INTO generated (day) SELECT day FROM ticks")
    rows = delta.sql(
        """SELECT * FROM generated
           MATCH_RECOGNIZE (ORDER BY twice MEASURES COUNT(*) AS n PATTERN (A+))"""
    )
    assert rows.collect() == [Row(n=13)]


def test_the_window_form_and_all_rows(delta: SparkSession) -> None:
    all_rows = CLAUSE.replace("PATTERN", "ALL ROWS PER MATCH PATTERN", 1)
    rows = delta.sql(f"SELECT COUNT(*) AS n FROM ticks {all_rows}")
    assert rows.collect() == [Row(n=11)]
    longest = delta.sql(
        """SELECT MAX(n) AS n FROM (
             SELECT n OVER w AS n FROM ticks WINDOW w AS (
               PARTITION BY symbol ORDER BY day MEASURES COUNT(*) AS n
               ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING
               PATTERN (STRT DOWN+) DEFINE DOWN AS price < PREV(price)))"""
    )
    assert longest.collect() == [Row(n=3)]
