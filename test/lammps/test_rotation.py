# SPDX-License-Identifier: BSD-3-Clause
"""Two spheres in frictional contact, rotated rigidly by 90 degrees: the force must rotate with them.

The second sphere is moved sideways until ft = 0.3 fn, then both are rotated about an axis through
the origin in 1000 steps. The error of stock LAMMPS is 0.83 ft for an axis in the contact plane and
1.41 ft for the normal as axis.
"""

import unittest

from lmp import WAYS, LammpsTest, dot, length, minus, scaled, turned

SCRIPT = """
clear
units lj
atom_style sphere
boundary p p p
newton {newton}
comm_modify vel yes
processors {processors}
region box block -3 3 -3 3 -3 3
create_box 1 box
create_atoms 1 single 0.1 0.05 0.02
create_atoms 1 single 1.099 0.05 0.02
set group all diameter 1 density 1
pair_style twirl law {law}
pair_coeff * * 1.0 1.0 0.5
neighbor 0.2 bin
neigh_modify delay 0 every 1 check yes
timestep 1.0
group second id 2
compute forces all pair/local p1 p2 p3 p4 p5 p6
compute ids all property/local patom1 patom2
fix push second move linear 0 3e-6 0
thermo 1000
run 100
unfix push
dump before all local 1 before{name}.dump c_ids[*] c_forces[*]
dump_modify before format float %.17g
run 0
undump before
fix turn all move rotate 0 0 0 {axis} 4000
run 1000
dump after all local 1 after{name}.dump c_ids[*] c_forces[*]
dump_modify after format float %.17g
run 0
"""

# One or more processes along each edge, so that the pair crosses their borders.
PROCESSORS = {1: "1 1 1", 2: "2 1 1", 4: "2 2 1"}


class Rotation(LammpsTest):
    def turn(self, axes, ranks, newton, law="exact"):
        """Relative errors of the tangential force after rotations about some axes."""
        script = "".join(SCRIPT.format(newton=newton, processors=PROCESSORS[ranks], law=law, name=k,
                                       axis="{!r} {!r} {!r}".format(*axis))
                         for k, axis in enumerate(axes))
        self.lammps.run(script, ranks)
        return [self.error(k, axis) for k, axis in enumerate(axes)]

    def error(self, name, axis):
        """Difference between the rotated initial force and the force after the rotation in LAMMPS."""
        forces = []
        for when in ("before", "after"):
            (first, _, *numbers), = self.lammps.table(f"{when}{name}.dump")
            side = 1.0 if first == 1 else -1.0
            f, n = scaled(side, numbers[:3]), scaled(side, numbers[3:])
            forces.append((minus(f, scaled(dot(f, n), n)), n))
        (before, n0), (after, n1) = forces
        self.assertGreater(length(before), 2.9e-4)
        unit = scaled(1.0 / length(axis), axis)
        quarter = 1.5707963267948966
        self.assertLess(length(minus(turned(unit, quarter, n0), n1)), 1e-12)
        return length(minus(turned(unit, quarter, before), after)) / length(before)

    def test_tilt_and_twirl_are_exact_on_every_number_of_processes(self):
        # The last axis is the normal, tilted by 3e-4 in 100 steps of 3e-6.
        axes = [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [0.3, -0.5, 0.7], [0.999, 3e-4, 0.0]]
        for ranks, newton in WAYS:
            for axis, error in zip(axes, self.turn(axes, ranks, newton)):
                with self.subTest(ranks=ranks, newton=newton, axis=axis):
                    self.assertLess(error, 1e-10)

    def test_the_conventional_law_does_not_twirl(self):
        self.assertGreater(self.turn([[0.999, 3e-4, 0.0]], 1, "on", "conventional")[0], 1.0)


if __name__ == "__main__":
    unittest.main()
