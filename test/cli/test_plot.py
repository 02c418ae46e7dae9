# SPDX-License-Identifier: BSD-3-Clause
"""twirl plot: numbers compared with the history, curves compared with the numbers, sizes on paper."""

import csv
import math
import os
import re
import shlex
import shutil
import tempfile
import unittest
import xml.etree.ElementTree
import zlib

from cli import SOURCE, CliTest, run
from test_run import PATHS

BLUE, ORANGE = "rgb(0,114,178)", "rgb(213,94,0)"  # the first two curves of a figure
HAS_GNUPLOT = shutil.which("gnuplot")
NO_GNUPLOT = {"PATH": "/nonexistent"}  # curves.csv is written, nothing is drawn


def number(text):
    try:
        return float(text)
    except ValueError:
        return text


def read_rows(path):
    """Rows by column, without blank lines."""
    with open(path, newline="", encoding="utf-8") as file:
        return [{name: number(value) for name, value in row.items()} for row in csv.DictReader(file)]


class PlotTest(CliTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, *names):
        with open(self.path(*names), encoding="utf-8") as file:
            return file.read()

    def plot(self, *arguments, **options):
        done = run("plot", *arguments, cwd=self.folder, **options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def numbers(self, *arguments, out="numbers"):
        """Rows of curves.csv, without drawing."""
        done = run("plot", *arguments, "--out", out, cwd=self.folder, env=NO_GNUPLOT)
        self.assert_refused(done, "gnuplot not found", status=1)
        return read_rows(self.path(out, "curves.csv"))

    def figures_of(self, said):
        return said.split(": ", 1)[1].split("; each as ")[0].split(", ")

    def made(self, *folder, endings=(".gp", ".svg", ".png")):
        names = os.listdir(self.path(*folder))
        self.assertIn("curves.csv", names)
        figures = sorted(name[:-3] for name in names if name.endswith(".gp"))
        self.assertEqual(sorted(names), sorted(["curves.csv"] + [
            figure + ending for figure in figures for ending in endings] + [
            figure + ".csv" for figure in figures if figure == "pi_plane"]))  # numbers beside those of curves
        return figures

    def curve(self, *svg, colour=BLUE):
        """Pieces of the curve with this colour, each a list of points in the figure, y upwards."""
        root = xml.etree.ElementTree.parse(self.path(*svg)).getroot()
        paths = [node.get("d") for node in root.iter("{http://www.w3.org/2000/svg}path")
                 if (node.get("stroke") or "").replace(" ", "") == colour]
        pieces = []
        for letter, x, y in re.findall(r"([ML])\s*([-\d.]+),([-\d.]+)", " ".join(paths)):
            if letter == "M":
                pieces.append([])
            pieces[-1].append((float(x), -float(y)))
        return [piece for piece in pieces if len(piece) > 1]

    def assert_follows(self, piece, points):
        """The points are the same, up to the scales of the two axes."""
        self.assertEqual(len(piece), len(points))
        for axis in (0, 1):
            paper, data = [p[axis] for p in piece], [p[axis] for p in points]
            low, high = data.index(min(data)), data.index(max(data))
            scale = (paper[high] - paper[low]) / (data[high] - data[low])
            self.assertGreater(scale, 0.0)
            for a, b in zip(paper, data):
                # The figure has two decimals, at each end of the scale and here.
                self.assertAlmostEqual(a, paper[low] + scale * (b - data[low]), delta=0.03)

    def words_of(self, *svg):
        root = xml.etree.ElementTree.parse(self.path(*svg)).getroot()
        return "".join(root.itertext()).replace("\u00a0", " ")


class Paths(PlotTest):
    """A run with a stage of every path: each is drawn over what it drives."""

    STAGES = ["drained", "lode", "shake", "push", "turn", "all", "oedometer, unload", "back"]
    FIGURES = {
        "drained": ("stress_ratio deviator_stress stress_volume volumetric_strain void_ratio friction_angle stress_path "
                    "coordination sliding mobilised_friction redundancy fabric anisotropy strong_contacts energies"),
        "lode": ("stress_ratio volumetric_strain void_ratio friction_angle intermediate_stress coordination "
                 "sliding mobilised_friction redundancy fabric anisotropy strong_contacts energies pi_plane"),
        "shake": ("loops stress_cycles volumetric_strain friction_angle coordination "
                  "sliding mobilised_friction redundancy fabric anisotropy strong_contacts energies"),
        "push": ("loops strain_cycles friction_angle pore_pressure fluid_pressure stress_path total_stress_path coordination "
                 "sliding mobilised_friction redundancy fabric anisotropy strong_contacts energies"),
        "turn": "turn_error",
        "oedometer": "stress_path compression_curve k0 coordination sliding mobilised_friction redundancy fabric energies",
        "back": ("shear_stress stress_ratio stress_pressure friction_angle pore_pressure fluid_pressure normal_stress stress_path coordination "
                 "sliding mobilised_friction redundancy fabric anisotropy strong_contacts energies"),
        "settle": "compression_curve coordination sliding mobilised_friction redundancy fabric energies",
        "rest": "unbalanced coordination sliding mobilised_friction redundancy fabric energies",
    }

    @classmethod
    def setUpClass(cls):
        cls.keep = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.keep.cleanup)
        scenario = PATHS.split("output:")[0] + "output: {history: {steps: 25}}\n"
        with open(os.path.join(cls.keep.name, "all.yaml"), "w", encoding="utf-8") as file:
            file.write(scenario)
        done = run("run", "all.yaml", "--quiet", cwd=cls.keep.name)
        assert done.returncode == 0, done.stderr
        cls.run_folder = os.path.join(cls.keep.name, "all")
        cls.history = read_rows(os.path.join(cls.run_folder, "history.csv"))

    def of_stage(self, name):
        return [row for row in self.history if row["stage"] == name]

    def assert_near(self, value, expected, scale=1.0):
        self.assertAlmostEqual(value, expected, delta=1e-12 * scale)  # rounding

    def test_stages_that_load_are_drawn(self):
        curves = self.numbers(self.run_folder)
        self.assertEqual(list(dict.fromkeys(c["label"] for c in curves)), self.STAGES)
        one_by_one = self.numbers(self.run_folder, "--stage", "drained", "--stage", "push")
        self.assertEqual(repr(one_by_one), repr(self.numbers(self.run_folder, "--stage", "drained,push")))
        self.assertEqual({c["label"] for c in one_by_one}, {"drained", "push"})

    def test_axial_paths_have_a_signed_deviator_stress(self):
        rows = self.of_stage("drained")
        curves = self.numbers(self.run_folder, "--stage", "drained")
        self.assertEqual(len(curves), len(rows))
        for h, c in zip(rows, curves):
            q = h["stress_zz"] - (h["stress_xx"] + h["stress_yy"]) / 2
            self.assert_near(c["axial_strain"], h["strain_zz"])
            self.assert_near(c["q"], q, h["p"])
            self.assert_near(c["stress_ratio"], q / h["p"])
            self.assert_near(c["volumetric_strain"],
                             h["strain_xx"] + h["strain_yy"] + h["strain_zz"])
            self.assert_near(c["void_ratio"], h["void_ratio"])
            self.assert_near(c["fabric_deviator"], h["fabric_deviator"])
            self.assert_near(c["work"], h["cell"] - rows[0]["cell"])
        push = self.numbers(self.run_folder, "--stage", "push")
        self.assertLess(min(c["q"] for c in push), -5e3)  # cycles of 10 kPa
        self.assertGreater(max(c["q"] for c in push), 5e3)

    def test_simple_shear_is_drawn_over_its_shear_strain(self):
        rows = self.of_stage("back")  # plane xy, backward
        for h, c in zip(rows, self.numbers(self.run_folder, "--stage", "back")):
            self.assert_near(c["shear_strain"], -h["strain_xy"])
            self.assert_near(c["shear_stress"], -h["stress_xy"], h["p"])
            self.assert_near(c["normal_stress"], h["stress_yy"], h["p"])
            self.assert_near(c["shear_ratio"], -h["stress_xy"] / h["stress_yy"])
            self.assert_near(c["ru"], 1 - h["stress_yy"] / rows[0]["stress_yy"])
        self.assertLess(-rows[-1]["strain_xy"], -0.001)

    def test_cycles_are_counted(self):
        curves = self.numbers(self.run_folder, "--stage", "shake")
        rows = self.of_stage("shake")
        self.assertEqual(rows[0]["cycle"], 0.0)
        # Cycles of 0.1 %: four amplitudes of shear strain each, as the distance covered tells.
        way = 0.0
        for k, (h, c) in enumerate(zip(rows, curves)):
            if k > 0:
                way += abs(h["strain_xz"] - rows[k - 1]["strain_xz"])
            # A reversal between two rows is cut off: up to a quarter of a cycle in all.
            self.assertAlmostEqual(c["cycle"], way / 4e-3, delta=0.25)
            self.assert_near(c["shear_strain"], -h["strain_xz"])
        self.assertGreater(curves[-1]["cycle"], 1.9)

    def test_pore_pressure_of_undrained_cycles(self):
        rows = self.of_stage("push")
        lateral = [(h["stress_xx"] + h["stress_yy"]) / 2 for h in rows]
        for side, c in zip(lateral, self.numbers(self.run_folder, "--stage", "push")):
            self.assert_near(c["ru"], 1 - side / lateral[0])

    def test_compression_goes_on_from_stage_to_stage(self):
        curves = self.numbers(self.run_folder)
        both = [c for c in curves if c["label"] == "oedometer, unload"]
        rows = self.of_stage("oedometer") + self.of_stage("unload")
        self.assertEqual(len(both), len(rows))
        for h, c in zip(rows, both):
            self.assert_near(c["axial_stress"], h["stress_zz"], h["p"])
            self.assert_near(c["k0"], (h["stress_xx"] + h["stress_yy"]) / 2 / h["stress_zz"])
            self.assert_near(c["time"], h["time"] - rows[0]["time"])

    def test_true_triaxial_stress_in_the_deviatoric_plane(self):
        rows = self.of_stage("lode")
        curves = self.numbers(self.run_folder, "--stage", "lode")
        for h, c in zip(rows, curves):
            s = [h[f"stress_{a}{a}"] / h["p"] for a in "zxy"]  # axis z upwards, x at its right
            self.assert_near(math.hypot(c["pi_x"], c["pi_y"]),
                             math.sqrt(sum((k - sum(s) / 3) ** 2 for k in s)))
            self.assert_near(c["pi_y"] * math.sqrt(6), 2 * s[0] - s[1] - s[2])
            self.assert_near(c["pi_x"] * math.sqrt(2), s[1] - s[2])
            self.assert_near(c["major_strain"], max(h[f"strain_{a}{a}"] for a in "xyz"))
        # The angle between path and axis is the Lode angle, and b = 1/2 half way.
        self.assertAlmostEqual(math.degrees(math.atan2(curves[-1]["pi_x"], curves[-1]["pi_y"])),
                               30.0, delta=0.1)
        self.assertAlmostEqual(curves[-1]["b"], 0.5, delta=0.002)

    def test_error_of_a_rotated_stress(self):
        rows = self.of_stage("turn")  # 90 degrees about x
        curves = self.numbers(self.run_folder, "--stage", "turn")
        self.assertTrue(math.isnan(curves[0]["turn_error"]))
        for h, c in zip(rows[1:], curves[1:]):
            angle = math.radians(c["angle"])
            self.assert_near(c["angle"], 90.0 * h["stage_step"] / 1000, 100.0)
            s, t = math.sin(angle), math.cos(angle)
            turn = ((1, 0, 0), (0, t, -s), (0, s, t))
            a, b = self.matrix(rows[0]), self.matrix(h)
            moved = [[sum(turn[i][k] * a[k][l] * turn[j][l] for k in range(3) for l in range(3))
                      for j in range(3)] for i in range(3)]
            error = math.sqrt(sum((moved[i][j] - b[i][j]) ** 2 for i in range(3) for j in range(3)))
            self.assertAlmostEqual(c["turn_error"], error / rows[0]["p"], delta=1e-14)
        self.assertLess(curves[-1]["turn_error"], 1e-8)

    @staticmethod
    def matrix(h):
        name = [["xx", "xy", "xz"], ["xy", "yy", "yz"], ["xz", "yz", "zz"]]
        return [[h["stress_" + part] for part in row] for row in name]

    @unittest.skipUnless(HAS_GNUPLOT, "gnuplot is not installed")
    def test_figures_of_each_path(self):
        for stage in ("shake", "turn", "lode"):
            said = self.plot(self.run_folder, "--stage", stage, "--out", stage)
            self.assertEqual(sorted(self.figures_of(said)), sorted(self.FIGURES[stage].split()), stage)
            self.assertEqual(self.made(stage), sorted(self.FIGURES[stage].split()))
        curves = read_rows(self.path("shake", "curves.csv"))
        self.assert_follows(self.curve("shake", "loops.svg")[-1],
                            [(c["shear_strain"], c["shear_stress"]) for c in curves])
        self.assertIn("Shear strain γ [10−3]", self.words_of("shake", "loops.svg"))
        self.assertIn("Shear stress τ [kPa]", self.words_of("shake", "loops.svg"))
        self.assertNotIn("title '", self.read("shake", "loops.gp"))  # one curve needs no key
        self.assertIn("tangential at", self.words_of("shake", "anisotropy.svg"))  # subscripts

    def test_scripts_of_each_path(self):
        """The figures without drawing: a `gnuplot` that does nothing."""
        os.makedirs(self.path("bin"))
        os.symlink("/bin/true", self.path("bin", "gnuplot"))
        for stage, figures in self.FIGURES.items():
            said = self.plot(self.run_folder, "--stage", stage, "--out", stage, "--pdf",
                             env={"PATH": self.path("bin")})
            self.assertEqual(sorted(self.figures_of(said)), sorted(figures.split()), stage)
        self.assertIn("set logscale x", self.read("oedometer", "compression_curve.gp"))
        self.assertIn("set logscale y", self.read("turn", "turn_error.gp"))

    def test_chosen_figures(self):
        def figures(*options):
            done = run("plot", self.run_folder, "--stage", "drained", "--out", "chosen", *options, cwd=self.folder, env=NO_GNUPLOT)
            self.assert_refused(done, "gnuplot not found", status=1)
            made = sorted(name[:-3] for name in os.listdir(self.path("chosen")) if name.endswith(".gp"))
            shutil.rmtree(self.path("chosen"))
            return made

        # Without gnuplot the first of them is written, and no other.
        self.assertEqual(figures("--figure", "void_ratio"), ["void_ratio"])
        self.assertEqual(figures("--y", "coordination", "--x", "stress_xx"), ["curve"])
        self.assert_refused(run("plot", self.run_folder, "--stage", "drained", "--figure", "void_ratio,nothing", cwd=self.folder),
                            "--figure: there is no figure 'nothing'; there are ", "stress_ratio, ")
        self.assert_refused(run("plot", self.run_folder, "--stage", "drained", "--y", "nothing", cwd=self.folder), "--y: 'nothing' is neither a quantity")
        self.assert_refused(run("plot", self.run_folder, "--stage", "drained", "--x", "p", cwd=self.folder), "--x has no effect without --y")

    def test_a_run_whose_specimen_has_moved(self):
        shutil.copytree(self.run_folder, self.path("moved"))
        text = self.read("moved", "scenario.yaml")
        self.write("moved/scenario.yaml", re.sub(r"(?m)^specimen:\n(?:[ ].*\n)+",
                                                 "specimen: {file: /nowhere/a.csv}\n", text))
        curves = self.numbers("moved", "--stage", "back")
        self.assertIn("shear_strain", curves[0])
        self.write("moved/scenario.yaml", "specimen: [\n")
        done = run("plot", "moved", "--stage", "back", "--out", "b", cwd=self.folder, env=NO_GNUPLOT)
        self.assert_refused(done, "moved/scenario.yaml:", "history without scenario", status=1)


