"""Runs all tests of this folder, and says each as a line `ok NAME`, `not ok NAME` or `skip NAME: why`.

python3 python/tests [PATTERN...]: those whose names have one of the patterns in them, and none that is written
-PATTERN. The package is the one that can be imported, else the one of the sources. RUBATO names the
command; without it, ./rubato of the repository.
"""

import os
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


class Lines(unittest.TestResult):
    """Prints results as they come."""

    def __init__(self) -> None:
        super().__init__()
        self.label = os.environ.get("LABEL", f"python {sys.version_info[0]}.{sys.version_info[1]}")

    def say(self, word, test, why=""):
        name = test.id() if hasattr(test, "id") else str(test)
        print(f"{word} {self.label}: {name}{': ' + why if why else ''}", flush=True)

    def addSuccess(self, test):
        self.say("ok", test)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.say("skip", test, reason)

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.say("not ok", test)
        print("".join(f"    {line}\n" for line in self.failures[-1][1].splitlines()[-12:]), end="", flush=True)

    def addError(self, test, error):
        super().addError(test, error)
        self.say("not ok", test)
        print("".join(f"    {line}\n" for line in self.errors[-1][1].splitlines()[-12:]), end="", flush=True)

    def addSubTest(self, test, subtest, outcome):
        super().addSubTest(test, subtest, outcome)
        if outcome is not None:
            self.say("not ok", subtest)
            print("".join(f"    {line}\n" for line in (self.failures + self.errors)[-1][1].splitlines()[-12:]), end="",
                  flush=True)


def is_chosen(name, patterns):
    wanted = [pattern for pattern in patterns if not pattern.startswith("-")]
    unwanted = [pattern[1:] for pattern in patterns if pattern.startswith("-")]
    return ((not wanted or any(pattern in name for pattern in wanted))
            and not any(pattern in name for pattern in unwanted))


def chosen(suite, patterns):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from chosen(test, patterns)
        elif is_chosen(test.id(), patterns):
            yield test


def main() -> int:
    sys.path.insert(0, str(HERE))
    try:
        import rubato    # noqa: F401
    except ImportError:
        sys.path.insert(0, str(ROOT / "python" / "src"))
    os.environ.setdefault("RUBATO", str(ROOT / "rubato"))
    os.environ.setdefault("MPLBACKEND", "Agg")
    result = Lines()
    unittest.TestSuite(chosen(unittest.defaultTestLoader.discover(str(HERE)), sys.argv[1:])).run(result)
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
