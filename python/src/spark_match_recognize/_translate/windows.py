"""Row patterns in windows, as the parsers of sqlglot read them together with the rest."""

from __future__ import annotations

from typing import Any

from sqlglot import TokenType, exp

from spark_match_recognize._translate.clause import ClauseReader
from spark_match_recognize._translate.nodes import Clause


class WindowReader(ClauseReader):
    """Reads windows with row patterns, and clauses; placed before sqlglot's parser.

    In a window MEASURES follows ORDER BY, and the rest follows the frame, where sqlglot expects the
    closing parenthesis.
    """

    _window: dict[str, Any] | None = None

    def _parse_window(self, this: Any, alias: bool = False) -> Any:  # noqa: FBT001, FBT002
        outer, self._window = self._window, {}
        window = super()._parse_window(this, alias)
        found, self._window = self._window, outer
        if found:
            node = window if isinstance(window, exp.Window) else window.find(exp.Window)
            node.set("row_pattern", Clause(**found))
        return window

    def _parse_partition_and_order(self) -> Any:
        keys = super()._parse_partition_and_order()
        if self._window is not None and self._match_text_seq("MEASURES"):
            with self.inside():
                self._window["measures"] = self.read_measures()
        return keys

    def _match_r_paren(self, expression: Any = None) -> Any:
        if self._window is not None and self.is_word("AFTER", "INITIAL", "SEEK", "PATTERN"):
            # the conditions may contain windows of subqueries
            found, self._window = self._window, None
            with self.inside():
                if self.is_word("AFTER"):
                    found["after"] = self.read_text("INITIAL", "SEEK", "PATTERN")
                if self.is_word("INITIAL", "SEEK"):
                    found["search"] = self.read_text("PATTERN")
                found.update(self.read_pattern_and_rest())
            self._window = found
        return super()._match_r_paren(expression)

    def _parse_column(self) -> Any:
        """Read a column, or a measure called over a window: `low OVER w`."""
        column = super()._parse_column()
        called = self._curr and self._curr.token_type == TokenType.OVER
        if called and isinstance(column, exp.Column) and not column.table:
            return self._parse_window(column)
        return column
