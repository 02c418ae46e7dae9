# SPDX-License-Identifier: BSD-3-Clause
"""twirl movie: as many pictures as there are states, with one camera and one range of colours, and a mark on the curve."""

import csv
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from cli import CliTest, run
from test_render import read_png

SCENARIO = """
specimen:
  count: 60
  sizes: {distribution: uniform, d_min: 0.8 mm, d_max: 1.2 mm}
  preparation: {pressure: 100 kPa, friction: 0.2, inertial_number: 0.02, unbalanced: 0.05}
material: {stiffness_level: 300, friction: 0.5}
stages:
  - {name: one, path: triaxial, inertial_number: 0.01, end: {strain: 4 %}, save: begun}
  - {name: two, path: triaxial, inertial_number: 0.01, end: {strain: 4 %}}
  - {name: three, path: triaxial, inertial_number: 0.01, end: {strain: 4 %}}
  - {name: again, path: triaxial, from: begun, inertial_number: 0.01, end: {strain: 2 %}}
output: {history: {strain: 0.1 %}, lammps: {strain: 1 %}}
"""
STATES = ("states/specimen", "stages/one", "stages/two", "stages/three")  # of the first test
FFMPEG = shutil.which("ffmpeg") and shutil.which("ffprobe")
LINE, MARK = (82, 82, 82), (213, 94, 0)


