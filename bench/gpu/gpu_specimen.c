/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu_specimen.h"

#include <stdio.h>
#include <stdlib.h>

#include "../../test/must.h"
#include "../peers/peers.h"
#include "gpu_copies.h"

static tw_sim *empty(const tw_sim *packed, const gpu_specimen *specimen, const int copies[3])
{
    tw_error error;
    tw_sim_def def = tw_sim_get_definition(packed);
    for (int k = 0; k < 9; k++)
        def.cell.m[k] *= copies[k % 3];
    if (!specimen->viscous) {
        def.law.nu_n = def.law.nu_t = 0.0;
        def.damping_local = 0.3;
    }
    tw_sim *sim = tw_sim_create(&def, &error);
    if (!sim) must_succeed(error.status, &error);
    must_succeed(peers_add_cluster(sim, &error), &error); /* shape 1; spheres are shape 0 */
    return sim;
}

static void add_copy(tw_sim *sim, const tw_body_state *bodies, size_t count, tw_vec3 shift)
{
    tw_error error;
    tw_body_def body = tw_body_def_default();
    for (size_t i = 0; i < count; i++) {
        body.shape = bodies[i].shape;
        body.size = bodies[i].size;
        body.x = tw_vec3_add(bodies[i].x, shift);
        body.q = bodies[i].q;
        must_succeed(tw_sim_add_body(sim, &body, NULL, &error), &error);
    }
}

static const int single[3] = {1, 1, 1};

static tw_sim *copy_all(const tw_sim *packed, const gpu_specimen *specimen,
                        const tw_body_state *bodies, size_t count)
{
    tw_sim *sim = empty(packed, specimen, specimen->copies);
    const tw_mat3 cell = tw_sim_cell(packed);
    for (int x = 0; x < specimen->copies[0]; x++)
        for (int y = 0; y < specimen->copies[1]; y++)
            for (int z = 0; z < specimen->copies[2]; z++)
                add_copy(sim, bodies, count,
                         tw_vec3_make(cell.m[0] * x, cell.m[4] * y, cell.m[8] * z));
    return sim;
}

/* One copy is prepared. */
static tw_sim *copy_light(const tw_sim *packed, const gpu_specimen *specimen,
                          const tw_body_state *bodies, size_t count)
{
    tw_sim *one = empty(packed, specimen, single), *sim = empty(packed, specimen, specimen->copies);
    add_copy(one, bodies, count, tw_vec3_make(0.0, 0.0, 0.0));
    must_prepare(one);
    gpu_copies_make(one, specimen->copies, sim);
    tw_sim_free(one);
    return sim;
}

tw_sim *gpu_specimen_make(const gpu_specimen *specimen, double *p)
{
    tw_error error;
    tw_sim *packed = tw_sim_load(specimen->packing, &error);
    if (!packed) must_succeed(error.status, &error);
    *p = must_measure(packed).p;
    const size_t count = tw_sim_body_count(packed);
    tw_body_state *bodies = malloc(count * sizeof *bodies);
    if (!bodies) exit(1);
    for (size_t i = 0; i < count; i++)
        bodies[i] = must_body(packed, (uint32_t)i);
    tw_sim *sim = specimen->light ? copy_light(packed, specimen, bodies, count)
                                  : copy_all(packed, specimen, bodies, count);
    free(bodies);
    tw_sim_free(packed);
    return sim;
}

void gpu_specimen_shear(tw_sim *sim, const gpu_specimen *specimen, double p)
{
    tw_error error;
    const double third = 1.0 / 3.0;
    tw_control control = tw_control_default();
    control.row[TW_ZZ] = tw_control_rate(TW_ZZ, -specimen->strain / tw_sim_dt(sim));
    control.row[TW_XX] = (tw_control_row){TW_CONTROL_RATE, {1.0, -1.0}, 0.0, 0.0};
    control.row[TW_YY] = (tw_control_row){TW_CONTROL_STRESS, {third, third, third}, p, 0.0};
    must_succeed(tw_sim_set_control(sim, &control, &error), &error);
}
