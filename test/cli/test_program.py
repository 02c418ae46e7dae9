# SPDX-License-Identifier: BSD-3-Clause
"""The program as a whole: its table of commands, help, version and errors."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest

from cli import TWIRL, CliTest, run

# Each command with an option or argument.
COMMANDS = {"run": "--resume", "check": "--set", "sweep": "--vary", "keys": "--names", "plot": "--axis",
            "render": "--view", "movie": "--fps", "report": "--json", "watch": "--port", "info": "FILE", "moduli": "--out", "rates": "--control", "export": "--since", "import": "--kn",
            "contact": "--without", "cite": "BibTeX"}


class Program(CliTest):
    def test_help_lists_every_command(self):
        done = run("--help")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr, "")
        self.assertIn("Usage: twirl", done.stdout)
        self.assertIn("--version", done.stdout)
        listed = [line.split()[0] for line in done.stdout.splitlines() if line.startswith("  ")]
        self.assertEqual([word for word in listed if not word.startswith("-")], list(COMMANDS))

    def test_help_of_each_command(self):
        for command, word in COMMANDS.items():
            done = run(command, "--help")
            self.assertEqual(done.returncode, 0)
            self.assertIn(f"Usage: twirl {command}", done.stdout)
            self.assertIn(word, done.stdout)

    def test_version(self):
        for arguments in (("--version",), ("-V",), ("contact", "--version")):
            done = run(*arguments)
            self.assertEqual(done.returncode, 0)
            self.assertRegex(done.stdout, r"\Atwirl \d+\.\d+\.\d+(\+g[0-9a-f]{12}(\.modified)?|\+unknown)?, "
                             r"(neon|sse2|avx2|avx512|plain)\n\Z")
            if "TWIRL_VERSION" in os.environ:
                self.assertRegex(done.stdout, rf"\Atwirl {re.escape(os.environ['TWIRL_VERSION'])}[+,]")

    def test_cite_prints_entries_of_program_and_method(self):
        done = run("cite")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        entries = re.findall(r"^@(\w+)\{(\w+),\n((?:  \w+ = \{.*\},\n)+)\}$", done.stdout, re.M)
        self.assertEqual([key for _kind, key, _fields in entries], ["twirl", "kuhn_suzuki_daouadji"])
        self.assertEqual(len(re.findall("^@", done.stdout, re.M)), 2)
        for _kind, _key, fields in entries:
            self.assertIn("  author = {", fields)
            self.assertIn("  title = {", fields)
            self.assertEqual(fields.count("{"), fields.count("}"))
        self.assertIn("{Version " + run("--version").stdout.split()[1].rstrip(",") + "}", entries[0][2])
        self.assertIn("Kuhn, Matthew R. and Suzuki, Kiichi and Daouadji, Ali", entries[1][2])

    def test_supported_instruction_sets_can_be_selected(self):
        widest = run("--version").stdout.split()[-1]
        self.assertEqual(run("--version", env={"TWIRL_SIMD": widest}).stdout.split()[-1], widest)
        if widest in ("avx2", "avx512"):
            self.assertEqual(run("--version", env={"TWIRL_SIMD": "sse2"}).stdout.split()[-1], "sse2")
        strange = "neon" if widest != "neon" else "avx2"
        for name in (strange, "mmx"):
            self.assert_refused(run("--version", env={"TWIRL_SIMD": name}),
                                f"TWIRL_SIMD={name}: not available here; this processor has")

    def test_without_a_command_the_help_goes_to_stderr(self):
        done = run()
        self.assert_refused(done, "Usage: twirl")
        self.assertEqual(done.stdout, "")

    def test_unknown_command_names_the_nearest(self):
        for word, nearest in (("contcat", "contact"), ("Contact", "contact"), ("moive", "movie"),
                              ("--hlep", "--help"), ("--verison", "--version")):
            done = run(word)
            self.assert_refused(done, f"'{word}'", f"did you mean '{nearest}'?")
            self.assertEqual(done.stdout, "")

    def test_what_was_removed_names_its_replacement(self):
        self.assert_refused(run("figure", "turning"), "twirl figure was removed", "paper/contact.c")
        self.assert_refused(run("advance", "sand.csv"), "twirl advance was removed", "twirl run", "path: general", "twirl import")

    def test_unknown_option_names_the_nearest(self):
        for arguments, nearest in ((("contact", "--knn", "1"), "--kn"),
                                   (("contact", "--nk", "1"), "--kn"),  # a swap counts as one
                                   (("contact", "--witout=tilt"), "--without"),
                                   (("contact", "--kn", "1", "--lwa", "exact"), "--law"),
                                   (("contact", "--hepl"), "--help"),
                                   (("export", "csv", "a", "--otu", "x"), "--out")):
            done = run(*arguments)
            self.assert_refused(done, f"twirl {arguments[0]}: unknown option",
                                f"did you mean '{nearest}'?")

    def test_control_characters_are_not_printed(self):
        done = run("con\x1b[31mtact\n")
        self.assert_refused(done, r"'con\x1b[31mtact\x0a'")

    def test_nothing_leaks(self):
        """Effective only in builds with the address sanitizer."""
        law = ("--kn", "1", "--kt", "1", "--mu", "0.5")
        header = "zeta,nx,ny,nz,dux,duy,duz\n"
        with tempfile.TemporaryDirectory() as folder:
            path, out = os.path.join(folder, "path.csv"), os.path.join(folder, "out.csv")
            for arguments, rows, status in (
                    (("contact", *law, path, "--out", out), "1,0,0,1,0,0,0\n", 0),
                    (("contact", *law, path, "--out", out), "1,0,0\n", 2)):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(header + rows)
                done = run(*arguments, env={"ASAN_OPTIONS": "detect_leaks=1", "PATH": "/nonexistent"})
                self.assertEqual(done.returncode, status, done.stderr)

    def test_a_reader_that_has_seen_enough_is_no_error_to_speak_of(self):
        for command in (("keys",), ("--help",), ("keys", "--names")):
            read_end, write_end = os.pipe()
            os.close(read_end)
            done = subprocess.run([TWIRL, *command], stdout=write_end, stderr=subprocess.PIPE, check=False)
            os.close(write_end)
            self.assertEqual((done.returncode, done.stderr), (1, b""))

    def test_unwritable_output_of_help_and_version_is_an_error(self):
        for word in ("--help", "--version"):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([TWIRL, word], stdout=full, stderr=subprocess.PIPE, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn(b"No space left", done.stderr)


def options_of(command):
    """Names of the long options in the help of a command, with "=" where there is an argument."""
    return set(re.findall(r"^ {2,8}(?:-., )?(--[\w-]+=?)", run(command, "--help").stdout, re.M))


class Manual(CliTest):
    """Pages, and the tables for completion, have the texts of --help."""

    def test_pages(self):
        page = run("--print-manual").stdout
        for command in COMMANDS:
            self.assertIn(f"twirl\\-{command} (1)", page)
            page_of = run(command, "--print-manual").stdout
            self.assertTrue(page_of.startswith(f".TH TWIRL-{command.upper()} 1"))
            for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "SEE ALSO"):
                self.assertIn(f"\n.SH {section}\n", page_of)
            for option in options_of(command):
                self.assertIn("\\-\\-" + option.strip("-=").replace("-", "\\-") + "\\fR", page_of)

    def test_pages_have_no_faults(self):
        if not shutil.which("groff"):
            self.skipTest("groff is not installed")
        for command in COMMANDS:
            page = run(command, "--print-manual").stdout
            done = subprocess.run(["groff", "-man", "-ww", "-Tutf8", "-z"], input=page.encode(), capture_output=True)
            self.assertEqual(done.stderr.decode(), "")

    def test_table_of_options(self):
        for command in COMMANDS:
            table = [line.split("\t") for line in run(command, "--print-options").stdout.splitlines()]
            self.assertTrue(all(len(row) == 3 for row in table))
            self.assertLessEqual(options_of(command), {name + ("=" if value else "") for name, value, _ in table})

    def test_names_of_keys(self):
        names = run("keys", "--names").stdout.split()
        self.assertEqual(len(names), len(set(names)))
        self.assertIn("stages[].end.strain", names)
        for name in names[::10]:
            self.assertEqual(run("keys", name).returncode, 0)
        self.assert_refused(run("keys", "a", "--names"), "--names")


if __name__ == "__main__":
    unittest.main()
