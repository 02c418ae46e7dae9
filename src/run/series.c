/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of series, their columns and rows. A new series is a row of `table`. */
#include "run/series.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/json.h"

/* Columns are all items of the first value, then all of the second ... */
typedef struct series_kind {
    tw_run_series of;
    size_t (*items)(const tw_sim *sim); /* 0: a run without this series */
    void (*name)(const tw_sim *sim, size_t item, tw_text_buffer *text);
    /* Fills columns, in their order. */
    tw_status (*fill)(const tw_run *run, size_t items, double *values);
} series_kind;

/* ---- Contacts by pair of materials ---- */

static size_t pairs_of(const tw_sim *sim)
{
    const size_t count = tw_sim_material_count(sim);
    return count > 1 ? count * (count + 1) / 2 : 0;
}

/* A character that a name in a scenario cannot have: checkpoints may have any. */
static void add_name(tw_text_buffer *text, const char *name)
{
    for (; *name; name++)
        tw_text_buffer_add(text,
                           isalnum((unsigned char)*name) || strchr("_-", *name) ? "%c" : "%%%02X",
                           (unsigned char)*name);
}

static void name_pair(const tw_sim *sim, size_t item, tw_text_buffer *text)
{
    const size_t count = tw_sim_material_count(sim);
    size_t a = 0;
    for (; item >= count - a; a++)
        item -= count - a;
    add_name(text, tw_sim_material_name(sim, (uint32_t)a));
    tw_text_buffer_add(text, ":");
    add_name(text, tw_sim_material_name(sim, (uint32_t)(a + item)));
}

static tw_status fill_pairs(const tw_run *run, size_t items, double *values)
{
    const tw_scenario_stage *stage = tw_run_stage(run);
    const bool slides = !stage || stage->path != TW_SCENARIO_ROTATE; /* as in the history */
    tw_sim_pair_measure *pairs = malloc(items * sizeof *pairs);
    if (!pairs) return tw_error_set_memory(run->error);
    const tw_status status = tw_sim_measure_pairs(run->sim, pairs, items, NULL, run->error);
    for (size_t k = 0; k < items && status == TW_STATUS_OK; k++) {
        const double count = (double)pairs[k].contacts;
        values[k] = count;
        values[items + k] = pairs[k].share_p;
        values[2 * items + k] = pairs[k].share_q;
        values[3 * items + k] =
            count > 0.0 && slides ? (double)pairs[k].sliding / count : (double)NAN;
    }
    free(pairs);
    return status;
}

static const tw_run_series_value of_pairs[] = {
    {"contacts", "1", "Contacts", "number of contacts between these materials"},
    {"share_p", "1", "Share of the mean stress", "part of p that these contacts carry"},
    {"share_q", "1", "Share of the deviator stress",
     "part of q that these contacts carry, along its deviator"},
    {"sliding_fraction", "1", "Fraction of sliding contacts", "of the contacts between them"},
};

/* ---- Walls ---- */

/* Those without a name are numbered; a space is no part of one. */
static void name_wall(const tw_sim *sim, size_t item, tw_text_buffer *text)
{
    tw_wall_state wall;
    tw_sim_get_wall(sim, item, &wall, NULL); /* it is there: cannot fail */
    add_name(text, wall.name);
    if (!*wall.name) tw_text_buffer_add(text, "wall %zu", item);
}

static tw_status fill_walls(const tw_run *run, size_t items, double *values)
{
    for (size_t k = 0; k < items; k++) {
        tw_wall_state w;
        const tw_status status = tw_sim_get_wall(run->sim, k, &w, run->error);
        if (status != TW_STATUS_OK) return status;
        const double all[] = {w.force.x,  w.force.y, w.force.z, w.torque.x, w.torque.y,
                              w.torque.z, w.point.x, w.point.y, w.point.z,  w.work};
        for (size_t v = 0; v < sizeof all / sizeof *all; v++)
            values[v * items + k] = all[v];
    }
    return TW_STATUS_OK;
}

static const tw_run_series_value of_walls[] = {
    {"force_x", "N", "Force along x", "force of the grains on the wall along x"},
    {"force_y", "N", "Force along y", "likewise along y"},
    {"force_z", "N", "Force along z", "likewise along z"},
    {"torque_x", "N m", "Torque about x", "torque of the grains on the wall about its point, x"},
    {"torque_y", "N m", "Torque about y", "likewise, y"},
    {"torque_z", "N m", "Torque about z", "likewise, z"},
    {"point_x", "m", "Position x", "position of the point of the wall, x"},
    {"point_y", "m", "Position y", "likewise, y"},
    {"point_z", "m", "Position z", "likewise, z"},
    {"work", "J", "Work", "work of the wall on the grains since the start of the energy balance"},
};

/* ---- Stress of the contacts, where that of the history is that on platens ---- */

static size_t has_platens(const tw_sim *sim)
{
    return tw_sim_has_platens(sim, 0) || tw_sim_has_platens(sim, 1) || tw_sim_has_platens(sim, 2);
}

