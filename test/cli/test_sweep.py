#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""twirl sweep: all cases run, once each, and the table is what the guide defines."""

import contextlib
import csv
import math
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from cli import SCALE, TWIRL, CliTest, run

HEAD = """
specimen:
  count: 60
  sizes: {distribution: uniform, d_min: 0.8 mm, d_max: 1.2 mm}
  preparation: {pressure: 100 kPa, friction: 0.1, inertial_number: 0.1, unbalanced: 0.02}
material: {stiffness_level: 500, friction: 0.5}
"""

SMALL = HEAD + """
stages:
  - {name: shear, path: triaxial, inertial_number: 1e-2, end: {strain: 3 %}}
output:
  history: {strain: 5e-4}
"""

# A stage for each set of definitions, all from the same state.
PATHS = HEAD + """
stages:
  - {name: drained, path: triaxial, from: specimen, inertial_number: 1e-2, end: {strain: 3 %}}
  - {name: extension, path: triaxial, from: specimen, axis: x, direction: extension,
     inertial_number: 1e-2, end: {strain: 2 %}}
  - {name: lode, path: true_triaxial, from: specimen, lode_angle: 30 deg, inertial_number: 1e-2,
     end: {strain: 2 %}}
  - {name: slope, path: stress_path, from: specimen, dq_dp: 1.5, inertial_number: 1e-2, end: {strain: 2 %}}
  - {name: simple, path: simple_shear, from: specimen, plane: xy, inertial_number: 1e-2,
     end: {strain: 4 %}}
  - {name: constant, path: simple_shear, from: specimen, plane: yz, constant: volume,
     direction: backward, inertial_number: 1e-2, end: {strain: 2 %}}
  - {name: undrained, path: undrained, from: specimen, inertial_number: 1e-2, end: {strain: 2 %}}
  - {name: oedometer, path: oedometer, from: specimen, inertial_number: 1e-2, end: {stress: 300 kPa}}
  - {name: unload, path: oedometer, direction: extension, inertial_number: 1e-2,
     end: {stress: 100 kPa, strain: 2 %}}
  - {name: press, path: isotropic, from: specimen, pressure: 250 kPa, inertial_number: 1e-2}
  - name: shake
    path: cyclic
    from: specimen
    cycle: {base: simple_shear, strain: 0.8 %}
    constant: volume
    friction: 0.03   # liquefies
    inertial_number: 1e-2
    end: {cycles: 3}
output:
  history: {steps: 5}
"""


