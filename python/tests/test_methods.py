"""The method of DataFrames: installed by a call or an import, never over one of others."""

from __future__ import annotations

import importlib

import pytest
from pyspark.sql import DataFrame

import spark_match_recognize as mr
from spark_match_recognize import methods


@pytest.fixture(autouse=True)
def _without(monkeypatch: pytest.MonkeyPatch) -> None:
    mr.install_methods()
    monkeypatch.delattr(DataFrame, "match_recognize")


def test_a_second_call_changes_nothing() -> None:
    assert not hasattr(DataFrame, "match_recognize")
    for _ in range(2):
        mr.install_methods()
        assert DataFrame.match_recognize is mr.match_recognize


def test_importing_the_module_installs_it() -> None:
    importlib.reload(methods)
    assert DataFrame.match_recognize is mr.match_recognize


@pytest.mark.parametrize("of_a_kind", [False, True])
def test_an_attribute_of_others_is_left(
    monkeypatch: pytest.MonkeyPatch, *, of_a_kind: bool
) -> None:
    def other() -> None: ...

    class Kind(DataFrame):
        """A kind of DataFrames."""

    monkeypatch.setattr(DataFrame, "__subclasses__", lambda: [Kind], raising=False)
    kind = Kind if of_a_kind else DataFrame
    monkeypatch.setattr(kind, "match_recognize", other, raising=False)
    for install in mr.install_methods, lambda: importlib.reload(methods):
        with pytest.raises(mr.SetupError, match=r"has an attribute match_recognize already, from "):
            install()
        assert kind.match_recognize is other
