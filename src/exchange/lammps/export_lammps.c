/* SPDX-License-Identifier: BSD-3-Clause */
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include <twirl/exchange.h>
#include <twirl/math.h>

#include "base/mat3.h"
#include "base/quat.h"
#include "base/text.h"
#include "base/text_file.h"
#include "exchange/export.h"
#include "exchange/lammps/lammps.h"
#include "exchange/lammps/lammps_run.h"

/* LAMMPS dumps: in the frame of LAMMPS, the only one that its older versions read. */

typedef struct dump_box {
    tw_lammps_frame frame;
    tw_mat3 images; /* edges of the cell in those of the box: whole numbers along periodic edges */
    bool turned;
} dump_box;

/* Compares exactly: a cell that is deformed as in LAMMPS keeps its zeros. LAMMPS refuses boxes that
 * are tilted by more than half an edge. */
static bool is_box(const double *h, const int *periodic)
{
    const bool steep = (periodic[0] && tw_math_max(fabs(h[1]), fabs(h[2])) > 0.5 * h[0]) ||
                       (periodic[1] && fabs(h[5]) > 0.5 * h[4]);
    return h[3] == 0.0 && h[6] == 0.0 && h[7] == 0.0 && h[0] > 0.0 && h[4] > 0.0 && h[8] > 0.0 &&
           !steep;
}

static dump_box make_box(const tw_sim *sim)
{
    const tw_mat3 cell = tw_sim_cell(sim), one = tw_mat3_identity();
    const tw_sim_def def = tw_sim_definition(sim);
    dump_box box = {.frame = {.turn = one, .h = cell}, .images = one};
    memcpy(box.frame.periodic, def.periodic, sizeof def.periodic);
    if (is_box(cell.m, def.periodic)) return box;
    box.frame = tw_lammps_frame_make(&cell, def.periodic);
    box.turned = memcmp(&box.frame.turn, &one, sizeof one) != 0;
    box.images = tw_mat3_mul(tw_mat3_inverse(box.frame.h), tw_mat3_mul(box.frame.turn, cell));
    for (int k = 0; k < 9; k++)
        box.images.m[k] = round(box.images.m[k]);
    return box;
}

/* The bounds of a tilted box are those of its bounding box, as in LAMMPS itself. */
static void print_bounds(tw_outfile *out, const tw_lammps_frame *frame)
{
    const double *h = frame->h.m, xy = h[1], xz = h[2], yz = h[5];
    tw_outfile_print(out, "ITEM: BOX BOUNDS xy xz yz");
    for (int k = 0; k < 3; k++)
        tw_outfile_print(out, " %s", frame->periodic[k] ? "pp" : "ff");
    const double low_x = tw_math_min(tw_math_min(0.0, xy + xz), tw_math_min(xy, xz));
    const double high_x = h[0] + tw_math_max(tw_math_max(0.0, xy + xz), tw_math_max(xy, xz));
    tw_outfile_print(out, "\n%.17g %.17g %.17g\n", low_x, high_x, xy);
    tw_outfile_print(out, "%.17g %.17g %.17g\n", tw_math_min(0.0, yz), h[4] + tw_math_max(0.0, yz),
                     xz);
    tw_outfile_print(out, "0 %.17g %.17g\n", h[8], yz);
}

/* The line of the units is the one that LAMMPS does not interpret, so it has the rotation, too. */
static void lammps_print_head(tw_outfile *out, const tw_sim *sim, const dump_box *box,
                              const char *what, size_t count)
{
    tw_outfile_print(out, "ITEM: UNITS\nsi%s", box->turned ? " rotation" : "");
    for (int k = 0; box->turned && k < 9; k++)
        tw_outfile_print(out, " %.17g", box->frame.turn.m[k]);
    tw_outfile_print(out, "\nITEM: TIMESTEP\n%llu\nITEM: NUMBER OF %s\n%zu\n",
                     (unsigned long long)tw_sim_steps(sim), what, count);
    print_bounds(out, &box->frame);
}

static void print_vector(tw_outfile *out, const dump_box *box, tw_vec3 v)
{
    const tw_vec3 turned = tw_lammps_frame_turn(&box->frame, v);
    tw_outfile_print(out, " %.17g %.17g %.17g", turned.x, turned.y, turned.z);
}

