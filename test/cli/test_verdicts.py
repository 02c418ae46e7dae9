#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Verdicts on scenarios that make no sense: before the run, and where only the run can tell."""

import csv
import json
import pathlib
import tempfile
import unittest

from cli import CliTest, run

HEAD = """\
specimen:
  count: {count}
  preparation: {{pressure: 100 kPa, friction: 0.2, inertial_number: 0.05, unbalanced: 0.05}}
material: {{stiffness_level: 1000, friction: 0.5}}
stages:
"""


class Folder(CliTest):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return str(self.folder / name)

    def run_scenario(self, text, *options):
        return run("run", self.write("a.yaml", text), "--out", str(self.folder / "out"), *options)

    def history(self, stage):
        with open(self.folder / "out/history.csv", encoding="utf-8") as file:
            return [row for row in csv.DictReader(file) if row["stage"] == stage]


class Balance(Folder):
    """What stresses alone do not show is told at the end of a stage: in the log, and where programs look."""

    def told(self):
        log = (self.folder / "out/run.log").read_text().split("\n")
        lines = [line.removeprefix("warning: ") for line in log if line.startswith("warning: ")]
        self.assertEqual((self.folder / "out/warnings.txt").read_text().split("\n")[:-1], lines)
        return [line for line in lines if "residual" in line or "contacts" in line]

    def test_a_specimen_that_falls_apart(self):
        head = HEAD.format(count=20)
        done = self.run_scenario(head + """\
  - {path: isotropic, name: whole, pressure: 100 kPa, save: whole, end: {steps: 10}}
  - {path: general, name: open, control: {xx: {rate: -20}, yy: {rate: -20}, zz: {rate: -20}}, end: {strain: 10 %}}
""")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.told(), ["open: no contacts are left at the end: the specimen fell apart"])
        state = str(self.folder / "whole.h5")
        (self.folder / "out/states/whole.h5").rename(state)
        with self.subTest("a time step far above the stable one"):
            self.folder = self.folder / "second"
            self.folder.mkdir()
            done = self.run_scenario(f"specimen: {{checkpoint: {state}}}\ntime_step: {{dt: 3e-6, force: yes}}\nstages:\n"
                                     "  - {path: triaxial, name: a, rate: 0.5, end: {steps: 400}}\n")
            self.assertEqual(done.returncode, 0, done.stderr)
            told = self.told()
            self.assertEqual(len(told), 1)
            self.assertRegex(told[0], r"^a: the residual of the energy balance is \S+ of the energy put in, lost or stored")
        with self.subTest("in the preparation: the usual law, whose error grows with the friction"):
            done = self.run_scenario("specimen: {count: 60, preparation: {pressure: 100 kPa, inertial_number: 0.05, unbalanced: 0.05}}\n"
                                     "material: {stiffness_level: 100, friction: 1e4, without: [instant]}\n", "--restart")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex("".join(self.told()), r"^specimen: the residual of the energy balance is \S+ of the energy put")


class Warnings(Folder):
    def test_warnings_are_printed_and_the_scenario_is_valid(self):
        path = self.write("a.yaml", HEAD.format(count=100) + "  - {path: triaxial, end: {strain: 1 %}}\n")
        done = run("check", "--quick", path)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"\A\S+/a.yaml:2:10: specimen.count: warning: 100 grains .*\n\Z")
        self.assertRegex(done.stdout, r"\Ascenario")

    def test_stresses_that_are_nearly_right_are_no_warning(self):
        """60 grains loaded at two rates: one misses the stress by less than 1 % of p, the other by more."""
        for rate, warns in ((5e-3, False), (0.09, True)):
            done = self.run_scenario(HEAD.format(count=60) + f"  - {{path: triaxial, inertial_number: {rate}, end: {{strain: 2 %}}}}\n", "--restart")
            worst = [float(line.split("up to ")[1].split()[0]) for line in done.stderr.splitlines() if "off by up to" in line]
            self.assertEqual([one > 1.0 for one in worst], [warns], done.stderr)
            self.assertEqual("twirl run: warning: " in done.stderr, warns, done.stderr)

    def test_errors_come_after_warnings_and_count_alone(self):
        path = self.write("a.yaml", HEAD.format(count=100)
                          + "  - {path: triaxial, inertial_number: 1, end: {q: 50 kPa, strain: 1 %}}\n")
        done = run("check", "--quick", path)
        self.assertEqual(done.returncode, 2)
        lines = done.stderr.splitlines()
        self.assertIn("warning:", lines[0])
        self.assertIn("stages[1].inertial_number: at an inertial number of 1", lines[1])
        self.assertRegex(lines[-1], r"twirl check: \d errors? in ")
        self.assertNotIn("warning", "".join(lines[1:]))


class Words(CliTest):
    def test_no_suggestion_unless_it_is_near(self):
        for arguments in (("check", "--frobnicate"), ("frobnicate",), ("keys", "frobnicate")):
            done = run(*arguments)
            self.assert_refused(done, "unknown")
            self.assertNotIn("did you mean", done.stderr)

    def test_commands_have_synonyms(self):
        self.assert_refused(run("validate"), "unknown command 'validate': did you mean 'check'?")


