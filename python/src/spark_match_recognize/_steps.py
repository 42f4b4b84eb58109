"""The steps of a trace, as far as this package reads them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

Step = Mapping[str, Any]

_RUN = re.compile(r"(?P<name>`(?:[^`]|``)*`|[^\s`{]+)(?:\{(?P<times>\d+)\})?")


def variables_of(path: str | None) -> list[str]:
    """Return the variables of a path such as `A B{3}`, one for each row."""
    found: list[str] = []
    for run in _RUN.finditer(path or ""):
        name = run["name"]
        if name.startswith("`"):
            name = name[1:-1].replace("``", "`")
        found += [name] * int(run["times"] or 1)
    return found


def begins_partition(step: Step) -> bool:
    """Tell whether a step is the first one of a partition.

    The texts of the keys do not tell: those of NULL and of 'NULL' are equal, as are those of two
    moments in the hour that is repeated when summer time ends.
    """
    return bool(step["event"] == "row" and step["row_number"] == 1)
