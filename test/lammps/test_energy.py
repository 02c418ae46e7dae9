# SPDX-License-Identifier: BSD-3-Clause
"""Energy balance and stress: sums of LAMMPS against those over the contacts."""

import unittest

import engine
from lmp import LammpsTest

HEAD = """
units lj
atom_style sphere
boundary p p p
newton {newton}
comm_modify vel yes
read_data specimen.data
pair_style twirl {law}
pair_coeff * * 1.0 0.8 0.3 {nu}
neighbor 0.3 bin
velocity all create 1e-4 4711 loop all
timestep {dt}
fix move all nve/sphere
compute balance all pair twirl
"""

ENERGY = HEAD + """
compute spin all erotate/sphere
variable total equal ke+pe+c_spin+c_balance[3]+c_balance[4]
variable kinetic equal ke+c_spin
thermo_style custom step ke pe c_spin v_total c_balance[1*6] v_kinetic
thermo_modify norm no format float %.15g
thermo {every}
run {steps}
"""

STRESS = HEAD + """
run 100
compute stress all pressure NULL virial
compute atoms all stress/atom NULL virial
compute sum all reduce sum c_atoms[1] c_atoms[2] c_atoms[3] c_atoms[4] c_atoms[5] c_atoms[6]
compute ids all property/local patom1 patom2 cutoff radius
compute contacts all pair/local p1 p2 p3 p4 p5 p6 p7 p8 p9 p10 p11 p12 p13 eng force dist cutoff radius
thermo_style custom step vol c_stress[*] c_sum[*] pe c_balance[1*6]
thermo_modify norm no format float %.15g
dump places all custom 1 places.dump id radius
dump_modify places format float %.17g
dump contacts all local 1 contacts.dump c_ids[*] c_contacts[*]
dump_modify contacts format float %.17g
run 0
"""


class Energy(LammpsTest):
    def setUp(self):
        super().setUp()
        engine.make(self.lammps.folder, 5, "spheres", "triaxial", 1e-7, 1, 1)

    def residual(self, dt, nu):
        """Largest change of the total energy over 20 units of time, and the dissipated energy."""
        steps = round(20.0 / dt)
        output = self.lammps.run(ENERGY.format(newton="on", dt=dt, nu=nu, law="", steps=steps,
                                               every=steps // 20), 2)
        rows = [row for step, row in sorted(engine.thermo(output).items())]
        return (max(abs(row[4] - rows[0][4]) for row in rows), rows[-1][7], rows[-1][8],
                rows[0][-1])

    def test_energies_close(self):
        # Second order in the step, like the integration, with and without damping.
        for nu in (0.0, 0.05):
            with self.subTest(nu=nu):
                coarse, friction, viscous, kinetic = self.residual(0.1, nu)
                fine, *_ = self.residual(0.05, nu)
                self.assertGreater(friction, 0.05 * kinetic)
                self.assertEqual(viscous > 0.0, nu > 0.0)
                self.assertLess(coarse, 0.03 * kinetic)
                self.assertLess(fine, coarse / 2.5)  # a quarter, and some more where contacts slide; first order: half

    def test_virial_and_stress_of_atoms_agree_with_the_contacts(self):
        for ranks, newton in ((1, "on"), (2, "off"), (4, "on"), (4, "off")):
            with self.subTest(ranks=ranks, newton=newton):
                output = self.lammps.run(STRESS.format(newton=newton, dt=0.05, nu=0.1,
                                                       law=""), ranks)
                row = next(numbers for numbers in (line.split() for line in output.splitlines())
                           if len(numbers) == 21 and numbers[0] == "100")
                volume, *numbers = [float(word) for word in row[1:]]
                stress, atoms, energy, balance = numbers[:6], numbers[6:12], numbers[12], numbers[13:]
                radius = {int(i): r for i, r in self.lammps.table("places.dump")}
                moment, stored, sliding, lost = [0.0] * 6, 0.0, 0, 0.0
                rows = self.lammps.table("contacts.dump")
                for p, q, *v in rows:
                    f, n, fn, ft, (slides, work, zeta, eng, force, dist) = (
                        v[:3], v[3:6], v[6], v[7:10], v[10:])
                    length = radius[int(p)] + radius[int(q)] - zeta
                    b = [length * x for x in n]
                    for k, (a, c) in enumerate(((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))):
                        moment[k] -= b[a] * f[c]
                    self.assertAlmostEqual(dist, length, delta=1e-12)
                    self.assertAlmostEqual(fn, force, delta=1e-14)
                    self.assertAlmostEqual(fn, zeta, delta=1e-14)
                    self.assertAlmostEqual(eng, 0.5 * fn * zeta + sum(x * x for x in ft) / 1.6,
                                           delta=1e-14)
                    self.assertLessEqual(sum(x * x for x in ft), (0.3 * fn) ** 2 * (1 + 1e-12))
                    stored, sliding, lost = stored + eng, sliding + slides, lost + work
                scale = max(abs(x) for x in moment)
                for k in range(6):
                    self.assertAlmostEqual(stress[k] * volume, moment[k], delta=1e-10 * scale)
                    self.assertAlmostEqual(-atoms[k], moment[k], delta=1e-10 * scale)
                self.assertAlmostEqual(energy, stored, delta=1e-10 * stored)
                self.assertAlmostEqual(balance[0] + balance[1], stored, delta=1e-10 * stored)
                self.assertEqual(balance[4:], [len(rows), sliding])
                self.assertGreater(sliding, 0)
                # the sum includes contacts that have opened
                self.assertGreater(balance[2], lost)
                self.assertGreater(lost, 0.0)


if __name__ == "__main__":
    unittest.main()
