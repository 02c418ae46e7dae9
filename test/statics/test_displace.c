/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies of a simulation, and movements of its bodies without time: what increments are made of. */
#include "packing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/statics.h>

#include "base/quat.h"
#include "must.h"

static tw_sim *make(int bumpy)
{
    packing_def def = packing_def_default();
    def.bumpy = bumpy;
    def.side = 4;
    tw_sim *sim = packing_make(&def);
    const tw_mat3 rate = packing_shear(packing_slow_rate());
    tw_sim_set_velocity_gradient(sim, &rate);
    scene_set_damping(sim, 0.0, 0.0, 0.5);
    scene_run(sim, 300);
    return sim;
}

static tw_sim *must_copy(const tw_sim *sim)
{
    tw_error error;
    tw_sim *copy = tw_sim_copy(sim, &error);
    must_succeed(copy ? TW_STATUS_OK : error.status, &error);
    return copy;
}

static void a_copy_continues_with_the_same_bits(void **context)
{
    (void)context;
    for (int bumpy = 0; bumpy < 2; bumpy++) {
        tw_sim *sim = make(bumpy), *copy = must_copy(sim);
        assert_true(tw_sim_hash(copy) == tw_sim_hash(sim));
        scene_run(sim, 200);
        scene_run(copy, 200);
        assert_true(tw_sim_hash(copy) == tw_sim_hash(sim));
        tw_sim_free(copy);
        scene_run(sim, 1);
        tw_sim_free(sim);
    }
}

/* G = R - 1 and the same rotation of every body: what tw_sim_rotate does in a way of its own. */
static void a_rigid_rotation_is_that_of_the_engine(void **context)
{
    (void)context;
    tw_error error;
    const tw_vec3 turn = tw_vec3_make(0.011, -0.007, 0.005);
    for (int bumpy = 0; bumpy < 2; bumpy++) {
        tw_sim *sim = make(bumpy), *other = must_copy(sim);
        const size_t bodies = tw_sim_body_count(sim);
        double *moves = calloc(6 * bodies, sizeof *moves);
        for (size_t i = 0; i < bodies; i++) {
            moves[6 * i + 3] = turn.x;
            moves[6 * i + 4] = turn.y;
            moves[6 * i + 5] = turn.z;
        }
        tw_mat3 g = tw_quat_matrix(tw_quat_from_rotation(turn));
        for (int k = 0; k < 9; k += 4)
            g.m[k] -= 1.0;
        must_succeed(tw_sim_displace(sim, &g, moves, 6 * bodies, &error), &error);
        must_succeed(tw_sim_rotate(other, turn, 1, &error), &error);
        size_t count, same;
        must_succeed(tw_sim_contact_count(sim, &count, &error), &error);
        must_succeed(tw_sim_contact_count(other, &same, &error), &error);
        assert_int_equal(count, same);
        tw_contact_state *a = calloc(count, sizeof *a), *b = calloc(count, sizeof *b);
        must_succeed(tw_sim_get_contacts(sim, a, count, &error), &error);
        must_succeed(tw_sim_get_contacts(other, b, count, &error), &error);
        double off = 0.0, size = 0.0;
        for (size_t k = 0; k < count; k++) {
            off = support_most(off, tw_vec3_norm(tw_vec3_sub(a[k].force, b[k].force)));
            size = support_most(size, tw_vec3_norm(b[k].force));
        }
        /* Rounding of positions over overlaps, which are a thousandth of the size of a body. */
        print_message("rigid rotation: forces differ by %.1e\n", off / size);
        expect_at_most(off / size, 1e-10);
        free(a);
        free(b);
        free(moves);
        tw_sim_free(sim);
        tw_sim_free(other);
    }
}

/* Adds numbers of the contacts of each body, by id, or subtracts them. */
static void add_contacts(tw_sim *sim, int sign, int64_t *sum)
{
    size_t count;
    tw_contact_state *contact = scene_contacts(sim, &count);
    for (size_t k = 0; k < count; k++) {
        const int64_t p = contact[k].body_p, q = contact[k].body_q;
        const int64_t number = sign * (1 + 100 * (100 * p + q) + 10 * (int64_t)contact[k].member_p +
                                       (int64_t)contact[k].member_q);
        sum[p] += number;
        sum[q] += number;
    }
    free(contact);
}

/* Forces change by the tangent, to first order: the difference falls with the movement. Not those
 * of bodies of which a contact has opened or closed, for which there is no tangent. */
static void forces_change_by_the_tangent(void **context)
{
    (void)context;
    tw_error error;
    const tw_statics_def def = tw_statics_def_default();
    for (int bumpy = 0; bumpy < 2; bumpy++) {
        tw_sim *sim = make(bumpy);
        const size_t bodies = tw_sim_body_count(sim);
        const tw_measure m = must_measure(sim);
        tw_contact_law law = packing_law();
        law.mu = 1e6; /* nothing slides */
        must_succeed(tw_sim_set_law(sim, &law, &error), &error);
        tw_statics *statics = tw_statics_create(sim, &def, &error);
        const size_t size = tw_statics_size(statics);
        double *z = calloc(size, sizeof *z), *kz = calloc(size, sizeof *kz), off[2];
        tw_body_state *before = calloc(bodies, sizeof *before),
                      *after = calloc(bodies, sizeof *after);
        int64_t *change = calloc(bodies, sizeof *change); /* of the contacts */
        must_succeed(tw_sim_get_bodies(sim, before, bodies, &error), &error);
        for (int part = 0; part < 2; part++) {
            const double by = (part ? 1e-3 : 1e-2) * m.overlap_mean;
            for (size_t i = 0; i < 6 * bodies; i++)
                z[i] = by * sin(1.7 * (double)i) / (i % 6 < 3 ? 1.0 : before[i / 6].size);
            for (size_t k = 0; k < 9; k++)
                z[6 * bodies + k] = 0.1 * by * cos((double)k) / before[0].size;
            tw_mat3 g;
            memcpy(g.m, z + 6 * bodies, sizeof g.m);
            tw_statics_product(statics, z, kz);
            tw_sim *moved = must_copy(sim);
            must_succeed(tw_sim_displace(moved, &g, z, 6 * bodies, &error), &error);
            must_succeed(tw_sim_get_bodies(moved, after, bodies, &error), &error);
            memset(change, 0, bodies * sizeof *change);
            add_contacts(sim, 1, change);
            add_contacts(moved, -1, change);
            double square = 0.0, all = 0.0;
            size_t kept = 0;
            for (size_t i = 0; i < bodies; i++) {
                if (change[i] != 0) continue;
                kept++;
                const tw_vec3 f = tw_vec3_sub(after[i].force, before[i].force);
                const tw_vec3 k = tw_vec3_make(kz[6 * i], kz[6 * i + 1], kz[6 * i + 2]);
                const tw_vec3 rest = tw_vec3_add(f, k);
                square += tw_vec3_dot(rest, rest);
                all += tw_vec3_dot(k, k);
            }
            off[part] = sqrt(square / all);
            assert_true(2 * kept > bodies);
            tw_sim_free(moved);
        }
        print_message("tangent: %.1e, a tenth of the movement %.1e\n", off[0], off[1]);
        expect_at_most(off[1], 1e-3); /* movement over overlap */
        assert_true(off[1] < 0.5 * off[0]);
        free(z);
        free(kz);
        free(before);
        free(after);
        free(change);
        tw_statics_free(statics);
        tw_sim_free(sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_continues_with_the_same_bits),
        cmocka_unit_test(a_rigid_rotation_is_that_of_the_engine),
        cmocka_unit_test(forces_change_by_the_tangent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
