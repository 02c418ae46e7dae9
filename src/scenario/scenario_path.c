/* SPDX-License-Identifier: BSD-3-Clause */
#include <twirl/scenario.h>

const char *tw_scenario_path_name(int32_t path)
{
    static const char *const names[] = {
#define WORD_OF(name, word, meaning) word,
        TW_SCENARIO_PATHS(WORD_OF)
#undef WORD_OF
    };
    return path >= 0 && (size_t)path < sizeof names / sizeof *names ? names[path] : NULL;
}
