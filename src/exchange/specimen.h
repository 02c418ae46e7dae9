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

#endif
