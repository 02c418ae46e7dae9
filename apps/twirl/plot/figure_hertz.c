/* SPDX-License-Identifier: BSD-3-Clause */
#include "plot/figure_hertz.h"

#include "base/error.h"
#include "base/quat.h"
#include "common/row_writer.h"
#include "plot/figure_chart.h"

#include <twirl/contact_law.h>
#include <twirl/math.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* Errors are taken at SAMPLES instants of the path, which all step sizes share. */
enum { SAMPLES = 32, LEVELS = 9, FINEST = SAMPLES << 12 };

static const double radius_p = 1.0, radius_q = 0.6, overlap = 0.01, duration = 6.0;

/* The path: the line of centres swings in space while the overlap grows and shrinks, and the
 * spheres roll and slide on each other, at times sticking. Neither turns about the normal: the
 * conventional law knows no twist and would have another limit. */
static tw_vec3 normal_at(double t)
{
    const double polar = 1.1 + 0.4 * tw_math_sin(0.7 * t), turn = 0.5 * t;
    const double s = tw_math_sin(polar);
    return tw_vec3_make(s * tw_math_cos(turn), s * tw_math_sin(turn), tw_math_cos(polar));
}

static double overlap_at(double t)
{
    return overlap * (1.0 + 0.6 * tw_math_sin(2.3 * t));
}

/* Angular velocity: that of the line of centres, and a slow one of the sphere's own. */
static tw_vec3 spin_at(double t, double phase)
{
    const double h = 1e-4;
    const tw_vec3 n = normal_at(t);
    const tw_vec3 rate = tw_vec3_scale(0.5 / h, tw_vec3_sub(normal_at(t + h), normal_at(t - h)));
    const tw_vec3 own = tw_vec3_make(0.02 * tw_math_sin(1.9 * t + phase),
                                     0.015 * tw_math_sin(1.3 * t + 2.0 * phase),
                                     0.02 * tw_math_cos(0.9 * t + phase));
    return tw_vec3_add(tw_vec3_cross(n, rate), tw_vec3_cross(n, own));
}

/* Orientations at all instants of the finest path. */
typedef struct turns {
    tw_quat p[FINEST + 1], q[FINEST + 1];
} turns;

static tw_quat turned(tw_quat from, tw_vec3 spin, double dt)
{
    return tw_quat_normalise(tw_quat_mul(tw_quat_from_rotation(tw_vec3_scale(dt, spin)), from));
}

static void fill_turns(turns *all)
{
    const double dt = duration / FINEST;
    all->p[0] = all->q[0] = tw_quat_identity();
    for (int i = 0; i < FINEST; i++) {
        const double middle = (i + 0.5) * dt;
        all->p[i + 1] = turned(all->p[i], spin_at(middle, 0.4), dt);
        all->q[i + 1] = turned(all->q[i], spin_at(middle, 1.7), dt);
    }
}

static tw_contact_law law_of(int32_t kind, uint32_t refine)
{
    tw_contact_law law = tw_contact_law_default();
    law.kind = kind;
    law.refine = refine;
    law.normal = TW_CONTACT_HERTZ;
    law.kn = 1.0;
    law.kt = 0.8;
    law.mu = 0.4;
    return law;
}

static tw_vec3 branch_at(double t)
{
    return tw_vec3_scale(radius_p + radius_q - overlap_at(t), normal_at(t));
}

/* Tangential forces at the samples. */
static void follow(const tw_contact_law *law, const turns *all, int steps, tw_vec3 *force)
{
    const int stride = FINEST / steps;
    tw_contact_memory memory = tw_contact_memory_fresh(branch_at(0.0), radius_p, radius_q);
    for (int i = 1; i <= steps; i++) {
        const int old = (i - 1) * stride, now = i * stride;
        tw_contact_load load;
        tw_contact_pair pair = {.branch = branch_at(duration * now / FINEST),
                                .radius_p = radius_p,
                                .radius_q = radius_q};
        pair.turn_p = tw_quat_rotation(tw_quat_mul(all->p[now], tw_quat_conj(all->p[old])));
        pair.turn_q = tw_quat_rotation(tw_quat_mul(all->q[now], tw_quat_conj(all->q[old])));
        const tw_contact_motion motion = tw_contact_pair_motion(law->kind, &pair, &memory);
        tw_contact_advance(law, &motion, 1.0, &memory, NULL, &load);
        if (i % (steps / SAMPLES) == 0) force[i / (steps / SAMPLES) - 1] = memory.ft;
    }
}

