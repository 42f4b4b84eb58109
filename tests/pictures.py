"""Pictures of the pages: what a Python block shows in a notebook, kept as an SVG file."""

from __future__ import annotations

import ast
import io
import re
from typing import Any

import matplotlib as mpl
import pytest

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
# text stays text, and names of clips do not change from run to run
STYLE = {"svg.fonttype": "none", "svg.hashsalt": "docs"}


def shown(code: str, place: str, names: dict[str, Any]) -> Any:
    """Run a block and return the value of its last line, as a notebook does."""
    tree = ast.parse(code, place)
    last = tree.body.pop()
    assert isinstance(last, ast.Expr), f"{place}: the last line has no value to show"
    exec(compile(tree, place, "exec"), names)  # noqa: S102 - our own page
    return eval(compile(ast.Expression(last.value), place, "eval"), names)  # noqa: S307


def svg(picture: Any) -> str:
    """Return a picture as SVG without dates."""
    if hasattr(picture, "_repr_svg_"):
        return str(picture._repr_svg_())
    text = io.StringIO()
    with mpl.rc_context(STYLE):
        picture.savefig(text, format="svg", metadata={"Date": None})
    return re.sub(r"[ \t]+$", "", text.getvalue(), flags=re.MULTILINE)


def assert_same(got: str, want: str, place: str) -> None:
    """Compare two pictures: the same elements and text, numbers to a tenth of a point.

    Other builds of the same libraries round differently.
    """
    assert NUMBER.split(got) == NUMBER.split(want), place
    numbers = [[float(number) for number in NUMBER.findall(text)] for text in (got, want)]
    assert numbers[0] == pytest.approx(numbers[1], abs=0.1), place
