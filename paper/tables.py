# SPDX-License-Identifier: BSD-3-Clause
"""Tables of scripts/paper, and small tensors as lists of rows."""

import csv
import math
import re
from pathlib import Path


def read(path):
    """Rows of a CSV file as dictionaries, with numbers as floats."""
    def value(text):
        try:
            return float(text)
        except ValueError:
            return text
    with open(path, newline="") as file:
        return [{k: value(v) for k, v in row.items()} for row in csv.DictReader(file)]


def write(path, rows, columns=None):
    """Writes rows given as dictionaries; floats with seven digits."""
    columns = columns or list(rows[0])
    def text(value):
        return f"{value:.7g}" if isinstance(value, float) else str(value)
    with open(path, "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(columns)
        out.writerows([text(row[c]) for c in columns] for row in rows)


def history(run, stages):
    """Rows of the stages of a run, with strains accumulated over these stages."""
    rows, base, out = read(Path(run) / "history.csv"), {"strain": 0.0, "strain_volume": 0.0}, []
    for stage in stages:
        mine = [row for row in rows if row["stage"] == stage]
        for row in mine:
            out.append(dict(row, **{k: row[k] + base[k] for k in base}))
        if mine:
            base = {k: out[-1][k] for k in base}
    return out


def thin(rows, most=400):
    """Every n-th row, and the last."""
    step = max(1, len(rows) // most)
    return rows[::step] + ([rows[-1]] if (len(rows) - 1) % step else [])


def folders(pattern, where):
    """Folders whose names match, with the match."""
    found = ((re.fullmatch(pattern, p.name), p) for p in sorted(Path(where).iterdir()) if p.is_dir())
    return [(m, p) for m, p in found if m]


def tensor(row):
    return [[row[f"s{i}{j}"] for j in "123"] for i in "123"]


def transpose(a):
    return [list(column) for column in zip(*a)]


def product(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


def difference(a, b):
    return [[x - y for x, y in zip(r, s)] for r, s in zip(a, b)]


def norm(a):
    return math.sqrt(sum(x * x for row in a for x in row))


def rotation(axis, angle):
    """The matrix of a rotation by `angle` about `axis`."""
    length = math.sqrt(sum(x * x for x in axis))
    x, y, z = (c / length for c in axis)
    c, s = math.cos(angle), math.sin(angle)
    d = 1.0 - c
    return [[c + x * x * d, x * y * d - z * s, x * z * d + y * s],
            [y * x * d + z * s, c + y * y * d, y * z * d - x * s],
            [z * x * d - y * s, z * y * d + x * s, c + z * z * d]]
