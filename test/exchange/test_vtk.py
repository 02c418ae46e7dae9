# SPDX-License-Identifier: BSD-3-Clause
"""Files for ParaView, read as XML, and with VTK (Debian: python3-vtk9) where it is installed."""

import array
import base64
import collections
import glob
import json
import math
import os
import subprocess
import sys
import unittest
import xml.etree.ElementTree as tree

from samples import SampleTest, add, grain_stresses, velocity

READER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "read_vtk.py")
VERTEX, LINE = 1, 3  # VTK's numbers of cell types


def read_vtk(*paths):
    """A Python with VTK: this one, or the system's, for which Debian packages it; else None."""
    for python in (sys.executable, "/usr/bin/python3"):
        done = subprocess.run([python, "-B", READER, *paths], capture_output=True, text=True,
                              check=False, timeout=120)
        if done.returncode == 0:
            return json.loads(done.stdout)
        if done.returncode != 77:
            raise AssertionError(done.stderr)
    return None


def read_array(element):
    """[type, components, rows] of a DataArray, in VTK's words."""
    kind = {"Float64": ("double", "d"), "Int64": ("long long", "q"), "Int32": ("int", "i"),
            "UInt8": ("unsigned char", "B")}[element.get("type")]
    components = int(element.get("NumberOfComponents", "1"))
    if element.get("format") == "ascii":
        values = [float(word) for word in element.text.split()]
    else:
        data = base64.b64decode(element.text)[8:]
        values = array.array(kind[1], data).tolist()
    rows = [values[i:i + components] for i in range(0, len(values), components)]
    return [kind[0], components, rows]


def read_xml(path):
    """What read_vtk.py gives, without VTK."""
    root = tree.parse(path).getroot()
    found = {name: {a.get("Name"): read_array(a) for group in root.iter(name) for a in group}
             for name in ("PointData", "CellData", "FieldData", "Points", "Cells", "Lines", "Polys")}
    (points,) = found["Points"].values()
    cells = {**found["Cells"], **found["Lines"], **found["Polys"]}
    ends = [row[0] for row in cells["offsets"][2]]
    members = [row[0] for row in cells["connectivity"][2]]
    kinds = [row[0] for row in cells["types"][2]] if "types" in cells else [LINE] * len(ends)
    return {"errors": 0, "points": points[2], "precision": points[0],
            "cells": [[kind] + members[begin:end]
                      for kind, begin, end in zip(kinds, [0] + ends, ends)],
            "point_data": found["PointData"], "cell_data": found["CellData"],
            "field_data": found["FieldData"]}


