#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs with gravity and surfaces: closed forms of one sphere, the same bits after a kill, an extension and on a device, and
what ends a stage."""

import csv
import json
import math
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from cli import TWIRL, CliTest, run

G = 9.81


def cube(size, number=2):
    """A closed cube as text of an STL file, each face of 2 number^2 triangles."""
    lines = ["solid cube"]
    step = size / number
    for axis in range(3):
        for high in (0, 1):
            for i in range(number):
                for j in range(number):
                    a, b, c, d = ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1))
                    for triangle in ((a, b, c), (a, c, d)):
                        lines.append("facet normal 0 0 0\nouter loop")
                        for u, v in triangle if high else triangle[::-1]:
                            point = [0.0, 0.0, 0.0]
                            point[axis] = high * size - size / 2
                            point[(axis + 1) % 3] = u * step - size / 2
                            point[(axis + 2) % 3] = v * step - size / 2
                            lines.append("vertex " + " ".join(map(repr, point)))
                        lines.append("endloop\nendfacet")
    return "\n".join([*lines, "endsolid cube"]) + "\n"


# Grains in a box that turns and shakes.
DRUM = """
specimen:
  grains:
%s
gravity: [0, 0, -9.81]
material: {kn: 1e4, friction: 0.5, restitution: 0.5}
surfaces:
  - name: drum
    form: mesh
    file: drum.stl
    scale: 1e-3
    move: [{rotate: {axis: [0, 1, 0], rate: 40 rad/s}}, {oscillate: {along: [0, 0, 1], amplitude: 1 mm, frequency: 30}}]
time_step: {fraction: 0.2}
output: {history: {steps: 20}, checkpoint: {steps: 50}}
stages:
  - {name: turn, path: drive, end: {%%s}}
""" % "\n".join(f"    - {{x: [{8 * i - 8} mm, {8 * j - 8} mm, {8 * k - 8} mm], d: {6 + (i + j + k) % 3} mm, velocity: [0, 0.5, -3]}}"
                for i in range(3) for j in range(3) for k in range(2))


def files_of(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*"))
            if path.is_file() and path.name not in ("lock", "timing.json")}


class SurfaceTest(CliTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "drum.stl").write_text(cube(40.0))

    def twirl(self, name, text, *options, status=0):
        (self.folder / "x.yaml").write_text(text)
        done = run("run", "x.yaml", "--out", name, "--quiet", "--threads", "1", *options, cwd=self.folder)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def rows(self, name, table="history"):
        with open(self.folder / name / f"{table}.csv", newline="", encoding="ascii") as file:
            return [{key: value if key in ("stage", "check") else float(value) for key, value in row.items()}
                    for row in csv.DictReader(file)]

    def summary(self, name):
        return {stage["name"]: stage for stage in json.loads((self.folder / name / "summary.json").read_text())["stages"]}


SLOPES = {"plane": "form: plane, normal: [0, 0, 1]",
          "mesh": "form: rectangle, from: [-0.1, -0.1, 0], to: [0.4, 0.1, 0]",
          "profile": "form: disc, radius: 0.5"}
RADIUS, DENSITY = 5e-3, 2650.0
MASS = DENSITY * 4 / 3 * math.pi * RADIUS**3


class ClosedForms(SurfaceTest):
    def incline(self, name, surface, friction, rolling):
        """Acceleration and angular acceleration of a sphere on a slope of 30 degrees, when it has come to rest across it."""
        angle = math.radians(30)
        self.twirl(name, f"""