class Overlays(PlotTest):
    """Several runs in one figure."""

    SCENARIO = ("specimen: {{count: 100, sizes: {{d: 1 mm}}, preparation: {{pressure: 100 kPa}}}}\n"
                "material: {{stiffness_level: 1000, friction: 0.5}}\n"
                "stages:\n  - {{name: settle, path: isotropic, pressure: 100 kPa}}\n"
                "  - {{name: shear, path: {path}, end: {{strain: 1 %}}}}\n")

    def write_run(self, name, path, peak):
        self.write(f"{name}/scenario.yaml", self.SCENARIO.format(path=path))
        rows = "".join(f"shear,{k / 10},{-k / 30},{-k / 30},{k / 10},1e5,1e5,{1e5 + peak * k},0,0,0,"
                       f"{1e5 + peak * k / 3},0.6,5\n" for k in range(4))
        self.write(f"{name}/history.csv",
                   "stage,strain,strain_xx,strain_yy,strain_zz,stress_xx,stress_yy,stress_zz,"
                   "stress_xy,stress_xz,stress_yz,p,void_ratio,coordination\n"
                   "settle,0,0,0,0,1e5,1e5,1e5,0,0,0,1e5,0.6,6\n" + rows)

    @unittest.skipUnless(HAS_GNUPLOT, "gnuplot is not installed")
    def test_two_runs(self):
        self.write_run("a/dense", "triaxial", 6e4)
        self.write_run("a/loose", "triaxial", 2e4)
        said = self.plot("a/dense", "a/loose/")
        self.assertEqual(self.figures_of(said), ["stress_ratio", "deviator_stress", "stress_volume",
                                                 "volumetric_strain", "void_ratio", "friction_angle", "stress_path",
                                                 "coordination"])
        curves = read_rows(self.path("plots", "curves.csv"))
        for label, colour, peak in (("dense", BLUE, 6e4), ("loose", ORANGE, 2e4)):
            own = [c for c in curves if c["label"] == label]
            self.assertEqual([c["q"] for c in own], [peak * k for k in range(4)])
            drawn = self.curve("plots", "deviator_stress.svg", colour=colour)
            self.assertEqual([len(piece) for piece in drawn], [2, 4])  # key and curve
        self.assertIn("dense", self.words_of("plots", "deviator_stress.svg"))
        # Both on the same axes: the heights at the end are as 3 to 1.
        ends = [self.curve("plots", "deviator_stress.svg", colour=c)[1] for c in (BLUE, ORANGE)]
        self.assertAlmostEqual((ends[0][-1][1] - ends[0][0][1]) / (ends[1][-1][1] - ends[1][0][1]),
                               3.0, delta=0.01)

    def test_labels_stages_and_what_all_share(self):
        self.write_run("a", "triaxial", 6e4)
        self.write_run("b", "constant_p", 2e4)
        self.write_run("c", "undrained", 2e4)
        os.makedirs(self.path("bin"))
        os.symlink("/bin/true", self.path("bin", "gnuplot"))
        env = {"PATH": self.path("bin")}
        said = self.plot("a", "b", "--labels", "one, two's", "--pdf", env=env)
        self.assertIn("volumetric_strain", self.figures_of(said))
        self.assertIn("title 'two''s' noenhanced", self.read("plots", "stress_ratio.gp"))
        said = self.plot("a", "c", "--out", "other", "--pdf", env=env)
        self.assertIn("stress_path", self.figures_of(said))
        self.assertNotIn("volumetric_strain", self.figures_of(said))  # constant in the undrained test
        curves = self.numbers("a", "a", "--labels", "x,y")
        self.assertEqual([c["label"] for c in curves], ["x"] * 4 + ["y"] * 4)

    def test_bad_combinations(self):
        self.write_run("a", "triaxial", 6e4)
        self.write_run("b", "triaxial", 2e4)
        for arguments, needle in ((("a", "b", "--labels", "one"), "--labels: 1 label for 2 curves"),
                                  (("a", "--labels", "x,y"), "--labels: 2 labels for 1 curve"),
                                  (("a", "b", "--stage", "shear,shear,shear"),
                                   "--stage: 3 stages for 2 runs"),
                                  (("a", "b", "--stage", "shear,slow"),
                                   "b/history.csv: no row of stage 'slow'; there is: settle, shear"),
                                  (("a", "absent"), "absent: No such file")):
            self.assert_refused(run("plot", *arguments, cwd=self.folder), needle)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a", "b"])


