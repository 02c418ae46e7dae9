# SPDX-License-Identifier: BSD-3-Clause
"""Materials, Hertz contacts, rolling, twisting and damping: forces and couples against the formulas of the laws."""

import math
import unittest

from lmp import LammpsTest, length, minus, scaled

# Pairs of spheres of three types along x, one pair of each kind, at rest. The first of each pair rotates.
KINDS = [(1, 1), (2, 2), (3, 3), (1, 2), (1, 3), (2, 3)]
RADIUS = {1: 0.5, 2: 0.4, 3: 0.6}
OVERLAP = 0.01
SPIN, DT = [4e-4, 0.0, 1e-3], 0.1

PAIRS = """
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
group first id 1:12:2
set group first omega {spin}
{pair}
neighbor 0.2 bin
timestep {dt}
run {steps}
compute ids all property/local patom1 patom2 ptype1 ptype2 cutoff radius
compute contacts all pair/local p1 p2 p3 p14 p15 p16 p17 p18 p19 p20 eng cutoff radius
dump contacts all local 1 contacts.dump c_ids[*] c_contacts[*]
dump_modify contacts format float %.17g
dump torques all custom 1 torques.dump id type tqx tqy tqz
dump_modify torques format float %.17g
{more}
run 0
"""

# young, poisson, mu, mu_r, mu_w, k_r_ratio, k_w_ratio
GLASS = {1: (1.0, 0.2, 0.1, 0.02, 0.05, 1.0, 1.0), 2: (3.0, 0.3, 0.5, 0.04, 0.01, 2.0, 0.5), 3: (0.5, -0.1, 0.4, 0.03, 0.02, 0.7, 1.5)}
# kn, kt, mu, nu, and the same
SPRINGS = {1: (1.0, 0.8, 0.1, 0.02, 0.05, 1.0, 1.0), 2: (3.0, 1.0, 0.5, 0.04, 0.01, 2.0, 0.5), 3: (0.5, 0.4, 0.4, 0.03, 0.02, 0.7, 1.5)}
# modulus, kt_ratio, mu and the same, with the levers of YADE
SIZED = {1: (1.5, 0.8, 0.1, 0.02, 0.05, 1.0, 1.0), 2: (4.0, 0.3, 0.5, 0.04, 0.01, 2.0, 0.5), 3: (0.8, 0.9, 0.4, 0.03, 0.02, 0.7, 1.5)}
FORMS = {"hertz": (GLASS, "hertz/material ", ""), "linear": (SPRINGS, "", ""), "modulus": (SIZED, "linear/material ", " levers yade")}
KEYS = ("mu_r", "mu_w", "k_r_ratio", "k_w_ratio")


def reduced(kind):
    a, b = (RADIUS[t] for t in kind)
    return a * b / (a + b)


def series(a, b):
    return 2.0 * a * b / (a + b)


def levers(kind, form):
    """Factors of stiffness and limit of rolling and twisting, whose couples act on the reduced radius."""
    a, b = (RADIUS[t] for t in kind)
    return (a * b / reduced(kind)**2, min(a, b) / reduced(kind)) if form == "modulus" else (1.0, 1.0)


def laws(kind, form):
    """Normal force, tangential stiffness, mu, mu_r, mu_w, k_r, k_w of a pair."""
    a, b = (FORMS[form][0][t] for t in kind)
    if form == "hertz":
        e = 1.0 / sum((1.0 - m[1]**2) / m[0] for m in (a, b))
        g = 1.0 / sum(2.0 * (2.0 - m[1]) * (1.0 + m[1]) / m[0] for m in (a, b))
        root = math.sqrt(reduced(kind) * OVERLAP)
        fn, kt = 4.0 / 3.0 * e * root * OVERLAP, 8.0 * g * root
    elif form == "modulus":
        fn = 2.0 * series(a[0], b[0]) * reduced(kind) * OVERLAP
        kt = 2.0 * series(a[0] * a[1], b[0] * b[1]) * reduced(kind)
    else:
        fn, kt = series(a[0], b[0]) * OVERLAP, series(a[1], b[1])
    stiff, arm = levers(kind, form)
    ratios = [0.5 * (a[k] + b[k]) * stiff for k in (5, 6)]
    return fn, kt, min(a[2], b[2]), arm * min(a[3], b[3]), arm * min(a[4], b[4]), kt * ratios[0], kt * ratios[1]


def create():
    lines = []
    for k, (a, b) in enumerate(KINDS):
        x = 3.0 * k + 0.6
        for t, place in ((a, x), (b, x + RADIUS[a] + RADIUS[b] - OVERLAP)):
            lines.append(f"create_atoms {t} single {place!r} 2 2")
    return "\n".join(lines)


