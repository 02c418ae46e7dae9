# SPDX-License-Identifier: BSD-3-Clause
"""The commands info, export and import. TWIRL names the program."""

import math
import os
import re
import shutil
import subprocess
import unittest

from samples import SampleTest
from test_vtk import read_vtk

TWIRL = os.environ.get("TWIRL", "twirl")

DFILE = "7\n2 1 1 1\n0.1 0 0\n6\n0.6 0.8 0.64\n0.1 0.3 0.4 0.5 1 0 0 0\n0.2 0.7 0.6 0.5 0 1 0 0\n"
# The union of the seven spheres at size 1, by an independent computation.
BUMPY_VOLUME = 4.616634


def run(*arguments, env=None, stdout=subprocess.PIPE, cwd=None, program=TWIRL):
    done = subprocess.run([program, *arguments], stdout=stdout, stderr=subprocess.PIPE, check=False,
                          timeout=60, env={**os.environ, **(env or {})}, cwd=cwd)
    done.stdout = (done.stdout or b"").decode()
    done.stderr = done.stderr.decode()
    return done


class CommandTest(SampleTest):
    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def info(self, path):
        """{word at the start of a line: the rest}"""
        done = run("info", path)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = [line.split(None, 1) for line in done.stdout.splitlines() if line[0] != " "]
        return {line[0]: line[1] for line in lines}

    def assert_refused(self, done, *needles, status=2):
        self.assertEqual(done.returncode, status, done.stderr)
        for needle in needles:
            self.assertIn(needle, done.stderr)


