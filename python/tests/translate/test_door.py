"""`translate`, the way in: what it refuses, and that there is no other way."""

from __future__ import annotations

import ast
import copy
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from translating import translated

import spark_match_recognize as mr
from spark_match_recognize._translate.systems import SYSTEMS


@pytest.mark.parametrize(
    ("sql", "read", "message"),
    [
        ("SELECT 1", "mysql", "translate reads databricks, .*, vertica, not 'mysql'"),
        ("SELECT * FROM t MATCH_RECOGNIZE (ORDER BY k)", "oracle", "Expecting PATTERN"),
        ("SELECT * FROM t MATCH_RECOGNIZE (PATTERN (A) DEFINE A > 1)", "trino", "Expecting AS"),
        ("SELECT (1", "spark", r"cannot read this statement: Expecting \)"),
        ("SELECT 1; SELECT 2", "spark", "takes one statement, not 2"),
        (" -- nothing", "oracle", "takes one statement, not an empty text"),
    ],
)
def test_refused(sql: str, read: str, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        mr.translate(sql, read=read)
    assert "\033" not in str(caught.value)


def test_no_text() -> None:
    with pytest.raises(TypeError, match="sql must be a string, not None"):
        mr.translate(None, read="spark")  # type: ignore[arg-type]


def test_a_translation_is_a_string() -> None:
    found = mr.translate("SELECT '' AS n FROM dual", read="Oracle")
    assert isinstance(found, str)
    assert found == found.sql == "SELECT\n  CAST(NULL AS STRING) AS n"
    assert type(found.sql) is str
    assert repr(found) == f"{found.sql}\n-- In Oracle '' is NULL: NULL is written."
    assert found._repr_html_() == (
        f"<pre>{found.sql}</pre><ul><li>In Oracle &#x27;&#x27; is NULL: NULL is written.</li></ul>"
    )
    copies = (copy.deepcopy(found), pickle.loads(pickle.dumps(found)))  # noqa: S301
    assert [(made, made.notes) for made in copies] == [(found, found.notes)] * 2


def test_extra_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlglot", None)
    with pytest.raises(mr.MissingExtraError, match=r"spark-match-recognize\[translate\]"):
        mr.translate("SELECT 1", read="spark")


def test_nested_too_deeply() -> None:
    with pytest.raises(ValueError, match="cannot read this statement: maximum recursion"):
        translated("SELECT " + "(" * 2_000 + "1" + ")" * 2_000, "trino")


def imported(file: Path) -> Iterator[str]:
    """Yield the names that a module of the package imports from the package, in full."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(mr.__name__):
            yield from (f"{node.module}.{name.name}" for name in node.names)


def test_one_door() -> None:
    """Others know what the door offers only, and it knows little of them; importing it is cheap."""
    package = Path(mr.__file__).parent
    room = f"{mr.__name__}._translate."
    outside = {name for file in package.glob("*.py") for name in imported(file)}
    assert {name for name in outside if name.startswith(room)} == {
        f"{room}Translation",
        f"{room}translate",
    }
    inside = {name for file in package.glob("_translate/*.py") for name in imported(file)}
    assert {name for name in inside if not name.startswith(room[:-1])} == {
        f"{mr.__name__}._errors.extra",
        f"{mr.__name__}._kinds.checked",
        f"{mr.__name__}._kinds.text",
        f"{mr.__name__}._pattern",
    }
    code = "import sys, spark_match_recognize; assert 'sqlglot' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_systems_are_those_of_the_docstring() -> None:
    described = " ".join((mr.translate.__doc__ or "").split()).partition("written for: ")[2]
    assert described.startswith(f"{', '.join([*SYSTEMS][:-1])} or {[*SYSTEMS][-1]}, whose clause")
