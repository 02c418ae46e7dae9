/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a packing as a table that any script can read.
 *
 *     bench_peers_export PACKING.h5 > packing.txt
 *
 * cell X Y Z body X Y Z MASS MOMENT QW QX QY QZ SIZE SHAPE   three equal moments; the rest as in
 * tw_body_def sphere BODY X Y Z RADIUS                        at the body, not wrapped into the
 * cell */
#include <stdio.h>
#include <stdlib.h>

#include <twirl/sim.h>

#include "../../test/must.h"

int main(int argc, char **argv)
{
    tw_error error;
    if (argc != 2) {
        fprintf(stderr, "usage: bench_peers_export PACKING.h5\n");
        return 2;
    }
    tw_sim *sim = tw_sim_load(argv[1], &error);
    /* No step, but it builds the index of bodies; without it each lookup is a linear search. */
    if (sim && tw_sim_prepare(sim, &error) != TW_STATUS_OK) {
        tw_sim_free(sim);
        sim = NULL;
    }
    const size_t count = sim ? tw_sim_sphere_count(sim) : 0;
    tw_sphere_state *spheres = sim ? malloc(count * sizeof *spheres) : NULL;
    if (!spheres) {
        fprintf(stderr, "bench_peers_export: %s\n", sim ? "out of memory" : error.text);
        return 1;
    }
    const tw_mat3 h = tw_sim_cell(sim);
    printf("cell %.17g %.17g %.17g\n", h.m[0], h.m[4], h.m[8]);
    for (uint32_t i = 0; i < tw_sim_body_count(sim); i++) {
        const tw_body_state b = must_body(sim, i);
        printf("body %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %u\n", b.x.x,
               b.x.y, b.x.z, b.mass, b.inertia.x, b.q.w, b.q.x, b.q.y, b.q.z, b.size, b.shape);
    }
    tw_sim_get_spheres(sim, spheres, count, NULL);
    for (size_t i = 0; i < count; i++) {
        const tw_sphere_state *s = &spheres[i];
        printf("sphere %u %.17g %.17g %.17g %.17g\n", s->body, s->x.x, s->x.y, s->x.z, s->radius);
    }
    free(spheres);
    tw_sim_free(sim);
    return 0;
}
