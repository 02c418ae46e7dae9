/* SPDX-License-Identifier: BSD-3-Clause */
/* Kinds of loading paths, as far as their figures differ; runs that are read, and the rows of them
 * that are curves. */
#ifndef TWIRL_FIGURE_SERIES_H
#define TWIRL_FIGURE_SERIES_H

#include <stdbool.h>
#include <stdint.h>

#include <twirl/figure.h>

/* Names, in the order of the numbers. */
#define TW_FIGURE_SERIES_KINDS(X)                                                                  \
    X(TIME, "time")   /* a history without strains: drawn over time */                             \
    X(PLAIN, "plain") /* a history without scenario: drawn over its axial strain */                \
    X(TRIAXIAL, "triaxial")                                                                        \
    X(CONSTANT_P, "constant_p")                                                                    \
    X(UNDRAINED, "undrained")                                                                      \
    X(SHEAR, "shear")                                                                              \
    X(SHEAR_UNDRAINED, "shear_undrained")                                                          \
    X(CYCLIC, "cyclic")                                                                            \
    X(CYCLIC_UNDRAINED, "cyclic_undrained")                                                        \
    X(CYCLIC_SHEAR, "cyclic_shear")                                                                \
    X(CYCLIC_SHEAR_UNDRAINED, "cyclic_shear_undrained")                                            \
    X(OEDOMETER, "oedometer") /* also in cycles */                                                 \
    X(ISOTROPIC, "isotropic")                                                                      \
    X(TRUE_TRIAXIAL, "true_triaxial")                                                              \
    X(GENERAL, "general")                                                                          \
    X(ROTATE, "rotate")                                                                            \
    X(REST, "rest") /* relax, free_flight; the preparation of a specimen */                        \
    X(PROBES, "probes")

typedef enum tw_figure_series_kind {
#define TW_FIGURE_SERIES_MEMBER(name, text) TW_FIGURE_SERIES_##name,
    TW_FIGURE_SERIES_KINDS(TW_FIGURE_SERIES_MEMBER)
#undef TW_FIGURE_SERIES_MEMBER
        TW_FIGURE_SERIES_KIND_COUNT
} tw_figure_series_kind;

/* A set of kinds: bit k is kind k. */
#define TW_FIGURE_SERIES_BIT(kind) ((uint32_t)1 << TW_FIGURE_SERIES_##kind)

/* Whether the axial stress differs from two lateral ones, which are equal on average: q has a sign.
 */
bool tw_figure_series_is_axial(int kind);

/* Stages that load, as opposed to those that bring a specimen to rest or to a pressure. */
bool tw_figure_series_is_loading(int kind);

/* Reads the runs and chooses the series. False: see set->error. */
bool tw_figure_series_read(tw_figure_set *set, const tw_figure_request *request);
void tw_figure_series_free(tw_figure_set *set);

#endif
