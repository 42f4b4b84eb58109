"""The clause as text, and which argument each part of that text is."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import timedelta
from typing import Any, Literal, NamedTuple, TypeAlias

from spark_match_recognize import _arguments as arguments
from spark_match_recognize import _kinds as kinds
from spark_match_recognize._column_nodes import CannotWriteError
from spark_match_recognize._columns import Written, column_sql, is_column
from spark_match_recognize._columns_text import interval
from spark_match_recognize._text import name_sql

Sets: TypeAlias = Mapping[str, str | Iterable[str]]
RowsPerMatch: TypeAlias = Literal[
    "ONE ROW PER MATCH",
    "ALL ROWS PER MATCH",
    "ALL ROWS PER MATCH SHOW EMPTY MATCHES",
    "ALL ROWS PER MATCH OMIT EMPTY MATCHES",
    "ALL ROWS PER MATCH WITH UNMATCHED ROWS",
]


InputOrder: TypeAlias = Literal["watermark", "arrival"]


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
    """The text of a clause.

    Attributes:
        text: The text.
        places: The arguments in it, in order.
        leaves: The columns in it that belong to one frame, as in `df.price`, by their arguments.
    """

    text: str
    places: tuple[Place, ...]
    leaves: tuple[tuple[str, Any], ...]


class _Writer:
    """Collects the text of a clause and remembers where the arguments are."""

    def __init__(
        self, names: Collection[str], columns: Callable[[], Collection[str]] | None
    ) -> None:
        """Begin a clause.

        Args:
            names: The variables that DEFINE and SUBSET name.
            columns: As in `write`.
        """
        self._names = names
        self._columns = columns
        self._pieces: list[str] = []
        self._length = 0
        self.places: list[Place] = []
        self.leaves: list[tuple[str, Any]] = []

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    def add(self, text: str) -> None:
        self._pieces.append(text)
        self._length += len(text)

    def argument(self, name: str, value: object, shown: str | None = None) -> None:
        """Add the text of an argument, or a name that is passed in it, which is quoted in SQL."""
        given = kinds.sql_text(name, value)
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
                f"the keys of {place.partition('[')[0]} must be names, not {kinds.kind(value)}"
            )
            raise TypeError(message)
        self.argument(place, value, name_sql(place, value))

    def keys(self, part: str, name: str, value: object) -> None:
        """Add PARTITION BY or ORDER BY: texts or columns."""
        items = None if value is None else kinds.several(name, value)
        if value is None or items == []:
            return
        self.add(f"\n  {part} ")
        for index, item in enumerate([value] if items is None else items):
            place = name if items is None else f"{name}[{index}]"
            self.add(", " if index else "")
            self.argument(place, self._key(place, item) if is_column(item) else item)

    def _key(self, place: str, column: Any) -> str:  # noqa: ANN401 - a Column
        written = self._column(place, column)
        if place.startswith("order_by"):  # a name of it is of no use
            return f"{written.text} {written.order}".strip()
        _without_order(place, written)
        return (
            f"{written.text} AS {name_sql(place, written.name)}" if written.name else written.text
        )

    def _column(self, place: str, column: Any) -> Written:  # noqa: ANN401 - a Column
        try:
            in_expression = place.startswith(("measures", "define"))
            written = column_sql(column, beside_variables=in_expression, names=self._columns)
        except CannotWriteError as error:
            what, cure = error.args
            message = f"{place} has {what}: a Column with it cannot be written as SQL. {cure}"
            raise TypeError(message) from None
        self.leaves += [(place, leaf) for leaf in written.leaves]
        return written

    def entries(self, part: str, name: str, value: object) -> None:
        """Add MEASURES or DEFINE: texts or columns by their names."""
        items = list(value.items()) if isinstance(value, Mapping) else _listed(name, value)
        for index, (key, item) in enumerate(items):
            self.add(",\n    " if index else f"\n  {part}\n    ")
            place = name if item is value else f"{name}[{index}]"
            place = place if key is None else f'{name}["{key}"]'
            if is_column(item):
                key, item = self._entry(place, key, item)  # noqa: PLW2901 - as text
            if key is None:  # the text has the name
                self.argument(place, item)
                continue
            if name == "define":
                self.name(place, key)
                self.add(" AS ")
            self.argument(place, item)
            if name == "measures":
                self.add(" AS ")
                self.name(place, key)

    def _entry(self, place: str, key: object, column: Any) -> tuple[object, str]:  # noqa: ANN401
        """Return the name and the text of a column."""
        written = self._column(place, column)
        _without_order(place, written)
        if key is not None and written.name not in (None, key):
            message = (
                f"{place} has another name, alias({written.name!r}): the key of the dict is the "
                "name. Remove the alias"
            )
            raise ValueError(message)
        name = written.name if key is None else key
        if name is None and not written.is_text:
            message = (
                f'{place} has no name: add alias("..."), or write a dict from names to columns'
            )
            raise ValueError(message)
        return name, written.text

    def sets(self, value: object) -> None:
        """Add SUBSET."""
        if value is not None and not isinstance(value, Mapping):
            message = f"subset must be a dict from names to variables, not {kinds.kind(value)}"
            raise TypeError(message)
        for index, (key, item) in enumerate((value or {}).items()):
            self.add(",\n    " if index else "\n  SUBSET\n    ")
            place = f'subset["{key}"]'
            self.name(place, key)
            self.add(" = (")
            self._variables(place, item)
            self.add(")")

    def _variables(self, place: str, value: object) -> None:
        items = kinds.several(place, value)
        if items is None:
            if isinstance(value, str):
                arguments.subset(place, value)
            self.argument(place, value)
            return
        for index, item in enumerate(items):
            self.add(", " if index else "")
            each = f"{place}[{index}]"
            self.argument(each, item, name_sql(each, item) if isinstance(item, str) else None)


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
    columns: Callable[[], Collection[str]] | None = None,
) -> Clause:
    """Write the clause; the arguments are those of `match_recognize`.

    `columns` returns the names of the columns that the clause reads, if they are known.

    Raises:
        TypeError: If an argument, or an entry of one, is not of its type.
        ValueError: If an argument repeats words that it implies, or lacks some.
    """
    if isinstance(rows_per_match, str):
        arguments.rows_per_match(rows_per_match)
    writer = _Writer([*_keys(define), *_keys(subset)], columns)
    writer.add("MATCH_RECOGNIZE (")
    writer.keys("PARTITION BY", "partition_by", partition_by)
    writer.keys("ORDER BY", "order_by", order_by)
    writer.entries("MEASURES", "measures", measures)
    for before, name, text, after in (
        ("", "rows_per_match", rows_per_match, ""),
        ("AFTER MATCH SKIP ", "after_match_skip", after_match_skip, ""),
        ("PATTERN (", "pattern", pattern, ")"),
        ("WITHIN ", "within", _limit(within), ""),
    ):
        if text is not None or name == "pattern":
            writer.add(f"\n  {before}")
            writer.argument(name, text)
            writer.add(after)
    writer.sets(subset)
    writer.entries("DEFINE", "define", define)
    writer.add("\n)")
    return Clause(writer.text, tuple(writer.places), tuple(writer.leaves))


def _without_order(place: str, written: Written) -> None:
    if written.order:
        message = f"{place} has an order, {written.order.partition(' ')[0]}: only order_by has one"
        raise ValueError(message)


def _limit(value: object) -> object:
    """Return what WITHIN takes, a timedelta as SQL.

    Raises:
        ValueError: If it is negative.
    """
    if not isinstance(value, timedelta):
        return value
    if value < timedelta(0):
        message = f"within must not be negative, as {value!r} is"
        raise ValueError(message)
    return interval(value // timedelta(microseconds=1))


def _listed(name: str, value: object) -> list[tuple[object, object]]:
    """Return the entries of a list: columns with an alias, or texts with a name in them."""
    items = [] if value is None else kinds.several(name, value)
    if items is None:
        items = [value]
    for index, item in enumerate(items):
        if not isinstance(item, str) and not is_column(item):
            place = name if item is value else f"{name}[{index}]"
            message = (
                f"{place} must be a dict from names to strings of SQL or columns, or a list of "
                f"columns with alias(...), not {kinds.kind(item)}"
            )
            raise TypeError(message)
    return [(None, item) for item in items]


def _keys(value: object) -> list[str]:
    return [key for key in value if isinstance(key, str)] if isinstance(value, Mapping) else []
