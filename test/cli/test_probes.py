#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""twirl run with probes: output, reproducibility, and fits compared with an independent fit."""

import csv
import json
import math
import os
import re
import shutil
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from cli import TWIRL, SCALE, run
from test_run import HEAD, RunTest

COMPONENTS = ("xx", "yy", "zz", "yz", "xz", "xy")
STAGES = HEAD.format(count=60 if SCALE >= 1 else 30) + """
stages:
  - {name: settle, path: isotropic, pressure: 100 kPa, end: {unbalanced: 0.01}}
  - {name: shear, path: constant_p, axis: x, inertial_number: 5e-3, end: {stress_ratio: 0.3, strain: 1 %}, save: sheared}
"""
# Overlaps are a thousandth of a grain: this changes forces by a tenth, and contacts slide in every specimen.
# (A fiftieth of it leaves five of twelve specimens of 30 grains without slip.)
STRAIN = 1e-4
PROBES = STAGES + f"""
  - name: probe
    path: probes
    from: sheared
    axis: x
    damping: {{local: 0.7}}
    probes:
      count: 8
      strain: {STRAIN}
      steps: 20
      laws: [exact, conventional]
      variants: [{{law: exact, without: [instant, turning]}}]
      settle: 1e-4
      settle_steps: 2000
      rest: 1e-4
      rest_steps: 500
      no_slip: yes
output: {{history: {{steps: 100}}, checkpoint: {{steps: 100}}}}
"""
LAWS = ["exact", "conventional", "exact-instant-turning"]
FILES = ("stages/probe/probes.csv", "stages/probe/fits.csv", "stages/probe/probes.json",
         "stages/probe.json", "history.csv", "summary.json", "run.log")


def norm(values):
    """Norm of a strain tensor with engineering shear strains."""
    return math.sqrt(sum(v * v * (1.0 if k < 3 else 0.5) for k, v in enumerate(values)))


def fit_circle(points):
    """Least-squares fit of r = a . n to the directions on the side of a itself."""
    def solve(chosen):
        sxx = sum(n[0] * n[0] for n, _ in chosen)
        sxy = sum(n[0] * n[1] for n, _ in chosen)
        syy = sum(n[1] * n[1] for n, _ in chosen)
        bx = sum(n[0] * r for n, r in chosen)
        by = sum(n[1] * r for n, r in chosen)
        det = sxx * syy - sxy * sxy
        return (syy * bx - sxy * by) / det, (sxx * by - sxy * bx) / det
    a = solve(points)
    for _ in range(100):
        a = solve([(n, r) for n, r in points if n[0] * a[0] + n[1] * a[1] > 0])
    half = [(n, r) for n, r in points if n[0] * a[0] + n[1] * a[1] > 0]
    off = [r - n[0] * a[0] - n[1] * a[1] for n, r in half]
    size = math.hypot(*a)
    rms = math.sqrt(sum(o * o for o in off) / len(off)) / size
    return size, math.degrees(math.atan2(a[1], a[0])) % 360.0, rms


class ProbesTest(RunTest):
    def table(self, out="out", name="probes.csv", stage="probe"):
        with open(self.folder / out / "stages" / stage / name, encoding="ascii") as file:
            return [{k: v if k in ("law", "split", "circle") else float(v) for k, v in row.items()}
                    for row in csv.DictReader(file)]

    def probes(self, out="out", stage="probe"):
        return self.summary(out)[stage]["probes"]

    def tensor(self, row, name):
        return [row[f"{name}_{c}"] for c in COMPONENTS]

    def same_files(self, a, b):
        for name in FILES:
            one, other = ((self.folder / out / name).read_bytes() for out in (a, b))
            self.assertEqual(one, other, name)
        self.assertEqual(sorted(os.listdir(self.folder / a / "stages/probe")),
                         sorted(os.listdir(self.folder / b / "stages/probe")))