class Info(CommandTest):
    def test_dfile(self):
        found = self.info(self.write("grains", DFILE))
        self.assertIn("OVAL/DEMPLA D-file, bumpy grains", found["kind"])
        self.assertEqual(found["bodies"], "2, 1 shape")
        self.assertEqual(found["spheres"], "14")
        self.assertIn("periodic", found["cell"])
        solid = BUMPY_VOLUME * (0.1**3 + 0.2**3)
        porosity, ratio = found["porosity"].split(", void ratio ")
        self.assertAlmostEqual(float(porosity), 1 - solid, delta=2e-6)  # printed with six places
        self.assertAlmostEqual(float(ratio), (1 - solid) / solid, delta=1e-5)
        small, large = ((6 / 3.14159265358979 * BUMPY_VOLUME) ** (1 / 3) * r for r in (0.1, 0.2))
        self.assertIn(f"{small:.5f}", found["diameter"])
        self.assertIn(f"D50 {large:.5f}", found["diameter"])

    def test_csv_without_a_cell_has_no_porosity(self):
        found = self.info(self.write("spheres.csv", "x,y,z,radius\n1,2,3,0.5\n3,2,3,1\n"))
        self.assertEqual(found["kind"], "CSV file of spheres")
        self.assertEqual(found["cell"], "none; the spheres fill a box of 3.5 x 2 x 2 m")
        self.assertNotIn("porosity", found)

    def test_grading(self):
        """Cubes of diameters: one grain of 4 has 64 of 125, 27 of 1 have 27, 200 of 0.5 have 25, 576 of 0.25 have 9."""
        radii = [2.0] + [0.5] * 27 + [0.25] * 200 + [0.125] * 576
        path = self.write("mixed.csv", "x,y,z,radius\n" + "".join(f"{10 * k},0,0,{r}\n" for k, r in enumerate(radii)))
        found = self.info(path)
        self.assertEqual(found["diameter"], "0.25 to 4 m, D50 4 m (spheres of equal volume)")
        self.assertEqual(found["grading"], "D10 0.5 m, D30 1 m, D60 4 m, Cu 8, Cc 0.5")
        self.assert_refused(run("info", self.folder, "--grading", "x"), "--grading: give a state")
        if not shutil.which("gnuplot"):
            self.skipTest("gnuplot is not installed")
        done = run("info", path, "--grading", self.path("figure"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(self.path("figure/grading.csv"), encoding="utf-8") as file:
            curve = [tuple(map(float, line.split(",")[2:4])) for line in file.read().splitlines()[1:102]]
        for finer, size in ((7, 250), (8, 500), (27, 500), (28, 1000), (48, 1000), (49, 4000), (100, 4000)):  # 7.2, 27.2, 48.8 %
            self.assertEqual(curve[finer], (size, finer))
        *_, svg, png = self.read("figure", "grading.gp").split("\nset output")
        self.assertIn("unset key\nplot", svg)  # after what the format sets
        self.assertIn("unset key\nplot", png)

    def test_forces(self):
        """The density of the file against a count of the contacts."""
        self.assert_refused(run("info", self.write("one.csv", "x,y,z,radius\n0,0,0,1\n"), "--forces", "x"), "no contact forces")
        if not shutil.which("gnuplot"):
            self.skipTest("gnuplot is not installed")
        done = run("info", self.path("sheared.h5"), "--forces", self.path("forces"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(self.path("forces/forces.csv"), encoding="utf-8") as file:
            rows = [line.split(",") for line in file.read().splitlines()[1:] if "all contacts" in line]
        forces = [c["fn"] for c in self.truth["sheared"]["contacts"]]
        mean = sum(forces) / len(forces)
        for *_, x, y, _ in rows:
            if x == "nan":
                continue
            count = sum(abs(f / mean - float(x)) <= 0.125 for f in forces)
            self.assertAlmostEqual(float(y), count / len(forces) / 0.25, delta=1e-8)
        self.assertAlmostEqual(sum(float(row[-2]) for row in rows if row[-2] != "nan") * 0.25, 1.0, delta=1e-7)
        strong = 100.0 * sum(f > mean for f in forces) / len(forces)
        self.assertIn(f"strong: {strong:.1f} % of contacts", self.read("forces", "forces.gp"))

    def test_checkpoint(self):
        for scene, truth in self.truth.items():
            found = self.info(self.path(scene + ".h5"))
            self.assertRegex(found["kind"], r"^checkpoint, format version \d+$")
            self.assertEqual(found["spheres"], str(len(truth["spheres"])))
            self.assertTrue(found["time"].startswith(f"{truth['time']:.17g} s, {truth['steps']} steps"))
            walls = sum(c["body_q"] < 0 for c in truth["contacts"])
            sliding = sum(c["sliding"] for c in truth["contacts"])
            self.assertEqual(found["contacts"],
                             f"{len(truth['contacts'])}, {sliding} sliding, {walls} with walls")
            for word in ("stress", "energy", "hash", "porosity", "law"):
                self.assertIn(word, found)

    def test_bad_files_are_refused(self):
        self.assert_refused(run("info", self.path("absent")), "twirl info: cannot read", "absent")
        self.assert_refused(run("info", self.folder), "not the folder of a run")
        self.assert_refused(run("info", self.write("text", "Dear reader\n")), "'Dear reader'",
                            "a D-file", "a CSV", "a checkpoint")
        self.assert_refused(run("info", self.write("short", DFILE[:-3])), "short:7:", "wrong number of values: 7 instead of 8")
        with open(self.path("box.h5"), "rb") as file:
            whole = file.read()
        for damaged in (whole[:600], whole[:5000] + b"x" + whole[5001:]):
            with open(self.path("damaged.h5"), "wb") as file:
                file.write(damaged)
            self.assert_refused(run("info", self.path("damaged.h5")), "damaged.h5")

    def test_bad_options_are_refused(self):
        self.assert_refused(run("info"), "FILE is missing")
        self.assert_refused(run("info", "a", "b"), "unexpected argument 'b'")
        with open("/dev/full", "wb") as full:
            done = run("info", self.write("grains", DFILE), stdout=full)
        self.assert_refused(done, "cannot write", status=1)


class Export(CommandTest):
    def export(self, form, source, target):
        done = run("export", form, source, "--out", target)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_export_of_a_checkpoint_equals_that_of_the_library(self):
        for scene in self.truth:
            for form, ending in (("csv", ".csv"), ("dump", ".dump"), ("contacts", ".local")):
                target = self.path("converted" + ending)
                self.export(form, self.path(scene + ".h5"), target)
                self.assertEqual(self.read("converted" + ending), self.read(scene + ending))

    def test_files_are_named_after_the_input(self):
        where = self.path("here")
        os.mkdir(where)
        for form, names in (("csv", ["sheared.csv"]), ("dump", ["sheared.dump"]),
                            ("contacts", ["sheared.local"]), ("vtk", ["sheared_vtk"])):
            done = run("export", form, self.path("sheared.h5"), cwd=where)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(set(names) <= set(os.listdir(where)), form)

    def test_dfile_becomes_csv_and_back(self):
        source = self.write("grains_0.566", DFILE)
        self.export("csv", source, self.path("grains.csv"))
        before, after = self.info(source), self.info(self.path("grains.csv"))
        for word in ("spheres", "diameter", "volume", "porosity", "cell"):
            self.assertEqual(before[word], after[word])

    def test_vtk_gets_a_series(self):
        source = self.write("grains_0.566", DFILE)
        self.export("vtk", source, self.path("new"))
        names = sorted(os.listdir(self.path("new")))
        self.assertEqual(names, sorted(f"grains_0.566_{end}" for end in (
            "spheres.pvd", "contacts.pvd", "cell.pvd", "spheres_000000.vtu", "contacts_000000.vtp",
            "cell_000000.vtp")))
        self.export("vtk", self.path("box.h5"), self.path("new"))
        self.assertIn("box_spheres.pvd", os.listdir(self.path("new")))

    def test_fields_are_a_grid_of_the_cell(self):
        done = run("export", "fields", self.path("sheared.h5"), "--since", self.path("sheared.h5"), "--window", "1",
                   "--out", self.path("fields.vts"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        counts = [int(n) for n in re.search(r": (\d+) x (\d+) x (\d+) points, coarse graining in \S+ m\n$", done.stdout).groups()]
        text = self.read("fields.vts")
        self.assertIn('<StructuredGrid WholeExtent="0 {} 0 {} 0 {}">'.format(*counts), text)
        self.assert_refused(run("export", "csv", self.path("sheared.h5"), "--window", "2"), "--window has no effect on csv")
        self.assert_refused(run("export", "fields", self.path("sheared.h5"), "--since", "absent"), "absent")
        found = read_vtk(self.path("fields.vts"))
        if found is None:
            self.skipTest("VTK is not installed (Debian: python3-vtk9)")
        self.assertEqual((found[0]["errors"], len(found[0]["cells"])), (0, math.prod(counts)))
        self.assertEqual(len(found[0]["points"]), math.prod(n + 1 for n in counts))
        for component, rows in ((1, "porosity"), (9, "stress"), (9, "strain"), (3, "rotation")):
            self.assertEqual(found[0]["cell_data"][rows][1], component)
        self.assertEqual([round(x, 12) for x in found[0]["points"][0]], [0.0, 0.0, 0.0])

    def test_bad_use_is_refused(self):
        source = self.write("grains", DFILE)
        self.assert_refused(run("export"), "FORMAT is missing")
        self.assert_refused(run("export", "csv"), "IN is missing")
        self.assert_refused(run("export", "csv", "a", "b"), "unexpected argument 'b'")
        self.assert_refused(run("export", "cvs", source), "'cvs'", "mean 'csv'")
        self.assert_refused(run("export", "csv", "/absent"), "cannot read /absent")
        self.assert_refused(run("export", "csv", source, "--out", "/absent/a.csv"), "/absent/a.csv",
                            status=1)
        self.assert_refused(run("export", "lammps", source, "--hold"), "was removed", "'twirl-lmp run'")
        self.assertFalse(os.path.exists(self.path("a.csv")))


class Gaps(CommandTest):
    """A state that bodies have left, without its contacts and with them: what is drawn and computed does not know of numbers."""

    SCENARIO = ("specimen: {checkpoint: gaps.h5}\nmaterial: {kn: 1e5, friction: 0.05}\n"
                "stages: [{path: free_flight, end: {steps: 60}}]\noutput: {lammps: {steps: 20}}\n")

    def rows(self, source):
        self.assertEqual(run("export", "csv", source, "--out", self.path("rows.csv")).returncode, 0)
        return [line.split(",") for line in self.read("rows.csv").splitlines() if line[0] != "#"][1:]

    def test_pictures_are_those_of_the_dump(self):
        for options in (["--color", "coordination"], ["--color", "displacement"], ["--chains"]):
            said = []
            for name in ("gaps.h5", "gaps.dump"):
                done = run("render", self.path(name), "--size", "40x30", "--out", self.path("a.png"), *options)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                said.append(done.stdout.split("m, ", 1)[1])
            self.assertEqual(said[0], said[1])

    def test_a_run_begins_with_it(self):
        """In twirl-lmp too; its film has a picture for each frame."""
        bodies = len({s["body"] for s in self.truth["gaps"]["spheres"]})
        with open(self.path("run.yaml"), "w", encoding="utf-8") as file:
            file.write(self.SCENARIO)
        places = []
        for name, program in (("here", TWIRL), ("there", os.environ.get("TWIRL_LMP"))):
            if not program:
                continue
            done = run("run", self.path("run.yaml"), "--quiet", "--out", self.path(name), program=program)
            self.assertEqual(done.returncode, 0, done.stderr)
            places.append(self.rows(self.path(name, "stages", "1_free_flight.h5")))
            self.assertEqual(self.info(self.path(name, "stages", "1_free_flight.h5"))["bodies"].split(",")[0], str(bodies))
        for row in zip(*places):
            for a, b in zip(row[0], row[-1]):
                self.assertAlmostEqual(float(a), float(b), delta=1e-9)
        done = run("movie", self.path("here"), "--quiet", "--pictures", self.path("film"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertGreater(len(os.listdir(self.path("film"))), 2)


class Import(CommandTest):
    LAW = ("--kn", "1e5", "--kt", "1e5", "--mu", "0.3")

    def make(self, source, *options):
        out = self.path("made.h5")
        done = run("import", source, "--out", out, *self.LAW, *options)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        return self.info(out)

    def test_every_assembly_becomes_a_checkpoint(self):
        for source in (self.write("grains", DFILE), self.path("sheared.csv"), self.path("sheared.dump"),
                       self.path("box.dump")):
            before, after = self.info(source), self.make(source)
            for word in ("spheres", "diameter", "porosity"):
                self.assertEqual(before[word], after[word])
            self.assertIn("mu 0.3", after["law"])

    def test_data_file_brings_its_density(self):
        data = self.write("one.data", "x\n1 atoms\n0 2 xlo xhi\n0 2 ylo yhi\n0 2 zlo zhi\n\nAtoms\n\n1 1 0.5 2600 0.5 1.5 1\n")
        self.assertIn("2600 kg/m^3", self.make(data)["density"])
        self.assertIn("1000 kg/m^3", self.make(data, "--density", "1000")["density"])

    def test_affine_velocity_is_subtracted(self):
        """A sphere that moves with the cell, but faster by 1 along x, keeps 1 along x."""
        self.write("flow.data", "x\n1 atoms\n0 2 xlo xhi\n0 2 ylo yhi\n0 2 zlo zhi\n\nAtoms\n\n"
                   "1 1 0.5 2650 0.5 1.5 1 0 0 0\n\nVelocities\n\n1 1.25 0 0 0 0 0\n")
        self.make(self.path("flow.data"), "--gradient", "-0.5 0 0 0 0 0 0 0 0")
        done = run("export", "dump", self.path("made.h5"), "--out", self.path("flow.dump"))
        self.assertEqual(done.returncode, 0, done.stderr)
        row = dict(zip(self.read("flow.dump").splitlines()[-2].split()[2:],
                       self.read("flow.dump").splitlines()[-1].split()))
        self.assertAlmostEqual(float(row["vx"]), 1.0, delta=1e-15)

    def test_spheres_of_yade_get_a_cell(self):
        text = "#format x_y_z_r_matId\n0.02 0.05 0.05 0.02 0\n0.06 0.05 0.05 0.021 4\n"
        path = self.write("yade.txt", text)
        law = ("--kn", "1e5", "--kt", "1e5", "--mu", "0.5", "--out", self.path("yade.h5"))
        self.assertIn("x_y_z_r file of spheres", self.info(path)["kind"])
        self.assertEqual(self.info(path)["types"], "1 to 5")
        done = run("import", path, *law, "--cell", "0.1 0.12 0.14", "--open", "c")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        found = self.info(self.path("yade.h5"))
        self.assertEqual(found["types"], "1 to 5")
        self.assertIn("0.00168 m^3", found["volume"])
        self.assertTrue(found["contacts"].startswith("1"), found["contacts"])
        csv = self.write("cell.csv", "# cell: 1 0 0 0 1 0 0 0 1\nx,y,z,r\n0.5,0.5,0.5,0.1\n")
        self.assert_refused(run("import", csv, *law, "--cell", "1 1 1"), "--cell", "has a cell")
        self.assert_refused(run("import", path, *law, "--cell", "1 1"), "--cell", "2 numbers")
        self.assert_refused(run("import", path, *law, "--cell", "1 1 0"), "cell")

    def test_open_edges(self):
        self.make(self.path("sheared.csv"), "--open", "bc")
        done = run("info", self.path("made.h5"))
        self.assertEqual(done.stdout.count("not periodic"), 2)

    def test_bad_use_is_refused(self):
        source = self.write("grains", DFILE)
        self.assert_refused(run("import"), "FILE is missing")
        self.assert_refused(run("import", source), "--kn is missing")
        self.assert_refused(run("import", source, *self.LAW, "--contacts=a"), "--contacts was removed", "'twirl-lmp run'")
        self.assert_refused(run("import", source, *self.LAW, "--bodies", "a"), "--bodies was removed", "--density")
        self.assert_refused(run("import", "a", "b"), "unexpected argument 'b'")
        self.assert_refused(run("import", "/absent", *self.LAW), "cannot read /absent")
        self.assert_refused(run("import", self.path("sheared.h5"), *self.LAW), "is a checkpoint (HDF5)")
        self.assert_refused(run("import", source, *self.LAW, "--open", "x"), "--open: 'x'")
        self.assert_refused(run("import", source, *self.LAW, "--gradient", "1 2"), "has 2 numbers")
        self.assert_refused(run("import", source, *self.LAW, "--out", "/absent/a.h5"), "/absent/a.h5",
                            status=1)
        two = ("x\n2 atoms\n0 2 xlo xhi\n0 2 ylo yhi\n0 2 zlo zhi\n\nAtoms\n\n"
               "1 1 0.5 2650 0.5 1.5 1\n2 1 0.5 1000 1.5 0.5 1\n")
        self.assert_refused(run("import", self.write("two.data", two), *self.LAW), "body 0 has a density of 2650",
                            "--density")

    def test_nothing_leaks(self):
        """Meaningful only if the program is built with the address sanitizer."""
        source = self.write("grains", DFILE)
        for arguments, status in ((("info", self.path("sheared.h5")), 0),
                                  (("export", "vtk", source, "--out", self.path("leak")), 0),
                                  (("export", "dump", self.path("sheared.csv"), "--out",
                                    self.path("leak.dump")), 0),
                                  (("import", self.path("sheared.dump"), *Import.LAW, "--out",
                                    self.path("leak.h5")), 0),
                                  (("info", self.write("short", DFILE[:-3])), 2)):
            done = run(*arguments, env={"ASAN_OPTIONS": "detect_leaks=1"})
            self.assertEqual(done.returncode, status, done.stderr)


if __name__ == "__main__":
    unittest.main()
