/* SPDX-License-Identifier: BSD-3-Clause */
#include "figure/figure_internal.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/math.h>

#include "base/mat3.h"

/* Strains and stresses are positive in compression. NaN is what a history lacks. Functions have the
 * value in row i of the series, counted from its first; a `column` is one whose numbers these are.
 */

static const double *row_of(const tw_figure_series *s, size_t i)
{
    return s->history->rows[s->first + i].value;
}

static double ratio(double a, double b)
{
    return b > 0.0 ? a / b : (double)NAN;
}

/* ---- Strains ---- */

/* Whether the series has several stages: their own strains start from zero, so strains are those of
 * the test since its first row. */
static bool is_test(const tw_figure_series *s)
{
    return s->part_count > 1;
}

/* Component k of the strain, in the order of the columns. */
static double strain_of(const tw_figure_series *s, size_t i, int k)
{
    const double *v = row_of(s, i);
    if (!is_test(s) || !s->history->present[TW_HISTORY_total_strain_xx + k])
        return v[TW_HISTORY_strain_xx + k];
    return v[TW_HISTORY_total_strain_xx + k] - row_of(s, 0)[TW_HISTORY_total_strain_xx + k];
}

static int axial_strain_column(const tw_figure_series *s)
{
    return is_test(s) ? -1 : TW_HISTORY_strain_xx + s->axis;
}

static double axial_strain(const tw_figure_series *s, size_t i)
{
    return strain_of(s, i, s->axis);
}

static double major_strain(const tw_figure_series *s, size_t i)
{
    return tw_math_max(strain_of(s, i, 0), tw_math_max(strain_of(s, i, 1), strain_of(s, i, 2)));
}

/* Without columns of strain ln(V0/V) with V0 of the first row. */
static double volumetric_strain(const tw_figure_series *s, size_t i)
{
    const double *v = row_of(s, i);
    const int *there = &s->history->present[TW_HISTORY_strain_xx];
    return there[0] && there[1] && there[2]
               ? strain_of(s, i, 0) + strain_of(s, i, 1) + strain_of(s, i, 2)
               : tw_math_log(row_of(s, 0)[TW_HISTORY_volume] / v[TW_HISTORY_volume]);
}

static int path_strain_column(const tw_figure_series *s)
{
    return is_test(s) ? -1 : TW_HISTORY_strain;
}

/* The component of simple shear, in the order of the columns of strain; -1: it is not. */
static int sheared(const tw_figure_series *s)
{
    const int32_t plane = s->definition ? s->definition->plane : -1;
    if (plane < 0) return -1;
    return plane == TW_SCENARIO_XY ? 5 : plane == TW_SCENARIO_XZ ? 4 : 3;
}

/* The path strain of a test follows from the kind of the series, as that of its stages may differ.
 * Forward shear is negative as compression. */
static double path_strain(const tw_figure_series *s, size_t i)
{
    if (sheared(s) >= 0) return -strain_of(s, i, sheared(s));
    if (s->kind == TW_FIGURE_SERIES_GENERAL && s->definition)
        return strain_of(s, i, tw_scenario_stage_followed(s->definition));
    return tw_figure_series_is_axial(s->kind) ? axial_strain(s, i) : volumetric_strain(s, i);
}

/* ---- Stresses ---- */

static int axial_stress_column(const tw_figure_series *s)
{
    return TW_HISTORY_stress_xx + s->axis;
}

static int path_stress_column(const tw_figure_series *s)
{
    return is_test(s) ? -1 : TW_HISTORY_stress;
}

/* Likewise. */
static double path_stress(const tw_figure_series *s, size_t i)
{
    static const int columns[] = {TW_HISTORY_stress_yz, TW_HISTORY_stress_xz, TW_HISTORY_stress_xy};
    const double *v = row_of(s, i);
    return is_test(s) && sheared(s) >= 0 ? -v[columns[sheared(s) - 3]] : v[TW_HISTORY_stress];
}

static int normal_stress_column(const tw_figure_series *s)
{
    if (!s->definition || s->definition->plane < 0) return -1;
    return s->definition->plane == TW_SCENARIO_XY ? TW_HISTORY_stress_yy : TW_HISTORY_stress_zz;
}

