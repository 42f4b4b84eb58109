"""What people write with `applyInPandas`: a loop over the rows of one key."""

from __future__ import annotations

from typing import Any

import pandas as pd


def v_shapes(rows: pd.DataFrame) -> pd.DataFrame:
    """Return top, bottom and last price of each fall that a rise follows."""
    rows = rows.sort_values("ts")
    symbol, prices = rows["symbol"].iloc[0], rows["price"].tolist()
    found: list[tuple[Any, ...]] = []
    i, end = 0, len(prices) - 1
    while i < end:
        j = i
        while j < end and prices[j + 1] < prices[j]:
            j += 1
        k = j
        while k < end and prices[k + 1] > prices[k]:
            k += 1
        if j > i and k > j:
            found.append((symbol, prices[i], prices[j], prices[k]))
            i = k  # the next one may begin at the last row of this one
        else:
            i += 1
    return pd.DataFrame(found, columns=["symbol", "top", "bottom", "last"])


def merged(rows: pd.DataFrame) -> pd.DataFrame:
    """Return each run of ranges in which the next begins before all those before it have ended."""
    rows = rows.sort_values("begin")
    key = rows["k"].iloc[0]
    found: list[tuple[Any, ...]] = []
    for begin, end in zip(rows["begin"].tolist(), rows["end"].tolist(), strict=True):
        if found and begin <= found[-1][2]:
            found[-1] = (*found[-1][:2], max(found[-1][2], end))
        else:
            found.append((key, begin, end))
    return pd.DataFrame(found, columns=["k", "first", "last"])
