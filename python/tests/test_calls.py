"""Calls with the types that people pass: text or Path, one name or several, a list, a tuple, one text with commas, a
generator, numbers and arrays of numpy, frames of pandas. Each public function is here."""

import inspect
import io
import os
import re
from pathlib import Path

import rubato
from rubato.words import names_of, paths_of, plain, words_of
from support import ROOT, SPEC, TRIAD, WithFolder, has, small_sweep


class Number:
    """What numpy's scalars and arrays have, without numpy."""

    def __init__(self, value):
        self.value = value

    def item(self):
        return self.value

    def tolist(self):
        return self.value


def arrays():
    """Ways to write the numbers 2 and 8, and a whole number 2."""
    yield [2, 8], 2
    yield (2, 8), 2
    yield range(2, 9, 6), 2
    yield Number([2, 8]), Number(2)
    if has("numpy"):
        import numpy
        yield numpy.array([2, 8]), numpy.int64(2)
    if has("pandas"):
        import pandas
        yield pandas.Series([2, 8]), pandas.Series([2])[0]


def lists(*names):
    yield list(names)
    yield tuple(names)
    yield (name for name in names)
    yield ",".join(names)
    yield ", ".join(names)
    if has("numpy"):
        import numpy
        yield numpy.array(names)


class WordsTest(WithFolder):
    def test_what_is_plain(self):
        self.assertEqual(plain({"a": Number(3), "b": (Path("x"), Number([1, 2]))}), {"a": 3, "b": ["x", [1, 2]]})
        self.assertEqual(names_of(None), [])
        self.assertEqual(words_of("--no-cache --set 'a b=1'"), ["--no-cache", "--set", "a b=1"])
        self.assertEqual(words_of(["--commands", Path("x")]), ["--commands", "x"])
        self.assertEqual(paths_of(Path("a b,c")), ["a b,c"])
        with self.assertRaisesRegex(TypeError, "expected a text, a number"):
            plain({"a": object()})


class ResultsCallsTest(WithFolder):
    @classmethod
    def setUpClass(cls):
        cls.results = small_sweep()

    def test_a_file_is_a_text_or_a_path_or_relative(self):
        name = str(self.results.path)
        for path in (name, Path(name), os.path.relpath(name)):
            for results in (rubato.Results(path), rubato.Results(path=path), rubato.Results(path, None)):
                self.assertEqual(len(results.table()), 8)
                self.assertEqual(results.axes, ["l1d.mshrs", "l2.size", "l2.prefetcher"])
        self.assertEqual(rubato.Results(name), rubato.Results(Path(name)))
        with self.assertRaisesRegex(rubato.RubatoError, "nothing.db: there is no such file"):
            rubato.Results("nothing.db").table()

    def test_columns(self):
        for columns in lists("point", "time_ms"):
            self.assertEqual(list(self.results.table(columns).columns), ["point", "time_ms"])
        self.assertEqual(list(self.results.table("time_ms").columns), ["time_ms"])

    def test_conditions(self):
        for where in ("l1d.mshrs == 8", ["l1d.mshrs == 8"], ("l1d.mshrs == 8",), (one for one in ["l1d.mshrs == 8"])):
            self.assertEqual(len(self.results.table(where=where)), 4)
        self.assertEqual(len(self.results.table(where=["l1d.mshrs == 8", "l2.prefetcher == stream"])), 2)
        self.assertEqual(len(self.results.table(where=None)), 8)

    def test_numbers(self):
        for _, two in arrays():
            self.assertEqual(len(self.results.table("point", limit=two)), 2)
            self.assertEqual(len(self.results.table("point,speedup", baseline=two)), 8)


class SweepCallsTest(WithFolder):
    def test_axes_are_lists_of_any_kind(self):
        for values, _ in arrays():
            results = rubato.sweep({**SPEC, "axes": {"l1d.mshrs": values}}, str(self.folder / "a.db"), jobs=1)
            self.assertEqual(results.table("l1d.mshrs", sort="l1d.mshrs")["l1d.mshrs"], [2, 8])

    def test_paths_are_texts_or_paths(self):
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(TRIAD.parent)
        base = {"axes": {"l1d.mshrs": [4]}}
        for i, traces in enumerate((TRIAD, str(TRIAD), "triad", Path("triad"), [Path("triad")], (Path("triad"),),
                                    {"name": "t", "traces": Path("triad")}, [{"name": "t", "traces": ["triad"]}])):
            output = self.folder / f"{i}.db"
            results = rubato.sweep({**base, "system": "default", "traces": traces}, output if i % 2 else str(output))
            self.assertEqual(results.table()["state"], ["done"])
        system = self.write("own.yaml", "include: default\n")
        results = rubato.sweep({**base, "system": system, "traces": TRIAD}, self.folder / "o.db")
        self.assertEqual(results.table()["state"], ["done"])

    def test_options_are_a_text_or_a_list(self):
        spec = {**SPEC, "axes": {"l1d.mshrs": [4]}}
        for options in ("--no-cache --jobs 1", ["--no-cache", "--jobs", "1"], ("--no-cache", "--jobs=1")):
            self.assertEqual(len(rubato.sweep(spec, self.folder / "a.db", options=options).table()), 1)


