# SPDX-License-Identifier: BSD-3-Clause
"""Different types, and twirl as one of several pair styles: each pair gets the force of its own coefficients. The help of
the driver names the styles, and its manual page has the help."""

import gzip
import re
import shutil
import subprocess
import unittest
from pathlib import Path

import engine
from lmp import DRIVER, PLUGIN, LammpsTest, length, minus, scaled

# Pairs of spheres of three types, one pair of each kind, far from each other.
KINDS = [(1, 1), (2, 2), (3, 3), (1, 2), (1, 3), (2, 3)]
DIAMETER = {1: 1.0, 2: 0.8, 3: 1.2}
OVERLAP = 0.01
SPIN, DT = 1e-3, 0.1

LIKE = {1: (1.0, 0.8, 0.3, 0.1), 2: (3.0, 1.0, 0.2, 0.2), 3: (0.5, 0.0, 0.7, 0.0)}
EXPLICIT = {(1, 3): (2.0, 1.5, 0.05, 0.3)}


def coefficients(kind):
    """kn, kt, mu, nu: as given, or mixed: stiffness and damping in series, the smaller friction."""
    if kind in EXPLICIT:
        return EXPLICIT[kind]
    a, b = (LIKE[t] for t in kind)
    series = [2.0 * x * y / (x + y) if x + y > 0.0 else 0.0 for x, y in zip(a, b)]
    return series[0], series[1], min(a[2], b[2]), series[3]


LJ_CUT, LJ_ENERGY, LJ_LENGTH = 1.5, 1e-3, 0.9


def lj(r):
    """Repulsive Lennard-Jones force."""
    six = (LJ_LENGTH / r) ** 6
    return 24.0 * LJ_ENERGY * (2.0 * six * six - six) / r


SPHERES = """
units lj
atom_style sphere
boundary p p p
newton {newton}
comm_modify vel yes
region box block 0 18 0 4 0 4
create_box 3 box
{atoms}
set type 1 diameter 1.0 density 1.0
set type 2 diameter 0.8 density 1.0
set type 3 diameter 1.2 density 1.0
set group all omega 0 0 {spin}
{pair}
neighbor 0.2 bin
timestep {dt}
run {steps}
{contacts}
dump forces all custom 1 forces.dump id type x fx fy fz
dump_modify forces format float %.17g
run 0
"""

CONTACTS = """
compute ids all property/local patom1 patom2 ptype1 ptype2 cutoff radius
compute contacts all pair/local p1 p2 p3 p4 p5 p6 p11 p12 cutoff radius
dump contacts all local 1 contacts.dump c_ids[*] c_contacts[*]
dump_modify contacts format float %.17g
"""

# The specimen of the engine, alone and with another style.
SPECIMEN = """
units lj
atom_style sphere
boundary p p p
newton {newton}
comm_modify vel yes
{start}
{pair}
neighbor 0.05 bin
neigh_modify delay 0 every 10 check no
timestep 0.05
fix move all nve/sphere
fix cell all deform 1 x trate 2e-6 z trate -2e-6 remap x
compute ids all property/local patom1 patom2 cutoff radius
compute contacts all pair/local p1 p2 p3 p4 p5 p6 p11 p12 cutoff radius
compute balance all pair twirl
compute stress all pressure NULL virial
thermo_style custom step pe c_stress[1] c_stress[2] c_stress[3] c_stress[4] c_balance[1*6]
thermo_modify norm no format float %.15g
thermo 100
{more}
run {steps}
dump contacts all local 1 {out} c_ids[*] c_contacts[*]
dump_modify contacts format float %.17g
run 0
"""
COEFF = "1.0 1.0 0.55 0.1"


def create():
    """Commands that make the pairs, each along x."""
    lines = []
    for k, (a, b) in enumerate(KINDS):
        x, branch = 3.0 * k + 0.5, 0.5 * (DIAMETER[a] + DIAMETER[b]) - OVERLAP
        for t, place in ((a, x), (b, x + branch)):
            lines.append(f"create_atoms {t} single {place!r} 2 2")
    return "\n".join(lines)


