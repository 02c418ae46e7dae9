/* SPDX-License-Identifier: BSD-3-Clause */
/* The quantities that figures show, computed from the rows of a history. */
#ifndef TWIRL_FIGURE_QUANTITY_H
#define TWIRL_FIGURE_QUANTITY_H

#include <stdbool.h>

#include <twirl/figure.h>

/* The column of the history whose numbers the quantity has in this series; -1: none. */
int tw_figure_quantity_column(const tw_figure_series *series, size_t number);

#endif