class ReplayCallsTest(WithFolder):
    def time(self, *arguments, **options):
        return rubato.replay(*arguments, **options).metrics["time_ms"]

    def test_systems_and_traces(self):
        system = self.write("own.yaml", "include: default\n")
        for traces in (TRIAD, str(TRIAD), [TRIAD], (str(TRIAD),), (path for path in [TRIAD])):
            self.assertEqual(self.time("default", traces), 0.101773)
        for one in (system, str(system)):
            self.assertEqual(self.time(one, TRIAD), 0.101773)

    def test_settings_options_and_counts(self):
        for value in (8, "8", Number(8)):
            self.assertEqual(self.time("default", TRIAD, settings={"l1d.mshrs": value}),
                             self.time("default", TRIAD, options=["--set", "l1d.mshrs=8"]))
        for value in (True, "yes", Number(True)):
            self.assertGreater(self.time("default", TRIAD, settings={"exit_first_core": value}), 0)
        for options in ("--no-cache --engine plain", ["--no-cache", "--engine", "plain"], ("--no-cache",)):
            self.assertEqual(self.time("default", TRIAD, options=options), 0.101773)
        few = self.time("default", TRIAD, records=1000)
        for records in ("1000", "1k", Number(1000)):
            self.assertEqual(self.time("default", TRIAD, records=records), few)
        self.assertEqual(self.time("default", TRIAD, until="20us"), self.time("default", TRIAD, until=20000000))

    def test_what_it_writes_is_read_by_text_and_path(self):
        for ending in ("json", "csv", "txt"):
            run = rubato.replay("default", TRIAD, options=f"--stats {self.folder}/s.{ending}")
        rubato.replay("default", TRIAD, options=["--every=20us", "--record", self.folder / "r.samples"])
        for name in ("s.json", "s.csv", "s.txt"):
            for path in (self.folder / name, str(self.folder / name)):
                self.assertEqual(rubato.read_statistics(path)["simTicks"], run.statistics["simTicks"])
        for path in (self.folder / "r.samples", str(self.folder / "r.samples")):
            self.assertGreater(len(rubato.read_recording(path).rates()), 2)


class TableCallsTest(WithFolder):
    def test_columns_of_any_kind(self):
        for values, two in arrays():
            table = rubato.Table({"n": values, "m": [1, two]})
            self.assertEqual(table["n"], [2, 8])
            self.assertEqual([type(value) for value in table["n"] + table["m"]], [int] * 4)
        with self.assertRaisesRegex(ValueError, "n: a column is a list of values"):
            rubato.Table({"n": "text"})

    def test_select_and_csv(self):
        table = rubato.Table({"a": [1], "b": [2], "c": [3], "x,y": [4]})
        for names in (("a", "b"), (["a", "b"],), ("a,b",), (("a", "b"),), ("a", ["b"])):
            self.assertEqual(list(table.select(*names).columns), ["a", "b"])
        self.assertEqual(list(table.select("x,y").columns), ["x,y"])
        path = self.write("t.csv", "a,b\n1,x\n")
        for source in (path, str(path), io.StringIO("a,b\n1,x\n")):
            self.assertEqual(rubato.Table.from_csv(source).rows(), [{"a": 1, "b": "x"}])


