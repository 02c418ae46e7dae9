# SPDX-License-Identifier: BSD-3-Clause
"""The same oblique collision with pair_style twirl and with LAMMPS' own pair_style granular.

    TWIRL_LMP=... python3 granular.py FOLDER

writes the errors of both at falling time steps to FOLDER/granular.csv, with a figure, FOLDER/granular.svg.
Takes about a minute. test_granular.py checks the same with a few steps.

Two spheres of different size collide obliquely, with spins about all axes. They slide, stick and slide
again; nothing but friction and rolling resistance dissipates. The result is what they end up with, 12
velocities. Errors are root mean squares over collisions that start at different fractions of a step.

LAMMPS takes lever arms of full radii for the velocity at a contact, twirl takes those to the middle of the
overlap. The overlap is 1e-6 of the radii here, so the limits of the two codes differ by as little.
"""

import csv
import math
import sys
from pathlib import Path

from lmp import Lammps, cross, length, minus, scaled

RADII = (1.0, 0.6)
MASSES = [4.0 / 3.0 * math.pi * r**3 for r in RADII]  # density 1
REDUCED_RADIUS = RADII[0] * RADII[1] / (RADII[0] + RADII[1])
REDUCED_MASS = MASSES[0] * MASSES[1] / (MASSES[0] + MASSES[1])
OVERLAP = 1e-6  # largest, of a head-on collision
POISSON, MU = 0.3, 0.3
MU_ROLLING = 0.05

# Hertz: the kinetic energy of the approach, at speed 1, is (2/5) A overlap^(5/2).
A = 1.25 * REDUCED_MASS / OVERLAP**2.5
E_STAR = A / (4.0 / 3.0 * math.sqrt(REDUCED_RADIUS))
YOUNG = 2.0 * (1.0 - POISSON**2) * E_STAR
HERTZ_TIME = 2.9432 * OVERLAP  # duration of the collision (Johnson 1985, eq. 11.24)

# Linear springs: 1/2 kn overlap^2.
KN = REDUCED_MASS / OVERLAP**2
KT, K_ROLLING = 0.8 * KN, 0.7 * KN
LINEAR_TIME = math.pi * OVERLAP

