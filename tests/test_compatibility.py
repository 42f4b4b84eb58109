"""The promises of docs/reference/compatibility.md that no other test holds."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import spark_match_recognize as mr

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs/reference/compatibility.md").read_text(encoding="utf-8")
ROW = re.compile(
    r"^\| `(?P<name>\w+)` \| `(?P<signature>.+?)`(?:, a `(?P<base>\w+)`)? \|$", re.MULTILINE
)


def described(name: str) -> tuple[str, str | None]:
    """Return signature and base class of a public name, as the page writes them."""
    public = getattr(mr, name)
    text = str(inspect.signature(public)).replace("'", "").replace("|", r"\|")
    if inspect.isclass(public):
        # of a class of the package that is not public, what that one is made of
        lines = f"{mr.__name__}._lines"
        base = next(each for each in public.__mro__[1:] if each.__module__ != lines)
        return text.removesuffix(" -> None"), None if base is object else base.__name__
    return text, None


def test_python_api_is_the_table_of_the_page() -> None:
    promised = {row["name"]: (row["signature"], row["base"]) for row in ROW.finditer(PAGE)}
    assert promised.keys() == set(mr.__all__)
    assert promised == {name: described(name) for name in mr.__all__}


def test_every_promise_says_what_tests_it() -> None:
    tested = re.findall(r"^## (.+?)$|^Tested by (.+?)$", PAGE, re.MULTILINE)
    titles = [title for title, _ in tested if title]
    assert titles[:4] == ["Results of SQL", "Error conditions", "State of streams", "Python API"]
    assert [bool(by) for _, by in tested][:8] == [False, True] * 4
    for path in re.findall(r"`(src/\S+?)`", PAGE):
        assert list(ROOT.glob(path)), path