/* The axial stress for k = 0, the lateral ones for 1 and 2. */
static double normal_stress(const tw_figure_series *s, size_t i, int k)
{
    return row_of(s, i)[TW_HISTORY_stress_xx + (s->axis + k) % 3];
}

static bool is_plane_strain(const tw_figure_series *s)
{
    return s->definition &&
           tw_scenario_stage_traits(s->definition).path == TW_SCENARIO_PLANE_STRAIN;
}

static double lateral_stress(const tw_figure_series *s, size_t i)
{
    return tw_scenario_lateral_stress(s->definition, s->axis, &row_of(s, i)[TW_HISTORY_stress_xx]);
}

static tw_mat3 stress_of(const tw_figure_series *s, size_t i)
{
    const double *v = row_of(s, i);
    return (tw_mat3){{v[TW_HISTORY_stress_xx], v[TW_HISTORY_stress_xy], v[TW_HISTORY_stress_xz],
                      v[TW_HISTORY_stress_xy], v[TW_HISTORY_stress_yy], v[TW_HISTORY_stress_yz],
                      v[TW_HISTORY_stress_xz], v[TW_HISTORY_stress_yz], v[TW_HISTORY_stress_zz]}};
}

static int q_column(const tw_figure_series *s)
{
    const bool axial = tw_figure_series_is_axial(s->kind);
    return !axial && s->history->present[TW_HISTORY_q] ? TW_HISTORY_q : -1;
}

/* Negative in extension on axial paths. In plane strain and elsewhere q^2 = half the sum of the
 * squared differences of normal stresses + 3 times that of the squared shear stresses. */
static double q(const tw_figure_series *s, size_t i)
{
    const bool axial = tw_figure_series_is_axial(s->kind);
    const double across = axial ? normal_stress(s, i, 0) - lateral_stress(s, i) : 1.0;
    if (axial && !is_plane_strain(s)) return across;
    if (s->history->present[TW_HISTORY_q]) return copysign(row_of(s, i)[TW_HISTORY_q], across);
    const tw_mat3 stress = stress_of(s, i);
    const double *m = stress.m, x = m[0], y = m[4], z = m[8];
    return copysign(sqrt(0.5 * ((x - y) * (x - y) + (y - z) * (y - z) + (z - x) * (z - x)) +
                         3.0 * (m[1] * m[1] + m[2] * m[2] + m[5] * m[5])),
                    across);
}

static double stress_ratio(const tw_figure_series *s, size_t i)
{
    return ratio(q(s, i), row_of(s, i)[TW_HISTORY_p]);
}

/* Along the path, as q. */
static double anisotropy_sum(const tw_figure_series *s, size_t i)
{
    return copysign(1.0, q(s, i)) * row_of(s, i)[TW_HISTORY_anisotropy_sum];
}

/* What the sum neglects of q/p: products of anisotropies, and branches across the normals. */
static double anisotropy_rest(const tw_figure_series *s, size_t i)
{
    return stress_ratio(s, i) - anisotropy_sum(s, i);
}

static double shear_ratio(const tw_figure_series *s, size_t i)
{
    const int column = normal_stress_column(s);
    return column < 0 ? (double)NAN : ratio(path_stress(s, i), row_of(s, i)[column]);
}

/* Defined without lateral strain: none where a test has strained its specimen so far in a stage. */
static double k0(const tw_figure_series *s, size_t i)
{
    const double *strain = &row_of(s, i)[TW_HISTORY_strain_xx];
    for (int k = 1; is_test(s) && k < 3; k++)
        if (fabs(strain[(s->axis + k) % 3]) > 1e-9) return (double)NAN;
    return ratio(lateral_stress(s, i), normal_stress(s, i, 0));
}

/* (s2 - s3)/(s1 - s3) of the normal stresses, which are principal stresses on the paths that use
 * it; none as long as q < 0.02 p. */
static double b(const tw_figure_series *s, size_t i)
{
    const double *v = row_of(s, i), *t = &v[TW_HISTORY_stress_xx];
    const double major = tw_math_max(t[0], tw_math_max(t[1], t[2]));
    const double minor = tw_math_min(t[0], tw_math_min(t[1], t[2]));
    const double middle = t[0] + t[1] + t[2] - major - minor;
    return q(s, i) > 0.02 * v[TW_HISTORY_p] ? (middle - minor) / (major - minor) : (double)NAN;
}

