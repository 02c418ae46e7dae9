# SPDX-License-Identifier: BSD-3-Clause
"""twirl check and twirl keys."""

import glob
import os
import re
import subprocess
import tempfile
import unittest

from cli import SOURCE, TWIRL, CliTest, run

SMALL = """specimen: {preparation: {pressure: 100 kPa}}
material: {kn: 1e5}
stages:
  - path: triaxial
    end: {strain: 0.1}
"""


class Files(CliTest):
    """Files in a temporary folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def check(self, text, *options):
        self.write("a.yaml", text)
        return run("check", "--quick", "a.yaml", *options, cwd=self.folder)


class Check(Files):
    def test_every_example_scenario_is_valid(self):
        files = glob.glob(os.path.join(SOURCE, "scenarios", "*", "*.yaml"))
        self.assertGreaterEqual(len(files), 14)
        for path in files:
            done = run("check", "--quick", path)
            self.assertEqual(done.returncode, 0, path)
            if os.path.basename(path) == "mixture.yaml":  # a flat cell, less than two of the largest grains high
                self.assertRegex(done.stderr, r"\A\S+ specimen.count: warning: 500 grains .*\n\Z")
            else:
                self.assertEqual(done.stderr, "", path)
            self.assertRegex(done.stdout, r"\Ascenario +\S")

    def test_the_plan_of_the_run_is_printed(self):
        done = self.check(SMALL)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, """\
scenario   a.yaml
specimen   count 1000, seed 1, arrangement random
           shapes: sphere, share 1
           sizes: mono, d 1 mm
           preparation: pressure 100 kPa, friction 0.5, start_porosity 0.75, inertial_number 0.01, unbalanced 0.001
material   kn 100000 N/m, kt_ratio 1, friction 0.5, density 2650 kg/m^3, law exact
stage 1    1_triaxial: triaxial, axis z, direction compression, inertial_number 0.001, lateral_stress hold
           until strain 0.1
           about 3.3e+04 steps
total      about 3.3e+04 steps
           memory about 15 MB
