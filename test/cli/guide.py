# SPDX-License-Identifier: BSD-3-Clause
"""Follows a page: runs its commands and puts in the numbers that they give. For the test of the guide, which runs some pages at a
smaller size, and for tools/renew_pages, which runs all of them in full.

A page marks what is run with a comment, which readers do not see:

    <!-- test: file NAME -->        the block below becomes a file
    <!-- test: file NAME, KEY: VALUE, ... -->   with VALUE for KEY, so that the test is short: it compares the lines and
                                    counts the numbers of the page; tools/renew_pages writes them
    <!-- test: run -->              the block below is run by bash, in the page's own folder
    <!-- test: run, status N -->    and ends with N
    <!-- test: run, OLD => NEW -->  with NEW for OLD, so that the test is short, as above
    <!-- test: lammps -->           like run, if twirl-lmp has been built
    <!-- test: after PAGE -->       the files and commands of another page come first
    <!-- test: printed -->          the last run printed these lines, each once; times and estimates may differ
    <!-- test: figure FILE -->      the picture below is FILE of a run; tools/renew_pages copies it
    <!-- test: numbers CODE -->     the paragraph, table or list below, up to a blank line: CODE is Python and prints its
                                    numbers in their order, `_` for one that is not a result

CODE has the functions of class Results, `said`, the output of the last run, and keeps its variables to the end of the page.
"""

import contextlib
import csv
import io
import json
import math
import os
import re
import shutil
import subprocess
from pathlib import Path

from cli import SOURCE, TWIRL

LAMMPS = shutil.which(os.environ.get("TWIRL_LMP", "twirl-lmp"))
PAGES = [SOURCE / "README.md", *sorted((SOURCE / "docs" / "guide").glob("**/*.md"))]
SMALLER = re.compile(r"^<!-- test: (?:file [^,\n]+, |run, .+ => ).*?-->\n", re.MULTILINE)  # a file or command that the test changes
RESULTS = re.compile("^<!-- test: (printed|numbers|figure)", re.MULTILINE)
LONG_PAGES = [page for page in (*sorted((SOURCE / "scenarios").glob("**/*.md")), *PAGES)  # no test compares their digits
              if RESULTS.search(text := page.read_text(encoding="utf-8")) and
              (SMALLER.search(text) or page.is_relative_to(SOURCE / "scenarios"))]

MARK = re.compile(r"^<!-- test: (\w+),?\s*(.*?)\s*-->\n", re.MULTILINE | re.DOTALL)
PICTURE = re.compile(r"!\[.*?\]\((.*?)\)")
FENCED = re.compile(r"```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NOTHING = re.compile("()")
PARAGRAPH = re.compile(r"((?:.+\n)+)")
NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:,\d{3})*(?:\.\d+)?(?:e[-+]?\d+)?(?!\w)")
# What depends on the machine and its load: run times, rates, and the estimates of `twirl check`.
VARIES = re.compile(r"in [\d.e+]+ s: .*$|about [\d.e+]+ steps, (?:[\d.e+-]+ s|[\d:]+)|trial with \d+ grains|memory \d+ MB, disk [\d.]+ [kM]B")


class Mismatch(AssertionError):
    """The page shows something that the program does not print."""


