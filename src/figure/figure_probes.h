/* SPDX-License-Identifier: BSD-3-Clause */
/* Probes: in the Rendulic plane with the circles fitted to them, or all around with their response
 * envelope. */
#ifndef TWIRL_FIGURE_PROBES_H
#define TWIRL_FIGURE_PROBES_H

#include <twirl/figure.h>

/* For each stage with probes, or those named. TW_STATUS_INPUT: a row is damaged. */
tw_status tw_figure_probes_add(tw_figure_set *set, const tw_figure_request *request,
                               tw_error *error);

#endif
