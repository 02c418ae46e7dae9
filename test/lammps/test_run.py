# SPDX-License-Identifier: BSD-3-Clause
"""Scenarios by twirl-lmp run, beside the engine: all contact forces with servo and local damping, on several
processes; clusters and other laws; going on elsewhere; what is refused; the death of a process."""

import csv
import json
import math
import os
import re
import signal
import subprocess
import sys
import time
import unittest

from lmp import DRIVER, MPIRUN, PLUGIN, SCALE, Lammps, LammpsTest

TWIRL = os.environ.get("TWIRL", "twirl")

SPHERES = """
specimen:
  count: {count}
  sizes: {{distribution: uniform, d_min: 0.8 mm, d_max: 1.2 mm}}
  preparation: {{pressure: 100 kPa, friction: 0.02}}
{shape}material: {{stiffness_level: 1000, friction: 0.5{more}}}
stages:
  - {{name: settle, path: isotropic, pressure: 100 kPa, save: dense}}
output: {{history: {{strain: 1e-4}}}}
"""

BUMPY = """  shapes:
    - {shape: bumpy, satellites: 6, satellite_radius: 0.6, central_radius: 0.8, distance: 0.64}
"""

LOOSE = """
specimen:
  count: {count}
  arrangement: random
  sizes: {{distribution: uniform, d_min: 0.8 mm, d_max: 1.2 mm}}
  preparation: {{porosity: 74.9 %, rate: 1000 1/s}}
material: {{kn: 1e5, friction: 0.5}}
"""

SHEAR = """
specimen: {checkpoint: made/states/dense.h5}
stages:
  - name: shear
    path: triaxial
    axis: z
    shear_stress: zero
    inertial_number: 1e-3
    end: {strain: 1e-4}
    save: sheared
  - name: simple
    path: simple_shear
    inertial_number: 1e-3
    end: {strain: 1e-4}
output: {history: {strain: 2e-5}}
"""

TURN = """
specimen: {checkpoint: made/states/dense.h5}
stages:
  - {path: triaxial, axis: z, inertial_number: 1e-3, end: {strain: 2e-5}}
  - {path: rotate, rotation: {axis: [1, 2, 0], angle: 50 deg, increments: 30}}
  - {path: isotropic, pressure: 100 kPa, end: {steps: 50}, save: end}
"""

# A number of steps with a velocity gradient that turns grains and cell.
STEPS = """
specimen: {{checkpoint: {start}}}
stages:
  - path: general
    control: {{{control}}}
    end: {{steps: {steps}}}
    save: end
output: {{history: {{steps: {every}}}}}
"""
SPIN = "shear: simple, xx: {rate: -0.5}, yy: {rate: -0.7}, zz: {rate: 3}, xy: {rate: 2}, xz: {rate: 1}"

LATTICE = """
specimen:
  count: 27000
  arrangement: cubic
  sizes: {distribution: mono, d: 1 mm}
  preparation: {pressure: 100 kPa, friction: 0.3}
material: {stiffness_level: 1000, friction: 0.5}
stages:
  - {path: isotropic, pressure: 100 kPa, end: {steps: 20}, save: end}
"""

# The loose specimen is kept, for the search for friction. At the porosity asked for there is no room, so that
# the cell is made larger.
REGIONS = """
specimen:
  count: 2500
  arrangement: regions
  sizes: {distribution: uniform, d_min: 0.8 mm, d_max: 1.2 mm}
  preparation: {pressure: 100 kPa, void_ratio: 0.7, friction: auto, start_porosity: 60 %}
  shapes:
    - {shape: sphere, share: 3, material: quartz}
    - {shape: bumpy, satellites: 6, satellite_radius: 0.6, central_radius: 0.8, distance: 0.64, material: rubber}
materials:
  - {name: quartz, kn: 1e5, friction: 0.5, density: 2650 kg/m^3}
  - {name: rubber, kn: 3e4, friction: 0.9, density: 1100 kg/m^3}
"""

MANY = """
specimen:
  count: 200000
  arrangement: regions
  sizes: {distribution: uniform, d_min: 0.8 mm, d_max: 1.2 mm}
  preparation: {porosity: 74.7 %, rate: 1000 1/s}
material: {kn: 1e5, friction: 0.5}
"""
COLUMNS = 364  # bytes of a body in memory

