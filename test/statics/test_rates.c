/* SPDX-License-Identifier: BSD-3-Clause */
/* Rates against one dense factorisation for each set of sliding contacts; complementarity problems
 * with known solutions. */
#include "packing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/statics.h>

#include "must.h"
#include "statics/statics_lcp.h"

enum { SIX = TW_COMPONENTS };

/* ---- Complementarity problems ---- */

static void problems_of_two_have_the_solutions_found_by_hand(void **context)
{
    (void)context;
    double x[2];
    size_t turns, set[TW_STATICS_LCP_SET], count;
    tw_statics_lcp_verdict verdict;
    const double plain[4] = {2.0, 1.0, 0.0, 1.0}, load[2] = {-3.0, -1.0};
    assert_int_equal(tw_statics_lcp_solve(2, plain, load, x, &turns), TW_STATICS_LCP_ACTIVE);
    expect_at_most(fabs(x[0] - 1.0) + fabs(x[1] - 1.0), 1e-15);
    assert_true(tw_statics_lcp_judge(2, plain, &verdict, set, &count));
    assert_int_equal(verdict, TW_STATICS_LCP_UNIQUE);
    /* A negative diagonal: w = q - x has no solution for q < 0. */
    const double bad[4] = {1.0, 0.0, 0.0, -1.0}, down[2] = {1.0, -1.0};
    assert_int_equal(tw_statics_lcp_solve(2, bad, down, x, &turns), TW_STATICS_LCP_RAY);
    assert_true(tw_statics_lcp_judge(2, bad, &verdict, set, &count));
    assert_int_equal(verdict, TW_STATICS_LCP_SEVERAL);
    assert_int_equal(count, 1);
    assert_int_equal(set[0], 1);
    /* Positive diagonal, negative determinant: only both together are a certificate. */
    const double pair[4] = {1.0, 2.0, 2.0, 1.0};
    assert_true(tw_statics_lcp_judge(2, pair, &verdict, set, &count));
    assert_int_equal(verdict, TW_STATICS_LCP_SEVERAL);
    assert_int_equal(count, 2);
    /* Nothing below zero: nothing happens. */
    const double up[2] = {0.0, 2.0};
    assert_int_equal(tw_statics_lcp_solve(2, pair, up, x, &turns), TW_STATICS_LCP_NONE);
}

/* Murty's problem, on which an active set runs in a circle: M is a P-matrix, so Lemke finds it. */
static void a_set_that_comes_back_is_left_to_lemke(void **context)
{
    (void)context;
    const double m[9] = {1.0, 2.0, 0.0, 0.0, 1.0, 2.0, 2.0, 0.0, 1.0}, q[3] = {-1.0, -1.0, -1.0};
    double x[3];
    size_t turns;
    const tw_statics_lcp_end end = tw_statics_lcp_solve(3, m, q, x, &turns);
    assert_true(end == TW_STATICS_LCP_LEMKE || end == TW_STATICS_LCP_ACTIVE);
    for (int i = 0; i < 3; i++)
        expect_at_most(fabs(x[i] - 1.0 / 3.0), 1e-14);
}

/* ---- A packing ---- */

typedef struct dense {
    size_t n, contacts;
    double *k; /* (n + 6)^2: bodies, then strains */
    tw_contact_state *contact;
    double *slip, *yield; /* contacts x (n + 6) */
    bool *at_limit, *slides;
    double volume, kn;
    tw_mat3 stress;
} dense;

static const int strain_rows[SIX][2] = {{0, 0}, {4, 4}, {8, 8}, {5, 7}, {2, 6}, {1, 3}};

/* The tangent, column by column, by products with unit vectors. */
static void put_tangent(dense *d, const tw_statics *statics)
{
    const size_t size = tw_statics_size(statics), n = d->n, width = n + SIX;
    double *z = calloc(size, sizeof *z), *kz = calloc(size, sizeof *kz);
    for (size_t j = 0; j < width; j++) {
        memset(z, 0, size * sizeof *z);
        if (j < n) {
            z[j] = 1.0;
        } else {
            z[n + (size_t)strain_rows[j - n][0]] += 0.5;
            z[n + (size_t)strain_rows[j - n][1]] += 0.5;
        }
        tw_statics_product(statics, z, kz);
        for (size_t i = 0; i < width; i++)
            d->k[width * i + j] = i < n ? kz[i]
                                        : 0.5 * (kz[n + (size_t)strain_rows[i - n][0]] +
                                                 kz[n + (size_t)strain_rows[i - n][1]]);
    }
    free(z);
    free(kz);
}