class Tables(ProbesTest):
    def test_strain_probes(self):
        done = self.run_scenario(self.write(PROBES))
        self.assertRegex(done.stderr, r"\A\S+ specimen.count: warning: \d+ grains .*\n\Z")
        rows = self.table()
        self.assertEqual([row["law"] for row in rows], [law for law in LAWS for _ in range(8)])
        for row in rows:
            self.check_row(row)
        for law in self.probes()["laws"]:
            self.check_law(law, [row for row in rows if row["law"] == law["law"]])
        self.check_fits(rows)
        self.check_settling()
        self.assertFalse((self.folder / "out/stages/probe/part.txt").exists())
        probes, fits = self.units_of(self.folder / "out/stages/probe", "probes", "fits")
        self.assertEqual([probes[name] for name in ("law", "angle", "strain_xy", "no_slip_stress_zz", "stress_3", "x", "friction_work", "steps")],
                         [None, "deg", "1", "Pa", "Pa", "1/Pa", "J/m3", "1"])
        self.assertEqual([fits[name] for name in ("split", "plastic_modulus", "diameter", "flow_2", "flow_rms")],
                         [None, "Pa", "1/Pa", "1", "deg"])
        self.assertIn(" stages/probe/datapackage.json\n", (self.folder / "out/files.txt").read_text())
        log = (self.folder / "out/run.log").read_text()
        self.assertIn("probe: exact-instant-turning", log)
        # The damping of the stage is part of the state that the probes start from.
        info = run("info", str(self.folder / "out/stages/probe.h5"))
        self.assertIn("local 0.7", info.stdout)

    def check_row(self, row):
        angle = math.radians(row["angle"])
        self.assertAlmostEqual(row["angle"], 45.0 * (row["probe"] - 1))
        axial = math.cos(angle) / math.sqrt(3) + 2 * math.sin(angle) / math.sqrt(6)
        lateral = math.cos(angle) / math.sqrt(3) - math.sin(angle) / math.sqrt(6)
        for name, part in zip(COMPONENTS, (axial, lateral, lateral, 0, 0, 0)):
            self.assertAlmostEqual(row[f"strain_{name}"] / STRAIN, part, delta=1e-9)
            self.assertAlmostEqual(row[f"no_slip_strain_{name}"] / STRAIN, part, delta=1e-9)
        for prefix in ("", "no_slip_"):
            for name in COMPONENTS:
                parts = row[f"{prefix}reversible_{name}"] + row[f"{prefix}irreversible_{name}"]
                self.assertAlmostEqual(parts, row[f"strain_{name}"], delta=1e-18)
            # The paper's coordinates.
            e = self.tensor(row, f"{prefix}irreversible")
            v, d = sum(e[:3]) / math.sqrt(3), (2 * e[0] - e[1] - e[2]) / math.sqrt(6)
            self.assertAlmostEqual(row[f"{prefix}irreversible_1"], v, delta=1e-18)
            self.assertAlmostEqual(row[f"{prefix}irreversible_2"], d, delta=1e-18)
            stress = math.hypot(row["stress_1"], row["stress_2"])
            r = math.hypot(v, d) / stress
            for name, part in (("x", "stress_1"), ("y", "stress_2")):
                self.assertAlmostEqual(row[prefix + name], r * row[part] / stress, delta=1e-9 * r)

    def check_law(self, law, rows):
        # Conversion by the tensor in the summary: no-slip stress - stress = C e.
        stiffness = [law["stiffness"][6 * i:6 * i + 6] for i in range(6)]
        for row in rows:
            e = self.tensor(row, "no_slip_irreversible")
            for i, name in enumerate(COMPONENTS):
                lost = row[f"no_slip_stress_{name}"] - row[f"stress_{name}"]
                self.assertAlmostEqual(sum(c * x for c, x in zip(stiffness[i], e)), lost, delta=1e-6)
        # Without slip it is linear as long as contacts neither open nor close: a few in a hundred do.
        self.assertLess(law["stiffness_rms"], 0.2)
        self.assertGreater(stiffness[0][0], 0.0)
        off = [norm(a - b for a, b in zip(self.tensor(row, "irreversible"),
                                          self.tensor(row, "no_slip_irreversible"))) for row in rows]
        size = [norm(self.tensor(row, "irreversible")) for row in rows]
        self.assertAlmostEqual(law["split_difference"], math.hypot(*off) / math.hypot(*size),
                               delta=1e-9)

    def check_fits(self, rows):
        fits = self.table(name="fits.csv")
        self.assertEqual([(f["law"], f["split"], f["circle"]) for f in fits],
                         [(law, split, circle) for law in LAWS for split in ("unload", "no_slip")
                          for circle in ("loading", "unloading")])
        for fit in fits[::2]:
            prefix = "" if fit["split"] == "unload" else "no_slip_"
            points = []
            for row in rows:
                if row["law"] == fit["law"]:
                    size = math.hypot(row["stress_1"], row["stress_2"])
                    points.append(((row["stress_1"] / size, row["stress_2"] / size),
                                   math.hypot(row[prefix + "x"], row[prefix + "y"])))
            diameter, angle, rms = fit_circle(points)
            self.assertAlmostEqual(fit["diameter"] / diameter, 1.0, delta=1e-9)
            self.assertAlmostEqual(fit["plastic_modulus"] * diameter, 1.0, delta=1e-9)
            self.assertAlmostEqual(fit["direction_angle"], angle, delta=1e-6)
            self.assertAlmostEqual(fit["rms"], rms, delta=1e-9)

    def check_settling(self):
        settle = self.probes()["settle"]
        shear = self.summary()["shear"]
        self.assertAlmostEqual(settle["p"][0], shear["p"], delta=1.0)
        self.assertAlmostEqual(settle["unbalanced"][0], shear["unbalanced"], delta=1e-3)
        self.assertLess(settle["unbalanced"][1], settle["unbalanced"][0])
        self.assertEqual(settle["reached"], settle["unbalanced"][1] < 1e-4)
        self.assertEqual(settle["steps"], self.summary()["probe"]["steps"])
        for share in settle["at_limit"]:
            self.assertTrue(0.0 <= share < 1.0)

    def test_stress_probes_on_a_sphere(self):
        text = STAGES + """
  - name: probe
    path: probes
    damping: {local: 0.7}
    probes:
      {space: sphere, count: 14, stress: 5 kPa, steps: 50, settle: 1e-5, settle_steps: 5000,
       rest: 1e-5, rest_steps: 3000, no_slip: yes}
"""
        self.run_scenario(self.write(text))
        rows = self.table()
        self.assertEqual(len(rows), 14)
        for row in rows:
            wanted = [5e3 * row[f"direction_{c}"] for c in COMPONENTS[:3]] + [0, 0, 0]
            if row["rested"]:
                for a, b in zip(self.tensor(row, "stress"), wanted):
                    # The servo's tolerance is a thousandth of the probe's stress.
                    self.assertAlmostEqual(a, b, delta=2.5e-3 * 5e3)
            for c in COMPONENTS:
                self.assertAlmostEqual(row[f"no_slip_irreversible_{c}"],
                                       row[f"strain_{c}"] - row[f"no_slip_strain_{c}"], delta=1e-15)
        self.assertTrue(any(row["rested"] for row in rows))
        # A sphere needs three directions on the loading side; of 14 at least five are there.
        law = self.probes()["laws"][0]
        self.assertEqual(len(law["plane_compliance"]), 9)
        self.assertEqual(len(law["no_slip"]["loading"]["direction"]), 3)

    def test_probes_that_collapse_are_named(self):
        """Spheres near the peak do not carry every stress increment: beyond a limit they run away to another
        equilibrium. Contacts that cannot slip carry all of them, and show how far that is."""
        probe = "{{count: 6, stress: {}, steps: 400, settle: 1e-8, rest: 1e-7, unload: no, no_slip: yes}}"
        text = f"""specimen:
  count: 200
  sizes: {{distribution: uniform, d_min: 0.8 mm, d_max: 1.2 mm}}
  preparation: {{pressure: 100 kPa, friction: 0.05}}
material: {{stiffness_level: 1000, friction: 0.5}}
stages:
  - {{name: settle, path: isotropic, pressure: 100 kPa}}
  - {{name: shear, path: constant_p, axis: x, end: {{strain: 1 %}}, save: sheared}}
  - {{name: probe, path: probes, from: sheared, axis: x, damping: {{local: 0.7}}, probes: {probe.format("4 kPa")}}}
  - {{name: small, path: probes, from: sheared, axis: x, damping: {{local: 0.7}}, probes: {probe.format("0.2 kPa")}}}
"""
        self.run_scenario(self.write(text))
        times = {}
        for row in self.table():
            self.assertEqual(row["rested"], 1.0)  # nothing else says so
            strain, elastic = (math.hypot(*self.tensor(row, name)) for name in ("strain", "no_slip_strain"))
            times[int(row["angle"])] = strain / elastic
        gone = sorted(angle for angle in times if times[angle] > 10.0)
        self.assertTrue(0 < len(gone) < 5, times)
        self.assertEqual(self.probes()["laws"][0]["collapsed"], len(gone))
        self.assertEqual(self.probes(stage="small")["laws"][0]["collapsed"], 0)
        log = (self.folder / "out/run.log").read_text()
        names = ", ".join(f"{angle // 60 + 1} ({angle} deg)" for angle in gone)
        self.assertIn(f"\nwarning: probe: exact: probe{'s' if len(gone) > 1 else ''} {names} collapsed on the way", log)
        self.assertNotIn("warning: small: exact: probe", log)

    def test_without_slip_there_is_no_modulus(self):
        """Too much friction to slide, probes too small to open a contact: the strain left after unloading
        is the tolerance of the servo, not a property of the material."""
        text = STAGES.replace("friction: 0.5", "friction: 1000") + """
  - name: probe
    path: probes
    damping: {local: 0.7}
    probes:
      {count: 8, strain: 1e-8, steps: 20, settle: 1e-9, settle_steps: 40000, rest: 1e-7, rest_steps: 500,
       laws: [exact, conventional], no_slip: yes}
"""
        self.run_scenario(self.write(text))
        log = (self.folder / "out/run.log").read_text()
        for law in self.probes()["laws"]:
            for split in ("unload", "no_slip"):
                self.assertNotIn(split, law)
                self.assertIn("no contact slid", law[split + "_no_fit"])
                self.assertRegex(log, f"probe: {law['law']} +{split} +no fit: no contact slid")
            self.assertNotIn("split_difference", law)
        self.assertEqual(self.table(name="fits.csv"), [])
        if shutil.which("gnuplot"):
            done = run("plot", str(self.folder / "out"))
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_probes_without_time_to_reach_equilibrium(self):
        """Measurements without waiting for equilibrium are reported as such."""
        text = STAGES + """
  - name: probe
    path: probes
    probes: {count: 4, strain: 1e-6, steps: 3, settle_steps: 0, rest_steps: 0, unload: no}
  - name: short
    path: probes
    probes: {count: 4, strain: 1e-6, steps: 3, settle: 1e-9, settle_steps: 20, rest: 1e-9, rest_steps: 10}
"""
        self.run_scenario(self.write(text))
        self.assertEqual([row["steps"] for row in self.table()], [3] * 4)
        self.assertEqual(self.summary()["probe"]["steps"], 0)
        self.assertEqual([row["steps"] for row in self.table(stage="short")], [13] * 4)
        self.assertEqual([row["unload_steps"] for row in self.table(stage="short")], [13] * 4)
        self.assertEqual(self.summary()["short"]["steps"], 20)
        law = self.probes(stage="short")["laws"][0]
        self.assertEqual(law["restless"], 9)  # four times there and back, and the one that rests
        log = (self.folder / "out/run.log").read_text()
        self.assertIn("\nwarning: short: the state is not in equilibrium", log)
        self.assertRegex(log, r"(?m)^warning: short: .*: 9 measurements were taken before equilibrium was reached")


