"""Calls: no argument is lost, whatever the function, and the rest has a note."""

from __future__ import annotations

import re

import pytest
from translating import CLAUSE, item, translated

import spark_match_recognize as mr
from spark_match_recognize.translation import SYSTEMS
from spark_match_recognize.translation.systems import KEYWORDS

FORMS = (
    "{}(DISTINCT x ORDER BY y) FILTER (WHERE z) OVER (PARTITION BY w)",
    "{}(x) IGNORE NULLS",
    "{}(x IGNORE NULLS)",
    "{}(x, 'y' USING z)",
    "TRY_{}(x)",
)
MARK = re.compile(r"\?\.\.\.|[?#±@!%~^&]")


def names(read: str) -> set[str]:
    """Return the functions that sqlglot reads, those of all systems among them."""
    sqlglot = pytest.importorskip("sqlglot")
    parser = sqlglot.Dialect.get_or_raise("spark" if read == "flink" else read).parser_class
    found = {*parser.FUNCTIONS, *parser.FUNCTION_PARSERS, *sqlglot.exp.FUNCTION_BY_NAME}
    found |= {name.upper() for name in SYSTEMS[read].functions}
    return {name for name in found if re.fullmatch(r"\w+", name)}


def arguments(count: int) -> list[str]:
    """Return arguments of which each has a text of its own."""
    kinds = ("{}_column", "'{} text'", "{}47", "{}_flag > 3")
    words = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")
    numbers = "1234567"
    return [
        kinds[place % 4].format(numbers[place] if place % 4 == 2 else words[place])
        for place in range(count)
    ]


@pytest.mark.parametrize("read", ["flink", "oracle", "snowflake", "trino"])
def test_no_argument_is_lost(read: str) -> None:
    """Each function with each number of arguments, flags and words: all are in the translation."""
    known = names(read)
    assert len(known) > 600
    lost = []
    for name in sorted(known):
        calls = [
            f"{name}({', '.join(given)})"
            for count in range(8)
            for given in (arguments(count), arguments(count)[::-1])
        ]
        worded = [form.format(name) for form in FORMS]
        found = mr.translate("SELECT\n" + ",\n".join([*calls, *worded]), read=read)  # type: ignore[arg-type]
        lines = found.sql.splitlines()[1:]
        noted = {int(note.split(",")[0].removeprefix("line ")) - 2 for note in found.notes}
        for number, (call, got) in enumerate(zip([*calls, *worded], lines, strict=True)):
            parts = call[call.index("(") + 1 :]
            words = parts if is_known(name, read) else call  # TRY_ among them
            texts = parts[:-1].split(", ") if number < len(calls) else re.findall(r"\w+", words)
            silent = number < len(calls) and number not in noted and not is_known(name, read)
            if silent or any(text not in got for text in texts):
                lost.append((call, got))
    assert not lost, lost[:20]


def is_known(name: str, read: str) -> bool:
    return name in SYSTEMS[read].functions or name in KEYWORDS


@pytest.mark.parametrize("read", ["oracle", "snowflake", "trino"])
def test_functions_without_parentheses(read: str) -> None:
    sqlglot = pytest.importorskip("sqlglot")
    parser = sqlglot.Dialect.get_or_raise(read).parser_class
    for token in parser.NO_PAREN_FUNCTIONS:
        name = token.name
        assert item(name, read) == (name, [name])


@pytest.mark.parametrize("system", SYSTEMS.values(), ids=[*SYSTEMS])
def test_templates_have_each_argument_once(system: object) -> None:
    tables = (system.functions, system.clause)  # type: ignore[attr-defined]
    for table in tables:
        for name, templates in table.items():
            assert name == name.upper()
            for template in templates:
                pieces = MARK.split(template)
                assert pieces[0].endswith("(" if len(pieces) > 1 else "()")
                assert "?..." not in template or template.endswith("?...)")


