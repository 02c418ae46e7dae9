/* SPDX-License-Identifier: BSD-3-Clause */
#include "sweep/sweep_figure.h"

#include <stdint.h>

size_t tw_sweep_figure_key(const tw_sweep_grid *grid, size_t which)
{
    for (size_t k = 0; k < grid->vary_count; k++)
        if (!tw_sweep_vary_is_seed(&grid->vary[k]) && which-- == 0) return k;
    return SIZE_MAX;
}

/* Up to six values have the colours of the other figures, more a scale from dark to light. */
void tw_sweep_figure_add_colour(tw_text_buffer *text, size_t index, size_t count)
{
    static const double stops[][3] = {{0.267, 0.005, 0.329},
                                      {0.229, 0.322, 0.546},
                                      {0.128, 0.567, 0.551},
                                      {0.369, 0.789, 0.383},
                                      {0.780, 0.860, 0.180}};
    if (count <= 6) {
        tw_text_buffer_add(text, " linetype %zu", index + 1);
        return;
    }
    const double at = 4.0 * (double)index / (double)(count - 1);
    const int low = at >= 4.0 ? 3 : (int)at;
    tw_text_buffer_add(text, " linetype 1 linecolor rgb '#");
    for (int c = 0; c < 3; c++) {
        const double value = stops[low][c] + (at - low) * (stops[low + 1][c] - stops[low][c]);
        tw_text_buffer_add(text, "%02x", (unsigned)(255.0 * value));
    }
    tw_text_buffer_add(text, "'");
}

/* Within gnuplot's single quotes. */
static void add_quoted(tw_text_buffer *text, const char *value)
{
    for (; *value; value++)
        if (*value != '\'' && *value != '"') tw_text_buffer_add(text, "%c", *value);
}

void tw_sweep_figure_add_title(tw_text_buffer *text, const tw_sweep_grid *grid,
                               const tw_sweep_case *one, const char *first, size_t except)
{
    const char *between = *first ? ", " : "";
    tw_text_buffer_add(text, " title '%s", first);
    for (size_t k = 0; k < grid->vary_count; k++) {
        if (k == except || tw_sweep_vary_is_seed(&grid->vary[k])) continue;
        tw_text_buffer_add(text, "%s%s ", between, tw_sweep_vary_label(&grid->vary[k]));
        add_quoted(text, tw_sweep_grid_value(grid, one, k));
        between = ", ";
    }
    tw_text_buffer_add(text, "' noenhanced");
}

void tw_sweep_figure_free(tw_sweep_figure *figure)
{
    tw_text_buffer_free(&figure->settings);
    tw_text_buffer_free(&figure->curves);
    figure->any = false;
}
