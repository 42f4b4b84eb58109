"""Lists of sentences that show themselves as lines."""

from __future__ import annotations

import html


class Lines(list[str]):
    """A list of sentences: printed, or at the end of a notebook's cell, one line for each."""

    _none = ""

    def __str__(self) -> str:
        """Return the sentences, one in a line."""
        return "\n".join(self) or self._none

    def __repr__(self) -> str:
        """Show the sentences where a value is shown, as in the interactive Python."""
        return str(self)

    def _repr_html_(self) -> str:
        if not self:
            return f"<p>{self._none}</p>"
        items = "".join(f"<li>{html.escape(sentence)}</li>" for sentence in self)
        return f"<ul>{items}</ul>"


class Warnings(Lines):
    """What `lint` found: a list of sentences, empty if nothing was found.

    Printed, or at the end of a notebook's cell, it is one line for each sentence.
    """

    _none = "No warnings."
