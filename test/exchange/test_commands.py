# SPDX-License-Identifier: BSD-3-Clause
"""twirl info and twirl convert from the outside. TWIRL names the binary."""

import os
import subprocess
import unittest

from samples import SampleTest

TWIRL = os.environ.get("TWIRL", "twirl")

DFILE = "7\n2 1 1 1\n0.1 0 0\n6\n0.6 0.8 0.64\n0.1 0.3 0.4 0.5 1 0 0 0\n0.2 0.7 0.6 0.5 0 1 0 0\n"
# The union of the seven spheres at size 1, by an independent computation.
BUMPY_VOLUME = 4.616634


def run(*arguments, env=None, stdout=subprocess.PIPE):
    done = subprocess.run([TWIRL, *arguments], stdout=stdout, stderr=subprocess.PIPE, check=False,
                          timeout=60, env={**os.environ, **(env or {})})
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
        self.assertIn("D-file of OVAL/DEMPLA, bumpy grains", found["kind"])
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
        self.assertEqual(found["kind"], "CSV of spheres")
        self.assertEqual(found["cell"], "none; the spheres fill a box of 3.5 x 2 x 2 m")
        self.assertNotIn("porosity", found)

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
        self.assert_refused(run("info", self.folder), "directory")
        self.assert_refused(run("info", self.write("text", "Dear reader\n")), "'Dear reader'",
                            "a D-file", "a CSV", "a checkpoint")
        self.assert_refused(run("info", self.write("short", DFILE[:-3])), "short:7:", "7 numbers")
        with open(self.path("box.h5"), "rb") as file:
            whole = file.read()
        for damaged in (whole[:600], whole[:5000] + b"x" + whole[5001:]):
            with open(self.path("damaged.h5"), "wb") as file:
                file.write(damaged)
            self.assert_refused(run("info", self.path("damaged.h5")), "damaged.h5")

    def test_bad_options_are_refused(self):
        self.assert_refused(run("info"), "FILE is missing")
        self.assert_refused(run("info", "a", "b"), "'b' is the second")
        with open("/dev/full", "wb") as full:
            done = run("info", self.write("grains", DFILE), stdout=full)
        self.assert_refused(done, "cannot write", status=1)


class Convert(CommandTest):
    def convert(self, source, target):
        done = run("convert", source, target)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_checkpoint_gives_what_the_library_wrote(self):
        for scene in self.truth:
            for ending in (".csv", ".dump", ".local"):
                target = self.path("converted" + ending)
                self.convert(self.path(scene + ".h5"), target)
                self.assertEqual(self.read("converted" + ending), self.read(scene + ending))

    def test_dfile_becomes_csv_and_back(self):
        source = self.write("grains_0.566", DFILE)
        self.convert(source, self.path("grains.csv"))
        before, after = self.info(source), self.info(self.path("grains.csv"))
        for word in ("spheres", "diameter", "volume", "porosity", "cell"):
            self.assertEqual(before[word], after[word])

    def test_directories_get_a_series(self):
        source = self.write("grains_0.566", DFILE)
        self.convert(source, self.path("new/"))
        names = sorted(os.listdir(self.path("new")))
        self.assertEqual(names, sorted(f"grains_0.566_{end}" for end in (
            "spheres.pvd", "contacts.pvd", "cell.pvd", "spheres_000000.vtu", "contacts_000000.vtp",
            "cell_000000.vtp")))
        self.convert(self.path("box.h5"), self.path("new"))  # it exists: no slash is needed
        self.assertIn("box_spheres.pvd", os.listdir(self.path("new")))

    def test_bad_use_is_refused(self):
        source = self.write("grains", DFILE)
        self.assert_refused(run("convert", source), "OUT is missing")
        self.assert_refused(run("convert"), "IN is missing")
        self.assert_refused(run("convert", "a", "b.csv", "c"), "'c' is the third")
        self.assert_refused(run("convert", source, self.path("a.cvs")), "'.cvs'", "mean '.csv'")
        self.assert_refused(run("convert", source, self.path("a")), "ending ''")
        self.assert_refused(run("convert", "/absent", self.path("a.csv")), "cannot read /absent")
        self.assert_refused(run("convert", source, "/absent/a.csv"), "/absent/a.csv", status=1)
        self.assertFalse(os.path.exists(self.path("a.csv")))

    def test_nothing_leaks(self):
        """Says something only where the program is built with the address sanitizer."""
        source = self.write("grains", DFILE)
        for arguments, status in ((("info", self.path("sheared.h5")), 0),
                                  (("convert", source, self.path("leak/")), 0),
                                  (("convert", self.path("sheared.csv"), self.path("leak.dump")), 0),
                                  (("info", self.write("short", DFILE[:-3])), 2)):
            done = run(*arguments, env={"ASAN_OPTIONS": "detect_leaks=1"})
            self.assertEqual(done.returncode, status, done.stderr)


if __name__ == "__main__":
    unittest.main()