static void lammps_print_spheres(tw_outfile *out, const tw_sim *sim, const tw_frame *frame)
{
    const dump_box box = make_box(sim);
    lammps_print_head(out, sim, &box, "ATOMS", frame->sphere_count);
    tw_outfile_print(out, "ITEM: ATOMS id type x y z radius vx vy vz omegax omegay omegaz "
                          "body member shape coordination c_disp[1] c_disp[2] c_disp[3] "
                          "c_stress[1] c_stress[2] c_stress[3] c_stress[4] c_stress[5] "
                          "c_stress[6]\n");
    for (size_t i = 0; i < frame->sphere_count; i++) {
        const tw_frame_sphere *s = &frame->spheres[i];
        tw_outfile_print(out, "%zu %lu", i + 1, (unsigned long)s->type);
        print_vector(out, &box, s->x);
        tw_outfile_print(out, " %.17g", s->radius);
        print_vector(out, &box, s->v);
        print_vector(out, &box, s->w);
        tw_outfile_print(out, " %lu %lu %lu %lu", (unsigned long)s->body, (unsigned long)s->member,
                         (unsigned long)s->shape, (unsigned long)s->coordination);
        print_vector(out, &box, s->displacement);
        const tw_mat3 stress = tw_lammps_frame_turn_tensor(&box.frame, &s->stress);
        const double *t = stress.m; /* xx, yy, zz, xy, xz, yz of the symmetric part */
        tw_outfile_print(out, " %.17g %.17g %.17g %.17g %.17g %.17g\n", t[0], t[4], t[8],
                         0.5 * (t[1] + t[3]), 0.5 * (t[2] + t[6]), 0.5 * (t[5] + t[7]));
    }
}

static void lammps_print_contacts(tw_outfile *out, const tw_sim *sim, const tw_frame *frame)
{
    const dump_box box = make_box(sim);
    size_t count = 0;
    for (size_t i = 0; i < frame->contact_count; i++)
        count += frame->contacts[i].body_q != TW_NO_BODY;
    lammps_print_head(out, sim, &box, "ENTRIES", count);
    tw_outfile_print(out, "ITEM: ENTRIES " TW_LAMMPS_FRAME_CONTACTS "\n");
    for (size_t i = 0; i < frame->contact_count; i++) {
        const tw_contact_state *c = &frame->contacts[i];
        if (c->body_q == TW_NO_BODY) continue;
        const tw_vec3 image =
            tw_mat3_mul_vec(box.images, tw_vec3_make((double)c->shift[0], (double)c->shift[1],
                                                     (double)c->shift[2]));
        tw_outfile_print(out, "%lu %lu %d %d %d %lu %lu %.17g %.17g %d",
                         (unsigned long)frame->first[c->body_p] + c->member_p + 1,
                         (unsigned long)frame->first[c->body_q] + c->member_q + 1, (int)image.x,
                         (int)image.y, (int)image.z, (unsigned long)c->body_p,
                         (unsigned long)c->body_q, c->fn, c->zeta, c->sliding != 0);
        print_vector(out, &box, c->force);
        print_vector(out, &box, c->ft);
        print_vector(out, &box, c->point);
        tw_outfile_print(out, "\n");
    }
}

tw_status tw_export_lammps(const tw_sim *sim, const char *path, tw_error *error)
{
    return tw_export_frame(sim, path, lammps_print_spheres, error);
}

tw_status tw_export_lammps_contacts(const tw_sim *sim, const char *path, tw_error *error)
{
    return tw_export_frame(sim, path, lammps_print_contacts, error);
}

/* The stock pair style computes the relative motion from velocities, which must then include the
 * affine part; pair_style twirl uses positions, which `fix deform` moves. */

tw_lammps_options tw_lammps_options_default(void)
{
    const tw_lammps_options options = {.pair = TW_LAMMPS_TWIRL, .steps = 1000};
    return options;
}

/* LAMMPS' frame rotates with the cell where the gradient would rotate it out of the frame. Only the
 * angular velocities of bodies depend on that. */
static void remove_rotation(tw_lammps_run *run)
{
    double *g = run->gradient.m;
    run->spin = tw_vec3_make(g[7], -g[6], g[3]);
    g[1] += g[3];
    g[2] += g[6];
    g[5] += g[7];
    g[3] = g[6] = g[7] = 0.0;
}

/* Takes the frame, the box and the velocity gradient from the simulation; on failure there is
 * nothing to end. */
