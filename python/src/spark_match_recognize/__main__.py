"""The commands `python -m spark_match_recognize jar` and `... doctor`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from spark_match_recognize._doctor import examine
from spark_match_recognize._errors import SetupError
from spark_match_recognize._jars import jar_path, version


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        arguments: The words after `python -m spark_match_recognize`; by default the process's.

    Returns:
        The exit code: 0 if all checks passed.
    """
    parser = argparse.ArgumentParser(
        prog="python -m spark_match_recognize",
        description="MATCH_RECOGNIZE for Apache Spark: where its jar is, and whether it works here",
    )
    parser.add_argument("--version", action="version", version=version())
    commands = parser.add_subparsers(dest="command", required=True)
    jar = commands.add_parser("jar", help="print the path of the jar, for spark-submit --jars")
    jar.add_argument("--spark", metavar="MINOR", help="a Spark minor instead of the one at hand")
    commands.add_parser("doctor", help="check Java, pyspark and the jar, and run a probe query")
    options = parser.parse_args(arguments)
    if options.command == "doctor":
        return 0 if examine(print) else 1
    try:
        print(jar_path(options.spark))
    except SetupError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
