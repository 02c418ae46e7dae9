/* SPDX-License-Identifier: BSD-3-Clause */
/* The figures of a sweep. Free the sets even after a failure. */
#ifndef TWIRL_APP_SWEEP_FIGURE_H
#define TWIRL_APP_SWEEP_FIGURE_H

#include <twirl/figure.h>

#include "sweep/sweep_results.h"

/* "sweep": the curves of all cases that are done. The colour is the first varied value, the dashes
 * the second; replicates are thin. It is the first figure of the set, if there is any. */
tw_status tw_sweep_figure_curves(tw_figure_set *set, const tw_sweep_results *results,
                                 const char *folder, tw_error *error);

/* Replaces the curves of a set with a figure by means over the replicates, with bands of their
 * standard deviation, over the range that all of a group have. Nothing changes without replicates,
 * or where x goes back and forth. */
void tw_sweep_figure_means(tw_figure_set *set, const tw_sweep_results *results);

/* "sweep_values": results over the first varied value, with standard deviations over the
 * replicates; no figure if there are none. */
void tw_sweep_figure_values(tw_figure_set *set, const tw_sweep_results *results);

/* Prints the strength of the tests that differ in one key but the seed, and in pressure; and where
 * these are all cases the figures mohr and failure. */
void tw_sweep_figure_strength(tw_figure_set *set, const tw_sweep_results *results);

#endif
