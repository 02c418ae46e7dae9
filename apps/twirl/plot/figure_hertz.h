/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TWIRL_APP_FIGURE_HERTZ_H
#define TWIRL_APP_FIGURE_HERTZ_H

#include <twirl/types.h>

/* Error of the tangential force of a Hertz-Mindlin contact against the number of steps, for the
 * exact law and for the conventional one with and without rescaling: hertz.csv and the figure, in a
 * directory that exists. */
tw_status tw_figure_hertz(const char *directory, tw_error *error);

#endif
