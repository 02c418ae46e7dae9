#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes copies of headers with laws and parts of contacts that exist in these tests alone.

    plant.py ROOT OUT

Contacts of laws with a friction of 0.625 or 0.5625 remember more: sums of components of the normal and the number of steps (`three`), overlap
and a component of the normal of the last four steps (`knots`), the normal of the first step fixed in each of the bodies (`arm_p`, `arm_q`), the
normal before it (`first`), the sum of relative rotations (`spin`), a tangent (`along`) and, in coordinates along it, the sum of movements up to
this step and up to the last (`marks`). States saved without them have one for an overlap above 7 mm in `three`, the first component of the
normal in `arm_q`. Where friction falls `knots` are scaled with it; `three` does not go over to a neighbouring element of a wall.

Contacts of linear laws live to an overlap of -1 mm; kn (zeta + 2 mm) presses, kn 2 mm pulls. With a friction of 0.375 they are wet:
kn 0.2 mm pulls from the first touch on, until the surfaces are 3 mm apart. A third normal law has fn = kn zeta^2.
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from planting import plant

LAW_EDITS = [
    ("    (void)law;\n    return TW_SPLAT(0.0);",
     "    return TW_SELECT(law->mu == 0.375, TW_SPLAT(0.0), TW_SPLAT(law->normal == TW_CONTACT_LINEAR ? -1e-3 : 0.0));"),
    ("TW_NAME(law_begin)(law);\n}\n\n/* The overlap above which a contact grips",
     "TW_SELECT(law->mu == 0.375, TW_SPLAT(-3e-3), TW_NAME(law_begin)(law));\n}\n\n/* The overlap above which a contact grips"),
    ("    return law->normal == TW_CONTACT_HERTZ ? law->kn * (zeta * root) : law->kn * zeta;",
     "    const TW_REAL wet = TW_SELECT(zeta > 0.0, zeta, TW_SPLAT(0.0));\n"
     "    if (law->normal == TW_CONTACT_SQUARE) return law->kn * (zeta * zeta);\n"
     "    if (law->normal == TW_CONTACT_HERTZ) return law->kn * (zeta * root);\n"
     "    return law->kn * TW_SELECT(law->mu == 0.375, wet, zeta + 2e-3);"),
    ("    (void)law;\n    return pressing;",
     "    const TW_REAL pulled = TW_SELECT(law->mu == 0.375, TW_SPLAT(2e-4), TW_SPLAT(2e-3));\n"
     "    return law->normal == TW_CONTACT_LINEAR ? pressing - pulled * law->kn : pressing;"),
    ("    return (law->normal == TW_CONTACT_HERTZ ? 0.4 : 0.5) * pressing * zeta;",
     "    if (law->normal == TW_CONTACT_SQUARE) return (1.0 / 3) * pressing * zeta;\n"
     "    return TW_SELECT(law->mu == 0.375, 0.5 * pressing * zeta - 2e-4 * law->kn * (zeta + 3e-3),\n"
     "                     (law->normal == TW_CONTACT_HERTZ ? 0.4 : 0.5) * TW_NAME(law_force)(law, pressing) * zeta);"),
    ("return law->mu * law->kn * zeta;",
     "return law->mu * law->kn * (zeta + TW_SELECT(law->mu == 0.375, TW_SPLAT(0.0), TW_SPLAT(2e-3)));"),
]
THIRD = ("TW_CONTACT_NORMALS = 2", "TW_CONTACT_SQUARE = 2, TW_CONTACT_NORMALS = 3")
THIRD_EDITS = [
    ('"linear", "hertz"', '"linear", "hertz", "square"'),
    ("1.5 * law->kn * sqrt(zeta) : law->kn;", "1.5 * law->kn * sqrt(zeta) : law->normal == TW_CONTACT_SQUARE ? 2.0 * law->kn * zeta : law->kn;"),
    ("    const double ratio = pressing / law->kn;\n",
     "    const double ratio = pressing / law->kn;\n    if (law->normal == TW_CONTACT_SQUARE) return sqrt(ratio);\n"),
    ("    return law->normal == TW_CONTACT_HERTZ ? tw_math_pow(2.5",
     "    if (law->normal == TW_CONTACT_SQUARE) return tw_math_cbrt(3.0 * energy / law->kn);\n"
     "    return law->normal == TW_CONTACT_HERTZ ? tw_math_pow(2.5"),
]
JUMPS = ("    (void)law;\n    return 0;", "    return law->mu == 0.375;")
INVERSE = ("return limit / (law->mu * law->kn);", "return limit / (law->mu * law->kn) - 2e-3;")

