from rubato import RubatoError, read_statistics
from rubato.command import run_command
from support import TRIAD, WithFolder

TEXT = """
---------- Begin Simulation Statistics ----------
simTicks                                     20000000                       # the same in ticks (Tick)
system.cpu.cpi                               2.736084                       # cycles per micro-op ((Cycle/Count))
system.l2.demandMissRate::total                   nan                       # miss rate (Ratio)
system.l2.latency::0-1                              5     50.00%     50.00% # bins (Count)

---------- End Simulation Statistics   ----------

---------- Begin Simulation Statistics ----------
simTicks                                           10                       # the same in ticks (Tick)

---------- End Simulation Statistics   ----------
"""


class StatisticsTest(WithFolder):
    def test_text_has_blocks_and_units(self):
        table = read_statistics(self.write("stats.txt", TEXT))
        self.assertEqual(table.columns, {"simTicks": [20000000, 10], "system.cpu.cpi": [2.736084, None],
                                         "system.l2.demandMissRate::total": [None, None],
                                         "system.l2.latency::0-1": [5, None]})
        self.assertEqual(table.units["system.cpu.cpi"], "Cycle/Count")
        self.assertEqual(table.units["simTicks"], "Tick")

    def test_json_is_an_object_or_many(self):
        for text in ('{"a": 1, "b": null}', '{\n "a": 1,\n "b": null}\n', '[{"a": 1, "b": null}]'):
            self.assertEqual(read_statistics(self.write("s.json", text)).rows(), [{"a": 1, "b": None}])
        for text in ('{"a": 1}\n{"a": 2.5}\n', '[{"a": 1},\n{"a": 2.5}]', '{\n"a": 1}{"a": 2.5}'):
            self.assertEqual(read_statistics(self.write("s.json", text))["a"], [1, 2.5])
        self.assertEqual(read_statistics(self.write("s.jsonl", '{"a": 1}\n{"a": 2}\n'))["a"], [1, 2])

    def test_csv_has_numbers(self):
        table = read_statistics(self.write("s.csv", "a,b\n1,\n2,0.5\n"))
        self.assertEqual(table.columns, {"a": [1, 2], "b": [None, 0.5]})

    def test_what_is_wrong_is_said_with_its_line(self):
        for name, text, says in (("s.json", '{"a": 1}\n{"a": }', "line 2: .*; expected JSON"),
                                 ("s.json", "[1]", "holds int, expected objects"),
                                 ("s.txt", TEXT + "what?\n", "line 14: is no line of statistics"),
                                 ("s.txt", "simTicks 1 # (Tick)\n", "line 1: ")):
            with self.assertRaisesRegex(RubatoError, says):
                read_statistics(self.write(name, text))

    def test_every_form_of_a_run_says_the_same(self):
        text, json = self.folder / "s.txt", self.folder / "s.json"
        run_command(["replay", "default", TRIAD, "--quiet", "--no-cache", "--interval", "50us", "--stats", text,
                     "--stats", json])
        one, other = read_statistics(text), read_statistics(json)
        self.assertEqual(len(one), 3)
        self.assertEqual(len(other), 3)
        for name in ("simTicks", "system.cpu.numOps", "system.l1d.overallMisses::total"):
            self.assertEqual(one[name], other[name])
        self.assertEqual(one["simTicks"], [50000000, 100000000, 101773000])
