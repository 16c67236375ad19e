"""Recordings (`rubato replay --record`): samples of every component while a run goes on."""

from __future__ import annotations

import io
import json
import os
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

from .command import PathLike, RubatoError, run_command
from .table import Table, Value

_MAGIC = b"rubato-samples\x01\n"
_BLOCK = struct.Struct("<cII")


@dataclass(frozen=True)
class Field:
    """One column of the samples.

    Attributes:
        component: as in statistics, such as "l1d" or "mem_ctrls.dram".
        part: what it is: "core", "cache", "bus", "memory", "channel", "rank", ...
        kind: what the difference of two samples means: "counter" so many in between, "integral" a level times ps,
            "level" and "place" nothing (the value counts), "state" a number that `states` has the name of, "bins" a
            histogram.
        unit: of what is counted, or of the level: "Count", "Byte", "Tick" (ps).
        limit: the most a second (counter), or at once (integral, level); None: there is none.
        states: names of a state's values.
    """

    component: str
    part: str
    kind: str
    unit: str
    help: str
    limit: Optional[int] = None
    states: Tuple[str, ...] = ()


@dataclass(frozen=True)
class Recording:
    """Attributes:
        samples: a row a sample: number, time_ps, since_ps (counters began at 0 there), then each value as it was
            counted.
        fields: of each column but the first three.
        interval_ps: between two samples.
    """

    samples: Table
    fields: Dict[str, Field]
    interval_ps: int

    def rates(self) -> Table:
        """What was between two samples: a row a sample, with its time in ms.

        Counters are a second (unit Byte: GB/s; Tick: the share of the time), integrals the average level; levels and
        states are as sampled. Bins and places are left out. Where statistics restarted, it is since then.
        """
        times = [int(time or 0) for time in self.samples["time_ps"]]
        since = [int(time or 0) for time in self.samples["since_ps"]]
        columns: Dict[str, List[Value]] = {"time_ms": [time * 1e-9 for time in times]}
        units = {"time_ms": "ms"}
        for name, field in self.fields.items():
            values = [int(value or 0) for value in self.samples[name]]
            if field.kind in ("level", "state"):
                columns[name] = list(values)
                units[name] = field.unit if field.kind == "level" else ""
            elif field.kind in ("counter", "integral"):
                scale, units[name] = _rate_of(field)
                columns[name] = [_between(values, times, since, i, scale) for i in range(len(times))]
        return Table(columns, units)


def _rate_of(field: Field) -> Tuple[float, str]:
    """What a difference a picosecond is multiplied by, and the unit of that."""
    if field.kind == "integral":
        return 1.0, field.unit
    if field.unit == "Byte":
        return 1e3, "GB/s"
    if field.unit == "Tick":
        return 1.0, "of time"
    return 1e12, f"{field.unit}/s"


def _between(values: List[int], times: List[int], since: List[int], i: int, scale: float) -> Optional[float]:
    is_first = i == 0 or since[i] != since[i - 1]
    span = times[i] - (since[i] if is_first else times[i - 1])
    return (values[i] - (0 if is_first else values[i - 1])) * scale / span if span > 0 else None


def _layout(path: PathLike) -> Any:
    """The first block of a recording: the layout of samples as JSON."""
    with Path(path).open("rb") as file:
        head = file.read(len(_MAGIC) + _BLOCK.size)
        if len(head) < len(_MAGIC) + _BLOCK.size or not head.startswith(_MAGIC):
            raise RubatoError(f"{os.fspath(path)}: is no recording; `rubato replay --record FILE` makes one")
        kind, length, _ = _BLOCK.unpack(head[len(_MAGIC):])
        if kind != b"H":
            raise RubatoError(f"{os.fspath(path)}: byte {len(_MAGIC)}: expected the layout of samples")
        return json.loads(file.read(length))


def _fields(layout: Any) -> Dict[str, Field]:
    fields: Dict[str, Field] = {}
    for field in layout["fields"]:
        component = layout["components"][field["component"]]
        described = Field(component["name"], component["part"], field["kind"], field["unit"], field["help"],
                          field.get("limit"), tuple(field.get("states", ())))
        names = field.get("elements") or ([""] if field["count"] == 1 else [str(i) for i in range(field["count"])])
        for name in names:
            fields[f"{component['name']}.{field['name']}" + (f".{name}" if name else "")] = described
    return fields


def _unit(name: str, field: Field) -> str:
    """As `rubato export --parquet` has it."""
    if field.kind == "integral":
        return f"{field.unit}*ps"
    return "Count" if field.kind == "bins" else "ps" if field.unit == "Tick" or name.endswith("_ps") else field.unit


def read_recording(path: PathLike, *, partial: bool = False, command: Optional[PathLike] = None) -> Recording:
    """Reads a recording, by `rubato export`.

    Args:
        partial: take the samples of a recording that breaks off (its run was killed); what is missing is a
            RubatoWarning then.

    Raises:
        RubatoError: it is no recording, is damaged, or breaks off.
        OSError: it cannot be read.
    """
    text = run_command(["export", path, "--csv", "-"], command=command, allowed=(0, 2) if partial else (0,))
    layout = _layout(path)
    fields = _fields(layout)
    units = {name: _unit(name, field) for name, field in fields.items()}
    return Recording(Table.from_csv(io.StringIO(text), {**units, "time_ps": "ps", "since_ps": "ps"}), fields,
                     int(layout["interval_ps"]))