static tw_status run_begin(tw_lammps_run *run, const tw_sim *sim, const char *prefix,
                           const tw_lammps_options *options, tw_error *error)
{
    *run = (tw_lammps_run){.sim = sim, .def = tw_sim_definition(sim), .options = *options};
    run->prefix = prefix;
    tw_status status = tw_frame_take(&run->frame, sim, error);
    if (status != TW_STATUS_OK) return status;
    status = tw_lammps_types_make(&run->types, sim, TW_LAMMPS_RUN_FIXED, error);
    if (status != TW_STATUS_OK) {
        tw_frame_free(&run->frame);
        return status;
    }
    for (uint32_t a = 0; a < tw_sim_materials(sim); a++) {
        for (uint32_t b = a; b < tw_sim_materials(sim); b++) {
            const tw_contact_law law = tw_lammps_run_law(run, a, b);
            run->extras |= tw_contact_law_extras(&law);
        }
    }
    const tw_mat3 cell = tw_sim_cell(sim), gradient = tw_sim_velocity_gradient(sim);
    run->box = tw_lammps_frame_make(&cell, run->def.periodic);
    if (!options->hold) run->gradient = tw_lammps_frame_turn_tensor(&run->box, &gradient);
    remove_rotation(run);
    return TW_STATUS_OK;
}

static void run_end(tw_lammps_run *run)
{
    tw_frame_free(&run->frame);
    tw_lammps_types_free(&run->types);
}

tw_contact_law tw_lammps_run_law(const tw_lammps_run *run, uint32_t a, uint32_t b)
{
    tw_contact_law law = run->def.law;
    tw_sim_pair_law(run->sim, a, b, &law, NULL); /* they exist */
    return law;
}

/* r diag(d) r^T */
static tw_mat3 tensor_of(const tw_mat3 *r, tw_vec3 d)
{
    const double moment[3] = {d.x, d.y, d.z};
    tw_mat3 m = {{0}};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            for (int k = 0; k < 3; k++)
                m.m[3 * i + j] += r->m[3 * i + k] * moment[k] * r->m[3 * j + k];
        }
    }
    return m;
}

/* Solves (1 + dt gradient/2) v = u for the velocity at the present time, like the engine, but with
 * the gradient in LAMMPS' frame, which may rotate, or none if the cell is held. */
static tw_vec3 mean_velocity(const tw_mat3 *gradient, double dt, tw_vec3 u)
{
    const double h = 0.5 * dt, *g = gradient->m;
    const double z = u.z / (1.0 + h * g[8]);
    const double y = (u.y - h * g[5] * z) / (1.0 + h * g[4]);
    const double x = (u.x - h * (g[1] * y + g[2] * z)) / (1.0 + h * g[0]);
    return tw_vec3_make(x, y, z);
}

static tw_lammps_run_body run_body(const tw_lammps_run *run, uint32_t id)
{
    const tw_lammps_frame *box = &run->box;
    tw_lammps_run_body b = {0};
    tw_sim_body(run->sim, id, &b.state, NULL); /* it exists */
    const tw_body_state *s = &b.state;
    const size_t bodies = tw_sim_bodies(run->sim);
    b.first = run->frame.first[id];
    b.count = (id + 1 < bodies ? run->frame.first[id + 1] : run->frame.sphere_count) - b.first;
    b.mover = s->fixed      ? TW_LAMMPS_RUN_FIXED
              : b.count > 1 ? TW_LAMMPS_RUN_MEMBER
                            : TW_LAMMPS_RUN_SPHERE;
    b.type = tw_lammps_types_of_body(&run->types, s, (uint32_t)(b.mover - TW_LAMMPS_RUN_SPHERE));
    b.x = tw_lammps_frame_wrap(box, tw_lammps_frame_turn(box, s->x), b.image);
    const tw_mat3 axes = tw_quat_matrix(s->axes);
    const tw_mat3 tensor = tensor_of(&axes, s->inertia);
    b.inertia = tw_lammps_frame_turn_tensor(box, &tensor);
    if (s->fixed) return b;
    const double dt = tw_sim_dt(run->sim);
    const tw_vec3 u = tw_vec3_add_scaled(s->v_half, 0.5 * dt / s->mass, s->force);
    b.v = mean_velocity(&run->gradient, dt, tw_lammps_frame_turn(box, u));
    if (run->options.pair == TW_LAMMPS_HOOKE) {
        const tw_vec3 from_middle = tw_vec3_sub(b.x, tw_lammps_frame_middle(box));
        b.v = tw_vec3_add(b.v, tw_mat3_mul_vec(run->gradient, from_middle));
    }
    /* w follows from the angular momentum and the orientation, both at the end of the step */
    const tw_vec3 l = tw_vec3_add_scaled(tw_mat3_mul_vec(tensor, s->w_half), 0.5 * dt, s->torque);
    const tw_vec3 own = tw_mat3_transpose_mul_vec(axes, l);
    const tw_vec3 w = {own.x / s->inertia.x, own.y / s->inertia.y, own.z / s->inertia.z};
    b.w = tw_vec3_sub(tw_lammps_frame_turn(box, tw_mat3_mul_vec(axes, w)), run->spin);
    b.l = tw_mat3_mul_vec(b.inertia, b.w);
    return b;
}

