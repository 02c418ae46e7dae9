# SPDX-License-Identifier: BSD-3-Clause
"""A plane with the law of twirl: spheres that slide until they roll, and roll to rest.

A sphere placed with speed u on a plane with friction mu under gravity g slides until it rolls, at
t = 2u/(7 mu g), and then rolls without slip at 5u/7.
"""

import unittest

from lmp import LammpsTest

SCRIPT = """
units lj
atom_style sphere
boundary p p f
newton {newton}
comm_modify vel yes
processors {processors}
region box block -4 4 -4 4 -1 3
create_box 1 box
create_atoms 1 single {x0} 0.3 {z0}
create_atoms 1 single {x0} 2.3 {z0}
set group all diameter 1 density 1.909859317102744
pair_style twirl
pair_coeff * * 1000 1000 0.5
neighbor 0.2 bin
timestep 1e-3
velocity all set {u} 0 0
fix move all nve/sphere
fix weight all gravity 1.0 vector 0 0 -1
fix floor all wall/twirl 1000 1000 {mu} 0 plane 0 0 0 0 0 2 velocity {wall} 0 0
thermo_style custom step f_floor[3] f_floor[6] f_floor[8] f_floor[9] f_floor[10]
thermo_modify norm no format float %.12g
thermo {steps}
run {steps}
{again}
dump end all custom 1 end.dump id vx vy vz omegax omegay omegaz
dump_modify end format float %.15g
run 0
"""


# A plane of the material of type 2, on which spheres of type 1 roll at speed u.
ROLLING = """
units lj
atom_style sphere
boundary p p f
newton on
comm_modify vel yes
region box block -4 4 -4 4 -1 3
create_box 2 box
create_atoms 1 single -3.5 0.3 {z0}
set group all diameter 1 density 1.909859317102744
pair_style twirl
pair_coeff 1 1 hertz/material {young} 0.3 0.5 mu_r 0.08 damping_t 0.1 damping_r 0.1
pair_coeff 2 2 hertz/material {young} 0.3 0.6 mu_r 0.04 damping_t 0.1 damping_r 0.1
neighbor 0.2 bin
timestep 1e-3
velocity all set 1 0 0
set group all omega 0 2 0
fix move all nve/sphere
fix weight all gravity 1.0 vector 0 0 -1
fix floor all wall/twirl type 2 plane 0 0 0 0 0 1
thermo_style custom step f_floor[3] f_floor[16] f_floor[13]
thermo_modify norm no format float %.12g
run {steps}
dump end all custom 1 end.dump id vx omegay z
dump_modify end format float %.15g
run 0
"""


class Wall(LammpsTest):
    def test_a_sphere_rolls_to_rest(self):
        """Rolling resistance mu_r slows a rolling sphere by (5/7) mu_r g; mu_r is the smaller of the two."""
        young, mu_r = 1e5, 0.04
        # in equilibrium: weight = (4/3) E* sqrt(R) zeta^(3/2)
        zeta = (1.0 / (4.0 / 3.0 * young / (2.0 * (1.0 - 0.3**2)) * 0.5**0.5)) ** (2.0 / 3.0)
        steps = 2000
        output = self.lammps.run(ROLLING.format(z0=repr(0.5 - zeta), young=young, steps=steps))
        rows = [line.split() for line in output.splitlines()]
        force, lost, stored = [[float(x) for x in row[1:]] for row in rows if len(row) == 4 and row[0] == str(steps)][-1]
        (_, vx, wy, z), = self.lammps.table("end.dump")
        v = 1.0 - 5.0 / 7.0 * mu_r * 2.0
        # until the couple has built up, and with lever arms of R - zeta/2: each 1e-3 of the change
        self.assertAlmostEqual(vx, v, delta=1e-3)
        self.assertAlmostEqual(0.5 * wy, v, delta=2e-3)
        self.assertAlmostEqual(z, 0.5 - zeta, delta=1e-6)
        self.assertAlmostEqual(force, -1.0, delta=1e-4)
        # the kinetic energy that is missing, (1/2)(7/5) (1 - v^2), went into rolling
        self.assertAlmostEqual(lost, 0.7 * (1.0 - vx**2), delta=2e-3)
        self.assertGreater(stored, 0.0)

    def roll(self, steps, u=1.0, wall=0.0, ranks=1, again=""):
        mu, weight = 0.3, 1.0
        # in equilibrium on its spring
        z0 = 0.5 - weight / 1000.0
        output = self.lammps.run(SCRIPT.format(
            newton="on", processors={1: "1 1 1", 2: "2 1 1", 4: "4 1 1"}[ranks], x0=-3.5, z0=repr(z0),
            u=u, mu=mu, wall=wall, steps=steps, again=again), ranks)
        rows = [line.split() for line in output.splitlines()]
        last = [[float(x) for x in row] for row in rows if len(row) == 6 and row[0] == str(steps)][-1]
        return self.lammps.table("end.dump"), last

    def test_a_sphere_slides_until_it_rolls(self):
        end = 2.0 / (7.0 * 0.3)
        for ranks in (1, 2, 4):
            with self.subTest(ranks=ranks):
                half, row = self.roll(round(500 * end), ranks=ranks)
                for _, vx, vy, vz, wx, wy, wz in half:
                    # sliding: du/dt = -mu g, dw/dt = 5 mu g/(2 R)
                    t = 1e-3 * round(500 * end)
                    self.assertAlmostEqual(vx, 1.0 - 0.3 * t, delta=2e-3)
                    self.assertAlmostEqual(wy, 5.0 * 0.3 * t, delta=1e-2)
                self.assertEqual(row[3:5], [2.0, 2.0])
                self.assertAlmostEqual(row[1], -2.0, delta=1e-6)
                rolling, row = self.roll(round(3000 * end), ranks=ranks)
                for _, vx, vy, vz, wx, wy, wz in rolling:
                    # The tangential spring keeps oscillating, with the frequency
        # sqrt(kt (1/m + R^2/I)) and the amplitude mu g/frequency = 0.005 in vx. This
        # does not change vx + 2/5 R w.
                    self.assertAlmostEqual(vx, 5.0 / 7.0, delta=0.006)
                    self.assertAlmostEqual(0.5 * wy, 5.0 / 7.0, delta=0.014)
                    self.assertAlmostEqual(vx + 0.2 * wy, 1.0, delta=1e-3)
                # friction has dissipated (1/2)(2/7) u^2 of each
                self.assertAlmostEqual(row[2], 2.0 / 7.0, delta=1e-3)

    def test_a_moving_plane_drags_spheres_along(self):
        # The same relative to the plane: the final relative speed is 5/7 of the initial one.
        found, row = self.roll(3000, u=0.0, wall=1.0)
        for _, vx, *_ in found:
            self.assertAlmostEqual(vx, 2.0 / 7.0, delta=0.006)
        self.assertAlmostEqual(row[5], 3.0, delta=1e-9)


if __name__ == "__main__":
    unittest.main()
