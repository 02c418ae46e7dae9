/* SPDX-License-Identifier: BSD-3-Clause */
#include "exchange/lammps/lammps_print.h"

#include "exchange/lammps/lammps_law.h"

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

void tw_lammps_print_data(tw_outfile *out, const tw_lammps_run *run)
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
        const tw_lammps_run_body b = tw_lammps_run_get_body(run, id);
        print_atoms(out, run, &b);
    }
    tw_outfile_print(out, "\nVelocities\n\n");
    for (uint32_t id = 0; id < bodies; id++) {
        const tw_lammps_run_body b = tw_lammps_run_get_body(run, id);
        print_velocities(out, run, &b);
    }
}

void tw_lammps_print_bodies(tw_outfile *out, const tw_lammps_run *run)
{
    tw_outfile_print(out, "%zu\n", run->clusters);
    for (uint32_t id = 0; id < tw_sim_bodies(run->sim); id++) {
        const tw_lammps_run_body b = tw_lammps_run_get_body(run, id);
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

void tw_lammps_print_contacts(tw_outfile *out, const tw_lammps_run *run, int wall)
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