@unittest.skipUnless(HAS_GNUPLOT, "gnuplot is not installed")
class Histories(PlotTest):
    """Histories without scenario, with strains, stages and other columns."""

    HISTORY = ("# a comment\n"
               "stage,step,strain_xx,strain_yy,strain_zz,q,p,energy_friction,note\n"
               "specimen,0,9,9,9,9,9,9,\n"
               "squeeze,0,0,0,0,0,0,0,begin\n"
               "squeeze,1,0.01,0.01,0.01,1,100,1,a b\n"
               "squeeze,2,0.02,0.02,0.03,0,200,2,\n"
               "shear,3,0,0,0.1,50,200,2.5,nan\n"
               "shear,4,-0.01,-0.02,0.2,80,200,nan,x\n"
               "shear,5,-0.02,-0.03,0.3,90,200,4,x\n")

    def test_strains_and_stages(self):
        self.write("run/history.csv", self.HISTORY)
        self.assertEqual(self.plot("run"), "run/plots: stress_ratio, stress_volume, volumetric_strain, stress_path, "
                         "energies_squeeze, energies_shear; each as SVG and PNG\n")
        self.assertEqual(self.made("run", "plots"), ["energies_shear", "energies_squeeze",
                                                     "stress_path", "stress_ratio",
                                                     "stress_volume", "volumetric_strain"])
        curves = read_rows(self.path("run", "plots", "curves.csv"))
        self.assertEqual(list(curves[0]), ["label", "axial_strain", "stress_ratio", "p", "q",
                                           "volumetric_strain", "friction"])
        self.assertEqual([c["label"] for c in curves], ["squeeze"] * 3 + ["shear"] * 3)
        self.assertTrue(math.isnan(curves[0]["stress_ratio"]))
        self.assertTrue(math.isnan(curves[4]["friction"]))
        self.assertEqual([curves[k]["friction"] for k in (0, 1, 2, 3, 5)], [0, 1, 2, 0, 1.5])
        self.assertEqual([c["axial_strain"] for c in curves], [0, 0.01, 0.03, 0.1, 0.2, 0.3])
        self.assertEqual([c["stress_ratio"] for c in curves[1:]], [0.01, 0, 0.25, 0.4, 0.45])
        for c, strain in zip(curves, (0, 0.03, 0.07, 0.1, 0.17, 0.25)):
            self.assertAlmostEqual(c["volumetric_strain"], strain, delta=1e-15)
        # Each stage is a line with its name and colour; the sample in the key comes first.
        squeeze, shear = (self.curve("run", "plots", "volumetric_strain.svg", colour=colour)
                          for colour in (BLUE, ORANGE))
        self.assertEqual([len(piece) for piece in squeeze + shear], [2, 3, 2, 3])
        whole = [(c["axial_strain"], c["volumetric_strain"]) for c in curves]
        self.assert_follows(squeeze[1] + shear[1], whole)
        for name in ("squeeze", "shear"):
            self.assertIn(name, self.words_of("run", "plots", "volumetric_strain.svg"))

    def test_names_of_stages_are_used_literally(self):
        self.write("run/history.csv", "stage,time,p,q\na_b's,0,1,1\na_b's,1,2,1\nc,2,3,2\nc,3,4,2\n")
        self.plot("run")
        self.assertIn("a_b's", self.words_of("run", "plots", "stress_ratio.svg"))

    def test_stages_another_axis_another_folder(self):
        self.write("run/history.csv", self.HISTORY)
        self.plot("run/history.csv", "--stage", "shear", "--axis", "y", "--out", "a/b c")
        curves = read_rows(self.path("a", "b c", "curves.csv"))
        self.assertEqual([c["axial_strain"] for c in curves], [0, -0.02, -0.03])
        self.plot("run/history.csv")
        self.assertEqual(len(read_rows(self.path("run", "history_plots", "curves.csv"))), 6)
        curves = self.numbers("run", "--stage", "shear,squeeze")
        self.assertEqual([c["label"] for c in curves], ["shear"] * 3 + ["squeeze"] * 3)

    def test_columns_of_a_history_in_any_order(self):
        self.write("run/history.csv", "p,time,stress_xy,stress_yz,stress_xz,stress_xx,stress_yy,"
                   "stress_zz\n1,0,0,0,0,1,1,1\r\n2,1,1,0,0,2,2,2\n\n2,2,0,0,0,1,1,4\n")
        q = [c["q"] for c in self.numbers("run")]
        # Pure shear t: q = sqrt(3) t. Triaxial: the difference of the stresses.
        self.assertEqual(q[0], 0.0)
        self.assertAlmostEqual(q[1], math.sqrt(3.0), delta=1e-15)
        self.assertAlmostEqual(q[2], 3.0, delta=1e-15)

    def test_preparation_is_drawn_on_request(self):
        self.write("run/history.csv", "stage,time,cell\nspecimen,0,1\nspecimen,1,3\nshear,2,4\n"
                   "shear,4,5\n")
        for options, times, work in (((), [0, 2], [0, 1]),
                                     (("--stage", "specimen"), [0, 1], [0, 2])):
            curves = self.numbers("run", *options)
            self.assertEqual([c["time"] for c in curves], times)
            self.assertEqual([c["work"] for c in curves], work)  # without columns of other kinds of work

    def test_missing_numbers_are_left_out(self):
        self.write("run/history.csv", "time,p,q,coordination\n0,0,0,nan\n1,0,0,\n")
        self.plot("run")
        self.assertEqual(self.made("run", "plots"), ["stress_path"])


