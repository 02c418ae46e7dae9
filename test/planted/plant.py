#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes copies of headers with a kind of law and a kind of surface that exist in these tests alone.

    plant.py ROOT OUT

The law is linear, its contacts live to an overlap of -1 mm, and the limit of its friction is mu (fn + 2 kn 1 mm). The surface is a ball,
whose centre is the point of a wall and whose radius is the length of its normal.

Four files know a kind of surface. Two of them are planted in here, functions and a row of the table in world/surface.h; the tests set the
kind of a wall themselves, where a kind for users has its place in the definition of a wall (src/sim/sim.c) and in checkpoints
(src/sim/checkpoint_items.c).
"""

import sys
from pathlib import Path

LAW_EDITS = [
    ("    (void)law;\n    return TW_SPLAT(0.0);", "    (void)law;\n    return TW_SPLAT(-1e-3);"),
    ("    (void)law;\n    return fn;", "    return fn + 2e-3 * law->kn;"),
    ("return law->mu * law->kn * zeta;", "return law->mu * (law->kn * zeta + 2e-3 * law->kn);"),
]
INVERSE = ("return limit / (law->mu * law->kn);", "return limit / (law->mu * law->kn) - 2e-3;")

PLANTED = [
    ("include/twirl/detail/contact_law.inc", "twirl/detail/contact_law.inc", LAW_EDITS),
    ("include/twirl/contact_law.h", "twirl/contact_law.h", [INVERSE]),
]


def main(root, out):
    for source, copy, edits in PLANTED:
        text = (root / source).read_text(encoding="utf-8")
        for old, new in edits:
            if text.count(old) != 1:
                sys.exit(f"plant: {source} has not exactly one '{old}'")
            text = text.replace(old, new)
        (out / copy).parent.mkdir(parents=True, exist_ok=True)
        (out / copy).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
