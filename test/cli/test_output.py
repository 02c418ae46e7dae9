#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a run writes and when: rows, states and frames of each stage."""

import csv
import json
import tempfile
import unittest
from pathlib import Path

from cli import run
from test_run_folder import SCRATCH, FolderTest, content

HEAD = """
specimen:
  count: 60
  sizes: {distribution: uniform, d_min: 0.8 mm, d_max: 1.2 mm}
  preparation: {pressure: 100 kPa, friction: 0.1, inertial_number: 0.05, unbalanced: 0.01}
material: {stiffness_level: 1000, friction: 0.5}
"""
STAGES = """
stages:
  - {name: settle, path: isotropic, pressure: 100 kPa, end: {unbalanced: 0.003}, save: dense}
  - {name: long, path: triaxial, rate: 10, end: {strain: 3 %}}
  - {name: short, path: triaxial, rate: 10, from: dense, end: {strain: 0.3 %}}
  - {name: shake, path: cyclic, rate: 2, from: dense, cycle: {base: simple_shear, strain: 0.1 %}, constant: volume, end: {cycles: 3}}
  - {name: band, path: cyclic, rate: 1, from: dense, cycle: {base: triaxial, strain: 0.1 %, return_to: 0.5}, end: {cycles: 2}}
  - {name: push, path: cyclic, rate: 1, from: dense, cycle: {base: undrained, stress: 20 kPa}, end: {cycles: 3, strain: 5 %}}
  - {name: hold, path: relax, from: dense, end: {steps: 150}}
  - {name: own, path: triaxial, rate: 10, from: dense, end: {strain: 1 %},
     output: {history: {strain: 0.2 %}, states: {strain: 0.3 %}, vtk: {strain: 0.5 %}, lammps: {strain: 0.5 %}}}
"""


def rows_of(folder, stage):
    with open(folder / "history.csv", newline="") as file:
        return [row for row in csv.DictReader(file) if row["stage"] == stage]


def determinant(rows):
    a, b, c = rows
    return sum(a[i] * (b[(i + 1) % 3] * c[(i + 2) % 3] - b[(i + 2) % 3] * c[(i + 1) % 3]) for i in range(3))


def steps_of(folder, stage):
    return [int(row["stage_step"]) for row in rows_of(folder, stage)]


