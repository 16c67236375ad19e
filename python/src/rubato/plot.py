"""Charts of sweeps and runs. They need matplotlib; each draws into `ax`, or into a new figure, and returns the axes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Dict, List, Mapping, Optional, Sequence, Tuple

from .table import Table, Value, columns_of
from .views import WORKLOADS, effects, groups_of, pareto, varying
from .words import Names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Parts of a core's cycles as the README's picture has them: metric, what it is called, colour.
STALLS: Sequence[Tuple[str, str, str]] = (
    ("stall.working", "working", "#4c78a8"),
    ("stall.dependences", "dependences", "#72b7b2"),
    ("stall.rob", "ROB full", "#eeca3b"),
    ("stall.load_buffer", "load buffer full", "#b279a2"),
    ("stall.store_buffer", "store buffer full", "#9d755d"),
    ("stall.blocked_cache", "L1D blocked", "#e45756"),
)
_FRONT, _OTHER = "#e45756", "#4c78a8"


def _axes(ax: Optional["Axes"]) -> "Axes":
    """A new figure makes room for labels, so that none is cut."""
    if ax is not None:
        return ax
    from matplotlib import pyplot

    return pyplot.subplots(constrained_layout=True)[1]


def _labelled(table: Table, name: str) -> str:
    unit = table.units.get(name)
    return f"{name} ({unit})" if unit else name


def _short(value: Value) -> str:
    """Capacities and numbers as people write them."""
    if isinstance(value, int) and value >= 1024 and value % 1024 == 0:
        for unit in ("KiB", "MiB", "GiB"):
            value //= 1024
            if value < 1024 or value % 1024:
                break
        return f"{value}{unit}"
    return "none" if value is None else str(value)


def _workload(group: Tuple[Value, ...]) -> str:
    return ", ".join(_short(value) for value in group)


def _size(values: Sequence[Value]) -> Optional[float]:
    """Their geometric mean; None: there is no number, or one that is not above 0."""
    numbers = [float(value) for value in values if isinstance(value, (int, float))]
    return math.exp(sum(map(math.log, numbers)) / len(numbers)) if numbers and min(numbers) > 0 else None


def relative(table: Table, columns: Names, *, by: Optional[Names] = WORKLOADS) -> Table:
    """The table with these columns divided by their geometric means over each workload, so that workloads compare.
    Columns that have the same values in all workloads, as axes have, stay as they are, and so do those that have a
    value that is not above 0. A divided column has no unit.

    Raises KeyError: there is no such column.
    """
    table = Table.of(table)
    groups = list(groups_of(table, by).values())
    changed, units = dict(table.columns), dict(table.units)
    for name in columns_of(table, columns):
        values = table[name]
        sizes = [_size([values[i] for i in rows]) for rows in groups]
        if len({frozenset(values[i] for i in rows) for rows in groups}) < 2 or None in sizes:
            continue
        column = list(values)
        for rows, size in zip(groups, sizes):
            for i in rows:
                value = values[i]
                column[i] = float(value) / (size or 1) if isinstance(value, (int, float)) else value
        changed[name] = column
        units.pop(name, None)
    return Table(changed, units)


def plot_pareto(table: Table, x: str, y: str, *, higher: Names = (), names: Names = (),
                by: Optional[Names] = WORKLOADS, normalise: bool = True, ax: Optional["Axes"] = None) -> "Axes":
    """All points, and for each workload the front of those that no other one beats (pareto); `names` are columns that
    say which points they are. Of several workloads x and y are divided by their geometric means over each (relative),
    unless `normalise` is False. A new figure leaves room for all labels.

    Raises KeyError: there is no such column; ImportError: there is no matplotlib.
    """
    ax = _axes(ax)
    given = Table.of(table)
    table = relative(given, [x, y], by=by) if normalise else given
    said = columns_of(table, names)
    for number, (workload, rows) in enumerate(groups_of(table, by).items()):
        points = Table({name: [values[i] for i in rows] for name, values in table.columns.items()}, table.units)
        front = pareto(points, x, y, higher=higher, by=None)
        is_only = not workload
        colour, line = (_OTHER, _FRONT) if is_only else (f"C{number % 10}",) * 2
        ax.scatter(points[x], points[y], s=14, color=colour, alpha=0.5,
                   label=f"{len(points)} points" if is_only else None)
        ax.plot(front[x], front[y], color=line, marker="o", drawstyle="steps-post",
                label="front" if is_only else f"{_workload(workload)}: front of {len(points)} points")
        for row in front:
            if said:
                ax.annotate(", ".join(_short(row[name]) for name in said), (row[x], row[y]), xytext=(4, 4),
                            textcoords="offset points", fontsize=8)
    for name, label in ((x, ax.set_xlabel), (y, ax.set_ylabel)):
        is_divided = table[name] != given[name]
        label(f"{name} / mean of its workload" if is_divided else _labelled(table, name))
    ax.legend()
    return ax


def plot_effects(table: Table, metric: str, axes: Names, *, by: Optional[Names] = WORKLOADS,
                 ax: Optional["Axes"] = None) -> "Axes":
    """Mean of a metric for each value of each axis; the bars show least and most over all other axes. Each workload has
    a colour; of one alone each axis has one. A new figure leaves room for all labels.

    Raises KeyError: there is no such column; ImportError: there is no matplotlib.
    """
    ax = _axes(ax)
    table = Table.of(table)
    keys = columns_of(table, axes)
    parts = varying(table, by)
    workloads = list(groups_of(table, by))
    labels: List[str] = []
    seen: Dict[Tuple[Value, ...], None] = {}
    for row in effects(table, metric, keys, by=by):
        workload = tuple(row[name] for name in parts)
        label = f"{row['axis']} {_short(row['value'])}"
        if label not in labels:
            labels.append(label)
        number = workloads.index(workload)
        shift = (number - (len(workloads) - 1) / 2) * min(0.15, 0.8 / len(workloads))
        mean, least, most = (float(row[name] or 0) for name in ("mean", "least", "most"))
        colour = f"C{(number if parts else keys.index(str(row['axis']))) % 10}"
        ax.errorbar([labels.index(label) + shift], [mean], yerr=[[mean - least], [most - mean]], fmt="o", capsize=3,
                    color=colour, label=_workload(workload) if parts and workload not in seen else None)
        seen[workload] = None
    ax.set_xticks(range(len(labels)))
    ax.set_xticklabels(labels, rotation=60, ha="right", fontsize=8)
    ax.set_ylabel(_labelled(table, metric) + ": mean, least, most")
    if parts:
        ax.legend()
    return ax


def cpi_stack(metrics: Mapping[str, Optional[Value]]) -> Dict[str, float]:
    """Cycles an instruction by what they went by with, from the metrics `cpi` and `stall.*` of a run or a point."""
    cpi = float(metrics["cpi"] or 0)
    return {name: cpi * float(metrics.get(metric) or 0) for metric, name, _ in STALLS}


def plot_cpi_stacks(points: Mapping[str, Mapping[str, Optional[Value]]], *, ax: Optional["Axes"] = None) -> "Axes":
    """Where the cycles go: a bar for each point, by its name, of its metrics `cpi` and `stall.*`.

    Raises KeyError: a point has no cpi; ImportError: there is no matplotlib.
    """
    ax = _axes(ax)
    places = list(range(len(points)))
    stacks = [cpi_stack(metrics) for metrics in points.values()]
    before = [0.0] * len(stacks)
    for _, name, colour in STALLS:
        lengths = [stack[name] for stack in stacks]
        if any(lengths):
            ax.barh(places, lengths, left=before, color=colour, label=name)
        before = [start + length for start, length in zip(before, lengths)]
    ax.set_yticks(places)
    ax.set_yticklabels(list(points))
    ax.invert_yaxis()
    ax.set_xlabel("cycles an instruction")
    ax.legend(fontsize=8)
    return ax
