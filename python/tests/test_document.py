"""docs/python.md tells the truth: its sessions of Python are run, and must print what stands there."""

import doctest
import os
import re
import shutil

from support import ROOT, WithFolder, has


class DocumentTest(WithFolder):
    def setUp(self):
        super().setUp()
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(self.folder)
        for name in ("tests", "configs"):
            os.symlink(ROOT / name, name)
        self.first = os.environ.get("FIRST_DB")     # results of the README's sweep, which tests share
        if self.first and os.path.exists(self.first):
            shutil.copy(self.first, "first.db")

    def test_sessions_print_what_stands_there(self):
        document = (ROOT / "docs" / "python.md").read_text("utf-8")
        texts = re.findall(r"^```pycon ?(\w*)\n(.*?)^```$", document, re.MULTILINE | re.DOTALL)
        said, names = [], {}
        self.assertGreaterEqual(len(texts), 4)
        for i, (needs, text) in enumerate(texts):
            if needs and not has(needs):
                continue
            test = doctest.DocTestParser().get_doctest(text, names, f"docs/python.md, session {i + 1}", None, 0)
            runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
            runner.run(test, out=said.append, clear_globs=False)
            names.update(test.globs)
        self.assertEqual(said, [], "".join(said))
        if self.first and not os.path.exists(self.first):
            shutil.copy("first.db", self.first)
