"""What people pass: one name or several, text or Path, Python's numbers or numpy's; and what each of them means."""

from __future__ import annotations

import os
import shlex
from typing import Any, Iterable, List, Mapping, Optional, Union

from .command import PathLike

Names = Union[str, Iterable[str]]
Words = Union[str, Iterable[PathLike]]


def plain(value: Any) -> Any:
    """numpy's and pandas' scalars as Python's, arrays and ranges as lists, paths as texts, mappings member by
    member."""
    if value is None:
        return None
    if isinstance(value, (str, int, float, bool)):
        return value.item() if hasattr(value, "item") else value
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if type(value).__name__ == "NAType":         # pandas' missing value
        return None
    if isinstance(value, Mapping):
        return {str(plain(key)): plain(member) for key, member in value.items()}
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, Iterable):
        return [plain(member) for member in value]
    raise TypeError(f"{value!r}: expected a text, a number, a path, or a list or a dictionary of these")


def names_of(value: Optional[Names]) -> List[str]:
    """The names of a list, or of one text: "a,b" is a and b. None: none."""
    if value is None:
        return []
    if isinstance(value, str):
        return [name.strip() for name in value.split(",") if name.strip()]
    return [str(plain(name)) for name in value]


def words_of(value: Optional[Words]) -> List[str]:
    """The words of a list, or of one text as a shell has them: "--no-cache --sync free" is three."""
    if value is None:
        return []
    if isinstance(value, str):
        return shlex.split(value)
    if isinstance(value, os.PathLike):
        return [os.fspath(value)]
    return [str(plain(word)) for word in value]


def paths_of(value: Union[PathLike, Iterable[PathLike]]) -> List[str]:
    """One path, or those of a list."""
    if isinstance(value, (str, os.PathLike)):
        return [os.fspath(value)]
    return [os.fspath(plain(path)) for path in value]
