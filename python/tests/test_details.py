"""What the doctor says of a session for the report of a fault."""

from __future__ import annotations

from typing import Any

import pytest

from spark_match_recognize._details import details_of

SETTINGS = {
    "spark.master": "spark://internal-host:7077",
    "spark.matchRecognize.sort": "own",
    "spark.matchRecognize.shuffle": "rows\nand = more",
    "spark.sql.ansi.enabled": "false",
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension, com.acme.hidden.Rules",
    "spark.sql.streaming.stateStore.providerClass": "com.acme.hidden.Provider",
    "spark.hadoop.fs.s3a.secret.key": "hidden",
    "spark.sql.catalog.lake.uri": "thrift://hidden",
    "spark.sql.warehouse.dir": "/home/hidden",
}


class Rows:
    """An answer of a session."""

    def __init__(self, rows: list[tuple[Any, ...]]) -> None:
        self.rows = rows

    def collect(self) -> list[tuple[Any, ...]]:
        return self.rows


class Session:
    """A session that has settings, and may forbid functions of Java."""

    version = "4.3.0"

    def __init__(self, *, tells_java: bool = True) -> None:
        self.tells_java = tells_java

    def sql(self, text: str) -> Rows:
        if text == "SET":
            return Rows([*SETTINGS.items()])
        if not self.tells_java:
            message = "no functions of Java here"
            raise PermissionError(message)
        return Rows([("17.0.1",)])


def test_versions_and_settings_without_anything_private() -> None:
    versions, session, *settings = details_of(Session())
    assert "Spark 4.3.0" in versions
    assert "Java 17.0.1" in versions
    assert session == "classic session, master spark://..."
    assert settings == [
        "spark.matchRecognize.shuffle = rows and = more",
        "spark.matchRecognize.sort = own",
        "spark.sql.ansi.enabled = false",
        "spark.sql.extensions = io.delta.sql.DeltaSparkSessionExtension, 1 of others",
        "spark.sql.streaming.stateStore.providerClass = 1 of others",
    ]


@pytest.mark.parametrize("tells_java", [True, False])
def test_nothing_private_is_shown(*, tells_java: bool) -> None:
    lines = details_of(Session(tells_java=tells_java))
    assert not any("hidden" in line or "internal-host" in line for line in lines)
    assert ("Java of unknown version" in lines[0]) is not tells_java
