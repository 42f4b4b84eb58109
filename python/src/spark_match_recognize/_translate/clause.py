"""The clause after a table, as the parsers of sqlglot read it."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import Any

from sqlglot import TokenType, exp

from spark_match_recognize._translate.nodes import (
    OF_THE_CLAUSE,
    Clause,
    ClauseOfTable,
    Semantics,
)

_ANY: Any = object
_PARTS = ("MEASURES", "ONE", "ALL", "AFTER", "PATTERN", "WITHIN", "SUBSET", "DEFINE")
# What text has that is written in another way: names in quotes, comments, line breaks.
_SPELLING = re.compile(
    r"""(`[^`]*`|'[^']*'|/\*(?:.|\n)*?\*/)|"((?:[^"]|"")+)"|(?:--|//)([^\n]*)|(\s+)"""
)


class ClauseReader(_ANY):  # type: ignore[misc]
    """Reads the clause after a table; placed before sqlglot's parser.

    RUNNING, FINAL and the functions of the clause are read as such inside of it, and as names
    elsewhere. Methods without an underscore are for the readers that share its parts.
    """

    BARE_CALLS: tuple[str, ...] = ()
    _depth = 0  # of clauses inside each other

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
        with self.inside():  # the keys are columns, whatever they are called
            if self._match_text_seq("MEASURES"):
                parts["measures"] = self.read_measures()
            if self.is_word("ONE", "ALL"):
                parts["rows"] = self.read_text("AFTER", "PATTERN")
            if self.is_word("AFTER"):
                parts["after"] = self.read_text("PATTERN")
            parts.update(self.read_pattern_and_rest())
        self._match_r_paren()
        parts["alias"] = self._parse_table_alias(alias_tokens=self.TABLE_ALIAS_TOKENS)
        return Clause(**parts)

    def read_after_pipe(self, query: Any) -> Any:
        """Read the clause after `|>`: it reads the rows of the query before it."""
        self._advance()
        rows = query if isinstance(query, exp.Subquery) else exp.Subquery(this=query)
        table = ClauseOfTable(this=rows, clause=self._clause())
        return exp.Select(expressions=[exp.Star()]).from_(table, copy=False)

    @contextlib.contextmanager
    def inside(self) -> Iterator[None]:
        """Read expressions as those of the clause."""
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1

    def read_pattern_and_rest(self) -> dict[str, Any]:
        """Read what begins with PATTERN, to the end of the parentheses around it."""
        parts: dict[str, Any] = {}
        self.expect("PATTERN")
        parts["pattern"] = self.read_in_parentheses()
        if self._match_text_seq("WITHIN"):
            parts["within"] = self.read_text("SUBSET", "DEFINE")
        if self._match_text_seq("SUBSET"):
            parts["subset"] = self.read_text("DEFINE")
        if self._match_text_seq("DEFINE"):
            parts["define"] = self.read_definitions()
        return parts

    def read_measures(self) -> list[Any]:
        """Read what follows MEASURES."""
        found: list[Any] = self._parse_csv(self._named)
        return found

    def read_definitions(self) -> list[Any]:
        """Read what follows DEFINE."""
        found: list[Any] = self._parse_csv(self._definition)
        return found

    def read_in_parentheses(self) -> str:
        """Read the text in the parentheses that follow."""
        self._match_l_paren()
        text = self.read_text()
        self._match_r_paren()
        return text

    def read_text(self, *ends: str) -> str:
        """Read up to one of some words or to the end of the parentheses."""
        start, depth = self._curr, 0
        last = None
        while self._curr:
            kind = self._curr.token_type
            if depth == 0 and (kind == TokenType.R_PAREN or self.is_word(*ends)):
                break
            depth += (kind == TokenType.L_PAREN) - (kind == TokenType.R_PAREN)
            last = self._curr
            self._advance()
        text = self._find_sql(start, last) if last else ""
        return _SPELLING.sub(_respelt, text).strip()

    def is_word(self, *words: str) -> bool:
        """Tell whether one of some words, without quotes, is the next."""
        token = self._curr
        return (
            bool(token) and token.token_type != TokenType.IDENTIFIER and token.text.upper() in words
        )

    def expect(self, word: str) -> None:
        """Read a word that must be the next."""
        if not (self._match(TokenType.ALIAS) if word == "AS" else self._match_text_seq(word)):
            self.raise_error(f"Expecting {word}")

    def _named(self) -> Any:
        value = self._parse_disjunction()
        if not self._match(TokenType.ALIAS):
            closing = (TokenType.COMMA, TokenType.R_PAREN, TokenType.ORDER_BY)
            if not self._curr or self._curr.token_type in closing or self.is_word(*_PARTS):
                return value
        return exp.Alias(this=value, alias=self._parse_id_var(any_token=True))

    def _definition(self) -> Any:
        name = self._parse_id_var(any_token=True)
        self.expect("AS")
        return exp.Alias(this=self._parse_disjunction(), alias=name)

    def _parse_unary(self) -> Any:
        if self._depth and self.is_word("RUNNING", "FINAL") and self._is_call(1):
            kind = self._curr.text.upper()
            self._advance()
            return self._parse_column_ops(Semantics(this=self._parse_function(), kind=kind))
        # sqlglot takes it for a column
        if self._depth and self._is_bare():
            name = self._curr.text.upper()
            self._advance()
            return self._parse_column_ops(exp.Anonymous(this=name))
        return super()._parse_unary()

    def _parse_function(self, *args: Any, **kwargs: Any) -> Any:
        if self._depth and self.is_word(*OF_THE_CLAUSE) and self._is_call(0):
            return super()._parse_function(anonymous=True, any_token=True)
        return super()._parse_function(*args, **kwargs)

    def _is_call(self, ahead: int) -> bool:
        after = self._tokens[self._index + ahead + 1 : self._index + ahead + 2]
        return bool(after) and after[0].token_type == TokenType.L_PAREN

    def _is_bare(self) -> bool:
        after = (TokenType.L_PAREN, TokenType.DOT)
        has_more = self._next and self._next.token_type in after
        return self.is_word(*self.BARE_CALLS) and not has_more


def _respelt(found: re.Match[str]) -> str:
    kept, name, comment, _ = found.groups()
    if kept:
        return kept
    if name:
        return "`" + name.replace('""', '"').replace("`", "``") + "`"
    return f"/*{comment.replace('*/', '* /')} */" if comment is not None else " "