@unittest.skipUnless(HAS_GNUPLOT, "gnuplot is not installed")
class Print(PlotTest):
    """Sizes, fonts and units on paper."""

    def setUp(self):
        super().setUp()
        rows = "".join(f"{0.01 * k},0,0,{2e5 * k / (k + 3)},{1e5 + k}\n" for k in range(16))
        self.write("a.csv", "strain_zz,strain_xx,strain_yy,q,p\n" + rows)
        self.write("b.csv", "strain_zz,strain_xx,strain_yy,q,p\n" + rows.replace("0,0,2", "0,0,1"))

    def test_a_pdf_of_given_size(self):
        said = self.plot("a.csv", "b.csv", "--pdf", "--width", "8.5cm", "--height", "60 mm",
                         "--font", "Helvetica,8", "--percent", "--out", "out")
        self.assertTrue(said.endswith("; each as PDF\n"), said)
        self.assertEqual(self.made("out", endings=(".gp", ".pdf")),
                         ["stress_path", "stress_ratio", "stress_volume", "volumetric_strain"])
        with open(self.path("out", "stress_path.pdf"), "rb") as file:
            pdf = file.read()
        # In whole points: 8.5 cm are 240.9, 6 cm are 170.1.
        self.assertEqual(re.search(rb"/MediaBox \[ 0 0 (\d+) (\d+) \]", pdf).groups(),
                         (b"241", b"170"))
        self.assertIn(b"/FontFile", pdf)  # embedded, as journals ask
        pages = b"".join(self.inflate(part) for part in
                         re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.S))
        sizes = {float(size) for size in re.findall(rb"([\d.]+) 0 0 -[\d.]+ [\d.]+ [\d.]+ Tm", pages)}
        self.assertAlmostEqual(max(sizes), 8.0, delta=0.05)  # points
        widths = {float(width) for width in re.findall(rb"([\d.]+) w\b", pages)}
        self.assertEqual(max(widths), 0.9)  # of the curves

    @staticmethod
    def inflate(data):
        try:
            return zlib.decompress(data)
        except zlib.error:
            return b""

    def test_units_are_in_the_labels(self):
        self.plot("a.csv", "--out", "plain")
        self.plot("a.csv", "--percent", "--out", "percent")
        self.assertIn("Axial strain εa [–]", self.words_of("plain", "stress_ratio.svg"))
        words = self.words_of("percent", "stress_ratio.svg")
        self.assertIn("Axial strain εa [%]", words)
        for tic in ("2", "14"):
            self.assertIn(tic, words.split())
        self.assertIn("Deviator stress q [kPa]", self.words_of("plain", "stress_path.svg"))
        self.assertIn("140", self.words_of("plain", "stress_path.svg").split())

    def test_greys_and_dashes(self):
        self.plot("a.csv", "b.csv", "--grey", "--out", "grey")
        text = self.read("grey", "stress_ratio.svg")
        for red, green, blue in re.findall(r"stroke='rgb\(\s*(\d+),\s*(\d+),\s*(\d+)\)'", text):
            self.assertTrue(red == green == blue)
        self.assertEqual(len(self.curve("grey", "stress_ratio.svg", colour="rgb(136,136,136)")), 2)

    def test_a_key_covers_no_curve(self):
        def key(points):
            rows = "".join(f"{x},{y},1\n" for x, y in points)
            self.write("c.csv", "strain_zz,q,p\n" + rows)
            self.write("d.csv", "strain_zz,q,p\n" + "".join(f"{x},{0.99 * y},1\n" for x, y in points))
            self.plot("c.csv", "d.csv", "--out", "key")
            return re.search(r"set key (\S+ \S+)", self.read("key", "stress_ratio.gp")).group(1)
        rise = [(k / 20, k / 20) for k in range(21)]
        self.assertEqual(key(rise), "top left")
        self.assertEqual(key([(x, 1 - y) for x, y in rise]), "top right")
        self.assertEqual(key([(x, 1.0) for x, _ in rise] + [(0, 0.5), (0, 0), (0.5, 0)]),
                         "bottom right")
        # Through all corners: above the frame.
        self.assertEqual(key(rise + [(1, 0), (0, 1)]), "tmargin center")

    def test_bad_options(self):
        for option, value, needle in (
                ("--width", "8.5", "--width: '8.5' is not a length such as 8.5cm"),
                ("--width", "cm", "is not a length"), ("--width", "8,5cm", "is not a length"),
                ("--width", "850px", "is not a length"), ("--width", "-9cm", "is not a length"),
                ("--width", "1m", "is not a length"), ("--width", "1cm", "not between 3cm and 100cm"),
                ("--height", "nancm", "is not a length"), ("--font", "Arial,big", "no size in points"),
                ("--font", "Arial,300", "not between 4 and 72"), ("--font", "a'b", "is not a font"),
                ("--font", "x" * 80, "too long")):
            done = run("plot", "a.csv", option, value, cwd=self.folder)
            self.assert_refused(done, "twirl plot: " + option, needle)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.csv", "b.csv"])


