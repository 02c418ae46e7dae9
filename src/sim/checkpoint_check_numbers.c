/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers that no valid state can have. An intact seal does not say which program wrote the file;
 * after these checks the search can make its list: lengths are finite and positive, the cell has a
 * volume, and no body is so far away that its image number overflows; and measures are finite. */
#include "sim/checkpoint_check_numbers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <twirl/math.h>

#include "base/error.h"
#include "sim/checkpoint_items.h"
#include "sim/sim_inside.h"

/* Far from all that occurs in any units, and such that products and quotients of a few numbers do
 * not overflow, nor the inverse of one that must be positive. */
static const double largest = 1e50, smallest = 1e-100;

static tw_status refuse(const char *path, const char *set, size_t row, tw_error *error)
{
    return tw_error_set(error, TW_STATUS_FILE, "%s: row %zu of %s has an invalid number",
                        tw_error_shorten_path(path).text, row, set);
}

static int is_rotation(tw_quat q)
{
    return fabs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1.0) < 1e-6;
}

/* Whole numbers that a double tells from their neighbours. */
static int is_image(tw_vec3 n)
{
    return n.x == rint(n.x) && n.y == rint(n.y) && n.z == rint(n.z) && fabs(n.x) < 1e15 &&
           fabs(n.y) < 1e15 && fabs(n.z) < 1e15;
}

/* Far more than bodies leave the cell between two searches. */
static int is_near(const tw_mat3 *inverse, tw_vec3 x)
{
    const tw_vec3 s = tw_mat3_mul_vec(*inverse, x);
    return fabs(s.x) < 1e6 && fabs(s.y) < 1e6 && fabs(s.z) < 1e6;
}

/* `inverse` is that of `h`, edges neither vanish nor lie in one plane, and their products do not
 * overflow. */
static int is_cell(const tw_mat3 *h, const tw_mat3 *inverse)
{
    const tw_mat3 one = tw_mat3_mul(*h, *inverse);
    if (!(tw_mat3_max_abs(*h) < 1e50 && tw_mat3_max_abs(*inverse) < 1e50)) return 0;
    for (int k = 0; k < 9; k++)
        if (!(fabs(one.m[k] - (k % 4 == 0)) < 1e-6)) return 0;
    return 1;
}

/* Width of the cell across its narrowest periodic edge; the cells of a state are wider than a few
 * bodies, and a body as wide as many cells would touch very many of its images. */
static double width_of(const tw_cell *cell, const tw_mat3 *inverse)
{
    double width = 1e100;
    for (int k = 0; k < 3; k++)
        if (cell->periodic[k])
            width = tw_math_min(width, 1.0 / tw_vec3_norm(tw_mat3_row(*inverse, k)));
    return width;
}

static tw_status check_cell(const tw_cell *cell, int listed, const char *path, tw_error *error)
{
    const tw_mat3 reference = tw_mat3_inverse(cell->h_ref);
    if (!is_cell(&cell->h, &cell->inverse)) return refuse(path, "cell/h", 0, error);
    if (listed && !is_cell(&cell->h_ref, &reference)) return refuse(path, "cell/h_ref", 0, error);
    return TW_STATUS_OK;
}

static tw_status check_shapes(const tw_model *model, const char *path, tw_error *error)
{
    for (size_t i = 0; i < model->shape_count; i++) {
        const tw_shape *shape = &model->shapes[i];
        int good = shape->radius > 0.0;
        for (size_t k = 0; k < shape->count; k++) {
            const tw_sphere *s = &shape->spheres[k];
            good = good && s->radius > 0.0 &&
                   tw_vec3_norm(s->centre) + s->radius <= shape->radius * (1.0 + 1e-6);
        }
        if (!good) return refuse(path, "shapes/spheres", i, error);
    }
    return TW_STATUS_OK;
}

static tw_status check_bodies(const tw_model *model, const tw_state *state, int listed,
                              const char *path, tw_error *error)
{
    const tw_bodies *b = &state->bodies;
    const tw_mat3 reference = listed ? tw_mat3_inverse(state->cell.h_ref) : state->cell.inverse;
    const double widest = 3.0 * tw_math_min(width_of(&state->cell, &state->cell.inverse),
                                            width_of(&state->cell, &reference));
    if (!(state->skin >= 0.0 && state->skin < widest)) return refuse(path, "state/skin", 0, error);
    if (!(model->skin_requested >= 0.0 && model->skin_requested < widest))
        return refuse(path, "settings/skin_requested", 0, error);
    for (size_t i = 0; i < b->count; i++) {
        const double size = b->size[i] * model->shapes[b->shape[i]].radius;
        const tw_vec3 inertia = b->inertia[i];
        if (!(b->size[i] > 0.0 && size < widest)) return refuse(path, "bodies/size", i, error);
        if (!(b->mass[i] > smallest)) return refuse(path, "bodies/mass", i, error);
        if (!(inertia.x > smallest && inertia.y > smallest && inertia.z > smallest))
            return refuse(path, "bodies/inertia", i, error);
        if (!is_near(&state->cell.inverse, b->x[i])) return refuse(path, "bodies/x", i, error);
        if (listed && !is_near(&reference, b->x_ref[i]))
            return refuse(path, "bodies/x_ref", i, error);
        if (!is_rotation(b->q[i])) return refuse(path, "bodies/q", i, error);
        if (listed && !is_rotation(b->q_ref[i])) return refuse(path, "bodies/q_ref", i, error);
        if (b->type[i] == 0) return refuse(path, "bodies/type", i, error);
        if (!is_image(b->image[i])) return refuse(path, "bodies/image", i, error);
    }
    return TW_STATUS_OK;
}

