/* SPDX-License-Identifier: BSD-3-Clause */
/* What the sources of this folder share. */
#ifndef TWIRL_FIGURE_INTERNAL_H
#define TWIRL_FIGURE_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include <twirl/figure.h>
#include <twirl/vec3.h>

/* The last part of a path; longer ones are cut. */
typedef struct tw_figure_name {
    char text[TW_FIGURE_TEXT_MAX];
} tw_figure_name;

tw_figure_name tw_figure_name_of(const char *path);

/* ---- Axes: units, ranges, ticks; and where the key covers no curve ---- */

/* A unit, and the smallest magnitude of the largest number that it is used for [SI]. */
typedef struct tw_figure_axis_unit {
    const char *name;
    double size, from;
} tw_figure_axis_unit;

/* Name, SI unit and units of a dimension, largest first, the last with `from` 0. */
typedef struct tw_figure_axis_units {
    const char *name, *si;
    const tw_figure_axis_unit *unit;
    size_t count;
} tw_figure_axis_units;

extern const tw_figure_axis_units tw_figure_axis_dimensions[TW_FIGURE_DIMENSIONS];

/* The unit for numbers up to this magnitude [SI]. */
tw_figure_axis_unit tw_figure_axis_unit_of(tw_figure_dimension dimension, double largest);

typedef struct tw_figure_axis_request {
    tw_figure_dimension dimension;
    double low, high; /* of the data, SI units; low > high: there is none */
    bool zero;        /* the range includes 0 */
    bool log, percent;
} tw_figure_axis_request;

/* Round ends near the data, numbers with few digits. */
tw_figure_axis tw_figure_axis_choose(const tw_figure_axis_request *request);

/* A linear axis from low to high. */
tw_figure_axis tw_figure_axis_fixed(double low, double high);

/* 0 at the lower end, 1 at the upper; NaN for what a logarithmic axis cannot show. */
double tw_figure_axis_place(const tw_figure_axis *axis, double v);

/* A part of the frame, in fractions from the lower left. */
typedef struct tw_figure_axis_box {
    double from[2], to[2];
} tw_figure_axis_box;

/* Whether no curve through the points is in it. Points as shown by the axes; NaN interrupts a
 * curve. */
bool tw_figure_axis_is_free(const tw_figure_axis_box *b, const tw_figure_axis axes[2],
                            const double (*point)[2], size_t count);

/* A corner in which a key of this size, in fractions of the frame, covers no curve through the
 * points, or above the frame. */
tw_figure_key tw_figure_axis_key(const tw_figure_axis axes[2], const double (*point)[2],
                                 size_t count, double width, double height);

/* ---- Kinds of loading paths, as far as their figures differ; runs and their series ---- */

/* Names, in the order of the numbers. */
#define TW_FIGURE_SERIES_KINDS(X)                                                                  \
    X(TIME, "time")   /* a history without strains: drawn over time */                             \
    X(PLAIN, "plain") /* a history without scenario: drawn over its axial strain */                \
    X(TRIAXIAL, "triaxial")                                                                        \
    X(PLANE_STRAIN, "plane_strain")                                                                \
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
    X(CREEP, "creep")                                                                              \
    X(RELAXATION, "relaxation")                                                                    \
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
static inline bool tw_figure_series_is_axial(int kind)
{
    const uint32_t axial = TW_FIGURE_SERIES_BIT(TRIAXIAL) | TW_FIGURE_SERIES_BIT(PLANE_STRAIN) |
                           TW_FIGURE_SERIES_BIT(CONSTANT_P) | TW_FIGURE_SERIES_BIT(UNDRAINED) |
                           TW_FIGURE_SERIES_BIT(CYCLIC) | TW_FIGURE_SERIES_BIT(CYCLIC_UNDRAINED) |
                           TW_FIGURE_SERIES_BIT(OEDOMETER);
    return axial >> kind & 1;
}

/* Stages that load, as opposed to those that bring a specimen to rest or to a pressure. */
bool tw_figure_series_is_loading(int kind);

/* Reads the runs, chooses the series and computes their quantities. */
tw_status tw_figure_series_read(tw_figure_set *set, const tw_figure_request *request,
                                tw_error *error);
void tw_figure_series_free(tw_figure_set *set);

/* The column of the history whose numbers the quantity has in this series; -1: none. */
int tw_figure_quantity_column(const tw_figure_series *series, size_t number);

/* The largest and the smallest principal stress in a row of the series. */
void tw_figure_quantity_principal(const tw_figure_series *series, size_t row, double *s1,
                                  double *s3);

/* ---- Series beside the history: row for row ---- */

typedef struct tw_figure_table tw_figure_table;

/* Without the rows from the first on that is damaged, of which tw_run_results_check tells. False:
 * out of memory. */
bool tw_figure_tables_read(tw_figure_run *run);
void tw_figure_tables_free(tw_figure_run *run);

/* ITEM of a column VALUE:ITEM, from 0; NULL: there are no more, or the run has no such series. */
const char *tw_figure_tables_item(const tw_figure_run *run, size_t table, const char *value,
                                  size_t item);

/* Whether the run has the column SERIES.COLUMN, and its value; NaN: there is none. */
bool tw_figure_tables_find(const tw_figure_run *run, const char *name, size_t row, double *value);

/* The abscissa of paths of this kind, by name of quantity. */
const char *tw_figure_set_abscissa(int kind);

/* ---- Figures that are not quantities over each other ---- */

/* Adds the figure pi_plane if there is a true triaxial path; of several inputs, if all have one.
 * False: out of memory. */
bool tw_figure_plane_add(tw_figure_set *set, const tw_figure_request *request);

/* Probes in the Rendulic plane with the circles fitted to them, or all around with their response
 * envelope; rates: for each stage with probes or rates, or those named. TW_STATUS_INPUT: a row is
 * damaged. */
tw_status tw_figure_probes_add(tw_figure_set *set, const tw_figure_request *request,
                               tw_error *error);

/* The response envelope of probes in all directions of principal space is the surface through the
 * ends of their responses. */

/* What the surface needs of a probe: components xx, yy, zz. */
typedef enum tw_figure_envelope_part {
    TW_FIGURE_ENVELOPE_DIRECTION,
    TW_FIGURE_ENVELOPE_STRAIN,
    TW_FIGURE_ENVELOPE_STRESS,
    TW_FIGURE_ENVELOPE_REVERSIBLE,
    TW_FIGURE_ENVELOPE_IRREVERSIBLE,
    TW_FIGURE_ENVELOPE_NO_SLIP,
    TW_FIGURE_ENVELOPE_PARTS
} tw_figure_envelope_part;

typedef struct tw_figure_envelope_probe {
    tw_vec3 part[TW_FIGURE_ENVELOPE_PARTS];
} tw_figure_envelope_probe;

/* Adds NAME, the view of the surface, and NAME_xy, NAME_xz, NAME_yz, NAME_deviatoric, its sections.
 * Nothing if the directions are in a plane or do not surround the origin. False: out of memory. */
bool tw_figure_envelope_add(tw_figure_set *set, const char *name,
                            const tw_figure_envelope_probe *probes, size_t count);

#endif