class Rows(FolderTest):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory(dir=SCRATCH)
        cls.addClassCleanup(scratch.cleanup)
        maker = FolderTest()
        maker.folder = Path(scratch.name)
        maker.complete("out", text=HEAD + STAGES)
        cls.out = maker.folder / "out"

    def test_a_stage_has_200_rows_however_long_it_takes(self):
        for stage in ("settle", "long", "short", "hold"):
            steps = steps_of(self.out, stage)
            self.assertGreaterEqual(len(steps), min(steps[-1], 200) + 1, stage)
            for a, b in zip(steps, steps[1:]):
                self.assertLessEqual(b - a, max(1, min(a / 100, 100)), stage)
            # No more than that: 200, 100 for each doubling, then every 100 steps.
            doublings = (min(steps[-1], 12800) // 200).bit_length()
            self.assertLessEqual(len(steps), 202 + 100 * doublings + steps[-1] / 100, stage)
        self.assertGreater(steps_of(self.out, "long")[-1], 2000)

    def test_a_cycle_has_50_rows(self):
        for stage, cycles in (("shake", 3), ("band", 2), ("push", 3)):
            rows = rows_of(self.out, stage)
            self.assertGreater(int(rows[-1]["stage_step"]), 50 * cycles)
            for k in range(cycles):
                inside = [row for row in rows if k <= float(row["cycle"]) < k + 1]
                self.assertGreaterEqual(len(inside), 49, stage)  # the last row may fall just beyond

    def test_what_a_stage_sets_replaces_the_rest(self):
        rows = rows_of(self.out, "own")
        strains = [float(row["strain"]) for row in rows]
        states = sorted(path.name for path in (self.out / "states").glob("own_*"))
        self.assertEqual(states, [f"own_{k:06}.h5" for k in (1, 2, 3)])
        # Multiples of 0.2 %, and of 0.3 % for the states; a step is 0.1 % of that.
        for wanted in (0, 0.002, 0.003, 0.004, 0.006, 0.008, 0.009, 0.01):
            self.assertTrue(any(0 <= strain - wanted < 1e-4 for strain in strains), wanted)
        self.assertLessEqual(len(rows), 9)
        for folder, endings in (("vtk", ("cell_%06d.vtp", "contacts_%06d.vtp", "spheres_%06d.vtu")),
                                ("lammps", ("%06d.dump", "%06d.local"))):
            frames = {path.name for path in (self.out / folder).iterdir() if path.suffix != ".pvd"}
            self.assertEqual(frames, {"own_" + ending % k for ending in endings for k in (0, 1, 2)})
        listed = (self.out / "files.txt").read_text()
        for name in ("states/own_000003.h5", "lammps/own_000002.dump"):
            self.assertIn(f" {name}\n", listed)

    def test_a_state_on_the_way_is_a_specimen(self):
        """What follows from it is what has followed in the run."""
        state = self.out / "states/own_000003.h5"
        said = run("info", str(state))
        self.assertEqual(said.returncode, 0, said.stderr)
        rows = rows_of(self.out, "own")
        row = next(row for row in rows if float(row["strain"]) >= 0.009)
        text = f"specimen: {{checkpoint: {state}}}\nstages:\n  - {{name: rest, path: triaxial, rate: 10, end: {{steps: 10}}}}\n"
        self.complete("rest", text=text)
        first = rows_of(self.folder / "rest", "rest")[0]
        for name in ("p", "q", "void_ratio", "normal", "tangential", "fabric_zz"):
            self.assertEqual(first[name], row[name])


class Dictionary(FolderTest):
    def test_every_column_is_described(self):
        self.complete("out", text=HEAD + "stages:\n  - {name: hold, path: relax, end: {steps: 10}}\n")
        units, = self.units_of(self.folder / "out", "history")
        self.assertEqual([units[name] for name in ("time", "strain_xx", "stress_xx", "p", "volume", "residual", "ru", "stage")],
                         ["s", "1", "Pa", "Pa", "m3", "J", "1", None])
        self.assertIn(" datapackage.json\n", (self.folder / "out/files.txt").read_text())


class Continued(FolderTest):
    SHEAR = HEAD + """
stages:
  - {name: shear, path: triaxial, rate: 10, end: {strain: 1 %}}
output: {states: {strain: 0.2 %}, checkpoint: {steps: 151}, lammps: {strain: 0.4 %}}
"""

    def test_interrupted(self):
        self.complete("whole", text=self.SHEAR)
        self.interrupt("half", lambda out: (out / "states/shear_000002.h5").exists(), text=self.SHEAR)
        self.complete("half", "--resume", text=self.SHEAR)
        self.assert_same("whole", "half")

    def test_extended(self):
        longer = self.SHEAR.replace("{strain: 1 %}", "{strain: 1.7 %}")
        self.complete("whole", text=longer)
        self.complete("parts", text=self.SHEAR)
        before = content(self.folder / "parts")
        self.complete("parts", "--extend", text=longer)
        parts, whole = content(self.folder / "parts"), content(self.folder / "whole")
        states = [name for name in whole if name.startswith("states/shear_")]
        self.assertEqual(len(states), 8)
        frames = [name for name in whole if name.startswith("lammps/")]
        for name in frames:
            self.assertEqual(parts[name], whole[name], name)
        for name in states:
            self.assertEqual(before.get(name, parts[name]), parts[name])  # not written again
            hashes = [run("info", str(self.folder / run_folder / name)).stdout for run_folder in ("parts", "whole")]
            self.assertIn("hash", hashes[0])
            lines = [[line for line in text.splitlines() if "hash" in line] for text in hashes]
            self.assertEqual(lines[0], lines[1])


class Branches(FolderTest):
    STAGES = HEAD + """
stages:
  - {name: shear, path: triaxial, rate: 10, end: {steps: 1500}, output: {states: {strain: 0.2 %}}}
  - {name: back, from: shear_000001, path: triaxial, rate: 10, direction: extension, end: {steps: 100}}
"""

    def test_a_stage_starts_from_a_state_on_the_way(self):
        self.complete("out", text=self.STAGES)
        state = self.folder / "out/states/shear_000001.h5"
        rest = self.STAGES[self.STAGES.index("  - {name: back"):].replace("from: shear_000001, ", "")
        self.complete("apart", text=f"specimen: {{checkpoint: {state}}}\nstages:\n" + rest)
        rows, apart = (rows_of(self.folder / name, "back") for name in ("out", "apart"))
        self.assertEqual(len(rows), len(apart))
        for a, b in zip(rows, apart):
            for name in ("p", "q", "strain", "void_ratio", "normal", "tangential", "fabric_zz"):
                self.assertEqual(a[name], b[name])

    def test_a_state_that_was_not_reached(self):
        done = self.run_in("out", text=self.STAGES.replace("shear_000001", "shear_000900"))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("stage 'back': no state 'shear_000900': the stage that would have saved it on its way ended before",
                      done.stderr)
        self.assertTrue((self.folder / "out/stages/shear.h5").exists())


class Frames(FolderTest):
    TURN = HEAD + """
stages:
  - {name: shear, path: simple_shear, rate: 100, constant: volume, end: {strain: 60 %}}
  - {name: turn, path: rotate, rotation: {axis: [1, 2, 3], angle: 70 deg, increments: 10}}
output: {lammps: {stages: yes}}
"""

    def spheres(self, name):
        """The edges of the cell; x, y, z, radius, body, member."""
        table = self.folder / "spheres.csv"
        done = run("export", "csv", str(name), "--out", str(table))
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = table.read_text().splitlines()
        edges = [float(word) for word in lines[0].removeprefix("# cell:").split()]
        return [edges[k:k + 3] for k in (0, 3, 6)], [[float(word) for word in line.split(",")] for line in lines
                                                     if line[0] not in "#x"]

    def test_a_frame_is_turned_back(self):
        self.complete("out", text=self.TURN)
        for stage in ("shear", "turn"):
            dump = self.folder / f"out/lammps/{stage}_000000.dump"
            self.assertTrue(dump.read_text().startswith("ITEM: UNITS\nsi rotation "))
            done = run("import", str(dump), "--kn", "1e5", "--kt", "1e5", "--mu", "0.5", "--out",
                       str(self.folder / "back.h5"))
            self.assertEqual(done.returncode, 0, done.stderr)
            box, found = self.spheres(self.folder / "back.h5")
            cell, expected = self.spheres(self.folder / f"out/stages/{stage}.h5")
            # Whole numbers of edges, and the same positions but for such numbers: fractions are rounded in their last digits.
            for edge in box:
                self.assert_whole(cell, edge)
            self.assertEqual(len(found), 60)
            for a, b in zip(found, expected):
                self.assert_whole(cell, [x - y for x, y in zip(a[:3], b[:3])])
                for x, y in zip(a[3:], b[3:]):
                    self.assertAlmostEqual(x, y, delta=1e-15 * y)

    def assert_whole(self, cell, v):
        """A vector that is a sum of edges."""
        volume = determinant(cell)
        for k in range(3):
            count = determinant([v if i == k else cell[i] for i in range(3)]) / volume
            self.assertAlmostEqual(count, round(count), delta=1e-13)

    def test_a_wrong_rotation_is_refused(self):
        self.complete("out", text=self.TURN)
        text = (self.folder / "out/lammps/turn_000000.dump").read_text()
        words = text.splitlines()[1].split()
        bad = self.folder / "bad.dump"
        for changed, reason in ((words[:-1], "rotation with 8 numbers instead of 9"),
                                (words[:-1] + ["x"], "'x' is not a number"),
                                (words[:-1] + ["2"], "the nine numbers are not a rotation"),
                                (words[:2] + [str(-float(word)) for word in words[2:]], "are not a rotation")):
            bad.write_text(text.replace(" ".join(words), " ".join(changed)))
            self.assert_refused(run("import", str(bad), "--kn", "1e5", "--kt", "1e5", "--mu", "0.5", "--out", str(self.folder / "bad.h5")), "bad.dump:2: ", reason)


class Checked(FolderTest):
    def check(self, stages, output=""):
        done = run("check", self.write(HEAD + "stages:\n" + stages + output))
        return done.returncode, done.stdout + done.stderr

    def test_few_rows_of_a_cycle_are_doubtful(self):
        cycles = "  - {name: shake, path: cyclic, cycle: {base: triaxial, strain: 0.02 %%}, end: {cycles: 5}%s}\n"
        status, said = self.check(cycles % "", "output: {history: {strain: 0.1 %}}\n")
        self.assertEqual(status, 0)
        self.assertIn("output.history.strain: warning: a cycle of stage 'shake' gets 0.8 rows; expected at least 20: "
                      "'strain: 0.0016 %' or no interval in stages[].output gives 50", said)
        self.assertNotIn("a cycle of", self.check(cycles % "", "output: {history: {strain: 0.001 %}}\n")[1])
        self.assertNotIn("a cycle of", self.check(cycles % "")[1])
        own = ", output: {history: {steps: 1000}}"
        self.assertIn("stages[1].output.history.steps: warning: a cycle of stage 'shake'", self.check(cycles % own)[1])

    def test_names_of_states_on_the_way_are_taken(self):
        stages = ("  - {name: a, path: triaxial, end: {strain: 1 %}, output: {states: {strain: 0.1 %}}}\n"
                  "  - {name: b, path: triaxial, end: {strain: 1 %}, save: a_000001}\n")
        status, said = self.check(stages)
        self.assertEqual(status, 2)
        self.assertIn("stages[2].save: 'a_000001' may be a name of the states on the way in stage 'a'", said)
        self.assertEqual(self.check(stages.replace("a_000001", "a_1b"))[0], 0)

    def test_a_start_on_the_way(self):
        stages = ("  - {name: a, path: triaxial, end: {strain: 1 %%}, output: {states: {strain: 0.1 %%}}}\n"
                  "  - {name: b, from: %s, path: triaxial, end: {strain: 1 %%}}\n")
        for name, reason in (("a_000010", None), ("a_000011", "stage 'a' ends at a strain of 0.01, and 'a_000011' would be at 0.011"),
                             ("a_000000", "no earlier stage saves a state 'a_000000'"), ("b_000001", "no earlier stage saves a state"),
                             ("a_3", "no earlier stage saves a state 'a_3'; did you mean 'a_000003', on the way in stage 'a'?")):
            status, said = self.check(stages % name)
            self.assertEqual(status, 2 if reason else 0, said)
            self.assertIn("stages[2].from: " + reason if reason else "", said)


if __name__ == "__main__":
    unittest.main()