specimen: {{grains: [{{x: [0, 0, {RADIUS}], d: {2 * RADIUS}}}]}}
gravity: [{G * math.sin(angle)}, 0, {-G * math.cos(angle)}]
material: {{kn: 1e4, friction: {friction}, rolling_friction: {rolling}, restitution: 0.2, tangential_damping: 0.5, rolling_damping: 0.5}}
surfaces: [{{name: slope, {surface}}}]
time_step: {{dt: 20 us}}
output: {{history: {{steps: 500}}}}
stages: [{{name: slide, path: drive, end: {{time: 0.2}}}}]
""")
        rows = self.rows(name)[-6:]
        v = [math.sqrt(2 * row["kinetic"] / MASS) for row in rows]
        w = [math.sqrt(2 * row["rotational"] / (0.4 * MASS * RADIUS**2)) for row in rows]
        dt = rows[-1]["time"] - rows[0]["time"]
        return (v[-1] - v[0]) / dt, (w[-1] - w[0]) / dt, rows[-1]

    def test_a_sphere_on_a_slope(self):
        """It rolls, slides, or sticks. Tolerances: overlaps are 1e-4 of the radius, which shortens the lever."""
        angle = math.radians(30)
        down, across = G * math.sin(angle), G * math.cos(angle)
        for name, surface in SLOPES.items():
            with self.subTest(name):
                a, w, _ = self.incline(f"{name}_rolls", surface, 0.5, 0)
                self.assertAlmostEqual(a, 5 / 7 * down, delta=1e-3 * down)
                self.assertAlmostEqual(w, a / RADIUS, delta=1e-3 * a / RADIUS)
                a, w, _ = self.incline(f"{name}_slides", surface, 0.1, 0)
                self.assertAlmostEqual(a, down - 0.1 * across, delta=1e-6 * down)
                self.assertAlmostEqual(w, 2.5 * 0.1 * across / RADIUS, delta=1e-3 * a / RADIUS)
                a, w, last = self.incline(f"{name}_sticks", surface, 1, 1)
                self.assertLess(last["kinetic"] + last["rotational"], 1e-12 * MASS * G * RADIUS)
                force = self.rows(f"{name}_sticks", "surfaces")[-1]
                self.assertAlmostEqual(force["force_z:slope"], -MASS * across, delta=1e-6 * MASS * G)
                self.assertAlmostEqual(force["force_x:slope"], MASS * down, delta=1e-6 * MASS * G)

    def test_a_ball_that_bounces(self):
        """On plane, mesh and profile at once. The integration is of second order: 200 steps for a contact."""
        surfaces = "\n".join(f"  - {{name: {name}, {surface}}}" for name, surface in (
            ("plane", "form: plane, normal: [0, 0, 1], point: [0, 0, -1]"),
            ("mesh", "form: box, from: [-1, -1, -1], to: [1, 1, 0], open: [left, right]"),
            ("profile", "form: cylinder, from: [0, 5, 0], to: [0, 6, 0], radius: 0.2")))
        self.twirl("bounce", f"""
specimen:
  grains:
    - {{x: [3, 0, {-1 + 1.5 * RADIUS}], d: {2 * RADIUS}, velocity: [0, 0, -1]}}
    - {{x: [0, 0, {1.5 * RADIUS}], d: {2 * RADIUS}, velocity: [0, 0, -1]}}
    - {{x: [{0.2 + 1.5 * RADIUS}, 5.5, 0], d: {2 * RADIUS}, velocity: [-1, 0, 0]}}
