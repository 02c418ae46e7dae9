/* SPDX-License-Identifier: BSD-3-Clause */
/* A world in a file, and back: everything that decides how it goes on, to the bit. The format is
 * told in docs/guide/checkpoint.md. */
#ifndef TW_SIM_CHECKPOINT_H
#define TW_SIM_CHECKPOINT_H

#include <twirl/types.h>

#include "control/servo.h"
#include "search/search.h"
#include "world/world.h"

/* Writes path.PID.tmp beside `path`, syncs it and renames it: whatever happens, a file of that name
 * is whole, the old one or the new one. On failure the old one stays and the temporary one is
 * removed. Two threads must not write the same path at the same time. */
tw_status tw_checkpoint_write(const tw_world *world, const tw_servo *servo, const char *path,
                              tw_error *error);

/* `servo` is all zero, and stays so if the file is older than the control of the cell.
 * `world` comes from tw_world_init, without shapes, bodies and walls. It gets all but the spheres,
 * index_of and the pairs, and placed = 0. `contacts` gets the touching pairs in the order they had;
 * wall w is sphere S + w there, with S the spheres of all bodies together.
 *
 * `listed` is tw_world.placed of the written world. 1: tw_search_restore makes the very list that
 * was in force. 0: bodies or walls came after it, or it was never made, and a fresh search follows;
 * until then the contacts, if any, are the pairs of the world (after tw_world_place).
 *
 * The caller frees the contacts. On failure they are empty, and what the world then holds is good
 * for tw_world_free alone. Statuses: FILE for a file that cannot be read, is none of ours or is
 * damaged, VERSION for one from a later program, MEMORY. */
tw_status tw_checkpoint_read(tw_world *world, tw_servo *servo, tw_contact_list *contacts,
                             int *listed, const char *path, tw_error *error);

/* The contacts of a world as they go into a file, with room for `more`. 0: no memory. The caller
 * frees them in either case. */
int tw_checkpoint_contacts_gather(const tw_world *world, size_t more, tw_contact_list *contacts);

void tw_checkpoint_contacts_free(tw_contact_list *contacts);

#endif
