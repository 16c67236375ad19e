import rubato
from support import ROOT, TRIAD, WithFolder

COMMON = {"options": ["--no-cache"]}


class ReplayTest(WithFolder):
    def test_a_run_has_metrics_verdict_and_statistics(self):
        run = rubato.replay("default", TRIAD, **COMMON)
        self.assertEqual(run.system, "default")
        self.assertEqual(run.metrics["time_ms"], 0.101773)
        self.assertEqual(run.units["time_ms"], "ms")
        self.assertRegex(run.bound, "^reorder buffer: 69 % of cycles")
        self.assertEqual(run.causes[0][0], "rob")
        self.assertTrue(any("cold" in doubt for doubt in run.doubts))
        self.assertEqual(run.statistics["simTicks"], [101773000])
        self.assertEqual(run.statistics.units["simTicks"], "Tick")
        self.assertEqual(run.statistics.units["system.cpu.cpi"], "Cycle/Count")
        self.assertIsNone(run.kernels)
        self.assertIsNone(run.recording)

    def test_settings_change_the_system(self):
        run = rubato.replay("default", TRIAD, settings={"l2.prefetcher": "stream", "l1d.mshrs": 8,
                                                       "exit_first_core": True}, **COMMON)
        self.assertLess(run.metrics["time_ms"], 0.03)

    def test_intervals_are_rows(self):
        run = rubato.replay("default", TRIAD, interval="50us", **COMMON)
        self.assertEqual(run.statistics["finalTick"], [50000000, 100000000, 101773000])

    def test_wrong_input_is_one_exception(self):
        with self.assertRaises(rubato.RubatoError) as caught:
            rubato.replay("default", self.folder / "nothing", **COMMON)
        self.assertEqual(caught.exception.exit_code, 2)
        self.assertIn("nothing", caught.exception.message)
        with self.assertRaisesRegex(rubato.RubatoError, "l2.sise"):
            rubato.replay("default", TRIAD, settings={"l2.sise": 1}, **COMMON)

    def test_samples_and_their_rates(self):
        recording = rubato.replay("default", TRIAD, every="10us", **COMMON).recording
        samples = recording.samples
        self.assertEqual(len(samples), 11)
        self.assertEqual(recording.interval_ps, 10000000)
        self.assertEqual(samples["time_ps"][-1], 101773000)
        self.assertEqual(samples.units["mem_ctrls.dram.bytes.read"], "Byte")
        self.assertEqual(samples.units["l1d.mshrs_ps"], "Count*ps")
        self.assertEqual(recording.fields["l1d.mshrs_ps"].kind, "integral")
        self.assertEqual(set(samples.columns), set(recording.fields) | {"number", "time_ps", "since_ps"})

    def test_rates_add_up_to_what_the_run_says(self):
        run = rubato.replay("default", TRIAD, every="10us", **COMMON)
        rates = run.recording.rates()
        self.assertEqual(rates.units["mem_ctrls.dram.bytes.read"], "GB/s")
        spans = [end - start for start, end in zip([0, *rates["time_ms"]], rates["time_ms"])]
        for name, metric in (("mem_ctrls.dram.bytes.read", "mem.read_gb_s"), ("l1d.mshrs_ps", "l1d.mshrs_used")):
            mean = sum(rate * span for rate, span in zip(rates[name], spans)) / sum(spans)
            self.assertAlmostEqual(mean, run.metrics[metric], places=6)

    def test_a_recording_that_breaks_off(self):
        whole = self.folder / "whole.samples"
        rubato.replay("default", TRIAD, options=["--no-cache", f"--record={whole}"])
        cut = self.folder / "cut.samples"
        cut.write_bytes(whole.read_bytes()[:-40])
        with self.assertRaisesRegex(rubato.RubatoError, "cut.samples"):
            rubato.read_recording(cut)
        with self.assertWarnsRegex(rubato.RubatoWarning, "cut.samples"):
            self.assertEqual(len(rubato.read_recording(cut, partial=True).samples), 10)
        with self.assertRaises(rubato.RubatoError):
            rubato.read_recording(self.write("no.samples", "no"))

    def test_kernels_of_a_gpu(self):
        with self.assertWarnsRegex(rubato.RubatoWarning, "its grid is"):
            run = rubato.replay("qv100", ROOT / "tests" / "traces" / "gpu" / "volta-bfs-2blocks")
        self.assertEqual(run.kernels["warp_insts"], [866])
        self.assertEqual(run.kernels["bound"], [run.causes[0][0]])
        of = {name: run.kernels[name][0] for name in run.kernels.columns}
        sectors = of["l1_reads"] + of["l1_writes"] + of["l2_atomics"]
        self.assertEqual(of["sectors_per_request"], sectors / of["global_accesses"])
        self.assertEqual(run.metrics["gpu.warp_insts"], 866)
        self.assertTrue(run.bound)

    def test_several_cores(self):
        run = rubato.replay("quad", [TRIAD] * 4, **COMMON)
        self.assertIn("cpu3.cpi", run.metrics)
        self.assertEqual(run.units["cpu3.cpi"], run.units["cpi"])
