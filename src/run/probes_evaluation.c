/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/probes_evaluation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <twirl/math.h>

const char *tw_probes_evaluation_split_name(int split)
{
    return split == TW_PROBES_EVALUATION_UNLOAD ? "unload" : "no_slip";
}

static const tw_probe_result *result_of(const tw_probes *probes, size_t law, size_t number)
{
    return &probes->result[tw_probes_index(probes, law, number)];
}

/* ---- Elastic tensor ---- */

/* Strains (x) and stresses (y) of the no-slip companions, in Kelvin's form. */
static bool gather_no_slip(const tw_probes *probes, size_t law, double **x, double **y)
{
    const size_t count = probes->each - 1;
    *x = malloc(count * TW_COMPONENTS * sizeof **x);
    *y = malloc(count * TW_COMPONENTS * sizeof **y);
    if (!*x || !*y) return false;
    for (size_t i = 0; i < count; i++) {
        const tw_probe_result *r = result_of(probes, law, i + 1);
        tw_probe_kelvin_strain(r->no_slip_strain, *x + i * TW_COMPONENTS);
        tw_probe_kelvin_stress(r->no_slip_stress, *y + i * TW_COMPONENTS);
    }
    return true;
}

/* Fit in the space of the directions, to the probes in these directions alone. */
static bool fit_plane(const tw_probes *probes, const double *x, const double *y,
                      tw_probes_evaluation *out)
{
    const size_t count = probes->directions.count;
    const int n = tw_directions_dimensions(&probes->directions);
    double *points = malloc(2 * count * (size_t)n * sizeof *points);
    if (!points) return false;
    for (size_t i = 0; i < 2 * count; i++) {
        double point[TW_DIRECTIONS_MAX];
        const double *from = i < count ? x + i * TW_COMPONENTS : y + (i - count) * TW_COMPONENTS;
        tw_directions_point(&probes->directions, from, point);
        memcpy(points + i * (size_t)n, point, (size_t)n * sizeof *points);
    }
    const double *strain = points, *stress = points + count * (size_t)n;
    double matrix[TW_FIT_MAX * TW_FIT_MAX];
    out->plane_known = tw_fit_matrix(n, count, probes->by_stress ? stress : strain,
                                     probes->by_stress ? strain : stress, matrix, &out->plane_rms);
    memcpy(out->plane, matrix, sizeof out->plane);
    free(points);
    return true;
}

static bool read_elastic(const tw_probes *probes, size_t law, double kelvin[36],
                         tw_probes_evaluation *out)
{
    double *x = NULL, *y = NULL;
    const bool good = gather_no_slip(probes, law, &x, &y) && fit_plane(probes, x, y, out);
    if (good && probes->elastic > 0)
        out->elastic =
            tw_fit_matrix(TW_COMPONENTS, probes->each - 1, x, y, kelvin, &out->elastic_rms);
    for (int i = 0; out->elastic && i < TW_COMPONENTS * TW_COMPONENTS; i++) {
        const double row = i / TW_COMPONENTS < TW_YZ ? 1.0 : sqrt(0.5);
        const double column = i % TW_COMPONENTS < TW_YZ ? 1.0 : sqrt(0.5);
        out->stiffness[i] = row * column * kelvin[i];
    }
    free(x);
    free(y);
    return good;
}

/* ---- Irreversible strains ---- */

/* Split by the no-slip companion. Strain probes: the stress lost by slip, divided by the elastic
 * stiffness. Stress probes: the difference of strain. */
static void split_by_no_slip(const tw_probes *probes, const tw_probe_result *r,
                             const double kelvin[36], bool known, double out[TW_COMPONENTS])
{
    double lost[TW_COMPONENTS];
    for (int k = 0; k < TW_COMPONENTS; k++) {
        lost[k] = r->no_slip_stress[k] - r->stress[k];
        out[k] = probes->by_stress ? r->strain[k] - r->no_slip_strain[k] : nan("");
    }
    if (probes->by_stress || !known) return;
    tw_probe_kelvin_stress(lost, lost);
    if (!tw_fit_solve(TW_COMPONENTS, kelvin, lost, out)) return;
    for (int k = TW_YZ; k < TW_COMPONENTS; k++)
        out[k] *= sqrt(2.0);
}

/* Without slip there is no irreversible strain, but unloading still leaves a small one, within the
 * tolerance of the servo, and a circle must not be fitted to that. Laws that are not exact count a
 * little friction work even without slip; the no-slip companions, if any, show the difference. */
static bool has_slid(const tw_probes *probes, size_t law)
{
    const bool companions = probes->stage->probes.no_slip == 1;
    for (size_t i = 0; i < probes->directions.count; i++) {
        const tw_probe_result *r = result_of(probes, law, i + 1);
        if (!(r->friction_work[TW_PROBE_LOAD] > 0.0)) continue;
        if (!companions || memcmp(r->stress, r->no_slip_stress, sizeof r->stress) != 0 ||
            memcmp(r->strain, r->no_slip_strain, sizeof r->strain) != 0)
            return true;
    }
    return false;
}

