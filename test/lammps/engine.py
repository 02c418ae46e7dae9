# SPDX-License-Identifier: BSD-3-Clause
"""The same specimen on the same path in twirl's engine and in LAMMPS with twirl's styles.

Both integrate by leap-frog: velocity Verlet is the same with velocities half a kick later, and so are
those in the files of lammps_specimen. Fix deform with `remap x` applies the deformation of the cell and the
affine movement. It acts at the end of a step, the engine at the beginning of the next, so the data file
includes the first increment, while the initial forces are those of the contact file. `remap x` leaves
out the force -m L v on bodies that move relative to the cell (engine.md, equation 2); fix addforce adds it.
"""

import math
import os
import subprocess

SPECIMEN = os.environ.get("TWIRL_SPECIMEN", "lammps_specimen")
DT = 0.05

SCRIPT = """
units lj
atom_style {atoms}
boundary p p p
newton {newton}
comm_modify vel yes
{tilted}
read_data specimen.data
pair_style twirl law exact contacts specimen.contacts
pair_coeff * * {law}
neighbor 0.05 bin
neigh_modify delay 0 every {search} {exclude}
timestep {dt}
fix move all {move}
{flow}
fix cell all deform 1 {deform} remap x units box
compute stress all pressure NULL virial
compute balance all pair twirl
compute ids all property/local patom1 patom2 cutoff radius
compute contacts all pair/local p1 p2 p3 p4 p5 p6 p11 p12 cutoff radius
thermo_style custom step pe c_stress[1] c_stress[2] c_stress[3] c_stress[4] c_balance[1*6]
thermo_modify norm no format float %.15g
thermo {every}
run {steps}
{more}
dump contacts all local 1 {out} c_ids[*] c_contacts[*]
dump_modify contacts format float %.17g
run 0
"""


# Velocities of bodies, for their members too.
OF_BODIES = """
compute body all chunk/atom molecule
compute centre all vcm/chunk body
compute velocity all chunk/spread/atom body c_centre[1] c_centre[2] c_centre[3]
"""


def flow(path, per_time, clusters):
    """The force -m L v."""
    v = ["c_velocity[1]", "c_velocity[2]", "c_velocity[3]"] if clusters else ["vx", "vy", "vz"]
    if path == "shear":
        forces = [f"-mass*{per_time!r}*{v[1]}", "0.0", "0.0"]
    else:
        forces = [f"-mass*{r!r}*{v[k]}"
                  for k, r in enumerate((0.5 * per_time, 0.5 * per_time, -per_time))]
    lines = [f"variable flow{k} atom {force}" for k, force in enumerate(forces)]
    lines.append("fix flow all addforce v_flow0 v_flow1 v_flow2")
    return (OF_BODIES if clusters else "") + "\n".join(lines)


# The laws of lammps_specimen.
LAWS = {"linear": "1.0 1.0 0.55 0.1",
        "hertz": "hertz 30 30 0.55 nu_n 0.5 nu_t 0.5 mu_r 0.05 k_r 30 mu_w 0.03 k_w 30"}


def make(folder, side, kind, path, rate, steps, every, law="linear"):
    """Creates the specimen in a folder with the engine, together with the engine's results."""
    subprocess.run([SPECIMEN, folder / "specimen", str(side), kind, path, repr(rate), str(steps),
                    str(every), *(["hertz"] if law == "hertz" else [])], check=True, timeout=3000)


def script(kind, path, rate, steps, every, newton="on", out="contacts.dump", more="",
           search="1 check yes", law="linear"):
    """The script of the path."""
    per_time = rate / DT
    if path == "triaxial":
        rates = (0.5 * per_time, 0.5 * per_time, -per_time)
        deform = " ".join(f"{axis} trate {r!r}" for axis, r in zip("xyz", rates))
    else:
        deform = f"xy erate {per_time!r}"
    clusters = kind == "clusters"
    values = dict(
        atoms="hybrid sphere molecular" if clusters else "sphere", newton=newton, dt=DT, law=LAWS[law],
        tilted="box tilt large" if path == "shear" else "",
        exclude="exclude molecule/intra all" if clusters else "",
        move="rigid/small molecule infile specimen.bodies" if clusters else "nve/sphere",
        deform=deform, flow=flow(path, per_time, clusters), every=every, steps=steps, out=out, more=more, search=search)
    return SCRIPT.format(**values)


def reference(folder, law="linear"):
    """The engine's contacts at the end, in the format of `contacts`."""
    out = {}
    for line in (folder / "specimen.forces").read_text().splitlines()[2:]:
        p, q, *v = line.split()
        v = [float(word) for word in v]
        n, fn = v[:3], v[3] if law == "linear" else 30.0 * v[3]**1.5
        f = [v[4 + k] + v[7 + k] - fn * n[k] for k in range(3)]
        out.setdefault((int(p), int(q)), []).append((n, f))
    return out


def contacts(rows):
    """By pair of ids, the smaller first: normals and forces, one for each image that touches."""
    out = {}
    for first, second, *v in rows:
        p, q, side = int(first), int(second), 1.0
        if p > q:
            p, q, side = q, p, -1.0
        out.setdefault((p, q), []).append(
            ([side * x for x in v[3:6]], [side * x for x in v[:3]]))
    return out


def mean_normal_force(found):
    every = [-sum(a * b for a, b in zip(n, f)) for images in found.values() for n, f in images]
    return sum(every) / len(every)


def largest_difference(a, b):
    """Largest difference of a contact force, relative to the mean normal force; inf if contacts differ."""
    if {k: len(v) for k, v in a.items()} != {k: len(v) for k, v in b.items()}:
        return math.inf
    worst = 0.0
    for pair, images in a.items():
        for n, f in images:
            other = max(b[pair], key=lambda c: sum(x * y for x, y in zip(c[0], n)))[1]
            worst = max(worst, max(abs(x - y) for x, y in zip(f, other)))
    return worst / mean_normal_force(a)


def curve(folder):
    return [[float(word) for word in line.split()]
            for line in (folder / "specimen.curve").read_text().splitlines()]


def thermo(output):
    """Rows of the thermo table of LAMMPS, by step."""
    rows = {}
    for line in output.splitlines():
        try:
            numbers = [float(word) for word in line.split()]
        except ValueError:
            continue
        if len(numbers) == 12:
            rows[int(numbers[0])] = numbers
    return rows


def curve_difference(want, found):
    """Largest difference of the stresses xx, yy, zz, xy, relative to the mean stress."""
    worst = 0.0
    for step, *stress in want:
        other = found[int(step)][2:6]
        mean = sum(stress[:3]) / 3.0
        worst = max(worst, max(abs(a - b) for a, b in zip(stress, other)) / mean)
    return worst
