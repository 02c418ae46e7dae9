/* SPDX-License-Identifier: BSD-3-Clause */
#include "plot/figure_chart.h"

#include "base/error.h"
#include "plot/plot.h"

tw_status tw_figure_chart_draw(const tw_figure_chart *chart, const char *directory, tw_error *error)
{
    tw_plot_style style = tw_plot_style_default();
    tw_plot_style_finish(&style);
    tw_text_buffer text = {0};
    tw_plot_style_add_settings(&text, &style);
    tw_plot_style_add_margins(&text, &style, &chart->margins);
    tw_plot_style_add_x_label(&text, &style, chart->x_label, "");
    tw_plot_style_add_y_label(&text, &style, chart->y_label, chart->y_unit);
    tw_text_buffer_add(&text, "%s", chart->settings);
    const tw_plot plot = {.directory = directory,
                          .name = chart->name,
                          .settings = text.text,
                          .curves = chart->curves,
                          .style = &style};
    const tw_status status = text.failed ? tw_error_set_memory(error) : tw_plot_draw(&plot, error);
    tw_text_buffer_free(&text);
    return status;
}
