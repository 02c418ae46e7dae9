/* SPDX-License-Identifier: BSD-3-Clause */
/* The checks of a checkpoint's values, without HDF5 and without a seal. The first byte selects a
 * valid state; every 12 bytes that follow are a change of one of its datasets: what (1), which
 * dataset (1), where (2), value (8).
 *
 * Whatever is accepted must be a state: its numbers finite, its identities unique, its datasets the
 * same when it is saved again. If it can run a few steps, then saved and loaded it must have the
 * same hash, and must continue in the same way. */
#include "checkpoint_table.h"
#include "fuzz.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../must.h"
#include "sim/sim_internal.h"

enum { STATES = 7, CHANGE = 12, STEPS = 3 };

static checkpoint_table good[STATES];
static unsigned long inputs, accepted, ran; /* so many inputs were a state, and could run */

typedef struct change {
    uint8_t what, which;
    uint16_t where;
    uint64_t value;
} change;

/* ---- Valid states ---- */

/* Two materials, with all that contacts can remember. */
static void set_laws(tw_sim *sim)
{
    tw_error error;
    tw_contact_law laws[4];
    for (int k = 0; k < 4; k++) {
        laws[k] = tw_sim_get_definition(sim).law;
        laws[k].normal = TW_CONTACT_HERTZ;
        laws[k].kn = laws[k].kt = laws[k].k_r = laws[k].k_w = k % 3 ? 2e6 : 3e6;
        laws[k].mu_r = laws[k].mu_w = 0.1;
        laws[k].nu_n = laws[k].nu_t = laws[k].nu_r = laws[k].nu_w = 5.0;
    }
    if (tw_sim_add_material(sim, "steel", 7800.0, NULL, &error) != TW_STATUS_OK ||
        tw_sim_set_laws(sim, laws, 4, &error) != TW_STATUS_OK)
        fuzz_fail(error.text);
}

/* Eight bodies that touch each other and, without periodic z, a wall. */
static tw_sim *make_sim(int periodic, int clumps, int mixed, double nu)
{
    tw_error error;
    tw_sim_def def = tw_sim_def_default();
    def.cell.m[0] = def.cell.m[4] = def.cell.m[8] = clumps ? 4.0 : 2.38;
    def.periodic[2] = periodic;
    def.law.kn = def.law.kt = 1e6;
    def.law.mu = 0.5;
    def.law.nu_n = def.law.nu_t = nu;
    def.threads = 1;
    tw_sim *sim = tw_sim_create(&def, &error);
    const tw_wall_def wall = {sizeof wall, .point = {0, 0, 0}, .normal = {0, 0, 1},
                              .servo = 1,  .force = 10.0,      .v_max = 1.0};
    if (!sim) fuzz_fail(error.text);
    if (mixed) set_laws(sim);
    if (clumps) must_add_shape_bumpy(sim, 6, 0.6, 0.8, 0.64);
    if (!periodic) must_add_wall(sim, &wall);
    const double step = clumps ? 1.33 : 1.19;
    for (int i = 0; i < 8; i++) {
        tw_body_def body = tw_body_def_default();
        body.shape = clumps ? (uint32_t)i % 2 : 0;
        body.size = 0.6;
        body.material = mixed ? (uint32_t)i % 2 : 0;
        body.fixed = i == 7 && clumps;
        body.x = tw_vec3_make(1.0 + step * (i & 1), 1.0 + step * (i >> 1 & 1),
                              (clumps ? 0.73 : 0.595) + step * (i >> 2));
        if (tw_sim_add_body(sim, &body, NULL, &error) != TW_STATUS_OK) fuzz_fail(error.text);
    }
    return sim;
}

static void run_good(tw_sim *sim)
{
    tw_error error;
    if (tw_sim_run(sim, STEPS, &error) != TW_STATUS_OK) fuzz_fail(error.text);
    if (must_contacts(sim) == 0) fuzz_fail("no contacts");
}

