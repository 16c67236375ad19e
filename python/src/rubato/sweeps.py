"""Sweeps: many systems, all cores of the host."""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from .command import PathLike, RubatoError, run_command
from .results import Results
from .table import Value
from .words import Names, Words, names_of, plain, words_of

_FAILED_POINTS = 3
_PROGRESS = re.compile(r"^(\d+) of (\d+) points, (\d+) failed")
_BAR = 30


@dataclass(frozen=True)
class Progress:
    """How far a sweep is: points that are done or failed, all points, those that failed."""

    ended: int
    points: int
    failed: int
    text: str


Listener = Callable[[Progress], object]


def _absolute(value: Any) -> Any:
    """Names of files that are there, and lists of them, as absolute ones: the sweep's own file lies elsewhere."""
    if isinstance(value, os.PathLike):
        return os.path.abspath(os.fspath(value))
    if isinstance(value, str):
        return os.path.abspath(value) if os.path.exists(value) else value
    if isinstance(value, (list, tuple)):
        return [_absolute(member) for member in value]
    if isinstance(value, Mapping):
        return {key: _absolute(member) if key in ("traces", "instructions") else member
                for key, member in value.items()}
    return value


def _spec_text(spec: Mapping[str, Any]) -> str:
    """As YAML, of which JSON is a part."""
    whole: Dict[str, Any] = {key: _absolute(value) if key in ("system", "traces") else value
                             for key, value in plain(spec).items()}
    return json.dumps(whole, indent=1)


@contextlib.contextmanager
def _spec_file(spec: Union[PathLike, Mapping[str, Any]]) -> Iterator[PathLike]:
    """A file that says it, while the context lasts."""
    if not isinstance(spec, Mapping):
        yield spec
        return
    with tempfile.TemporaryDirectory(prefix="rubato-") as folder:
        file = Path(folder) / "sweep.yaml"
        file.write_text(_spec_text(spec), encoding="utf-8")
        yield file


def _show_bar(progress: Progress) -> None:
    filled = _BAR * progress.ended // max(progress.points, 1)
    end = "\n" if progress.ended >= progress.points else ""
    sys.stderr.write(f"\r[{'#' * filled}{'.' * (_BAR - filled)}] {progress.text:<60}{end}")
    sys.stderr.flush()


def _is_notebook() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"


def _listener(progress: Union[bool, Listener, None]) -> Optional[Listener]:
    if progress is None:
        progress = sys.stderr.isatty() or _is_notebook()
    return (_show_bar if progress else None) if isinstance(progress, bool) else progress


def _heard(listener: Listener) -> Callable[[str], None]:
    def hear(line: str) -> None:
        found = _PROGRESS.match(line)
        if found:
            ended, points, failed = (int(number) for number in found.groups())
            listener(Progress(ended, points, failed, line.strip()))

    return hear


def sweep(spec: Union[PathLike, Mapping[str, Any]], output: PathLike, *, jobs: Optional[int] = None,
          retry: bool = False, failures: bool = False, progress: Union[bool, Listener, None] = None,
          options: Words = (), command: Optional[PathLike] = None, timeout: Optional[float] = None) -> Results:
    """Runs a sweep to its end. Points that `output` has already are not run again, so a second call costs nothing.

    Args:
        spec: a sweep's file, or what would stand in one: {"system": "wide", "traces": ["a.pack"], "axes": {"l2.size":
            ["256KiB", "1MiB"]}}; paths in it, texts or Paths, are as seen from the working folder, numbers may be
            numpy's.
        output: the file of results.
        jobs: workers; None: one a core of the host.
        retry: run points again that failed.
        failures: points that fail are a RubatoWarning, and no error.
        progress: a bar on stderr, or none; a function is called with a Progress instead, from time to time. None: a
            bar on a terminal and in a notebook.
        options: further options of `rubato sweep`: a list of words, or one text as on a command line.
        timeout: seconds after which it is ended; finished points are kept.

    Raises:
        RubatoError: with the command's message and exit code; 3: points failed, and the others are there.
    """
    listener = _listener(progress)
    words: List[PathLike] = ["-o", output]
    words += ["--progress=200ms"] if listener else []
    words += words_of(options)
    words += [f"--jobs={plain(jobs)}"] if jobs is not None else []
    words += ["--retry"] if retry else []
    with _spec_file(spec) as file:
        run_command(["sweep", file, *words], command=command, timeout=timeout,
                    allowed=(0, _FAILED_POINTS) if failures else (0,), heard=_heard(listener) if listener else None)
    results = Results(Path(output), command)
    if listener:
        states = results.states()
        ended, points = sum(states.values()) - states.get("to do", 0), sum(states.values())
        listener(Progress(ended, points, states.get("failed", 0), f"{ended} of {points} points, "
                                                                  f"{states.get('failed', 0)} failed"))
    return results


Design = Mapping[str, Any]
_Key = Tuple[str, ...]


