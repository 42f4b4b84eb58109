"""What EXPLAIN says about the outermost clause of a query."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# the ids of columns
_ID = re.compile(r"#\d+L?\b")
_NODE = re.compile(
    r"^\(\d+\) (?:MatchRecognize|RowPatternWindow)\n(?P<lines>.*?)(?:\n\n|\Z)",
    re.MULTILINE | re.DOTALL,
)
_SUBQUERIES = "\n===== Subqueries ====="


class Described:
    """The parts of a clause, as EXPLAIN FORMATTED writes them.

    Attributes:
        plan: The whole plan.
        lines: The lines of the outermost clause, empty if there is none.
    """

    def __init__(self, plan: str) -> None:
        """Find the clause in a plan."""
        self.plan = plan.strip()
        nodes = [node["lines"] for node in _NODE.finditer(plan.partition(_SUBQUERIES)[0])]
        self.lines = str(nodes[-1]) if nodes else ""

    @property
    def clause(self) -> str:
        """The lines without the ids of columns."""
        return _ID.sub("", self.lines)

    @property
    def pattern(self) -> str | None:
        """What is in the parentheses of PATTERN."""
        found = re.search(r"^Pattern: \((.*)\)$", self.lines, re.MULTILINE)
        return found[1] if found else None

    @property
    def is_descending(self) -> bool:
        """Whether the first key of ORDER BY is in descending order."""
        found = re.search(r" (ASC|DESC) NULLS ", self._line("Order"))
        return found is not None and found[1] == "DESC"

    @property
    def has_short_frames(self) -> bool:
        """Whether the frames of a row pattern window end before their partition."""
        frame = self._line("Frame")
        return bool(frame) and "UNBOUNDED FOLLOWING" not in frame

    def keys(self, columns: Iterable[str]) -> list[str]:
        """Return those of the columns that PARTITION BY names."""
        line = self._line("Partition")
        named = re.compile(r"(?:^\[|, )([^#]*)#\d+L?(?=, |\]$)")
        found = {match[1] for match in named.finditer(line)}
        return [column for column in columns if column in found]

    def measured(self, function: str, columns: Iterable[str]) -> str | None:
        """Return the first of the columns that is a measure with only this function."""
        line = self._line("Measures")
        for column in columns:
            text = f"{function} AS {column}"
            if any(f"{before}{text}{after}" in line for before in "[ " for after in "],"):
                return column
        return None

    def _line(self, name: str) -> str:
        found = re.search(rf"^{name}: (.*)$", self.lines, re.MULTILINE)
        return found[1] if found else ""


def described(query: DataFrame | str, session: SparkSession) -> Described:
    """Return what EXPLAIN says about a query, which is not run.

    Raises:
        AnalysisException: If the query is not valid.
    """
    if isinstance(query, str):
        rows = session.sql(f"EXPLAIN FORMATTED {query}").collect()
    else:
        frame = query.where("true")
        rows = session.sql("EXPLAIN FORMATTED SELECT * FROM {df}", df=frame).collect()
    return Described(str(rows[0][0]))
