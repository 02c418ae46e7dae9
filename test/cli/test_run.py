#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""twirl run: scenarios from their specimen to their last stage."""

import csv
import json
import math
import os
import random
import re
import shutil
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from cli import SCALE, TWIRL, CliTest, run

# Dense and quick to prepare; the soil mechanics does not matter here.
HEAD = """
specimen:
  count: {count}
  sizes: {{distribution: uniform, d_min: 0.8 mm, d_max: 1.2 mm}}
  preparation: {{pressure: 100 kPa, friction: 0.1, inertial_number: 0.05, unbalanced: 0.01}}
material: {{stiffness_level: 1000, friction: 0.5}}
"""

# Every path, in few steps.
PATHS = HEAD.format(count=80) + """
stages:
  - {name: settle, path: isotropic, pressure: 100 kPa, end: {unbalanced: 0.01}, save: dense}
  - {name: drained, path: triaxial, end: {strain: 0.4 %}, inertial_number: 2e-3}
  - {name: lode, path: true_triaxial, from: dense, lode_angle: 30 deg, end: {strain: 0.3 %}}
  - path: cyclic
    name: shake
    from: dense
    cycle: {base: simple_shear, strain: 0.1 %}
    constant: normal_stress
    inertial_number: 2e-3
    end: {cycles: 2}
  - {name: push, path: cyclic, from: dense, cycle: {base: undrained, stress: 10 kPa}, end: {cycles: 2}}
  - {name: turn, path: rotate, from: dense, rotation: {axis: [1, 0, 0], angle: 90 deg, increments: 1000}}
  - path: general
    name: all
    from: dense
    control:
      zz: {rate: 2 /s, ramp: 0.1 ms}
      xx: {stress: 110 kPa, ramp: 0.2 ms}
      yy: {stress: hold}
      xz: {stress: 5 kPa, ramp: 0.2 ms}
    end: {time: 0.5 ms}
  - {name: rest, path: relax, hold: stress, end: {unbalanced: 0.02}}
  - {name: fly, path: free_flight, end: {steps: 50}}
  - {name: oedometer, path: oedometer, from: specimen, end: {stress: 130 kPa}}
  - {name: unload, path: oedometer, direction: extension, end: {stress: 110 kPa, strain: 1 %}}
  - {name: back, path: simple_shear, plane: xy, constant: volume, direction: backward, end: {strain: 0.2 %}}
output:
  history: {steps: 25}
  checkpoint: {steps: 151}
  vtk: {steps: 200, stages: yes}
  lammps: {stages: yes}
"""


# PATHS, run without interruption: the reference of the other runs.
WHOLE = tempfile.TemporaryDirectory()


def setUpModule():
    path = Path(WHOLE.name) / "test.yaml"
    path.write_text(PATHS)
    done = run("run", str(path), "--threads", "1", "--quiet", "--out", WHOLE.name + "/out")
    if done.returncode != 0:
        raise RuntimeError(done.stderr)


def tearDownModule():
    WHOLE.cleanup()


class RunTest(CliTest):
    whole = WHOLE.name + "/out"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, text, name="test.yaml"):
        path = self.folder / name
        path.write_text(text)
        return str(path)

    def run_scenario(self, path, *options, out="out", status=0):
        done = run("run", path, "--threads", "1", "--quiet", "--out", str(self.folder / out),
                   *options)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def history(self, out="out"):
        with open(self.folder / out / "history.csv", encoding="ascii") as file:
            return [{k: v if k == "stage" else float(v) for k, v in row.items()}
                    for row in csv.DictReader(file)]

    def summary(self, out="out"):
        whole = json.loads((self.folder / out / "summary.json").read_text())
        return {stage["name"]: stage for stage in whole["stages"]}


