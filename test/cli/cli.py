# SPDX-License-Identifier: BSD-3-Clause
"""Shared by the tests of the program. TWIRL is the path of the binary, by default that in PATH; TWIRL_SOURCE the folder
of the project, by default that of the tests."""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

TWIRL = shutil.which(os.environ.get("TWIRL", "twirl"))
if not TWIRL:
    sys.exit(f"no program '{os.environ.get('TWIRL', 'twirl')}': TWIRL is to be its path")
TWIRL = os.path.abspath(TWIRL)  # tests change to other folders

SOURCE = Path(os.environ.get("TWIRL_SOURCE", Path(__file__).resolve().parents[2]))

# Below 1 for builds that are slow and large (sanitizers).
SCALE = float(os.environ.get("TWIRL_TEST_SCALE", "1"))

# For `twirl contact`: a law of order one, the columns of a path, and its simplest rows.
LAW = ("--kn", "1", "--kt", "1", "--mu", "0.5")
COLUMNS = "zeta,nx,ny,nz,dux,duy,duz".split(",")
TURNS = "tpx,tpy,tpz,tqx,tqy,tqz".split(",")
HEADER = ",".join(COLUMNS) + "\n"
GOOD = "1,0,0,1,0,0,0\n"
OUTPUT_HEADER = ("step,fn,ftx,fty,ftz,fx,fy,fz,sliding,alpha_o,alpha_s,work_normal,"
                 "work_tangential,work_reversible,work_dissipated")


def run(*arguments, text="", env=None, cwd=None):
    """The finished process; stdout and stderr as text. `text` may be bytes. Where a machine has no configuration of fontconfig,
    that library warns of it: such lines are left out."""
    data = text if isinstance(text, bytes) else text.encode()
    done = subprocess.run([TWIRL, *arguments], input=data, capture_output=True, check=False,
                          timeout=60, cwd=cwd, env={**os.environ, **(env or {})})
    done.stdout = done.stdout.decode()
    done.stderr = re.sub(r"^Fontconfig (?:warning|error): .*\n", "", done.stderr.decode(errors="replace"), flags=re.M)
    return done


def table(rows, columns=None):
    """CSV from rows given as dicts; missing values are 0, and the normal is z."""
    columns = columns or COLUMNS
    default = {"nz": 1.0}
    lines = [",".join(columns)]
    for row in rows:
        lines.append(",".join(repr(row.get(name, default.get(name, 0.0))) for name in columns))
    return "\n".join(lines) + "\n"


class CliTest(unittest.TestCase):
    maxDiff = None

    def assert_refused(self, done, *needles, status=2):
        self.assertEqual(done.returncode, status, done.stderr)
        for needle in needles:
            self.assertIn(needle, done.stderr)

    def units_of(self, folder, *names):
        """Units of the columns of each table by datapackage.json, which is held against the rules of specs.frictionlessdata.io
        for a tabular data package, as far as it uses them, and against the tables."""
        package = json.loads((folder / "datapackage.json").read_text())
        self.assertEqual(package["profile"], "tabular-data-package")
        self.assertRegex(package["name"], "^[a-z0-9._/-]+$")
        self.assertEqual([resource["name"] for resource in package["resources"]], list(names))
        return [self.units_in(folder, resource) for resource in package["resources"]]

    def units_in(self, folder, resource):
        self.assertRegex(resource["name"], "^[a-z0-9._/-]+$")
        self.assertEqual(resource["profile"], "tabular-data-resource")
        with open(folder / resource["path"], newline="", encoding=resource["encoding"]) as file:
            header, *rows = csv.reader(file)
        fields = resource["schema"]["fields"]
        self.assertEqual([field["name"] for field in fields], header)
        readers = {"integer": int, "number": float, "string": str}
        for k, field in enumerate(fields):
            for key in ("title", "description"):
                self.assertTrue(field[key].strip(), field["name"])
            self.assertEqual("unit" in field, field["type"] != "string")
            for row in rows:
                if row[k] not in resource["schema"]["missingValues"]:
                    readers[field["type"]](row[k])
        return {field["name"]: field.get("unit") for field in fields}

    def rows_of(self, text, more=""):
        """Output as a list of dicts; checks the header and that numbers have all their digits.
        `more` are the columns that the law adds, such as ",work_micro"."""
        self.assertTrue(text.endswith("\n"), text[-80:])
        lines = text[:-1].split("\n")
        self.assertEqual(lines[0], OUTPUT_HEADER + more)
        names = lines[0].split(",")
        rows = []
        for number, line in enumerate(lines[1:]):
            fields = line.split(",")
            self.assertEqual(len(fields), len(names), line)
            row = dict(zip(names, map(float, fields)))
            for name, field in zip(names, fields):
                form = "%d" if name in ("step", "sliding") else "%.17g"
                self.assertEqual(form % row[name], field)
            self.assertEqual(row["step"], number)
            rows.append(row)
        return rows


class ContactTest(CliTest):
    def advance(self, text, *options, law=LAW, more=""):
        done = run("contact", *law, *options, text=text)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return self.rows_of(done.stdout, more)

    def assert_near(self, row, **expected):
        for name, value in expected.items():
            # A few rounding errors.
            self.assertAlmostEqual(row[name], value, delta=1e-14 * max(1.0, abs(value)), msg=name)
