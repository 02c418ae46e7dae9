#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Columns of the history, recomputed from others or from the exported contacts."""

import csv
import json
import math
import re
import tempfile
import unittest
from pathlib import Path

from cli import CliTest, run

SCENARIO = """
specimen:
  count: 80
  sizes: {distribution: uniform, d_min: 0.8 mm, d_max: 1.2 mm}
  preparation: {pressure: 100 kPa, friction: 0.1, inertial_number: 0.05, unbalanced: 0.01}
material: {stiffness_level: 1000, friction: 0.5}
stages:
  - {name: settle, path: isotropic, pressure: 100 kPa, end: {unbalanced: 0.01}, save: dense}
  - {name: extend, path: triaxial, axis: x, direction: extension, end: {strain: 0.4 %}}
  - {name: lode, path: true_triaxial, from: dense, lode_angle: 30 deg, end: {strain: 0.3 %}}
  - {name: drained, path: simple_shear, from: dense, end: {strain: 0.3 %}}
  - {name: back, path: simple_shear, plane: xy, constant: volume, direction: backward, from: dense,
     end: {strain: 0.5 %}}
  - {name: undrained, path: undrained, axis: y, from: dense, end: {strain: 0.5 %}}
  - {name: shake, path: cyclic, from: dense, cycle: {base: simple_shear, strain: 0.1 %},
     constant: volume, direction: backward, end: {cycles: 2}}
  - {name: push, path: cyclic, from: dense, cycle: {base: undrained, stress: 10 kPa}, end: {cycles: 3}}
  - {name: one_way, path: cyclic, from: dense, cycle: {base: triaxial, strain: 0.2 %, return_to: 0}, end: {cycles: 2}}
  - {name: band, path: cyclic, from: dense, cycle: {base: simple_shear, stress: 20 kPa, return_to: 0.5}, end: {cycles: 2}}
  - {name: turn, path: rotate, from: dense, rotation: {axis: [1, 2, 0], angle: 90 deg, increments: 100}}
  - {name: fly, path: free_flight, end: {steps: 5}}
  - {name: uncut, path: triaxial, from: dense, rate: 20, end: {strain: 0.6 %}}
  - {name: cut, path: triaxial, from: dense, rate: 20, end: {strain: 0.2 %}}
  - {name: cut2, path: triaxial, rate: 20, end: {strain: 0.2 %}}
  - {name: cut3, path: triaxial, rate: 20, end: {strain: 0.2 %}}
  - {name: unload, path: triaxial, rate: 20, direction: extension, end: {strain: 0.3 %}}
  - {name: sidewards, path: simple_shear, rate: 20, end: {strain: 0.2 %}}
  - {name: soften, path: triaxial, from: dense, inertial_number: 0.02, end: {past_peak: 0.3 %}}
  - {name: dilate, path: simple_shear, from: dense, inertial_number: 0.02, end: {void_ratio: 0.75}}
  - {name: liquefy, path: undrained, from: dense, inertial_number: 0.02, end: {ru: 0.1}}
  - {name: flat, path: plane_strain, axis: x, from: dense, end: {strain: 0.3 %}}
  - {name: flat_general, path: general, from: dense, inertial_number: 1e-3, control: {xx: {rate: 3}, zz: {stress: hold}}, end: {strain: 0.3 %}}
  - {name: sideways, path: general, axis: y, from: dense, inertial_number: 1e-3, control: {xx: {rate: 3}, yy: {rate: -1.5}, zz: {rate: -1.5}},
     end: {strain: 0.2 %}, output: {history: {strain: 0.05 %}}}
  - {name: ramped, path: general, from: dense, inertial_number: 1e-3,
     control: {zz: {rate: 1}, xx: {stress: 120 kPa, ramp_strain: 0.2 %}, yy: {stress: hold}}, end: {strain: 0.4 %}}
  - {name: pulled, path: general, from: dense, control: {yy: {stress: 90 kPa, ramp: 0.1 ms}, xx: {stress: hold}, zz: {stress: hold}},
     end: {stress: 95 kPa, time: 1 ms}}
  - {name: steady, path: triaxial, from: dense, inertial_number: 0.02, end: {dilation_rate: 0, strain: 60 %}}
  - {name: cell, path: true_triaxial, axis: y, b: 0.4, constant: s3, from: dense, end: {strain: 1 %}}
  - {name: slope, path: stress_path, dq_dp: 0.9, axis: x, from: dense, end: {q: 40 kPa, strain: 5 %}}
  - {name: down, path: stress_path, dq_dp: 0, axis: x, direction: extension, end: {pressure: 90 kPa, strain: 5 %}}
  - {name: consolidate, path: stress_path, eta: 0.6, from: dense, end: {pressure: 150 kPa, strain: 5 %}}
  - {name: along, path: stress_path, lateral_ratio: 0.571428571, end: {pressure: 200 kPa, strain: 5 %}}
  - {name: oblique, path: stress_path, from: dense, increments: {xx: 0.4, zz: 1, xz: 0.3, yz: 0}, end: {stress: 130 kPa, strain: 5 %}}
  - {name: upright, path: triaxial, axis: x, shear_stress: zero, from: dense, end: {strain: 0.4 %}}
  - {name: both, path: cyclic, axis: y, shear_stress: zero, from: dense, cycle: {base: undrained, stress: 10 kPa}, end: {cycles: 1}}
  - {name: between, path: true_triaxial, b: 0.5, shear_stress: zero, from: dense, end: {strain: 0.3 %}}
  - {name: inclined, path: stress_path, from: dense, shear_stress: zero, increments: {zz: 1, xz: 0.3}, end: {stress: 130 kPa, strain: 5 %}}
  - {name: load, path: triaxial, from: dense, end: {q: 40 kPa, strain: 5 %}}
  - {name: unloaded, path: triaxial, direction: extension, end: {q: 0, strain: 5 %}, output: {history: {steps: 1}}}
  - {name: beyond, path: triaxial, from: unloaded, direction: extension, end: {q: -10 kPa, strain: 5 %}, output: {history: {steps: 1}}}
  - {name: softened, path: triaxial, direction: extension, from: dense, inertial_number: 0.02, end: {past_peak: 0.3 %, strain: 30 %}, output: {history: {steps: 1}}}
  - {name: short, path: triaxial, from: dense, end: {strain: 0.1 %, q: 200 kPa, stress_ratio: 1.1}}
  - {name: squeeze, path: isotropic, pressure: 104 kPa, from: dense, end: {unbalanced: 1e-4}}
  - {name: b_check, path: isotropic, pressure: 310 kPa, from: dense, fluid: {bulk: 50 MPa, back_pressure: 200 kPa}, end: {unbalanced: 1e-4}}
  - {name: sealed, path: undrained, axis: y, fluid: {bulk: 50 MPa}, end: {strain: 0.5 %}}
  - {name: stiff, path: undrained, axis: y, from: dense, fluid: {bulk: 1e12, back_pressure: 200 kPa}, end: {strain: 0.5 %}}
  - {name: still, path: undrained, axis: y, from: dense, fluid: {back_pressure: 200 kPa}, end: {strain: 0.5 %}}
  - {name: wet, path: simple_shear, constant: volume, from: dense, fluid: {bulk: 50 MPa}, end: {strain: 0.3 %}}
  - {name: sucking, path: undrained, from: dense, inertial_number: 0.02, fluid: {back_pressure: 50 kPa}, end: {pressure: 500 kPa, strain: 30 %}}
  - {name: pump, path: cyclic, from: dense, fluid: {bulk: 50 MPa}, cycle: {base: undrained, strain: 0.1 %}, end: {cycles: 2}}
  - {name: held, path: creep, end: {time: 0.1 ms}}
  - {name: fixed, path: relaxation, end: {time: 0.1 ms}}
output: {history: {steps: 5}}
"""

