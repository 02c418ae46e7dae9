#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The folder of a run: whatever happens to its files, resuming gives the same files as a run that
was never interrupted, or is refused and changes nothing."""

import os
import resource
import shutil
import signal
import subprocess
import tempfile
import unittest
import zlib
from pathlib import Path

from cli import SCALE, TWIRL, CliTest, run

SCENARIO = """
specimen:
  count: 40
  sizes: {distribution: uniform, d_min: 0.8 mm, d_max: 1.2 mm}
  shapes: [{material: hard}, {material: soft}]
  preparation: {pressure: 100 kPa, friction: 0.1, inertial_number: 0.05, unbalanced: 0.01}
materials: [{name: hard, kn: 1e5, friction: 0.5}, {name: soft, kn: 5e4, friction: 0.4}]
stages:
  - {name: settle, path: isotropic, pressure: 100 kPa, end: {unbalanced: 0.01}, save: dense}
  - {name: drained, path: triaxial, end: {strain: 0.5 %}, inertial_number: 1e-3}
  - {name: lode, path: true_triaxial, from: dense, lode_angle: 30 deg, end: {strain: 0.1 %}}
output:
  history: {steps: 25}
  checkpoint: {steps: 101}
  vtk: {steps: 150, stages: yes}
  lammps: {steps: 150}
"""

PROBES = """
specimen:
  count: 30
  preparation: {pressure: 100 kPa, friction: 0.05, inertial_number: 0.05, unbalanced: 0.01}
material: {stiffness_level: 300, friction: 0.5}
stages:
  - {name: probe, path: probes, probes: {count: 8, strain: 1e-5, steps: 40, rest_steps: 60, settle_steps: 50}}
"""

# Forty grains come to few packings, with void ratios up to 0.015 apart: the tolerance is wider than that, and the largest and the
# smallest friction tried first are outside it.
FRICTION = """
specimen:
  count: 40
  preparation: {pressure: 100 kPa, void_ratio: 0.71, tolerance: 0.02, friction: auto, inertial_number: 0.05,
                unbalanced: 0.01}
material: {stiffness_level: 300}
output: {checkpoint: {steps: 101}}
"""

# Runs wait for the disk at every checkpoint; in memory the tests are ten times as fast.
SCRATCH = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def content(folder):
    """Relative paths and bytes of all files but the lock and the times."""
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(Path(folder).rglob("*")) if path.is_file() and path.name not in ("lock", "timing.json")}


def numbers_of(path):
    """The run state, without those values that are lists."""
    return dict(line.split(" ", 1) for line in path.read_text().splitlines()[1:])


def commit_of(folder):
    """Number of the latest run state, or -1."""
    return max((int(numbers_of(path)["commit"]) for path in Path(folder).glob("run_state_?.txt")), default=-1)


class FolderTest(CliTest):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(dir=SCRATCH)
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def write(self, text=SCENARIO, name="scenario.yaml"):
        path = self.folder / name
        path.write_text(text)
        return str(path)

    def run_in(self, out, *options, text=SCENARIO):
        return run("run", self.write(text), "--threads", "1", "--out", str(self.folder / out), *options)

    def complete(self, out, *options, text=SCENARIO):
        done = self.run_in(out, *options, text=text)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def assert_same(self, one, other):
        a, b = content(self.folder / one), content(self.folder / other)
        self.assertEqual(sorted(a), sorted(b))
        self.assertEqual([name for name in a if a[name] != b[name]], [])

    def interrupt(self, out, when, text=SCENARIO, stop=False):
        """A run that is killed, or stopped, when `when(folder)`. Returns the process if stopped."""
        out = self.folder / out
        command = [TWIRL, "run", self.write(text), "--threads", "1", "--quiet", "--out", str(out)]
        for _ in range(5):  # it may end before it is seen
            process = subprocess.Popen(command, stderr=subprocess.PIPE)
            while process.poll() is None and not when(out):
                pass
            process.send_signal(signal.SIGSTOP if stop else signal.SIGKILL)
            if stop and process.poll() is None:
                return process
            said = process.communicate()[1].decode()
            if process.returncode == -signal.SIGKILL:
                return None
            self.assertEqual(process.returncode, 0, said)
            shutil.rmtree(out)
        self.fail("the run is too short to be interrupted")


COPIED = """material: {kn: 1e5, friction: 0.5}
stages:
  - {name: shear, path: triaxial, rate: 2 /s, end: {strain: 0.5 %}}
