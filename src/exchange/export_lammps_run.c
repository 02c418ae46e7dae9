/* SPDX-License-Identifier: BSD-3-Clause */
/* A state that goes on in LAMMPS: what cannot, and the files of what can. */
#include <twirl/exchange.h>
#include <twirl/math.h>

#include "exchange/lammps_run.h"

#include <limits.h>
#include <math.h>
#include <string.h>

tw_lammps_options tw_lammps_options_default(void)
{
    const tw_lammps_options options = {.pair = TW_LAMMPS_TWIRL, .steps = 1000};
    return options;
}

/* ---- What cannot go on ---- */

static tw_status refuse_damping(const tw_lammps_run *run, tw_error *error)
{
    const tw_sim_def *d = &run->def;
    if (run->options.drop_damping) return TW_STATUS_OK;
    if (d->damping_mass == 0.0 && d->damping_spin == 0.0 && d->damping_local == 0.0)
        return TW_STATUS_OK;
    return tw_fault_set(
        error, TW_STATUS_INPUT,
        "the bodies are damped (mass %g 1/s, spin %g 1/s, local %g), which LAMMPS "
        "cannot do in a cell that deforms; leave the damping out (--drop-damping), or "
        "damp the contacts (nu) instead",
        d->damping_mass, d->damping_spin, d->damping_local);
}

static tw_status refuse_gradient(const tw_lammps_run *run, tw_error *error)
{
    const double *g = run->gradient.m;
    for (int k = 0; k < 9; k++) {
        if (g[k] == 0.0 || (run->box.periodic[k / 3] && run->box.periodic[k % 3])) continue;
        return tw_fault_set(
            error, TW_STATUS_INPUT,
            "the velocity gradient (%g 1/s) deforms the cell along an edge that is not "
            "periodic, which LAMMPS cannot do; hold the cell (--hold)",
            g[k]);
    }
    return TW_STATUS_OK;
}

static tw_status refuse_bodies(const tw_lammps_run *run, tw_error *error)
{
    if (run->frame.sphere_count == 0)
        return tw_fault_set(error, TW_STATUS_INPUT, "there are no bodies: nothing to export");
    if (run->frame.sphere_count > INT_MAX)
        return tw_fault_set(error, TW_STATUS_INPUT, "%zu spheres are more than LAMMPS counts",
                            run->frame.sphere_count);
    for (uint32_t id = 0; id < tw_sim_bodies(run->sim); id++) {
        const tw_body_state b = tw_sim_body(run->sim, id);
        if (b.fixed && (tw_vec3_norm(b.v) > 0.0 || tw_vec3_norm(b.w) > 0.0))
            return tw_fault_set(
                error, TW_STATUS_INPUT,
                "body %u is driven with a velocity of its own; only fixed bodies at "
                "rest can go on in LAMMPS",
                id);
    }
    if (!(tw_sim_dt(run->sim) > 0.0))
        return tw_fault_set(error, TW_STATUS_INPUT, "the time-step is not known yet");
    return TW_STATUS_OK;
}

