"""What the page for platform owners says about the jar and the package, read from their code."""

from __future__ import annotations

import ast
import zipfile
from pathlib import Path

import pytest

import spark_match_recognize as mr

PACKAGE = Path(mr.__file__).parent
JARS = sorted(PACKAGE.glob("jars/*.jar"))
# As the constants of a class name them.
CONNECTS = (
    b"java/net/Socket",
    b"java/net/ServerSocket",
    b"java/net/DatagramSocket",
    b"java/net/URLConnection",
    b"java/net/HttpURLConnection",
    b"java/net/http/",
    b"java/nio/channels/SocketChannel",
    b"java/nio/channels/AsynchronousSocketChannel",
    b"openConnection",
    b"openStream",
    b"io/netty/",
    b"org/apache/http",
    b"org/apache/hadoop/fs/FileSystem",
)
STARTS = (b"java/lang/ProcessBuilder", b"java/lang/Process;", b"sys/process/")
SOCKETS = {"http", "socket", "ssl", "ftplib", "smtplib", "requests", "urllib.request", "asyncio"}


def classes(jar: Path) -> dict[str, bytes]:
    """Return the classes of a jar."""
    with zipfile.ZipFile(jar) as archive:
        names = [name for name in archive.namelist() if name.endswith(".class")]
        return {name: archive.read(name) for name in names}


def naming(jar: Path, constants: tuple[bytes, ...]) -> list[tuple[str, bytes]]:
    """Return the classes of a jar that name one of some constants."""
    found = classes(jar).items()
    return [(name, text) for name, code in found for text in constants if text in code]


@pytest.mark.parametrize("jar", JARS, ids=lambda jar: jar.name)
def test_no_class_opens_a_connection_or_starts_a_process(jar: Path) -> None:
    assert naming(jar, CONNECTS + STARTS) == []
    # a constant that is there is found
    assert naming(jar, (b"java/io/FileOutputStream",)) != []


@pytest.mark.parametrize("jar", JARS, ids=lambda jar: jar.name)
def test_files_are_written_by_one_class_only(jar: Path) -> None:
    writers = {
        name.partition("$")[0].removesuffix(".class")
        for name, _ in naming(jar, (b"java/io/FileOutputStream", b"java/io/RandomAccessFile"))
    }
    assert writers == {"org/apache/spark/sql/matchrecognize/SpillFile"}


@pytest.mark.parametrize("jar", JARS, ids=lambda jar: jar.name)
def test_the_jar_contains_no_other_library(jar: Path) -> None:
    roots = ("io/matchrecognize/", "org/apache/spark/sql/matchrecognize/")
    assert [name for name in classes(jar) if not name.startswith(roots)] == []


def test_the_package_opens_no_connection() -> None:
    imported = {
        name
        for file in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert "urllib.parse" in imported
    assert imported & SOCKETS == set()
