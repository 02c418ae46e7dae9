# SPDX-License-Identifier: BSD-3-Clause
"""Common parts of the tests of the LAMMPS styles. TWIRL_LMP is the driver, or an lmp with the PLUGIN package
that loads the plugin TWIRL_LMP_PLUGIN. TWIRL_MPIRUN is mpirun."""

import math
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
import disturb

DRIVER = os.environ.get("TWIRL_LMP", "twirl-lmp")
PLUGIN = os.environ.get("TWIRL_LMP_PLUGIN")
MPIRUN = os.environ.get("TWIRL_MPIRUN", "mpirun")

# Below 1 for slow builds (sanitizers).
SCALE = float(os.environ.get("TWIRL_TEST_SCALE", "1"))

# Processes, newton: all ways in which pairs are shared between processes, or some of them.
WAYS = [(ranks, newton) for ranks in (1, 2, 4) for newton in ("on", "off")]
if SCALE < 1.0:
    WAYS = [(1, "off"), (2, "on")]


class Failed(Exception):
    pass


class Lammps:
    """A folder to run scripts in."""

    EXCHANGED = (".data", ".contacts", ".bodies", ".rigid", ".dump")

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="twirl_lmp_"))

    def close(self):
        shutil.rmtree(self.folder)

    @staticmethod
    def environment(folder):
        return {**os.environ, "OMP_NUM_THREADS": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1",
                "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                # a folder of its own: processes that share one fail in MPI_Init if another removes it just then
                "OMPI_MCA_orte_tmpdir_base": str(folder),
                # no messages without a network, and yielding on few cores
                "OMPI_MCA_btl": "self,vader", "OMPI_MCA_mpi_yield_when_idle": "1",
                "OMPI_MCA_hwloc_base_binding_policy": "none",
                "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}

    def run(self, script, ranks=1, check=True, timeout=300):
        """Runs a script and returns its output, including errors."""
        load = f"plugin load {PLUGIN}\n" if PLUGIN else ""
        (self.folder / "in.lmp").write_text(load + disturb.text(script))
        disturb.files(self.folder, *self.EXCHANGED)
        command = [DRIVER, "-in", "in.lmp", "-log", "none", "-nocite"]
        if ranks > 1:
            command = [MPIRUN, "--oversubscribe", "-np", str(ranks), *command]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=timeout,
                              env=self.environment(self.folder), stdin=subprocess.DEVNULL, check=False)
        output = disturb.text(done.stdout + done.stderr)
        disturb.files(self.folder, *self.EXCHANGED)
        if check and done.returncode != 0:
            raise Failed(f"{' '.join(command)}\n{output[-3000:]}")
        return output

    def table(self, name):
        """The rows of a dump of one frame, as lists of numbers."""
        with open(self.folder / name) as lines:
            while not next(lines).startswith(("ITEM: ATOMS", "ITEM: ENTRIES")):
                pass
            return [[float(word) for word in line.split()] for line in lines]


class LammpsTest(unittest.TestCase):
    def setUp(self):
        self.lammps = Lammps()
        self.addCleanup(self.lammps.close)


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def length(a):
    return math.sqrt(dot(a, a))


def minus(a, b):
    return [x - y for x, y in zip(a, b)]


def scaled(factor, a):
    return [factor * x for x in a]


def turned(axis, angle, v):
    """v, rotated about a unit axis (Rodrigues)."""
    c, s = math.cos(angle), math.sin(angle)
    w = cross(axis, v)
    along = (1.0 - c) * dot(axis, v)
    return [c * v[k] + s * w[k] + along * axis[k] for k in range(3)]