static bool fit_split(const tw_probes *probes, size_t law, int split, tw_probes_evaluation *out)
{
    const size_t count = probes->directions.count;
    if (!has_slid(probes, law)) {
        out->unfit[split] = "no contact slid during loading; larger probes may help";
        return true;
    }
    tw_fit_point *points = malloc(count * sizeof *points);
    if (!points) return false;
    for (size_t i = 0; i < count; i++) {
        tw_directions_point(&probes->directions, result_of(probes, law, i + 1)->stress,
                            points[i].stress);
        tw_directions_point(&probes->directions, out->irreversible[split][i], points[i].plastic);
    }
    out->fitted[split] = tw_fit_mechanism_find(tw_directions_dimensions(&probes->directions),
                                               points, count, &out->mechanism[split]);
    if (!out->fitted[split]) out->unfit[split] = "too few directions, or no irreversible strain";
    free(points);
    return true;
}

static double difference_of(const tw_probes *probes, const tw_probes_evaluation *r)
{
    double off = 0.0, all = 0.0;
    for (size_t i = 0; i < probes->directions.count; i++)
        for (int k = 0; k < TW_COMPONENTS; k++) {
            const double weight = k < TW_YZ ? 1.0 : 0.5;
            const double a = r->irreversible[TW_PROBES_EVALUATION_UNLOAD][i][k];
            const double b = r->irreversible[TW_PROBES_EVALUATION_NO_SLIP][i][k];
            off += weight * (a - b) * (a - b);
            all += weight * a * a;
        }
    return sqrt(off / all);
}

/* ---- Reliability ---- */

static double response_size(const tw_probes *probes, const tw_probe_result *r)
{
    double kelvin[TW_COMPONENTS];
    if (probes->by_stress)
        tw_probe_kelvin_strain(r->strain, kelvin);
    else
        tw_probe_kelvin_stress(r->stress, kelvin);
    return tw_probe_norm(kelvin);
}

static void judge(const tw_probes *probes, size_t law, tw_probes_evaluation *out)
{
    const size_t count = probes->directions.count;
    double responses = 0.0;
    for (size_t i = 0; i < count; i++) {
        const tw_probe_result *r = result_of(probes, law, i + 1);
        double missed[TW_COMPONENTS], stress[TW_COMPONENTS];
        responses += response_size(probes, r) / (double)count;
        tw_probe_kelvin_stress(r->missed, missed);
        tw_probe_kelvin_stress(r->stress, stress);
        out->missed = tw_math_max(out->missed, tw_probe_norm(missed) / tw_probe_norm(stress));
    }
    out->drift = response_size(probes, result_of(probes, law, 0)) / responses;
    for (size_t i = 0; i < probes->each; i++)
        for (int phase = 0; phase < TW_PROBE_PHASES; phase++) {
            const tw_probe_result *r = result_of(probes, law, i);
            out->restless += r->steps[phase] > 0 && !r->rested[phase];
        }
}

bool tw_probes_evaluation_make(const tw_probes *probes, size_t law, tw_probes_evaluation *out)
{
    const tw_scenario_probes *requested = &probes->stage->probes;
    const bool has[TW_PROBES_EVALUATION_SPLITS] = {requested->unload == 1, requested->no_slip == 1};
    const size_t count = probes->directions.count;
    double kelvin[TW_COMPONENTS * TW_COMPONENTS];
    memset(out, 0, sizeof *out);
    out->difference = nan("");
    for (int s = 0; s < TW_PROBES_EVALUATION_SPLITS; s++)
        if (has[s] && !(out->irreversible[s] = malloc(count * sizeof *out->irreversible[s])))
            return false;
    if (has[TW_PROBES_EVALUATION_NO_SLIP] && !read_elastic(probes, law, kelvin, out)) return false;
    for (size_t i = 0; i < count; i++) {
        const tw_probe_result *r = result_of(probes, law, i + 1);
        if (has[TW_PROBES_EVALUATION_UNLOAD])
            memcpy(out->irreversible[TW_PROBES_EVALUATION_UNLOAD][i], r->left, sizeof r->left);
        if (has[TW_PROBES_EVALUATION_NO_SLIP])
            split_by_no_slip(probes, r, kelvin, out->elastic,
                             out->irreversible[TW_PROBES_EVALUATION_NO_SLIP][i]);
    }
    for (int s = 0; s < TW_PROBES_EVALUATION_SPLITS; s++)
        if (has[s] && !fit_split(probes, law, s, out)) return false;
    if (out->fitted[TW_PROBES_EVALUATION_UNLOAD] && out->fitted[TW_PROBES_EVALUATION_NO_SLIP])
        out->difference = difference_of(probes, out);
    judge(probes, law, out);
    return true;
}

void tw_probes_evaluation_free(tw_probes_evaluation *evaluation)
{
    for (int s = 0; s < TW_PROBES_EVALUATION_SPLITS; s++)
        free(evaluation->irreversible[s]);
}
