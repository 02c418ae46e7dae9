# SPDX-License-Identifier: BSD-3-Clause
"""Every quantity and every figure of every path, from a history of arbitrary numbers, against definitions written here
a second time; and a quantity and a figure that were added to the tables of a copy of the program."""

import csv
import json
import math
import os
import random
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

TWIRL, PLANTED = os.environ["TWIRL"], os.environ["TWIRL_PLANTED"]

HEAD = """
specimen:
  count: 100
  sizes: {distribution: uniform, d_min: 0.8 mm, d_max: 1.2 mm}
  preparation: {pressure: 100 kPa, friction: 0.1}
material: {stiffness_level: 1000, friction: 0.5}
stages:
"""
RATE = "inertial_number: 1e-3"

# Stage, the rest of its definition, its kind, the direction of its axis, and its figures.
CONTACTS = "coordination sliding mobilised_friction redundancy fabric energies"
DEVIATORIC = CONTACTS.replace("fabric", "fabric anisotropy strong_contacts")
STAGES = [
    ("drained", f"path: triaxial, {RATE}, end: {{strain: 1 %}}", "triaxial", 2,
     "stress_ratio deviator_stress stress_volume volumetric_strain void_ratio friction_angle stress_path " + DEVIATORIC),
    ("even", f"path: constant_p, axis: x, {RATE}, end: {{strain: 1 %}}", "constant_p", 0,
     "stress_ratio stress_volume volumetric_strain void_ratio friction_angle " + DEVIATORIC),
    ("closed", f"path: undrained, axis: y, {RATE}, end: {{strain: 1 %}}", "undrained", 1,
     "stress_ratio deviator_stress stress_pressure friction_angle pore_pressure fluid_pressure stress_path total_stress_path " + DEVIATORIC),
    ("sheared", f"path: simple_shear, {RATE}, end: {{strain: 1 %}}", "shear", 2,
     "shear_stress stress_ratio stress_volume volumetric_strain void_ratio friction_angle " + DEVIATORIC),
    ("sealed", f"path: simple_shear, plane: xy, constant: volume, {RATE}, end: {{strain: 1 %}}", "shear_undrained", 2,
     "shear_stress stress_ratio stress_pressure friction_angle pore_pressure fluid_pressure normal_stress stress_path " + DEVIATORIC),
    ("shake", f"path: cyclic, {RATE}, cycle: {{base: constant_p, strain: 0.1 %}}, end: {{cycles: 2}}", "cyclic", 2,
     "loops stress_cycles volumetric_strain friction_angle stress_path " + DEVIATORIC),
    ("pump", f"path: cyclic, {RATE}, cycle: {{base: undrained, stress: 1 kPa}}, end: {{cycles: 2}}",
     "cyclic_undrained", 2, "loops strain_cycles friction_angle pore_pressure fluid_pressure stress_path total_stress_path " + DEVIATORIC),
    ("rub", f"path: cyclic, {RATE}, cycle: {{base: simple_shear, strain: 0.1 %}}, end: {{cycles: 2}}",
     "cyclic_shear", 2, "loops stress_cycles volumetric_strain friction_angle " + DEVIATORIC),
    ("grind", f"path: cyclic, constant: volume, {RATE}, cycle: {{base: simple_shear, stress: 1 kPa}}, end: {{cycles: 2}}",
     "cyclic_shear_undrained", 2, "loops strain_cycles friction_angle pore_pressure fluid_pressure stress_path " + DEVIATORIC),
    ("press", f"path: oedometer, {RATE}, end: {{stress: 200 kPa}}", "oedometer", 2, "stress_path compression_curve k0 " + CONTACTS),
    ("squeeze", f"path: isotropic, pressure: 300 kPa, {RATE}", "isotropic", 2, "fluid_pressure compression_curve " + CONTACTS),
    ("lode", f"path: true_triaxial, {RATE}, lode_angle: 30 deg, end: {{strain: 1 %}}", "true_triaxial", 2,
     "stress_ratio volumetric_strain void_ratio friction_angle intermediate_stress " + DEVIATORIC + " pi_plane"),
    ("turn", "path: rotate, rotation: {axis: [1, 2, 0], angle: 90 deg, increments: 50}", "rotate", 2, "turn_error"),
    ("slope", f"path: stress_path, dq_dp: 1, {RATE}, end: {{strain: 1 %}}", "triaxial", 2,
     "stress_ratio deviator_stress stress_volume volumetric_strain void_ratio friction_angle stress_path " + DEVIATORIC),
    ("creep", "path: creep, end: {time: 1 s}", "creep", 2, "strains unbalanced " + CONTACTS),
    ("relaxation", "path: relaxation, end: {time: 1 s}", "relaxation", 2, "stresses unbalanced " + CONTACTS),
    ("rest", "path: relax, end: {steps: 100}", "rest", 2, "unbalanced " + CONTACTS),
]
ROWS = 12
TEXT = {"stage"}


def columns_of(source):
    """The names in twirl/history_columns.h and the energies that it takes from another list, without the check sum."""
    energies, kind = {}, ""
    for line in (source.parent / "contact_energies.h").read_text(encoding="utf-8").splitlines():
        if line.startswith("#define"):
            kind = line.split()[1].partition("(")[0]
        elif line.strip().startswith("X(to,"):
            row = [word.strip() for word in line.split(",")]
            energies.setdefault(kind, []).append(row[3] if "STORED" in kind else row[2])
    names = []
    for line in source.read_text(encoding="utf-8").split("#define TW_HISTORY_COLUMNS(X)")[1].split("typedef")[0].splitlines():
        word = line.strip()
        if word.startswith("X("):
            names.append(word[2:].split(",")[0])
        else:
            names += energies.get(word.partition("(")[0], [])
    return [name for name in names if name != "check"]


