# SPDX-License-Identifier: BSD-3-Clause
"""Several materials in a scenario, from the file to the contacts of the result."""

import collections
import csv
import itertools
import json
import math
import os
import shutil
import tempfile
import unittest

from cli import SCALE, CliTest, run

QUARTZ = {"young": 1e9, "poisson": 0.2, "friction": 0.5, "rolling": 0.2, "density": 2650.0}
RUBBER = {"young": 4e8, "poisson": 0.4, "friction": 0.3, "rolling": 0.1, "density": 1100.0}
PAIR_FRICTION = 0.4  # of quartz and rubber, more than the smaller of the two

SCENARIO = """specimen:
  count: 100
  sizes: {distribution: uniform, d_min: 0.8 mm, d_max: 1.2 mm}
  shapes: [{material: quartz, share: 2}, {material: rubber}]
  preparation: {pressure: 100 kPa, friction: 0.1, inertial_number: 0.03, unbalanced: 1e-2}
materials:
  - {name: quartz, young: 1 GPa, poisson: 0.2, friction: 0.5, rolling_friction: 0.2, restitution: 0.7,
     twisting_friction: 0.1}
  - {name: rubber, young: 400 MPa, poisson: 0.4, friction: 0.3, rolling_friction: 0.1, density: 1100,
     restitution: 0.9, twisting_friction: 0.1}
pairs: [{between: [rubber, quartz], friction: 0.4}]
damping: {local: 0.1}
stages: [{name: shear, path: triaxial, inertial_number: 1e-2, end: {strain: 1 %}, save: sheared}]
"""


