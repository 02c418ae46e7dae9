#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""--device: results do not depend on where steps are computed, nor on a change in the middle."""

import os
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
  - {name: turn, path: rotate, rotation: {axis: [1, 0, 0], angle: 20 deg, increments: 10}}
  - name: probe
    path: probes
    probes: {count: 2, strain: 1e-6, steps: 5, settle_steps: 20, rest_steps: 20}
output:
  history: {steps: 20}
  checkpoint: {steps: 50}
"""


def files_of(folder):
    """All files of a run but its lock, with their content."""
    folder = Path(folder)
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*"))
            if path.is_file() and path.name != "lock"}


class DeviceTest(CliTest):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        (Path(self.folder) / "x.yaml").write_text(SCENARIO)

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
        words = shlex.split(line)
        again = subprocess.run([TWIRL, *words[1:]], cwd=self.folder, capture_output=True,
                               check=False, text=True)
        self.assertEqual(again.returncode, 0, again.stderr)
        return again

    def test_a_run_on_either_and_on_both(self):
        self.twirl("run", "x.yaml", "--out", "cpu", "--quiet", "--threads", "2")
        expected = self.files("cpu")
        self.assertIn("stages/probe/probes.csv", expected)
        done = self.twirl("run", "x.yaml", "--out", "device", "--device", "emulated", "--quiet",
                          "--threads", "2")
        self.assertIn("emulated", done.stderr)
        self.assertEqual(expected, self.files("device"))
        # Begun on a device, which fails; continued on the CPU by the command that is printed.
        done = self.twirl("run", "x.yaml", "--out", "moved", "--restart", "--device=emulated",
                          "--quiet", TWIRL_DEVICE_FAIL_AT="333", status=1)
        self.assertIn("at step 300, in checkpoint_", done.stderr)
        self.continued(done)
        self.assertEqual(expected, self.files("moved"))

    def test_a_run_begun_on_the_cpu_goes_on_on_a_device(self):
        """A failure of the device in a probe: its results are kept, and it is resumed there."""
        self.twirl("run", "x.yaml", "--out", "cpu", "--quiet")
        steps = int(self.files("cpu")["history.csv"].splitlines()[-1].split(b",")[0])
        self.twirl("run", "x.yaml", "--out", "moved", "--quiet", "--device", "emulated", status=1,
                   TWIRL_DEVICE_FAIL_AT=str(steps // 4))
        self.twirl("run", "x.yaml", "--out", "moved", "--quiet", "--resume", "--device", "emulated")
        self.assertEqual(self.files("cpu"), self.files("moved"))

    def test_advance(self):
        self.twirl("run", "x.yaml", "--out", "cpu", "--quiet")
        common = ("advance", "cpu/states/specimen.h5", "--steps", "200", "--gradient", "-3 -3 -3",
                  "--history", "h.csv", "--every", "40", "--hash", "--quiet")
        expected = self.twirl(*common, "--out", "a.h5").stdout
        history = self.files(".")["h.csv"]
        self.assertEqual(self.twirl(*common, "--out", "b.h5", "--device", "emulated").stdout,
                         expected)
        self.assertEqual(self.files(".")["h.csv"], history)
        info = self.twirl("info", "cpu/states/specimen.h5").stdout
        step = int(info.split("step ")[1].split()[0].rstrip(",;:"))
        done = self.twirl(*common, "--out", "c.h5", "--device", "emulated", status=1,
                          TWIRL_DEVICE_FAIL_AT=str(step + 130))
        self.assertIn("the last checkpoint is c.h5", done.stderr)
        self.assertEqual(self.continued(done).stdout, expected)
        self.assertEqual(self.files(".")["h.csv"], history)

    def test_refused_before_anything_is_written(self):
        for command in (("run",), ("sweep", "--vary", "specimen.seed=1,2")):
            self.assert_refused(run(*command, "x.yaml", "--device", "gpu", cwd=self.folder),
                                "gpu", "cpu, cuda, or emulated")
            done = run(*command, "x.yaml", "--device", "cuda", "--out", "out", cwd=self.folder)
            if done.returncode == 0:
                continue  # there is one
            self.assert_refused(done, "CUDA", status=1)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "out")))
        self.assert_refused(run("run", "x.yaml", cwd=self.folder, env={"TWIRL_DEVICE": "gpu"}),
                            "TWIRL_DEVICE=gpu")
        self.assertEqual(os.listdir(self.folder), ["x.yaml"])

    def test_a_sweep_and_an_estimate(self):
        """Cases get the device; the trial of an estimate runs there, too."""
        small = ("--set", "specimen.count=30", "--set", "stages[shear].end.strain=0.05 %")
        options = ("sweep", "x.yaml", "--vary", "material.friction=0.3,0.5", "--no-figures", *small)
        self.twirl(*options, "--out", "a", "--quiet")
        self.twirl(*options, "--out", "b", "--quiet", "--device", "emulated")
        self.assertEqual(self.files("a")["table.csv"], self.files("b")["table.csv"])
        logs = b"".join(text for name, text in self.files("b").items() if name.endswith(".log"))
        self.assertIn(b"device emulated", logs)
        self.assertIn("steps", self.twirl("check", "x.yaml", "--device", "emulated", *small).stdout)


if __name__ == "__main__":
    unittest.main()
