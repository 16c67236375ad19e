"""Results of a sweep, as `rubato results` lists them, and the metrics that it knows."""

from __future__ import annotations

import html
import json
import re
import sqlite3
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Dict, Iterable, List, Optional, Union

from .command import PathLike, RubatoError, find_command, run_command
from .shown import SHOWN_ROWS, table_html
from .table import Table
from .words import Names, names_of, plain

# name, unit, which way is better, definition
_METRIC = re.compile(r"^(\S+)\s+(\S.*?)\s+(-|lower|higher)\s+(\S.*)$")
# How quantities of the system are written on an axis, and the unit in which they are listed.
_QUANTITIES = ((re.compile(r"^[0-9.]+([kKMGT]i?)?B$"), "bytes"), (re.compile(r"^[0-9.]+([kKMGT]i?)?B/s$"), "bytes/s"),
               (re.compile(r"^[0-9.]+([pnum]?s|[kKMG]?Hz)$"), "ps"))
_KERNEL_UNITS = (("_ps", "ps"), ("_ns", "ns"), ("_bytes", "bytes"), ("_gb_s", "GB/s"), (".cycles", "cycles"))


@dataclass(frozen=True)
class Metric:
    """What people ask of a run. better is "lower", "higher" or None."""

    name: str
    unit: str
    better: Optional[str]
    definition: str


@lru_cache(maxsize=None)
def _metrics(command: Path) -> Dict[str, Metric]:
    known: Dict[str, Metric] = {}
    for line in run_command(["results", "--metrics"], command=command).splitlines()[1:]:
        found = _METRIC.match(line)
        if found:
            name, unit, better, definition = found.groups()
            known[name] = Metric(name, "" if unit == "-" else unit, None if better == "-" else better, definition)
    return known


def metrics(command: Optional[PathLike] = None) -> Dict[str, Metric]:
    """All metrics by name, as `rubato results --metrics` lists them. Raises RubatoError."""
    return dict(_metrics(find_command(command)))


def metric_of(name: str, command: Optional[PathLike] = None) -> Optional[Metric]:
    """Of `cpu3.l2.mpki`, `mean.cpi`, `mem1.gb_s` too. None: it is no metric."""
    known = _metrics(find_command(command))
    plain = re.sub(r"^mem[0-9]+\.", "mem.", re.sub(r"^(cpu[0-9]*|mean|gpu[0-9]+)\.(?=.)", "", name))
    return known.get(name) or known.get(plain)


def metric_units(names: Iterable[str], command: Optional[PathLike] = None) -> Dict[str, str]:
    """Units of those names that are metrics with one."""
    found = {name: metric_of(name, command) for name in names}
    return {name: metric.unit for name, metric in found.items() if metric and metric.unit}


