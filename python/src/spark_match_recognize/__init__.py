"""MATCH_RECOGNIZE for Apache Spark.

The clause itself is in a jar that Spark loads; this package contains the jars, one per Spark minor,
and configures a session builder with the right one:

    from pyspark.sql import SparkSession
    import spark_match_recognize as mr

    spark = mr.configure(SparkSession.builder).getOrCreate()
    spark.sql("SELECT * FROM ticks MATCH_RECOGNIZE ( ... )")
    mr.match_recognize(ticks, order_by="ts", pattern="A B+", ...)

Importing it has no side effect and needs neither pyspark nor Java.
"""

import importlib
from typing import TYPE_CHECKING, Any

from spark_match_recognize._errors import (
    JavaNotFoundError,
    MissingExtraError,
    PluginNotLoadedError,
    PySparkNotFoundError,
    SetupError,
    WrongSparkVersionError,
)
from spark_match_recognize._explain import Explanation, explain
from spark_match_recognize._frame import match_recognize, to_sql
from spark_match_recognize._jars import jar_path, version
from spark_match_recognize._lines import Warnings
from spark_match_recognize._lint import lint
from spark_match_recognize._lookback import Lookback, lookback
from spark_match_recognize._methods import install_methods
from spark_match_recognize._quiet import silence_pyspark
from spark_match_recognize._session import configure, is_enabled
from spark_match_recognize._session_doctor import doctor
from spark_match_recognize._trace import trace

if TYPE_CHECKING:
    from spark_match_recognize._diagram import Diagram, diagram
    from spark_match_recognize._plot import plot
    from spark_match_recognize._report import Report, report
    from spark_match_recognize.translation import Translation, translate

# loaded when they are first asked for
_LATER = {
    "Diagram": "_diagram",
    "diagram": "_diagram",
    "plot": "_plot",
    "Report": "_report",
    "report": "_report",
    "Translation": "translation",
    "translate": "translation",
}

__all__ = [
    "Diagram",
    "Explanation",
    "JavaNotFoundError",
    "Lookback",
    "MissingExtraError",
    "PluginNotLoadedError",
    "PySparkNotFoundError",
    "Report",
    "SetupError",
    "Translation",
    "Warnings",
    "WrongSparkVersionError",
    "configure",
    "diagram",
    "doctor",
    "explain",
    "install_methods",
    "is_enabled",
    "jar_path",
    "lint",
    "lookback",
    "match_recognize",
    "plot",
    "report",
    "silence_pyspark",
    "to_sql",
    "trace",
    "translate",
    "version",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - of any kind
    if name == "__version__":
        return version()
    if name in _LATER:
        found = getattr(importlib.import_module(f"{__name__}.{_LATER[name]}"), name)
        globals()[name] = found
        return found
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
