"""The clause for sqlglot: its own reading and writing lose parts of it.

sqlglot keeps the clause as a modifier of a whole SELECT, and knows neither SUBSET nor WITHIN. Here
it belongs to the table before it, expressions are sqlglot's, and the rest is kept as text.
"""

from __future__ import annotations

import functools
import re
from typing import Any

from sqlglot import TokenType, exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.dialects.spark import Spark

from spark_match_recognize import _dialect_literals as literals
from spark_match_recognize._dialect_windows import RowPatternWindows, window_text

# Without parentheses too, in Snowflake; sqlglot would give some of them another meaning.
NAVIGATION = ("FIRST", "LAST", "PREV", "NEXT")
OF_THE_CLAUSE = (
    *NAVIGATION,
    *("CLASSIFIER", "MATCH_NUMBER", "MATCH_SEQUENCE_NUMBER", "MATCH_ROWTIME", "MATCH_PROCTIME"),
)
_WITHOUT_PARENTHESES = ("CLASSIFIER", "MATCH_NUMBER", "MATCH_SEQUENCE_NUMBER")
_PARTS = ("MEASURES", "ONE", "ALL", "AFTER", "PATTERN", "WITHIN", "SUBSET", "DEFINE")
# What text has that is written in another way: names in quotes, comments, line breaks.
_SPELLING = re.compile(
    r"""(`[^`]*`|'[^']*'|/\*(?:.|\n)*?\*/)|"((?:[^"]|"")+)"|(?:--|//)([^\n]*)|(\s+)"""
)
_SPARK: Any = Spark.generator_class


class Clause(exp.Expression):  # type: ignore[misc, unused-ignore]
    """The clause; what is not an expression is text."""

    arg_types = {
        "partition_by": False,
        "order": False,
        "measures": False,
        "rows": False,
        "after": False,
        "search": False,
        "pattern": True,
        "within": False,
        "subset": False,
        "define": False,
        "alias": False,
    }


class ClauseOfTable(exp.Expression):  # type: ignore[misc, unused-ignore]
    """A table and the clause that reads it."""

    arg_types = {"this": True, "clause": True}


class Semantics(exp.Expression):  # type: ignore[misc, unused-ignore]
    """RUNNING or FINAL before a function."""

    arg_types = {"this": True, "kind": True}