# What translations lost, or took for something else: it stays, and has a note.
@pytest.mark.parametrize(
    ("read", "call"),
    [
        ("oracle", "REGEXP_LIKE(x, p, 'i')"),
        ("snowflake", "REGEXP_LIKE(x, p, 'i')"),
        ("oracle", "INSTR(s, x, 1, 2)"),
        ("oracle", "INSTR(s, x, -1)"),
        ("oracle", "REGEXP_REPLACE(s, p, r, 2, 1, 'i')"),
        ("oracle", "TO_CHAR(ts, 'D')"),
        ("oracle", "TO_CHAR(ts, 'WW')"),
        ("oracle", "TO_CHAR(ts, 'SSSSS')"),
        ("oracle", "TO_CHAR(n, '9,999.99')"),
        ("oracle", "TO_CHAR(n, 'FM000')"),
        ("oracle", "TO_CHAR(n)"),
        ("oracle", "TO_DATE('10:00', 'HH24:MI')"),
        ("oracle", "TO_DATE(s DEFAULT NULL ON CONVERSION ERROR, 'YYYY-MM-DD')"),
        ("snowflake", "TRY_TO_DATE('x')"),
        ("snowflake", "TRY_TO_TIMESTAMP('x')"),
        ("snowflake", "TRY_TO_NUMBER('12.5')"),
        ("snowflake", "TRY_TO_DOUBLE(x)"),
        ("snowflake", "TO_NUMBER('12.5')"),
        ("snowflake", "TO_DECIMAL(x, 10, 2)"),
        ("snowflake", "ROUND(x, 2, 'HALF_TO_EVEN')"),
        ("snowflake", "DATEADD(day, n, d)"),
        ("snowflake", "DATEDIFF(week, a, b)"),
        ("snowflake", "SUBSTR(x, n)"),
        ("trino", "ARRAY_MAX(a)"),
        ("trino", "REPLACE(s, x, '.')"),
        ("trino", "DATE_DIFF('month', a, b)"),
        ("trino", "max(x, 3)"),
        ("trino", "FILTER(a, b)"),
        ("flink", "INITCAP(s)"),
        ("flink", "CEIL(ts TO DAY)"),
        ("flink", "TUMBLE(ts, INTERVAL '1' HOUR)"),
        ("flink", "DATE_FORMAT(ts, 'EEE')"),
    ],
)
def test_left_with_a_note(read: str, call: str) -> None:
    got, notes = item(call, read)
    assert got == call
    assert notes[0] == call.partition("(")[0]


def test_statements_that_were_misread() -> None:
    for sql, read, told in (
        ("SELECT id, DATE '2020-01-01' FROM t QUALIFY RANK() OVER (ORDER BY id) = 1", "flink", 0),
        ("SELECT id FROM t WHERE x > $lim - 3", "snowflake", 1),
        ("SELECT (end_ts - start_ts) * 24 FROM t", "oracle", 1),
        ("SELECT * FROM t WHERE ts > CURRENT_DATE - 1", "oracle", 1),
        ("SELECT * FROM t, u WHERE t.a = u.a(+)", "oracle", 2),
        ("SELECT * FROM a CROSS JOIN UNNEST(b) WITH ORDINALITY AS u (x, n)", "trino", 1),
        (
            CLAUSE.format("LAST(x) IGNORE NULLS AS n", "x > 1").replace("BY k", "BY k NULLS LAST"),
            "oracle",
            1,
        ),
    ):
        got, notes = translated(sql, read)
        assert got == sql
        assert len(notes) == told, notes


@pytest.mark.parametrize(
    ("read", "given", "written"),
    [
        (
            "snowflake",
            "datediff( hour , a, b )",
            "TIMESTAMPDIFF( HOUR , DATE_TRUNC('HOUR', a), DATE_TRUNC('HOUR', b ))",
        ),
        ("snowflake", "IFF(/* c */ a, b, NVL(c, 'd'))", "IF(/* c */ a, b, NVL(c, 'd'))"),
        (
            "oracle",
            "SUBSTR(SUBSTR(s, 2), 1, 3)",
            "NULLIF(SUBSTR(NULLIF(SUBSTR(s, 2), ''), 1, 3), '')",
        ),
        ("trino", "date_add('hour', -n, ts)", "TIMESTAMPADD(HOUR, -n, ts)"),
    ],
)
def test_written(read: str, given: str, written: str) -> None:
    assert item(given, read) == (written, [])