output: {history: {steps: 25}, checkpoint: {steps: 101}}
"""


class Copied(FolderTest):
    """The folder has all that a run needs once it has begun."""

    def test_without_what_the_run_started_from(self):
        self.complete("first", "--set", "stages=")
        state = str(self.folder / "first/states/specimen.h5")
        done = run("export", "csv", state, "--out", str(self.folder / "grains.csv"))
        self.assertEqual(done.returncode, 0, done.stderr)
        (self.folder / "sieves.csv").write_text("sieve [mm], passing [%]\n2, 100\n1, 0\n")
        preparation = SCENARIO.split("preparation: ")[1].split("\n")[0]
        for name, specimen in (("checkpoint", "{checkpoint: first/states/specimen.h5}"), ("file", "{file: grains.csv}"),
                               ("sizes", "{count: 40, sizes: {distribution: grading, file: sieves.csv}, "
                                         f"preparation: {preparation}}}")):
            text = f"specimen: {specimen}\n{COPIED}"
            self.complete(name, text=text)
            for end in ("yaml", "json"):
                self.assertNotIn(str(self.folder), (self.folder / name / f"scenario.{end}").read_text())
            self.interrupt("cut", lambda out: commit_of(out) > 2, text=text)
            shutil.copytree(self.folder / "cut", self.folder / f"copy_{name}")
            shutil.rmtree(self.folder / "cut")
        for name in ("first", "checkpoint", "file"):
            shutil.copytree(self.folder / name, self.folder / "moved" / name)
        (self.folder / "grains.csv").rename(self.folder / "moved/grains.csv")
        for name in ("first", "sieves.csv", "scenario.yaml"):
            path = self.folder / name
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        for name in ("checkpoint", "file", "sizes"):
            copy = self.folder / f"copy_{name}"
            command = ("run", str(copy / "scenario.yaml"), "--out", str(copy), "--quiet", "--threads", "1")
            done = run(*command, "--resume")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assert_same(name, f"copy_{name}")
            done = run(*command, "--extend", "--set", "stages[shear].end.strain=0.6 %")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("end.strain was 0.005, is now 0.006", (copy / "run.log").read_text())
            self.assertEqual(run("info", str(copy)).stderr, "")
        # A new run needs them, and finds them in a project that was moved.
        for name in ("checkpoint", "file"):
            done = run("check", str(self.folder / f"moved/{name}/scenario.yaml"))
            self.assertEqual(done.returncode, 0, done.stderr)
        done = run("run", str(copy / "../copy_file/scenario.yaml"), "--out", str(self.folder / "new"), "--resume")
        self.assert_refused(done, "cannot read", "grains.csv")
        self.assertFalse((self.folder / "new").exists())


class Damage(FolderTest):
    """Made once: a whole run, and one that was killed in its second stage."""

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory(dir=SCRATCH)
        cls.addClassCleanup(scratch.cleanup)
        maker = FolderTest()
        maker.folder = cls.source = Path(scratch.name)
        maker.complete("whole")
        maker.interrupt("half", lambda out: (out / "stages/settle.json").exists() and
                        (out / "vtk/drained_cell_000002.vtp").exists() and
                        commit_of(out) % 2 == 0 and (out / "lammps/drained_000002.local").exists())
        maker.complete("other", "--set", "specimen.seed=2")

    def setUp(self):
        super().setUp()
        for name in ("whole", "other"):
            (self.folder / name).symlink_to(self.source / name)
        self.half = self.copy()

    def copy(self):
        half = self.folder / "half"
        shutil.rmtree(half, ignore_errors=True)
        shutil.copytree(self.source / "half", half)
        states = {int(numbers_of(path)["commit"]): path.name[-5] for path in half.glob("run_state_?.txt")}
        self.newer, self.older = states[max(states)], states[min(states)]
        self.assertEqual((len(states), max(states) - min(states)), (2, 1))
        return half

    def assert_resumes(self, *needles):
        said = self.complete("half", "--resume", "--quiet")
        for needle in needles:
            self.assertIn(needle, said)
        self.assert_same("whole", "half")
        self.half = self.copy()

    def assert_is_refused(self, *needles, text=SCENARIO):
        before = content(self.half)
        self.assert_refused(self.run_in("half", "--resume", text=text), *needles)
        after = content(self.half)
        self.assertEqual([name for name in before if before[name] != after.get(name)
                          and not name.endswith(".tmp")], [])
        self.half = self.copy()

    def change(self, name, old, new, count=1):
        text = (self.half / name).read_bytes()
        self.assertIn(old, text)
        (self.half / name).write_bytes(text.replace(old, new, count))

    def test_nothing_is_wrong(self):
        said = self.complete("half", "--resume")
        self.assertNotIn("cannot be used", said)
        self.assert_same("whole", "half")
        done = self.run_in("half", "--resume")
        self.assertIn("nothing is left to do", done.stderr)
        self.assert_same("whole", "half")

    def test_run_states(self):
        newer, older = f"run_state_{self.newer}.txt", f"run_state_{self.older}.txt"
        (self.half / newer).unlink()
        self.assert_resumes("cannot be used", f"{newer}: missing")
        (self.half / older).unlink()
        self.assert_resumes(f"{older}: missing")
        for name in (newer, older):
            (self.half / name).unlink()
        self.assert_is_refused("history.csv", "run.log", "run_state_a.txt", "missing", "--restart", "--out")
        for value in (b"nan", b"-1", b"1e308") if SCALE == 1 else (b"nan",):
            old = [line for line in (self.half / newer).read_bytes().splitlines() if line.startswith(b"time ")][0]
            self.change(newer, old, b"time " + value)
            self.assert_resumes("cannot be used", f"{newer}: damaged")
        self.change(newer, b"\nphase 3", b"\nphase 2")
        self.change(older, b"\nstage 1", b"\nstage 0")
        self.assert_is_refused(f"{newer}: damaged", f"{older}: damaged", "--restart")
        shutil.copy(self.source / "other/run_state_a.txt", self.half / newer)
        self.assert_resumes("of another scenario")
        self.change(newer, b"state 5\n", b"state 4\n")
        self.assert_resumes("another version")

    def test_the_pair_at_the_end_of_a_stage_is_its_result(self):
        """Under another name; a run resumes from it, and from a copy of its own."""
        text = SCENARIO.replace("steps: 101", "steps: 1000000")
        self.complete("long", text=text)
        shutil.copytree(self.folder / "long", self.folder / "first")
        for name in ("long", "first"):
            folder = self.folder / name
            newer, older = "ab" if commit_of(folder) % 2 == 0 else "ba"
            for pair, stage in ((newer, "lode"), (older, "drained")):
                one, other = folder / f"checkpoint_{pair}.h5", folder / f"stages/{stage}.h5"
                self.assertEqual(os.path.samefile(one, other), name == "long")
                self.assertEqual(one.read_bytes(), other.read_bytes())
            (folder / f"run_state_{newer}.txt").unlink()
        self.assertIn("cannot be used", self.complete("long", "--resume", text=text))
        self.complete("first", "--resume", text=text)
        self.assert_same("long", "first")
        shutil.copy(folder / "stages/settle.h5", folder / f"checkpoint_{newer}.h5")  # of another stage
        shutil.copy(folder / "stages/settle.h5", folder / f"checkpoint_{older}.h5")
        self.assert_refused(self.run_in("first", "--resume", text=text), "label")

    def test_checkpoints(self):
        newer, older = (self.half / f"checkpoint_{pair}.h5" for pair in (self.newer, self.older))
        newer.write_bytes(newer.read_bytes()[:-100])
        self.assert_resumes("cannot be used", f"{newer.name}: truncated")
        newer.unlink()
        self.assert_resumes(newer.name)
        older.write_bytes(b"")
        self.assert_resumes()
        newer.rename(self.half / "c")
        older.rename(newer)
        (self.half / "c").rename(older)
        self.assert_is_refused(newer.name, "label", "checkpoint", "--restart")
        for path in (newer, older):
            shutil.copy(self.half / "states/dense.h5", path)
        self.assert_is_refused(newer.name, older.name)
        shutil.copy(self.source / "whole" / newer.name, newer)  # of the same run, but later
        self.assert_resumes(f"{newer.name}: not the state")

    def rewrite(self, edit):
        path = self.half / "history.csv"
        path.write_text("".join(edit(path.read_text().splitlines(keepends=True))))

    def test_history(self):
        digit = lambda line: line[:line.index(".") + 2] + str((int(line[line.index(".") + 2]) + 1) % 10) + \
            line[line.index(".") + 3:]
        other = (self.source / "other/history.csv").read_text().splitlines(keepends=True)
        for edit in (lambda rows: rows[:4] + [digit(rows[4])] + rows[5:],     # changed
                     lambda rows: rows[:4] + rows[5:],                        # removed
                     lambda rows: rows[:4] + [rows[5], rows[4]] + rows[6:],   # exchanged
                     lambda rows: rows[:4] + rows[3:],                        # repeated
                     lambda rows: rows[:4] + [other[4]] + rows[5:],           # of another run
                     lambda rows: rows[:4] + other[4:]):
            self.rewrite(edit)
            self.assert_is_refused("history.csv: line 5", "--restart")
        self.rewrite(lambda rows: [rows[0].replace("strain", "stress", 1)] + rows[1:])
        self.assert_is_refused("history.csv: line 1")
        self.rewrite(lambda rows: rows[:10])
        self.assert_is_refused("history.csv", "cut short")
        (self.half / "history.csv").unlink()
        self.assert_is_refused("history.csv")
        state = numbers_of(self.half / f"run_state_{self.older}.txt")
        path = self.half / "history.csv"
        path.write_bytes(path.read_bytes()[:int(state["history"]) + 3])  # the older state needs no more
        self.assert_resumes("cannot be used", "history.csv")
        path.write_bytes(path.read_bytes() + b"more")  # behind the last state
        self.assert_resumes()

    def test_series(self):
        """As the history: what is behind the last state goes, and what is before it must be there."""
        path, whole = self.half / "materials.csv", (self.source / "whole/materials.csv").read_bytes()
        kept = path.read_bytes()
        self.assertTrue(whole.startswith(kept))
        self.assertGreater(kept.count(b"\n"), 50)
        self.assertEqual([line.split(b",")[:4] for line in whole.splitlines()],
                         [line.split(b",")[:4] for line in (self.source / "whole/history.csv").read_bytes().splitlines()])
        state = numbers_of(self.half / f"run_state_{self.older}.txt")
        length = int(state["series"].split()[1])
        for content, needles in ((kept[:100] + bytes([kept[100] ^ 1]) + kept[101:], ["damaged, or changed"]),
                                 (kept[:length - 1], ["cut short"]), (None, ["missing"])):
            path.unlink() if content is None else path.write_bytes(content)
            self.assert_is_refused("materials.csv", "--restart", *needles)
        path.write_bytes(kept[:length + 3])  # the older state needs no more
        self.assert_resumes("cannot be used", "materials.csv: cut short")
        path.write_bytes(kept + b"more")
        self.assert_resumes()
        for name in ("run_state_a.txt", "run_state_b.txt"):  # of a version that has others
            text = (self.half / name).read_bytes()
            self.assertEqual(text.count(b"\nseries materials.csv "), 1)
        self.change(f"run_state_{self.newer}.txt", b"series materials", b"series material")
        self.assert_resumes("cannot be used")

    def test_readers_warn_of_a_changed_series(self):
        shutil.copytree(self.source / "whole", self.folder / "read")
        path = self.folder / "read/materials.csv"
        rows = path.read_bytes().splitlines(keepends=True)
        self.assertEqual(self.warnings(self.folder / "read"), "")
        path.write_bytes(b"".join(rows[:16] + rows[17:]))
        self.assertIn(f"twirl info: warning: {path}:17: the row was changed", self.warnings(self.folder / "read"))

    def warnings(self, folder, *command):
        """What a reader says; figures are not drawn, by a `gnuplot` that does nothing."""
        programs = self.folder / "bin"
        if not programs.exists():
            programs.mkdir()
            os.symlink("/bin/true", programs / "gnuplot")
        done = run(*(command or ("info",)), str(folder), env={"PATH": f"{programs}:{os.environ['PATH']}"})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def test_readers_warn_of_a_changed_history(self):
        whole = (self.source / "whole/history.csv").read_bytes()
        rows = whole.splitlines(keepends=True)
        other = (self.source / "other/history.csv").read_bytes()
        folder = self.folder / "read"
        folder.mkdir()
        plot = ("plot", "--pdf", "--out", str(self.folder / "plots"), "--stage", "drained")
        for name in ("scenario.yaml", "summary.json", "run_state_a.txt", "run_state_b.txt"):
            shutil.copy(self.source / "whole" / name, folder)
        changed = rows[16].replace(b",drained,", b",settle,") if b",drained," in rows[16] else b"1" + rows[16]
        for content, line, words in (
                (b"".join(rows[:16] + [changed] + rows[17:]), ":17: ", "the row was changed"),
                (b"".join(rows[:16] + rows[17:]), ":17: ", "rows before it are missing"),
                (b"".join(rows[:-1]), ": ", "rows are missing there"),
                (whole[:-1], f":{len(rows)}: ", "the row was changed"),
                (other, ":2: ", "the history belongs to another run")):
            (folder / "history.csv").write_bytes(content)
            said = self.warnings(folder)
            self.assertIn(f"twirl info: warning: {folder}/history.csv{line}", said)
            self.assertIn(words, said)
            self.assertEqual(said.count("\n"), 1)
        said = self.warnings(self.source / "other", *plot, str(folder), str(self.source / "whole"))
        self.assertEqual(said.count("warning"), 1)
        self.assertIn(f"twirl plot: warning: {folder}/history.csv:2: the history belongs to another run", said)
        (folder / "run_state_a.txt").write_text("twirl")
        self.assertIn("history.csv:2: ", self.warnings(folder))
        (folder / "run_state_b.txt").write_text("twirl")
        self.assertIn("run_state_b.txt: damaged, or changed by hand", self.warnings(folder))
        for name in ("run_state_a.txt", "run_state_b.txt"):
            (folder / name).write_text("twirl run state 1\n")
        self.assertIn("run_state_b.txt: written by another version of twirl", self.warnings(folder))
        for name in ("run_state_a.txt", "run_state_b.txt"):
            (folder / name).unlink()
        self.assertEqual(self.warnings(folder), "")
        self.assertEqual(self.warnings(folder / "history.csv", *plot[:-2]), "")

    def test_readers_warn_of_other_changed_files(self):
        whole = self.folder / "changed"
        shutil.copytree(self.source / "whole", whole)
        plot = ("plot", "--pdf", "--out", str(self.folder / "plots"))
        report = ("report", "--json", str(self.folder / "report.json"))  # a program may have no page
        for command in (("info",), plot, report):
            self.assertNotIn("warning", self.warnings(whole, *command))
        for name, old, new in (("scenario.yaml", b"0.5", b"0.6"), ("run.log", b"grains", b"gravel"),
                               ("stages/drained.json", b'"p": 1', b'"p": 2'),
                               ("summary.json", b'"steps": ', b'"steps": 1'),
                               ("summary.json", b'"p": 1', b'"p": 2'),
                               ("files.txt", b"states/", b"stages/")):
            good = (whole / name).read_bytes()
            self.assertIn(old, good)
            (whole / name).write_bytes(good.replace(old, new, 1))
            for command in (("info",), plot) if name.startswith("stages") else (("info",),):
                said = self.warnings(whole, *command)
                self.assertIn(f"twirl {command[0]}: warning: {whole / name}: ", said)
                self.assertEqual(said.count("warning"), 1, said)
            if name.startswith("stages"):
                self.warnings(whole, *report)
                self.assertIn(f"{whole / name}: ", (self.folder / "report.json").read_text())
            (whole / name).write_bytes(good)
        # Of states and frames, which may be large, only the length.
        for name in ("states/dense.h5", "vtk/drained_cell_000002.vtp"):
            good = (whole / name).read_bytes()
            (whole / name).write_bytes(good + b" ")
            self.assertIn(f"{whole / name}: ", self.warnings(whole))
            (whole / name).unlink()  # whoever copies a run may leave it out
            self.assertEqual(self.warnings(whole), "")
            (whole / name).write_bytes(good)
        self.assertEqual(self.warnings(self.half), "")
        self.assertIn("complete", run("info", str(self.half)).stdout)

    def test_pipes_are_refused(self):
        """Reading one would wait for ever."""
        scenario = self.write()
        for name, command, words in (
                ("run_state_a.txt", ("run", scenario, "--resume", "--out"), ""),
                ("history.csv", ("run", scenario, "--resume", "--out"), "not a regular file"),
                ("files.txt", ("run", scenario, "--resume", "--out"), "not a regular file"),
                ("history.csv", ("info",), "not a regular file"),
                ("scenario.yaml", ("info",), ""),
                ("run.log", ("info",), "not a regular file"),
                ("history.csv", ("plot", "--out", str(self.folder / "plots")), "not a regular file"),
                ("history.csv", ("report", "--json", str(self.folder / "page.json")), ""),
                ("run.log", ("report", "--json", str(self.folder / "page.json")), ""),
                ("stages/settle.json", ("info",), "not a regular file")):
            (self.half / name).unlink()
            os.mkfifo(self.half / name)
            done = run(*command, str(self.half))  # with a limit of time
            self.assertIn(words, done.stderr)
            self.half = self.copy()
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        for command in (("check",), ("run",), ("info",), ("import", "--out", str(self.folder / "x.h5"))):
            done = run(*command, str(pipe))
            self.assertIn(done.returncode, (1, 2))
            self.assertIn("not a regular file", done.stderr)

    def test_readers_accept_the_history_of_a_run_under_way(self):
        path = self.half / "history.csv"
        whole = (self.source / "whole/history.csv").read_bytes()
        written = len(path.read_bytes())
        self.assertTrue(whole.startswith(path.read_bytes()))
        more = whole.index(b"\n", whole.index(b"\n", written) + 1) + 1  # rows behind the last state
        for length in (written, more, more - 1, more - 2):  # an incomplete check
            path.write_bytes(whole[:length])
            self.assertEqual(self.warnings(self.half), "")
        self.assertEqual(self.warnings(self.half, "plot", "--pdf", "--out", str(self.folder / "plots")), "")
        path.write_bytes(whole[:more - 2] + b"\n")
        self.assertIn(": the row was changed", self.warnings(self.half))
        process = self.interrupt("live", lambda out: commit_of(out) > 3, stop=True)
        try:
            self.assertEqual(self.warnings(self.folder / "live"), "")
        finally:
            process.kill()
            process.communicate()

    def test_checks_of_the_history_are_crc32(self):
        lines = (self.source / "whole/history.csv").read_bytes().splitlines(keepends=True)
        identity = numbers_of(self.source / "whole/run_state_a.txt")["identity"]
        check = zlib.crc32(lines[0], zlib.crc32(identity.encode()))
        self.assertTrue(lines[0].endswith(b",check\n"))
        self.assertGreater(len(lines), 50)
        for line in lines[1:]:
            row, found = line.rsplit(b",", 1)
            check = zlib.crc32(row + b",", check)
            self.assertEqual(int(found), check)

    def test_other_files(self):
        names = ("run.log", "files.txt", "scenario.yaml", "scenario.json", "stages/settle.json", "stages/specimen.json",
                 "stages/settle.h5", "vtk/settle_cell.pvd", "vtk/drained_spheres_000000.vtu",
                 "lammps/settle_000000.dump")
        for name in names if SCALE == 1 else names[1::3]:
            needle = f"{name}: damaged" if name in ("run.log", "files.txt") else f"{name}: not the file"
            text = (self.half / name).read_bytes()
            (self.half / name).write_bytes(text[:20] + bytes([text[20] ^ 1]) + text[21:])
            self.assert_is_refused(needle)
            (self.half / name).unlink()
            self.assert_is_refused(name)
        (self.half / "stages/settle.json").write_text("garbage")
        self.assert_is_refused("stages/settle.json")
        for name in ("states/specimen.h5", "stages/settle.json", "scenario.yaml", "scenario.json"):
            shutil.copy(self.source / "other" / name, self.half / name)
            self.assert_is_refused(name)
        shutil.copy(self.half / "states/specimen.h5", self.half / "states/dense.h5")
        self.assert_is_refused("states/dense.h5: not the file")
        # What the run writes again.
        (self.half / "vtk/drained_cell.pvd").write_text("garbage")
        self.assert_resumes()
        (self.half / "summary.json").write_text("garbage")
        self.assert_resumes()
        (self.half / "states/dense.h5.77.0.tmp").write_text("by a run that was killed")
        (self.half / "vtk/a.77.3.tmp").write_text("by a run that was killed")
        self.assert_resumes()

    def test_frames_of_another_run(self):
        shutil.copy(self.source / "other/lammps/drained_000001.dump", self.half / "lammps/drained_000099.dump")
        self.complete("half", "--resume")
        (self.half / "lammps/drained_000099.dump").unlink()
        self.assert_same("whole", "half")

    def test_another_scenario(self):
        self.assert_is_refused("another scenario", "scenario.yaml", "--out",
                               text=SCENARIO.replace("0.5 %", "0.6 %"))

    def test_restart(self):
        (self.half / "run_state_a.txt").unlink()
        before = content(self.half)
        said = self.complete("half", "--restart")
        self.assertIn(f"{self.half}.old", said)
        self.assert_same("whole", "half")
        self.assertEqual(content(f"{self.half}.old"), before)
        self.assertIn(f"{self.half}.old2", self.complete("half", "--restart"))
        self.assert_same("whole", "half.old2")
        self.assert_same("whole", "half")
        self.assert_refused(self.run_in("half", "--restart", "--resume"), "--resume", "--restart")

    def test_summaries_are_checked_when_joined(self):
        """Changed while the run is under way, a stage before they are joined."""
        out = self.folder / "live"
        process = self.interrupt("live", lambda out: (out / "stages/settle.json").exists(), stop=True)
        text = (out / "stages/settle.json").read_text()
        (out / "stages/settle.json").write_text(text.replace('"p": 9', '"p": 8').replace('"p": 1', '"p": 2'))
        process.send_signal(signal.SIGCONT)
        self.assertIn("stages/settle.json: not the summary", process.communicate()[1].decode())
        self.assertEqual(process.returncode, 2)
        self.assertFalse((out / "summary.json").exists())

    def test_states_are_checked_when_loaded(self):
        out = self.folder / "live"
        process = self.interrupt("live", lambda out: (out / "stages/settle.json").exists() and
                                 (out / "states/dense.h5").exists(), stop=True)
        shutil.copy(out / "states/specimen.h5", out / "states/dense.h5")
        process.send_signal(signal.SIGCONT)
        said = process.communicate()[1].decode()
        self.assertIn("states/dense.h5: not the state", said)
        self.assertIn("states/specimen", said)
        self.assertEqual(process.returncode, 2)


class Start(FolderTest):
    def test_foreign_files_are_not_overwritten(self):
        for name in ("history.csv", "materials.csv", "run.log", "summary.json", "scenario.yaml", "scenario.json", "loose.h5", "checkpoint_a.h5",
                     "states/x.h5", "stages/settle.json", "vtk/settle_cell_000000.vtp", "lammps/a.dump", "files.txt", "timing.json"):
            out = self.folder / "out"
            (out / name).parent.mkdir(parents=True)
            (out / name).write_text("of somebody")
            for option in ([], ["--resume"]):
                self.assert_refused(self.run_in("out", *option), name.split("/")[0], "--out", "--restart")
            self.assertEqual([(path.relative_to(out), path.read_bytes()) for path in out.rglob("*") if path.is_file()],
                             [(Path(name), b"of somebody")])
            shutil.rmtree(out)

    def test_other_files_stay(self):
        out = self.folder / "out"
        (out / "sub").mkdir(parents=True)
        (out / "notes.txt").write_text("of somebody")
        (out / "sub/run.5.0.tmp").write_text("of somebody")
        (out / "states").mkdir()  # empty
        self.complete("out", text=FRICTION.replace("0.02", "0.5"))
        self.assertEqual((out / "notes.txt").read_text(), "of somebody")
        self.assertEqual((out / "sub/run.5.0.tmp").read_text(), "of somebody")

    def test_an_earlier_version(self):
        out = self.folder / "out"
        out.mkdir()
        (out / "run_state.txt").write_text("twirl run state 1\n")
        self.assert_refused(self.run_in("out", "--resume"), "earlier version", "--restart", "--out")

    def test_a_run_that_had_not_begun(self):
        """Killed while grains are placed, or when only the mark of the start was there."""
        text = FRICTION.replace("0.02", "0.5")
        self.complete("whole", text=text)
        out = self.folder / "out"
        out.mkdir()
        (out / "lock").write_text("process 1 on nowhere\n")
        (out / "run_state_a.txt.12.0.tmp").write_text("half")
        self.complete("out", "--resume", text=text)
        self.assert_same("whole", "out")
        shutil.rmtree(out)
        self.interrupt("out", lambda out: (out / "run_state_a.txt").exists(), text=text)
        self.assert_refused(self.run_in("out", text=text), "already holds a run", "--resume", "--restart")
        self.complete("out", "--resume", text=text)
        self.assert_same("whole", "out")

    def test_the_log_does_not_depend_on_the_vector_instructions(self):
        level = run("--version").stdout.split()[-1]
        self.assertIn(f"vector instructions: {level}\n", self.complete("out"))
        self.assertNotIn(level, (self.folder / "out/run.log").read_text())

    def test_a_folder_in_no_folder(self):
        self.assert_refused(self.run_in("absent/run"), "absent/run: there is no folder ", "/absent to create it in",
                            status=1)

    def test_nothing_is_left_of_a_run_that_cannot_begin(self):
        text = "specimen: {checkpoint: none.h5}\nstages: [{name: a, path: triaxial, end: {steps: 20}}]\n"
        self.assert_refused(self.run_in("out", text=text), "none.h5")
        self.assertFalse((self.folder / "out").exists())
        (self.folder / "out").mkdir()
        (self.folder / "out/history.csv").write_text("of somebody")
        self.assert_refused(self.run_in("out", "--restart", text=text), "none.h5")
        self.assertEqual(content(self.folder / "out"), {"history.csv": b"of somebody"})

    def test_the_start_of_a_run_is_not_taken_for_all_of_it(self):
        """A mark of the start, put back into a folder with results."""
        text = SCENARIO.replace("  checkpoint: {steps: 101}\n", "")  # leaves the mark for some time
        self.interrupt("out", lambda out: (out / "run_state_a.txt").exists(), text=text)
        mark = self.folder / "mark"
        early = self.folder / "out/run_state_a.txt"
        self.assertEqual(numbers_of(early)["commit"], "0")
        shutil.copy(early, mark)
        self.complete("out", "--resume", text=text)
        before = content(self.folder / "out")
        shutil.copy(mark, early)
        (self.folder / "out/run_state_b.txt").unlink()
        self.assert_refused(self.run_in("out", "--resume", text=text), "nothing", "results",
                            "run_state_b.txt: missing")
        self.assertEqual(set(before) - set(content(self.folder / "out")), {"run_state_b.txt"})

    def test_a_limit_on_the_size_of_files(self):
        # As with a full disk: a message and a status, not the death by SIGXFSZ.
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
        done = subprocess.run([TWIRL, "run", self.write(), "--out", str(self.folder / "small"), "--quiet"],
                              capture_output=True, timeout=60, check=False, preexec_fn=limit)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(b"File too large", done.stderr)

    def test_closed_standard_error(self):
        out = self.folder / "out"
        text = FRICTION.replace("0.02", "0.5")
        self.complete("whole", text=text)
        command = f'exec "{TWIRL}" run "{self.write(text)}" --threads 1 --out "{out}" 0<&- 1>&- 2>&-'
        self.assertEqual(subprocess.run(["sh", "-c", command], check=False, timeout=60).returncode, 0)
        self.assert_same("whole", "out")


class Lock(FolderTest):
    def test_a_second_run_is_refused(self):
        process = self.interrupt("out", lambda out: commit_of(out) > 3, stop=True)
        out = self.folder / "out"
        before = content(out)
        for option in ("--resume", "--restart", "--quiet"):
            self.assert_refused(self.run_in("out", option), f"{out} is in use by process {process.pid} on", "--out")
        self.assertEqual(content(out), before)
        self.assertEqual(run("info", str(out / "checkpoint_a.h5")).returncode, 0)  # readers need no lock
        process.kill()
        process.communicate()
        self.assertTrue((out / "lock").exists())
        self.complete("out", "--resume")
        self.assertFalse((out / "lock").exists())

    def test_a_link_in_its_place_is_not_followed(self):
        victim = self.folder / "victim"
        victim.write_text("precious")
        for name in ("lock", "history.csv", "run.log", "files.txt"):
            out = self.folder / f"out_{name}"
            out.mkdir()
            (out / name).symlink_to(victim)
            done = self.run_in(out.name)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(name, done.stderr)
            self.assertEqual(victim.read_text(), "precious")
        self.assertIn("a symbolic link", self.run_in("out_lock").stderr)

    def test_of_many_that_start_at_once_one_runs(self):
        command = [TWIRL, "run", self.write(), "--threads", "1", "--quiet", "--resume", "--out",
                   str(self.folder / "out")]
        started = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(5)]
        codes = []
        for process in started:
            said = process.communicate()[1].decode()
            codes.append(process.returncode)
            if process.returncode != 0:
                self.assertIn("is in use", said)
        self.assertIn(0, codes)
        self.assertLessEqual(set(codes), {0, 2})
        self.complete("whole")
        self.assert_same("whole", "out")


class Others(FolderTest):
    """What other programs do to the files of a run under way."""

    def stopped_and_changed(self, out, change):
        """How a run ends that is stopped, and continues after the change."""
        process = self.interrupt(out, lambda folder: commit_of(folder) > 3, stop=True)
        change(self.folder / out)
        process.send_signal(signal.SIGCONT)
        said = process.communicate()[1].decode()
        return process.returncode, said

    def test_a_history_that_is_emptied_ends_the_run(self):
        code, said = self.stopped_and_changed("out", lambda out: os.truncate(out / "history.csv", 0))
        self.assertEqual(code, 1, said)
        self.assertIn("history.csv: 0 bytes, but the run wrote ", said)
        self.assertNotIn(b"\0", (self.folder / "out/history.csv").read_bytes())

    def test_a_history_that_is_replaced_ends_the_run(self):
        def replace(out):
            shutil.copy(out / "history.csv", out / "copy")
            os.rename(out / "copy", out / "history.csv")
        code, said = self.stopped_and_changed("out", replace)
        self.assertEqual(code, 1, said)
        self.assertIn("history.csv: removed or replaced by another program", said)


class Preparation(FolderTest):
    def test_the_loose_state_is_checked(self):
        self.complete("whole", text=FRICTION)
        self.interrupt("out", lambda out: commit_of(out) > 6, text=FRICTION)
        loose = self.folder / "out/loose.h5"
        good = loose.read_bytes()
        shutil.copy(self.folder / "whole/states/specimen.h5", loose)
        self.assert_refused(self.run_in("out", "--resume", text=FRICTION), "loose.h5: not the file")
        loose.unlink()
        self.assert_refused(self.run_in("out", "--resume", text=FRICTION), "loose.h5: missing")
        loose.write_bytes(good)
        self.complete("out", "--resume", text=FRICTION)
        self.assert_same("whole", "out")


class Probes(FolderTest):
    def lines(self, out):
        part = out / "stages/probe/part.txt"
        return part.read_bytes().splitlines(keepends=True) if part.exists() else []

    def test_results_of_probes(self):
        self.complete("whole", text=PROBES)
        self.interrupt("half", lambda out: len(self.lines(out)) >= 6, text=PROBES)
        lines = self.lines(self.folder / "half")
        cut = lines[1].rfind(b"0x")
        digit = lines[1][cut + 4:cut + 5]
        for edit in ([lines[0], lines[1][:cut + 4] + (b"1" if digit != b"1" else b"2") + lines[1][cut + 5:]] + lines[2:],
                     [b"nonsense\n"] + lines[1:],
                     [b"3" + lines[0][1:]] + lines[1:],
                     lines[:3] + [lines[3][:40]]):
            shutil.rmtree(self.folder / "out", ignore_errors=True)
            shutil.copytree(self.folder / "half", self.folder / "out")
            (self.folder / "out/stages/probe/part.txt").write_bytes(b"".join(edit))
            self.complete("out", "--resume", text=PROBES)
            self.assert_same("whole", "out")
        shutil.copytree(self.folder / "half", self.folder / "other")
        shutil.copy(self.folder / "half/states/specimen.h5", self.folder / "other/stages/probe.h5")
        self.assertIn("stages/probe.h5: not the file", self.complete("other", "--resume", text=PROBES))
        self.assert_same("whole", "other")  # the state before probing makes it again
        (self.folder / "other/stages/probe/fits.csv").write_text("garbage")
        self.assertIn("stages/probe/fits.csv: not the file", self.complete("other", "--resume", text=PROBES))
        self.assert_same("whole", "other")


if __name__ == "__main__":
    unittest.main()
