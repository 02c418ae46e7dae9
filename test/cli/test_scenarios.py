#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The scenarios in scenarios/, with few grains and few steps, checked against the answers in their
READMEs as far as few grains allow."""

import csv
import json
import math
import os
import sys
import tempfile
import unittest
from pathlib import Path

from cli import SCALE, SOURCE, CliTest, run

SCENARIOS = SOURCE / "scenarios"
sys.path.append(str(SCENARIOS / "small_strain_hertz"))
from moduli import moduli  # noqa: E402


class ScenarioTest(CliTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_small(self, name, *settings):
        out = self.folder / name
        options = [word for setting in settings for word in ("--set", setting)]
        done = run("run", str(SCENARIOS / name / f"{name}.yaml"), "--threads", "1", "--quiet", "--out",
                   str(out), *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        stages = json.loads((out / "summary.json").read_text())["stages"]
        return {stage["name"]: stage for stage in stages}

    def history(self, name, stage):
        with open(self.folder / name / "history.csv", encoding="ascii") as file:
            rows = [row for row in csv.DictReader(file) if row.pop("stage") == stage]
        return [{key: float(value) for key, value in row.items()} for row in rows]


class Runs(ScenarioTest):
    """Each runs and has a title."""

    def settings(self, text):
        # Friction makes preparation quick, and equilibrium is not needed.
        settings = ["specimen.count=40", "specimen.preparation.unbalanced=0.2",
                    "specimen.preparation.inertial_number=0.1", "specimen.preparation.friction=0.3"]
        settings += [f"specimen.preparation.{key}=" for key in ("porosity", "void_ratio", "tolerance")
                     if f"{key}:" in text]
        for number, stage in enumerate(text.split("path: ")[1:], 1):
            if stage.startswith("rotate"):
                settings.append(f"stages[{number}].rotation.increments=10")
            elif stage.startswith("probes"):
                settings += [f"stages[{number}].probes.{key}"
                             for key in ("count=4", "steps=3", "settle=0.2", "rest=0.2")]
            else:
                settings.append(f"stages[{number}].end.steps=20")
        return settings

    def test_each(self):
        files = [path for path in sorted(SCENARIOS.glob("*/*.yaml")) if path.stem == path.parent.name]
        self.assertGreaterEqual(len(files), 10)
        for path in files[::1 if SCALE >= 1 else 5]:
            if path.stem in ("fcc_strength", "limit_state", "incline", "bounce"):  # below
                continue
            with self.subTest(path.stem):
                stages = self.run_small(path.stem, *self.settings(path.read_text()))
                self.assertTrue(all(0.2 < s["porosity"] < 0.7 for s in stages.values()), stages)

    def test_each_scenario_has_a_known_answer(self):
        for path in SCENARIOS.glob("*/*.yaml"):
            self.assertTrue((path.parent / "README.md").exists(), path)


class Answers(ScenarioTest):
    def test_fcc_strength(self):
        # A lattice deforms uniformly, so that neither the number of spheres nor the rate matters. The
        # closed-form solution is for rigid spheres; overlaps are 1e-4 of a diameter.
        self.run_small("fcc_strength", "specimen.count=32", "stages[shear].inertial_number=1e-3",
                       "output.history.steps=10")
        rows = self.history("fcc_strength", "shear")
        ratio = [2.0 * row["stress_zz"] / (row["stress_xx"] + row["stress_yy"]) for row in rows]
        self.assertAlmostEqual(max(ratio), 2.0 * 1.3 / 0.7, delta=0.002 * 3.7143)
        # All contacts of a kind slide or open in the same step, which no servo can anticipate.
        missed = [row["deviation"] for row in rows if row["deviation"] > 1e-5]
        self.assertLess(len(missed), 0.02 * len(rows))
        self.assertLess(max(missed, default=0.0), 0.01)
        # Then spheres slide down each other: 2 tan(a) tan(a + b), with a the angle of the contacts to
        # the lateral plane and b the friction angle.
        last = rows[-1]
        angle = math.asin(math.sqrt(0.5) * math.exp(-last["strain_zz"]))
        falling = 2.0 * math.tan(angle) * math.tan(angle + math.atan(0.3))
        self.assertAlmostEqual(ratio[-1], falling, delta=0.002 * falling)

    @unittest.skipUnless(os.environ.get("TWIRL_STATICS", "1") == "1", "built without MUMPS")
    def test_limit_state(self):
        # Statics: below failure every load is carried; at failure those that do not lead beyond the stress ratio are. Dynamics:
        # a load beyond it runs away.
        stages = self.run_small("limit_state")
        self.assertEqual(stages["stable"]["rates"]["verdict"], "unique")
        self.assertEqual(stages["stable"]["rates"]["without_solution"], 0)
        self.assertEqual(stages["limit"]["rates"]["verdict"], "not unique")
        end = self.history("limit_state", "fail")[-1]
        limit = 2.0 * end["stress_zz"] / (end["stress_xx"] + end["stress_yy"])
        with open(self.folder / "limit_state/stages/limit/rates.csv", encoding="ascii") as file:
            for row in csv.DictReader(file):
                angle = math.radians(float(row["angle"]))
                axial = math.cos(angle) / math.sqrt(3.0) + 2.0 * math.sin(angle) / math.sqrt(6.0)
                lateral = math.cos(angle) / math.sqrt(3.0) - math.sin(angle) / math.sqrt(6.0)
                self.assertEqual(row["found"] == "none", axial > limit * lateral, row["angle"])
        self.assertEqual(stages["softening"]["rates"]["without_solution"], 0)
        self.assertGreater(stages["softening"]["rates"]["negative_work"], 0)
        push, runaway = self.history("limit_state", "push")[-1], self.history("limit_state", "runaway")
        self.assertEqual((stages["push"]["end"], stages["runaway"]["end"]), ("time", "strain"))
        self.assertLess(push["strain"], 1e-5)
        self.assertAlmostEqual(push["stress_zz"], 335e3, delta=100.0)
        self.assertLess(max(row["stress_zz"] for row in runaway), 372e3)  # of 375 kPa

    def test_incline(self):
        # Energies grow as the squares of velocities; the vibration across the slope has died away.
        self.run_small("incline")
        mass, g = 2650 * math.pi / 6 * 0.01**3, 9.81
        for stage, expected in (("roll", 5 / 7 * 0.5 * g), ("slide", g * (0.5 - 0.1 * math.sqrt(0.75)))):
            a, b = [row for row in self.history("incline", stage) if row["stage_step"] in (7500, 10000)]
            v = [math.sqrt(2 * row["kinetic"] / mass) for row in (a, b)]
            self.assertAlmostEqual((v[1] - v[0]) / (b["time"] - a["time"]), expected, delta=1e-3 * expected)
        self.assertLess(self.history("incline", "stick")[-1]["kinetic"], 1e-15)

    def test_bounce(self):
        # The restitution of the material, to the error of 200 steps for a contact.
        self.run_small("bounce")
        rows = self.history("bounce", "bounce")
        self.assertAlmostEqual(math.sqrt(rows[-1]["kinetic"] / rows[0]["kinetic"]), 0.6, delta=1e-4)

    def test_small_strain_hertz(self):
        # In a face-centred cubic lattice all contacts have the same force and follow the mean
        # strain: the effective-medium moduli are exact, and grow with p^(1/3). Left out are terms
        # of the order of overlap over diameter and of p over modulus.
        self.run_small("small_strain_hertz", "specimen.arrangement=fcc", "specimen.count=4",
                       "specimen.sizes={d: 1 mm}")
        rows = moduli(self.folder / "small_strain_hertz")
        self.assertEqual([round(row[0] / 1e3) for row in rows], [100, 300, 1000, 3000, 10000])
        for p, _, coordination, k, g, k_medium, g_medium in rows:
            self.assertEqual(coordination, 12)
            self.assertAlmostEqual(k, k_medium, delta=3e-4 * k_medium + p)
            self.assertAlmostEqual(g, g_medium, delta=3e-4 * g_medium + 3 * p)
        low, high = rows[0], rows[2]
        exponent = math.log(high[4] / low[4]) / math.log(high[0] / low[0])
        self.assertAlmostEqual(exponent, 1 / 3, delta=1e-3)


if __name__ == "__main__":
    unittest.main(verbosity=1)
