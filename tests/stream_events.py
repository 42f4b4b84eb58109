"""Events for tests/stream_job.py, in files that its source reads one by one."""

from __future__ import annotations

import json
import os
import random
import time
from pathlib import Path

ROWS_PER_FILE = 240
EPOCH = 1_700_000_000


def write_events(folder: Path, rng: random.Random, files: int, disorder: float = 20) -> None:
    """Write files of events, a part of them out of order, less than the watermark's delay.

    Args:
        folder: A new folder for them.
        rng: Decides on all of them.
        files: How many files.
        disorder: By how many seconds at most.
    """
    folder.mkdir()
    for file in range(files):
        rows = []
        for place in range(ROWS_PER_FILE):
            number = file * ROWS_PER_FILE + place
            late = rng.random() * disorder if rng.random() < 0.3 else 0
            moment = EPOCH + number * 0.05 - late
            text = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(moment))
            stamp = f"{text}.{int(moment % 1 * 1000):03d}Z"
            group = f"k{rng.randrange(12)}"
            rows.append({"g": group, "id": number, "ts": stamp, "v": rng.randrange(100)})
        write(folder / f"{file:04d}.json", rows)
    # Their time closes the WITHIN windows of all other rows.
    for step in range(2):
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(EPOCH + 500_000 + step))
        write(folder / f"9{step}.json", [{"g": "end", "id": -1 - step, "ts": stamp, "v": 99}])


def write(path: Path, rows: list[dict[str, object]]) -> None:
    """Write a file one second newer than the previous one: the source reads by age."""
    age = len(list(path.parent.iterdir()))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    os.utime(path, (EPOCH + age, EPOCH + age))
