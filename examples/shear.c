/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes 500 spheres, compresses them isotropically to 100 kPa, shears them in drained triaxial
 * compression and prints q/p. SI units. docs/guide/c.md shows this program and its output. */
#include <stdio.h>
#include <stdlib.h>
#include <twirl/sim.h>

static tw_error error; /* the library never prints: messages are in error.text */

static void require(int ok)
{
    if (ok) return;
    fprintf(stderr, "%s\n", error.text);
    exit(1);
}

static int noise(int i) /* 0 to 100 */
{
    return i * 7919 % 101;
}

int main(void)
{
    tw_sim_def def = tw_sim_def_default();
    def.cell.m[0] = def.cell.m[4] = def.cell.m[8] = 9e-3; /* periodic cube of 9 mm */
    def.law.kn = def.law.kt = 1e5;                        /* [N/m] */
    def.law.mu = 0.1;                                     /* low friction: a dense packing */
    def.damping_local = 0.3;
    tw_sim *sim = tw_sim_create(&def, &error);
    require(sim != NULL);

    for (int i = 0; i < 500; i++) { /* on a disturbed lattice, not touching */
        tw_body_def body = tw_body_def_default();
        body.size = (400 + noise(i)) / 1e6; /* radius [m] */
        body.x.x = (1120 * (i % 8) + noise(3 * i + 1)) / 1e6;
        body.x.y = (1120 * (i / 8 % 8) + noise(5 * i + 2)) / 1e6;
        body.x.z = (1120 * (i / 64) + noise(7 * i + 3)) / 1e6;
        require(tw_sim_add_body(sim, &body, NULL, &error) == TW_STATUS_OK);
    }

    tw_control control = tw_control_default(); /* isotropic compression to 100 kPa */
    for (int k = TW_XX; k <= TW_XY; k++)
        control.row[k] = tw_control_stress(k, k <= TW_ZZ ? 1e5 : 0); /* no shear stresses */
    require(tw_sim_set_control(sim, &control, &error) == TW_STATUS_OK);
    tw_measure m;
    do {
        require(tw_sim_run(sim, 100, &error) == TW_STATUS_OK);
        require(tw_sim_measure(sim, &m, &error) == TW_STATUS_OK);
    } while (tw_sim_get_control_report(sim).status != TW_CONTROL_HOLDING || m.unbalanced > 0.01);

    def.law.mu = 0.5; /* shear: compression along z at constant lateral stress */
    require(tw_sim_set_law(sim, &def.law, &error) == TW_STATUS_OK);
    /* quasi-static: the inertial number, rate d sqrt(density/p), is about 1.5e-3 */
    control.row[TW_ZZ] = tw_control_rate(TW_ZZ, -10); /* [1/s], negative in compression */
    require(tw_sim_set_control(sim, &control, &error) == TW_STATUS_OK);
    const double height = tw_sim_cell(sim).m[8];
    for (int percent = 0; percent <= 5; percent++) {
        while (tw_sim_cell(sim).m[8] > height * (1 - 0.01 * percent))
            require(tw_sim_run(sim, 10, &error) == TW_STATUS_OK);
        require(tw_sim_measure(sim, &m, &error) == TW_STATUS_OK);
        printf("strain %d %%: q/p = %.3f, porosity %.4f\n", percent, m.q / m.p, m.porosity);
    }
    tw_sim_free(sim);
}