def read_table(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def read_stage(folder, stage):
    """The rows of a stage, as lists of numbers by column."""
    rows = [row for row in read_table(folder / "history.csv") if row["stage"] == stage]
    return {name: [float(row[name]) for row in rows] for name in rows[0] if name != "stage"}


class SweepTest(CliTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.file = self.folder / "test.yaml"
        self.file.write_text(SMALL)

    def arguments(self, *options, out="out"):
        return ["sweep", str(self.file), "--out", str(self.folder / out), "--no-figures", *options]

    def sweep(self, *options, out="out", status=0):
        done = run(*self.arguments(*options, out=out))
        self.assertEqual(done.returncode, status, done.stderr)
        return self.folder / out


GRID = ("--vary", "material.friction=0.2,0.4", "--vary", "specimen.seed=1..2")


class Cases(SweepTest):
    def test_the_table_does_not_depend_on_the_number_of_jobs_and_threads(self):
        one = self.sweep(*GRID, "--jobs", "1", "--threads", "2", out="one")
        two = self.sweep(*GRID, "--jobs", "2", out="two")
        for name in ("table.csv", "table_mean.csv", "sweep.yaml"):
            self.assertEqual((one / name).read_bytes(), (two / name).read_bytes(), name)
        rows = read_table(one / "table.csv")
        self.assertEqual([row["case"] for row in rows],
                         ["friction=0.2_seed=1", "friction=0.2_seed=2",
                          "friction=0.4_seed=1", "friction=0.4_seed=2"])
        self.assertEqual({row["status"] for row in rows}, {"done"})
        table, mean = self.units_of(one, "table", "table_mean")
        self.assertEqual([table[name] for name in ("case", "material.friction", "status", "p_start", "peak_angle", "peak_ratio")],
                         [None, "1", None, "Pa", "deg", "1"])
        self.assertEqual([mean[name] for name in ("count", "strength", "strength_sd")], ["1", "Pa", "Pa"])
        self.assertFalse((one / "sweep.lock").exists())
        # The values have an effect.
        self.assertEqual(len({row["peak_ratio"] for row in rows}), 4)

    def compare_with_run(self, case, *settings):
        """All files, except the pairs for --resume, which are numbered, and the times."""
        plain = self.folder / "plain"
        done = run("run", str(self.file), *settings, "--out", str(plain), "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        names = {path.relative_to(plain) for path in plain.rglob("*") if path.is_file()}
        self.assertEqual(names, {path.relative_to(case) for path in case.rglob("*")
                                 if path.is_file()})
        self.assertIn(Path("states/specimen.h5"), names)
        for name in names:
            if not name.name.startswith(("checkpoint_", "run_state_", "timing.")):
                self.assertEqual((case / name).read_bytes(), (plain / name).read_bytes(), name)
        shutil.rmtree(plain)

    def test_a_case_is_the_run_of_its_scenario(self):
        """Also where the specimen was prepared once for several cases."""
        out = self.sweep(*GRID)
        prepared = sorted(path.name for path in (out / "specimens").iterdir())
        self.assertEqual(len(prepared), 2)
        for friction, seed in ((0.2, 2), (0.4, 1)):
            case = out / "cases" / f"friction={friction}_seed={seed}"
            self.compare_with_run(case, "--set", f"material.friction={friction}",
                                  "--set", f"specimen.seed={seed}")
            log = (out / "logs" / f"{case.name}.log").read_text()
            self.assertNotIn("compression with friction", log)

    @unittest.skipIf(SCALE < 1, "slow")
    def test_a_shared_specimen_may_come_from_a_search_for_friction(self):
        settings = ("--set", "specimen.preparation.friction=auto", "--set",
                    "specimen.preparation.void_ratio=0.62", "--set",
                    "specimen.preparation.tolerance=0.02")
        out = self.sweep("--vary", "material.friction=0.2,0.4", *settings)
        log = next((out / "logs").glob("specimen_*.log")).read_text()
        self.assertIn("trial 2", log)
        self.compare_with_run(out / "cases" / "friction=0.4", "--set", "material.friction=0.4",
                              *settings)

    def test_a_specimen_is_shared_only_where_its_preparation_is_the_same(self):
        out = self.sweep("--vary", "damping.local=0.2,0.4", "--vary", "stages[1].end.strain=1%,2%",
                         "--set", "specimen.preparation.friction=")
        self.assertEqual(len(list((out / "specimens").iterdir())), 2)
        out = self.sweep("--vary", "material.friction=0.2,0.4", out="follows",
                         *("--set", "specimen.preparation.friction="))
        self.assertEqual(list((out / "specimens").iterdir()), [])

    def test_means_are_taken_over_the_seed(self):
        out = self.sweep("--vary", "specimen.seed=1..3", "--vary", "material.friction=0.2,0.4")
        rows = read_table(out / "table.csv")
        means = read_table(out / "table_mean.csv")
        self.assertEqual([row["material.friction"] for row in means], ["0.2", "0.4"])
        for mean in means:
            group = [float(row["peak_ratio"]) for row in rows
                     if row["material.friction"] == mean["material.friction"]]
            self.assertEqual((len(group), mean["count"]), (3, "3"))
            average = sum(group) / 3
            deviation = math.sqrt(sum((value - average)**2 for value in group) / 2)
            self.assertAlmostEqual(float(mean["peak_ratio"]), average, delta=1e-14)
            self.assertAlmostEqual(float(mean["peak_ratio_sd"]), deviation, delta=1e-14)

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_figures_are_drawn(self):
        out = self.folder / "out"
        done = run("sweep", str(self.file), "--out", str(out), *GRID)
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("sweep.svg", "sweep.png", "sweep_values.svg", "sweep_values.png"):
            self.assertGreater((out / name).stat().st_size, 2000, name)

        # The second band is the mean of two curves, and their distance over the root of two; linear between rows.
        with open(out / "curves.csv", encoding="utf-8") as file:
            _, *lines = file.read().rstrip().split("\n")
        curves = [[tuple(map(float, row.split(",")[1:])) for row in block.split("\n")] for block in "\n".join(lines).split("\n\n")]
        self.assertEqual(len(curves), 4)
        band = [tuple(map(float, row[2:])) for row in csv.reader((out / "sweep.csv").read_text(encoding="utf-8").splitlines())
                if row and row[1] == "friction 0.4"]
        self.assertEqual(len(band), 201)
        self.assertAlmostEqual(band[0][0], 100 * max(curve[0][0] for curve in curves[2:]), delta=1e-6)
        self.assertAlmostEqual(band[-1][0], 100 * min(curve[-1][0] for curve in curves[2:]), delta=1e-6)
        for x, mean, deviation in band[1:-1]:
            pair = []
            for curve in curves[2:]:
                (x0, y0), (x1, y1) = next(two for two in zip(curve, curve[1:]) if two[0][0] <= x / 100 <= two[1][0])
                pair.append(y0 + (y1 - y0) * (x / 100 - x0) / (x1 - x0))
            self.assertAlmostEqual(mean, sum(pair) / 2, delta=1e-6)
            self.assertAlmostEqual(deviation, abs(pair[0] - pair[1]) / math.sqrt(2), delta=1e-6)
        for name in ("sweep.gp", "sweep_values.gp"):
            self.assertIn("title 'mean \u00b1 s.d., 2 seeds'", (out / name).read_text(encoding="utf-8"))

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_loops_have_no_mean(self):
        self.file.write_text(PATHS, encoding="utf-8")
        out = self.folder / "out"
        done = run("sweep", str(self.file), "--out", str(out), "--stage", "shake", "--vary", "specimen.seed=1..2", "--set", "specimen.count=30")
        self.assertEqual(done.returncode, 0, done.stderr)
        script = (out / "sweep.gp").read_text(encoding="utf-8")
        self.assertEqual((script.count("with lines"), script.count("filledcurves")), (4, 0))  # two curves, as SVG and PNG

    def test_ended_runs_are_noticed_where_the_caller_ignores_them(self):
        # A daemon may leave SIGCHLD ignored, and a program that it starts inherits that.
        done = subprocess.run([TWIRL, *self.arguments("--vary", "material.friction=0.2")], capture_output=True,
                              timeout=60, check=False, preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([row["status"] for row in read_table(self.folder / "out" / "table.csv")], ["done"])

    def test_a_failed_case_does_not_stop_the_others(self):
        done = run(*self.arguments("--vary", "specimen.preparation.void_ratio=0.62,0.2", "--set",
                                   "specimen.preparation.friction=auto", "--set",
                                   "specimen.preparation.tolerance=0.1", "--quiet"))
        self.assert_refused(done, "void_ratio=0.2 failed with exit status 3", "cannot be reached",
                            status=3)
        rows = read_table(self.folder / "out" / "table.csv")
        self.assertEqual([row["status"] for row in rows], ["done", "failed"])
        self.assertEqual(rows[1]["peak_ratio"], "nan")
        self.assertGreater(float(rows[0]["peak_ratio"]), 0.1)


class Values(SweepTest):
    def test_lists_and_ranges(self):
        out = self.sweep("--vary", "stages[shear].end.strain=0.1:0.3:3 %", "--vary",
                         "specimen.seed=1..5..4", "--set", "specimen.count=20")
        self.assertEqual([row["case"] for row in read_table(out / "table.csv")],
                         [f"strain={s}_%_seed={n}".replace("%", "_") for s in (0.1, 0.2, 0.3)
                          for n in (1, 5)])

    def test_values_that_cannot_be_read_are_refused(self):
        for vary, needle in (
                ("material.friction", "expected KEY=VALUES"),
                ("material.friction=", "a value is empty"),
                ("material.friction=0.1,,0.2", "a value is empty"),
                ("material.friction=0.1,0.1", "'0.1': is given twice"),
                ("specimen.seed=3..1", "needs A <= B"),
                ("specimen.seed=1..9..0", "the step of a range"),
                ("specimen.seed=1..99999", "more than 10000 values"),
                ("specimen.seed=-9000000000000000000..9000000000000000000", "1e15"),
                ("material.friction=0.1:0.5:1", "at least 2 values")):
            self.assert_refused(run(*self.arguments("--vary", vary)), needle)
        self.assert_refused(run(*self.arguments()), "--vary is missing")
        self.assert_refused(run(*self.arguments("--jobs", "0")), "--jobs")
        self.assert_refused(run(*self.arguments("--vary", "specimen.seed=1..2", "--vary",
                                                "specimen.seed=3..4")), "given twice")
        self.assert_refused(run(*self.arguments("--vary", "specimen.seed=1..2", "--set",
                                                "specimen.seed=3")), "by --set and by --vary")
        self.assertFalse((self.folder / "out").exists())

    def test_all_cases_are_checked_before_the_first_one_runs(self):
        done = run(*self.arguments("--vary", "material.friction=0.3,-1", "--vary",
                                   "specimen.count=50,zero"))
        self.assert_refused(done, "case friction=-1_count=50 and 1 more: --vary material.friction: material.friction: '-1'",
                            "case friction=0.3_count=zero and 1 more: ", "specimen.count",
                            "2 errors")
        done = run(*self.arguments("--vary", "material.fritcion=0.3,0.4", "--vary", "seed=1..3"))
        self.assert_refused(done, "--vary material.fritcion: ", "\n--vary seed: ", "2 errors")
        self.assertEqual(done.stderr.count("--vary"), 2, "the same mistake once")
        self.assertFalse((self.folder / "out").exists())

    def test_takes_are_checked_before_the_first_one_runs(self):
        for take, needle in (
                ("porosty", "did you mean 'porosity'?"),
                ("stage", "not a column of numbers"),
                ("max(q", "ends where ')' is expected"),
                ("median(q)", "'median'"),
                ("q@strain", "'=' and a number"),
                ("q@strain=a", "expected a number"),
                ("q@strain=0.1..0.2", "use max(), min() or mean()"),
                ("mean(q)@last=3", "'last'"),
                ("mean(q)@strain=0.2..0.1", "empty"),
                ("max(q)@first", "take a range"),
                ("none.q", "has no stage 'none'")):
            done = run(*self.arguments("--vary", "specimen.seed=1..2", "--take", take))
            self.assert_refused(done, "--take " + take, needle)
        self.assertFalse((self.folder / "out").exists())


class Folders(SweepTest):
    def test_other_folders_are_refused(self):
        foreign = self.folder / "foreign"
        foreign.mkdir()
        (foreign / "table.csv").write_text("mine\n")
        for options in ((), ("--resume",)):
            done = run(*self.arguments(*GRID, *options, out="foreign"))
            self.assert_refused(done, "is not empty (table.csv)", "--out")
        self.assertEqual([path.name for path in foreign.iterdir()], ["table.csv"])
        out = self.sweep("--vary", "specimen.seed=1..2")
        before = (out / "table.csv").read_bytes()
        self.assert_refused(run(*self.arguments("--vary", "specimen.seed=1..2")), "--resume")
        self.assert_refused(run(*self.arguments("--vary", "specimen.seed=2..3", "--resume")),
                            "holds another sweep", "its case 'seed=1'")
        self.file.write_text(SMALL.replace("3 %", "2 %"))
        self.assert_refused(run(*self.arguments("--vary", "specimen.seed=1..2", "--resume")),
                            "holds another sweep")
        self.assertEqual((out / "table.csv").read_bytes(), before)

    def test_more_values_and_seeds_are_added(self):
        """Where the values stand does not matter; the table is that of one sweep of all."""
        out = self.sweep("--vary", "material.friction=0.3", "--vary", "specimen.seed=2")
        more = ("--vary", "material.friction=0.2,0.3", "--vary", "specimen.seed=1..3")
        first = out / "cases" / "friction=0.3_seed=2"
        before = {path: path.stat().st_mtime_ns for path in first.rglob("*.h5")}
        self.sweep(*more, "--resume")
        self.assertEqual(before, {path: path.stat().st_mtime_ns for path in first.rglob("*.h5")})
        self.assertEqual(len(list((out / "cases").iterdir())), 6)
        table = (out / "table.csv").read_bytes()
        shutil.rmtree(out)
        self.assertEqual((self.sweep(*more) / "table.csv").read_bytes(), table)

    def test_finished_cases_are_not_run_again(self):
        out = self.sweep("--vary", "specimen.seed=1..2")

        def look():  # verifying opens files for writing, but saves no state
            files = [path for path in (out / "cases").rglob("*") if path.is_file()]
            return {path: (path.read_bytes(), path.suffix == ".h5" and path.stat().st_mtime_ns)
                    for path in files}

        before = look()
        table = read_table(out / "table.csv")
        self.sweep("--vary", "specimen.seed=1..2", "--resume", "--take", "max(q)")
        self.assertEqual([units["max(q)"] for units in self.units_of(out, "table", "table_mean")], ["Pa", "Pa"])
        self.assertTrue(before == look())
        after = read_table(out / "table.csv")
        for old, new, seed in zip(table, after, (1, 2)):
            most = max(read_stage(out / "cases" / f"seed={seed}", "shear")["q"])
            self.assertEqual(float(new.pop("max(q)")), most)
            self.assertEqual(old, new)

    def test_damaged_histories_are_refused(self):
        out = self.sweep("--vary", "specimen.seed=1..2")
        table = (out / "table.csv").read_bytes()
        path = out / "cases/seed=2/history.csv"
        lines = path.read_text().splitlines()
        names, row = lines[0].split(","), lines[4].split(",")

        def resume(*needles):
            """The folder of the case is refused, and the table stays."""
            done = run(*self.arguments("--vary", "specimen.seed=1..2", "--resume"))
            self.assert_refused(done, "seed=2", *needles)
            self.assertEqual(done.stdout, "")
            self.assertEqual((out / "table.csv").read_bytes(), table)

        def check(fields, problem):
            path.write_text("\n".join(lines[:4] + [",".join(fields)] + lines[5:]) + "\n")
            done = run("info", str(path.parent))
            self.assert_refused(done, f"{path}:5: {problem}")
            self.assertEqual(done.stdout, "")
            resume("history.csv", "line 5")

        for name in ("p", "rattlers", "check"):  # also columns without influence on the table
            k = names.index(name)
            check(row[:k] + ["1.5.2"] + row[k + 1:], f"column '{name}': '1.5.2' is not a number")
        check(row[:-2], f"column '{names[-2]}' is missing: the row has {len(row) - 2} of {len(row)} fields")
        k = names.index("coordination")
        path.write_text("\n".join(lines[:4] + [",".join(row[:k] + ["nan"] + row[k + 1:])] + lines[5:]))
        self.assertEqual(run("info", str(path.parent)).returncode, 0)
        resume("history.csv", "line 5")

    def test_exchanged_cases_are_refused(self):
        out = self.sweep("--vary", "specimen.seed=1..2")
        table = (out / "table.csv").read_bytes()
        one, two = out / "cases/seed=1", out / "cases/seed=2"
        one.rename(out / "aside")
        two.rename(one)
        (out / "aside").rename(two)
        self.assert_refused(run(*self.arguments("--vary", "specimen.seed=1..2", "--resume")),
                            "seed=1", "seed=2", "another scenario")
        self.assertEqual((out / "table.csv").read_bytes(), table)


def catches(pid, number):
    """Whether a process has a handler of the signal."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
    return int(status.split("SigCgt:")[1].split()[0], 16) >> (number - 1) & 1 == 1


def send(pids, number):
    """To those that have not ended."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


class Interruption(SweepTest):
    def processes(self, part=""):
        """The runs in this folder, or in a part of it."""
        found = []
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                line = path.read_bytes()
            except OSError:
                continue
            if str(self.folder).encode() in line and b"run\0" in line and part.encode() in line:
                found.append(int(path.parent.name))
        return found

    def start(self, *options):
        return subprocess.Popen([TWIRL, *self.arguments(*GRID, "--jobs", "2", *options)],
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def wait_for(self, process, ready):
        while process.poll() is None and not ready():
            time.sleep(0.005)

    def rows(self, out):
        """Of the histories of all cases."""
        return sum(path.read_bytes().count(b"\n") for path in (self.folder / out).glob("cases/*/history.csv"))

    def cut(self, rows):
        """Kills the sweep and its runs, wherever they are, once there are so many rows. Whether a run was cut: it has a history
        and no end. Runs are halted first, so that none of them ends in between."""
        process = self.start("--resume")
        self.wait_for(process, lambda: self.rows("out") >= rows)
        running = self.processes()
        send(running, signal.SIGSTOP)
        cases = [path.parent for path in (self.folder / "out").glob("cases/*/history.csv")]
        found = bool(running) and any(not (case / "summary.json").exists() for case in cases)
        process.kill()
        send(running, signal.SIGKILL)
        process.communicate()
        while self.processes():  # one that had just been started
            time.sleep(0.005)
        return found

    def cut_several_times(self, strain):
        """How many runs were cut. Removes what another length has left."""
        for name in ("whole", "out"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
        self.file.write_text(SMALL.replace("3 %", f"{strain} %"))
        self.sweep(*GRID, "--jobs", "2", out="whole")
        total = self.rows("whole")
        return sum(self.cut(share * total) for share in ((0.1, 0.3, 0.5, 0.7) if SCALE >= 1 else (0.3,)))

    def test_killed_and_resumed_it_gives_the_same_table(self):
        strain = 8  # longer where the machine is too fast to be cut
        while self.cut_several_times(strain) == 0:
            strain *= 2
        whole, out = self.folder / "whole", self.sweep(*GRID, "--resume")
        for name in ("table.csv", "table_mean.csv"):
            self.assertEqual((out / name).read_bytes(), (whole / name).read_bytes(), name)
        for case in (whole / "cases").iterdir():
            for name in ("history.csv", "stages/shear.json"):
                self.assertEqual((out / "cases" / case.name / name).read_bytes(),
                                 (case / name).read_bytes(), name)

    def test_a_signal_stops_the_runs_which_save_their_states(self):
        # Minutes, if nothing stopped them.
        self.file.write_text(SMALL.replace("1e-2", "1e-5"))
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
            process = self.start("--resume")
            # both of them: one that has no handler yet would end without a word, and specimens are made in no time
            self.wait_for(process,
                          lambda: sum(catches(pid, signal.SIGTERM) for pid in self.processes("/cases/")) == 2)
            process.send_signal(number)
            _, text = process.communicate(timeout=60)
            if number == signal.SIGKILL:
                break
            self.assertEqual(process.returncode, 128 + number, text)
            self.assertIn(f"stopped by {number.name}", text)
            self.assertEqual(self.processes(), [])
        deadline = time.monotonic() + 100.0
        while self.processes() and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertEqual(self.processes(), [], "runs stay behind")
        logs = [path.read_text() for path in (self.folder / "out" / "logs").iterdir()]
        self.assertEqual(sum(text.count("stopped by SIGTERM") for text in logs), 8, logs)


# ---- Definitions, computed here from the history ----


def principal(rows, i):
    """Principal stresses by Jacobi rotations."""
    a = [[rows["stress_" + "".join(sorted(x + y))][i] for y in "xyz"] for x in "xyz"]
    for _ in range(60):
        p, q = max(((0, 1), (0, 2), (1, 2)), key=lambda k: abs(a[k[0]][k[1]]))
        if abs(a[p][q]) < 1e-30:
            break
        angle = 0.5 * math.atan2(2.0 * a[p][q], a[q][q] - a[p][p])
        c, s = math.cos(angle), math.sin(angle)
        turn = [[float(i == j) for j in range(3)] for i in range(3)]
        turn[p][p] = turn[q][q] = c
        turn[p][q], turn[q][p] = s, -s
        half = [[sum(a[i][k] * turn[k][j] for k in range(3)) for j in range(3)] for i in range(3)]
        a = [[sum(turn[k][i] * half[k][j] for k in range(3)) for j in range(3)] for i in range(3)]
    return sorted(a[k][k] for k in range(3))


def friction_angle(rows, i):
    least, _, most = principal(rows, i)
    return math.degrees(math.asin((most - least) / (most + least)))


def at(x, y, place):
    """y where x first reaches `place`."""
    for i in range(len(x) - 1):
        if min(x[i], x[i + 1]) <= place <= max(x[i], x[i + 1]):
            t = (place - x[i]) / (x[i + 1] - x[i]) if x[i + 1] != x[i] else 0.0
            return (1.0 - t) * y[i] + t * y[i + 1]
    return math.nan


def mean(x, y, low, high):
    points = [(low, at(x, y, low))] + [p for p in zip(x, y) if low < p[0] < high]
    points.append((high, at(x, y, high)))
    return sum(0.5 * (b[0] - a[0]) * (a[1] + b[1])
               for a, b in zip(points, points[1:])) / (high - low)


class Definitions(SweepTest):
    """docs/guide/sweep.md"""

    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.file = Path(cls.place.name) / "paths.yaml"
        cls.file.write_text(PATHS)
        cls.out = Path(cls.place.name) / "out"
        cls.tables = {}
        for stage in ("drained", "extension", "lode", "slope", "simple", "constant", "undrained",
                      "oedometer", "unload", "press", "shake"):
            takes = ["--take", "void_ratio@strain=1%", "--take", "drained.porosity@first", "--take",
                     "q@max(p)", "--take", "min(drained.stress_zz)@strain=0.01..0.02", "--take",
                     "mean(drained.coordination)"] if stage == "drained" else []
            done = run("sweep", str(cls.file), "--vary", "material.friction=0.3,0.6", "--out",
                       str(cls.out), "--resume", "--no-figures", "--stage", stage, *takes)
            if done.returncode != 0:
                raise RuntimeError(done.stderr)
            cls.tables[stage] = read_table(cls.out / "table.csv")

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def setUp(self):
        pass

    def each(self, stage):
        for row in self.tables[stage]:
            yield row, read_stage(self.out / "cases" / row["case"], stage)

    def assert_value(self, row, name, expected, tolerance=1e-11):
        """The same formula in another order of operations: rounding, magnified by differences."""
        value = float(row[name])
        if math.isnan(expected):
            self.assertTrue(math.isnan(value), name)
            return
        self.assertAlmostEqual(value, expected, delta=tolerance * max(1.0, abs(expected)), msg=name)

    def over_p(self, deviator, rows):
        """q/p of axial paths: q is the axial minus the mean lateral stress."""
        return [q / p for q, p in zip(deviator, rows["p"])]

    def check_shear(self, row, rows, x, stress, ratio):
        peak = ratio.index(max(ratio))
        self.assert_value(row, "peak_ratio", ratio[peak])
        self.assert_value(row, "peak_strain", x[peak])
        self.assert_value(row, "peak_angle", friction_angle(rows, peak), 1e-7)
        strongest = stress.index(max(stress))
        self.assert_value(row, "strength", stress[strongest])
        self.assert_value(row, "strength_strain", x[strongest])
        self.assert_value(row, "modulus", (at(x, stress, 1e-3) - stress[0]) / 1e-3)
        low, high = 0.8 * x[-1], x[-1]
        angles = [friction_angle(rows, i) for i in range(len(x))]
        self.assert_value(row, "critical_ratio", mean(x, ratio, low, high))
        self.assert_value(row, "critical_angle", mean(x, angles, low, high), 1e-7)
        for name in ("p", "void_ratio", "coordination"):
            self.assert_value(row, "critical_" + name, mean(x, rows[name], low, high))
        middle = 0.9 * x[-1]
        volume = rows["strain_volume"]
        steady = abs(mean(x, volume, middle, high) - mean(x, volume, low, middle)) <= 0.01 * high
        for y in (ratio, rows["p"]):
            steady = steady and (abs(mean(x, y, middle, high) - mean(x, y, low, middle)) <=
                                 0.1 * abs(mean(x, y, low, high)))
        self.assertEqual(row["steady"], str(int(steady)))
        for name in ("p", "void_ratio", "coordination"):
            self.assert_value(row, name + "_start", rows[name][0])
        self.assert_value(row, "strain_end", rows["strain"][-1])

    def check_dilation(self, row, x, volume, angle_of):
        rates = [(-(at(x, volume, start + 0.01) - volume[i]) / 0.01, start + 0.005)
                 for i, start in enumerate(x) if start + 0.01 <= x[-1]]
        rate, place = max(rates)
        self.assert_value(row, "dilation_rate", rate, 1e-10)
        self.assert_value(row, "dilation_strain", place)
        self.assert_value(row, "dilation_angle", math.degrees(angle_of(rate)), 1e-9)

    def test_drained_triaxial_compression(self):
        for row, rows in self.each("drained"):
            deviator = [z - 0.5 * (x + y) for x, y, z in
                        zip(rows["stress_xx"], rows["stress_yy"], rows["stress_zz"])]
            self.check_shear(row, rows, rows["strain"], deviator, self.over_p(deviator, rows))
            self.check_dilation(row, rows["strain"], rows["strain_volume"],
                                lambda rate: math.asin(rate / (2.0 + rate)))
            # Lateral stresses are constant, so the two definitions of Young's modulus agree.
            young = (at(rows["strain"], rows["stress"], 1e-3) - rows["stress"][0]) / 1e-3
            self.assertAlmostEqual(float(row["modulus"]) / young, 1.0, delta=0.02)

    def test_triaxial_extension(self):
        for row, rows in self.each("extension"):
            deviator = [0.5 * (y + z) - x for x, y, z in
                        zip(rows["stress_xx"], rows["stress_yy"], rows["stress_zz"])]
            self.check_shear(row, rows, [-x for x in rows["strain"]], deviator, self.over_p(deviator, rows))
            self.assertEqual(row["dilation_angle"], "nan")

    def test_true_triaxial(self):
        for row, rows in self.each("lode"):
            self.check_shear(row, rows, rows["strain"], rows["stress"], rows["stress_ratio"])

    def test_stress_path(self):
        for row, rows in self.each("slope"):
            deviator = [z - 0.5 * (x + y) for x, y, z in
                        zip(rows["stress_xx"], rows["stress_yy"], rows["stress_zz"])]
            self.check_shear(row, rows, rows["strain"], deviator, self.over_p(deviator, rows))

    def test_simple_shear(self):
        for row, rows in self.each("simple"):
            ratio = [t / n for t, n in zip(rows["stress"], rows["stress_yy"])]
            self.check_shear(row, rows, rows["strain"], rows["stress"], ratio)
            self.check_dilation(row, rows["strain"], rows["strain_volume"], math.atan)
            self.assertGreater(float(row["peak_ratio"]), 0.1)

    def test_constant_volume(self):
        for row, rows in self.each("constant"):
            stress = [-t for t in rows["stress"]]
            ratio = [t / n for t, n in zip(stress, rows["stress_zz"])]
            self.check_shear(row, rows, [-x for x in rows["strain"]], stress, ratio)
            self.assertNotIn("dilation_rate", row)
        for row, rows in self.each("undrained"):
            least = rows["p"].index(min(rows["p"]))
            self.assert_value(row, "p_min", rows["p"][least])
            self.assert_value(row, "p_min_strain", rows["strain"][least])

    def check_compression(self, row, x, stress, void_ratio, factor):
        sign = 1.0 if x[-1] > 0.0 else -1.0
        self.assert_value(row, "modulus", (at(x, stress, sign * 1e-3) - stress[0]) / (sign * 1e-3))
        logs = [math.log10(value) for value in stress]
        before = at(logs, void_ratio, logs[-1] - math.log10(factor))
        self.assert_value(row, "compression_index",
                          (before - void_ratio[-1]) / math.log10(factor), 1e-10)

    def test_compression(self):
        for row, rows in self.each("oedometer"):
            self.check_compression(row, rows["strain"], rows["stress_zz"], rows["void_ratio"], 2.0)
            self.assert_value(row, "K0", 0.5 * (rows["stress_xx"][-1] + rows["stress_yy"][-1]) /
                              rows["stress_zz"][-1])
            self.assertGreater(float(row["compression_index"]), 0.0)
        for row, rows in self.each("unload"):
            self.check_compression(row, rows["strain"], rows["stress_zz"], rows["void_ratio"], 0.5)
        for row, rows in self.each("press"):
            self.check_compression(row, rows["strain"], rows["p"], rows["void_ratio"], 2.0)

    def test_cycles(self):
        for row, rows in self.each("shake"):
            self.assertEqual(math.floor(float(row["cycles"])), 3)
            self.assert_value(row, "ru_max", max(rows["ru"]))
            for name, start in (("first", 0), ("last", 2)):
                loop = [(x, y) for x, y, c in zip(rows["strain"], rows["stress"], rows["cycle"])
                        if start <= c <= start + 1]
                wide = max(x for x, _ in loop) - min(x for x, _ in loop)
                high = max(y for _, y in loop) - min(y for _, y in loop)
                # Trapezoids around the closed loop; the triangle has half of wide/2 times high/2.
                area = abs(sum(0.5 * (a[1] + b[1]) * (b[0] - a[0])
                               for a, b in zip(loop, loop[1:] + loop[:1])))
                self.assert_value(row, "loop_modulus_" + name, high / wide)
                self.assert_value(row, "loop_damping_" + name,
                                  area / (4.0 * math.pi * wide * high / 8.0))
            self.assertGreater(max(rows["ru"]), 0.95)
            reached = [i for i, value in enumerate(rows["ru"]) if value >= 0.95]
            expected = at(rows["ru"][:reached[0] + 1], rows["cycle"], 0.95)
            self.assert_value(row, "liquefaction_cycles", expected)

    def test_takes(self):
        for row, rows in self.each("drained"):
            self.assert_value(row, "void_ratio@strain=1%",
                              at(rows["strain"], rows["void_ratio"], 0.01))
            self.assert_value(row, "drained.porosity@first", rows["porosity"][0])
            self.assert_value(row, "q@max(p)", rows["q"][rows["p"].index(max(rows["p"]))])
            self.assert_value(row, "min(drained.stress_zz)@strain=0.01..0.02",
                              min(s for s, x in zip(rows["stress_zz"], rows["strain"])
                                  if 0.01 <= x <= 0.02))
            time_, z = rows["time"], rows["coordination"]
            self.assert_value(row, "mean(drained.coordination)", mean(time_, z, time_[0], time_[-1]))

    def test_successive_stages_are_one_test(self):
        """Without --stage the last test counts, from its first stage on; --stage takes several of its stages."""
        file = Path(self.place.name) / "loop.yaml"
        file.write_text(HEAD + """
stages:
  - {name: load, path: triaxial, inertial_number: 1e-2, end: {strain: 2 %}}
  - {name: unload, path: triaxial, direction: extension, inertial_number: 1e-2, end: {strain: 0.3 %}}
  - {name: reload, path: triaxial, inertial_number: 1e-2, end: {strain: 1.5 %}}
output: {history: {strain: 5e-4}}
""")
        out = Path(self.place.name) / "loops"
        options = ("sweep", str(file), "--vary", "material.friction=0.3,0.6", "--out", str(out), "--resume")
        tables = {}
        for stages in ("", "load,unload", "reload"):
            done = run(*options, *(("--stage", stages) if stages else ()))
            self.assertEqual(done.returncode, 0, done.stderr)
            tables[stages] = read_table(out / "table.csv")
            with open(out / "curves.csv", newline="", encoding="utf-8") as curves:
                tables[stages][0]["curve"] = [row for row in csv.DictReader(curves) if row["label"].endswith("friction 0.3")]
        for k, row in enumerate(tables[""]):
            parts = [read_stage(out / "cases" / row["case"], stage) for stage in ("load", "unload", "reload")]
            rows = {name: sum((part[name] for part in parts), []) for name in parts[0]}
            strain = [value - rows["total_strain_zz"][0] for value in rows["total_strain_zz"]]
            deviator = [z - 0.5 * (x + y) for x, y, z in zip(rows["stress_xx"], rows["stress_yy"], rows["stress_zz"])]
            ratio = self.over_p(deviator, rows)
            peak = ratio.index(max(ratio))
            for name, value in (("p_start", rows["p"][0]), ("peak_ratio", ratio[peak]), ("peak_strain", strain[peak]),
                                ("strength", max(deviator)), ("strain_end", strain[-1]), ("void_ratio_end", rows["void_ratio"][-1]),
                                ("modulus", (at(strain, deviator, 1e-3) - deviator[0]) / 1e-3)):
                self.assert_value(row, name, value)
            first = tables["load,unload"][k]
            self.assert_value(first, "strain_end", strain[sum(len(part["p"]) for part in parts[:2]) - 1])
            self.assert_value(tables["reload"][k], "p_start", parts[2]["p"][0])
            if k == 0:  # the figure has the same rows
                self.assertEqual(len(row["curve"]), len(strain))
                self.assertEqual(len(first["curve"]), len(strain) - len(parts[2]["p"]))
                told = run("info", str(out / "cases" / row["case"])).stdout
                self.assertIn("triaxial; test: load, unload, reload\n", told)
                self.assertRegex(told, r"peak_ratio +%.6g\n" % float(row["peak_ratio"]))
                self.assertEqual(told.count("peak_ratio"), 1)
        self.assert_refused(run(*options, "--stage", "load,lod"), "has no stage 'lod'")

    def test_strength_over_pressures(self):
        """By least squares through the tops of the circles at the peaks; docs/guide/sweep.md."""
        file, out = Path(self.place.name) / "strength.yaml", Path(self.place.name) / "strength"
        file.write_text(SMALL)
        done = run("sweep", str(file), "--vary", "specimen.preparation.pressure=50 kPa,100 kPa,200 kPa", "--vary", "specimen.seed=1..2",
                   "--out", str(out))
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [{name: float(row[name]) for name in ("peak_s1", "peak_s3", "peak_p", "peak_ratio")} for row in read_table(out / "table.csv")]
        x, y = [0.5 * (r["peak_s1"] + r["peak_s3"]) for r in rows], [0.5 * (r["peak_s1"] - r["peak_s3"]) for r in rows]
        sine = (6 * sum(a * b for a, b in zip(x, y)) - sum(x) * sum(y)) / (6 * sum(a * a for a in x) - sum(x) ** 2)
        cohesion = (sum(y) - sine * sum(x)) / 6 / math.sqrt(1 - sine ** 2)
        ratio = sum(r["peak_ratio"] * r["peak_p"] ** 2 for r in rows) / sum(r["peak_p"] ** 2 for r in rows)
        self.assertIn(f"strength: c {cohesion:.4g} Pa, phi {math.degrees(math.asin(sine)):.4g} deg; q = {ratio:.4g} p; at the peaks of 6 cases\n",
                      done.stdout)
        self.assertTrue((out / "mohr.svg").exists() and (out / "failure.svg").exists())
        text = (out / "mohr.csv").read_text(encoding="utf-8")  # named as in the other figures, once for its seeds
        self.assertEqual([text.count(f'"pressure {p} kPa",') for p in (50, 100, 200)], [61] * 3)

    def test_info_of_a_run_prints_the_same_quantities(self):
        row = self.tables["drained"][0]
        done = run("info", str(self.out / "cases" / row["case"]))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = [line.split() for line in done.stdout.splitlines()]
        self.assertEqual(lines[0], ["run", "11", "stages,", "complete"])
        stage = lines[lines.index(["drained", "triaxial"]):]
        found = {name: (value, *unit) for name, value, *unit in stage[1:stage.index(["extension", "triaxial"])]}
        for name, unit in (("peak_ratio", ()), ("modulus", ("Pa",)), ("critical_angle", ("deg",)), ("p_start", ("Pa",))):
            self.assertEqual(found[name], ("%.6g" % float(row[name]), *unit))
        self.assertNotIn("K0", found)
        self.assert_refused(run("info", str(self.out)), "not the folder of a run")

    def test_every_column_of_the_history_can_be_taken(self):
        header = read_table(next((self.out / "cases").iterdir()) / "history.csv")[0]
        takes = [part for name in header if name != "stage" for part in ("--take", name)]
        done = run("sweep", str(self.file), "--vary", "material.friction=0.3,0.6", "--out",
                   str(self.out), "--resume", "--no-figures", *takes)
        self.assertEqual(done.returncode, 0, done.stderr)
        table = read_table(self.out / "table.csv")[0]
        for name in header:
            if name != "stage":
                self.assertIn(name, table)


if __name__ == "__main__":
    unittest.main()
