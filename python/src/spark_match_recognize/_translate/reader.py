"""Dialects of sqlglot that also read the clause."""

from __future__ import annotations

import functools
from typing import Any

from sqlglot import TokenType
from sqlglot.dialects.dialect import Dialect

from spark_match_recognize._translate import literals, rules
from spark_match_recognize._translate.flink import FlinkReader
from spark_match_recognize._translate.nodes import OF_THE_CLAUSE
from spark_match_recognize._translate.systems import FLINK, System
from spark_match_recognize._translate.tables import TABLES
from spark_match_recognize._translate.windows import WindowReader


@functools.cache
def dialect(system: System) -> Any:
    """Return the dialect of a system, with the clause after tables and in windows."""
    base = Dialect.get_or_raise(system.dialect).__class__

    class Tokenizer(*literals.tokenizers(system), base.tokenizer_class):  # type: ignore[misc, name-defined]
        KEYWORDS = {
            **base.tokenizer_class.KEYWORDS,
            "MATCH_RECOGNIZE": TokenType.MATCH_RECOGNIZE,
            **dict.fromkeys(system.doubles, TokenType.DOUBLE),
        }

    own: tuple[Any, ...] = (FlinkReader,) if system is FLINK else ()
    corrected = literals.parser(system, base.parser_class)
    table = TABLES.get(system, {})

    class Parser(*own, WindowReader, corrected, base.parser_class):  # type: ignore[misc, valid-type, name-defined]
        BARE_CALLS = system.bare_calls
        FUNCTIONS = {
            **base.parser_class.FUNCTIONS,
            **rules.readers(table, base.parser_class.FUNCTIONS),
        }
        FUNCTION_PARSERS = {
            name: parse
            for name, parse in base.parser_class.FUNCTION_PARSERS.items()
            if name not in table
        }
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
        PIPE_SYNTAX_TRANSFORM_PARSERS = {
            **base.parser_class.PIPE_SYNTAX_TRANSFORM_PARSERS,
            "MATCH_RECOGNIZE": lambda self, query: self.read_after_pipe(query),
        }
        TABLE_POSTFIX_TOKENS = {
            *base.parser_class.TABLE_POSTFIX_TOKENS,
            TokenType.MATCH_RECOGNIZE,
        }

    attributes: dict[str, Any] = {
        "Tokenizer": Tokenizer,
        "Parser": Parser,
        "Generator": base.generator_class,
    }
    if system.counts_from_one:  # elements are written with a function that counts so too
        attributes["INDEX_OFFSET"] = 0
    return type(f"match_recognize_{system.title.lower()}", (base,), attributes)
