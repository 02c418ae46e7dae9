# SPDX-License-Identifier: BSD-3-Clause
"""Converts packings of twirl to the formats of other codes and measures their results."""

import math


def read(path):
    """Reads a table of bench_peers_export: edges of the cell, bodies, spheres."""
    bodies, spheres = [], []
    with open(path) as lines:
        cell = [float(x) for x in next(lines).split()[1:]]
        for line in lines:
            word, *numbers = line.split()
            if word == "body":
                bodies.append([float(x) for x in numbers[:5]])
            else:
                spheres.append((int(numbers[0]), *(float(x) for x in numbers[1:])))
    return cell, bodies, spheres


def affine(rate, x):
    """The velocity of the cell at x: shorter along z, wider along x and y, at constant volume."""
    return (0.5 * rate * x[0], 0.5 * rate * x[1], -rate * x[2])


def image(cell, x):
    return [math.floor(x[k] / cell[k]) for k in range(3)]


def wrapped(cell, x):
    return [x[k] - n * cell[k] for k, n in enumerate(image(cell, x))]


def write_data(table, path, rate, clusters, version):
    """Writes a data file for LAMMPS or LIGGGHTS, and for clusters the body file for fix rigid.

    The masses of member spheres have no effect, because the stiffness is linear and masses of bodies
    are given; they are set to a seventh of the body's.
    """
    cell, bodies, spheres = read(table)
    with open(path, "w") as out:
        out.write(f"packing\n\n{len(spheres)} atoms\n1 atom types\n")
        for edge, k in zip(cell, "xyz"):
            out.write(f"0 {edge!r} {k}lo {k}hi\n")
        out.write("\nAtoms\n\n")
        for i, (body, *x, radius) in enumerate(spheres):
            mass = 1.0 / 7.0 if clusters else 1.0
            size = f"{2.0 * radius!r} {mass / (4.0 / 3.0 * math.pi * radius**3)!r}"
            place = "{!r} {!r} {!r}".format(*wrapped(cell, x))
            order = f"{place} {size} {body + 1}" if clusters else f"{size} {place}"
            out.write("{} 1 {} {} {} {}\n".format(i + 1, order, *image(cell, x)))
        out.write("\nVelocities\n\n")
        for i, (body, *x, _) in enumerate(spheres):
            x = bodies[body][:3] if clusters else x
            out.write("{} {!r} {!r} {!r} 0 0 0\n".format(i + 1, *affine(rate, wrapped(cell, x))))
    if not clusters:
        return
    with open(f"{path}.bodies", "w") as out:
        out.write(f"{len(bodies)}\n")
        for i, (*x, mass, moment) in enumerate(bodies):
            x = wrapped(cell, x)
            out.write("{} {!r} {!r} {!r} {!r} {!r} {!r} {!r} 0 0 0".format(
                i + 1, mass, *x, moment, moment, moment))
            # fix rigid/small also reads velocities, angular momentum and image; the older fix
            # rigid of LIGGGHTS takes velocities from the spheres
            if version == "lammps":
                out.write(" {!r} {!r} {!r} 0 0 0 0 0 0".format(*affine(rate, x)))
            out.write("\n")


def read_dump(path):
    """Reads a dump file: edges of the box, and rows."""
    with open(path) as lines:
        head = [next(lines) for _ in range(9)]
        bounds = [[float(x) for x in line.split()] for line in head[5:8]]
        return [high - low for low, high in bounds], [line.split() for line in lines]


def measure_clusters(atoms_path, contacts_path):
    """Contacts, and Love-Weber stress with branch vectors between bodies, from dumps.

    A row of contacts has two ids, then the force on the first sphere: normal and tangential parts
    (LAMMPS) or the total (LIGGGHTS). The first sphere of a body is its centre.
    """
    cell, rows = read_dump(atoms_path)
    place, body, centre = {}, {}, {}
    for atom, molecule, *x in rows:
        place[int(atom)] = [float(k) for k in x]
        body[int(atom)] = int(molecule)
    for atom in sorted(place):
        centre.setdefault(body[atom], place[atom])
    _, rows = read_dump(contacts_path)
    stress = [0.0, 0.0, 0.0]
    for first, second, *numbers in rows:
        p, q = int(float(first)), int(float(second))
        f = [float(k) for k in numbers]
        d = [b - a for a, b in zip(place[p], place[q])]
        shift = [cell[k] * round(d[k] / cell[k]) for k in range(3)]
        d = [d[k] - shift[k] for k in range(3)]
        if len(f) == 4:
            length = math.sqrt(sum(k * k for k in d))
            f = [f[k + 1] - f[0] * d[k] / length for k in range(3)]
        for k in range(3):
            stress[k] -= f[k] * (centre[body[q]][k] - shift[k] - centre[body[p]][k])
    volume = cell[0] * cell[1] * cell[2]
    return {"contacts": len(rows), "sxx": stress[0] / volume, "syy": stress[1] / volume,
            "szz": stress[2] / volume}
