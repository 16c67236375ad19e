"""Parquet of `rubato results` and `rubato export`, read by a reader of the tests' own, and by pandas or DuckDB if they
are there."""

import json
import os
import shutil
import subprocess
import unittest
from pathlib import Path

import parquet_file
import rubato
from rubato.command import run_command
from support import SPEC, TRIAD, WithFolder, has, small_sweep

NPM = Path(os.environ.get("RUBATO_NPM", "/nowhere"))    # a folder with node_modules
HYPARQUET = """
import { asyncBufferFromFile, parquetReadObjects, parquetMetadataAsync } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
const file = await asyncBufferFromFile(process.argv[2])
const rows = await parquetReadObjects({ file, compressors })
const about = await parquetMetadataAsync(file)
const plain = (_, value) => typeof value == 'bigint' ? Number(value) : value
console.log(JSON.stringify({ rows, keys: about.key_value_metadata }, plain))
"""


class ParquetTest(WithFolder):
    def setUp(self):
        super().setUp()
        self.file = self.folder / "x.parquet"
        self.results = small_sweep()

    def export(self, *options):
        run_command(["results", self.results.path, "-o", self.file, *options])
        return parquet_file.read(self.file)

    def json(self, *options):
        return json.loads(run_command(["results", self.results.path, "--json", *options]))

    def test_all_values_are_those_of_json(self):
        table, rows = self.export(), self.json()
        self.assertEqual(table["rows"], 8)
        self.assertEqual(list(table["columns"]), list(rows[0]))
        for name, values in table["columns"].items():
            self.assertEqual(values, [row[name] for row in rows], name)

    def test_columns_have_types(self):
        types = self.export()["types"]
        expected = {"point": "int64", "hash": "string", "l1d.mshrs": "int64", "l2.size": "int64",
                    "l2.prefetcher": "string", "error": "string", "time_ms": "double", "cpi": "double",
                    "l2.hit_rate": "double",
                    "instructions": "int64", "simTicks": "int64", "system.cpu.cpi": "double",
                    "system.cpu.numOps": "int64"}
        self.assertEqual({name: types[name] for name in expected}, expected)

    def test_a_share_is_no_whole_number_even_if_all_are(self):
        table = self.export("--columns", "l2.hit_rate,speedup,point", "--where", "point == 1", "--baseline", "1")
        self.assertEqual(table["columns"]["speedup"], [1.0])
        self.assertEqual(list(table["types"].values()), ["double", "double", "int64"])

    def test_capacities_are_bytes_and_units_are_said(self):
        table = self.export()
        self.assertEqual(sorted(set(table["columns"]["l2.size"])), [524288, 2097152])
        self.assertEqual(table["units"]["l2.size"], "bytes")
        self.assertEqual(table["units"]["time_ms"], "ms")
        self.assertNotIn("point", table["units"])
        self.assertNotIn("l1d.mshrs", table["units"])
        self.assertEqual(json.loads(table["keys"]["units"]), table["units"])
        self.assertEqual(json.loads(table["keys"]["PANDAS_ATTRS"]), {"units": table["units"]})

    def test_what_is_missing_is_null(self):
        spec = {**SPEC, "axes": {"l2.size": ["1MiB", "3000B"]}}
        with self.assertWarns(rubato.RubatoWarning):
            self.results = rubato.sweep(spec, self.folder / "fail.db", failures=True)
        table = self.export("--columns", "state,time_ms,error,l2.size,instructions,system.cpu.numOps")
        columns = table["columns"]
        self.assertEqual(columns["state"], ["done", "failed"])
        for name in ("time_ms", "instructions", "system.cpu.numOps"):
            self.assertIsNone(columns[name][1], name)
        self.assertIsNone(columns["error"][0])
        self.assertIn("l2", columns["error"][1])

    def test_no_points_are_an_empty_table(self):
        table = self.export("--where", "point > 100", "--columns", "point,cpi,error")
        self.assertEqual(table["columns"], {"point": [], "cpi": [], "error": []})

    def test_a_recording_is_what_its_csv_says(self):
        recording = self.folder / "run.samples"
        run_command(["replay", "default", TRIAD, "--no-cache", "--quiet", "--record", recording])
        run_command(["export", recording, "--parquet", self.file])
        table, read = parquet_file.read(self.file), rubato.read_recording(recording)
        self.assertEqual(table["columns"], read.samples.columns)
        self.assertEqual(table["units"], read.samples.units)
        counts = [name for name, field in read.fields.items() if field.kind != "place"]
        self.assertEqual({table["types"][name] for name in counts}, {"int64"})
        self.assertEqual(table["types"]["default.heat_base"], "uint64")

    def test_other_files_follow_their_endings(self):
        for name, option in (("x.csv", "--csv"), ("x.json", "--json")):
            run_command(["results", self.results.path, "-o", self.folder / name])
            self.assertEqual((self.folder / name).read_text(), run_command(["results", self.results.path, option]))
        run_command(["results", self.results.path, "--format", "table", "--output", self.folder / "x"])
        self.assertEqual((self.folder / "x").read_text(), run_command(["results", self.results.path]))

    def test_what_does_not_fit_is_refused(self):
        for options, says in ((["--format", "parquet"], "goes to a file; give --output FILE"),
                              (["--format", "xml"], "must be table, tsv, csv, json or parquet"),
                              (["-o", self.folder / "x.xls"], "ends in none of .txt, .tsv, .csv, .json, .parquet"),
                              (["--format", "csv", "-o", self.results.path], "is an input"),
                              (["--csv", "-o", self.folder / "x.parquet"], "ends in .parquet, but"),
                              (["-o", self.folder / "no" / "x.csv"], "cannot be written")):
            with self.assertRaisesRegex(rubato.RubatoError, says) as caught:
                run_command(["results", self.results.path, *options])
            self.assertEqual(caught.exception.exit_code, 2)

    @unittest.skipUnless(has("pandas") and (has("pyarrow") or has("fastparquet")), "there is no pandas with pyarrow")
    def test_pandas_reads_it(self):
        import pandas

        self.export()
        frame = pandas.read_parquet(self.file)
        self.assertEqual(str(frame["l2.size"].dtype), "int64")
        self.assertEqual(list(frame["cpi"]), [row["cpi"] for row in self.json()])

    @unittest.skipUnless(has("duckdb"), "there is no duckdb")
    def test_duckdb_reads_it(self):
        import duckdb

        self.export()
        rows = duckdb.sql(f"SELECT \"l2.size\", cpi FROM '{self.file}' ORDER BY point").fetchall()
        self.assertEqual(rows, [(row["l2.size"], row["cpi"]) for row in self.json()])

    @unittest.skipUnless(shutil.which("node") and (NPM / "node_modules" / "hyparquet").is_dir(),
                         "there is no hyparquet")
    def test_hyparquet_reads_it(self):
        self.export()
        (NPM / "read.mjs").write_text(HYPARQUET)
        read = json.loads(subprocess.run(["node", NPM / "read.mjs", self.file], check=True, capture_output=True).stdout)
        rows = self.json()
        self.assertEqual(read["rows"], rows)
        self.assertEqual([pair["key"] for pair in read["keys"]], ["units", "PANDAS_ATTRS"])
