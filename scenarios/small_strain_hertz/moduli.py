#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""moduli.py RUN [YOUNG POISSON DIAMETER]

Small-strain moduli of a run with probes, averaged over all directions (Voigt), next to those of the
effective-medium theory for equal spheres of these constants (SI; default: the glass of
small_strain_hertz)."""

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


def main():
    rows = moduli(sys.argv[1], *map(float, sys.argv[2:]))
    print("p [kPa]  solid   Z      K [MPa]  G [MPa]  K/medium  G/medium  exponent of G  of G/(solid Z)^(2/3)")
    before = None
    for row in rows:
        p, solid, z, k, g, k_medium, g_medium = row
        line = (f"{p / 1e3:7.0f}  {solid:.4f}  {z:5.3f}  {k / 1e6:7.1f}  {g / 1e6:7.1f}  {k / k_medium:8.4f}"
                f"  {g / g_medium:8.4f}")
        if before:
            up = math.log(p / before[0])
            contacts = math.log(solid * z / (before[1] * before[2])) * 2 / 3
            line += f"  {math.log(g / before[4]) / up:13.3f}  {(math.log(g / before[4]) - contacts) / up:13.3f}"
        print(line)
        before = row


if __name__ == "__main__":
    main()