@dataclass(frozen=True)
class Results:
    """The file of a sweep. It is read anew by each call, so a sweep that goes on may be looked at.

    Attributes:
        path: of the file, RESULTS.db; a text or a Path, kept as a Path.
        command: the program; see find_command.
    """

    path: Path
    command: Optional[PathLike] = None

    def __init__(self, path: PathLike, command: Optional[PathLike] = None) -> None:
        object.__setattr__(self, "path", Path(path))
        object.__setattr__(self, "command", command)

    def _ask(self, question: str) -> List[List[str]]:
        if not self.path.is_file():
            raise RubatoError(f"{self.path}: there is no such file; `rubato sweep` makes one")
        try:
            connection = sqlite3.connect(f"{self.path.resolve().as_uri()}?mode=ro", uri=True)
            try:
                return [["" if cell is None else str(cell) for cell in row] for row in connection.execute(question)]
            finally:
                connection.close()
        except sqlite3.Error as error:
            raise RubatoError(f"{self.path}: {error}; expected results of `rubato sweep`") from error

    @property
    def axes(self) -> List[str]:
        """Keys that the sweep varies, in its order. Raises RubatoError."""
        return [row[0] for row in self._ask("SELECT key FROM axes ORDER BY axis")]

    def states(self) -> Dict[str, int]:
        """How many points are "done", "failed" and "to do". Raises RubatoError."""
        return {state: int(count) for state, count in self._ask(
            "SELECT coalesce(state, 'to do'), count(*) FROM sweep LEFT JOIN points USING (hash) GROUP BY 1")}

    def chosen(self) -> Dict[int, Dict[str, str]]:
        """The system and the value of each axis of each point, as the sweep's file writes them. Raises RubatoError."""
        points: Dict[int, Dict[str, str]] = {int(number): {"system": system} for number, system in self._ask(
            "SELECT number, system FROM sweep ORDER BY number")}
        for number, axis, value in self._ask("SELECT number, key, value FROM sweep_values JOIN axes USING (axis)"):
            points[int(number)][axis] = value
        return points

    def __repr__(self) -> str:
        return f"Results({str(self.path)!r})"

    def _repr_html_(self) -> str:
        states = self.states()
        table = self.table(["point", "system", "traces", *self.axes, "state", "time_ms"], limit=SHOWN_ROWS)
        counts = ", ".join(f"{count} {state}" for state, count in states.items())
        return (f"<p>{html.escape(str(self.path))}: {sum(states.values())} points, {html.escape(counts)}</p>"
                + table_html(table))

    def _units(self, table: Table) -> Dict[str, str]:
        """Of axes whose column has numbers: those of the first quantity among their values."""
        units: Dict[str, str] = dict.fromkeys(self.axes, "")
        for axis, value in self._ask("SELECT DISTINCT key, value FROM sweep_values JOIN axes USING (axis)"):
            is_numeric = axis in table and all(not isinstance(cell, str) for cell in table[axis])
            if is_numeric and not units.get(axis):
                units[axis] = next((unit for form, unit in _QUANTITIES if form.match(value)), "")
        return units

    def table(self, columns: Optional[Names] = None, *, where: Union[str, Iterable[str], None] = (),
              sort: Optional[str] = None, limit: Optional[int] = None, baseline: Union[str, int, None] = None,
              kernels: bool = False) -> Table:
        """A row a point. Capacities are bytes; what is a number is one.

        Args:
            columns: names of axes, metrics, statistics, or keys of the system, patterns with *, "metrics", or "all"
                for every statistic; a list, or one text, in which commas part them.
                None: point, system, traces, the axes, state, error, and every metric.
            where: a condition as `rubato results --where` has it: "l2.size >= 1MiB and traces == gups"; or several, all
                of which must hold.
            sort: a column, lowest first; "-column": highest first.
            limit: the first so many.
            baseline: the point that `speedup` is against: its number, or a condition.
            kernels: a row for each GPU kernel of a point, whose figures are `kernel.cycles`, `kernel.bound`, ...; where
                and sort may name them. Without columns: all of them.

        Raises:
            RubatoError: there is no such file, column or metric; with the command's message and exit code.
        """
        usual = ["point", "system", "traces", *self.axes, "state", "error", "time_ms", "metrics"]
        chosen = names_of(columns) if columns is not None else [] if kernels else usual
        words: List[str] = ["--columns=" + ",".join(chosen)] if chosen else []
        words += ["--kernels"] if kernels else []
        words += [f"--where={condition}" for condition in ([where] if isinstance(where, str) else where or ())]
        words += [f"--sort={sort}"] if sort is not None else []
        words += [f"--limit={plain(limit)}"] if limit is not None else []
        words += [f"--baseline={plain(baseline)}"] if baseline is not None else []
        rows = json.loads(run_command(["results", self.path, "--json", *words], command=self.command))
        table = Table.from_rows(rows)
        of_kernels = {name: unit for name in table.columns if name.startswith("kernel.")
                      for end, unit in _KERNEL_UNITS if name.endswith(end)}
        units = {**metric_units(table.columns, self.command), **self._units(table), **of_kernels, "wall_s": "s",
                 "cpu_s": "s"}
        return Table(table.columns, units)
