/* SPDX-License-Identifier: BSD-3-Clause */
/* A larger specimen from a packing of bumpy grains: periodic copies, loosened and shaken.
 *
 *     paper_copies PACKING.h5 X Y Z SEED OUT.h5
 *
 * The copies fill X x Y x Z cells. Exact copies would deform alike and show no more than one of
 * them, so the grains are moved apart, to a porosity of 0.6, and get random velocities, different
 * in each copy: compressed again (grains.yaml), they have collided many times and make a packing of
 * its own. With 1 1 1 and several seeds: several packings of the same grains. */
#include <stdio.h>
#include <stdlib.h>

#include <twirl/math.h>
#include <twirl/sim.h>

#include "../test/must.h"

static const double POROSITY = 0.6;
static const double SPEED =
    1.0; /* largest component: some diameters in the time of the compression [m/s] */

static double uniform(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static double either_way(uint64_t *state)
{
    return 2.0 * uniform(state) - 1.0;
}

static tw_sim *must_load(const char *path)
{
    tw_error error;
    tw_sim *sim = tw_sim_load(path, &error);
    if (!sim) must_succeed(error.status, &error);
    return sim;
}

/* An empty cell for the copies, `stretch` times as long as theirs. */
static tw_sim *make_cell(const tw_sim *packed, const int copies[3], double stretch)
{
    tw_error error;
    tw_sim_def def = tw_sim_get_definition(packed);
    for (int k = 0; k < 9; k++)
        def.cell.m[k] *= stretch * copies[k % 3];
    tw_sim *sim = tw_sim_create(&def, &error);
    if (!sim) must_succeed(error.status, &error);
    must_add_shape_bumpy(sim, 6, 0.6, 0.8, 0.64); /* that of pack.yaml, as shape 1 */
    return sim;
}

static void add_copy(tw_sim *sim, const tw_body_state *bodies, size_t count, tw_vec3 shift,
                     double stretch, uint64_t *random)
{
    tw_error error;
    tw_body_def body = tw_body_def_default();
    for (size_t i = 0; i < count; i++) {
        body.shape = bodies[i].shape;
        body.size = bodies[i].size;
        body.x = tw_vec3_scale(stretch, tw_vec3_add(bodies[i].x, shift));
        body.q = bodies[i].q;
        body.v.x = SPEED * either_way(random);
        body.v.y = SPEED * either_way(random);
        body.v.z = SPEED * either_way(random);
        must_succeed(tw_sim_add_body(sim, &body, NULL, &error), &error);
    }
}

/* Cell edge k times a whole number. */
static tw_vec3 edge(const tw_mat3 *cell, int k, int times)
{
    return tw_vec3_make(cell->m[k] * times, cell->m[3 + k] * times, cell->m[6 + k] * times);
}

int main(int argc, char **argv)
{
    const int copies[3] = {argc == 7 ? atoi(argv[2]) : 0, argc == 7 ? atoi(argv[3]) : 0,
                           argc == 7 ? atoi(argv[4]) : 0};
    if (copies[0] < 1 || copies[1] < 1 || copies[2] < 1) {
        fprintf(stderr, "usage: paper_copies PACKING.h5 X Y Z SEED OUT.h5\n");
        return 2;
    }
    tw_error error;
    uint64_t random = strtoull(argv[5], NULL, 10);
    tw_sim *packed = must_load(argv[1]);
    const double stretch = tw_math_cbrt((1.0 - must_measure(packed).porosity) / (1.0 - POROSITY));
    const tw_mat3 cell = tw_sim_cell(packed);
    const size_t count = tw_sim_body_count(packed);
    tw_body_state *bodies = malloc(count * sizeof *bodies);
    if (!bodies) return 1;
    for (size_t i = 0; i < count; i++)
        bodies[i] = must_body(packed, (uint32_t)i);
    tw_sim *sim = make_cell(packed, copies, stretch);
    for (int k = 0; k < copies[0] * copies[1] * copies[2]; k++) {
        const tw_vec3 x = edge(&cell, 0, k % copies[0]),
                      y = edge(&cell, 1, k / copies[0] % copies[1]);
        const tw_vec3 z = edge(&cell, 2, k / copies[0] / copies[1]);
        add_copy(sim, bodies, count, tw_vec3_add(tw_vec3_add(x, y), z), stretch, &random);
    }
    must_succeed(tw_sim_save(sim, argv[6], &error), &error);
    free(bodies);
    tw_sim_free(packed);
    tw_sim_free(sim);
    return 0;
}
