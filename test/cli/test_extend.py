#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs that go on: the states, and the rows from there on, are those of one run of the longer
scenario; what was written before stays. What is not an extension is refused and changes nothing."""

import csv
import json
import signal
import subprocess
import unittest

from cli import SCALE, TWIRL, run
from test_run_folder import FolderTest, content

HEAD = """
specimen:
  count: 40
  sizes: {distribution: uniform, d_min: 0.8 mm, d_max: 1.2 mm}
  preparation: {pressure: 100 kPa, friction: 0.1, inertial_number: 0.05, unbalanced: 0.01}
material: {stiffness_level: 1000, friction: 0.5}
output: {history: {strain: 0.02 %, steps: 20}, checkpoint: {steps: 101}, vtk: {strain: 0.1 %}, lammps: {stages: yes}}
stages:
"""
SETTLE = "  - {name: settle, path: isotropic, pressure: 100 kPa, end: {unbalanced: 0.01}}\n"
SHEAR = "  - {name: shear, path: triaxial, end: {strain: 0.31 %}, save: sheared}\n"
MORE = SHEAR.replace("0.31 %", "0.6 %")
TWO = HEAD.replace("specimen:", "specimen:\n  shapes: [{material: hard}, {material: soft}]").replace(
    "material: {stiffness_level: 1000, friction: 0.5}",
    "materials: [{name: hard, kn: 1e5, friction: 0.5}, {name: soft, kn: 5e4, friction: 0.4}]")
BACK = "  - {name: back, path: triaxial, direction: extension, end: {strain: 0.2 %}}\n"


def rows_of(folder, name="history.csv"):
    """Without their checks."""
    with open(folder / name, newline="") as file:
        return [row[:-1] for row in csv.reader(file)]


def hashes_of(folder):
    return {stage["name"]: stage["hash"] for stage in json.loads((folder / "summary.json").read_text())["stages"]}


class ExtendTest(FolderTest):
    def extend(self, before, after, *options, count=None):
        """Compares with one run of `after`. There are `count` rows more, those of former ends."""
        parts, whole = self.folder / "parts", self.folder / "whole"
        if not parts.exists():
            self.complete("parts", text=before)
        old = (parts / "history.csv").read_bytes()
        self.complete("parts", "--extend", *options, text=after)
        self.complete("whole", text=after)
        self.assertTrue((parts / "history.csv").read_bytes().startswith(old))
        self.assertEqual(hashes_of(parts), hashes_of(whole))
        made, expected = rows_of(parts), rows_of(whole)
        extra = [row for row in made if row not in expected]
        self.assertEqual([row for row in made if row in expected], expected)
        if count is not None:
            self.assertEqual(len(extra), count)
        for name in ("scenario.yaml", "scenario.json"):
            self.assertEqual((parts / name).read_bytes(), (whole / name).read_bytes())
        self.assertEqual(run("info", str(parts)).stderr, "")  # all files are those of the run
        self.assertIn("nothing is left to do", self.complete("parts", "--resume", text=after))
        return parts, whole

    def refuse(self, before, after, *needles):
        if not (self.folder / "parts").exists():
            self.complete("parts", text=before)
        old = content(self.folder / "parts")
        self.assert_refused(self.run_in("parts", "--extend", text=after), "not an extension", *needles)
        self.assertEqual(content(self.folder / "parts"), old)


class AnotherTest(FolderTest):
    """On a specimen that exists."""

    def first_row(self, name, stage):
        with open(self.folder / name / "history.csv", newline="") as file:
            row = next(row for row in csv.DictReader(file) if row["stage"] == stage)
        return {key: row[key] for key in ("stress_xx", "stress_yz", "void_ratio", "coordination")}

    def test_from_a_run_with_stages_or_a_state(self):
        self.complete("one", text=HEAD + SETTLE + SHEAR)
        other = HEAD + "  - {name: other, path: undrained, end: {strain: 0.1 %}}\n"
        for name, source, stage in (("specimen", "one", "settle"), ("state", "one/stages/settle.h5", "shear")):
            self.complete(name, "--specimen", str(self.folder / source), text=other)
            self.assertEqual(self.first_row(name, "other"), self.first_row("one", stage))
        self.assertIn("nothing is left", self.complete("state", "--resume", "--specimen", str(self.folder / "one/stages/settle.h5"),
                                                       text=other))
        done = self.run_in("bad", "--specimen", str(self.folder / "one"), text=other.replace("count: 40", "count: 50"))
        self.assert_refused(done, "prepares another specimen", "one/states/specimen.h5")
        done = self.run_in("bad", "--set", f"specimen={{checkpoint: {self.folder}/one/states/specimen.h5}}", text=other)
        self.assert_refused(done, "stiffness_level: needs a generated specimen", "leave it out to keep the stiffness of the checkpoint")
        done = self.run_in("bad", "--specimen", str(self.folder / "nowhere"), text=other)
        self.assert_refused(done, "the folder holds no run")

    def test_from_the_end_of_an_earlier_stage(self):
        branch = BACK.replace("path:", "from: settle, path:")
        self.complete("name", text=HEAD + SETTLE + SHEAR + branch)
        self.complete("saved", text=HEAD + SETTLE.replace("path:", "save: settled, path:") + SHEAR + branch.replace("from: settle", "from: settled"))
        self.assertEqual(hashes_of(self.folder / "name"), hashes_of(self.folder / "saved"))


class Extended(ExtendTest):
    def test_a_larger_end_and_another_stage(self):
        parts, whole = self.extend(HEAD + SETTLE + SHEAR, HEAD + SETTLE + MORE + BACK)
        log = (parts / "run.log").read_text()
        self.assertIn("stages[shear].end.strain was 0.0031, is now 0.006, stages[back] was absent, is now present", log)
        self.assertEqual(set(content(parts)) - set(content(whole)), {p for p in content(parts) if "lammps/shear" in p
                                                                     } - set(content(whole)))
        for name in ("vtk/shear_cell.pvd", "vtk/shear_contacts_000006.vtp"):
            self.assertTrue((parts / name).exists())

    def test_series(self):
        """Rows beside those of the history, before and after."""
        parts, whole = self.extend(TWO + SETTLE + SHEAR, TWO + SETTLE + MORE + BACK)
        made, expected = (rows_of(folder, "materials.csv") for folder in (parts, whole))
        self.assertEqual([row[:4] for row in made], [row[:4] for row in rows_of(parts)])
        self.assertEqual([row for row in made if row in expected], expected)
        self.assertGreater(len({row[2] for row in made}), 4)

    def test_twice_and_more_stages_alone(self):
        self.complete("parts", text=HEAD + SHEAR)
        self.complete("parts", "--extend", text=HEAD + MORE)
        self.extend(None, HEAD + MORE + BACK, count=1)

    def test_another_stage_with_other_stiffness(self):
        stiff = "  - {name: stiff, path: isotropic, pressure: 100 kPa, end: {steps: 300}, material: {kn: 3e5, kt_ratio: 0.5}}\n"
        text = (HEAD + SETTLE).replace("stiffness_level: 1000", "kn: 1e5")
        self.extend(text, text + stiff + SHEAR)

    def test_an_interrupted_run(self):
        """In its last stage, and before stages that are others now."""
        for text in (HEAD + SETTLE + SHEAR, HEAD + SHEAR + BACK):
            self.interrupt("parts", lambda out: (out / "vtk/shear_cell_000001.vtp").exists(), text=text)
            self.extend(None, HEAD + (SETTLE if "settle" in text else "") + MORE + BACK.replace("0.2", "0.1"), count=0)
            subprocess.run(["rm", "-r", self.folder / "parts", self.folder / "whole"], check=True)

    def test_other_output_from_here_on(self):
        longer = (HEAD + MORE).replace("strain: 0.02 %, steps: 20", "strain: 0.01 %, steps: 10")
        self.complete("parts", text=HEAD + SHEAR)
        self.complete("parts", "--extend", text=longer)
        self.complete("whole", text=longer)
        parts, whole = rows_of(self.folder / "parts"), rows_of(self.folder / "whole")
        later = [row for row in whole if row[2] == "shear" and float(row[4]) > 0.0031]
        self.assertGreater(len(later), 20)
        self.assertEqual([row for row in parts if row in later], later)

    def test_other_ends(self):
        """Reversals, which fall on the former end; quantities that rise and that fall."""
        for stage, end, further in (
                ("path: cyclic, cycle: {base: triaxial, strain: 0.05 %}", "cycles: 1", "cycles: 2"),
                ("path: cyclic, cycle: {base: triaxial, strain: 0.05 %}", "steps: 60", "cycles: 1"),
                ("path: cyclic, cycle: {base: triaxial, stress: 5 kPa}", "cycles: 1", "cycles: 2, steps: 100000"),
                ("path: triaxial", "q: 10 kPa, strain: 9 %", "q: 20 kPa, strain: 9 %"),
                ("path: triaxial, direction: extension", "stress: 90 kPa", "stress: 80 kPa"),
                ("path: triaxial", "stress_ratio: 0.1", "strain: 0.4 %"),
                ("path: undrained", "time: 1e-4", "steps: 500"),
                ("path: relax", "steps: 30, unbalanced: 1e-6", "steps: 70, unbalanced: 1e-7")):
            text = "  - {name: one, %s, end: {%s}}\n"
            self.extend(HEAD + text % (stage, end), HEAD + text % (stage, further))
            subprocess.run(["rm", "-r", self.folder / "parts", self.folder / "whole"], check=True)

    def test_an_end_that_is_reached_already(self):
        """A condition that is left still ends the stage where it has ended."""
        text = HEAD + "  - {name: one, path: triaxial, end: {strain: 0.2 %, q: 900 kPa}}\n"
        self.extend(text, text.replace("900", "1000"), count=0)
        self.assertEqual((self.folder / "parts/run.log").read_text().count("one: ended"), 1)

    def test_a_state_is_saved_later(self):
        branch = "  - {name: branch, path: undrained, from: settled, end: {strain: 0.1 %}}\n"
        settle = SETTLE.replace("}}\n", "}, save: settled}\n")
        parts, whole = self.extend(HEAD + SETTLE + SHEAR, HEAD + settle + SHEAR + branch, count=0)
        self.assertTrue((parts / "states/settled.h5").exists())

    def test_without_a_run_it_starts(self):
        self.complete("parts", "--extend", text=HEAD + SHEAR)
        self.complete("whole", text=HEAD + SHEAR)
        self.assert_same("parts", "whole")

    def test_killed_at_any_moment(self):
        before, after = HEAD + SETTLE + SHEAR, HEAD + SETTLE + MORE + BACK
        self.complete("parts", text=before)
        subprocess.run(["cp", "-r", self.folder / "parts", self.folder / "start"], check=True)
        self.complete("parts", "--extend", text=after)
        expected = content(self.folder / "parts")
        command = [TWIRL, "run", self.write(after), "--threads", "1", "--out", str(self.folder / "parts"), "--extend"]
        for attempt in range(max(2, round(6 * SCALE))):
            subprocess.run(["rm", "-r", self.folder / "parts"], check=True)
            subprocess.run(["cp", "-r", self.folder / "start", self.folder / "parts"], check=True)
            for kill in range(4):
                process = subprocess.Popen(command, stderr=subprocess.PIPE)
                try:
                    process.wait(0.004 * (attempt + 1) * (kill + 1))
                except subprocess.TimeoutExpired:
                    process.send_signal(signal.SIGKILL)
                said = process.communicate()[1].decode()
                self.assertIn(process.returncode, (0, -signal.SIGKILL), said)
            self.complete("parts", "--extend", text=after)
            found = content(self.folder / "parts")
            self.assertEqual(set(found), set(expected))
            for name in expected:
                if not name.startswith(("checkpoint_", "run_state_")):
                    self.assertEqual(found[name], expected[name], name)


class Refused(ExtendTest):
    def test_keys(self):
        text = HEAD + SETTLE + SHEAR
        for old, new, *needles in (
                ("friction: 0.5", "friction: 0.4", "material.friction was 0.5, is now 0.4", "2 more keys"),
                ("count: 40", "count: 41", "specimen.count was 40, is now 41"),
                ("path: triaxial,", "path: triaxial, lateral_stress: 90 kPa,", "stages[shear].lateral_stress was hold"),
                ("name: shear", "name: other", 'stages[shear].name was "shear", is now "other"'),
                (SHEAR, "", "stages[shear] was present, is now absent"),
                ("save: sheared", "save: other", 'stages[shear].save was "sheared"'),
                ("unbalanced: 0.01}}", "unbalanced: 0.001}}", "stages[settle].end.unbalanced was 0.01, is now 0.001",
                 "another has followed", "`from`"),
                ("strain: 0.31 %", "strain: 0.2 %", "stages[shear].end.strain: the stage has already passed it"),
                ("strain: 0.31 %", "q: 100 kPa", "stages[shear].end.q: it was not an end"),
                ("strain: 0.31 %", "strain: 0.5 %, past_peak: 1 %", "stages[shear].end.past_peak: it was not an end")):
            self.refuse(text, text.replace(old, new), *needles)

    def test_restart_contradicts_it(self):
        self.assert_refused(self.run_in("parts", "--extend", "--restart"), "--extend", "--restart")

    def test_resume_names_it(self):
        self.complete("parts", text=HEAD + SHEAR)
        self.assert_refused(self.run_in("parts", "--resume", text=HEAD + MORE), "another scenario", "--extend")
        self.assert_refused(self.run_in("parts", text=HEAD + MORE), "--extend")


if __name__ == "__main__":
    unittest.main()
