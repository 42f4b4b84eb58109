"""The systems that `translate` reads, and the facts in which they differ from Spark.

A fact that is one system's alone is where it is used, next to a comparison with that system.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class System:
    """A system; each fact is what holds for Spark unless it is given.

    Attributes:
        title: The name as its makers write it.
        dialect: The dialect of sqlglot that reads it.
        is_spark: Whether functions and types are Spark's own.
        capitals: Whether names without quotes are in capitals.
        backslash_escapes: Whether a backslash in LIKE escapes the next character, as in Spark.
        bare_calls: Functions of the clause that are called without parentheses, too.
        counts_from_one: Whether the first element of an array has the number 1.
        days: Whether the difference of two dates is a number of days.
        integer_averages: Whether the average of integers is an integer.
        integer_quotients: Whether the quotient of two integers is an integer.
        own_averages: Whether an average has the type or the scale of what is averaged.
        rounds_casts: Whether a cast to an integer rounds.
        decimal: Precision and scale of a DECIMAL without them, where sqlglot does not write them.
        doubles: Types of 64 bits that sqlglot takes for types of 32.
    """

    title: str
    dialect: str
    is_spark: bool = False
    capitals: bool = False
    backslash_escapes: bool = False
    bare_calls: tuple[str, ...] = ()
    counts_from_one: bool = False
    days: bool = False
    integer_averages: bool = False
    integer_quotients: bool = False
    own_averages: bool = False
    rounds_casts: bool = False
    decimal: tuple[int, int] | None = None
    doubles: tuple[str, ...] = ()


DATABRICKS = System("Databricks", "databricks", is_spark=True)
DUCKDB = System("DuckDB", "duckdb", counts_from_one=True, days=True, rounds_casts=True)
# sqlglot has no dialect of it: it is made of Spark's, with other strings
FLINK = System(
    "Flink",
    "spark",
    counts_from_one=True,
    integer_averages=True,
    integer_quotients=True,
    own_averages=True,
)
ORACLE = System(
    "Oracle", "oracle", capitals=True, days=True, rounds_casts=True, doubles=("FLOAT", "REAL")
)
SNOWFLAKE = System(
    "Snowflake",
    "snowflake",
    capitals=True,
    bare_calls=("CLASSIFIER", "MATCH_NUMBER", "MATCH_SEQUENCE_NUMBER"),
    days=True,
    own_averages=True,
    rounds_casts=True,
    doubles=("FLOAT4", "REAL"),
)
SPARK = System("Spark", "spark", is_spark=True)
TRINO = System(
    "Trino",
    "trino",
    capitals=True,
    counts_from_one=True,
    integer_quotients=True,
    own_averages=True,
    rounds_casts=True,
    decimal=(38, 0),
)
# expressions are nearly PostgreSQL's
VERTICA = System(
    "Vertica",
    "postgres",
    backslash_escapes=True,
    days=True,
    rounds_casts=True,
    decimal=(37, 15),
    doubles=("FLOAT4", "REAL"),
)

SYSTEMS = {
    system.title.lower(): system
    for system in (DATABRICKS, DUCKDB, FLINK, ORACLE, SNOWFLAKE, SPARK, TRINO, VERTICA)
}
