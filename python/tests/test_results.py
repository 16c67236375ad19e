import os
import unittest

import rubato
from support import SPEC, TRIAD, WithFolder, has, small_sweep


class ResultsTest(WithFolder):
    @classmethod
    def setUpClass(cls):
        cls.results = small_sweep()

    def test_the_usual_columns_are_axes_and_metrics(self):
        table = self.results.table()
        self.assertEqual(len(table), 8)
        self.assertEqual(list(table.columns)[:8], ["point", "system", "traces", "l1d.mshrs", "l2.size", "l2.prefetcher",
                                                   "state", "error"])
        self.assertEqual(self.results.axes, ["l1d.mshrs", "l2.size", "l2.prefetcher"])
        self.assertEqual(sorted(set(table["l2.size"])), [524288, 2097152])
        self.assertEqual(table["error"], [None] * 8)
        self.assertEqual(table.units["l2.size"], "bytes")
        self.assertEqual(table.units["time_ms"], "ms")
        self.assertIn("cpi", table)

    def test_a_point_is_what_a_replay_says(self):
        run = rubato.replay("default", TRIAD, settings={"l1d.mshrs": 8, "l2.prefetcher": "stream", "l2.size": "512KiB"},
                            options=["--no-cache"])
        table = self.results.table(where="l1d.mshrs == 8 and l2.size == 512KiB and l2.prefetcher == stream")
        self.assertEqual(len(table), 1)
        for name in ("time_ms", "cpi", "l2.mpki", "mem.gb_s"):
            self.assertEqual(table[name], [run.metrics[name]])

    def test_columns_conditions_order_and_baseline(self):
        table = self.results.table(["point", "speedup", "system.cpu.numOps", "cpu_clock"], where=["l1d.mshrs == 8"],
                                   sort="-speedup", limit=2, baseline=1)
        self.assertEqual(list(table.columns), ["point", "speedup", "system.cpu.numOps", "cpu_clock"])
        self.assertEqual(len(table), 2)
        self.assertGreater(table["speedup"][0], table["speedup"][1] - 1e-9)
        self.assertEqual(table["system.cpu.numOps"], [39735, 39735])

    def test_wrong_names_are_said(self):
        with self.assertRaises(rubato.RubatoError) as caught:
            self.results.table(["l2.sise"])
        self.assertEqual(caught.exception.exit_code, 2)
        with self.assertRaisesRegex(rubato.RubatoError, "nothing.db: there is no such file"):
            rubato.Results(self.folder / "nothing.db").table()
        with self.assertRaisesRegex(rubato.RubatoError, "expected results of `rubato sweep`"):
            rubato.Results(self.write("text.db", "no database, but long enough to be taken for one" * 50)).axes

    def test_kernels_of_a_gpu(self):
        trace = TRIAD.parent / "gpu" / "pascal-vectoradd-100"
        results = rubato.sweep({"system": ["qv100", "rtx3070"], "traces": [str(trace)]}, self.folder / "cards.db")
        table = results.table(kernels=True, sort="kernel.cycles")
        self.assertEqual(table["system"], ["qv100", "rtx3070"])
        self.assertEqual(table["kernel.l2_bytes"], [1248, 1248])
        self.assertEqual(table.units["kernel.l2_bytes"], "bytes")
        self.assertEqual(list(results.table(["kernel.number"], kernels=True, where="kernel.cycles < 1").rows()), [])

    def test_a_sweep_that_is_done_is_not_run_again(self):
        again = rubato.sweep(SPEC, self.results.path, jobs=1)
        self.assertEqual(again.table().columns, self.results.table().columns)

    def test_a_file_of_a_sweep_and_relative_paths(self):
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(TRIAD.parent)
        results = rubato.sweep({"system": "default", "traces": [{"name": "t", "traces": "triad"}],
                                "axes": {"l1d.mshrs": [4]}}, self.folder / "one.db")
        self.assertEqual(results.table()["time_ms"], [0.101773])
        spec = self.write("x.yaml", "system: default\naxes: {l1d.mshrs: [4]}\n"
                          f"traces: [{{name: t, traces: {TRIAD}}}]\n")
        self.assertEqual(rubato.sweep(spec, self.folder / "one.db").table()["state"], ["done"])

    def test_failures_are_errors_unless_they_may_be(self):
        spec = {**SPEC, "axes": {"l2.size": ["1MiB", "3000B"]}}
        with self.assertRaises(rubato.RubatoError) as caught:
            rubato.sweep(spec, self.folder / "fail.db")
        self.assertEqual(caught.exception.exit_code, 3)
        with self.assertWarns(rubato.RubatoWarning):
            results = rubato.sweep(spec, self.folder / "fail.db", failures=True)
        table = results.table()
        self.assertEqual(sorted(table["state"]), ["done", "failed"])
        self.assertEqual(len([error for error in table["error"] if error]), 1)

    def test_metrics_have_unit_definition_and_direction(self):
        known = rubato.metrics()
        self.assertEqual(known["time_ms"].unit, "ms")
        self.assertEqual(known["time_ms"].better, "lower")
        self.assertEqual(known["ipc"].better, "higher")
        self.assertEqual(known["ipc"].unit, "")
        self.assertIsNone(known["instructions"].better)
        self.assertTrue(all(metric.definition for metric in known.values()))

    @unittest.skipUnless(has("pandas"), "there is no pandas")
    def test_a_frame_has_types_and_units(self):
        frame = self.results.table().frame()
        self.assertEqual(frame.attrs["units"]["time_ms"], "ms")
        kinds = {name: str(frame[name].dtype) for name in ("point", "l2.size", "l2.prefetcher", "time_ms", "cpi")}
        self.assertEqual(kinds, {"point": "int64", "l2.size": "int64", "l2.prefetcher": "object", "time_ms": "float64",
                                 "cpi": "float64"})
        self.assertEqual(frame.groupby("l2.prefetcher")["time_ms"].mean().idxmin(), "stream")


