"""The command `rubato`: where it is, how it is called, and what it says when something is wrong."""

from __future__ import annotations

import os
import queue
import shutil
import subprocess
import tempfile
import threading
import time
import warnings
from pathlib import Path
from typing import Callable, List, Optional, Sequence, Union

PathLike = Union[str, "os.PathLike[str]"]

_PREFIX = "rubato: "
_WARNING = _PREFIX + "warning: "
_NOTE = _PREFIX + "note: "


class RubatoError(Exception):
    """The command could not do what it was asked for, or is not there.

    Attributes:
        message: what it said, without "rubato: "; it names the file, the place and how to mend it.
        exit_code: 1 a comparison differs, 2 wrong usage or input, 3 the replay failed, or points did; negative:
            the number of the signal that ended it; None: it did not run.
        arguments: as it was called; empty if it did not run.
    """

    def __init__(self, message: str, exit_code: Optional[int] = None, arguments: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.exit_code = exit_code
        self.arguments: List[str] = list(arguments)


class RubatoWarning(UserWarning):
    """What the command warns of: the run goes on, but something in its input is odd."""


def find_command(command: Optional[PathLike] = None) -> Path:
    """The program to run: `command`, else the environment variable RUBATO, else what PATH has.

    Raises:
        RubatoError: none of them is a program that may be executed; exit_code is None.
    """
    for name, origin in ((command, "the argument command"), (os.environ.get("RUBATO"), "the variable RUBATO")):
        if name:
            found = shutil.which(os.fspath(name))
            if not found:
                raise RubatoError(f"{os.fspath(name)}: is no program ({origin} names it); `make` in rubato's folder "
                                  "builds ./rubato")
            return Path(found).resolve()
    found = shutil.which("rubato")
    if not found:
        raise RubatoError("rubato is not in PATH; give command=, set the variable RUBATO, or run `make install`")
    return Path(found).resolve()


def _said(stderr: str) -> str:
    """The errors among what it said; all of it, if no line is marked as one."""
    errors = [line[len(_PREFIX):] for line in stderr.splitlines()
              if line.startswith(_PREFIX) and not line.startswith((_WARNING, _NOTE))]
    return "\n".join(errors) or stderr.strip()


def _followed(words: Sequence[str], timeout: Optional[float],
              heard: Callable[[str], None]) -> "subprocess.CompletedProcess[str]":
    """As subprocess.run does it; lines of stderr are heard as they are said, by this thread."""
    end = None if timeout is None else time.monotonic() + timeout
    lines: "queue.Queue[Optional[str]]" = queue.Queue()
    said: List[str] = []
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="backslashreplace") as output, subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.PIPE, text=True, encoding="utf-8",
            errors="backslashreplace") as process:
        def read() -> None:
            for line in process.stderr or ():
                lines.put(line)
            lines.put(None)

        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        try:
            while True:
                line = lines.get(timeout=None if end is None else max(end - time.monotonic(), 0))
                if line is None:
                    break
                said.append(line)
                heard(line)
            process.wait(None if end is None else max(end - time.monotonic(), 0))
        except queue.Empty:
            process.terminate()
            raise subprocess.TimeoutExpired(list(words), timeout or 0) from None
        except BaseException:
            process.terminate()
            raise
        finally:
            reader.join()
        output.seek(0)
        return subprocess.CompletedProcess(list(words), process.returncode, output.read(), "".join(said))


def run_command(arguments: Sequence[PathLike], *, command: Optional[PathLike] = None, timeout: Optional[float] = None,
                allowed: Sequence[int] = (0,), heard: Optional[Callable[[str], None]] = None) -> str:
    """Runs `rubato ARGUMENTS` to its end; the answer is what it printed.

    Args:
        arguments: the first is the command's name, such as "results".
        timeout: seconds after which it is ended; None: never.
        allowed: exit codes that are no error. What was said then is a RubatoWarning, as its warnings are.
        heard: called with each line of stderr as soon as it is there. What it raises ends the command.

    Raises:
        RubatoError: any other exit code, or the time is over.
    """
    words = [os.fspath(find_command(command)), *(os.fspath(argument) for argument in arguments)]
    try:
        if heard:
            done = _followed(words, timeout, heard)
        else:
            done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout, check=False,
                                  text=True, encoding="utf-8", errors="backslashreplace")
    except subprocess.TimeoutExpired as expired:
        raise RubatoError(f"rubato {words[1]}: was ended after {timeout:g} seconds", None, words) from expired
    except OSError as error:
        raise RubatoError(f"{words[0]}: cannot be executed: {error.strerror}", None, words) from error
    if done.returncode not in allowed:
        said = _said(done.stderr)
        raise RubatoError(said or f"rubato {words[1]}: ended with exit code {done.returncode}", done.returncode, words)
    for line in done.stderr.splitlines():
        if line.startswith(_WARNING):
            warnings.warn(line[len(_WARNING):], RubatoWarning, stacklevel=3)
    if done.returncode != 0:
        warnings.warn(_said(done.stderr), RubatoWarning, stacklevel=3)
    return done.stdout


def version(command: Optional[PathLike] = None) -> str:
    """The version that `rubato --version` says, such as "0.1.0"."""
    return run_command(["--version"], command=command).split()[1]
