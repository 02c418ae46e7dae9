# SPDX-License-Identifier: BSD-3-Clause
"""Cost of pair_style twirl relative to gran/hooke/history: run by hand, takes a minute.

    TWIRL_LMP=... python3 cost.py DATA [STEPS]

DATA is a packing of bench/peers (build/peers/*/A.lammps.data). The styles alternate; the
result is the CPU time of a run minus that of a short one, minimum of three.
"""

import resource
import subprocess
import sys

from lmp import DRIVER

SCRIPT = """
units lj
atom_style sphere
boundary p p p
newton {newton}
comm_modify vel yes
read_data {data}
{pair}
neighbor 0.02 bin
neigh_modify delay 0 every 1 check yes
timestep 0.05
fix move all nve/sphere
fix cell all deform 1 x trate 1e-6 y trate 1e-6 z trate -2e-6 remap v units box
thermo 1000000
run {steps}
"""
STYLES = {"stock": "pair_style gran/hooke/history 1.0 1.0 0.2 0.2 0.55 1\npair_coeff * *",
          "twirl": "pair_style twirl\npair_coeff * * 1.0 1.0 0.55 0.1"}
SHORT = 50


def cpu(style, newton, data, steps):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([DRIVER, "-log", "none", "-screen", "none"], check=True, text=True,
                   input=SCRIPT.format(newton=newton, data=data, pair=STYLES[style], steps=steps))
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def main(data, steps=200):
    for newton in ("on", "off"):
        least = {}
        for _ in range(3):
            for style in STYLES:
                spent = cpu(style, newton, data, SHORT + steps) - cpu(style, newton, data, SHORT)
                least[style] = min(least.get(style, spent), spent)
        ratio = least["twirl"] / least["stock"]
        print(f"newton {newton}: stock {1e6 * least['stock'] / steps:.0f}, twirl "
              f"{1e6 * least['twirl'] / steps:.0f} us per step, {ratio:.2f} times", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:3]))