class Frames(SampleTest):
    def check_list(self, scene, part):
        """The last file of a .pvd; checks that all the files it names exist."""
        name = f"{scene} & <frames>_{part}.pvd"
        root = tree.parse(self.path(scene, name)).getroot()
        self.assertEqual(root.get("type"), "Collection")
        times, files = [], []
        for entry in root.iter("DataSet"):
            times.append(float(entry.get("timestep")))
            files.append(self.path(scene, entry.get("file")))
            self.assertTrue(os.path.isfile(files[-1]), files[-1])
        self.assertEqual(len(files), 2)
        self.assertLess(times[0], times[1])
        self.assertEqual(times[1], self.truth_of(scene)["time"])
        return files[1]

    def truth_of(self, scene):
        with open(self.path(scene + ".json"), encoding="utf-8") as file:
            return json.load(file)

    def parts_of(self, scene):
        return ("spheres", "contacts", "cell") + (("walls",) if self.truth_of(scene)["walls"] else ())

    def test_lists_name_exactly_the_existing_files(self):
        for scene in (*self.truth, "hopper"):
            for part in self.parts_of(scene):
                self.check_list(scene, part)
            self.assertEqual(len(glob.glob(self.path(scene, "*"))), 3 * len(self.parts_of(scene)))
        self.assertEqual([len(self.parts_of(scene)) for scene in ("sheared", "box", "hopper")], [3, 4, 4])

    def test_files_are_valid_xml(self):
        """ParaView's own parser accepts invalid XML; other parsers do not."""
        sizes = {"Float64": 8, "Int64": 8, "Int32": 4, "UInt8": 1}
        arrays = 0
        for path in (path for scene in self.truth for path in glob.glob(self.path(scene, "*.vt[up]"))):
            for array in tree.parse(path).getroot().iter("DataArray"):
                if array.get("format") == "ascii":
                    continue
                self.assertEqual(array.get("format"), "binary")
                data = base64.b64decode(array.text, validate=True)
                self.assertEqual(len(data) - 8, int.from_bytes(data[:8], sys.byteorder))
                item = sizes[array.get("type")] * int(array.get("NumberOfComponents"))
                self.assertEqual((len(data) - 8) % item, 0)
                arrays += 1
        self.assertGreater(arrays, 50)

    def paths(self):
        parts = ("spheres", "contacts", "cell")
        return [self.check_list(scene, part) for scene in self.truth for part in parts]

    def test_files_agree_with_the_simulation(self):
        self.check_all([read_xml(path) for path in self.paths()])

    def test_vtk_reads_the_same(self):
        found = read_vtk(*self.paths(), self.check_list("hopper", "walls"))
        if found is None:
            self.skipTest("VTK is not installed (Debian: python3-vtk9)")
        self.check_walls(found.pop())
        self.check_all(found)

    def test_facets_of_walls_have_their_forces(self):
        self.check_walls(read_xml(self.check_list("hopper", "walls")))

    def check_walls(self, data):
        self.assertEqual(data["errors"], 0)
        truth = self.truth_of("hopper")
        numbers, forces = (data["cell_data"][name][2] for name in ("wall", "force"))
        self.assertEqual([wall["form"] for wall in truth["walls"]], [0, 3, 2])
        for k, wall in enumerate(truth["walls"]):
            own = [i for i, (number,) in enumerate(numbers) if number == k]
            self.assertGreater(math.hypot(*wall["force"]), 0.0)
            # the same sum in another order
            self.assert_close([math.fsum(forces[i][axis] for i in own) for axis in range(3)], wall["force"],
                              1e-12 * math.hypot(*wall["force"]), f"wall {k}")
            facets = [[data["points"][p] for p in data["cells"][i][1:]] for i in own]
            if wall["form"] == 0:
                self.assertEqual(len(facets), 1)
                self.assertTrue(all(abs(x[2] + 0.0049) < 1e-15 for x in facets[0]))
            elif wall["form"] == 3:
                plate = [[0, 0, -0.0046], [0.05, 0, -0.0047], [0.05, 0.05, -0.0048], [0, 0.05, -0.0047]]
                self.assertEqual(sorted(map(sorted, facets)), sorted(sorted(plate[i] for i in facet) for facet in ((0, 1, 2), (0, 2, 3))))
                self.assertEqual(sum(math.hypot(*forces[i]) > 0.0 for i in own), 2)
            else:
                self.assertEqual(len(facets) % 64, 0)
                for x in (x for facet in facets for x in facet):
                    self.assertLess(abs(math.hypot(x[0] - 0.035, x[1] - 0.035) - (0.0511 + 0.35 * x[2])), 1e-15)
                loaded = [i for i in own if math.hypot(*forces[i]) > 0.0]
                self.assertGreater(len(loaded), 2)
                self.assertLess(len(loaded), len(own) // 4)

    def check_all(self, found):
        for i, (scene, truth) in enumerate(self.truth.items()):
            for data in found[3 * i:3 * i + 3]:
                self.assertEqual(data.get("error"), None)
                self.assertEqual(data["errors"], 0)
                self.assertEqual(data["precision"], "double")
                self.assertEqual(data["field_data"]["TimeValue"][2], [[truth["time"]]])
            with self.subTest(scene):
                self.check_spheres(found[3 * i], truth)
                self.check_contacts(found[3 * i + 1], truth)
                self.check_cell(found[3 * i + 2], truth)

    def check_array(self, data, name, kind, expected, delta=0.0):
        found_kind, components, rows = data[name]
        self.assertEqual(found_kind, kind, name)
        expected = [e if isinstance(e, list) else [e] for e in expected]
        self.assertEqual(components, len(expected[0]), name)
        self.assertEqual(len(rows), len(expected), name)
        for row, wanted in zip(rows, expected):
            self.assert_close(row, wanted, delta, name)

    def check_spheres(self, data, truth):
        spheres = truth["spheres"]
        count = len(spheres)
        self.assertEqual(data["points"], [s["x"] for s in spheres])
        self.assertEqual(data["cells"], [[VERTEX, i] for i in range(count)])
        arrays = data["point_data"]
        self.assertEqual(set(arrays), {"radius", "body", "member", "type", "shape", "velocity", "spin",
                                       "displacement", "stress", "pressure", "coordination"})
        for name in ("type", "shape"):
            self.check_array(arrays, name, "int", [s[name] for s in spheres])
            self.assertGreater(len({s["type"] for s in spheres}), 1)
        self.check_array(arrays, "spin", "double", [s["w"] for s in spheres])
        self.check_array(arrays, "displacement", "double", [s["displacement"] for s in spheres])
        self.check_stress(arrays, truth)
        self.check_array(arrays, "radius", "double", [s["radius"] for s in spheres])
        self.check_array(arrays, "body", "int", [s["body"] for s in spheres])
        self.check_array(arrays, "member", "int", [s["member"] for s in spheres])
        # velocities below 1 m/s: a few roundings
        self.check_array(arrays, "velocity", "double", [velocity(s) for s in spheres], 1e-14)
        contacts = collections.Counter()
        for contact in truth["contacts"]:
            contacts.update(b for b in (contact["body_p"], contact["body_q"]) if b >= 0)
        self.check_array(arrays, "coordination", "int", [contacts[s["body"]] for s in spheres])

    def check_stress(self, arrays, truth):
        spheres, stresses = truth["spheres"], grain_stresses(truth)
        largest = max(max(map(abs, stress)) for stress in stresses.values())
        self.assertGreater(largest, 0.0)
        # sums of a few contacts; x_c - x loses a few bits where a grain is far from the origin
        self.check_array(arrays, "stress", "double", [stresses[s["body"]] for s in spheres],
                         1e-13 * largest)
        means = [sum(stresses[s["body"]][k] for k in (0, 4, 8)) / 3.0 for s in spheres]
        self.check_array(arrays, "pressure", "double", means, 1e-13 * largest)
        # weighted by volume they give the stress of the cell
        rows = {s["body"]: (s["volume"], row) for s, row in zip(spheres, arrays["stress"][2])}
        for k in range(9):
            mean = math.fsum(v * row[k] for v, row in rows.values()) / truth["cell_volume"]
            self.assertLessEqual(abs(mean - truth["stress"][k]),
                                 1e-12 * max(map(abs, truth["stress"])))

    def check_contacts(self, data, truth):
        contacts = truth["contacts"]
        self.assertEqual(data["cells"],
                         [[LINE, 2 * i, 2 * i + 1] for i in range(len(contacts))])
        arrays = data["cell_data"]
        self.assertEqual(set(arrays), {"fn", "ft", "ft_norm", "force", "zeta", "sliding", "body_p",
                                       "body_q", "fr", "drag", "rate"})
        for name in ("fn", "ft", "force", "zeta", "fr", "rate"):
            self.assertTrue(any(any(row) for row in arrays[name][2]), name)
            self.check_array(arrays, name, "double", [c[name] for c in contacts])
        for name in ("sliding", "body_p", "body_q"):
            self.check_array(arrays, name, "int", [c[name] for c in contacts])
        # forces of up to 100 N: a rounding
        self.check_array(arrays, "ft_norm", "double", [math.hypot(*c["ft"]) for c in contacts], 1e-13)
        self.check_array(arrays, "drag", "double",
                         [[f - c["fn"] * -n - t for f, n, t in zip(c["force"], c["n"], c["ft"])] for c in contacts],
                         1e-13)
        centre = {s["body"]: s["centre"] for s in truth["spheres"]}
        for i, contact in enumerate(contacts):
            start, end = data["points"][2 * i:2 * i + 2]
            self.assertEqual(start, centre[contact["body_p"]])
            wanted = contact["point"]
            if contact["body_q"] >= 0:
                wanted = add(centre[contact["body_q"]],
                             *([n * x for x in truth[k]] for n, k in zip(contact["shift"], "abc")))
            # lengths of 0.1 m: a few roundings
            self.assert_close(end, wanted, 1e-15)

    def check_cell(self, data, truth):
        self.assertEqual(len(data["cells"]), 12)
        a, b, c = truth["a"], truth["b"], truth["c"]
        lines = []
        for kind, start, end in data["cells"]:
            self.assertEqual(kind, LINE)
            lines.append((data["points"][start], data["points"][end]))
        # Each edge four times, from corner to corner.
        for edge, others in ((a, (b, c)), (b, (a, c)), (c, (a, b))):
            for corner in ([0.0] * 3, others[0], others[1], add(*others)):
                def fits(line, corner=corner, edge=edge):
                    return (math.dist(line[0], corner) < 1e-15 and
                            math.dist(line[1], add(corner, edge)) < 1e-15)
                self.assertEqual(sum(map(fits, lines)), 1)


if __name__ == "__main__":
    outcome = unittest.main(exit=False, verbosity=2).result
    sys.exit(1 if not outcome.wasSuccessful() else 77 if outcome.skipped else 0)