WHOLE = tempfile.TemporaryDirectory()


def setUpModule():
    path = Path(WHOLE.name) / "test.yaml"
    path.write_text(SCENARIO)
    done = run("run", str(path), "--threads", "1", "--quiet", "--out", WHOLE.name + "/out")
    if done.returncode != 0:
        raise RuntimeError(done.stderr)


def tearDownModule():
    WHOLE.cleanup()


def texts(stage):
    """Rows of a stage, as written."""
    with open(WHOLE.name + "/out/history.csv", encoding="ascii") as file:
        return [row for row in csv.DictReader(file) if row["stage"] == stage]


def numbers(stage):
    return [{k: float(v) for k, v in row.items() if k not in ("stage", "check")}
            for row in texts(stage)]


def contact_rows(stage):
    """Columns of each contact at the end of a stage."""
    path = WHOLE.name + "/" + stage + ".local"
    done = run("export", "contacts", WHOLE.name + f"/out/stages/{stage}.h5", "--out", path)
    assert done.returncode == 0, done.stderr
    lines = Path(path).read_text(encoding="ascii").split("\n")
    at = next(i for i, line in enumerate(lines) if line.startswith("ITEM: ENTRIES"))
    names = lines[at].split()[2:]
    rows = [dict(zip(names, map(float, line.split()))) for line in lines[at + 1:] if line]
    words = lines[1].split()[2:]  # the file is turned by this rotation (docs/guide/exchange.md)
    turn = [[float(word) for word in words[3 * k:3 * k + 3]] for k in range(3)]
    for row in rows:
        for name in ("ft.", "force."):
            turned = [row[name + k] for k in "XYZ"]
            for i, k in enumerate("XYZ"):
                row[name + k] = sum(turn[j][i] * turned[j] for j in range(3)) if words else turned[i]
    return rows


def contacts(stage):
    """Body ids and normal of each contact at the end of a stage."""
    # The force on the first body is -fn n + ft: there is no contact damping.
    return [((row["body_p"], row["body_q"]),
             tuple((row["ft." + k] - row["force." + k]) / row["fn"] for k in "XYZ")) for row in contact_rows(stage)]


