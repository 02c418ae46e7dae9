# SPDX-License-Identifier: BSD-3-Clause
"""A run continued from a restart file has the same forces."""

import unittest

import engine
from lmp import LammpsTest

# Variables: atoms, boundary, newton, move, exclude, floor, cell. The wall comes before the fix that moves bodies: at the
# start of a run fix rigid/small sums forces in the order of the fixes.
HEAD = """
units lj
newton {newton}
comm_modify vel yes
"""
SETTINGS = """
neighbor 0.05 bin
neigh_modify delay 0 every 1 check yes {exclude}
timestep 0.05
{floor}
fix move all {move}
{cell}
compute ids all property/local patom1 patom2 cutoff radius
compute contacts all pair/local p1 p2 p3 p4 p5 p6 p11 p12 p14 p15 p16 cutoff radius
compute balance all pair twirl
thermo_style custom step pe c_balance[1] c_balance[2] c_balance[3] c_balance[4] c_balance[5] {columns}
thermo_modify norm no format float %.15g
thermo 50
"""
FIRST = """
atom_style {atoms}
boundary {boundary}
{tilted}
read_data specimen.data
pair_style twirl contacts specimen.contacts
pair_coeff * * linear 1.0 1.0 0.55 nu_n 0.1 nu_t 0.1 mu_r 0.05 nu_r 0.05 mu_w 0.04 nu_w 0.06
"""
OUT = """
dump contacts all local 1 {out} c_ids[*] c_contacts[*]
dump_modify contacts format float %.17g
run 0
"""

# A soft plane through the specimen: all grains below it are in contact with it and slide.
FLOOR = ("fix floor all wall/twirl linear 1e-3 8e-4 0.3 nu_n 1e-4 nu_t 1e-4 mu_r 0.1 nu_r 1e-4 mu_w 0.1 nu_w 1e-4 "
         "plane 0 0 1.0 0 0 1 velocity 0.001 0 0")
COLUMNS = {"floor": "f_floor[1] f_floor[3] f_floor[6] f_floor[8] f_floor[16]",
           "": "c_balance[10] vol pxx pyy c_balance[11]"}  # only quantities that do not pass through zero: differences are relative

CELLS = {"still": "", "floor": "", "triaxial": "fix cell all deform 1 x trate 2e-6 z trate -2e-6 remap x",
         "shear": "fix cell all deform 1 xy erate 2e-6 remap x"}


