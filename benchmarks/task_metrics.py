"""What Spark's tasks report of the queries of a session."""

from __future__ import annotations

from typing import Any, NamedTuple

from pyspark.sql import SparkSession


class TaskMetrics(NamedTuple):
    """Sums over tasks, but of the peak.

    Attributes:
        cpu: Seconds of CPU.
        peak: Bytes that the task which had most memory had of Spark's memory manager.
        spilled_memory: Bytes in memory of what was spilled.
        spilled_disk: Bytes on disk of what was spilled.
        shuffled: Bytes written for exchanges.
    """

    cpu: float
    peak: int
    spilled_memory: int
    spilled_disk: int
    shuffled: int


def last_stage(spark: SparkSession) -> int:
    """Return the number of the latest stage, or -1."""
    return max((int(stage.stageId()) for stage in _stages(spark)), default=-1)


def task_metrics(spark: SparkSession, after: int = -1) -> TaskMetrics:
    """Return the metrics of all stages later than a stage, once all that ended is known."""
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()  # noqa: SLF001
    store: Any = spark.sparkContext._jsc.sc().statusStore()  # noqa: SLF001 - no public Python API
    gateway: Any = spark.sparkContext._gateway  # noqa: SLF001
    largest = gateway.new_array(gateway.jvm.double, 1)
    largest[0] = 1.0
    stages = [stage for stage in _stages(spark) if stage.stageId() > after]
    peaks = [0]
    for stage in stages:
        summary = store.taskSummary(stage.stageId(), stage.attemptId(), largest)
        if summary.isDefined():
            peaks.append(round(summary.get().peakExecutionMemory().apply(0)))
    return TaskMetrics(
        cpu=sum(stage.executorCpuTime() for stage in stages) / 1e9,
        peak=max(peaks),
        spilled_memory=sum(stage.memoryBytesSpilled() for stage in stages),
        spilled_disk=sum(stage.diskBytesSpilled() for stage in stages),
        shuffled=sum(stage.shuffleWriteBytes() for stage in stages),
    )


def _stages(spark: SparkSession) -> list[Any]:
    context: Any = spark.sparkContext
    gateway = context._gateway  # noqa: SLF001
    no_quantiles, any_task = (
        gateway.new_array(gateway.jvm.double, 0),
        gateway.jvm.java.util.ArrayList(),
    )
    store = context._jsc.sc().statusStore()  # noqa: SLF001
    stages = store.stageList(None, False, False, no_quantiles, any_task)  # noqa: FBT003 - Java
    return [stages.apply(i) for i in range(stages.size())]
