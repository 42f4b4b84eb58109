"""Statements of other systems in Spark's dialect."""

from __future__ import annotations

import contextlib
import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from spark_match_recognize import _arguments as arguments
from spark_match_recognize import _pattern as patterns
from spark_match_recognize._errors import extra

# Ours, and the dialect of sqlglot that reads it. Flink's is made of Spark's, with other strings.
_DIALECTS = {
    "databricks": "databricks",
    "duckdb": "duckdb",
    "flink": "flink",
    "oracle": "oracle",
    "snowflake": "snowflake",
    "spark": "spark",
    "trino": "trino",
    "vertica": "vertica",
}
# Systems whose names are in capitals unless they are in quotes.
_CAPITALS = ("oracle", "snowflake", "trino")
_VARIABLE = re.compile(r"`(?:[^`]|``)*`|/\*.*?\*/|(\w+)", re.DOTALL)


@dataclass(frozen=True)
class Translation:
    """A statement in Spark's dialect.

    Attributes:
        sql: The statement.
        notes: What was changed because its meaning differs, and what may still differ.
    """

    sql: str
    notes: tuple[str, ...]

    def __str__(self) -> str:
        """Return the statement."""
        return self.sql


def translate(sql: str, read: str) -> Translation:
    """Translate a statement with MATCH_RECOGNIZE from another system into Spark's dialect.

    Functions, types and literals are translated by sqlglot. What is not known to return the same in
    Spark is named in a note. Needs the extra `translate`.

    Examples:
        >>> import spark_match_recognize as mr
        >>> found = mr.translate('''
        ...     SELECT * FROM ticks MATCH_RECOGNIZE (
        ...       ORDER BY ts MEASURES COUNT(*) AS n PATTERN (A{2}) DEFINE A AS price > 10)
        ... ''', read="flink")
        >>> print(found.sql)
        SELECT
          *
        FROM ticks
        MATCH_RECOGNIZE (
          ORDER BY
            ts
          MEASURES
            COUNT(*) AS n
          AFTER MATCH SKIP TO NEXT ROW
          PATTERN (A{2})
          DEFINE
            A AS price > 10
        )
        >>> print(found.notes[0])
        Flink continues at the next row if there is no AFTER MATCH SKIP: TO NEXT ROW was added.

    Args:
        sql: One statement.
        read: The system that it is written for: databricks, duckdb, flink, oracle, snowflake,
            spark, trino or vertica, whose clause is MATCH.

    Returns:
        The statement, and notes on differences in meaning.

    Raises:
        MissingExtraError: If sqlglot is not installed.
        TypeError: If `sql` is not a string.
        ValueError: If sqlglot cannot read the statement, a MATCH of Vertica has no counterpart, or
            the system is not one of these.
    """
    arguments.text("sql", sql)
    if read not in _DIALECTS:
        message = f"translate reads {', '.join(_DIALECTS)}, not {read!r}"
        raise ValueError(message)
    sqlglot = extra("sqlglot", "translate")
    dialects = importlib.import_module("spark_match_recognize._dialects")
    meaning = importlib.import_module("spark_match_recognize._dialect_meaning")
    vertica = importlib.import_module("spark_match_recognize._vertica")
    reader = vertica.dialect() if read == "vertica" else dialects.reader(_DIALECTS[read])
    try:
        statements = reader().parse(sql)
    except (sqlglot.errors.SqlglotError, RecursionError) as error:
        message = f"sqlglot cannot read this statement: {_plain(error)}"
        raise ValueError(message) from error
    statements = [statement for statement in statements if statement is not None]
    if len(statements) != 1:
        message = f"translate takes one statement, not {len(statements) or 'an empty text'}"
        raise ValueError(message)
    statement = statements[0]
    changes = list(vertica.changed(statement)) if read == "vertica" else []
    changes += _changed(dialects, statement, read)
    changes += meaning.rewritten(statement, read)
    writer = dialects.Writer(
        dialect="spark", pretty=True, unsupported_level=sqlglot.ErrorLevel.IGNORE
    )
    text = str(writer.generate(statement))
    if _nulls(dialects.Spark(), text) > _nulls(reader(), sql):
        name = meaning.spelled(read)
        changes.append(f"{name} sorts NULLs elsewhere: NULLS FIRST or NULLS LAST was added.")
    unsupported = (f"sqlglot: {problem.rstrip('.')}." for problem in writer.unsupported_messages)
    kept = [*_warnings(dialects, statement, read), *meaning.warnings(statement, read)]
    notes = [*changes, *kept, *unsupported]
    return Translation(text, tuple(dict.fromkeys(notes)))