def lines_of(part):
    """Number of finished probes; the file is removed at the end of the stage."""
    try:
        return part.read_bytes().count(b"\n")
    except FileNotFoundError:
        return 0


class SameBits(ProbesTest):
    """Made once: the run on one thread, not interrupted."""

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        maker = ProbesTest()
        maker.folder = Path(scratch.name)
        cls.whole = maker.folder / "whole"
        maker.run_scenario(maker.write(PROBES), out="whole")

    def test_any_number_of_threads(self):
        path = self.write(PROBES)
        for threads in ("2", "3"):
            self.run_scenario(path, "--threads", threads, out=threads)
            self.same_files(self.whole, threads)

    def test_after_kills(self):
        path = self.write(PROBES)
        out = self.folder / "killed"
        part = out / "stages/probe/part.txt"
        command = [TWIRL, "run", path, "--quiet", "--resume", "--out", str(out)]
        kills, lines = [], 0
        for attempt in range(10):
            with subprocess.Popen(command + ["--threads", str(1 + attempt % 2)]) as process:
                while process.poll() is None:
                    if lines_of(part) >= lines + 5:
                        break
                process.send_signal(signal.SIGKILL)
                code = process.wait()
            if code == 0:
                break
            lines = lines_of(part)
            kills.append(lines)
            if attempt == 1 and lines > 0:  # as after a crash of the machine
                part.write_bytes(part.read_bytes()[:-100])
        self.assertEqual(code, 0)
        self.assertGreater(len(kills), 2)
        self.same_files(self.whole, "killed")

    def test_after_a_signal(self):
        path = self.write(PROBES)
        out = self.folder / "ended"
        part = out / "stages/probe/part.txt"
        with subprocess.Popen([TWIRL, "run", path, "--threads", "2", "--out", str(out)],
                              stderr=subprocess.PIPE) as process:
            while lines_of(part) == 0:
                self.assertIsNone(process.poll())
            process.send_signal(signal.SIGTERM)
            said = process.stderr.read().decode()
        self.assertEqual(process.returncode, 143, said)
        self.assertIn("--resume", said)
        self.run_scenario(path, "--resume", out="ended")
        self.same_files(self.whole, "ended")


@unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
class Pictures(ProbesTest):
    def test_circles(self):
        self.run_scenario(self.write(PROBES))
        done = run("plot", str(self.folder / "out"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        names = set(os.listdir(self.folder / "out/plots"))
        self.assertLessEqual({f"probe_{figure}.{ending}" for figure in ("circles", "splits")
                              for ending in ("csv", "gp", "svg", "png")}, names)
        svg = (self.folder / "out/plots/probe_circles.svg").read_text()
        arrows = re.findall(r"<path stroke='rgb\( 68,  68,  68\)' *(stroke-dasharray)?", svg)
        self.assertLessEqual({"", "stroke-dasharray"}, set(arrows))  # the normal full, the flow dashed
        for law in LAWS:
            self.assertIn(law, svg)
        modulus = json.loads((self.folder / "out/summary.json").read_text())[
            "stages"][-1]["probes"]["laws"][0]["unload"]["loading"]["plastic_modulus"]
        unit, name = next((u, n) for u, n in ((1e9, "GPa"), (1e6, "MPa"), (1e3, "kPa"), (1, "Pa"))
                          if modulus >= u)
        self.assertIn(f"modulus {modulus / unit:.4g} {name}", svg)


if __name__ == "__main__":
    unittest.main()
