"""The clause over Iceberg tables, and its rows written into them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from lakehouse.lake import CLAUSE, SHAPES, exchanges, found, plan, rows
from lakehouse.merging import merged_by_streams
from pyspark.sql import Row, SparkSession

pytestmark = pytest.mark.matrix
# of storage-partitioned joins, which is what lets an operator use the layout of a table
LAYOUT = {
    "spark.sql.sources.v2.bucketing.enabled": "true",
    "spark.sql.iceberg.planning.preserve-data-grouping": "true",
}


@pytest.fixture
def layout(iceberg: SparkSession) -> Iterator[SparkSession]:
    """Return the session with the settings that let Spark use the layout of a table."""
    for key, value in LAYOUT.items():
        iceberg.conf.set(key, value)
    yield iceberg
    for key in LAYOUT:
        iceberg.conf.unset(key)


@pytest.mark.every_order
def test_a_table_is_input_and_sink(iceberg: SparkSession) -> None:
    assert found(iceberg, "ice.db.ticks") == SHAPES
    iceberg.sql(
        f"""CREATE TABLE ice.db.shapes USING iceberg PARTITIONED BY (symbol)
            AS SELECT * FROM ice.db.ticks {CLAUSE}"""
    )
    iceberg.sql(f"INSERT INTO ice.db.shapes SELECT * FROM ice.db.ticks {CLAUSE} WHERE low = 15")
    assert iceberg.table("ice.db.shapes").count() == 4
    iceberg.sql(f"INSERT OVERWRITE ice.db.shapes SELECT * FROM ice.db.ticks {CLAUSE}")
    assert sorted(map(tuple, iceberg.table("ice.db.shapes").collect())) == SHAPES
    iceberg.sql(f"SELECT * FROM ice.db.ticks {CLAUSE}").writeTo(
        "ice.db.shapes"
    ).overwritePartitions()
    assert sorted(map(tuple, iceberg.table("ice.db.shapes").collect())) == SHAPES


@pytest.mark.every_order
def test_merge_into_with_the_clause_as_source(iceberg: SparkSession) -> None:
    iceberg.sql(
        """CREATE TABLE ice.db.shapes (symbol STRING, from_day INT, low INT, to_day INT)
           USING iceberg"""
    )
    iceberg.sql("INSERT INTO ice.db.shapes VALUES ('a', 1, -1, -1), ('z', 9, 9, 9)")
    iceberg.sql(
        f"""MERGE INTO ice.db.shapes AS s
            USING (SELECT * FROM ice.db.ticks {CLAUSE}) AS m
            ON s.symbol = m.symbol AND s.from_day = m.from_day
            WHEN MATCHED THEN UPDATE SET *
            WHEN NOT MATCHED THEN INSERT *
            WHEN NOT MATCHED BY SOURCE THEN DELETE"""
    )
    assert sorted(map(tuple, iceberg.table("ice.db.shapes").collect())) == SHAPES


@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
def test_row_level_deletes(iceberg: SparkSession, mode: str) -> None:
    iceberg.sql(
        f"ALTER TABLE ice.db.ticks SET TBLPROPERTIES ('write.delete.mode' = '{mode}',"
        f" 'write.update.mode' = '{mode}')"
    )
    iceberg.sql("DELETE FROM ice.db.ticks WHERE day = 3 AND symbol = 'a'")
    assert found(iceberg, "ice.db.ticks") == [("a", 1, 8, 4), *SHAPES[1:]]
    iceberg.sql(
        f"""UPDATE ice.db.ticks SET price = 1 WHERE symbol = 'a' AND day IN (
              SELECT to_day - 2 FROM rows {CLAUSE} WHERE to_day = 4)"""
    )
    assert found(iceberg, "ice.db.ticks") == [("a", 1, 1, 4), *SHAPES[1:]]


@pytest.mark.every_order
def test_time_travel_branches_and_tags(iceberg: SparkSession) -> None:
    iceberg.sql("ALTER TABLE ice.db.ticks CREATE TAG whole")
    first = iceberg.sql("SELECT snapshot_id, committed_at FROM ice.db.ticks.snapshots").first()
    assert first is not None
    iceberg.sql("ALTER TABLE ice.db.ticks CREATE BRANCH trial")
    iceberg.sql("DELETE FROM ice.db.ticks.branch_trial WHERE symbol = 'b'")
    iceberg.sql("DELETE FROM ice.db.ticks WHERE symbol = 'a'")
    assert found(iceberg, "ice.db.ticks") == SHAPES[2:]
    assert found(iceberg, "ice.db.ticks.branch_trial") == SHAPES[:2]
    assert found(iceberg, "ice.db.ticks VERSION AS OF 'whole'") == SHAPES
    assert found(iceberg, f"ice.db.ticks VERSION AS OF {first[0]}") == SHAPES
    assert found(iceberg, f"ice.db.ticks TIMESTAMP AS OF '{first[1]}'") == SHAPES


def test_metadata_tables(iceberg: SparkSession) -> None:
    for symbol in "cde":
        iceberg.sql(f"INSERT INTO ice.db.ticks VALUES (1, '{symbol}', 1)")
    snapshots = iceberg.sql(
        """SELECT * FROM ice.db.ticks.snapshots MATCH_RECOGNIZE (
             ORDER BY committed_at MEASURES COUNT(NEXT_.*) AS children
             PATTERN (FIRST_ NEXT_+) DEFINE NEXT_ AS parent_id = PREV(snapshot_id))"""
    )
    assert snapshots.collect() == [Row(children=3)]
    files = iceberg.sql(
        """SELECT * FROM ice.db.ticks MATCH_RECOGNIZE (
             ORDER BY day MEASURES COUNT(DISTINCT A._file) AS files PATTERN (A+))"""
    )
    assert files.collect() == iceberg.sql("SELECT COUNT(*) FROM ice.db.ticks.files").collect()


def test_transforms_and_evolution(iceberg: SparkSession) -> None:
    iceberg.sql("ALTER TABLE ice.db.ticks ADD PARTITION FIELD bucket(4, symbol)")
    iceberg.sql(
        "INSERT INTO ice.db.ticks SELECT day, 'c' AS symbol, price FROM rows WHERE symbol = 'a'"
    )
    shapes = [*SHAPES, ("c", 1, 6, 4), ("c", 5, 7, 7)]
    assert found(iceberg, "ice.db.ticks") == shapes
    iceberg.sql(
        """ALTER TABLE ice.db.ticks
           REPLACE PARTITION FIELD bucket(4, symbol) WITH truncate(1, symbol)"""
    )
    iceberg.sql("ALTER TABLE ice.db.ticks ADD COLUMN venue STRING FIRST")
    iceberg.sql("ALTER TABLE ice.db.ticks ALTER COLUMN price TYPE BIGINT")
    assert found(iceberg, "ice.db.ticks") == shapes
    iceberg.sql("ALTER TABLE ice.db.ticks RENAME COLUMN price TO value")
    renamed = iceberg.sql(f"SELECT * FROM ice.db.ticks {CLAUSE.replace('price', 'value')}")
    assert sorted(map(tuple, renamed.collect())) == shapes
    iceberg.sql("CALL ice.system.rewrite_data_files('db.ticks')")
    renamed = iceberg.sql(f"SELECT * FROM ice.db.ticks {CLAUSE.replace('price', 'value')}")
    assert sorted(map(tuple, renamed.collect())) == shapes


def shuffle_and_sort(spark: SparkSession, query: str) -> list[str]:
    """Return what EXPLAIN says of the shuffle and the sort of a clause."""
    lines = plan(spark, query).splitlines()
    return [re.sub(r"#\d+", "", line) for line in lines if line.startswith(("Shuffle", "Sort"))]


def make_bucketed(spark: SparkSession) -> None:
    """Make a table with the rows in buckets by symbol, in files that each are a split."""
    spark.sql(
        """CREATE TABLE ice.db.bucketed (day INT, symbol STRING, price INT) USING iceberg
           PARTITIONED BY (bucket(4, symbol))
           TBLPROPERTIES ('read.split.target-size' = '1', 'read.split.open-file-cost' = '1')"""
    )


def test_buckets_of_the_keys_need_no_exchange(layout: SparkSession) -> None:
    make_bucketed(layout)
    layout.sql("INSERT INTO ice.db.bucketed SELECT * FROM rows")
    bucketed = f"SELECT * FROM ice.db.bucketed {CLAUSE}"
    assert rows(layout, bucketed) == SHAPES
    assert exchanges(layout, bucketed) == 0
    assert exchanges(layout, f"SELECT * FROM ice.db.ticks {CLAUSE}") == 1
    # rows of one key are in several files, and those in several splits
    layout.sql("INSERT INTO ice.db.bucketed SELECT 8, symbol, 100 FROM rows GROUP BY symbol")
    assert rows(layout, bucketed) == [("a", 1, 6, 4), ("a", 5, 7, 8), ("b", 2, 15, 5)]
    assert exchanges(layout, bucketed) == 0
    assert shuffle_and_sort(layout, bucketed) == [
        "Shuffle: none for this clause",
        "Sort: own, [symbol ASC NULLS FIRST, day ASC NULLS FIRST]",
    ]


def test_buckets_of_other_keys_or_without_the_settings_need_one(layout: SparkSession) -> None:
    make_bucketed(layout)
    layout.sql("INSERT INTO ice.db.bucketed SELECT * FROM rows")
    bucketed = f"SELECT * FROM ice.db.bucketed {CLAUSE}"
    other = bucketed.replace("PARTITION BY symbol", "PARTITION BY price")
    assert exchanges(layout, other) == 1
    layout.conf.set("spark.sql.sources.v2.bucketing.enabled", "false")
    assert shuffle_and_sort(layout, bucketed)[0] == "Shuffle: in blocks"
    assert exchanges(layout, bucketed) == 1


def test_a_written_order_is_not_believed(layout: SparkSession) -> None:
    make_bucketed(layout)
    layout.sql("ALTER TABLE ice.db.bucketed WRITE ORDERED BY symbol, day")
    layout.sql("INSERT INTO ice.db.bucketed SELECT * FROM rows WHERE day > 3")
    layout.sql("INSERT INTO ice.db.bucketed SELECT * FROM rows WHERE day <= 3")
    bucketed = f"SELECT * FROM ice.db.bucketed {CLAUSE}"
    assert rows(layout, bucketed) == SHAPES
    assert exchanges(layout, bucketed) == 0
    assert shuffle_and_sort(layout, bucketed)[1].startswith("Sort: own")


@pytest.mark.every_order
def test_views_of_a_catalog(iceberg: SparkSession, tmp_path: Path) -> None:
    """Catalogs such as REST and JDBC have views of their own, which Iceberg resolves."""
    catalog = {
        "": "org.apache.iceberg.spark.SparkCatalog",
        ".catalog-impl": "org.apache.iceberg.inmemory.InMemoryCatalog",
        ".warehouse": str(tmp_path),
    }
    for key, value in catalog.items():
        iceberg.conf.set(f"spark.sql.catalog.viewing_{tmp_path.name}{key}", value)
    here = f"viewing_{tmp_path.name}.db"
    iceberg.sql(f"CREATE NAMESPACE {here}")
    iceberg.sql(f"CREATE TABLE {here}.ticks USING iceberg AS SELECT * FROM rows")
    shapes = f"SELECT * FROM {here}.ticks {CLAUSE}"
    longest = f"""SELECT symbol, n OVER w AS n FROM {here}.ticks WINDOW w AS (
                    PARTITION BY symbol ORDER BY day MEASURES COUNT(*) AS n
                    ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING
                    PATTERN (STRT DOWN+) DEFINE DOWN AS price < PREV(price))"""
    queries = {
        "plain": shapes,
        "chained": f"WITH q AS ({shapes}) SELECT a.symbol, b.low FROM q a JOIN q b USING (symbol)",
        "inner_one": f"SELECT * FROM {here}.ticks WHERE symbol IN (SELECT symbol FROM ({shapes}))",
        "windowed": longest,
    }
    for name, query in queries.items():
        iceberg.sql(f"CREATE VIEW {here}.{name} AS {query}")
        expected = iceberg.sql(query).collect()
        assert expected
        found_there = iceberg.table(f"{here}.{name}").collect()
        assert sorted(map(str, found_there)) == sorted(map(str, expected)), name
    assert rows(iceberg, f"{here}.plain") == SHAPES


def test_the_change_log(iceberg: SparkSession) -> None:
    iceberg.sql("UPDATE ice.db.ticks SET price = 1 WHERE day = 3 AND symbol = 'a'")
    iceberg.sql("CALL ice.system.create_changelog_view(table => 'db.ticks', changelog_view => 'l')")
    changed = """SELECT * FROM l MATCH_RECOGNIZE (
                   PARTITION BY symbol, day ORDER BY _change_ordinal, _change_type
                   MEASURES OLD.price AS old_price, NEW.price AS new_price
                   PATTERN (OLD NEW)
                   DEFINE OLD AS _change_type = 'DELETE', NEW AS _change_type = 'INSERT'
                     AND price <> OLD.price)"""
    assert rows(iceberg, changed) == [("a", 3, 6, 1)]


def test_a_clause_in_a_merge_of_foreach_batch(iceberg: SparkSession, tmp_path: Path) -> None:
    merged_by_streams(iceberg, "iceberg", "ice.db.", tmp_path / "merge")
