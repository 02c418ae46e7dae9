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
    const tw_scenario_traits t = tw_scenario_stage_traits(stage);
    const bool oedometer = t.keeps == TW_SCENARIO_KEEPS_LATERAL_STRAIN;
    if (t.along == TW_SCENARIO_ALONG_PLANE)
        return t.cyclic ? loop_curve("Shear strain  [%]", "Shear stress  [kPa]")
                        : shear_curve("Shear strain  [%]", "Shear stress over normal stress  [–]");
    if (t.cyclic)
        return loop_curve("Axial strain  [%]",
                          oedometer ? "Axial stress  [kPa]" : "Deviator stress q  [kPa]");
    if (oedometer) return compression_curve("Axial stress  [kPa]");
    if (t.keeps == TW_SCENARIO_KEEPS_PRESSURE) return compression_curve("Mean stress p  [kPa]");
    return shear_curve(t.along == TW_SCENARIO_ALONG_LODE_ANGLE ? "Deviatoric strain  [%]"
                       : t.along == TW_SCENARIO_ALONG_AXIS     ? "Axial strain  [%]"
                                                               : "Strain  [%]",
                       "Stress ratio q/p  [–]");
}