def history(names):
    """Rows of numbers of a usual size, which are related by nothing else."""
    rng = random.Random(7)
    rows = []
    for stage, *_ in STAGES:
        for k in range(ROWS):
            row = {name: rng.uniform(0.5, 2.0) for name in names}
            row.update({name: rng.uniform(-0.02, 0.02) for name in names if name.startswith("strain")})
            row.update({name: rng.uniform(-2e4, 2e4) for name in names if name.startswith("stress_") and name[-2] != name[-1]})
            row.update({f"stress_{a}{a}": rng.uniform(5e4, 2e5) for a in "xyz"})
            row.update(stage=stage, stage_step=5 * k, time=1e-3 * k + 0.7, stress=rng.uniform(1e4, 2e5),
                       p=rng.uniform(9e4, 1.1e5), q=rng.uniform(1e4, 5e4), cycle=0.2 * k - (0.3 if k == 5 else 0.0))
            row.update({name: math.nan for name in names if name.endswith("_modulus") or name.startswith("stiffness_")})
            rows.append(row)
    return rows


# ---- Definitions, from docs/guide ----

def eigenvalues(m):
    """Of a symmetric matrix, by rotations of Jacobi."""
    m = [row[:] for row in m]
    for _ in range(30):
        for i, j in ((0, 1), (0, 2), (1, 2)):
            turn = 0.5 * math.atan2(2.0 * m[i][j], m[j][j] - m[i][i])
            c, s = math.cos(turn), math.sin(turn)
            g = [[float(a == b) for b in range(3)] for a in range(3)]
            g[i][i], g[j][j], g[i][j], g[j][i] = c, c, s, -s
            m = product(product(transpose(g), m), g)
    return sorted(m[k][k] for k in range(3))


