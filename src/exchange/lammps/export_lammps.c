/* SPDX-License-Identifier: BSD-3-Clause */
/* LAMMPS dumps. The bounds of a tilted box are those of its bounding box, as in LAMMPS itself. */
#include <stdbool.h>

#include <twirl/exchange.h>
#include <twirl/math.h>

#include "exchange/export_frame.h"

/* Compares exactly: a cell that is deformed as in LAMMPS keeps its zeros. */
static bool lammps_is_restricted(const double *h)
{
    return h[3] == 0.0 && h[6] == 0.0 && h[7] == 0.0 && h[0] > 0.0 && h[4] > 0.0 && h[8] > 0.0;
}

static void lammps_print_box(tw_outfile *out, const tw_sim *sim)
{
    const tw_mat3 cell = tw_sim_cell(sim);
    const tw_sim_def def = tw_sim_definition(sim);
    const double *h = cell.m;
    const bool restricted = lammps_is_restricted(h);
    tw_outfile_print(out, "ITEM: BOX BOUNDS %s", restricted ? "xy xz yz" : "abc origin");
    for (int k = 0; k < 3; k++)
        tw_outfile_print(out, " %s", def.periodic[k] ? "pp" : "ff");
    tw_outfile_print(out, "\n");
    if (!restricted) {
        for (int k = 0; k < 3; k++)
            tw_outfile_print(out, "%.17g %.17g %.17g 0\n", h[k], h[3 + k], h[6 + k]);
        return;
    }
    const double xy = h[1], xz = h[2], yz = h[5];
    const double low_x = tw_math_min(tw_math_min(0.0, xy + xz), tw_math_min(xy, xz));
    const double high_x = h[0] + tw_math_max(tw_math_max(0.0, xy + xz), tw_math_max(xy, xz));
    tw_outfile_print(out, "%.17g %.17g %.17g\n", low_x, high_x, xy);
    tw_outfile_print(out, "%.17g %.17g %.17g\n", tw_math_min(0.0, yz), h[4] + tw_math_max(0.0, yz),
                     xz);
    tw_outfile_print(out, "0 %.17g %.17g\n", h[8], yz);
}

static void lammps_print_head(tw_outfile *out, const tw_sim *sim, const char *what, size_t count)
{
    tw_outfile_print(out, "ITEM: TIMESTEP\n%llu\nITEM: NUMBER OF %s\n%zu\n",
                     (unsigned long long)tw_sim_steps(sim), what, count);
    lammps_print_box(out, sim);
}

static void lammps_print_spheres(tw_outfile *out, const tw_sim *sim, const tw_frame *frame)
{
    lammps_print_head(out, sim, "ATOMS", frame->sphere_count);
    tw_outfile_print(out, "ITEM: ATOMS id type x y z radius vx vy vz omegax omegay omegaz "
                          "body member shape coordination c_disp[1] c_disp[2] c_disp[3] "
                          "c_stress[1] c_stress[2] c_stress[3] c_stress[4] c_stress[5] "
                          "c_stress[6]\n");
    for (size_t i = 0; i < frame->sphere_count; i++) {
        const tw_frame_sphere *s = &frame->spheres[i];
        tw_outfile_print(out, "%zu %lu %.17g %.17g %.17g %.17g", i + 1, (unsigned long)s->type,
                         s->x.x, s->x.y, s->x.z, s->radius);
        tw_outfile_print(out, " %.17g %.17g %.17g %.17g %.17g %.17g %lu %lu %lu %lu", s->v.x,
                         s->v.y, s->v.z, s->w.x, s->w.y, s->w.z, (unsigned long)s->body,
                         (unsigned long)s->member, (unsigned long)s->shape,
                         (unsigned long)s->coordination);
        const double *t = s->stress.m; /* xx, yy, zz, xy, xz, yz of the symmetric part */
        tw_outfile_print(out, " %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g\n",
                         s->displacement.x, s->displacement.y, s->displacement.z, t[0], t[4], t[8],
                         0.5 * (t[1] + t[3]), 0.5 * (t[2] + t[6]), 0.5 * (t[5] + t[7]));
    }
}

static void lammps_print_contacts(tw_outfile *out, const tw_sim *sim, const tw_frame *frame)
{
    size_t count = 0;
    for (size_t i = 0; i < frame->contact_count; i++)
        count += frame->contacts[i].body_q != TW_NO_BODY;
    lammps_print_head(out, sim, "ENTRIES", count);
    tw_outfile_print(out, "ITEM: ENTRIES ParticleIdentifiers.1 ParticleIdentifiers.2 "
                          "PeriodicImage.X PeriodicImage.Y PeriodicImage.Z "
                          "body_p body_q fn zeta sliding force.X force.Y force.Z "
                          "ft.X ft.Y ft.Z point.X point.Y point.Z\n");
    for (size_t i = 0; i < frame->contact_count; i++) {
        const tw_contact_state *c = &frame->contacts[i];
        if (c->body_q == TW_NO_BODY) continue;
        tw_outfile_print(out, "%lu %lu %d %d %d %lu %lu %.17g %.17g %d",
                         (unsigned long)frame->first[c->body_p] + c->member_p + 1,
                         (unsigned long)frame->first[c->body_q] + c->member_q + 1, c->shift[0],
                         c->shift[1], c->shift[2], (unsigned long)c->body_p,
                         (unsigned long)c->body_q, c->fn, c->zeta, c->sliding != 0);
        tw_outfile_print(out, " %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g\n",
                         c->force.x, c->force.y, c->force.z, c->ft.x, c->ft.y, c->ft.z, c->point.x,
                         c->point.y, c->point.z);
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
