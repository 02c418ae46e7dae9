/* SPDX-License-Identifier: BSD-3-Clause */
/* The figures of `twirl figure`. Each writes its data as CSV and has it drawn, into a directory
 * that exists. False: the text is in `error`. */
#ifndef TWIRL_APP_FIGURES_H
#define TWIRL_APP_FIGURES_H

#include <stdbool.h>
#include <stddef.h>

bool tw_figure_turning(const char *directory, char *error, size_t size);

#endif
