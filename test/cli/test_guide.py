# SPDX-License-Identifier: BSD-3-Clause
"""Runs the commands of the guide, page by page, and checks that they print what the guide shows.

A page marks a block of code with a comment above it, which readers do not see:

    <!-- test: file NAME, KEY: VALUE, ... -->   the block becomes a file; KEY: ... in it gets VALUE, so that
                                                the test is small
    <!-- test: run -->                          the block is run by bash, in the page's own folder
    <!-- test: run, status N -->                and ends with N
    <!-- test: lammps -->                       like run, if twirl-lmp has been built
    <!-- test: printed -->                      the last run printed these lines, numbers aside
"""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ.get("TWIRL_SOURCE", Path(__file__).parents[2]))
TWIRL = shutil.which(os.environ.get("TWIRL", "twirl"))
LAMMPS = shutil.which(os.environ.get("TWIRL_LMP", "twirl-lmp"))
PAGES = [SOURCE / "README.md", *sorted((SOURCE / "docs" / "guide").glob("*.md"))]

BLOCK = re.compile(r"^<!-- test: (.*?) -->\n```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"[-+]?\d[\d.]*(e[-+]?\d+)?")


def blocks(text):
    """[(first word, rest of the comment, content)]"""
    found = [(*comment.partition(" ")[::2], content) for comment, content in BLOCK.findall(text)]
    if len(found) != text.count("<!-- test:"):
        raise ValueError("a comment <!-- test: ... --> is not right above a block of code")
    return [(word.rstrip(","), rest, content) for word, rest, content in found]


def shrink(text, changes):
    for change in filter(None, changes):
        key, value = change.split(": ")
        text, count = re.subn(rf"\b{key}: [^,}}\n#]*", change + " ", text)
        if count == 0:
            raise ValueError(f"the file has no key '{key}' to change to {value}")
    return text


def forms(text):
    """Lines without their numbers."""
    return [NUMBER.sub("#", line.strip()) for line in text.splitlines() if line.strip()]


@unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
class Guide(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "bin").mkdir()
        (self.folder / "bin" / "twirl").symlink_to(TWIRL)
        if LAMMPS:
            (self.folder / "bin" / "twirl-lmp").symlink_to(LAMMPS)
        (self.folder / "work").mkdir()

    def run_shell(self, script, status):
        path = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", script], text=True, timeout=250,
                              cwd=self.folder / "work", check=False, stderr=subprocess.STDOUT,
                              stdout=subprocess.PIPE, stdin=subprocess.DEVNULL,
                              env={**os.environ, "PATH": path, "OMP_NUM_THREADS": "1"})
        self.assertEqual(done.returncode, status, f"{script}{done.stdout}")
        return done.stdout

    def follow(self, page):
        printed, runs = "", 0
        for word, rest, content in blocks(page.read_text(encoding="utf-8")):
            if word == "file":
                name, *changes = rest.split(", ")
                (self.folder / "work" / name).write_text(shrink(content, changes), encoding="utf-8")
            elif word == "lammps" and not LAMMPS:
                continue
            elif word in ("run", "lammps"):
                printed = self.run_shell(content, int(rest.rpartition(" ")[2] or 0))
                runs += 1
            elif word == "printed":
                known = forms(printed)
                for line in forms(content):
                    self.assertIn(line, known, f"the guide shows it, the program printed\n{printed}")
            else:
                self.fail(f"'{word}' is not one of file, run, lammps, printed")
        return runs

    def test_every_page(self):
        runs = 0
        for page in PAGES:
            with self.subTest(page=page.name):
                for left in (self.folder / "work").iterdir():
                    shutil.rmtree(left) if left.is_dir() else left.unlink()
                runs += self.follow(page)
        self.assertGreater(runs, 10)


class ItCanFail(Guide):
    """The test fails on wrong pages."""

    def test_every_page(self):
        page = self.folder / "page.md"
        for text, reason in (
                ("<!-- test: run -->\n```sh\nfalse\n```\n", "1 != 0"),
                ("<!-- test: run -->\n```sh\nfalse | true\n```\n", "1 != 0"),
                ("<!-- test: run, status 2 -->\n```sh\ntrue\n```\n", "0 != 2"),
                ("<!-- test: run -->\n```sh\necho a 1\n```\n<!-- test: printed -->\n```\na b\n```\n",
                 "the guide shows it"),
                ("<!-- test: file a.yaml, key: 1 -->\n```\nkez: 2\n```\n", "no key 'key'"),
                ("<!-- test: look -->\n```sh\ntrue\n```\n", "not one of file"),
                ("<!-- test: run -->\n\n```sh\ntrue\n```\n", "not right above")):
            page.write_text(text, encoding="utf-8")
            with self.assertRaises((AssertionError, ValueError)) as caught:
                self.follow(page)
            self.assertIn(reason, str(caught.exception))


class Links(unittest.TestCase):
    def test_every_link_leads_somewhere(self):
        pages = [*PAGES, *SOURCE.glob("*.md"), *SOURCE.glob("scenarios/**/*.md")]
        for page in pages:
            text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
            for target in re.findall(r"\]\(([^)\s]+)\)", text):
                if re.match(r"[a-z]+:", target):
                    continue
                path, _, anchor = target.partition("#")
                file = (page.parent / path) if path else page
                self.assertTrue(file.exists(), f"{page}: {target}")
                if anchor:
                    self.assertIn(anchor, self.anchors(file), f"{page}: {target}")

    @staticmethod
    def anchors(page):
        """As generated by common viewers: lower case, no punctuation, hyphens for blanks."""
        titles = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
        return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


if __name__ == "__main__":
    unittest.main()
