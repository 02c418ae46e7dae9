#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes copies of twirl/scenario.h and src/run/loading.c with one more loading path.

    plant_path.py ROOT OUT

The path is called wedge, with the control of plane_strain: one axis is strained, the next one is fixed, the third has a constant stress.
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2]))
from planting import plant

ROW = r'''    X(WEDGE, "wedge", "one axis is strained, the next is fixed", AXIS, LATERAL_STRESS) \
'''
FUNCTION = '''static void put_wedge(tw_control *c, const request *r)
{
    const int y = axis_after(r->stage, 2);
    put_oedometer(c, r);
    c->row[y] = tw_control_stress(y, r->target);
}

'''
BEFORE_ROW, BEFORE_FUNCTION = '    X(PROBES, "probes"', "bool tw_run_loading_control("
BEFORE_ENTRY, ENTRY = ("        [TW_SCENARIO_ISOTROPIC] = put_isotropic,",
                       "        [TW_SCENARIO_WEDGE] = put_wedge,\n")

plant([
    ("include/twirl/scenario.h", "twirl/scenario.h", [(BEFORE_ROW, ROW + BEFORE_ROW)]),
    ("src/run/loading.c", "loading.c",
     [(BEFORE_FUNCTION, FUNCTION + BEFORE_FUNCTION), (BEFORE_ENTRY, ENTRY + BEFORE_ENTRY)]),
])
