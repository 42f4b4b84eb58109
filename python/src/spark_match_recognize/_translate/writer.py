"""From the tree of sqlglot to the text that Spark reads with the plugin."""

from __future__ import annotations

from typing import Any

from sqlglot import ErrorLevel, exp
from sqlglot.dialects.spark import Spark

from spark_match_recognize._translate.nodes import Clause, ClauseOfTable, Semantics, Written

_SPARK: Any = Spark.generator_class


def text(node: Any) -> str:
    """Return an expression as it is in the translation, on one line."""
    writer = Writer(dialect="spark", unsupported_level=ErrorLevel.IGNORE)
    return " ".join(str(writer.generate(node, copy=True)).split())


class _Argument:
    """An argument in the text of a call; as an operand it has parentheses if it needs them."""

    def __init__(self, writer: Writer, node: Any) -> None:
        self.sql = str(writer.sql(node))
        self.binds = isinstance(node, exp.Binary | exp.Between | exp.In | exp.Not)

    def __format__(self, spec: str) -> str:
        return f"({self.sql})" if spec == "o" and self.binds else self.sql


class Writer(_SPARK):  # type: ignore[misc]
    """Writes the clause, after a table and in a window, and the rest as sqlglot does."""

    TRANSFORMS = {
        **_SPARK.TRANSFORMS,
        # sqlglot counts from Saturday on
        exp.DayOfWeekIso: lambda self, call: f"(WEEKDAY({self.sql(call, 'this')}) + 1)",
        # Spark has it since 4.0; sqlglot writes its argument alone
        exp.ParseJSON: lambda self, call: self.func("PARSE_JSON", call.this),
        Written: lambda self, call: self.written_sql(call),
        ClauseOfTable: lambda self, table: self.clauseoftable_sql(table),
        Semantics: lambda self, call: self.semantics_sql(call),
        Clause: lambda self, clause: self.clause_sql(clause),
    }

    def clauseoftable_sql(self, table: ClauseOfTable) -> str:
        """Write a table, the clause after it and the joins of its result."""
        joins = self.expressions(table, key="joins", sep="", flat=True)
        return f"{self.sql(table, 'this')}{self.sql(table, 'clause')}{joins}"

    def written_sql(self, call: Written) -> str:
        """Write what Spark computes for a call."""
        return str(call.this).format(*(_Argument(self, node) for node in call.expressions))

    def semantics_sql(self, call: Semantics) -> str:
        """Write RUNNING or FINAL and the function after it."""
        return f"{call.args['kind']} {self.sql(call, 'this')}"

    def clause_sql(self, clause: Clause) -> str:
        """Write the clause after a table."""
        given = clause.args
        parts = [
            self._lines("PARTITION BY", self.expressions(clause, key="partition_by")),
            self.sql(clause, "order"),
            self._lines("MEASURES", self.expressions(clause, key="measures")),
            *(self.seg(given[key]) for key in ("rows", "after") if given.get(key)),
            self.seg(f"PATTERN ({given['pattern']})"),
            *(
                self.seg(f"{key.upper()} {given[key]}")
                for key in ("within", "subset")
                if given.get(key)
            ),
            self._lines("DEFINE", self.expressions(sqls=self._definitions(clause))),
        ]
        alias = self.sql(clause, "alias")
        body = self.wrap("".join(parts).lstrip())
        return f"{self.seg('MATCH_RECOGNIZE')} {body}" + (f" AS {alias}" if alias else "")

    def window_sql(self, window: Any) -> str:
        """Write a window, its row pattern too."""
        if not window.args.get("row_pattern"):
            return str(super().window_sql(window))
        clause = window.args["row_pattern"]
        given = clause.args
        order, frame = window.args.get("order"), window.args.get("spec")
        parts = [
            self.sql(window, "alias"),
            self.partition_by_sql(window),
            self.order_sql(order, flat=True) if order else "",
            self._line("MEASURES", [self.sql(item) for item in given.get("measures") or ()]),
            self.sql(frame) if frame else "",
            given.get("after") or "",
            given.get("search") or "",
            f"PATTERN ({given['pattern']})",
            f"SUBSET {given['subset']}" if given.get("subset") else "",
            self._line("DEFINE", self._definitions(clause)),
        ]
        word = "AS" if window.arg_key == "windows" else "OVER"
        inside = self.sep("").join(part.strip() for part in parts if part)
        return f"{self.sql(window, 'this')} {word} {self.wrap(inside)}"

    def _definitions(self, clause: Clause) -> list[str]:
        return [
            f"{self.sql(item, 'alias')} AS {self.sql(item, 'this')}"
            for item in clause.args.get("define") or ()
        ]

    def _line(self, word: str, items: list[str]) -> str:
        return f"{word} {', '.join(items)}" if items else ""

    def _lines(self, words: str, items: str) -> str:
        return self.seg(f"{words}{self.seg(items)}") if items else ""
