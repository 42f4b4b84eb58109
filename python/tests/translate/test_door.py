"""`translate`, the way in: what it refuses, what it returns, and when it is loaded."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys

import pytest

import spark_match_recognize as mr
from spark_match_recognize.translation import SYSTEMS


@pytest.mark.parametrize(
    ("sql", "read", "message"),
    [
        ("SELECT 1", "vertica", "translate reads flink, oracle, snowflake, trino, not 'vertica'"),
        ("SELECT (1", "trino", "line 1, column 8: a bracket is not closed"),
        ("SELECT (1]", "trino", "line 1, column 10: a bracket is not opened"),
        ("SELECT\n 1)", "trino", "line 2, column 3: a bracket is not opened"),
        ("SELECT 'a", "oracle", "line 1, column 8: ' is not closed"),
        ('SELECT "a', "snowflake", 'line 1, column 8: " is not closed'),
        ("SELECT `a", "flink", "line 1, column 8: ` is not closed"),
        ("SELECT 1 /* a", "flink", r"line 1, column 10: /\* is not closed"),
        ("SELECT 1; SELECT 2", "flink", "takes one statement"),
        (" -- nothing", "oracle", "takes one statement"),
        (";", "oracle", "takes one statement"),
    ],
)
def test_refused(sql: str, read: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        mr.translate(sql, read=read)  # type: ignore[arg-type]


def test_no_text() -> None:
    with pytest.raises(TypeError, match="sql must be a string, not None"):
        mr.translate(None, read="oracle")  # type: ignore[arg-type]


def test_a_translation_is_a_string() -> None:
    found = mr.translate("SELECT '' AS n,\n  a < f(b) FROM t", read="Oracle")  # type: ignore[arg-type]
    assert isinstance(found, str)
    assert found == found.sql == "SELECT CAST(NULL AS STRING) AS n,\n  a < f(b) FROM t"
    assert type(found.sql) is str
    note = "line 2, column 7: f is left as it is: Spark's may fail or differ."
    assert found.notes == (note,)
    assert repr(found) == f"{found.sql}\n-- {note}"
    assert found._repr_html_() == (
        "<pre>SELECT CAST(NULL AS STRING) AS n,\n  a &lt; f(b) FROM t</pre>"
        f"<ul><li>{note.replace(chr(39), '&#x27;')}</li></ul>"
    )
    copies = (copy.deepcopy(found), pickle.loads(pickle.dumps(found)))  # noqa: S301
    assert [(made, made.notes) for made in copies] == [(found, found.notes)] * 2


def test_loaded_on_first_use() -> None:
    code = """
import sys, spark_match_recognize as mr
assert not [name for name in sys.modules if "translation" in name or "sqlglot" in name]
assert mr.translate is mr.translate and mr.Translation.__name__ == "Translation"
assert "spark_match_recognize.translation" in sys.modules and "sqlglot" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_systems_are_those_of_the_docstring() -> None:
    described = " ".join((mr.translate.__doc__ or "").split()).partition("written for: ")[2]
    assert described.startswith(f"{', '.join([*SYSTEMS][:-1])} or {[*SYSTEMS][-1]}.")