/* Fills the totals and means, and encloses the spheres along edges that are not periodic. */
static void run_survey(tw_lammps_run *run)
{
    const size_t bodies = tw_sim_bodies(run->sim);
    const tw_frame *f = &run->frame;
    for (size_t i = 0; i < f->sphere_count; i++) {
        const tw_vec3 x = tw_lammps_frame_turn(&run->box, f->spheres[i].x);
        tw_lammps_frame_enclose(&run->box, x, f->spheres[i].radius, i == 0);
        run->radius_mean += f->spheres[i].radius / (double)f->sphere_count;
        run->radius_max = tw_math_max(run->radius_max, f->spheres[i].radius);
    }
    for (uint32_t id = 0; id < bodies; id++) {
        const tw_lammps_run_body b = run_body(run, id);
        run->atoms[b.mover] += b.count;
        run->clusters += b.mover == TW_LAMMPS_RUN_MEMBER;
        run->molecules = run->molecules || b.count > 1;
        run->mass_mean += b.state.mass / (double)bodies;
        for (size_t i = b.first; i < b.first + b.count; i++)
            run->extent =
                tw_math_max(run->extent, tw_vec3_norm(tw_vec3_sub(f->spheres[i].x, b.state.x)));
    }
}

/* The data file, the bodies and the contacts of a run that continues in LAMMPS. */

static void print_box(tw_outfile *out, const tw_lammps_run *run)
{
    const double *h = run->box.h.m;
    const tw_vec3 low = run->box.low;
    tw_outfile_print(out, "%.17g %.17g xlo xhi\n%.17g %.17g ylo yhi\n%.17g %.17g zlo zhi\n", low.x,
                     low.x + h[0], low.y, low.y + h[4], low.z, low.z + h[8]);
    tw_outfile_print(out, "%.17g %.17g %.17g xy xz yz\n", h[1], h[2], h[5]);
}

/* Members share the mass of the body by volume, so that their sum is its mass. */
static double density_of(const tw_lammps_run *run, const tw_lammps_run_body *b)
{
    double volume = 0.0;
    for (size_t i = b->first; i < b->first + b->count; i++) {
        const double r = run->frame.spheres[i].radius;
        volume += TW_LAMMPS_FRAME_4PI3 * (r * r * r);
    }
    return b->state.mass / volume;
}

static void print_atoms(tw_outfile *out, const tw_lammps_run *run, const tw_lammps_run_body *b)
{
    const double density = density_of(run, b);
    for (size_t i = b->first; i < b->first + b->count; i++) {
        const tw_frame_sphere *s = &run->frame.spheres[i];
        int image[3];
        const tw_vec3 x =
            tw_lammps_frame_wrap(&run->box, tw_lammps_frame_turn(&run->box, s->x), image);
        tw_outfile_print(out, "%zu %lu", i + 1, (unsigned long)b->type);
        if (run->molecules)
            tw_outfile_print(out, " %.17g %.17g %.17g %.17g %.17g %lu", x.x, x.y, x.z,
                             2.0 * s->radius, density, (unsigned long)b->state.id + 1);
        else
            tw_outfile_print(out, " %.17g %.17g %.17g %.17g %.17g", 2.0 * s->radius, density, x.x,
                             x.y, x.z);
        tw_outfile_print(out, " %d %d %d\n", image[0], image[1], image[2]);
    }
}

