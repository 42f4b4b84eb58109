"""Valid SQL that is probably a mistake."""

from __future__ import annotations

import re
from collections.abc import Iterator

from spark_match_recognize import _kinds as kinds
from spark_match_recognize._hints import DataFrame, SparkSession
from spark_match_recognize._lines import Warnings
from spark_match_recognize._sql import statement
from spark_match_recognize._trace import called

# A smaller partition is searched at once, whatever the others are.
_LARGE = 10_000
# In one row: equal keys are counted, then the rows of each partition, then all.
_COUNTS = """
    SELECT {overall} FROM (
      SELECT {of_partitions} FROM (SELECT {of_keys} FROM {keys} GROUP BY ALL) GROUP BY ALL)
"""


@kinds.checked(
    sql=kinds.query,
    spark=kinds.optional(kinds.session),
    data=kinds.flag,
    incremental=kinds.flag,
)
def lint(
    sql: DataFrame | str,
    spark: SparkSession | None = None,
    *,
    data: bool = False,
    incremental: bool = False,
) -> Warnings:
    r"""Return warnings about the MATCH_RECOGNIZE clauses of a query.

    Without `data` nothing is run. They are what EXPLAIN FORMATTED shows of tables, and what the log
    says when the query runs: no ORDER BY, a constant as a key of a window, a variable without a
    definition whose name is nearly that of a defined one or looks like an operator (`A OR B`),
    PERMUTE of one element, a condition that is never true, or that reads a variable which has no
    row yet. Further what the types tell: comparisons with NULL and of texts with numbers, fractions
    as keys of PARTITION BY.

    With `data` the input of the outermost clause is read and counted as well, by a query that
    Spark runs in parallel: the rows of the largest partition, NULLs in PARTITION BY, NULLs in
    ORDER BY, ties, and texts that are sorted or compared and are all numbers. Which conditions
    never hold, `explain` says.

    Examples:
        >>> import spark_match_recognize as mr
        >>> query = '''
        ...     SELECT * FROM VALUES ('9', 1), ('10', 2) AS t(k, v) MATCH_RECOGNIZE (
        ...       ORDER BY k MEASURES COUNT(*) AS n PATTERN (FALL DOWN)
        ...       DEFINE FALL AS v > DOWN.v, DOWN AS v > 1)
        ... '''
        >>> print(str(mr.lint(query, spark, data=True)).replace(": ", "\n"))
        The condition of FALL reads DOWN, which has no row yet where PATTERN has FALL
        what it reads is NULL.
        k is sorted or compared as a text, and all of its 2 values are numbers
        as texts, '10' is before '9'. Write CAST(k AS DOUBLE), or another type.

    Args:
        sql: A statement, or a DataFrame, such as `match_recognize` returns.
        spark: The session of a statement, classic or Connect; the active one if it is not given.
        data: Whether to read the input of the outermost clause, which is a table.
        incremental: Whether to say of each clause how far before new rows it has to be searched
            again, as `lookback` does.

    Returns:
        One sentence for each thing found, that of the innermost clause first, then those of the
        data: a list that prints as lines, empty if nothing was found.

    Raises:
        AnalysisException: If the query is not valid; with `data`, if it has no clause, several
            side by side, or one that reads a stream.
        PluginNotLoadedError: If the session does not have the plugin.
        RuntimeError: If there is no session.
        SetupError: If the plugin of the session is too old for it.
        TypeError: If an argument is of a wrong kind.
    """
    told = [str(row.warning) for row in called("warnings", sql, spark).collect()]
    if incremental:
        told += [str(row.advice) for row in called("lookback", sql, spark).collect()]
    if data:
        told += _of_data(called("keys", sql, spark))
    return Warnings(told)


