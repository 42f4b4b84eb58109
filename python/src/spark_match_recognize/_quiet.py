"""One error, one message: pyspark's log of errors, kept quiet while an error is expected or retold.

pyspark 4 writes each error of a classic session to standard error as a line of JSON of 10 to 15 kB,
most of it the Java stack, before the error itself is shown.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
import threading
from collections.abc import Iterator
from typing import Any

# errors in SQL text and in expressions of DataFrames
_NAMES = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
_here = threading.local()  # `depth`: how many blocks of this thread keep them quiet


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep pyspark from writing errors of this thread to standard error in this block."""
    for logger in _loggers():
        logger.addFilter(_is_of_other_threads)  # a second time changes nothing
    _here.depth = getattr(_here, "depth", 0) + 1
    try:
        yield
    finally:
        _here.depth -= 1


def silence_pyspark() -> None:
    """Keep pyspark from writing errors as lines of JSON to standard error, in this whole process.

    pyspark 4 writes one of 10 to 15 kB before each error of a classic session. The errors
    themselves do not change. Errors that functions of this package raise are never written so.

    Examples:
        >>> import spark_match_recognize as mr
        >>> mr.silence_pyspark()
    """
    with contextlib.suppress(ImportError):
        importlib.import_module("pyspark.logger")
    for logger in _loggers():
        logger.disabled = True


def _is_of_other_threads(_: object) -> bool:
    """Tell whether a message may be written; the thread that writes it is the one that asks."""
    return not getattr(_here, "depth", 0)


def _loggers() -> list[Any]:
    if "pyspark.errors" not in sys.modules:  # nothing has a session, so nothing is logged
        return []
    try:
        module = importlib.import_module("pyspark.logger")
    except ImportError:  # an older pyspark
        return []
    # logging.getLogger would create another class
    return [module.PySparkLogger.getLogger(name) for name in _NAMES]
