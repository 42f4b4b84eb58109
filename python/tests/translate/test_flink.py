"""What only Flink has."""

from __future__ import annotations

import pytest
from translating import item, translated


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ("FLOOR(t TO HOUR)", "DATE_TRUNC('HOUR', t)"),
        (
            "CEIL(t TO MONTH)",
            "DATE_TRUNC('MONTH', t - INTERVAL '0.000001' SECOND) + INTERVAL '1' MONTH",
        ),
        (
            "CEIL(t TO DAY)",
            "DATE_TRUNC('DAY', t + INTERVAL '1' DAY - INTERVAL '0.000001' SECOND)",
        ),
        ("CEIL(x)", "CEIL(x)"),
        ("TUMBLE_END(t, INTERVAL '1' HOUR)", "WINDOW(t, '1 hour').end"),
        ("HOP(t, INTERVAL '1' HOUR, INTERVAL '1' DAY)", "WINDOW(t, '1 day', '1 hour')"),
        ("SESSION_START(t, INTERVAL '5' MINUTE)", "SESSION_WINDOW(t, '5 minute').start"),
        ("TO_TIMESTAMP_LTZ(x, 3)", "TIMESTAMP_MILLIS(x)"),
    ],
)
def test_written(given: str, written: str) -> None:
    assert item(given, "flink") == written


def test_tables_of_windows() -> None:
    for table in ("TABLE({})", "{}"):
        call = table.format("TUMBLE(TABLE b, DESCRIPTOR(t), INTERVAL '10' MINUTES)")
        got, notes = translated(f"SELECT window_start FROM {call} AS w", "flink")
        assert got == (
            "SELECT window_start FROM ( SELECT *, WINDOW(t, '10 minute').start AS window_start, "
            "WINDOW(t, '10 minute').end AS window_end, (WINDOW(t, '10 minute').end - INTERVAL "
            "'0.001' SECOND) AS window_time FROM b ) AS w"
        )
        assert [note for note in notes if "without a time" in note]
    assert translated("SELECT tumble FROM hop", "flink")[0] == "SELECT tumble FROM hop"


@pytest.mark.parametrize(
    ("sql", "advice"),
    [
        ("SELECT * FROM o JOIN r FOR SYSTEM_TIME AS OF o.t ON o.k = r.k", "time of validity"),
        ("SELECT CURRENT_WATERMARK(t) FROM o", "cannot read the watermark"),
        ("SELECT TUMBLE_START(t, x) FROM o", "has a length such as"),
        (
            "SELECT * FROM TABLE(SESSION(TABLE b, DESCRIPTOR(t), INTERVAL '1' MINUTE))",
            "SESSION_WINDOW",
        ),
    ],
)
def test_refused(sql: str, advice: str) -> None:
    with pytest.raises(ValueError, match=advice):
        translated(sql, "flink")
