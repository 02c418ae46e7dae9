#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""moduli.py RUN...

Small-strain moduli of runs with probes, averaged over all directions (Voigt), next to those of the
effective-medium theory for equal spheres (the glass of small_strain_hertz). With several runs at
several pressures, also the exponents of G = a p^b (solid fraction times coordination number)^c, by
least squares."""

import json
import math
import sys
from pathlib import Path


def averages(stiffness):
    """K and G from the 36 components, stress by engineering strain, xx, yy, zz, yz, xz, xy."""
    c = [stiffness[6 * i:6 * i + 6] for i in range(6)]
    direct = c[0][0] + c[1][1] + c[2][2]
    cross = (c[0][1] + c[0][2] + c[1][2] + c[1][0] + c[2][0] + c[2][1]) / 2
    return (direct + 2 * cross) / 9, (direct - cross) / 15 + (c[3][3] + c[4][4] + c[5][5]) / 5


def effective_medium(p, solid, coordination, young, poisson, d):
    """Every contact has the same force and follows the mean strain."""
    radius = d / 4  # R1 R2/(R1 + R2)
    a = 4 / 3 * young / (2 * (1 - poisson**2)) * math.sqrt(radius)  # force = a overlap^(3/2)
    b = 8 * young / (4 * (2 - poisson) * (1 + poisson)) * math.sqrt(radius)
    force = math.pi * d**2 * p / (solid * coordination)
    overlap = (force / a) ** (2 / 3)
    kn, kt = 1.5 * a * math.sqrt(overlap), b * math.sqrt(overlap)
    density = solid * coordination / (math.pi * d)
    return density * kn / 3, density * (kn + 1.5 * kt) / 5


def moduli(run, young=70e9, poisson=0.22, d=1e-3):
    """A row for each stage of probes: p, solid fraction, coordination number, K, G, and K and G of
    the effective medium."""
    rows = []
    for stage in json.loads((Path(run) / "summary.json").read_text())["stages"]:
        if "probes" in stage:
            state = stage["p"], 1 - stage["porosity"], stage["coordination"]
            rows.append((*state, *averages(stage["probes"]["laws"][0]["stiffness"]),
                         *effective_medium(*state, young, poisson, d)))
    return rows


def solve(a, b):
    """a x = b by elimination; a is symmetric and positive."""
    n = len(b)
    rows = [[*a[i], b[i]] for i in range(n)]
    for i in range(n):
        for k in range(i + 1, n):
            part = rows[k][i] / rows[i][i]
            rows[k] = [y - part * x for x, y in zip(rows[i], rows[k])]
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (rows[i][n] - sum(rows[i][k] * x[k] for k in range(i + 1, n))) / rows[i][i]
    return x


def fit(rows):
    """b, c and the largest relative deviation of G = a p^b (solid Z)^c."""
    terms = [(1.0, math.log(p), math.log(solid * z)) for p, solid, z, *_ in rows]
    logs = [math.log(row[4]) for row in rows]
    normal = [[sum(t[i] * t[k] for t in terms) for k in range(3)] for i in range(3)]
    x = solve(normal, [sum(t[i] * y for t, y in zip(terms, logs)) for i in range(3)])
    worst = max(abs(sum(a * b for a, b in zip(x, t)) - y) for t, y in zip(terms, logs))
    return x[1], x[2], worst


def main():
    runs = [moduli(run) for run in sys.argv[1:]]
    for name, rows in zip(sys.argv[1:], runs):
        print(f"{name}\np [kPa]  solid   Z      K [MPa]  G [MPa]  K/medium  G/medium  exponent of G")
        for i, (p, solid, z, k, g, k_medium, g_medium) in enumerate(rows):
            line = (f"{p / 1e3:7.0f}  {solid:.4f}  {z:6.3f}  {k / 1e6:7.1f}  {g / 1e6:7.1f}"
                    f"  {k / k_medium:8.4f}  {g / g_medium:8.4f}")
            if i > 0:
                before = rows[i - 1]
                line += f"  {math.log(g / before[4]) / math.log(p / before[0]):13.3f}"
            print(line)
    if len(runs) > 1 and min(map(len, runs)) > 1:
        print("G ~ p^{:.3f} (solid Z)^{:.2f} within {:.1%}".format(*fit(sum(runs, []))))


if __name__ == "__main__":
    main()
