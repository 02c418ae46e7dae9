/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of a state for docs/paper, with all digits: the full stress tensor, which need not be
 * symmetric, and the contacts at the friction limit.
 *
 *     paper_state STATE.h5... >ROWS.csv
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <twirl/sim.h>

#include "../test/must.h"

/* Tolerances of the friction limit. The first is the paper's: "sliding or with a mobilized friction
 * within 0.001 % of mu". If the state is not quite at equilibrium, contacts are further from it. */
enum { TOLERANCES = 4 };
static const double tolerance[TOLERANCES] = {1e-5, 1e-4, 1e-3, 1e-2};

static bool count_at_limit(const tw_sim *sim, size_t found[TOLERANCES])
{
    const size_t count = must_contacts(sim);
    const double mu = tw_sim_get_definition(sim).law.mu;
    tw_contact_state *contact = malloc((count + 1) * sizeof *contact);
    if (!contact) return false;
    must_get_contacts(sim, contact);
    for (int k = 0; k < TOLERANCES; k++) {
        found[k] = 0;
        for (size_t i = 0; i < count; i++)
            found[k] += contact[i].sliding ||
                        tw_vec3_norm(contact[i].ft) >= (1.0 - tolerance[k]) * mu * contact[i].fn;
    }
    free(contact);
    return true;
}

static int write_row(const char *path)
{
    tw_error error;
    size_t at_limit[TOLERANCES];
    tw_sim *sim = tw_sim_load(path, &error);
    if (!sim || tw_sim_prepare(sim, &error) != TW_STATUS_OK || !count_at_limit(sim, at_limit)) {
        fprintf(stderr, "paper_state: %s: %s\n", path, sim ? "out of memory" : error.text);
        tw_sim_free(sim);
        return 1;
    }
    const tw_measure m = must_measure(sim);
    printf("%s,%zu,%zu,%zu,%zu,%zu,%zu,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g", path, m.contacts, m.sliding,
           at_limit[0], at_limit[1], at_limit[2], at_limit[3], m.porosity, m.void_ratio,
           m.coordination, m.coordination_mechanical, m.overlap_mean, m.unbalanced);
    for (int i = 0; i < 9; i++)
        printf(",%.15e", m.stress.m[i]);
    putchar('\n');
    tw_sim_free(sim);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fputs("usage: paper_state STATE.h5... >ROWS.csv\n", stderr);
        return 2;
    }
    puts("file,contacts,sliding,at_limit,at_limit_1e-4,at_limit_1e-3,at_limit_1e-2,porosity,void_"
         "ratio,coordination,coordination_mechanical,"
         "overlap_mean,unbalanced,s11,s12,s13,s21,s22,s23,s31,s32,s33");
    for (int i = 1; i < argc; i++)
        if (write_row(argv[i])) return 1;
    return fflush(stdout) ? 1 : 0;
}
