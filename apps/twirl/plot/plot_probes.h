/* SPDX-License-Identifier: BSD-3-Clause */
/* The probes of a run in the Rendulic plane, with the circles fitted to them. */
#ifndef TWIRL_APP_PLOT_PROBES_H
#define TWIRL_APP_PLOT_PROBES_H

#include <stdbool.h>

#include <twirl/types.h>

#include "base/text.h"
#include "plot/plot_style.h"

/* Whether the run has a stage with probes, `stage` if it is not NULL. */
bool tw_plot_probes_any(const char *run, const char *stage);

/* For each stage with probes under `run`/stages, or for `stage` alone if it is not NULL: figures in
 * the directory `plots`, which exists. Adds the names of the figures to `names`, separated by ", ".
 */
tw_status tw_plot_probes(const char *run, const char *stage, const char *plots,
                         const tw_plot_style *style, tw_text_buffer *names, tw_error *error);

#endif
