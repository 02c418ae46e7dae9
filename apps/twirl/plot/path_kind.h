/* SPDX-License-Identifier: BSD-3-Clause */
/* Kinds of loading paths, as far as their figures differ. */
#ifndef TWIRL_APP_PATH_KIND_H
#define TWIRL_APP_PATH_KIND_H

#include <stdbool.h>
#include <stdint.h>

#include <twirl/scenario.h>

typedef enum tw_path_kind {
    TW_PATH_KIND_TIME,  /* a history without strains: drawn over time */
    TW_PATH_KIND_PLAIN, /* a history without scenario: drawn over its axial strain */
    TW_PATH_KIND_TRIAXIAL,
    TW_PATH_KIND_CONSTANT_P,
    TW_PATH_KIND_UNDRAINED,
    TW_PATH_KIND_SHEAR,
    TW_PATH_KIND_SHEAR_UNDRAINED,
    TW_PATH_KIND_CYCLIC,
    TW_PATH_KIND_CYCLIC_UNDRAINED,
    TW_PATH_KIND_CYCLIC_SHEAR,
    TW_PATH_KIND_CYCLIC_SHEAR_UNDRAINED,
    TW_PATH_KIND_OEDOMETER, /* also in cycles */
    TW_PATH_KIND_ISOTROPIC,
    TW_PATH_KIND_TRUE_TRIAXIAL,
    TW_PATH_KIND_GENERAL,
    TW_PATH_KIND_ROTATE,
    TW_PATH_KIND_REST, /* relax, free_flight */
    TW_PATH_KIND_PROBES,
    TW_PATH_KINDS
} tw_path_kind;

/* A set of kinds: bit k is kind k. */
#define TW_PATH_KIND_BIT(kind) ((uint32_t)1 << TW_PATH_KIND_##kind)

tw_path_kind tw_path_kind_of(const tw_scenario_stage *stage);

/* Whether the axial stress of `stage` differs from two lateral ones, which are equal on average: q
 * has a sign. */
bool tw_path_kind_is_axial(tw_path_kind kind);

/* Stages that load, as opposed to those that bring a specimen to rest or to a pressure. */
bool tw_path_kind_is_loading(tw_path_kind kind);

/* Stages in which stress and void ratio, which go on from stage to stage, are drawn, and no strain,
 * which starts from zero in each: successive ones make one curve. */
bool tw_path_kind_continues(tw_path_kind kind);

#endif