class ViewsCallsTest(WithFolder):
    def setUp(self):
        super().setUp()
        self.columns = {"traces": ["slow", "slow", "fast", "fast"], "size": [1, 2, 1, 2], "kind": ["a", "b", "a", "b"],
                        "time": [90.0, 80.0, 3.0, 2.0]}
        self.table = rubato.Table(self.columns, {"time": "ms"})

    def tables(self):
        yield self.table
        yield self.columns
        yield self.table.rows()
        if has("pandas"):
            yield self.table.frame()

    def test_a_front_is_of_one_workload(self):
        for table in self.tables():
            self.assertEqual(rubato.pareto(table, "size", "time")["time"], [90.0, 80.0, 3.0, 2.0])
            self.assertEqual(rubato.pareto(table, "size", "time", by=None)["time"], [3.0, 2.0])
        for higher in lists("size", "kind"):
            self.assertEqual(rubato.pareto(self.table, "size", "time", higher=higher)["time"], [80.0, 2.0])
        self.assertEqual(rubato.pareto(self.table, "size", "time", by="traces,kind")["time"], [90.0, 80.0, 3.0, 2.0])
        with self.assertRaises(KeyError):
            rubato.pareto(self.table, "size", "time", by="nothing")

    def test_effects_are_of_one_workload(self):
        for table in self.tables():
            for axes in ("kind", ["kind"], ("kind",)):
                found = rubato.effects(table, "time", axes)
                self.assertEqual([(row["traces"], row["value"], row["mean"]) for row in found],
                                 [("slow", "a", 90.0), ("slow", "b", 80.0), ("fast", "a", 3.0), ("fast", "b", 2.0)])
        self.assertEqual([row["mean"] for row in rubato.effects(self.table, "time", "kind", by=None)], [46.5, 41.0])
        for axes in lists("size", "kind"):
            self.assertEqual(len(rubato.effects(self.table, "time", axes)), 8)
        one = self.table.where(lambda row: row["traces"] == "slow")
        self.assertNotIn("traces", rubato.effects(one, "time", "kind"))

    def test_charts(self):
        if not has("matplotlib"):
            self.skipTest("there is no matplotlib")
        from matplotlib import pyplot

        from rubato import plot

        for names in lists("kind", "size"):
            axes = plot.plot_pareto(self.table, "size", "time", names=names)
            self.assertEqual([line.get_label() for line in axes.lines],
                             ["slow: front of 2 points", "fast: front of 2 points"])
            self.whole(axes)
        table = rubato.Table({"a_long_name_of_an_axis.with.points": ["value_of_some_length", "b"] * 2, **self.columns})
        for keys in (["a_long_name_of_an_axis.with.points", "kind"], "a_long_name_of_an_axis.with.points,kind"):
            axes = plot.plot_effects(table, "time", keys)
            self.assertEqual(len(axes.get_xticklabels()), 4)
            self.assertEqual([text.get_text() for text in axes.get_legend().get_texts()], ["slow", "fast"])
            self.whole(axes)
        pyplot.close("all")

    def whole(self, axes):
        """All of the text lies in the figure."""
        axes.figure.savefig(self.folder / "x.png")
        width, height = axes.figure.canvas.get_width_height()
        left, right = axes.get_xlim()
        for text in [*axes.get_xticklabels(), *axes.texts, axes.xaxis.label, axes.yaxis.label]:
            box = text.get_window_extent()
            is_tick = text in axes.get_xticklabels()
            if text.get_text() and not (is_tick and not left <= text.get_position()[0] <= right):
                self.assertTrue(box.x0 >= -1 and box.y0 >= -1 and box.x1 <= width + 1 and box.y1 <= height + 1,
                                f"{text.get_text()}: {box} of {width}x{height}")


class CompletenessTest(WithFolder):
    def test_every_public_function_is_called_here(self):
        here = inspect.getsource(inspect.getmodule(CompletenessTest))
        for name in rubato.__all__:
            if inspect.isfunction(getattr(rubato, name)) and name not in ("version", "find_command", "metrics"):
                self.assertIn(f"rubato.{name}(", here)

    def test_calls_of_documents_have_arguments_that_there_are(self):
        """The calls in running text: `rubato.read_statistics(FILE)`; sessions are run by test_document.py."""
        for document in ("docs/python.md", "python/README.md", "README.md", "docs/sweeps.md", "docs/report.md"):
            for call in re.findall(r"`(?:rubato\.)(\w+)\(", (ROOT / document).read_text("utf-8")):
                self.assertTrue(callable(getattr(rubato, call)), f"{document}: rubato.{call}")

    def test_the_example_of_the_package_runs(self):
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(self.folder)
        for name in ("tests", "configs"):
            os.symlink(ROOT / name, name)
        lines = [line[4:] for line in (rubato.__doc__ or "").splitlines() if line.startswith("    ")]
        code = "\n".join(line for line in lines if has("pandas") or ".frame()" not in line)
        code = code.replace("configs/sweep/first.yaml", "small.yaml")
        (self.folder / "small.yaml").write_text("system: wide\ntraces: {name: triad, traces: tests/traces/triad}\n"
                                                "axes: {l1d.mshrs: [4]}\n", encoding="utf-8")
        names = {}
        exec(compile(code, "rubato/__init__.py", "exec"), names)    # pylint: disable=exec-used
        self.assertEqual(len(names["results"].table()), 1)
