"""Tables with units: what all readers of this package return. They need nothing but Python."""

from __future__ import annotations

import csv
import os
from pathlib import Path
from typing import (TYPE_CHECKING, Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, TextIO,
                    Union)

from .command import PathLike
from .words import Names, names_of, plain

if TYPE_CHECKING:
    import pandas

Value = Union[int, float, str, None]


class Table:
    """Columns of one length, by name, in their order. None is a value that a row does not have.

    Attributes:
        columns: values of each column, from the first row to the last.
        units: of the columns that have one: "ms", "bytes", "of cycles" (a share, 0 to 1). A clock, a name or a plain
            number has none.
    """

    def __init__(self, columns: Mapping[str, Sequence[Value]], units: Optional[Mapping[str, str]] = None) -> None:
        """columns: lists, arrays or series. Raises ValueError: they are of different lengths, or one is a text."""
        self.columns: Dict[str, List[Value]] = {str(name): _values(name, values) for name, values in columns.items()}
        lengths = {len(values) for values in self.columns.values()}
        if len(lengths) > 1:
            raise ValueError(f"columns have {min(lengths)} to {max(lengths)} rows; give all the same number")
        self._length = lengths.pop() if lengths else 0
        self.units: Dict[str, str] = {name: unit for name, unit in (units or {}).items()
                                      if name in self.columns and unit not in ("", "-")}

    @classmethod
    def from_rows(cls, rows: Iterable[Mapping[str, Value]], units: Optional[Mapping[str, str]] = None) -> "Table":
        """Columns in the order in which the rows name them first."""
        all_rows = list(rows)
        order: Dict[str, None] = {}
        for row in all_rows:
            order.update(dict.fromkeys(row))
        return cls({name: [row.get(name) for row in all_rows] for name in order}, units)

    @classmethod
    def from_csv(cls, lines: Union[TextIO, PathLike], units: Optional[Mapping[str, str]] = None) -> "Table":
        """A file that is open, or the path of one. The first line names the columns. What reads as a number is one, an
        empty cell is None."""
        if isinstance(lines, (str, os.PathLike)):
            with Path(lines).open(encoding="utf-8", newline="") as file:
                return cls.from_csv(file, units)
        reader = csv.reader(lines)
        names: List[str] = next(reader, [])
        rows = list(reader)
        return cls({name: [number_of(row[i]) for row in rows] for i, name in enumerate(names)}, units)

    @classmethod
    def of(cls, value: "Union[Table, pandas.DataFrame, Mapping[str, Sequence[Value]], Iterable[Mapping[str, Value]]]"
           ) -> "Table":
        """A table as it is; a DataFrame of pandas with its attrs["units"], columns by name, or rows, as one."""
        if isinstance(value, Table):
            return value
        units = getattr(value, "attrs", {}).get("units")
        if hasattr(value, "attrs") and hasattr(value, "columns"):
            frame: Any = value
            return cls({str(name): frame[name] for name in frame.columns}, units)
        if isinstance(value, Mapping):
            return cls(value)
        return cls.from_rows(value)

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, name: str) -> List[Value]:
        """Raises KeyError, whose text has the names that are like it."""
        try:
            return self.columns[name]
        except KeyError:
            last = name.rsplit(".", 1)[-1]
            near = [other for other in self.columns if last in other][:5] or list(self.columns)[:5]
            raise KeyError(f"{name}: there is no such column; there are {', '.join(near)}, ...") from None

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def __iter__(self) -> Iterator[Dict[str, Value]]:
        for i in range(self._length):
            yield {name: values[i] for name, values in self.columns.items()}

    def __repr__(self) -> str:
        return f"<Table of {self._length} rows, {len(self.columns)} columns: {', '.join(list(self.columns)[:8])}...>"

    def _repr_html_(self) -> str:
        from .shown import table_html

        return table_html(self)

    def rows(self) -> List[Dict[str, Value]]:
        """A dictionary for each row."""
        return list(self)

    def select(self, *names: Names) -> "Table":
        """These columns only, in this order: names, lists of names, or texts in which commas part them. Raises
        KeyError."""
        return Table({name: self[name] for name in columns_of(self, *names)}, self.units)

    def where(self, holds: Callable[[Dict[str, Value]], bool]) -> "Table":
        """The rows for which it holds."""
        kept = [i for i, row in enumerate(self) if holds(row)]
        return Table({name: [values[i] for i in kept] for name, values in self.columns.items()}, self.units)

    def sorted_by(self, name: str, descending: bool = False) -> "Table":
        """Numbers, then words, then rows without a value; equal ones stay in their order. Raises KeyError."""
        values = self[name]
        there = [i for i in range(self._length) if values[i] is not None]

        def key(i: int) -> "tuple[bool, float, str]":
            value = values[i]
            return (isinstance(value, str), 0.0 if isinstance(value, str) else float(value or 0), str(value))

        there.sort(key=key, reverse=descending)
        order = there + [i for i in range(self._length) if values[i] is None]
        return Table({other: [column[i] for i in order] for other, column in self.columns.items()}, self.units)

    def frame(self) -> "pandas.DataFrame":
        """As a pandas DataFrame, with the units in its attrs["units"].

        Whole numbers are int64, or Int64 if some are missing; other numbers float64 with NaN for None.

        Raises ImportError: pandas is not installed.
        """
        import pandas

        columns = {}
        for name, values in self.columns.items():
            kinds = {type(value) for value in values}
            if kinds and kinds <= {int, type(None)} and int in kinds and None in values:
                columns[name] = pandas.array(values, dtype="Int64")
            elif kinds <= {int, float, type(None)} and float in kinds:
                columns[name] = pandas.Series([float("nan") if value is None else value for value in values],
                                              dtype="float64")
            else:
                columns[name] = pandas.Series(values) if values else pandas.Series(values, dtype="object")
        frame = pandas.DataFrame(columns)
        frame.attrs["units"] = dict(self.units)
        return frame


def _values(name: str, values: Sequence[Value]) -> List[Value]:
    if isinstance(values, (str, bytes)):
        raise ValueError(f"{name}: a column is a list of values, but this is a text: {values!r}")
    return list(plain(values))


def columns_of(table: Table, *names: Optional[Names]) -> List[str]:
    """Names of columns: each a name, a list of them, or a text in which commas part them, unless it is a name."""
    found: List[str] = []
    for name in names:
        found += [name] if isinstance(name, str) and name in table else names_of(name)
    return found


def number_of(text: str) -> Value:
    """A whole number, another number, None for an empty text, or the text."""
    if not text:
        return None
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text