/* Rows of the slip of contact c along its force, and of its yield, by the motion of two spheres. */
static void put_rows(dense *d, size_t c, const tw_sphere_state *sphere, double kt, double mu)
{
    const tw_contact_state *s = &d->contact[c];
    const double size = tw_vec3_norm(s->ft), arm_p = sphere[s->body_p].radius - 0.5 * s->zeta;
    const double arm_q = sphere[s->body_q].radius - 0.5 * s->zeta;
    const tw_vec3 h = tw_vec3_scale(1.0 / size, s->ft);
    for (int which = 0; which < 2; which++) {
        const tw_vec3 v = which ? tw_vec3_add_scaled(h, mu * d->kn / kt, s->n) : h;
        double *row = (which ? d->yield : d->slip) + (d->n + SIX) * c;
        const double of[3] = {v.x, v.y, v.z};
        const double b[3] = {s->branch.x, s->branch.y, s->branch.z};
        const tw_vec3 turn = tw_vec3_cross(s->n, v); /* v . (theta x a) = theta . (a x v) */
        const double couple[3] = {turn.x, turn.y, turn.z};
        for (int i = 0; i < 3; i++) {
            row[6 * s->body_p + (size_t)i] -= of[i];
            row[6 * s->body_q + (size_t)i] += of[i];
            row[6 * s->body_p + 3 + (size_t)i] -= arm_p * couple[i];
            row[6 * s->body_q + 3 + (size_t)i] -= arm_q * couple[i];
        }
        for (size_t e = 0; e < SIX; e++)
            row[d->n + e] = 0.5 * (of[strain_rows[e][0] / 3] * b[strain_rows[e][0] % 3] +
                                   of[strain_rows[e][1] / 3] * b[strain_rows[e][1] % 3]);
    }
}

/* Stress rate of a strain rate (tension positive), one factorisation for each set. Returns the
 * number of contacts that slide; SIZE_MAX: no set was found. */
static size_t solve_by_sets(dense *d, double kt, double shift, const double *strain, double *stress)
{
    const size_t n = d->n, width = n + SIX;
    double *k = malloc(width * width * sizeof *k), *a = malloc(n * n * sizeof *a);
    double *z = calloc(width, sizeof *z);
    size_t count = SIZE_MAX;
    memset(d->slides, 0, d->contacts * sizeof *d->slides);
    for (int turn = 0; turn < 30 && count == SIZE_MAX; turn++) {
        memcpy(k, d->k, width * width * sizeof *k);
        for (size_t c = 0; c < d->contacts; c++) {
            if (!d->slides[c]) continue;
            for (size_t i = 0; i < width; i++) {
                const double left = kt * d->slip[width * c + i];
                for (size_t j = 0; j < width && left != 0.0; j++)
                    k[width * i + j] -= left * d->yield[width * c + j];
            }
        }
        for (size_t i = 0; i < n; i++) {
            memcpy(a + n * i, k + width * i, n * sizeof *a);
            a[n * i + i] += shift * d->kn * (i % 6 < 3 ? 1.0 : 1e-6);
            z[i] = 0.0;
            for (size_t e = 0; e < SIX; e++)
                z[i] -= k[width * i + n + e] * strain[e];
        }
        tw_statics_lcp_eliminate(n, a, z);
        memcpy(z + n, strain, SIX * sizeof *z);
        bool changed = false;
        size_t sliding = 0;
        for (size_t c = 0; c < d->contacts; c++) {
            double y = 0.0;
            for (size_t j = 0; j < width && d->at_limit[c]; j++)
                y += d->yield[width * c + j] * z[j];
            changed = changed || d->slides[c] != (y > 0.0);
            d->slides[c] = y > 0.0;
            sliding += d->slides[c];
        }
        if (!changed) count = sliding;
    }
    const double trace = strain[0] + strain[1] + strain[2];
    for (size_t i = 0; i < SIX; i++) {
        stress[i] = 0.5 * (d->stress.m[strain_rows[i][0]] + d->stress.m[strain_rows[i][1]]) *
                    trace; /* compression positive: -(-) */
        for (size_t j = 0; j < width; j++)
            stress[i] += k[width * (n + i) + j] * z[j] / d->volume;
    }
    free(k);
    free(a);
    free(z);
    return count;
}

