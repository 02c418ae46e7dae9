/* SPDX-License-Identifier: BSD-3-Clause */
/* Contact slots. */
#ifndef TW_WORLD_SLOTS_H
#define TW_WORLD_SLOTS_H

#include <stddef.h>
#include <stdint.h>

/* Contact slots: what the memories in tw_contacts belong to. An empty slot refers to the tile's
 * idle sphere and body slots. */
typedef struct tw_slots {
    uint32_t *sphere_p, *sphere_q; /* sphere slots */
    uint32_t *body_p, *body_q; /* body slots; the same arrays as above if all bodies are single */
    uint32_t *pair;            /* TW_NO_PAIR: empty */
    uint32_t *candidate; /* candidate that became this contact; TW_NO_PAIR: in contact since the
                            list was made */
    uint16_t *law;       /* where tw_model.laws has that of the contact */
    double *root;        /* of the reduced radius [m^(1/2)] */
    double *inv_root;    /* its inverse */
    size_t capacity;
} tw_slots;

#endif
