"""`df.match_recognize(...)`: importing this module gives DataFrames the method.

    import spark_match_recognize.methods
    ticks.match_recognize(order_by="ts", pattern="A B+", ...)

Classic and Connect DataFrames get it, now and in sessions that are made later. For a type checker,
which does not see methods that are added, there is `with_methods`. `mr.install_methods()` does the
same as a call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from spark_match_recognize._hints import DataFrame
from spark_match_recognize._kinds import checked, frame
from spark_match_recognize._methods import install_methods

if TYPE_CHECKING:
    from datetime import timedelta

    from spark_match_recognize._clause import InputOrder, RowsPerMatch, Sets
    from spark_match_recognize._hints import Keys, Named

    class MatchableDataFrame(DataFrame):
        """A DataFrame with the method, for type checkers; at run time it is a DataFrame."""

        def match_recognize(  # noqa: PLR0913 - the parts of the clause
            self,
            *,
            partition_by: Keys | None = None,
            order_by: Keys | None = None,
            measures: Named | None = None,
            rows_per_match: RowsPerMatch | str | None = None,
            after_match_skip: str | None = None,
            pattern: str,
            within: str | timedelta | None = None,
            subset: Sets | None = None,
            define: Named | None = None,
            input_order: InputOrder | None = None,
        ) -> MatchableDataFrame:
            """Find the rows that match a pattern, as `spark_match_recognize.match_recognize`."""

else:
    MatchableDataFrame = DataFrame


__all__ = ["with_methods"]


@checked(df=frame)
def with_methods(df: DataFrame) -> MatchableDataFrame:
    """Return the DataFrame itself, as one whose method `match_recognize` a type checker knows.

    Examples:
        >>> from spark_match_recognize.methods import with_methods
        >>> ticks = with_methods(spark.sql("SELECT * FROM VALUES (1, 5), (2, 4) AS t(ts, price)"))
        >>> ticks.match_recognize(
        ...     order_by="ts",
        ...     measures={"n": "COUNT(*)"},
        ...     pattern="A B",
        ...     define={"B": "price < PREV(price)"},
        ... ).show()
        +---+
        |  n|
        +---+
        |  2|
        +---+
        <BLANKLINE>

    Args:
        df: A DataFrame, classic or Connect.

    Returns:
        The same object.

    Raises:
        TypeError: If `df` is not a DataFrame.
    """
    return cast("MatchableDataFrame", df)


install_methods()
