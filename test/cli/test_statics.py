# SPDX-License-Identifier: BSD-3-Clause
"""twirl moduli and twirl rates: tables and pictures of a lattice, whose moduli have closed forms, and what they say of states
that they cannot work on. TWIRL_STATICS is 1 if the module with MUMPS was built."""

import csv
import json
import math
import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from cli import SCALE, TWIRL, CliTest, run

KN, KT, RADIUS, SPACING = 1e6, 5e5, 1e-3, 1.99e-3
LAW = ("--kn", str(KN), "--kt", str(KT), "--mu", "0.5")


def lattice(side, spacing=SPACING, move=0.0, leave_out=0):
    """A simple cubic lattice as a CSV file; the first sphere may be moved along x, the last ones left out."""
    length = side * spacing
    rows = [f"# cell: {length} 0 0 0 {length} 0 0 0 {length}", "x,y,z,radius"]
    for i in range(side ** 3 - leave_out):
        x, y, z = (spacing * (i // side ** k % side) for k in range(3))
        rows.append(f"{x + (move if i == 0 else 0.0)!r},{y!r},{z!r},{RADIUS!r}")
    return "\n".join(rows) + "\n"


class StaticsTest(CliTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def state(self, text, *options, law=LAW):
        (self.folder / "spheres.csv").write_text(text, encoding="ascii")
        done = run("import", "spheres.csv", *law, *options, "--out", "state.h5", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)

    def said(self, *arguments):
        done = run(*arguments, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def refused(self, status, *needles, commands=("moduli", "rates"), state="state.h5", env=None):
        for command in commands:
            done = run(command, state, "--out", "out", cwd=self.folder, env=env)
            self.assert_refused(done, f"twirl {command}: ", *needles, status=status)
            self.assertEqual(done.stdout, "")
            self.assertFalse((self.folder / "out").exists())


class NoModule(StaticsTest):
    def test_without_mumps_it_is_said_what_to_install(self):
        self.state(lattice(3))
        for module, reason in (("nothing.so", "nothing.so: cannot open"), ("/dev/null", "/dev/null: file too short"),
                               ("libm.so.6", "the file is no module for it")):
            self.refused(1, "needs the sparse solver MUMPS, which could not be opened: ", reason,
                         "libmumps-seq-dev libopenblas0-serial", env={"TWIRL_STATICS_MODULE": module})


@unittest.skipUnless(os.environ.get("TWIRL_STATICS", "1") == "1", "built without MUMPS")
@unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
class Statics(StaticsTest):
    def cubic(self):
        """C of the lattice: docs/theory/statics.md, S30."""
        p = KN * (2.0 * RADIUS - SPACING) / SPACING ** 2
        return KN / SPACING, p, KT / (2.0 * SPACING) - p

    def assert_cubic(self, stiffness):
        c11, c12, c44 = self.cubic()
        for k, value in enumerate(stiffness):
            i, j = divmod(k, 6)
            right = (c11 if i < 3 else c44) if i == j else c12 if max(i, j) < 3 else 0.0
            self.assertAlmostEqual(value, right, delta=1e-12 * c11)

    def document(self, name):
        return json.loads((self.folder / "out" / name).read_text())

    def rows(self, name):
        with open(self.folder / "out" / name, newline="", encoding="ascii") as file:
            return [{key: value if key in ("control", "found") else float(value) for key, value in row.items()} for row in csv.DictReader(file)]

    def test_moduli_of_a_lattice(self):
        self.state(lattice(3))
        text = self.said("moduli", "state.h5", "--out", "out")
        self.assertIn("state            27 bodies, 81 contacts, ", text)
        self.assertIn("not carrying     0 rattlers, 0 floppy modes\n", text)
        c11, c12, c44 = self.cubic()
        found = self.document("moduli.json")
        self.assert_cubic(found["stiffness"])
        bulk, shear = (c11 + 2.0 * c12) / 3.0, (c11 - c12 + 3.0 * c44) / 5.0
        for name, right in {"bulk": bulk, "shear": shear, "young": 9.0 * bulk * shear / (3.0 * bulk + shear),
                            "poisson": (3.0 * bulk - 2.0 * shear) / (6.0 * bulk + 2.0 * shear)}.items():
            self.assertAlmostEqual(found["isotropic"][name], right, delta=1e-12 * abs(right), msg=name)
        # Of a cubic stiffness the nearest one about an edge is its mean over turns about that edge.
        about = found["transversely_isotropic"]
        for name, right in {"c33": c11, "c13": c12, "c44": c44, "c11": (3.0 * c11 + c12 + 2.0 * c44) / 4.0,
                            "c12": (c11 + 3.0 * c12 - 2.0 * c44) / 4.0}.items():
            self.assertAlmostEqual(about[name], right, delta=1e-12 * c11, msg=name)
        density = 2650.0 * 4.0 / 3.0 * math.pi * RADIUS ** 3 / SPACING ** 3
        self.assertAlmostEqual(found["density"], density, delta=1e-12 * density)
        rows = self.rows("directions.csv")
        top = [row for row in rows if row["z"] == 1.0]
        young = c11 - 2.0 * c12 ** 2 / (c11 + c12)
        self.assertAlmostEqual(top[0]["young"], young, delta=1e-12 * young)
        # Under an isotropic stress waves follow the change of Cauchy stress by strain (Birch). Spins are held by the shift, 1e-9.
        for name, modulus in {"wave_3": c11, "wave_1": c44, "wave_2": c44}.items():
            speed = math.sqrt(modulus / density)
            self.assertAlmostEqual(top[0][name], speed, delta=1e-9 * speed, msg=name)
        self.assertLess(found["engine_step"], found["stable_step"])
        self.assertGreater((self.folder / "out" / "young.png").stat().st_size, 1000)
        # 1/E = u = s11 - 2 beta (x^2 y^2 + ...). The chord of an edge h deviates by h^2/8 (1 + u''/u); edges are shorter than 0.2.
        whole = (c11 - c12) * (c11 + 2.0 * c12)
        s11, s12 = (c11 + c12) / whole, -c12 / whole
        beta = s11 - s12 - 0.5 / c44
        wide = 0.2 ** 2 / 8.0 * (1.0 + 4.0 * abs(beta) / (s11 - 0.5 * max(beta, 0.0)))
        with open(self.folder / "out/young.csv", newline="", encoding="utf-8") as file:
            drawn = [(row["figure"], row["title"], 1e6 * float(row["x"]), 1e6 * float(row["y"])) for row in csv.DictReader(file)]
        for plane in ("xy", "xz", "yz"):
            section = [(x, y) for name, title, x, y in drawn if (name, title) == (f"young_{plane}", "{E} by direction")]
            self.assertGreater(len(section), 50)
            for x, y in section:
                r = math.hypot(x, y)
                self.assertAlmostEqual(r * (s11 - 2.0 * beta * (x * y / r ** 2) ** 2), 1.0, delta=wide)

    def test_one_body_that_touches_itself(self):
        self.state(lattice(1))
        self.assertIn("state            1 body, 3 contacts, ", self.said("moduli", "state.h5", "--out", "out"))
        self.assert_cubic(self.document("moduli.json")["stiffness"])
        self.assertIn("verdict          unique", self.said("rates", "state.h5"))

    def test_a_stiffness_that_holds_nothing_is_named(self):
        self.state(lattice(1), law=("--kn", str(KN), "--kt", "0", "--mu", "0"))
        text = self.said("moduli", "state.h5", "--out", "out")
        self.assertIn("not stable       some strain meets no resistance", text)
        self.assertIn("x: Young's modulus none, waves that would grow: 2", text)
        self.assertFalse(self.document("moduli.json")["definite"])
        self.assertTrue(all(math.isnan(row["young"]) for row in self.rows("directions.csv")))
        self.assertFalse((self.folder / "out/young.png").exists())

    def test_rates_of_a_lattice_are_those_of_its_moduli(self):
        self.state(lattice(3))
        c11, c12, _ = self.cubic()
        for control, given, answer in (("strain", "strain", "stress"), ("stress", "stress", "strain")):
            text = self.said("rates", "state.h5", "--control", control, "--count", "12", "--axis", "x", "--out", "out")
            self.assertIn("0 at the friction limit", text)
            self.assertIn("verdict          unique", text)
            found = self.document("rates.json")
            self.assertEqual((found["verdict"], found["without_solution"], found["certificate"]), ("unique", 0, []))
            rows = self.rows("rates.csv")
            self.assertEqual([row["angle"] for row in rows], [30.0 * k for k in range(12)])
            units = self.units_of(self.folder / "out", "rates")[0]
            self.assertEqual((units[f"{given}_xx"], units[f"{answer}_xx"]), ("1", "Pa" if control == "strain" else "1/Pa"))
            for row in rows:
                self.assertEqual((row["control"], row["found"], row["sliding"]), (control, "sticks", 0.0))
                lateral = row[f"{answer}_yy"] + row[f"{answer}_zz"]
                self.assertAlmostEqual(row["x"], (row[f"{answer}_xx"] + lateral) / math.sqrt(3.0), delta=1e-12 * abs(row["x"]) + 1e-20)
                self.assertAlmostEqual(row["y"], (2.0 * row[f"{answer}_xx"] - lateral) / math.sqrt(6.0), delta=1e-7 * math.hypot(row["x"], row["y"]))
                strain, stress = ([row[f"{name}_{axis * 2}"] for axis in "xyz"] for name in ("strain", "stress"))
                for k in range(3):
                    right = c11 * strain[k] + c12 * (sum(strain) - strain[k])
                    self.assertAlmostEqual(stress[k], right, delta=1e-7 * max(map(abs, stress)))
                self.assertAlmostEqual(row["work"], sum(a * b for a, b in zip(stress, strain)), delta=1e-12 * row["work"])
                self.assertAlmostEqual(sum(row[f"{given}_{axis * 2}"] ** 2 for axis in "xyz"), 1.0, places=12)
                self.assertEqual([row[f"no_slip_{axis * 2}"] for axis in "xyz"],
                                 [row[f"{answer}_{axis * 2}"] for axis in "xyz"])

    def test_spheres_that_nothing_stops_from_spinning(self):
        """Without friction 81 rotations are free, shear is resisted by nothing, and pressure makes it unstable."""
        self.state(lattice(3), law=("--kn", str(KN), "--kt", str(KT), "--mu", "0"))
        text = self.said("moduli", "state.h5", "--out", "out")
        self.assertIn("81 floppy modes", text)
        self.assertIn("waves that would grow: 2", text)
        c11, c12, _ = self.cubic()
        for k, right in ((0, c11), (1, c12), (21, -c12)):
            self.assertAlmostEqual(self.document("moduli.json")["stiffness"][k], right, delta=1e-12 * c11)
        for control in ("strain", "stress"):
            self.assertIn("verdict          unique", self.said("rates", "state.h5", "--control", control))

    def test_a_state_out_of_equilibrium_is_brought_there(self):
        self.state(lattice(3, move=1e-6))
        text = self.said("rates", "state.h5", "--out", "out")
        self.assertRegex(text, "equilibrium      after [0-9]+ iterations: grains moved by up to ")
        found = self.document("rates.json")
        self.assertEqual((found["verdict"], found["equilibrium"]["reached"], found["equilibrium"]["snaps"]), ("unique", True, 0))
        self.assertLess(found["residual"], 1e-6)
        self.assertLess(found["equilibrium"]["moved"], 1e-6)
        self.assertGreater(found["equilibrium"]["moved"], 1e-7)

    def test_states_that_carry_nothing(self):
        self.state(lattice(3, spacing=2.1e-3))
        self.refused(3, "state.h5: the state has no contacts: nothing in it resists a motion")
        two = f"x,y,z,radius\n0,0,0,{RADIUS}\n{SPACING},0,0,{RADIUS}\n"
        self.state("# cell: 0.01 0 0 0 0.01 0 0 0 0.01\n" + two)
        self.refused(3, "state.h5: all 2 bodies are rattlers: nothing carries a load")
        self.state("# cell: 0.01 0 0 0 0.01 0 0 0 0.01\nx,y,z,radius\n" + two.splitlines()[1] + "\n")
        self.refused(3, "state.h5: the state has no contacts")

    @unittest.skipIf(SCALE < 1, "sanitizers need more addresses")
    def test_where_memory_is_short_it_ends(self):
        self.state(lattice(8))
        ends = []
        for mebibytes in range(100, 500, 25):
            # A run takes 0.2 s of processor time.
            limits = lambda: (resource.setrlimit(resource.RLIMIT_AS, (mebibytes << 20,) * 2),
                              resource.setrlimit(resource.RLIMIT_CPU, (30, 30)))
            done = subprocess.run([TWIRL, "moduli", "state.h5"], cwd=self.folder, capture_output=True, text=True, preexec_fn=limits)
            ends.append(done.returncode)
            if done.returncode != 0:
                self.assertRegex(done.stderr, "out of memory|[Cc]annot allocate memory|failed to map")
        self.assertLessEqual(set(ends), {0, 1, 127})  # 127: by the loader
        self.assertEqual(ends[-1], 0)
        self.assertIn(1, ends)

    def test_what_is_not_for_statics(self):
        self.state(lattice(3), "--open", "c")
        self.refused(2, "state.h5: ", "need a cell that is periodic along all edges")
        self.state(lattice(3), law=(*LAW, "--law", "conventional"))
        self.refused(2, "state.h5: statics: only the law 'exact' has a derivative")
        self.refused(2, "cannot read nothing.h5", state="nothing.h5")
        (self.folder / "text.h5").write_text("no checkpoint\n")
        self.refused(2, "text.h5", state="text.h5")
        self.assert_refused(run("rates", "state.h5", "--axis", "w", cwd=self.folder), "--axis=w: use x, y or z")
        self.assert_refused(run("rates", "state.h5", "--control", "both", cwd=self.folder), "use strain or stress")
        self.assert_refused(run("rates", "state.h5", "--count", "0", cwd=self.folder), "--count")

    SCENARIO = """
specimen:
  count: 60
  sizes: {distribution: uniform, d_min: 0.8 mm, d_max: 1.2 mm}
  preparation: {pressure: 100 kPa, friction: 0.1, unbalanced: 0.01}
material: {stiffness_level: 1000, friction: 0.5, law: LAW}
stages:
  - {name: shear, path: triaxial, axis: z, inertial_number: 0.01, end: {strain: 1 %}, save: end}
output: {history: {strain: 1e-3}, states: {strain: 0.4 %}, moduli: yes}
"""

    def test_moduli_of_the_states_of_a_run(self):
        (self.folder / "run.yaml").write_text(self.SCENARIO.replace("LAW", "exact"), encoding="ascii")
        done = run("run", "run.yaml", "--out", "run", "--quiet", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.folder / "run/history.csv", newline="", encoding="ascii") as file:
            rows = [row for row in csv.DictReader(file) if row["stage"] == "shear"]
        found = [row for row in rows if row["bulk_modulus"] != "nan"]
        self.assertEqual([round(float(row["strain"]), 3) for row in found], [0.0, 0.004, 0.008, 0.01])
        units = self.units_of(self.folder / "run", "history")[0]
        for row, state in zip(found, ("specimen", "shear_000001", "shear_000002", "end")):
            self.said("moduli", f"run/states/{state}.h5", "--out", "out")
            alone = self.document("moduli.json")
            right = {"bulk_modulus": alone["isotropic"]["bulk"], "shear_modulus": alone["isotropic"]["shear"],
                     **{f"stiffness_{name}": alone["stiffness"][7 * k] for k, name in enumerate(("xx", "yy", "zz", "yz", "xz", "xy"))}}
            for name, value in right.items():
                self.assertAlmostEqual(float(row[name]), value, delta=1e-9 * value, msg=name)
                self.assertEqual(units[name], "Pa")
        self.said("report", "--json", "report.json", "run")
        report = json.loads((self.folder / "report.json").read_text(encoding="utf-8"))
        figure, = [figure for figure in report["figures"]["figures"] if figure["name"] == "moduli"]
        lines = [shape for shape in figure["shapes"] if shape["title"]]
        self.assertEqual([shape["title"] for shape in lines], ["bulk modulus", "shear modulus"])
        for shape, name in zip(lines, ("bulk_modulus", "shear_modulus")):
            self.assertEqual(len(shape["x"]), len(found))
            for x, y, row in zip(shape["x"], shape["y"], found):
                self.assertAlmostEqual(x, 100.0 * float(row["strain"]), places=9)  # per cent
                self.assertAlmostEqual(y, 1e-6 * float(row[name]), delta=1e-9 * y)
        done = run("run", "run.yaml", "--out", "other", cwd=self.folder, env={"TWIRL_STATICS_MODULE": "nothing.so"})
        self.assert_refused(done, "output.moduli: statics needs the sparse solver MUMPS", status=1)
        self.assertFalse((self.folder / "other").exists())
        done = run("check", "--quick", "run.yaml", cwd=self.folder, env={"TWIRL_STATICS_MODULE": "nothing.so"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("run.yaml: warning: it cannot be run here: output.moduli: statics needs the sparse solver MUMPS", done.stderr)
        (self.folder / "run.yaml").write_text(self.SCENARIO.replace("LAW", "conventional"), encoding="ascii")
        self.assert_refused(run("check", "run.yaml", cwd=self.folder), "run.yaml:9", "moduli are those of the exact law")


    # A cell that is opened until nothing carries, at the end of one stage and the start of the next; and grains without
    # friction that give way at once, whose tangent is the geometric part alone.
    APART = """
specimen: {count: 40, preparation: {pressure: 100 kPa, friction: 0.3}}
material: {stiffness_level: 1000, friction: 0.3}
stages:
  - {path: general, name: a, control: {zz: {rate: -20}, xx: {rate: -20}, yy: {rate: -20}}, end: {steps: 300}}
  - {path: relaxation, name: b, end: {steps: 20}}
output: {moduli: yes}
"""
    COLLAPSE = """
specimen: {count: 60, preparation: {pressure: 100 kPa, friction: 0.3}}
material: {stiffness_level: 1000, friction: 0}
stages: [{path: triaxial, name: a, inertial_number: 1e-2, end: {strain: 0.1 %}}]
output: {moduli: yes}
"""

    def test_moduli_are_nan_where_nothing_carries(self):
        for text, rows in ((self.APART, 3), (self.COLLAPSE, 2)):
            (self.folder / "run.yaml").write_text(text, encoding="ascii")
            done = run("run", "run.yaml", "--out", "run", "--restart", "--quiet", cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(self.folder / "run/history.csv", newline="", encoding="ascii") as file:
                found = [float(row["bulk_modulus"]) for row in csv.DictReader(file) if row["stage"] != "specimen"]
            self.assertGreaterEqual(len(found), rows)
            self.assertTrue(all(math.isnan(value) or value > 0.0 for value in found), found)
            self.assertTrue(math.isnan(found[-1]))

    RATES = """
specimen: {count: 32, arrangement: fcc, sizes: {d: 1 mm}, preparation: {pressure: 100 kPa}}
material: {stiffness_level: 10000, friction: 0.3}
damping: {local: 0.1}
stages:
  - {name: fail, path: triaxial, axis: z, inertial_number: 1e-3, end: {strain: 0.1 %}, save: failed}
  - {name: load, path: rates, rates: {control: stress}}
  - {name: strain, path: rates, rates: {count: 12}}
output: {history: {steps: 50}}
"""

    def test_rates_of_a_lattice_at_its_limit(self):
        """Past failure stress_zz/stress_xx of a face-centred lattice is at its limit R (Thornton 1979): a stress rate is carried if it
        does not lead beyond, which half of the directions do."""
        (self.folder / "run.yaml").write_text(self.RATES, encoding="ascii")
        done = run("run", "run.yaml", "--out", "run", "--quiet", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        summary = {stage["name"]: stage for stage in json.loads((self.folder / "run/summary.json").read_text())["stages"]}
        with open(self.folder / "run/history.csv", newline="", encoding="ascii") as file:
            end = [row for row in csv.DictReader(file) if row["stage"] == "fail"][-1]
        limit = 2.0 * float(end["stress_zz"]) / (float(end["stress_xx"]) + float(end["stress_yy"]))
        with open(self.folder / "run/stages/load/rates.csv", newline="", encoding="ascii") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 72)
        for row in rows:
            angle = math.radians(float(row["angle"]))
            axial = math.cos(angle) / math.sqrt(3.0) + 2.0 * math.sin(angle) / math.sqrt(6.0)
            lateral = math.cos(angle) / math.sqrt(3.0) - math.sin(angle) / math.sqrt(6.0)
            self.assertEqual(row["found"] == "none", axial > limit * lateral, row["angle"])
        log = (self.folder / "run/run.log").read_text()
        self.assertIn("warning: load: limit state: no solution in 36 of 72 directions", log)
        self.assertIn("warning: load: not unique: ", log)
        self.assertEqual((summary["load"]["end"], summary["load"]["steps"], summary["load"]["rates"]["without_solution"]), ("rates", 0, 36))
        self.assertEqual(summary["strain"]["hash"], summary["load"]["hash"])  # the state stays as it is
        # The command finds the same, and the figures have it.
        self.said("rates", "run/states/failed.h5", "--control", "stress", "--out", "out")
        self.assertEqual((self.folder / "out/rates.csv").read_text(), (self.folder / "run/stages/load/rates.csv").read_text())
        self.assertEqual({**self.document("rates.json"), "state": "stages/load.h5"}, summary["load"]["rates"])
        self.said("report", "--json", "report.json", "run")
        report = json.loads((self.folder / "report.json").read_text(encoding="utf-8"))
        figures = {figure["name"]: figure for figure in report["figures"]["figures"]}
        cone = figures["load_rates_work"]["shapes"][0]
        self.assertEqual(sum(x is not None for x in cone["x"][1::3]), 36)
        self.assertEqual(cone["title"], "no solution")
        self.assertEqual((figures["strain_rates_envelope"]["stage"], figures["strain_rates_envelope"]["x"]["unit"]), ("strain", "MPa"))
        self.assertTrue(any("limit state" in text for text in report["runs"][0]["warnings"]))
        # Another engine has the state on the host at that time.
        done = run("run", "run.yaml", "--out", "other", "--quiet", "--device", "emulated", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("rates.csv", "rates.json"):
            self.assertEqual((self.folder / "other/stages/load" / name).read_bytes(), (self.folder / "run/stages/load" / name).read_bytes())
        done = run("run", "run.yaml", "--out", "third", "--quiet", env={"TWIRL_STATICS_MODULE": "nothing.so"}, cwd=self.folder)
        self.assert_refused(done, "stage 'load': statics needs the sparse solver MUMPS", status=1)
        self.assertFalse((self.folder / "third").exists())
        done = run("check", "run.yaml", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, "load: rates, axis z\n +rates: control stress, count 72\n +about [0-9.e+]+ iterations")
        parts = [float(n) for n in re.findall(r" {3}about (\S+) iterations", done.stdout)]
        total = float(re.search(r"\ntotal +about \S+ steps and (\S+) iterations, ", done.stdout)[1])
        self.assertAlmostEqual(total / sum(parts), 1.0, delta=0.06)  # two digits of each are printed

    def test_a_certificate_is_drawn(self):
        """Grains and contacts that rates.json names, in the folder with the name of the state; a wall has no colour."""
        self.state(lattice(3))
        picture = ("render", "state.h5", "--size", "200x150", "--out", "a.png", "--color", "certificate")
        self.assert_refused(run(*picture, cwd=self.folder), "there is no state/rates.json", "'twirl rates state.h5 --out state' writes it")
        self.said("rates", "state.h5", "--count", "1", "--out", "state")
        self.assert_refused(run(*picture, cwd=self.folder), "state/rates.json: the verdict is 'unique', without a certificate")
        path = self.folder / "state/rates.json"
        found = json.loads(path.read_text())

        def certificate(*pairs, **other):
            contacts = [{"body_p": p, "body_q": q, "normal_force": 1.0, "tangential_force": 0.5} for p, q in pairs]
            path.write_text(json.dumps({**found, "verdict": "not unique", "certificate": contacts, **other}, indent=2))
        certificate((0, 1), (1, 4), (9, 4294967295), (2, 25))  # 2 and 25 do not touch
        self.assertIn(", 27 bodies, other grain: 21, in the certificate: 6\n", self.said(*picture))
        self.assertIn(", 81 contacts, other contact: 79, in the certificate: 2\n", self.said(*picture, "--chains"))
        certificate()
        self.assert_refused(run(*picture, cwd=self.folder), "all contacts at the friction limit together", "--chains --color mobilisation")
        certificate((0, 27))
        self.assert_refused(run(*picture, cwd=self.folder), "is that of another state: state.h5 has 27 bodies")
        for wrong in ({"verdict": "perhaps"}, {"certificate": [{"body_p": 1, "body_q": 4294967296}]}, {"certificate": 11 * [{"body_p": 1, "body_q": 2}]}):
            certificate(**wrong)
            self.assert_refused(run(*picture, cwd=self.folder), "state/rates.json: it has no verdict with a certificate")
        path.write_text("{")
        self.assert_refused(run(*picture, cwd=self.folder), "state/rates.json: it has no verdict")
        self.assert_refused(run("render", "spheres.csv", "--color", "certificate", cwd=self.folder), "only a checkpoint NAME.h5 has a certificate")
        self.assert_refused(run("movie", "run", "--color", "certificate", cwd=self.folder), "that of one state; twirl render draws it")

    def test_a_stopped_survey_begins_again(self):
        """In the middle of a stage of rates: the resumed run has the tables of the command, and goes on."""
        count = str(int(2000 * SCALE))
        path = self.folder / "run.yaml"
        path.write_text(self.RATES.replace("{control: stress}", "{control: stress, count: %s}" % count), encoding="ascii")
        log = self.folder / "run/run.log"
        with subprocess.Popen([TWIRL, "run", path, "--out", self.folder / "run", "--quiet"], stderr=subprocess.DEVNULL) as process:
            while not (log.exists() and "load: rates" in log.read_text()):
                self.assertIsNone(process.poll())
            process.send_signal(signal.SIGTERM)
        self.assertIn(process.returncode, (0, 143))  # 0: it was quicker
        self.assertEqual((self.folder / "run/stages/load.json").exists(), process.returncode == 0)
        done = run("run", "run.yaml", "--out", "run", "--resume", "--quiet", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.said("rates", "run/states/failed.h5", "--control", "stress", "--count", count, "--out", "out")
        self.assertEqual((self.folder / "out/rates.csv").read_text(), (self.folder / "run/stages/load/rates.csv").read_text())
        stages = json.loads((self.folder / "run/summary.json").read_text())["stages"]
        self.assertEqual([stage["end"] for stage in stages[-2:]], ["rates", "rates"])
        with open(self.folder / "run/history.csv", newline="", encoding="ascii") as file:
            self.assertEqual([row["stage"] for row in csv.DictReader(file)][-2:], ["load", "strain"])


if __name__ == "__main__":
    unittest.main()
