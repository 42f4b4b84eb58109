"""The streams of the latency benchmark: rows, and the clause for Spark and for Flink.

A number of keys is active at a time. Each sends four rows, which have one match, or none of the
absence, then others take their turn. Of several rules each has its turns, so there are as many
matches. Before that every key has sent a row that opens an attempt, so that all of them are in the
state. A row has the time at which it is sent, so rows of a key are in order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from stream_workloads import VSHAPE

ACTIVE = 250
# the values of a rule are so much higher than those of the one before it
STEP = 4
BOUND_MS = {"funnel": 300_000, "absence": 2_000}
MEASURES = """MEASURES {last}.ms AS ms, {first}.seq AS first_seq, {last}.seq AS last_seq
      ONE ROW PER MATCH"""


@dataclass(frozen=True, kw_only=True)
class Stream:
    """A stream and its search.

    Attributes:
        name: Its name in the results.
        values: Of the four rows of a key, for turns with an even and with an odd number.
        opening: The value of a row that opens an attempt.
        clause: The clause with `{order}` for ORDER BY and `{conditions}` for DEFINE. It returns the
            time `ms` from which the latency counts, and the numbers of the first and the last row.
        spark: Its conditions as one writes them here; `{base}` is 0 for the first of several rules.
        flink: Its conditions for Flink, or nothing, if Flink does not have such a clause.
    """

    name: str
    values: tuple[tuple[float, ...], tuple[float, ...]]
    opening: float
    clause: str
    spark: str
    flink: str

    def searches(self, rules: int, *, order: str = "ts, seq", flink: bool = False) -> list[str]:
        """Return the clause of each rule."""
        text = self.flink if flink else self.spark
        conditions = [text.format(base=rule * STEP) for rule in range(rules)]
        return [self.clause.format(order=order, conditions=each) for each in conditions]


THREE = "A AS price = {base} + 1, B AS price = {base} + 2, C AS price = {base} + 3"

STREAMS = {
    stream.name: stream
    for stream in (
        Stream(
            name="v-shape",
            values=((10, 8, 12, 11), (10, 9, 10.5, 10)),
            opening=10,
            clause=f"""MATCH_RECOGNIZE (
      PARTITION BY k ORDER BY {{order}}
      {MEASURES.format(first="STRT", last="TURN")}
      AFTER MATCH SKIP PAST LAST ROW
      PATTERN (STRT DOWN+ UP+ TURN)
      DEFINE {{conditions}})""",
            spark=VSHAPE.spark[0],
            flink=VSHAPE.flink[0],
        ),
        Stream(
            name="funnel",
            values=((1, 0, 2, 3), (1, 2, 0, 3)),
            opening=1,
            clause=f"""MATCH_RECOGNIZE (
      PARTITION BY k ORDER BY {{order}}
      {MEASURES.format(first="A", last="C")}
      AFTER MATCH SKIP PAST LAST ROW
      PATTERN (A X*? B Y*? C) WITHIN INTERVAL '5' MINUTE
      DEFINE {{conditions}})""",
            spark=THREE,
            flink=THREE,
        ),
        # every second turn has no answer; the latency counts from the deadline
        Stream(
            name="absence",
            values=((1, 0, 0, 2), (1, 0, 0, 0)),
            opening=1,
            clause="""MATCH_RECOGNIZE (
      PARTITION BY k ORDER BY {order}
      MEASURES A.ms + 2000 AS ms, A.seq AS first_seq, A.seq AS last_seq, C.seq AS answer
      ONE ROW PER MATCH SHOW TIMEOUT MATCHES
      AFTER MATCH SKIP PAST LAST ROW
      PATTERN (A X*? C) WITHIN INTERVAL '2' SECOND
      DEFINE {conditions}) WHERE answer IS NULL""",
            spark="A AS price = {base} + 1, C AS price = {base} + 2",
            flink="",
        ),
    )
}


def lines(stream: Stream, keys: int, opening: int, rows: int, rules: int = 1) -> str:
    """Return rows for Feed.java: a key, a tab, the number of the row, a comma, and its value.

    Args:
        stream: What they are rows of.
        keys: The number of keys; at least `ACTIVE`.
        opening: How many rows come first that open an attempt, each of another key.
        rows: How many follow.
        rules: The number of rules.
    """
    order = np.random.default_rng(42).permutation(keys)
    number = np.arange(rows)
    row, slot = number // ACTIVE, number % ACTIVE
    turn, step = row // 4, row % 4
    place = turn * ACTIVE + slot
    key = order[place % keys]
    rule = (place + turn) % rules  # not the same one in all turns of a key
    value = np.array(stream.values)[turn % 2, step] + rule * STEP
    first = np.arange(opening)
    key = np.concatenate([first % keys, key])
    value = np.concatenate([stream.opening + first % rules * STEP, value])
    pairs = enumerate(zip(key, value, strict=True))
    return "".join(f"k{k}\t{seq},{v:g}\n" for seq, (k, v) in pairs)
