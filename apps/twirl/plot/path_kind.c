/* SPDX-License-Identifier: BSD-3-Clause */
#include "plot/path_kind.h"

static tw_path_kind kind_of_shear(const tw_scenario_stage *stage, bool cyclic)
{
    if (stage->constant == TW_SCENARIO_VOLUME_CONSTANT)
        return cyclic ? TW_PATH_KIND_CYCLIC_SHEAR_UNDRAINED : TW_PATH_KIND_SHEAR_UNDRAINED;
    return cyclic ? TW_PATH_KIND_CYCLIC_SHEAR : TW_PATH_KIND_SHEAR;
}

tw_path_kind tw_path_kind_of(const tw_scenario_stage *stage)
{
    const bool cyclic = stage->path == TW_SCENARIO_CYCLIC;
    switch (cyclic ? stage->cycle.base : stage->path) {
    case TW_SCENARIO_ISOTROPIC:
        return TW_PATH_KIND_ISOTROPIC;
    case TW_SCENARIO_OEDOMETER:
        return TW_PATH_KIND_OEDOMETER;
    case TW_SCENARIO_TRIAXIAL:
        return cyclic ? TW_PATH_KIND_CYCLIC : TW_PATH_KIND_TRIAXIAL;
    case TW_SCENARIO_CONSTANT_P:
        return cyclic ? TW_PATH_KIND_CYCLIC : TW_PATH_KIND_CONSTANT_P;
    case TW_SCENARIO_UNDRAINED:
        return cyclic ? TW_PATH_KIND_CYCLIC_UNDRAINED : TW_PATH_KIND_UNDRAINED;
    case TW_SCENARIO_SIMPLE_SHEAR:
        return kind_of_shear(stage, cyclic);
    case TW_SCENARIO_TRUE_TRIAXIAL:
        return TW_PATH_KIND_TRUE_TRIAXIAL;
    case TW_SCENARIO_ROTATE:
        return TW_PATH_KIND_ROTATE;
    case TW_SCENARIO_GENERAL:
        return TW_PATH_KIND_GENERAL;
    case TW_SCENARIO_PROBES:
        return TW_PATH_KIND_PROBES;
    default:
        return TW_PATH_KIND_REST;
    }
}

bool tw_path_kind_is_axial(tw_path_kind kind)
{
    return kind == TW_PATH_KIND_TRIAXIAL || kind == TW_PATH_KIND_CONSTANT_P ||
           kind == TW_PATH_KIND_UNDRAINED || kind == TW_PATH_KIND_CYCLIC ||
           kind == TW_PATH_KIND_CYCLIC_UNDRAINED || kind == TW_PATH_KIND_OEDOMETER;
}

bool tw_path_kind_is_loading(tw_path_kind kind)
{
    return kind != TW_PATH_KIND_ISOTROPIC && kind != TW_PATH_KIND_REST &&
           kind != TW_PATH_KIND_PROBES;
}

bool tw_path_kind_continues(tw_path_kind kind)
{
    return kind == TW_PATH_KIND_OEDOMETER || kind == TW_PATH_KIND_ISOTROPIC;
}
