# SPDX-License-Identifier: BSD-3-Clause
"""LAMMPS dumps, read as LAMMPS documents them."""

import collections
import math
import unittest

from samples import SCENES, SampleTest, add, scaled, velocity, grain_stresses


def parse(text):
    """{item: (rest of its line, its lines as lists of words)}"""
    items = {}
    for line in text.splitlines():
        if line.startswith("ITEM: "):
            name = next(n for n in ("UNITS", "TIMESTEP", "NUMBER OF ATOMS", "NUMBER OF ENTRIES", "BOX BOUNDS",
                                    "ATOMS", "ENTRIES") if line[6:].startswith(n))
            assert name not in items, name
            items[name] = (line[6 + len(name):].split(), [])
        else:
            items[name][1].append(line.split())
    return items


def cell(words, rows):
    """Edges a, b, c, origin and periodic flags; words are those after BOX BOUNDS."""
    rows = [[float(word) for word in row] for row in rows]
    assert words[:3] == ["xy", "xz", "yz"], words
    (xlo, xhi, xy), (ylo, yhi, xz), (zlo, zhi, yz) = rows
    xlo, xhi = xlo - min(0.0, xy, xz, xy + xz), xhi - max(0.0, xy, xz, xy + xz)
    ylo, yhi = ylo - min(0.0, yz), yhi - max(0.0, yz)
    edges = [[xhi - xlo, 0.0, 0.0], [xy, yhi - ylo, 0.0], [xz, yz, zhi - zlo]]
    return edges, [xlo, ylo, zlo], words[3:]


