"""Faults of a cluster, each at a moment that is sure to hit what it is meant for."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

from cluster.application import SEARCHES, Application, Task, check_vanish
from cluster.standalone import Executor, files_in, wait_for


def anywhere(_: Executor) -> bool:
    """Catch an executor whatever it does."""
    return True


def spilling(executor: Executor) -> bool:
    """Catch an executor when rows of a task of its own are on the disk."""
    return any(path.name.startswith("temp_local") for path in executor.temporary())


def catch(
    app: Application,
    stage: str,
    rng: random.Random,
    at: Callable[[Executor], bool] = anywhere,
    waiting: int = 0,
) -> Executor:
    """Stop an executor in the midst of a task, and return it.

    Args:
        app: The application.
        stage: `map` or `search`.
        rng: Decides on the moment and the executor.
        at: What the executor has to be doing.
        waiting: How many tasks of the stage no executor has begun.
    """
    time.sleep(rng.random() / 2)

    def caught() -> Executor | None:
        tasks = app.tasks(stage)
        running = [task for task in tasks if task.status == "RUNNING"]
        if len(tasks) > SEARCHES - waiting:
            return None
        for task in rng.sample(running, len(running)):
            executor = app.executor(task.executor)
            if executor and at(executor):
                executor.process.suspend()
                time.sleep(0.2)  # what it has sent arrives
                if still_runs(app, stage, task) and at(executor):
                    return executor
                executor.process.resume()
        return None

    return wait_for(f"a task of the stage of the {stage}", caught)


def still_runs(app: Application, stage: str, task: Task) -> bool:
    """Return whether the driver has not heard of the end of a task."""
    return task in app.tasks(stage)


def kill_in_map(app: Application, rng: random.Random) -> None:
    """Kill an executor that packs rows for the exchange."""
    catch(app, "map", rng).kill()


def kill_in_search(app: Application, rng: random.Random) -> None:
    """Kill an executor that searches; it also has shuffle files that other tasks need."""
    catch(app, "search", rng, waiting=2).kill()


def kill_while_spilling(app: Application, rng: random.Random) -> None:
    """Kill an executor that has rows on the disk."""
    catch(app, "search", rng, at=spilling).kill()


def delete_shuffle_files(app: Application, rng: random.Random) -> None:
    """Delete what the map tasks of an executor wrote, while other tasks still have to read it."""
    executor = catch(app, "search", rng, waiting=3)
    assert executor.files
    files = list(executor.files.glob("*/shuffle_*"))
    assert files
    for file in files:
        file.unlink()
    executor.process.resume()


def decommission(app: Application, rng: random.Random) -> None:
    """Take a worker away in good order: its shuffle files move to the other one.

    A third one takes its place.
    """
    executor = catch(app, "search", rng, waiting=2)
    files = executor.files
    assert files
    names = {path.name for path in files.glob("*/shuffle_*.data")}
    assert names
    executor.process.resume()
    executor.worker.decommission()

    def moved() -> bool:
        others = [one.files for one in app.executors() if one.worker != executor.worker]
        return names <= {path.name for at in others if at for path in at.glob("*/shuffle_*.data")}

    try:
        wait_for(f"{names} on the other worker", moved)
        wait_for("end of the executor", lambda: not executor.process.is_running())
        check_vanish(lambda: files_in(files))
    finally:
        app.cluster.replace(executor.worker)


def slow_down(app: Application, rng: random.Random) -> None:
    """Let an executor run for moments only, until the stage is done without its task."""
    executor = catch(app, "search", rng, at=spilling)

    def is_over() -> bool:
        # for the others it still has to serve shuffle files
        executor.process.resume()
        time.sleep(0.02)
        executor.process.suspend()
        time.sleep(0.2)
        return not app.tasks("search")

    try:
        wait_for("end of the search", is_over)
    finally:
        executor.process.resume()