@unittest.skipUnless(HAS_GNUPLOT, "gnuplot is not installed")
class ManyProbes(PlotTest):
    """Any number of laws in a figure, and of figures in the report."""

    LAWS = [f"exact-{a}{b}" for a in "abcd" for b in "efgh"]

    def write_run(self, stages):
        self.write("run/history.csv", "time,coordination\n0,4\n1,5\n")
        fits = "law,split,circle,points,modulus,diameter,rms,angle,dx,dy,dz,flow_angle,fx,fy,fz\n"
        points = "law,x,y,no_slip_x,no_slip_y\n"
        for count, law in enumerate(self.LAWS, 1):
            for circle in ("loading", "unloading"):
                fits += f"{law},unload,{circle},8,1e8,{count}e-8,0.01,10,1,0,0,20,0.9,0.1,0\n"
            points += f"{law},{count}e-8,0,0,0\n"
        for stage in stages:
            self.write(f"run/stages/{stage}/fits.csv", fits)
            self.write(f"run/stages/{stage}/probes.csv", points)

    def test_every_law_is_in_the_figure(self):
        self.write_run(["probe"])
        self.plot("run")
        script = self.read("run", "plots", "probe_circles.gp")
        for law in self.LAWS:
            self.assertEqual(script.count(f"title '{law}'"), 2, law)  # in SVG and PNG
        self.assertIn("set output 'probe_circles.png'", script)
        rows = read_rows(self.path("run", "plots", "probe_circles.csv"))
        for count, law in enumerate(self.LAWS, 1):  # each with its own diameter [1/GPa], along x
            circle = [(r["x"], r["y"]) for r in rows if r["title"] == law]
            self.assertEqual(len(circle), 181)
            for x, y in circle:
                self.assertAlmostEqual(math.hypot(x - 5.0 * count, y), 5.0 * count, delta=1e-6 * count)

    def test_every_figure_is_reported(self):
        stages = [f"stage_of_probes_with_a_name_of_some_length_{i}" for i in range(24)]
        self.write_run(stages)
        os.makedirs(self.path("bin"))
        os.symlink("/bin/true", self.path("bin", "gnuplot"))
        said = self.plot("run", "--pdf", env={"PATH": self.path("bin")})
        for stage in stages:
            self.assertIn(f"{stage}_circles", said)
        self.assertTrue(said.endswith("; each as PDF\n"), said)


