/* SPDX-License-Identifier: BSD-3-Clause */
/* The values of a quantity, for each body or each contact. */
#ifndef TWIRL_APP_RENDER_VALUES_H
#define TWIRL_APP_RENDER_VALUES_H

#include <stdbool.h>
#include <stddef.h>

#include <twirl/exchange.h>
#include <twirl/sim.h>

#include "render/render_quantity.h"

/* A state and its contacts. A file of another kind than a checkpoint has none, but may state what
 * would follow from them. */
typedef struct tw_render_state {
    const tw_sim *sim;
    const tw_sim *since; /* the state from which non-affine displacements count; NULL: none */
    tw_contact_state *contacts; /* none before preparation */
    size_t contact_count;
    bool foreign;                      /* not from a checkpoint */
    const tw_specimen_result *results; /* of bodies, in a file that is foreign; NULL: none */
} tw_render_state;

/* Whether the state has what the quantity follows from. */
bool tw_render_values_exist(const tw_render_state *state, const tw_render_quantity *quantity);

/* False: out of memory. `values` has one place for each body, in the order of ids, or for each
 * contact. */
bool tw_render_values(const tw_render_state *state, const tw_render_quantity *quantity,
                      double *values);

#endif
