# SPDX-License-Identifier: BSD-3-Clause
"""Frames of a run read by LAMMPS, and its files read back. TWIRL names the program, TWIRL_LMP a LAMMPS, if `lmp` is not installed."""

import math
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
import disturb

TWIRL = os.environ.get("TWIRL", "twirl")
STOCK = shutil.which("lmp") or shutil.which(os.environ.get("TWIRL_LMP") or "twirl-lmp")  # either has the styles of stock LAMMPS


def norm(v):
    return math.sqrt(sum(x * x for x in v))


def rows_of(text, item):
    """The rows of the last frame of a dump."""
    lines = text.splitlines()
    start = max(i for i, line in enumerate(lines) if line.startswith("ITEM: " + item))
    return [line.split() for line in lines[start + 1:]]


@unittest.skipUnless(STOCK, "there is neither lmp (Debian package lammps) nor twirl-lmp")
class Frames(unittest.TestCase):
    """Dumps of a run: cells that are turned, tilted by more than half an edge, and turned by much."""

    SCENARIO = """
specimen:
  count: 64
  sizes: {distribution: mono, d: 1 mm}
  preparation: {pressure: 100 kPa, friction: 0.1, inertial_number: 0.05, unbalanced: 0.01}
material: {kn: 1e5, friction: 0.5}
stages:
  - {name: press, path: triaxial, axis: x, inertial_number: 0.02, end: {strain: 1 %}}
  - {name: shear, path: simple_shear, inertial_number: 0.1, constant: volume, end: {strain: 60 %}}
  - {name: turn, path: rotate, rotation: {axis: [1, 2, 3], angle: 70 deg, increments: 10}}
output: {lammps: {stages: yes}}
"""
    SCRIPT = """
units si
atom_style sphere
boundary p p p
comm_modify vel yes
region box prism 0 1 0 1 0 1 0 0 0
create_box 1 box
pair_style gran/hooke 1e5 NULL 0 NULL 0 0
pair_coeff * *
neighbor 1e-4 bin
read_dump NAME STEP x y z vx vy vz box yes replace no purge yes add yes
set group all diameter 1e-3 density 2650
thermo_style custom step atoms vol
thermo_modify format float %.17g
dump forces all custom 1 forces.* id fx fy fz
dump_modify forces sort id format float %.17g
rerun NAME dump x y z vx vy vz box yes
write_data back.data nocoeff
write_dump all custom back.dump id type xs ys zs radius mass vx vy vz modify format float %.17g
"""
    LAW = ("--kn", "1e5", "--kt", "0", "--mu", "0")

    def pressure(self, source, *options):
        """That of the checkpoint made of a file; it does not depend on the frame."""
        self.twirl("import", source, *self.LAW, *options, "--out", "back.h5")
        lines = self.twirl("info", "back.h5").splitlines()
        first = next(k for k, line in enumerate(lines) if line.startswith("stress"))
        rows = [lines[first].split()[1:], lines[first + 1].split(), lines[first + 2].split()]
        return sum(float(rows[k][k]) for k in range(3)) / 3.0


    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder)

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()

    def twirl(self, *arguments):
        done = subprocess.run([TWIRL, *arguments], cwd=self.folder, capture_output=True, text=True,
                              timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def lammps(self, program, script, *options):
        exchanged = (".data", ".contacts", ".bodies", ".in", ".dump", ".f", ".r")
        disturb.files(Path(self.folder), *exchanged)
        done = subprocess.run([program, "-in", script, "-log", "none", *options], cwd=self.folder,
                              capture_output=True, text=True, timeout=100, check=False,
                              # Open MPI in a folder of its own: see test/lammps/lmp.py
                              env={**os.environ, "OMP_NUM_THREADS": "1", "OMPI_MCA_orte_tmpdir_base": self.folder})
        self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-500:])
        disturb.files(Path(self.folder), *exchanged)
        return disturb.text(done.stdout)

    def test_lammps_reads_frames_of_a_run(self):
        """With frictionless springs it finds the normal forces of the run: positions, cell and contacts fit together."""
        with open(os.path.join(self.folder, "run.yaml"), "w", encoding="utf-8") as file:
            file.write(self.SCENARIO)
        self.twirl("run", "run.yaml", "--quiet")
        for stage in ("press", "shear", "turn"):
            name = f"run/lammps/{stage}_000000"
            text, local = self.read(name + ".dump"), self.read(name + ".local")
            self.assertTrue(text.startswith("ITEM: UNITS\nsi rotation "))
            step = text.splitlines()[3]
            with open(os.path.join(self.folder, "read.in"), "w", encoding="utf-8") as file:
                file.write(self.SCRIPT.replace("NAME", name + ".dump").replace("STEP", step))
            said = self.lammps(STOCK, "read.in")
            # True, and told by some versions only: forces of frames are wanted here.
            self.assertNotIn("WARNING", said.replace("WARNING: No fixes with time integration", ""))
            expected = {}
            names = next(line for line in local.splitlines() if line.startswith("ITEM: ENTRIES")).split()[2:]
            for words in rows_of(local, "ENTRIES"):
                row = dict(zip(names, map(float, words)))
                normal = [row["force." + k] - row["ft." + k] for k in "XYZ"]  # on the first sphere
                for number, sign in (("1", 1.0), ("2", -1.0)):
                    force = expected.setdefault(int(row["ParticleIdentifiers." + number]), [0.0] * 3)
                    for k in range(3):
                        force[k] += sign * normal[k]
            mean = sum(map(norm, expected.values())) / len(expected)
            found = {int(words[0]): [float(word) for word in words[1:]]
                     for words in rows_of(self.read(f"forces.{step}"), "ATOMS")}
            self.assertEqual(len(found), 64)
            self.assertGreater(mean, 1e-3)
            for number, force in found.items():
                # An overlap is a thousandth of a length, which has 16 digits.
                self.assertLess(math.dist(force, expected.get(number, [0.0] * 3)), 1e-9 * mean)
            # Files that LAMMPS has written of it are read as the frame itself. Each number is printed with 6 digits.
            there = self.pressure(name + ".dump", "--density", "2650")
            for back in ("back.data", "back.dump"):
                self.assertAlmostEqual(self.pressure(back) / there, 1.0, delta=1e-5)


if __name__ == "__main__":
    unittest.main()
