"""Problems of an installation, one exception class each."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any


class SetupError(RuntimeError):
    """Something around the plugin is missing; the message says what to do.

    Attributes:
        condition: The name of the error condition, in the style of Spark's.
    """

    condition = "MATCH_RECOGNIZE_SETUP"

    def __init__(self, message: str) -> None:
        """Put the condition before the message, as Spark's own errors show it.

        Args:
            message: What is wrong, then what to do.
        """
        super().__init__(f"[{self.condition}] {message}")


class PySparkNotFoundError(SetupError):
    """There is no pyspark in this Python, so no jar can be chosen."""

    condition = "MATCH_RECOGNIZE_NO_PYSPARK"

    def __init__(self) -> None:
        """Say how to install pyspark or how to name a Spark minor instead."""
        super().__init__(
            "pyspark is not installed in this Python, so the Spark version is not known. "
            "Run: pip install 'spark-match-recognize[spark]', "
            'or name the version yourself: jar_path("4.3").'
        )


class WrongSparkVersionError(SetupError):
    """This wheel has no jar for the installed Spark.

    Attributes:
        running: The Spark version or minor that was asked for.
        built: The minors that this wheel has a jar for.
    """

    condition = "MATCH_RECOGNIZE_WRONG_SPARK_VERSION"

    def __init__(self, running: str, built: Sequence[str]) -> None:
        """Name both sides of the mismatch.

        Args:
            running: The Spark version or minor that was asked for.
            built: The minors that this wheel has a jar for.
        """
        self.running = running
        self.built = tuple(built)
        if built:
            message = (
                f"The jars of this wheel are built for Spark {', '.join(built)}, the session runs "
                f"Spark {running}; nothing was configured. Install pyspark {built[-1]}, "
                f"or a wheel of spark-match-recognize with a jar for Spark {running}."
            )
        else:
            message = (
                f"This copy of spark-match-recognize has no jar at all, the session runs Spark "
                f"{running}; nothing was configured. Install the wheel; in a source tree run "
                "'make install'."
            )
        super().__init__(message)


class JavaNotFoundError(SetupError):
    """Spark cannot start, because there is no Java or it is too old."""

    condition = "MATCH_RECOGNIZE_NO_JAVA"


class PluginNotLoadedError(SetupError):
    """The session does not have the plugin."""

    condition = "MATCH_RECOGNIZE_NOT_LOADED"

    def __init__(self) -> None:
        """Name the doctor, who finds out why."""
        super().__init__(
            "This session does not have the plugin. mr.doctor(spark) says what is missing and "
            "what to do."
        )


class MissingExtraError(SetupError):
    """A package of one of the extras is not installed.

    Attributes:
        extra: The name of the extra.
    """

    condition = "MATCH_RECOGNIZE_NO_EXTRA"

    def __init__(self, package: str, extra: str) -> None:
        """Say how to install it.

        Args:
            package: The package that cannot be imported.
            extra: The extra that it belongs to.
        """
        self.extra = extra
        super().__init__(
            f"The Python package {package} is not installed. "
            f"Run: pip install 'spark-match-recognize[{extra}]'."
        )


def extra(package: str, name: str) -> Any:  # noqa: ANN401 - a module, perhaps without types
    """Import a package of an extra.

    Args:
        package: The name of the module.
        name: The name of the extra.

    Raises:
        MissingExtraError: If it is not installed.
    """
    try:
        return importlib.import_module(package)
    except ModuleNotFoundError as error:
        raise MissingExtraError(package.partition(".")[0], name) from error
