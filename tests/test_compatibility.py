"""The promises of docs/reference/compatibility.md that no other test holds."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import spark_match_recognize as mr

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs/reference/compatibility.md").read_text(encoding="utf-8")
API = (ROOT / "tests/python_api.txt").read_text(encoding="utf-8")


def described(name: str) -> str:
    """Return a public name with its signature and, of a class, its base class."""
    public = getattr(mr, name)
    text = str(inspect.signature(public)).replace("'", "")
    if not inspect.isclass(public):
        return f"{name}{text}"
    # of a class of the package that is not public, what that one is made of
    lines = f"{mr.__name__}._lines"
    base = next(each for each in public.__mro__[1:] if each.__module__ != lines)
    text = text.removesuffix(" -> None")
    return f"{name}{text}" + ("" if base is object else f": {base.__name__}")


def test_python_api_is_that_of_the_file() -> None:
    assert sorted(API.splitlines()) == sorted(map(described, mr.__all__))


def test_every_promise_says_what_tests_it() -> None:
    tested = re.findall(r"^## (.+?)$|^Tested by (.+?)$", PAGE, re.MULTILINE)
    titles = [title for title, _ in tested if title]
    assert titles[:4] == ["Results of SQL", "Error conditions", "State of streams", "Python API"]
    assert [bool(by) for _, by in tested][:8] == [False, True] * 4
    for path in re.findall(r"`(src/\S+?)`", PAGE):
        assert list(ROOT.glob(path)), path
