"""What a table of points says: Pareto fronts, and the effect of each axis.

Times of different workloads do not compare, so both look at one workload at a time: the column `traces`, unless `by`
says otherwise.
"""

from __future__ import annotations

from typing import Dict, List, Optional, Tuple

from .table import Table, Value, columns_of
from .words import Names

WORKLOADS = "traces"


def _number(value: Value) -> float:
    return float(value) if isinstance(value, (int, float)) else float("nan")


def groups_of(table: Table, by: Optional[Names] = WORKLOADS) -> Dict[Tuple[Value, ...], List[int]]:
    """Rows by their values in the columns `by`, in the order of the table. Columns in which all rows are alike part
    nothing, and so does the usual one where it is missing.

    Raises KeyError: there is no such column.
    """
    names = varying(table, by)
    groups: Dict[Tuple[Value, ...], List[int]] = {}
    for i in range(len(table)):
        groups.setdefault(tuple(table[name][i] for name in names), []).append(i)
    return groups


def varying(table: Table, by: Optional[Names] = WORKLOADS) -> List[str]:
    """Those of the columns `by` that have several values."""
    if by == WORKLOADS and WORKLOADS not in table:
        return []
    return [name for name in columns_of(table, by) if len(set(table[name])) > 1]


def _front(points: List[Tuple[float, float, int]]) -> List[int]:
    front: List[int] = []
    best = float("inf")
    for _, value, i in sorted(points):
        if value < best:
            best = value
            front.append(i)
    return front


def pareto(table: Table, x: str, y: str, *, higher: Names = (), by: Optional[Names] = WORKLOADS) -> Table:
    """The points that no other one of their workload beats in both columns, workload after workload, along x. Points
    without a number are left out.

    Args:
        x, y: columns of which less is better, unless they are named in `higher`.
        by: columns whose values part the points: a front for each. None: one front of all.

    Raises KeyError: there is no such column.
    """
    table = Table.of(table)
    better = columns_of(table, higher)
    signs = {name: -1.0 if name in better else 1.0 for name in (x, y)}
    one, other = table[x], table[y]
    front: List[int] = []
    for rows in groups_of(table, by).values():
        points = [(signs[x] * _number(one[i]), signs[y] * _number(other[i]), i) for i in rows]
        front += _front([point for point in points if point[0] == point[0] and point[1] == point[1]])
    return Table({name: [values[i] for i in front] for name, values in table.columns.items()}, table.units)


def effects(table: Table, metric: str, axes: Names, *, by: Optional[Names] = WORKLOADS) -> Table:
    """What each value of each axis does to a metric, over all points of a workload that have it.

    The answer has a row a workload, axis and value, in the order in which the points have them: the columns `by` if
    there are several workloads; axis, value, points (how many), and least, mean and most of the metric over these
    points: the spread is that of all other axes.

    Args:
        axes: one column, or several.
        by: columns whose values part the points. None: all points together.

    Raises KeyError: there is no such column.
    """
    table = Table.of(table)
    rows: List[Dict[str, Value]] = []
    figures = [_number(value) for value in table[metric]]
    parts, keys = varying(table, by), columns_of(table, axes)
    for workload, members in groups_of(table, by).items():
        for axis in keys:
            groups: Dict[Value, List[float]] = {}
            for i in members:
                if figures[i] == figures[i]:
                    groups.setdefault(table[axis][i], []).append(figures[i])
            for value, group in groups.items():
                rows.append({**dict(zip(parts, workload)), "axis": axis, "value": value, "points": len(group),
                             "least": min(group), "mean": sum(group) / len(group), "most": max(group)})
    unit = table.units.get(metric, "")
    return Table.from_rows(rows, {"least": unit, "mean": unit, "most": unit})
