/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/sim_place.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { CPU, CUDA, EMULATED, PLACES };

static const char *const places[PLACES] = {"cpu", "cuda", "emulated"};

tw_status tw_sim_place_find(const char *name, const char **place, tw_error *error)
{
    const char *variable = getenv("TWIRL_DEVICE");
    const char *word = name ? name : variable && *variable ? variable : places[CPU];
    for (int k = 0; k < PLACES; k++) {
        if (strcmp(word, places[k]) != 0) continue;
        *place = places[k];
        return TW_STATUS_OK;
    }
    *place = places[CPU];
    return tw_error_set(error, TW_STATUS_INPUT,
                        "%s%.40s: there is no such device; use cpu, cuda, or emulated (the code of "
                        "the GPU run on the CPU, slow, for tests)",
                        name ? "device " : "TWIRL_DEVICE=", word);
}

int tw_sim_place_is_cpu(const char *place)
{
    return place == places[CPU];
}

int tw_sim_place_is_emulated(const char *place)
{
    return place == places[EMULATED];
}
