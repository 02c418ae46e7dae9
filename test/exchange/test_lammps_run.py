# SPDX-License-Identifier: BSD-3-Clause
"""Runs continued in LAMMPS. LAMMPS_SAMPLE names the program that makes the states, TWIRL the program
that exports them, TWIRL_LMP the LAMMPS with pair_style twirl, if there is one."""

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

SAMPLE = os.environ.get("LAMMPS_SAMPLE", "exchange_lammps_sample")
TWIRL = os.environ.get("TWIRL", "twirl")
OURS = shutil.which(os.environ.get("TWIRL_LMP") or "twirl-lmp")
STOCK = shutil.which("lmp") or OURS  # it also has the styles of stock LAMMPS
SMOOTH = ("spheres", "clusters", "walls")  # without friction the stock law gives the same forces


def norm(v):
    return math.sqrt(sum(x * x for x in v))


def same_law(a, b):
    """Words of pair_coeff: the same keys, and numbers that differ by roundings only. Other materials differ by percents."""
    def same(x, y):
        return x == y or x[0].isdigit() and y[0].isdigit() and math.isclose(float(x), float(y), rel_tol=1e-12)
    return len(a) == len(b) and all(map(same, a, b))


def distinct_laws(script):
    found = []
    for law in (line.split()[3:] for line in script.splitlines() if line.startswith("pair_coeff")):
        if not any(same_law(law, other) for other in found):
            found.append(law)
    return found


def rows_of(text, item):
    """The rows of the last frame of a dump."""
    lines = text.splitlines()
    start = max(i for i, line in enumerate(lines) if line.startswith("ITEM: " + item))
    return [line.split() for line in lines[start + 1:]]


class LammpsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        subprocess.run([SAMPLE, cls.folder], check=True, timeout=60)

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()

    def truth(self, scene):
        """{body: (mass, force, torque, moments, velocity, angular velocity)}"""
        found = {}
        for line in self.read(scene + ".txt").splitlines():
            word, *numbers = line.split()
            if word == "body":
                body, mass, *v = map(float, numbers)
                found[int(body)] = (mass, v[:3], v[3:6], sorted(v[6:9]), v[9:12], v[12:])
        return found

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

    def start(self, program, scene, pair):
        """The initial forces in LAMMPS, {body: force}, without gravity; and the rigid bodies."""
        self.twirl("export", "lammps", scene + ".h5", "--pair", pair)
        script = self.read(scene + ".in")
        script = script[:script.index("thermo_style")]
        script = "\n".join(line for line in script.replace(" gravity gravity", "").splitlines()
                           if not line.startswith(("fix gravity", "fix fixed")))
        molecules, rigid = "hybrid" in script, "rigid/small" in script
        script += (f"\ndump f all custom 1 {scene}.f id {'mol' if molecules else 'id'} fx fy fz\n"
                   "dump_modify f format float %.17g\n")
        if rigid:
            script += ("compute r clusters rigid/local clusters mol mass x y z inertiax inertiay inertiaz\n"
                       f"dump r all local 1 {scene}.r index c_r[1] c_r[2] c_r[3] c_r[4] c_r[5] c_r[6] "
                       "c_r[7] c_r[8]\ndump_modify r format float %.17g\n")
        with open(os.path.join(self.folder, "start.in"), "w", encoding="utf-8") as file:
            file.write(script + "run 0\n")
        self.lammps(program, "start.in")
        force = {}
        for _, body, *f in rows_of(self.read(scene + ".f"), "ATOMS"):
            old = force.setdefault(int(body) - 1, [0.0, 0.0, 0.0])
            force[int(body) - 1] = [a + float(b) for a, b in zip(old, f)]
        bodies = rows_of(self.read(scene + ".r"), "ENTRIES") if rigid else []
        return force, {int(float(r[1])) - 1: [float(x) for x in r[2:]] for r in bodies}

    def check_forces(self, program, scene, pair, turned):
        truth = self.truth(scene)
        force, _ = self.start(program, scene, pair)
        mean = sum(norm(t[1]) for t in truth.values()) / len(truth)
        self.assertEqual(sorted(force), sorted(truth))
        for body, (_, expected, *_) in truth.items():
            # overlaps are a hundredth of the cell, which has some rounding errors: 1e-13; required is 1e-10
            if turned:
                self.assertLess(abs(norm(force[body]) - norm(expected)), 1e-10 * mean)
            else:
                self.assertLess(norm([a - b for a, b in zip(force[body], expected)]), 1e-10 * mean)