static void make_good(int k)
{
    tw_error error;
    tw_sim *sim = make_sim(k % 2, k >= 2, k == 6, k == 3 ? 50.0 : 0.0);
    if (k != 5) run_good(sim);
    if (k == 1 || k == 3) {
        tw_control control = tw_control_default();
        control.row[TW_XX] = tw_control_stress(TW_XX, 1e4);
        control.row[TW_YY] = tw_control_stress(TW_YY, 2e4);
        control.row[TW_YY].ramp = 1e3;
        control.row[TW_ZZ] = tw_control_rate(TW_ZZ, -0.1);
        if (tw_sim_set_control(sim, &control, &error) != TW_STATUS_OK) fuzz_fail(error.text);
        run_good(sim);
    }
    if (k == 4) { /* contacts without a neighbour list */
        tw_body_def body = tw_body_def_default();
        body.size = 0.2;
        body.x = tw_vec3_make(0.1, 0.1, 3.5);
        if (tw_sim_add_body(sim, &body, NULL, &error) != TW_STATUS_OK) fuzz_fail(error.text);
    }
    checkpoint_table_save(&good[k], sim);
    const uint64_t hash = tw_sim_hash(sim);
    tw_sim_free(sim);
    sim = checkpoint_table_load(&good[k], &error); /* or nothing would be tested */
    if (!sim || tw_sim_hash(sim) != hash) fuzz_fail(sim ? "not the same state" : error.text);
    tw_sim_free(sim);
}

static void clean_up(void)
{
    for (int k = 0; k < STATES; k++)
        checkpoint_table_free(&good[k]);
    fprintf(stderr, "%lu inputs, %lu accepted, %lu ran\n", inputs, accepted, ran);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    atexit(clean_up);
    for (int k = 0; k < STATES; k++)
        make_good(k);
    return 0;
}

/* ---- Changes ---- */

static double odd_number(double old, uint64_t value)
{
    static const double odd[] = {0.0,  -0.0,  1.0, -1.0,    1e-300,  1e300,  -1e300,   0.5,
                                 1e18, 1e-18, 4e9, DBL_MAX, DBL_MIN, 5e-324, HUGE_VAL, -HUGE_VAL};
    const double factors[] = {-1.0, 2.0, 0.5, 10.0, 0.1, 1e3, 1e-3, 1.0 + 1e-9, 1.0 + 1e-4, 1e9};
    const size_t odds = sizeof odd / sizeof *odd, all = odds + sizeof factors / sizeof *factors;
    const size_t k = (size_t)(value % (all + 1));
    if (k == all) return (double)NAN;
    return k < odds ? odd[k] : factors[k - odds] * old;
}

static uint64_t odd_count(uint64_t old, uint64_t value)
{
    const uint64_t odd[] = {0,
                            1,
                            2,
                            7,
                            8,
                            9,
                            16,
                            56,
                            UINT8_MAX,
                            UINT32_MAX,
                            INT32_MAX,
                            UINT64_MAX,
                            ~UINT64_C(0) / 2,
                            old + 1,
                            old - 1,
                            old ^ 1};
    return odd[value % (sizeof odd / sizeof *odd)];
}

static void change_value(checkpoint_table_set *set, const change *c, int raw)
{
    const int number = set->form.type == TW_CHECKPOINT_F64;
    const size_t size = checkpoint_table_row(set) / ((size_t)set->form.down * set->form.across);
    if (set->bytes == 0) return;
    unsigned char *at = set->values + c->where % (set->bytes / size) * size;
    double f;
    uint64_t u = 0;
    memcpy(&u, at, size);
    memcpy(&f, &u, sizeof f);
    f = odd_number(f, c->value);
    u = odd_count(u, c->value);
    if (raw)
        memcpy(at, &c->value, size);
    else
        memcpy(at, number ? (const void *)&f : (const void *)&u, size);
}

