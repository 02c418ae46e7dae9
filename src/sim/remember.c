/* SPDX-License-Identifier: BSD-3-Clause */
/* Memories of contacts that come from elsewhere. They go the way of those of a checkpoint, but for
 * the forces, which a checkpoint has and a caller has not. */
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "search/search.h"
#include "sim/checkpoint.h"
#include "sim/sim_inside.h"
#include "step/step.h"

/* Of the radii: how far a contact may lie from where the bodies are. */
static const double place_tolerance = 1e-4;

/* The spheres of a contact, or 0. A wall is the sphere after all others. */
static int find_spheres(const tw_world *w, const tw_contact_state *c, uint32_t sphere[2])
{
    const uint32_t body[2] = {c->body_p, c->body_q}, member[2] = {c->member_p, c->member_q};
    for (int k = 0; k < 2; k++) {
        if (k == 1 && body[k] == TW_NO_BODY) {
            if (member[k] >= w->wall_count) return 0;
            sphere[k] = (uint32_t)(w->spheres.count + member[k]);
            continue;
        }
        if (body[k] >= w->bodies.count) return 0;
        const uint32_t i = w->bodies.index_of[body[k]];
        if (member[k] >= w->bodies.sphere_first[i + 1] - w->bodies.sphere_first[i]) return 0;
        sphere[k] = w->bodies.sphere_first[i] + member[k];
    }
    return 1;
}

/* How far the remembered place of q is from its present one, seen from p, in parts of the radii. */
static double misplaced(const tw_world *w, const tw_pair *pair, tw_vec3 n, double zeta)
{
    const tw_vec3 x = tw_world_sphere(w, pair->p);
    const double r = w->spheres.radius[pair->p];
    if (pair->q >= w->spheres.count) {
        const tw_wall *wall = &w->walls[pair->q - w->spheres.count];
        const double d = tw_vec3_dot(tw_vec3_sub(x, wall->point), wall->normal);
        return tw_vec3_norm(tw_vec3_add(n, wall->normal)) + fabs(d - r + zeta) / r;
    }
    const double sum = r + w->spheres.radius[pair->q];
    const tw_vec3 b = tw_vec3_add(tw_vec3_sub(tw_world_sphere(w, pair->q), x),
                                  tw_cell_offset(&w->cell.h, pair->shift));
    return tw_vec3_norm(tw_vec3_add_scaled(b, zeta - sum, n)) / sum;
}

/* Looks through the pairs of a body for the image of the contact. `side` is -1 where the list has
 * the pair the other way round. SIZE_MAX: there is none. */
static size_t find_pair(const tw_world *w, const tw_contact_state *c, const uint32_t sphere[2],
                        double *side)
{
    const uint32_t a = tw_world_body_of(w, sphere[0]), b = tw_world_body_of(w, sphere[1]);
    const uint32_t body = a < b ? a : b;
    size_t best = SIZE_MAX;
    double least = place_tolerance;
    for (size_t k = w->pairs.first[body]; k < w->pairs.first[body + 1]; k++) {
        const tw_pair *pair = &w->pairs.pair[k];
        for (int turned = 0; turned < 2; turned++) {
            if (pair->p != sphere[turned] || pair->q != sphere[1 - turned]) continue;
            const double sign = turned ? -1.0 : 1.0;
            const double off = misplaced(w, pair, tw_vec3_scale(sign, c->n), c->zeta);
            if (!(off < least)) continue;
            least = off;
            best = k;
            *side = sign;
        }
    }
    return best;
}

static const char *contact_wrong(const tw_contact_state *c)
{
    const tw_vec3 f = c->force, t = c->ft;
    if (!(fabs(tw_vec3_norm(c->n) - 1.0) < 1e-6)) return "the normal is no unit vector";
    if (!(c->zeta > 0.0 && isfinite(c->zeta))) return "the overlap must be above 0";
    if (!isfinite(t.x + t.y + t.z + f.x + f.y + f.z)) return "a force is not finite";
    if (fabs(tw_vec3_dot(t, c->n)) > 1e-6 * tw_vec3_norm(t))
        return "the tangential force is not tangential";
    return NULL;
}

/* Puts one memory into `all`. `number` has, by pair, where its contact is there, from 1. */
static const char *remember(const tw_world *w, const tw_contact_state *c, uint32_t *number,
                            tw_contact_list *all)
{
    uint32_t sphere[2];
    double side = 1.0;
    const char *wrong = contact_wrong(c);
    if (wrong) return wrong;
    if (!find_spheres(w, c, sphere)) return "there is no such body, member or wall";
    const size_t k = find_pair(w, c, sphere, &side);
    if (k == SIZE_MAX) return "the two do not touch in this direction with this overlap";
    if (number[k] == 0) {
        all->pair[all->count] = w->pairs.pair[k];
        number[k] = (uint32_t)++all->count;
    }
    const size_t at = number[k] - 1;
    if (all->slot[at] == TW_NO_SLOT) return "it is given twice";
    all->slot[at] = TW_NO_SLOT;
    const tw_vec3 elastic = tw_vec3_add_scaled(c->ft, -w->law.kn * c->zeta, c->n);
    all->memory[at] =
        (tw_contact_memory){tw_vec3_scale(side, c->n), c->zeta, tw_vec3_scale(side, c->ft)};
    all->drag[at] = tw_vec3_scale(side, tw_vec3_sub(c->force, elastic));
    all->sliding[at] = c->sliding != 0;
    return NULL;
}