class Paths(RunTest):
    def test_constant_p_holds_p(self):
        text = HEAD.format(count=200) + """
stages:
  - {name: settle, path: isotropic, pressure: 100 kPa, end: {unbalanced: 2e-3}}
  - {name: shear, path: constant_p, axis: x, pressure: 100 kPa, end: {strain: 0.5 %}}
output: {history: {strain: 1e-4}}
"""
        self.run_scenario(self.write(text))
        rows = [row for row in self.history() if row["stage"] == "shear"]
        self.assertGreater(len(rows), 50)
        for row in rows:
            self.assertAlmostEqual(row["p"], 1e5, delta=1e2)
            self.assertAlmostEqual(row["stress_yy"], row["stress_zz"], delta=2e2)
        self.assertLess(self.summary()["shear"]["deviation_worst"], 1e-3)
        last = rows[-1]
        self.assertAlmostEqual(last["strain"], 0.005, delta=1e-5)
        self.assertEqual(last["strain"], last["strain_xx"])
        self.assertGreater(last["stress_ratio"], 0.3)
        # Only the deviator includes shear stresses, which few grains have even on this path. The tolerance is rounding.
        xx, yy, zz, yz, xz, xy = (last["stress_" + k] for k in ("xx", "yy", "zz", "yz", "xz", "xy"))
        squares = (xx - yy)**2 + (yy - zz)**2 + (zz - xx)**2 + 6.0 * (yz**2 + xz**2 + xy**2)
        self.assertAlmostEqual(last["stress_deviator"], (0.5 * squares)**0.5, delta=1e-6 * last["q"])
        self.assertAlmostEqual(last["q"], xx - 0.5 * (yy + zz), delta=1e-6 * last["q"])

    def test_undrained_keeps_the_volume(self):
        text = HEAD.format(count=100) + """
stages:
  - {name: shear, path: undrained, end: {strain: 1 %}}
output: {history: {steps: 50}}
"""
        self.run_scenario(self.write(text))
        rows = [row for row in self.history() if row["stage"] == "shear"]
        for row in rows:
            self.assertLess(abs(row["strain_volume"]), 1e-10)
            self.assertLess(abs(row["volume"] / rows[0]["volume"] - 1.0), 1e-10)
        self.assertAlmostEqual(rows[-1]["strain_xx"], -0.5 * rows[-1]["strain_zz"], delta=1e-6)

    def test_every_path(self):
        rows, stages = self.history(self.whole), self.summary(self.whole)
        last = {row["stage"]: row for row in rows}
        self.assertEqual(list(stages)[1:], ["settle", "drained", "lode", "shake", "push", "turn",
                                            "all", "rest", "fly", "oedometer", "unload",
                                            "back"])
        for row in (row for row in rows if row["stage"] == "drained"):
            self.assertAlmostEqual(row["stress_xx"], 1e5, delta=500.0)
        # The stress along the k-th axis from z is p + 2/3 q cos(30 deg - k 120 deg).
        p, q = last["lode"]["p"], last["lode"]["q"]
        self.assertGreater(q / p, 0.2)
        for k, name in enumerate(("stress_zz", "stress_xx", "stress_yy")):
            wanted = p + 2.0 / 3.0 * q * math.cos(math.radians(30 - 120 * k))
            self.assertAlmostEqual(last["lode"][name], wanted, delta=0.01 * p)
        shake = [row["strain"] for row in rows if row["stage"] == "shake"]
        self.assertAlmostEqual(max(shake), 0.001, delta=1e-4)
        self.assertAlmostEqual(min(shake), -0.001, delta=1e-4)
        self.assertAlmostEqual(shake[-1], 0.0, delta=1e-5)
        # A rigid rotation by 90 degrees about x: yy becomes zz.
        before = [row for row in rows if row["stage"] == "turn"][0]
        self.assertAlmostEqual(last["turn"]["stress_zz"], before["stress_yy"], delta=1e-3)
        self.assertAlmostEqual(last["turn"]["stress_yy"], before["stress_zz"], delta=1e-3)
        self.assertEqual(stages["turn"]["deviation_worst"], 0.0)  # no stress is controlled
        # Time does not advance: frames are numbered by increments.
        frames = (Path(self.whole) / "vtk/turn_cell.pvd").read_text().split('timestep="')[1:]
        self.assertEqual([float(f.split('"')[0]) for f in frames], [0, 200, 400, 600, 800, 1000])
        self.assertAlmostEqual(last["all"]["stress_xx"], 1.1e5, delta=300.0)
        self.assertAlmostEqual(last["all"]["stress_xz"], 5e3, delta=300.0)
        self.assertGreaterEqual(last["oedometer"]["stress"], 1.3e5)
        self.assertLess(last["oedometer"]["stress"], 1.305e5)  # at most one step past its end
        self.assertEqual(last["oedometer"]["strain_xx"], 0.0)
        self.assertAlmostEqual(last["unload"]["stress"], 1.1e5, delta=500.0)
        self.assertAlmostEqual(last["back"]["strain"], -0.002, delta=1e-5)
        self.assertLess(last["back"]["stress"], 0.0)
        self.assertEqual(stages["fly"]["steps"], 50)
        for name in ("states/dense.h5", "stages/fly.h5", "vtk/shake_spheres.pvd", "run.log"):
            self.assertTrue((Path(self.whole) / name).exists(), name)
        # The energy balance closes in each stage.
        for row in rows:
            self.assertLess(abs(row["residual"]), 0.02 * max(abs(row["cell"]), 1e-5), row["stage"])