class MovieTest(CliTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        with open(os.path.join(cls.folder, "s.yaml"), "w", encoding="utf-8") as file:
            file.write(SCENARIO)
        done = run("run", "s.yaml", "--quiet", "--out", "run", cwd=cls.folder)
        assert done.returncode == 0, done.stderr
        shutil.copytree(os.path.join(cls.folder, "run"), os.path.join(cls.folder, "bare"),
                        ignore=shutil.ignore_patterns("lammps"))

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def movie(self, *arguments, **options):
        return run("movie", "run", "--quiet", *arguments, cwd=self.folder, **options)

    def pictures(self, *arguments, folder="run"):
        """What is said, and the pictures in order."""
        shutil.rmtree(self.path("p"), ignore_errors=True)
        done = run("movie", folder, "--quiet", "--pictures", "p", *arguments, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout, [read_png(self.path("p", name)) for name in sorted(os.listdir(self.path("p")))]

    def copy(self):
        shutil.rmtree(self.path("copy"), ignore_errors=True)
        shutil.copytree(self.path("run"), self.path("copy"))

    def box_of(self, picture, colour):
        """First and last column and row that have exactly the colour."""
        _, _, rows = picture
        found = [(x, y) for y, row in enumerate(rows) for x, pixel in enumerate(row) if pixel == colour]
        xs, ys = zip(*found)
        return min(xs), max(xs), min(ys), max(ys)

    def cell(self, state):
        """Edges along x and z, from the export of the state."""
        done = run("export", "csv", self.path("run", state + ".h5"), "--out", "cell.csv", cwd=self.folder)
        if done.returncode:
            self.fail(done.stderr)
        with open(self.path("cell.csv"), encoding="utf-8") as file:
            numbers = [float(word) for word in file.readline().split(":")[1].split()]
        return numbers[0], numbers[8]

    def test_camera_stands_still(self):
        said, pictures = self.pictures("--chains", "--stage", "one,two,three", "--view", "y", "--size", "400x300",
                                       "--dpi", "300", "--no-axes", "--no-scale", "--no-bar", "--figure", "none", folder="bare")
        self.assertEqual(len(pictures), len(STATES))
        pixel = float(re.search(r"pixels of (\S+) m", said)[1])
        boxes = [self.box_of(picture, LINE) for picture in pictures]
        for state, (left, right, top, bottom) in zip(STATES, boxes):
            width, height = self.cell(state)
            # Lines are 0.5 pt wide, 2 pixels, and the edges of the cell are tilted by less than 1 %.
            self.assertAlmostEqual(right - left, width / pixel, delta=1 + 2 + 0.01 * height / pixel)
            self.assertAlmostEqual(bottom - top, height / pixel, delta=1 + 2 + 0.01 * width / pixel)
            # The origin is where it was.
            self.assertLessEqual(abs(left - boxes[0][0]), 1)
            self.assertLessEqual(abs(bottom - boxes[0][3]), 1)
        # In the end the cell is lower by more than the tolerance.
        self.assertGreater(boxes[-1][2] - boxes[0][2], 10)

    def test_one_range_of_colours(self):
        said, _ = self.pictures("--chains", "--stage", "one,two,three", "--size", "64x64", folder="bare")
        ends = []
        for state in STATES:
            alone = run("render", self.path("run", state + ".h5"), "--chains", "--size", "40x30", "--out", "a.png",
                        cwd=self.folder).stdout
            ends.append([float(word) for word in re.search(r"force (\S+) to (\S+) N", alone).groups()])
        low, high = re.search(r"force (\S+) to (\S+) N", said).groups()
        self.assertEqual(float(low), min(end[0] for end in ends))
        self.assertEqual(float(high), max(end[1] for end in ends))

    def test_states_and_frames_once(self):
        # 0, 1, 2, 3, 4 ... 12 % of the first test and 0, 1, 2 % of the second; states where there are both.
        with open(self.path("run", "history.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        said, _ = self.pictures("--size", "64x64")
        dumps = [name for name in os.listdir(self.path("run", "lammps")) if name.endswith(".dump")]
        ends = {stage: max(int(row["stage_step"]) for row in rows if row["stage"] == stage)
                for stage in ("one", "two", "three", "again")}
        moments = set()
        for name in dumps:
            stage = name.rsplit("_", 1)[0]
            step = self.timestep(name) - self.timestep(sorted(d for d in dumps if d.startswith(stage + "_"))[0])
            before = {"two": "one", "three": "two"}.get(stage)
            moments.add((before, ends[before]) if step == 0 and before else (stage, step))
        moments |= set(ends.items())
        self.assertIn(f"p: {len(moments)} pictures of 64x64", said)
        for look, count in ((["--chains"], len(moments)), (["--color", "rattlers"], len(moments)),
                            (["--chains", "--color", "mobilisation"], 6)):  # frames do not have the friction
            self.assertIn(f"p: {count} pictures", self.pictures("--size", "64x64", *look)[0])
        self.assertGreater(len(moments), 15)

    def timestep(self, name):
        with open(self.path("run", "lammps", name), encoding="utf-8") as file:
            lines = [file.readline() for _ in range(4)]  # the units, with the rotation of the frame, come first
            self.assertEqual(lines[2], "ITEM: TIMESTEP\n")
            return int(lines[3])

    def test_mark_is_at_the_strain(self):
        with open(self.path("run", "history.csv"), encoding="utf-8") as file:
            rows = [row for row in csv.DictReader(file) if row["stage"] != "specimen"]
        # Strain of the test at the ends of its stages, as the figure has it: ln(L0/L).
        strains = [0.0] + [float([row for row in rows if row["stage"] == stage][-1]["total_strain_zz"])
                           for stage in ("one", "two", "three")]
        _, pictures = self.pictures("--chains", "--size", "640x360", folder="bare")
        self.assertEqual(len(pictures), len(strains) + 2)  # start and end of the other test
        places = []
        for picture in pictures[:len(strains)]:
            left, right, _, _ = self.box_of(picture, MARK)
            places.append((left + right) / 2)
        for strain, place in zip(strains, places):
            share = (strain - strains[0]) / (strains[-1] - strains[0])
            self.assertAlmostEqual(place, places[0] + share * (places[-1] - places[0]), delta=1.0)
        self.assertGreater(places[-1] - places[0], 50)

    @unittest.skipUnless(FFMPEG, "ffmpeg is not installed: no film is encoded")
    def test_films(self):
        for name in ("run/movie.webm", "a.mp4", "a.gif"):
            stale = self.path(name + ".999999999.0.tmp")  # of a process that was killed
            with open(stale, "w", encoding="utf-8"):
                pass
            done = self.movie("--size", "96x64", *(() if name.endswith("webm") else ("--out", name)))
            self.assertFalse(os.path.exists(stale))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            count = int(re.search(r": (\d+) pictures of 96x64, ", done.stdout)[1])
            told = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-select_streams", "v", "-show_entries",
                                   "stream=nb_read_frames,width,height", "-of", "csv=p=0", self.path(name)],
                                  capture_output=True, text=True, check=True).stdout
            self.assertEqual(told.strip(), f"96,64,{count}")
            with open(self.path(name), "rb") as film:
                first = film.read()
            self.movie("--size", "96x64", "--out", name)
            with open(self.path(name), "rb") as film:
                self.assertEqual(film.read(), first)
        self.assertEqual([name for name in os.listdir(self.path("run")) if name.endswith(".tmp")], [])

    def test_ffmpeg_that_misbehaves(self):
        """One that leaves early, and one that writes nothing, both with status 0."""
        for script, words in (("exit 0", "it ended before the last picture"), ("cat >/dev/null", "ffmpeg failed on a.webm")):
            with self.subTest(script=script):
                os.makedirs(self.path("bin"), exist_ok=True)
                with open(self.path("bin", "ffmpeg"), "w", encoding="utf-8") as file:
                    file.write(f"#!/bin/sh\n{script}\n")
                os.chmod(self.path("bin", "ffmpeg"), 0o755)
                done = self.movie("--size", "640x360", "--out", "a.webm", env={"PATH": self.path("bin") + ":" + os.environ["PATH"]})
                self.assert_refused(done, words, status=1)
                self.assertEqual([name for name in os.listdir(self.folder) if name.startswith("a.webm")], [])

    def test_several_curves(self):
        _, pictures = self.pictures("--chains", "--size", "640x540", "--figure", "stress_ratio,void_ratio", folder="bare")
        for _, _, rows in pictures[1:4]:
            marks = [y for y, row in enumerate(rows) if MARK in row]
            self.assertTrue(min(marks) < 270 < max(marks))
        _, whole = self.pictures("--chains", "--size", "640x360", "--figure", "none", folder="bare")
        self.assertNotIn(MARK, {pixel for row in whole[1][2] for pixel in row})

    def test_dark_pictures(self):
        _, pictures = self.pictures("--chains", "--size", "640x360", "--background", "black", folder="bare")
        self.assertEqual(pictures[1][2][0][-1], (0, 0, 0))  # the curve, too

    def test_nonaffine_since_the_first_picture(self):
        said, _ = self.pictures("--color", "nonaffine", "--stage", "one", "--size", "64x64")
        self.assertRegex(said, r"nonaffine 0 to \S+ m")

    def test_fields_have_one_range_and_begin_with_the_first_picture(self):
        said, _ = self.pictures("--field", "shear_strain", "--window", "1", "--stage", "one", "--size", "64x64")
        self.assertRegex(said, r"shear_strain 0 to 0\.\d+\n")

    def test_unfinished_and_failed_runs(self):
        self.copy()
        os.remove(self.path("copy", "summary.json"))
        done = run("movie", "copy", "--quiet", "--pictures", "q", "--size", "64x64", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("copy was interrupted: the film shows what there is", done.stderr)
        with open(self.path("copy", "failure.txt"), "w", encoding="utf-8") as file:
            file.write("a grain has left\n")
        done = run("movie", "copy", "--quiet", "--pictures", "q", "--size", "64x64", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("copy failed: a grain has left: the film shows what there is", done.stderr)

    def test_too_few_pictures(self):
        self.copy()
        shutil.rmtree(self.path("copy", "lammps"))
        for state in ("states/specimen", "stages/one", "stages/two", "states/begun"):
            os.remove(self.path("copy", state + ".h5"))
        self.assert_refused(run("movie", "copy", "--stage", "two,three", cwd=self.folder),
                            "copy: one state or frame of the stages shown: a film needs two at least",
                            "twirl run SCENARIO.yaml --set 'output.states.strain=0.25 %'")
        self.assert_refused(run("movie", "copy", "--stage", "one", "--chains", "--color", "mobilisation", cwd=self.folder),
                            "no state of")

    def test_refusals(self):
        self.assert_refused(self.movie("--size", "64x64", env={"PATH": "/nonexistent"}), "ffmpeg not found",
                            "Debian: ffmpeg", "--pictures DIR", status=1)
        self.assert_refused(self.movie("--out", "a.avi"), "'a.avi' is not FILE.webm, FILE.mp4 or FILE.gif")
        self.assert_refused(self.movie("--figure", "a,b,c,d,e"), "5 curves are more than 4")
        self.assert_refused(self.movie("--figure", "nothing"), "no curve 'nothing'", "stress_ratio, ", "or none")
        self.assert_refused(self.movie("--stage", "nothing"), "--stage", "nothing")
        self.assert_refused(self.movie("--background", "transparent"), "cannot be transparent")
        self.assert_refused(self.movie("--size", "20x20"), "too small")
        self.assert_refused(run("movie", "nowhere", cwd=self.folder), "nowhere: not the folder of a run")
        self.assert_refused(run("movie"), "RUN is missing")


if __name__ == "__main__":
    unittest.main()
