/* SPDX-License-Identifier: BSD-3-Clause */
/* The long run: a difference in the last bit of one contact spreads through the whole specimen. */
#include <inttypes.h>
#include <string.h>

#include "scene.h"

enum { EVERY = 5000, PRESS = 2000 };

/* Prints a line; returns 1 if it is not in the expected text. */
static int tell(tw_sim *sim, uint64_t step, const char *expected)
{
    char line[64];
    snprintf(line, sizeof line, "%" PRIu64 " %016" PRIx64 "\n", step, tw_sim_hash(sim));
    const int wrong = expected && !strstr(expected, line);
    printf("%.*s%s\n", (int)strlen(line) - 1, line, wrong ? "  differs" : "");
    fflush(stdout);
    return wrong;
}

int golden_long(golden *g, uint64_t steps, const char *expected)
{
    const double third = 1.0 / 3.0;
    const tw_sim_def def = scene_def(g, 10 * 2.0 * SCENE_GRAIN);
    const scene_grains grains = {10, 0.8, 1.0, SCENE_BUMPY, 1, 0.1, 50.0, 0, 51};
    tw_control control = tw_control_default();
    tw_sim *sim = scene_create(&def);
    scene_fill(sim, &grains);
    scene_press(sim, 0.1, PRESS);
    scene_set_friction(sim, 0.5);
    scene_set_damping(sim, 0.0, 0.0, 0.3);
    int wrong = tell(sim, 0, expected);
    control.row[TW_XX] = (tw_control_row){TW_CONTROL_RATE, {1.0, -1.0}, 0.0, 0.0};
    control.row[TW_YY] =
        (tw_control_row){TW_CONTROL_STRESS, {third, third, third}, SCENE_PRESSURE, 0.0};
    control.row[TW_ZZ] = tw_control_rate(TW_ZZ, -1.0);
    scene_control(sim, &control);
    for (uint64_t done = 0; done < steps;) {
        const uint64_t part = steps - done < EVERY ? steps - done : EVERY;
        scene_run(sim, part);
        done += part;
        wrong += tell(sim, done, expected);
    }
    tw_sim_free(sim);
    return wrong;
}
