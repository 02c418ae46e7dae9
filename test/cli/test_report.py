# SPDX-License-Identifier: BSD-3-Clause
"""twirl report: the document has what is in the folder of the run, byte for byte or to the precision of
its arrays; texts of others do no harm; the file stays small."""

import base64
import csv
import io
import json
import math
import os
import random
import re
import shutil
import struct
import tempfile
import unittest
import zlib
from pathlib import Path

from cli import SCALE, CliTest, run

SCENARIO = """
title: "A <b>title</b>"
specimen:
  count: 40
  shapes:
    - {shape: bumpy, satellites: 6, satellite_radius: 0.5, central_radius: 0.7, distance: 0.6, material: rough}
    - {shape: sphere, material: smooth}
  sizes: {distribution: uniform, d_min: 0.8 mm, d_max: 1.2 mm}
  preparation: {pressure: 100 kPa, friction: 0.1, inertial_number: 0.05, unbalanced: 0.01}
materials:
  - {name: rough, stiffness_level: 1000, friction: 0.5}
  - {name: smooth, stiffness_level: 1000, friction: 0.3}
stages:
  - {name: shear, path: triaxial, axis: y, inertial_number: 5e-3, end: {strain: 1 %}}
  - {name: probe, path: probes, probes: {count: 8, strain: 1e-5, steps: 20, rest_steps: 40, settle_steps: 50}}
"""

# No friction gives such a void ratio.
HOPELESS = """
specimen:
  count: 30
  preparation: {pressure: 100 kPa, void_ratio: 1.5, friction: auto, inertial_number: 0.1, unbalanced: 0.1}
material: {stiffness_level: 300}
"""

SCRATCH = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
NO_PAGE = "built without the page"


def unpack(text, form):
    """Numbers of an array; form "f3": rows of three floats."""
    data = base64.b64decode(text, validate=True)
    kind, width = form[0], int(form[1:] or 1)
    numbers = [value for value, in struct.iter_unpack("<" + kind, data)]
    return [tuple(numbers[i:i + width]) for i in range(0, len(numbers), width)] if width > 1 else numbers