class Results:
    """What runs have written, for the code of `numbers`."""

    def __init__(self, folder):
        self.folder = folder

    def rows(self, run, stage):
        """Rows of a stage in a history: dicts with a number for each column."""
        with open(self.folder / run / "history.csv", encoding="utf-8") as file:
            return [{key: number(text) for key, text in row.items()} for row in csv.DictReader(file)
                    if row["stage"] == stage]

    def stage(self, run, name):
        """The object of a stage in summary.json."""
        with open(self.folder / run / "summary.json", encoding="utf-8") as file:
            return next(one for one in json.load(file)["stages"] if one["name"] == name)

    def table(self, file):
        """Rows of a CSV file."""
        with open(self.folder / file, encoding="utf-8") as opened:
            return [{key: number(text) for key, text in row.items()} for row in csv.DictReader(opened)]

    def evaluation(self, run, stage):
        """What `twirl info RUN` prints of a stage, or of the test that it is part of."""
        done = subprocess.run([TWIRL, "info", self.folder / run], text=True, check=True, stdout=subprocess.PIPE)
        part = re.search(rf"^(?:{re.escape(stage)} |.*; test: (?:.*, )?{re.escape(stage)}\b).*\n((?:  .*\n)*)", done.stdout, re.MULTILINE).group(1)
        return {key: number(value) for key, value in (line.split()[:2] for line in part.splitlines())}

    def names(self):
        return {"rows": self.rows, "stage": self.stage, "table": self.table, "evaluation": self.evaluation,
                "json": json, "math": math, "re": re, "folder": self.folder, "top": top, "span": span, "mean": mean}


def number(text):
    try:
        return float(text)
    except ValueError:
        return text


def top(rows, column="stress_ratio"):
    """The row with the largest value in a column."""
    return max(rows, key=lambda row: row[column])


def span(rows, column):
    """The smallest and the largest value of a column."""
    values = [row[column] for row in rows]
    return min(values), max(values)


def mean(rows, column, first, last):
    """Mean of a column over the rows with strains in a range."""
    values = [row[column] for row in rows if first <= row["strain"] <= last]
    return sum(values) / len(values)


class Mark:
    """A comment of a page with the text below it."""

    def __init__(self, word, rest, start, text):
        self.word, self.rest, self.start, self.text = word, rest, start, text


def marks(page):
    """The marks of a page, in their order."""
    found = []
    for match in MARK.finditer(page):
        below = {"numbers": PARAGRAPH, "figure": PICTURE, "after": NOTHING}.get(match[1], FENCED).match(page, match.end())
        if not below:
            raise ValueError(f"<!-- test: {match[1]} ... --> is not right above a block")
        found.append(Mark(match[1], match[2], below.start(1), below[1]))
    if len(found) != page.count("<!-- test:"):
        raise ValueError("a comment <!-- test: ... --> is not on a line of its own")
    return found


def shrink(text, changes):
    for change in changes:
        key, value = change.split(": ")
        text, count = re.subn(rf"\b{key}: [^,}}\n#]*", change + " ", text)
        if count == 0:
            raise ValueError(f"the file has no key '{key}' to change to {value}")
    return text


def form(line):
    """A line without its numbers: that of a page and that of the program are the same line. A time may be 70 s or 1:54."""
    line = re.sub(r"[-+]?\d[\d.:]*(?:e[-+]?\d+)?\b|\b[0-9a-f]{16}\b", "#", " ".join(line.split()))
    return re.sub(r"(steps, #) s\b", r"\1", line)


def renewed_lines(shown, printed):
    """The lines of a page with the numbers of the program, except those that vary."""
    lines, left = [], ["", *printed.splitlines()]
    for line in shown.splitlines():
        found = next((one for one in left if form(one) == form(line)), None)
        if found is None:
            raise Mismatch(f"the guide shows\n{line}\nthe program printed\n{printed}")
        left.remove(found)
        kept = iter(VARIES.findall(line))
        lines.append(VARIES.sub(lambda match, kept=kept: next(kept, match[0]), found.rstrip()))
    return "".join(line + "\n" for line in lines)


def renewed_numbers(shown, words):
    """A paragraph with other numbers."""
    present = NUMBER.findall(shown)
    if len(present) != len(words):
        raise Mismatch(f"the paragraph\n{shown}\nhas {len(present)} numbers\n{' '.join(present)}\n"
                       f"its code prints {len(words)}\n{' '.join(words)}")
    wanted = iter(words)
    return NUMBER.sub(lambda match: match[0] if (word := next(wanted)) == "_" else word, shown)