static tw_status check_settings(const tw_model *model, const tw_state *state, const char *path,
                                tw_error *error)
{
    const struct {
        const char *set;
        double value, least;
    } numbers[] = {{"settings/mass_scale", model->mass_scale, smallest},
                   {"settings/damping_mass", model->damping_mass, 0.0},
                   {"settings/damping_spin", model->damping_spin, 0.0},
                   {"settings/damping_local", model->damping_local, 0.0},
                   {"settings/dt_fraction", model->dt_fraction, smallest},
                   /* An automatic one is not known before the first step. */
                   {"state/dt", state->dt, model->dt_automatic ? 0.0 : smallest}};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        if (!(numbers[k].value >= numbers[k].least)) return refuse(path, numbers[k].set, 0, error);
    for (size_t k = 0; k < model->material_count; k++)
        if (!(model->materials[k].density >= smallest))
            return refuse(path, "materials/density", k, error);
    for (size_t k = 0; k < tw_model_law_count(model); k++)
        if (!(model->laws[k].kn >= smallest)) return refuse(path, "laws/kn", k, error);
    return TW_STATUS_OK;
}

static tw_status check_flags(const tw_model *model, const tw_state *state, int listed,
                             const char *path, tw_error *error)
{
    const struct {
        const char *set;
        int value;
    } flags[] = {{"contacts/listed", listed},
                 {"settings/dt_automatic", model->dt_automatic},
                 {"settings/dt_forced", model->dt_forced},
                 {"energy_balance/started", state->balance.started}};
    for (size_t k = 0; k < sizeof flags / sizeof *flags; k++)
        if (flags[k].value != 0 && flags[k].value != 1) return refuse(path, flags[k].set, 0, error);
    return TW_STATUS_OK;
}

static tw_status check_rest(const tw_state *state, const tw_contact_list *c, const char *path,
                            tw_error *error)
{
    for (size_t k = 0; k < state->wall_count; k++) {
        const tw_wall *wall = &state->walls[k];
        if (!(fabs(tw_vec3_norm(wall->normal) - 1.0) < 1e-6) ||
            tw_sim_inside_edge_across(state, wall) >= 0)
            return refuse(path, "walls/normal", k, error);
        if (wall->servo != 0 && wall->servo != 1) return refuse(path, "walls/servo", k, error);
        if (!(wall->v_max >= 0.0)) return refuse(path, "walls/v_max", k, error);
    }
    for (size_t k = 0; k < c->count; k++) {
        if (!(fabs(tw_vec3_norm(c->memory[k].n) - 1.0) < 1e-6))
            return refuse(path, "contacts/n", k, error);
        if (!(c->memory[k].zeta >= 0.0)) return refuse(path, "contacts/zeta", k, error);
        if (c->sliding[k] > 1) return refuse(path, "contacts/sliding", k, error);
    }
    return TW_STATUS_OK;
}

/* Only the limit of a wall's velocity may be infinite; check_rest tests it. */
static tw_status check_size(const tw_checkpoint_item *item, const char *path, tw_error *error)
{
    const size_t numbers = (size_t)item->form.down * item->form.across;
    if (item->form.type != TW_CHECKPOINT_F64 || strcmp(item->name, "v_max") == 0)
        return TW_STATUS_OK;
    for (size_t r = 0; r < item->rows; r++) {
        const double *value = tw_checkpoint_item_value(item, r);
        for (size_t k = 0; k < numbers; k++)
            if (!(fabs(value[k]) < largest)) { /* not a number, too */
                char set[64];
                snprintf(set, sizeof set, "%s/%s", item->group, item->name);
                return refuse(path, set, r, error);
            }
    }
    return TW_STATUS_OK;
}

static tw_status check_sizes(const tw_model *model, const tw_state *state, const tw_servo *servo,
                             const tw_contact_list *contacts, const char *path, tw_error *error)
{
    tw_checkpoint_data data = {.model = (tw_model *)model,
                               .state = (tw_state *)state,
                               .servo = (tw_servo *)servo,
                               .contacts = *contacts,
                               .contact_count = contacts->count};
    tw_checkpoint_list list;
    tw_checkpoint_list_make(&list, &data);
    tw_status status = TW_STATUS_OK;
    for (size_t k = 0; k < list.count && status == TW_STATUS_OK; k++)
        status = check_size(&list.item[k], path, error);
    return status;
}

tw_status tw_checkpoint_check_numbers(const tw_model *model, const tw_state *state,
                                      const tw_servo *servo, const tw_contact_list *contacts,
                                      int listed, const char *path, tw_error *error)
{
    tw_status status = check_sizes(model, state, servo, contacts, path, error);
    if (status == TW_STATUS_OK) status = check_cell(&state->cell, listed, path, error);
    if (status == TW_STATUS_OK) status = check_shapes(model, path, error);
    if (status == TW_STATUS_OK) status = check_bodies(model, state, listed, path, error);
    if (status == TW_STATUS_OK) status = check_settings(model, state, path, error);
    if (status == TW_STATUS_OK) status = check_flags(model, state, listed, path, error);
    if (status == TW_STATUS_OK) status = check_rest(state, contacts, path, error);
    return status;
}
