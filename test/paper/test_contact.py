# SPDX-License-Identifier: BSD-3-Clause
"""paper/contact.c against closed-form solutions and orders of convergence; contact.gp draws what it prints."""

import math
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SOURCE, PROGRAM = Path(os.environ["TWIRL_SOURCE"]), Path(os.environ["TWIRL_BINARY"]) / "paper/paper_contact"


def printed(name):
    return subprocess.run([PROGRAM, name], capture_output=True, text=True, check=True).stdout


def table(name, columns):
    head, *lines = printed(name).splitlines()
    assert head.split(",") == columns
    return [tuple(map(float, line.split(","))) for line in lines]


class Contact(unittest.TestCase):
    def test_directions_agree_with_the_closed_forms(self):
        rows = table("turning", ["movement", "theta_exact", "theta_paper", "theta_conventional"])
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

    def test_orders_of_convergence(self):
        rows = table("hertz", ["steps", "exact", "rescaled", "conventional"])
        self.assertEqual([row[0] for row in rows], [32 << i for i in range(9)])
        # Over four halvings: second order gives 256, first order 16, another limit 1.
        coarse, fine = rows[4], rows[8]
        self.assertAlmostEqual(coarse[1] / fine[1], 256, delta=60)
        self.assertAlmostEqual(coarse[2] / fine[2], 16, delta=2)
        self.assertAlmostEqual(coarse[3] / fine[3], 1, delta=0.1)
        self.assertLess(fine[1], 1e-6)
        self.assertGreater(fine[3], 1e-2)

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_figures_are_drawn(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("turning", "hertz"):
                (Path(folder) / f"{name}.csv").write_text(printed(name), encoding="utf-8")
            done = subprocess.run(["gnuplot", SOURCE / "paper/contact.gp"], cwd=folder, capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            for name, curves in (("turning", ("exact", "paper", "conventional")), ("hertz", ("exact", "conventional, rescaled"))):
                text = (Path(folder) / f"{name}.svg").read_text(encoding="utf-8")
                for curve in curves:
                    self.assertIn(curve, text)


if __name__ == "__main__":
    unittest.main()
