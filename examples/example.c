/* SPDX-License-Identifier: BSD-3-Clause */
/* Compresses and shears bumpy grains, measures, saves, loads and continues. SI units. */
#include <stdio.h>
#include <stdlib.h>
#include <twirl/twirl.h>

static tw_error error; /* the library never prints or exits; messages are in error.text */
static void must(int good)
{
    if (good) return;
    fprintf(stderr, "example: %s\n", error.text);
    exit(1);
}

static void print_state(tw_sim *sim, const char *what)
{
    tw_measure m;
    must(tw_sim_measure(sim, &m, &error) == TW_STATUS_OK);
    const double *s = m.stress.m;
    printf("%-10s at %.2f ms: porosity %.3f, stress %.1f %.1f %.1f kPa, energy residual %.0e\n",
           what, 1e3 * m.time, m.porosity, s[0] / 1e3, s[4] / 1e3, s[8] / 1e3,
           m.energy.residual / m.energy.cell);
}

int main(void)
{
    tw_sim_def def = tw_sim_def_default(); /* twirl/sim.h has all fields and defaults */
    def.cell.m[0] = def.cell.m[4] = def.cell.m[8] = 0.0132; /* a periodic cube of 13.2 mm */
    def.law.kn = def.law.kt = 1e5;                          /* [N/m] */
    def.law.mu = 0.5;
    def.damping_local = 0.3;
    tw_sim *sim = tw_sim_create(&def, &error), *other;
    must(sim != NULL);
    /* A sphere of radius 0.7 with six of radius 0.4 at 0.6 from its centre, scaled by the body
     * size. */
    uint32_t bumpy;
    must(tw_sim_add_shape_bumpy(sim, 6, 0.4, 0.7, 0.6, &bumpy, &error) == TW_STATUS_OK);
    for (int i = 0; i < 216; i++) { /* on a lattice, three sizes, different velocities */
        tw_body_def body = tw_body_def_default();
        body.shape = bumpy;
        body.size = 1.0e-3 + 0.1e-3 * (i % 3 - 1);
        body.x = tw_vec3_make(2.2e-3 * (i % 6), 2.2e-3 * (i / 6 % 6), 2.2e-3 * (i / 36));
        body.v = tw_vec3_make(0.1 * (i % 7 - 3), 0.1 * (i % 5 - 2), 0.1 * (i % 11 - 5));
        must(tw_sim_add_body(sim, &body, NULL, &error) == TW_STATUS_OK);
    }
    const tw_mat3 compress = {{-40, 0, 0, 0, -40, 0, 0, 0, -40}}; /* grad v [1/s] */
    const tw_mat3 shear = {{10, 0, 0, 0, 10, 0, 0, 0, -20}};      /* constant volume */
    tw_sim_set_velocity_gradient(sim, &compress);
    must(tw_sim_run(sim, 6400, &error) ==
         TW_STATUS_OK); /* or in a loop, until a measure is reached */
    print_state(sim, "compressed");
    tw_sim_set_velocity_gradient(sim, &shear);
    must(tw_sim_run(sim, 1000, &error) == TW_STATUS_OK);
    print_state(sim, "sheared");
    must(tw_sim_save(sim, "example.h5", &error) == TW_STATUS_OK);
    must((other = tw_sim_load("example.h5", &error)) != NULL);
    tw_sim_set_threads(other, 1); /* results do not depend on the number of threads */
    must(tw_sim_run(sim, 1000, &error) == TW_STATUS_OK);
    must(tw_sim_run(other, 1000, &error) == TW_STATUS_OK);
    print_state(other, "continued");
    must(tw_sim_hash(sim) == tw_sim_hash(other)); /* a restart is bit-identical */
    tw_sim_free(other);
    tw_sim_free(sim);
}
