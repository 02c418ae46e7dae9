#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Run folders that are damaged, copied while they change, killed, or resumed twice at once.

Whatever happened to the folder of an interrupted run, `twirl run --resume` either gives all results
bit for bit as the uninterrupted run, or refuses: status 2, a message that names the file and what
to do, and nothing in the folder changed. Without arguments a few random cases of each kind are
tried. The full campaign is started by hand, see README.md in this folder:

    test/cli/test_run_campaign.py --mutations 1000 --copies 50 --kills 200 --races 20 --seed 1

A failed case keeps its folder, as it was before the resume, and prints the command to repeat it.
"""

import argparse
import collections
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from cli import SCALE, TWIRL

SCENARIO = """
specimen:
  count: 24
  seed: {seed}
  sizes: {{distribution: uniform, d_min: 0.8 mm, d_max: 1.2 mm}}
  preparation: {{pressure: 100 kPa, friction: 0.1, inertial_number: {speed}, unbalanced: 0.05}}
material: {{stiffness_level: 1000, friction: 0.5}}
stages:
  - {{name: settle, path: isotropic, pressure: 100 kPa, end: {{unbalanced: 0.05}}, save: dense}}
  - {{name: drained, path: triaxial, end: {{strain: 0.2 %}}, inertial_number: 5e-3}}
  - path: cyclic
    name: shake
    from: dense
    cycle: {{base: simple_shear, strain: 0.1 %}}
    constant: normal_stress
    inertial_number: 5e-3
    end: {{cycles: 2}}
  - path: probes
    name: probing
    from: dense
    damping: {{local: 0.7}}
    probes: {{strain: 1e-5, count: 6, steps: 20, settle: 0.01, rest: 0.01, settle_steps: 200, rest_steps: 200, no_slip: yes}}
  - {{name: rest, path: relax, hold: stress, end: {{unbalanced: 0.05}}}}
output:
  history: {{steps: {rows}}}
  checkpoint: {{steps: {rows}}}
  vtk: {{steps: 200, stages: yes}}
  lammps: {{stages: yes}}
"""

# A good part of this run places grains.
PLACEMENT = """
specimen:
  count: 2000
  sizes: {distribution: uniform, d_min: 0.8 mm, d_max: 1.2 mm}
  preparation: {pressure: 1 kPa, start_porosity: 0.5, friction: 0.5, inertial_number: 1, unbalanced: 0.9}
material: {stiffness_level: 100, friction: 0.5}
stages:
  - {name: fly, path: free_flight, end: {steps: 5}}
