"""`getMessage` of pyspark's errors in classic sessions, for the conditions of the plugin.

pyspark looks a condition up in Spark's catalogue, to which an extension cannot add: for a condition
of the plugin `getMessage` would raise an internal error. `str(error)` has the message in any case.
"""

from __future__ import annotations

import functools
import importlib
import re
from typing import Any

_OWN = "MATCH_RECOGNIZE_"
# what follows in a message is the place
_MESSAGE = re.compile(r".*?SQLSTATE: \w{5}", re.DOTALL)


def messages_of_own_conditions() -> None:
    """Let `getMessage` return the message of an error of the plugin; a second call does nothing."""
    try:
        captured = importlib.import_module("pyspark.errors.exceptions.captured")
    except ImportError:  # no pyspark, or one that only knows Connect, which needs no help
        return
    error = captured.CapturedException
    if getattr(error.getMessage, "of_match_recognize", False):
        return
    of_spark = error.getMessage

    @functools.wraps(of_spark)
    def message(self: Any) -> str:  # noqa: ANN401 - an error of pyspark
        if not str(self.getCondition()).startswith(_OWN):
            return str(of_spark(self))
        text = str(self._desc)
        found = _MESSAGE.match(text)
        return found[0] if found else text

    message.of_match_recognize = True  # type: ignore[attr-defined]
    error.getMessage = message