/* what: 0 exchanges two rows, 1 copies one over the other */
static void change_rows(checkpoint_table_set *set, const change *c, int what)
{
    const size_t row = checkpoint_table_row(set), rows = checkpoint_table_rows(set);
    unsigned char held[128];
    if (rows < 2) return;
    unsigned char *a = set->values + c->where % rows * row;
    unsigned char *b = set->values + c->value % rows * row;
    memcpy(held, a, row);
    memmove(a, b, row);
    if (what == 0) memcpy(b, held, row);
}

static void change_about(checkpoint_table_set *set, const change *c)
{
    const int k = c->where % 4;
    if (k == 3)
        set->about.rank = (int)(c->value % 5) - 1;
    else
        set->about.extent[k] = odd_count(set->about.extent[k], c->value);
}

/* A row less, a row more or two rows exchanged, in all columns of the group. */
static void change_group(checkpoint_table *table, const checkpoint_table_set *of, const change *c)
{
    for (size_t k = 0; k < table->count; k++) {
        checkpoint_table_set *set = &table->set[k];
        const size_t rows = checkpoint_table_rows(set);
        if (strcmp(set->group, of->group) != 0 || rows != checkpoint_table_rows(of)) continue;
        if (good[0].set[k].about.rank == set->form.rank) continue; /* no column */
        if (c->value % 4 == 0 && rows > 0) checkpoint_table_resize(table, set, rows - 1);
        if (c->value % 4 >= 2) change_rows(set, c, (int)(c->value % 2));
        if (c->value % 4 == 1 && rows > 0) {
            const size_t row = checkpoint_table_row(set);
            checkpoint_table_resize(table, set, rows + 1);
            memcpy(set->values + rows * row, set->values + c->where % rows * row, row);
        }
    }
}

static void make_change(checkpoint_table *table, const change *c)
{
    checkpoint_table_set *set = &table->set[c->which % table->count];
    const checkpoint_table_set *other = &table->set[c->where % table->count];
    const checkpoint_table_set *foreign = &good[c->value % STATES].set[c->which % table->count];
    switch (c->what % 12) {
    case 0:
        change_value(set, c, 1);
        break;
    case 1:
    case 2:
    case 3:
        change_value(set, c, 0);
        break;
    case 4:
        change_rows(set, c, 0);
        break;
    case 5:
        change_rows(set, c, 1);
        break;
    case 6: /* the values of another dataset */
        if (set != other)
            memcpy(set->values, other->values,
                   set->bytes < other->bytes ? set->bytes : other->bytes);
        break;
    case 7:
        change_about(set, c);
        break;
    case 8:
        set->about.type = (int)(c->value % 7) - 1;
        break;
    case 9: /* missing, or of another name */
        if (c->value % 4 == 0)
            set->name = "none";
        else
            set->gone = true;
        break;
    case 10:
        change_group(table, set, c);
        break;
    default: /* the dataset of another state */
        checkpoint_table_resize(table, set, checkpoint_table_rows(foreign));
        set->about = foreign->about;
        memcpy(set->values, foreign->values, foreign->bytes);
    }
}

/* ---- What must hold ---- */

static void fail_set(const checkpoint_table_set *set, const char *what)
{
    char text[128];
    snprintf(text, sizeof text, "%s/%s: %s", set->group, set->name, what);
    fuzz_fail(text);
}

/* The limit of a wall's velocity may be infinite. */
static void check_finite(const checkpoint_table_set *set)
{
    if (set->form.type != TW_CHECKPOINT_F64 || strcmp(set->name, "v_max") == 0) return;
    for (size_t at = 0; at < set->bytes; at += sizeof(double)) {
        double value;
        memcpy(&value, set->values + at, sizeof value);
        if (!isfinite(value)) fail_set(set, "not finite");
    }
}

