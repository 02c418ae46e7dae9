# SPDX-License-Identifier: BSD-3-Clause
"""Runs by twirl and twirl-lmp, for the scripts of this folder. TWIRL, TWIRL_LMP and TWIRL_MPIRUN select the programs;
without them they are those of build/release, and mpirun."""

import csv
import os
import platform
import re
import resource
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TWIRL = os.environ.get("TWIRL", str(ROOT / "build/release/apps/twirl/twirl"))
LMP = os.environ.get("TWIRL_LMP", str(ROOT / "build/release/plugins/lammps/twirl-lmp"))
MPIRUN = os.environ.get("TWIRL_MPIRUN", "mpirun")

# One machine, which others use too. A process that waits for another gives its core away.
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "OMPI_MCA_btl": "self,vader", "OMPI_MCA_mpi_yield_when_idle": "1",
               "OMPI_MCA_hwloc_base_binding_policy": "none", "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
if hasattr(os, "geteuid") and os.geteuid() == 0:
    ENVIRONMENT.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def processor():
    text = subprocess.run(["lscpu"], text=True, stdout=subprocess.PIPE, check=False).stdout
    found = re.search(r"^Model name:\s*(.*)$", text, re.MULTILINE)
    return found.group(1) if found else platform.machine()


def command(words, ranks=0, threads=1):
    """0 ranks: plain twirl."""
    if ranks == 0:
        return [TWIRL, words[0], "--threads", str(threads), *words[1:]]
    return [*([MPIRUN, "--oversubscribe", "-np", str(ranks)] if ranks > 1 else []), LMP, *words]


def run(words, ranks=0, threads=1):
    """Returns status, output and processor time of a run that is waited for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command(words, ranks, threads), env=ENVIRONMENT, text=True, check=False, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.returncode, done.stdout, seconds


def history(folder):
    """Rows of numbers by stage, in the order of the run."""
    stages = {}
    with open(Path(folder) / "history.csv", newline="", encoding="ascii") as file:
        for row in csv.DictReader(file):
            name = row.pop("stage")
            stages.setdefault(name, []).append({key: float(value or "nan") for key, value in row.items()})
    return stages


def at(rows, abscissa, values, point):
    """A row of `values` at a point of the increasing column `abscissa`, between two rows."""
    for a, b in zip(rows, rows[1:]):
        if a[abscissa] <= point <= b[abscissa]:
            t = (point - a[abscissa]) / (b[abscissa] - a[abscissa]) if b[abscissa] > a[abscissa] else 0.0
            return [a[key] + t * (b[key] - a[key]) for key in values]
    last = rows[0] if point < rows[0][abscissa] else rows[-1]
    return [last[key] for key in values]
