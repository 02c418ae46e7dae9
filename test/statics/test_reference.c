/* SPDX-License-Identifier: BSD-3-Clause */
/* Moduli and rates of states that are the same to the last bit on every machine, against numbers
 * that were written on one of them: processors may differ by 1e-9. `statics_reference renew FILE`
 * writes them. */
#include "packing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/statics.h>

#include "must.h"

enum { SIX = TW_COMPONENTS, ROWS_MAX = 64 };

typedef struct rows {
    double value[ROWS_MAX][SIX];
    size_t count;
} rows;

static void add_stiffness(rows *out, const double *c)
{
    memcpy(out->value[out->count], c, SIX * SIX * sizeof *c);
    out->count += SIX;
}

static void add_moduli(rows *out, tw_sim *sim)
{
    const tw_statics_def def = tw_statics_def_default();
    tw_error error;
    tw_statics_moduli m;
    tw_statics *statics = tw_statics_create(sim, &def, &error);
    must_succeed(statics ? TW_STATUS_OK : error.status, &error);
    must_succeed(tw_statics_compute_moduli(statics, &m, &error), &error);
    tw_statics_free(statics);
    add_stiffness(out, m.stiffness);
    add_stiffness(out, m.geometric);
}

static void add_rates(rows *out, tw_sim *sim)
{
    const tw_statics_def def = {.geometric = 1, .shift = 1e-8};
    tw_error error;
    tw_statics *statics = tw_statics_create(sim, &def, &error);
    must_succeed(statics ? TW_STATUS_OK : error.status, &error);
    tw_statics_rates *rates = tw_statics_rates_create(statics, &error);
    must_succeed(rates ? TW_STATUS_OK : error.status, &error);
    for (int k = 0; k < 2 * SIX; k++) {
        double strain[SIX] = {0};
        tw_statics_rate r;
        strain[k / 2] = k % 2 ? -1.0 : 1.0;
        must_succeed(tw_statics_rates_solve(rates, 0, strain, &r, &error), &error);
        if (r.found != TW_STATICS_NOTHING)
            memcpy(out->value[out->count++], r.stress, sizeof r.stress);
    }
    tw_statics_rates_free(rates);
    tw_statics_free(statics);
}

static rows compute(void)
{
    rows out = {.count = 0};
    packing_def def = packing_def_default();
    def.bumpy = 0;
    def.side = 4;
    tw_sim *sim = packing_make(&def);
    add_moduli(&out, sim);
    const tw_mat3 rate = packing_shear(packing_slow_rate());
    tw_sim_set_velocity_gradient(sim, &rate);
    scene_set_damping(sim, 0.0, 0.0, 0.5);
    scene_run(sim, (uint64_t)(2e-3 / packing_slow_rate() / tw_sim_dt(sim)));
    add_moduli(&out, sim);
    add_rates(&out, sim);
    tw_sim_free(sim);
    return out;
}

static void numbers_are_those_of_another_machine(void **context)
{
    (void)context;
    const rows found = compute();
    const char *path = getenv("TWIRL_REFERENCE");
    assert_non_null(path);
    FILE *file = fopen(path, "r");
    double most = 0.0;
    assert_non_null(file);
    for (size_t i = 0; i < found.count; i++) {
        double right[SIX], size = 0.0, off = 0.0;
        for (int k = 0; k < SIX; k++) {
            assert_int_equal(fscanf(file, "%lf", &right[k]), 1);
            size = support_most(size, fabs(right[k]));
            off = support_most(off, fabs(found.value[i][k] - right[k]));
        }
        most = support_most(most, off / size);
    }
    char rest;
    assert_int_equal(fscanf(file, " %c", &rest), EOF);
    fclose(file);
    print_message("%zu rows, largest difference %.1e\n", found.count, most);
    expect_at_most(most, 1e-9);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "renew") == 0) {
        const rows found = compute();
        FILE *file = fopen(argv[2], "w");
        for (size_t i = 0; file && i < found.count; i++)
            for (int k = 0; k < SIX; k++)
                fprintf(file, "%.17g%c", found.value[i][k], k < SIX - 1 ? ' ' : '\n');
        return file && fclose(file) == 0 ? 0 : 1;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_are_those_of_another_machine)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