def product(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def transpose(a):
    return [[a[j][i] for j in range(3)] for i in range(3)]


def tensor(r):
    """A history has each shear stress once."""
    return [[r["stress_" + min(a + b, b + a)] for b in "xyz"] for a in "xyz"]


def axial(kind):
    return kind in ("triaxial", "constant_p", "undrained", "cyclic", "cyclic_undrained", "oedometer")


def q_of(r, kind, axis):
    n = normals(r, axis)
    return n[0] - 0.5 * (n[1] + n[2]) if axial(kind) else r["q"]


def normals(r, axis):
    return [r[f"stress_{a}{a}"] for a in ("xyz" * 2)[axis:axis + 3]]


def friction_angle(r):
    """Degrees: sin phi = (s1 - s3)/(s1 + s3), of principal stresses."""
    low, _, high = eigenvalues(tensor(r))
    return math.degrees(math.asin((high - low) / (high + low)))


def b_of(r, kind, axis):
    low, middle, high = sorted(normals(r, axis))
    return (middle - low) / (high - low) if q_of(r, kind, axis) > 0.02 * r["p"] else math.nan


def rotation(angle):
    """About (1, 2, 0)."""
    x, y = 1.0 / math.sqrt(5.0), 2.0 / math.sqrt(5.0)
    c, s = math.cos(angle), math.sin(angle)
    return [[c + x * x * (1 - c), x * y * (1 - c), y * s], [x * y * (1 - c), c + y * y * (1 - c), -x * s], [-y * s, x * s, c]]


def turn_error(rows, k):
    if k == 0:
        return math.nan
    r = rotation(math.radians(90.0) * rows[k]["stage_step"] / 50)
    back, start = product(product(transpose(r), tensor(rows[k])), r), tensor(rows[0])
    return math.sqrt(sum((back[i][j] - start[i][j]) ** 2 for i in range(3) for j in range(3))) / rows[0]["p"]


def second_order_work(before, now):
    """Cosine of the angle between the changes of stress and strain, as tensors; columns have engineering shear strains."""
    stress, old = tensor(now), tensor(before)
    strain = [[0.0] * 3 for _ in range(3)]
    for i, j in ((0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)):
        name = f"strain_{'xyz'[i]}{'xyz'[j]}"
        strain[i][j] = strain[j][i] = (now[name] - before[name]) * (1.0 if i == j else 0.5)
    pairs = [(stress[i][j] - old[i][j], strain[i][j]) for i in range(3) for j in range(3)]
    return sum(a * b for a, b in pairs) / math.sqrt(sum(a * a for a, _ in pairs) * sum(b * b for _, b in pairs))


def since(*names):
    return lambda rows, k, kind, axis: sum(rows[k][name] - rows[0][name] for name in names)


def column(name):
    return lambda rows, k, kind, axis: rows[k][name]


def of_shear(value):
    """Only simple shear has a normal of its plane: z, or y in the plane xy."""
    def compute(rows, k, kind, axis):
        if "shear" not in kind:
            return math.nan
        return value(rows[k], rows[k]["stress_yy" if rows[k]["stage"] == "sealed" else "stress_zz"])
    return compute


def of_turn(value):
    return lambda rows, k, kind, axis: value(rows, k) if kind == "rotate" else math.nan


QUANTITIES = {
    "time": since("time"),
    "axial_strain": lambda rows, k, kind, axis: rows[k]["strain_" + 2 * "xyz"[axis]],
    "shear_strain": column("strain"),
    "major_strain": lambda rows, k, kind, axis: max(rows[k][f"strain_{a}{a}"] for a in "xyz"),
    "strain": column("strain"),
    "cycle": lambda rows, k, kind, axis: max(row["cycle"] for row in rows[:k + 1]),
    "angle": of_turn(lambda rows, k: 90.0 * rows[k]["stage_step"] / 50),
    "stress_ratio": lambda rows, k, kind, axis: q_of(rows[k], kind, axis) / rows[k]["p"],
    "p": column("p"),
    "q": lambda rows, k, kind, axis: q_of(rows[k], kind, axis),
    "volumetric_strain": lambda rows, k, kind, axis: sum(rows[k][f"strain_{a}{a}"] for a in "xyz"),
    "void_ratio": column("void_ratio"),
    "ru": column("ru"),
    "pore_pressure": column("pore_pressure"),
    "p_total": column("p_total"),
    "shear_stress": column("stress"),
    "normal_stress": of_shear(lambda r, normal: normal),
    "shear_ratio": of_shear(lambda r, normal: r["stress"] / normal),
    "axial_stress": lambda rows, k, kind, axis: normals(rows[k], axis)[0],
    "k0": lambda rows, k, kind, axis: 0.5 * sum(normals(rows[k], axis)[1:]) / normals(rows[k], axis)[0],
    "friction_angle": lambda rows, k, kind, axis: friction_angle(rows[k]),
    "b": lambda rows, k, kind, axis: b_of(rows[k], kind, axis),
    "pi_x": lambda rows, k, kind, axis: (normals(rows[k], axis)[1] - normals(rows[k], axis)[2]) / math.sqrt(2.0) / rows[k]["p"],
    "pi_y": lambda rows, k, kind, axis: (3.0 * normals(rows[k], axis)[0] - sum(normals(rows[k], axis))) / math.sqrt(6.0) / rows[k]["p"],
    "turn_error": of_turn(turn_error),
    "unbalanced": column("unbalanced"),
    "coordination": column("coordination"),
    "sliding_fraction": column("sliding_fraction"),
    "fabric_deviator": column("fabric_deviator"),
    **{f"anisotropy_{name}": column(f"anisotropy_{name}") for name in ("contacts", "branches", "normal", "tangential")},
    "anisotropy_sum": lambda rows, k, kind, axis: math.copysign(rows[k]["anisotropy_sum"], q_of(rows[k], kind, axis)),
    "anisotropy_rest": lambda rows, k, kind, axis: (q_of(rows[k], kind, axis) / rows[k]["p"] -
                                                    math.copysign(rows[k]["anisotropy_sum"], q_of(rows[k], kind, axis))),
    **{name: column(name) for name in ("strong_fraction", "strong_p", "strong_q", "friction_mobilised",
                                       "coordination_mechanical", "redundancy")},
    "second_order_work": lambda rows, k, kind, axis: second_order_work(rows[k - 1], rows[k]) if k else math.nan,
    "work": since("cell", "walls", "gravity"),
    "stored": since("normal", "tangential", "stored_rolling", "stored_twisting"),
    "kinetic": since("kinetic", "rotational"),
    "friction": since("friction"),
    "micro_slip": since("micro_slip"),
    "rolling": since("rolling"),
    "twisting": since("twisting"),
    "damping": since("contact_damping", "body_damping"),
    "residual": since("residual"),
}

ENERGIES = "work friction stored damping kinetic residual micro_slip rolling twisting".split()
OVER = {"triaxial": "axial_strain", "constant_p": "axial_strain", "undrained": "axial_strain", "shear": "shear_strain",
        "shear_undrained": "shear_strain", "cyclic": "cycle", "cyclic_undrained": "cycle", "cyclic_shear": "cycle",
        "cyclic_shear_undrained": "cycle", "oedometer": "axial_stress", "isotropic": "p", "true_triaxial": "major_strain",
        "rotate": "angle", "rest": "time", "creep": "time", "relaxation": "time"}


def drawn(figure, kind):
    """The quantities of a figure: x and a list of y."""
    shear, x = "shear" in kind, OVER[kind]
    own = {"stress_ratio": "shear_ratio" if shear else "stress_ratio", "deviator_stress": "q", "pore_pressure": "ru",
           "stress_cycles": "shear_stress" if shear else "q", "strain_cycles": "shear_strain" if shear else "axial_strain",
           "compression_curve": "void_ratio", "intermediate_stress": "b", "sliding": "sliding_fraction",
           "fabric": "fabric_deviator", "mobilised_friction": "friction_mobilised"}
    if figure == "anisotropy":
        return x, ["stress_ratio", *(f"anisotropy_{name}" for name in ("sum", "contacts", "normal", "tangential", "branches", "rest"))]
    if figure == "strong_contacts":
        return x, ["strong_fraction", "strong_p", "strong_q"]
    if figure in ("stress_volume", "stress_pressure"):
        return x, ["shear_stress" if shear else "q", "volumetric_strain" if figure == "stress_volume" else "ru"]
    if figure in ("strains", "stresses"):
        return x, ["axial_strain", "volumetric_strain"] if figure == "strains" else ["p", "q"]
    if figure == "loops":
        return ("shear_strain", ["shear_stress"]) if shear else ("axial_strain", ["q"])
    if figure == "stress_path":
        return ("normal_stress", ["shear_stress"]) if shear else ("p", ["q"])
    if figure == "fluid_pressure":
        return "p_total" if kind == "isotropic" else x, ["pore_pressure"]
    if figure == "total_stress_path":
        return "p_total", ["q"]
    if figure == "energies":
        return ("time" if kind in ("oedometer", "isotropic") else x), ENERGIES
    if figure == "pi_plane":
        return "pi_x", ["pi_y"]
    return x, [own.get(figure, figure)]


class FigureTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        keep = tempfile.TemporaryDirectory()
        cls.addClassCleanup(keep.cleanup)
        cls.folder = Path(keep.name)
        source = Path(__file__).resolve().parents[2]
        cls.names = columns_of(source / "include/twirl/history_columns.h")
        cls.rows = history(cls.names)
        run = cls.folder / "run"
        run.mkdir()
        stages = "".join(f"  - {{name: {name}, from: specimen, {rest}}}\n" for name, rest, *_ in STAGES)
        (run / "scenario.yaml").write_text(HEAD + stages, encoding="utf-8")
        cls.write_history(run, cls.rows)
        (cls.folder / "gnuplot").write_text("#!/bin/sh\nexit 0\n")
        (cls.folder / "gnuplot").chmod(0o755)

    @classmethod
    def write_history(cls, run, rows):
        lines = [",".join(row[name] if name in TEXT else repr(row[name]) for name in cls.names) for row in rows]
        (run / "history.csv").write_text("\n".join([",".join(cls.names), *lines]) + "\n", encoding="utf-8")

    def twirl(self, *arguments, program=TWIRL):
        path = f"{self.folder}:{os.environ['PATH']}"
        done = subprocess.run([program, *arguments], cwd=self.folder, env={**os.environ, "PATH": path},
                              capture_output=True, encoding="utf-8", check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def document(self, program=TWIRL):
        self.twirl("report", "--json", "report.json", "run", program=program)
        return json.loads((self.folder / "report.json").read_text(encoding="utf-8"))["figures"]

    def rows_of(self, stage):
        return [row for row in self.rows if row["stage"] == stage]

    def values(self, series, name):
        """Numbers of a series, which may refer to a column."""
        found = series["values"][name]
        if isinstance(found, str):
            return [row[found] for row in self.rows[series["first"]:series["first"] + series["rows"]]]
        return [math.nan if value is None else value for value in found]

    def assert_same(self, found, expected, what):
        scale = max((abs(v) for v in expected if not math.isnan(v)), default=1.0)
        self.assertEqual(len(found), len(expected), what)
        for a, b in zip(found, expected):
            self.assertEqual(math.isnan(a), math.isnan(b), what)
            if not math.isnan(a):
                self.assertAlmostEqual(a, b, delta=1e-11 * scale, msg=what)

    def plot(self, stage, program=TWIRL):
        """Names of the figures, and the rows of curves.csv."""
        said = self.twirl("plot", "run", "--stage", stage, "--pdf", "--out", "plots", program=program)
        with open(self.folder / "plots/curves.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        return said.split(": ")[1].split(";")[0].split(", "), rows

    def test_every_quantity(self):
        document = self.document()
        self.assertEqual([quantity["name"] for quantity in document["quantities"]], list(QUANTITIES))
        seen = set()
        kinds = {name: (kind, axis) for name, _, kind, axis, _ in STAGES}
        for series in document["series"]:
            kind, axis = kinds[series["stage"]]
            rows = self.rows_of(series["stage"])
            self.assertEqual((series["kind"], series["rows"], series["abscissa"]), (kind, len(rows), OVER[kind]))
            for name, compute in QUANTITIES.items():
                expected = [compute(rows, k, kind, axis) for k in range(len(rows))]
                there = not all(map(math.isnan, expected))
                self.assertEqual(name in series["values"], there, (series["stage"], name))
                if there:
                    seen.add(name)
                    self.assert_same(self.values(series, name), expected, f"{name} of {series['stage']}")
        self.assertEqual(len(document["series"]), len(STAGES))
        self.assertEqual(seen, set(QUANTITIES))

    def test_every_figure_of_every_path(self):
        for stage, _, kind, axis, figures in STAGES:
            names, curves = self.plot(stage)
            self.assertEqual(names, figures.split(), stage)
            rows = self.rows_of(stage)
            for figure in names:
                x, ys = drawn(figure, kind)
                for name in [x, *ys]:
                    expected = [QUANTITIES[name](rows, k, kind, axis) for k in range(len(rows))]
                    self.assert_same([float(c[name]) for c in curves], expected, f"{name} of {stage}")
                script = (self.folder / f"plots/{figure}.gp").read_text(encoding="utf-8")
                for y in ys:
                    self.assertRegex(script, rf"using .*'{x}'\)*:.*'{y}'", (stage, figure))

    def test_the_strength_surface_passes_through_the_mean_of_the_peaks(self):
        """That of Lade and Duncan: I1^3/I3 of the principal stresses is the same all around."""
        stages = [("compression", 0.0, (3.2, 1.0, 1.0)), ("extension", 60.0, (2.6, 2.6, 1.0)), ("plane", 25.0, (3.0, 1.6, 1.0))]
        template = self.rows_of("lode")
        rows, peaks = [], []
        for name, _, top in stages:
            for k, row in enumerate(template):
                part = min(k, 8) / 8.0 if k < 10 else 0.7  # a peak, and less after it
                z, y, x = (5e4 * (1.0 + part * (f - 1.0)) for f in top)
                p = (x + y + z) / 3.0
                q = math.sqrt(0.5 * ((x - y) ** 2 + (y - z) ** 2 + (z - x) ** 2))
                zero = {f"stress_{i}{j}": 0.0 for i in "xyz" for j in "xyz" if i < j}
                rows.append({**row, **zero, "stage": name, "stress_xx": x, "stress_yy": y, "stress_zz": z, "p": p, "q": q,
                             "stress": z})
            low, middle, high = sorted(top)
            peaks.append((low + middle + high) ** 3 / (low * middle * high))
        run = self.folder / "strength"
        run.mkdir()
        (run / "scenario.yaml").write_text(HEAD + "".join(
            f"  - {{name: {name}, path: true_triaxial, {RATE}, lode_angle: {angle} deg, end: {{strain: 1 %}}}}\n"
            for name, angle, _ in stages), encoding="utf-8")
        self.write_history(run, rows)
        self.twirl("report", "--json", "strength.json", "strength")
        figures = json.loads((self.folder / "strength.json").read_text(encoding="utf-8"))["figures"]["figures"]
        plane = next(figure for figure in figures if figure["kind"] == "pi_plane")
        for shape in plane["shapes"]:  # circles are whole
            self.assertTrue(shape["kind"] != "curve" or all(plane[a]["low"] <= v <= plane[a]["high"] for a in "xy" for v in shape[a]))
        shapes = [shape for figure in figures if figure["kind"] == "pi_plane" for shape in figure["shapes"]
                  if "I" in (shape.get("title") or "")]
        self.assertEqual(len(shapes), 1)
        value = sum(peaks) / len(peaks)
        self.assertIn(f"{value:.1f}", shapes[0]["title"])
        for x, y in zip(shapes[0]["x"], shapes[0]["y"]):
            eta, angle = math.hypot(x, y) * math.sqrt(1.5), math.atan2(x, y)
            stresses = [1.0 + 2.0 / 3.0 * eta * math.cos(angle - 2.0 * math.pi * k / 3.0) for k in range(3)]
            self.assertAlmostEqual(27.0 / math.prod(stresses), value, delta=1e-9 * value)

    def test_words_in_keys_are_marked_and_labels_of_series_are_not(self):
        document = self.document()
        for figure in document["figures"]:
            several = len({line["y"] for line in figure["lines"] if not line["second"]}) > 1
            for line in figure["lines"]:
                if line["title"]:
                    self.assertEqual(line["plain"], not several, figure["name"])
                if several:
                    self.assertEqual(line["title"].count("_"), line["title"].count("}_"), figure["name"])

    def test_axes_show_what_is_drawn(self):
        document = self.document()
        self.assertEqual({name for _, _, _, _, figures in STAGES for name in figures.split()},
                         {figure["kind"] for figure in document["figures"]} - {"mohr", "failure", "mohr_end"} | {"unbalanced"})
        for figure in document["figures"]:
            for line in figure["lines"]:
                series = document["series"][line["series"]]
                for which in "xy":
                    axis = figure["second" if which == "y" and line["second"] else which]
                    values = self.values(series, line[which])
                    wide = 0.011 * (axis["high"] - axis["low"])  # a hundredth beyond zero is not shown
                    for value in values:
                        if not figure["bare"] and not math.isnan(value) and not (axis["log"] and value <= 0):
                            self.assertLessEqual(axis["low"] - wide, axis["factor"] * value, figure["name"])
                            self.assertLessEqual(axis["factor"] * value, axis["high"] + wide, figure["name"])
                    self.assertTrue(all(axis["low"] - wide <= at <= axis["high"] + wide for at, _ in axis["ticks"]))
                    self.assertTrue(figure["bare"] or len(axis["ticks"]) >= 1, figure["name"])

    def test_successive_stages_are_one_curve(self):
        """Stages of the table in another order, with arbitrary numbers; a rest or creep between two of them belongs to the test."""
        tests = [("drained", "pump", "drained2", "rest", "creep", "pump2", "press"), ("sheared", "rub"), ("press2", "sheared2"), ("drained3",), ("even",),
                 ("lode",), ("lode2",)]
        begin = {name for names in tests[:4] for name in names[:1]}
        table = {name: (rest, kind, axis) for name, rest, kind, axis, _ in STAGES}
        run = self.folder / "chain"
        run.mkdir()
        rows, stages = [], ""
        for name in (name for names in tests for name in names):
            like = name.rstrip("23")
            stages += f"  - {{name: {name}, {table[like][0]}{', from: specimen' if name in begin else ''}}}\n"
            drop = {} if like == "pump" else {"ru": math.nan, "cycle": math.nan}
            rows += [{**row, **drop, "stage": name} for row in self.rows_of(like)]
        (run / "scenario.yaml").write_text(HEAD + stages, encoding="utf-8")
        self.write_history(run, rows)
        self.twirl("report", "--json", "chain.json", "chain")
        document = json.loads((self.folder / "chain.json").read_text(encoding="utf-8"))["figures"]
        series = [one for one in document["series"] if one["drawn"]]
        self.assertEqual([tuple(one["stages"]) for one in series], tests[:1] + [("creep",)] + tests[1:])  # creep over time, too
        series.pop(1)
        self.assertEqual([one["kind"] for one in series[:3]], ["triaxial", "shear", "shear"])
        self.assertEqual([one["abscissa"] for one in series[:3]], ["axial_strain", "shear_strain", "shear_strain"])
        alone = [one["stage"] for one in document["series"] if not one["drawn"]]
        self.assertEqual(alone, [name for names in tests[:3] for name in names if name != "creep"])  # to be chosen on the page
        for one, names in zip(series[:3], tests):
            mine = rows[one["first"]:one["first"] + one["rows"]]
            self.assertEqual({row["stage"] for row in mine}, set(names))

            def total(k, name, mine=mine):
                return mine[k]["total_strain_" + name] - mine[0]["total_strain_" + name]

            def values(name, one=one):
                return [math.nan if v is None else v for v in one["values"][name]] if isinstance(one["values"][name], list) else [
                    row[one["values"][name]] for row in mine]
            every = range(len(mine))
            self.assert_same(values("axial_strain"), [total(k, "zz") for k in every], names)
            self.assert_same(values("volumetric_strain"), [sum(total(k, a + a) for a in "xyz") for k in every], names)
            self.assert_same(values("work"), [since("cell", "walls", "gravity")(mine, k, "", 2) for k in every], names)
            if one["kind"] == "shear":
                self.assert_same(values("shear_strain"), [-total(k, "xz") for k in every], names)
                self.assert_same(values("shear_stress"), [-row["stress_xz"] for row in mine], names)
                self.assert_same(values("normal_stress"), [row["stress_zz"] for row in mine], names)
            else:
                self.assert_same(values("q"), [q_of(row, "triaxial", 2) for row in mine], names)
                lateral = [row["stress_xx"] + row["stress_yy"] for row in mine]
                first = next(k for k in every if mine[k]["stage"] == "pump")
                pumped = [row["stage"].startswith("pump") for row in mine]
                self.assert_same(values("ru"), [1.0 - v / lateral[first] if is_pumped else math.nan
                                                for v, is_pumped in zip(lateral, pumped)], names)
                counted = [QUANTITIES["cycle"](self.rows_of("pump"), k, "", 2) for k in range(ROWS)]
                self.assert_same([v for v, is_pumped in zip(values("cycle"), pumped) if is_pumped],
                                 counted + [counted[-1] + v for v in counted], names)  # counted on
        # Its stages are marked where they begin, and it has the figures of all their paths.
        figures = {figure["name"]: figure for figure in document["figures"]}
        for name in ("deviator_stress", "loops", "pore_pressure", "compression_curve", "stress_path", "shear_stress"):
            self.assertIn(name, figures)
        figure = figures["deviator_stress"]
        marks = next(shape for shape in figure["shapes"] if shape["kind"] == "points")
        self.assertEqual(marks["texts"], list(tests[0]))
        starts = [next(k for k, row in enumerate(rows) if row["stage"] == name) for name in tests[0]]
        strain = series[0]["values"]["axial_strain"]
        self.assert_same(marks["x"], [figure["x"]["factor"] * strain[k] for k in starts], "marks")
        self.assert_same(marks["y"], [figure["y"]["factor"] * q_of(rows[k], "triaxial", 2) for k in starts], "marks")
        figure = figures["stress_volume"]
        self.assertEqual([(line["y"], line["second"], line["dash"]) for line in figure["lines"] if line["series"] == 0],
                         [("q", False, 0), ("volumetric_strain", True, 2)])
        self.assertEqual((figure["y"]["q"], figure["second"]["q"]), ("q", "volumetric_strain"))
        self.assertEqual({name for name, one in figures.items() if one["second"]}, {"stress_volume", "stress_volume_shear", "strains"})
        # Of several runs the last test is drawn, though its creep began later than it did.
        other = self.folder / "other"
        other.mkdir()
        (other / "scenario.yaml").write_text(HEAD + "".join(stages.splitlines(keepends=True)[:len(tests[0])]), encoding="utf-8")
        self.write_history(other, [row for row in rows if row["stage"] in tests[0]])
        self.twirl("plot", "other", "other", "--pdf", "--out", "both")
        with open(self.folder / "both/curves.csv", encoding="utf-8", newline="") as file:
            self.assertEqual(len(list(csv.DictReader(file))), 2 * ROWS * len(tests[0]))
        # --stages: apart, over strains of their own.
        self.twirl("plot", "chain", "--stages", "--pdf", "--out", "apart")
        with open(self.folder / "apart/curves.csv", encoding="utf-8", newline="") as file:
            curves = [row for row in csv.DictReader(file) if row["label"] == "drained2"]
        self.assert_same([float(row["axial_strain"]) for row in curves], [row["strain_zz"] for row in self.rows_of("drained")], "apart")

    def plotted(self, name):
        """Rows of NAME.csv of the last plot, and its script."""
        with open(self.folder / f"plots/{name}.csv", encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file)), (self.folder / f"plots/{name}.gp").read_text(encoding="utf-8")

    def test_columns_that_few_rows_have(self):
        """Moduli, known where each stage ends: compressions before the shear are one curve over p; own axes leave the gaps out."""
        names = ("p100", "p200", "p400", "shear", "end")
        run = self.folder / "states"
        run.mkdir()
        rows = []
        for k, name in enumerate(names):
            for i, row in enumerate(self.rows_of("drained" if k > 2 else "squeeze")):
                known = {} if i < ROWS - 1 else {"shear_modulus": 1e8 * 2.0 ** k, "bulk_modulus": 3e8 * 2.0 ** k}
                rows.append({**row, "stage": name, "p": 5e4 * 2.0 ** (k + (i + 1) / ROWS), "total_strain_zz": 1e-3 * len(rows), **known})
        (run / "scenario.yaml").write_text(HEAD + "".join(
            f"  - {{name: {name}, path: isotropic, pressure: {name[1:]} kPa, {RATE}}}\n" if name[0] == "p" else
            f"  - {{name: {name}, path: triaxial, {RATE}, end: {{strain: 1 %}}}}\n" for name in names), encoding="utf-8")
        self.write_history(run, rows)
        said = self.twirl("plot", "states", "--pdf", "--out", "plots")
        self.assertIn("moduli, moduli_isotropic", said)
        found, script = self.plotted("moduli_isotropic")
        self.assertEqual([(row["title"], float(row["x"]), float(row["y"])) for row in found],
                         [(f"{kind} modulus", 100.0 * 2 ** k, size * 2 ** k) for kind, size in (("bulk", 300.0), ("shear", 100.0)) for k in range(3)])
        self.assertIn("set logscale x\n", script)
        self.assertIn("set logscale y\n", script)
        found, _ = self.plotted("moduli")  # over strain: of the test that is drawn
        self.assertEqual([float(row["y"]) for row in found], [2.4, 4.8, 0.8, 1.6])  # GPa
        # Successive stages that are named are one test.
        self.twirl("plot", "states", "--pdf", "--out", "plots", "--stage", "p200,p400", "--y", "shear_modulus", "--log", "y", "--yrange", "150:")
        found, script = self.plotted("curve")
        self.assertEqual([(row["title"], float(row["x"]), float(row["y"])) for row in found],
                         [("p200, p400", 200.0, 200.0), ("p200, p400", 400.0, 400.0)])
        self.assertIn("set logscale y\n", script)
        self.assertNotIn("set logscale x\n", script)
        self.assertRegex(script, r"set yrange \[149\.\d+:")  # a little more, for the number at the end
        self.assertIn("'Shear modulus\u00a0[MPa]'", script)  # no markup
        self.twirl("plot", "states", "--pdf", "--out", "plots", "--stage", "p200,p400", "--stages", "--y", "p", "--x", "stage_step", "--xrange", ":20")
        found, script = self.plotted("curve")
        self.assertEqual([row["title"] for row in found], ["p200"] * ROWS + ["p400"] * ROWS)
        self.assertIn(":20]", script.split("set xrange ")[1].split("\n")[0])
        for options, text in ((("--stage", "p100", "--y", "ru", "--x", "angle"), "no row has a number of both 'ru' and 'angle'"), (("--y", "p", "--log", "q"), "not x, y or xy"),
                              (("--y", "p", "--xrange", "2:1"), "is not a range"), (("--xrange", "1:2",), "--figure")):
            done = subprocess.run([TWIRL, "plot", "states", *options], cwd=self.folder, text=True, capture_output=True, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn(text, done.stderr)

    def test_runs_without_a_common_abscissa(self):
        self.twirl("plot", "run", "run", "--stage", "drained,press", "--pdf", "--out", "plots", "--y", "coordination", "--x", "strain")
        done = subprocess.run([TWIRL, "plot", "run", "run", "--stage", "lode,pump", "--out", "plots3"], cwd=self.folder, text=True, capture_output=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("these paths (true_triaxial, cyclic_undrained) have no figure over the same quantity", done.stderr)

    def test_k0_ends_where_lateral_strain_begins(self):
        run = self.folder / "k0"
        run.mkdir()
        rows = [{**row, "stage": name, **({"strain_xx": 0.0, "strain_yy": 0.0} if name == "press" else {})} for name, like in
                (("press", "press"), ("shear", "drained")) for row in self.rows_of(like)]
        (run / "scenario.yaml").write_text(HEAD + "".join(f"  - {{name: {name}, {rest}}}\n" for name, rest in (
            ("press", f"path: oedometer, {RATE}, end: {{stress: 200 kPa}}"), ("shear", f"path: triaxial, {RATE}, end: {{strain: 1 %}}"))), encoding="utf-8")
        self.write_history(run, rows)
        self.twirl("plot", "k0", "--pdf", "--out", "plots")
        with open(self.folder / "plots/curves.csv", encoding="utf-8", newline="") as file:
            found = [float(row["k0"]) for row in csv.DictReader(file)]
        self.assert_same(found, [QUANTITIES["k0"]([row], 0, "oedometer", 2) if row["stage"] == "press" else math.nan for row in rows], "k0")

    def test_strength_of_several_tests(self):
        """Tests that fail exactly on one envelope: s1 = N s3 + 2 c sqrt(N), N = (1 + sin phi)/(1 - sin phi)."""
        c, phi = 12e3, math.radians(31.0)
        n = (1.0 + math.sin(phi)) / (1.0 - math.sin(phi))
        run = self.folder / "series"
        run.mkdir()
        rows, peaks = [], {}
        for name, lateral in (("a50", 5e4), ("b100", 1e5), ("c200", 2e5)):
            top = n * lateral + 2.0 * c * math.sqrt(n)
            peaks[name] = (top, lateral)
            for k, row in enumerate(self.rows_of("drained")):
                axial = lateral + (top - lateral) * min(k, 8) / 8.0 * (1.0 if k < 10 else 0.8)
                zero = {f"stress_{i}{j}": 0.0 for i in "xyz" for j in "xyz" if i < j}
                rows.append({**row, **zero, "stage": name, "stress_xx": lateral, "stress_yy": lateral, "stress_zz": axial, "stress": axial,
                             "p": (axial + 2.0 * lateral) / 3.0, "q": axial - lateral, "strain": 1e-3 * k, "strain_zz": 1e-3 * k})
        (run / "scenario.yaml").write_text(HEAD + "".join(
            f"  - {{name: {name}, from: specimen, path: triaxial, {RATE}, end: {{strain: 1 %}}}}\n" for name in peaks), encoding="utf-8")
        self.write_history(run, rows)
        said = re.search(r"^strength +c (\S+) Pa, phi (\S+) deg; q = (\S+) p; at the peaks of 3 tests$", self.twirl("info", "series"), re.MULTILINE)
        line = [((one + 2.0 * three) / 3.0, one - three) for one, three in peaks.values()]
        ratio = sum(p * q for p, q in line) / sum(p * p for p, _ in line)
        for text, value in zip(said.groups(), (c, 31.0, ratio)):
            self.assertEqual(text, f"{value:.4g}")
        self.twirl("plot", "series", "--pdf", "--out", "plots", "--figure", "mohr,failure")
        found, _ = self.plotted("mohr")
        text = (self.folder / "plots/mohr.gp").read_text(encoding="utf-8")  # circles are round
        at = {side: float(value) for side, value in re.findall(r"set (.)margin at screen (\S+)", text)}
        (x_low, x_high), (y_low, y_high) = (map(float, ends) for ends in re.findall(r"set .range \[(.+):(.+)\]", text))
        width, height = map(float, re.search(r"size ([\d.]+)in,([\d.]+)in", text).groups())
        unit = (at["r"] - at["l"]) * width / (x_high - x_low)
        self.assertAlmostEqual((at["t"] - at["b"]) * height / (y_high - y_low) / unit, 1.0, delta=1e-3)
        self.assertLess(height, width)
        for name, (one, three) in peaks.items():
            circle = [(1e3 * float(row["x"]), 1e3 * float(row["y"])) for row in found if row["title"] == name]
            for x, y in circle:
                self.assertAlmostEqual(math.hypot(x - 0.5 * (one + three), y), 0.5 * (one - three), delta=1e-6 * one)  # nine digits
                self.assertLess(y, c + x * math.tan(phi) + 1e-6 * one)
        ends = [(1e3 * float(row["x"]), 1e3 * float(row["y"])) for row in found if "φ" in row["title"]]
        for x, y in ends:
            self.assertAlmostEqual(y, c + x * math.tan(phi), delta=1e-6 * y)
        self.assertEqual({row["title"] for row in found} - set(peaks), {"{c} = 12 kPa, {φ} = 31.0°"})
        found, _ = self.plotted("failure")
        self.assertEqual([(round(1e3 * float(row["x"])), round(1e3 * float(row["y"]))) for row in found[:3]], [(round(p), round(q)) for p, q in line])
        # The stresses of the last rows: the deviator has fallen to 0.8 of that at the peak.
        self.twirl("plot", "series", "--pdf", "--out", "plots", "--figure", "mohr_end")
        found, _ = self.plotted("mohr_end")
        for name, (one, three) in peaks.items():
            last = three + 0.8 * (one - three)
            for row in (row for row in found if row["title"] == name):
                self.assertAlmostEqual(math.hypot(1e3 * float(row["x"]) - 0.5 * (last + three), 1e3 * float(row["y"])), 0.5 * (last - three), delta=1e-6 * one)
        # At one pressure there is no envelope, also where servo control leaves 15 % between two tests.
        self.write_history(run, [{**row, **{name: 1.7 * row[name] for name in ("stress_xx", "stress_yy", "stress_zz", "stress", "p", "q")}}
                                 if row["stage"] == "a50" else row for row in rows])
        for stages in ("b100", "a50,b100"):
            self.twirl("plot", "series", "--pdf", "--out", "plots2", "--stage", stages)
            self.assertFalse((self.folder / "plots2/mohr.csv").exists())

    def test_unloading_has_no_strength(self):
        """Nor has a stage that ends a little beyond zero; one that goes on into extension has."""
        run = self.folder / "unloading"
        run.mkdir()
        ends, rows = {"part": 4e4, "all": -5e3, "beyond": -4e4}, []
        for name, end in ends.items():
            for k, row in enumerate(self.rows_of("drained")):
                zero = {f"stress_{i}{j}": 0.0 for i in "xyz" for j in "xyz" if i < j}
                q, lateral = 1e5 + (end - 1e5) * min(k, 8) / 8.0, 1e5
                rows.append({**row, **zero, "stage": name, "stress_xx": lateral, "stress_yy": lateral, "stress_zz": lateral + q,
                             "stress": lateral + q, "p": lateral + q / 3.0, "q": abs(q), "strain": 0.02 - 1e-3 * k, "strain_zz": 0.02 - 1e-3 * k})
        (run / "scenario.yaml").write_text(HEAD + "".join(
            f"  - {{name: {name}, from: specimen, path: triaxial, direction: extension, {RATE}, end: {{strain: 1 %}}}}\n" for name in ends), encoding="utf-8")
        self.write_history(run, rows)
        self.twirl("report", "--json", "unloading.json", "unloading")
        series = json.loads((self.folder / "unloading.json").read_text(encoding="utf-8"))["figures"]["series"]
        strength = {one["stage"]: one["results"].get("strength") for one in series}
        self.assertEqual({name: strength[name] for name in ("part", "all")}, {"part": None, "all": None})
        self.assertAlmostEqual(strength["beyond"], 4e4, delta=1e-6)
        for one in series:
            self.assertEqual("peak_ratio" in one["results"], one["stage"] == "beyond")
            self.assertIn("ratio_end", one["results"])

    def test_a_planted_quantity_is_everywhere(self):
        document = self.document(PLANTED)
        expected = {stage: [3.0 * row["p"] for row in self.rows_of(stage)] for stage, *_ in STAGES}
        for series in document["series"]:
            self.assert_same(self.values(series, "planted"), expected[series["stage"]], series["stage"])
        figures = [figure for figure in document["figures"] if figure["kind"] == "planted"]
        self.assertEqual({figure["y"]["label"] for figure in figures}, {"Planted {x}"})
        self.assertEqual({series["stage"] for series in document["series"] if series["drawn"]},
                         {document["series"][line["series"]]["stage"] for figure in figures for line in figure["lines"]})
        names, curves = self.plot("drained", PLANTED)
        self.assertEqual(names[0], "planted")
        self.assert_same([float(c["planted"]) for c in curves], expected["drained"], "curves.csv")
        self.assertIn("Planted {/:Italic x}\u00a0[kPa]", (self.folder / "plots/planted.gp").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