/* Stress over p in the deviatoric plane, the axial direction upwards. */
static double pi_x(const tw_figure_series *s, size_t i)
{
    return ratio((normal_stress(s, i, 1) - normal_stress(s, i, 2)) / sqrt(2.0),
                 row_of(s, i)[TW_HISTORY_p]);
}

static double pi_y(const tw_figure_series *s, size_t i)
{
    return ratio((2.0 * normal_stress(s, i, 0) - normal_stress(s, i, 1) - normal_stress(s, i, 2)) /
                     sqrt(6.0),
                 row_of(s, i)[TW_HISTORY_p]);
}

/* The principal stresses are p + 2/3 q cos(t), t the Lode angle and 120 degrees more or less. */
void tw_figure_quantity_principal(const tw_figure_series *s, size_t i, double *s1, double *s3)
{
    const tw_mat3 stress = stress_of(s, i);
    const double *m = stress.m, yz = m[5], xz = m[2], xy = m[1], p = (m[0] + m[4] + m[8]) / 3.0;
    const double x = m[0] - p, y = m[4] - p, z = m[8] - p;
    const double j2 = 0.5 * (x * x + y * y + z * z) + yz * yz + xz * xz + xy * xy;
    const double j3 = x * y * z + 2.0 * yz * xz * xy - x * yz * yz - y * xz * xz - z * xy * xy;
    const double cosine = j2 > 0.0 ? 1.5 * sqrt(3.0) * j3 / (j2 * sqrt(j2)) : j2;
    const double lode = tw_math_acos(tw_math_max(-1.0, tw_math_min(cosine, 1.0))) / 3.0;
    const double radius = 2.0 * sqrt(j2 / 3.0);
    *s1 = p + radius * tw_math_cos(lode);
    *s3 = p + radius * tw_math_cos(lode + 2.0 * TW_MATH_PI / 3.0);
}

/* sin phi = (s1 - s3)/(s1 + s3); none without positive stresses. */
static double friction_angle(const tw_figure_series *s, size_t i)
{
    double s1, s3;
    tw_figure_quantity_principal(s, i, &s1, &s3);
    const double sine = ratio(s1 - s3, s1 + s3);
    return sine <= 1.0 ? tw_math_atan2(sine, sqrt(1.0 - sine * sine)) * (180.0 / TW_MATH_PI)
                       : (double)NAN;
}

/* ---- Rotation ---- */

static double turn(const tw_figure_series *s, size_t i)
{
    if (s->kind != TW_FIGURE_SERIES_ROTATE) return (double)NAN;
    const tw_scenario_rotation *rotation = &s->definition->rotation;
    return rotation->angle * row_of(s, i)[TW_HISTORY_stage_step] / (double)rotation->increments;
}

static double angle(const tw_figure_series *s, size_t i)
{
    return turn(s, i) * (180.0 / TW_MATH_PI);
}

/* |R' s R - s0|/p0 in a rotation R: 0 if the stress rotates with it. The first row is the
 * reference, without an error of its own. */
static double turn_error(const tw_figure_series *s, size_t i)
{
    if (s->kind != TW_FIGURE_SERIES_ROTATE || i == 0) return (double)NAN;
    const double *way = s->definition->rotation.axis;
    const tw_vec3 axis = {way[0], way[1], way[2]};
    const double length = sqrt(axis.x * axis.x + axis.y * axis.y + axis.z * axis.z);
    const tw_mat3 r = tw_mat3_from_rotation(tw_vec3_scale(turn(s, i) / length, axis));
    const tw_mat3 back = tw_mat3_mul(tw_mat3_transpose(r), tw_mat3_mul(stress_of(s, i), r));
    const tw_mat3 error = tw_mat3_sub(back, stress_of(s, 0));
    double sum = 0.0;
    for (int k = 0; k < 9; k++)
        sum += error.m[k] * error.m[k];
    return ratio(sqrt(sum), row_of(s, 0)[TW_HISTORY_p]);
}

