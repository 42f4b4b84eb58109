"""The MATCH clause of Vertica as MATCH_RECOGNIZE.

Vertica writes it after WHERE, as a part of the whole query: conditions read single rows, all rows
of each match are returned, and functions of the SELECT list name the event, the match and the row.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import Any

from sqlglot import TokenType, exp

from spark_match_recognize._translate import reader
from spark_match_recognize._translate.nodes import Clause, ClauseOfTable, is_call, running_count
from spark_match_recognize._translate.systems import VERTICA

_ANY: Any = object
# A token that Vertica has no other use for.
_MATCH = TokenType.PREWHERE
_POSSESSIVE = re.compile(r"[*+?]\s*\+")
_NOT_OF_A_PATTERN = re.compile(r"[^\w\s()|*+?`]")
_FUNCTIONS = {
    "EVENT_NAME": ("event_name", "EVENT_NAME() is CLASSIFIER()."),
    "PATTERN_ID": ("pattern_id", "PATTERN_ID() is MATCH_NUMBER()."),
    "MATCH_ID": (
        "match_id",
        (
            "MATCH_ID() is RUNNING COUNT(*), the position of the row in its match; for the number "
            "of the match write MATCH_NUMBER()."
        ),
    ),
}
_NOT_WITH_MATCH = {"distinct": "DISTINCT", "group": "GROUP BY", "having": "HAVING"}


class Match(exp.Expression):  # type: ignore[misc, unused-ignore]
    """The MATCH clause; PATTERN is text."""

    arg_types = {
        "partition_by": False,
        "order": True,
        "define": True,
        "pattern": True,
        "first_event": False,
        "all_rows": False,
    }


class MatchReader(_ANY):  # type: ignore[misc]
    """Reads the MATCH clause; placed before the parser that reads MATCH_RECOGNIZE."""

    def read_match(self) -> Match:
        """Read the clause, from its first word on."""
        self._match(_MATCH)
        self._match_l_paren()
        parts: dict[str, Any] = {}
        if self._match(TokenType.PARTITION_BY):
            parts["partition_by"] = self._parse_csv(self._parse_disjunction)
        parts["order"] = self._parse_order()
        if not parts["order"]:
            self.raise_error("Expecting ORDER BY")
        self.expect("DEFINE")
        parts["define"] = self.read_definitions()
        self.expect("PATTERN")
        self._parse_id_var(any_token=True)
        self.expect("AS")
        parts["pattern"] = self.read_in_parentheses()
        parts["first_event"] = bool(self._match_text_seq("ROWS", "MATCH", "FIRST", "EVENT"))
        if not parts["first_event"]:
            self._match_text_seq("ROWS", "MATCH", "ALL", "EVENTS")
        parts["all_rows"] = bool(self._match_text_seq("RESULTS", "ALL", "ROWS"))
        self._match_r_paren()
        return Match(**parts)


@functools.cache
def dialect() -> Any:
    """Return the dialect of Vertica, with its own clause."""
    base = reader.dialect(VERTICA)

    class Tokenizer(base.tokenizer_class):  # type: ignore[misc, name-defined]
        KEYWORDS = {**base.tokenizer_class.KEYWORDS, "MATCH": _MATCH}

    class Parser(MatchReader, base.parser_class):  # type: ignore[misc, name-defined]
        QUERY_MODIFIER_PARSERS = {
            **base.parser_class.QUERY_MODIFIER_PARSERS,
            _MATCH: lambda self: ("match", self.read_match()),
        }
        QUERY_MODIFIER_TOKENS = set(QUERY_MODIFIER_PARSERS)

    attributes = {
        "Tokenizer": Tokenizer,
        "Parser": Parser,
        "Generator": base.generator_class,
        # PostgreSQL's own would put NULLs last
        "NULL_ORDERING": "nulls_are_small",
        # Vertica counts elements from 0, and the quotient of integers has decimals
        "INDEX_OFFSET": 0,
        "TYPED_DIVISION": False,
    }
    return type("match_of_vertica", (base,), attributes)


def changed(statement: Any) -> Iterator[str]:
    """Replace each MATCH by MATCH_RECOGNIZE over the rows that it reads, and say what differs.

    Args:
        statement: What the dialect has read.

    Raises:
        ValueError: If a MATCH cannot be written with MATCH_RECOGNIZE.
    """
    for query in list(statement.find_all(exp.Select)):
        if isinstance(query.args.get("match"), Match):
            yield from _rewritten(query)


def _rewritten(query: Any) -> Iterator[str]:
    match = query.args["match"]
    _check(query, match.args["pattern"])
    query.set("match", None)
    source = query.args.get("from_") or query.args["from"]
    table = source.this
    name = table.alias_or_name
    for part in (match.args.get("partition_by") or [], [match.args["order"]], match.args["define"]):
        for column in (c for e in part for c in list(e.find_all(exp.Column))):
            for qualifier in ("table", "db", "catalog"):
                column.set(qualifier, None)
    measures = []
    for function, (column, note) in _FUNCTIONS.items():
        calls = [call for call in query.find_all(exp.Anonymous) if is_call(call, (function,))]
        if calls:
            yield note
            measures.append(_measure(query, calls, column))
    if any(isinstance(e, exp.Star) or e.is_star for e in query.expressions):
        yield (
            "* returns the keys of PARTITION BY and ORDER BY first, then the columns of the match, "
            "then the rest."
        )
    define = match.args["define"]
    if match.args.get("first_event"):
        define = list(_first_true(define))
        yield "ROWS MATCH FIRST EVENT: each condition excludes those before it."
    else:
        yield ("Vertica refuses a row for which two events are true; here PATTERN decides.")
    every = match.args.get("all_rows")
    if every:
        yield "RESULTS ALL ROWS: functions of the match are NULL for rows outside of it."
    yield "Vertica sorts NULLs by the type of the column; here they are first in ascending order."
    clause = Clause(
        partition_by=match.args.get("partition_by"),
        order=match.args["order"],
        measures=measures,
        rows=f"ALL ROWS PER MATCH {'WITH UNMATCHED ROWS' if every else 'OMIT EMPTY MATCHES'}",
        pattern=match.args["pattern"],
        define=define,
        alias=exp.TableAlias(this=exp.to_identifier(name)) if name else None,
    )
    where = query.args.get("where")
    if where:
        query.set("where", None)
        rows = exp.Select(expressions=[exp.Star()]).from_(table.copy())
        rows.set("where", where)
        table = exp.Subquery(this=rows)
    else:
        table = table.copy()
        table.set("alias", None)
    source.set("this", ClauseOfTable(this=table, clause=clause))


def _check(query: Any, pattern: str) -> None:
    """Refuse what has no counterpart."""
    reason = ""
    wrong = _NOT_OF_A_PATTERN.search(pattern)
    if query.args.get("joins"):
        reason = "it reads a join. Write the join as a subquery in FROM"
    elif found := [word for key, word in _NOT_WITH_MATCH.items() if query.args.get(key)]:
        reason = f"its query has {found[0]}. Write the query with MATCH as a subquery"
    elif possessive := _POSSESSIVE.search(pattern):
        reason = f"PATTERN has the possessive quantifier {possessive[0]}"
    elif wrong:
        reason = f"PATTERN has {wrong[0]}"
    if reason:
        message = f"MATCH cannot be written as MATCH_RECOGNIZE: {reason}."
        raise ValueError(message)


def _measure(query: Any, calls: list[Any], column: str) -> Any:
    """Replace the calls of a function by a column, and return its measure."""
    taken = {c.name.lower() for c in query.find_all(exp.Column)}
    name = f"{column}_of_match" if column in taken else column
    for call in calls:
        value: Any = exp.column(name)
        if name != column and call.parent is query and call.arg_key == "expressions":
            value = exp.alias_(value, column)
        call.replace(value)
    values: dict[str, Any] = {
        "event_name": exp.Anonymous(this="CLASSIFIER"),
        "pattern_id": exp.Anonymous(this="MATCH_NUMBER"),
        "match_id": running_count(),
    }
    return exp.alias_(values[column], name)


def _first_true(define: list[Any]) -> Iterator[Any]:
    """Return definitions of which at most one is true for a row: the first in their order."""
    before: list[Any] = []
    for definition in define:
        condition = definition.this
        others = [
            exp.Not(this=exp.Is(this=exp.Paren(this=c.copy()), expression=exp.true()))
            for c in before
        ]
        both = exp.and_(condition.copy(), *others) if others else condition.copy()
        yield exp.Alias(this=both, alias=definition.args["alias"].copy())
        before.append(condition)
