# SPDX-License-Identifier: BSD-3-Clause
"""twirl figure: the data against closed-form solutions or orders of convergence, and the files."""

import math
import os
import shutil
import struct
import tempfile
import unittest
import xml.etree.ElementTree

from cli import CliTest, run


class Turning(CliTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def draw(self, folder, **options):
        done = run("figure", "turning", "--out", folder, **options)
        self.assertEqual(done.stdout, "")
        return done

    def read(self, folder):
        with open(os.path.join(folder, "turning.csv"), encoding="utf-8") as file:
            lines = file.read().splitlines()
        self.assertEqual(lines[0], "movement,theta_exact,theta_paper,theta_conventional")
        return [tuple(map(float, line.split(","))) for line in lines[1:]]

    def test_directions_agree_with_the_closed_forms(self):
        self.draw(self.folder)
        rows = self.read(self.folder)
        self.assertGreater(len(rows), 50)
        self.assertEqual(rows[0], (0.0, -90.0, -90.0, -90.0))
        self.assertEqual(rows[-1][0], 5.0)
        start = math.radians(-90.0)
        for movement, exact, paper, conventional in rows:
            # d(theta)/dq = -sin(theta) at constant normal force: tan(theta/2) decays as exp(-q).
            turned = math.degrees(2.0 * math.atan(math.tan(start / 2.0) * math.exp(-movement)))
            # (0, -1) + (q, 0), of any length.
            added = math.degrees(math.atan2(-1.0, movement))
            # A few rounding errors of numbers up to 90.
            self.assertAlmostEqual(exact, turned, delta=1e-12)
            self.assertAlmostEqual(paper, turned, delta=1e-12)
            self.assertAlmostEqual(conventional, added, delta=1e-12)

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_files_are_complete(self):
        folder = os.path.join(self.folder, "made", "it's a \"new\" one; really")
        done = self.draw(folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        self.assertEqual(sorted(os.listdir(folder)),
                         ["turning.csv", "turning.gp", "turning.png", "turning.svg"])
        with open(os.path.join(folder, "turning.png"), "rb") as file:
            png = file.read()
        self.assertEqual(png[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(struct.unpack(">II", png[16:24]), (1200, 864))
        self.assertEqual(png[-8:-4], b"IEND")
        svg = xml.etree.ElementTree.parse(os.path.join(folder, "turning.svg")).getroot()
        self.assertEqual((svg.get("width"), svg.get("height")), ("600", "432"))
        words = "".join(svg.itertext())
        for word in ("exact", "paper", "conventional", "°"):
            self.assertIn(word, words)

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_drawing_again_replaces_the_files(self):
        self.assertEqual(self.draw(self.folder).returncode, 0)
        with open(os.path.join(self.folder, "turning.csv"), "rb") as file:
            first = file.read()
        self.assertEqual(self.draw(self.folder).returncode, 0)
        with open(os.path.join(self.folder, "turning.csv"), "rb") as file:
            self.assertEqual(file.read(), first)
        self.assertEqual(len(os.listdir(self.folder)), 4)

    def test_without_gnuplot_the_data_are_kept(self):
        done = self.draw(self.folder, env={"PATH": "/nonexistent"})
        self.assert_refused(done, "gnuplot not found", "gnuplot-nox", status=1)
        self.assertGreater(len(self.read(self.folder)), 50)

    def test_failing_gnuplot_is_reported(self):
        fake = os.path.join(self.folder, "gnuplot")
        with open(fake, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nexit 3\n")
        os.chmod(fake, 0o755)
        done = self.draw(os.path.join(self.folder, "out"), env={"PATH": self.folder})
        self.assert_refused(done, "gnuplot failed on", "turning.gp", status=1)

    def test_directory_that_cannot_be_created(self):
        done = self.draw("/dev/null/figures")
        self.assert_refused(done, "cannot create the folder /dev/null", "Not a directory",
                            status=1)

    def test_bad_command_lines(self):
        for arguments, needles in (
                (("turning",), ("--out is missing",)),
                (("--out", self.folder), ("NAME is missing", "turning")),
                (("turnnig", "--out", self.folder), ("'turnnig' is not a figure", "'turning'")),
                (("turning", "turning", "--out", self.folder), ("NAME is already",)),
                (("turning", "--out", ""), ("--out: the name of the folder is empty",)),
                (("turning", "--out"), ("--out",))):
            self.assert_refused(run("figure", *arguments), "twirl figure: ", *needles)
        self.assertEqual(os.listdir(self.folder), [])


class Hertz(CliTest):
    def test_orders_of_convergence(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run("figure", "hertz", "--out", folder)
            self.assertIn(done.returncode, (0, 1), done.stderr)  # 1: no gnuplot
            with open(os.path.join(folder, "hertz.csv"), encoding="utf-8") as file:
                lines = file.read().splitlines()
        self.assertEqual(lines[0], "steps,exact,rescaled,conventional")
        rows = [tuple(map(float, line.split(","))) for line in lines[1:]]
        self.assertEqual([row[0] for row in rows], [32 << i for i in range(9)])
        # Over four halvings: second order gives 256, first order 16, another limit 1.
        coarse, fine = rows[4], rows[8]
        self.assertAlmostEqual(coarse[1] / fine[1], 256, delta=60)
        self.assertAlmostEqual(coarse[2] / fine[2], 16, delta=2)
        self.assertAlmostEqual(coarse[3] / fine[3], 1, delta=0.1)
        self.assertLess(fine[1], 1e-6)
        self.assertGreater(fine[3], 1e-2)


if __name__ == "__main__":
    unittest.main()
