/* SPDX-License-Identifier: BSD-3-Clause */
#include "response/response_curve.h"

static tw_response_curve shear_curve(const char *x_label, const char *y_label)
{
    return (tw_response_curve){
        x_label, y_label, TW_RESPONSE_ROWS_STRAIN, TW_RESPONSE_ROWS_RATIO, 100.0, 1.0, false};
}

static tw_response_curve compression_curve(const char *x_label)
{
    return (tw_response_curve){
        x_label, "Void ratio  [–]", TW_RESPONSE_ROWS_STRESS, TW_RESPONSE_ROWS_VOID_RATIO, 1e-3, 1.0,
        true};
}

static tw_response_curve loop_curve(const char *x_label, const char *y_label)
{
    return (tw_response_curve){
        x_label, y_label, TW_RESPONSE_ROWS_STRAIN, TW_RESPONSE_ROWS_STRESS, 100.0, 1e-3, false};
}

tw_response_curve tw_response_curve_of(const tw_scenario_stage *stage)
{
    switch (stage->path) {
    case TW_SCENARIO_SIMPLE_SHEAR:
        return shear_curve("Shear strain  [%]", "Shear stress over normal stress  [–]");
    case TW_SCENARIO_TRUE_TRIAXIAL:
        return shear_curve("Deviatoric strain  [%]", "Stress ratio q/p  [–]");
    case TW_SCENARIO_OEDOMETER:
        return compression_curve("Axial stress  [kPa]");
    case TW_SCENARIO_ISOTROPIC:
        return compression_curve("Mean stress p  [kPa]");
    case TW_SCENARIO_CYCLIC:
        if (stage->cycle.base == TW_SCENARIO_SIMPLE_SHEAR)
            return loop_curve("Shear strain  [%]", "Shear stress  [kPa]");
        return loop_curve("Axial strain  [%]", stage->cycle.base == TW_SCENARIO_OEDOMETER
                                                   ? "Axial stress  [kPa]"
                                                   : "Deviator stress q  [kPa]");
    case TW_SCENARIO_TRIAXIAL:
    case TW_SCENARIO_CONSTANT_P:
    case TW_SCENARIO_UNDRAINED:
        return shear_curve("Axial strain  [%]", "Stress ratio q/p  [–]");
    default:
        return shear_curve("Strain  [%]", "Stress ratio q/p  [–]");
    }
}
