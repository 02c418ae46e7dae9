# SPDX-License-Identifier: BSD-3-Clause
"""The same oblique collision with pair_style twirl and with LAMMPS' own pair_style granular.

    TWIRL_LMP=... python3 granular.py [FOLDER]

prints the errors of both at falling time steps and, with a FOLDER, writes them there as granular.csv with a
figure, granular.svg. test_granular.py checks the same with a few steps.

Two spheres of different size collide obliquely, with spins about all axes. They slide first, stick, and
slide again; nothing but friction and rolling and twisting resistance dissipates. The result is what they
end up with, 12 velocities.

LAMMPS takes lever arms of full radii for the velocity at a contact, twirl takes those to the middle of the
overlap. The overlap is 1e-6 of the radii here, so the limits of the two codes differ by as little.
"""

import csv
import math
import sys
from pathlib import Path

from lmp import Lammps, cross, dot, length, scaled

RADII = (1.0, 0.6)
MASSES = [4.0 / 3.0 * math.pi * r**3 for r in RADII]  # density 1
REDUCED_RADIUS = RADII[0] * RADII[1] / (RADII[0] + RADII[1])
REDUCED_MASS = MASSES[0] * MASSES[1] / (MASSES[0] + MASSES[1])
OVERLAP = 1e-6  # largest, of a head-on collision
POISSON, MU = 0.3, 0.3
MU_ROLLING, MU_TWISTING = 0.05, 0.04

# Hertz: the kinetic energy of the approach, at speed 1, is (2/5) A overlap^(5/2).
A = 1.25 * REDUCED_MASS / OVERLAP**2.5
E_STAR = A / (4.0 / 3.0 * math.sqrt(REDUCED_RADIUS))
YOUNG = 2.0 * (1.0 - POISSON**2) * E_STAR
HERTZ_TIME = 2.9432 * OVERLAP  # duration of the collision (Johnson 1985, eq. 11.24)

# Linear springs: 1/2 kn overlap^2.
KN = REDUCED_MASS / OVERLAP**2
KT, K_ROLLING, K_TWISTING = 0.8 * KN, 0.7 * KN, 0.6 * KN
LINEAR_TIME = math.pi * OVERLAP

# Cases: the commands of each style, and the duration of the collision. LAMMPS' rolling stiffness is constant
# where twirl's grows with the contact, so rolling and twisting are compared with linear springs. LAMMPS has
# the twisting stiffness and limit as couples.
CASES = {
    "hertz": (
        HERTZ_TIME,
        f"pair_style twirl {{law}}\npair_coeff * * hertz/material {YOUNG!r} {POISSON} {MU}",
        f"pair_style granular\npair_coeff * * hertz/material {YOUNG!r} 0 {POISSON} "
        f"tangential mindlin_rescale/force NULL 0 {MU} damping velocity"),
    "rolling": (
        LINEAR_TIME,
        f"pair_style twirl {{law}}\npair_coeff * * linear {KN!r} {KT!r} {MU} mu_r {MU_ROLLING} k_r {K_ROLLING!r} "
        f"mu_w {MU_TWISTING} k_w {K_TWISTING!r}",
        f"pair_style granular\npair_coeff * * hooke {KN!r} 0 tangential linear_history {KT!r} 0 {MU} "
        f"rolling sds {K_ROLLING!r} 0 {MU_ROLLING} "
        f"twisting sds {K_TWISTING * REDUCED_RADIUS**2!r} 0 {MU_TWISTING * REDUCED_RADIUS!r} damping velocity"),
}

SCRIPT = """
units si
atom_style sphere
boundary f f f
newton off
comm_modify vel yes
region box block -3 3 -3 3 -3 3
create_box 1 box
create_atoms 1 single 0 0 0
create_atoms 1 single {place}
set atom 1 diameter {diameter[0]} density 1.0
set atom 2 diameter {diameter[1]} density 1.0
set atom 1 omega {spin[0]}
set atom 2 omega {spin[1]}
group second id 2
velocity second set {velocity}
{pair}
neighbor 0.01 bin
neigh_modify delay 0 every 1 check yes
timestep {dt!r}
fix move all nve/sphere
run {steps}
dump end all custom 1 {out} id vx vy vz omegax omegay omegaz
dump_modify end format float %.17g sort id
run 0
"""


def words(vector):
    return " ".join(repr(x) for x in vector)


def collide(lammps, pair, duration, per_collision):
    """The 12 velocities after the collision, angular ones times the radii."""
    normal = [0.48, 0.6, 0.64]
    tangent = cross(normal, [1.0, 0.0, 0.0])
    tangent = scaled(0.45 / length(tangent), tangent)
    # Steps do not fit the instant of touch: it comes after 0.31 of an overlap.
    place = scaled(sum(RADII) + 0.31 * OVERLAP, normal)
    lammps.run(SCRIPT.format(
        place=words(place), diameter=[2.0 * r for r in RADII],
        spin=[words([0.3, -0.2, 0.4]), words([-0.5, 0.7, 0.2])],
        velocity=words([t - n for t, n in zip(tangent, normal)]), pair=pair,
        dt=duration / per_collision, steps=round(1.7 * per_collision), out="end.dump"))
    out = []
    for row, radius in zip(lammps.table("end.dump"), RADII):
        out += row[1:4] + scaled(radius, row[4:7])
    return out


def difference(a, b):
    return length([x - y for x, y in zip(a, b)])


def fits_lammps(case):
    return CASES[case][2]


def fits_twirl(case, law="law exact"):
    return CASES[case][1].format(law=law)


def errors(lammps, case, counts, reference):
    """Rows (case, style, steps per collision, error)."""
    duration = CASES[case][0]
    styles = [("twirl exact", fits_twirl(case)), ("twirl conventional", fits_twirl(case, "law conventional")),
              ("granular", fits_lammps(case))]
    return [(case, name, n, difference(collide(lammps, pair, duration, n), reference))
            for name, pair in styles for n in counts]


def order(rows, style):
    """The slope of the last halvings of the step."""
    of = [(n, e) for _, name, n, e in rows if name == style]
    (n0, e0), (n1, e1) = of[-4], of[-1]
    return math.log(e0 / e1) / math.log(n1 / n0)
