"""Sweeps: many systems, all cores of the host."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Union

from .command import PathLike, run_command
from .results import Results
from .words import Words, plain, words_of

_FAILED_POINTS = 3


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


def sweep(spec: Union[PathLike, Mapping[str, Any]], output: PathLike, *, jobs: Optional[int] = None,
          retry: bool = False, failures: bool = False, options: Words = (), command: Optional[PathLike] = None,
          timeout: Optional[float] = None) -> Results:
    """Runs a sweep to its end. Points that `output` has already are not run again, so a second call costs nothing.

    Args:
        spec: a sweep's file, or what would stand in one: {"system": "wide", "traces": ["a.pack"], "axes": {"l2.size":
            ["256KiB", "1MiB"]}}; paths in it, texts or Paths, are as seen from the working folder, numbers may be
            numpy's.
        output: the file of results.
        jobs: workers; None: one a core of the host.
        retry: run points again that failed.
        failures: points that fail are a RubatoWarning, and no error.
        options: further options of `rubato sweep`: a list of words, or one text as on a command line.
        timeout: seconds after which it is ended; finished points are kept.

    Raises:
        RubatoError: with the command's message and exit code; 3: points failed, and the others are there.
    """
    words: List[PathLike] = ["-o", output, *words_of(options)]
    words += [f"--jobs={plain(jobs)}"] if jobs is not None else []
    words += ["--retry"] if retry else []
    allowed = (0, _FAILED_POINTS) if failures else (0,)
    if not isinstance(spec, Mapping):
        run_command(["sweep", spec, *words], command=command, timeout=timeout, allowed=allowed)
    else:
        with tempfile.TemporaryDirectory(prefix="rubato-") as folder:
            file = Path(folder) / "sweep.yaml"
            file.write_text(_spec_text(spec), encoding="utf-8")
            run_command(["sweep", file, *words], command=command, timeout=timeout, allowed=allowed)
    return Results(Path(output), command)