def _of_data(keys: DataFrame) -> Iterator[str]:
    """Warn of the rows that a clause reads."""
    names = {field.name: field.metadata["comment"] for field in keys.schema}
    partition, order, texts = (
        [name for name in names if name.startswith(kind)]
        for kind in ("partition_", "order_", "text_")
    )
    parts = _parts(partition, order, texts)
    counts = statement(keys.sparkSession, _COUNTS, {}, {"keys": keys}, **parts).collect()[0]
    rows, largest = counts["n"] or 0, counts["largest"] or 0
    if rows == 0:
        yield "The input of the clause has no rows, so its data was not checked."
        return
    if counts["partitions"] > 2 and largest >= _LARGE and largest * 2 > rows:  # noqa: PLR2004
        yield (
            f"One of {counts['partitions']:,} partitions has {largest:,} of {_rows(rows)}. One "
            "task searches it, and the others wait. If its key replaces missing values, exclude "
            "it in WHERE; otherwise add a key to PARTITION BY."
        )
    for name in partition:
        if nulls := counts[f"{name}_nulls"]:
            yield (
                f"PARTITION BY {names[name]} is NULL in {_rows(nulls)}; NULLs are one partition. "
                "If their rows do not belong together, exclude them: WHERE "
                f"{_operand(names[name])} IS NOT NULL."
            )
    for name in order:
        if nulls := counts[f"{name}_nulls"]:
            yield (
                f"ORDER BY {names[name]} is NULL in {_rows(nulls)}; NULLs are sorted before or "
                "after all others. If their rows have no place in the order, exclude them: WHERE "
                f"{_operand(names[name])} IS NOT NULL."
            )
    if order and counts["tied"]:
        rest = "" if partition else ", or PARTITION BY if they belong to different things"
        yield (
            f"{counts['tied']:,} of {_rows(rows)} have the same ORDER BY keys as another row of "
            "their partition, so their order, and with it the result, may change. Add a key to "
            f"ORDER BY that tells them apart{rest}."
        )
    for name in texts:
        count = counts[f"{name}_count"]
        # texts of one length are sorted as their numbers are
        if (
            0 < count == counts[f"{name}_numbers"]
            and counts[f"{name}_least"] < counts[f"{name}_most"]
        ):
            yield (
                f"{names[name]} is sorted or compared as a text, and all of its {count:,} values "
                f"are numbers: as texts, '10' is before '9'. Write CAST({names[name]} AS DOUBLE), "
                "or another type."
            )


def _operand(key: str) -> str:
    """Return a key as SQL for an operator that binds more tightly than those of the key."""
    return key if re.fullmatch(r"(\w|\.|`([^`]|``)+`)+", key) else f"({key})"


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count:,} rows"


def _parts(partition: list[str], order: list[str], texts: list[str]) -> dict[str, str]:
    """Return what the statement selects that counts the rows of `match_recognize_keys`.

    The names of its columns are those of the function, which no name or value of the data is a part
    of.
    """
    parts: list[tuple[str, str, str]] = [("n", "count(*)", "sum")]
    for name in texts:
        number = f"trim({name}) RLIKE '^[+-]?[0-9]+([.][0-9]+)?$'"
        parts += [
            (f"{name}_count", f"count({name})", "sum"),
            (f"{name}_numbers", f"count_if({number})", "sum"),
            (f"{name}_least", f"min(length(trim({name})))", "min"),
            (f"{name}_most", f"max(length(trim({name})))", "max"),
        ]
    again = [f"{total}({name}) AS {name}" for name, _, total in parts]
    nulls = {
        level: [f"sum(IF({name} IS NULL, n, 0)) AS {name}_nulls" for name in names]
        for level, names in (("order", order), ("partition", partition))
    }
    tied = "sum(IF(n > 1, n, 0)) AS tied"
    overall = [
        *again,
        *nulls["partition"],
        *(f"sum({name}_nulls) AS {name}_nulls" for name in order),
        "sum(tied) AS tied",
        "count(*) AS partitions",
        "max(n) AS largest",
    ]
    of_keys = [*partition, *order, *(f"{value} AS {name}" for name, value, _ in parts)]
    of_partitions = [*partition, *again, tied, *nulls["order"]]
    selected = {"of_keys": of_keys, "of_partitions": of_partitions, "overall": overall}
    return {level: ", ".join(columns) for level, columns in selected.items()}
