"""The only place that gives Spark a statement which is put together."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from spark_match_recognize._hints import DataFrame, SparkSession

_NOTHING: Mapping[str, Any] = MappingProxyType({})


def statement(
    session: SparkSession,
    template: str,
    values: Mapping[str, Any] = _NOTHING,
    frames: Mapping[str, DataFrame] = _NOTHING,
    **texts: str,
) -> DataFrame:
    """Run a statement with texts, values and frames in it.

    With frames `spark.sql` reads the whole statement as a format, whose fields may look up
    attributes of the frames and of what they refer to. So only the template names frames; in the
    texts that are put into it no brace begins a field.

    Args:
        session: The session.
        template: A statement that is written out in this package, a format with a field for each
            frame and each text. Nothing of the data is a part of it.
        values: The values of its parameters. Strings are passed as bytes: since 4.1 Spark writes a
            value into the statement and reads it again, and the settings of the session may change
            the quotes and backslashes of a string.
        frames: The DataFrames by the names of their fields.
        texts: SQL of the user or of this package by the names of the fields.
    """
    if frames:
        texts = {key: text.replace("{", "{{").replace("}", "}}") for key, text in texts.items()}
    encoded = {
        key: value.encode() if isinstance(value, str) else value for key, value in values.items()
    }
    fields = {key: f"{{{key}}}" for key in frames}
    return session.sql(template.format(**fields, **texts), args=encoded or None, **frames)
