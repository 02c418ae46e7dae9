/* SPDX-License-Identifier: BSD-3-Clause */
/* The values of a quantity, for each body or each contact. */
#ifndef TWIRL_APP_RENDER_VALUES_H
#define TWIRL_APP_RENDER_VALUES_H

#include <stdbool.h>
#include <stddef.h>

#include <twirl/sim.h>

#include "render/render_quantity.h"

/* A state and its contacts. */
typedef struct tw_render_state {
    const tw_sim *sim;
    const tw_sim *since; /* the state from which non-affine displacements count; NULL: none */
    tw_contact_state *contacts; /* none before preparation */
    size_t contact_count;
} tw_render_state;

/* False: out of memory. `values` has one place for each body, in the order of ids, or for each
 * contact. */
bool tw_render_values(const tw_render_state *state, const tw_render_quantity *quantity,
                      double *values);

#endif