/* The history counts as tw_figure_series_read has left it: never back. A test counts on. */
static double cycle(const tw_figure_series *s, size_t i)
{
    double before = 0.0;
    for (size_t k = 0; k + 1 < s->part_count; k++) {
        const tw_figure_part *part = &s->history->parts[s->part + k];
        const size_t end = part->first + part->count;
        if (end > s->first + i) break;
        const double cycles = s->history->rows[end - 1].value[TW_HISTORY_cycle];
        before += isnan(cycles) ? 0.0 : cycles;
    }
    return before + row_of(s, i)[TW_HISTORY_cycle];
}

static int ru_column(const tw_figure_series *s)
{
    return is_test(s) ? -1 : TW_HISTORY_ru;
}

/* The pore pressure ratio of a test, since the first of its stages that has one. */
static double ru(const tw_figure_series *s, size_t i)
{
    const int plane = normal_stress_column(s);
    size_t first = 0;
    if (isnan(row_of(s, i)[TW_HISTORY_ru])) return (double)NAN;
    while (isnan(row_of(s, first)[TW_HISTORY_ru]))
        first++;
    return 1.0 - (plane < 0 ? lateral_stress(s, i) / lateral_stress(s, first)
                            : row_of(s, i)[plane] / row_of(s, first)[plane]);
}

/* ---- Second-order work ---- */

/* dσ:dε/(|dσ| |dε|) since the row before, in the same stage: negative where the specimen gives way.
 */
static double second_order_work(const tw_figure_series *s, size_t i)
{
    const double *v = row_of(s, i), *before = i > 0 ? row_of(s, i - 1) : v;
    double work = 0.0, stresses = 0.0, strains = 0.0;
    if (i == 0 || !(v[TW_HISTORY_stage_step] > before[TW_HISTORY_stage_step])) return (double)NAN;
    const tw_mat3 change = tw_mat3_sub(stress_of(s, i), stress_of(s, i - 1));
    const double *t = change.m, stress[6] = {t[0], t[4], t[8], t[5], t[2], t[1]};
    for (int k = 0; k < 6; k++) {
        /* Columns of shear strain are engineering strains: twice the component of the tensor. */
        const double strain = v[TW_HISTORY_strain_xx + k] - before[TW_HISTORY_strain_xx + k];
        work += stress[k] * strain;
        stresses += (k < 3 ? 1.0 : 2.0) * stress[k] * stress[k];
        strains += (k < 3 ? 1.0 : 0.5) * strain * strain;
    }
    return ratio(work, sqrt(stresses * strains));
}

/* ---- Changes since the first row ---- */

/* Columns whose changes are added, up to a 0. The first must be there; others count as 0 in
 * histories that lack them. */
enum { SUM_MAX = 4 };
typedef struct column_sum {
    int column[SUM_MAX];
    bool loss; /* that only some laws have: NaN if there is none to the end of the series */
} column_sum;

static double sum_of(const tw_figure_series *s, size_t i, const column_sum *sum)
{
    const double *now = row_of(s, i), *first = row_of(s, 0), *last = row_of(s, s->count - 1);
    const int *c = sum->column;
    double all = now[c[0]] - first[c[0]];
    if (c[0] == 0 || (sum->loss && last[c[0]] == 0.0)) return (double)NAN;
    for (int k = 1; k < SUM_MAX && c[k]; k++)
        if (s->history->present[c[k]]) all += now[c[k]] - first[c[k]];
    return all;
}

/* ---- The table ---- */

/* Blanks before a symbol do not break: some viewers of SVG drop others. */
#define NBSP "\u00a0"

typedef struct table_row {
    tw_figure_quantity of;
    int column;                                           /* always this one; -1: none */
    int (*find_column)(const tw_figure_series *s);        /* may be NULL; returns -1: none */
    double (*value)(const tw_figure_series *s, size_t i); /* if there is no column */
    column_sum sum;                                       /* if there is neither; or empty */
} table_row;

