"""What the tests share: the repository, bundled traces, a small sweep, programs that pretend to be the command."""

import importlib.util
import os
import stat
import tempfile
import unittest
from pathlib import Path

import rubato

ROOT = Path(__file__).resolve().parent.parent.parent
TRIAD = ROOT / "tests" / "traces" / "triad"


def has(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def pretender(folder: str, script: str) -> str:
    """A program in that folder that is a shell script."""
    path = Path(folder) / "pretender"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


class WithFolder(unittest.TestCase):
    """Has a folder of its own."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="rubato-test.")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path


_kept = tempfile.TemporaryDirectory(prefix="rubato-test.")
SPEC = {"system": "default", "traces": [{"name": "triad", "traces": str(TRIAD)}],
        "axes": {"l1d.mshrs": [2, 8], "l2.size": ["512KiB", "2MiB"], "l2.prefetcher": ["none", "stream"]}}


def small_sweep() -> rubato.Results:
    """Eight points; run once, found again by those who ask later."""
    return rubato.sweep(SPEC, os.path.join(_kept.name, "small.db"))