@unittest.skipUnless(HAS_GNUPLOT, "gnuplot is not installed")
class Envelope(PlotTest):
    """Stress probes of a linear material, evenly spread over a sphere: the envelope is an ellipsoid."""

    COUNT = 80
    COMPLIANCE = ((3e-9, -1e-9, -0.5e-9), (-1e-9, 2e-9, -0.2e-9), (-0.5e-9, -0.2e-9, 4e-9))

    def directions(self):
        for k in range(self.COUNT):
            z = 1 - (2 * k + 1) / self.COUNT
            turn = k * math.pi * (3 - math.sqrt(5))
            yield math.sqrt(1 - z * z) * math.cos(turn), math.sqrt(1 - z * z) * math.sin(turn), z

    def write_probes(self, directions, size=1e3):
        names = ("direction", "strain", "stress", "reversible", "irreversible")
        lines = ["law,probe," + ",".join(f"{name}_{a}{a}" for name in names for a in "xyz")]
        for k, way in enumerate(directions):
            stress = [size * part for part in way]
            strain = [sum(c * s for c, s in zip(row, stress)) for row in self.COMPLIANCE]
            slip = [0.1 * e for e in strain]
            values = [*way, *strain, *stress, *(0.9 * e for e in strain), *slip]
            lines.append(f"exact,{k + 1}," + ",".join(map(repr, values)))
        self.write("run/history.csv", "time,coordination\n0,4\n1,5\n")
        self.write("run/stages/probe/probes.csv", "\n".join(lines) + "\n")
        self.write("run/stages/probe/fits.csv", "law,split,circle\n")

    def test_sections_of_an_ellipsoid(self):
        self.write_probes(self.directions())
        self.assertIn("probe_envelope", self.figures_of(self.plot("run")))
        inverse = self.inverse(self.COMPLIANCE)
        # A point between neighbours is inside the ellipsoid: by the sagitta of triangles with sides of
        # about 2 sqrt(2 pi/(sqrt(3) n)) = 0.43, 0.43^2/6 = 3 %; twice that for uneven ones.
        rows = read_rows(self.path("run", "plots", "probe_envelope.csv"))
        for axis, plane in enumerate(("yz", "xz", "xy")):
            for part, size in (("total", 1.0), ("reversible", 0.9)):
                shape = [r for r in rows if (r["figure"], r["title"]) == (f"probe_envelope_{plane}", part)]
                points = [[{plane[0]: r["x"], plane[1]: r["y"]}.get(a, 0.0) * 1e-7 for a in "xyz"] for r in shape]
                self.assertGreater(len(points), 15)
                self.assertEqual(points[0], points[-1])  # closed
                for point in points:
                    stress = [sum(c * e for c, e in zip(row, point)) for row in inverse]
                    self.assertLess(math.hypot(*stress), size * 1e3 * (1 + 1e-8))
                    self.assertGreater(math.hypot(*stress), size * 1e3 * 0.94)
                corners = {(a > 0, b > 0) for a, b in ((p[axis - 1], p[axis - 2]) for p in points)}
                self.assertEqual(len(corners), 4)  # all around
        script = self.read("run", "plots", "probe_envelope.gp")
        # A closed surface of n points has 2n - 4 triangles, here in two formats.
        self.assertEqual(script.count("set object polygon"), 2 * (2 * self.COUNT - 4))

    def test_panels_have_room_for_their_numbers(self):
        for size in (1e3, 1.3e3, 1.8e3, 2e3, 3e3, 5e3, 7e3):
            self.write_probes(self.directions(), size)
            self.plot("run")
            script = self.read("run", "plots", "probe_envelope.gp")
            panels = re.findall(r"set xrange \[.*:(.*)\]\nset xtics (.*)\n", script)
            self.assertEqual(len(panels), 6)  # three, in two formats
            for end, step in panels:
                self.assertIn(2 * math.floor(float(end) / float(step) + 1e-9) + 1, (3, 5), size)  # 0 among them

    @staticmethod
    def inverse(m):
        def minor(i, j):
            a, b = [k for k in range(3) if k != i], [k for k in range(3) if k != j]
            return m[a[0]][b[0]] * m[a[1]][b[1]] - m[a[0]][b[1]] * m[a[1]][b[0]]
        det = sum((-1) ** j * m[0][j] * minor(0, j) for j in range(3))
        return [[(-1) ** (i + j) * minor(j, i) / det for j in range(3)] for i in range(3)]

    def test_damaged_rows_are_refused(self):
        self.write_probes(self.directions())
        path = self.path("run", "stages", "probe", "probes.csv")
        good = self.read("run", "stages", "probe", "probes.csv").splitlines()
        third = good[3].split(",")
        for row, problem in (([*third[:5], "1.2x", *third[6:]], "column 'strain_xx': '1.2x' is not a number"),
                             ([*third[:5], "", *third[6:]], "column 'strain_xx': '' is not a number"),
                             (third[:-1], f"column '{good[0].split(',')[16]}' is missing: the row has 16 of 17 fields"),
                             ([*third, "0"], f"unexpected field '0' after the last column '{good[0].split(',')[16]}'")):
            self.write(path, "\n".join([*good[:3], ",".join(row), *good[4:]]) + "\n")
            self.assert_refused(run("plot", "run", cwd=self.folder), f"probes.csv:4: {problem}")

    def test_long_rows_are_read_whole(self):
        self.write_probes(self.directions())
        rows = self.read("run", "stages", "probe", "probes.csv").splitlines()
        wide = [re.sub(",", f",{'0' * 9000 if k else 'other'},", row, count=1) for k, row in enumerate(rows)]
        self.assertIn("probe_envelope", self.figures_of(self.plot("run")))
        plain = self.read("run", "plots", "probe_envelope.csv")
        self.write("run/stages/probe/probes.csv", "\n".join(wide) + "\n")
        self.assertIn("probe_envelope", self.figures_of(self.plot("run")))
        self.assertEqual(self.read("run", "plots", "probe_envelope.csv"), plain)

    def test_directions_on_one_side_have_no_envelope(self):
        self.write_probes(way for way in self.directions() if way[2] > 0)
        self.assertEqual(self.figures_of(self.plot("run")), ["coordination"])