# Cases: the commands of each style, and the duration of the collision. LAMMPS' rolling stiffness is constant
# where that of a Hertz contact of twirl grows with its area, so rolling is compared with linear springs.
# Twisting cannot be compared: at its limit LAMMPS gives the couple the direction of the angular velocity,
# twirl that of the spring, and they differ where a collision ends.
CASES = {
    "hertz": (
        HERTZ_TIME,
        f"pair_style twirl {{law}}\npair_coeff * * hertz/material {YOUNG!r} {POISSON} {MU}",
        f"pair_style granular\npair_coeff * * hertz/material {YOUNG!r} 0 {POISSON} "
        f"tangential mindlin_rescale/force NULL 0 {MU} damping velocity"),
    "rolling": (
        LINEAR_TIME,
        f"pair_style twirl {{law}}\npair_coeff * * linear {KN!r} {KT!r} {MU} mu_r {MU_ROLLING} k_r {K_ROLLING!r}",
        f"pair_style granular\npair_coeff * * hooke {KN!r} 0 tangential linear_history {KT!r} 0 {MU} "
        f"rolling sds {K_ROLLING!r} 0 {MU_ROLLING} damping velocity"),
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


def collide(lammps, pair, duration, per_collision, gap=0.31):
    """The 12 velocities after the collision, angular ones times the radii. They touch after `gap` overlaps."""
    normal = [0.48, 0.6, 0.64]
    tangent = cross(normal, [1.0, 0.0, 0.0])
    tangent = scaled(0.45 / length(tangent), tangent)
    place = scaled(sum(RADII) + gap * OVERLAP, normal)
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
    return length(minus(a, b))


def styles(case):
    """The commands by name."""
    _, twirl, granular = CASES[case]
    return {"pair_style twirl": twirl.format(law=""), "pair_style twirl law conventional": twirl.format(law="law conventional"),
            "pair_style granular": granular}


def reference(lammps, case):
    return collide(lammps, styles(case)["pair_style twirl"], CASES[case][0], 10240)


# ---- Measurement ----

COUNTS = [10, 14, 20, 28, 40, 56, 80, 113, 160, 226, 320, 452, 640]
GAPS = [0.31 + 0.017 * k for k in range(5)]
COLOURS = {"pair_style twirl": "#1f4e9c", "pair_style twirl law conventional": "#9aa7bd", "pair_style granular": "#b5322a"}
TITLES = {"hertz": "Hertz-Mindlin", "rolling": "linear springs, rolling resistance"}


def measure(lammps, case):
    """{style: [(steps per collision, error)]}"""
    duration, want = CASES[case][0], reference(lammps, case)
    out = {}
    for name, pair in styles(case).items():
        for n in COUNTS:
            squares = [difference(collide(lammps, pair, duration, n, gap), want)**2 for gap in GAPS]
            out.setdefault(name, []).append((n, math.sqrt(sum(squares) / len(squares))))
        slope = math.log(out[name][0][1] / out[name][-1][1]) / math.log(COUNTS[-1] / COUNTS[0])
        print(f"{case:8} {name:34} order {slope:.2f}, error at {COUNTS[-1]} steps {out[name][-1][1]:.2e}", flush=True)
    return out


WIDTH, HEIGHT, LEFT, TOP, SIDE, TALL = 860, 400, 80, 40, 330, 280
DECADES = (-6, -1)


def stroke(name):
    """Wide dashes under the line that they coincide with."""
    return 'stroke-width="5" stroke-dasharray="7 5"' if "conventional" in name else 'stroke-width="2"'


def panel(case, curves, left, labelled):
    """One diagram, error against steps per collision, both in decades."""
    def x(n):
        return left + SIDE * (math.log10(n) - 0.9) / 2.0

    def y(e):
        return TOP + TALL * (DECADES[1] - math.log10(e)) / (DECADES[1] - DECADES[0])

    out = [f'<text x="{left + SIDE / 2}" y="{TOP - 14}" text-anchor="middle" font-weight="bold">{TITLES[case]}</text>',
           f'<rect x="{left}" y="{TOP}" width="{SIDE}" height="{TALL}" fill="none" stroke="#888"/>',
           f'<text x="{left + SIDE / 2}" y="{TOP + TALL + 40}" text-anchor="middle">steps per collision</text>']
    for n in (10, 20, 50, 100, 200, 500):
        out.append(f'<line x1="{x(n):.1f}" x2="{x(n):.1f}" y1="{TOP}" y2="{TOP + TALL}" stroke="#ddd"/>'
                   f'<text x="{x(n):.1f}" y="{TOP + TALL + 18}" text-anchor="middle">{n}</text>')
    for k in range(DECADES[0], DECADES[1] + 1):
        out.append(f'<line x1="{left}" x2="{left + SIDE}" y1="{y(10.0**k):.1f}" y2="{y(10.0**k):.1f}" stroke="#ddd"/>')
        if labelled:
            out.append(f'<text x="{left - 8}" y="{y(10.0**k) + 4:.1f}" text-anchor="end">1e{k}</text>')
    for name, points in curves.items():
        path = " ".join(f"{x(n):.1f},{y(e):.1f}" for n, e in points)
        out.append(f'<polyline points="{path}" fill="none" stroke="{COLOURS[name]}" {stroke(name)}/>')
    for order, (n, e) in ((1, (120, 1.2e-2)), (2, (60, 1.2e-5))):
        m = 2.2 * n
        out.append(f'<polyline points="{x(n):.1f},{y(e):.1f} {x(m):.1f},{y(e * 2.2**-order):.1f}" fill="none" stroke="#444"/>'
                   f'<text x="{x(m) + 4:.1f}" y="{y(e * 2.2**-order) + 4:.1f}">order {order}</text>')
    return out


def draw(results):
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13">',
             f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
             f'<text transform="translate(24 {TOP + TALL / 2}) rotate(-90)" text-anchor="middle">error of the velocities afterwards</text>']
    for k, (case, curves) in enumerate(results.items()):
        lines += panel(case, curves, LEFT + k * (SIDE + 60), k == 0)
    for name, left in zip(COLOURS, (LEFT, LEFT + 190, LEFT + 490)):
        lines.append(f'<line x1="{left}" x2="{left + 28}" y1="{HEIGHT - 14}" y2="{HEIGHT - 14}" stroke="{COLOURS[name]}" '
                     f'{stroke(name)}/><text x="{left + 34}" y="{HEIGHT - 10}">{name}</text>')
    return "\n".join([*lines, "</svg>"]) + "\n"


def main(folder):
    lammps = Lammps()
    results = {case: measure(lammps, case) for case in CASES}
    lammps.close()
    with open(folder / "granular.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["case", "style", "steps_per_collision", "error"])
        for case, curves in results.items():
            writer.writerows([case, name, n, f"{e:.4e}"] for name, points in curves.items() for n, e in points)
    (folder / "granular.svg").write_text(draw(results))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: granular.py FOLDER")
    main(Path(sys.argv[1]))
