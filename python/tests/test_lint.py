"""`lint` and a plugin that is older than the package; tests/ has its warnings."""

from __future__ import annotations

from typing import Any

import pytest

import spark_match_recognize as mr


class Session:
    """A session whose plugin is of an older version, and lacks a function."""

    def __init__(self, missing: str) -> None:
        self.missing = missing

    def sql(self, text: str, **_: Any) -> Any:
        if "match_recognize_version" in text:
            return self
        message = (
            f"[UNRESOLVABLE_TABLE_VALUED_FUNCTION] Could not resolve `{self.missing}` to a "
            "table-valued function.\nPlease make sure that it is defined. SQLSTATE: 42883"
        )
        raise pytest.importorskip("pyspark.errors").AnalysisException(message)

    def collect(self) -> list[tuple[str]]:
        return [("0.1.9",)]


def test_plugin_older_than_the_package() -> None:
    session: Any = Session("match_recognize_warnings")
    with pytest.raises(mr.SetupError) as told:
        mr.lint("SELECT 1", session)
    assert str(told.value) == (
        "[MATCH_RECOGNIZE_SETUP] The plugin of this session is version 0.1.9, which does not have "
        f"the function match_recognize_warnings; this package is {mr.version()}. Give the driver, "
        f"with Connect the server, the jar of version {mr.version()}, or install version 0.1.9 of "
        "the package."
    )


def test_another_function_that_is_missing() -> None:
    session: Any = Session("of_nobody")
    with pytest.raises(pytest.importorskip("pyspark.errors").AnalysisException, match="of_nobody"):
        mr.lint("SELECT * FROM of_nobody()", session)
