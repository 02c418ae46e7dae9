# SPDX-License-Identifier: BSD-3-Clause
"""twirl plot: numbers compared with the history, and curves compared with the numbers."""

import csv
import math
import os
import re
import shutil
import tempfile
import unittest
import xml.etree.ElementTree

from cli import CliTest, run

FIGURES = ("contacts", "energies", "stress_path", "stress_ratio", "volumetric_strain")
BLUE, ORANGE = "rgb(0,114,178)", "rgb(213,94,0)"  # the first two curves of a figure


def read_rows(path):
    """Rows of numbers by column, without blank lines."""
    with open(path, newline="", encoding="utf-8") as file:
        return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]


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

    def plot(self, *arguments, **options):
        done = run("plot", *arguments, cwd=self.folder, **options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def made(self, *folder):
        names = os.listdir(self.path(*folder))
        self.assertIn("curves.csv", names)
        figures = sorted(name[:-4] for name in names if name.endswith(".svg"))
        self.assertEqual(sorted(names), sorted(["curves.csv"] + [
            figure + ending for figure in figures for ending in (".gp", ".svg", ".png")]))
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


@unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
class Runs(PlotTest):
    """A history of twirl advance: no strains, so the curves run over time."""

    def test_a_compression(self):
        lines = ["# cell: 2.99 0 0 0 2.98 0 0 0 2.99", "# periodic: 1 1 1", "x,y,z,radius"]
        lines += [f"{i % 3},{i // 3 % 3},{i // 9},{0.5 - 0.001 * (i % 5)}" for i in range(27)]
        self.write("run/sand.csv", "\n".join(lines) + "\n")
        done = run("advance", "sand.csv", "--kn", "1e9", "--kt", "1e9", "--mu", "0.5", "--gradient",
                   "-0.2 0 -0.1", "--steps", "200", "--report", "10", "--out", "state.h5",
                   "--history", "history.csv", "--quiet", cwd=self.path("run"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.plot("run")
        self.assertEqual(self.made("run", "plots"), list(FIGURES))

        history = read_rows(self.path("run", "history.csv"))
        curves = read_rows(self.path("run", "plots", "curves.csv"))
        self.assertEqual(len(curves), len(history))
        self.assertEqual(len(curves), 21)
        for h, c in zip(history, curves):
            self.check_row(history[0], h, c)
        for figure, x, y in (("stress_ratio", "time", "stress_ratio"),
                             ("stress_path", "p", "q"), ("energies", "time", "work"),
                             ("contacts", "time", "coordination"),
                             ("volumetric_strain", "time", "volumetric_strain")):
            points = [(c[x], c[y]) for c in curves if math.isfinite(c[y])]
            pieces = self.curve("run", "plots", figure + ".svg")
            self.assert_follows(pieces[-1], points)  # the sample in the key comes first

    def check_row(self, first, h, c):
        mean = (h["stress_xx"] + h["stress_yy"] + h["stress_zz"]) / 3
        deviator = {a + b: (h[f"stress_{a}{b}"] + h[f"stress_{b}{a}"]) / 2 - (a == b) * mean
                    for a in "xyz" for b in "xyz"}
        q = math.sqrt(1.5 * sum(s * s for s in deviator.values()))
        # Rounding errors relative to p and to the energies.
        self.assertAlmostEqual(c["q"], q, delta=1e-11 * abs(mean))
        self.assertAlmostEqual(c["stress_ratio"], q / mean, delta=1e-11)
        self.assertAlmostEqual(c["volumetric_strain"], math.log(first["volume"] / h["volume"]),
                               delta=1e-14)
        for name, terms in (("p", ("p",)), ("time", ("time",)), ("residual", ("residual",)),
                            ("coordination", ("coordination",)), ("friction", ("friction",)),
                            ("sliding_fraction", ("sliding_fraction",)),
                            ("work", ("cell", "walls", "gravity")),
                            ("kinetic", ("kinetic", "rotational")),
                            ("stored", ("normal", "tangential")),
                            ("damping", ("contact_damping", "body_damping"))):
            total = sum(h[term] for term in terms)
            self.assertAlmostEqual(c[name], total, delta=1e-15 * abs(total), msg=name)


@unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
class Histories(PlotTest):
    """Histories with strains, stages and other columns."""

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
        self.assertEqual(self.plot("run"), "run/plots: stress_ratio, volumetric_strain, stress_path, "
                         "energies; each as SVG and PNG\n")
        self.assertEqual(self.made("run", "plots"),
                         ["energies", "stress_path", "stress_ratio", "volumetric_strain"])
        curves = read_rows(self.path("run", "plots", "curves.csv"))
        self.assertEqual(list(curves[0]), ["axial_strain", "stress_ratio", "volumetric_strain", "p",
                                           "q", "friction"])
        self.assertTrue(math.isnan(curves[0]["stress_ratio"]))
        self.assertTrue(math.isnan(curves[4]["friction"]))
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
        with open(self.path("run", "plots", "volumetric_strain.svg"), encoding="utf-8") as file:
            words = "".join(xml.etree.ElementTree.parse(file).getroot().itertext())
        for name in ("squeeze", "shear"):
            self.assertIn(name, words)

    def test_many_stages_are_one_curve_in_pieces(self):
        rows = "".join(f"{stage},{t},{100 + 10 * stage + t},1\n" for stage in range(9) for t in (0, 1))
        self.write("run/history.csv", "stage,time,p,q\n" + rows)
        self.plot("run")
        pieces = self.curve("run", "plots", "stress_ratio.svg")
        self.assertEqual([len(piece) for piece in pieces], [2] * 9)

    def test_names_of_stages_are_used_literally(self):
        self.write("run/history.csv", "stage,time,p,q\na_b's,0,1,1\na_b's,1,2,1\nc,2,3,2\nc,3,4,2\n")
        self.plot("run")
        with open(self.path("run", "plots", "stress_ratio.svg"), encoding="utf-8") as file:
            self.assertIn("a_b s", "".join(xml.etree.ElementTree.parse(file).getroot().itertext()))

    def test_one_stage_another_axis_another_folder(self):
        self.write("run/history.csv", self.HISTORY)
        self.plot("run/history.csv", "--stage", "shear", "--axis", "y", "--out", "a/b c")
        curves = read_rows(self.path("a", "b c", "curves.csv"))
        self.assertEqual([c["axial_strain"] for c in curves], [0, -0.02, -0.03])
        self.plot("run/history.csv")
        self.assertEqual(len(read_rows(self.path("run", "history_plots", "curves.csv"))), 6)

    def test_columns_of_a_history_in_any_order(self):
        self.write("run/history.csv", "p,time,stress_yx,stress_yz,stress_xz,stress_xx,stress_yy,"
                   "stress_zz\n1,0,0,0,0,1,1,1\r\n2,1,1,0,0,2,2,2\n\n2,2,0,0,0,1,1,4\n")
        self.plot("run")
        q = [c["q"] for c in read_rows(self.path("run", "plots", "curves.csv"))]
        # Pure shear t: q = sqrt(3) t. Triaxial: the difference of the stresses.
        self.assertEqual(q[0], 0.0)
        self.assertAlmostEqual(q[1], math.sqrt(3.0), delta=1e-15)
        self.assertAlmostEqual(q[2], 3.0, delta=1e-15)


    def test_preparation_is_drawn_on_request(self):
        self.write("run/history.csv", "stage,time,cell\nspecimen,0,1\nspecimen,1,2\nshear,2,4\n"
                   "shear,3,5\n")
        for options, times, work in (((), [2, 3], [4, 5]),
                                     (("--stage", "specimen"), [0, 1], [1, 2])):
            self.plot("run", *options)
            curves = read_rows(self.path("run", "plots", "curves.csv"))
            self.assertEqual([c["time"] for c in curves], times)
            self.assertEqual([c["work"] for c in curves], work)  # without columns of other kinds of work

    def test_missing_numbers_are_left_out(self):
        self.write("run/history.csv", "time,p,q,coordination\n0,0,0,nan\n1,0,0,\n")
        self.plot("run")
        self.assertEqual(self.made("run", "plots"), ["stress_path"])


@unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
class ManyProbes(PlotTest):
    """Any number of laws in a figure, and of figures in the report."""

    LAWS = [f"exact-{a}{b}" for a in "abcd" for b in "efgh"]

    def write_run(self, stages):
        self.write("run/history.csv", "time,coordination\n0,4\n1,5\n")
        fits = "law,split,circle,points,modulus,diameter,rms,angle,dx,dy,dz,flow_angle,fx,fy,fz\n"
        points = "law,x,y,no_slip_x,no_slip_y\n"
        for number, law in enumerate(self.LAWS, 1):
            for circle in ("loading", "unloading"):
                fits += f"{law},unload,{circle},8,1e8,{number}e-8,0.01,10,1,0,0,20,0.9,0.1,0\n"
            points += f"{law},{number}e-8,0,0,0\n"
        for stage in stages:
            self.write(f"run/stages/{stage}/fits.csv", fits)
            self.write(f"run/stages/{stage}/probes.csv", points)

    def test_every_law_is_in_the_figure(self):
        self.write_run(["probe"])
        self.plot("run")
        with open(self.path("run", "plots", "probe_circles.gp"), encoding="utf-8") as file:
            script = file.read()
        for law in self.LAWS:
            self.assertEqual(script.count(f"title '{law}'"), 1, law)
            self.assertEqual(script.count(f"eq '{law}'"), 1, law)
        self.assertIn("set output 'probe_circles.png'", script)

    def test_every_figure_is_reported(self):
        stages = [f"stage_of_probes_with_a_name_of_some_length_{i}" for i in range(24)]
        self.write_run(stages)
        said = self.plot("run")
        for stage in stages:
            self.assertIn(f"{stage}_circles", said)
        self.assertTrue(said.endswith("; each as SVG and PNG\n"), said)


class Errors(PlotTest):
    def test_bad_command_lines(self):
        for arguments, needles in (
                ((), ("DIR is missing",)),
                (("a", "b"), ("DIR is already",)),
                (("run", "--axis", "w"), ("--axis: 'w' is not an axis",)),
                (("run", "--out", ""), ("--out: ''",)),
                (("run", "--stgae", "x"), ("did you mean '--stage'",)),
                ((self.folder,), (os.path.join(self.folder, "history.csv: No such file"),)),
                (("absent.csv",), ("absent.csv: No such file",))):
            self.assert_refused(run("plot", *arguments, cwd=self.folder), "twirl plot: ", *needles)

    def test_bad_histories(self):
        for text, needles in (
                ("", ("no header",)),
                ("time,p\n0,1\n", ("1 row, but a curve needs at least 2",)),
                ("time,p\n0,1\n1\n", ("history.csv:3: 1 field, but the header has 2",)),
                ("time,p\n0,1\n1,high\n", ("history.csv:3: column 'p': 'high' is not a number",)),
                ("time,p,p\n0,1,1\n", ("history.csv:1: column 'p' appears twice",)),
                ("friction,energy_friction\n", ("column 'friction' appears twice",)),
                ("a,b\n0,1\n1,2\n", ("nothing to draw",)),
                ("a," * 300 + "b\n", ("exceeds the limit of 256 columns",))):
            self.write("run/history.csv", text)
            self.assert_refused(run("plot", "run", cwd=self.folder), "run/history.csv", *needles)
        self.write("run/history.csv", "time,coordination\n0,4\n1,5\n")
        self.assert_refused(run("plot", "run", "--stage", "x", cwd=self.folder),
                            "no column 'stage'")
        self.write("run/history.csv", "stage,time,coordination\na,0,1\na,1,2\n")
        self.assert_refused(run("plot", "run", "--stage", "b", cwd=self.folder),
                            "no row of stage 'b'")
        self.assertEqual(os.listdir(self.path("run")), ["history.csv"])

    def test_without_gnuplot_the_numbers_are_kept(self):
        self.write("run/history.csv", "time,coordination\n0,4\n1,5\n")
        done = run("plot", "run", cwd=self.folder, env={"PATH": "/nonexistent"})
        self.assert_refused(done, "gnuplot not found", status=1)
        self.assertEqual(len(read_rows(self.path("run", "plots", "curves.csv"))), 2)


if __name__ == "__main__":
    unittest.main()
