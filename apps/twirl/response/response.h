/* SPDX-License-Identifier: BSD-3-Clause */
/* The response of a specimen in one stage, as numbers: peak, modulus, dilation, critical state,
 * compression index, loops. docs/guide/sweep.md has the definitions. */
#ifndef TWIRL_APP_RESPONSE_H
#define TWIRL_APP_RESPONSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <twirl/figure.h>
#include <twirl/scenario.h>

/* X(name, kinds, unit, text for people): the quantities, and the kinds of stages that have them. */
#define TW_RESPONSE_QUANTITIES(X)                                                                  \
    X(p_start, ANY, "Pa", "p in the first row of the stage")                                       \
    X(void_ratio_start, ANY, "", "void ratio in the first row")                                    \
    X(coordination_start, ANY, "", "coordination number in the first row")                         \
    X(peak_ratio, SHEAR, "",                                                                       \
      "largest stress ratio: q/p, in simple shear shear over normal stress")                       \
    X(peak_strain, SHEAR, "", "strain at the largest stress ratio")                                \
    X(peak_angle, SHEAR, "deg", "mobilised friction angle there")                                  \
    X(strength, SHEAR, "Pa", "largest deviator or shear stress")                                   \
    X(strength_strain, SHEAR, "", "strain at the largest stress")                                  \
    X(modulus, SHEAR | COMPRESSION, "Pa", "secant modulus from the start to a strain of 0.001")    \
    X(dilation_rate, DRAINED, "", "largest rate of volume increase over strain")                   \
    X(dilation_strain, DRAINED, "", "strain where that is")                                        \
    X(dilation_angle, DRAINED, "deg", "dilation angle of that rate")                               \
    X(critical_ratio, SHEAR, "", "mean stress ratio over the last fifth of the strain")            \
    X(critical_angle, SHEAR, "deg", "mean friction angle over the last fifth of the strain")       \
    X(critical_p, SHEAR, "Pa", "mean p over the last fifth of the strain")                         \
    X(critical_void_ratio, SHEAR, "", "mean void ratio over the last fifth of the strain")         \
    X(critical_coordination, SHEAR, "",                                                            \
      "mean coordination number over the last fifth of the strain")                                \
    X(steady, SHEAR, "", "1: the last fifth of the strain is steady, 0: it is not")                \
    X(p_min, UNDRAINED, "Pa", "smallest p at constant volume: phase transformation")               \
    X(p_min_strain, UNDRAINED, "", "strain at the smallest p")                                     \
    X(K0, OEDOMETER, "", "lateral over axial stress at the end")                                   \
    X(compression_index, COMPRESSION, "", "decrease of void ratio per decade of stress")           \
    X(cycles, CYCLIC, "", "number of cycles at the end")                                           \
    X(ru_max, CYCLIC, "", "largest pore-pressure ratio")                                           \
    X(liquefaction_cycles, CYCLIC, "", "cycles until the pore-pressure ratio is 0.95")             \
    X(loop_modulus_first, CYCLIC, "Pa", "secant modulus of the first cycle")                       \
    X(loop_damping_first, CYCLIC, "", "damping ratio of the first cycle")                          \
    X(loop_modulus_last, CYCLIC, "Pa", "secant modulus of the last complete cycle")                \
    X(loop_damping_last, CYCLIC, "", "damping ratio of the last complete cycle")                   \
    X(strain_end, ANY, "", "strain of the path in the last row")                                   \
    X(void_ratio_end, ANY, "", "void ratio in the last row")                                       \
    X(coordination_end, ANY, "", "coordination number in the last row")

typedef enum tw_response_quantity {
#define TW_RESPONSE_MEMBER(name, kinds, unit, text) TW_RESPONSE_##name,
    TW_RESPONSE_QUANTITIES(TW_RESPONSE_MEMBER)
#undef TW_RESPONSE_MEMBER
        TW_RESPONSE_QUANTITY_COUNT
} tw_response_quantity;

extern const char *const tw_response_names[TW_RESPONSE_QUANTITY_COUNT];
extern const char *const tw_response_units[TW_RESPONSE_QUANTITY_COUNT]; /* "": none */
extern const char *const tw_response_texts[TW_RESPONSE_QUANTITY_COUNT];

typedef struct tw_response {
    double value[TW_RESPONSE_QUANTITY_COUNT]; /* NaN: the stage does not have it */
} tw_response;

/* Whether stages of this path have the quantity. */
bool tw_response_applies(const tw_scenario_stage *stage, tw_response_quantity quantity);

/* The last stage that loads the specimen; SIZE_MAX: there is none. */
size_t tw_response_stage(const tw_scenario *scenario);

tw_response tw_response_of(const tw_scenario_stage *stage, tw_figure_rows history);

/* Two columns of a history as a piecewise linear curve y(x). */
typedef struct tw_response_series {
    const double *x, *y;
    size_t count;
} tw_response_series;

/* y where x first reaches `at`, from either side; NaN: it does not. */
double tw_response_series_value(tw_response_series series, double at);

#endif
