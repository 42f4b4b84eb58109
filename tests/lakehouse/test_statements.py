"""The statements that the formats add to SQL are read as if the plugin were off."""

from __future__ import annotations

import re

import pytest
from lakehouse.lake import Lake
from pyspark.sql import SparkSession

pytestmark = [pytest.mark.matrix, pytest.mark.every_order]

DELTA = """
OPTIMIZE t
OPTIMIZE t WHERE day > 1 AND text = 'MATCH_RECOGNIZE (PATTERN (A))' ZORDER BY (day, define)
OPTIMIZE delta.`/tmp/match_recognize (`
VACUUM t RETAIN 200 HOURS DRY RUN
VACUUM t LITE
DESCRIBE HISTORY t LIMIT 3
DESCRIBE DETAIL t
GENERATE symlink_format_manifest FOR TABLE t
CONVERT TO DELTA parquet.`/tmp/x` PARTITIONED BY (pattern INT)
RESTORE TABLE t TO VERSION AS OF 3
RESTORE TABLE t TO TIMESTAMP AS OF '2026-03-01'
ALTER TABLE t ADD CONSTRAINT c CHECK (match_recognize > 0 AND define <> 'PATTERN')
ALTER TABLE t DROP CONSTRAINT c
ALTER TABLE t CLUSTER BY (pattern, define)
ALTER TABLE t CLUSTER BY NONE
ALTER TABLE t DROP FEATURE deletionVectors TRUNCATE HISTORY
CREATE TABLE c SHALLOW CLONE t VERSION AS OF 1 TBLPROPERTIES (a = 'b')
CREATE OR REPLACE TABLE c SHALLOW CLONE t
CREATE TABLE t (a INT, b INT GENERATED ALWAYS AS (a * 2)) USING delta CLUSTER BY (a)
REORG TABLE t APPLY (PURGE)
SELECT * FROM table_changes('t', 1, 2)
SELECT * FROM t VERSION AS OF 1 WHERE match_recognize = 1
"""
ICEBERG = """
CALL ice.system.rewrite_data_files('db.t')
CALL ice.system.rewrite_data_files(table => 'db.t', where => 'text = "MATCH_RECOGNIZE ("')
CALL ice.system.rollback_to_snapshot(table => 'db.t', snapshot_id => 1)
ALTER TABLE ice.db.t ADD PARTITION FIELD bucket(4, pattern) AS buckets
ALTER TABLE ice.db.t DROP PARTITION FIELD truncate(2, define)
ALTER TABLE ice.db.t REPLACE PARTITION FIELD day WITH days(at) AS d
ALTER TABLE ice.db.t WRITE ORDERED BY symbol DESC NULLS LAST, bucket(4, match_recognize)
ALTER TABLE ice.db.t WRITE DISTRIBUTED BY PARTITION LOCALLY ORDERED BY day
ALTER TABLE ice.db.t WRITE UNORDERED
ALTER TABLE ice.db.t SET IDENTIFIER FIELDS symbol, day
ALTER TABLE ice.db.t DROP IDENTIFIER FIELDS symbol
ALTER TABLE ice.db.t CREATE BRANCH IF NOT EXISTS pattern RETAIN 7 DAYS
ALTER TABLE ice.db.t CREATE OR REPLACE TAG define AS OF VERSION 3 RETAIN 1 DAYS
ALTER TABLE ice.db.t REPLACE BRANCH pattern AS OF VERSION 3
ALTER TABLE ice.db.t DROP TAG IF EXISTS define
CREATE TABLE ice.db.t (a INT, b STRING) USING iceberg PARTITIONED BY (bucket(4, a), years(b))
SELECT * FROM ice.db.t.snapshots
SELECT * FROM ice.db.t VERSION AS OF 'match_recognize'
"""


def parsed(spark: SparkSession, statement: str) -> str:
    """Return the tree that the session's parsers make of a statement, without ids."""
    tree = spark._jsparkSession.sessionState().sqlParser().parsePlan(statement)
    return re.sub(r"#\d+L?", "#", str(tree.treeString()))


def test_statements_are_read_as_without_the_plugin(lake: Lake) -> None:
    texts = {"delta": DELTA, "iceberg": ICEBERG}
    statements = [line for kind in lake.formats for line in texts[kind].strip().splitlines()]
    with_plugin = [parsed(lake.spark, statement) for statement in statements]
    lake.spark.conf.set("spark.matchRecognize.enabled", "false")
    try:
        without = [parsed(lake.spark, statement) for statement in statements]
    finally:
        lake.spark.conf.unset("spark.matchRecognize.enabled")
    assert with_plugin == without
