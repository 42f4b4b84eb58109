"""One application on a cluster: its session, what it runs at the moment, and what its log says."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from cluster.standalone import HOST, MEMORY, Cluster, Executor, wait_for
from pyspark.sql import SparkSession

from spark_match_recognize import configure

MAPS = 6
"""Tasks of the stage below the exchange, which tells it apart from the stage of the search."""
SEARCHES = 8
"""Tasks of the stage of the search."""
ONE_EACH = 2
"""Tasks of the stage of a search that has one for each executor."""
STAGES = {MAPS: "map", SEARCHES: "search", ONE_EACH: "search"}
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
    # an application that is kept does not keep the shuffle files of what it has done
    "spark.sql.classic.shuffleDependency.fileCleanup.enabled": "true",
    # blocks of an executor that is decommissioned move; it goes when it has looked for some once
    # more after its last task
    "spark.storage.decommission.enabled": "true",
    "spark.storage.decommission.rddBlocks.enabled": "true",
    "spark.storage.decommission.shuffleBlocks.enabled": "true",
    "spark.storage.decommission.replicationReattemptInterval": "200ms",
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
    """What the event log of an application says of some of its jobs.

    Attributes:
        ends: How often tasks of a stage, `map` or `search`, ended for a reason.
        attempts: How many attempts of a stage there were.
        copies: How many copies of slow tasks of a stage ended with success.
        spilled: Bytes that tasks spilled to disk.
        removed: Why executors are gone; of one whose worker goes too, Spark says both reasons.
        errors: What tasks failed with.
    """

    ends: Counter[tuple[str, str]]
    attempts: Counter[str]
    copies: Counter[str]
    spilled: int
    removed: list[str]
    errors: list[str]


class Application:
    """A running application of this process."""

    def __init__(self, spark: SparkSession, cluster: Cluster, slots: int) -> None:
        """Take a session on a cluster, and how many executors it is to have."""
        self.spark = spark
        self.cluster = cluster
        self.slots = slots
        self.id = spark.sparkContext.applicationId
        self._log = cluster.folder / "events" / f"{self.id}.inprogress"
        self._read = 0

    def executors(self) -> list[Executor]:
        """Return its executors that run."""
        return [one for one in self.cluster.executors() if one.application == self.id]

    def executor(self, name: str) -> Executor | None:
        """Return a running executor by its id."""
        return next((one for one in self.executors() if one.id == name), None)

    def wait_until_idle(self) -> None:
        """Wait until it has all its executors, each registered, and none of them has a task."""
        store = self.spark.sparkContext._jsc.sc().statusStore()

        def idle() -> bool:
            known = [one for one in elements(store.executorList(True)) if one.id() != "driver"]  # noqa: FBT003 - Java
            return (
                sum(one.activeTasks() for one in known) == 0
                and len(known) == self.slots
                and {one.id() for one in known} == {one.id for one in self.executors()}
            )

        wait_for(f"{self.slots} idle executors", idle)

    def new_log(self) -> Log:
        """Return what the event log says of what has happened since the last call."""
        context = self.spark.sparkContext._jsc
        context.emptyRDD().count()  # the begin and the end of a job are written at once
        context.sc().listenerBus().waitUntilEmpty()
        with self._log.open() as file:
            file.seek(self._read)
            lines = file.readlines()
            self._read = file.tell()
        return read(lines)

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
def application(cluster: Cluster, settings: Mapping[str, str]) -> Iterator[Application]:
    """Start an application on a cluster and wait for its executors; stop it at the end.

    At the end no file of any application is left on the cluster: this one was the last.

    Args:
        cluster: Where to.
        settings: More settings of Spark.
    """
    made = builder(cluster.url, cluster.folder, "driver")
    made = made.config(map={**cluster.settings, **settings})
    session = configure(made).getOrCreate()
    try:
        slots = int(settings.get("spark.cores.max", cluster.slots))
        app = Application(session, cluster, slots)
        app.wait_until_idle()
        yield app
    finally:
        session.stop()
    check_vanish(cluster.left_files)


class Applications:
    """The application that this process has at a time: it is kept as long as it is asked for."""

    def __init__(self) -> None:
        """Begin without one."""
        self._kept: tuple[Cluster, dict[str, str], Application] | None = None
        self._stack = contextlib.ExitStack()

    def on(self, cluster: Cluster, settings: Mapping[str, str] | None = None) -> Application:
        """Return an application on a cluster, with all its executors and nothing to do.

        Args:
            cluster: Where to.
            settings: More settings of Spark.
        """
        wanted = dict(settings or {})
        if self._kept is None or self._kept[:2] != (cluster, wanted):
            self.end()
            app = self._stack.enter_context(application(cluster, wanted))
            self._kept = cluster, wanted, app
        app = self._kept[2]
        app.wait_until_idle()
        app.new_log()
        return app

    def end(self) -> None:
        """Stop the application, if there is one, and check what it leaves."""
        self._kept = None
        self._stack.close()


def check_vanish(left: Callable[[], list[Path]]) -> None:
    """Check that files vanish; a task that is killed may still be ending."""
    with contextlib.suppress(TimeoutError):
        wait_for("end of files", lambda: not left())
    assert left() == []


def read(lines: Iterable[str]) -> Log:
    """Return what lines of an event log say of the jobs that begin there."""
    events: list[dict[str, Any]] = [json.loads(line) for line in lines]

    def of(kind: str) -> list[dict[str, Any]]:
        return [event for event in events if event["Event"] == f"SparkListener{kind}"]

    # A later attempt has fewer tasks, and may be of a stage whose first was skipped.
    planned = [info for event in of("JobStart") for info in event["Stage Infos"]]
    names = {
        info["Stage ID"]: STAGES.get(info["Number of Tasks"], "other")
        for info in planned
        if info["Stage Attempt ID"] == 0
    }
    begun = [event["Stage Info"] for event in of("StageSubmitted")]
    tasks = [task for task in of("TaskEnd") if task["Stage ID"] in names]
    metrics = [task.get("Task Metrics") or {} for task in tasks]
    return Log(
        ends=Counter((names[t["Stage ID"]], t["Task End Reason"]["Reason"]) for t in tasks),
        attempts=Counter(names[info["Stage ID"]] for info in begun if info["Stage ID"] in names),
        copies=Counter(
            names[t["Stage ID"]]
            for t in tasks
            if t["Task Info"]["Speculative"] and t["Task End Reason"]["Reason"] == "Success"
        ),
        spilled=sum(metric.get("Disk Bytes Spilled", 0) for metric in metrics),
        removed=[event["Removed Reason"] for event in of("ExecutorRemoved")],
        errors=[
            task["Task End Reason"]["Description"]
            for task in tasks
            if task["Task End Reason"]["Reason"] == "ExceptionFailure"
        ],
    )
