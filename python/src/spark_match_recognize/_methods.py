"""The method `match_recognize` of DataFrames."""

from __future__ import annotations

import importlib

from spark_match_recognize._errors import PySparkNotFoundError, SetupError
from spark_match_recognize._frame import match_recognize

_NAME = "match_recognize"


def install_methods() -> None:
    """Give DataFrames, classic and Connect, the method `match_recognize`.

    They have it from then on, in sessions that are made later too. A second call does nothing.
    Importing `spark_match_recognize.methods` calls it.

    Examples:
        >>> import spark_match_recognize as mr
        >>> mr.install_methods()
        >>> ticks = spark.sql("SELECT * FROM VALUES (1, 5), (2, 4) AS t(ts, price)")
        >>> ticks.match_recognize(order_by="ts", measures={"n": "COUNT(*)"}, pattern="A+").show()
        +---+
        |  n|
        +---+
        |  2|
        +---+
        <BLANKLINE>

    Raises:
        PySparkNotFoundError: If there is no pyspark.
        SetupError: If DataFrames have another attribute of that name, which is left as it is.
    """
    try:
        parent = importlib.import_module("pyspark.sql").DataFrame
    except ImportError as error:
        raise PySparkNotFoundError from error
    for each in (parent, *parent.__subclasses__()):  # both kinds of DataFrames
        found = vars(each).get(_NAME)
        module = str(getattr(found, "__module__", None) or type(found).__module__)
        if found is not None and module.partition(".")[0] != __package__:
            message = (
                f"{each.__module__}.{each.__qualname__} has an attribute {_NAME} already, from "
                f"{module}, and it is left as it is. Call mr.match_recognize(df, ...) instead."
            )
            raise SetupError(message)
    setattr(parent, _NAME, match_recognize)