class ViewsTest(unittest.TestCase):
    def setUp(self):
        self.table = rubato.Table({"size": [1, 2, 4, 8, 4], "time": [9.0, 5.0, 5.0, 1.0, None],
                                   "kind": ["a", "b", "a", "b", "a"]}, {"time": "ms"})

    def test_a_front_has_what_no_other_point_beats(self):
        front = rubato.pareto(self.table, "size", "time")
        self.assertEqual(front["size"], [1, 2, 8])
        self.assertEqual(rubato.pareto(self.table, "size", "time", higher=["size"])["size"], [8])

    def test_effects_are_over_all_points_that_have_the_metric(self):
        found = rubato.effects(self.table, "time", ["kind"])
        self.assertEqual(found.rows(), [
            {"axis": "kind", "value": "a", "points": 2, "least": 5.0, "mean": 7.0, "most": 9.0},
            {"axis": "kind", "value": "b", "points": 2, "least": 1.0, "mean": 3.0, "most": 5.0}])
        self.assertEqual(found.units["mean"], "ms")


@unittest.skipUnless(has("matplotlib"), "there is no matplotlib")
class PlotTest(WithFolder):
    def test_a_sweep_is_plotted(self):
        from matplotlib import pyplot

        from rubato import plot

        table = small_sweep().table()
        pareto = plot.plot_pareto(table, "l2.size", "time_ms", names=["l2.prefetcher", "l2.size"])
        self.assertEqual(pareto.get_xlabel(), "l2.size (bytes)")
        self.assertIn("stream, 512KiB", [text.get_text() for text in pareto.texts])
        effects = plot.plot_effects(table, "time_ms", ["l1d.mshrs", "l2.prefetcher"])
        self.assertEqual([label.get_text() for label in effects.get_xticklabels()],
                         ["l1d.mshrs 2", "l1d.mshrs 8", "l2.prefetcher none", "l2.prefetcher stream"])
        points = {f"point {row['point']}": row for row in table}
        stacks = plot.plot_cpi_stacks(points)
        self.assertEqual(len(stacks.get_yticklabels()), 8)
        for name, axes in (("pareto", pareto), ("effects", effects), ("stacks", stacks)):
            axes.figure.savefig(self.folder / f"{name}.png")
            self.assertGreater((self.folder / f"{name}.png").stat().st_size, 5000)
        pyplot.close("all")

    def test_the_parts_of_a_stack_add_up(self):
        from rubato import plot

        for row in small_sweep().table():
            self.assertAlmostEqual(sum(plot.cpi_stack(row).values()), row["cpi"], places=9)