@unittest.skipUnless(STOCK, "there is neither lmp (Debian package lammps) nor twirl-lmp")
class Stock(LammpsTest):
    def test_initial_forces_agree_with_the_engine(self):
        for scene in SMOOTH:
            self.check_forces(STOCK, scene, "hooke", scene == "spheres")

    def test_rigid_bodies_have_mass_centre_and_inertia(self):
        truth = self.truth("clusters")
        _, bodies = self.start(STOCK, "clusters", "hooke")
        self.assertEqual(len(bodies), 31)  # every second of 64, one of them fixed
        for body, (mass, *numbers) in bodies.items():
            self.assertAlmostEqual(mass / truth[body][0], 1.0, delta=1e-14)
            for a, b in zip(sorted(numbers[3:]), truth[body][3]):
                self.assertAlmostEqual(a / b, 1.0, delta=1e-12)

    def test_the_cell_continues_its_motion(self):
        """Stretch and shear together: the formulas of fix deform against the engine's own cell."""
        self.twirl("export", "lammps", "clusters.h5", "--pair", "hooke", "--steps", "200")
        output = self.lammps(STOCK, "clusters.in")
        last = [line.split() for line in output.splitlines() if line.strip().startswith("250 ")][0]
        self.twirl("advance", "clusters.h5", "--steps", "200", "--out", "later.h5", "--quiet",
                   "--threads", "1")
        self.twirl("export", "lammps", "later.h5", "--hold")
        header = self.read("later.data").splitlines()[4:8]
        edges = [float(line.split()[1]) - float(line.split()[0]) for line in header[:3]]
        expected = edges + [float(x) for x in header[3].split()[:3]]
        for a, b in zip(map(float, last[1:7]), expected):
            # printed with 9 digits; the midpoint rule of the engine is off by (dt L)^2/12 of the strain
            self.assertAlmostEqual(a, b, delta=2e-9)

    def assert_same_specimen(self, first, second):
        """Body by body. Positions and edges are rounded to 16 digits, and of positions in the cell, 0.1 m, an overlap of 1e-3 m
        keeps 14; some roundings in a row. Contacts are not counted: one that only just touches is in one of the two."""
        a, b = self.truth(first), self.truth(second)
        self.assertEqual(sorted(a), sorted(b))
        sizes = [max(norm(state[k]) for state in a.values()) for k in range(1, 6)]
        sizes[1] = 0.01 * sizes[0]  # torques of spheres are 0, but for forces at lever arms of a radius
        for body, (mass, *vectors) in a.items():
            other_mass, *others = b[body]
            self.assertAlmostEqual(mass / other_mass, 1.0, delta=1e-12)
            for x, y, size in zip(vectors, others, sizes):
                self.assertLessEqual(norm([p - q for p, q in zip(x, y)]), 1e-11 * size)

    def test_files_written_by_lammps_are_read_back(self):
        """A data file and a dump of the same state give the same specimen."""
        for scene, more in (("spheres", ""), ("clusters", "mol"), ("walls", "")):
            self.twirl("export", "lammps", scene + ".h5", "--pair", "hooke", "--steps", "20", "--hold")
            with open(os.path.join(self.folder, scene + ".in"), "a", encoding="utf-8") as file:
                file.write(f"write_dump all custom {scene}_end.dump id type xs ys zs ix iy iz radius mass {more} "
                           "vx vy vz omegax omegay omegaz modify format float %.17g\n")
            self.lammps(STOCK, scene + ".in")
            for ending in ("data", "dump"):
                source, made = f"{scene}_end.{ending}", f"{scene}_{ending}.h5"
                self.twirl("import", source, "--kn", "1e5", "--kt", "1e5", "--mu", "0", "--out", made,
                           *(["--open", "c"] if scene == "walls" else []))
                subprocess.run([SAMPLE, self.folder, made.removesuffix(".h5")], check=True, timeout=60)
                density = next(line.split()[1] for line in self.twirl("info", made).splitlines() if line.startswith("density"))
                self.assertAlmostEqual(float(density), 2650.0, delta=2650e-6)  # printed with 6 digits
            self.assertEqual(len(self.truth(scene)), 64)
            self.assert_same_specimen(scene + "_data", scene + "_dump")


