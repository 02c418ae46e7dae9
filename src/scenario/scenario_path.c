/* SPDX-License-Identifier: BSD-3-Clause */
/* Traits of loading paths, by the lists of twirl/scenario.h. */
#include <twirl/scenario.h>

typedef struct path_row {
    const char *name;
    int32_t along, keeps;
} path_row;

static const path_row *find_row(int32_t path)
{
    static const path_row rows[] = {
#define ROW_OF(name, word, meaning, along, keeps)                                                  \
    {word, TW_SCENARIO_ALONG_##along, TW_SCENARIO_KEEPS_##keeps},
        TW_SCENARIO_PATHS(ROW_OF)
#undef ROW_OF
    };
    return path >= 0 && (size_t)path < sizeof rows / sizeof *rows ? &rows[path] : NULL;
}

const char *tw_scenario_path_name(int32_t path)
{
    const path_row *row = find_row(path);
    return row ? row->name : NULL;
}

tw_scenario_traits tw_scenario_stage_traits(const tw_scenario_stage *stage)
{
    static const tw_scenario_traits alongs[] = {
#define TRAITS_OF(name, ...) {0, 0, 0, TW_SCENARIO_ALONG_##name, __VA_ARGS__},
        TW_SCENARIO_ALONGS(TRAITS_OF)
#undef TRAITS_OF
    };
    const int32_t cyclic = stage->path == TW_SCENARIO_CYCLIC;
    const int32_t path = cyclic ? stage->cycle.base : stage->path;
    const path_row *row = find_row(path);
    tw_scenario_traits traits = alongs[row ? row->along : TW_SCENARIO_ALONG_VOLUME];
    traits.path = path;
    traits.cyclic = cyclic;
    traits.keeps = row ? row->keeps : TW_SCENARIO_KEEPS_NOTHING;
    if (traits.along == TW_SCENARIO_ALONG_PLANE && stage->constant == TW_SCENARIO_VOLUME_CONSTANT)
        traits.keeps = TW_SCENARIO_KEEPS_VOLUME;
    return traits;
}
