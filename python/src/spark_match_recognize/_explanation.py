"""Sentences about a search, which show themselves as lines."""

from __future__ import annotations

import html


class Explanation(list[str]):
    """What is said of a search: a list of sentences, the most general one first.

    Printed, or at the end of a notebook's cell, it is one line for each sentence.
    """

    def __str__(self) -> str:
        """Return the sentences, one in a line."""
        return "\n".join(self)

    def __repr__(self) -> str:
        """Show the sentences where a value is shown, as in the interactive Python."""
        return str(self)

    def _repr_html_(self) -> str:
        items = "".join(f"<li>{html.escape(sentence)}</li>" for sentence in self)
        return f"<ul>{items}</ul>"
