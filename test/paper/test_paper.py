# SPDX-License-Identifier: BSD-3-Clause
"""scripts/paper --quick: the campaign runs to the end and gives the expected results."""

import csv
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["TWIRL_SOURCE"])
BINARY = pathlib.Path(os.environ["TWIRL_BINARY"])

ONE_STEP = """title: One step with each law
specimen: {checkpoint: START}
stages:
"""
STAGE = """  - {name: LAW, path: general, from: specimen, law: LAW, end: {steps: 1}, save: LAW,
     control: {xx: {rate: 50 /s}, yy: {rate: -25 /s}, zz: {rate: -25 /s}}}
"""


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=200).stdout


@unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
class Campaign(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.out = pathlib.Path(cls.folder.name)
        output(SOURCE / "scripts/paper", "--quick", "--out", cls.out, "--bin", BINARY)
        cls.numbers = {row["name"]: float(row["value"]) for row in rows(cls.out / "results/numbers.csv")}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_a_second_start_runs_nothing(self):
        said = output(SOURCE / "scripts/paper", "--quick", "--out", self.out, "--bin", BINARY)
        self.assertEqual(len(said.splitlines()), 1, said)

    def test_rigid_rotation(self):
        """The exact law rotates the stress; the errors of the others are those of docs/theory/contact.md."""
        for axis in ("x1", "plane", "skew"):
            error = {case: self.numbers[f"rotation.{axis}_{case}.error"]
                     for case in ("b", "c", "d", "e1000", "e100", "e10", "conventional")}
            for case in ("e1000", "e100", "e10"):
                self.assertLess(error[case], 1e-9, (axis, case))
            # (angle^2/2)/steps = 1.2e-3 of the tangential force; less of the stress.
            self.assertLess(error["d"], 1.3e-3)
            self.assertGreater(error["d"], 1e-6)
            for case in ("b", "c", "conventional"):
                self.assertGreater(error[case], 0.02, (axis, case))
            # Without relative motion the other refinements have no effect: only the projection of `paper` matters.
            self.assertAlmostEqual(error["c"], error["conventional"], delta=1e-6)

    def test_energy_balance_closes(self):
        for name in ("shear", "shear_conventional", "shear_paper"):
            self.assertLess(abs(self.numbers[f"{name}.residual_share"]), 1e-2)

    def test_probes_make_a_circle(self):
        """For each law, with a small one on the other side; with 200 grains and 30 steps the laws hardly differ."""
        modulus = {law: self.numbers[f"probes.steps_30.{law}.unload.loading.modulus"]
                   for law in ("exact", "paper", "conventional")}
        self.assertGreater(modulus["exact"], 0.0)
        for law in ("paper", "conventional"):
            self.assertAlmostEqual(modulus[law] / modulus["exact"], 1.0, delta=0.02)
            other = self.numbers[f"probes.steps_30.{law}.unload.unloading.modulus"]
            self.assertGreater(other, 2.0 * modulus[law])

    def test_map_of_errors(self):
        """For the same movement: exact in one step, paper converges, the printed one does not."""
        table = {(r["state"], r["law"], r["without"], int(r["substeps"])): float(r["error"])
                 for r in rows(self.out / "results/replay.csv")}
        for state in ("moves_6e-4", "moves_peak_6e-4"):
            self.assertLess(table[state, "exact", "-", 1], 1e-3)
            self.assertLess(table[state, "paper", "-", 300], 0.02 * table[state, "paper", "-", 1])
            self.assertGreater(table[state, "as printed", "-", 300], 2e-3)
            self.assertLess(table[state, "conventional", "-", 100], table[state, "conventional", "-", 1])

    def test_replay_agrees_with_the_engine(self):
        """A replay of a single step must give the stress of that step in the engine."""
        start = self.out / "runs/own/states/loading.h5"
        scenario = self.out / "one_step.yaml"
        laws = ("exact", "paper", "conventional")
        scenario.write_text(ONE_STEP.replace("START", str(start)) +
                            "".join(STAGE.replace("LAW", law) for law in laws), encoding="utf-8")
        output(BINARY / "apps/twirl/twirl", "run", scenario, "--quiet", "--out", self.out / "one_step")
        states = self.out / "one_step/states"
        table = csv.DictReader(output(
            BINARY / "paper/paper_state", start, *(states / f"{law}.h5" for law in laws)).splitlines())
        before, *after = list(table)
        for law, state in zip(laws, after):
            replayed = [row for row in csv.DictReader(output(
                BINARY / "paper/paper_replay", start, states / f"{law}.h5").splitlines())
                if (row["law"], row["without"], row["substeps"]) == (law, "-", "1")][0]
            size = abs(float(state["s11"]) - float(before["s11"]))
            self.assertGreater(size, 1.0)
            for replay, name in (("sxx", "s11"), ("syy", "s22"), ("szz", "s33")):
                change = float(state[name]) - float(before[name])
                # Positions of 1e-3 m are rounded at 1e-19 m, so overlaps of 1e-8 m have a relative error of 1e-11;
        # the step changes the stress by about 1e-3 of itself.
                self.assertAlmostEqual(float(replayed[replay]), change, delta=1e-6 * size, msg=law)


class Page(unittest.TestCase):
    """docs/paper/README.md: its numbers are those of the tables next to it."""

    @unittest.skipUnless((SOURCE / "docs/paper/provenance.csv").exists(), "not yet set from one campaign")
    def test_page_is_set_from_its_tables(self):
        wanted = output(SOURCE / "paper/page", SOURCE / "docs/paper")
        self.assertEqual((SOURCE / "docs/paper/README.md").read_text(encoding="utf-8"), wanted)


if __name__ == "__main__":
    unittest.main()