/* The prefix stands in a script, where most other characters mean something. */
static tw_status refuse_prefix(const char *prefix, tw_error *error)
{
    static const char good[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+/=,";
    const size_t fine = strspn(prefix, good), length = strlen(prefix);
    if (length > 0 && fine == length && prefix[length - 1] != '/' && length < PATH_MAX - 16)
        return TW_STATUS_OK;
    return tw_fault_set(error, TW_STATUS_INPUT,
                        "%s cannot be the beginning of file names in a script of LAMMPS; letters, "
                        "digits and ._-+/=, will do",
                        tw_fault_quote(prefix).text);
}

/* A wall that LAMMPS can have: at rest or in even motion. The stock one also along an axis, and at
 * rest. */
static tw_status refuse_wall(const tw_lammps_run *run, size_t number, tw_error *error)
{
    const tw_wall_state wall = tw_sim_wall(run->sim, number);
    const tw_vec3 n = tw_lammps_frame_turn(&run->box, wall.normal);
    const double part[3] = {n.x, n.y, n.z};
    if (wall.servo)
        return tw_fault_set(error, TW_STATUS_INPUT,
                            "wall %zu follows a force, which no wall of LAMMPS does", number);
    if (run->options.pair != TW_LAMMPS_HOOKE) return TW_STATUS_OK;
    if (tw_vec3_norm(wall.v) > 0.0)
        return tw_fault_set(
            error, TW_STATUS_INPUT,
            "wall %zu moves; fix wall/gran of stock LAMMPS cannot, fix wall/twirl can", number);
    const double most = tw_math_max(fabs(part[0]), tw_math_max(fabs(part[1]), fabs(part[2])));
    if (most < 1.0 - 1e-12)
        return tw_fault_set(
            error, TW_STATUS_INPUT,
            "wall %zu has the normal %g %g %g; fix wall/gran of stock LAMMPS knows planes "
            "along the axes alone, fix wall/twirl others too",
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

/* ---- The whole ---- */

typedef void printer(tw_outfile *out, const tw_lammps_run *run);

static void print_pairs(tw_outfile *out, const tw_lammps_run *run)
{
    tw_lammps_print_contacts(out, run, -1);
}

static tw_status write_file(const tw_lammps_run *run, const char *ending, printer *print,
                            tw_error *error)
{
    char path[PATH_MAX];
    tw_outfile out;
    snprintf(path, sizeof path, "%s%s", run->prefix, ending);
    const tw_status status = tw_outfile_open(&out, path, error);
    if (status != TW_STATUS_OK) return status;
    print(&out, run);
    return tw_outfile_finish(&out, error);
}

static tw_status write_walls(const tw_lammps_run *run, tw_error *error)
{
    for (int k = 0; k < (int)tw_sim_walls(run->sim); k++) {
        char path[PATH_MAX];
        tw_outfile out;
        snprintf(path, sizeof path, "%s.wall%d.contacts", run->prefix, k + 1);
        tw_status status = tw_outfile_open(&out, path, error);
        if (status != TW_STATUS_OK) return status;
        tw_lammps_print_contacts(&out, run, k);
        status = tw_outfile_finish(&out, error);
        if (status != TW_STATUS_OK) return status;
    }
    return TW_STATUS_OK;
}

static void survey(tw_lammps_run *run)
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
        const tw_lammps_body b = tw_lammps_run_body(run, id);
        run->atoms[b.type] += b.count;
        run->clusters += b.type == TW_LAMMPS_MEMBER;
        run->molecules = run->molecules || b.count > 1;
        run->mass_mean += b.state.mass / (double)bodies;
        for (size_t i = b.first; i < b.first + b.count; i++)
            run->extent =
                tw_math_max(run->extent, tw_vec3_norm(tw_vec3_sub(f->spheres[i].x, b.state.x)));
    }
}

static tw_status refuse(const tw_lammps_run *run, tw_error *error)
{
    tw_status status = refuse_prefix(run->prefix, error);
    if (status == TW_STATUS_OK) status = refuse_bodies(run, error);
    if (status == TW_STATUS_OK) status = refuse_damping(run, error);
    if (status == TW_STATUS_OK) status = refuse_gradient(run, error);
    if (status == TW_STATUS_OK) status = refuse_walls(run, error);
    return status;
}

static tw_status write_all(tw_lammps_run *run, tw_error *error)
{
    tw_status status = refuse(run, error);
    if (status != TW_STATUS_OK) return status;
    survey(run);
    status = write_file(run, ".data", tw_lammps_print_data, error);
    if (status == TW_STATUS_OK && run->clusters > 0)
        status = write_file(run, ".bodies", tw_lammps_print_bodies, error);
    if (status == TW_STATUS_OK && run->options.pair == TW_LAMMPS_TWIRL) {
        status = write_file(run, ".contacts", print_pairs, error);
        if (status == TW_STATUS_OK) status = write_walls(run, error);
    }
    if (status == TW_STATUS_OK) status = write_file(run, ".in", tw_lammps_print_script, error);
    return status;
}

/* A gradient that would turn the cell out of LAMMPS' frame: the frame turns along. Only the spins
 * of bodies notice. */
static void take_off_turning(tw_lammps_run *run)
{
    double *g = run->gradient.m;
    run->turning = tw_vec3_make(g[7], -g[6], g[3]);
    g[1] += g[3];
    g[2] += g[6];
    g[5] += g[7];
    g[3] = g[6] = g[7] = 0.0;
}

tw_status tw_export_lammps_run(const tw_sim *sim, const char *prefix,
                               const tw_lammps_options *options, tw_error *error)
{
    tw_fault_clear(error);
    tw_lammps_run run = {.sim = sim, .def = tw_sim_definition(sim), .options = *options};
    run.prefix = prefix;
    tw_status status = tw_frame_take(&run.frame, sim, error);
    if (status != TW_STATUS_OK) return status;
    const tw_mat3 cell = tw_sim_cell(sim), gradient = tw_sim_velocity_gradient(sim);
    run.box = tw_lammps_frame_make(&cell, run.def.periodic);
    if (!options->hold) run.gradient = tw_lammps_frame_turn_tensor(&run.box, &gradient);
    take_off_turning(&run);
    status = write_all(&run, error);
    tw_frame_free(&run.frame);
    return status;
}
