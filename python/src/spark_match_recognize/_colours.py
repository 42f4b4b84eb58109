"""Colours of variables, in plots and on pages."""

from __future__ import annotations

# A fill that is visible on light and on dark ground, and colours of text, which have enough
# contrast on light ground and on dark ground. No grey: that is what is in no match.
VARIABLES = (
    ("#1f77b4", "#1f6fb2", "#7cc0ff"),
    ("#ff7f0e", "#b4540a", "#ffb070"),
    ("#2ca02c", "#23803a", "#7fdc95"),
    ("#d62728", "#b3261e", "#ff9d95"),
    ("#9467bd", "#6a4fc0", "#c0aeff"),
    ("#8c564b", "#8a5045", "#dcaa9e"),
    ("#e377c2", "#a3308f", "#f09be0"),
    ("#bcbd22", "#6b6600", "#e6cc55"),
    ("#17becf", "#00727f", "#62d8cf"),
)


def numbers(names: list[str]) -> dict[str, int]:
    """Return the place of each variable in the table; it begins again after its end."""
    return {name: place % len(VARIABLES) for place, name in enumerate(names)}
