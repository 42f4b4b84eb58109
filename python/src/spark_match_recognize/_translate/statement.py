"""The way of a statement from the text of a system to that of Spark."""

from __future__ import annotations

from typing import Any

from sqlglot import ErrorLevel
from sqlglot.dialects.spark import Spark
from sqlglot.errors import SqlglotError

from spark_match_recognize._translate import reader, vertica
from spark_match_recognize._translate.changes import changed
from spark_match_recognize._translate.notes import warnings
from spark_match_recognize._translate.rules import Refused
from spark_match_recognize._translate.systems import VERTICA, System
from spark_match_recognize._translate.writer import Writer


def translated(sql: str, system: System) -> tuple[str, tuple[str, ...]]:
    """Translate one statement.

    Args:
        sql: The statement.
        system: The system that it is written for.

    Returns:
        The statement in Spark's dialect, and notes on differences in meaning.

    Raises:
        ValueError: If it cannot be read, or has no counterpart.
    """
    dialect = vertica.dialect() if system is VERTICA else reader.dialect(system)
    try:
        tree = _read(dialect, sql)
        changes = list(changed(tree, system))
    except Refused as error:
        message = f"{error}."
        raise ValueError(message) from None
    writer = Writer(dialect="spark", pretty=True, unsupported_level=ErrorLevel.IGNORE)
    text = str(writer.generate(tree))
    if _nulls(Spark(), text) > _nulls(dialect(), sql):
        name = system.title
        changes.append(f"{name} sorts NULLs elsewhere: NULLS FIRST or NULLS LAST was added.")
    unsupported = (f"sqlglot: {problem.rstrip('.')}." for problem in writer.unsupported_messages)
    notes = [*changes, *warnings(tree, system), *unsupported]
    return text, tuple(dict.fromkeys(notes))


def _read(dialect: Any, sql: str) -> Any:
    try:
        read = dialect().parse(sql)
    except (SqlglotError, RecursionError) as error:
        message = f"sqlglot cannot read this statement: {_plain(error)}"
        raise ValueError(message) from error
    statements = [statement for statement in read if statement is not None]
    if len(statements) != 1:
        message = f"translate takes one statement, not {len(statements) or 'an empty text'}"
        raise ValueError(message)
    return statements[0]


def _nulls(dialect: Any, sql: str) -> int:
    return sum(token.text.upper() == "NULLS" for token in dialect.tokenize(sql))


def _plain(error: Exception) -> str:
    """Return the message of sqlglot without the codes that underline in a terminal."""
    return str(error).replace("\033[4m", "").replace("\033[0m", "")
