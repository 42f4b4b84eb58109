"""Row patterns in windows for sqlglot, which reads and writes the rest of the window itself."""

from __future__ import annotations

from typing import Any

from sqlglot import TokenType, exp

_ANY: Any = object


class RowPatternWindows(_ANY):  # type: ignore[misc]
    """What the parser of the clause needs to read windows; placed before sqlglot's parser.

    In a window MEASURES follows ORDER BY, and the rest follows the frame, where sqlglot expects the
    closing parenthesis.
    """

    _depth = 0
    _window: dict[str, Any] | None = None

    def _parse_window(self, this: Any, alias: bool = False) -> Any:  # noqa: FBT001, FBT002
        outer, self._window = self._window, {}
        window = super()._parse_window(this, alias)
        found, self._window = self._window, outer
        if found:
            node = window if isinstance(window, exp.Window) else window.find(exp.Window)
            node.set("row_pattern", self.row_pattern(found))
        return window

    def _parse_partition_and_order(self) -> Any:
        keys = super()._parse_partition_and_order()
        if self._window is not None and self._match_text_seq("MEASURES"):
            self._depth += 1
            self._window["measures"] = self._parse_csv(self._named)
            self._depth -= 1
        return keys

    def _match_r_paren(self, expression: Any = None) -> Any:
        if self._window is not None and self._is("AFTER", "INITIAL", "SEEK", "PATTERN"):
            # the conditions may contain windows of subqueries
            found, self._window = self._window, None
            self._depth += 1
            if self._is("AFTER"):
                found["after"] = self._text("INITIAL", "SEEK", "PATTERN")
            if self._is("INITIAL", "SEEK"):
                found["search"] = self._text("PATTERN")
            found.update(self.pattern_and_rest())
            self._depth -= 1
            self._window = found
        return super()._match_r_paren(expression)

    def _parse_column(self) -> Any:
        """Read a column, or a measure called over a window: `low OVER w`."""
        column = super()._parse_column()
        called = self._curr and self._curr.token_type == TokenType.OVER
        if called and isinstance(column, exp.Column) and not column.table:
            return self._parse_window(column)
        return column


def window_text(writer: Any, window: Any) -> str:
    """Return a window with a row pattern as Spark reads it with the plugin.

    Args:
        writer: The generator.
        window: A window that has a row pattern.
    """
    clause = window.args["row_pattern"]
    order, frame = window.args.get("order"), window.args.get("spec")
    parts = [
        writer.sql(window, "alias"),
        writer.partition_by_sql(window),
        writer.order_sql(order, flat=True) if order else "",
        _list(writer, "MEASURES", clause.args.get("measures")),
        writer.sql(frame) if frame else "",
        clause.args.get("after") or "",
        clause.args.get("search") or "",
        f"PATTERN ({clause.args['pattern']})",
        f"SUBSET {clause.args['subset']}" if clause.args.get("subset") else "",
        _definitions(writer, clause.args.get("define")),
    ]
    word = "AS" if window.arg_key == "windows" else "OVER"
    inside = writer.sep("").join(part.strip() for part in parts if part)
    return f"{writer.sql(window, 'this')} {word} {writer.wrap(inside)}"


def _list(writer: Any, word: str, items: list[Any] | None) -> str:
    return f"{word} {', '.join(map(writer.sql, items))}" if items else ""


def _definitions(writer: Any, items: list[Any] | None) -> str:
    texts = [f"{writer.sql(item, 'alias')} AS {writer.sql(item, 'this')}" for item in items or ()]
    return f"DEFINE {', '.join(texts)}" if texts else ""