def items(lines):
    """The rotation of a dump (docs/guide/exchange.md), by rows, and its rows as dicts."""
    words = lines[1].split()[2:] if lines[0] == "ITEM: UNITS" else []
    turn = [[float(word) for word in words[3 * k:3 * k + 3]] for k in range(3)] if words else [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    at = next(k for k, line in enumerate(lines) if re.match("ITEM: (ATOMS|ENTRIES)", line))
    names = lines[at].split()[2:]
    return turn, [dict(zip(names, line.split())) for line in lines[at + 1:]]


def rotate(q, v):
    w, u = q[0], q[1:]
    t = [2 * c for c in cross(u, v)]
    return [v[i] + w * t[i] + cross(u, t)[i] for i in range(3)]


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def decode(page):
    """The document in a report."""
    found = re.findall(rb'<script type="application/octet-stream" id="twirl-data">([A-Za-z0-9+/=]*)</script>', page)
    assert len(found) == 1
    return zlib.decompress(base64.b64decode(found[0], validate=True))


def setUpModule():
    """One run for all tests."""
    scratch = tempfile.TemporaryDirectory(dir=SCRATCH)
    unittest.addModuleCleanup(scratch.cleanup)
    ReportTest.place = Path(scratch.name)
    ReportTest.folder = ReportTest.place / "run"
    (ReportTest.place / "run.yaml").write_text(SCENARIO)
    done = run("run", "run.yaml", "--quiet", cwd=ReportTest.place)
    assert done.returncode == 0, done.stderr
    with_page = run("report", "run", "-o", "report.html", cwd=ReportTest.place)
    ReportTest.has_page = NO_PAGE not in with_page.stderr
    assert with_page.returncode == (0 if ReportTest.has_page else 1), with_page.stderr


class ReportTest(CliTest):

    def document(self, *arguments):
        done = run("report", "--json", "-", *map(str, arguments), cwd=self.place)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def copy(self, name):
        shutil.copytree(self.folder, self.place / name)
        self.addCleanup(shutil.rmtree, self.place / name)
        return self.place / name

    def need_page(self):
        if not self.has_page:
            self.skipTest("this program has no page")


class Document(ReportTest):
    def test_texts_are_those_of_the_files(self):
        document = self.document("run")
        self.assertEqual(document["format"], 1)
        self.assertRegex(document["program"], r"\Atwirl \d+\.\d+\.\d+(\+[.\w]+)?\Z")
        one, = document["runs"]
        self.assertEqual((one["name"], one["title"], one["state"]), ("run", "A <b>title</b>", "finished"))
        for member, file in (("history", "history.csv"), ("scenario", "scenario.yaml"), ("log", "run.log")):
            self.assertEqual(one[member].encode(), (self.folder / file).read_bytes())
        self.assertEqual(one["summary"], json.loads((self.folder / "summary.json").read_text()))
        self.assertTrue(one["warnings"][0].startswith("specimen.count: 40 grains make a cell of only"), one["warnings"])
        probe = one["stages"][2]
        self.assertEqual(probe["probes"], (self.folder / "stages/probe/probes.csv").read_text())
        self.assertEqual(probe["fits"], (self.folder / "stages/probe/fits.csv").read_text())
        self.assertEqual(probe["summary"], json.loads((self.folder / "stages/probe.json").read_text()))

    def test_the_scenario_in_words_is_that_of_check(self):
        one, = self.document("run")["runs"]
        checked = run("check", "--quick", str(self.folder / "scenario.yaml")).stdout.splitlines()
        about = one["about"].splitlines()
        self.assertTrue(about[0].startswith("specimen   count 40,"), about)
        self.assertEqual([line[:10].rstrip() for line in about if line[0] != " "], ["specimen", "materials", "stage 1", "stage 2"])
        for line in about:
            self.assertTrue(any(other.startswith(line) for other in checked), line)

    def test_points_say_which_probe_they_are(self):
        figure = next(one for one in self.document("run")["figures"]["figures"] if one["kind"] == "circles")
        points = next(shape for shape in figure["shapes"] if shape["kind"] == "points")
        rows = csv.DictReader(io.StringIO((self.folder / "stages/probe/probes.csv").read_text()))
        said = [f"probe {row['probe']}, angle {row['angle']}°" for row in rows if row["law"] == "exact"]
        self.assertEqual(points["texts"], said)

    def test_columns_name_all_of_the_history(self):
        columns = {column["name"]: column for column in self.document("run")["figures"]["columns"]}
        header = (self.folder / "history.csv").read_text().splitlines()[0].split(",")
        self.assertLessEqual(set(header), set(columns))
        self.assertEqual(columns["p"]["dimension"], "stress")
        self.assertTrue(all(column["text"] for column in columns.values()))

    def test_stages(self):
        one, = self.document("run")["runs"]
        rows = list(csv.DictReader(io.StringIO(one["history"])))
        self.assertEqual((one["from"], one["rows"]), (0, len(rows)))
        self.assertEqual([stage["name"] for stage in one["stages"]], ["specimen", "shear", "probe"])
        self.assertEqual([stage["path"] for stage in one["stages"]], ["preparation", "triaxial", "probes"])
        for stage in one["stages"]:
            first, count = stage["first_row"], stage["rows"]
            self.assertEqual([i for i, row in enumerate(rows) if row["stage"] == stage["name"]],
                             list(range(first, first + count)))
            self.assertEqual(stage["state"], "done")
        shear = one["stages"][1]
        self.assertEqual((shear["axis"], shear["end"]), ("y", "strain"))
        self.assertEqual(shear["end_text"], "ended at axial strain 0.01 (end.strain)")
        series = next(s for s in self.document("run")["figures"]["series"] if s["stage"] == "shear")
        axial = [[float(row[f"stress_{a}{a}"]) for a in "yxz"] + [float(row["p"])] for row in rows if row["stage"] == "shear"]
        self.assertAlmostEqual(series["results"]["peak_ratio"], max((y - 0.5 * (x + z)) / p for y, x, z, p in axial), delta=1e-14)

    def test_snapshots_are_the_states(self):
        one, = self.document("run")["runs"]
        rows = list(csv.DictReader(io.StringIO(one["history"])))
        files = ("states/specimen.h5", "stages/shear.h5", "stages/probe.h5")
        self.assertEqual([s["stage"] for s in one["snapshots"]], ["specimen", "shear", "probe"])
        for snapshot, file in zip(one["snapshots"], files):
            row = rows[snapshot["row"]]
            self.assertEqual(row["stage"], snapshot["stage"])
            self.assertTrue(snapshot["row"] + 1 == len(rows) or rows[snapshot["row"] + 1]["stage"] != row["stage"])
            self.assertEqual((float(row["step"]), float(row["time"])), (snapshot["step"], snapshot["time"]))
            self.assertFalse(snapshot["latest"])
            self.compare(snapshot, self.folder / file)

    def compare(self, snapshot, file):
        spheres, contacts, dump = (self.place / name for name in ("spheres.csv", "contacts.local", "spheres.dump"))
        for form, out in (("csv", spheres), ("contacts", contacts), ("dump", dump)):
            self.assertEqual(run("export", form, str(file), "--out", str(out)).returncode, 0)
        text = spheres.read_text().splitlines()
        columns = list(map(float, text[0].split(":")[1].split()))
        self.assertEqual([columns[3 * j + i] for i in range(3) for j in range(3)], snapshot["cell"])
        self.compare_spheres(snapshot, list(csv.DictReader(text[2:])), max(map(abs, columns)))
        self.compare_contacts(snapshot, contacts.read_text().splitlines())
        self.compare_speeds(snapshot, dump.read_text().splitlines())
        self.compare_figures(snapshot, file)

    def compare_figures(self, snapshot, file):
        """Densities hold all contacts, and those that slide; sizes are those of `twirl info`."""
        forces, grading = snapshot["figures"]
        self.assertEqual((forces["name"], grading["name"]), ("forces", "grading"))
        sliding = unpack(snapshot["contacts"]["sliding"], "B")
        for shape, share in zip(forces["shapes"], (1, sum(sliding) / len(sliding))):
            self.assertAlmostEqual(0.25 * sum(y for y in shape["y"] if y is not None), share, delta=1e-12)
        lines = dict(re.split(" {2,}", line, maxsplit=1) for line in run("info", str(file)).stdout.splitlines() if line[0] != " ")
        printed = {name: 1e3 * float(size) for name, size in re.findall(r"(D\d0) ([\d.e-]+) m", lines["diameter"] + lines["grading"])}
        shapes = grading["shapes"]
        marks = next(shape for shape in shapes if shape["kind"] == "points")
        self.assertEqual((marks["texts"], marks["y"]), (["D10", "D30", "D50", "D60"], [10, 30, 50, 60]))
        for name, size, finer in zip(marks["texts"], marks["x"], marks["y"]):
            self.assertAlmostEqual(size, printed[name], delta=1e-5 * size)
            self.assertEqual(shapes[0]["x"][finer], size)
        coefficients = re.search("Cu (.*), Cc (.*)", lines["grading"])
        self.assertEqual([float(number) for number in re.findall("= ([^,]*)", shapes[-1]["title"])],
                         [float(f"{float(number):.3g}") for number in coefficients.groups()])

    def compare_speeds(self, snapshot, lines):
        _, atoms = items(lines)
        bodies = [int(atom["body"]) for atom in atoms]
        alone = [atom for atom in atoms if bodies.count(int(atom["body"])) == 1]  # others turn about another point
        speed = unpack(snapshot["bodies"]["speed"], "f")
        self.assertGreater(len(alone), 5)
        for atom in alone:
            expected = math.hypot(*(float(atom["v" + axis]) for axis in "xyz"))
            self.assertGreater(expected, 0.0)
            self.assertTrue(math.isclose(speed[int(atom["body"])], expected, rel_tol=1e-7))

    def compare_spheres(self, snapshot, expected, cell):
        bodies = snapshot["bodies"]
        count = bodies["count"]
        x, q = unpack(bodies["x"], "f3"), unpack(bodies["q"], "f4")
        size, shape, material = (unpack(bodies[name], form) for name, form in
                                 (("size", "f"), ("shape", "I"), ("material", "B")))
        self.assertEqual([count] * 6, [40] + [len(a) for a in (x, q, size, shape, material)])
        self.assertEqual(bodies["total"], count)
        self.assertEqual(set(zip(shape, material)), {(0, 1), (1, 0)})
        self.assertEqual(snapshot["materials"], ["rough", "smooth"])
        found = []
        for body in range(count):
            for *centre, radius in snapshot["shapes"][shape[body]]:
                arm = rotate(q[body], centre)
                found.append([x[body][i] + size[body] * arm[i] for i in range(3)] + [size[body] * radius, body])
        self.assertEqual(len(found), len(expected))
        for got, want in zip(found, expected):
            self.assertEqual(got[4], int(want["body"]))
            for value, name in zip(got, ("x", "y", "z", "radius")):
                self.assertAlmostEqual(value, float(want[name]), delta=4e-7 * cell)  # single precision

    def compare_contacts(self, snapshot, lines):
        turn, expected = items(lines)
        contacts = snapshot["contacts"]
        p, q, sliding = (unpack(contacts[name], form) for name, form in (("p", "I"), ("q", "I"), ("sliding", "B")))
        shift, force, point = (unpack(contacts[name], form) for name, form in (("shift", "b3"), ("f", "f3"), ("point", "f3")))
        normal = unpack(contacts["fn"], "f")
        self.assertEqual(contacts["count"], len(expected))
        self.assertGreater(len(expected), 40)
        for k, want in enumerate(expected):
            self.assertEqual((p[k], q[k], sliding[k]), tuple(int(want[n]) for n in ("body_p", "body_q", "sliding")))
            self.assertEqual(shift[k], tuple(int(want["PeriodicImage." + n]) for n in "XYZ"))
            near = {"rel_tol": 3e-7, "abs_tol": 1e-12}
            for mine, name, scale in ((force[k], "force.", math.hypot(*force[k])), (point[k], "point.", 1e-3)):
                for number, row in zip((float(want[name + axis]) for axis in "XYZ"), turn):
                    turned = sum(r * c for r, c in zip(row, mine))
                    self.assertAlmostEqual(turned, number, delta=3e-6 * scale)
            self.assertTrue(math.isclose(normal[k], float(want["fn"]), **near))

    def test_states_on_the_way(self):
        """Each is at the row of the history that has the volume of its cell, also in a stage that goes back."""
        with tempfile.TemporaryDirectory(dir=SCRATCH) as folder:
            text = SCENARIO.split("stages:")[0] + """stages:
  - {name: shear, path: triaxial, inertial_number: 0.02, end: {strain: 2 %}, save: sheared}
  - {name: more, path: triaxial, inertial_number: 0.02, end: {strain: 1 %}}
  - {name: again, path: triaxial, from: sheared, inertial_number: 0.02, end: {strain: 1 %}}
output: {states: {strain: 0.4 %}}
"""
            Path(folder, "s.yaml").write_text(text, encoding="utf-8")
            self.assertEqual(run("run", "s.yaml", "--quiet", "--out", "r", cwd=folder).returncode, 0)
            document = json.loads(run("report", "r", "--json", "-", "--snapshots", "all", cwd=folder).stdout)
            snapshots = document["runs"][0]["snapshots"]
            with open(Path(folder, "r", "history.csv"), encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
            places = []
            for snapshot in snapshots[1:]:
                row = rows[snapshot["row"]]
                a, b, c = (snapshot["cell"][k::3] for k in range(3))
                volume = sum(u * v for u, v in zip(a, cross(b, c)))
                self.assertAlmostEqual(volume / float(row["volume"]), 1, delta=1e-8)
                self.assertEqual((snapshot["stage"], snapshot["step"]), (row["stage"], int(row["step"])))
                places.append((snapshot["row"], snapshot["within"]))
            self.assertEqual([row for row, _ in places], sorted(row for row, _ in places))
            # The fifth is the end of the first stage, which is not shown twice.
            self.assertEqual([within for _, within in places], 4 * [True] + [False] + 2 * (2 * [True] + [False]))

    def test_slab_of_a_large_specimen(self):
        one, = self.document("--grains", 20, "run")["runs"]
        whole = self.document("run")["runs"][0]["snapshots"][1]
        snapshot = one["snapshots"][1]
        self.assertIn("the specimen has 40 grains: a slab of about 20 is shown", " ".join(one["warnings"]))
        count = snapshot["bodies"]["count"]
        self.assertTrue(5 < count < 35)
        self.assertEqual(snapshot["bodies"]["total"], 40)
        ids = unpack(snapshot["bodies"]["id"], "I")
        everywhere = unpack(whole["bodies"]["x"], "f3")
        self.assertEqual(unpack(snapshot["bodies"]["x"], "f3"), [everywhere[i] for i in ids])
        pairs = [tuple(ids[i] for i in pair) for pair in
                 zip(unpack(snapshot["contacts"]["p"], "I"), unpack(snapshot["contacts"]["q"], "I"))]
        all_pairs = zip(unpack(whole["contacts"]["p"], "I"), unpack(whole["contacts"]["q"], "I"))
        self.assertEqual(pairs, [pair for pair in all_pairs if set(pair) <= set(ids)])

    def test_choice_of_snapshots(self):
        for choice, stages in (("none", []), ("1", ["probe"]), ("2", ["specimen", "probe"]),
                               ("all", ["specimen", "shear", "probe"])):
            one, = self.document("--snapshots", choice, "run")["runs"]
            self.assertEqual([s["stage"] for s in one["snapshots"]], stages)
        for choice in ("0", "-1", "some", ""):
            self.assert_refused(run("report", "--json", "-", f"--snapshots={choice}", "run", cwd=self.place), "--snapshots")

    def test_several_runs(self):
        self.copy("other")
        (self.place / "more").mkdir(exist_ok=True)
        self.copy("more/run")
        runs = self.document("run", "other")["runs"]
        self.assertEqual([one["name"] for one in runs], ["run", "other"])
        runs = self.document("run", "more/run")["runs"]
        self.assertEqual([one["name"] for one in runs], ["run", "more/run"])
        self.assertEqual(self.document(self.folder / ".")["runs"][0]["name"], "run")
        named = self.document("--labels", "dense sand, loose", "run", "other")
        self.assertEqual([one["name"] for one in named["runs"]], ["dense sand", "loose"])
        drawn = [one["label"] for one in named["figures"]["series"] if one["drawn"]]
        self.assertEqual(drawn, ["dense sand", "loose"])
        self.assert_refused(run("report", "--json", "-", "--labels", "a,b", "run", cwd=self.place), "--labels: 2 texts for 1 run")

    def test_not_a_run(self):
        self.assert_refused(run("report", "--json", "-", "nowhere", cwd=self.place), "nowhere: not the folder of a run")
        self.assert_refused(run("report", "--json", "-"), "RUN is missing")
        self.assert_refused(run("report", "--json", "-", "--out", "x", "run", cwd=self.place), "exclude each other")

    def test_failed_run(self):
        (self.place / "hopeless.yaml").write_text(HOPELESS)
        done = run("run", "hopeless.yaml", "--quiet", cwd=self.place)
        self.assertEqual(done.returncode, 3, done.stderr)
        one, = self.document("hopeless")["runs"]
        self.assertEqual(one["state"], "failed")
        self.assertIn(one["failure"], done.stderr)
        self.assertIn("void ratio", one["failure"])

    def test_the_grading_curve_that_was_asked_for(self):
        """Linear in the logarithm of the diameter between its points."""
        curve = [(0.6, 0), (0.8, 30), (1.0, 60), (2.0, 99.9), (4.0, 100)]
        points = ", ".join(f"[{d} mm, {share} %]" for d, share in curve)
        (self.place / "sand.yaml").write_text(f"""
specimen: {{count: 60, sizes: {{distribution: grading, curve: [{points}]}}, preparation: {{pressure: 100 kPa, friction: 0.1, inertial_number: 0.1}}}}
material: {{stiffness_level: 300, friction: 0.5}}
""")
        self.assertEqual(run("run", "sand.yaml", "--quiet", cwd=self.place).returncode, 0)
        one, = self.document("sand")["runs"]
        asked = one["snapshots"][0]["figures"][-1]["shapes"][0]
        self.assertEqual((asked["title"], asked["dash"], len(asked["x"])), ("asked for", 2, 41))
        for k, (x, y) in enumerate(zip(asked["x"], asked["y"])):
            (a, low), (b, high), part = *(curve[min(k // 10 + i, 4)] for i in (0, 1)), k % 10 / 10
            self.assertAlmostEqual(x, a * (b / a) ** part, delta=1e-12)
            self.assertAlmostEqual(y, low + (high - low) * part, delta=1e-12)
        for name in ("run.log", "warnings.txt"):
            self.assertRegex((self.place / "sand" / name).read_text(), "none is in the coarsest part of the grading, 2 mm to 4 mm")

    def test_interrupted_run(self):
        folder = self.copy("cut")
        (folder / "summary.json").unlink()
        (folder / "stages/probe.json").unlink()
        history = (folder / "history.csv").read_bytes()
        (folder / "history.csv").write_bytes(history[:-20])  # the last line is not complete
        one, = self.document("cut")["runs"]
        self.assertEqual((one["state"], one["summary"]), ("interrupted", None))
        self.assertEqual(one["history"].encode(), history[:history[:-1].rindex(b"\n") + 1])
        self.assertEqual([stage["state"] for stage in one["stages"]], ["done", "done", "current"])
        # A lock of a process that is gone, or that has another file open, means nothing.
        for process in (2 ** 22 + 7, os.getpid()):
            (folder / "lock").write_text(f"process {process} on {os.uname().nodename}\n")
            self.assertEqual(self.document("cut")["runs"][0]["state"], "interrupted")
        with open(folder / "lock"):
            self.assertEqual(self.document("cut")["runs"][0]["state"], "running")

    def test_changed_history_is_a_warning(self):
        folder = self.copy("changed")
        text = (folder / "history.csv").read_text()
        (folder / "history.csv").write_text(text.replace(",shear,", ",shear ,", 1))
        one, = self.document("changed")["runs"]
        self.assertIn("row was changed", one["warnings"][0])


class Hostile(ReportTest):
    TEXTS = (b'</script><script>alert(1)</script>', b'<!--', b'"\'\\`${x}', b"\x00\x01\x1b[31m\x7f", b"\xff\xfe\xc0\xaf\xed\xa0\x80",
             "\u2028\u2029\U0001f600\u202e".encode(), b"A" * 10000, b"]]>", b"%s%n\r\n\t")

    def test_texts(self):
        folder = self.copy("hostile")
        text = b"\n".join(self.TEXTS)
        for name in ("run.log", "scenario.yaml", "history.csv", "stages/probe/probes.csv"):
            (folder / name).write_bytes(text + b"\n")
        done = run("report", "--json", "-", "hostile", cwd=self.place)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("<", done.stdout)
        one, = json.loads(done.stdout)["runs"]
        for member in ("log", "scenario", "history"):
            # Each byte that is not part of a character becomes U+FFFD.
            self.assertEqual(one[member], re.sub("[\udc80-\udcff]", "\ufffd", (text + b"\n").decode(errors="surrogateescape")))

    def test_names_of_folders(self):
        for name in (b"<img src=x onerror=alert(1)>", b"'\"&amp;", b"new\nline", b"bad\xff\xfeutf8", b"-x", b"A" * 255):
            path = self.place / os.fsdecode(name)
            shutil.copytree(self.folder, path)
            self.addCleanup(shutil.rmtree, path)
            done = run("report", "--json", "-", "--snapshots", "none", "--", os.fsdecode(name), cwd=self.place)
            self.assertEqual(done.returncode, 0, done.stderr)
            want = re.sub("[\udc80-\udcff]", "\ufffd", name.decode(errors="surrogateescape"))
            self.assertEqual(json.loads(done.stdout)["runs"][0]["name"], want)
            if self.has_page:
                self.assertEqual(run("report", "-o", "x.html", "--", os.fsdecode(name), cwd=self.place).returncode, 0)
                title, = re.findall(r"<title>(.*?)</title>", (self.place / "x.html").read_text(), re.S)
                self.assertNotRegex(title, "[<>\"'\n]")

    def test_damaged_json(self):
        folder = self.copy("damaged")
        for text in (b"", b"{", b'{"a": 1,}', b'{"a" 1}', b"[1 2]", b"nan", b"01", b"1.", b'"\n"', b'"\\x"', b'{"a": "\\\0"}', b"{} {}", b"[" * 200000,
                     b'{"a": "\\u12"}', b"tru", b"-"):
            (folder / "summary.json").write_bytes(text)
            done = run("report", "--json", "-", "--snapshots", "none", "damaged", cwd=self.place)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIsNone(json.loads(done.stdout)["runs"][0]["summary"], text[:20])
        for value in ([], {}, [{}, [1, -2.5e-3, 1E+10, 0]], {"a": {"b": [True, False, None, "x\"\\\u00e4</script>\n"]}}, "", 0.1):
            (folder / "summary.json").write_text(json.dumps(value))
            one, = self.document("--snapshots", "none", "damaged")["runs"]
            self.assertEqual(one["summary"], value)

    def test_a_damaged_history_hides_no_other_run(self):
        folder = self.copy("unreadable")
        whole = self.document("--snapshots", "none", "run", "run")["figures"]
        lines = (folder / "history.csv").read_text().splitlines()
        lines[3] = "x" + lines[3]
        (folder / "history.csv").write_text("\n".join(lines) + "\n")
        document = self.document("--snapshots", "none", "unreadable", "run")
        figures, names = document["figures"], [run["name"] for run in document["figures"]["runs"]]
        self.assertEqual(names, ["unreadable", "run"])
        self.assertIn("history.csv:4", figures["runs"][0]["problem"])
        self.assertIn("history.csv:4", " ".join(document["runs"][0]["warnings"]))
        self.assertIsNone(figures["runs"][1]["problem"])
        self.assertEqual({s["run"] for s in figures["series"]}, {1})
        own = [s["values"] for s in figures["series"]]
        self.assertEqual(own, [s["values"] for s in whole["series"] if s["run"] == 1])
        self.assertGreater(len(figures["figures"]), 5)
        alone = self.document("--snapshots", "none", "unreadable")["figures"]  # without figures, but with the units
        self.assertEqual((alone["series"], alone["figures"]), ([], []))
        self.assertIn("length", [one["name"] for one in alone["dimensions"]])

    def test_damaged_states(self):
        folder = self.copy("broken")
        data = (folder / "stages/shear.h5").read_bytes()
        (folder / "stages/shear.h5").write_bytes(data[:len(data) // 2])
        one, = self.document("broken")["runs"]
        self.assertEqual([s["stage"] for s in one["snapshots"]], ["specimen", "probe"])
        self.assertIn("a state is not shown", " ".join(one["warnings"]))
        self.assertIn("stages/shear.h5", " ".join(one["warnings"]))


class Page(ReportTest):
    def setUp(self):
        self.need_page()

    def test_holds_the_document(self):
        done = run("report", "run", cwd=self.place)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"\Arun/report.html: 1 run, \d+\.\d MB\n\Z")
        page = (self.folder / "report.html").read_bytes()
        self.addCleanup((self.folder / "report.html").unlink)
        self.assertEqual(json.loads(decode(page)), self.document("run"))
        self.assertIn(b"<title>run - twirl</title>", page)
        self.assertNotIn(b"<!--TWIRL-DATA-->", page)
        self.assertEqual(page, (self.place / "report.html").read_bytes())  # the same bytes each time

    def test_needs_nothing_from_elsewhere(self):
        page = (self.place / "report.html").read_text()
        for tag in re.findall(r"<(?:script|link|img|iframe|object|embed)\b[^>]*>", re.sub(r"<script>.*?</script>", "", page, flags=re.S)):
            self.assertNotRegex(tag, r"(src|href)=(?!\"data:)", tag)
        self.assertIn("Content-Security-Policy", page)

    @unittest.skipIf(SCALE < 1, "a large run is slow with sanitizers")
    def test_ten_thousand_grains_stay_below_15_MB(self):
        chance = random.Random(1)
        n, spacing = 22, 1e-3
        lines = ["# cell: " + " ".join(repr(n * spacing if i % 4 == 0 else 0.0) for i in range(9)), "# periodic: 1 1 1", "x,y,z,radius"]
        for k in range(n ** 3):
            x = [spacing * (c + chance.uniform(0.49, 0.51)) for c in (k % n, k // n % n, k // n ** 2)]
            lines.append(",".join(map(repr, x)) + f",{spacing * chance.uniform(0.515, 0.52)!r}")
        (self.place / "large.csv").write_text("\n".join(lines) + "\n")
        stages = "".join(f"  - {{name: s{i}, path: relax, end: {{steps: 1}}}}\n" for i in range(9))
        (self.place / "large.yaml").write_text("specimen: {file: large.csv}\nmaterial: {kn: 1e5, friction: 0.5}\nstages:\n" + stages)
        self.assertEqual(run("run", "large.yaml", "--quiet", cwd=self.place).returncode, 0)
        done = run("report", "large", "-o", "large.html", cwd=self.place)
        self.assertEqual(done.returncode, 0, done.stderr)
        page = (self.place / "large.html").read_bytes()
        self.assertLess(len(page), 15e6)
        one, = json.loads(decode(page))["runs"]
        shown = [s["stage"] for s in one["snapshots"]]
        self.assertTrue(3 <= len(shown) <= 9 and shown[-1] == "s8", shown)
        self.assertIn(f"{len(shown)} of 10 states are shown", " ".join(one["warnings"]))
        last = one["snapshots"][-1]
        self.assertEqual(last["bodies"]["count"], n ** 3)
        self.assertGreater(last["contacts"]["count"], 2 * n ** 3)
        shutil.rmtree(self.place / "large")


if __name__ == "__main__":
    unittest.main()
