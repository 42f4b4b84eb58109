"""Row patterns in windows."""

from __future__ import annotations

from translating import translated

import spark_match_recognize as mr


def test_windows() -> None:
    window = (
        "( PARTITION BY g ORDER BY k MEASURES FINAL LAST(A.v) AS m ROWS BETWEEN CURRENT ROW AND "
        "UNBOUNDED FOLLOWING AFTER MATCH SKIP TO NEXT ROW SEEK PATTERN (A `b c`+) SUBSET "
        "U = (A, `b c`) DEFINE A AS v > ( SELECT MAX(x) OVER (ORDER BY x) FROM u ) )"
    )
    sql = f"SELECT k, m OVER w, COUNT(*) OVER {window} AS n FROM t WINDOW w AS {window}"
    assert translated(sql, "spark") == (sql, ())
    trino = sql.replace("`", '"')
    assert " ".join(mr.translate(trino, read="trino").sql.split()) == sql.replace(
        "ORDER BY k", "ORDER BY k NULLS LAST"
    ).replace("ORDER BY x", "ORDER BY x NULLS LAST")
