# SPDX-License-Identifier: BSD-3-Clause
"""Materials and their laws as seen by twirl info, plot, render and sweep."""

import csv
import json
import math
import shutil
import tempfile
import unittest
from pathlib import Path

from cli import CliTest, run

SCENARIO = """
title: Two materials
specimen:
  count: 60
  sizes: {distribution: uniform, d_min: 0.8 mm, d_max: 1.2 mm}
  shapes:
    - {shape: sphere, share: 3, material: quartz}
    - {shape: sphere, share: 1, material: rubber}
  preparation: {pressure: 100 kPa, friction: 0.3, unbalanced: 0.1, inertial_number: 0.05}
materials:
  - {name: quartz, kn: 1e5, friction: 0.5, rolling_friction: 0.1, density: 2650 kg/m^3}
  - {name: rubber, kn: 3e4, friction: 0.9, twisting_friction: 0.2, density: 1100 kg/m^3}
stages:
  - {name: shear, path: triaxial, inertial_number: 0.01, end: {strain: 2 %}, save: end}
output: {history: {steps: 20}}
"""


class Materials(CliTest):
    """One run, looked at by all commands."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        (cls.folder / "scenario.yaml").write_text(SCENARIO, encoding="ascii")
        done = run("run", "scenario.yaml", "--threads", "1", "--quiet", "--out", "run", cwd=cls.folder)
        if done.returncode != 0:
            raise AssertionError(done.stderr)

    def said(self, *arguments):
        done = run(*arguments, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def rows(self, *names, **values):
        with open(self.folder.joinpath(*names), newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        return [row for row in rows if all(row[key] == values[key] for key in values)]

    def test_info_lists_materials_and_laws(self):
        lines = self.said("info", "run/states/end.h5").splitlines()
        for expected in ("materials        quartz, 45 bodies, density 2650 kg/m^3",
                         "                 rubber, 15 bodies, density 1100 kg/m^3",
                         "law              quartz, quartz: exact, kn 100000 N/m, kt 100000 N/m, mu 0.5",
                         "                 rolling: mu_r 0.1, k_r/kt 1",
                         "law              quartz, rubber: exact, kn 46153.8 N/m, kt 46153.8 N/m, mu 0.5",
                         "law              rubber, rubber: exact, kn 30000 N/m, kt 30000 N/m, mu 0.9",
                         "                 twisting: mu_w 0.2, k_w/kt 1"):
            self.assertIn(expected, lines)
        # Volumes follow from the masses by the density of each material.
        summary = json.loads((self.folder / "run" / "summary.json").read_text())
        porosity = next(line for line in lines if line.startswith("porosity"))
        self.assertAlmostEqual(float(porosity.split()[1][:-1]), summary["stages"][-1]["porosity"],
                               delta=1e-6)

    def test_info_of_a_run_lists_the_materials(self):
        said = self.said("info", "run")
        self.assertIn("materials                quartz: kn 100000 N/m, kt_ratio 1, friction 0.5, rolling_friction 0.1, "
                      "kr_ratio 1, density 2650 kg/m^3\n", said)
        self.assertIn("                         rubber: kn 30000 N/m", said)

    def test_info_shows_the_losses_of_rolling_and_twisting(self):
        last = self.rows("run", "history.csv", stage="shear")[-1]
        expected = "micro-slip 0, rolling {:.6g}, twisting {:.6g} J".format(
            float(last["rolling"]), float(last["twisting"]))
        self.assertIn(expected, self.said("info", "run/states/end.h5"))

    def test_render_by_material(self):
        said = self.said("render", "run/states/end.h5", "--out", "picture.png", "--size", "40x30",
                         "--color", "material")
        self.assertIn("60 bodies, quartz: 45, rubber: 15\n", said)

    def test_render_sizes_by_the_density_of_each_material(self):
        said = self.said("render", "run/states/end.h5", "--out", "picture.png", "--size", "40x30",
                         "--color", "size", "--range", "all")
        info = self.said("info", "run/states/end.h5")
        words = next(line for line in info.splitlines() if line.startswith("diameter")).split()
        least, most = float(words[1]), float(words[3])
        self.assertTrue(0.0008 <= least < most <= 0.0012, words)
        self.assertIn(f"size {least} to {most} m\n", said)

    def test_plot_has_the_losses_that_there_are(self):
        done = run("plot", "run", "--out", "curves", cwd=self.folder, env={"PATH": "/nonexistent"})
        self.assert_refused(done, "gnuplot not found", status=1)
        history = self.rows("run", "history.csv", stage="shear")
        curves = self.rows("curves", "curves.csv")
        self.assertEqual(len(curves), len(history))
        for name in ("rolling", "twisting"):
            self.assertGreater(float(history[-1][name]), 0.0)
            for h, c in zip(history, curves):
                self.assertAlmostEqual(float(c[name]), float(h[name]) - float(history[0][name]),
                                       delta=1e-12 * float(history[-1][name]))
        # No Hertz contacts: no micro-slip, and no curve of it.
        self.assertNotIn("micro_slip", curves[0])
        stored = ("normal", "tangential", "stored_rolling", "stored_twisting")
        for h, c in zip(history, curves):
            self.assertAlmostEqual(sum(float(h[name]) - float(history[0][name]) for name in stored),
                                   float(c["stored"]), delta=1e-12 * float(h["normal"]))

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_sweep_over_a_key_of_a_material(self):
        done = run("sweep", "scenario.yaml", "--vary", "materials[quartz].rolling_friction=0,0.3",
                   "--set", "stages[shear].end.steps=20", "--out", "sweep", "--quiet", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = self.rows("sweep", "table.csv")
        self.assertEqual([row["materials[quartz].rolling_friction"] for row in rows], ["0", "0.3"])
        self.assertNotEqual(*(row["void_ratio_end"] for row in rows))


class Impossible(CliTest):
    """Specimens that cannot be are refused, and no number is made of them."""

    def test_sizes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "one.csv"
            for radius, problem in (("10", "the grains have a volume of 4188.79 m^3, more than the 1 m^3 of their periodic cell"),
                                    ("1e120", "beyond the range of a double"), ("1e-120", "beyond the range of a double")):
                path.write_text(f"# cell: 1 0 0  0 1 0  0 0 1\nx,y,z,r\n0.5,0.5,0.5,{radius}\n")
                for command in (("info", str(path)), ("render", str(path), "--out", str(path) + ".png")):
                    done = run(*command)
                    self.assert_refused(done, "one.csv: ", problem)
                    self.assertEqual(done.stdout, "")


class Hertz(CliTest):
    def test_info_shows_the_elastic_constants_of_the_contacts(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder)
            (path / "scenario.yaml").write_text("""