static void print_velocities(tw_outfile *out, const tw_lammps_run *run, const tw_lammps_run_body *b)
{
    for (size_t i = b->first; i < b->first + b->count; i++) {
        const tw_frame_sphere *s = &run->frame.spheres[i];
        const tw_vec3 arm = tw_lammps_frame_turn(&run->box, tw_vec3_sub(s->x, b->state.x));
        const tw_vec3 v = tw_vec3_add(b->v, tw_vec3_cross(b->w, arm));
        tw_outfile_print(out, "%zu %.17g %.17g %.17g %.17g %.17g %.17g\n", i + 1, v.x, v.y, v.z,
                         b->w.x, b->w.y, b->w.z);
    }
}

static void print_data(tw_outfile *out, const tw_lammps_run *run)
{
    const uint32_t bodies = (uint32_t)tw_sim_bodies(run->sim);
    const uint32_t types = run->types.count;
    tw_outfile_print(out, "twirl: step %llu, time %.17g s\n\n%zu atoms\n%lu atom types\n",
                     (unsigned long long)tw_sim_steps(run->sim), tw_sim_time(run->sim),
                     run->frame.sphere_count, (unsigned long)types);
    print_box(out, run);
    /* a hybrid style requires masses by type, which are not used */
    if (run->molecules) tw_outfile_print(out, "\nMasses\n\n");
    for (uint32_t k = 1; run->molecules && k <= types; k++)
        tw_outfile_print(out, "%lu 1\n", (unsigned long)k);
    tw_outfile_print(out, "\nAtoms # %s\n\n",
                     run->molecules ? "hybrid sphere molecular" : "sphere");
    for (uint32_t id = 0; id < bodies; id++) {
        const tw_lammps_run_body b = run_body(run, id);
        print_atoms(out, run, &b);
    }
    tw_outfile_print(out, "\nVelocities\n\n");
    for (uint32_t id = 0; id < bodies; id++) {
        const tw_lammps_run_body b = run_body(run, id);
        print_velocities(out, run, &b);
    }
}

static void print_bodies(tw_outfile *out, const tw_lammps_run *run)
{
    tw_outfile_print(out, "%zu\n", run->clusters);
    for (uint32_t id = 0; id < tw_sim_bodies(run->sim); id++) {
        const tw_lammps_run_body b = run_body(run, id);
        const double *t = b.inertia.m;
        if (b.mover != TW_LAMMPS_RUN_MEMBER) continue;
        tw_outfile_print(out, "%lu %.17g %.17g %.17g %.17g", (unsigned long)id + 1, b.state.mass,
                         b.x.x, b.x.y, b.x.z);
        tw_outfile_print(out, " %.17g %.17g %.17g %.17g %.17g %.17g", t[0], t[4], t[8], t[1], t[2],
                         t[5]);
        tw_outfile_print(out, " %.17g %.17g %.17g %.17g %.17g %.17g %d %d %d\n", b.v.x, b.v.y,
                         b.v.z, b.l.x, b.l.y, b.l.z, b.image[0], b.image[1], b.image[2]);
    }
}

/* The reduced radius of a contact. */
static double radius_of(const tw_lammps_run *run, const tw_contact_state *c)
{
    const tw_frame *f = &run->frame;
    const double p = f->spheres[f->first[c->body_p] + c->member_p].radius;
    if (c->body_q == TW_NO_BODY) return p;
    const double q = f->spheres[f->first[c->body_q] + c->member_q].radius;
    return p * q / (p + q);
}

/* Rolling, twisting and damping of a contact, in LAMMPS' frame. The damping is what force and
 * couple have beyond their elastic parts. */
static tw_contact_extra extra_of(const tw_lammps_run *run, const tw_contact_state *c)
{
    tw_contact_extra extra = {0};
    const double per_radius = 1.0 / radius_of(run, c);
    const tw_vec3 spring = tw_vec3_add_scaled(c->ft, -c->fn, c->n);
    extra.fr = tw_lammps_frame_turn(&run->box, c->fr);
    extra.fw = c->mt * per_radius;
    extra.drag = tw_lammps_frame_turn(&run->box, tw_vec3_sub(c->force, spring));
    /* couple/radius = (fw + drag_w) n + (fr + drag_r) x n */
    const tw_vec3 couple = tw_vec3_scale(per_radius, c->couple);
    const tw_vec3 rolling = tw_vec3_sub(tw_vec3_cross(c->n, couple), c->fr);
    extra.drag_r = tw_lammps_frame_turn(&run->box, rolling);
    extra.drag_w = tw_vec3_dot(c->n, couple) - extra.fw;
    extra.rate = tw_lammps_frame_turn(&run->box, c->rate);
    extra.rate_r = tw_lammps_frame_turn(&run->box, c->rate_r);
    extra.rate_w = c->rate_w;
    return extra;
}

