/* SPDX-License-Identifier: BSD-3-Clause */
/* What the probes of a law say: docs/theory/probes.md. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/math.h>

#include "run/probes.h"

enum { UNLOAD = TW_RUN_PROBES_UNLOAD, NO_SLIP = TW_RUN_PROBES_NO_SLIP };

const char *tw_run_probes_split_name(int split)
{
    return split == UNLOAD ? "unload" : "no_slip";
}

/* ---- Elastic tensor ---- */

/* Fit in the space of the directions, to the probes in these directions alone. */
static bool fit_plane(const tw_run_probes *probes, const double *x, const double *y,
                      tw_run_probes_evaluation *out)
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

/* Strains (x) and stresses (y) of the no-slip companions, in Kelvin's form. */
static bool read_elastic(const tw_run_probes *probes, size_t law, double kelvin[36],
                         tw_run_probes_evaluation *out)
{
    const size_t count = probes->each - 1;
    double *x = malloc(2 * count * TW_COMPONENTS * sizeof *x);
    if (!x) return false;
    double *y = x + count * TW_COMPONENTS;
    for (size_t i = 0; i < count; i++) {
        const tw_probe_result *r = tw_run_probes_result(probes, law, i + 1);
        tw_probe_kelvin_strain(r->no_slip_strain, x + i * TW_COMPONENTS);
        tw_probe_kelvin_stress(r->no_slip_stress, y + i * TW_COMPONENTS);
    }
    const bool good = fit_plane(probes, x, y, out);
    if (good && probes->elastic > 0)
        out->elastic = tw_fit_matrix(TW_COMPONENTS, count, x, y, kelvin, &out->elastic_rms);
    for (int i = 0; out->elastic && i < TW_COMPONENTS * TW_COMPONENTS; i++) {
        const double row = i / TW_COMPONENTS < TW_YZ ? 1.0 : sqrt(0.5);
        const double column = i % TW_COMPONENTS < TW_YZ ? 1.0 : sqrt(0.5);
        out->stiffness[i] = row * column * kelvin[i];
    }
    free(x);
    return good;
}

/* ---- Irreversible strains ---- */

/* Split by the no-slip companion. Strain probes: the stress lost by slip, divided by the elastic
 * stiffness. Stress probes: the difference of strain. */