@unittest.skipUnless(HAS_GNUPLOT, "gnuplot is not installed")
class ThreeCommands(PlotTest):
    """The guide's way from nothing to a PDF of two runs, with fewer grains."""

    def test_dense_and_loose(self):
        with open(os.path.join(SOURCE, "docs", "guide", "pictures.md"), encoding="utf-8") as file:
            text = file.read()
        block = re.search(r"### Dense and loose in one figure\n.*?```sh\n(.*?)```", text, re.S).group(1)
        commands = [shlex.split(line) for line in block.splitlines()]
        self.assertEqual([command[:2] for command in commands],
                         [["twirl", "run"], ["twirl", "run"], ["twirl", "plot"]])
        os.symlink(os.path.abspath(os.path.join(SOURCE, "scenarios")), self.path("scenarios"))
        small = {"specimen.count=500": "specimen.count=40"}
        for command in commands:
            more = ["--set", "stages[2].inertial_number=1e-2"] if command[1] == "run" else []
            done = run(*(small.get(word, word) for word in command[1:]), *more, cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(os.path.exists(self.path("plots", "stress_ratio.pdf")))
        curves = read_rows(self.path("plots", "curves.csv"))
        start = {label: next(c["void_ratio"] for c in curves if c["label"] == label)
                 for label in ("dense", "loose")}
        self.assertLess(start["dense"] + 0.05, start["loose"])


class Errors(PlotTest):
    def test_bad_command_lines(self):
        for arguments, needles in (
                ((), ("DIR is missing",)),
                (("run", "--axis", "w"), ("--axis: 'w' is not an axis",)),
                (("run", "--out", ""), ("--out: the name of the folder is empty",)),
                (("run", "--stgae", "x"), ("did you mean '--stage'",)),
                ((self.folder,), (os.path.join(self.folder, "history.csv: No such file"),)),
                (("absent.csv",), ("absent.csv: No such file",))):
            self.assert_refused(run("plot", *arguments, cwd=self.folder), "twirl plot: ", *needles)

    def test_bad_histories(self):
        for text, needles in (
                ("", ("no header",)),
                ("time,p\n0,1\n", ("1 row, but a curve needs at least 2",)),
                ("time,p\n0,1\n1\n", ("history.csv:3: column 'p' is missing: the row has 1 of 2 fields",)),
                ("time,p\n0,1\n1,high\n", ("history.csv:3: column 'p': 'high' is not a number",)),
                ("time,p,p\n0,1,1\n", ("history.csv:1: column 'p' appears twice",)),
                ("friction,energy_friction\n", ("column 'friction' appears twice",)),
                ("a,b\n0,1\n1,2\n", ("nothing to draw",)),
                ("a," * 300 + "b\n", ("exceeds the limit of 256 columns",))):
            self.write("run/history.csv", text)
            self.assert_refused(run("plot", "run", cwd=self.folder), "run", *needles)
        self.write("run/history.csv", "time,coordination\n0,4\n1,5\n")
        self.assert_refused(run("plot", "run", "--stage", "x", cwd=self.folder),
                            "no column 'stage'")
        self.write("run/history.csv", "stage,time,coordination\na,0,1\na,1,2\n")
        self.assert_refused(run("plot", "run", "--stage", "b", cwd=self.folder),
                            "no row of stage 'b'; there is: a")
        self.assertEqual(os.listdir(self.path("run")), ["history.csv"])

    def test_without_gnuplot_the_numbers_are_kept(self):
        self.write("run/history.csv", "time,coordination\n0,4\n1,5\n")
        done = run("plot", "run", cwd=self.folder, env=NO_GNUPLOT)
        self.assert_refused(done, "gnuplot not found", status=1)
        self.assertEqual(len(read_rows(self.path("run", "plots", "curves.csv"))), 2)


if __name__ == "__main__":
    unittest.main()
