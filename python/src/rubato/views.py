"""What a table of points says: Pareto fronts, and the effect of each axis."""

from __future__ import annotations

from typing import Dict, List, Sequence, Tuple

from .table import Table, Value


def _number(value: Value) -> float:
    return float(value) if isinstance(value, (int, float)) else float("nan")


def pareto(table: Table, x: str, y: str, *, higher: Sequence[str] = ()) -> Table:
    """The points that no other one beats in both columns, along x. Points without a number are left out.

    Args:
        x, y: columns of which less is better, unless they are named in `higher`.

    Raises KeyError: there is no such column.
    """
    signs = {name: -1.0 if name in higher else 1.0 for name in (x, y)}
    points: List[Tuple[float, float, int]] = []
    for i, (one, other) in enumerate(zip(table[x], table[y])):
        place = (signs[x] * _number(one), signs[y] * _number(other), i)
        if place[0] == place[0] and place[1] == place[1]:
            points.append(place)
    front: List[int] = []
    best = float("inf")
    for _, value, i in sorted(points):
        if value < best:
            best = value
            front.append(i)
    return Table({name: [values[i] for i in front] for name, values in table.columns.items()}, table.units)


def effects(table: Table, metric: str, axes: Sequence[str]) -> Table:
    """What each value of each axis does to a metric, over all points that have it.

    The answer has a row an axis and value, in the order in which the points have them: axis, value, points (how many),
    and least, mean and most of the metric over these points: the spread is that of all other axes.

    Raises KeyError: there is no such column.
    """
    rows: List[Dict[str, Value]] = []
    figures = [_number(value) for value in table[metric]]
    for axis in axes:
        groups: Dict[Value, List[float]] = {}
        for value, figure in zip(table[axis], figures):
            if figure == figure:
                groups.setdefault(value, []).append(figure)
        for value, group in groups.items():
            rows.append({"axis": axis, "value": value, "points": len(group), "least": min(group),
                         "mean": sum(group) / len(group), "most": max(group)})
    unit = table.units.get(metric, "")
    return Table.from_rows(rows, {"least": unit, "mean": unit, "most": unit})
