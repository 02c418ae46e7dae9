/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu_copies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../test/must.h"
#include "search/search.h"
#include "sim/sim_internal.h"

typedef struct copying {
    const tw_sim *one;
    const int *copies;
    tw_sim *sim;
    size_t bodies, spheres; /* of one */
} copying;

/* Copies are numbered with z running fastest. */
static size_t number_of(const int *copies, const int at[3])
{
    return ((size_t)at[0] * (size_t)copies[1] + (size_t)at[1]) * (size_t)copies[2] + (size_t)at[2];
}

static void add_bodies(const copying *c, size_t number, tw_vec3 shift)
{
    const tw_bodies *from = &c->one->state.bodies;
    tw_bodies *to = &c->sim->state.bodies;
    const size_t n = c->bodies, first = number * n;
#define TW_COLUMN(type, name) memcpy(to->name + first, from->name, n * sizeof(type));
#include "world/body_columns.def"
#undef TW_COLUMN
    for (size_t i = first; i < first + n; i++) {
        to->id[i] += (uint32_t)first;
        to->x[i] = tw_vec3_add(to->x[i], shift);
        to->x_ref[i] = tw_vec3_add(to->x_ref[i], shift);
        to->x_start[i] = tw_vec3_add(to->x_start[i], shift);
    }
    to->count += n;
}

/* The copy that holds `at + shift`, and how many cells away it is. */
static tw_shift wrap(const int *copies, const int at[3], tw_shift shift, int there[3])
{
    const int by[3] = {shift.i, shift.j, shift.k};
    int far[3];
    for (int k = 0; k < 3; k++) {
        const int to = at[k] + by[k], n = copies[k];
        far[k] = to >= 0 ? to / n : -((n - 1 - to) / n);
        there[k] = to - far[k] * n;
    }
    return (tw_shift){(int8_t)far[0], (int8_t)far[1], (int8_t)far[2]};
}

/* A contact belongs to the body that comes first. */
static void turn(tw_pair *pair, tw_contact_memory *memory)
{
    const uint32_t p = pair->p;
    pair->p = pair->q;
    pair->q = p;
    pair->shift = tw_shift_negative(pair->shift);
    memory->n = tw_vec3_scale(-1.0, memory->n);
    memory->ft = tw_vec3_scale(-1.0, memory->ft);
}

static void add_contacts(const copying *c, const int at[3], const tw_contact_list *from,
                         tw_contact_list *to)
{
    const size_t number = number_of(c->copies, at), first = number * from->count;
    for (size_t k = 0; k < from->count; k++) {
        tw_pair pair = from->pair[k];
        int there[3];
        pair.shift = wrap(c->copies, at, pair.shift, there);
        pair.p += (uint32_t)(number * c->spheres);
        pair.q += (uint32_t)(number_of(c->copies, there) * c->spheres);
        to->pair[first + k] = pair;
        to->memory[first + k] = from->memory[k];
        tw_contact_parts extra = tw_contact_list_get(from, k);
        if (pair.q < pair.p) {
            turn(&to->pair[first + k], &to->memory[first + k]);
            extra = tw_contact_parts_exchanged(&extra);
        }
        tw_contact_list_put(to, first + k, &extra);
    }
}

/* Energies, moments and numbers of contacts of n copies. */
static void scale_sums(tw_state *state, double n)
{
    tw_energy_balance *b = &state->balance;
    double *const energy[] = {&b->body_damping, &b->cell, &b->walls, &b->gravity, &b->start};
    for (int k = 0; k < TW_CONTACT_LOST_KINDS; k++)
        b->lost.by[k] *= n;
    for (int k = 0; k < TW_CONTACT_STORED_KINDS; k++)
        state->sums.stored.of[k] *= n;
    for (size_t k = 0; k < sizeof energy / sizeof *energy; k++)
        *energy[k] *= n;
    for (int k = 0; k < 9; k++)
        state->sums.moment.m[k] *= n;
    state->sums.contacts *= (size_t)n;
    state->sums.sliding *= (size_t)n;
}

static void copy_numbers(const copying *c, double n)
{
    const tw_state *from = &c->one->state;
    tw_state *to = &c->sim->state;
    to->balance = from->balance;
    to->sums = from->sums;
    to->skin = from->skin;
    to->dt = from->dt;
    to->searches = from->searches;
    scale_sums(to, n);
}

static void no_memory(size_t bodies)
{
    fprintf(stderr, "bench_gpu: not enough memory for %zu bodies\n", bodies);
    exit(1);
}

void gpu_copies_make(const tw_sim *one, const int copies[3], tw_sim *sim)
{
    const copying c = {one, copies, sim, tw_sim_body_count(one), tw_sim_sphere_count(one)};
    const size_t n = (size_t)copies[0] * (size_t)copies[1] * (size_t)copies[2];
    const tw_mat3 cell = tw_sim_cell(one);
    tw_contact_list from = {0}, to = {0};
    tw_error error;
    if (n * c.spheres >= UINT32_MAX / 2) no_memory(n * c.bodies);
    must_succeed(tw_state_reserve_bodies(&sim->state, n * c.bodies, &error), &error);
    if (!tw_contact_list_gather(&one->model, &one->state, &one->schedule, 0, 0, 0, &from) ||
        !tw_contact_list_make(&to, n * from.count, from.parts))
        no_memory(n * c.bodies);
    int at[3];
    for (at[0] = 0; at[0] < copies[0]; at[0]++)
        for (at[1] = 0; at[1] < copies[1]; at[1]++)
            for (at[2] = 0; at[2] < copies[2]; at[2]++) {
                const tw_shift shift = {(int8_t)at[0], (int8_t)at[1], (int8_t)at[2]};
                add_bodies(&c, number_of(copies, at), tw_cell_offset(&cell, shift));
                add_contacts(&c, at, &from, &to);
            }
    copy_numbers(&c, (double)n);
    tw_contact_list_free(&from);
    free(to.slot); /* any slot */
    to.slot = NULL;
    must_succeed(tw_search_defer(&sim->model, &sim->state, &sim->schedule, &to, &error), &error);
    tw_contact_list_free(&to);
}