static void check_ids(const tw_sim *sim)
{
    const size_t count = tw_sim_body_count(sim);
    tw_error error;
    tw_body_state body;
    for (size_t id = 0; id < count; id++)
        if (tw_sim_get_body(sim, (uint32_t)id, &body, &error) != TW_STATUS_OK)
            fuzz_fail(error.text);
}

/* What is missing is zero. */
static void check_default(const checkpoint_table_set *saved)
{
    for (size_t at = 0; at < saved->bytes; at++)
        if (saved->values[at]) fail_set(saved, "not the value of one that is missing");
}

/* The state holds what the table said: nothing is dropped or repaired without a word. */
static void check_same(const checkpoint_table *given, const checkpoint_table *saved)
{
    for (size_t k = 0; k < saved->count; k++) {
        check_finite(&saved->set[k]);
        if (given->set[k].gone)
            check_default(&saved->set[k]);
        else if (!checkpoint_table_equal(&given->set[k], &saved->set[k]))
            fail_set(&saved->set[k], "not what was loaded");
    }
}

/* A state may be unable to be measured, as the search fails, but it says so. */
static void check_measures(tw_sim *sim)
{
    tw_error error = {TW_STATUS_OK, ""};
    tw_measure m;
    if (tw_sim_measure(sim, &m, &error) != TW_STATUS_OK) {
        if (error.text[0] == '\0') fuzz_fail("failed without a reason");
        return;
    }
    if (!isfinite(m.p) || !isfinite(m.porosity)) fuzz_fail("a measure is not finite");
}

static tw_sim *copy_of(const tw_sim *sim)
{
    checkpoint_table table;
    tw_error error;
    checkpoint_table_save(&table, sim);
    tw_sim *copy = checkpoint_table_load(&table, &error);
    checkpoint_table_free(&table);
    if (!copy) fuzz_fail(error.text);
    if (tw_sim_hash(copy) != tw_sim_hash(sim)) fuzz_fail("saved and loaded: another hash");
    return copy;
}

/* A state may be unable to run, or to be saved then, but it says so. */
static int run_some(tw_sim *sim)
{
    tw_error error = {TW_STATUS_OK, ""};
    tw_checkpoint_data data = {0};
    tw_status status = tw_sim_run(sim, STEPS, &error);
    if (status == TW_STATUS_OK) status = tw_sim_gather(sim, &data, &error);
    tw_checkpoint_data_free(&data);
    if (status == TW_STATUS_OK) return 1;
    if (error.text[0] == '\0' || status == TW_STATUS_MEMORY) fuzz_fail("failed without a reason");
    return 0;
}

static void check_runs(tw_sim *sim)
{
    if (!run_some(sim)) return;
    ran++;
    tw_sim *copy = copy_of(sim);
    const int one = run_some(sim), other = run_some(copy);
    if (one != other) fuzz_fail("only one of two equal states runs on");
    if (one && tw_sim_hash(sim) != tw_sim_hash(copy)) fuzz_fail("equal states run differently");
    tw_sim_free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return -1;
    checkpoint_table table, saved;
    checkpoint_table_copy(&table, &good[data[0] % STATES]);
    for (size_t at = 1; at + CHANGE <= size; at += CHANGE) {
        change c = {.what = data[at], .which = data[at + 1]};
        memcpy(&c.where, data + at + 2, sizeof c.where);
        memcpy(&c.value, data + at + 4, sizeof c.value);
        make_change(&table, &c);
    }
    tw_error error = {TW_STATUS_OK, ""};
    tw_sim *sim = checkpoint_table_load(&table, &error);
    if ((sim == NULL) != (error.text[0] != '\0')) fuzz_fail("a state with an error, or neither");
    inputs++;
    if (sim) {
        accepted++;
        checkpoint_table_save(&saved, sim);
        check_same(&table, &saved);
        checkpoint_table_free(&saved);
        check_ids(sim);
        check_measures(sim);
        check_runs(sim);
    }
    tw_sim_free(sim);
    checkpoint_table_free(&table);
    return 0;
}
