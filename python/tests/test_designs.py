"""Sweeps whose designs the caller chooses, progress of a sweep, and what a notebook shows."""

import rubato
from rubato import plot
from support import SPEC, TRIAD, WithFolder, small_sweep

GUPS = TRIAD.parent / "gups"
FEW = {**SPEC, "records": 2000}


class SweepTest(WithFolder):
    def space(self, spec=None, **options):
        return rubato.Sweep(spec or FEW, self.folder / "found.db", jobs=1, **options)

    def test_the_axes_are_those_of_the_file(self):
        self.assertEqual(self.space().axes, {"l1d.mshrs": ["2", "8"], "l2.size": ["512KiB", "2MiB"],
                                             "l2.prefetcher": ["none", "stream"]})
        zipped = {**FEW, "system": ["default", "wide"], "axes": {"cpu.rob": {"from": 32, "to": 64, "times": 2}},
                  "zip": {"l1d.assoc": [2, 2], "l1d.size": ["32KiB", "64KiB"]}}
        self.assertEqual(self.space(zipped).axes, {"system": ["default", "wide"], "cpu.rob": ["32", "64"],
                                                   "l1d.size": ["32KiB", "64KiB"]})

    def test_designs_have_the_figures_of_a_whole_sweep(self):
        whole = rubato.sweep(FEW, self.folder / "whole.db").table(["l1d.mshrs", "time_ms", "cpi"], where=[
            "l2.size == 512KiB and l2.prefetcher == stream"])
        expected = {row["l1d.mshrs"]: (row["time_ms"], row["cpi"]) for row in whole}
        space = self.space()
        designs = [{"l1d.mshrs": mshrs, "l2.size": "512KiB", "l2.prefetcher": "stream"} for mshrs in (8, "2", 8)]
        self.assertEqual(space.evaluate(designs, "time_ms,cpi"), [expected[8], expected[2], expected[8]])
        self.assertEqual(len(space.results.table()), 2)

    def test_a_search_goes_on(self):
        space = self.space()
        first = {axis: values[0] for axis, values in space.axes.items()}
        last = {axis: values[-1] for axis, values in space.axes.items()}
        one = space.evaluate([first], "time_ms")
        again = self.space()
        self.assertEqual(again.designs, [first])
        self.assertEqual(again.evaluate([last, first], "time_ms")[1], one[0])
        self.assertEqual(self.space().designs, [first, last])
        self.assertEqual(again.results.states(), {"done": 2})

    def test_of_several_traces_it_is_the_geometric_mean(self):
        space = self.space({**FEW, "traces": [str(TRIAD), str(GUPS)], "axes": {"l1d.mshrs": [4]}})
        (mean,), = space.evaluate([{"l1d.mshrs": 4}], ["time_ms"])
        one, other = space.results.table("time_ms")["time_ms"]
        self.assertAlmostEqual(mean, (one * other) ** 0.5)
        self.assertNotAlmostEqual(one, other)

    def test_a_design_that_fails_or_is_skipped_has_no_figures(self):
        space = self.space({**FEW, "axes": {"l2.size": ["1MiB", "3000B", "2MiB"]}, "skip": "l2.size == 2MiB"})
        found = space.evaluate([{"l2.size": size} for size in ("3000B", "1MiB", "2MiB")], "time_ms")
        self.assertEqual([figures is None for figures in found], [True, False, True])

    def test_wrong_designs_are_refused(self):
        space = self.space()
        good = {axis: values[0] for axis, values in space.axes.items()}
        for design, words in (({**good, "l2.sise": 1}, "l2.sise, which is no axis"), ({}, "no value of l1d.mshrs"),
                              ({**good, "l1d.mshrs": 5}, "5: is no value of that axis, which has 2, 8")):
            with self.assertRaisesRegex(rubato.RubatoError, words):
                space.evaluate([design], "time_ms")
        with self.assertRaisesRegex(rubato.RubatoError, "time_sm"):
            space.evaluate([good], "time_sm")
        self.assertEqual(space.evaluate([], "time_ms"), [])


class ProgressTest(WithFolder):
    def test_a_function_hears_how_far_it_is(self):
        heard = []
        rubato.sweep(SPEC, self.folder / "a.db", jobs=1, progress=heard.append, options="--progress 1ms")
        self.assertEqual(heard[-1].ended, 8)
        self.assertEqual({progress.points for progress in heard}, {8})
        self.assertGreater(len(heard), 2)
        self.assertEqual([progress.ended for progress in heard], sorted(progress.ended for progress in heard))

    def test_what_it_raises_ends_the_sweep(self):
        def stop(progress):
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            rubato.sweep(SPEC, self.folder / "b.db", jobs=1, progress=stop, options="--progress 1ms")
        self.assertEqual(len(rubato.sweep(SPEC, self.folder / "b.db").table()), 8)

    def test_errors_and_the_time_are_those_of_a_quiet_sweep(self):
        with self.assertRaisesRegex(rubato.RubatoError, "l2.sise"):
            rubato.sweep({**SPEC, "axes": {"l2.sise": [1]}}, self.folder / "c.db", progress=lambda progress: None)
        with self.assertRaisesRegex(rubato.RubatoError, "was ended after 0.001 seconds"):
            rubato.sweep(SPEC, self.folder / "d.db", progress=lambda progress: None, timeout=0.001)


class ShownTest(WithFolder):
    def test_a_run_is_printed_in_ten_lines(self):
        run = rubato.replay("default", TRIAD, settings={"technology": "22nm"})
        lines = str(run).splitlines()
        self.assertLessEqual(len(lines), 10)
        self.assertIn(f"time      {run.metrics['time_ms']:.4g} ms", lines)
        self.assertIn(f"bound by  {run.bound}", lines)
        self.assertTrue(any(line.startswith("energy ") for line in lines))
        self.assertIn(f"<td>{run.metrics['time_ms']:.4g} ms</td>", run._repr_html_())

    def test_tables_and_results_are_html(self):
        table = rubato.Table({"a": list(range(30)), "b<": ["x&y"] * 30}, {"a": "ms"})
        text = table._repr_html_()
        self.assertEqual(text.count("<tr>"), 21)
        self.assertIn("<th>a<br><small>ms</small></th><th>b&lt;</th>", text)
        self.assertIn("x&amp;y", text)
        self.assertIn("30 rows, of which 20 are shown", text)
        shown = small_sweep()._repr_html_()
        self.assertIn("8 points, 8 done", shown)
        self.assertEqual(shown.count("<tr>"), 9)


class RelativeTest(WithFolder):
    def test_columns_are_divided_by_workload(self):
        table = rubato.Table({"traces": ["a", "a", "b", "b"], "size": [1, 2, 1, 2], "time": [2.0, 8.0, 30.0, 120.0],
                              "rate": [0, 1, 2, 3]}, {"time": "ms"})
        divided = plot.relative(table, "size,time,rate")
        self.assertEqual([round(float(value), 9) for value in divided["time"]], [0.5, 2.0, 0.5, 2.0])
        self.assertEqual((divided["size"], divided["rate"]), ([1, 2, 1, 2], [0, 1, 2, 3]))
        self.assertEqual(divided.units, {})
        one = table.where(lambda row: row["traces"] == "a")
        self.assertEqual(plot.relative(one, "time")["time"], [2.0, 8.0])