def _changed(dialects: Any, statement: Any, read: str) -> Iterator[str]:  # noqa: ANN401 - sqlglot
    """Change what has another meaning in Spark, and say so."""
    exp = dialects.exp
    for clause in list(statement.find_all(dialects.Clause)):
        if read == "flink" and not clause.args.get("after"):
            clause.set("after", "AFTER MATCH SKIP TO NEXT ROW")
            yield (
                "Flink continues at the next row if there is no AFTER MATCH SKIP: TO NEXT ROW was "
                "added."
            )
        if read in _CAPITALS and _names_are_read(dialects, clause):
            pattern = _VARIABLE.sub(
                lambda name: name[0] if name[1] is None else name[1].upper(), clause.args["pattern"]
            )
            if pattern != clause.args["pattern"]:
                clause.set("pattern", pattern)
                yield (
                    f"{read.capitalize()} returns names of variables without quotes in capitals: "
                    "PATTERN has them now."
                )
        if read != "snowflake":
            continue
        for call in list(clause.find_all(exp.Anonymous)):
            if call.name.upper() == "MATCH_SEQUENCE_NUMBER":
                running = dialects.Semantics(this=exp.Count(this=exp.Star()), kind="RUNNING")
                call.replace(running)
                yield "MATCH_SEQUENCE_NUMBER() is RUNNING COUNT(*)."
        for call in list(clause.find_all(exp.Lag, exp.Lead)):
            window = call.parent if isinstance(call.parent, exp.Window) else call
            name = "PREV" if isinstance(call, exp.Lag) else "NEXT"
            arguments = [call.this, *([call.args["offset"]] if call.args.get("offset") else [])]
            window.replace(exp.Anonymous(this=name, expressions=arguments))
            yield f"{call.key.upper()} in the clause is {name}."
            if call.args.get("default"):
                yield (
                    f"{name} has no default value, and that of {call.key.upper()} is left out: it "
                    "returns NULL there."
                )


def _names_are_read(dialects: Any, clause: Any) -> bool:  # noqa: ANN401 - as above
    calls = clause.find_all(dialects.exp.Anonymous)
    return any(call.name.upper() == "CLASSIFIER" for call in calls)


def _warnings(dialects: Any, statement: Any, read: str) -> Iterator[str]:  # noqa: ANN401 - as above
    """Say what may have another meaning, and cannot be seen from the text alone."""
    exp = dialects.exp
    clauses = list(statement.find_all(dialects.Clause))
    if read == "oracle" and any(
        literal.is_string and not literal.this for literal in statement.find_all(exp.Literal)
    ):
        yield "In Oracle '' is NULL; here it is an empty string."
    if read == "flink" and any(clause.args.get("within") for clause in clauses):
        yield "WITHIN includes its bound here; check matches that last exactly as long."
    if read == "databricks":
        for clause in clauses:
            yield from _of_databricks(dialects, clause)
    own = (dialects.Clause, exp.Select)  # a window of a subquery is not the clause's
    windows = (window for clause in clauses for window in clause.find_all(exp.Window))
    if any(isinstance(window.find_ancestor(*own), dialects.Clause) for window in windows):
        yield (
            "Window functions cannot be used in the clause: compute them in a subquery that the "
            "clause reads."
        )
    for call in statement.find_all(exp.Anonymous):
        if call.name.upper() not in dialects.OF_THE_CLAUSE:
            yield f"The function {call.name} is left as it is."


def _of_databricks(dialects: Any, clause: Any) -> Iterator[str]:  # noqa: ANN401 - as above
    with contextlib.suppress(ValueError):  # Spark will refuse it
        if patterns.can_be_empty(patterns.read(clause.args["pattern"])):
            yield (
                "PATTERN can match no row: Databricks does not return such a match, and here there "
                "is a row for it."
            )
    if not str(clause.args.get("rows") or "").upper().startswith("ALL"):
        return
    exp = dialects.exp
    for measure in clause.args.get("measures") or ():
        for call in measure.find_all(exp.Avg, exp.Count, exp.Max, exp.Min, exp.Sum):
            if not isinstance(call.parent, dialects.Semantics):
                yield (
                    "An aggregate of ALL ROWS PER MATCH is that of the rows up to each row here; "
                    "Databricks describes it as that of all rows of the match, which is FINAL."
                )


def _nulls(dialect: Any, sql: str) -> int:  # noqa: ANN401 - as above
    return sum(token.text.upper() == "NULLS" for token in dialect.tokenize(sql))


def _plain(error: Exception) -> str:
    """Return the message of sqlglot without the codes that underline in a terminal."""
    return str(error).replace("\033[4m", "").replace("\033[0m", "")
