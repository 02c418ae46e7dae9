/* SPDX-License-Identifier: BSD-3-Clause */
/* Scenarios. The input is the file, then settings, each after a NUL. Accepted scenarios must
 * survive being written and read again. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include <twirl/scenario.h>

enum { SETTINGS_MAX = 8 };

static void check_round_trip(const tw_scenario *scenario)
{
    tw_scenario_errors errors;
    char *text = tw_scenario_write_text(scenario);
    if (!text) fuzz_fail("cannot write a scenario");
    tw_scenario *again = tw_scenario_read_text(text, strlen(text), "b.yaml", NULL, 0, &errors);
    if (!again) fuzz_fail("a written scenario is refused");
    char *twice = tw_scenario_write_text(again);
    if (!twice || strcmp(text, twice) != 0) fuzz_fail("a written scenario changes when read");
    for (size_t i = 0; i < again->stage_count; i++)
        (void)tw_scenario_stage_steps(again, i);
    for (size_t i = 0; i < again->stage_count; i++)
        free(tw_scenario_describe(again, "stages", i));
    free(text);
    free(twice);
    tw_scenario_errors_free(&errors);
    tw_scenario_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *settings[SETTINGS_MAX];
    size_t count = 0;
    char *text = malloc(size + 1);
    if (!text) return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    const size_t length = strlen(text);
    for (const char *next = text + length + 1; next < text + size && count < SETTINGS_MAX;
         next += strlen(next) + 1)
        settings[count++] = next;
    tw_scenario_errors errors;
    tw_scenario *scenario = tw_scenario_read_text(text, length, "a.yaml", settings, count, &errors);
    if ((scenario == NULL) != (errors.count > 0))
        fuzz_fail("neither a scenario nor an error, or both");
    for (size_t i = 0; i < errors.count; i++)
        if (strncmp(errors.text[i], "a.yaml:", 7) != 0 &&
            strncmp(errors.text[i], "--set '", 7) != 0)
            fuzz_fail("an error without location");
    if (scenario) check_round_trip(scenario);
    tw_scenario_errors_free(&errors);
    tw_scenario_free(scenario);
    free(text);
    return 0;
}