def rotation(items):
    """By rows; the file has R v for a vector v of the simulation."""
    (unit, *words), = items["UNITS"][1]
    assert unit == "si"
    if not words:
        return [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    assert words[0] == "rotation" and len(words) == 10, words
    return [[float(word) for word in words[k:k + 3]] for k in (1, 4, 7)]


def back(r, v):
    return [sum(r[i][k] * v[i] for i in range(3)) for k in range(3)]


def size(v):
    return math.hypot(*v)


def determinant(a, b, c):
    return sum(a[i] * (b[(i + 1) % 3] * c[(i + 2) % 3] - b[(i + 2) % 3] * c[(i + 1) % 3]) for i in range(3))


class Dump(SampleTest):
    def check_head(self, items, truth, what, count):
        self.assertEqual(items["TIMESTEP"][1], [[str(truth["steps"])]])
        self.assertEqual(items[f"NUMBER OF {what}"][1], [[str(count)]])
        edges, origin, flags = cell(*items["BOX BOUNDS"])
        r = rotation(items)
        for i in range(3):
            for k in range(3):
                self.assert_close(sum(r[i][j] * r[k][j] for j in range(3)), float(i == k), 1e-15)
        self.assertGreater(determinant(*r), 0.0)
        # The same lattice: its edges are whole numbers of those of the simulation, and of the same volume.
        true = [truth[name] for name in "abc"]
        volume = determinant(*true)
        for edge, periodic in zip(edges, truth["periodic"]):
            turned = back(r, edge)
            counts = [determinant(*[turned if k == i else true[k] for k in range(3)]) / volume for i in range(3)]
            if periodic:
                self.assert_close(counts, [round(count) for count in counts], 1e-14)
        self.assert_close(determinant(*edges) / abs(volume), 1.0, 1e-14)
        for i, k in ((0, 1), (0, 2), (1, 2)):
            self.assertLessEqual(abs(edges[k][i]), 0.5 * edges[i][i] * (1 + 1e-15))
        self.assert_close(origin, [0.0, 0.0, 0.0], 1e-16)
        self.assertEqual(flags, ["pp" if p else "ff" for p in truth["periodic"]])
        return r, edges

    def rows(self, items, what):
        names, rows = items[what]
        for row in rows:
            self.assertEqual(len(row), len(names))
            yield dict(zip(names, map(float, row)))

    def numbers(self, truth):
        """Of bodies in these files, by their ids: without gaps."""
        return {body: number for number, body in enumerate(sorted({s["body"] for s in truth["spheres"]}))}

    def assert_vector(self, r, found, expected, scale):
        """To the last digit if the frame is not turned, else to roundings of the products."""
        turned = r[0][0] != 1.0
        self.assert_close(back(r, found), expected, 1e-15 * scale if turned else 0.0)

    def test_forms_of_the_cell(self):
        """Two scenes have a cell in the frame of LAMMPS, the other is turned into it."""
        words = [parse(self.read(scene + ".dump"))["UNITS"][1][0][1:2] for scene in SCENES]
        self.assertEqual(words, [[], [], ["rotation"]])

    def test_spheres(self):
        for scene, truth in self.truth.items():
            items = parse(self.read(scene + ".dump"))
            r, _ = self.check_head(items, truth, "ATOMS", len(truth["spheres"]))
            rows = list(self.rows(items, "ATOMS"))
            self.assertEqual(len(rows), len(truth["spheres"]))
            stresses = grain_stresses(truth)
            largest = max(max(map(abs, stress)) for stress in stresses.values())
            contacts = collections.Counter(c[side] for c in truth["contacts"]
                                           for side in ("body_p", "body_q"))
            body = self.numbers(truth)
            for number, (row, sphere) in enumerate(zip(rows, truth["spheres"])):
                self.assertEqual(row["id"], number + 1)
                self.assert_vector(r, [row[k] for k in "xyz"], sphere["x"], size(sphere["x"]))
                for name in ("radius", "member", "type", "shape"):
                    self.assertEqual(row[name], sphere[name])
                self.assertEqual(row["body"], body[sphere["body"]])
                self.assert_vector(r, [row["omega" + k] for k in "xyz"], sphere["w"], size(sphere["w"]))
                self.assert_vector(r, [row[f"c_disp[{k}]"] for k in (1, 2, 3)], sphere["displacement"],
                                   size(sphere["displacement"]))
                t = stresses[sphere["body"]]
                symmetric = [t[0], t[4], t[8], 0.5 * (t[1] + t[3]), 0.5 * (t[2] + t[6]),
                             0.5 * (t[5] + t[7])]
                xx, yy, zz, xy, xz, yz = [row[f"c_stress[{k}]"] for k in range(1, 7)]
                half = [back(r, line) for line in ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))]
                t = [back(r, [half[i][k] for i in range(3)]) for k in range(3)]
                self.assert_close([t[0][0], t[1][1], t[2][2], t[0][1], t[0][2], t[1][2]], symmetric,
                                  1e-13 * largest)
                self.assertEqual(row["coordination"], contacts[sphere["body"]])
                # velocities below 1 m/s: a few roundings
                self.assert_close(back(r, [row["vx"], row["vy"], row["vz"]]), velocity(sphere), 1e-14)

    def test_contacts_connect_the_spheres_they_name(self):
        for scene, truth in self.truth.items():
            expected = [c for c in truth["contacts"] if c["body_q"] >= 0]
            items = parse(self.read(scene + ".local"))
            r, edges = self.check_head(items, truth, "ENTRIES", len(expected))
            rows = list(self.rows(items, "ENTRIES"))
            self.assertEqual(len(rows), len(expected))
            body = self.numbers(truth)
            for row, contact in zip(rows, expected):
                p = truth["spheres"][int(row["ParticleIdentifiers.1"]) - 1]
                q = truth["spheres"][int(row["ParticleIdentifiers.2"]) - 1]
                for side, sphere in (("p", p), ("q", q)):
                    self.assertEqual(sphere["body"], contact["body_" + side])
                    self.assertEqual(sphere["member"], contact["member_" + side])
                    self.assertEqual(row["body_" + side], body[contact["body_" + side]])
                shift = [row["PeriodicImage." + k] for k in "XYZ"]
                images = [scaled(n, back(r, edge)) for n, edge in zip(shift, edges)]
                true = [scaled(n, truth[k]) for n, k in zip(contact["shift"], "abc")]
                self.assert_close(add([0.0, 0.0, 0.0], *images), add([0.0, 0.0, 0.0], *true), 1e-15)
                distance = math.dist(p["x"], add(q["x"], *images))
                # lengths of 0.1 m: a few roundings
                self.assert_close(row["zeta"], p["radius"] + q["radius"] - distance, 1e-15)
                for name in ("fn", "zeta", "sliding"):
                    self.assertEqual(row[name], contact[name])
                for name in ("force", "ft", "point"):
                    self.assert_vector(r, [row[f"{name}.{k}"] for k in "XYZ"], contact[name], size(contact[name]))

    def test_samples_have_every_kind_of_contact(self):
        contacts = [c for truth in self.truth.values() for c in truth["contacts"]]
        for kind in (lambda c: c["body_q"] < 0, lambda c: any(c["shift"]), lambda c: c["sliding"],
                     lambda c: c["body_q"] >= 0 and c["member_p"] > 0):
            self.assertTrue(any(map(kind, contacts)))


if __name__ == "__main__":
    unittest.main()