@unittest.skipUnless(STOCK, "there is neither lmp (Debian package lammps) nor twirl-lmp")
class Frames(LammpsTest):
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
"""

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


@unittest.skipUnless(OURS, "there is no program twirl-lmp: see plugins/lammps")
class Ours(LammpsTest):
    def test_initial_forces_agree_with_the_engine(self):
        """Contacts keep their forces, with friction and damping too."""
        for scene in (*SMOOTH, "friction", "mixed"):
            self.check_forces(OURS, scene, "twirl", scene == "spheres")

    def contacts(self, name):
        """{(id, id): [(normal, overlap, tangential force, damping force)]}, the smaller id first."""
        found = {}
        _, *rows = [line.split() for line in self.read(name).splitlines() if not line.startswith("#")]
        for p, q, *v in rows:
            p, q, v = int(p), int(q), [float(x) for x in v] + [0.0] * (10 - len(v))
            side = -1.0 if p > q else 1.0
            v = [side * x if k != 3 else x for k, x in enumerate(v)]
            found.setdefault((min(p, q), max(p, q)), []).append((v[:3], v[3], v[4:7], v[7:]))
        return found

    def assert_same_contacts(self, first, second, tolerance):
        """Compares two files number by number, forces relative to the mean normal force."""
        a, b = self.contacts(first), self.contacts(second)
        self.assertEqual({k: len(v) for k, v in a.items()}, {k: len(v) for k, v in b.items()})
        overlaps = [zeta for images in a.values() for _, zeta, _, _ in images]
        mean = 1e5 * sum(overlaps) / len(overlaps)
        for ids, images in a.items():
            for n, zeta, *forces in images:
                m, eta, *others = max(b[ids], key=lambda c: sum(x * y for x, y in zip(c[0], n)))
                self.assertLess(norm([x - y for x, y in zip(n, m)]), tolerance)
                self.assertLess(1e5 * abs(zeta - eta), tolerance * mean)
                for f, g in zip(forces, others):
                    self.assertLess(norm([x - y for x, y in zip(f, g)]), tolerance * mean)
        return sum(norm(ft) for images in a.values() for _, _, ft, _ in images) / len(overlaps) / mean

    def bring_back(self, scene, data, contacts):
        """Imports the state of LAMMPS as back.h5; returns the forces by body and the stress."""
        law = ["--kn", "1e5", "--kt", "0.8e5", "--mu", "0.4", "--nu", "0.5"]
        bodies = ["--bodies", scene + ".bodies"] if scene == "friction" else []
        self.twirl("import", data, *law, *bodies, "--contacts", contacts, "--out", "back.h5")
        subprocess.run([SAMPLE, self.folder, "back"], check=True, timeout=60)
        stress = next(line for line in self.read("back.txt").splitlines() if line.startswith("stress"))
        return self.truth("back"), [float(x) for x in stress.split()[1:]]

    def test_contacts_are_restored(self):
        """A round trip without a step leaves the forces of contacts and bodies unchanged."""
        for scene in ("rubbing", "friction"):
            self.twirl("export", "lammps", scene + ".h5", "--hold")
            there = self.truth(scene)
            here, _ = self.bring_back(scene, scene + ".data", scene + ".contacts")
            mean = sum(norm(t[1]) for t in there.values()) / len(there)
            for body, (_, force, *_) in there.items():
                self.assertLess(abs(norm(force) - norm(here[body][1])), 1e-12 * mean)
            self.twirl("export", "lammps", "back.h5", "--hold")
            self.assertGreater(self.assert_same_contacts(scene + ".contacts", "back.contacts", 1e-12), 0.02)

    def test_contacts_are_restored_after_steps_in_lammps(self):
        for scene in ("rubbing", "friction"):
            self.twirl("export", "lammps", scene + ".h5", "--hold", "--steps", "100")
            script = self.read(scene + ".in").replace("%.9g", "%.15g")
            with open(os.path.join(self.folder, scene + ".in"), "w", encoding="utf-8") as file:
                file.write(script)
            output = self.lammps(OURS, scene + ".in")
            last = [line.split() for line in output.splitlines() if line.strip().startswith("150 ")][0]
            _, stress = self.bring_back(scene, scene + "_end.data", scene + "_end.contacts")
            self.twirl("export", "lammps", "back.h5", "--hold")
            self.assertGreater(self.assert_same_contacts(scene + "_end.contacts", "back.contacts", 1e-12),
                               0.02)
            if scene == "rubbing":  # the stress of clusters in LAMMPS includes inertial forces
                for a, b in zip(map(float, last[7:13]), stress):
                    self.assertAlmostEqual(a, b, delta=1e-9 * max(map(abs, stress)))

    def test_materials_come_back(self):
        """Laws of three materials, from twirl to LAMMPS and back: the data file has those of all pairs."""
        self.twirl("export", "lammps", "mixed.h5", "--hold", "--drop-damping", "--steps", "50")
        self.assertIn("wall/twirl type 4 plane", self.read("mixed.in"))
        self.lammps(OURS, "mixed.in")
        self.twirl("import", "mixed_end.data", "--bodies", "mixed.bodies", "--contacts", "mixed_end.contacts",
                   "--open", "c", "--out", "back.h5")
        self.twirl("export", "lammps", "back.h5", "--hold")
        self.assertGreater(self.assert_same_contacts("mixed_end.contacts", "back.contacts", 1e-11), 0.01)
        there, back = (distinct_laws(self.read(name)) for name in ("mixed.in", "back.in"))
        # pairs of three materials, and of a fourth, that of the walls, which do not come back
        self.assertEqual((len(there), len(back)), (10, 6))
        for law in back:
            self.assertEqual(sum(same_law(law, other) for other in there), 1, law)

    def test_wrong_contact_files_are_refused(self):
        self.twirl("export", "lammps", "rubbing.h5", "--hold")
        good = self.read("rubbing.contacts").splitlines()
        row = good[3].split()
        cases = [(good[:-1], f":{len(good) - 1}: the number of contacts is "),
                 (good[:3] + [" ".join(row[:8])], ":4: wrong number of values: 8"),
                 (good[:3] + [" ".join([*row[:2], "x", *row[3:]])], ":4: 'x' is not a number"),
                 (good[:3] + [" ".join(["999", *row[1:]])], ":4: no atom has the id 999"),
                 (good[:3] + [" ".join([*row[:5], "-1", *row[6:]])] + good[4:], ":4: the overlap must be"),
                 (good[:3] + [" ".join([*row[:5], "1e-3", *row[6:]])] + good[4:], ":4: there is no contact"),
                 (good[:3] + [" ".join([*row[:6], *row[2:5], *row[9:]])] + good[4:], ":4: the tangential"),
                 (good[:-1] + [good[3]], f":{len(good)}: the contact is given twice"),
                 ([], ":0: expected the number of contacts")]
        for lines, words in cases:
            with open(os.path.join(self.folder, "bad.contacts"), "w", encoding="utf-8") as file:
                file.write("".join(line + "\n" for line in lines))
            done = subprocess.run([TWIRL, "import", "rubbing.data", "--kn", "1e5", "--kt", "1e5", "--mu", "0.4",
                                   "--contacts", "bad.contacts", "--out", "bad.h5"], cwd=self.folder,
                                  capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn("bad.contacts" + words, done.stderr)

    def test_examples_run(self):
        """A few steps of the example scripts: LAMMPS accepts them and deforms the right edges."""
        examples = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "lammps")
        for name, strain in (("triaxial", "strain_axial"), ("simple_shear", "strain_shear")):
            self.twirl("export", "lammps", "friction.h5", "--hold")
            self.lammps(OURS, os.path.join(examples, name + ".in"), "-var", "prefix", "friction", "-var",
                        "strain", "5e-3", "-var", "servo", "1e6")
            header, *rows = [line.split(",") for line in self.read(name + ".csv").splitlines()]
            last = dict(zip(header, map(float, rows[-1])))
            self.assertAlmostEqual(last[strain], 5e-3, delta=3e-4)  # a step is 2.4e-4


if __name__ == "__main__":
    if not STOCK and not OURS:
        print("neither lmp (Debian package lammps) nor twirl-lmp is there: skipped")
        raise SystemExit(77)
    unittest.main()
