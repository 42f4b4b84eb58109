"""pyspark's log of errors: quiet in this package's functions, for their own thread alone."""

from __future__ import annotations

import threading

import pytest
from pyspark.errors import AnalysisException
from pyspark.logger import PySparkLogger

from spark_match_recognize._kinds import checked
from spark_match_recognize._quiet import quiet

NAMES = ["SQLQueryContextLogger", "DataFrameQueryContextLogger"]


@pytest.fixture(params=NAMES)
def logged(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the messages that a logger of pyspark writes."""
    assert AnalysisException  # pyspark.errors is imported, as it is where there is a session
    found: list[str] = []
    logger = PySparkLogger.getLogger(request.param)
    monkeypatch.setattr(logger, "disabled", False)
    monkeypatch.setattr(logger, "callHandlers", lambda record: found.append(record.getMessage()))
    return found


def log(text: str) -> None:
    for name in NAMES:
        PySparkLogger.getLogger(name).error(text)


def test_messages_of_this_thread_are_left_out(logged: list[str]) -> None:
    log("before")
    with quiet():
        with quiet():
            log("inside")
        log("still inside")
    log("after")
    assert [text for text in logged if "inside" in text] == []
    assert len(logged) == 2


def test_messages_of_other_threads_are_written(logged: list[str]) -> None:
    with quiet():
        other = threading.Thread(target=log, args=("of another thread",))
        other.start()
        other.join()
        log("of this thread")
    assert len(logged) == 1
    assert "of another thread" in logged[0]


def test_an_error_ends_the_silence(logged: list[str]) -> None:
    @checked()
    def fails() -> None:
        log("expected")
        raise KeyError

    with pytest.raises(KeyError):
        fails()
    assert logged == []
    log("after")
    assert len(logged) == 1