material: {{kn: 1e4, friction: 0.5, restitution: 0.6}}
damping: {{local: 0}}
surfaces:
{surfaces}
time_step: {{dt: 5 us}}
stages: [{{name: bounce, path: drive, end: {{time: 8 ms}}}}]
""")
        rows = self.rows("bounce")
        self.assertAlmostEqual(rows[0]["kinetic"], 1.5 * MASS, delta=1e-12)
        self.assertAlmostEqual(math.sqrt(rows[-1]["kinetic"] / rows[0]["kinetic"]), 0.6, delta=1e-4)
        forces = self.rows("bounce", "surfaces")
        self.assertLess(min(row["force_z:plane"] for row in forces), -1.0)
        for row in forces:
            # Rounding of places of the order of 1 m, and of velocities in 1,600 steps, times the stiffness.
            self.assertAlmostEqual(row["force_z:plane"], row["force_z:mesh"], delta=1e-7)
            self.assertAlmostEqual(row["force_z:plane"], row["force_x:profile"], delta=1e-7)
            self.assertTrue(all(math.isnan(rows[0][name]) for name in ("p", "q", "porosity", "stress_zz", "volume", "unbalanced")))


class SameBits(SurfaceTest):
    def test_kill_and_resume(self):
        text = DRUM % "steps: 420"
        self.twirl("whole", text)
        whole = files_of(self.folder / "whole")
        self.assertIn("surfaces/drum.stl", whole)
        self.assertIn(b"surfaces/drum.stl", whole["files.txt"])
        self.assertGreater(max(abs(row["force_z:drum"]) for row in self.rows("whole", "surfaces")), 1e-3)
        process = subprocess.Popen([TWIRL, "run", "x.yaml", "--out", "parts", "--threads", "1"], cwd=self.folder,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        saved = self.folder / "parts/run_state_b.txt"
        while process.poll() is None and not (saved.exists() and (self.folder / "parts/run_state_a.txt").exists()):
            pass
        process.kill()
        process.wait()
        (self.folder / "drum.stl").unlink()  # the mesh is in the checkpoint
        self.twirl("parts", text, "--resume")
        self.assertEqual(files_of(self.folder / "parts"), whole)
        (self.folder / "drum.stl").write_text("no mesh")
        self.assertEqual(self.twirl("parts", text, "--resume").returncode, 0)

    def test_extended(self):
        self.twirl("parts", DRUM % "steps: 200")
        (self.folder / "drum.stl").write_text(cube(20.0))
        self.twirl("parts", DRUM % "steps: 420", "--extend")
        (self.folder / "drum.stl").write_text(cube(40.0))
        self.twirl("whole", DRUM % "steps: 420")
        self.assertEqual(self.summary("parts")["turn"]["hash"], self.summary("whole")["turn"]["hash"])
        self.assertEqual((self.folder / "parts/surfaces/drum.stl").read_bytes(), (self.folder / "whole/surfaces/drum.stl").read_bytes())

    def test_on_a_device(self):
        text = DRUM % "steps: 300"
        self.twirl("host", text)
        self.twirl("device", text, "--device", "emulated")
        self.assertEqual(files_of(self.folder / "host"), files_of(self.folder / "device"))

    def test_the_mesh_of_a_run_is_the_mesh(self):
        """What the run has written is read as the same mesh: the same bits."""
        self.twirl("one", DRUM % "steps: 100")
        shutil.copy(self.folder / "one/surfaces/drum.stl", self.folder / "drum.stl")
        self.twirl("two", (DRUM % "steps: 100").replace("scale: 1e-3", "scale: 1"))
        self.assertEqual(self.summary("one")["turn"]["hash"], self.summary("two")["turn"]["hash"])


# A ball on a plate, and a lid.
PLATE = """
specimen: {grains: [{x: [0, 0, 4.999 mm], d: 10 mm}]}
gravity: [0, 0, -9.81]
material: {kn: 1e4, friction: 0.5, restitution: 0.3}
surfaces:
  - {name: plate, form: disc, radius: 0.1}
  - {name: wheel, form: disc, radius: 0.1, centre: [0, 0, -0.1], move: [{rotate: {axis: [0, 0, 1], rate: 10 rad/s}}]}
  - {name: lid, form: disc, radius: 0.1, centre: [0, 0, 10.2 mm], present: no}
time_step: {fraction: 0.1}
stages:
"""


ENDS = PLATE + """
  - {name: rest, path: drive, end: {rest: 0.001, time: 2}}
  - {name: lift, path: drive, surfaces: [{name: plate, move: [{velocity: [0, 0, 0.1]}]}], end: {moved: {surface: plate, by: 5 mm}, time: 1}}
  - {name: wheel, path: drive, surfaces: [{name: plate, rest: yes}], end: {turns: {surface: wheel, by: 0.1}, time: 1}}
  - {name: fall, path: drive, surfaces: [{name: plate, present: no}], end: {time: 20 ms}}
  - {name: still, path: drive, from: rest, end: {unbalanced: 1e-3, time: 1}}
  - {name: press, path: drive, from: rest, surfaces: [{name: lid, present: yes, move: [{velocity: [0, 0, -0.01]}]}],
     end: {force: {surface: lid, along: [0, 0, 1], force: 1}, time: 1}}
