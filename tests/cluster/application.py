"""One application on a cluster: its session, what it runs at the moment, and what its log says."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from cluster.standalone import HOST, MEMORY, Cluster, Executor, wait_for
from pyspark.sql import SparkSession

from spark_match_recognize import configure

MAPS = 6
"""Tasks of the stage below the exchange, which tells it apart from the stage of the search."""
SEARCHES = 8
"""Tasks of the stage of the search."""
STAGES = {MAPS: "map", SEARCHES: "search"}
COMMON = {
    "spark.ui.enabled": "false",
    "spark.ui.liveUpdate.period": "0",  # what runs is known at once
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": str(SEARCHES),
    "spark.sql.adaptive.coalescePartitions.enabled": "false",
    # as on machines of their own, executors do not read from each other's disks
    "spark.shuffle.readHostLocalDisk": "false",
    "spark.shuffle.io.retryWait": "200ms",
    # a file of the input is a task
    "spark.sql.files.maxPartitionBytes": "1g",
    "spark.sql.files.openCostInBytes": "1g",
}


class Task(NamedTuple):
    """A task, the executor that it was given to, and its status, such as `RUNNING`."""

    id: int
    executor: str
    status: str


class Log(NamedTuple):
    """What the event log of an application says.

    Attributes:
        ends: How often tasks of a stage, `map` or `search`, ended for a reason.
        attempts: How many attempts of a stage there were.
        copies: How many copies of slow tasks of a stage ended with success.
        spilled: Bytes that tasks spilled to disk.
        removed: Why executors are gone, by id.
        errors: What tasks failed with.
    """

    ends: Counter[tuple[str, str]]
    attempts: Counter[str]
    copies: Counter[str]
    spilled: int
    removed: dict[str, str]
    errors: list[str]


class Application:
    """A running application of this process."""

    def __init__(self, spark: SparkSession, cluster: Cluster) -> None:
        """Take a session on a cluster."""
        self.spark = spark
        self.cluster = cluster

    def executor(self, name: str) -> Executor | None:
        """Return a running executor by its id."""
        return next((one for one in self.cluster.executors() if one.id == name), None)

    def tasks(self, stage: str) -> list[Task]:
        """Return the tasks of the first attempt of a stage that runs."""
        # There is no public API for it in Python.
        store = self.spark.sparkContext._jsc.sc().statusStore()
        return [
            Task(task.taskId(), task.executorId(), task.status())
            for one in elements(store.activeStages())
            if STAGES.get(one.numTasks()) == stage
            for task in elements(store.taskList(one.stageId(), one.attemptId(), 1000))
        ]


def elements(sequence: Any) -> Iterator[Any]:
    """Return the elements of a sequence of Scala."""
    return (sequence.apply(i) for i in range(sequence.size()))


def builder(url: str, folder: Path, driver: str) -> SparkSession.Builder:
    """Return a builder of sessions on a cluster.

    Args:
        url: Of the master.
        folder: Of the cluster.
        driver: Name of a folder there for the driver's local files.
    """
    java = f"-XX:-UsePerfData -Djava.io.tmpdir={folder / 'tmp'}"
    (folder / "events").mkdir(exist_ok=True)
    made = SparkSession.builder.master(url).appName("cluster tests").config(map=COMMON)
    return made.config(
        map={
            "spark.driver.host": HOST,
            "spark.driver.bindAddress": HOST,
            "spark.local.dir": str(folder / driver),
            "spark.executor.cores": "1",
            "spark.executor.memory": f"{MEMORY}m",
            "spark.executor.extraJavaOptions": java,
            "spark.eventLog.enabled": "true",
            "spark.eventLog.compress": "false",
            "spark.eventLog.rolling.enabled": "false",
            "spark.eventLog.dir": (folder / "events").as_uri(),
        }
    )


@contextlib.contextmanager
def application(
    cluster: Cluster, settings: Mapping[str, str] | None = None
) -> Iterator[Application]:
    """Start an application on a cluster and wait for its executors; stop it at the end.

    Args:
        cluster: Where to.
        settings: More settings of Spark.
    """
    made = builder(cluster.url, cluster.folder, "driver")
    made = made.config(map={**cluster.settings, **(settings or {})})
    session = configure(made).getOrCreate()
    try:
        slots = sum(worker.slots for worker in cluster.workers)
        wait_for("executors", lambda: registered(session) == slots)
        yield Application(session, cluster)
    finally:
        session.stop()


def registered(session: SparkSession) -> int:
    """Return how many executors a session has now."""
    # the driver is one of them
    return len(session.sparkContext._jsc.sc().statusTracker().getExecutorInfos()) - 1


def log_of(cluster: Cluster) -> Log:
    """Return what the log of the latest application says, which has ended."""
    latest = max((cluster.folder / "events").iterdir(), key=lambda path: path.stat().st_mtime_ns)
    return read(latest)


def read(file: Path) -> Log:
    """Return what an event log says."""
    events: list[dict[str, Any]] = [json.loads(line) for line in file.read_text().splitlines()]

    def of(kind: str) -> list[dict[str, Any]]:
        return [event for event in events if event["Event"] == f"SparkListener{kind}"]

    # A later attempt has fewer tasks, and may be of a stage whose first was skipped.
    planned = [info for event in of("JobStart") for info in event["Stage Infos"]]
    names = {
        info["Stage ID"]: STAGES.get(info["Number of Tasks"], "other")
        for info in planned
        if info["Stage Attempt ID"] == 0
    }
    begun = [info["Stage Info"] for info in of("StageSubmitted")]
    tasks = of("TaskEnd")
    metrics = [task.get("Task Metrics") or {} for task in tasks]
    return Log(
        ends=Counter((names[t["Stage ID"]], t["Task End Reason"]["Reason"]) for t in tasks),
        attempts=Counter(names[info["Stage ID"]] for info in begun if info["Number of Tasks"]),
        copies=Counter(
            names[t["Stage ID"]]
            for t in tasks
            if t["Task Info"]["Speculative"] and t["Task End Reason"]["Reason"] == "Success"
        ),
        spilled=sum(metric.get("Disk Bytes Spilled", 0) for metric in metrics),
        removed={e["Executor ID"]: e["Removed Reason"] for e in of("ExecutorRemoved")},
        errors=[
            task["Task End Reason"]["Description"]
            for task in tasks
            if task["Task End Reason"]["Reason"] == "ExceptionFailure"
        ],
    )