class Laws(LammpsTest):
    def spin(self, pair, steps, ranks=1, newton="on", more=""):
        self.lammps.run(PAIRS.format(newton=newton, atoms=create(), spin=" ".join(map(repr, SPIN)), pair=pair, dt=DT,
                                     steps=steps, more=more), ranks)
        found = {}
        for p, q, a, b, *v in self.lammps.table("contacts.dump"):
            side = 1.0 if p % 2 == 1 else -1.0  # from the side of the one that rotates
            kind = tuple(sorted((int(a), int(b))))
            found[kind] = scaled(side, v[:3]), scaled(side, v[3:6]), v[6:9], v[9], v[10]
        self.assertEqual(sorted(found), sorted(KINDS))
        return found

    def pair(self, form):
        lines = ["pair_style twirl"]
        materials, word, more = FORMS[form]
        for t, v in materials.items():
            constants = " ".join(map(repr, v[:3]))
            keys = " ".join(f"{key} {value!r}" for key, value in zip(KEYS, v[3:]))
            lines.append(f"pair_coeff {t} {t} {word}{constants} {keys}{more}")
        return "\n".join(lines)

    def expect(self, kind, contact, steps, form):
        """Rotations about z roll and slide, about x they twist. Returns which of the limits are reached."""
        force, couple, fr, twist, energy = contact
        fn, kt, mu, mu_r, mu_w, k_r, k_w = laws(kind, form)
        radius, time = reduced(kind), DT * steps
        path = SPIN[2] * (RADIUS[kind[0]] - 0.5 * OVERLAP) * time
        ft = min(kt * path, mu * fn)
        roll = min(k_r * radius * SPIN[2] * time, mu_r * fn)
        turn = min(k_w * radius * SPIN[0] * time, mu_w * fn)
        # the surface of the first moves along +y; a twist of 2e-3 carries ft along
        self.assertAlmostEqual(force[0], -fn, delta=1e-10 * fn)
        self.assertAlmostEqual(math.hypot(*force[1:]), ft, delta=2e-6 * ft)
        self.assertLess(force[1], 0.0)
        # couples resist the rotation of the first
        self.assertAlmostEqual(couple[0], -radius * turn, delta=1e-9 * radius * turn)
        self.assertAlmostEqual(math.hypot(*couple[1:]), radius * roll, delta=2e-6 * radius * roll)
        self.assertLess(couple[2], 0.0)
        self.assertAlmostEqual(length(fr), roll, delta=2e-6 * roll)
        self.assertAlmostEqual(abs(twist), radius * turn, delta=1e-9 * radius * turn)
        stored = (0.4 if form == "hertz" else 0.5) * fn * OVERLAP + ft**2 / (2 * kt) + roll**2 / (2 * k_r) + turn**2 / (2 * k_w)
        self.assertAlmostEqual(energy, stored, delta=1e-6 * stored)
        return ft < kt * path, roll == mu_r * fn, turn == mu_w * fn

    def test_materials_are_mixed(self):
        for form in FORMS:
            reached = []
            for ranks, newton, steps in ((1, "on", 5), (2, "off" if form == "hertz" else "on", 60)):
                with self.subTest(form=form, ranks=ranks, newton=newton, steps=steps):
                    found = self.spin(self.pair(form), steps, ranks, newton)
                    reached += [self.expect(kind, contact, steps, form) for kind, contact in found.items()]
            for limit in zip(*reached):  # each of the three is reached by some and not by others
                self.assertIn(True, limit)
                self.assertIn(False, limit)

    def test_torques_are_those_of_forces_and_couples(self):
        found = self.spin(self.pair("hertz"), 60, 2, "on")
        rows = sorted(self.lammps.table("torques.dump"))
        for (_, a, *first), (_, b, *second) in zip(rows[::2], rows[1::2]):
            force, couple, *_ = found[tuple(sorted((int(a), int(b))))]
            for radius, side, torque in ((RADIUS[int(a)], 1.0, first), (RADIUS[int(b)], -1.0, second)):
                arm = radius - 0.5 * OVERLAP
                expected = [side * couple[0], -arm * force[2] + side * couple[1], arm * force[1] + side * couple[2]]
                self.assertLess(length(minus(torque, expected)), 1e-12 * length(expected))

    def test_constants_are_those_of_materials(self):
        """write_data writes the laws of all pairs as constants; read back, they give the same forces."""
        first = self.spin(self.pair("hertz"), 60, more="write_data pairs.data pair ij")
        text = (self.lammps.folder / "pairs.data").read_text()
        rows = text[text.index("PairIJ Coeffs"):text.index("Atoms")].splitlines()[2:]
        pair = "\n".join(["pair_style twirl", *(f"pair_coeff {row}" for row in rows if row.strip())])
        self.assertIn("hertz/radius", pair)
        again = self.spin(pair, 60)
        for kind, contact in first.items():
            for a, b in zip(contact[:2], again[kind][:2]):
                # places of up to 18 are rounded at 4e-15, of overlaps of 0.01
                self.assertLess(length(minus(a, b)), 1e-10 * length(a))
        # and the materials of like pairs
        self.spin(self.pair("hertz"), 60, more="write_data pairs.data")
        text = (self.lammps.folder / "pairs.data").read_text()
        first = next(line.split() for line in text.splitlines() if line.startswith("1 hertz/material "))
        for number, expected in zip(first[2:5], GLASS[1]):
            self.assertAlmostEqual(float(number), expected, delta=1e-14)

    COLLISION = """
    units lj
    atom_style {atoms}
    boundary f f f
    newton {newton}
    comm_modify vel yes
    region box block -4 4 -4 4 -4 4
    create_box 2 box
    {create}
    pair_style twirl
    pair_coeff * * {coefficients}
    neighbor 0.2 bin
    {exclude}
    timestep {dt}
    thermo_style custom step
    {move}
    run {steps}
    dump end all custom 1 end.dump id vx
    dump_modify end format float %.17g sort id
    run 0
    """

    def rebound(self, coefficients, create, move, dt, steps, newton="on", ranks=1, atoms="sphere", exclude=""):
        script = self.COLLISION.format(coefficients=coefficients, create=create, move=move, dt=dt, steps=steps,
                                       newton=newton, atoms=atoms, exclude=exclude)
        self.lammps.run(script, ranks)
        return [row[1] for row in sorted(self.lammps.table("end.dump"))]

    TWO = """
    create_atoms 1 single 0 0 0
    create_atoms 1 single 0.902 0 0
    set atom 1 diameter 1.0 density 1.0
    set atom 2 diameter 0.8 density 2.0
    group second id 2
    velocity second set -1e-3 0 0
    """

    def test_restitution(self):
        """A head-on collision of unequal spheres: 200 steps, second order."""
        m = math.pi / 6.0, 2.0 * 0.8**3 * math.pi / 6.0
        reduced_mass = m[0] * m[1] / (m[0] + m[1])
        for coefficients, duration in (("1.0 0.5 0.3 restitution 0.7", math.pi * math.sqrt(reduced_mass)),
                                       ("hertz/material 1.0 0.2 0.3 restitution 0.7", 9.0)):
            for newton, ranks in (("on", 1), ("off", 2)):
                with self.subTest(coefficients=coefficients, newton=newton):
                    v = self.rebound(coefficients, self.TWO, "fix move all nve/sphere", duration / 200.0,
                                     round(2.0 / duration * 200.0) + 300, newton, ranks)
                    self.assertAlmostEqual(m[0] * v[0] + m[1] * v[1], -1e-3 * m[1], delta=1e-15)
                    self.assertAlmostEqual((v[1] - v[0]) / 1e-3, 0.7, delta=2e-3)

    def test_damping_ratios_refer_to_the_mass_of_the_rigid_body(self):
        """A sphere against the first of three that form one body; and against a frozen one."""
        three = """
        create_atoms 1 single 0 0 0
        create_atoms 1 single -1 0 0
        create_atoms 1 single -2 0 0
        create_atoms 1 single 1.005 0 0
        set group all diameter 1.0 density 1.0
        set atom 1 mol 1
        set atom 2 mol 1
        set atom 3 mol 1
        set atom 4 mol 2
        group last id 4
        group body id 1 2 3
        mass * 1
        velocity last set -1e-3 0 0
        """
        m = math.pi / 6.0
        cases = (("fix body body rigid/small molecule\nfix last last nve/sphere", 3.0 * m * m / (4.0 * m), 3.0 * m),
                 ("fix body body freeze\nfix last last nve/sphere", m, math.inf))
        for move, reduced_mass, other in cases:
            with self.subTest(move=move):
                duration = math.pi * math.sqrt(reduced_mass)
                v = self.rebound("1.0 0.5 0.3 restitution 0.7", three, move, duration / 200.0,
                                 round((5.0 + 1.2 * duration) / duration * 200.0), atoms="hybrid sphere molecular",
                                 exclude="neigh_modify exclude molecule/intra all")
                self.assertAlmostEqual((v[3] - v[0]) / 1e-3, 0.7, delta=2e-3)


if __name__ == "__main__":
    unittest.main()