static void split_by_no_slip(const tw_run_probes *probes, const tw_probe_result *r,
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
static bool has_slid(const tw_run_probes *probes, size_t law)
{
    const bool companions = probes->stage->probes.no_slip == 1;
    for (size_t i = 0; i < probes->directions.count; i++) {
        const tw_probe_result *r = tw_run_probes_result(probes, law, i + 1);
        if (!(r->friction_work[TW_PROBE_LOAD] > 0.0)) continue;
        if (!companions || memcmp(r->stress, r->no_slip_stress, sizeof r->stress) != 0 ||
            memcmp(r->strain, r->no_slip_strain, sizeof r->strain) != 0)
            return true;
    }
    return false;
}

static bool fit_split(const tw_run_probes *probes, size_t law, int split,
                      tw_run_probes_evaluation *out)
{
    const size_t count = probes->directions.count;
    if (!has_slid(probes, law)) {
        out->unfit[split] = "no contact slid during loading; larger probes may help";
        return true;
    }
    tw_fit_point *points = malloc(count * sizeof *points);
    if (!points) return false;
    for (size_t i = 0; i < count; i++) {
        tw_directions_point(&probes->directions, tw_run_probes_result(probes, law, i + 1)->stress,
                            points[i].stress);
        tw_directions_point(&probes->directions, out->irreversible[split][i], points[i].plastic);
    }
    out->fitted[split] = tw_fit_mechanism_find(tw_directions_dimensions(&probes->directions),
                                               points, count, &out->mechanism[split]);
    if (!out->fitted[split]) out->unfit[split] = "too few directions, or no irreversible strain";
    free(points);
    return true;
}

static double difference_of(const tw_run_probes *probes, const tw_run_probes_evaluation *r)
{
    double off = 0.0, all = 0.0;
    for (size_t i = 0; i < probes->directions.count; i++)
        for (int k = 0; k < TW_COMPONENTS; k++) {
            const double weight = k < TW_YZ ? 1.0 : 0.5;
            const double a = r->irreversible[UNLOAD][i][k];
            const double b = r->irreversible[NO_SLIP][i][k];
            off += weight * (a - b) * (a - b);
            all += weight * a * a;
        }
    return sqrt(off / all);
}

/* ---- Reliability ---- */

static double response_size(const tw_run_probes *probes, const tw_probe_result *r)
{
    double kelvin[TW_COMPONENTS];
    if (probes->by_stress)
        tw_probe_kelvin_strain(r->strain, kelvin);
    else
        tw_probe_kelvin_stress(r->stress, kelvin);
    return tw_probe_norm(kelvin);
}

/* Strain by stress of a probe [1/Pa]. */
static double softness_of(const tw_probe_result *r)
{
    double strain[TW_COMPONENTS], stress[TW_COMPONENTS];
    tw_probe_kelvin_strain(r->strain, strain);
    tw_probe_kelvin_stress(r->stress, stress);
    return tw_probe_norm(strain) / tw_probe_norm(stress);
}

tw_run_probes_end tw_run_probes_end_of(const tw_run_probes *probes, size_t law, size_t number,
                                       const tw_run_probes_evaluation *e)
{
    /* Elastic strains differ by a factor of about three with the direction, and slip makes them up
     * to six times larger in probes that stay; those that run away have 50 to 200 times the least
     * (200 spheres near the peak, docs/theory/probes.md). */
    const double most = 30.0;
    const tw_probe_result *r = tw_run_probes_result(probes, law, number);
    if (tw_run_probes_are_static(probes))
        return r->rested[TW_PROBE_LOAD]  ? TW_RUN_PROBES_RESTED
               : r->limit[TW_PROBE_LOAD] ? TW_RUN_PROBES_LIMIT
                                         : TW_RUN_PROBES_STALLED;
    return probes->by_stress && softness_of(r) > most * e->stiffest ? TW_RUN_PROBES_COLLAPSED
                                                                    : TW_RUN_PROBES_RESTED;
}

static void judge(const tw_run_probes *probes, size_t law, tw_run_probes_evaluation *out)
{
    double responses = 0.0, strains = 0.0, stresses = 0.0, softest = 0.0;
    out->stiffest = HUGE_VAL;
    for (size_t i = 0; i < probes->each; i++) {
        const tw_probe_result *r = tw_run_probes_result(probes, law, i);
        double missed[TW_COMPONENTS], stress[TW_COMPONENTS];
        for (int phase = 0; phase < TW_PROBE_PHASES; phase++)
            out->restless += r->steps[phase] > 0 && !r->rested[phase];
        for (int k = 0; i > 0 && k < TW_COMPONENTS; k++) {
            strains += r->strain[k] * r->strain[k];
            stresses += r->stress[k] * r->stress[k];
        }
        if (i == 0 || i > probes->directions.count) continue;
        responses += response_size(probes, r) / (double)probes->directions.count;
        tw_probe_kelvin_stress(r->missed, missed);
        tw_probe_kelvin_stress(r->stress, stress);
        out->missed = tw_math_max(out->missed, tw_probe_norm(missed) / tw_probe_norm(stress));
        out->stiffest = tw_math_min(out->stiffest, softness_of(r));
        softest = tw_math_max(softest, softness_of(r));
    }
    out->drift = response_size(probes, tw_run_probes_result(probes, law, 0)) / responses;
    out->mean = sqrt(strains / stresses);
    out->collapse = softest / out->stiffest;
}

bool tw_run_probes_evaluate(const tw_run_probes *probes, size_t law, tw_run_probes_evaluation *out)
{
    const tw_scenario_probes *requested = &probes->stage->probes;
    const bool asked[TW_RUN_PROBES_SPLITS] = {requested->unload == 1, requested->no_slip == 1};
    const size_t count = probes->directions.count;
    double kelvin[TW_COMPONENTS * TW_COMPONENTS];
    memset(out, 0, sizeof *out);
    out->difference = nan("");
    for (int s = 0; s < TW_RUN_PROBES_SPLITS; s++)
        if (asked[s] && !(out->irreversible[s] = malloc(count * sizeof *out->irreversible[s])))
            return false;
    if (asked[NO_SLIP] && !read_elastic(probes, law, kelvin, out)) return false;
    for (size_t i = 0; i < count; i++) {
        const tw_probe_result *r = tw_run_probes_result(probes, law, i + 1);
        if (asked[UNLOAD]) memcpy(out->irreversible[UNLOAD][i], r->left, sizeof r->left);
        if (asked[NO_SLIP])
            split_by_no_slip(probes, r, kelvin, out->elastic, out->irreversible[NO_SLIP][i]);
    }
    for (int s = 0; s < TW_RUN_PROBES_SPLITS; s++)
        if (asked[s] && !fit_split(probes, law, s, out)) return false;
    if (out->fitted[UNLOAD] && out->fitted[NO_SLIP]) out->difference = difference_of(probes, out);
    judge(probes, law, out);
    return true;
}

void tw_run_probes_evaluation_free(tw_run_probes_evaluation *evaluation)
{
    for (int s = 0; s < TW_RUN_PROBES_SPLITS; s++)
        free(evaluation->irreversible[s]);
}
