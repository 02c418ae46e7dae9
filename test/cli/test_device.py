#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""--device: results do not depend on where steps are computed, nor on a change in the middle."""

import os
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from cli import TWIRL, CliTest, run

SCENARIO = """
specimen:
  count: 60
  sizes: {distribution: uniform, d_min: 0.8 mm, d_max: 1.2 mm}
  preparation: {pressure: 100 kPa, friction: 0.1, inertial_number: 0.1, unbalanced: 0.03}
material: {stiffness_level: 500, friction: 0.5}
stages:
  - {name: shear, path: triaxial, end: {strain: 0.2 %}, inertial_number: 5e-3}
  - {name: cycle, path: cyclic, shear_stress: zero, cycle: {base: triaxial, strain: 0.02 %}, end: {cycles: 1}, inertial_number: 5e-3}
  - {name: back, path: triaxial, direction: extension, end: {stress_ratio: 0.1, strain: 1 %}, inertial_number: 5e-3}
  - {name: turn, path: rotate, rotation: {axis: [1, 0, 0], angle: 20 deg, increments: 10}}
  - name: probe
    path: probes
    probes: {count: 2, strain: 1e-6, steps: 5, settle_steps: 20, rest_steps: 20}
output:
  history: {steps: 20}
  checkpoint: {steps: 150}
"""


def files_of(folder):
    """All files of a run but its lock and its times, with their content."""
    folder = Path(folder)
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*"))
            if path.is_file() and path.name not in ("lock", "timing.json")}


def setUpModule():
    """The scenario x.yaml, and its run on the CPU in cpu/."""
    DeviceTest.folder = folder = tempfile.mkdtemp()
    unittest.addModuleCleanup(shutil.rmtree, folder)
    (Path(folder) / "x.yaml").write_text(SCENARIO)
    done = run("run", "x.yaml", "--out", "cpu", "--quiet", "--device", "cpu", cwd=folder)
    assert done.returncode == 0, done.stderr
    DeviceTest.expected = files_of(os.path.join(folder, "cpu"))


class DeviceTest(CliTest):
    def twirl(self, *arguments, status=0, **env):
        done = run(*arguments, cwd=self.folder, env=env)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def files(self, name):
        return files_of(os.path.join(self.folder, name))

    def continued(self, done):
        """Runs the command that the program has printed to continue on the CPU."""
        line = done.stderr.splitlines()[-1]
        self.assertIn("--resume --device cpu", line)
        again = subprocess.run([TWIRL, *shlex.split(line)[1:]], cwd=self.folder,
                               capture_output=True, check=False, text=True)
        self.assertEqual(again.returncode, 0, again.stderr)
        return again

    def test_a_run(self):
        """Every file of the folder, with probes side by side."""
        self.assertIn("stages/probe/probes.csv", self.expected)
        done = self.twirl("run", "x.yaml", "--out", "device", "--device", "emulated", "--quiet",
                          "--threads", "2")
        self.assertIn("steps are computed on the device emulated", done.stderr)
        self.assertEqual(self.expected, self.files("device"))

    def test_a_device_that_fails(self):
        """Continued on the CPU by the command that is printed; or on a device again."""
        steps = int(self.expected["history.csv"].splitlines()[-1].split(b",")[0])
        self.assertGreater(steps, 450)
        done = self.twirl("run", "x.yaml", "--out", "moved", "--restart", "--device=emulated",
                          "--quiet", TWIRL_DEVICE_TEST="fail_at=333", status=1)
        saved = re.search(r"last saved at step (\d+), in checkpoint_", done.stderr)  # every 150 steps, and at the end of a stage
        self.assertTrue(300 <= int(saved[1]) < 333, done.stderr)
        self.continued(done)
        self.assertEqual(self.expected, self.files("moved"))
        shutil.rmtree(os.path.join(self.folder, "moved"))
        self.twirl("run", "x.yaml", "--out", "moved", "--device", "emulated", "--quiet",
                   TWIRL_DEVICE_TEST=f"fail_at={steps}", status=1)
        self.twirl("run", "x.yaml", "--out", "moved", "--quiet", "--resume", TWIRL_DEVICE="emulated")
        self.assertEqual(self.expected, self.files("moved"))

    def test_refused_before_anything_is_written(self):
        before = sorted(os.listdir(self.folder))
        for command in (("run",), ("sweep", "--vary", "specimen.seed=1,2")):
            self.assert_refused(run(*command, "x.yaml", "--device", "gpu", cwd=self.folder),
                                "gpu", "cpu, cuda, lammps (in twirl-lmp), or emulated")
            done = run(*command, "x.yaml", "--device", "cuda", "--out", "out", cwd=self.folder,
                       env={"CUDA_VISIBLE_DEVICES": ""})
            self.assert_refused(done, "CUDA", status=1)
            self.assert_refused(run(*command, "x.yaml", "--device", "lammps", "--out", "out",
                                    cwd=self.folder), "mpirun -np 4 twirl-lmp run", status=1)
        done = run("run", "x.yaml", "--device", "emulated", "--out", "out", cwd=self.folder,
                   env={"TWIRL_DEVICE_TEST": "memory=20000"})
        self.assert_refused(done, "the device has too little memory", "enough for about", status=1)
        self.assert_refused(run("run", "x.yaml", "--out", "out", cwd=self.folder,
                                env={"TWIRL_DEVICE": "gpu"}), "TWIRL_DEVICE=gpu")
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_a_sweep_and_an_estimate(self):
        """Cases get the device; the cost of a step is measured there."""
        small = ("--set", "specimen.count=30", "--set", "stages[shear].end.strain=0.05 %")
        options = ("sweep", "x.yaml", "--vary", "material.friction=0.3,0.5", "--no-figures", *small)
        self.twirl(*options, "--out", "a", "--quiet")
        self.twirl(*options, "--out", "b", "--quiet", "--device", "emulated")
        self.assertEqual(self.files("a")["table.csv"], self.files("b")["table.csv"])
        logs = b"".join(text for name, text in self.files("b").items() if name.endswith(".log"))
        self.assertIn(b"device emulated", logs)
        self.assertIn("on this machine",
                      self.twirl("check", "x.yaml", "--device", "emulated", *small).stdout)


if __name__ == "__main__":
    unittest.main()
