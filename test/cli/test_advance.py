# SPDX-License-Identifier: BSD-3-Clause
"""twirl advance: from a specimen to a checkpoint, bitwise reproducible."""

import csv
import math
import os
import pty
import random
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from cli import SCALE, TWIRL, CliTest, run

LAW = ("--kn", "1e5", "--kt", "8e4", "--mu", "0.5")
# Long enough to be interrupted by a signal.
STEPS = int(max(2000, 12000 * SCALE)) // 1000 * 1000
RUN = (*LAW, "--steps", str(STEPS), "--gradient", "-20 -20 -20", "--local-damping", "0.3",
       "--report", "130", "--hash", "--threads", "1")
COLUMNS = ("step,time,volume,porosity,p,stress_xx,stress_xy,stress_xz,stress_yx,stress_yy,"
           "stress_yz,stress_zx,stress_zy,stress_zz,coordination,sliding_fraction,unbalanced,"
           "kinetic,rotational,normal,tangential,friction,contact_damping,body_damping,cell,walls,"
           "gravity,start,residual,stored_rolling,stored_twisting,micro_slip,rolling,"
           "twisting,contact_p,contact_stress_xx,contact_stress_xy,contact_stress_xz,contact_stress_yx,"
           "contact_stress_yy,contact_stress_yz,contact_stress_zx,contact_stress_zy,contact_stress_zz").split(",")


def write_lattice(path, side=5, radius=0.5e-3):
    """side^3 spheres of unequal size on a perturbed lattice, nearly touching."""
    rng = random.Random(1)
    pitch = 2.02 * radius
    edge = side * pitch
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"# cell: {edge} 0 0 0 {edge} 0 0 0 {edge}\n# periodic: 1 1 1\nx,y,z,radius\n")
        for i in range(side ** 3):
            place = (i % side, i // side % side, i // side ** 2)
            x = ((k + 0.5) * pitch + rng.uniform(-0.02, 0.02) * radius for k in place)
            file.write(",".join(map(repr, x)) + f",{radius * rng.uniform(0.9, 1.0)!r}\n")


def read(path):
    with open(path, "rb") as file:
        return file.read()


def setUpModule():
    """sand.csv, and the uninterrupted run: whole.h5 and whole.csv."""
    # SIGINT is ignored in background jobs of a shell, and children would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    AdvanceTest.folder = folder = tempfile.mkdtemp()
    unittest.addModuleCleanup(shutil.rmtree, folder)
    write_lattice(os.path.join(folder, "sand.csv"))
    done = run("advance", "sand.csv", *RUN, "--out", "whole.h5", "--history", "whole.csv",
               cwd=folder)
    assert done.returncode == 0, done.stderr
    AdvanceTest.hash = done.stdout
    AdvanceTest.history = read(os.path.join(folder, "whole.csv"))


class AdvanceTest(CliTest):
    folder = hash = history = None

    def path(self, name):
        return os.path.join(self.folder, name)

    def advance(self, *arguments):
        return run("advance", *arguments, cwd=self.folder)

    def start(self, *arguments, stderr=subprocess.PIPE):
        return subprocess.Popen([TWIRL, "advance", *arguments], cwd=self.folder, stderr=stderr,
                                stdout=subprocess.PIPE)

    def wait_for_rows(self, process, name, count):
        for _ in range(6000):
            if os.path.exists(self.path(name)) and read(self.path(name)).count(b"\n") > count:
                break
            self.assertIsNone(process.poll(), "ended before it could be interrupted")
            time.sleep(0.005)

    def assert_whole(self, done, history):
        """An interrupted run ends like the uninterrupted one."""
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, self.hash)
        self.assertEqual(read(self.path(history)), self.history)


