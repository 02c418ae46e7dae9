/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/sim_restore.h"

#include "search/search.h"
#include "sim/checkpoint_check_numbers.h"
#include "sim/sim_inside.h"

/* Without a list, bodies or walls were added after the last search: contacts wait for the next. */
static tw_status restore_contacts(tw_sim *sim, const tw_contact_list *contacts, int listed,
                                  tw_error *error)
{
    if (listed) return tw_search_restore(&sim->model, &sim->state, &sim->schedule, contacts, error);
    if (contacts->count == 0) return TW_STATUS_OK;
    const tw_status status =
        tw_schedule_reserve_spheres(&sim->model, &sim->state, &sim->schedule, error);
    if (status != TW_STATUS_OK) return status;
    tw_schedule_list_spheres(&sim->model, &sim->state, &sim->schedule);
    return tw_search_keep(&sim->state, &sim->schedule, contacts, error);
}

tw_status tw_sim_restore(tw_sim *sim, const tw_contact_list *contacts, int listed, const char *path,
                         tw_error *error)
{
    const tw_status status =
        tw_checkpoint_check_numbers(&sim->model, &sim->state, contacts, listed, path, error);
    return status == TW_STATUS_OK ? restore_contacts(sim, contacts, listed, error) : status;
}