class Runs(Folder):
    def test_a_cell_of_two_diameters_ends_the_run(self):
        done = self.run_scenario(HEAD.format(count=60) + """\
  - {name: shear, path: triaxial, inertial_number: 0.05, end: {stress_ratio: 2.5}}
""")
        self.assert_refused(done, "stage 'shear': at a strain of 0.", "two mean diameters along z", status=3)
        last = self.history("shear")[-1]
        # 60 spheres of 1 mm: the height, from volume and strains, is just above 2 mm
        solid = 60 * 3.14159265 / 6 * 1e-9
        self.assertAlmostEqual(float(last["volume"]) * (1 - float(last["porosity"])) / solid, 1, delta=1e-6)
        self.assertGreater(float(last["strain_zz"]), 0.5)

    def test_a_stress_that_is_never_reached_ends_the_run(self):
        done = self.run_scenario(HEAD.format(count=200) + """\
  - {name: shear, path: constant_p, inertial_number: 0.06, end: {stress_ratio: 2.9}}
""")
        self.assert_refused(done, "stage 'shear': its stress has not been reached at a strain of 1", status=3)

    def test_b_is_the_ratio_of_the_measured_stresses(self):
        done = self.run_scenario(HEAD.format(count=100) + """\
  - {name: level, path: isotropic, pressure: 100 kPa, end: {unbalanced: 0.02}, save: level}
  - {name: low, path: true_triaxial, axis: x, b: 0.2, inertial_number: 5e-3, end: {strain: 1 %}}
  - {name: high, path: true_triaxial, from: level, axis: x, b: 0.7, inertial_number: 5e-3, end: {strain: 1 %}}
output: {history: {steps: 20}}
""")
        self.assertEqual(done.returncode, 0, done.stderr)
        for stage, b in (("low", 0.2), ("high", 0.7)):
            row = self.history(stage)[-1]
            s1, s2, s3 = (float(row[f"stress_{axis}"]) for axis in ("xx", "yy", "zz"))
            self.assertGreater(s1 - s3, 20e3)
            # the servo keeps stresses within 0.1 % of p, of a difference of a fifth of p
            self.assertAlmostEqual((s2 - s3) / (s1 - s3), b, delta=0.01)

    def test_overlapping_grains_of_a_file_are_named(self):
        spheres = [(1e-3, 1e-3, 1e-3), (2.7e-3, 1e-3, 1e-3), (5e-3, 5e-3, 5e-3), (5e-3, 6.99e-3, 5e-3)]
        self.write("grains.csv", "# cell: 1e-2 0 0 0 1e-2 0 0 0 1e-2\nx,y,z,radius\n"
                   + "".join(f"{x},{y},{z},1e-3\n" for x, y, z in spheres))
        done = self.run_scenario("specimen: {file: grains.csv}\nmaterial: {kn: 1e5}\nstages: [{path: relax}]\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        warnings = json.loads((self.folder / "out/summary.json").read_text())["warnings"]
        self.assertEqual(len(warnings), 1)
        self.assertRegex(warnings[0], r"^1_relax: the grains of specimen.file overlap at the start: grains 0 and 1 by 0.0003 m, "
                                      r"30 % of the mean radius; 1 of 2 contacts by more than 5 %")
        self.assertIn(f"\nwarning: {warnings[0]}\n", (self.folder / "out/run.log").read_text())

    def test_programs_do_not_read_the_log(self):
        done = self.run_scenario(HEAD.format(count=60) + "  - {name: fast, path: triaxial, inertial_number: 0.09, end: {strain: 2 %}}\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        log, page = self.folder / "out/run.log", self.folder / "page.json"
        warnings = [line[len("warning: "):] for line in log.read_text().splitlines() if line.startswith("warning: ")]
        self.assertGreater(len(warnings), 0)
        for text in ("", "warning: fast: no\nfast: ended by itself\nfailed: no\n"):
            log.write_text(text)
            self.assertEqual(run("report", str(log.parent), "--json", str(page)).returncode, 0)
            told = json.loads(page.read_text())["runs"][0]
            self.assertEqual([line for line in told["warnings"] if line in warnings], warnings)
            self.assertNotIn("fast: no", told["warnings"])
            self.assertEqual([stage["end_text"] for stage in told["stages"]], [None, "ended at axial strain 0.02 (end.strain)"])
            self.assertEqual((told["state"], told["failure"]), ("finished", None))

    def test_a_fit_without_redundancy_has_no_error(self):
        done = self.run_scenario(HEAD.format(count="60\n  seed: 2") + """\
  - {name: shear, path: constant_p, axis: x, inertial_number: 5e-3, end: {stress_ratio: 0.4, strain: 1 %}}
  - name: probe
    path: probes
    axis: x
    damping: {local: 0.7}
    probes: {count: 4, strain: 3e-4, steps: 20, settle: 1e-3, settle_steps: 500, rest: 1e-3, rest_steps: 200}
""")
        self.assertEqual(done.returncode, 0, done.stderr)
        fit = json.loads((self.folder / "out/summary.json").read_text())["stages"][-1]["probes"]["laws"][0]["unload"]
        self.assertEqual(fit["loading"]["points"], 2)
        self.assertGreater(fit["loading"]["plastic_modulus"], 0.0)
        self.assertIsNone(fit["loading"]["rms"])
        log = (self.folder / "out/run.log").read_text()
        self.assertIn("plastic modulus/Pa", log)
        self.assertRegex(log, r"(?m)^warning: probe: .*: too few directions for an error of the fit; increase count$")


if __name__ == "__main__":
    unittest.main()