class Sweep:
    """A sweep of which the caller chooses the designs: a search by any optimiser that can be asked and told.

    A design has a value of each axis: {"l2.size": "1MiB", "l1d.mshrs": "8"}. Its result is in `output`, a sweep's file
    that lists all designs so far, and is not run again, so a search that is started again costs nothing up to where it
    was.

        space = rubato.Sweep("configs/sweep/first.yaml", "found.db")
        trial = study.ask()                                            # Optuna's study
        design = {axis: trial.suggest_categorical(axis, values) for axis, values in space.axes.items()}
        study.tell(trial, space.evaluate([design], "time_ms")[0])

    Attributes:
        axes: the values of each axis, as the sweep's file has them; of axes that vary together (zip) the first one;
            "system" if there are several.
        results: of the designs so far; its file is there once a design was run.
        designs: those, in the order in which they were run first.
    """

    def __init__(self, spec: Union[PathLike, Mapping[str, Any]], output: PathLike, *, jobs: Optional[int] = None,
                 options: Words = (), command: Optional[PathLike] = None) -> None:
        """As for sweep(). Raises RubatoError: the file is none of a sweep."""
        self._spec = dict(plain(spec)) if isinstance(spec, Mapping) else spec
        self._jobs, self._options, self._command = jobs, words_of(options), command
        with _spec_file(self._spec) as file:
            said = json.loads(run_command(["sweep", file, "--axes"], command=command))
        self._traces: List[str] = said["traces"]
        self.axes: Dict[str, List[str]] = {"system": said["system"]} if len(said["system"]) > 1 else {}
        groups: Dict[int, List[Dict[str, Any]]] = {}
        for axis in said["axes"]:
            groups.setdefault(axis["group"], []).append(axis)
        for group in groups.values():
            first = max(group, key=lambda axis: len(set(axis["values"])))
            self.axes[first["axis"]] = first["values"]
        self.results = Results(Path(output), command)
        self.designs: List[Dict[str, str]] = []
        if self.results.path.is_file():
            self._points(take=True)

    def _key(self, design: Design) -> _Key:
        unknown = [name for name in design if name not in self.axes]
        missing = [name for name in self.axes if name not in design]
        if unknown or missing:
            raise RubatoError(f"a design has {unknown[0]}, which is no axis" if unknown
                              else f"a design has no value of {missing[0]}; the axes are {', '.join(self.axes)}")
        return tuple(_text(design[name], self.axes[name]) for name in self.axes)

    def _points(self, take: bool = False) -> Dict[_Key, List[int]]:
        """The numbers of the points of each design that the results list."""
        found: Dict[_Key, List[int]] = {}
        for number, values in self.results.chosen().items():
            key = tuple(values.get(name, "") for name in self.axes)
            found.setdefault(key, []).append(number)
        if take:
            self.designs = [dict(zip(self.axes, key)) for key in found
                            if all(value in self.axes[name] for name, value in zip(self.axes, key))]
        return found

    def run(self, designs: Iterable[Design]) -> Results:
        """Runs those that were not run before, on all workers. Raises RubatoError; points that fail are in the
        results."""
        known = {tuple(design[name] for name in self.axes) for design in self.designs}
        whole = list(self.designs)
        for design in designs:
            key = self._key(design)
            if key not in known:
                known.add(key)
                whole.append(dict(zip(self.axes, key)))
        if len(whole) > len(self.designs):
            with tempfile.TemporaryDirectory(prefix="rubato-") as folder:
                file = Path(folder) / "designs.tsv"
                lines = ["\t".join(self.axes)] + ["\t".join(design.values()) for design in whole]
                file.write_text("\n".join(lines) + "\n", encoding="utf-8")
                _quietly(self._spec, self.results.path, self._jobs, ["--designs", os.fspath(file), *self._options],
                         self._command)
            self.designs = whole
        return self.results

    def evaluate(self, designs: Iterable[Design], objectives: Names) -> List[Optional[Tuple[float, ...]]]:
        """Runs designs, and says each metric of each: of several traces the geometric mean. None: a point of the design
        failed, has no such figure, or is skipped by the sweep's file.

        Raises RubatoError: there is no such metric or axis, or the sweep cannot run.
        """
        wanted, chosen = names_of(objectives), list(designs)
        keys = [self._key(design) for design in chosen]
        rows = {row["point"]: row for row in self.run(chosen).table(["point", *wanted])} if keys else {}
        points = self._points()
        return [self._figures([rows[number] for number in points.get(key, [])], wanted) for key in keys]

    def _figures(self, rows: Sequence[Mapping[str, Value]], names: Sequence[str]) -> Optional[Tuple[float, ...]]:
        figures: List[float] = []
        for name in names:
            values = [row[name] for row in rows]
            numbers = [float(value) for value in values if isinstance(value, (int, float))]
            if len(numbers) < len(self._traces):
                return None
            figures.append(numbers[0] if len(numbers) == 1 else _mean(numbers))
        return tuple(figures)


def _mean(numbers: Sequence[float]) -> float:
    """Geometric, of numbers above 0; otherwise that of the numbers themselves."""
    if min(numbers) > 0:
        return math.exp(sum(map(math.log, numbers)) / len(numbers))
    return sum(numbers) / len(numbers)


def _text(value: Any, values: Sequence[str]) -> str:
    """A value of an axis as the sweep's file has it: 8 is "8", True is "yes"."""
    value = plain(value)
    text = ("yes" if value else "no") if isinstance(value, bool) else str(value)
    if text not in values:
        raise RubatoError(f"{text}: is no value of that axis, which has {', '.join(values[:8])}"
                          + (", ..." if len(values) > 8 else ""))
    return text


def _quietly(spec: Union[PathLike, Mapping[str, Any]], output: PathLike, jobs: Optional[int], options: Sequence[str],
             command: Optional[PathLike]) -> None:
    """Points that fail are no error."""
    try:
        sweep(spec, output, jobs=jobs, progress=False, options=options, command=command)
    except RubatoError as error:
        if error.exit_code != _FAILED_POINTS:
            raise
