/* SPDX-License-Identifier: BSD-3-Clause */
#include "plot/figure_table.h"

#define BIT TW_PATH_KIND_BIT

enum {
    EVERY = (1 << TW_PATH_KINDS) - 1,
    TURN = BIT(ROTATE),
    AXIAL = BIT(PLAIN) | BIT(TRIAXIAL) | BIT(CONSTANT_P) | BIT(UNDRAINED),
    SHEAR = BIT(SHEAR) | BIT(SHEAR_UNDRAINED),
    CYCLIC_AXIAL = BIT(CYCLIC) | BIT(CYCLIC_UNDRAINED),
    CYCLIC_SHEAR = BIT(CYCLIC_SHEAR) | BIT(CYCLIC_SHEAR_UNDRAINED),
    OTHER = BIT(TIME) | BIT(TRUE_TRIAXIAL) | BIT(GENERAL),
    DRAINED = OTHER | BIT(PLAIN) | BIT(TRIAXIAL) | BIT(CONSTANT_P) | BIT(SHEAR),
    CLOSED =
        BIT(UNDRAINED) | BIT(SHEAR_UNDRAINED) | BIT(CYCLIC_UNDRAINED) | BIT(CYCLIC_SHEAR_UNDRAINED),
    COMPRESSION = BIT(OEDOMETER) | BIT(ISOTROPIC),
    LOG_Y = TW_FIGURE_TABLE_LOG_Y
};

const tw_figure_table_group tw_figure_table_groups[] = {
    {"axial", AXIAL, TW_CURVE_AXIAL_STRAIN, false},
    {"shear", SHEAR, TW_CURVE_SHEAR_STRAIN, false},
    {"true_triaxial", BIT(TRUE_TRIAXIAL), TW_CURVE_MAJOR_STRAIN, false},
    {"general", BIT(GENERAL), TW_CURVE_PATH_STRAIN, false},
    {"cyclic", CYCLIC_AXIAL, TW_CURVE_CYCLE, false},
    {"cyclic_shear", CYCLIC_SHEAR, TW_CURVE_CYCLE, false},
    {"oedometer", BIT(OEDOMETER), TW_CURVE_AXIAL_STRESS, true},
    {"isotropic", BIT(ISOTROPIC), TW_CURVE_P, true},
    {"rotation", TURN, TW_CURVE_ANGLE, false},
    {"rest", BIT(REST) | BIT(PROBES), TW_CURVE_TIME, false},
    {"time", BIT(TIME), TW_CURVE_TIME, false},
};
const int tw_figure_table_group_count =
    sizeof tw_figure_table_groups / sizeof *tw_figure_table_groups;

#define ONE(curve)                                                                                 \
    {                                                                                              \
        {                                                                                          \
            TW_CURVE_##curve, NULL                                                                 \
        }                                                                                          \
    }

#define ENERGIES                                                                                   \
    {                                                                                              \
        {TW_CURVE_WORK, "work"}, {TW_CURVE_FRICTION, "friction"}, {TW_CURVE_STORED, "stored"},     \
            {TW_CURVE_DAMPING, "damping"}, {TW_CURVE_KINETIC, "kinetic"},                          \
            {TW_CURVE_RESIDUAL, "residual"}, {TW_CURVE_MICRO_SLIP, "micro-slip"},                  \
            {TW_CURVE_ROLLING, "rolling"}, {TW_CURVE_TWISTING, "twisting"},                        \
    }

/* Left out is what the path keeps constant: the stress path at constant p or constant normal
 * stress, unless another series has one. */
