"""Reading and drawing a PATTERN."""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import spark_match_recognize as mr
from spark_match_recognize._pattern import (
    Alternation,
    Anchor,
    Exclusion,
    Permutation,
    Repetition,
    Sequence,
    Variable,
    can_be_empty,
    read,
)

A, B, C = Variable("A"), Variable("B"), Variable("C")


def repeated(least: int | str, most: int | str | None, *, reluctant: bool = False) -> Repetition:
    return Repetition(A, least, most, reluctant)


@pytest.mark.parametrize(
    ("pattern", "tree"),
    [
        ("A", A),
        ("`A``b c` /* x */ -- y", Variable("A`b c")),
        ("(A)", A),
        ("A B C", Sequence((A, B, C))),
        ("A | B C | ()", Alternation((A, Sequence((B, C)), Sequence(())))),
        ("", Sequence(())),
        ("^ A $", Sequence((Anchor("^"), A, Anchor("$")))),
        ("{- A B -}", Exclusion(Sequence((A, B)))),
        ("permute (A, B C)", Permutation((A, Sequence((B, C))))),
        ("PERMUTE A", Sequence((Variable("PERMUTE"), A))),
        ("A*", repeated(0, None)),
        ("A+?", repeated(1, None, reluctant=True)),
        ("A ? ?", repeated(0, 1, reluctant=True)),
        ("A{2}", repeated(2, 2)),
        ("A{2,}?", repeated(2, None, reluctant=True)),
        ("A { 2 , 3 }", repeated(2, 3)),
        ("A{,3}", repeated(0, 3)),
        ("A{,}", repeated(0, None)),
        ("A{:n}", repeated(":n", ":n")),
        ("A{ ? , }?", repeated("?", None, reluctant=True)),
        ("A{?}", repeated("?", "?")),
        ("A{?,?}", repeated("?", "the next ?")),
        ("A{,system.`session`.n}", repeated(0, "system.session.n")),
        ("A{2,:most}", repeated(2, ":most")),
        ("(A B)+", Repetition(Sequence((A, B)), 1, None, reluctant=False)),
    ],
)
def test_read(pattern: str, tree: object) -> None:
    assert read(pattern) == tree


@pytest.mark.parametrize(
    ("pattern", "empty"),
    [
        *(("", True), ("^ $", True), ("A* (B | ())", True), ("{- A? -}", True), ("(A?)+", True)),
        *(("A{:n}", True), ("A{2,}", False), ("A+ B*", False), ("PERMUTE(A?, B)", False)),
    ],
)
def test_pattern_that_can_be_empty(pattern: str, *, empty: bool) -> None:
    assert can_be_empty(read(pattern)) == empty


BOUNDS = "The upper bound of a quantifier is at least 1 and not less than the lower one:\n"


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("A |", "PATTERN ends too early:\nA |\n   ^"),
        ("| A", "PATTERN cannot have | here:\n| A\n^"),
        ("A || B", "PATTERN cannot have | here:\nA || B\n   ^"),
        ("(A", "PATTERN ends too early:\n(A\n  ^"),
        ("A )", "PATTERN cannot have ) here:\nA )\n  ^"),
        ("A\n-> B", "PATTERN cannot have - here:\n-> B\n^"),
        ("A**", "PATTERN cannot have * here:\nA**\n  ^"),
        ("A{}", "PATTERN cannot have } here:\nA{}\n  ^"),
        ("A{:}", "PATTERN cannot have } here:\nA{:}\n   ^"),
        ("A{x y}", "PATTERN cannot have y here:\nA{x y}\n    ^"),
        ("A{x.}", "PATTERN cannot have } here:\nA{x.}\n    ^"),
        ("A . B", "PATTERN cannot have . here:\nA . B\n  ^"),
        ("{2}", "PATTERN cannot have { here:\n{2}\n^"),
        ("{- A )", "PATTERN cannot have ) here:\n{- A )\n     ^"),
        ("PERMUTE(A,)", "PATTERN cannot have ) here:\nPERMUTE(A,)\n          ^"),
        ("A{2,1}", f"{BOUNDS}A{{2,1}}\n ^^^^^"),
        ("A{,0}", f"{BOUNDS}A{{,0}}\n ^^^^"),
        ("A{0}", f"{BOUNDS}A{{0}}\n ^^^"),
        ("(" * 9999, "PATTERN is nested too deeply to be read here"),
    ],
)
def test_no_pattern(pattern: str, message: str) -> None:
    with pytest.raises(ValueError, match=r"PATTERN|bound") as caught:
        read(pattern)
    assert str(caught.value) == message


