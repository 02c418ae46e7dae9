#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Where the time of a run goes: timing.json, and the table at the end. Only shares and sums are compared,
which do not depend on how fast the machine is."""

import json
import os
import re
import tempfile
import time
import unittest
from pathlib import Path

from cli import CliTest, run

SCENARIO = """
specimen:
  count: 80
  sizes: {d: 1 mm}
  preparation: {pressure: 100 kPa, friction: 0.3}
material: {stiffness_level: 500, friction: 0.5}
stages:
  - {name: shear, path: triaxial, end: {strain: 0.1 %}}
  - {name: turn, path: rotate, rotation: {axis: [0, 0, 1], angle: 10 deg, increments: 20}}
  - name: probe
    path: probes
    axis: z
    probes: {space: rendulic, count: 4, strain: 5e-5, steps: 20, settle: 1e-3, rest: 1e-2}
"""

# Frames after every step.
HEAVY = SCENARIO.split("stages:")[0] + """
stages:
  - {name: shear, path: triaxial, rate: 1, end: {steps: 300}}
output:
  vtk: {steps: 1}
"""

# Runs wait for the disk at every checkpoint.
SCRATCH = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None

ROW = re.compile(r"^  (\w+) +([\d.]+) s +([\d.]+) %  (.*)$", re.M)


class TimingTest(CliTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=SCRATCH)
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "x.yaml").write_text(SCENARIO)

    def run_in(self, out, *options, status=0, env=None):
        done = run("run", "x.yaml", "--out", out, *options, cwd=self.folder, env=env)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def timing(self, out):
        return json.loads((self.folder / out / "timing.json").read_text())

    def seconds(self, part):
        return {phase["name"]: phase["seconds"] for phase in part["phases"]}

    def check_sums(self, timing, threads):
        """Of the run and of its parts."""
        self.assertEqual(timing["threads"], threads)
        for part in [timing, *timing["stages"]]:
            self.assertAlmostEqual(part["total"], threads * part["wall"], delta=1e-6)
            self.assertAlmostEqual(sum(self.seconds(part).values()), part["total"],
                                   delta=1e-6 + 0.01 * part["total"])
            self.assertTrue(all(0.0 <= phase["share"] <= 1.0 for phase in part["phases"]))
        for name, of_run in self.seconds(timing).items():
            self.assertAlmostEqual(of_run, sum(self.seconds(part)[name] for part in timing["stages"]), delta=1e-6)
        self.assertAlmostEqual(timing["wall"], sum(part["wall"] for part in timing["stages"]), delta=1e-6)

    def test_the_phases_of_one_thread_fill_the_wall_time(self):
        """Waiting is what no phase accounts for: next to nothing, of a thread that never waits."""
        begun = time.monotonic()
        self.run_in("out", "--threads", "1", "--quiet")
        elapsed = time.monotonic() - begun
        timing = self.timing("out")
        self.check_sums(timing, 1)
        seconds = self.seconds(timing)
        self.assertLessEqual(timing["wall"], elapsed)
        self.assertLess(seconds.pop("waiting"), 0.02 * timing["wall"])
        self.assertEqual(seconds.pop("walls"), 0.0)
        for name, spent in seconds.items():
            self.assertGreater(spent, 0.0, name)
        self.assertEqual(timing["steps"], json.loads((self.folder / "out/summary.json").read_text())["steps"])
        self.assertEqual([part["name"] for part in timing["stages"]], ["specimen", "shear", "turn", "probe"])
        self.assertEqual(timing["stages"][2]["steps"], 20)
        self.assertGreater(self.seconds(timing["stages"][3])["force"], 0.0)

    def test_threads_add_up_and_folders_are_equal_without_the_times(self):
        for threads in (1, 3):
            self.run_in(f"out{threads}", "--threads", str(threads), "--quiet", "--set", "output.checkpoint.steps=500")
            self.check_sums(self.timing(f"out{threads}"), threads)
        a, b = self.folder / "out1", self.folder / "out3"
        names = sorted(path.relative_to(a) for path in a.rglob("*") if path.is_file())
        self.assertEqual(names, sorted(path.relative_to(b) for path in b.rglob("*") if path.is_file()))
        self.assertIn(Path("timing.json"), names)
        different = [str(name) for name in names if (a / name).read_bytes() != (b / name).read_bytes()]
        self.assertEqual(different, ["timing.json"])
        self.assertNotIn("timing.json", (a / "files.txt").read_text())

    def test_an_emulated_device_has_the_same_phases(self):
        self.run_in("out", "--quiet", "--device", "emulated", "--threads", "1")
        timing = self.timing("out")
        self.assertEqual(timing["device"], "emulated")
        self.check_sums(timing, 1)
        seconds = self.seconds(timing)
        for name in ("search", "move", "detect", "force", "gather", "servo", "stable", "measure"):
            self.assertGreater(seconds[name], 0.0, name)
        # What the host does between batches: 1.2 % on a quiet machine.
        self.assertLess(seconds["waiting"], 0.03 * timing["wall"])

    def test_frames_are_time_of_output(self):
        """300 of them take forty times as long as the other files of the stage; other processes may distort that."""
        seconds = {}
        for name, text in (("with", HEAVY), ("without", HEAVY.split("output:")[0])):
            (self.folder / "x.yaml").write_text(text)
            self.run_in(name, "--threads", "1", "--quiet")
            seconds[name] = self.seconds(self.timing(name)["stages"][1])["output"]
        self.assertGreater(seconds["with"], 4.0 * seconds["without"])

    def test_a_resumed_run_has_the_times_of_its_own_process(self):
        """The device fails in the middle; the run continues on the CPU."""
        every = ("--set", "output.checkpoint.steps=100", "--quiet")
        self.run_in("out", "--device", "emulated", *every, status=1, env={"TWIRL_DEVICE_TEST": "fail_at=750"})
        first = self.timing("out")
        self.assertEqual(first["device"], "emulated")
        self.assertTrue(0 < first["steps"] < 750)
        self.run_in("out", "--resume", *every)
        second, summary = self.timing("out"), json.loads((self.folder / "out/summary.json").read_text())
        self.assertEqual(second["device"], "cpu")
        self.assertEqual(second["steps"], summary["steps"] - 700)
        before = (self.folder / "out/timing.json").read_bytes()
        self.run_in("out", "--resume", *every)  # nothing is left to do
        self.assertEqual((self.folder / "out/timing.json").read_bytes(), before)

    def test_the_table_at_the_end_is_that_of_the_file(self):
        done = self.run_in("out", "--threads", "2")
        timing, rows = self.timing("out"), ROW.findall(done.stderr)
        self.assertEqual(done.stderr.count("  total "), 1)
        self.assertEqual([row[0] for row in rows],
                         [name for name, spent in self.seconds(timing).items() if spent > 0.0] + ["total"])
        for name, spent, share, _ in rows:
            expected = self.seconds(timing).get(name, timing["total"])
            self.assertAlmostEqual(float(spent), expected, delta=6e-4)
            self.assertAlmostEqual(float(share), 100.0 * expected / timing["total"], delta=0.06)
        self.assertIn("on 2 threads", rows[-1][3])
        self.assertEqual(ROW.findall(self.run_in("quiet", "--quiet").stderr), [])


if __name__ == "__main__":
    unittest.main()