const tw_figure_table_entry tw_figure_table[] = {
    {"stress_ratio", AXIAL | OTHER, EVERY, TW_CURVES, ONE(STRESS_RATIO), 1, 0},
    {"deviator_stress", AXIAL, BIT(TRIAXIAL) | BIT(UNDRAINED), TW_CURVES, ONE(Q), 1, 0},
    {"shear_stress", SHEAR, EVERY, TW_CURVES, ONE(SHEAR_STRESS), 1, 0},
    {"stress_ratio", SHEAR, EVERY, TW_CURVES, ONE(SHEAR_RATIO), 1, 0},
    {"loops", CYCLIC_AXIAL, EVERY, TW_CURVE_AXIAL_STRAIN, ONE(Q), 1, 0},
    {"loops", CYCLIC_SHEAR, EVERY, TW_CURVE_SHEAR_STRAIN, ONE(SHEAR_STRESS), 1, 0},
    {"strain_cycles", CYCLIC_AXIAL, EVERY, TW_CURVES, ONE(AXIAL_STRAIN), 1,
     TW_FIGURE_TABLE_STRESS_CYCLES},
    {"strain_cycles", CYCLIC_SHEAR, EVERY, TW_CURVES, ONE(SHEAR_STRAIN), 1,
     TW_FIGURE_TABLE_STRESS_CYCLES},
    {"stress_cycles", CYCLIC_AXIAL, EVERY, TW_CURVES, ONE(Q), 1, TW_FIGURE_TABLE_STRAIN_CYCLES},
    {"stress_cycles", CYCLIC_SHEAR, EVERY, TW_CURVES, ONE(SHEAR_STRESS), 1,
     TW_FIGURE_TABLE_STRAIN_CYCLES},
    {"volumetric_strain", DRAINED | BIT(CYCLIC) | BIT(CYCLIC_SHEAR), EVERY, TW_CURVES,
     ONE(VOLUMETRIC_STRAIN), 1, 0},
    {"void_ratio", DRAINED, EVERY, TW_CURVES, ONE(VOID_RATIO), 1, 0},
    {"pore_pressure", CLOSED, EVERY, TW_CURVES, ONE(RU), 1, 0},
    {"normal_stress", BIT(SHEAR_UNDRAINED), EVERY, TW_CURVES, ONE(NORMAL_STRESS), 1, 0},
    {"stress_path", AXIAL | CYCLIC_AXIAL | BIT(TIME) | BIT(GENERAL), ~(uint32_t)BIT(CONSTANT_P),
     TW_CURVE_P, ONE(Q), 1, 0},
    {"stress_path", SHEAR | CYCLIC_SHEAR, CLOSED, TW_CURVE_NORMAL_STRESS, ONE(SHEAR_STRESS), 1, 0},
    {"compression_curve", COMPRESSION, EVERY, TW_CURVES, ONE(VOID_RATIO), 1, 0},
    {"k0", BIT(OEDOMETER), EVERY, TW_CURVES, ONE(K0), 1, 0},
    {"intermediate_stress", BIT(TRUE_TRIAXIAL), EVERY, TW_CURVES, ONE(B), 1, 0},
    {"turn_error", TURN, EVERY, TW_CURVES, ONE(TURN_ERROR), 1, LOG_Y},
    {"unbalanced", BIT(REST), EVERY, TW_CURVES, ONE(UNBALANCED), 1, LOG_Y},
    {"coordination", EVERY & ~TURN, EVERY, TW_CURVES, ONE(COORDINATION), 1, 0},
    /* In a rigid rotation contacts reach the friction limit by rounding only. */
    {"sliding", EVERY & ~TURN, EVERY, TW_CURVES, ONE(SLIDING_FRACTION), 1, 0},
    {"fabric", EVERY & ~TURN, EVERY, TW_CURVES, ONE(FABRIC), 1, 0},
    {"energies", EVERY & ~TURN & ~COMPRESSION, EVERY, TW_CURVES, ENERGIES, 9, TW_FIGURE_TABLE_EACH},
    {"energies", COMPRESSION, EVERY, TW_CURVE_TIME, ENERGIES, 9, TW_FIGURE_TABLE_EACH},
};
const int tw_figure_table_count = sizeof tw_figure_table / sizeof *tw_figure_table;