@functools.cache
def reader(name: str) -> Any:  # noqa: C901 - the methods of one class
    """Return a dialect of sqlglot that also reads the clause.

    Args:
        name: The name of sqlglot's dialect, or `flink`.
    """
    base = Dialect.get_or_raise("spark" if name == "flink" else name).__class__

    class Tokenizer(*literals.tokenizers(name), base.tokenizer_class):  # type: ignore[misc, name-defined]
        KEYWORDS = {
            **base.tokenizer_class.KEYWORDS,
            "MATCH_RECOGNIZE": TokenType.MATCH_RECOGNIZE,
            **literals.keywords(name),
        }

    corrected = literals.parsers(name, base.parser_class)

    class Parser(RowPatternWindows, *corrected, base.parser_class):  # type: ignore[misc, name-defined]
        TABLE_ALIAS_TOKENS = base.parser_class.TABLE_ALIAS_TOKENS - {TokenType.MATCH_RECOGNIZE}
        QUERY_MODIFIER_PARSERS = {
            token: parse
            for token, parse in base.parser_class.QUERY_MODIFIER_PARSERS.items()
            if token != TokenType.MATCH_RECOGNIZE
        }
        QUERY_MODIFIER_TOKENS = set(QUERY_MODIFIER_PARSERS)
        # NEXT VALUE FOR, which no system writes that has the clause
        NO_PAREN_FUNCTION_PARSERS = {
            word: parse
            for word, parse in base.parser_class.NO_PAREN_FUNCTION_PARSERS.items()
            if word not in OF_THE_CLAUSE
        }
        TABLE_POSTFIX_TOKENS = {
            *base.parser_class.TABLE_POSTFIX_TOKENS,
            TokenType.MATCH_RECOGNIZE,
        }

        def _parse_table(self, *args: Any, **kwargs: Any) -> Any:
            table = super()._parse_table(*args, **kwargs)
            while table is not None and self._match(TokenType.MATCH_RECOGNIZE):
                # joins that follow are those of the result
                table = ClauseOfTable(this=table, clause=self._clause())
                for join in self._parse_joins() if kwargs.get("joins") else ():
                    table.append("joins", join)
            return table

        def _clause(self) -> Clause:
            self._match_l_paren()
            parts: dict[str, Any] = {}
            if self._match(TokenType.PARTITION_BY):
                parts["partition_by"] = self._parse_csv(self._named)
            parts["order"] = self._parse_order()
            self._depth += 1  # the keys are columns, whatever they are called
            if self._match_text_seq("MEASURES"):
                parts["measures"] = self._parse_csv(self._named)
            if self._is("ONE", "ALL"):
                parts["rows"] = self._text("AFTER", "PATTERN")
            if self._is("AFTER"):
                parts["after"] = self._text("PATTERN")
            parts.update(self.pattern_and_rest())
            self._depth -= 1
            self._match_r_paren()
            parts["alias"] = self._parse_table_alias(alias_tokens=self.TABLE_ALIAS_TOKENS)
            return Clause(**parts)

        def pattern_and_rest(self) -> dict[str, Any]:
            parts: dict[str, Any] = {}
            if not self._match_text_seq("PATTERN"):
                self.raise_error("Expecting PATTERN")
            self._match_l_paren()
            parts["pattern"] = self._text()
            self._match_r_paren()
            if self._match_text_seq("WITHIN"):
                parts["within"] = self._text("SUBSET", "DEFINE")
            if self._match_text_seq("SUBSET"):
                parts["subset"] = self._text("DEFINE")
            if self._match_text_seq("DEFINE"):
                parts["define"] = self._parse_csv(self._definition)
            return parts

        def row_pattern(self, parts: dict[str, Any]) -> Clause:
            return Clause(**parts)

        def _is(self, *words: str) -> bool:
            token = self._curr
            return (
                bool(token)
                and token.token_type != TokenType.IDENTIFIER
                and token.text.upper() in words
            )

        def _text(self, *ends: str) -> str:
            """Read up to one of some words or to the end of the parentheses."""
            start, depth = self._curr, 0
            last = None
            while self._curr:
                kind = self._curr.token_type
                if depth == 0 and (kind == TokenType.R_PAREN or self._is(*ends)):
                    break
                depth += (kind == TokenType.L_PAREN) - (kind == TokenType.R_PAREN)
                last = self._curr
                self._advance()
            text = self._find_sql(start, last) if last else ""
            return _SPELLING.sub(_respelt, text).strip()

        def _named(self) -> Any:
            value = self._parse_disjunction()
            if self._match(TokenType.ALIAS):
                return exp.Alias(this=value, alias=self._parse_id_var(any_token=True))
            closing = (TokenType.COMMA, TokenType.R_PAREN, TokenType.ORDER_BY)
            if not self._curr or self._curr.token_type in closing or self._is(*_PARTS):
                return value
            return exp.Alias(this=value, alias=self._parse_id_var(any_token=True))

        def _definition(self) -> Any:
            name = self._parse_id_var(any_token=True)
            if not self._match(TokenType.ALIAS):
                self.raise_error("Expecting AS")
            return exp.Alias(this=self._parse_disjunction(), alias=name)

        def _parse_unary(self) -> Any:
            if self._depth and self._is("RUNNING", "FINAL") and self._is_call(1):
                kind = self._curr.text.upper()
                self._advance()
                return self._parse_column_ops(Semantics(this=self._parse_function(), kind=kind))
            # sqlglot takes it for a column
            if self._depth and self._is_bare():
                name = self._curr.text.upper()
                self._advance()
                return self._parse_column_ops(exp.Anonymous(this=name))
            return super()._parse_unary()

        def _is_call(self, ahead: int) -> bool:
            after = self._tokens[self._index + ahead + 1 : self._index + ahead + 2]
            return bool(after) and after[0].token_type == TokenType.L_PAREN

        def _is_bare(self) -> bool:
            after = (TokenType.L_PAREN, TokenType.DOT)
            can_be = name == "snowflake" and self._is(*_WITHOUT_PARENTHESES)
            return can_be and not (self._next and self._next.token_type in after)

        def _parse_function(self, *args: Any, **kwargs: Any) -> Any:
            if self._depth and self._is(*OF_THE_CLAUSE) and self._is_call(0):
                return super()._parse_function(anonymous=True, any_token=True)
            return super()._parse_function(*args, **kwargs)

    attributes = {"Tokenizer": Tokenizer, "Parser": Parser, "Generator": base.generator_class}
    return type(f"match_recognize_{name}", (base,), attributes)


