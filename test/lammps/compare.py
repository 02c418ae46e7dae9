# SPDX-License-Identifier: BSD-3-Clause
"""twirl's engine against LAMMPS with twirl's styles, at full size: run by hand, takes minutes.

    TWIRL_LMP=... TWIRL_SPECIMEN=... python3 compare.py [forces] [curve]

forces: 1,000 spheres and 512 clusters, 1,000 steps, on 1, 2 and 4 processes; the largest difference of
a contact force, relative to the mean normal force.
curve: the same specimens over 2 % of strain in 4,000 steps; the largest difference of a stress, relative to
the mean stress. Longer paths cannot be compared this way: packings are chaotic, and rounding differences
grow to order one after about 10,000 steps.
"""

import sys

import engine
from lmp import Lammps


def forces():
    for side, kind in ((10, "spheres"), (8, "clusters")):
        for path in ("triaxial", "shear"):
            lammps = Lammps()
            engine.make(lammps.folder, side, kind, path, 1e-7, 1000, 200)
            want = engine.reference(lammps.folder)
            for ranks in (1, 2, 4):
                output = lammps.run(engine.script(kind, path, 1e-7, 1000, 200), ranks)
                found = engine.contacts(lammps.table("contacts.dump"))
                curve = engine.curve_difference(engine.curve(lammps.folder), engine.thermo(output))
                print(f"{kind} {path} {ranks} processes: {len(want)} pairs, forces "
                      f"{engine.largest_difference(want, found):.1e}, stress {curve:.1e}", flush=True)
            lammps.close()


def curve():
    rate, steps, every = 5e-6, 4000, 40
    for side, kind in ((10, "spheres"), (8, "clusters")):
        lammps = Lammps()
        engine.make(lammps.folder, side, kind, "triaxial", rate, steps, every)
        for ranks in (1, 2, 4):
            output = lammps.run(engine.script(kind, "triaxial", rate, steps, every), ranks,
                                timeout=3000)
            found, want = engine.thermo(output), engine.curve(lammps.folder)
            for part in (0.25, 0.5, 1.0):
                worst = engine.curve_difference(want[:int(part * len(want))], found)
                print(f"{kind} {ranks} processes, up to {2 * part:g} % of strain: stress {worst:.1e}",
                      flush=True)
        lammps.close()


if __name__ == "__main__":
    for name in sys.argv[1:] or ["forces", "curve"]:
        {"forces": forces, "curve": curve}[name]()
