/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors of a search, wherever it runs. */
#ifndef TW_SEARCH_SEARCH_ERROR_H
#define TW_SEARCH_SEARCH_ERROR_H

#include "world/state.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The cell has no volume, or is not finite. */
tw_status tw_search_error_cell(const tw_state *state, tw_error *error);

/* The position of this body is not finite. */
tw_status tw_search_error_body(const tw_state *state, uint32_t id, tw_error *error);

/* Images of the cell cannot be numbered. */
tw_status tw_search_error_narrow(tw_error *error);

/* A contact is not in the list: that of bodies with these ids, or of a body and wall q. */
tw_status tw_search_error_lost(const tw_state *state, uint32_t p, int plane, uint32_t q,
                               tw_error *error);

#ifdef __cplusplus
}
#endif

#endif