/* ---- Forces as they are remembered ---- */

static void accumulator(tw_world *w, const tw_contact_state *c)
{
    tw_bodies *b = &w->bodies;
    const uint32_t p = b->index_of[c->body_p];
    const tw_vec3 arm = tw_vec3_sub(c->point, b->x[p]);
    b->force[p] = tw_vec3_add(b->force[p], c->force);
    b->torque[p] = tw_vec3_add(b->torque[p], tw_vec3_cross(arm, c->force));
    w->sums.contacts++;
    w->sums.sliding += (size_t)c->sliding;
    w->sums.normal += 0.5 * c->fn * c->zeta;
    if (w->law.kt > 0.0) w->sums.tangential += 0.5 / w->law.kt * tw_vec3_dot(c->ft, c->ft);
    if (c->body_q == TW_NO_BODY) {
        tw_wall *wall = &w->walls[c->member_q];
        wall->force = tw_vec3_sub(wall->force, c->force);
        w->sums.moment = tw_mat3_add_scaled(w->sums.moment, -1.0, tw_mat3_outer(b->x[p], c->force));
        return;
    }
    const uint32_t q = b->index_of[c->body_q];
    b->force[q] = tw_vec3_sub(b->force[q], c->force);
    b->torque[q] = tw_vec3_sub(b->torque[q], tw_vec3_cross(tw_vec3_sub(arm, c->branch), c->force));
    w->sums.moment = tw_mat3_add(w->sums.moment, tw_mat3_outer(c->branch, c->force));
}

static void add_forces(tw_world *w, const tw_contact_state *contacts, size_t count)
{
    memset(w->bodies.force, 0, w->bodies.count * sizeof *w->bodies.force);
    memset(w->bodies.torque, 0, w->bodies.count * sizeof *w->bodies.torque);
    memset(&w->sums, 0, sizeof w->sums);
    for (size_t k = 0; k < w->wall_count; k++)
        w->walls[k].force = tw_vec3_make(0.0, 0.0, 0.0);
    for (size_t k = 0; k < count; k++)
        accumulator(w, &contacts[k]);
}

/* What the change brings in comes from outside. */
static void add_change(tw_world *w, tw_move_energy before, tw_sums sums)
{
    const tw_move_energy after = tw_move_energies(w);
    w->balance.start += after.translation + after.rotation - before.translation - before.rotation;
    w->balance.start += w->sums.normal + w->sums.tangential - sums.normal - sums.tangential;
    w->balance.body_damping -= after.damped - before.damped;
    w->balance.cell -= after.cell_work - before.cell_work;
}

/* ---- All together ---- */

static tw_status merge(const tw_world *w, const tw_contact_state *contacts, size_t count,
                       tw_contact_list *all, size_t *wrong, tw_error *error)
{
    uint32_t *number = calloc(w->pairs.count + 1, sizeof *number);
    if (!number || !tw_checkpoint_contacts_gather(w, count, all)) {
        free(number);
        return tw_error_set(error, TW_STATUS_MEMORY, "no memory for %zu contacts", count);
    }
    for (size_t k = 0, at = 0; k < w->pairs.count; k++) {
        if (tw_pairs_touch(&w->pairs, k)) number[k] = (uint32_t)++at;
    }
    const char *why = NULL;
    size_t k = 0;
    for (; k < count && !why; k++)
        why = remember(w, &contacts[k], number, all);
    free(number);
    if (!why) return TW_STATUS_OK;
    if (wrong) *wrong = k - 1;
    return tw_error_set(error, TW_STATUS_INPUT, "%s", why);
}

/* Seats the contacts anew. Those that were given have no slot yet, so all get the next one. */
static tw_status body_slot(tw_world *w, tw_contact_list *all, tw_error *error)
{
    uint32_t *slot = all->slot;
    all->slot = NULL;
    const tw_status status = tw_search_restore(w, all, error);
    all->slot = slot;
    return status;
}

tw_status tw_sim_set_contacts(tw_sim *sim, const tw_contact_state *contacts, size_t count,
                              size_t *wrong, tw_error *error)
{
    tw_world *w = &sim->world;
    tw_contact_list all = {0};
    tw_error_clear(error);
    tw_sim_use_threads(sim);
    tw_status status = tw_step_prepare(w, error);
    if (status != TW_STATUS_OK) return status;
    const tw_move_energy before = tw_move_energies(w);
    const tw_sums sums = w->sums;
    status = merge(w, contacts, count, &all, wrong, error);
    tw_contact_state *now = malloc((all.count + 1) * sizeof *now);
    if (status == TW_STATUS_OK && !now)
        status = tw_error_set(error, TW_STATUS_MEMORY, "no memory for %zu contacts", all.count);
    if (status == TW_STATUS_OK) status = body_slot(w, &all, error);
    if (status == TW_STATUS_OK) {
        tw_sim_get_contacts(sim, now);
        add_forces(w, now, all.count);
        add_change(w, before, sums);
        tw_servo_forget(&sim->servo);
        status = tw_step_check_dt(w, error);
    }
    free(now);
    tw_checkpoint_contacts_free(&all);
    return status;
}
