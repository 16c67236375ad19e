"""Files of `rubato replay --stats`: JSON, JSON lines, CSV, and gem5's text (gem5's own files as well)."""

from __future__ import annotations

import io
import json
import math
import os
import re
from pathlib import Path
from typing import Any, Dict, Iterator, List, Tuple

from .command import PathLike, RubatoError
from .table import Table, Value, number_of

# "name  value  [share%  share so far%]  # what it is (Unit)"
_LINE = re.compile(r"^(?P<name>\S+)\s+(?P<value>[-+0-9.eEnainf]+)(?:\s+[-+0-9.enainf]+%)*(?:\s+[^#]*)?"
                   r"(?:\s+#\s*(?P<help>.*))?$")
_UNIT = re.compile(r"\(\(?([^()]+)\)?\)\s*$")
_BEGIN = "---------- Begin Simulation Statistics"
_END = "---------- End Simulation Statistics"


def _json_values(text: str, path: PathLike) -> Iterator[Any]:
    """One value, or several one after the other, as lines or not."""
    decoder = json.JSONDecoder()
    at = 0
    while True:
        while at < len(text) and text[at].isspace():
            at += 1
        if at == len(text):
            return
        try:
            value, at = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            raise RubatoError(f"{os.fspath(path)}: line {error.lineno}: {error.msg}; expected JSON as `rubato replay "
                              "--stats FILE.json` writes it") from error
        yield value


def _flatten(value: Dict[str, Any], before: str = "") -> Dict[str, Value]:
    """Members of members get names with points; lists of tables (a GPU's kernels) are left out."""
    flat: Dict[str, Value] = {}
    for name, member in value.items():
        if isinstance(member, dict):
            flat.update(_flatten(member, f"{before}{name}."))
        elif not isinstance(member, list):
            flat[before + name] = member
    return flat


def json_blocks(path: PathLike) -> List[Dict[str, Any]]:
    """The objects of a JSON file, be they one, an array, or lines. Raises RubatoError, OSError."""
    blocks: List[Dict[str, Any]] = []
    for value in _json_values(Path(path).read_text(encoding="utf-8"), path):
        for block in value if isinstance(value, list) else [value]:
            if not isinstance(block, dict):
                raise RubatoError(f"{os.fspath(path)}: holds {type(block).__name__}, expected objects of statistics")
            blocks.append(block)
    return blocks


def _text_blocks(text: str, path: PathLike) -> Tuple[List[Dict[str, Value]], Dict[str, str]]:
    blocks: List[Dict[str, Value]] = []
    units: Dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith(_BEGIN):
            blocks.append({})
        elif line.strip() and not line.startswith((_END, "#")):
            found = _LINE.match(line)
            if not found or not blocks:
                raise RubatoError(f"{os.fspath(path)}: line {number}: is no line of statistics; expected a name, a "
                                  "value and # with its meaning, after a line of Begin Simulation Statistics")
            value = number_of(found["value"])
            blocks[-1][found["name"]] = None if isinstance(value, float) and not math.isfinite(value) else value
            unit = _UNIT.search(found["help"] or "")
            if unit:
                units[found["name"]] = unit[1]
    return blocks, units


def read_statistics(path: PathLike) -> Table:
    """Reads statistics of a replay: a row a block (one, or one an interval), a column a statistic.

    The file's ending says what it is: .json, .jsonl and .csv; anything else is gem5's text, which alone has
    units, gem5's: Tick (a picosecond), Byte, Cycle/Count. What is
    not a number (0/0) is None, and so is what a block leaves out.

    Raises:
        RubatoError: something in it is no statistic; the message has the line. exit_code is None.
        OSError: it cannot be read.
    """
    ending = Path(path).suffix.lower()
    if ending in (".json", ".jsonl"):
        return Table.from_rows(_flatten(block) for block in json_blocks(path))
    text = Path(path).read_text(encoding="utf-8")
    if ending == ".csv":
        return Table.from_csv(io.StringIO(text))
    blocks, units = _text_blocks(text, path)
    return Table.from_rows(blocks, units)
