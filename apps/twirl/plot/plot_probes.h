/* SPDX-License-Identifier: BSD-3-Clause */
/* The probes of a run in the Rendulic plane, with the circles that were fitted to them. */
#ifndef TWIRL_APP_PLOT_PROBES_H
#define TWIRL_APP_PLOT_PROBES_H

#include <stdbool.h>
#include <stddef.h>

/* For each stage with probes under `run`/stages, or for `stage` alone if it is not NULL: figures in
 * the directory `plots`, which is there, in the style `style`. `names`: ", " and the name of each
 * is added, as far as there is room. False: the text is in `error`. */
bool tw_plot_probes(const char *run, const char *stage, const char *plots, const char *style,
                    char *names, size_t room, char *error, size_t size);

#endif
