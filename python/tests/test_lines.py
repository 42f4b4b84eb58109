"""Lists of sentences that show themselves as lines."""

from __future__ import annotations

import pytest

import spark_match_recognize as mr
from spark_match_recognize._lines import Warnings


def test_lines() -> None:
    found = Warnings(["x < 1", "y"])
    assert found == ["x < 1", "y"]
    assert isinstance(found, list)
    assert str(found) == "x < 1\ny"
    assert repr(found) == "x < 1\ny"
    assert found._repr_html_() == "<ul><li>x &lt; 1</li><li>y</li></ul>"


def test_no_lines() -> None:
    assert not Warnings()
    assert str(Warnings()) == "No warnings."
    assert Warnings()._repr_html_() == "<p>No warnings.</p>"


def test_kind_of_data() -> None:
    with pytest.raises(TypeError, match=r"^data must be True or False, not a value of type str$"):
        mr.lint("SELECT 1", data="yes")  # type: ignore[arg-type]
