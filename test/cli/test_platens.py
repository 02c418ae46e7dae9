#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Element tests between rigid platens: the same bits on a device, after kills and extended; the stress on the platens
against that of the contacts."""

import csv
import json
import shutil
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from cli import SCALE, TWIRL, CliTest, run

HEAD = """
specimen:
  count: 60
  sizes: {distribution: uniform, d_min: 0.8 mm, d_max: 1.2 mm}
  preparation: {pressure: 100 kPa, friction: 0.1, inertial_number: 0.03, unbalanced: 0.03}
boundary: {BOUNDARY}
materials:
  - {name: sand, stiffness_level: 500, friction: 0.5}
  - {name: platen, stiffness_level: 500, friction: 0}
stages:
  - {name: settle, path: isotropic, pressure: 100 kPa, end: {unbalanced: 0.02}}
"""
SHEAR = "  - {name: shear, path: triaxial, rate: 3, end: {strain: 0.5 %}}\n"
MORE = """  - {name: shear, path: triaxial, rate: 3, end: {strain: 1 %}}
  - {name: ring, path: oedometer, from: settle, rate: 3, end: {strain: 0.3 %}}
"""
TAIL = "output: {history: {steps: 20}, checkpoint: {steps: 150}}\n"
WALLS = "x: walls, y: walls, z: walls, material: platen"


def files_of(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*"))
            if path.is_file() and path.name not in ("lock", "timing.json")}


def rows_of(folder, name="history.csv"):
    with open(folder / name, newline="", encoding="utf-8") as file:
        return [{key: value if key == "stage" else float(value) for key, value in row.items() if key != "check"}
                for row in csv.DictReader(file)]


def setUpModule():
    Platens.folder = Path(tempfile.mkdtemp())
    unittest.addModuleCleanup(shutil.rmtree, Platens.folder)
    Platens.write("x.yaml", HEAD.replace("BOUNDARY", WALLS) + MORE + TAIL)
    Platens.complete("x.yaml", "whole")


class Platens(CliTest):
    @classmethod
    def write(cls, name, text):
        (cls.folder / name).write_text(text, encoding="utf-8")

    @classmethod
    def complete(cls, name, out, *options):
        done = run("run", name, "--out", out, "--quiet", *options, cwd=cls.folder)
        assert done.returncode == 0, done.stderr
        return cls.folder / out

    def test_the_stress_on_the_platens(self):
        """Held where it is prescribed. That of the contacts is larger by an overlap over the distance of the platens, and differs by
        what is not in equilibrium: 0.2 % in the mean, where overlaps are 0.2 % of a diameter and four grains are between them."""
        both = list(zip(rows_of(self.folder / "whole"), rows_of(self.folder / "whole", "contact_stress.csv"), strict=True))
        for row, mean in both:
            self.assertEqual((row["stage"], row["time"]), (mean["stage"], mean["time"]))
            if row["stage"] == "shear":
                self.assertAlmostEqual(row["stress_xx"], 1e5, delta=1e3)
                self.assertAlmostEqual(row["stress_yy"], 1e5, delta=1e3)
            self.assertAlmostEqual(row["p"], sum(row[f"stress_{k}"] for k in ("xx", "yy", "zz")) / 3, delta=1e-6 * row["p"])
        for k in ("xx", "yy", "zz"):
            ratios = [mean[f"stress_{k}:volume"] / row[f"stress_{k}"] for row, mean in both if row["stage"] == "shear"]
            self.assertAlmostEqual(sum(ratios) / len(ratios), 1.0, delta=0.005)
        last = [row for row in rows_of(self.folder / "whole") if row["stage"] == "shear"][-1]
        self.assertGreater(last["q"], 0.2 * last["p"])
        self.assertAlmostEqual(last["strain_zz"], 0.01, delta=1e-4)

    def test_the_work_of_the_platens(self):
        """That of their stress over the strain, and in the balance."""
        rows = [row for row in rows_of(self.folder / "whole") if row["stage"] == "shear"]
        put = sum(0.5 * (a["volume"] + b["volume"]) * sum(0.5 * (a[f"stress_{k}"] + b[f"stress_{k}"]) * (b[f"strain_{k}"] - a[f"strain_{k}"])
                                                            for k in ("xx", "yy", "zz")) for a, b in zip(rows, rows[1:]))
        self.assertAlmostEqual(rows[-1]["cell"] - rows[0]["cell"], put, delta=0.02 * put)
        self.assertLess(abs(rows[-1]["residual"] - rows[0]["residual"]), 1e-3 * put)
        self.assertIn("x walls, y walls, z walls, material platen", run("check", "x.yaml", "--quick", cwd=self.folder).stdout)

    @unittest.skipIf(SCALE < 1, "slow")
    def test_on_a_device(self):
        self.assertEqual(files_of(self.folder / "whole"), files_of(self.complete("x.yaml", "device", "--device", "emulated")))

    def test_after_kills(self):
        out, kills = self.folder / "killed", 0
        command = [TWIRL, "run", "x.yaml", "--out", str(out), "--quiet", "--resume"]
        for attempt in range(20):
            with subprocess.Popen(command, cwd=self.folder, stderr=subprocess.DEVNULL) as process:
                seen, saves = None, 0
                while process.poll() is None and saves <= 2 + attempt:
                    now = [path.stat().st_mtime_ns for path in (out / "run_state_a.txt", out / "run_state_b.txt") if path.exists()]
                    saves += now != seen
                    seen = now
                process.send_signal(signal.SIGKILL)
            kills += process.returncode == -signal.SIGKILL
            if process.returncode == 0:
                break
        self.assertEqual(process.returncode, 0)
        self.assertGreater(kills, 1)
        for name in ("history.csv", "contact_stress.csv", "summary.json", "stages/ring.json"):
            self.assertEqual((self.folder / "whole" / name).read_bytes(), (out / name).read_bytes(), name)

    def test_extended(self):
        self.write("short.yaml", HEAD.replace("BOUNDARY", WALLS) + SHEAR + TAIL)
        out = self.complete("short.yaml", "short")
        self.complete("x.yaml", "short", "--extend")
        for stage in ("shear", "ring"):
            made, expected = (json.loads((folder / f"stages/{stage}.json").read_text()) for folder in (out, self.folder / "whole"))
            self.assertEqual(made["hash"], expected["hash"])

    def test_platens_along_one_axis(self):
        self.write("z.yaml", HEAD.replace("BOUNDARY", "z: walls") + "  - {name: slide, path: simple_shear, plane: xy, rate: 1, end: {strain: 0.2 %}}\n" + TAIL)
        rows = rows_of(self.complete("z.yaml", "z"))
        self.assertAlmostEqual(rows[-1]["stress_yy"], 1e5, delta=3e3)
        self.assertGreater(abs(rows[-1]["stress_xy"]), 5e3)

    def test_a_lattice(self):
        """A cubic lattice between platens touches them: every column carries the same, and platens and contacts agree."""
        self.write("l.yaml", "specimen: {count: 64, arrangement: cubic, sizes: {d: 1 mm}, preparation: {pressure: 10 kPa, unbalanced: 1e-6}}\n"
                   f"boundary: {{{WALLS.replace(', material: platen', '')}}}\nmaterial: {{stiffness_level: 1e4, friction: 0}}\n"
                   "stages: [{name: settle, path: isotropic, pressure: 10 kPa}]\n" + TAIL)
        out = self.complete("l.yaml", "l")
        row, mean = (rows_of(out, name)[-1] for name in ("history.csv", "contact_stress.csv"))
        for k in ("xx", "yy", "zz"):
            self.assertAlmostEqual(row[f"stress_{k}"], 1e4, delta=10)
            self.assertAlmostEqual(mean[f"stress_{k}:volume"], 1e4, delta=20)
        self.assertEqual(row["coordination"], 6)


if __name__ == "__main__":
    unittest.main()