def _respelt(found: re.Match[str]) -> str:
    kept, name, comment, _ = found.groups()
    if kept:
        return kept
    if name:
        return "`" + name.replace('""', '"').replace("`", "``") + "`"
    return f"/*{comment.replace('*/', '* /')} */" if comment is not None else " "


class Writer(_SPARK):  # type: ignore[misc]
    """Writes the clause as Spark reads it with the plugin."""

    TRANSFORMS = {
        **_SPARK.TRANSFORMS,
        # sqlglot counts from Saturday on
        exp.DayOfWeekIso: lambda self, call: f"(WEEKDAY({self.sql(call, 'this')}) + 1)",
        # Spark has it since 4.0; sqlglot writes its argument alone
        exp.ParseJSON: lambda self, call: self.func("PARSE_JSON", call.this),
        ClauseOfTable: lambda self, table: self.clauseoftable_sql(table),
        Semantics: lambda self, call: self.semantics_sql(call),
        Clause: lambda self, clause: self.clause_sql(clause),
    }

    def clauseoftable_sql(self, table: ClauseOfTable) -> str:
        """Write a table, the clause after it and the joins of its result."""
        joins = self.expressions(table, key="joins", sep="", flat=True)
        return f"{self.sql(table, 'this')}{self.sql(table, 'clause')}{joins}"

    def semantics_sql(self, call: Semantics) -> str:
        """Write RUNNING or FINAL and the function after it."""
        return f"{call.args['kind']} {self.sql(call, 'this')}"

    def clause_sql(self, clause: Clause) -> str:
        """Write the clause."""
        parts = [
            self._list("PARTITION BY", clause, "partition_by"),
            self.sql(clause, "order"),
            self._list("MEASURES", clause, "measures"),
            *(self.seg(clause.args[key]) for key in ("rows", "after") if clause.args.get(key)),
            self.seg(f"PATTERN ({clause.args['pattern']})"),
            *(
                self.seg(f"{key.upper()} {clause.args[key]}")
                for key in ("within", "subset")
                if clause.args.get(key)
            ),
            self._definitions(clause),
        ]
        alias = self.sql(clause, "alias")
        body = self.wrap("".join(parts).lstrip())
        return f"{self.seg('MATCH_RECOGNIZE')} {body}" + (f" AS {alias}" if alias else "")

    def window_sql(self, window: Any) -> str:
        """Write a window, its row pattern too."""
        if window.args.get("row_pattern"):
            return window_text(self, window)
        return str(super().window_sql(window))

    def _list(self, words: str, clause: Clause, key: str) -> str:
        items = self.expressions(clause, key=key)
        return self.seg(f"{words}{self.seg(items)}") if items else ""

    def _definitions(self, clause: Clause) -> str:
        items = [
            f"{self.sql(item, 'alias')} AS {self.sql(item, 'this')}"
            for item in clause.args.get("define") or ()
        ]
        return self.seg(f"DEFINE{self.seg(self.expressions(sqls=items))}") if items else ""