""")

    def test_static_probes_take_no_steps(self):
        probes = SMALL + "  - {path: probes, axis: z, probes: {stress: 1 kPa, count: 12, steps: 500, settle_steps: 0, rest_steps: 0, method: METHOD}}\n"
        done = self.check(probes.replace("METHOD", "static"))
        self.assertRegex(done.stdout, r"count 12, method static, stress 1 kPa, .* unload yes\n(?! +about)", done.stderr)
        done = self.check(probes.replace("METHOD", "dynamic"))
        self.assertRegex(done.stdout, r"count 12, method dynamic, stress 1 kPa, steps 500, .* unload yes\n +about \S+ steps\n", done.stderr)

    def test_all_errors_are_printed_and_the_status_is_2(self):
        done = self.check(SMALL.replace("kn:", "km:").replace("strain", "stran"))
        self.assertEqual(done.stdout, "")
        self.assert_refused(done)
        self.assertEqual(done.stderr.splitlines(), [
            "a.yaml:2:12: material.km: unknown key; did you mean 'kn'?",
            "a.yaml:5:11: stages[1].end.stran: unknown key; did you mean 'strain'?",
            "twirl check: 2 errors in a.yaml"])

    def test_settings_replace_and_are_named_in_errors(self):
        done = self.check(SMALL, "--set", "stages[1].end.strain=0.2", "--set=specimen.count=50")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("until strain 0.2", done.stdout)
        self.assertIn("count 50,", done.stdout)
        done = self.check(SMALL, "--set", "stages[1].end.strain=much")
        self.assert_refused(done, "--set 'stages[1].end.strain=much': stages[1].end.strain: 'much' is "
                            "not a number; expected a number above 0")

    def test_resolved_is_a_scenario_that_resolves_to_itself(self):
        for path in glob.glob(os.path.join(SOURCE, "scenarios", "*", "*.yaml"))[:4]:
            first = run("check", path, "--resolved")
            self.assertEqual(first.returncode, 0, first.stderr)
            again = run("check", self.write("r.yaml", first.stdout), "--resolved")
            self.assertEqual(again.stdout, first.stdout)

    def test_files_are_checked(self):
        self.write("grains.csv", "# cell: 1 0 0 0 1 0 0 0 1\nx,y,z,radius\n0.5,0.5,0.5,0.1\n")
        text = "specimen: {file: grains.csv}\nmaterial: {kn: 1}\n"
        done = self.check(text)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 grain from ", done.stdout)
        done = self.check("specimen: {checkpoint: grains.csv}\n")
        self.assert_refused(done, "is not a checkpoint but a file of grains; use "
                            "'specimen.file'")
        self.write("grains.csv", "# cell: 1 0 0 0 1 0 0 0 1\n# periodic: 1 1 0\nx,y,z,radius\n0.5,0.5,0.5,0.1\n")
        done = run("import", os.path.join(self.folder, "grains.csv"), "--kn", "1e5", "--kt", "1e5", "--mu", "0.5", "--out",
                   os.path.join(self.folder, "open.h5"))
        self.assertEqual(done.returncode, 0, done.stderr)
        open_cell = "specimen: {checkpoint: open.h5}\nstages: [{name: press, path: isotropic, pressure: 1e3}]\n"
        self.assert_refused(self.check(open_cell), "stage 'press' needs a cell that is periodic, or has platens, along all edges")
        self.write("grains.csv", "x,y,z,radius\n0.5,0.5,0.5,0.1\n")
        self.assert_refused(self.check(text), "has no cell; expected a line with its edges")
        self.write("grains.csv", "x,y,z,radius\n0.5,0.5,0.5,-1\n")
        self.assert_refused(self.check(text), "grains.csv:2:")

    def test_bad_use(self):
        self.assert_refused(run("check"), "FILE is missing")
        self.assert_refused(run("check", "a", "b"), "unexpected argument 'b': FILE is already 'a'")
        self.assert_refused(run("check", "none.yaml"), "none.yaml: cannot be read: No such file")
        self.assert_refused(run("check", self.write("b.yaml", SMALL)[:-4] + "yml"), "b.yml: cannot be read", "did you mean", "b.yaml'?")
        self.assert_refused(run("check", "none.yaml", "--sett", "a=b"), "did you mean '--set'?")

    def test_unwritable_output_is_an_error(self):
        path = self.write("a.yaml", SMALL)
        for command in (["check", "--quick", path], ["check", path, "--resolved"], ["keys"]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([TWIRL, *command], stdout=full, stderr=subprocess.PIPE,
                                      check=False)
            self.assertEqual(done.returncode, 1)

    def test_nothing_leaks(self):
        """Effective only in builds with the address sanitizer."""
        path = self.write("a.yaml", SMALL)
        done = run("check", path, "--set", "specimen.seed=3", env={"ASAN_OPTIONS": "detect_leaks=1"})
        self.assertEqual(done.returncode, 0, done.stderr)


class Guide(Files):
    """The examples of docs/guide/scenario.md."""

    def blocks(self, language):
        with open(os.path.join(SOURCE, "docs", "guide", "scenario.md"), encoding="utf-8") as file:
            return re.findall(rf"^```{language}\n(.*?)^```$", file.read(), re.M | re.S)

    @staticmethod
    def whole(block):
        """Completes a part of a scenario."""
        specimen, material = "specimen: {preparation: {pressure: 100 kPa}}\n", "material: {kn: 1e5}\n"
        block = re.sub(r"from: \w+", "from: specimen", block)
        if block.startswith("  - "):
            return specimen + material + "stages:\n" + block
        if block.startswith("surfaces:"):
            return "specimen: {arrangement: cubic, count: 8}\nboundary: open\n" + material + block
        if block.startswith("boundary: {x: walls"):
            return specimen + "materials: [{name: sand, kn: 1e5}, {name: platen, kn: 1e5, friction: 0}]\n" + block
        if block.startswith("    end:"):
            return specimen + material + "stages:\n  - path: triaxial\n" + block
        if block.startswith("  sizes:"):
            return "specimen:\n  preparation: {pressure: 1e5}\n" + block + material
        if block.startswith("material:"):
            return specimen + block
        if "\nmaterials:" in block:
            return block
        if block.startswith("specimen: {"):
            return block + material
        if block.startswith("specimen:"):
            return block + "  preparation: {pressure: 1e5}\n" + material
        if block.startswith("title:"):
            return block
        return specimen + material + block

    def test_examples_are_valid(self):
        for name in ("sand.csv", "dense.h5"):
            self.write(name, "")
        self.write("sieves.csv", "0.3 mm, 0\n2 mm, 1\n")
        blocks = self.blocks("yaml")
        self.assertGreater(len(blocks), 15)
        for block in blocks:
            done = self.check(self.whole(block), "--resolved")
            self.assertEqual((done.returncode, done.stderr), (0, ""), block)

    def certain(self, summary):
        """The lines without what is estimated by a trial on this machine."""
        return [line for line in summary.splitlines() if not re.match(r"total |\s+(up to )?(about|memory|estimated) ", line)]

    def test_output_agrees_with_the_guide(self):
        summary, errors, warning = self.blocks("text")
        self.assertEqual(self.certain(self.check(self.blocks("yaml")[0]).stdout), self.certain(summary))
        done = self.check("specimen: {preparation: {pressure: 100 kPa}}\n"
                          "material: {km: 1, mu: 0.5}\n"
                          "stages:\n"
                          "  - path: triaxial\n"
                          "    rate: fast\n"
                          "    end: {strain: 15 %, stress_ratio: 3}\n",
                          "--set", "specimen.count=0")
        self.assertEqual(done.stderr, errors)
        done = self.check("specimen:\n  count: 100\n  preparation: {pressure: 100 kPa}\nmaterial: {kn: 1e5}\n")
        self.assertEqual((done.returncode, done.stderr), (0, warning))


class Keys(CliTest):
    def test_the_page_of_the_guide_is_up_to_date(self):
        done = subprocess.run([os.path.join(SOURCE, "tools", "keys_page"), "--check"], env={**os.environ, "TWIRL": TWIRL},
                              stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_one_key_in_any_form(self):
        forms = [run("keys", form) for form in ("stages[].lode_angle", "stages[3].lode_angle",
                                                "stages.lode_angle", "lode_angle")]
        for done in forms:
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(done.stdout, forms[0].stdout)
            self.assertIn("lode_angle: number [deg, rad], from 0 to 360 deg\n", done.stdout)
            self.assertIn("used with: path: true_triaxial", done.stdout)

    def test_a_section_and_a_name_that_occurs_often(self):
        done = run("keys", "material")
        for name in ("kn", "stiffness_level", "friction", "without"):
            self.assertIn(f"\n  {name}: ", done.stdout)
        self.assertNotIn("\n  seed: ", done.stdout)
        done = run("keys", "friction")
        for section in ("specimen.preparation:", "material:", "stages[]:"):
            self.assertIn(section, done.stdout)

    def test_all_keys_name_every_section(self):
        done = run("keys")
        for section in ("(top)", "specimen", "specimen.shapes[]", "specimen.sizes", "material",
                        "stages[]", "stages[].end", "stages[].control.xx", "output.vtk"):
            self.assertIn(f"\n{section}: " if section != "(top)" else "(top): ", done.stdout)

    def test_unknown_keys_name_the_nearest(self):
        self.assert_refused(run("keys", "frictoin"), "unknown key 'frictoin'", "did you mean '",
                            "friction'?")
        self.assert_refused(run("keys", "stages.rotatoin"), "did you mean 'stages[].rotation'?")
        self.assert_refused(run("keys", "a", "b"), "KEY is already")
        self.assert_refused(run("keys", "--markdown"), "was removed: tools/keys_page")


if __name__ == "__main__":
    unittest.main()