/* Root mean square, relative to the mean friction limit. */
static double error_of(const tw_contact_law *law, const turns *all, int steps, const tw_vec3 *right)
{
    tw_vec3 force[SAMPLES];
    double sum = 0.0;
    follow(law, all, steps, force);
    for (int i = 0; i < SAMPLES; i++) {
        const tw_vec3 off = tw_vec3_sub(force[i], right[i]);
        sum += tw_vec3_dot(off, off) / SAMPLES;
    }
    return sqrt(sum) / tw_contact_law_friction_limit(law, overlap);
}

static void write_rows(tw_row_writer *writer, const turns *all)
{
    const tw_contact_law exact = law_of(TW_CONTACT_EXACT, TW_CONTACT_ALL);
    const tw_contact_law rescaled = law_of(TW_CONTACT_CONVENTIONAL, TW_CONTACT_ALL);
    const tw_contact_law plain =
        law_of(TW_CONTACT_CONVENTIONAL, TW_CONTACT_ALL & ~(uint32_t)TW_CONTACT_RESCALE);
    tw_vec3 right[SAMPLES];
    follow(&exact, all, FINEST, right);
    tw_row_writer_add(writer, "steps,exact,rescaled,conventional\n");
    for (int level = 0; level < LEVELS; level++) {
        const int steps = SAMPLES << level;
        tw_row_writer_add(
            writer, "%d,%.17g,%.17g,%.17g\n", steps, error_of(&exact, all, steps, right),
            error_of(&rescaled, all, steps, right), error_of(&plain, all, steps, right));
    }
}

static tw_status write_data(const char *path, tw_error *error)
{
    tw_row_writer writer;
    turns *all = malloc(sizeof *all);
    if (!all) return tw_error_set_memory(error);
    tw_status status = tw_row_writer_open(&writer, path, error);
    if (status == TW_STATUS_OK) {
        fill_turns(all);
        write_rows(&writer, all);
        status = tw_row_writer_finish(&writer, error);
    }
    free(all);
    return status;
}

static const char settings[] =
    "set key bottom left Left reverse samplen 3 invert\n"
    "set logscale xy\nset xrange [24:11000]\nset xtics (32, 128, 512, 2048, 8192)\n"
    "set yrange [1e-8:1]\nset ytics 100\nset format y '10^{%T}'\n"
    "set style line 1 linewidth 1.8 pointtype 7 pointsize default linecolor rgb '#0072b2'\n"
    "set style line 2 linewidth 1.8 pointtype 5 pointsize default linecolor rgb '#d55e00'\n"
    "set style line 3 linewidth 1.8 dashtype (8,4) pointtype 9 pointsize default linecolor rgb "
    "'#000000'\n";

static const char curves[] =
    "plot 'hertz.csv' using 1:4 with linespoints linestyle 3 title "
    "'conventional, without rescaling', \\\n"
    "     '' using 1:3 with linespoints linestyle 2 title 'conventional, rescaled', \\\n"
    "     '' using 1:2 with linespoints linestyle 1 title 'exact'\n";

tw_status tw_figure_hertz(const char *directory, tw_error *error)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/hertz.csv", directory);
    const tw_status status = write_data(path, error);
    if (status != TW_STATUS_OK) return status;
    const tw_figure_chart chart = {.name = "hertz",
                                   .x_label = "Steps",
                                   .y_label = "Error of the tangential force / ({/:Italic μ f}_n)",
                                   .y_unit = "",
                                   .settings = settings,
                                   .curves = curves,
                                   .margins = {4.6, 1.5, 3.7, 0.8}};
    return tw_figure_chart_draw(&chart, directory, error);
}