class Materials(CliTest):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.write("two.yaml", SCENARIO)
        cls.done = cls.run_in("run", "two.yaml", "--quiet", "--threads", "1")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def path(cls, *names):
        return os.path.join(cls.folder.name, *names)

    @classmethod
    def write(cls, name, text):
        with open(cls.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    @classmethod
    def run_in(cls, *arguments):
        return run(*arguments, cwd=cls.folder.name)

    def history(self):
        with open(self.path("two", "history.csv"), encoding="utf-8") as file:
            return [{k: v if k in ("stage", "check") else float(v) for k, v in row.items()}
                    for row in csv.DictReader(file)]

    def summary(self, folder="two"):
        with open(self.path(folder, "summary.json"), encoding="utf-8") as file:
            return json.load(file)

    def grains(self):
        with open(self.path("shear.csv"), encoding="utf-8") as file:
            return list(csv.DictReader(line for line in file if not line.startswith("#")))

    def contacts(self):
        """Each contact with its two grains: (contact, first grain, second grain)."""
        for kind in ("csv", "contacts"):
            done = self.run_in("export", kind, "two/stages/shear.h5")
            self.assertEqual(done.returncode, 0, done.stderr)
        grains = self.grains()
        with open(self.path("shear.local"), encoding="utf-8") as file:
            lines = file.read().splitlines()
        at = next(k for k, line in enumerate(lines) if line.startswith("ITEM: ENTRIES"))
        names = lines[at].split()[2:]
        for line in lines[at + 1:]:
            contact = dict(zip(names, map(float, line.split())))
            yield (contact, grains[int(contact["body_p"])], grains[int(contact["body_q"])])

    def test_the_run_ends_well(self):
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        self.assertEqual([stage["name"] for stage in self.summary()["stages"]],
                         ["specimen", "shear"])

    def test_forces_follow_from_the_constants_of_both_materials(self):
        """fn = 4/3 E* sqrt(R*) zeta^(3/2), and tangential forces up to the friction of the pair."""
        seen = {}
        slid = 0
        for contact, p, q in self.contacts():
            pair = [QUARTZ if g["type"] == "1" else RUBBER for g in (p, q)]
            stiffness = 1.0 / sum((1.0 - m["poisson"] ** 2) / m["young"] for m in pair)
            radius = 1.0 / sum(1.0 / float(g["radius"]) for g in (p, q))
            fn = 4.0 / 3.0 * stiffness * math.sqrt(radius) * contact["zeta"] ** 1.5
            self.assertAlmostEqual(contact["fn"] / fn, 1.0, delta=1e-12)
            mixed = pair[0] is not pair[1]
            friction = PAIR_FRICTION if mixed else min(m["friction"] for m in pair)
            ft = math.hypot(*(contact[f"ft.{axis}"] for axis in "XYZ"))
            self.assertLessEqual(ft, friction * fn * (1.0 + 1e-12))
            # A sliding contact is at the limit of its pair, not of another.
            if contact["sliding"]:
                self.assertAlmostEqual(ft / (friction * fn), 1.0, delta=1e-9)
                slid += 1
            seen[tuple(sorted((p["type"], q["type"])))] = True
        self.assertEqual(len(seen), 3)
        self.assertGreater(slid, 5)

    def test_the_inertial_number_is_that_of_the_mean_density(self):
        self.run_in("export", "csv", "two/stages/shear.h5")
        mass, volume, diameters = 0.0, 0.0, []
        for grain in self.grains():
            each = 4.0 / 3.0 * math.pi * float(grain["radius"]) ** 3
            volume += each
            mass += each * (QUARTZ if grain["type"] == "1" else RUBBER)["density"]
            diameters.append(2.0 * float(grain["radius"]))
        first, *_, last = [row for row in self.history() if row["stage"] == "shear"]
        rate = last["strain_zz"] / (last["time"] - first["time"])
        number = rate * sum(diameters) / len(diameters) * math.sqrt(mass / volume / first["p"])
        self.assertAlmostEqual(number, 1e-2, delta=1e-5)  # rounding of a few thousand steps

    def series(self):
        with open(self.path("two", "materials.csv"), encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def test_the_series_is_the_sum_over_the_contacts_of_each_pair(self):
        """Counts exactly; stresses -sum b f, up to rounding, of which the history has the sum."""
        counts, sliding = collections.Counter(), collections.Counter()
        stress = collections.defaultdict(lambda: [[0.0] * 3 for _ in range(3)])
        found = list(self.contacts())
        with open(self.path("shear.csv"), encoding="utf-8") as file:
            cell = [float(x) for x in next(line for line in file if line.startswith("# cell: ")).split()[2:]]
        with open(self.path("shear.local"), encoding="utf-8") as file:
            turn = [float(x) for x in file.read().splitlines()[1].split()[2:]] or [1, 0, 0, 0, 1, 0, 0, 0, 1]
        for contact, p, q in found:
            image = [contact["PeriodicImage." + k] for k in "XYZ"]
            branch = [float(q[k]) - float(p[k]) + sum(cell[3 * j + i] * image[j] for j in range(3))
                      for i, k in enumerate("xyz")]
            force = [sum(turn[3 * j + i] * contact["force." + k] for j, k in enumerate("XYZ")) for i in range(3)]
            self.assertAlmostEqual(math.hypot(*branch) + contact["zeta"], float(p["radius"]) + float(q["radius"]), delta=1e-15)
            pair = ":".join(sorted("quartz" if g["type"] == "1" else "rubber" for g in (p, q)))
            counts[pair] += 1
            sliding[pair] += int(contact["sliding"])
            for i, j in itertools.product(range(3), repeat=2):
                part = -branch[i] * force[j] / 2.0
                stress[pair][i][j] += part
                stress[pair][j][i] += part
        self.assertEqual(len(counts), 3)
        total = [[sum(s[i][j] for s in stress.values()) for j in range(3)] for i in range(3)]
        trace = lambda s: s[0][0] + s[1][1] + s[2][2]
        deviator = [[total[i][j] - (i == j) * trace(total) / 3.0 for j in range(3)] for i in range(3)]
        product = lambda s: sum(s[i][j] * deviator[i][j] for i in range(3) for j in range(3))
        last, row = self.history()[-1], self.series()[-1]
        for pair in counts:
            self.assertEqual(float(row["contacts:" + pair]), counts[pair])
            self.assertEqual(float(row["sliding_fraction:" + pair]), sliding[pair] / counts[pair])
            # rounding of sums of 200 contacts, in another order
            self.assertAlmostEqual(float(row["share_p:" + pair]), trace(stress[pair]) / trace(total), delta=1e-13)
            self.assertAlmostEqual(float(row["share_q:" + pair]), product(stress[pair]) / product(deviator), delta=1e-13)
            # The stress of the history has that of the velocities besides, 1e-6 of it where the inertial number is 1e-2.
            p = trace(total) / 3.0 / last["volume"]
            self.assertAlmostEqual(p / last["p"], 1.0, delta=1e-4)
        self.assertGreater(sum(sliding.values()), 5)

    def test_the_series_goes_with_the_history(self):
        rows, history = self.series(), self.history()
        self.assertEqual([(r["step"], r["stage"], r["stage_step"]) for r in rows],
                         [("%d" % h["step"], h["stage"], "%d" % h["stage_step"]) for h in history])
        pairs = ("quartz:quartz", "quartz:rubber", "rubber:rubber")
        whole = 0
        for row, of in zip(rows, history):
            contacts = [float(row["contacts:" + pair]) for pair in pairs]
            self.assertAlmostEqual(2.0 * sum(contacts) / 100.0, of["coordination"], delta=1e-14 * 100)
            slid = sum(n * float(row["sliding_fraction:" + pair]) for n, pair in zip(contacts, pairs) if n > 0)
            if sum(contacts) > 0:
                self.assertAlmostEqual(slid / sum(contacts), of["sliding_fraction"], delta=1e-14)
                sums = [sum(float(row[share + pair]) for pair in pairs) for share in ("share_p:", "share_q:")]
                whole += not any(map(math.isnan, sums))
                for one in sums:  # NaN without the stress
                    self.assertFalse(abs(one - 1.0) > 1e-12, sums)
        self.assertGreater(whole, 0.9 * len(rows))
        with open(self.path("two", "datapackage.json"), encoding="utf-8") as file:
            table = json.load(file)["resources"][1]
        self.assertEqual(table["path"], "materials.csv")
        self.assertEqual([field["name"] for field in table["schema"]["fields"]], list(rows[0]))
        self.assertEqual({field.get("unit") for field in table["schema"]["fields"][4:-1]}, {"1"})

    def test_the_series_is_drawn(self):
        """A curve is that of the columns; all pairs are in a figure."""
        name = "share_p:quartz:rubber"
        with tempfile.TemporaryDirectory() as bin:
            os.symlink("/bin/true", os.path.join(bin, "gnuplot"))
            environment = {"PATH": f"{bin}:{os.environ['PATH']}"}
            for options, figure, curves in ((("--y", "materials." + name, "--x", "stress_ratio"), "curve", 1),
                                            (("--figure", "materials_share_p"), "materials_share_p", 3)):
                done = run("plot", self.path("two"), "--pdf", "--out", self.path("plots"), *options, env=environment)
                self.assertEqual(done.returncode, 0, done.stderr)
                with open(self.path("plots", figure + ".csv"), encoding="utf-8") as file:
                    points = list(csv.DictReader(file))
                self.assertEqual(len({point["title"] for point in points}), curves)
                drawn = [float(point["y"]) for point in points if point["title"] in ("shear", "quartz:rubber")]
                expected = [float(row[name]) for row in self.series() if row["stage"] == "shear"]
                self.assertEqual(len(drawn), len(expected))
                for y, value in zip(drawn, expected):
                    self.assertAlmostEqual(y, value, delta=1e-8)  # nine digits
        done = run("plot", self.path("two"), "--y", "materials.share_p:quartz:steel")
        self.assert_refused(done, "--y: 'materials.share_p:quartz:steel' is neither", "or of series")
        self.assertIn("materials.csv: contacts by pair of materials", run("info", self.path("two")).stdout)

    def test_the_energy_balance_has_every_column(self):
        rows = self.history()
        for row in rows:
            stored = sum(row[name] for name in ("kinetic", "rotational", "normal", "tangential",
                                                "stored_rolling", "stored_twisting"))
            lost = sum(row[name] for name in ("friction", "micro_slip", "rolling", "twisting",
                                              "contact_damping", "body_damping"))
            put_in = row["cell"] + row["start"]
            # Rounding error of a sum of 14.
            self.assertAlmostEqual(put_in - stored - lost, row["residual"],
                                   delta=1e-14 * (abs(put_in) + lost + 1e-9))
        last = rows[-1]
        for name in ("friction", "micro_slip", "rolling", "twisting", "contact_damping",
                     "stored_rolling", "stored_twisting"):
            self.assertGreater(last[name], 0.0, name)
        # Half the stable step, and collisions in the preparation.
        self.assertLess(abs(last["residual"]), 2e-3 * last["cell"])

    def continue_with(self, name, materials):
        """The hash after 20 steps from the end of the run, with other keys for materials."""
        self.write(f"{name}.yaml", "specimen: {checkpoint: two/states/sheared.h5}\n" + materials +
                   "stages: [{path: free_flight, end: {steps: 20}, damping: {local: 0.1}}]\n")
        done = self.run_in("run", f"{name}.yaml", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.summary(name)["stages"][-1]["hash"]

    def test_a_checkpoint_keeps_its_materials(self):
        """The list replaces the laws of a checkpoint by name, in any order."""
        lines = SCENARIO.splitlines(keepends=True)
        start = lines.index("materials:\n")
        quartz, rubber, pairs = lines[start + 1:start + 3], lines[start + 3:start + 5], lines[start + 5]
        turned = "".join(["materials:\n", *rubber, *quartz, pairs]).replace(" density: 1100,", "")
        kept = self.continue_with("kept", "")
        self.assertEqual(self.continue_with("turned", turned), kept)
        self.assertNotEqual(self.continue_with("other", turned.replace("0.4}", "0.1}")), kept)
        self.assertNotEqual(self.continue_with("single", "material: {friction: 0.1}\n"), kept)

    def test_a_checkpoint_has_no_other_materials(self):
        self.write("wrong.yaml", "specimen: {checkpoint: two/states/sheared.h5}\n"
                   "materials: [{name: quartz, young: 1 GPa}, {name: steel, young: 2 GPa}]\n"
                   "stages: [{path: relax, end: {steps: 20}}]\n")
        self.assert_refused(self.run_in("run", "wrong.yaml", "--quiet"),
                            "materials: they are not those of the checkpoint", "quartz, rubber")

    @unittest.skipIf(SCALE < 1.0, "slow; nothing new for sanitizers")
    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_a_specimen_is_shared_by_runs_with_other_friction(self):
        """The preparation has a friction of its own, so that of the materials does not count."""
        done = self.run_in("sweep", "two.yaml", "--vary", "materials[quartz].friction=0.4,0.5",
                           "--out", "sweep", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        hashes = set()
        for root, _, files in os.walk(self.path("sweep")):
            if "summary.json" in files:
                with open(os.path.join(root, "summary.json"), encoding="utf-8") as file:
                    stages = json.load(file)["stages"]
                if len(stages) == 2:
                    hashes.add(stages[-1]["hash"])
        self.assertEqual(len(hashes), 2)
        self.assertIn(self.summary()["stages"][-1]["hash"], hashes)


class Types(CliTest):
    def test_types_of_a_file_select_materials(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "grains.csv"), "w", encoding="utf-8") as file:
                file.write("# cell: 0.004 0 0 0 0.004 0 0 0 0.004\n# periodic: 1 1 1\n"
                           "x,y,z,radius,type\n")
                for i in range(64):
                    place = [0.0005 + 0.001 * k for k in (i % 4, i // 4 % 4, i // 16)]
                    file.write(",".join(map(repr, place)) + f",0.00051,{1 + 6 * (i % 2)}\n")
            scenario = os.path.join(folder, "a.yaml")
            with open(scenario, "w", encoding="utf-8") as file:
                file.write("specimen: {file: grains.csv}\n"
                           "materials: [{name: hard, type: 1, kn: 3e4}, {name: soft, type: 7, kn: 1e4}]\n"
                           "stages: [{path: free_flight, end: {steps: 1}}]\n")
            done = run("run", scenario, "--quiet", cwd=folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            done = run("export", "contacts", "a/stages/1_free_flight.h5", cwd=folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(os.path.join(folder, "1_free_flight.local"), encoding="utf-8") as file:
                lines = file.read().splitlines()
            at = next(k for k, line in enumerate(lines) if line.startswith("ITEM: ENTRIES"))
            names = lines[at].split()[2:]
            found = set()
            for line in lines[at + 1:]:
                c = dict(zip(names, map(float, line.split())))
                found.add((int(c["body_p"]) % 2 + int(c["body_q"]) % 2,
                           round(c["fn"] / c["zeta"], 3)))
            # springs in series; grains of equal parity touch along y and z
            self.assertEqual(found, {(0, 3e4), (1, 1.5e4), (2, 1e4)})
            done = run("run", scenario, "--quiet", "--set", "materials[soft].type=2",
                       "--out", os.path.join(folder, "b"), cwd=folder)
            self.assert_refused(done, "has grains of type 7", "add 'type: 7'")

    def test_a_series_with_too_many_columns_is_missed(self):
        for count in 10, 11:
            with tempfile.TemporaryDirectory() as folder:
                with open(os.path.join(folder, "grains.csv"), "w", encoding="utf-8") as file:
                    file.write("# cell: 0.004 0 0 0 0.004 0 0 0 0.004\n# periodic: 1 1 1\n"
                               "x,y,z,radius,type\n0.001,0.001,0.001,0.0005,1\n0.003,0.003,0.003,0.0005,2\n")
                with open(os.path.join(folder, "a.yaml"), "w", encoding="utf-8") as file:
                    file.write("specimen: {file: grains.csv}\n"
                               f"materials: [{', '.join(f'{{name: m{k}, type: {k}, kn: 3e4}}' for k in range(1, count + 1))}]\n"
                               "stages: [{path: free_flight, end: {steps: 1}}]\n")
                done = run("run", "a.yaml", "--quiet", cwd=folder)
                self.assertEqual(done.returncode, 0, done.stderr)
                with open(os.path.join(folder, "a", "summary.json"), encoding="utf-8") as file:
                    warnings = [text for text in json.load(file)["warnings"] if "materials.csv" in text]
                self.assertEqual(os.path.exists(os.path.join(folder, "a", "materials.csv")), count == 10)
                self.assertEqual(warnings, [] if count == 10 else [
                    "specimen: no materials.csv (contacts by pair of materials): 264 columns are more than the 251 that are read"])


if __name__ == "__main__":
    unittest.main()