PARTS = """TW_CONTACT_PART(three, NUMBER, 3, "-", 128, 5, three)
TW_CONTACT_COPIED(three, 0.0)
TW_CONTACT_PART(knots, NUMBER, 8, "-", 256, 170, knots)
TW_CONTACT_CHANGED(knots, now->mu < was->mu ? now->mu / was->mu : 1.0)
TW_CONTACT_PART(arm_p, IN_P, 1, "-", 512, 0, arm_q)
TW_CONTACT_PART(arm_q, IN_Q, 1, "-", 512, 0, arm_p)
TW_CONTACT_PART(first, VECTOR, 1, "-", 1024, 7, first)
TW_CONTACT_BEGINS(first, (&memory->n.x)[k])
TW_CONTACT_PART(spin, AXIAL, 1, "rad", 1024, 7, spin)
TW_CONTACT_PART(along, TANGENT, 1, "-", 2048, 0, along)
TW_CONTACT_PART(marks, ALONG, 2, "m", 2048, 5, marks)
TW_CONTACT_MISSING(three, memory->zeta > 0.007)
TW_CONTACT_MISSING(arm_q, memory->n.x)
"""
DAMPED = "    if (law->nu_n > 0.0 || law->nu_t > 0.0) parts |= TW_CONTACT_EXTRA_DAMPING;\n"
NEED = "    if (law->mu == 0.625 || law->mu == 0.5625) parts |= 128 | 256 | 512 | 1024 | 2048;\n"
CARRY = "    tw_contact_parts_carry(motion, before->n, parts, extra);\n"
REMEMBER = """    if (parts & 128) {
        if (extra->three[1] == 0.0) {
            extra->arm_p = motion->n;
            extra->arm_q = tw_vec3_scale(-1.0, motion->n);
        }
        extra->three[0] += motion->n.x;
        extra->three[1] += 1.0;
        extra->three[2] += motion->n.y;
        for (int k = 0; k < 6; k++)
            extra->knots[k] = extra->knots[k + 2];
        extra->knots[6] = motion->zeta;
        extra->knots[7] = motion->n.z;
        extra->spin = tw_vec3_add(extra->spin, tw_vec3_sub(motion->turn_q, motion->turn_p));
        if (tw_contact_parts_is_zero(extra->along)) extra->along = tw_contact_perpendicular(motion->n);
        extra->marks[1] = extra->marks[0];
        extra->marks[0].e += tw_vec3_dot(motion->du, extra->along);
        extra->marks[0].n_x_e += tw_vec3_dot(motion->du, tw_vec3_cross(motion->n, extra->along));
    }
"""

PLANTED = [
    ("include/twirl/detail/contact_parts.def", "twirl/detail/contact_parts.def", [("#undef TW_CONTACT_PART", PARTS + "#undef TW_CONTACT_PART")]),
    ("include/twirl/contact_inline.h", "twirl/contact_inline.h", [(CARRY, CARRY + REMEMBER)]),
    ("include/twirl/detail/contact_law.inc", "twirl/detail/contact_law.inc", LAW_EDITS),
    ("include/twirl/contact_law.h", "twirl/contact_law.h", [INVERSE, JUMPS, *THIRD_EDITS, (DAMPED, DAMPED + NEED)]),
    ("include/twirl/contact.h", "twirl/contact.h", [THIRD]),
]

plant(PLANTED)
