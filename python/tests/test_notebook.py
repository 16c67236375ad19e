"""The notebooks of python/examples run to their ends; their last cells compare what they found with the documents.

Once without anything but Python: cells that need what is not there (their tags say pandas, matplotlib) are left out.
Once as Jupyter runs them, if nbclient and a kernel are there.
"""

import contextlib
import io
import json
import os
import shutil
import unittest
from unittest import mock

from support import ROOT, WithFolder, has

EXAMPLES = ROOT / "python" / "examples"
SAYS_AT_THE_END = {"readme.ipynb": "all as the README says\n",
                   "search.ipynb": "each search has found nine tenths of the front's area\n"}
PICTURES = {"readme.ipynb": 3, "search.ipynb": 1}


class NotebookTest(WithFolder):
    def setUp(self):
        super().setUp()
        results = os.environ.get("FIRST_DB") or str(self.folder / "first.db")
        patch = mock.patch.dict(os.environ, {"RUBATO_ROOT": str(ROOT), "FIRST_DB": results})
        patch.start()
        self.addCleanup(patch.stop)

    def test_there_are_no_others(self):
        self.assertEqual(sorted(path.name for path in EXAMPLES.glob("*.ipynb")), list(SAYS_AT_THE_END))

    def test_outputs_are_not_kept(self):
        for name in SAYS_AT_THE_END:
            for cell in json.loads((EXAMPLES / name).read_text(encoding="utf-8"))["cells"]:
                self.assertFalse(cell.get("outputs"), f"{name}: clear the outputs before it is committed")

    def test_cells_run_with_plain_python(self):
        for name, last in SAYS_AT_THE_END.items():
            names = {}
            for i, cell in enumerate(json.loads((EXAMPLES / name).read_text(encoding="utf-8"))["cells"]):
                if cell["cell_type"] != "code" or not all(has(tag) for tag in cell["metadata"].get("tags", [])):
                    continue
                said = io.StringIO()
                with contextlib.redirect_stdout(said):
                    exec(compile("".join(cell["source"]), f"{name}, cell {i}", "exec"), names)
            self.assertEqual(said.getvalue(), last)

    @unittest.skipUnless(has("nbclient") and has("ipykernel") and has("pandas") and has("matplotlib"),
                         "there is no nbclient, ipykernel, pandas or matplotlib")
    def test_jupyter_runs_them(self):
        import nbclient
        import nbformat

        import rubato

        package = os.path.dirname(os.path.dirname(rubato.__file__))
        kernel = {"PYTHONPATH": package, "MPLBACKEND": "module://matplotlib_inline.backend_inline",
                  "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
        with mock.patch.dict(os.environ, kernel):
            for name, last in SAYS_AT_THE_END.items():
                shutil.copy(EXAMPLES / name, self.folder)
                notebook = nbformat.read(self.folder / name, as_version=4)
                notebook.cells = [cell for cell in notebook.cells if all(map(has, cell.metadata.get("tags", [])))]
                nbclient.NotebookClient(notebook, timeout=250, kernel_name="python3",
                                        resources={"metadata": {"path": str(self.folder)}}).execute()
                outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
                self.assertEqual(outputs[-1].text, last)
                self.assertGreaterEqual(sum("image/png" in output.get("data", {}) for output in outputs),
                                        PICTURES[name])
