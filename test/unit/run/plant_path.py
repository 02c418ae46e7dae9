#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes copies of twirl/scenario.h and src/run/loading.c with one more loading path.

    plant_path.py ROOT OUT

The path is plane_strain: one axis is strained, the next one is fixed, the third has a constant stress.
"""

import sys
from pathlib import Path

# File, its copy, and what is planted before which text.
ROW = r'''    X(PLANE_STRAIN, "plane_strain", "one axis is strained, the next is fixed", AXIS, LATERAL_STRESS) \
'''
FUNCTION = '''static void put_plane_strain(tw_control *c, const request *r)
{
    const int y = axis_after(r->stage, 2);
    put_oedometer(c, r);
    c->row[y] = tw_control_stress(y, r->target);
}

'''
PLANTED = [
    ("include/twirl/scenario.h", "twirl/scenario.h", [('    X(PROBES, "probes"', ROW)]),
    ("src/run/loading.c", "loading.c", [
        ("bool tw_run_loading_control(", FUNCTION),
        ("        [TW_SCENARIO_ISOTROPIC] = put_isotropic,",
         "        [TW_SCENARIO_PLANE_STRAIN] = put_plane_strain,\n"),
    ]),
]


def main(root, out):
    for source, copy, edits in PLANTED:
        text = (root / source).read_text(encoding="utf-8")
        for before, planted in edits:
            if text.count(before) != 1:
                sys.exit(f"plant_path: {source} has not exactly one '{before}'")
            text = text.replace(before, planted + before)
        (out / copy).parent.mkdir(parents=True, exist_ok=True)
        (out / copy).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
