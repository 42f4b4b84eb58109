"""A cluster of Spark's own master and workers: one process each, all files in one folder.

The processes are those of the pyspark that this Python imports. They end with the cluster, also
if the test fails, and with this process, even if it is killed.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import NamedTuple, TypeVar

import psutil
import pyspark
from loading import free_port

HOME = Path(pyspark.__path__[0])
HOST = "127.0.0.1"
"""Of the master and the driver."""
MEMORY = 1024
"""MiB of an executor's heap."""
PATIENCE = 120
"""Seconds after which what a test waits for is taken to be missing."""
BACKEND = "CoarseGrainedExecutorBackend"

Found = TypeVar("Found")


def wait_for(what: str, find: Callable[[], Found | None]) -> Found:
    """Return what a function finds, as soon as it finds something; raise TimeoutError if late."""
    deadline = time.monotonic() + PATIENCE
    while not (found := find()):
        if time.monotonic() > deadline:
            raise TimeoutError(what)
        time.sleep(0.05)
    return found


class Executor(NamedTuple):
    """An executor: the application that it is of, its process, and where it writes."""

    application: str
    id: str
    process: psutil.Process
    worker: Worker
    log: Path

    @property
    def files(self) -> Path | None:
        """Return the folder of its blocks, spill files and shuffle files, once it has one."""
        text = self.log.read_text() if self.log.is_file() else ""
        found = re.search(r"Created local directory at (\S+)", text)
        return self.worker.inside(found[1]) if found else None

    def temporary(self) -> list[Path]:
        """Return the files that it writes for one task: spilled rows, unfinished shuffle files."""
        return [*self.files.glob("*/temp_*")] if self.files else []

    @contextlib.contextmanager
    def stopped(self) -> Iterator[None]:
        """Stop it, so that it stays where it is, until it is killed or the block ends."""
        self.process.suspend()
        try:
            yield
        finally:
            with contextlib.suppress(psutil.NoSuchProcess):
                self.process.resume()

    def kill(self) -> None:
        """Kill it as the kernel does when memory is short: it cannot clean up."""
        self.process.kill()
        # its worker reaps it
        wait_for("end of an executor", lambda: not self.process.is_running())


class Worker:
    """A worker, which starts executors and, if the cluster has it, the shuffle service."""

    def __init__(self, process: subprocess.Popen[bytes], folder: Path, slots: int) -> None:
        """Take a started worker, its folder, and how many executors it has room for."""
        self.process = process
        self.folder = folder
        self.slots = slots

    def inside(self, path: Path | str) -> Path:
        """Return how this process reaches a path of the worker, which may have a mount of its own.

        Only Linux has such mounts, and tells of them here.
        """
        root = Path(f"/proc/{self.process.pid}/root")
        return Path(f"{root}{path}") if root.exists() else Path(path)

    @property
    def local(self) -> Path:
        """Return the folder for blocks, spill files and shuffle files of all its executors."""
        return self.inside(self.folder / "local")

    def executors(self) -> list[Executor]:
        """Return the executors that run."""
        found = []
        for process in psutil.Process(self.process.pid).children():
            with contextlib.suppress(psutil.Error):
                command = process.cmdline()
                if any(BACKEND in word for word in command):
                    name = command[command.index("--executor-id") + 1]
                    app = command[command.index("--app-id") + 1]
                    log = self.folder / "work" / app / name / "stderr"
                    found.append(Executor(app, name, process, self, log))
        return found

    def decommission(self) -> None:
        """Tell it that its machine is going away."""
        self.process.send_signal(signal.SIGPWR)