output: {history: {steps: 100}, checkpoint: {steps: 100}}
"""

TIMEOUT = 60 / min(SCALE, 1)

# Written for the next resume; which of the two pairs is newer depends on the interruptions.
OWN = ("checkpoint_a.h5", "checkpoint_b.h5", "run_state_a.txt", "run_state_b.txt")


def content(folder):
    """All files of a folder: relative path to bytes."""
    files = {}
    for path in sorted(Path(folder).rglob("*")):
        try:
            if path.is_file():
                files[str(path.relative_to(folder))] = path.read_bytes()
        except FileNotFoundError:  # of a run that goes on
            pass
    return files


def results(files):
    return {name: data for name, data in files.items() if name not in OWN and name != "timing.json"}


def restore(folder, files):
    """Makes the folder hold exactly these files."""
    shutil.rmtree(folder, ignore_errors=True)
    for name, data in files.items():
        path = Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


class Failure(Exception):
    pass


class Campaign:
    def __init__(self, seed, keep):
        self.seed = seed
        self.keep = Path(keep)
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # syncs cost nothing there
        self.holder = tempfile.TemporaryDirectory(dir=memory)
        self.folder = Path(self.holder.name)
        self.outcomes = collections.Counter()
        self.failures = []

    def scenario(self, name, text):
        path = self.folder / (name + ".yaml")
        path.write_text(text)
        return path

    def start(self, scenario, out, *options):
        command = [TWIRL, "run", str(scenario), "--out", str(out), "--threads", "1", *options]
        return subprocess.Popen(command, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True)

    def finish(self, process):
        try:
            text, _ = process.communicate(timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Failure("hangs") from None
        return process.returncode, text

    def whole(self, scenario, out):
        """Files of an uninterrupted run, and the seconds it took."""
        begun = time.monotonic()
        status, text = self.finish(self.start(scenario, out))
        if status != 0:
            raise RuntimeError(text)
        return content(out), time.monotonic() - begun

    def killed(self, scenario, out, seconds, *options):
        """Kills a run after so many seconds. Its status, or None if it was killed."""
        process = self.start(scenario, out, *options)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
        text, _ = process.communicate()
        if process.returncode == -signal.SIGKILL:
            return None
        if process.returncode != 0:
            raise Failure(f"status {process.returncode}: {text}")
        return 0

    def check_equal(self, out, reference):
        found, expected = results(content(out)), results(reference)
        for name in sorted(set(found) | set(expected)):
            if found.get(name) != expected.get(name):
                how = ("is missing" if name not in found else
                       "is left over" if name not in expected else "differs")
                raise Failure(f"status 0, but {name} {how}")

    def check_refused(self, out, before, text, names):
        if "resume" not in text and "--restart" not in text and "--out" not in text:
            raise Failure(f"the message says not what to do: {text}")
        if not any(name in text for name in names):
            raise Failure(f"the message does not name {' or '.join(names)}: {text}")
        after = content(out)
        for name in sorted(set(before) | set(after)):
            stale = name == "lock" or name.endswith(".tmp")
            if not stale and before.get(name) != after.get(name):
                raise Failure(f"refused, but {name} has changed")

    def resume(self, scenario, out, reference, names):
        """'identical', 'fell back' or 'refused'; raises Failure for anything else."""
        before = content(out)
        status, text = self.finish(self.start(scenario, out, "--resume"))
        if status == 2:
            self.check_refused(out, before, text, names)
            return "refused"
        if status != 0:
            raise Failure(f"status {status}: {text}")
        self.check_equal(out, reference)
        return "fell back" if "cannot be used" in text else "identical"

    def case(self, name, number, scenario, work, before=None):
        """Counts the outcome of work(). `before` is the folder as it was before the resume."""
        try:
            outcome = work()
        except Failure as failure:
            outcome = "FAILED"
            where = self.keep / f"{name[0]}-{self.seed}-{number}"
            files = before() if before else {}
            if files:
                restore(where / "out", files)
                shutil.copy(scenario, where / "scenario.yaml")
            self.failures.append(f"{' '.join(name)}, case {number}: {failure}\n"
                                 f"    repeat: {TWIRL} run {where}/scenario.yaml --out {where}/out --resume")
            print(self.failures[-1], flush=True)
        self.outcomes[name, outcome] += 1

    # ---- Snapshots ----

    def snapshots(self, scenario, seconds, count, rng):
        """Folders of killed runs, in the order of their age."""
        found = []
        while len(found) < count:
            out = self.folder / "snapshot"
            shutil.rmtree(out, ignore_errors=True)
            self.killed(scenario, out, seconds * rng.uniform(0.02, 1.1))
            files = {name: data for name, data in content(out).items() if not name.endswith(".tmp")}
            if any(name in files for name in ("run_state_a.txt", "run_state_b.txt")):
                found.append(files)
        return sorted(found, key=lambda files: len(files.get("history.csv", b"")) + len(files))

    # ---- a. Mutations ----

    def mutations(self, count, first):
        rng = random.Random(f"snapshots {self.seed}")
        scenario = self.scenario("small", SCENARIO.format(seed=1, speed=0.5, rows=50))
        other = self.scenario("other", SCENARIO.format(seed=2, speed=0.5, rows=50))
        reference, seconds = self.whole(scenario, self.folder / "whole")
        foreign, _ = self.whole(other, self.folder / "foreign")
        moments = self.snapshots(scenario, seconds, max(3, min(40, count // 10)), rng)
        moments.append(reference)
        out = self.folder / "out"
        for number in range(first, first + count):
            rng = random.Random(f"mutation {self.seed} {number}")
            files = dict(rng.choice(moments))
            kind, names = mutate(files, rng, moments, foreign)
            restore(out, files)
            group = group_of(names[0])
            self.case(("mutation", group, kind), number, scenario,
                      lambda: self.resume(scenario, out, reference, [Path(name).name for name in names]),
                      lambda: files)

    # ---- b. Slow copies of a live folder ----

    def copies(self, count, first):
        scenario = self.scenario("slow", SCENARIO.format(seed=1, speed=0.05, rows=100))
        reference, seconds = self.whole(scenario, self.folder / "slow_whole")
        for number in range(first, first + count):
            rng = random.Random(f"copy {self.seed} {number}")
            out, copy = self.folder / "live", self.folder / "copy"
            for folder in (out, copy):
                shutil.rmtree(folder, ignore_errors=True)
            process = self.start(scenario, out)
            time.sleep(seconds * rng.uniform(0.05, 0.6))
            self.copy_slowly(out, copy, seconds * rng.uniform(0.1, 0.6), rng)
            process.kill()
            process.communicate()
            files = content(copy)
            self.case(("copy", "folder", "slow"), number, scenario,
                      lambda: self.resume(scenario, copy, reference, [""]), lambda: files)

    @staticmethod
    def copy_slowly(source, target, seconds, rng):
        target.mkdir()
        paths = [path for path in source.rglob("*") if path.is_file()]
        if rng.random() < 0.5:
            rng.shuffle(paths)
        for path in paths:
            time.sleep(seconds * rng.expovariate(1.0) / len(paths))
            place = target / path.relative_to(source)
            place.parent.mkdir(parents=True, exist_ok=True)
            try:
                shutil.copy(path, place)
            except FileNotFoundError:
                pass  # a temporary file

    # ---- c. Kills ----

    def kills(self, count, first):
        small = self.scenario("small", SCENARIO.format(seed=1, speed=0.5, rows=50))
        placing = self.scenario("placement", PLACEMENT)
        known = {small: self.whole(small, self.folder / "small_whole")}
        for number in range(first, first + count):
            rng = random.Random(f"kill {self.seed} {number}")
            scenario = placing if number % 10 == 9 else small
            if scenario not in known:
                known[scenario] = self.whole(scenario, self.folder / "placement_whole")
            reference, seconds = known[scenario]
            out = self.folder / "killed"
            shutil.rmtree(out, ignore_errors=True)
            phases = []
            self.case(("kill", "placement" if scenario is placing else "run", "-9"), number, scenario,
                      lambda: self.kill_and_resume(scenario, out, reference, seconds, rng, phases),
                      lambda: content(out))
            for phase in phases:
                self.outcomes[("kill", "in phase", phase), "kills"] += 1

    def kill_and_resume(self, scenario, out, reference, seconds, rng, phases):
        latest = 0.3 if scenario.stem == "placement" else 0.9
        for again in range(rng.choice((1, 1, 2, 4))):
            options = ("--resume",) if again or out.exists() else ()
            if self.killed(scenario, out, seconds * rng.uniform(0.0, latest), *options) == 0:
                break
            phases.append(phase_of(out))
        status, text = self.finish(self.start(scenario, out, "--resume"))
        if status != 0:
            raise Failure(f"status {status}: {text}")
        self.check_equal(out, reference)
        return "identical"

    # ---- d. Two resumes at once ----

    def races(self, count, first):
        scenario = self.scenario("slow", SCENARIO.format(seed=1, speed=0.05, rows=100))
        reference, seconds = self.whole(scenario, self.folder / "race_whole")
        for number in range(first, first + count):
            rng = random.Random(f"race {self.seed} {number}")
            out = self.folder / "race"
            shutil.rmtree(out, ignore_errors=True)
            while self.killed(scenario, out, seconds * rng.uniform(0.1, 0.5)) == 0:
                shutil.rmtree(out)
            self.case(("race", "folder", "two resumes"), number, scenario,
                      lambda: self.resume_twice(scenario, out, reference, seconds, rng),
                      lambda: content(out))

    def resume_twice(self, scenario, out, reference, seconds, rng):
        one = self.start(scenario, out, "--resume")
        time.sleep(seconds * rng.choice((0.0, rng.uniform(0.0, 0.3))))
        two = self.start(scenario, out, "--resume")
        ends = [self.finish(one), self.finish(two)]
        self.check_equal(out, reference)
        status = sorted(end[0] for end in ends)
        if status == [0, 0]:
            return "one after the other"
        refused = [text for number, text in ends if number == 2]
        if status != [0, 2] or "another" not in refused[0]:
            raise Failure(f"{ends}")
        return "one refused"

    def report(self):
        names = sorted({name for name, _ in self.outcomes})
        for name in names:
            counts = {end: n for (other, end), n in self.outcomes.items() if other == name}
            print("  ".join([f"{' '.join(name):44}"] + [f"{end} {n}" for end, n in sorted(counts.items())]))
        totals = collections.Counter()
        for (name, end), n in self.outcomes.items():
            totals[name[0], end] += n
        for (name, end), n in sorted(totals.items()):
            print(f"total: {name} {end} {n}")
        for failure in self.failures:
            print(failure)


def phase_of(out):
    """In which phase a killed run was, by what it has left."""
    names = {name: data for name, data in content(out).items() if name.startswith("run_state_")}
    if not names:
        return "before the first file"
    fields = [dict(line.split(" ", 1) for line in data.decode().splitlines() if " " in line)
              for data in names.values()]
    newest = max(fields, key=lambda f: int(f.get("commit", 0)))
    if newest.get("probing") == "1":
        return "probes"
    return {"0": "start", "1": "compression", "2": "settling", "3": "stages"}.get(newest["phase"],
                                                                                 "done")


def group_of(name):
    """Kind of file, for the table of outcomes."""
    path = Path(name)
    if path.parts[0] in ("vtk", "lammps", "states"):
        return path.parts[0] + "/*" + path.suffix
    if path.parts[0] == "stages":
        return ("stages/*" + path.suffix) if len(path.parts) == 2 else "stages/*/" + path.name
    return name.replace("_a.", "_*.").replace("_b.", "_*.")


def change_lines(data, rng, how):
    lines = data.splitlines(keepends=True)
    if len(lines) < 2:
        return data + b"\n"
    i, j = rng.sample(range(len(lines)), 2)
    if how == "delete":
        del lines[i]
    elif how == "repeat":
        lines.insert(i, lines[i])
    else:
        lines[i], lines[j] = lines[j], lines[i]
    return b"".join(lines)


def change_byte(data, rng, how):
    changed = bytearray(data or b"0")
    digits = [k for k, byte in enumerate(changed) if chr(byte).isdigit()]
    at = rng.choice(digits) if how == "digit" and digits else rng.randrange(len(changed))
    if how == "digit":
        changed[at] = rng.choice([d for d in b"0123456789" if d != changed[at]])
    elif how == "bit":
        changed[at] ^= 1 << rng.randrange(8)
    else:
        changed[at] ^= rng.randrange(1, 256)
    return bytes(changed)


def insert_bytes(data, rng):
    at = rng.randrange(len(data) + 1)
    return data[:at] + bytes(rng.randrange(256) for _ in range(rng.randrange(1, 20))) + data[at:]


CHANGES = {
    "bit": lambda data, rng: change_byte(data, rng, "bit"),
    "byte": lambda data, rng: change_byte(data, rng, "byte"),
    "digit": lambda data, rng: change_byte(data, rng, "digit"),
    "line deleted": lambda data, rng: change_lines(data, rng, "delete"),
    "line repeated": lambda data, rng: change_lines(data, rng, "repeat"),
    "lines swapped": lambda data, rng: change_lines(data, rng, "swap"),
    "truncated": lambda data, rng: data[:rng.randrange(max(1, len(data)))],
    "last line lost": lambda data, rng: data[:data.rstrip(b"\n").rfind(b"\n") + 1],
    "extended": lambda data, rng: data + data[-rng.randrange(1, 200):],
    "inserted": insert_bytes,
    "emptied": lambda data, rng: b"",
}


def mutate(files, rng, moments, foreign):
    """Changes `files`; the kind of the change and the names of the files, the first one first."""
    groups = collections.defaultdict(list)
    for name in files:
        groups[group_of(name)].append(name)
    name = rng.choice(groups[rng.choice(sorted(groups))])
    kind = rng.choice(sorted(CHANGES) + ["deleted", "of another moment", "of another run",
                                         "swapped", "another file", "pairs of another moment",
                                         "pairs of another run"])
    peers = [peer for peer in files if peer != name and Path(peer).suffix == Path(name).suffix]
    if kind in CHANGES:
        files[name] = CHANGES[kind](files[name], rng)
    elif kind == "deleted":
        del files[name]
    elif kind == "of another moment":
        files[name] = rng.choice([m for m in moments if name in m])[name]
    elif kind == "of another run" and name in foreign:
        files[name] = foreign[name]
    elif kind == "swapped" and peers:
        peer = rng.choice(peers)
        files[name], files[peer] = files[peer], files[name]
        return kind, [name, peer]
    elif kind.startswith("pairs"):
        source = foreign if kind.endswith("run") else rng.choice(moments)
        for own in OWN:
            files.pop(own, None)
            if own in source:
                files[own] = source[own]
        return kind, list(OWN) + ["scenario.yaml", "files.txt", "history.csv", "run.log"]
    else:
        files[name] = files[rng.choice(sorted(files))]
        kind = "another file"
    return kind, [name]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = {"mutations": 16, "copies": 2, "kills": 6, "races": 1}
    for name in kinds:
        parser.add_argument("--" + name, type=int, help="how many cases")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--keep", default="campaign", help="folder for failed cases")
    given = parser.parse_args()
    if all(getattr(given, kind) is None for kind in kinds):
        for kind, count in kinds.items():
            setattr(given, kind, max(1, round(max(min(SCALE, 1), 0.2) * count)))
    campaign = Campaign(given.seed, given.keep)
    for kind in kinds:
        if getattr(given, kind):
            begun = time.monotonic()
            getattr(campaign, kind)(getattr(given, kind), given.first)
            print(f"{kind}: {getattr(given, kind)} cases, {time.monotonic() - begun:.0f} s", flush=True)
    campaign.report()
    print(f"seed {given.seed}, {len(campaign.failures)} failed")
    return 1 if campaign.failures else 0


if __name__ == "__main__":
    sys.exit(main())
