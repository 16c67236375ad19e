"""One replay: the command runs, and all that it says of the run comes back."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Iterable, List, Mapping, Optional, Tuple, Union

from .command import PathLike, run_command
from .recordings import Recording, read_recording
from .results import metric_units
from .shown import pairs_html, run_lines
from .statistics import json_blocks, read_statistics
from .table import Table, Value
from .words import Words, paths_of, plain, words_of

Setting = Union[str, int, float, bool, PathLike]
Count = Union[int, str]


@dataclass(frozen=True, repr=False)
class Run:
    """What came of a replay. print(run) says the most important of it in ten lines at most.

    Attributes:
        system: its name.
        metrics: `time_ms`, `cpi`, `l1d.mpki`, ...: those that rubato.metrics() describes, of the whole run, of each
            core (`cpu1.cpi`) and of each memory. None: it has no value, such as a hit rate without accesses.
        units: of the metrics that have one.
        bound: what bounds the run, in words and with the figures.
        causes: the same for programs: cause and share of cycles, the largest first.
        doubts: reasons to doubt the result; empty: no known reason.
        statistics: a row; with `interval` one at the end of each, of all since the beginning (or the warm-up).
            Units are gem5's; those of a GPU alone have none.
        kernels: of a GPU alone: a row a kernel. Otherwise None.
        recording: what was sampled, if `every` was given. Otherwise None.
    """

    system: str
    metrics: Dict[str, Optional[float]]
    units: Dict[str, str]
    bound: str
    causes: List[Tuple[str, float]]
    doubts: List[str]
    statistics: Table
    kernels: Optional[Table] = None
    recording: Optional[Recording] = None

    def __repr__(self) -> str:
        return "\n".join(f"{word:<10}{text}" for word, text in run_lines(self))

    def _repr_html_(self) -> str:
        return pairs_html(run_lines(self))


def setting_text(value: Setting) -> str:
    """As --set takes it."""
    value = plain(value)
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def _options(settings: Optional[Mapping[str, Setting]], **options: Optional[Setting]) -> List[str]:
    words = [f"--set={key}={setting_text(value)}" for key, value in (settings or {}).items()]
    return words + [f"--{name}={setting_text(value)}" for name, value in options.items() if value is not None]


def _verdict(summary: Mapping[str, Any]) -> Tuple[str, List[Tuple[str, float]], List[str]]:
    verdict = summary.get("verdict", {})
    parts = [verdict[part] for part in ("cores", "gpu") if part in verdict]
    causes = [(cause["cause"], float(cause["share"])) for part in parts for cause in part.get("bounds", [])]
    return "; ".join(part["text"] for part in parts), causes, list(verdict.get("doubts", []))


def _kernels(blocks: List[Dict[str, Any]]) -> Optional[Table]:
    rows: List[Dict[str, Value]] = [kernel for block in blocks for kernel in block.get("kernels", [])]
    return Table.from_rows(rows) if rows else None


def replay(system: PathLike, traces: Union[PathLike, Iterable[PathLike]], *,
           settings: Optional[Mapping[str, Setting]] = None, model: Optional[str] = None,
           warmup: Optional[Count] = None, records: Optional[Count] = None, until: Optional[Count] = None,
           interval: Optional[str] = None, every: Optional[str] = None, options: Words = (),
           command: Optional[PathLike] = None, timeout: Optional[float] = None) -> Run:
    """Replays traces on a system, and waits for the end.

    Args:
        system: a YAML file, or the name of a shipped system (`rubato config`).
        traces: a folder, store or file, or several: one for each core.
        settings: keys of the system to change: {"l2.size": "512KiB", "l1d.mshrs": 8, "cpu.share": True}.
        model: "elastic", "window" or "detailed".
        warmup: statistics start after this number of completed records of each core: a number, or "100k".
        records: stop after this number of completed records of each core, likewise.
        until: stop after this tick, ps, or this time, as "20us".
        interval: a row of statistics for each such time, as "10us".
        every: record a sample of each component each such time, as "10us".
        options: further options of `rubato replay`: a list of words, or one text as on a command line.
        command: the program; see find_command.
        timeout: seconds after which it is ended.

    Raises:
        RubatoError: with the command's message and exit code.
    """
    paths = paths_of(traces)
    with tempfile.TemporaryDirectory(prefix="rubato-") as name:
        folder = Path(name)
        given = _options(settings, model=model, warmup=warmup, records=records, until=until, interval=interval,
                         every=every)
        files = [f"--summary={folder / 'summary.json'}", f"--stats={folder / 'stats.json'}",
                 f"--stats={folder / 'stats.txt'}"]
        if every is not None:
            files.append(f"--record={folder / 'run.samples'}")
        words = ["--quiet", *given, *files, *words_of(options)]
        run_command(["replay", system, *paths, *words], command=command, timeout=timeout)
        summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
        kernels = _kernels(json_blocks(folder / "stats.json"))
        bound, causes, doubts = _verdict(summary)
        metrics: Dict[str, Optional[float]] = summary["metrics"]
        statistics = read_statistics(folder / "stats.json")
        if kernels is None:
            statistics = Table(statistics.columns, read_statistics(folder / "stats.txt").units)
        return Run(summary["system"], metrics, metric_units(metrics, command), bound, causes, doubts, statistics,
                   kernels, None if every is None else read_recording(folder / "run.samples", command=command))
