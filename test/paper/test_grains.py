# SPDX-License-Identifier: BSD-3-Clause
"""paper/grains.py finds the peak, the scatter and the spread that made-up tests were given."""

import csv
import json
import math
import os
import pathlib
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["TWIRL_SOURCE"])
STEP, LAST = 5e-5, 0.08  # of strain
PEAK, BEND = 1.5, 40.0  # q/p = PEAK - BEND (strain - strain of the peak)^2


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return [{k: float(v) if k != "size" else v for k, v in row.items()} for row in csv.DictReader(file)]


def write_test(folder, name, bodies, at=0.04, above=0.0, noise=0.0, last=LAST):
    """A parabola with its peak at strain `at`, `above` too high, and alternating noise. Dilatancy 0.8 up to 3 %, then 0.5."""
    (folder / name).mkdir()
    (folder / name / "summary.json").write_text(json.dumps({"bodies": bodies}), encoding="utf-8")
    with open(folder / name / "history.csv", "w", encoding="utf-8") as file:
        file.write("stage,strain,strain_volume,stress_ratio,porosity,coordination,sliding_fraction\nsettle,9,9,9,0.4,7,0\n")
        for k in range(round(last / STEP) + 1):
            strain = k * STEP
            volume = -0.8 * min(strain, 0.03) - 0.5 * max(strain - 0.03, 0.0)
            ratio = PEAK + above - BEND * (strain - at) ** 2 + noise * (-1) ** k
            file.write(f"shear,{strain!r},{volume!r},{ratio!r},0.36,6.7,{0.4 if strain >= 0.02 else 0.9}\n")


def analyse(folder, *until):
    (folder / "results").mkdir(exist_ok=True)
    command = [SOURCE / "paper/grains.py", folder, folder / "results", *until]
    return subprocess.run(command, capture_output=True, text=True, check=False)


class Analysis(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.made = tempfile.TemporaryDirectory()
        folder = pathlib.Path(cls.made.name)
        # Two small specimens differ in strength by 0.04 and in the strain of the peak by 0.02; the larger ones have noise less
        # by the root of 8, and differ by 0.04 over that root.
        for seed, sign in ((1, -1), (2, 1)):
            write_test(folder, f"grains_1x1x1_{seed}", 1000, at=0.04 + sign * 0.01, above=sign * 0.02, noise=0.01)
            write_test(folder, f"grains_2x2x2_{seed}", 8000, above=sign * 0.02 / math.sqrt(8), noise=0.01 / math.sqrt(8))
        write_test(folder, "grains_3x3x3_1", 27000)
        (folder / "grains_3x3x3_1/summary.json").unlink()  # not finished
        cls.done = analyse(folder)
        assert cls.done.returncode == 0, cls.done.stderr
        cls.specimens, cls.sizes = rows(folder / "results/grains.csv"), rows(folder / "results/grains_sizes.csv")
        cls.curve = rows(folder / "results/grains_1000.csv")

    @classmethod
    def tearDownClass(cls):
        cls.made.cleanup()

    def test_peak_of_a_curve_and_of_its_running_mean(self):
        # A straight line through a window of width w is BEND w^2/12 too low at the vertex. Alternating noise shifts the mean of
        # the hundred points of a window by up to a hundredth of the noise, and thereby the peak to where the parabola is as
        # much lower.
        first, shift = self.specimens[0], 0.01 / 100
        self.assertAlmostEqual(first["peak"], PEAK - 0.02 + 0.01, delta=1e-6)
        self.assertAlmostEqual(first["peak_mean"], PEAK - 0.02 - BEND * 0.005 ** 2 / 12, delta=1.1 * shift)
        self.assertAlmostEqual(first["peak_mean_strain"], 0.03, delta=math.sqrt(2 * shift / BEND))
        self.assertAlmostEqual(first["peak_strain"], 0.03, delta=STEP)
        self.assertAlmostEqual(first["near_peak_to"] - first["near_peak_from"], 2 * math.sqrt(0.01 * 1.48 / BEND), delta=2e-4)

    def test_scatter_is_that_of_the_noise(self):
        for row in self.specimens:
            noise = 0.01 if row["grains"] == 1000 else 0.01 / math.sqrt(8)
            self.assertAlmostEqual(row["scatter"] / noise, 1.0, delta=0.01)
        self.assertAlmostEqual(self.sizes[1]["scatter_exponent"], -0.5, delta=0.01)

    def test_spread_between_specimens(self):
        for row, half in zip(self.sizes, (0.02, 0.02 / math.sqrt(8))):
            self.assertAlmostEqual(row["peak_mean_spread"], half * math.sqrt(2), delta=2e-4)
        self.assertAlmostEqual(self.sizes[0]["peak_strain_spread"], 0.01 * math.sqrt(2), delta=2 * STEP)
        self.assertAlmostEqual(self.sizes[1]["peak_mean_spread_exponent"], -0.5, delta=0.01)

    def test_maxima_exceed_the_peak_of_the_mean_curve(self):
        """By the noise, and by what the mean of two shifted parabolas is lower than their peaks."""
        # mean of the two: PEAK - BEND ((x - 0.04)^2 + 0.01^2)
        self.assertAlmostEqual(self.sizes[0]["peak_of_mean"], PEAK - BEND * 1e-4, delta=3e-4)
        self.assertAlmostEqual(self.sizes[0]["excess"], 0.01 + BEND * 1e-4, delta=3e-4)
        self.assertAlmostEqual(self.sizes[0]["peak_of_mean_strain"], 0.04, delta=2e-3)

    def test_sliding_and_dilatancy(self):
        self.assertAlmostEqual(self.specimens[0]["sliding"], 0.4, delta=1e-9)
        self.assertAlmostEqual(self.specimens[0]["dilatancy"], 0.8, delta=1e-6)
        self.assertLess(self.specimens[0]["dilatancy_strain"], 0.03)

    def test_unfinished_tests_are_left_out(self):
        self.assertEqual([(r["grains"], r["specimens"]) for r in self.sizes], [(1000.0, 2.0), (8000.0, 2.0)])

    def test_curves_are_thinned(self):
        self.assertLess(len(self.curve), 1000)
        self.assertEqual((self.curve[0]["strain"], self.curve[-1]["strain"]), (0.0, LAST))

    def test_tests_to_different_strains_are_refused(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            write_test(folder, "grains_1x1x1_1", 1000, above=0.01, noise=0.01)
            write_test(folder, "grains_1x1x1_2", 1000, noise=0.01, last=0.06)
            done = analyse(folder)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("0.06 to 0.08", done.stderr)
            # Up to a strain that all have reached, whether or not they have finished
            write_test(folder, "grains_2x2x2_1", 8000, noise=0.01, last=0.07)
            (folder / "grains_2x2x2_1/summary.json").unlink()
            write_test(folder, "grains_2x2x2_2", 8000, last=0.05)
            done = analyse(folder, "0.055")
            self.assertEqual(done.returncode, 0, done.stderr)
            found = rows(folder / "results/grains.csv")
        self.assertEqual([(r["grains"], r["seed"]) for r in found], [(1000.0, 1.0), (1000.0, 2.0), (8000.0, 1.0)])
        for row in found:
            self.assertAlmostEqual(row["last_strain"], 0.055, delta=STEP)


if __name__ == "__main__":
    unittest.main()