class Styles(LammpsTest):
    def spin(self, pair, steps, ranks=1, newton="on", contacts=CONTACTS):
        """Commands that give all spheres the same spin, at rest."""
        self.lammps.run(SPHERES.format(newton=newton, atoms=create(), spin=SPIN, pair=pair, dt=DT,
                                       steps=steps, contacts=contacts), ranks)

    def contacts(self):
        """By kind, from the side of the first type: force, normal, sliding flag, dissipated work."""
        found = {}
        for _, _, a, b, *v in self.lammps.table("contacts.dump"):
            kind, side = (int(a), int(b)), 1.0
            if kind[0] > kind[1]:
                kind, side = kind[::-1], -1.0
            found[kind] = (scaled(side, v[:3]), scaled(side, v[3:6]), v[6], v[7])
        self.assertEqual(sorted(found), sorted(KINDS))
        return found

    def forces(self):
        """By kind, the force on the first atom and the distance between the two."""
        found = {}
        rows = sorted(self.lammps.table("forces.dump"))
        for (_, a, xa, *fa), (_, b, xb, *fb) in zip(rows[::2], rows[1::2]):
            self.assertLess(length([x + y for x, y in zip(fa, fb)]), 1e-14)
            found[(int(a), int(b))] = (fa, xb - xa)
        return found

    def expect_force(self, kind, force, steps):
        """The surfaces slide along y with a relative speed of spin times distance of the centres. Spring and
        damping together stay within friction. Returns the work dissipated by friction."""
        kn, kt, mu, nu = coefficients(kind)
        speed = SPIN * (0.5 * (DIAMETER[kind[0]] + DIAMETER[kind[1]]) - OVERLAP)
        fn, path = kn * OVERLAP, speed * DT * steps
        ft = min(kt * path, mu * fn)
        self.assertAlmostEqual(force[0], -fn, delta=1e-10 * fn)
        total = min(kt * path + nu * speed, mu * fn) if kt > 0.0 else 0.0
        self.assertAlmostEqual(force[1], -total, delta=1e-7 * total)
        self.assertAlmostEqual(force[2], 0.0, delta=1e-14)
        return mu * fn * (path - mu * fn / kt) if ft < kt * path else 0.0

    def expect_contact(self, kind, contact, steps):
        force, n, sliding, lost = contact
        friction = self.expect_force(kind, force, steps)
        self.assertLess(length(minus(n, [1.0, 0.0, 0.0])), 1e-12)
        self.assertAlmostEqual(lost, friction, delta=1e-7 * friction)
        if coefficients(kind)[1] > 0.0:
            self.assertEqual(sliding, float(friction > 0.0))

    def test_pairs_of_different_types(self):
        lines = ["pair_style twirl"]
        lines += [f"pair_coeff {t} {t} {' '.join(map(repr, LIKE[t]))}" for t in LIKE]
        lines += [f"pair_coeff {a} {b} {' '.join(map(repr, v))}" for (a, b), v in EXPLICIT.items()]
        for ranks, newton in ((1, "on"), (2, "off"), (4, "on")):
            # before any pair slides, and when some do
            for steps in (5, 60):
                with self.subTest(ranks=ranks, newton=newton, steps=steps):
                    self.spin("\n".join(lines), steps, ranks, newton)
                    found = self.contacts()
                    for kind, contact in found.items():
                        self.expect_contact(kind, contact, steps)
                    slide = sum(contact[2] for contact in found.values())
                    self.assertEqual(slide > 0.0, steps > 5)

    def test_twirl_with_another_style(self):
        # A second style on all pairs adds its own force, also on pairs that do not touch.
        pair = (f"pair_style hybrid/overlay lj/cut {LJ_CUT} twirl\n"
                f"pair_coeff * * lj/cut {LJ_ENERGY} {LJ_LENGTH}\npair_coeff * * twirl 1.0 0.8 0.3 0.1")
        for ranks, newton in ((1, "on"), (2, "off")):
            with self.subTest(ranks=ranks, newton=newton):
                self.spin(pair, 5, ranks, newton)
                contacts = self.contacts()
                for kind, (force, r) in self.forces().items():
                    self.assertAlmostEqual(force[0], -OVERLAP - lj(r), delta=1e-11)
                    self.assertAlmostEqual(contacts[kind][0][0], -OVERLAP, delta=1e-11)
                    self.assertAlmostEqual(force[1], contacts[kind][0][1], delta=1e-14)

    def test_some_pairs_of_another_style(self):
        # 1-2 is mixed by the style that 1-1 and 2-2 share.
        lines = [f"pair_style hybrid twirl law exact lj/cut {LJ_CUT}"]
        lines += [f"pair_coeff {t} {t} twirl {' '.join(map(repr, LIKE[t]))}" for t in (1, 2)]
        lines += ["pair_coeff 1 3 twirl " + " ".join(map(repr, EXPLICIT[(1, 3)]))]
        lines += [f"pair_coeff {kind} lj/cut {LJ_ENERGY} {LJ_LENGTH}" for kind in ("3 3", "2 3")]
        # Without compute pair/local: here it crashes Debian 12's LAMMPS for any style with p1, p2 ...
        self.spin("\n".join(lines), 60, 2, contacts="")
        for kind, (force, r) in self.forces().items():
            if kind in ((3, 3), (2, 3)):
                self.assertLess(length(minus(force, [-lj(r), 0.0, 0.0])), 1e-11)
            else:
                self.expect_force(kind, force, 60)

    def specimen(self, out, pair, start="read_data specimen.data", steps=100, ranks=2, newton="on",
                 more=""):
        output = self.lammps.run(SPECIMEN.format(newton=newton, start=start, pair=pair, steps=steps,
                                                 more=more, out=out), ranks)
        return engine.contacts(self.lammps.table(out)), engine.thermo(output)

    def test_a_specimen_with_another_style(self):
        engine.make(self.lammps.folder, 5, "spheres", "triaxial", 1e-7, 1, 1)
        alone, rows = self.specimen("alone.dump", "pair_style twirl contacts specimen.contacts\n"
                                    f"pair_coeff * * {COEFF}")
        hybrid = "pair_style hybrid/overlay twirl contacts specimen.contacts zero 1.5"
        # compute pair/local of LAMMPS shows p1, p2 ... of the style whose pair_coeff comes last
        coeff = f"pair_coeff * * zero\npair_coeff * * twirl {COEFF}"
        for ranks, newton in ((1, "off"), (2, "on")):
            with self.subTest(ranks=ranks, newton=newton):
                both, found = self.specimen("both.dump", hybrid + "\n" + coeff, ranks=ranks,
                                            newton=newton, more="restart 50 state.*")
                self.assertLess(engine.largest_difference(alone, both), 1e-8)
                for a, b in zip(rows[100][1:], found[100][1:]):
                    self.assertAlmostEqual(a, b, delta=1e-8 * abs(a))
                # The restart file has the settings of the styles, but not their coefficients.
                rest, found = self.specimen("rest.dump", coeff, "read_restart state.50", 50, ranks,
                                            newton)
                self.assertLess(engine.largest_difference(both, rest), 1e-8)
                self.assertAlmostEqual(found[100][8], rows[100][8], delta=1e-8 * rows[100][8])


@unittest.skipIf(PLUGIN, "the help is that of lmp")
class Help(LammpsTest):
    def test_the_manual_page_has_the_help(self):
        told = subprocess.run([DRIVER, "--help"], capture_output=True, text=True, check=True).stdout
        options = re.findall(r"^(-\w+) .*?:", told, re.M)
        self.assertIn('"pair_style twirl"', told)
        self.assertIn("-in", options)
        file = self.lammps.folder / "page.gz"
        subprocess.run(["sh", Path(__file__).parents[2] / "cmake/manual_lmp.sh", file, "0.0", DRIVER], check=True)
        page = gzip.decompress(file.read_bytes()).decode()
        self.assertIn('"pair_style twirl"', page)
        for option in options:
            self.assertIn(".TP\n\\fB" + option.replace("-", "\\-") + "\\fR", page)
        self.assertIn("\\fB\\-in\\fR, \\fB\\-i\\fR none/filename\nread input from file or stdin (default)\n", page)
        if shutil.which("groff"):
            done = subprocess.run(["groff", "-man", "-ww", "-Tutf8", "-z"], input=page, text=True, capture_output=True)
            self.assertEqual(done.stderr, "")


if __name__ == "__main__":
    unittest.main()