class Histories(AdvanceTest):
    def rows(self):
        with open(self.path("whole.csv"), newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def test_columns_are_named_and_numbers_finite(self):
        rows = self.rows()
        self.assertEqual(list(rows[0]), COLUMNS)
        for row in rows:
            for name, value in row.items():
                self.assertTrue(math.isfinite(float(value)), (name, row))

    def test_rows_at_the_start_at_each_report_and_at_the_end(self):
        steps = [int(row["step"]) for row in self.rows()]
        self.assertEqual(steps, [*range(0, STEPS, 130), STEPS])

    def test_numbers_describe_a_compression(self):
        first, last = self.rows()[0], self.rows()[-1]
        self.assertEqual(float(first["time"]), 0.0)
        strain = -20.0 * float(last["time"])
        # The cell follows the midpoint rule, of second order in 20/s times a step below 1e-6 s.
        self.assertAlmostEqual(float(last["volume"]) / float(first["volume"]),
                               math.exp(3 * strain), delta=1e-6)
        for name in ("p", "coordination", "friction", "cell", "normal"):
            self.assertGreater(float(last[name]), 0.0, name)

    def test_the_stress_is_that_of_contacts_and_of_motion(self):
        motion = energy = 0.0
        for row in self.rows():
            e = {name: float(row[name]) for name in COLUMNS}
            for name in ("", "contact_"):  # rounding of a mean
                mean = sum(e[f"{name}stress_{a}{a}"] for a in "xyz") / 3
                self.assertAlmostEqual(e[name + "p"], mean, delta=1e-15 * abs(mean))
            motion += 3 * (e["p"] - e["contact_p"]) * e["volume"]
            energy += 2 * e["kinetic"]
        # The stress is of half a step earlier than the energy, in which a single grain may be stopped: on average
        # gains and losses of half a step cancel.
        self.assertGreater(energy, 0.0)
        self.assertAlmostEqual(motion / energy, 1.0, delta=0.05)

    def test_energies_add_up_to_the_residual(self):
        for row in self.rows():
            e = {name: float(row[name]) for name in COLUMNS}
            put_in = e["start"] + e["cell"] + e["walls"] + e["gravity"]
            kept = sum(e[name] for name in ("kinetic", "rotational", "normal", "tangential",
                                            "stored_rolling", "stored_twisting", "friction",
                                            "micro_slip", "rolling", "twisting", "contact_damping",
                                            "body_damping"))
            # Rounding error of a sum of 15.
            self.assertAlmostEqual(put_in - kept, e["residual"], delta=1e-14 * (put_in + 1e-9))

    def test_numbers_of_a_row_are_read_back_exactly(self):
        for row in self.rows():
            for name, value in row.items():
                self.assertEqual("%d" % int(value) if name == "step" else "%.17g" % float(value),
                                 value)


class Repetition(AdvanceTest):
    def test_threads_do_not_matter(self):
        for threads in ("2", "3"):
            done = self.advance("sand.csv", *RUN, "--threads", threads, "--out", "threads.h5",
                                "--history", "threads.csv", "--quiet")
            self.assert_whole(done, "threads.csv")
            self.assertEqual(done.stderr, "")

    def test_two_halves_equal_the_whole_run(self):
        half = str(STEPS // 2)
        done = self.advance("sand.csv", *RUN, "--steps", half, "--out", "half.h5")
        self.assertEqual(done.returncode, 2)  # --report without --history
        done = self.advance("sand.csv", *RUN, "--steps", half, "--out", "half.h5", "--history",
                            "half.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.advance("half.h5", "--steps", half, "--out", "both.h5", "--hash")
        self.assertEqual((done.returncode, done.stdout), (0, self.hash), done.stderr)

    def test_constants_of_a_checkpoint_can_be_replaced(self):
        done = self.advance("whole.h5", "--mu", "0.25", "--mass-damping", "3", "--steps", "10",
                            "--gradient", "0,0,0", "--out", "other.h5")
        self.assertEqual(done.returncode, 0, done.stderr)
        told = run("info", self.path("other.h5")).stdout
        self.assertIn("mu 0.25", told)
        self.assertIn("mass 3 1/s", told)
        self.assertIn("kn 100000 N/m", told)
        self.assertIn(f"{STEPS + 10} steps", told)


class Interruption(AdvanceTest):
    def interrupt(self, number, name):
        """Stops a run with a signal once it has some rows; returns its standard error."""
        process = self.start("sand.csv", *RUN, "--out", f"{name}.h5", "--history", f"{name}.csv")
        self.wait_for_rows(process, f"{name}.csv", 5)
        process.send_signal(number)
        told = process.communicate(timeout=60)[1].decode()
        self.assertEqual(process.returncode, 128 + number, told)
        return told

    def test_the_printed_command_resumes_the_run(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            name = f"it's {number.name}"  # a name that the shell would split
            told = self.interrupt(number, name)
            self.assertIn(f"stopped by {number.name}", told)
            command = told.splitlines()[-1]
            self.assertIn("--resume", command)
            done = subprocess.run(command, shell=True, cwd=self.folder, capture_output=True,
                                  text=True, check=False, timeout=120)
            self.assert_whole(done, f"{name}.csv")
            done = subprocess.run(command, shell=True, cwd=self.folder, capture_output=True,
                                  text=True, check=False, timeout=120)
            self.assertIn("nothing to do", done.stderr)
            self.assert_whole(done, f"{name}.csv")

    def test_a_killed_run_can_be_resumed(self):
        arguments = ("sand.csv", *RUN, "--out", "k.h5", "--history", "k.csv", "--every", "50",
                     "--resume")
        for rows in (3, 6, 9):
            process = self.start(*arguments)
            self.wait_for_rows(process, "k.csv", rows)
            process.kill()
            process.communicate()
            self.assertEqual(run("info", self.path("k.h5")).returncode, 0)
        # An incomplete row, and one that is ahead of the checkpoint.
        with open(self.path("k.csv"), "ab") as file:
            file.write(b"%d,0\n%d,1.5" % (STEPS - 1, STEPS))
        self.assert_whole(self.advance(*arguments), "k.csv")

    def test_temporary_files_of_killed_runs_are_removed(self):
        arguments = ("sand.csv", *LAW, "--steps", "10", "--out", "t.h5", "--history", "t.csv")
        ended = subprocess.Popen(["true"])
        ended.wait()
        names = {"ended": f"t.h5.{ended.pid}.0.tmp", "live": f"t.h5.{os.getpid()}.0.tmp",
                 "other": f"u.h5.{ended.pid}.0.tmp"}
        for name in names.values():
            with open(self.path(name), "wb") as file:
                file.write(b"part of a checkpoint")
        self.assertEqual(self.advance(*arguments, "--resume").returncode, 0)
        self.assertEqual({key for key, name in names.items() if os.path.exists(self.path(name))}, {"live", "other"})
        for name in (names["live"], names["other"]):
            os.remove(self.path(name))

    def test_frames_continue_where_they_ended(self):
        whole = ("sand.csv", *RUN[:-3], "--history", "f.csv", "--out", "f.h5", "--vtk", "frames",
                 "--frame", "100", "--steps", "1000", "--quiet")
        self.assertEqual(self.advance(*whole).returncode, 0)
        lists = ("f_spheres.pvd", "f_contacts.pvd", "f_cell.pvd")
        wanted = [read(self.path(f"frames/{name}")) for name in lists]
        self.assertEqual([text.count(b"<DataSet") for text in wanted], [11, 11, 11])
        # A state at step 550, with frames of a run that went further.
        shorter = ("sand.csv", *RUN[:-3], "--history", "g.csv", "--out", "g.h5", "--steps", "550")
        self.assertEqual(self.advance(*shorter).returncode, 0)
        os.rename(self.path("g.h5"), self.path("f.h5"))
        self.assertEqual(self.advance(*whole, "--resume").returncode, 0)
        self.assertEqual([read(self.path(f"frames/{name}")) for name in lists], wanted)

    def test_a_terminal_shows_one_line_that_is_rewritten(self):
        try:
            leader, follower = pty.openpty()
        except OSError as reason:
            self.skipTest(f"no terminal to be had here: {reason}")
        process = self.start("sand.csv", *LAW, "--steps", "100000000", "--out", "t.h5",
                             stderr=follower)
        os.close(follower)
        told = b""
        while told.count(b"\r") < 2 and process.poll() is None:
            told += os.read(leader, 4096)
        process.kill()
        process.communicate()
        os.close(leader)
        self.assertRegex(told.decode(), r"\r +0\.\d %  step \d+  time \S+ s  p ")


class Refusals(AdvanceTest):
    def test_bad_options_are_named(self):
        good = ("sand.csv", *LAW, "--steps", "10", "--out", "x.h5")
        for arguments, *needles in (
                (("sand.csv", *LAW, "--out", "x.h5"), "--steps is missing"),
                (("sand.csv", *LAW, "--steps", "10"), "--out is missing"),
                ((*LAW, "--steps", "10", "--out", "x.h5"), "FILE is missing"),
                ((*good, "more.csv"), "unexpected argument 'more.csv'"),
                (("sand.csv", *LAW[2:], "--steps", "10", "--out", "x.h5"), "--kn is missing"),
                (("sand.csv", *LAW[:4], "--steps", "10", "--out", "x.h5"), "--mu is missing"),
                ((*good, "--kt", "-1"), "kt", "--kt -1"),
                ((*good, "--steps", "0"), "--steps: '0' is not an integer greater than 0"),
                ((*good, "--steps", "1e3"), "--steps: '1e3'"),
                ((*good, "--steps", "-5"), "--steps: '-5'"),
                ((*good, "--every", "x"), "--every: 'x'"),
                ((*good, "--threads", "5000"), "--threads: '5000'"),
                ((*good, "--gradient", "1 2"), "--gradient: '1 2' has 2 numbers"),
                ((*good, "--gradient", "1 2 x"), "--gradient: 'x' is not a number"),
                ((*good, "--gradient", "1 2 3 4 5 6 7 8 9 10"), "has 10 numbers"),
                ((*good, "--local-damping", "1"), "--local-damping: '1' must be"),
                ((*good, "--mass-damping", "-1"), "--mass-damping: '-1' must not be negative"),
                ((*good, "--density", "0"), "--density: '0' must be greater than 0"),
                ((*good, "--law", "exat"), "--law: 'exat'", "did you mean 'exact'?"),
                ((*good, "--frame", "5"), "--frame"),
                ((*good, "--force-dt"), "--force-dt"),
                ((*good, "--histroy", "x"), "did you mean '--history'?"),
                ((*good, "--nm", "x"), "did you mean '--"),
                (("sand.csv", *LAW, "--steps", "10", "--out", "./sand.csv"), "--out: './sand.csv'"),
                (("whole.h5", "--density", "1", "--steps", "10", "--out", "x.h5"), "--density")):
            with self.subTest(arguments=arguments):
                done = self.advance(*arguments)
                self.assert_refused(done, "twirl advance: ", *needles)
                self.assertFalse(os.path.exists(self.path("x.h5")))

    def test_bad_files_are_named(self):
        with open(self.path("bad.csv"), "w", encoding="utf-8") as file:
            file.write("x,y,z,radius\n0,0,0,1\n0,0,zero,1\n")
        for name, needle in (("absent.h5", "absent.h5"), ("bad.csv", "bad.csv:3: ")):
            done = self.advance(name, *LAW, "--steps", "10", "--out", "x.h5")
            self.assert_refused(done, needle)

    def test_unwritable_output_is_detected_before_the_run(self):
        done = self.advance("sand.csv", *LAW, "--steps", "100000000", "--out", "no/such/x.h5")
        self.assert_refused(done, "--out", "no/such/x.h5", status=1)
        done = self.advance("sand.csv", *LAW, "--steps", "100000000", "--out", "x.h5",
                            "--history", "no/such/x.csv")
        self.assert_refused(done, "--history", "no/such/x.csv", status=1)

    def test_resume_does_not_mix_runs(self):
        write_lattice(self.path("small.csv"), side=3)
        done = self.advance("small.csv", *LAW, "--steps", "10", "--out", "whole.h5", "--resume")
        self.assert_refused(done, "--resume: whole.h5 does not continue small.csv", "125 bodies")
        with open(self.path("notes.csv"), "w", encoding="utf-8") as file:
            file.write("step,what\n0,began\n")
        done = self.advance("sand.csv", *LAW, "--steps", "10", "--out", "x.h5", "--resume",
                            "--history", "notes.csv")
        self.assert_refused(done, "notes.csv is not a history")
        self.assertEqual(read(self.path("notes.csv")), b"step,what\n0,began\n")

    def test_failed_physics_names_bodies_and_keeps_the_last_checkpoint(self):
        done = self.advance("sand.csv", *LAW, "--steps", "100000", "--gradient", "-2e3 -2e3 -2e3",
                            "--every", "50", "--out", "crash.h5")
        self.assert_refused(done, "excessive overlap of bodies", "the last checkpoint is crash.h5",
                            status=3)
        self.assertRegex(done.stderr, r"bodies \d+ and \d+")
        told = run("info", self.path("crash.h5"))
        self.assertEqual(told.returncode, 0)
        self.assertIn("porosity         none: the grains have more volume than the cell\n", told.stdout)
        self.assertRegex(told.stdout, r"\b[1-9]\d*50 steps|\b[1-9]\d*00 steps")

    def test_a_step_above_the_stable_one_is_refused_unless_forced(self):
        arguments = ("sand.csv", *LAW, "--steps", "3", "--dt", "1e-3", "--out", "dt.h5")
        self.assert_refused(self.advance(*arguments), "dt = 0.001 s is above the stable step",
                            status=3)
        self.assertEqual(self.advance(*arguments, "--force-dt").returncode, 0)


class Laws(AdvanceTest):
    def law(self, name):
        lines = run("info", self.path(name)).stdout.splitlines()
        first = next(i for i, line in enumerate(lines) if line.startswith("law "))
        return [line[17:] for line in lines[first:first + 4]]

    def test_options_replace_parts_of_a_law_in_its_units(self):
        done = self.advance("sand.csv", "--young", "1e9", "--poisson", "0.25", "--mu", "0.4",
                            "--rolling", "0.1", "--restitution", "0.8", "--steps", "3", "--out",
                            "hertz.h5")
        self.assertEqual(done.returncode, 0, done.stderr)
        # E/(2 (1 - nu^2)), E/(4 (2 - nu) (1 + nu)).
        log = math.log(0.8)
        damped = f"damping: nu_n {-log / math.hypot(math.pi, log):g}, nu_t 0, nu_r 0, nu_w 0 (damping ratios)"
        self.assertEqual(self.law("hertz.h5")[:3],
                         ["exact, hertz, E* 5.33333e+08 Pa, G* 1.14286e+08 Pa, mu 0.4",
                          "rolling: mu_r 0.1, k_r/kt 1", damped])
        done = self.advance("hertz.h5", "--normal", "linear", "--kn", "1e5", "--kt", "8e4",
                            "--steps", "1", "--out", "linear.h5")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.law("linear.h5")[:3],
                         ["exact, kn 100000 N/m, kt 80000 N/m, mu 0.4",
                          "rolling: mu_r 0.1, k_r/kt 1", damped])
        done = self.advance("hertz.h5", "--nu-t", "0.1", "--mu", "0.3", "--steps", "1", "--out",
                            "drag.h5")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("nu_t 0.1", self.law("drag.h5")[2])
        self.assertIn("mu 0.3", self.law("drag.h5")[0])
        for options in (("--normal", "linear"), ("--kn", "1e9"), ("--kt", "1e9")):
            self.assert_refused(self.advance("hertz.h5", *options, "--steps", "1", "--out", "no.h5"),
                                "give --kn and --kt together, --modulus or --young")

if __name__ == "__main__":
    unittest.main()
