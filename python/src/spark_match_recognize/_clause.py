"""The clause as text, and which argument each part of that text is."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from spark_match_recognize import _arguments as arguments
from spark_match_recognize._text import quoted

Texts = str | Sequence[str]
Sets = Mapping[str, Texts]


class Place(NamedTuple):
    """An argument, or an entry of one, in the text of the clause.

    Attributes:
        argument: Its name, as in `define["DOWN"]`.
        text: What was passed.
        left_out: How many blanks at the beginning of `text` the clause leaves out.
        start: Where it begins in the clause.
        stop: Where it ends in the clause.
    """

    argument: str
    text: str
    left_out: int
    start: int
    stop: int


class Clause(NamedTuple):
    """The text of a clause and the places of the arguments in it, in order."""

    text: str
    places: tuple[Place, ...]


class _Writer:
    """Collects the text of a clause and remembers where the arguments are."""

    def __init__(self, names: Collection[str]) -> None:
        """Begin a clause.

        Args:
            names: The variables that DEFINE and SUBSET name.
        """
        self._names = names
        self._pieces: list[str] = []
        self._length = 0
        self.places: list[Place] = []

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    def add(self, text: str) -> None:
        self._pieces.append(text)
        self._length += len(text)

    def argument(self, name: str, value: object, shown: str | None = None) -> None:
        """Add the text of an argument, or a name that is passed in it, which is quoted in SQL."""
        given = arguments.sql(name, value)
        if shown is None:
            arguments.without_repeats(name, given, self._names)
        text = given.strip() if shown is None else shown
        left_out = 0 if shown is not None else len(given) - len(given.lstrip())
        start = self._length
        self.places.append(
            Place(name, given if shown is None else shown, left_out, start, start + len(text))
        )
        # a comment at the end must not hide what follows
        self.add(text + "\n" if "--" in text else text)

    def name(self, place: str, value: object) -> None:
        if not isinstance(value, str):
            message = (
                f"the keys of {place.partition('[')[0]} must be names, not {arguments.kind(value)}"
            )
            raise TypeError(message)
        self.argument(place, value, quoted(value))

    def list_of(self, name: str, value: object, *, names: bool = False) -> None:
        """Add one text, or several with commas between them."""
        items = arguments.several(name, value)
        if items is None:
            self.argument(name, value)
            return
        for index, item in enumerate(items):
            self.add(", " if index else "")
            if names and isinstance(item, str):
                self.argument(f"{name}[{index}]", item, quoted(item))
            else:
                self.argument(f"{name}[{index}]", item)


def write(  # noqa: PLR0913 - the parts of the clause
    *,
    partition_by: object,
    order_by: object,
    measures: object,
    rows_per_match: object,
    after_match_skip: object,
    pattern: object,
    within: object,
    subset: object,
    define: object,
) -> Clause:
    """Write the clause; the arguments are those of `match_recognize`.

    Raises:
        TypeError: If an argument, or an entry of one, is not of its type.
        ValueError: If an argument repeats words that it implies, or lacks some.
    """
    if isinstance(rows_per_match, str):
        arguments.rows_per_match(rows_per_match)
    named = [*_keys(define), *_keys(subset)]
    writer = _Writer(named)
    writer.add("MATCH_RECOGNIZE (")
    for part, name, texts in (
        ("PARTITION BY", "partition_by", partition_by),
        ("ORDER BY", "order_by", order_by),
    ):
        keys = arguments.keys(name, texts)
        if keys is not None and keys != []:
            writer.add(f"\n  {part} ")
            writer.list_of(name, keys)
    for key, value in _entries(writer, "MEASURES", "measures", measures):
        place = f'measures["{key}"]'
        writer.argument(place, value)
        writer.add(" AS ")
        writer.name(place, key)
    for before, name, text, after in (
        ("", "rows_per_match", rows_per_match, ""),
        ("AFTER MATCH SKIP ", "after_match_skip", after_match_skip, ""),
        ("PATTERN (", "pattern", pattern, ")"),
        ("WITHIN ", "within", arguments.limit(within), ""),
    ):
        if text is not None or name == "pattern":
            writer.add(f"\n  {before}")
            writer.argument(name, text)
            writer.add(after)
    for key, value in _entries(writer, "SUBSET", "subset", subset):
        place = f'subset["{key}"]'
        writer.name(place, key)
        writer.add(" = (")
        if isinstance(value, str):
            arguments.subset(place, value)
        writer.list_of(place, value, names=True)
        writer.add(")")
    for key, value in _entries(writer, "DEFINE", "define", define):
        place = f'define["{key}"]'
        writer.name(place, key)
        writer.add(" AS ")
        writer.argument(place, value)
    writer.add("\n)")
    return Clause(writer.text, tuple(writer.places))


def _entries(
    writer: _Writer, part: str, name: str, value: object
) -> Iterable[tuple[object, object]]:
    """Yield the entries of a mapping, with commas and line breaks between them."""
    if value is None:
        return
    if not isinstance(value, Mapping):
        message = f"{name} must be a dict from names to strings of SQL, not {arguments.kind(value)}"
        raise TypeError(message)
    for index, entry in enumerate(value.items()):
        writer.add(",\n    " if index else f"\n  {part}\n    ")
        yield entry


def _keys(value: object) -> list[str]:
    return [key for key in value if isinstance(key, str)] if isinstance(value, Mapping) else []