title: A lattice of glass spheres
specimen: {count: 4, arrangement: fcc, sizes: {d: 1 mm}, preparation: {pressure: 100 kPa}}
material: {young: 70 GPa, poisson: 0.22, friction: 0.3, rolling_friction: 0.2, kr_ratio: 0.5, restitution: 0.9}
stages: [{name: rest, path: relax, end: {steps: 2}, save: end}]
""", encoding="ascii")
            done = run("run", "scenario.yaml", "--threads", "1", "--quiet", "--out", "run", cwd=path)
            self.assertEqual(done.returncode, 0, done.stderr)
            lines = run("info", "run/states/end.h5", cwd=path).stdout.splitlines()
        contact = 70e9 / (2 * (1 - 0.22**2)), 70e9 / (4 * (2 - 0.22) * (1 + 0.22))
        self.assertIn("law              exact, hertz, E* {:g} Pa, G* {:g} Pa, mu 0.3".format(*contact), lines)
        self.assertIn("                 rolling: mu_r 0.2, k_r/kt 0.5", lines)
        ratio = -math.log(0.9) / math.hypot(math.pi, math.log(0.9))
        self.assertIn(f"                 damping: nu_n {ratio:g}, nu_t 0, nu_r 0, nu_w 0 (damping ratios)", lines)


if __name__ == "__main__":
    unittest.main(verbosity=1)