def texts(pattern: str) -> list[str]:
    """Return the words of a drawing."""
    pytest.importorskip("railroad")
    root = ET.fromstring(mr.diagram(pattern).svg)  # noqa: S314 - our own
    return [str(node.text) for node in root.iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("A B | C", ["A", "B", "C"]),
        ("A* B+ C?", ["A", "B", "C"]),
        ("A{3} B{,2} C{2,}?", ["3 times", "1 to 2 times", "at least 2 times, as few as possible"]),
        (
            "A{:n} B{,most} C{?,}",
            [":n times", "1 to most times", "at least ? times"],
        ),
        ("^ {- A -} $", ["start of partition", "not in the output", "end of partition"]),
        ("PERMUTE(A, B) PERMUTE(C) ()", ["all", "A", "B", "C", "no row"]),
        ("`<b>&'\"`", ["<b>&'\""]),
    ],
)
def test_drawing(pattern: str, words: list[str]) -> None:
    found = texts(pattern)
    assert [word for word in words if word not in found] == []


def test_preferred_way_is_straight() -> None:
    """The variable of a greedy `?` is on the line of the ends, that of a reluctant one below."""
    pytest.importorskip("railroad")

    def heights(pattern: str) -> list[float]:
        root = ET.fromstring(mr.diagram(pattern).svg)  # noqa: S314 - our own
        return [float(node.attrib["y"]) for node in root.iter("{http://www.w3.org/2000/svg}rect")]

    first, second = heights("A B?")
    assert first == second
    first, second = heights("A B??")
    assert first < second
    first, second, third = heights("A (B | C)")
    assert first == second < third


def test_notebooks_and_files_have_the_drawing(tmp_path: Path) -> None:
    pytest.importorskip("railroad")
    drawn = mr.diagram("A B+")
    drawn.save(tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text(encoding="utf-8") == drawn.svg == drawn._repr_svg_()
    assert drawn.svg.startswith("<svg ")
    assert repr(drawn) == "Diagram('A B+')"


@pytest.mark.parametrize(
    ("pattern", "kind", "message"),
    [
        (None, TypeError, "pattern must be a string of SQL, as in selectExpr, not None"),
        ("", ValueError, r"The pattern is empty: write \(\) to match no row"),
        ("PATTERN (A B)", ValueError, 'repeats PATTERN, .*: write pattern="A B"'),
    ],
)
def test_nothing_to_draw(pattern: str, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        mr.diagram(pattern)


def test_file_of_another_format(tmp_path: Path) -> None:
    pytest.importorskip("railroad")
    with pytest.raises(ValueError, match=r"save writes SVG, and a\.png ends in \.png: .* a\.svg"):
        mr.diagram("A").save(tmp_path / "a.png")
    with pytest.raises(ValueError, match=r"save writes HTML, and a\.pdf .* call the file a\.html"):
        mr.Report("").save(str(tmp_path / "a.pdf"))
    with pytest.raises(ValueError, match=r"save writes HTML, and a\.SVG .* call the file a\.html"):
        mr.Report("").save(tmp_path / "a.SVG")
    with pytest.raises(ValueError, match=r"save writes SVG, and a\.html .* call the file a\.svg"):
        mr.diagram("A").save(tmp_path / "a.html")
    assert not list(tmp_path.iterdir())


def test_extra_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "railroad", None)
    with pytest.raises(
        mr.MissingExtraError, match=r"pip install 'spark-match-recognize\[diagram\]'"
    ):
        mr.diagram("A")
