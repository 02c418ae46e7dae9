/* SPDX-License-Identifier: BSD-3-Clause */
#include "plot/figure_turning.h"

#include "common/row_writer.h"
#include "plot/plot.h"

#include <twirl/contact_law.h>
#include <twirl/math.h>

#include <limits.h>
#include <stdio.h>

enum { POINTS = 101 };
static const double movement_max = 5.0;

/* Direction of the force [degrees], measured from that of the movement, after one step of
 * kt|dxi|/(mu fn) = movement that starts at -90 degrees, at constant normal force. */
static double direction_after(int32_t kind, double movement)
{
    tw_contact_law law = tw_contact_law_default();
    law.kn = law.kt = 1.0;
    law.mu = 0.5;
    law.kind = kind;
    tw_contact_memory memory = {.n = {0.0, 0.0, 1.0}, .zeta = 1.0};
    const double limit = tw_contact_law_friction_limit(&law, memory.zeta);
    memory.ft.y = -limit;
    const tw_contact_motion motion = {
        .n = memory.n, .zeta = memory.zeta, .du = {movement * limit / law.kt, 0.0, 0.0}};
    tw_contact_load load;
    tw_contact_advance(&law, &motion, 1.0, &memory, &load);
    return tw_math_atan2(memory.ft.y, memory.ft.x) * (180.0 / TW_MATH_PI);
}

static tw_status write_data(const char *path, tw_error *error)
{
    tw_row_writer writer;
    const tw_status status = tw_row_writer_open(&writer, path, error);
    if (status != TW_STATUS_OK) return status;
    tw_row_writer_add(&writer, "movement,theta_exact,theta_paper,theta_conventional\n");
    for (int i = 0; i < POINTS; i++) {
        const double movement = movement_max * i / (POINTS - 1);
        tw_row_writer_add(&writer, "%.17g,%.17g,%.17g,%.17g\n", movement,
                          direction_after(TW_CONTACT_EXACT, movement),
                          direction_after(TW_CONTACT_PAPER, movement),
                          direction_after(TW_CONTACT_CONVENTIONAL, movement));
    }
    return tw_row_writer_finish(&writer, error);
}

static const char settings[] =
    "set datafile separator comma\n"
    "set title \"Turning of the tangential force in one sliding step\\n\"\\\n"
    "    .\"{/*0.85 starting from −90°, at constant normal force}\"\n"
    "set minussign\n"
    "set xlabel 'Movement in the step, k_t |Δξ| / (μ f_n)  [–]'\n"
    "set ylabel 'Force direction after the step, θ_1  [degrees]'\n"
    "set xrange [0:5]\n"
    "set yrange [-92:2]\n"
    "set xtics 1 nomirror\n"
    "set ytics -90,15,0 nomirror\n"
    "set mxtics 2\n"
    "set grid xtics ytics linetype 1 linewidth 1 linecolor rgb '#dddddd'\n"
    "set border 3 linewidth 1.5 linecolor rgb '#444444'\n"
    "set key at graph 0.97,0.08 bottom right opaque box linecolor rgb '#dddddd' spacing 1.4 "
    "samplen 3 reverse Left width 1 invert\n"
    "set style line 1 linewidth 4 linecolor rgb '#0072b2'\n"
    "set style line 2 linewidth 2.5 pointtype 7 pointsize default linecolor rgb '#d55e00'\n"
    "set style line 3 linewidth 4 dashtype (12,6) linecolor rgb '#444444'\n";

/* The laws exact and paper coincide: markers at every fifth point, under the line. */
static const char curves[] =
    "plot 'turning.csv' skip 1 using 1:4 with lines linestyle 3 title 'conventional', \\\n"
    "     '' skip 1 every 5 using 1:3 with points linestyle 2 title 'paper', \\\n"
    "     '' skip 1 using 1:2 with lines linestyle 1 title 'exact'\n";

tw_status tw_figure_turning(const char *directory, tw_error *error)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/turning.csv", directory);
    const tw_status status = write_data(path, error);
    if (status != TW_STATUS_OK) return status;
    const tw_plot plot = {
        .directory = directory, .name = "turning", .settings = settings, .curves = curves};
    return tw_plot_draw(&plot, error);
}