static void print_memory(tw_outfile *out, const tw_lammps_run *run, const tw_contact_state *c)
{
    const tw_vec3 n = tw_lammps_frame_turn(&run->box, c->n);
    const tw_vec3 ft = tw_lammps_frame_turn(&run->box, c->ft);
    const tw_contact_extra extra = extra_of(run, c);
    const double *values = (const double *)(const void *)&extra;
    tw_outfile_print(out, " %.17g %.17g %.17g %.17g %.17g %.17g %.17g", n.x, n.y, n.z, c->zeta,
                     ft.x, ft.y, ft.z);
    for (size_t i = 0; i < TW_LAMMPS_LAW_COLUMNS; i++) {
        const tw_lammps_law_columns *columns = &tw_lammps_law_columns_of_extras[i];
        for (int k = 0; (run->extras & columns->extra) && k < columns->count; k++)
            tw_outfile_print(out, " %.17g", values[columns->begin + k]);
    }
    tw_outfile_print(out, "\n");
}

static bool is_of(const tw_contact_state *c, int wall)
{
    return wall < 0 ? c->body_q != TW_NO_BODY
                    : c->body_q == TW_NO_BODY && c->member_q == (uint32_t)wall;
}

/* In the form of pair_style twirl (wall -1: contacts between spheres) or fix wall/twirl. */
static void print_contacts(tw_outfile *out, const tw_lammps_run *run, int wall)
{
    const tw_frame *f = &run->frame;
    size_t count = 0;
    for (size_t i = 0; i < f->contact_count; i++)
        count += is_of(&f->contacts[i], wall);
    tw_outfile_print(out, "# twirl contacts %d\n# %s, overlap, tangential force on 1%s\n%zu",
                     run->extras ? 2 : 1,
                     wall < 0 ? "id1 id2, normal from 1 to 2" : "id1, normal into the wall",
                     run->extras ? ", and the columns named in the next line" : "", count);
    for (size_t i = 0; i < TW_LAMMPS_LAW_COLUMNS; i++) {
        const tw_lammps_law_columns *columns = &tw_lammps_law_columns_of_extras[i];
        if (run->extras & columns->extra) tw_outfile_print(out, " %s", columns->name);
    }
    tw_outfile_print(out, "\n");
    for (size_t i = 0; i < f->contact_count; i++) {
        const tw_contact_state *c = &f->contacts[i];
        if (!is_of(c, wall)) continue;
        tw_outfile_print(out, "%zu", (size_t)f->first[c->body_p] + c->member_p + 1);
        if (wall < 0) tw_outfile_print(out, " %zu", (size_t)f->first[c->body_q] + c->member_q + 1);
        print_memory(out, run, c);
    }
}

/* A run that continues in LAMMPS: refuses what LAMMPS cannot do, and writes the files. */

/* ---- What LAMMPS cannot do ---- */

static tw_status refuse_damping(const tw_lammps_run *run, tw_error *error)
{
    const tw_sim_def *d = &run->def;
    if (run->options.drop_damping) return TW_STATUS_OK;
    if (d->damping_mass == 0.0 && d->damping_spin == 0.0 && d->damping_local == 0.0)
        return TW_STATUS_OK;
    return tw_error_set(
        error, TW_STATUS_INPUT,
        "LAMMPS cannot damp bodies in a deforming cell (damping: mass %g 1/s, spin %g 1/s, local "
        "%g); drop the damping (--drop-damping) or damp the contacts (nu) instead",
        d->damping_mass, d->damping_spin, d->damping_local);
}

static tw_status refuse_gradient(const tw_lammps_run *run, tw_error *error)
{
    const double *g = run->gradient.m;
    for (int k = 0; k < 9; k++) {
        if (g[k] == 0.0 || (run->box.periodic[k / 3] && run->box.periodic[k % 3])) continue;
        return tw_error_set(
            error, TW_STATUS_INPUT,
            "LAMMPS cannot deform the cell along an edge that is not periodic (velocity gradient "
            "%g 1/s); hold the cell (--hold)",
            g[k]);
    }
    return TW_STATUS_OK;
}

