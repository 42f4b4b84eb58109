"""The conformance cases by features of the standard, for tools/pages.py."""

from __future__ import annotations

FEATURES = {
    "R010": "[row pattern recognition: FROM clause](../language/index.md)",
    "R020": "[row pattern recognition: WINDOW clause](../language/window.md)",
    "R030": "[row pattern recognition: full aggregate support](../language/measures.md)",
    "": "beyond the standard",
}
# By the first word of a case's id; the others are of R010.
FAMILIES = {"window": "R020", "agg": "R030"}


def standard_table(passed: dict[str, bool], beyond: set[str]) -> str:
    """Return the table of features.

    Args:
        passed: For each case whether it passed.
        beyond: The cases that are not in the standard.
    """
    rows = ["|feature| |cases|passed| |", "|---|---|---:|---:|---|"]
    codes = {case: FAMILIES.get(case.partition("-")[0], "R010") for case in passed}
    codes.update(dict.fromkeys(beyond, ""))
    for code, name in FEATURES.items():
        found = [passed[case] for case in passed if codes[case] == code]
        result = "complete" if all(found) else "**not complete**"
        rows.append(f"|{code}|{name}|{len(found)}|{sum(found)}|{result if code else ''}|")
    return "\n".join(rows)
