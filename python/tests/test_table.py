import io
import unittest

from rubato import Table
from support import has


class TableTest(unittest.TestCase):
    def setUp(self):
        self.table = Table({"size": [1024, None, 512], "share": [0.5, 1, None], "name": ["a", None, "b"]},
                           {"size": "bytes", "share": "", "other": "ms"})

    def test_units_are_of_columns_that_have_one(self):
        self.assertEqual(self.table.units, {"size": "bytes"})

    def test_columns_of_different_lengths_are_refused(self):
        with self.assertRaisesRegex(ValueError, "1 to 2 rows"):
            Table({"a": [1], "b": [1, 2]})

    def test_rows_are_dictionaries(self):
        self.assertEqual(len(self.table), 3)
        self.assertEqual(self.table.rows()[1], {"size": None, "share": 1, "name": None})

    def test_rows_make_columns_in_the_order_of_their_first_use(self):
        table = Table.from_rows([{"b": 1}, {"a": 2, "b": 3}])
        self.assertEqual(table.columns, {"b": [1, 3], "a": [None, 2]})

    def test_csv_has_types(self):
        table = Table.from_csv(io.StringIO('a,b,c\n1,1.5,"x, y"\n,1e3,\n'))
        self.assertEqual(table.columns, {"a": [1, None], "b": [1.5, 1000.0], "c": ["x, y", None]})
        self.assertIsInstance(table["a"][0], int)

    def test_csv_without_a_line_is_empty(self):
        self.assertEqual(Table.from_csv(io.StringIO("")).columns, {})

    def test_a_column_that_is_not_there_names_those_like_it(self):
        with self.assertRaisesRegex(KeyError, "l2.size: there is no such column; there are size"):
            self.table["l2.size"]

    def test_rows_are_chosen_and_sorted(self):
        self.assertEqual(self.table.where(lambda row: row["size"] is not None)["name"], ["a", "b"])
        self.assertEqual(self.table.sorted_by("size")["size"], [512, 1024, None])
        self.assertEqual(self.table.sorted_by("size", descending=True)["size"], [1024, 512, None])
        self.assertEqual(list(self.table.select("name", "size").columns), ["name", "size"])

    @unittest.skipUnless(has("pandas"), "there is no pandas")
    def test_a_frame_has_types_and_units(self):
        frame = self.table.frame()
        self.assertEqual([str(kind) for kind in frame.dtypes], ["Int64", "float64", "object"])
        self.assertEqual(frame.attrs["units"], {"size": "bytes"})
        self.assertEqual(frame["size"].sum(), 1536)
        self.assertEqual(str(Table({"n": [1, 2]}).frame()["n"].dtype), "int64")

    @unittest.skipIf(has("pandas"), "pandas is there")
    def test_a_frame_needs_pandas(self):
        with self.assertRaises(ImportError):
            self.table.frame()
