/* SPDX-License-Identifier: BSD-3-Clause */
/* A run that continues in LAMMPS: refuses what LAMMPS cannot do, and writes the files. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include <twirl/exchange.h>
#include <twirl/math.h>

#include "base/text.h"
#include "exchange/lammps/lammps_print.h"
#include "exchange/lammps/lammps_run.h"
#include "exchange/lammps/lammps_script.h"

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
        tw_lammps_print_contacts(&out, run, wall);
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
    tw_lammps_run_survey(run);
    status = write_file(run, ".data", tw_lammps_print_data, error);
    if (status == TW_STATUS_OK && run->clusters > 0)
        status = write_file(run, ".bodies", tw_lammps_print_bodies, error);
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
    tw_status status = tw_lammps_run_begin(&run, sim, prefix, options, error);
    if (status != TW_STATUS_OK) return status;
    status = write_all(&run, error);
    tw_lammps_run_end(&run);
    return status;
}
