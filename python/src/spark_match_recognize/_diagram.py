"""A PATTERN as a railroad diagram."""

from __future__ import annotations

import io
import os
from typing import Any

from spark_match_recognize import _arguments as arguments
from spark_match_recognize import _kinds as kinds
from spark_match_recognize._errors import extra
from spark_match_recognize._pattern import (
    Alternation,
    Anchor,
    Exclusion,
    Node,
    Permutation,
    Repetition,
    Sequence,
    Variable,
    read,
)

# no variables and no currentColor: some programs that show SVG have neither
_STYLE = """\
svg.railroad-diagram { background: #fbfcfe; border-radius: 6px; max-width: 100%; height: auto; }
svg.railroad-diagram path { stroke: #3f4a5a; stroke-width: 2; fill: none; }
svg.railroad-diagram rect { stroke: #3f4a5a; stroke-width: 2; fill: #dbe9fb; }
svg.railroad-diagram .non-terminal rect { fill: none; stroke-dasharray: 3 3; }
svg.railroad-diagram rect.group-box { fill: none; stroke-dasharray: 8 5; }
svg.railroad-diagram text { font: bold 14px ui-monospace, monospace; fill: #16202e;
  text-anchor: middle; }
svg.railroad-diagram text.comment { font: italic 12px ui-monospace, monospace; }
svg.railroad-diagram text.diagram-text { font-size: 12px; }
@media (prefers-color-scheme: dark) {
  svg.railroad-diagram { background: #171d26; }
  svg.railroad-diagram path, svg.railroad-diagram rect { stroke: #9fb0c8; }
  svg.railroad-diagram rect { fill: #24405f; }
  svg.railroad-diagram text { fill: #eef3fa; }
}
"""
_ANCHORS = {"^": "start of partition", "$": "end of partition"}


class Diagram:
    """A drawing of a PATTERN, which notebooks show.

    Attributes:
        pattern: The text of the pattern.
        svg: The drawing, a complete SVG document.
    """

    def __init__(self, pattern: str) -> None:
        """Draw a pattern.

        Args:
            pattern: What is in the parentheses of PATTERN.

        Raises:
            TypeError: If it is not a string.
            ValueError: If it is not a pattern.
        """
        self.pattern = kinds.sql_text("pattern", pattern)
        arguments.without_repeats("pattern", pattern)
        if not pattern.strip():
            message = "The pattern is empty: write () to match no row."
            raise ValueError(message)
        self.svg = _draw(pattern)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the drawing into a file.

        Args:
            path: The path of the file; an SVG file is usually called `.svg`.

        Raises:
            ValueError: If the name is that of another format, as `.png`.
        """
        kinds.target(path, ".svg").write_text(self.svg, encoding="utf-8")

    def __repr__(self) -> str:
        """Show the pattern where no picture can be shown."""
        return f"Diagram({self.pattern!r})"

    def _repr_svg_(self) -> str:
        return self.svg


def diagram(pattern: str) -> Diagram:
    """Draw a PATTERN as a railroad diagram.

    Each way along the lines from left to right is a sequence of variables that the pattern accepts.
    Where a line branches, the straight way is the preferred one. Needs the extra `diagram`.

    Examples:
        >>> import spark_match_recognize as mr
        >>> mr.diagram("STRT DOWN+ UP{2,}?")
        Diagram('STRT DOWN+ UP{2,}?')

    Args:
        pattern: What is in the parentheses of PATTERN.

    Returns:
        The drawing. Notebooks show it; `svg` is its text, `save(path)` writes it into a file.

    Raises:
        MissingExtraError: If the package that draws is not installed.
        TypeError: If `pattern` is not a string.
        ValueError: If the text is not a pattern.
    """
    return Diagram(pattern)


def _draw(pattern: str) -> str:
    railroad = extra("railroad", "diagram")
    tree = read(pattern)
    try:
        drawing = railroad.Diagram(_item(railroad, tree), type="simple")
        drawing.format(12)
        drawing.attrs["role"] = "img"
        title = railroad.DiagramItem("title", text=f"PATTERN ({pattern})")
        drawing.children.insert(0, title)
        text = io.StringIO()
        drawing.writeStandalone(text.write, _STYLE)
    except RecursionError:
        message = "PATTERN is nested too deeply to be drawn"
        raise ValueError(message) from None
    return text.getvalue()


def _item(railroad: Any, node: Node) -> Any:  # noqa: ANN401, PLR0911 - one return for each kind
    """Return the drawing of a part of the pattern."""
    match node:
        case Variable(name):
            return railroad.Terminal(name)
        case Anchor(symbol):
            return railroad.NonTerminal(_ANCHORS[symbol])
        case Sequence(()):
            return railroad.Comment("no row")
        case Sequence(items):
            return railroad.Sequence(*(_item(railroad, item) for item in items))
        case Alternation(items):
            return railroad.Choice(0, *(_item(railroad, item) for item in items))
        case Permutation((item,)):
            return _item(railroad, item)
        case Permutation(items):
            return railroad.MultipleChoice(0, "all", *(_item(railroad, i) for i in items))
        case Exclusion(item):
            return railroad.Group(_item(railroad, item), "not in the output")
        case Repetition():
            return _repetition(railroad, node)


def _repetition(railroad: Any, node: Repetition) -> Any:  # noqa: ANN401 - a library without types
    """Draw a quantifier: a way back for each further time, a way around if none is enough."""
    item = _item(railroad, node.item)
    least = max(node.least, 1) if isinstance(node.least, int) else node.least
    if node.most is None:
        times = "" if least == 1 else f"at least {least} times"
    else:
        exact = node.least == node.most
        times = f"{node.most} times" if exact else f"{least} to {node.most} times"
    if node.most != 1:
        words = [times, "as few as possible" if node.reluctant else ""]
        label = ", ".join(word for word in words if word)
        item = railroad.OneOrMore(item, railroad.Comment(label) if label else None)
    # the straight way is the preferred one
    return railroad.Optional(item, skip=node.reluctant) if node.least == 0 else item
