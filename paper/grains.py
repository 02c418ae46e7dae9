#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tables of scripts/grains: curves of specimens of several sizes, and how far they scatter.

    paper/grains.py RUNS RESULTS [STRAIN]

STRAIN: only what the tests give up to this strain, of all that have reached it; default: all of those that have finished

grains.csv          a row per specimen: porosity, peak of its curve and of the running mean of its curve, range of strain in
                    which the running mean is within 1 % of its peak, means, sliding, largest dilatancy, scatter of the curve
                    about its running mean
grains_sizes.csv    a row per size: means over its specimens, spread between them, and the peak of the mean of their curves
grains_SIZE.csv     curve of the first specimen of each size, and mean of q/p over all specimens
"""

import bisect
import json
import math
import sys
from pathlib import Path

import tables

WINDOW = 0.005  # strain of a running mean: five times the strain over which the fluctuations of q/p are correlated
LATE = 0.02  # from this strain on q/p changes little within a window, and means and scatter are taken
CURVE = ["strain", "stress_ratio", "mean_stress_ratio", "strain_volume", "sliding_fraction", "coordination"]
MEANS = ["porosity", "coordination", "peak", "peak_strain", "peak_mean", "peak_mean_strain", "near_peak_from",
         "near_peak_to", "late_mean", "last_mean", "sliding", "dilatancy", "dilatancy_strain", "scatter"]


def mean(values):
    return sum(values) / len(values)


def deviation(values):
    """Standard deviation; nan of less than two."""
    if len(values) < 2:
        return math.nan
    middle = mean(values)
    return math.sqrt(sum((v - middle) ** 2 for v in values) / (len(values) - 1))


def column(rows, key):
    return [row[key] for row in rows]


def running(x, y):
    """(index, value, slope) of the straight line through the points of a window around each point that has a whole one."""
    out = []
    for i, at in enumerate(x):
        if at < x[0] + 0.5 * WINDOW or at > x[-1] - 0.5 * WINDOW:
            continue
        near = slice(bisect.bisect_left(x, at - 0.5 * WINDOW), bisect.bisect_right(x, at + 0.5 * WINDOW))
        x0, y0 = mean(x[near]), mean(y[near])
        slope = sum((a - x0) * (b - y0) for a, b in zip(x[near], y[near])) / sum((a - x0) ** 2 for a in x[near])
        out.append((i, y0 + slope * (at - x0), slope))
    return out


def interpolate(x, y, at):
    i = min(max(bisect.bisect_right(x, at), 1), len(x) - 1)
    return y[i - 1] + (y[i] - y[i - 1]) * (at - x[i - 1]) / (x[i] - x[i - 1])


def bodies(runs):
    """Number of grains of one copy: that of a finished test, which has it in its summary."""
    for run in runs:
        if (run / "summary.json").exists():
            return json.loads((run / "summary.json").read_text())["bodies"] // copies(run)
    sys.exit("grains.py: no finished test of scripts/grains")


def copies(run):
    return math.prod(int(n) for n in run.name.removeprefix("grains_").rsplit("_", 1)[0].split("x"))


def specimen(run, grains, until):
    """(row, curve) of a run; None if it has not gone far enough."""
    name, seed = run.name.removeprefix("grains_").rsplit("_", 1)
    rows = tables.history(run, ["shear"])
    if until is None and not (run / "summary.json").exists():
        return None
    if until is not None:
        if not rows or rows[-1]["strain"] < until:
            return None
        rows = [row for row in rows if row["strain"] <= until]
    x, y = column(rows, "strain"), column(rows, "stress_ratio")
    if x[-1] < LATE + WINDOW:
        sys.exit(f"grains.py: {run} ends at a strain of {x[-1]:g}: at least {LATE + WINDOW:g} is needed")
    level = running(x, y)
    late = [(y[i], value) for i, value, _ in level if x[i] >= LATE]
    peak = max(range(len(y)), key=lambda i: y[i])
    high = max(level, key=lambda point: point[1])
    near = [x[i] for i, value, _ in level if value >= 0.99 * high[1]]
    steepest = min(running(x, column(rows, "strain_volume")), key=lambda point: point[2])
    return {"size": name, "grains": grains * copies(run), "seed": int(seed),
            "last_strain": x[-1], "porosity": rows[0]["porosity"], "coordination": rows[0]["coordination"],
            "peak": y[peak], "peak_strain": x[peak], "peak_mean": high[1], "peak_mean_strain": x[high[0]],
            "near_peak_from": near[0], "near_peak_to": near[-1],
            "late_mean": mean([value for value, _ in late]), "last_mean": level[-1][1],
            "sliding": mean([r["sliding_fraction"] for r in rows if r["strain"] >= LATE]),
            "dilatancy": -steepest[2], "dilatancy_strain": x[steepest[0]],
            "scatter": deviation([value - average for value, average in late])}, rows


def add_mean(curves):
    """q/p averaged over the specimens of a size, at the strains of the first, which gets a column of it."""
    last = min(rows[-1]["strain"] for rows in curves)
    curves[0][:] = [row for row in curves[0] if row["strain"] <= last]
    lines = [(column(rows, "strain"), column(rows, "stress_ratio")) for rows in curves]
    for row in curves[0]:
        row["mean_stress_ratio"] = mean([interpolate(x, y, row["strain"]) for x, y in lines])


def summary(specimens, curve):
    """The row of a size."""
    row = {"grains": specimens[0]["grains"], "specimens": len(specimens), "window": WINDOW, "late": LATE,
           "last_strain": specimens[0]["last_strain"]}
    row.update({key: mean(column(specimens, key)) for key in MEANS})
    row.update({f"{key}_spread": deviation(column(specimens, key)) for key in MEANS})
    x = column(curve, "strain")
    high = max(running(x, column(curve, "mean_stress_ratio")), key=lambda point: point[1])
    row.update(peak_of_mean=high[1], peak_of_mean_strain=x[high[0]], excess=row["peak"] - high[1])
    return row


def add_exponents(rows):
    """Powers of the number of grains with which scatter and spread change from the size before."""
    for before, row in zip([None] + rows, rows):
        for key in ("scatter", "peak_mean_spread"):
            row[f"{key}_exponent"] = math.log(row[key] / before[key]) / math.log(row["grains"] / before["grains"]) \
                if before else math.nan


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit("usage: paper/grains.py RUNS RESULTS [STRAIN]")
    runs, results = Path(sys.argv[1]), Path(sys.argv[2])
    until = float(sys.argv[3]) if len(sys.argv) > 3 else None
    tests = [run for _, run in tables.folders(r"grains_\d+x\d+x\d+_\d+", runs)]
    grains = bodies(tests)
    found = [specimen(run, grains, until) for run in tests]
    found = sorted((pair for pair in found if pair), key=lambda pair: (pair[0]["grains"], pair[0]["seed"]))
    if not found:
        sys.exit("grains.py: no test of scripts/grains has gone so far")
    ends = [row["last_strain"] for row, _ in found]
    if max(ends) - min(ends) > 0.5 * WINDOW:
        sys.exit(f"grains.py: tests of {runs} end at strains from {min(ends):g} to {max(ends):g}: make them again to the same one")
    sizes = []
    for grains in sorted({row["grains"] for row, _ in found}):
        mine = [pair for pair in found if pair[0]["grains"] == grains]
        curves = [rows for _, rows in mine]
        add_mean(curves)
        sizes.append(summary([row for row, _ in mine], curves[0]))
        tables.write(results / f"grains_{grains}.csv", tables.thin(curves[0], 600), CURVE)
    add_exponents(sizes)
    tables.write(results / "grains.csv", [row for row, _ in found])
    tables.write(results / "grains_sizes.csv", sizes)


if __name__ == "__main__":
    main()
