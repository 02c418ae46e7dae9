#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tables of scripts/grains: curves of specimens of several sizes, and how far they scatter.

    paper/grains.py RUNS RESULTS

grains.csv          a row per specimen: porosity, peak, sliding, scatter of its curve about its running mean
grains_sizes.csv    a row per size: means, spread between specimens, mean scatter
grains_SIZE.csv     the curve of the first specimen of each size
"""

import math
import sys
from pathlib import Path

import tables

WINDOW = 0.002  # strain over which a curve is averaged
LATE = 0.01  # from this strain on curves are level, and scatter and means are taken
CURVE = ["strain", "stress_ratio", "strain_volume", "sliding_fraction", "coordination", "unbalanced"]


def mean(values):
    return sum(values) / len(values)


def deviation(values):
    """Standard deviation; nan of less than two."""
    if len(values) < 2:
        return math.nan
    middle = mean(values)
    return math.sqrt(sum((v - middle) ** 2 for v in values) / (len(values) - 1))


def smooth(rows, at):
    """q/p averaged over the window around a row: a straight line through its points, at its middle."""
    near = [r for r in rows if abs(r["strain"] - at["strain"]) <= 0.5 * WINDOW]
    x0, y0 = mean([r["strain"] for r in near]), mean([r["stress_ratio"] for r in near])
    xx = sum((r["strain"] - x0) ** 2 for r in near)
    slope = sum((r["strain"] - x0) * (r["stress_ratio"] - y0) for r in near) / xx if xx > 0.0 else 0.0
    return y0 + slope * (at["strain"] - x0)


def specimen(run):
    """(row, curve) of a run; None if it has not finished."""
    rows = tables.history(run, ["shear"])
    if not rows or rows[-1]["strain"] < 0.99 * 0.025:
        return None
    name, seed = run.name.removeprefix("grains_").rsplit("_", 1)
    copies = math.prod(int(n) for n in name.split("x"))
    late = [r for r in rows if r["strain"] >= LATE and r["strain"] <= rows[-1]["strain"] - 0.5 * WINDOW]
    peak = max(rows, key=lambda r: r["stress_ratio"])
    level = [(r, smooth(rows, r)) for r in rows]
    high = max(level, key=lambda pair: pair[1])
    return {"size": name, "grains": 10648 * copies, "seed": int(seed), "porosity": rows[0]["porosity"],
            "coordination": rows[0]["coordination"], "peak": peak["stress_ratio"], "peak_strain": peak["strain"],
            "peak_mean": high[1], "peak_mean_strain": high[0]["strain"],
            "late_mean": mean([r["stress_ratio"] for r in late]),
            "sliding": mean([r["sliding_fraction"] for r in late]),
            "scatter": deviation([r["stress_ratio"] - smooth(rows, r) for r in late]),
            "dilation": (rows[-1]["strain_volume"] - late[0]["strain_volume"]) /
                        (rows[-1]["strain"] - late[0]["strain"])}, rows


def sizes(specimens):
    """A row per size. The exponent is that of the scatter against the number of grains, from the size before."""
    out, before = [], None
    for grains in sorted({s["grains"] for s in specimens}):
        mine = [s for s in specimens if s["grains"] == grains]
        row = {"grains": grains, "specimens": len(mine)}
        for key in ("porosity", "coordination", "peak", "peak_mean", "late_mean", "sliding", "scatter", "dilation"):
            row[key] = mean([s[key] for s in mine])
        for key in ("porosity", "peak", "peak_mean", "late_mean", "sliding"):
            row[f"{key}_spread"] = deviation([s[key] for s in mine])
        row["exponent"] = math.log(row["scatter"] / before["scatter"]) / math.log(grains / before["grains"]) \
            if before else math.nan
        out.append(row)
        before = row
    return out


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: paper/grains.py RUNS RESULTS")
    runs, results = Path(sys.argv[1]), Path(sys.argv[2])
    specimens = []
    for _, run in tables.folders(r"grains_\d+x\d+x\d+_\d+", runs):
        found = specimen(run)
        if not found:
            continue
        specimens.append(found[0])
        if found[0]["seed"] == 1:
            tables.write(results / f"grains_{found[0]['grains']}.csv", found[1], CURVE)
    if not specimens:
        sys.exit("grains.py: no finished test of scripts/grains")
    specimens.sort(key=lambda s: (s["grains"], s["seed"]))
    tables.write(results / "grains.csv", specimens)
    tables.write(results / "grains_sizes.csv", sizes(specimens))


if __name__ == "__main__":
    main()
