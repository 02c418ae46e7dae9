/* SPDX-License-Identifier: BSD-3-Clause */
/* Files with the spheres of a cluster: one per line, x y z r, separated by blanks or commas. A
 * first line may name these columns, in any order; # begins a comment. */
#ifndef TW_SCENARIO_SHAPE_FILE_H
#define TW_SCENARIO_SHAPE_FILE_H

#include "scenario/review.h"

/* Reads the spheres of all shapes that name a file. What is wrong in one is reported at the key
 * `file`, with its own name and line. */
void tw_shape_file_read_all(const tw_review *review, tw_scenario_specimen *specimen);

#endif
