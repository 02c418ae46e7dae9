# SPDX-License-Identifier: BSD-3-Clause
"""The codes to compare: installation, input, run and output of each."""

import os
import re
import resource
import shutil
import subprocess
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import packing

HERE = Path(__file__).resolve().parent
DT = 0.05


class Failed(Exception):
    pass


def descendants(pid):
    """Process pid and its descendants."""
    found, stack = [], [str(pid)]
    while stack:
        current = stack.pop()
        found.append(current)
        try:
            for task in os.listdir(f"/proc/{current}/task"):
                stack += Path(f"/proc/{current}/task/{task}/children").read_text().split()
        except OSError:
            pass
    return found


def resident_peak(pid):
    """Sum of the peak resident sizes of the program's processes, without mpirun [MiB]."""
    total = 0
    for process in descendants(pid):
        try:
            status = Path(f"/proc/{process}/status").read_text()
        except OSError:
            continue
        size = re.search(r"VmHWM:\s+(\d+)", status)
        if size and not re.search(r"^Name:\s+(mpirun|orted|sh)$", status, re.M):
            total += int(size.group(1))
    return total / 1024.0


@dataclass
class Effort:
    memory: float  # peak [MiB], sampled five times a second
    cpu: float  # processor time / wall time [-]
    shares: dict = field(default_factory=dict)  # of LAMMPS' parts in the time [%]


def cpu_time():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(command, cwd, env=None):
    """Runs a command and returns its output and Effort."""
    peak = [0.0]
    start = time.monotonic(), cpu_time()
    try:
        process = subprocess.Popen([str(c) for c in command], cwd=cwd, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True,
                                   env={**os.environ, **(env or {})})
    except FileNotFoundError:
        raise Failed(f"program {command[0]} not found")

    def watch():
        while process.poll() is None:
            peak[0] = max(peak[0], resident_peak(process.pid))
            time.sleep(0.2)

    watcher = threading.Thread(target=watch)
    watcher.start()
    output, _ = process.communicate()
    cpu = (cpu_time() - start[1]) / (time.monotonic() - start[0])
    watcher.join()
    if process.returncode != 0:
        raise Failed(f"{command[0]} exited with status {process.returncode}:\n" + output[-1500:])
    return output, Effort(peak[0], cpu)


def pairs(text):
    """The numbers of a line of `key value` pairs."""
    words = text.split()
    return {key: float(value) for key, value in zip(words[::2], words[1::2])}


def work_of(text, command):
    line = re.search(r"^work (.*)$", text, re.M)
    if not line:
        raise Failed(f"no result from {command[0]}:\n" + text[-1500:])
    return pairs(line.group(1))


class Job:
    """A case to run: files and numbers of steps."""

    def __init__(self, case, folder, warm, steps, cpu=False):
        self.case, self.folder, self.warm, self.steps = case, folder, warm, steps
        self.cpu = cpu  # processor time in place of wall time
        self.rate = case.strain / DT
        self.packing = folder / f"{case.packing}.h5"
        self.table = folder / f"{case.packing}.txt"

    def at(self, name):
        return self.folder / f"{self.case.name}.{name}"


class Twirl:
    """twirl itself; `more` are options of bench_peers_time."""

    package = None

    def __init__(self, name, bin_folder, version, more=(), measure=0, other_law=False):
        self.name, self.bin, self.version, self.more = name, bin_folder, version, list(more)
        self.measure = measure
        self.other_law = other_law  # not the work of the others: only the time is compared

    def settings(self):
        return [{}]

    def prepare(self, job):
        pass

    def run(self, job, cores, _):
        more = list(self.more)
        if self.measure:
            more += ["--measure", min(self.measure, job.steps)]
        output, effort = run([self.bin / "bench_peers_time", "--warm", job.warm, "--steps", job.steps,
                              "--threads", cores, "--strain", job.case.strain, *more, job.packing],
                             job.folder)
        result = pairs(output)
        return result["cpu_seconds" if job.cpu else "seconds"], result, effort


# Styles and constants: kn, kt, gamma_n, gamma_t, mu. Damping is gamma m/2 for equal spheres.
LAMMPS_LAWS = {"linear": "gran/hooke/history 1.0 1.0 0.2 0.2 0.55 1",
               "hertz": "gran/hertz/history 100.0 100.0 20.0 20.0 0.55 1"}
# Parts of LAMMPS' table of times: forces, neighbour lists, messages, fixes.
LAMMPS_PARTS = ("Pair", "Neigh", "Comm", "Modify")