#define H(column) TW_HISTORY_##column
#define ROW(name, label, word, dimension, zero, ...)                                               \
    {                                                                                              \
        {name, label, word, TW_FIGURE_##dimension, zero}, __VA_ARGS__                              \
    }
#define COLUMN(name, label, dimension, zero, at)                                                   \
    ROW(name, label, name, dimension, zero, H(at), NULL, NULL, {{0}, false})
#define WORDED(name, label, word, at)                                                              \
    ROW(name, label, word, RATIO, 1, H(at), NULL, NULL, {{0}, false})
#define FOUND(name, label, dimension, zero, find, value)                                           \
    ROW(name, label, name, dimension, zero, -1, find, value, {{0}, false})
#define VALUE(name, label, dimension, zero, value) FOUND(name, label, dimension, zero, NULL, value)
#define CHANGE(name, label, dimension, zero, ...)                                                  \
    ROW(name, label, name, dimension, zero, -1, NULL, NULL, {{__VA_ARGS__}, false})
#define LOSS(to, NAME, name, member, way)                                                          \
    ROW(#name, "Dissipated by " way, way, ENERGY, 1, -1, NULL, NULL, {{H(name)}, true}),
#define STORED_COLUMN(to, NAME, name, column, text) H(column),

/* In the order of curves.csv. An axis of a quantity includes 0 where that is 1. */
static const table_row table[] = {
    CHANGE("time", "Time" NBSP "{t}", TIME, 0, H(time)),
    FOUND("axial_strain", "Axial strain" NBSP "{ε}_a", STRAIN, 1, axial_strain_column,
          axial_strain),
    FOUND("shear_strain", "Shear strain" NBSP "{γ}", STRAIN, 1, path_strain_column, path_strain),
    VALUE("major_strain", "Major principal strain" NBSP "{ε}_1", STRAIN, 1, major_strain),
    FOUND("strain", "Strain" NBSP "{ε}", STRAIN, 1, path_strain_column, path_strain),
    VALUE("cycle", "Number of cycles" NBSP "{N}", RATIO, 1, cycle),
    VALUE("angle", "Rotation", ANGLE, 1, angle),
    ROW("stress_ratio", "Stress ratio" NBSP "{q}/{p}", "{q}/{p}", RATIO, 1, -1, NULL, stress_ratio,
        {{0}, false}),
    COLUMN("p", "Mean stress" NBSP "{p}", STRESS, 1, p),
    FOUND("q", "Deviator stress" NBSP "{q}", STRESS, 1, q_column, q),
    VALUE("volumetric_strain", "Volumetric strain" NBSP "{ε}_v", STRAIN, 1, volumetric_strain),
    COLUMN("void_ratio", "Void ratio" NBSP "{e}", RATIO, 0, void_ratio),
    FOUND("ru", "Pore-pressure ratio" NBSP "{r}_u", RATIO, 1, ru_column, ru),
    COLUMN("pore_pressure", "Pore pressure" NBSP "{u}", STRESS, 1, pore_pressure),
    COLUMN("p_total", "Mean total stress" NBSP "{p}+{u}", STRESS, 1, p_total),
    FOUND("shear_stress", "Shear stress" NBSP "{τ}", STRESS, 1, path_stress_column, path_stress),
    FOUND("normal_stress", "Normal stress" NBSP "{σ}_n", STRESS, 1, normal_stress_column, NULL),
    VALUE("shear_ratio", "Stress ratio" NBSP "{τ}/{σ}_n", RATIO, 1, shear_ratio),
    FOUND("axial_stress", "Axial stress" NBSP "{σ}_a", STRESS, 1, axial_stress_column, NULL),
    VALUE("k0", "Lateral stress ratio" NBSP "{K}_0", RATIO, 1, k0),
    VALUE("friction_angle", "Mobilised friction angle" NBSP "{φ}", ANGLE, 1, friction_angle),
    VALUE("b", "Intermediate stress ratio" NBSP "{b}", RATIO, 1, b),
    VALUE("pi_x", "Stress over {p} across the axis, in the deviatoric plane", RATIO, 1, pi_x),
    VALUE("pi_y", "Stress over {p} along the axis, in the deviatoric plane", RATIO, 1, pi_y),
    VALUE("turn_error", "Error of the rotated stress, |Δ{σ}|/{p}", RATIO, 0, turn_error),
    COLUMN("unbalanced", "Unbalanced force ratio", RATIO, 0, unbalanced),
    COLUMN("coordination", "Coordination number" NBSP "{Z}", RATIO, 0, coordination),
    COLUMN("sliding_fraction", "Fraction of sliding contacts", RATIO, 1, sliding_fraction),
    COLUMN("fabric_deviator", "Fabric deviator" NBSP "{F}_q", RATIO, 1, fabric_deviator),
    WORDED("anisotropy_contacts", "Anisotropy of contacts" NBSP "{a}_c", "contacts {a}_c",
           anisotropy_contacts),
    WORDED("anisotropy_branches", "Anisotropy of branch lengths" NBSP "{a}_d", "branches {a}_d",
           anisotropy_branches),
    WORDED("anisotropy_normal", "Anisotropy of normal forces" NBSP "{a}_n", "normal {a}_n",
           anisotropy_normal),
    WORDED("anisotropy_tangential", "Anisotropy of tangential forces" NBSP "{a}_t",
           "tangential {a}_t", anisotropy_tangential),
    ROW("anisotropy_sum", "Sum of anisotropies", "weighted sum", RATIO, 1, -1, NULL, anisotropy_sum,
        {{0}, false}),
    ROW("anisotropy_rest", "What the sum of anisotropies neglects", "{q}/{p} − sum", RATIO, 1, -1,
        NULL, anisotropy_rest, {{0}, false}),
    WORDED("strong_fraction", "Fraction of strong contacts", "of contacts", strong_fraction),
    WORDED("strong_p", "Share of strong contacts in {p}", "of {p}", strong_p),
    WORDED("strong_q", "Share of strong contacts in {q}", "of {q}", strong_q),
    WORDED("friction_mobilised", "Mean mobilised friction", "mobilised friction",
           friction_mobilised),
    COLUMN("coordination_mechanical", "Coordination number without rattlers", RATIO, 0,
           coordination_mechanical),
    COLUMN("redundancy", "Constraints over freedoms", RATIO, 0, redundancy),
    VALUE("second_order_work", "Second-order work d{σ}:d{ε}/(|d{σ}||d{ε}|)", RATIO, 1,
          second_order_work),
    CHANGE("work", "Work", ENERGY, 1, H(cell), H(walls), H(gravity)),
    CHANGE("stored", "Stored in contacts", ENERGY, 1, TW_CONTACT_STORED(STORED_COLUMN, )),
    CHANGE("kinetic", "Kinetic energy", ENERGY, 1, H(kinetic), H(rotational)),
    CHANGE("friction", "Dissipated by friction", ENERGY, 1, H(friction)),
    TW_CONTACT_LOST_MORE(LOSS, )
        CHANGE("damping", "Dissipated by damping", ENERGY, 1, H(contact_damping), H(body_damping)),
    CHANGE("residual", "Residual of the energy balance", ENERGY, 1, H(residual)),
};
enum { QUANTITIES = sizeof table / sizeof table[0] };

size_t tw_figure_quantity_count(void)
{
    return QUANTITIES;
}

const tw_figure_quantity *tw_figure_quantity_at(size_t number)
{
    return &table[number].of;
}

size_t tw_figure_quantity_find(const char *name)
{
    for (size_t k = 0; k < QUANTITIES; k++)
        if (strcmp(table[k].of.name, name) == 0) return k;
    return SIZE_MAX;
}

int tw_figure_quantity_column(const tw_figure_series *series, size_t number)
{
    const table_row *one = &table[number];
    return one->find_column ? one->find_column(series) : one->column;
}

int tw_figure_quantity_compute(tw_figure_series *series)
{
    const size_t rows = series->count;
    double **values = malloc(QUANTITIES * (sizeof *values + rows * sizeof **values));
    if (!values) return 0;
    double *next = (double *)(values + QUANTITIES);
    for (size_t k = 0; k < QUANTITIES; k++) {
        const int column = tw_figure_quantity_column(series, k);
        bool any = false;
        for (size_t i = 0; i < rows; i++) {
            next[i] = column >= 0      ? row_of(series, i)[column]
                      : table[k].value ? table[k].value(series, i)
                                       : sum_of(series, i, &table[k].sum);
            any = any || isfinite(next[i]);
        }
        values[k] = any ? next : NULL;
        if (any) next += rows; /* memory that is not touched is not taken */
    }
    series->values = values;
    return 1;
}
