# SPDX-License-Identifier: BSD-3-Clause
"""What the program shows of walls: pictures, films, reports, and words. TWIRL names it."""

import array
import base64
import json
import math
import os
import re
import shutil
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))

from samples import SampleTest
from test_commands import run
from test_render import read_png

SCENARIO = """
specimen:
  count: 30
  sizes: {distribution: uniform, d_min: 0.8 mm, d_max: 1.2 mm}
  preparation: {pressure: 100 kPa, friction: 0.2, inertial_number: 0.02, unbalanced: 0.1}
material: {stiffness_level: 300, friction: 0.5}
stages: [{name: one, path: triaxial, inertial_number: 0.02, end: {strain: 1 %}}]
output: {lammps: {strain: 0.25 %}}
"""

# Of the sample: a cone about the vertical axis through (AXIS, AXIS).
AXIS, LOW, HIGH, RIM, SLOPE = 0.035, -0.006, 0.08, 0.0791, 0.35
STEEL = (0.26, 0.36, 0.50)
FACING = math.cos(math.atan(SLOPE)) * math.cos(math.pi / 64)  # of the facets next to its middle
SHARE = 0.10 + 0.30 * (1 - FACING) ** 2  # that one of them covers


def veiled(layers):
    clear = (1 - SHARE) ** layers
    return [255 * (clear + (1 - clear) * part) for part in STEEL]


class Walls(SampleTest):
    def render(self, *options, state="hopper"):
        done = run("render", self.path(state + ".h5"), "--out", self.path("picture.png"), "--size", "300x300", "--no-bar",
                   "--no-axes", "--no-scale", *options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return float(re.search(r"pixels of (\S+) m", done.stdout)[1]), read_png(self.path("picture.png"))[2]

    def test_a_picture_has_walls_where_they_are(self):
        """Between grains and rim one sees two layers of the cone, of a cut one the one behind."""
        size = math.hypot(2 * RIM, 2 * RIM, HIGH - LOW)
        line = 0.0015 * ((2 * RIM) ** 2 * (HIGH - LOW)) ** (1 / 3)
        for options, layers in (((), 2), (("--cut", "b:0.5"), 1)):
            pixel, pixels = self.render("--view", "y", *options)
            # the floor goes on for 0.04 of the size
            wide = 2 * RIM + 2 * 0.04 * size + 2 * line
            self.assertLess(abs(pixel / (wide / (0.96 * 300)) - 1), 1e-5)
            row = int(150 - (HIGH - 0.002 - 0.5 * (LOW + HIGH)) / pixel)
            for column in (149, 150):
                for found, expected in zip(pixels[row][column], veiled(layers)):
                    self.assertLess(abs(found - expected), 1.01)

    def test_walls_can_be_left_out_and_open_cells_have_no_edges(self):
        _, pixels = self.render("--no-walls")
        self.assertTrue(pixels == self.render("--no-walls", "--no-cell")[1])
        self.assertFalse(pixels == self.render("--no-cell")[1])
        # of a cell that is periodic along two edges these are there, four times each
        with_cell, without = (self.render("--no-walls", "--view", "z", *more, state="box")[1] for more in ((), ("--no-cell",)))
        self.assertFalse(with_cell == without)
        _, side = self.render("--no-walls", "--view", "y", state="box")
        upright = [sum(row[x] == (82, 82, 82) for row in side) for x in range(300)]
        self.assertLess(max(upright), 12, "no edge goes along the open direction")

    def test_a_grain_before_a_wall_has_its_colour(self):
        """Seen from above, nothing is before the grains."""
        (_, pixels), (_, alone) = (self.render("--view", "z", *options) for options in ((), ("--no-walls",)))
        bright = max((p for row in alone for p in row if p[1] > 2 * p[0]), key=sum)
        self.assertGreater(sum(p == bright for row in pixels for p in row), 20)

    def test_info_lists_walls(self):
        done = run("info", self.path("hopper.h5"))
        with open(self.path("hopper.json"), encoding="utf-8") as file:
            truth = json.load(file)["walls"]
        lines = re.findall(r"^wall (\d)  +(.*?) at \(.*?\) m, force \((\S+) (\S+) (\S+)\) N$", done.stdout, flags=re.M)
        self.assertEqual([line[:2] for line in lines], [("0", "plane"), ("1", "mesh"), ("2", "profile of revolution")])
        for line, wall in zip(lines, truth):
            self.assert_close([float(text) for text in line[2:]], wall["force"], 1e-5 * math.hypot(*wall["force"]))

    def test_reports_and_films(self):
        """Of a run, in the place of whose states others are put."""
        with open(self.path("s.yaml"), "w", encoding="utf-8") as file:
            file.write(SCENARIO)
        done = run("run", "s.yaml", "--quiet", "--out", "run", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        shutil.copy(self.path("hopper.h5"), self.path("run", "stages", "one.h5"))
        # Frames know no walls: the film has states alone, of which the last has walls.
        for options, count, walls in (((), 2, [False, True]), (("--no-walls",), 5, [False] * 5)):
            done = run("movie", "run", "--quiet", "--pictures", "p", "--figure", "none", "--size", "160x120", *options, cwd=self.folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn(f" {count} pictures ", done.stdout)
            pictures = [read_png(self.path("p", name))[2] for name in sorted(os.listdir(self.path("p")))]
            tinted = [sum(p[2] > p[0] + 5 and p[2] < 250 and p[0] > 180 for row in picture for p in row) for picture in pictures]
            self.assertEqual([number > 1000 for number in tinted], walls)
            shutil.rmtree(self.path("p"))
        shutil.copy(self.path("hopper.h5"), self.path("run", "states", "specimen.h5"))
        shutil.copy(self.path("fine.h5"), self.path("run", "stages", "one.h5"))
        done = run("report", "run", "--json", "report.json", cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(self.path("report.json"), encoding="utf-8") as file:
            first, last = json.load(file)["runs"][0]["snapshots"]
        self.check_walls(first["walls"], 0)
        self.check_walls(last["walls"], 1)
        self.assert_close(first["extent"], [AXIS - RIM, AXIS - RIM, LOW, AXIS + RIM, AXIS + RIM, HIGH], 1e-15)

    def check_walls(self, walls, left_out):
        self.assertEqual(walls["left_out"], left_out)
        x, triangle, edge = (array.array(kind, base64.b64decode(walls[name])) for name, kind in (("x", "f"), ("triangle", "I"), ("edge", "I")))
        self.assertEqual([len(x), len(triangle), len(edge)], [3 * walls["vertices"], 3 * walls["triangles"], 2 * walls["edges"]])
        corners = [[x[3 * i:3 * i + 3] for i in triangle[k:k + 3]] for k in range(0, len(triangle), 3)]
        cone = [t for t in corners if all(abs(math.hypot(p[0] - AXIS, p[1] - AXIS) - (0.0511 + SLOPE * p[2])) < 1e-7 for p in t)]
        self.assertEqual(len(cone), len(corners) - 4)  # the floor is two triangles, and so is the plate
        self.assertEqual(len(cone) % 128, 0)
        self.assertEqual(len(edge), 2 * (2 * 64 + 4 + 4))  # two circles, two quadrangles
        self.assertTrue(all(p[2] == array.array("f", [-0.0049])[0] for t in corners[:2] for p in t))


if __name__ == "__main__":
    unittest.main()
