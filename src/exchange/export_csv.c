/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdbool.h>

#include <twirl/exchange.h>

#include "exchange/export_frame.h"

static void print_csv(tw_outfile *out, const tw_sim *sim, const tw_frame *frame)
{
    const tw_mat3 h = tw_sim_cell(sim);
    const tw_sim_def def = tw_sim_definition(sim);
    tw_outfile_print(out, "# cell:");
    for (int k = 0; k < 9; k++) /* edge by edge: the columns */
        tw_outfile_print(out, " %.17g", h.m[3 * (k % 3) + k / 3]);
    tw_outfile_print(out, "\n# periodic: %d %d %d\n", def.periodic[0] != 0, def.periodic[1] != 0,
                     def.periodic[2] != 0);
    bool typed = false;
    for (size_t i = 0; i < frame->sphere_count; i++)
        typed = typed || frame->spheres[i].type != 1;
    tw_outfile_print(out, "x,y,z,radius,body,member%s\n", typed ? ",type" : "");
    for (size_t i = 0; i < frame->sphere_count; i++) {
        const tw_frame_sphere *s = &frame->spheres[i];
        tw_outfile_print(out, "%.17g,%.17g,%.17g,%.17g,%lu,%lu", s->x.x, s->x.y, s->x.z, s->radius,
                         (unsigned long)s->body, (unsigned long)s->member);
        if (typed) tw_outfile_print(out, ",%lu", (unsigned long)s->type);
        tw_outfile_print(out, "\n");
    }
}

tw_status tw_export_csv(const tw_sim *sim, const char *path, tw_error *error)
{
    return tw_export_frame(sim, path, print_csv, error);
}