/* LAMMPS keeps tables of pairs of types. */
static tw_status refuse_types(const tw_lammps_run *run, tw_error *error)
{
    enum { TYPES_MAX = 1000 };
    for (size_t i = 0; i < run->frame.sphere_count; i++) {
        const tw_frame_sphere *s = &run->frame.spheres[i];
        if (s->type > TYPES_MAX)
            return tw_error_set(error, TW_STATUS_INPUT,
                                "body %u has the type %u; the largest that is exported is %d",
                                s->body, s->type, (int)TYPES_MAX);
    }
    return TW_STATUS_OK;
}

/* Stock LAMMPS gets linear springs, and one law for all. */
static tw_status refuse_laws(const tw_lammps_run *run, tw_error *error)
{
    enum { TYPES_MAX = 600 };
    const size_t materials = tw_sim_materials(run->sim);
    if (materials > 1 && run->types.count > TYPES_MAX)
        return tw_error_set(error, TW_STATUS_INPUT,
                            "%u atom types; with several materials, at most %d are exported",
                            run->types.count, (int)TYPES_MAX);
    if (run->options.pair != TW_LAMMPS_HOOKE) return TW_STATUS_OK;
    const char *what = materials > 1                             ? "several materials"
                       : run->def.law.normal == TW_CONTACT_HERTZ ? "Hertz contacts"
                       : run->extras & ~(uint32_t)TW_CONTACT_EXTRA_DAMPING
                           ? "rolling or twisting resistance"
                       : run->def.law.flags & TW_CONTACT_BY_MASS ? "damping ratios"
                                                                 : NULL;
    if (!what) return TW_STATUS_OK;
    return tw_error_set(error, TW_STATUS_INPUT,
                        "the simulation has %s, which gran/hooke/history cannot have; export for "
                        "pair_style twirl",
                        what);
}

static tw_status refuse_bodies(const tw_lammps_run *run, tw_error *error)
{
    if (run->frame.sphere_count == 0)
        return tw_error_set(error, TW_STATUS_INPUT, "no bodies to export");
    if (run->frame.sphere_count > INT_MAX)
        return tw_error_set(error, TW_STATUS_INPUT, "%zu spheres exceed the limit of LAMMPS, %d",
                            run->frame.sphere_count, INT_MAX);
    for (uint32_t id = 0; id < tw_sim_bodies(run->sim); id++) {
        tw_body_state b;
        const tw_status status = tw_sim_body(run->sim, id, &b, error);
        if (status != TW_STATUS_OK) return status;
        if (b.fixed && (tw_vec3_norm(b.v) > 0.0 || tw_vec3_norm(b.w) > 0.0))
            return tw_error_set(
                error, TW_STATUS_INPUT,
                "body %u moves at a prescribed velocity; in LAMMPS a fixed body must be at rest",
                id);
    }
    if (!tw_sim_prepared(run->sim))
        return tw_error_set(error, TW_STATUS_INPUT,
                            "contacts and time step are not known yet; call tw_sim_prepare");
    return TW_STATUS_OK;
}