class Follower:
    """Follows pages: runs their commands and renews their numbers."""

    # Complete runs stay as they are.
    RESUME = 'twirl() { case $1 in run | sweep) set -- "$@" --resume ;; esac; command twirl "$@"; }\n'

    def __init__(self, folder, keep=False):
        self.folder, self.keep, self.runs = folder.resolve(), keep, 0
        self.resume = ""  # before every script
        self.figures = []  # where they are, where they belong
        self.work = self.folder / "work"
        self.bin = self.folder / "bin"
        shutil.rmtree(self.bin, ignore_errors=True)
        self.bin.mkdir(parents=True)
        for name, program in (("twirl", TWIRL), ("twirl-lmp", LAMMPS)):
            if program:
                (self.bin / name).symlink_to(Path(program).resolve())

    def shell(self, script, status):
        done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", self.resume + script], text=True,
                              cwd=self.work, check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT,
                              env={**os.environ, "PATH": f"{self.bin}:{os.environ['PATH']}", "OMP_NUM_THREADS": "1"})
        if done.returncode != status:
            raise Mismatch(f"exit status {done.returncode} != {status}\n{script}{done.stdout}")
        self.runs += 1
        return done.stdout

    def existing(self, name):
        if not (self.work / name).exists():
            raise Mismatch(f"the page shows {name}, which no run has written")
        return self.work / name

    @staticmethod
    def values(code, names):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(compile(code, "numbers", "exec"), names)  # pylint: disable=exec-used; our own pages
        return said.getvalue().split()

    def act(self, mark):
        """Writes a file, or returns what a command printed."""
        if mark.word == "file":
            name, *changes = mark.rest.split(", ")
            (self.work / name).write_text(mark.text if self.keep else shrink(mark.text, changes), encoding="utf-8")
        elif mark.word == "run" or mark.word == "lammps" and LAMMPS:
            old, changed, new = mark.rest.partition(" => ")
            if changed and old not in mark.text:
                raise ValueError(f"the command has no '{old}' to change to '{new}'")
            script = mark.text.replace(old, new) if changed and not self.keep else mark.text
            return self.shell(script, 0 if changed else int(mark.rest.rpartition(" ")[2] or 0))
        return ""

    def renewed(self, path):
        """The text of a page as it should be."""
        page = path.read_text(encoding="utf-8")
        found = marks(page)
        resumed = self.keep and not any(mark.word == "printed" for mark in found)
        self.resume = self.RESUME * resumed
        if not resumed:
            shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(exist_ok=True)
        if not (self.work / "scenarios").exists():
            (self.work / "scenarios").symlink_to(SOURCE / "scenarios")
        pieces, end, printed = [], 0, ""
        smaller = not self.keep and SMALLER.search(page)
        names = Results(self.work).names()
        for mark in found:
            text = mark.text
            if mark.word in ("file", "run", "lammps"):
                printed = self.act(mark)
            elif mark.word == "after":
                for earlier in marks((path.parent / mark.rest).read_text(encoding="utf-8")):
                    self.act(earlier)
            elif mark.word == "figure":
                self.figures.append((self.existing(mark.rest), path.parent / mark.text))
            elif mark.word in ("printed", "numbers"):
                names["said"] = printed
                text = (renewed_lines(mark.text, printed) if mark.word == "printed" else
                        renewed_numbers(mark.text, self.values(mark.rest, names)))
                text = mark.text if smaller else text
            else:
                raise ValueError(f"'{mark.word}' is not one of file, run, lammps, after, printed, numbers, figure")
            pieces += [page[end:mark.start], text]
            end = mark.start + len(mark.text)
        return "".join(pieces) + page[end:]


def differences(page, renewed):
    """Lines of a page that should be others."""
    pairs = zip(page.splitlines(), renewed.splitlines())
    return "".join(f"line {k}\n  {old}\nshould be\n  {new}\n" for k, (old, new) in enumerate(pairs, 1) if old != new)
