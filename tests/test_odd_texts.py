"""Keys, names and values with signs that SQL, formats and HTML read: the same results.

In a classic and in a Connect session.
"""

from __future__ import annotations

import odd_texts
from through_connect import Answers

ASKED = odd_texts
REPLACED = "has a name with ${...}, which Spark replaces in SQL: use another name"
REFUSED = [
    f'measures["${{x}}"] {REPLACED}',
    (
        "partition_by has the name ${x}, in which SQL replaces ${...}: a Column with it cannot be "
        "written as SQL. Rename the column"
    ),
    f'define["${{x}}"] {REPLACED}',
    f"partition {REPLACED}",
]


def test_odd_texts_are_read_as_others(answers: Answers) -> None:
    of_names = {f"names {place}": [8] for place in range(3)}  # compared, and no difference
    assert answers == {"values": [12], "refused": REFUSED, **of_names}