class History(CliTest):
    def assert_close(self, value, wanted, scale):
        """Values pass through text with 17 digits: only rounding remains."""
        self.assertLessEqual(abs(value - wanted), 1e-12 * scale)

    def test_fabric_is_the_mean_over_the_contacts(self):
        axes = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "yz": (1, 2), "xz": (0, 2), "xy": (0, 1)}
        for stage in ("extend", "undrained", "back"):
            row, normals = numbers(stage)[-1], [n for _, n in contacts(stage)]
            fabric = {}
            for name, (i, j) in axes.items():
                fabric[name] = math.fsum(n[i] * n[j] for n in normals) / len(normals)
                self.assertLess(abs(row["fabric_" + name] - fabric[name]), 1e-9, name)
            squares = sum((1.0 if i == j else 2.0) * (fabric[name] - (i == j) / 3.0)**2
                          for name, (i, j) in axes.items())
            self.assertLess(abs(row["fabric_deviator"] - math.sqrt(1.5 * squares)), 1e-9)
            self.assertGreater(row["fabric_deviator"], 0.01)
        # Contacts are lost where the specimen extends.
        row = numbers("extend")[-1]
        self.assertLess(row["fabric_xx"], min(row["fabric_yy"], row["fabric_zz"]))

    def test_anisotropies_and_strong_contacts_are_sums_over_the_contacts(self):
        """Of spheres without contact damping: docs/theory/measures.md."""
        axes = ("xx", "xy", "xz", "xy", "yy", "yz", "xz", "yz", "zz")
        for stage in ("extend", "undrained", "back"):
            row, found = numbers(stage)[-1], contact_rows(stage)
            normals = [n for _, n in contacts(stage)]
            outer = [[n[i] * n[j] for i in range(3) for j in range(3)] for n in normals]
            shear = [[-c["ft." + "XYZ"[i]] * n[j] for i in range(3) for j in range(3)] for c, n in zip(found, normals)]
            push = [c["fn"] for c in found]
            stress = [row["stress_" + name] - (row["p"] if name[0] == name[1] else 0.0) for name in axes]
            q = math.sqrt(1.5 * sum(s * s for s in stress))

            def along(tensors, weights):
                """Three halves of the product with the deviator of stress, over q."""
                return 1.5 / q * math.fsum(w * sum(a * s for a, s in zip(t, stress)) for t, w in zip(tensors, weights))

            a_c = 7.5 / len(found) * along(outer, [1.0] * len(found))
            a_n = 7.5 / sum(push) * along(outer, push) - a_c
            a_t = 5.0 / sum(push) * along(shear, [1.0] * len(found))
            # Columns of stress include the small part of the velocities.
            self.assertAlmostEqual(row["anisotropy_contacts"], a_c, delta=1e-4)
            self.assertAlmostEqual(row["anisotropy_normal"], a_n, delta=1e-4)
            self.assertAlmostEqual(row["anisotropy_tangential"], a_t, delta=1e-4)
            self.assertAlmostEqual(row["anisotropy_sum"], 0.4 * (a_c + row["anisotropy_branches"] + a_n + 1.5 * a_t), delta=1e-4)
            mean = sum(push) / len(push)
            self.assert_close(row["strong_fraction"], sum(f > mean for f in push) / len(push), 1.0)
            used = [math.hypot(*(c["ft." + k] for k in "XYZ")) / (0.5 * c["fn"]) for c in found]
            self.assertAlmostEqual(row["friction_mobilised"], sum(used) / len(used), delta=1e-9)
            for name in ("strong_p", "strong_q"):
                self.assertTrue(0.5 < row[name] < 1.5, (name, row[name]))

    def test_rattlers_are_found_by_removal(self):
        row, pairs = numbers("extend")[-1], [ids for ids, _ in contacts("extend")]
        left = {float(i) for i in range(80)}
        for _ in range(80):
            live = [ids for ids in pairs if set(ids) <= left]
            left = {i for i in left if sum(i in ids for ids in live) >= 2}
        self.assertEqual(row["rattlers"], 80 - len(left))
        self.assertGreater(row["rattlers"], 0)
        live = [ids for ids in pairs if set(ids) <= left]
        self.assert_close(row["coordination_mechanical"], 2 * len(live) / len(left), 10)

    def test_q_is_axial_minus_lateral_stress(self):
        for stage, axial, others in (("extend", "xx", ("yy", "zz")), ("undrained", "yy", ("xx", "zz")),
                                     ("push", "zz", ("xx", "yy"))):
            for row in numbers(stage):
                lateral = 0.5 * sum(row["stress_" + k] for k in others)
                self.assert_close(row["q"], row["stress_" + axial] - lateral, row["p"])
                self.assert_close(row["stress_ratio"] * row["p"], row["q"], row["p"])
        row = numbers("extend")[-1]
        self.assertLess(row["q"], -0.2 * row["p"])
        self.assertLess(abs(row["q"] + row["stress_deviator"]), 0.1 * row["p"])
        for row in numbers("back"):
            self.assertEqual(row["q"], row["stress_deviator"])
        self.assertLess(row["strain"], 0.0)
        for row in numbers("lode"):  # along the Lode angle of 30 degrees
            q = (row["stress_zz"] - row["stress_yy"]) * math.cos(math.pi / 6)
            self.assert_close(row["q"], q, row["p"])
        self.assertLess(abs(row["q"] - row["stress_deviator"]), 0.05 * row["q"])
        self.assertGreater(row["q"], 0.2 * row["p"])

    def test_unloading_ends_at_the_q_that_is_drawn(self):
        """Also at zero, below, and where shear stresses alone are a deviator; what was not reached is said."""
        stages = {stage["name"]: stage for stage in json.loads(Path(WHOLE.name, "out", "summary.json").read_text())["stages"]}
        for stage, q in (("unloaded", 0.0), ("beyond", -10e3)):
            rows = numbers(stage)
            self.assertAlmostEqual(rows[-1]["q"], q, delta=500)
            self.assertTrue(all(row["q"] > q for row in rows[:-1]))
            self.assertEqual(stages[stage]["end"], "q")
            self.assertAlmostEqual(stages[stage]["q"], q, delta=500)
            self.assertGreater(rows[-1]["stress_deviator"], 500 if q == 0 else 10e3)
        rows = numbers("softened")  # in extension the peak is the least q/p
        peak = min(rows, key=lambda row: row["stress_ratio"])
        self.assertAlmostEqual(peak["strain"] - rows[-1]["strain"], 0.3e-2, delta=1e-4)
        self.assertNotIn("missed", stages["beyond"])
        self.assertEqual((stages["short"]["end"], stages["short"]["missed"]), ("strain", "q, stress_ratio"))
        log = Path(WHOLE.name, "out", "run.log").read_text()
        self.assertIn(f"warning: short: end.q was not reached: q is {stages['short']['q']:.4g} Pa, not 200000 Pa\n", log)

    def test_pore_pressure_ratio(self):
        for stage, names in (("undrained", ("stress_xx", "stress_zz")),
                             ("push", ("stress_xx", "stress_yy")), ("back", ("stress_yy",)),
                             ("shake", ("stress_zz",))):
            rows = numbers(stage)
            start = sum(rows[0][name] for name in names)
            for row in rows:
                self.assert_close(row["ru"], 1.0 - sum(row[name] for name in names) / start, 1)
            self.assertEqual(rows[0]["ru"], 0.0)
            self.assertGreater(max(abs(row["ru"]) for row in rows), 0.01, stage)

    def test_cycles(self):
        for stage, column, amplitude, first, cycles in (("shake", "strain", 1e-3, -1.0, 2),
                                                        ("push", "q", 1e4, 1.0, 3)):
            rows = numbers(stage)
            start = rows[0][column]
            for a, b in zip(rows, rows[1:]):
                self.assertLess(-1e-3, b["cycle"] - a["cycle"], stage)  # a stress vibrates
                # The way from the start is a triangular wave of the cycle number.
                way = max(-1.0, min(first * (b[column] - start) / amplitude, 1.0))
                wave = abs(4.0 * ((b["cycle"] + 0.75) % 1.0) - 2.0) - 1.0
                self.assert_close(way, wave, 1)
            self.assertEqual(rows[0]["cycle"], 0.0)
            self.assertGreaterEqual(rows[-1]["cycle"], cycles)
            self.assertLess(rows[-1]["cycle"], cycles + 0.05)
            summary = json.loads(Path(WHOLE.name, "out/stages", stage + ".json").read_text())
            self.assertEqual(summary["cycles"], cycles)

    def test_cycles_between_two_values(self):
        rows = numbers("one_way")
        step = max(abs(b["strain"] - a["strain"]) for a, b in zip(rows, rows[1:]))
        strains = [row["strain"] for row in rows]
        self.assertAlmostEqual(max(strains), 0.002, delta=step)
        self.assertAlmostEqual(min(strains), 0.0, delta=step)
        for row in rows:  # two ways of 0.2 % make a cycle; of rows near a reversal either way may be counted
            way = 2 * row["cycle"] % 2
            self.assertAlmostEqual(row["strain"], 0.002 * min(way, 2 - way), delta=step)
        self.assertAlmostEqual(rows[-1]["cycle"], 2.0, places=2)
        rows = numbers("band")
        start, *rest = [row["stress"] for row in rows]
        # between 10 and 20 kPa, but for the stress of a step, which is below 0.2 kPa here
        first = next(k for k, stress in enumerate(rest) if stress - start > 19e3)
        self.assertGreater(min(rest[first:]) - start, 9.8e3)
        self.assertLess(min(rest[first:]) - start, 10e3)
        self.assertLess(max(rest) - start, 20.2e3)
        self.assertAlmostEqual(rows[-1]["cycle"], 2.0, places=2)

    def test_successive_stages_are_one_test(self):
        tests = (("settle", "extend"), ("lode",), ("turn", "fly"), ("uncut",), ("cut", "cut2", "cut3", "unload", "sidewards"))
        names = ["strain_" + k for k in ("xx", "yy", "zz", "yz", "xz", "xy", "volume")]
        for stages in tests:
            first, before = numbers(stages[0])[0], dict.fromkeys(names, 0.0)
            for stage in stages:
                for row in numbers(stage):
                    for name in names:  # what the stages before have left, and that of this one
                        self.assert_close(row["total_" + name], before[name] + row[name], 1)
                    self.assert_close(row["total_strain_volume"], math.log(first["volume"] / row["volume"]), 1)
                    self.assert_close(row["total_work"], row["cell"] - first["cell"], abs(row["cell"]))
                before = {name: row["total_" + name] for name in names}
        for stage, of in (("unload", "total_strain_zz"), ("extend", "total_strain_xx")):
            self.assertTrue(all(row["total_strain"] == row[of] for row in numbers(stage)))
        for row in numbers("sidewards"):  # of its own path: nothing of the axial strain before
            self.assertEqual(row["total_strain"], row["strain"])

    def test_a_test_cut_in_pieces_is_the_uncut_one(self):
        whole, pieces = numbers("uncut"), [row for k in ("cut", "cut2", "cut3") for row in numbers(k)]
        step = max((b["strain_zz"] - a["strain_zz"]) / max(1, b["step"] - a["step"]) for a, b in zip(whole, whole[1:]))
        last, cut = whole[-1], pieces[-1]
        self.assertLess(abs(cut["total_strain_zz"] - last["total_strain_zz"]), 3.5 * step)  # each goes on to a whole step
        self.assertAlmostEqual(cut["strain_zz"], 0.002, delta=1.5 * step)
        # The servo starts anew at a cut: that is per milles of volume and work.
        most = max(abs(row["total_strain_volume"]) for row in whole)
        for piece in pieces:
            for a, b in zip(whole, whole[1:]):
                part = (piece["total_strain_zz"] - a["total_strain_zz"]) / (b["total_strain_zz"] - a["total_strain_zz"])
                if not 0.0 <= part <= 1.0:
                    continue
                for name, share in (("total_strain_volume", 0.01 * most), ("total_work", 2e-3 * last["total_work"])):
                    self.assertLess(abs(piece[name] - a[name] - part * (b[name] - a[name])), share)

    def test_unloading_and_work(self):
        """Down by 0.3 % from 0.6 %; the work is that of the stresses: trapezoids of V s:de, not exact between rows."""
        rows = [row for k in ("cut", "cut2", "cut3", "unload") for row in numbers(k)]
        self.assertAlmostEqual(rows[-1]["total_strain_zz"], 0.003, delta=1e-4)
        self.assertGreater(max(row["total_strain_zz"] for row in rows), 0.006)
        work = 0.0
        for a, b in zip(rows, rows[1:]):
            work += 0.25 * (a["volume"] + b["volume"]) * sum(
                (a["stress_" + k] + b["stress_" + k]) * (b["total_strain_" + k] - a["total_strain_" + k])
                for k in ("xx", "yy", "zz", "yz", "xz", "xy"))
        largest = max(abs(row["total_work"]) for row in rows)
        self.assertLess(abs(work - rows[-1]["total_work"]), 1e-3 * largest)

    def test_ends_are_those_of_the_history(self):
        rows = numbers("soften")
        peak = max(rows, key=lambda row: row["stress_ratio"])
        # between rows there may be a higher peak, up to five steps later
        self.assertAlmostEqual(rows[-1]["strain"] - peak["strain"], 0.003, delta=2 * (rows[1]["strain"] - rows[0]["strain"]))
        self.assertLess(rows[-1]["strain"], 0.2)
        for stage, column, limit in (("dilate", "void_ratio", 0.75), ("liquefy", "ru", 0.1)):
            *before, last = [row[column] for row in numbers(stage)]
            self.assertLess(max(before), limit, stage)
            self.assertGreaterEqual(last, limit, stage)

    def test_a_dilation_rate_ends_a_stage_past_the_peak(self):
        rows = numbers("steady")
        peak = max(rows, key=lambda row: row["stress_ratio"])
        step = rows[1]["strain"] - rows[0]["strain"]
        rate = []
        for row in rows[1:]:  # over the last 2 % of strain
            if row["strain"] > max(0.02, peak["strain"] + 0.02):
                first = min(rows, key=lambda other, e=row["strain"] - 0.02: abs(other["strain"] - e))
                rate.append((first["strain_volume"] - row["strain_volume"]) / (row["strain"] - first["strain"]))
        self.assertLess(rows[-1]["strain"], 0.5)
        self.assertLess(peak["strain"] + 0.02, rows[-1]["strain"])
        # it is seen at every 0.2 % of strain, from steps between rows: rates there differ by a few per cent
        self.assertLess(rate[-1], 0.03)
        self.assertGreater(min(rate[:-1 - int(0.002 / step)], default=0.0), -0.03)
        before = max(rows, key=lambda row: row["strain_volume"])
        self.assertLess(before["strain"], 0.5 * rows[-1]["strain"])  # where it was 0 before the peak

    def test_b_at_constant_smallest_stress(self):
        rows = numbers("cell")  # s1 along y, s2 along z, s3 along x
        for row in rows[20:]:
            x, y, z = (row["stress_" + k] for k in ("xx", "yy", "zz"))
            self.assertLess(abs(x - rows[0]["stress_xx"]), 1e-3 * row["p"])
            self.assertLess(abs(z - x - 0.4 * (y - x)), 1e-3 * row["p"])
        self.assertGreater(row["p"], 1.2 * rows[0]["p"])

    def assert_straight(self, stage, increments):
        """Stresses other than those that are not controlled change in proportion, within the tolerance of the servo."""
        rows = numbers(stage)
        size = math.sqrt(sum(t * t for t in increments.values()))
        for row in rows:
            way = {k: row["stress_" + k] - rows[0]["stress_" + k] for k in increments}
            along = sum(way[k] * t for k, t in increments.items()) / size
            for k, t in increments.items():
                self.assertLess(abs(way[k] - along * t / size), 2e-3 * row["p"], (stage, k))
        self.assertGreater(along, 0.05 * rows[0]["p"])
        return rows

    def test_stress_paths_are_straight(self):
        rows = self.assert_straight("slope", {"xx": 1.6, "yy": 0.7, "zz": 0.7})
        self.assertAlmostEqual(rows[-1]["q"], 40e3, delta=400)
        self.assertGreater(rows[-1]["stress"], rows[0]["stress"])
        self.assertEqual(rows[-1]["strain"], rows[-1]["strain_xx"])
        rows = self.assert_straight("down", {"xx": -1, "yy": -1, "zz": -1})  # q is constant, p falls
        self.assertAlmostEqual(rows[-1]["p"], 90e3, delta=900)
        rows = self.assert_straight("oblique", {"xx": 0.4, "yy": 0.0, "zz": 1.0, "xz": 0.3, "yz": 0.0})
        self.assertAlmostEqual(rows[-1]["stress_zz"], 130e3, delta=600)
        self.assertEqual(rows[-1]["strain_xy"], 0.0)

    def test_shear_stresses_are_free_or_zero(self):
        """Free: the cell keeps its angles. Zero: within the tolerance of the servo, from the first steps on."""
        for stage in ("extend", "lode", "undrained", "flat", "slope"):
            for row in numbers(stage):
                self.assertEqual([row["strain_" + k] for k in ("yz", "xz", "xy")], [0.0] * 3, stage)
            self.assertGreater(max(abs(row["stress_" + k]) for k in ("yz", "xz", "xy")), 2e-3 * row["p"], stage)
        for stage, shears in (("upright", "yz xz xy"), ("both", "yz xz xy"), ("between", "yz xz xy"), ("inclined", "yz xy")):
            rows = numbers(stage)
            for row in rows[20:]:
                for k in shears.split():
                    self.assertLess(abs(row["stress_" + k]), 1e-3 * row["p"], stage)
            self.assertTrue(any(row["strain_" + k] != 0.0 for k in shears.split()), stage)
        self.assert_straight("inclined", {"xx": 0.0, "yy": 0.0, "zz": 1.0, "xz": 0.3})

    def test_consolidation_to_a_ratio(self):
        rows = numbers("consolidate")  # q/p = 0.6 at 150 kPa: 90 kPa
        p = rows[0]["p"]
        rows = self.assert_straight("consolidate", {"xx": 150e3 - p - 30e3, "yy": 150e3 - p - 30e3, "zz": 150e3 - p + 60e3})
        self.assertAlmostEqual(rows[-1]["q"] / rows[-1]["p"], 0.6, delta=4e-3)
        self.assertAlmostEqual(rows[-1]["p"], 150e3, delta=600)
        rows = numbers("along")  # K = 1/1.75 is q/p = 0.6
        for row in rows:
            self.assertAlmostEqual(row["q"] / row["p"], 0.6, delta=8e-3)
        self.assertAlmostEqual(rows[-1]["p"], 200e3, delta=800)

    def test_creep_and_relaxation(self):
        for stage, column, still in (("held", "stress", "held"), ("fixed", "strain", "fixed")):
            rows = numbers(stage)
            step = rows[1]["time"] - rows[0]["time"]
            self.assertAlmostEqual(rows[-1]["time"] - rows[0]["time"], 1e-4, delta=step, msg=still)
            for row in rows:
                for k in ("xx", "yy", "zz", "yz", "xz", "xy"):
                    change = abs(row[f"{column}_{k}"] - rows[0][f"{column}_{k}"])
                    self.assertLessEqual(change, 2e-3 * row["p"] if column == "stress" else 0.0, (stage, k))
            other = "strain_volume" if column == "stress" else "p"
            self.assertNotEqual(rows[-1][other], rows[0][other])

    def assert_total(self, stage, bulk, normal):
        """The pore pressure follows from the pores, and the total confining stress is constant."""
        rows = numbers(stage)
        grains = rows[0]["volume"] * (1.0 - rows[0]["porosity"])
        start = rows[0]["pore_pressure"]
        total = sum(rows[0][f"stress_{k}"] for k in normal) / len(normal) + start
        for row in rows:
            squeezed = math.log((rows[0]["volume"] - grains) / (row["volume"] - grains))
            self.assertAlmostEqual(row["pore_pressure"], start + bulk * squeezed, delta=1e-6 * bulk * 1e-3)
            self.assert_close(row["p_total"], row["p"] + row["pore_pressure"], row["p_total"])
            held = sum(row[f"stress_{k}"] for k in normal) / len(normal) + row["pore_pressure"]
            self.assertAlmostEqual(held, total, delta=2e-3 * row["p"], msg=stage)
        return rows

    def test_undrained_with_a_pore_fluid(self):
        rows = self.assert_total("sealed", 50e6, ("xx", "zz"))
        self.assertNotEqual(rows[-1]["volume"], rows[0]["volume"])
        self.assert_close(rows[0]["pore_pressure"], numbers("b_check")[-1]["pore_pressure"], 1e6)  # it goes on
        rows = self.assert_total("wet", 50e6, ("zz",))
        self.assertEqual(rows[0]["pore_pressure"], 0.0)
        self.assertEqual(rows[-1]["strain_xx"], 0.0)
        rows = self.assert_total("pump", 50e6, ("xx", "yy"))
        self.assertAlmostEqual(rows[-1]["cycle"], 2.0, delta=0.02)
        self.assertTrue(math.isnan(numbers("extend")[-1]["pore_pressure"]))

    def test_a_stiff_fluid_keeps_the_volume(self):
        plain, still, stiff = numbers("undrained"), numbers("still"), numbers("stiff")
        self.assertEqual([row["p"] for row in plain], [row["p"] for row in still])
        for a, b, c in zip(plain, still, stiff):
            self.assert_close(b["pore_pressure"], 200e3 + a["pore_pressure"], 1e6)
            self.assert_close(b["p_total"], b["p"] + b["pore_pressure"], 1e6)
            self.assertLess(abs(c["strain_volume"]), 1e-6)
        # 80 grains slip one by one, and never in quite the same way: mean over the stage
        for name in ("p", "q", "pore_pressure"):
            mean = [sum(row[name] for row in rows) / len(rows) for rows in (still, stiff)]
            self.assertLess(abs(mean[1] - mean[0]), 0.02 * still[0]["p"], name)

    def test_a_pore_pressure_below_vacuum_is_told(self):
        log = Path(WHOLE.name + "/out/run.log").read_text().split("\n")
        least = min(row["pore_pressure"] for row in numbers("sucking")) / 1e3
        self.assertLess(least, -100)
        self.assertEqual([line for line in log if "pore pressure falls" in line],
                         [f"warning: sucking: the pore pressure falls to {least:.4g} kPa; below -100 kPa, vacuum, a fluid cavitates, which is not "
                          f"modelled; raise back_pressure by at least {-100 - least:.4g} kPa"])

    def test_skempton(self):
        drained, closed = numbers("squeeze"), numbers("b_check")
        stiffness = (drained[-1]["p"] - drained[0]["p"]) / drained[-1]["strain_volume"]
        b = (closed[-1]["pore_pressure"] - 200e3) / (closed[-1]["p_total"] - closed[0]["p_total"])
        wanted = 1.0 / (1.0 + closed[0]["porosity"] * stiffness / 50e6)
        self.assertAlmostEqual(closed[-1]["p_total"], 310e3, delta=200)
        self.assertAlmostEqual(b, wanted, delta=0.02)

    def test_plane_strain(self):
        rows = numbers("flat")  # loaded along x, fixed along y, held along z
        p = rows[0]["p"]
        for row in rows:
            self.assertLess(abs(row["strain_yy"]), 1e-12)
            self.assertLess(abs(row["stress_zz"] - rows[0]["stress_zz"]), 1e-3 * p)
            normal = [row["stress_" + k] for k in ("xx", "yy", "zz")]
            shear = [row["stress_" + k] for k in ("yz", "xz", "xy")]
            q = math.sqrt(0.5 * sum((a - b) ** 2 for a, b in zip(normal, normal[1:] + normal[:1])) + 3 * sum(t * t for t in shear))
            self.assertAlmostEqual(row["q"], math.copysign(q, normal[0] - normal[2]), delta=1e-3 * p)
        self.assertGreater(rows[-1]["stress_yy"], 1.05 * rows[0]["stress_yy"])

    def test_general_follows_one_component(self):
        plain, general = numbers("flat"), numbers("flat_general")
        self.assertEqual(len(plain), len(general))
        for a, b in zip(plain, general):
            for name in ("strain", "stress", "q", "strain_zz", "stress_yy"):
                self.assert_close(b[name], a[name], a["p"] if "strain" not in name else 1e-2)
        rows = numbers("sideways")  # along y, in extension
        for row in rows:
            self.assertEqual(row["strain"], row["strain_yy"])
            self.assertEqual(row["stress"], row["stress_yy"])
            self.assertAlmostEqual(row["strain_xx"], -2.0 * row["strain_yy"], delta=1e-12)
            self.assertAlmostEqual(abs(row["q"]), row["stress_deviator"], delta=1e-9 * row["p"])
            self.assertGreaterEqual(0.0, row["q"] * (row["p"] - row["stress_yy"]))
        step = abs(rows[-1]["strain"]) / rows[-1]["stage_step"]
        self.assertEqual(len(rows), 5)
        for k, row in enumerate(rows):
            self.assertAlmostEqual(row["strain"], -5e-4 * k, delta=1.01 * step)
        self.assertLess(numbers("pulled")[-1]["stress_yy"], 95e3)

    def test_general_ramps_over_a_strain(self):
        rows = numbers("ramped")
        start = rows[0]["stress_xx"]
        for row in rows:
            wanted = start + (120e3 - start) * min(row["strain_zz"] / 2e-3, 1.0)
            self.assertAlmostEqual(row["stress_xx"], wanted, delta=2e-3 * row["p"])

    def test_what_a_stage_does_not_have_is_nan(self):
        dry = ("ru", "pore_pressure", "p_total")
        absent = {"specimen": ("cycle", *dry), "settle": ("cycle", *dry),
                  "extend": ("cycle", *dry), "drained": ("cycle", *dry), "undrained": ("cycle",),
                  "back": ("cycle",), "shake": (), "push": (), "fly": ("cycle", *dry),
                  "turn": ("sliding_fraction", "redundancy", "cycle", *dry), "b_check": ("ru", "cycle")}
        for stage, names in absent.items():
            for row in texts(stage)[1 if stage == "specimen" else 0:]:
                found = {name for name, value in row.items() if value.strip() == "nan" and not name.endswith("_modulus") and
                         not name.startswith("stiffness_")}  # with output.moduli only
                if float(row["stress_deviator"]) < 0.021 * float(row["p"]):  # the share of hardly any deviator
                    found.discard("strong_q")
                if row["fabric_xx"] == "nan":  # the preparation begins without contacts
                    self.assertEqual(stage, "specimen")
                    self.assertEqual(float(row["coordination"]), 0.0)
                    found = {name for name in found if not name.startswith(("fabric_", "anisotropy_", "strong_", "friction_"))}
                self.assertEqual(found, set(names), stage)
        first = texts("specimen")[0]
        self.assertEqual(float(first["coordination"]), 0.0)
        self.assertEqual({first["fabric_" + k] for k in ("xx", "yz", "deviator")}, {"nan"})
        self.assertEqual(float(first["rattlers"]), 80)


