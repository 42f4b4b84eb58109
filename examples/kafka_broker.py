"""A Kafka broker for the demo: one node that is both broker and controller (KRaft).

It listens on two free local ports, and is stopped when the block that uses it ends.
"""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pyspark.sql import SparkSession

HEAP = "-Xmx256m"
START_SECONDS = 120
STOP_SECONDS = 30
# any 16 bytes in base64; these say match_recognize!
CLUSTER_ID = "bWF0Y2hfcmVjb2duaXplIQ"
SETTINGS = """\
process.roles=broker,controller
node.id=1
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
controller.listener.names=CONTROLLER
controller.quorum.voters=1@127.0.0.1:{controller}
log.dirs={data}
# a topic that nobody created is a mistake
auto.create.topics.enable=false
# for compacted topics, of which there is none here: 128 MiB by default, half of the heap
log.cleaner.dedupe.buffer.size=4194304
"""
LOGGING = """\
appender.out.type=Console
appender.out.name=out
appender.out.layout.type=PatternLayout
appender.out.layout.pattern=%d %p %m (%c)%n
rootLogger.level=INFO
rootLogger.appenderRef.out.ref=out
"""


def free_ports(count: int) -> list[int]:
    """Return `count` different free ports."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    try:
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


def accepts(port: int) -> bool:
    """Return whether something listens on a port of this machine."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def end_of(log: Path, lines: int = 20) -> str:
    """Return the last lines of a log."""
    return "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])


def wait(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    """Wait until the broker listens.

    Raises:
        SystemExit: If it exits, or does not listen in time. The message has the end of its log.
    """
    deadline = time.monotonic() + START_SECONDS
    while not accepts(port):
        if process.poll() is not None or time.monotonic() > deadline:
            message = f"The broker did not start. The end of {log}:\n{end_of(log)}"
            raise SystemExit(message)
        time.sleep(0.1)


@contextmanager
def broker(jars: Path, folder: Path) -> Iterator[str]:
    """Start a broker and stop it when the block ends, also on an error.

    Args:
        jars: Has the jars of the broker.
        folder: For its settings, its log `broker.log` and its data; has no data of another broker.

    Yields:
        The address for `kafka.bootstrap.servers`.

    Raises:
        SystemExit: If the broker does not start.
    """
    port, controller = free_ports(2)
    settings = folder / "server.properties"
    data = (folder / "data").absolute()
    settings.write_text(SETTINGS.format(port=port, controller=controller, data=data))
    logging = folder / "log4j2.properties"
    logging.write_text(LOGGING)
    home = os.environ.get("JAVA_HOME")
    java = [f"{home}/bin/java" if home else "java", HEAP, f"-Dlog4j2.configurationFile={logging}"]
    java += ["-cp", f"{jars}/*"]
    storage = ["kafka.tools.StorageTool", "format", "--cluster-id", CLUSTER_ID, "--config"]
    log = folder / "broker.log"
    with log.open("wb") as out:
        formatted = subprocess.run(  # noqa: S603 - our own command
            [*java, *storage, settings], stdout=out, stderr=out, check=False
        )
        if formatted.returncode:
            message = f"The broker's storage was not formatted:\n{end_of(log)}"
            raise SystemExit(message)
        # in a session of its own, so that Ctrl-C does not stop it before the queries that use it
        process = subprocess.Popen(  # noqa: S603 - our own command
            [*java, "kafka.Kafka", settings], stdout=out, stderr=out, start_new_session=True
        )
    try:
        wait(process, port, log)
        yield f"127.0.0.1:{port}"
    finally:
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def create_topics(
    spark: SparkSession,
    servers: str,
    topics: dict[str, int],
    settings: dict[str, str] | None = None,
) -> None:
    """Create topics, through the client of Spark's connector.

    Args:
        spark: A classic session with the connector.
        servers: The address of the broker.
        topics: The number of partitions of each topic, by its name.
        settings: Those of the topics.
    """
    java = spark.sparkContext._jvm  # noqa: SLF001 - the way to a class of Java
    assert java is not None  # noqa: S101 - a running session has one
    admin = java.org.apache.kafka.clients.admin
    new = [
        admin.NewTopic(name, partitions, 1).configs(settings or {})
        for name, partitions in topics.items()
    ]
    client = admin.Admin.create({"bootstrap.servers": servers})
    try:
        client.createTopics(new).all().get()
    finally:
        client.close()
