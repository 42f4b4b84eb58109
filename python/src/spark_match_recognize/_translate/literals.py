"""Literals that sqlglot's dialects read in another way than the systems do."""

from __future__ import annotations

from typing import Any

from sqlglot import TokenType, exp

from spark_match_recognize._translate.systems import FLINK, ORACLE, TRINO, System

_ANY: Any = object


class _Strings:
    """Strings of the standard: a backslash is a character like others."""

    QUOTES = ("'",)
    STRING_ESCAPES = ("'",)


class _DoubledQuotes(_ANY):  # type: ignore[misc]
    """Strings of Spark 4, where two quotes are one; sqlglot takes 'it''s' for two strings."""

    def tokenize(self, sql: str) -> list[Any]:
        """Return the tokens of a text."""
        found: list[Any] = []
        for token in super().tokenize(sql):
            before = found[-1] if found else token
            strings = before.token_type == token.token_type == TokenType.STRING
            if strings and before.end + 1 == token.start and sql[before.end] == sql[token.start]:
                text = before.text + sql[token.start] + token.text
                place = (before.line, before.col, before.start, token.end, token.comments)
                found[-1] = type(token)(TokenType.STRING, text, *place)
            else:
                found.append(token)
        return found


def tokenizers(system: System) -> tuple[type, ...]:
    """Return the classes that are placed before sqlglot's tokenizer of a system."""
    if system.is_spark:
        return (_DoubledQuotes,)
    return (_Strings,) if system is FLINK else ()


class _Intervals(_ANY):  # type: ignore[misc]
    """Intervals of which sqlglot would read the first unit only."""

    def _parse_interval_span(self, this: Any, parse_function_unit: bool = True) -> Any:  # noqa: FBT001, FBT002
        if this and this.is_string:
            units = exp.INTERVAL_STRING_RE
            rest = units.sub("", this.name).strip(" +")
            if rest and len(units.findall(this.name)) == 1:
                self.raise_error(f"Cannot read {rest!r} of the interval {this.name!r}")
        return super()._parse_interval_span(this, parse_function_unit)


def parser(system: System, base: Any) -> type:
    """Return the class that is placed before sqlglot's parser of a system."""
    literals = {**base.TYPE_LITERAL_PARSERS, **_LITERALS.get(system, {})}
    return type("Literals", (_Intervals,), {"TYPE_LITERAL_PARSERS": literals})


def _timestamp(_parser: Any, literal: Any, kind: Any) -> Any:
    """Read a TIMESTAMP; sqlglot's way of writing it fails in Spark if it has no fraction."""
    return exp.Cast(this=literal, to=kind)


def _decimal(_parser: Any, literal: Any, kind: Any) -> Any:
    """Read a literal such as DECIMAL '1.50', whose precision and scale are those of its text."""
    text = literal.name.strip()
    digits = text.lstrip("+-")
    if kind.expressions or not digits.replace(".", "", 1).isdecimal():
        return exp.Cast(this=literal, to=kind)
    number = exp.Literal(this=f"{digits}BD", is_string=False)
    return exp.Neg(this=number) if text.startswith("-") else number


_LITERALS = {
    ORACLE: {exp.DataType.Type.TIMESTAMP: _timestamp},
    TRINO: {exp.DataType.Type.DECIMAL: _decimal},
}
