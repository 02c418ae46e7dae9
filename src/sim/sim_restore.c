/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/sim_restore.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "search/search.h"
#include "sim/checkpoint_check_numbers.h"
#include "sim/sim_inside.h"

static int pair_compare(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(tw_pair));
}

/* A contact that is there twice. */
static tw_status check_unique(const tw_contact_list *contacts, const char *path, tw_error *error)
{
    tw_pair *sorted = NULL;
    size_t capacity = 0;
    if (tw_buffer_reserve(&sorted, &capacity, contacts->count + 1, sizeof *sorted) != TW_STATUS_OK)
        return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory to check %s", path);
    memcpy(sorted, contacts->pair, contacts->count * sizeof *sorted);
    qsort(sorted, contacts->count, sizeof *sorted, pair_compare);
    size_t k = 1;
    while (k < contacts->count && pair_compare(&sorted[k - 1], &sorted[k]) != 0)
        k++;
    tw_buffer_free(&sorted, &capacity);
    if (k >= contacts->count) return TW_STATUS_OK;
    return tw_error_set(error, TW_STATUS_FILE, "%s: contacts has a contact twice",
                        tw_error_shorten_path(path).text);
}

/* Bodies or walls were added after the last search: contacts wait for the next. The list of spheres
 * says where each body is. */
static tw_status keep_contacts(tw_sim *sim, const tw_contact_list *contacts, const char *path,
                               tw_error *error)
{
    tw_status status = tw_schedule_reserve_spheres(&sim->model, &sim->state, &sim->schedule, error);
    if (status == TW_STATUS_OK) status = check_unique(contacts, path, error);
    if (status != TW_STATUS_OK) return status;
    tw_schedule_list_spheres(&sim->model, &sim->state, &sim->schedule);
    if (contacts->count == 0) return TW_STATUS_OK;
    return tw_search_keep(&sim->state, &sim->schedule, contacts, error);
}

static tw_status restore_contacts(tw_sim *sim, const tw_contact_list *contacts, int listed,
                                  const char *path, tw_error *error)
{
    tw_status status = tw_state_need_extras(&sim->state, tw_model_extras(&sim->model), error);
    if (status != TW_STATUS_OK) return status;
    if (listed)
        status = tw_search_restore(&sim->model, &sim->state, &sim->schedule, contacts, error);
    else
        status = keep_contacts(sim, contacts, path, error);
    if (status != TW_STATUS_OK || tw_contact_list_holds(contacts, &sim->schedule)) return status;
    return tw_error_set(error, TW_STATUS_FILE,
                        "%s: contacts are not in the order and the slots of the neighbour list",
                        tw_error_shorten_path(path).text);
}

tw_status tw_sim_restore(tw_sim *sim, const tw_contact_list *contacts, int listed, const char *path,
                         tw_error *error)
{
    const tw_status status = tw_checkpoint_check_numbers(&sim->model, &sim->state, &sim->servo,
                                                         contacts, listed, path, error);
    return status == TW_STATUS_OK ? restore_contacts(sim, contacts, listed, path, error) : status;
}

tw_status tw_sim_restore_check(const tw_sim *sim, tw_error *error)
{
    tw_contact_list contacts = {0};
    tw_error why;
    tw_status status;
    if (!tw_contact_list_gather(&sim->state, &sim->schedule, 0, 0, &contacts))
        status = tw_error_set(error, TW_STATUS_MEMORY, "not enough memory to check the contacts");
    else {
        status = tw_checkpoint_check_numbers(&sim->model, &sim->state, &sim->servo, &contacts,
                                             sim->schedule.valid, "state", &why);
        if (status != TW_STATUS_OK)
            status = tw_error_set(error, TW_STATUS_PHYSICS,
                                  "step %llu: the state cannot be continued and is not saved: %s",
                                  (unsigned long long)sim->state.steps, why.text);
    }
    tw_contact_list_free(&contacts);
    return status;
}
