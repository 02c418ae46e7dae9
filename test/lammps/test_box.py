# SPDX-License-Identifier: BSD-3-Clause
"""Large shear: flips and remaps of the box must not affect contacts.

Fix deform moves the box at the end of a step, after the forces. With `remap x` it also moves the atoms, but not their images, so contacts are
those of a run that starts there. With `remap v` such a run would see an atom on its way through a face where the box was or where it is now,
depending on when it was wrapped last; contacts are those of the last step.
"""

import unittest

import engine
from lmp import LammpsTest

SCRIPT = """
units lj
atom_style sphere
boundary p p p
newton {newton}
comm_modify vel yes
box tilt large
read_data specimen.data
pair_style twirl
pair_coeff * * 1.0 1.0 0.55 0.1
neighbor 0.2 bin
neigh_modify delay 0 every 1 check yes
timestep 0.05
fix move all nve/sphere
fix cell all deform 1 xy erate 0.01 remap {remap} flip {flip}
{start}
compute ids all property/local patom1 patom2 cutoff radius
compute contacts all pair/local p1 p2 p3 p4 p5 p6 p11 p12 cutoff radius
thermo_style custom step xy lx
thermo 100
{end}
"""

DUMP = "dump contacts all local {} {} c_ids[*] c_contacts[*]\ndump_modify contacts format float %.17g"
END = {"x": "run {steps}\n" + DUMP.format(1, "{out}") + "\nrun 0",
       "v": DUMP.format("{steps}", "{out}") + " delay {steps}\nrun {steps}"}

# Total velocities, for the remap that changes velocities at the faces.
AFFINE = "velocity all ramp vx 0 {} y 0 {} sum yes"


# Two spheres in a cell so narrow that they touch twice, with different overlaps.
NARROW = """
units lj
atom_style sphere
boundary p p p
newton {newton}
comm_modify vel yes
region box block 0 1.98 0 3 0 3
create_box 1 box
create_atoms 1 single 0.5 1.5 1.5
create_atoms 1 single 1.492 1.5 1.5
set group all diameter 1 density 1
group second id 2
pair_style twirl
pair_coeff * * 1.0 1.0 0.5
neighbor 0.3 bin
neigh_modify delay 0 every {search}
timestep 1.0
fix push second move linear 1e-5 2e-5 1e-5
compute ids all property/local patom1 patom2 cutoff radius
compute contacts all pair/local p1 p2 p3 p4 p5 p6 p11 p12 cutoff radius
thermo 50
run 50
dump contacts all local 1 {out} c_ids[*] c_contacts[*]
dump_modify contacts format float %.17g
run 0
"""


class Box(LammpsTest):
    def test_a_pair_that_touches_twice_has_two_memories(self):
        found = []
        for search, newton in (("1000", "on"), ("1 check no", "on"), ("1 check no", "off")):
            self.lammps.run(NARROW.format(search=search, newton=newton, out="narrow.dump"))
            found.append(engine.contacts(self.lammps.table("narrow.dump")))
            self.assertEqual({pair: len(images) for pair, images in found[-1].items()}, {(1, 2): 2})
            # places of 1.5 are rounded at 2e-16 in each of 50 steps, of overlaps of 8e-3
            self.assertLess(engine.largest_difference(found[0], found[-1]), 1e-11)
        forces = [f for _, f in found[0][(1, 2)]]
        self.assertGreater(abs(abs(forces[0][0]) - abs(forces[1][0])), 1e-3)
        self.assertGreater(min(abs(f[1]) for f in forces), 5e-4)

    def shear(self, flip, remap, steps, ranks=1, newton="on"):
        """Contacts after a shear strain of steps/2000, and the tilt of the box."""
        height = next(float(line.split()[1]) for line in
                      (self.lammps.folder / "specimen.data").read_text().splitlines()
                      if line.endswith("ylo yhi"))
        start = AFFINE.format(0.01 * height, height) if remap == "v" else ""
        out = f"{remap}_{flip}_{ranks}_{newton}.dump"
        output = self.lammps.run(SCRIPT.format(flip=flip, remap=remap, newton=newton, start=start,
                                               end=END[remap].format(steps=steps, out=out)), ranks)
        rows = [line.split() for line in output.splitlines()]
        tilt = [float(row[1]) / float(row[2]) for row in rows
                if len(row) == 3 and row[0] == str(steps)][-1]
        return engine.contacts(self.lammps.table(out)), tilt

    def test_flips_of_the_box_do_not_affect_contacts(self):
        engine.make(self.lammps.folder, 5, "spheres", "shear", 1e-7, 1, 1)
        for remap in ("x", "v"):
            far, tilt = self.shear("no", remap, 1060)
            self.assertGreater(tilt, 0.5)
            for ranks, newton in ((1, "on"), (2, "off"), (4, "on")):
                with self.subTest(remap=remap, ranks=ranks, newton=newton):
                    near, tilt = self.shear("yes", remap, 1060, ranks, newton)
                    self.assertLess(tilt, 0.0)
                    self.assertLess(engine.largest_difference(far, near), 1e-6)


if __name__ == "__main__":
    unittest.main()
