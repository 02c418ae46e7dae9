/* SPDX-License-Identifier: BSD-3-Clause */
/* Advances one contact through the library and through the inline header, as C11 and as C++17. The
 * numbers are chosen so that products are exact or nearly so: the tolerance is rounding. */
#include <stdio.h>

#include <twirl/contact_inline.h>

static int failures = 0;

static void expect(const char *what, double got, double wanted)
{
    const int good = fabs(got - wanted) <= 1e-12 * fabs(wanted);
    if (!good) failures++;
    printf("%s %s: %.17g, expected %.17g\n", good ? "ok  " : "FAIL", what, got, wanted);
}

typedef void advance_function(const tw_contact_law *, const tw_contact_motion *, double,
                              tw_contact_memory *, const tw_contact_extra *, tw_contact_load *);

static void advance_inline(const tw_contact_law *law, const tw_contact_motion *motion, double dt,
                           tw_contact_memory *memory, const tw_contact_extra *extra,
                           tw_contact_load *load)
{
    (void)extra;
    tw_contact_advance_inline(law, motion, dt, memory, NULL, load);
}

static void drive(advance_function *advance)
{
    tw_contact_law law = tw_contact_law_default();
    law.kn = 1e6;
    law.kt = 5e5;
    law.mu = 0.5;

    const tw_vec3 z = tw_vec3_make(0.0, 0.0, 1.0);
    const tw_vec3 zero = tw_vec3_make(0.0, 0.0, 0.0);
    const double zeta = 1e-3;
    tw_contact_memory memory;
    memory.n = z;
    memory.zeta = zeta;
    memory.ft = zero;

    tw_contact_motion motion;
    motion.n = z;
    motion.zeta = zeta;
    motion.turn_p = motion.turn_q = zero;
    motion.radius = motion.mass = 0.0;
    tw_contact_load load;

    /* Elastic: ft = kt du. */
    motion.du = tw_vec3_make(1e-5, 0.0, 0.0);
    advance(&law, &motion, 1e-6, &memory, NULL, &load);
    expect("elastic ft", memory.ft.x, law.kt * motion.du.x);
    expect("elastic f along n", load.f.z, -law.kn * zeta);
    expect("elastic, not sliding", load.sliding, 0.0);

    /* Sliding far along y: the force is at the friction limit and along the movement. */
    motion.du = tw_vec3_make(0.0, 1.0, 0.0);
    advance(&law, &motion, 1e-6, &memory, NULL, &load);
    expect("sliding |ft|", tw_vec3_norm(memory.ft), law.mu * law.kn * zeta);
    expect("sliding along the movement", memory.ft.y, law.mu * law.kn * zeta);
    expect("sliding", load.sliding, 1.0);
}

int main(void)
{
    tw_contact_law bad = tw_contact_law_default();
    expect("a law without stiffness is refused", tw_contact_law_check(&bad) != NULL, 1.0);
    drive(tw_contact_advance);
    drive(advance_inline);
    return failures == 0 ? 0 : 1;
}
