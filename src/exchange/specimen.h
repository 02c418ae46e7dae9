/* SPDX-License-Identifier: BSD-3-Clause */
/* Filling a specimen, row by row. */
#ifndef TW_EXCHANGE_SPECIMEN_H
#define TW_EXCHANGE_SPECIMEN_H

#include <twirl/exchange.h>

/* NULL: out of memory; error says so, here and below. */
tw_specimen *tw_specimen_make(tw_error *error);

/* One more body, with defaults; NULL: out of memory. Valid until the next one is added. */
tw_body_def *tw_specimen_add_body(tw_specimen *specimen, tw_error *error);

/* One more shape, all zero; NULL: out of memory. Valid until the next one is added. */
tw_specimen_shape *tw_specimen_add_shape(tw_specimen *specimen, tw_error *error);

/* One more body from `count` rows of `stride` bytes, each of which begins with a tw_sphere. A
 * single one is a sphere. A cluster becomes a shape of its own, not turned, with the origin in its
 * first sphere; its size is a power of two, so that radii come back to the bit. */
tw_body_def *tw_specimen_add_spheres(tw_specimen *specimen, const void *rows, size_t count,
                                     size_t stride, tw_error *error);

#endif
