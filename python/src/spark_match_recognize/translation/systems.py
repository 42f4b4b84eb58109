"""The systems that `translate` reads: their syntax, and what is known to mean the same in Spark.

A function has templates, one for each form that is known. The marks in a template are its
arguments, each once and in their order, so that none can be lost:

- `?` any expression; `?...` any number of further ones
- `#` a positive integer as a literal; `±` an integer as a literal
- `@` a unit of time, as a word; `!` one of DAY or less; `%` one in quotes. `{unit}` repeats it
- `~` a format of a date or time; `^` one of a date, with year, month and day; `&` one of both

Each template is executed by tests/test_translate.py against a value written down by hand.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class System:
    """A system.

    Attributes:
        title: The name as its makers write it.
        functions: The templates of each function, by its name in capitals.
        clause: Those of functions that the clause adds.
        types: What a type of CAST is in Spark, by its name in capitals.
        format: What an element of a format is in Spark.
        operators: Operators that mean the same.
        strings: How strings are written: a key of `tokens`.
        quote: The quote of names.
        in_names: Characters of names without quotes, besides letters, digits and `_`.
        capitals: Whether the names of variables are returned in capitals.
        nulls: What ORDER BY means where NULLS is not written, for ASC and DESC, if not Spark's.
        subtracts_days: Whether the difference of two dates is a number.
    """

    title: str
    functions: dict[str, tuple[str, ...]]
    clause: dict[str, tuple[str, ...]]
    types: dict[str, str]
    format: dict[str, str]
    operators: frozenset[str]
    strings: str = "plain"
    quote: str = '"'
    in_names: str = ""
    capitals: bool = True
    nulls: tuple[str, str] = ("", "")
    subtracts_days: bool = False


UNITS = ("YEAR", "QUARTER", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND")
DATES = UNITS[:4]


def _table(*templates: str, **others: str) -> dict[str, tuple[str, ...]]:
    """Return templates by the name of the function, which is that of Spark unless it is given."""
    found: dict[str, tuple[str, ...]] = {}
    for name, template in [
        *((text.partition("(")[0], text) for text in templates),
        *others.items(),
    ]:
        found[name] = (*found.get(name, ()), *template.split(" | "))
    return found


_COMMON = (
    *("ABS(?)", "CEIL(?)", "FLOOR(?)", "POWER(?, ?)", "ROUND(?) | ROUND(?, ?)"),
    *("SIGN(?)", "SQRT(?)", "UPPER(?)", "LOWER(?)", "COALESCE(?...)", "NULLIF(?, ?)"),
    *("COUNT(?)", "SUM(?)", "MIN(?)", "MAX(?)"),
    *("ROW_NUMBER()", "RANK()", "DENSE_RANK()"),
    *("LAG(?) | LAG(?, ?) | LAG(?, ?, ?)", "LEAD(?) | LEAD(?, ?) | LEAD(?, ?, ?)"),
)
_MOD = "MOD(?, ?)"  # by zero it is the number itself in Oracle
_PARTS = ("YEAR(?)", "QUARTER(?)", "MONTH(?)", "HOUR(?)", "MINUTE(?)", "SECOND(?)")
_SUBSTRING = "SUBSTRING(?, #) | SUBSTRING(?, #, ?)"
# of Snowflake and Trino
_OF_BOTH = (
    *(*_COMMON, _MOD, *_PARTS, _SUBSTRING),
    *("SUBSTR(?, #) | SUBSTR(?, #, ?)", "DAY(?)", "LENGTH(?)"),
)
_BEGUN = "TIMESTAMPDIFF(@, DATE_TRUNC('{unit}', ?), DATE_TRUNC('{unit}', ?))"
_CLAUSE = _table(
    *("FIRST(?) | FIRST(?, ?)", "LAST(?) | LAST(?, ?)", "PREV(?) | PREV(?, ?)"),
    *("NEXT(?) | NEXT(?, ?)", "CLASSIFIER() | CLASSIFIER(?)", "MATCH_NUMBER()"),
)
_COMMON_OPERATORS = ", . ( ) ; = <> != < > <= >= + - *"
_OPERATORS = frozenset(_COMMON_OPERATORS.split())
_TYPES = {"DECIMAL(,)": "DECIMAL", "NUMERIC(,)": "DECIMAL", "DATE": "DATE"}
_DOUBLE = {"DOUBLE": "DOUBLE"}
_NUMBER = {"NUMBER(,)": "DECIMAL", "NUMBER()": "DECIMAL"}
_ELEMENTS = {"YYYY": "yyyy", "MM": "MM", "DD": "dd", "HH24": "HH", "MI": "mm", "SS": "ss"}
_PERCENT = {"%Y": "yyyy", "%m": "MM", "%d": "dd", "%H": "HH", "%i": "mm", "%s": "ss"}
_JAVA = {element: element for element in _ELEMENTS.values()}
_TO_CHAR = "DATE_FORMAT(?, ~)"

FLINK = System(
    "Flink",
    _table(
        *(*_COMMON, _MOD, *_PARTS, _SUBSTRING, "IF(?, ?, ?)", "IFNULL(?, ?)", "CHAR_LENGTH(?)"),
        *("CONCAT(?...)", "DAYOFMONTH(?)", "TIMESTAMPDIFF(!, ?, ?)", "TIMESTAMPADD(@, ?, ?)"),
        _TO_CHAR,
    ),
    {
        **_CLAUSE,
        **_table("MATCH_ROWTIME() | MATCH_ROWTIME(?)", "MATCH_PROCTIME()"),
    },
    {**_TYPES, **_DOUBLE, **{name: name for name in ("INT", "BIGINT")}, "INTEGER": "INT"},
    _JAVA,
    _OPERATORS | {"||", "%"},
    quote="`",
    capitals=False,
)
ORACLE = System(
    "Oracle",
    _table(
        *(*_COMMON, "LENGTH(?)", "NVL(?, ?)", "NVL2(?, ?, ?)", "DECODE(?, ?, ?...)"),
        *("INSTR(?, ?)", "TO_TIMESTAMP(?, &)"),
        SUBSTR="NULLIF(SUBSTR(?, #), '') | NULLIF(SUBSTR(?, #, ?), '')",
        TO_CHAR=_TO_CHAR,
        TO_DATE="TO_DATE(?, ^) | TO_TIMESTAMP(?, &)",
    ),
    _CLAUSE,
    {**_NUMBER, "DECIMAL(,)": "DECIMAL", "BINARY_DOUBLE": "DOUBLE"},
    _ELEMENTS,
    _OPERATORS,
    strings="q",
    in_names="$#",
    nulls=("NULLS LAST", "NULLS FIRST"),
    subtracts_days=True,
)
SNOWFLAKE = System(
    "Snowflake",
    _table(
        *_OF_BOTH,
        *("NVL(?, ?)", "NVL2(?, ?, ?)", "IFNULL(?, ?)", "DECODE(?, ?, ?...)", "CONCAT(?...)"),
        *("EQUAL_NULL(?, ?)", "STARTSWITH(?, ?)", "ENDSWITH(?, ?)", "CONTAINS(?, ?)"),
        *("DATE_TRUNC(%, ?)", "TO_DATE(?, ^)", "TO_TIMESTAMP(?, &)", "TO_TIMESTAMP_NTZ(?, &)"),
        **dict.fromkeys(("DATEDIFF", "TIMEDIFF", "TIMESTAMPDIFF"), _BEGUN),
        **dict.fromkeys(("DATEADD", "TIMEADD", "TIMESTAMPADD"), "TIMESTAMPADD(@, ±, ?)"),
        **dict.fromkeys(("TO_CHAR", "TO_VARCHAR"), _TO_CHAR),
        IFF="IF(?, ?, ?)",
        NULLIFZERO="NULLIF(?, 0)",
        ZEROIFNULL="COALESCE(?, 0)",
    ),
    {
        **_CLAUSE,
        **_table("LAG(?) | LAG(?, ?)", "LEAD(?) | LEAD(?, ?)"),
        **_table(MATCH_SEQUENCE_NUMBER="MATCH_ROW_NUMBER()"),
    },
    {**_TYPES, **_DOUBLE, **_NUMBER, "FLOAT": "DOUBLE"},
    _ELEMENTS,
    _OPERATORS | {"||", "%", "::"},
    strings="escapes",
    in_names="$",
    nulls=("NULLS LAST", "NULLS FIRST"),
    subtracts_days=True,
)
TRINO = System(
    "Trino",
    _table(
        *_OF_BOTH,
        *("IF(?, ?, ?)", "CONCAT(?, ?...)", "DATE_TRUNC(%, ?)", "DATE_FORMAT(?, ~)"),
        DATE_ADD="TIMESTAMPADD(@, ?, ?)",
        DATE_DIFF="TIMESTAMPDIFF(!, ?, ?)",
        DATE_PARSE="TO_TIMESTAMP(?, &)",
        STARTS_WITH="STARTSWITH(?, ?)",
        STRPOS="INSTR(?, ?)",
    ),
    _CLAUSE,
    {**_TYPES, **_DOUBLE},
    _PERCENT,
    _OPERATORS | {"||", "%"},
    nulls=("NULLS LAST", ""),
)
SYSTEMS = {system.title.lower(): system for system in (FLINK, ORACLE, SNOWFLAKE, TRINO)}

# Words of SQL that mean the same, and may be followed by a parenthesis or a string.
_KEYWORDS = """
    ALL AND ANY AS ASC BETWEEN BY CASE CROSS CUBE DEFINE DESC DISTINCT ELSE END ESCAPE EXCEPT
    EXISTS FILTER FROM FULL GROUP HAVING ILIKE IN INNER INTERSECT IS JOIN LATERAL LIKE
    LIMIT MATCH_RECOGNIZE MEASURES MINUS NOT NULLS OFFSET ON OR ORDER OUTER OVER PARTITION
    PATTERN QUALIFY ROLLUP SELECT SET SETS SOME SUBSET TABLE THEN UNION USING VALUES WHEN WHERE
    WITH WITHIN ZONE
"""
KEYWORDS = frozenset(_KEYWORDS.split())
# Words without a parenthesis after them that Spark lacks, or that may mean something else there.
_NOTED = """
    AT COLLATE CONNECT CONNECT_BY_ROOT CURRENT_CATALOG CURRENT_DATABASE CURRENT_DATE
    CURRENT_DATETIME CURRENT_PATH CURRENT_ROLE CURRENT_SCHEMA CURRENT_TIME CURRENT_TIMESTAMP
    CURRENT_USER CURRENT_WATERMARK DBTIMEZONE FETCH IGNORE INFINITE JSON KEEP LEVEL LOCALTIME
    LOCALTIMESTAMP MULTISET NAN OVERLAPS PERCENT PIVOT PRIOR PROCTIME REGEXP RESPECT RLIKE ROWID
    ROWNUM SAMPLE SESSION_USER SESSIONTIMEZONE SIMILAR SYMMETRIC SYSDATE SYSTEM_USER
    SYSTIMESTAMP TABLESAMPLE TIES TOP UID UNPIVOT USER UTC_DATE UTC_TIME UTC_TIMESTAMP
"""
NOTED = frozenset(_NOTED.split())
