"""What people see of a run, a table or results: a few lines as text, a table as HTML in a notebook."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Dict, List, Optional

from .table import Table, Value

if TYPE_CHECKING:
    from .replays import Run

SHOWN_ROWS = 20
_LEVELS = ("l1i", "l1d", "l2", "l3", "l4")


def figure(value: Optional[Value]) -> str:
    """As people read it: four digits of a number that is not whole."""
    if isinstance(value, float):
        return f"{value:.0f}" if value.is_integer() and abs(value) < 1e15 else f"{value:.4g}"
    return "-" if value is None else str(value)


def _share(value: float) -> str:
    return f"{100 * value:.3g} %"


def _listed(run: "Run", forms: Dict[str, str]) -> str:
    """Those of the metrics that the run has. In a form {} is the value, {u} with its unit, {s} a share."""
    parts = []
    for name, form in forms.items():
        value = run.metrics.get(name)
        if value is not None:
            with_unit = f"{figure(value)} {run.units.get(name, '')}".strip()
            parts.append(form.format(figure(value), u=with_unit, s=_share(value)))
    return ", ".join(parts)


def run_lines(run: "Run") -> List[List[str]]:
    """At most ten pairs of a word and what the run has of it."""
    rows = [["system", run.system],
            ["time", _listed(run, {"time_ms": "{u}"})],
            ["bound by", run.bound],
            ["doubtful", "; ".join(run.doubts)],
            ["cores", _listed(run, {"instructions": "{} instructions", "cpi": "CPI {}", "ipc": "IPC {}",
                                    "mlp": "{} lines in flight"})],
            ["loads", _listed(run, {"load.mean_ns": "mean {u}", "load.p99_ns": "p99 {u}"})],
            ["hits", _listed(run, {level + ".hit_rate": level + " {s}" for level in _LEVELS})],
            ["memory", _listed(run, {"mem.gb_s": "{u}", "mem.utilisation": "{s} of peak",
                                     "mem.row_hit_rate": "{s} row hits", "mem.latency_ns": "latency {u}"})],
            ["energy", _listed(run, {"energy.total_mj": "{u}", "mem.energy_mj": "DRAM {u}",
                                     "energy.sram_mj": "SRAMs {u}"})],
            ["more", f"{len(run.metrics)} metrics"
             + (f", {len(run.kernels)} kernels" if run.kernels is not None else "")
             + (", a recording" if run.recording is not None else "")]]
    return [row for row in rows if row[1]]


def table_html(table: Table, rows: int = SHOWN_ROWS) -> str:
    """The first rows; units stand below the names."""
    def cell(value: Optional[Value], tag: str = "td") -> str:
        return f"<{tag}>{html.escape(figure(value))}</{tag}>"

    names = list(table.columns)
    head = "".join(f"<th>{html.escape(name)}" + (f"<br><small>{html.escape(table.units[name])}</small>"
                                                  if name in table.units else "") + "</th>" for name in names)
    body = "".join("<tr>" + "".join(cell(table.columns[name][i]) for name in names) + "</tr>"
                   for i in range(min(rows, len(table))))
    more = f"<p>{len(table)} rows, of which {rows} are shown</p>" if len(table) > rows else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def pairs_html(rows: List[List[str]]) -> str:
    """A word and a text in each row."""
    return "<table><tbody>" + "".join(f"<tr><th>{html.escape(word)}</th><td>{html.escape(text)}</td></tr>"
                                      for word, text in rows) + "</tbody></table>"