class Cluster:
    """A master and workers; see `cluster`."""

    def __init__(self, folder: Path, options: Mapping[str, str], quota: int) -> None:
        """Start a master.

        Args:
            folder: For all files, empty.
            options: Settings of the daemons, such as `spark.shuffle.service.enabled`.
            quota: Size in MiB of the file system for the local files of a worker, 0 for the
                machine's.
        """
        self.folder = folder
        self.workers: list[Worker] = []
        self.settings = dict(options)
        self._processes: list[subprocess.Popen[bytes]] = []
        self._numbers = count()
        self._quota = quota
        self.temporary = folder / "tmp"
        self.temporary.mkdir()
        port = free_port()
        self.url = f"spark://{HOST}:{port}"
        self._start("master", folder, "master.Master", "--port", str(port))
        self._wait_until_said(folder / "master.log", "I have been elected leader")

    @property
    def slots(self) -> int:
        """Return how many executors the workers have room for."""
        return sum(worker.slots for worker in self.workers)

    def add_workers(self, number: int, executors: int) -> None:
        """Start so many workers, for so many executors of one core each."""
        added = [self._add_worker(executors) for _ in range(number)]
        for worker in added:
            self._wait_until_said(worker.folder / "worker.log", "Successfully registered")

    def _add_worker(self, executors: int) -> Worker:
        number = next(self._numbers)
        folder = self.folder / f"worker-{number}"
        for name in ("local", "work"):
            (folder / name).mkdir(parents=True)
        arguments = ["--cores", str(executors), "--memory", f"{executors * MEMORY}m"]
        arguments += ["--work-dir", str(folder / "work"), self.url]
        # Spark makes no copy of a slow task on the host that runs it
        host = f"127.0.0.{2 + number}" if sys.platform == "linux" else HOST
        process = self._start("worker", folder, "worker.Worker", *arguments, host=host)
        self.workers.append(Worker(process, folder, executors))
        return self.workers[-1]

    def replace(self, worker: Worker) -> None:
        """Let another worker take the place of one."""
        self.add_workers(1, worker.slots)
        self.workers.remove(worker)
        self._processes.remove(worker.process)
        kill(worker.process)

    def executors(self) -> list[Executor]:
        """Return the executors that run."""
        return [executor for worker in self.workers for executor in worker.executors()]

    def left_files(self) -> list[Path]:
        """Return the files of applications that workers keep for tasks and stages."""
        return files_in(*(worker.local for worker in self.workers), self.folder / "driver")

    def stop(self) -> None:
        """Kill all processes."""
        for process in reversed(self._processes):
            kill(process)

    def _start(
        self, name: str, folder: Path, main: str, *arguments: str, host: str = HOST
    ) -> subprocess.Popen[bytes]:
        # without the JVM that spark-class starts to find these words
        java = Path(os.environ["JAVA_HOME"], "bin/java") if "JAVA_HOME" in os.environ else "java"
        command = [str(java), "-Xmx256m", "-XX:-UsePerfData", "-cp", f"{HOME}/conf/:{HOME}/jars/*"]
        command += [f"-D{key}={value}" for key, value in self.settings.items()]
        command += [f"-Djava.io.tmpdir={self.temporary}", f"org.apache.spark.deploy.{main}"]
        command += ["--host", host, "--webui-port", "0", *arguments]
        command = ending_with_this(command)
        if self._quota and name == "worker":
            command = [*mounted(folder / "local", self._quota), *command]
        log = folder / f"{name}.log"
        with log.open("w") as output:
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=self._environment(folder, host),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,  # a worker ends together with its executors
            )
        self._processes.append(process)
        return process

    def _wait_until_said(self, log: Path, words: str) -> None:
        def said() -> bool:
            assert all(process.poll() is None for process in self._processes), log.read_text()
            return words in log.read_text()

        wait_for(f"{log}: {words}", said)

    def _environment(self, folder: Path, host: str) -> dict[str, str]:
        kept = {key: value for key, value in os.environ.items() if not key.startswith("SPARK_")}
        return {
            **kept,
            "SPARK_HOME": str(HOME),
            "SPARK_SCALA_VERSION": "2.13",  # else executors are looked for where Spark was built
            "SPARK_LOCAL_IP": host,
            "SPARK_LOCAL_DIRS": str(folder / "local"),
        }


def files_in(*places: Path) -> list[Path]:
    """Return the files below folders, which may go meanwhile."""
    return [Path(at, name) for place in places for at, _, names in os.walk(place) for name in names]


def ending_with_this(command: list[str]) -> list[str]:
    """Return a command that ends when this process does, even if it is killed."""
    # part of Linux
    return ["setpriv", "--pdeathsig", "KILL", *command] if shutil.which("setpriv") else command


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and those that it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def mounted(folder: Path, mebibytes: int) -> list[str]:
    """Return what goes before a command, so that a folder is a small file system for it.

    It is seen by that command and what it starts, and needs no rights: a namespace of Linux.
    """
    mount = f'mount -t tmpfs -o size={mebibytes}m tmpfs "{folder}" && exec "$0" "$@"'
    return ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", mount]


def why_no_mount() -> str:
    """Return why `mounted` does not work on this machine, or nothing."""
    if not shutil.which("unshare"):
        return "there is no unshare, which is Linux's"
    command = [*mounted(Path("/mnt"), 1), "true"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr.strip()


@contextlib.contextmanager
def cluster(
    folder: Path, *, workers: int, executors: int = 1, service: bool = False, quota: int = 0
) -> Iterator[Cluster]:
    """Start a cluster, and end it and all that it started.

    Args:
        folder: For all files, empty.
        workers: How many workers.
        executors: How many executors of one core each worker has room for.
        service: Whether shuffle files are served by a service of the worker, so that they outlive
            the executor. It has one port for all workers, so there can be one worker.
        quota: Size in MiB of the file system for the local files of a worker, 0 for the machine's.
    """
    options = {"spark.decommission.enabled": "true", "spark.master.rest.enabled": "false"}
    if service:
        assert workers == 1, "two services would need the same port"
        options["spark.shuffle.service.enabled"] = "true"
        options["spark.shuffle.service.port"] = str(free_port())
    made = Cluster(folder, options, quota)
    try:
        made.add_workers(workers, executors)
        yield made
    finally:
        made.stop()
