/* SPDX-License-Identifier: BSD-3-Clause */
#include "plot/figure_turning.h"

#include "common/row_writer.h"
#include "plot/figure_chart.h"

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
    tw_contact_advance(&law, &motion, 1.0, &memory, NULL, &load);
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
    "set key bottom right Left reverse samplen 3 invert\n"
    "set xrange [0:5]\nset xtics 1\nset mxtics 2\n"
    "set yrange [-92:2]\nset ytics -90,15,0\n"
    "set style line 1 linewidth 1.8 linecolor rgb '#0072b2'\n"
    "set style line 2 linewidth 1.2 pointtype 7 pointsize default linecolor rgb '#d55e00'\n"
    "set style line 3 linewidth 1.8 dashtype (8,4) linecolor rgb '#000000'\n";

/* The laws exact and paper coincide: markers at every fifth point, under the line. */
static const char curves[] =
    "plot 'turning.csv' using 1:4 with lines linestyle 3 title 'conventional', \\\n"
    "     '' every 5 using 1:3 with points linestyle 2 title 'paper', \\\n"
    "     '' using 1:2 with lines linestyle 1 title 'exact'\n";

tw_status tw_figure_turning(const char *directory, tw_error *error)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/turning.csv", directory);
    const tw_status status = write_data(path, error);
    if (status != TW_STATUS_OK) return status;
    const tw_figure_chart chart = {
        .name = "turning",
        .x_label = "Movement in the step {/:Italic k}_t |Δ{/:Italic ξ}| / ({/:Italic μ f}_n)",
        .y_label = "Direction of the force after the step",
        .y_unit = "°",
        .settings = settings,
        .curves = curves,
        .margins = {4.2, 1.5, 3.7, 0.8}};
    return tw_figure_chart_draw(&chart, directory, error);
}