/* The prefix becomes part of a script, in which most other characters have a meaning. */
static tw_status refuse_prefix(const char *prefix, tw_error *error)
{
    static const char good[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+/=,";
    const size_t fine = strspn(prefix, good), length = strlen(prefix);
    if (length > 0 && fine == length && prefix[length - 1] != '/' && length < PATH_MAX - 16)
        return TW_STATUS_OK;
    return tw_error_set(error, TW_STATUS_INPUT,
                        "%s cannot be a file prefix in a LAMMPS script; use letters, digits and "
                        "._-+/=, only",
                        tw_text_quote(prefix, strlen(prefix)).text);
}

/* LAMMPS has walls at rest or at constant velocity; the stock style only at rest and normal to an
 * axis. */
static tw_status refuse_wall(const tw_lammps_run *run, size_t number, tw_error *error)
{
    tw_wall_state wall;
    const tw_status status = tw_sim_wall(run->sim, number, &wall, error);
    if (status != TW_STATUS_OK) return status;
    const tw_vec3 n = tw_lammps_frame_turn(&run->box, wall.normal);
    const double part[3] = {n.x, n.y, n.z};
    if (wall.servo)
        return tw_error_set(error, TW_STATUS_INPUT,
                            "wall %zu is force-controlled, which LAMMPS cannot do", number);
    if (run->options.pair != TW_LAMMPS_HOOKE) return TW_STATUS_OK;
    if (tw_vec3_norm(wall.v) > 0.0)
        return tw_error_set(error, TW_STATUS_INPUT,
                            "wall %zu moves; only fix wall/twirl can do that, not fix wall/gran",
                            number);
    const double most = tw_math_max(fabs(part[0]), tw_math_max(fabs(part[1]), fabs(part[2])));
    if (most < 1.0 - 1e-12)
        return tw_error_set(
            error, TW_STATUS_INPUT,
            "wall %zu has the normal %g %g %g; fix wall/gran can only have planes normal to an "
            "axis, fix wall/twirl any",
            number, n.x, n.y, n.z);
    return TW_STATUS_OK;
}

static tw_status refuse_walls(const tw_lammps_run *run, tw_error *error)
{
    tw_status status = TW_STATUS_OK;
    for (size_t k = 0; k < tw_sim_walls(run->sim) && status == TW_STATUS_OK; k++)
        status = refuse_wall(run, k, error);
    return status;
}

/* ---- Writing ---- */

static tw_status open_file(const tw_lammps_run *run, const char *ending, tw_outfile *out,
                           tw_error *error)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s%s", run->prefix, ending);
    return tw_outfile_open(out, path, error);
}

typedef void run_printer(tw_outfile *out, const tw_lammps_run *run);

static tw_status write_file(const tw_lammps_run *run, const char *ending, run_printer *print,
                            tw_error *error)
{
    tw_outfile out;
    const tw_status status = open_file(run, ending, &out, error);
    if (status != TW_STATUS_OK) return status;
    print(&out, run);
    return tw_outfile_finish(&out, error);
}

/* Contacts between spheres, then those with each wall. */
static tw_status write_contacts(const tw_lammps_run *run, tw_error *error)
{
    for (int wall = -1; wall < (int)tw_sim_walls(run->sim); wall++) {
        tw_outfile out;
        char ending[40] = ".contacts";
        if (wall >= 0) snprintf(ending, sizeof ending, ".wall%d.contacts", wall + 1);
        tw_status status = open_file(run, ending, &out, error);
        if (status != TW_STATUS_OK) return status;
        print_contacts(&out, run, wall);
        status = tw_outfile_finish(&out, error);
        if (status != TW_STATUS_OK) return status;
    }
    return TW_STATUS_OK;
}

static tw_status refuse(const tw_lammps_run *run, tw_error *error)
{
    tw_status status = refuse_prefix(run->prefix, error);
    if (status == TW_STATUS_OK) status = refuse_bodies(run, error);
    if (status == TW_STATUS_OK) status = refuse_types(run, error);
    if (status == TW_STATUS_OK) status = refuse_laws(run, error);
    if (status == TW_STATUS_OK) status = refuse_damping(run, error);
    if (status == TW_STATUS_OK) status = refuse_gradient(run, error);
    if (status == TW_STATUS_OK) status = refuse_walls(run, error);
    return status;
}

static tw_status write_all(tw_lammps_run *run, tw_error *error)
{
    tw_status status = refuse(run, error);
    if (status != TW_STATUS_OK) return status;
    run_survey(run);
    status = write_file(run, ".data", print_data, error);
    if (status == TW_STATUS_OK && run->clusters > 0)
        status = write_file(run, ".bodies", print_bodies, error);
    if (status == TW_STATUS_OK && run->options.pair == TW_LAMMPS_TWIRL)
        status = write_contacts(run, error);
    if (status == TW_STATUS_OK) status = write_file(run, ".in", tw_lammps_script_print, error);
    return status;
}

tw_status tw_export_lammps_run(const tw_sim *sim, const char *prefix,
                               const tw_lammps_options *options, tw_error *error)
{
    tw_error_clear(error);
    tw_lammps_run run;
    tw_status status = run_begin(&run, sim, prefix, options, error);
    if (status != TW_STATUS_OK) return status;
    status = write_all(&run, error);
    run_end(&run);
    return status;
}
