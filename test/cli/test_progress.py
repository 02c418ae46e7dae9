#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a run says about itself: progress of every phase, signals, why a stage ended; and what
`twirl check` says about it beforehand."""

import json
import os
import re
import resource
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from cli import SCALE, SOURCE, TWIRL, CliTest, run

SCENARIOS = SOURCE / "scenarios"

# A run of a second with all phases.
RUN = """
specimen:
  count: 60
  sizes: {distribution: uniform, d_min: 0.8 mm, d_max: 1.2 mm}
  preparation: {pressure: 100 kPa, friction: 0.3}
material: {stiffness_level: 500, friction: 0.5}
stages:
  - {name: settle, path: isotropic, pressure: 120 kPa}
  - {name: shear, path: triaxial, end: {stress_ratio: 0.5, strain: 1 %}}
  - {name: shake, path: cyclic, cycle: {base: triaxial, strain: 0.05 %}, end: {cycles: 2}}
  - {name: turn, path: rotate, rotation: {axis: [0, 0, 1], angle: 10 deg, increments: 20}}
  - name: probe
    path: probes
    axis: z
    probes: {space: rendulic, count: 4, strain: 5e-5, steps: 50, settle: 1e-3, rest: 1e-2}
"""

# Enough to be placed for a while.
LARGE = int(1000000 * min(SCALE, 1))

LINE = re.compile(r"^twirl run: (\[\d+/\d+\] [^%]*?) (\d+\.\d) %(?:  \d+:\d\d left)?", re.M)


class Runs(CliTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, text):
        path = self.folder / "a.yaml"
        path.write_text(text, encoding="ascii")
        return str(path)

    def run_all(self, text, *options):
        done = run("run", self.write(text), "--threads", "1", "--out", str(self.folder / "out"), *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def summary(self):
        stages = json.loads((self.folder / "out/summary.json").read_text())["stages"]
        return {stage["name"]: stage for stage in stages}


class Progress(Runs):
    def test_the_share_of_every_phase_grows(self):
        text = self.run_all(RUN, "--progress", "0.002")
        shares = {}
        for part, share in LINE.findall(text):
            shares.setdefault(part, []).append(float(share))
        for part in ("[0/5] specimen: compression", "[0/5] specimen: settling", "[2/5] shear",
                     "[3/5] shake", "[5/5] probe: settling", "[5/5] probe"):
            self.assertIn(part, shares, text)
        for part, list_ in shares.items():
            self.assertEqual(list_, sorted(list_), part)
            self.assertLessEqual(list_[-1], 100.0)
        self.assertGreater(len(set(shares["[0/5] specimen: compression"])), 5)
        self.assertIn(" left", text)
        # Stages that end by what is measured have no number of steps beforehand.
        self.assertRegex(text, r"(?m)^twirl run: 60 grains, 5 stages$")

    def test_an_interval_that_is_none_is_refused(self):
        for text, problem in (("x", "'x' is not a number"), ("0", "'0' must be greater than 0")):
            done = run("run", self.write(RUN), "--progress", text)
            self.assert_refused(done, f"twirl run: --progress: {problem}\n")

    def test_placement_and_trials(self):
        placing = self.start(RUN.replace("count: 60", f"count: {LARGE}"), "--progress", "0.05")
        lines = [placing.stderr.readline().decode() for _ in range(8)]
        placing.kill()
        placing.wait()
        self.assertRegex(lines[-1], r"\[0/5\] specimen: placement \d+\.\d %")
        searched = RUN.replace("friction: 0.3}", "friction: auto, void_ratio: 0.7, tolerance: 0.05}")
        text = self.run_all(searched.split("stages:")[0], "--progress", "0.002")
        self.assertRegex(text, r"\[0/0\] specimen, trial 1 of about \d: compression \d+\.\d %")

    def start(self, text, *options):
        process = subprocess.Popen([TWIRL, "run", self.write(text), "--out", str(self.folder / "out"), *options],
                                   stderr=subprocess.PIPE)
        self.addCleanup(process.stderr.close)
        return process


class Ends(Runs):
    def test_a_stage_says_why_it_ended(self):
        text = self.run_all(RUN)
        ends = {name: stage.get("end") for name, stage in self.summary().items()}
        self.assertEqual(ends, {"specimen": None, "settle": "unbalanced", "shear": "stress_ratio",
                                "shake": "cycles", "turn": "steps", "probe": "probes"})
        self.assertEqual(self.summary()["shake"]["cycles"], 2)
        for line in ("settle: ended with its stresses reached and unbalanced force below 0.001 (end.unbalanced)",
                     "shear: ended at q/p 0.5 (end.stress_ratio)", "shake: ended after 2 cycles (end.cycles)",
                     "turn: ended after 20 steps (rotation.increments)", "probe: ended with its last probe"):
            self.assertIn(f"twirl run: {line}\n", text)

    def test_the_first_condition_is_named(self):
        stages = {"strain": ("{strain: 0.01 %, stress_ratio: 1.0}", "at axial strain 0.0001"),
                  "time": ("{time: 1e-6, strain: 1 %}", "at time 1e-06 s"),
                  "steps": ("{steps: 3, strain: 1 %}", "after 3 steps"),
                  "q": ("{q: 5 kPa, strain: 1 %}", "at q 5000 Pa"),
                  "pressure": ("{pressure: 101 kPa, strain: 1 %}", "at p 101000 Pa"),
                  "stress": ("{stress: 105 kPa, strain: 1 %}", "at axial stress 105000 Pa")}
        head = RUN.split("stages:")[0]
        text = self.run_all(head + "stages:\n" + "".join(
            f"  - {{name: by_{key}, path: triaxial, from: specimen, end: {end}}}\n"
            for key, (end, _) in stages.items()))
        for key, (_, words) in stages.items():
            self.assertEqual(self.summary()[f"by_{key}"]["end"], key)
            self.assertIn(f"by_{key}: ended {words} (end.{key})\n", text)


class Signals(Runs):
    def stop(self, text, number, line, *, nohup=False):
        """The exit status after a signal, once a line was printed, and the processor time [s] until the end."""
        def prepare():
            for each in (signal.SIGINT, signal.SIGHUP):
                signal.signal(each, signal.SIG_IGN if nohup and each == signal.SIGHUP else signal.SIG_DFL)
        with subprocess.Popen([TWIRL, "run", self.write(text), "--threads", "1", "--progress", "0.05", "--resume", "--out",
                               str(self.folder / "out")], stderr=subprocess.PIPE, preexec_fn=prepare) as process:
            seen = ""
            while line not in seen:
                seen = process.stderr.readline().decode()
                self.assertNotEqual(seen, "", "ended before it could be interrupted")
            # Halted, it can neither end nor go on to the next phase while its time is read.
            process.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
            fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
            before = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
            process.send_signal(number)
            process.send_signal(signal.SIGCONT)
            if nohup:
                time.sleep(0.2)
                self.assertIsNone(process.poll())
                process.terminate()
            process.stderr.read()  # to its end: a full pipe would halt it
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, used.ru_utime + used.ru_stime - before

    def test_every_phase_can_be_stopped(self):
        # A second is what is promised. Processor time does not depend on what else the machine does.
        large = RUN.replace("count: 60", f"count: {LARGE}")
        # These would take hours, on any machine.
        many = RUN.replace("count: 60", "count: 30000")
        slow = RUN.replace("strain: 5e-5, steps: 50", "strain: 5e-5, steps: 1000000000")
        for text, number, line in ((large, signal.SIGHUP, ": placement "), (many, signal.SIGINT, ": compression "),
                                   (slow, signal.SIGTERM, "[5/5] probe")):
            with self.subTest(number=number, line=line):
                status, took = self.stop(text, number, line)
                self.assertEqual(status, 128 + number)
                self.assertLess(took, 5.0 / min(SCALE, 1))
            subprocess.run(["rm", "-rf", str(self.folder / "out")], check=True)

    def test_an_ignored_hangup_stays_ignored(self):
        status, _ = self.stop(RUN.replace("count: 60", "count: 30000"), signal.SIGHUP, " grains, ", nohup=True)
        self.assertEqual(status, 128 + signal.SIGTERM)


class Estimates(Runs):
    def estimate(self, *arguments):
        done = run("check", "--threads", "1", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        total = re.search(r"^total +about (\S+) steps, (?:[\d.e+-]+ s|[\d:]+) on", done.stdout, re.M)
        memory = re.search(r"memory (\S+) MB, disk (\S+) MB", done.stdout)
        self.assertIsNotNone(total, done.stdout)
        return float(total[1]), float(memory[1]), float(memory[2])

    @unittest.skipIf(SCALE < 1, "the trial is cut short where the program is slow")
    def test_steps_of_small_scenarios(self):
        for name in ("undrained_loose", "fcc_strength", "rigid_rotation"):
            with self.subTest(name):
                count = [] if name == "fcc_strength" else ["--set", "specimen.count=150"]
                path = str(SCENARIOS / name / f"{name}.yaml")
                steps, _, _ = self.estimate(path, *count)
                done = run("run", path, *count, "--threads", "1", "--quiet", "--out", str(self.folder / name))
                self.assertEqual(done.returncode, 0, done.stderr)
                taken = json.loads((self.folder / name / "summary.json").read_text())["steps"]
                self.assertLess(max(steps / taken, taken / steps), 1.5, (steps, taken))

    @unittest.skipIf(SCALE < 1, "sanitizers have a memory of their own")
    def test_memory_and_disk(self):
        path = self.write(RUN.split("stages:")[0].replace("count: 60", "count: 8000").replace(
            "friction: 0.3}", "friction: 0.3, inertial_number: 0.3, unbalanced: 0.5, start_porosity: 0.65}")
            + "stages: [{path: triaxial, end: {steps: 5}}]\n")
        _, memory, disk = self.estimate(path)
        out = self.folder / "large"
        with subprocess.Popen([TWIRL, "run", path, "--threads", "1", "--quiet", "--out", str(out)]) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        peak = usage.ru_maxrss / 1000
        size = sum(file.stat().st_size for file in out.rglob("*") if file.is_file()) / 1e6
        self.assertLess(max(memory / peak, peak / memory), 1.5, (memory, peak))
        self.assertLess(max(disk / size, size / disk), 1.5, (disk, size))

    def test_nothing_is_left_behind(self):
        before = {"TMPDIR": str(self.folder / "tmp")}
        os.mkdir(before["TMPDIR"])
        done = run("check", self.write(RUN), env=before)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(os.listdir(before["TMPDIR"]), [])

    def test_quick_and_without_a_folder(self):
        done = run("check", "--quick", self.write(RUN))
        self.assertNotIn("on this machine", done.stdout)
        self.assertIn("memory about", done.stdout)
        done = run("check", self.write(RUN), env={"TMPDIR": str(self.folder / "none")})
        self.assertEqual(done.returncode, 0)
        self.assertIn("time and memory are not known", done.stderr)


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    unittest.main(verbosity=1)