static void name_volume(const tw_sim *sim, size_t item, tw_text_buffer *text)
{
    (void)sim, (void)item;
    tw_text_buffer_add(text, "volume");
}

static tw_status fill_volume(const tw_run *run, size_t items, double *values)
{
    static const int at[] = {0, 4, 8, 5, 2, 1};
    tw_measure m;
    const tw_status status = tw_sim_measure_balance(run->sim, &m, run->error);
    for (size_t k = 0; k < sizeof at / sizeof *at && status == TW_STATUS_OK; k++)
        values[items * k] = m.stress_volume.m[at[k]];
    return status;
}

#define MEAN(name, component)                                                                      \
    {                                                                                              \
#name, "Pa", "Stress " component, "mean of the stress of contacts over the cell"           \
    }
static const tw_run_series_value of_volume[] = {MEAN(stress_xx, "xx"), MEAN(stress_yy, "yy"),
                                                MEAN(stress_zz, "zz"), MEAN(stress_yz, "yz"),
                                                MEAN(stress_xz, "xz"), MEAN(stress_xy, "xy")};

/* ---- The table ---- */

#define VALUES(list) list, sizeof(list) / sizeof *(list)

static const series_kind table[] = {
    {{"materials", "contacts by pair of materials", VALUES(of_pairs)},
     pairs_of,
     name_pair,
     fill_pairs},
    {{"surfaces", "forces, places and work of walls", VALUES(of_walls)},
     tw_sim_wall_count,
     name_wall,
     fill_walls},
    {{"contact_stress", "stress of contacts, by volume, between platens", VALUES(of_volume)},
     has_platens,
     name_volume,
     fill_volume},
};
enum { TABLE = sizeof table / sizeof *table };
_Static_assert((int)TABLE <= (int)TW_RUN_STATE_SERIES, "a run state has room for all");

const tw_run_series *tw_run_series_at(size_t number)
{
    return number < TABLE ? &table[number].of : NULL;
}

static const series_kind *find(const char *file)
{
    for (size_t k = 0; k < TABLE; k++) {
        const size_t length = strlen(table[k].of.name);
        if (strncmp(file, table[k].of.name, length) == 0 && strcmp(file + length, ".csv") == 0)
            return &table[k];
    }
    return NULL;
}

/* ---- Columns ---- */

/* Readers of twirl take so many columns: five are those of every series. */
enum { COLUMNS_MAX = TW_CSV_COLUMNS_MAX - 5 };

static size_t columns_of(const tw_sim *sim, const series_kind *kind)
{
    return kind->items(sim) * kind->of.value_count;
}

void tw_run_series_choose(const tw_sim *sim, tw_run_state *state)
{
    size_t found = 0;
    memset(state->series, 0, sizeof state->series);
    for (size_t k = 0; k < TABLE; k++) {
        const size_t columns = columns_of(sim, &table[k]);
        if (columns > 0 && columns <= COLUMNS_MAX)
            snprintf(state->series[found++].name, sizeof state->series->name, "%s.csv",
                     table[k].of.name);
    }
}

tw_status tw_run_series_warn(tw_run *run)
{
    tw_status status = TW_STATUS_OK;
    for (size_t k = 0; k < TABLE && status == TW_STATUS_OK; k++) {
        const size_t columns = columns_of(run->sim, &table[k]);
        if (columns > COLUMNS_MAX)
            status =
                tw_run_warn(run, "no %s.csv (%s): %zu columns are more than the %d that are read",
                            table[k].of.name, table[k].of.text, columns, COLUMNS_MAX);
    }
    return status;
}

void tw_run_series_columns(const tw_sim *sim, const char *file, bool described,
                           tw_text_buffer *text)
{
    const series_kind *t = find(file);
    const size_t items = t->items(sim);
    tw_text_buffer name = {0};
    for (size_t k = 0; k < t->of.value_count * items; k++) {
        const tw_run_series_value *value = &t->of.values[k / items];
        tw_text_buffer_clear(&name);
        tw_text_buffer_add(&name, "%s:", value->name);
        t->name(sim, k % items, &name);
        text->failed |= name.failed;
        if (text->failed) break;
        if (described)
            tw_json_table_add(
                text, (tw_json_field){name.text, "number", value->unit, name.text, value->text});
        else
            tw_text_buffer_add(text, ",%s", name.text);
    }
    tw_text_buffer_free(&name);
}

tw_status tw_run_series_fill(const tw_run *run, const char *file, tw_text_buffer *row)
{
    const series_kind *t = find(file);
    const size_t items = t->items(run->sim), columns = items * t->of.value_count;
    double *values = malloc(columns * sizeof *values);
    const tw_status status = values ? t->fill(run, items, values) : tw_error_set_memory(run->error);
    if (status == TW_STATUS_OK) tw_text_buffer_add_csv(row, values, columns);
    free(values);
    return status;
}
