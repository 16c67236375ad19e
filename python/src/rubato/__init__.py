"""rubato: replays and sweeps of memory systems from Python, and their results as tables with units.

Everything runs by the command `rubato`, which must have been built: it is the argument `command`, the file that the
environment variable RUBATO names, or what PATH has. Its errors are a RubatoError with its message and its exit code.

    import rubato

    run = rubato.replay("default", "tests/traces/triad", settings={"l2.prefetcher": "stream"})
    run.metrics["time_ms"], run.bound

    results = rubato.sweep("configs/sweep/first.yaml", "first.db")
    frame = results.table(where="traces == triad").frame()    # pandas; frame.attrs["units"]

A Table needs nothing but Python; Table.frame() needs pandas, rubato.plot needs matplotlib.
"""

from .command import RubatoError, RubatoWarning, find_command, version
from .recordings import Field, Recording, read_recording
from .replays import Run, replay
from .results import Metric, Results, metrics
from .statistics import read_statistics
from .sweeps import Progress, Sweep, sweep
from .table import Table, Value
from .views import effects, pareto

__version__ = "0.1.0"

__all__ = ["Field", "Metric", "Progress", "Recording", "Results", "RubatoError", "RubatoWarning", "Run", "Sweep",
           "Table", "Value", "effects", "find_command", "metrics", "pareto", "read_recording", "read_statistics",
           "replay", "sweep", "version"]
