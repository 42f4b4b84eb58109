"""SQL text as far as this package reads it: names, and brackets and quotes that are not closed."""

from __future__ import annotations

import re

# What spark.sql.ansi.enforceReservedKeywords reserves in any supported version.
_RESERVED = """
    ALL AND ANY AS AUTHORIZATION BOTH CALL CASE CAST CHECK COLLATE COLLATION COLLATIONS COLUMN
    CONSTRAINT CREATE CROSS CURRENT_DATE CURRENT_PATH CURRENT_SCHEMA CURRENT_TIME CURRENT_TIMESTAMP
    CURRENT_USER DISTINCT ELSE END ESCAPE EXCEPT EXECUTE FALSE FETCH FILTER FOR FOREIGN FROM FULL
    GRANT GROUP HAVING IN INNER INTERSECT INTO IS JOIN LATERAL LEADING LEFT LOCALTIME NATURAL NOT
    NULL OFFSET ON ONLY OR ORDER OUTER OVERLAPS PRIMARY RECURSIVE REFERENCES RIGHT SELECT
    SESSION_USER SOME SQL TABLE THEN TIME TO TRAILING TRUE UNION UNIQUE UNKNOWN USER USING WHEN
    WHERE WITH WITHIN
"""
RESERVED = frozenset(_RESERVED.split())
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TOKEN = re.compile(
    r"""
      (?P<comment>--[^\n]*|/\*.*?\*/)
    | (?P<raw>\br'[^']*'|\br"[^"]*")
    | (?P<quoted>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`]|``)*`)
    | (?P<unclosed>/\*|['"`])
    | (?P<open>[(\[{])
    | (?P<close>[)\]}])
    """,
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
_PAIRS = {"(": ")", "[": "]", "{": "}"}
_LITERAL = re.compile(r"[A-Za-z0-9 _.:-]*")


def quoted(name: str) -> str:
    """Return a name as SQL, in backticks if it needs them."""
    if _PLAIN.fullmatch(name) and name.upper() not in RESERVED:
        return name
    return in_backticks(name)


def in_backticks(name: str) -> str:
    """Return a name as SQL, in backticks whether it needs them or not."""
    return "`" + name.replace("`", "``") + "`"


def unquoted(text: str) -> str:
    """Return the name that SQL writes so, with backticks or without."""
    name = re.fullmatch("`((?:[^`]|``)*)`", text)
    return name[1].replace("``", "`") if name else text


def string(value: str) -> str:
    """Return a text as SQL that every session reads in the same way.

    Settings say whether a backslash escapes and how two quotes are read, `spark.sql` replaces
    `${...}` and the fields of a format: only letters, digits and a few signs that none of them
    reads are written as they are, any other text as bytes.
    """
    if _LITERAL.fullmatch(value):
        return f"'{value}'"
    return f"decode(X'{value.encode().hex()}', 'UTF-8')"


def is_replaced(name: str) -> bool:
    """Tell whether `spark.sql` may replace a part of a name, which no quotes prevent: `${...}`."""
    return "${" in name


def name_sql(place: str, name: str) -> str:
    """Return a name as a part of a statement.

    Raises:
        ValueError: If Spark would replace a part of it; `place` is the argument that has it.
    """
    if is_replaced(name):
        message = f"{place} has a name with ${{...}}, which Spark replaces in SQL: use another name"
        raise ValueError(message)
    return quoted(name)


def outside(text: str, offset: int) -> bool:
    """Tell whether a place of a SQL text is outside of brackets, quotes and comments."""
    depth = 0
    for token in _TOKEN.finditer(text):
        if token.start() >= offset:
            break
        if token["open"] or token["close"]:
            depth += 1 if token["open"] else -1
        elif token["unclosed"] or token.end() > offset:
            return False
    return depth == 0


def unbalanced(text: str) -> tuple[int, str] | None:
    """Find a bracket, quote or comment that is not closed, or a bracket that closes nothing.

    Args:
        text: SQL text.

    Returns:
        Where it is and what is wrong with it, or None.
    """
    opened: list[re.Match[str]] = []
    for token in _TOKEN.finditer(text):
        if token["unclosed"]:
            return token.start(), f"{token[0]} is not closed"
        if token["open"]:
            opened.append(token)
        elif token["close"]:
            if not opened or _PAIRS[opened[-1][0]] != token[0]:
                return token.start(), f"{token[0]} closes nothing"
            opened.pop()
    if opened:
        return opened[-1].start(), f"{opened[-1][0]} is not closed"
    return None


def caret(text: str, offset: int, length: int) -> tuple[int, int, str]:
    """Draw a caret under a place of a text.

    Args:
        text: One or several lines.
        offset: Where the place begins; it may be the end of the text.
        length: How many characters it has; carets stay on the first line.

    Returns:
        The line's number and the position in it, both from 1, and the line with carets below.
    """
    before = text[:offset]
    start = before.rfind("\n") + 1
    line = text[start:].partition("\n")[0]
    column = offset - start
    length = max(1, min(length, len(line) - column))
    blanks = re.sub(r"[^\t]", " ", line[:column])
    return before.count("\n") + 1, column + 1, f"{line}\n{blanks}{'^' * length}"
