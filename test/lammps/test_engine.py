# SPDX-License-Identifier: BSD-3-Clause
"""The same specimen on the same path in twirl's engine and in LAMMPS: every contact force.

Small and short; compare.py does the same at full size. Neighbours are searched every 10 steps, so that
the memory of contacts moves often.
"""

import unittest

import engine
from lmp import LammpsTest

STEPS, EVERY = 200, 50


class Engine(LammpsTest):
    def compare(self, side, kind, path, ways, law="linear"):
        engine.make(self.lammps.folder, side, kind, path, 1e-7, STEPS, EVERY, law)
        want = engine.reference(self.lammps.folder, law)
        self.assertGreater(len(want), side**3)  # a packing carries load with at least that many
        for ranks, newton in ways:
            with self.subTest(kind=kind, path=path, ranks=ranks, newton=newton):
                output = self.lammps.run(engine.script(kind, path, 1e-7, STEPS, EVERY, newton,
                                                       search="10 check no", law=law), ranks)
                found = engine.contacts(self.lammps.table("contacts.dump"))
                # Roundings of places, 1e-12 of an overlap, in 200 steps. A contact of clusters that begins in a step with new
                # neighbour lists starts from velocities, not from positions: 5e-6 if each step has new ones.
                tolerance = 1e-5 if kind == "clusters" else 1e-8
                self.assertLess(engine.largest_difference(want, found), tolerance)
                self.assertLess(engine.curve_difference(engine.curve(self.lammps.folder),
                                                        engine.thermo(output)), 1e-3)

    def test_spheres_in_triaxial_compression(self):
        self.compare(6, "spheres", "triaxial", [(1, "on"), (2, "off"), (4, "on")])

    def test_spheres_in_simple_shear(self):
        self.compare(5, "spheres", "shear", [(1, "off"), (2, "on"), (4, "off")])

    def test_hertz_contacts_with_rolling_and_twisting(self):
        self.compare(5, "spheres", "triaxial", [(2, "on"), (1, "off")], "hertz")

    def test_clusters_in_triaxial_compression(self):
        self.compare(4, "clusters", "triaxial", [(1, "off"), (2, "on")])

    def test_clusters_in_simple_shear(self):
        self.compare(4, "clusters", "shear", [(4, "on")])


if __name__ == "__main__":
    unittest.main()
