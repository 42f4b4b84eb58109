"""What only Flink has: windows of time as tables and groups, tables as of a time, CEIL(t TO unit).

Windows become the function WINDOW of Spark, whose column has the fields `start` and `end`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sqlglot import TokenType, exp

from spark_match_recognize._translate import times
from spark_match_recognize._translate.nodes import Clause, Written, inner_first, replace
from spark_match_recognize._translate.rules import Refused, written

_ANY: Any = object
_TABLES = ("TUMBLE", "HOP", "CUMULATE", "SESSION")
_INSTEAD = {
    "CUMULATE": "group by the smallest windows, and sum them in a window function",
    "SESSION": "group by SESSION_WINDOW(time, gap)",
}
_GROUPS = re.compile(r"(TUMBLE|HOP|SESSION)(?:_(START|END|ROWTIME|PROCTIME))?")


class WindowTable(exp.Expression):  # type: ignore[misc, unused-ignore]
    """The rows of a table with their windows; `size` and `slide` are intervals."""

    arg_types = {"this": True, "time": True, "size": True, "slide": False, "alias": False}


class FlinkReader(_ANY):  # type: ignore[misc]
    """Reads functions of windows in FROM; placed before the parser that reads the clause."""

    def _parse_table(self, *args: Any, **kwargs: Any) -> Any:
        start = self._index
        wrapped = self._match_text_seq("TABLE") and self._match(TokenType.L_PAREN)
        name = self._curr.text.upper() if self._curr else ""
        after = self._next and self._next.token_type == TokenType.L_PAREN
        if name in _TABLES and after and self.is_word(*_TABLES):
            self._advance(2)
            table = self._windows(name)
            if wrapped:
                self._match_r_paren()
            table.set("alias", self._parse_table_alias())
            return table
        self._retreat(start)
        return super()._parse_table(*args, **kwargs)

    def _windows(self, name: str) -> WindowTable:
        if name in _INSTEAD:
            message = f"{name} has no counterpart in Spark: {_INSTEAD[name]}"
            raise Refused(message)
        parts = self._parse_csv(self._argument)
        self._match_r_paren()
        table, time, *lengths = parts
        # HOP has the slide first
        size, slide = (lengths[0], None) if name == "TUMBLE" else (lengths[1], lengths[0])
        return WindowTable(this=table, time=time, size=size, slide=slide)

    def _argument(self) -> Any:
        if self._match_text_seq("DATA", "=>") or self._match_text_seq("TIMECOL", "=>"):
            pass
        if self._match_text_seq("TABLE"):
            return self._parse_table_parts()
        if self._match_text_seq("DESCRIPTOR"):
            self._match_l_paren()
            column = self._parse_column()
            self._match_r_paren()
            return column
        return self._parse_disjunction()


def skip(clause: Clause) -> Iterator[str]:
    """Write where Flink continues."""
    if not clause.args.get("after"):
        clause.set("after", "AFTER MATCH SKIP TO NEXT ROW")
        yield (
            "Flink continues at the next row if there is no AFTER MATCH SKIP: TO NEXT ROW was "
            "added."
        )


def changed(statement: Any) -> Iterator[str]:
    """Write what only Flink has, and say what is different afterwards.

    Raises:
        Refused: If something has no counterpart.
    """
    for version in statement.find_all(exp.Version):
        if version.expression is not None and version.find(exp.Column):
            message = (
                "FOR SYSTEM_TIME AS OF a column has no counterpart in Spark: join the rows whose "
                "time of validity holds the column"
            )
            raise Refused(message)
    for call in inner_first(statement, exp.Ceil, exp.Floor):
        unit = times.unit_of(call.args["to"]) if call.args.get("to") else None
        if unit:
            replace(call, _ceiling(call, unit))
    for table in inner_first(statement, WindowTable):
        yield "A table with windows leaves out rows without a time."
        table.replace(_with_windows(table))
    for call in inner_first(statement, exp.Anonymous):
        found = _GROUPS.fullmatch(call.name.upper())
        if found and len(call.expressions) > 1:
            replace(call, _group(call, *found.groups()))


def _ceiling(call: Any, unit: str) -> Written:
    note = times.OF_A_DATE if unit in times.DATES else ""
    if isinstance(call, exp.Floor):
        return times.beginning(unit, call.this)
    up = "{0:o} + INTERVAL '1' " + unit + " - INTERVAL '0.000001' SECOND"
    if unit in ("WEEK", "QUARTER"):
        up = up.replace(f"'1' {unit}", "'7' DAY" if unit == "WEEK" else "'3' MONTH")
    if unit in ("MONTH", "QUARTER", "YEAR"):
        # a month is added to its beginning, as the last days of some are missing in others
        up = (
            f"DATE_TRUNC('{unit}', {{0:o}} - INTERVAL '0.000001' SECOND)"
            + up[5:].partition(" -")[0]
        )
        return written(up, call.this, note=note, kind="time")
    return written(f"DATE_TRUNC('{unit}', {up})", call.this, note=note, kind="time")


def _length(interval: Any) -> str:
    """Return an interval as WINDOW takes it."""
    unit = times.unit_of(interval.args.get("unit")) if isinstance(interval, exp.Interval) else None
    if not unit:
        message = "a window has a length such as INTERVAL '10' MINUTE"
        raise Refused(message)
    return f"'{interval.this.name} {unit.lower()}'"


def _window(size: Any, slide: Any) -> str:
    lengths = [_length(size), *([_length(slide)] if slide is not None else [])]
    return f"WINDOW({{0}}, {', '.join(lengths)})"


def _group(call: Any, name: str, part: str | None) -> Written:
    time, *lengths = call.expressions
    if name == "SESSION":
        window = f"SESSION_WINDOW({{0}}, {_length(lengths[0])})"
    else:
        size, slide = (lengths[0], None) if name == "TUMBLE" else (lengths[1], lengths[0])
        window = _window(size, slide)
    text = {
        "START": "{}.start",
        "END": "{}.end",
        "ROWTIME": "({}.end - INTERVAL '0.001' SECOND)",
        "PROCTIME": "CURRENT_TIMESTAMP()",
        None: "{}",
    }[part]
    return written(text.replace("{}", window), time)


def _with_windows(table: WindowTable) -> Any:
    window = _window(table.args["size"], table.args["slide"])
    time = table.args["time"]
    columns = [
        (f"{window}.start", "window_start"),
        (f"{window}.end", "window_end"),
        (f"({window}.end - INTERVAL '0.001' SECOND)", "window_time"),
    ]
    rows = exp.Select(
        expressions=[
            exp.Star(),
            *(exp.alias_(written(text, time.copy()), name) for text, name in columns),
        ]
    ).from_(table.this.copy())
    alias = table.args.get("alias")
    return exp.Subquery(this=rows, alias=alias.copy() if alias else None)
