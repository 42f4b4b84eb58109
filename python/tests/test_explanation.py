"""How an explanation shows itself."""

from __future__ import annotations

import copy

from spark_match_recognize import Explanation

TOLD = Explanation(["1 attempt found no match.", "A failed on `x < 'b' & y` (it is <b>NULL</b>)."])


def test_lines() -> None:
    assert str(TOLD) == repr(TOLD) == "\n".join(TOLD)


def test_page_shows_hostile_text_as_text() -> None:
    assert TOLD._repr_html_() == (
        "<ul><li>1 attempt found no match.</li>"
        "<li>A failed on `x &lt; &#x27;b&#x27; &amp; y` (it is &lt;b&gt;NULL&lt;/b&gt;).</li></ul>"
    )


def test_is_a_list_of_strings() -> None:
    assert list(TOLD) == TOLD == copy.deepcopy(TOLD)
    assert TOLD[0] == "1 attempt found no match."
