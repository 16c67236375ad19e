import os
import unittest
import warnings
from unittest import mock

import rubato
from rubato.command import run_command
from support import WithFolder, pretender


class FindTest(WithFolder):
    def test_the_argument_comes_before_the_variable_and_that_before_path(self):
        other = self.folder / "bin"
        other.mkdir()
        in_path = other / "rubato"
        os.rename(pretender(str(other), "true"), in_path)
        given = pretender(str(self.folder), "true")
        with mock.patch.dict(os.environ, {"PATH": str(other), "RUBATO": given}):
            self.assertEqual(rubato.find_command(in_path), in_path.resolve())
            self.assertEqual(str(rubato.find_command()), os.path.realpath(given))
            del os.environ["RUBATO"]
            self.assertEqual(rubato.find_command(), in_path.resolve())

    def test_where_there_is_none_the_error_says_what_to_do(self):
        with mock.patch.dict(os.environ, {"PATH": str(self.folder)}):
            os.environ.pop("RUBATO", None)
            with self.assertRaisesRegex(rubato.RubatoError, "not in PATH; give command=") as caught:
                rubato.find_command()
            self.assertIsNone(caught.exception.exit_code)
            with self.assertRaisesRegex(rubato.RubatoError, "nothing: is no program .the argument"):
                rubato.find_command(self.folder / "nothing")


class RunTest(WithFolder):
    def run_script(self, script, **options):
        return run_command(["results", "x"], command=pretender(str(self.folder), script), **options)

    def test_errors_have_message_and_exit_code(self):
        with self.assertRaises(rubato.RubatoError) as caught:
            self.run_script("echo out; echo 'rubato: note: n' >&2; echo 'rubato: x.db: is no result file' >&2; exit 2")
        self.assertEqual(caught.exception.message, "x.db: is no result file")
        self.assertEqual(str(caught.exception), "x.db: is no result file")
        self.assertEqual(caught.exception.exit_code, 2)
        self.assertEqual(caught.exception.arguments[1:], ["results", "x"])

    def test_what_ends_without_a_word_says_its_exit_code(self):
        with self.assertRaisesRegex(rubato.RubatoError, "ended with exit code 7"):
            self.run_script("exit 7")
        with self.assertRaises(rubato.RubatoError) as caught:
            self.run_script("kill -9 $$")
        self.assertEqual(caught.exception.exit_code, -9)

    def test_warnings_are_warnings(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self.assertEqual(self.run_script("echo 'rubato: warning: odd' >&2; echo done"), "done\n")
        self.assertEqual([(str(one.message), one.category) for one in caught], [("odd", rubato.RubatoWarning)])

    def test_exit_codes_may_be_allowed(self):
        with self.assertWarnsRegex(rubato.RubatoWarning, "2 points failed"):
            self.assertEqual(self.run_script("echo some; echo 'rubato: 2 points failed' >&2; exit 3", allowed=(0, 3)),
                             "some\n")

    def test_time_is_limited(self):
        with self.assertRaisesRegex(rubato.RubatoError, "ended after 0.2 seconds"):
            self.run_script("exec sleep 20", timeout=0.2)

    def test_bytes_that_are_no_text_do_no_harm(self):
        self.assertEqual(self.run_script(r"printf 'a\377b'"), "a\\xffb")

    def test_the_command_says_its_version(self):
        self.assertRegex(rubato.version(), r"^[0-9]+\.[0-9]+\.[0-9]+$")


if __name__ == "__main__":
    unittest.main()
