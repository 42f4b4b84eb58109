"""`translate` needs its extra."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _sqlglot() -> None:
    pytest.importorskip("sqlglot")