class Specimens(RunTest):
    @unittest.skipIf(SCALE < 1, "long")
    def test_friction_is_found(self):
        text = """
specimen:
  count: 100
  sizes: {distribution: uniform, d_min: 0.8 mm, d_max: 1.2 mm}
  preparation:
    {pressure: 100 kPa, void_ratio: 0.63, tolerance: 0.015, inertial_number: 0.05, unbalanced: 0.02}
material: {stiffness_level: 1000, friction: 0.5}
"""
        self.run_scenario(self.write(text))
        found = self.summary()["specimen"]
        self.assertAlmostEqual(found["void_ratio"], 0.63, delta=0.015)
        self.assertAlmostEqual(found["p"], 1e5, delta=1e2)
        self.assertGreater(found["friction"], 0.0)
        self.assertIn("trial 2", (self.folder / "out/run.log").read_text())

    def test_a_target_out_of_reach(self):
        text = """
specimen:
  count: 60
  preparation: {pressure: 100 kPa, porosity: 0.2, inertial_number: 0.05, unbalanced: 0.02}
material: {stiffness_level: 1000, friction: 0.5}
"""
        done = self.run_scenario(self.write(text), status=3)
        self.assertIn("the densest packing that can be reached", done.stderr)

    def test_porosity_alone(self):
        text = """
specimen:
  count: 60
  shapes: [{shape: sphere}, {shape: cluster, spheres: [[-1, 0, 0, 1], [1, 0, 0, 1]]}]
  cell: {aspect: [1, 1, 2]}
  preparation: {porosity: 0.45, rate: 20 /s, friction: 0, unbalanced: 0.5}
material: {kn: 1e5, friction: 0.5}
"""
        self.run_scenario(self.write(text))
        self.assertAlmostEqual(self.summary()["specimen"]["porosity"], 0.45, delta=1e-4)

    def test_from_a_checkpoint(self):
        self.run_scenario(self.write(HEAD.format(count=60)), out="first")
        state = self.folder / "first/states/specimen.h5"
        text = f"""
specimen: {{checkpoint: {state}}}
stages:
  - {{name: shear, path: triaxial, friction: 0.3, law: conventional, damping: {{local: 0.7}}, end: {{steps: 3000}}}}
  - {{name: after, path: triaxial, end: {{steps: 10}}}}
output: {{history: {{steps: 10}}}}
"""
        path = self.write(text)
        self.run_scenario(path)
        self.assertEqual(self.summary()["shear"]["steps"], 3000)
        # A stage's friction, law and damping apply to that stage alone; the next has those of the
        # checkpoint, also in a run that was resumed in between.
        with subprocess.Popen([TWIRL, "run", path, "--out", str(self.folder / "cut")],
                              stderr=subprocess.DEVNULL) as process:
            while not (self.folder / "cut/history.csv").exists():
                self.assertIsNone(process.poll())
            process.send_signal(signal.SIGTERM)
        self.assertEqual(process.returncode, 143)
        self.run_scenario(path, "--resume", out="cut")

        def constants(name):
            said = run("info", str(self.folder / f"{name}.h5")).stdout
            return [line for line in said.splitlines() if line.startswith(("law", "damping"))]

        own = constants("first/states/specimen")
        self.assertEqual(len(own), 2, own)
        for out in ("out", "cut"):
            self.assertNotEqual(constants(f"{out}/stages/shear"), own)
            self.assertEqual(constants(f"{out}/stages/after"), own)


