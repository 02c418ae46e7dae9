/* SPDX-License-Identifier: BSD-3-Clause */
/* Probes on a sphere of directions: the response envelope and its sections. */
#ifndef TWIRL_APP_PLOT_ENVELOPE_H
#define TWIRL_APP_PLOT_ENVELOPE_H

#include <twirl/types.h>

#include "base/text.h"
#include "plot/plot_style.h"

/* Writes STAGE_envelope.csv and the figure STAGE_envelope into `plots`, from the probes.csv at
 * `path`, and adds its name to `names`. Does nothing if the directions are not all around. */
tw_status tw_plot_envelope(const char *path, const char *stage, const char *plots,
                           const tw_plot_style *style, tw_text_buffer *names, tw_error *error);

#endif