class OtherMaterial(CliTest):
    """A face-centred cubic lattice of spheres of radius R: its bulk modulus is sqrt2/3 kn/R."""
    TEXT = """
specimen: {count: 32, arrangement: fcc, sizes: {d: 1 mm}, preparation: {pressure: 100 kPa}}
material: {kn: 1e6, friction: 0.5}
output: {history: {steps: 1}}
stages:
  - {name: soft, path: isotropic, pressure: 110 kPa, end: {unbalanced: 1e-6}}
  - {name: stiff, path: isotropic, pressure: 360 kPa, end: {unbalanced: 1e-6}, material: {kn: 3e6, kt_ratio: 0.5, friction: 0.3}}
"""

    def test_the_bulk_modulus_follows_the_stiffness_of_the_stage(self):
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            (folder / "a.yaml").write_text(self.TEXT)
            done = run("run", "a.yaml", "--out", "out", "--quiet", cwd=folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            with open(folder / "out/history.csv", newline="") as file:
                rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
            check = run("check", "a.yaml", cwd=folder).stdout
        self.assertEqual(re.findall(" material: .*", check), [" material: kn 3e+06 N/m, kt_ratio 0.5"])
        ends = {}
        for name, kn in (("soft", 1e6), ("stiff", 3e6)):
            stage = [row for row in rows if row["stage"] == name]
            first, last = ([float(row[key]) for key in ("p", "strain_volume")] for row in (stage[0], stage[-1]))
            modulus = (last[0] - first[0]) / (last[1] - first[1])
            # the modulus depends on the prestress by a few overlap/R, 1e-3
            self.assertAlmostEqual(modulus / (math.sqrt(2) / 3 * kn / 0.5e-3), 1.0, delta=2e-3)
            ends[name] = first[0], last[0]
            # the change is no work: the balance closes to rounding
            stored = max(float(row["normal"]) for row in stage)
            for row in stage:
                self.assertLess(abs(float(row["residual"])), 1e-9 * stored)
        # overlaps stay, forces are three times as large
        self.assertAlmostEqual(ends["stiff"][0] / ends["soft"][1], 3.0, delta=1e-9)


if __name__ == "__main__":
    unittest.main()