# Runs the command that follows, and says how much memory it needed.
MEASURED = """
import os, resource, subprocess, sys
status = subprocess.run(sys.argv[1:]).returncode
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
rank = os.environ["OMPI_COMM_WORLD_RANK"]
os.write(1, f"process {rank} needed {1024 * peak} bytes\\n".encode())  # in one piece: lines of processes do not mix
sys.exit(status)
"""


@unittest.skipIf(PLUGIN, "the driver has the program")
class Run(LammpsTest):
    COUNT = 40 if SCALE < 1.0 else 80

    def command(self, *words, ranks=0, status=0, begin=False, under=()):
        command = [TWIRL, *words] if ranks == 0 else [*under, DRIVER, *words]
        if ranks > 1:
            command = [MPIRUN, "--oversubscribe", "-np", str(ranks), *command]
        process = subprocess.Popen(command, cwd=self.lammps.folder, text=True, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   env=Lammps.environment(self.lammps.folder))
        if begin:
            return process
        output = process.communicate(timeout=250)[0]
        self.assertEqual(process.returncode, status, output[-3000:])
        return output

    def make(self, more="", shape=""):
        (self.lammps.folder / "made.yaml").write_text(SPHERES.format(count=self.COUNT, more=more, shape=shape))
        (self.lammps.folder / "shear.yaml").write_text(SHEAR)
        self.command("run", "made.yaml", "--out", "made", "--quiet")

    def test_moduli_with_mpi(self):
        """Sequential MUMPS has names of MPI of its own: in a process of a real one they must not meet."""
        self.make()
        if "needs the sparse solver MUMPS" in subprocess.run([TWIRL, "moduli", self.lammps.folder / "made/states/dense.h5"],
                                                             text=True, capture_output=True, check=False).stderr:
            self.skipTest("no MUMPS")
        text = SHEAR.replace("output: {", "output: {moduli: yes, ")
        (self.lammps.folder / "shear.yaml").write_text(text)
        self.command("run", "shear.yaml", "--out", "two", "--quiet", ranks=2)
        with open(self.lammps.folder / "two/history.csv", newline="", encoding="ascii") as file:
            rows = [row for row in csv.DictReader(file) if row["bulk_modulus"] != "nan"]
        self.assertEqual([row["stage"] for row in rows], ["shear", "shear", "simple", "simple"])
        self.command("moduli", "two/states/sheared.h5", "--out", "moduli")
        alone = json.loads((self.lammps.folder / "moduli/moduli.json").read_text())["isotropic"]
        for name in ("bulk", "shear"):
            self.assertAlmostEqual(float(rows[1][name + "_modulus"]), alone[name], delta=1e-9 * alone[name])

    def forces(self, state):
        """The force on p of each contact, by spheres and image, in the axes of the state."""
        self.command("export", "contacts", state, "--out", "contacts.dump")
        with open(self.lammps.folder / "contacts.dump") as lines:
            for line in lines:
                if line.startswith("ITEM: ENTRIES"):
                    names = line.split()[2:]
                    break
            rows = [dict(zip(names, line.split())) for line in lines]
        found = {}
        for row in rows:
            p, q = int(row["ParticleIdentifiers.1"]), int(row["ParticleIdentifiers.2"])
            force = [float(row[f"force.{axis}"]) for axis in "XYZ"]
            if p > q:
                p, q, force = q, p, [-f for f in force]
            found.setdefault((p, q), []).append(force)
        return found

    def difference(self, a, b):
        """The largest difference of two forces, of the mean force. Several images of a pair: the nearest."""
        self.assertEqual(a.keys(), b.keys())
        mean = sum(math.hypot(*f) for all in a.values() for f in all) / sum(map(len, a.values()))
        return max(min(math.dist(f, g) for g in b[pair]) for pair, all in a.items() for f in all) / mean

    def steps(self, start, control, steps, every=1000000):
        """The command of a scenario of so many steps; --out is to follow."""
        (self.lammps.folder / "steps.yaml").write_text(STEPS.format(start=start, control=control, steps=steps, every=every))
        return "run", "steps.yaml", "--quiet", "--restart", "--out"

    def compare(self, ways, steps, tolerance):
        """From the same state with a velocity gradient that turns the cell."""
        words = self.steps("made/states/dense.h5", SPIN, steps)
        self.command(*words, "cpu")
        want = self.forces("cpu/states/end.h5")
        for ranks in ways:
            with self.subTest(ranks=ranks):
                self.command(*words, "lmp", ranks=ranks)
                # roundings of places, 1e-12 of an overlap, in that many steps
                self.assertLess(self.difference(want, self.forces("lmp/states/end.h5")), tolerance)

    def test_a_step_there_is_a_step_here(self):
        """With 16 processes the part of one is thinner than a grain, and ghosts come from beyond the next."""
        self.make()
        self.compare((1, 2, 4, 16) if SCALE == 1.0 else (2,), 100, 1e-9)

    def test_hertz_contacts_with_rolling_twisting_and_damping(self):
        self.make(", normal: hertz, rolling_friction: 0.1, twisting_friction: 0.05, restitution: 0.5")
        self.compare((2,), 60, 1e-8)

    def test_clusters(self):
        self.make(shape=BUMPY)
        self.compare((2,), 60, 1e-8)

    def loose(self, ways, *law, before=0):
        """A fast compression from a gas of grains at rest, step by step; the first steps by the engine, whose list the
        others do not have."""
        (self.lammps.folder / "loose.yaml").write_text(LOOSE.format(count=self.COUNT * 5 // 4))
        self.command("run", "loose.yaml", "--out", "loose", "--quiet")
        self.command("export", "csv", "loose/states/specimen.h5", "--out", "loose.csv")
        self.command("import", "loose.csv", *law, "--out", "start.h5")
        control, start, count = "xx: {rate: 1000}, yy: {rate: 1000}, zz: {rate: 1000}", "start.h5", 350 - before
        if before:
            self.command(*self.steps(start, control, before, 1), "begun")
            start = "begun/states/end.h5"
        words = self.steps(start, control, count, 1)
        times, want = {}, {}
        for ranks in (0, *ways):
            self.command(*words, f"end{ranks}", ranks=ranks)
            with open(self.lammps.folder / f"end{ranks}/history.csv", newline="", encoding="ascii") as file:
                times[ranks] = [float(row["time"]) for row in csv.DictReader(file)]
            want = want or self.forces("end0/states/end.h5")
            with self.subTest(ranks=ranks):
                self.assertEqual(len(times[ranks]), count + 1)
                self.assertLess(max(abs(a - b) for a, b in zip(times[ranks], times[0])), 1e-9 * times[0][-1])
                self.assertLess(self.difference(want, self.forces(f"end{ranks}/states/end.h5")), 1e-7)
        steps = [b - a for a, b in zip(times[0], times[0][1:])]
        self.assertLess(steps[-1], 0.9 * steps[0])

    def test_dt_falls_in_the_same_steps_as_contacts_form(self):
        self.loose((1, 2) if SCALE == 1.0 else (2,), "--kn", "1e5", "--kt", "1e5", "--mu", "0.5")

    def test_dt_falls_in_the_same_steps_with_hertz_contacts_and_damping(self):
        self.loose((2,), "--young", "1e9", "--poisson", "0.2", "--mu", "0.5", "--restitution", "0.5")

    def test_dt_falls_in_the_same_steps_after_a_checkpoint(self):
        self.loose((2,), "--kn", "1e5", "--kt", "1e5", "--mu", "0.5", before=100)

    def test_a_scenario_with_servo_and_going_on_elsewhere(self):
        """A process is killed, and plain twirl goes on."""
        self.make()
        self.command("run", "shear.yaml", "--out", "cpu", "--quiet")
        words = ("run", "shear.yaml", "--out", "lmp", "--quiet", "--set", "output.checkpoint.steps=200",
                 "--set", "stages[simple].end.strain=0.005")  # takes many seconds there
        process = self.command(*words, ranks=2, begin=True)
        state = self.lammps.folder / "lmp" / "states" / "sheared.h5"
        while not state.exists() and process.poll() is None:
            time.sleep(0.05)
        children = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True, check=False)
        os.kill(int(children.stdout.split()[-1]), signal.SIGKILL)
        process.communicate(timeout=250)
        self.assertNotEqual(process.returncode, 0)
        text = self.command(*words, "--resume", "--device", "cpu")
        self.assertRegex(text, r"process \d+ on \S+ did not shut down cleanly; resuming from step \d+")
        log = (self.lammps.folder / "lmp" / "run.log").read_text()
        self.assertRegex(log, r"(?s)from step 0 on: steps by LAMMPS.*from step [1-9][0-9]* on: steps by the engine")
        found = self.forces("lmp/states/sheared.h5")
        self.assertLess(self.difference(self.forces("cpu/states/sheared.h5"), found), 1e-8)

    def test_a_state_in_parts_is_that_of_the_whole(self):
        """Bytes of the file, and the hash that a run keeps beside it; clusters with all memories of contacts."""
        self.make(", normal: hertz, rolling_friction: 0.1, twisting_friction: 0.05, restitution: 0.5", BUMPY)
        words = self.steps("made/states/dense.h5", SPIN, 30)
        for ranks in (1, 2, 4) if SCALE == 1.0 else (2,):
            with self.subTest(ranks=ranks):
                self.command(*words, "parts", ranks=ranks)
                os.environ["TWIRL_DEVICE_TEST"] = "whole=1"
                try:
                    self.command(*words, "whole", ranks=ranks)
                finally:
                    del os.environ["TWIRL_DEVICE_TEST"]
                folder = self.lammps.folder
                self.assertEqual((folder / "parts/states/end.h5").read_bytes(), (folder / "whole/states/end.h5").read_bytes())
                stage = json.loads((folder / "parts/stages/1_general.json").read_text())
                self.assertIn(stage["hash"], self.command("info", "parts/states/end.h5"))

    def test_killed_while_a_checkpoint_is_written(self):
        """The one before is still there."""
        self.make()
        self.command("run", "shear.yaml", "--out", "cpu", "--quiet")
        before = int(re.search(r"(\d+) steps", self.command("info", "made/states/dense.h5")).group(1))
        words = ("run", "shear.yaml", "--out", "killed", "--quiet", "--set", "output.checkpoint.steps=10")
        os.environ["TWIRL_DEVICE_TEST"] = f"die_at={before + 15}"
        try:
            process = self.command(*words, ranks=2, begin=True)
            process.communicate(timeout=250)
        finally:
            del os.environ["TWIRL_DEVICE_TEST"]
        self.assertNotEqual(process.returncode, 0)
        folder = self.lammps.folder / "killed"
        self.assertEqual(len(list(folder.glob("checkpoint_?.h5.*.tmp"))), 1, list(folder.rglob("*")))
        text = self.command(*words, "--resume", ranks=4)
        self.assertRegex(text, "resuming from step 10")
        self.assertEqual(list(folder.glob("*.tmp")), [])
        found = self.forces("killed/states/sheared.h5")
        self.assertLess(self.difference(self.forces("cpu/states/sheared.h5"), found), 1e-8)

    def test_faults_of_lammps(self):
        """One message, and the folder is as after a kill: another number of processes goes on."""
        self.make()
        self.command("run", "shear.yaml", "--out", "cpu", "--quiet")
        before = int(re.search(r"(\d+) steps", self.command("info", "made/states/dense.h5")).group(1))
        for fault, ranks, message in (("fail_at", 2, "Illegal run command"), ("lose_at", 1, "Lost atoms")):
            with self.subTest(fault):
                words = ("run", "shear.yaml", "--out", fault, "--quiet", "--set", "output.checkpoint.steps=10")
                os.environ["TWIRL_DEVICE_TEST"] = f"{fault}={before + 30}"
                try:
                    text = self.command(*words, ranks=ranks, status=1)
                finally:
                    del os.environ["TWIRL_DEVICE_TEST"]
                self.assertEqual(len(re.findall(f"twirl-lmp: LAMMPS: {message}.*--resume", text)), 1, text)
                self.command(*words, "--resume", ranks=3 - ranks)
                found = self.forces(f"{fault}/states/sheared.h5")
                self.assertLess(self.difference(self.forces("cpu/states/sheared.h5"), found), 1e-8)

    def test_refused_before_the_first_step(self):
        self.make()
        text = self.command("plot", "made", ranks=1, status=2)
        self.assertIn("use 'twirl plot'", text)
        self.assertIn("'path: general'", self.command("advance", "made", ranks=2, status=2))
        folder = self.lammps.folder
        (folder / "open.txt").write_text("# cell: 4 0 0 0 4 0 0 0 4\n# periodic: 1 1 0\n1 1 1 0.5\n2 1 1 0.5\n")
        (folder / "open.yaml").write_text("specimen: {file: open.txt}\nmaterial: {kn: 1e5}\n"
                                          "stages: [{path: free_flight, end: {time: 1 us}}]\n")
        for words in (("check", "open.yaml", "--quick"), ("run", "open.yaml", "--out", "open")):
            text = self.command(*words, ranks=1, status=2)
            self.assertRegex(text, r"specimen.file: \S*open.txt: the device lammps cannot do cells that are not periodic")
        self.assertFalse((folder / "open").exists())

    def test_a_rotation_between_steps_of_processes(self):
        """The first process does it: steps before and after it are those of all."""
        self.make()
        (self.lammps.folder / "turn.yaml").write_text(TURN)
        self.command("run", "turn.yaml", "--out", "cpu", "--quiet")
        self.command("run", "turn.yaml", "--out", "lmp", "--quiet", ranks=2)
        found = self.forces("lmp/states/end.h5")
        # as in other comparisons: roundings of places in some hundred steps
        self.assertLess(self.difference(self.forces("cpu/states/end.h5"), found), 1e-8)

    def grains(self, *names):
        """Edges of the cell, and place and radius by id, from the dumps of one step."""
        found = {}
        for name in names:
            with open(self.lammps.folder / name, encoding="ascii") as lines:
                for line in lines:
                    if line.startswith("ITEM: BOX"):
                        bounds = [[float(word) for word in next(lines).split()] for _ in range(3)]
                    if line.startswith("ITEM: ATOMS"):
                        columns = line.split()[2:]
                        break
                for line in lines:
                    row = dict(zip(columns, map(float, line.split())))
                    found[int(row["id"])] = [row[name] for name in ("x", "y", "z", "radius")]
        tilts = [row[2] for row in bounds]
        low = bounds[0][0] - min(0.0, tilts[0], tilts[1], tilts[0] + tilts[1])
        high = bounds[0][1] - max(0.0, tilts[0], tilts[1], tilts[0] + tilts[1])
        edge = [high - low, bounds[1][1] - bounds[1][0] - abs(tilts[2]), bounds[2][1] - bounds[2][0]]
        return edge, tilts, found

    def test_dumps_of_lammps(self):
        """Each process writes its own grains. Ids and places are those of the state that twirl saves in the same step."""
        self.make()
        os.environ["TWIRL_LAMMPS_DUMP"] = "custom 10 grains.*.%.dump id type x y z radius"
        before = int(re.search(r"(\d+) steps", self.command("info", "made/states/dense.h5")).group(1))
        steps = 10 * (before // 10 + 3) - before
        try:
            self.command(*self.steps("made/states/dense.h5", SPIN, steps), "lmp", ranks=2)
            os.environ["TWIRL_LAMMPS_DUMP"] = "custom 10 grains.dump id"
            text = self.command("run", "shear.yaml", "--out", "refused", "--quiet", ranks=2, status=1)
            self.assertEqual(text.count("must have * for the step in its name"), 1, text)
            self.command("check", "shear.yaml", ranks=1)
        finally:
            del os.environ["TWIRL_LAMMPS_DUMP"]
        names = (path.name for path in self.lammps.folder.glob("grains.*"))
        dumps = sorted(names, key=lambda name: (int(name.split(".")[1]), name))
        last = before + steps
        self.assertEqual(dumps[-2:], [f"grains.{last}.0.dump", f"grains.{last}.1.dump"])
        self.assertEqual(len({name.split(".")[1] for name in dumps}), 3 + (before % 10 == 0))
        self.command("export", "dump", "lmp/states/end.h5", "--out", "state.dump")
        edge, tilt, want = self.grains("state.dump")
        edge_found, tilt_found, found = self.grains(*dumps[-2:])
        for a, b in zip(edge + tilt, edge_found + tilt_found):
            self.assertAlmostEqual(a, b, delta=1e-9 * edge[0])
        self.assertEqual(found.keys(), want.keys())
        for grain, (x, y, z, radius) in want.items():
            d = [a - b for a, b in zip(found[grain], (x, y, z))]
            whole = round(d[2] / edge[2])  # images
            d = [d[0] - whole * tilt[1], d[1] - whole * tilt[2], d[2] - whole * edge[2]]
            whole = round(d[1] / edge[1])
            d = [d[0] - whole * tilt[0], d[1] - whole * edge[1], d[2]]
            d[0] -= round(d[0] / edge[0]) * edge[0]
            self.assertLess(math.hypot(*d), 2e-5 * edge[0])  # LAMMPS writes six digits
            self.assertAlmostEqual(found[grain][3], radius, delta=1e-5 * radius)

    def test_regions_are_made_where_they_are_moved(self):
        """The same spheres, bit for bit, by 1, 2 and 4 processes and by the engine."""
        (self.lammps.folder / "regions.yaml").write_text(REGIONS)
        made = []
        for ranks in (0, 1, 2, 4):
            folder = self.lammps.folder / f"regions{ranks}"
            process = self.command("run", "regions.yaml", "--out", folder.name, ranks=ranks, begin=True)
            while process.poll() is None and not (folder / "loose.h5").exists():
                time.sleep(0.05)
            process.terminate()
            output = process.communicate(timeout=250)[0]
            self.assertTrue((folder / "loose.h5").exists(), output[-3000:])
            self.command("export", "csv", f"{folder.name}/loose.h5", "--out", f"regions{ranks}.csv")
            made.append((self.lammps.folder / f"regions{ranks}.csv").read_text())
            placed = re.search(r"placed at porosity ([0-9.]+)", (folder / "run.log").read_text()).group(1)
            self.assertGreater(float(placed), 0.61)
            made[-1] += placed
        self.assertEqual(made[0].count("\n"), 3 + 1875 + 7 * 625)
        for other in made[1:]:
            self.assertEqual(other, made[0])

    @unittest.skipIf(SCALE < 1.0, "sanitizers need memory of their own")
    def test_the_first_process_does_not_hold_regions(self):
        (self.lammps.folder / "many.yaml").write_text(MANY)
        text = self.command("check", "many.yaml", ranks=4)
        found = re.search(r"memory (\d+) MB and ([\d.]+) GB per million of its grains in each process,", text)
        stated = 1e6 * float(found.group(1)) + 1e9 * float(found.group(2)) * 50000 / 1e6
        text = self.command("run", "many.yaml", "--out", "many", "--quiet", ranks=4,
                            under=(sys.executable, "-c", MEASURED))
        needed = [float(peak) for rank, peak in sorted(re.findall(r"process (\d) needed (\d+) bytes", text))]
        self.assertEqual(len(needed), 4, text)
        self.assertLess(needed[0] - max(needed[1:]), 0.5 * 200000 * COLUMNS)
        self.assertLess(abs(stated / needed[0] - 1.0), 1.0 / 3.0, text)

    @unittest.skipIf(SCALE < 1.0, "sanitizers need memory of their own")
    def test_check_states_the_memory_of_the_first_process(self):
        """Of a run with its checkpoints. Other processes hold their own grains only."""
        (self.lammps.folder / "lattice.yaml").write_text(LATTICE)
        text = self.command("check", "lattice.yaml", ranks=2)
        stated = 1e6 * float(re.search(r"memory (\d+) MB in the first process", text).group(1))
        text = self.command("run", "lattice.yaml", "--out", "lattice", "--quiet", ranks=2,
                            under=(sys.executable, "-c", MEASURED))
        needed = {int(rank): float(peak) for rank, peak in re.findall(r"process (\d) needed (\d+) bytes", text)}
        self.assertLess(abs(stated / needed[0] - 1.0), 1.0 / 3.0, text)
        self.assertLess(needed[1], needed[0])
        stage = json.loads((self.lammps.folder / "lattice/stages/1_isotropic.json").read_text())
        self.assertIn(stage["hash"], self.command("info", "lattice/states/end.h5"))  # of several parts


if __name__ == "__main__":
    unittest.main()
