"""Annotations of public functions, for tools that read them at run time."""

from __future__ import annotations

import inspect
import typing
from typing import Any

import pandas as pd
import pytest
from matplotlib.figure import Figure
from pyspark.sql import Column, DataFrame, SparkSession

import spark_match_recognize as mr
from spark_match_recognize import _hints
from spark_match_recognize.methods import with_methods

FUNCTIONS = [getattr(mr, name) for name in mr.__all__ if inspect.isfunction(getattr(mr, name))]


@pytest.mark.parametrize("function", [*FUNCTIONS, with_methods], ids=lambda each: each.__name__)
def test_types_of_each_argument(function: Any) -> None:
    hints = typing.get_type_hints(function)
    assert hints.keys() == {*inspect.signature(function).parameters, "return"}


def test_types_are_those_of_the_libraries() -> None:
    hints = typing.get_type_hints(mr.match_recognize)
    assert hints["df"] is hints["return"] is DataFrame
    assert Column in typing.get_args(hints["partition_by"])
    assert str in typing.get_args(hints["rows_per_match"])
    drawn = typing.get_type_hints(mr.plot)
    assert drawn["return"] is Figure
    assert set(typing.get_args(drawn["df"])) == {DataFrame, pd.DataFrame}
    assert SparkSession in typing.get_args(typing.get_type_hints(mr.trace)["spark"])


def test_a_library_that_is_not_installed() -> None:
    assert _hints.Library("nosuch.library").Type is Any
