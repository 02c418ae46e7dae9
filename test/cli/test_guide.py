# SPDX-License-Identifier: BSD-3-Clause
"""Runs the commands of the guide, page by page, and checks that they print what the guide shows, digit by digit. Pages with long
runs are run at a smaller size, and their digits are not compared: tools/renew_pages runs them in full, and --old is the test of
its stamps. The marks of pages are described in guide.py. What a user reads first is a test of its own, cli_first_pages, and quick."""

import json
import re
import shutil
import tempfile
import unittest
from pathlib import Path

from cli import SOURCE, run
from guide import LONG_PAGES, PAGES, Follower, differences, marks

FIRST = SOURCE / "docs/guide/first-run.md"


@unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
class Guide(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.follower = Follower(self.folder)

    def follow(self, path):
        wrong = differences(path.read_text(encoding="utf-8"), self.follower.renewed(path))
        self.assertEqual(wrong, "", f"{path.name}: if results have changed, tools/renew_pages {path}")

    def test_every_page(self):
        for page in PAGES:
            if page == FIRST:
                continue
            with self.subTest(page=page.name):
                self.follow(page)
        self.assertGreater(self.follower.runs, 10)

    def test_marks_of_long_pages(self):
        for page in LONG_PAGES:
            with self.subTest(page=page):
                for mark in marks(page.read_text(encoding="utf-8")):
                    if mark.word == "numbers":
                        compile(mark.rest, str(page), "exec")


class FirstPages(Guide):
    def test_every_page(self):
        self.follow(FIRST)

    test_marks_of_long_pages = None

    def test_the_scenario_of_the_readme_runs(self):
        """As it is, marked or not."""
        found = re.search(r"^```yaml\n(.*?)^```$", (SOURCE / "README.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
        self.assertTrue(found, "README.md has no scenario")
        (self.folder / "sand.yaml").write_text(found[1], encoding="utf-8")
        for command in (("run", "sand.yaml", "--out", "sand"), ("plot", "sand"), ("info", "sand")):
            done = run(*command, cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
        stages = json.loads((self.folder / "sand/summary.json").read_text(encoding="utf-8"))["stages"]
        for stage in stages[1:]:  # after the specimen
            self.assertRegex(done.stdout, rf"(?m)^{re.escape(stage['name'])} ")
        self.assertTrue(list((self.folder / "sand/plots").glob("*.svg")))


def block(word, content):
    return f"<!-- test: {word} -->\n```sh\n{content}\n```\n"


class ItCanFail(Guide):
    """The test fails on wrong pages."""

    def test_every_page(self):
        page = self.folder / "page.md"
        for text, reason in (
                (block("run", "false"), "1 != 0"),
                (block("run", "false | true"), "1 != 0"),
                (block("run, status 2", "true"), "0 != 2"),
                (block("run", "echo a 1") + block("printed", "a b"), "the guide shows"),
                (block("run", "echo a 1.50; echo b") + block("printed", "a 1.5"), "a 1.50"),
                (block("run", "echo a 1") + block("printed", "a 1\na 1"), "the guide shows"),
                (block("run", "echo 0123456789abcdef") + block("printed", "0123456789abcdee"), "abcdef"),
                ("<!-- test: numbers print('_ 1.76') -->\nIn 3D, a peak of 1.8\n", "1.76"),
                ("<!-- test: numbers print('_ 2 1.8') -->\n10 % at 1.8.\n", "has 2 numbers"),
                ("<!-- test: figure a.svg -->\n![a](b.svg)\n", "no run has written"),
                ("<!-- test: numbers x = 2 -->\n\n2\n", "not right above"),
                (block("file a.yaml, key: 1", "key: 2") + block("run", "echo b 1") + block("printed", "a 1"), "the guide shows"),
                (block("file a.yaml, key: 1", "key: 2") + "<!-- test: numbers print(1, 2) -->\n10 %\n", "has 1 numbers"),
                (block("file a.yaml, key: 1", "kez: 2"), "no key 'key'"),
                (block("run, 5 => 2", "echo 3"), "has no '5'"),
                (block("look", "true"), "not one of file"),
                (" " + block("run", "true"), "on a line of its own"),
                ("<!-- test: run -->\n\n```sh\ntrue\n```\n", "not right above")):
            page.write_text(text, encoding="utf-8")
            with self.assertRaises((AssertionError, ValueError)) as caught:
                self.follow(page)
            self.assertIn(reason, str(caught.exception))

    def test_what_varies_stays(self):
        page = self.folder / "page.md"
        text = block("run", "echo '7 steps in 2 s: 3 steps/s'") + block("printed", "5 steps in 1 s: 5 steps/s")
        page.write_text(text, encoding="utf-8")
        self.assertEqual(self.follower.renewed(page), text.replace("5 steps in", "7 steps in"))

    def test_commands_of_a_smaller_run(self):
        page = self.folder / "page.md"
        text = block("run, many => few", "echo many") + block("printed", "many")
        page.write_text(text, encoding="utf-8")
        self.assertRaises(AssertionError, self.follower.renewed, page)
        self.assertEqual(Follower(self.folder / "long", keep=True).renewed(page), text)

    def test_only_long_compares_digits_of_a_smaller_run(self):
        page = self.folder / "page.md"
        text = (block("file a.yaml, key: 1", "key: 2") + block("run", "cat a.yaml") + block("printed", "key: 3") +
                "<!-- test: numbers print(said.split()[1]) -->\nA key of 4.\n")
        page.write_text(text, encoding="utf-8")
        self.assertEqual(self.follower.renewed(page), text)
        self.assertEqual(Follower(self.folder / "long", keep=True).renewed(page),
                         text.replace("key: 3", "key: 2").replace("of 4", "of 2"))


@unittest.skipUnless((SOURCE / "src").is_dir(), "TWIRL_SOURCE is not the whole project")
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