class Restart(LammpsTest):
    """Only rounding differs: atoms are restored in another order, so forces are summed in another order. An ulp of a distance
    is 2e-16, which is 2e-13 of an overlap. One of a position is 1e-15; a step rounds a position several times, and the differences
    grow. A memory that is lost shows at 1e-3."""

    def open_along_z(self):
        """Walls need a non-periodic direction: the specimen gets free faces. Atoms move to their
        images, and contacts through the faces are removed."""
        folder, place, rows = self.lammps.folder, {}, []
        for line in (folder / "specimen.data").read_text().splitlines():
            words = line.split()
            if words[-2:] == ["zlo", "zhi"]:
                height = float(words[1]) - float(words[0])
                line = f"{float(words[0]) - height!r} {float(words[1]) + height!r} zlo zhi"
            elif len(words) > 8:  # id type diameter density x y z, or id type x y z diameter ...; image flags
                at, size = (6, 2) if len(words) == 10 else (4, 5)
                z, radius = float(words[at]) + int(words[-1]) * height, 0.5 * float(words[size])
                place[words[0]] = z, radius
                words[at], words[-1] = repr(z), "0"
                line = " ".join(words)
            rows.append(line)
        (folder / "specimen.data").write_text("\n".join(rows) + "\n")
        kept, columns = [], []
        for line in (folder / "specimen.contacts").read_text().splitlines():
            words = line.split("#")[0].split()
            if len(words) < 9:
                columns += words[1:]  # of the line with the number of contacts
                continue
            (a, r), (b, s) = place[words[0]], place[words[1]]
            if abs(b - a - (r + s - float(words[5])) * float(words[4])) < 1e-3 * (r + s):
                kept.append(line)
        (folder / "specimen.contacts").write_text("\n".join([" ".join([str(len(kept)), *columns]), *kept]) + "\n")

    def difference_of_couples(self):
        """Largest difference of a couple, relative to normal force times diameter, 3e-3."""
        first, second = (engine.contacts([[*row[:2], *row[10:13], *row[5:8]] for row in self.lammps.table(name)])
                         for name in ("whole.dump", "rest.dump"))
        worst = largest = 0.0
        for pair, images in first.items():
            for n, couple in images:
                other = max(second[pair], key=lambda c: sum(x * y for x, y in zip(c[0], n)))[1]
                worst = max(worst, max(abs(a - b) for a, b in zip(couple, other)))
                largest = max(largest, max(abs(a) for a in couple))
        self.assertGreater(largest, 1e-9)
        return worst / 3e-3

    def go_on(self, kind, cell, ranks, newton, back_on, steps):
        """Largest difference of a contact force `steps` steps after the restart, and of the energy balance."""
        clusters, floor = kind == "clusters", cell == "floor"
        values = dict(boundary="p p f" if floor else "p p p", floor=FLOOR if floor else "",
                      columns=COLUMNS["floor" if floor else ""], atoms="hybrid sphere molecular" if clusters else "sphere", newton=newton,
                      exclude="exclude molecule/intra all" if clusters else "",
                      tilted="box tilt large" if cell == "shear" else "", cell=CELLS[cell])
        # Bodies are restored from the file that fix rigid/small writes with each restart file.
        move = ("rigid/small molecule infile {}.bodies", "rigid/small molecule infile {}.rigid")
        first, again = [word.format(name) if clusters else "nve/sphere"
                        for word, name in zip(move, ("specimen", "state.100"))]
        script = HEAD + FIRST + SETTINGS + f"restart 100 state.*\nrun {100 + steps}\n" + OUT
        whole = self.lammps.run(script.format(out="whole.dump", move=first, **values), ranks)
        # Both runs write restart files: LAMMPS then makes new neighbour lists, and contacts of clusters that
        # start in such a step start from velocities, not from positions.
        script = (HEAD + "read_restart state.100\n" + SETTINGS +
                  f"restart 100 again.*\nrun {steps}\n" + OUT)
        rest = self.lammps.run(script.format(out="rest.dump", move=again, **values), back_on)
        found = [engine.contacts(self.lammps.table(name)) for name in ("whole.dump", "rest.dump")]
        balance = [engine.thermo(output)[100 + steps] for output in (whole, rest)]
        worst = max(abs(a - b) / (abs(a) + 1e-9) for a, b in zip(*balance))
        return engine.largest_difference(*found), worst

    def assert_goes_on(self, *case):
        for steps, tolerance in ((0, 1e-12), (1, 1e-10), (100, 1e-7)):
            with self.subTest(case=case, steps=steps):
                forces, balance = self.go_on(*case, steps)
                self.assertLess(forces, tolerance)
                self.assertLess(self.difference_of_couples(), tolerance)
                self.assertLess(balance, max(1e-10, tolerance))  # sums over contacts, equally accurate

    def test_spheres(self):
        engine.make(self.lammps.folder, 5, "spheres", "triaxial", 1e-7, 1, 1)
        for case in (("still", 1, "on", 1), ("triaxial", 2, "off", 2), ("triaxial", 2, "on", 4)):
            self.assert_goes_on("spheres", *case)

    def test_clusters(self):
        engine.make(self.lammps.folder, 4, "clusters", "triaxial", 1e-7, 1, 1)
        # Not in a deforming box: there LAMMPS writes restart files after the box has moved, but before
        # the members of bodies are placed again.
        for case in (("still", 1, "off", 2), ("still", 2, "on", 1)):
            self.assert_goes_on("clusters", *case)

    def test_a_floor(self):
        for kind, side, cases in (("spheres", 5, ((2, "on", 1), (1, "off", 2))),
                                  ("clusters", 4, ((1, "off", 2), (2, "on", 1)))):
            engine.make(self.lammps.folder, side, kind, "triaxial", 1e-7, 1, 1)
            self.open_along_z()
            for case in cases:
                self.assert_goes_on(kind, "floor", *case)

    def test_a_sheared_cell(self):
        engine.make(self.lammps.folder, 5, "spheres", "shear", 1e-7, 1, 1)
        self.assert_goes_on("spheres", "shear", 2, "on", 1)


if __name__ == "__main__":
    unittest.main()
