"""Colours for the clause: the lexer of the site's SQL blocks.

Pygments' own lexer for SQL does not know the words of the clause, and takes columns such as `day`
for keywords. mkdocs calls `on_config` (mkdocs.yml names this file as a hook).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, ClassVar

from pygments.lexers import LEXERS, _lexer_cache
from pygments.lexers.sql import SqlLexer
from pygments.token import Error, Keyword, Name, Operator

__all__ = ["ClauseLexer"]

WORDS = frozenset(
    {
        *("AFTER", "ALL", "AS", "BY", "DEFINE", "EMPTY", "MATCH", "MATCHES", "MATCH_RECOGNIZE"),
        *("MEASURES", "OMIT", "ONE", "ORDER", "PARTITION", "PAST", "PATTERN", "PER", "PERMUTE"),
        *("ROW", "ROWS", "SHOW", "SKIP", "SUBSET", "TIMEOUT", "TO", "UNMATCHED", "WITH", "WITHIN"),
    }
)
# keywords of the clause where no parenthesis follows
PLACES = frozenset({"FIRST", "LAST", "NEXT", "RUNNING", "FINAL"})
# what PATTERN consists of, up to its end: a variable named like a column has no colour
PATTERN = re.compile(r"\bPATTERN\s*\((?P<pattern>.*?)\)\s*(?:WITHIN|SUBSET|DEFINE|\)|$)", re.DOTALL)
SUBSET = re.compile(r"(\w+)\s*=\s*\([\w\s,]+\)")


class ClauseLexer(SqlLexer):  # type: ignore[misc]  # Pygments has no types
    """SQL with MATCH_RECOGNIZE: its keywords, its functions, the variables of its patterns."""

    name = "SQL"
    aliases: ClassVar[list[str]] = ["sql"]

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, Any, str]]:
        """Yield the tokens of SQL, those of the clause with their own types."""
        variables = set(SUBSET.findall(text.partition("SUBSET")[2]))
        for match in PATTERN.finditer(text):
            variables.update(re.findall(r"[A-Za-z_]\w*", match["pattern"]))
        variables -= {"PERMUTE"}
        for index, kind, value in super().get_tokens_unprocessed(text):
            if kind in Keyword or kind in Name:
                yield index, _kind(value, variables, text[index + len(value) :], kind), value
            elif kind is Error and value in "{}^$":  # of a pattern
                yield index, Operator, value
            else:
                yield index, kind, value


def _kind(word: str, variables: set[str], rest: str, kind: Any) -> Any:  # noqa: ANN401 - Pygments has no types
    """Return the type of a word: the pages write keywords and functions in capitals."""
    is_called = rest.startswith("(")
    if word in variables and not is_called:
        return Name.Variable
    if word in WORDS or (word in PLACES and not is_called):
        return Keyword
    if is_called and word.isupper() and word != "IN":
        return Name.Function
    if kind in Keyword and not word.isupper():
        return Name
    return kind


def on_config(config: Any) -> Any:  # noqa: ANN401 - mkdocs' object
    """Make it the lexer of SQL; the hook of mkdocs."""
    module, _, aliases, *others = LEXERS["SqlLexer"]
    LEXERS["SqlLexer"] = (module, ClauseLexer.name, aliases, *others)
    _lexer_cache[ClauseLexer.name] = ClauseLexer
    return config