"""


class Stages(SurfaceTest):
    def test_ends(self):
        self.twirl("ends", ENDS)
        self.twirl("device", ENDS, "--device", "emulated")
        self.assertEqual(files_of(self.folder / "ends"), files_of(self.folder / "device"))
        ends = self.summary("ends")
        self.assertEqual({name: stage["end"] for name, stage in ends.items()},
                         {"rest": "rest", "lift": "moved", "wheel": "turns", "fall": "time", "still": "unbalanced", "press": "force"})
        self.assertAlmostEqual(ends["lift"]["time"], 0.05, delta=1e-3)
        self.assertAlmostEqual(ends["wheel"]["time"], 0.1 * 2 * math.pi / 10, delta=1e-4)
        rows = self.rows("ends")
        weight = [-row["force_z:plate"] for row in self.rows("ends", "surfaces") if row["stage"] == "rest"][-1]
        self.assertAlmostEqual(weight, MASS * G, delta=1e-3 * MASS * G)
        first, last = ([row for row in rows if row["stage"] == "fall"][k] for k in (0, -1))
        v = math.sqrt(2 * last["kinetic"] / MASS) - math.sqrt(2 * abs(first["kinetic"]) / MASS)
        self.assertAlmostEqual(v, G * 0.02, delta=0.03 * G * 0.02)  # half a step, and what was left of the lift
        press = [row for row in self.rows("ends", "surfaces") if row["stage"] == "press"][-1]
        self.assertGreaterEqual(press["force_z:lid"], 1)
        # Looked at every ten steps: it has gone on by as many, at kn/2 of the two contacts in a row.
        self.assertAlmostEqual(press["force_z:lid"] + MASS * G, -press["force_z:plate"], delta=0.02)
        for row in rows:
            self.assertLess(abs(row["residual"]), 1e-5)

    def test_servos(self):
        """Of a force, the same as a pressure, and of a torque; then at rest, and away."""
        area = math.pi * 0.1**2
        self.twirl("servo", PLATE + f"""
  - {{name: force, path: drive, surfaces: [{{name: lid, present: yes, servo: {{force: 2 N, along: [0, 0, -1]}}}}],
     end: {{unbalanced: 1e-6, time: 0.2}}}}
  - {{name: pressure, path: drive, surfaces: [{{name: lid, servo: {{pressure: {3 / area}, along: [0, 0, -3], v_max: 0.1}}}}], end: {{time: 0.1}}}}
  - {{name: hold, path: drive, surfaces: [{{name: lid, rest: yes}}], end: {{time: 0.1}}}}
  - {{name: torque, path: drive, surfaces: [{{name: lid, servo: {{torque: 1e-3 N m, along: [0, 0, 1], rate_max: 1 rad/s}}}}], end: {{time: 10 ms}}}}
  - {{name: away, path: drive, surfaces: [{{name: lid, present: no}}], end: {{time: 1}}}}
""")
        last = {row["stage"]: row for row in self.rows("servo", "surfaces")}
        for name, force in (("force", 2), ("pressure", 3)):
            self.assertAlmostEqual(last[name]["force_z:lid"], force, delta=1e-3)
            self.assertAlmostEqual(last[name]["force_z:plate"], -force - MASS * G, delta=1e-3)
        self.assertEqual(self.summary("servo")["force"]["end"], "unbalanced")
        self.assertEqual(last["hold"]["point_z:lid"], last["pressure"]["point_z:lid"])
        self.assertEqual(last["torque"]["point_z:lid"], last["pressure"]["point_z:lid"])
        self.assertEqual(last["away"]["force_z:lid"], 0)
        self.assertAlmostEqual(last["away"]["force_z:plate"], -MASS * G, delta=1e-3)

    def test_energy_is_kept_where_a_surface_goes_and_comes(self):
        self.twirl("gone", PLATE.replace("4.999 mm", "4.9 mm") + """
  - {name: deep, path: drive, end: {steps: 3}}
  - {name: gone, path: drive, surfaces: [{name: plate, present: no}], end: {steps: 3}}
  - {name: back, path: drive, surfaces: [{name: plate, present: yes}], end: {steps: 3}}
