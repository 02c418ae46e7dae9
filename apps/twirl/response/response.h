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

/* X(name, kinds, unit): the quantities, and the kinds of stages that have them. */
#define TW_RESPONSE_QUANTITIES(X)                                                                  \
    X(p_start, ANY, "Pa")                                                                          \
    X(void_ratio_start, ANY, "")                                                                   \
    X(coordination_start, ANY, "")                                                                 \
    X(peak_ratio, SHEAR, "")    /* largest q/p; simple shear: shear over normal stress */          \
    X(peak_strain, SHEAR, "")   /* where that is */                                                \
    X(peak_angle, SHEAR, "deg") /* mobilised friction angle there */                               \
    X(strength, SHEAR, "Pa")    /* largest deviator or shear stress */                             \
    X(strength_strain, SHEAR, "")                                                                  \
    X(modulus, SHEAR | COMPRESSION, "Pa") /* secant at small strain */                             \
    X(dilation_rate, DRAINED, "")         /* largest rate of volume increase over strain */        \
    X(dilation_strain, DRAINED, "")       /* where that is */                                      \
    X(dilation_angle, DRAINED, "deg")                                                              \
    X(critical_ratio, SHEAR, "") /* means over the last part of the stage, here and below */       \
    X(critical_angle, SHEAR, "deg")                                                                \
    X(critical_p, SHEAR, "Pa")                                                                     \
    X(critical_void_ratio, SHEAR, "")                                                              \
    X(critical_coordination, SHEAR, "")                                                            \
    X(steady, SHEAR, "")      /* 1: the last part is steady, 0: it is not */                       \
    X(p_min, UNDRAINED, "Pa") /* phase transformation: smallest p */                               \
    X(p_min_strain, UNDRAINED, "")                                                                 \
    X(K0, OEDOMETER, "")                  /* lateral over axial stress at the end */               \
    X(compression_index, COMPRESSION, "") /* void ratio over decade of stress */                   \
    X(cycles, CYCLIC, "")                                                                          \
    X(ru_max, CYCLIC, "")               /* largest pore-pressure ratio */                          \
    X(liquefaction_cycles, CYCLIC, "")  /* cycles until the pore-pressure ratio is 0.95 */         \
    X(loop_modulus_first, CYCLIC, "Pa") /* secant over the first cycle */                          \
    X(loop_damping_first, CYCLIC, "")   /* damping ratio of that cycle */                          \
    X(loop_modulus_last, CYCLIC, "Pa")  /* the same for the last complete cycle */                 \
    X(loop_damping_last, CYCLIC, "")                                                               \
    X(strain_end, ANY, "") /* of the path */                                                       \
    X(void_ratio_end, ANY, "")                                                                     \
    X(coordination_end, ANY, "")

typedef enum tw_response_quantity {
#define TW_RESPONSE_MEMBER(name, kinds, unit) TW_RESPONSE_##name,
    TW_RESPONSE_QUANTITIES(TW_RESPONSE_MEMBER)
#undef TW_RESPONSE_MEMBER
        TW_RESPONSE_QUANTITY_COUNT
} tw_response_quantity;

extern const char *const tw_response_names[TW_RESPONSE_QUANTITY_COUNT];
extern const char *const tw_response_units[TW_RESPONSE_QUANTITY_COUNT]; /* "": none */

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
