/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of figures. */
#ifndef TWIRL_FIGURE_SET_H
#define TWIRL_FIGURE_SET_H

/* The abscissa of paths of this kind, by name of quantity. */
const char *tw_figure_set_abscissa(int kind);

#endif