""")
        stored = {name: [row for row in self.rows("gone") if row["stage"] == name][-1] for name in ("deep", "gone", "back")}
        self.assertGreater(stored["deep"]["normal"], 1e-5)
        self.assertEqual(stored["gone"]["normal"], 0)
        self.assertGreater(stored["back"]["normal"], 1e-5)
        for row in self.rows("gone"):
            self.assertLess(abs(row["residual"]), 1e-3 * stored["deep"]["normal"])

    def test_a_state_goes_on(self):
        """With its surfaces, their motions and gravity, which the scenario does not name."""
        self.twirl("one", DRUM % "steps: 300, time: 1" + "  - {name: more, path: drive, end: {steps: 100}}\n")
        self.twirl("two", "specimen: {checkpoint: one/stages/turn.h5}\nstages: [{name: more, path: drive, end: {steps: 100}}]\n")
        self.assertEqual(self.summary("one")["more"]["hash"], self.summary("two")["more"]["hash"])
        self.twirl("three", "specimen: {checkpoint: one/stages/turn.h5}\nstages: [{name: more, path: drive, surfaces: "
                   "[{name: drum, rest: yes}], end: {steps: 100}}]\n")
        place = [self.rows("three", "surfaces")[k]["point_z:drum"] for k in (0, -1)]
        self.assertEqual(place[0], place[1])
        done = self.twirl("four", "specimen: {checkpoint: one/stages/turn.h5}\nstages: [{path: drive, surfaces: "
                          "[{name: drun, rest: yes}], end: {steps: 100}}]\n", status=2)
        self.assertIn("surface 'drun': neither in `surfaces` nor in the state", done.stderr)


class Checks(SurfaceTest):
    def refuse(self, text, *needles, status=2):
        (self.folder / "x.yaml").write_text(text)
        self.assert_refused(run("check", "x.yaml", "--quick", cwd=self.folder), *needles)
        self.assert_refused(run("run", "x.yaml", "--out", "bad", "--restart", "--quiet", cwd=self.folder), *needles, status=status)

    def test_refused_by_the_number_of_the_grain(self):
        self.refuse(PLATE.replace("4.999 mm", "1 mm") + "  - {path: drive, end: {steps: 1}}\n",
                    "body 0 overlaps wall 0 ('plate') by 0.004 m at the start", status=3)
        self.refuse(PLATE.replace("form: disc, radius: 0.1}", "form: cylinder, from: [0, 0, -1], to: [0, 0, 1], radius: 5.2 mm}")
                    + "  - {path: drive, end: {steps: 1}}\n", "grain 0 hardly fits into surface 'plate'")

    def test_a_mesh_that_cannot_be_read(self):
        (self.folder / "drum.stl").write_text("solid nothing\nendsolid\n")
        self.refuse(DRUM % "steps: 1", "surface 'drum'", "drum.stl")

    def test_a_file_without_cell_and_a_lattice(self):
        (self.folder / "grains.csv").write_text("x,y,z,radius\n0,0,5e-3,5e-3\n")
        text = PLATE.replace("grains: [{x: [0, 0, 4.999 mm], d: 10 mm}]", "file: grains.csv")
        self.refuse(text + "  - {path: drive, end: {steps: 1}}\n", "grains.csv has no cell", "or give 'boundary: open'")
        self.twirl("file", "boundary: open\n" + text + "  - {name: a, path: drive, end: {steps: 1}}\n")
        self.twirl("lattice", "specimen: {arrangement: cubic, count: 27, sizes: {d: 1 mm}}\nboundary: open\n" + text.split("\n", 2)[2]
                   .replace("radius: 0.1}", "radius: 0.1, centre: [0, 0, -0.6 mm]}") + "  - {name: a, path: drive, end: {steps: 1}}\n")
        self.assertEqual(run("check", "x.yaml", "--quick", cwd=self.folder).returncode, 0)

    def test_a_scale_that_is_missing(self):
        """In the log and in warnings.txt."""
        self.twirl("mm", (DRUM % "steps: 1").replace("scale: 1e-3", "scale: 10"))
        warnings = (self.folder / "mm/warnings.txt").read_text()
        self.assertRegex(warnings, "surface 'drum' is as long as .*e\\+04 grains; if its file is in mm, give 'scale: 1e-3'")
        self.assertTrue(re.search("surface 'drum': 48 facets, .* closed", (self.folder / "mm/run.log").read_text()))


if __name__ == "__main__":
    unittest.main()