class Lammps:
    """LAMMPS; base of LIGGGHTS, which is a fork of it."""

    package, name, program = "lammps", "lammps", "lmp"
    source = "lammps"  # whose input and settings it takes

    def law(self, job):
        """The arguments of pair_style and pair_coeff."""
        return LAMMPS_LAWS["hertz" if job.case.hertz else "linear"], "* *"

    def settings(self):
        return [{"skin": skin, "newton": newton}
                for newton in ("off", "on") for skin in (0.005, 0.01, 0.02, 0.05)]

    def prepare(self, job):
        packing.write_data(job.table, job.at(f"{self.source}.data"), job.rate, job.case.clusters,
                           self.source)

    def run(self, job, cores, setting):
        kind = "clusters" if job.case.clusters else "spheres"
        dumps = [job.at(f"{self.name}.{what}") for what in ("atoms", "contacts")]
        values = {"data": job.at(f"{self.source}.data"), "rate": job.rate, "warm": job.warm,
                  "steps": job.steps, "atoms_file": dumps[0], "contacts_file": dumps[1], **setting}
        if self.source == "lammps" and not job.case.clusters:
            values["law"], values["coefficients"] = self.law(job)
        command = [self.program, "-in", HERE / "inputs" / f"{self.source}_{kind}.in", "-log", "none"]
        for key, value in values.items():
            command += ["-var", key, value]
        if cores > 1:
            command = ["mpirun", "--bind-to", "core", "-np", cores, *command]
        output, effort = run(command, job.folder, {
            "OMP_NUM_THREADS": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})
        loops = re.findall(rf"Loop time of (\S+) on \d+ procs for {job.steps} steps.*?([0-9.]+)% CPU use(.*?)^Nlocal",
                           output, re.S | re.M)
        if not loops:
            raise Failed(f"no result from {self.program}:\n" + output[-1500:])
        if job.case.clusters:
            work = packing.measure_clusters(*dumps)
        else:
            work = work_of(output, command)
        seconds, percent, table = loops[-1]
        effort.shares = {name: float(share) for name, share in
                         re.findall(rf"^({'|'.join(LAMMPS_PARTS)}) .*\| *(\S+)$", table, re.M)}
        return float(seconds) * (0.01 * float(percent) if job.cpu else 1.0), work, effort


class TwirlLmp(Lammps):
    """pair_style twirl in the same input."""

    name = "twirl-lmp"

    def law(self, job):
        return "twirl", "* * 1.0 1.0 0.55 0.1"


class Liggghts(Lammps):
    package, name, program = "liggghts", "liggghts", "liggghts"
    source = "liggghts"

    def settings(self):
        return [{"skin": skin} for skin in (0.005, 0.01, 0.02, 0.05)]


class Yade:
    package, name, program, source = "yade", "yade", "yade", "yade"

    def settings(self):
        return [{"skin": skin} for skin in (0.005, 0.01, 0.02, 0.05)]

    def prepare(self, job):
        pass

    def run(self, job, cores, setting):
        command = [self.program, f"-j{cores}", "-x", "-n", HERE / "inputs" / "yade.py", job.table,
                   job.rate, setting["skin"], job.warm, job.steps]
        output, effort = run(command, job.folder)
        work = work_of(output, command)
        return float(re.search(r"^seconds (\S+)$", output, re.M).group(1)), work, effort


def lammps_version(program):
    output, _ = run([program, "-h"], HERE)
    found = re.search(r"Atomic/Molecular Massively Parallel Simulator - (.*)", output)
    return found.group(1).strip() if found else str(program)


def installed_version(package):
    if not shutil.which("dpkg-query"):
        return None
    query = subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Status} ${Version}", package],
                           capture_output=True, text=True)
    state, _, version = query.stdout.partition(" ")
    return version if query.returncode == 0 and state == "installed" else None


def install(code, may_install):
    """The version of a code's package, or None; installs it if allowed."""
    version = installed_version(code.package)
    root = [] if os.geteuid() == 0 else ["sudo"]
    if version or not may_install or not all(map(shutil.which, ["apt-get", *root])):
        return version
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run([*root, "apt-get", "-q", "update"], env=env, stdout=subprocess.DEVNULL)
    subprocess.run([*root, "apt-get", "-q", "install", "-y", "--no-install-recommends",
                    code.package, "openmpi-bin"], env=env, stdout=subprocess.DEVNULL)
    return installed_version(code.package)
