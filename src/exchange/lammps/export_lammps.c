/* SPDX-License-Identifier: BSD-3-Clause */
#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include <twirl/exchange.h>
#include <twirl/math.h>

#include "base/mat3.h"
#include "base/text_file.h"
#include "exchange/export.h"
#include "exchange/lammps/lammps.h"

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
    const tw_sim_def def = tw_sim_get_definition(sim);
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

/* The number of a body in these files, which refer to each other: without gaps, as they are read.
 */
static unsigned long body_of(const tw_sim *sim, uint32_t id)
{
    return (unsigned long)tw_sim_body_row(sim, id);
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
        tw_outfile_print(out, " %lu %lu %lu %lu", body_of(sim, s->body), (unsigned long)s->member,
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
        const unsigned long p = body_of(sim, c->body_p), q = body_of(sim, c->body_q);
        const tw_vec3 image =
            tw_mat3_mul_vec(box.images, tw_vec3_make((double)c->shift[0], (double)c->shift[1],
                                                     (double)c->shift[2]));
        tw_outfile_print(out, "%lu %lu %d %d %d %lu %lu %.17g %.17g %d",
                         (unsigned long)frame->first[p] + c->member_p + 1,
                         (unsigned long)frame->first[q] + c->member_q + 1, (int)image.x,
                         (int)image.y, (int)image.z, p, q, c->fn, c->zeta, c->sliding != 0);
        print_vector(out, &box, c->force);
        print_vector(out, &box, c->ft);
        print_vector(out, &box, c->point);
        tw_outfile_print(out, "\n");
    }
}

tw_status tw_export_lammps(const tw_sim *sim, const char *path, tw_error *error)
{
    assert(sim && path);
    return tw_export_frame(sim, path, lammps_print_spheres, error);
}

tw_status tw_export_lammps_contacts(const tw_sim *sim, const char *path, tw_error *error)
{
    assert(sim && path);
    return tw_export_frame(sim, path, lammps_print_contacts, error);
}
