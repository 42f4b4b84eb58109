"""Which modules put SQL together: a value or a name in it must not become code."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import spark_match_recognize as mr

PACKAGE = Path(mr.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
# What of Spark reads a text as SQL. None of them has another meaning in this package.
READS_SQL = {"sql", "selectExpr", "expr", "where", "filter", "createOrReplaceTempView"}
BUILDS_SQL = "_sql.py"


def built(source: str, *, may_build: bool = False) -> Iterator[str]:
    """Yield the calls that give Spark a text which is not written out in the module.

    Args:
        source: The module.
        may_build: Whether it is the one that puts statements together, from templates only.
    """
    tree = ast.parse(source)
    fixed = {
        target.id
        for statement in tree.body
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant)
        for target in statement.targets
        if isinstance(target, ast.Name)
    }
    assigned = [name for node in ast.walk(tree) for name in assigns(node)]
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call):
            continue
        name = getattr(call.func, "attr", getattr(call.func, "id", ""))
        if name in READS_SQL and not may_build:
            texts = [*call.args, *(word.value for word in call.keywords)]
        elif name == "statement":
            texts = call.args[1:2] or [call]  # the template has its place
        else:
            continue
        for text in texts:
            constant = isinstance(text, ast.Constant)
            once = isinstance(text, ast.Name) and text.id in fixed and assigned.count(text.id) == 1
            if not constant and not once:
                yield f"line {call.lineno}: {ast.unparse(call)}"


def assigns(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return [node.id]
    return [node.arg] if isinstance(node, ast.arg) else []


@pytest.mark.parametrize("module", MODULES, ids=lambda module: str(module.relative_to(PACKAGE)))
def test_no_statement_has_a_value_in_it(module: Path) -> None:
    found = list(built(module.read_text("utf-8"), may_build=module.name == BUILDS_SQL))
    assert found == [], "write the statement out and pass its values to `statement` of _sql.py"


@pytest.mark.parametrize(
    "source",
    [
        "spark.sql(f'SELECT {x}')",
        "spark.sql('SELECT ' + x)",
        "spark.sql(text)",
        "A = 'SELECT 1'\ndef f(A): A = A + x; spark.sql(A)",
        "df.selectExpr(*names)",
        "df.where('k = {}'.format(x))",
        "F.expr(f'{x}')",
        "statement(spark, f'SELECT {x}')",
        "statement(spark, template=x)",
    ],
)
def test_what_is_refused(source: str) -> None:
    assert len(list(built(source))) == 1


def test_what_is_written_out() -> None:
    source = "A = 'SELECT 1'\nspark.sql(A)\nspark.sql('SET')\nstatement(s, A, values, x=y)"
    assert list(built(source)) == []