class Steps(RunTest):
    """A specimen of the user's own, imported with its law, and steps at given rates."""

    def lattice(self, side, *law):
        """lattice.h5: side^3 spheres of unequal size on a perturbed lattice, nearly touching."""
        rng, pitch = random.Random(1), 1.01e-3
        rows = [",".join(repr((k + 0.5) * pitch + rng.uniform(-1e-5, 1e-5)) for k in (i % side, i // side % side, i // side**2)) +
                f",{rng.uniform(0.45e-3, 0.5e-3)!r}" for i in range(side**3)]
        edge = side * pitch
        self.write("\n".join([f"# cell: {edge} 0 0 0 {edge} 0 0 0 {edge}", "# periodic: 1 1 1", "x,y,z,radius", *rows]) + "\n", "lattice.csv")
        done = run("import", "lattice.csv", *law, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def compress(self, stages, rate, **options):
        rates = ", ".join(f"{2 * a}: {{rate: {rate}}}" for a in "xyz")
        text = "".join(f"  - {{path: general, control: {{{rates}}}, damping: {{local: 0.3}}, end: {{steps: 50}}, save: s{k}}}\n"
                       for k in range(stages))
        path = self.write(f"specimen: {{checkpoint: lattice.h5}}\nstages:\n{text}output: {{history: {{steps: 10}}, checkpoint: {{steps: 50}}}}\n")
        return self.run_scenario(path, **options)

    def test_rates_energies_and_stress(self):
        self.lattice(5, "--kn", "1e5", "--kt", "8e4", "--mu", "0.5")
        self.compress(6, 200)
        rows = self.history()
        # The cell follows the midpoint rule, of second order in 200/s times a step below 1e-6 s.
        self.assertAlmostEqual(rows[-1]["volume"] / rows[0]["volume"], math.exp(-600 * rows[-1]["time"]), delta=1e-6)
        for row in rows:
            kept = sum(row[name] for name in ("kinetic", "rotational", "normal", "tangential", "stored_rolling", "stored_twisting", "friction",
                                              "micro_slip", "rolling", "twisting", "contact_damping", "body_damping"))
            put_in = row["start"] + row["cell"]
            self.assertAlmostEqual(put_in - kept, row["residual"], delta=1e-14 * (put_in + 1e-9))  # rounding of a sum of 13
        motion = energy = 0.0
        for k in range(6):
            row = [row for row in rows if row["stage"] == f"{k + 1}_general"][-1]
            said = run("info", str(self.folder / f"out/states/s{k}.h5")).stdout
            # That of the contacts alone; the history adds that of the velocities.
            motion += 3 * (row["p"] - float(re.search(r"^p +(\S+) Pa", said, re.M)[1])) * row["volume"]
            energy += 2 * row["kinetic"]
        # The stress is of half a step earlier than the energy; p has six digits.
        self.assertAlmostEqual(motion / energy, 1.0, delta=0.05)

    def test_excessive_overlap_names_bodies_and_keeps_the_checkpoint(self):
        self.lattice(3, "--kn", "1e5", "--kt", "8e4", "--mu", "0.5")
        done = self.compress(6, 2000, status=3)
        self.assertRegex(done.stderr, r"step \d+: excessive overlap of bodies \d+ and \d+")
        steps = [int(re.search(r"(\d+) steps", run("info", str(state)).stdout)[1]) for state in self.folder.glob("out/checkpoint_?.h5")]
        self.assertTrue(steps and all(k % 50 == 0 for k in steps) and max(steps) > 0, steps)

    def test_laws_of_an_import_are_stored_in_their_units(self):
        self.lattice(2, "--young", "1e9", "--poisson", "0.25", "--mu", "0.4", "--rolling", "0.1", "--restitution", "0.8")
        said = run("info", str(self.folder / "lattice.h5")).stdout
        # E/(2 (1 - nu^2)), E/(4 (2 - nu) (1 + nu)).
        for text in ("exact, hertz, E* 5.33333e+08 Pa, G* 1.14286e+08 Pa, mu 0.4\n", "rolling: mu_r 0.1, k_r/kt 1\n",
                     f"damping: nu_n {-math.log(0.8) / math.hypot(math.pi, math.log(0.8)):g}, nu_t 0, nu_r 0, nu_w 0 (damping ratios)\n"):
            self.assertIn(text, said)


class Resume(RunTest):
    def same_run(self, a, b):
        frames = [f"{kind}/{name}" for kind in ("vtk", "lammps")
                  for name in os.listdir(self.folder / a / kind)]
        self.assertGreater(len(frames), 60)
        for name in ["history.csv", "summary.json", "run.log"] + frames:
            one, other = ((self.folder / out / name).read_bytes() for out in (a, b))
            self.assertEqual(one, other, name)
        for name in os.listdir(self.folder / a / "stages"):
            if name.endswith(".json"):  # with the hash of the state
                one, other = ((self.folder / out / "stages" / name).read_bytes() for out in (a, b))
                self.assertEqual(one, other, name)

    def test_after_kills(self):
        path = self.write(PATHS)
        states = [self.folder / f"killed/run_state_{pair}.txt" for pair in "ab"]
        command = [TWIRL, "run", path, "--quiet", "--resume", "--out", str(self.folder / "killed")]
        kills = 0
        for attempt in range(40):
            # Results must not depend on the number of threads.
            threads = str(1 + attempt % 2)
            with subprocess.Popen(command + ["--threads", threads]) as process:
                seen, saves = None, 0
                while process.poll() is None and saves <= 3 + attempt:
                    now = [state.stat().st_mtime_ns for state in states if state.exists()]
                    saves += now != seen
                    seen = now
                process.send_signal(signal.SIGKILL)
                code = process.wait()
            kills += code == -signal.SIGKILL
            if code == 0:
                break
        self.assertEqual(code, 0)
        self.assertGreater(kills, 2)
        self.same_run(self.whole, "killed")

    @unittest.skipIf(SCALE < 1, "long, and like kills")
    def test_after_a_signal(self):
        path = self.write(PATHS)
        out = self.folder / "ended"
        with subprocess.Popen([TWIRL, "run", path, "--threads", "1", "--out", str(out)],
                              stderr=subprocess.PIPE) as process:
            while not (out / "stages/settle.json").exists():
                self.assertIsNone(process.poll())
            process.send_signal(signal.SIGTERM)
            said = process.stderr.read().decode()
        self.assertEqual(process.returncode, 143, said)
        self.assertIn("--resume", said)
        self.run_scenario(path, "--resume", out="ended")
        self.same_run(self.whole, "ended")

    def test_a_project_may_be_moved(self):
        """The name of the specimen's file matters, its folder does not."""
        here, there = self.folder / "here", self.folder / "there"
        here.mkdir()
        scenario = "specimen: {checkpoint: NAME}\nstages: [{name: a, path: triaxial, end: {steps: 20}}]\n"
        for name in ("one", "two"):
            shutil.copy(Path(self.whole) / "states/dense.h5", here / f"{name}.h5")
            self.write(scenario.replace("NAME", f"{name}.h5"), f"here/{name}.yaml")
        self.run_scenario(str(here / "one.yaml"), out="here/out")
        here.rename(there)
        self.run_scenario(str(there / "one.yaml"), "--resume", out="there/out")
        done = self.run_scenario(str(there / "two.yaml"), "--resume", out="there/out", status=2)
        self.assertIn("another scenario", done.stderr)

    def test_a_folder_is_not_shared_by_runs(self):
        path = self.write(HEAD.format(count=20))
        self.run_scenario(path)
        self.assert_refused(self.run_scenario(path, status=2), "already holds a run", "--resume", "--out")
        left = self.folder / "out/stages/specimen.json.123.0.tmp"
        left.write_text("by a run that was killed")
        self.run_scenario(path, "--resume")
        self.assertFalse(left.exists())
        done = run("run", path, "--resume", "--out", str(self.folder / "out"))
        self.assertIn("the run is complete; nothing is left to do", done.stderr)
        done = self.run_scenario(path, "--resume", "--set", "specimen.seed=2", status=2)
        self.assertIn("another scenario", done.stderr)


class Errors(RunTest):
    def assert_nothing_done(self, done, *needles):
        self.assert_refused(done, *needles)
        self.assertFalse((self.folder / "out").exists())

    def test_errors_are_reported_before_anything_is_computed(self):
        out = str(self.folder / "out")
        path = self.write(HEAD.format(count=20).replace("friction: 0.5", "fricton: 0.5"))
        self.assert_nothing_done(run("run", path, "--out", out), "test.yaml:6", "fricton",
                                 "did you mean 'friction'")
        self.write("x,y,z,radius\n1,2,fish,4\n", "bad.csv")
        path = self.write("specimen: {file: bad.csv}\nmaterial: {kn: 1, friction: 1}\n"
                          "stages: [{path: free_flight, end: {steps: 1}}]\n")
        self.assert_nothing_done(run("run", path, "--out", out), "bad.csv", "fish")

    def test_no_pressure_no_inertial_number(self):
        self.write("# cell: 1 0 0 0 1 0 0 0 1\n# periodic: 1 1 1\nx,y,z,radius\n"
                   "0.2,0.5,0.5,0.1\n0.8,0.5,0.5,0.1\n", "apart.csv")
        path = self.write("specimen: {file: apart.csv}\nmaterial: {kn: 1, friction: 1}\n"
                          "stages: [{name: a, path: undrained, end: {steps: 1}}]\n")
        done = self.run_scenario(path, status=2)
        self.assertIn("give 'rate' instead", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=1)