static void rates_are_those_of_a_factorisation_for_each_set(void **context)
{
    (void)context;
    tw_error error;
    packing_def def = packing_def_default();
    def.bumpy = 0;
    def.side = 3;
    size_t compared = 0, slid = 0;
    for (def.seed = 1; def.seed < 60 && compared < 12; def.seed++) {
        tw_sim *sim = packing_make(&def);
        const tw_contact_law law = packing_law();
        const tw_mat3 rate = packing_shear(packing_slow_rate());
        tw_sim_set_velocity_gradient(sim, &rate);
        scene_set_damping(sim, 0.0, 0.0, 0.5);
        scene_run(sim, (uint64_t)(3e-3 / packing_slow_rate() / tw_sim_dt(sim)));
        dense d = {.n = 6 * tw_sim_bodies(sim), .kn = law.kn};
        must_succeed(tw_sim_contacts(sim, &d.contacts, &error), &error);
        const tw_statics_def how = {.geometric = 1, .shift = 1e-11};
        const tw_statics_rates_def rates_def = tw_statics_rates_def_default();
        tw_statics *statics = tw_statics_create(sim, &how, &error);
        tw_statics_rates *rates = tw_statics_rates_create(statics, &rates_def, &error);
        must_succeed(rates ? TW_STATUS_OK : error.status, &error);
        const tw_statics_problem problem = tw_statics_rates_problem(rates);
        if (problem.weak == 0 && problem.rattlers == 0 && problem.at_limit > 2) {
            const size_t width = d.n + SIX;
            const tw_measure m = must_measure(sim);
            tw_sphere_state *sphere = calloc(tw_sim_spheres(sim), sizeof *sphere);
            d.k = calloc(width * width, sizeof *d.k);
            d.contact = calloc(d.contacts, sizeof *d.contact);
            d.slip = calloc(d.contacts * width, sizeof *d.slip);
            d.yield = calloc(d.contacts * width, sizeof *d.yield);
            d.at_limit = calloc(d.contacts, sizeof *d.at_limit);
            d.slides = calloc(d.contacts, sizeof *d.slides);
            d.volume = m.volume;
            d.stress = m.stress;
            tw_sim_get_spheres(sim, sphere);
            must_succeed(tw_sim_get_contacts(sim, d.contact, &error), &error);
            put_tangent(&d, statics);
            size_t found = 0;
            for (size_t c = 0; c < d.contacts; c++) {
                const double limit = law.mu * d.contact[c].fn;
                d.at_limit[c] = tw_vec3_norm(d.contact[c].ft) >= (1.0 - 1e-9) * limit;
                found += d.at_limit[c];
                if (d.at_limit[c]) put_rows(&d, c, sphere, law.kt, law.mu);
            }
            for (int k = 0; k < 6; k++) {
                double strain[SIX] = {0}, stress[SIX], off = 0.0, size = 0.0;
                tw_statics_rate r;
                strain[k / 2] = k % 2 ? -1.0 : 1.0;
                strain[(k / 2 + 1) % 3] = 0.3;
                must_succeed(tw_statics_rates_solve(rates, 0, strain, &r, &error), &error);
                for (int i = 0; i < SIX; i++)
                    strain[i] = -strain[i];
                const size_t sliding = solve_by_sets(&d, law.kt, how.shift, strain, stress);
                if (sliding == SIZE_MAX || r.found == TW_STATICS_NOTHING) continue;
                for (int i = 0; i < SIX; i++) {
                    off = support_most(off, fabs(r.stress[i] + stress[i]));
                    size = support_most(size, fabs(stress[i]));
                }
                print_message("seed %d: %zu at the limit, %zu slide, sets differ by %.1e\n",
                              (int)def.seed, found, sliding, off / size);
                assert_int_equal(r.sliding, sliding);
                expect_at_most(off / size, 1e-9);
                compared++;
                slid += sliding;
                /* The same stress, prescribed, gives the strain back. */
                tw_statics_rate back;
                must_succeed(tw_statics_rates_solve(rates, 1, r.stress, &back, &error), &error);
                if (back.found == TW_STATICS_NOTHING || back.sliding != r.sliding) continue;
                for (int i = 0; i < SIX; i++)
                    expect_at_most(fabs(back.strain[i] + strain[i]), 1e-6);
            }
            free(d.k);
            free(d.contact);
            free(d.slip);
            free(d.yield);
            free(d.at_limit);
            free(d.slides);
            free(sphere);
        }
        tw_statics_rates_free(rates);
        tw_statics_free(statics);
        tw_sim_free(sim);
    }
    assert_true(compared >= 3 && slid > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(problems_of_two_have_the_solutions_found_by_hand),
        cmocka_unit_test(a_set_that_comes_back_is_left_to_lemke),
        cmocka_unit_test(rates_are_those_of_a_factorisation_for_each_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
