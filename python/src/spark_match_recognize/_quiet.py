"""One error, one message: pyspark's log of errors, kept quiet while an error is expected or retold.

pyspark 4 writes each error of a classic session to standard error as a line of JSON of 10 to 15 kB,
most of it the Java stack, before the error itself is shown.
"""

from __future__ import annotations

import contextlib
import importlib
import threading
from collections.abc import Iterator

# errors in SQL text and in expressions of DataFrames
_NAMES = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
_LOCK = threading.Lock()
_hushed: list[list[bool]] = []  # for each thread that keeps them quiet, what they were before


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep pyspark from writing errors to standard error in this block."""
    loggers = _loggers()
    with _LOCK:
        _hushed.append(
            _hushed[0] if _hushed else [bool(vars(logger)["disabled"]) for logger in loggers]
        )
        _disable(loggers, [True] * len(loggers))
    try:
        yield
    finally:
        with _LOCK:
            before = _hushed.pop()
            if not _hushed:  # no other thread needs it
                _disable(loggers, before)


def silence_pyspark() -> None:
    """Keep pyspark from writing errors as lines of JSON to standard error, in this whole process.

    pyspark 4 writes one of 10 to 15 kB before each error of a classic session. The errors
    themselves do not change. Errors that `match_recognize` raises are never written so.

    Examples:
        >>> import spark_match_recognize as mr
        >>> mr.silence_pyspark()
    """
    with _LOCK:
        loggers = _loggers()
        _disable(loggers, [True] * len(loggers))
        _hushed[:] = [[True] * len(loggers) for _ in _hushed]


def _loggers() -> list[object]:
    try:
        module = importlib.import_module("pyspark.logger")
    except ImportError:  # no pyspark
        return []
    # logging.getLogger would create another class
    return [module.PySparkLogger.getLogger(name) for name in _NAMES]


def _disable(loggers: list[object], values: list[bool]) -> None:
    for logger, value in zip(loggers, values, strict=True):
        logger.disabled = value  # type: ignore[attr-defined]
