/* SPDX-License-Identifier: BSD-3-Clause */
/* From the results of probes to what they say of the material: docs/theory/probes.md. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <twirl/math.h>

#include "run/probes.h"

static const tw_probe_result *result_of(const tw_probes *probes, size_t law, size_t place)
{
    return &probes->result[tw_probes_index(probes, law, place)];
}

/* ---- The elastic tensor, from the twins ---- */

/* In Kelvin's form; strains in x, stresses in y. */
static bool gather_twins(const tw_probes *probes, size_t law, double **x, double **y)
{
    const size_t count = probes->each - 1;
    *x = malloc(count * TW_COMPONENTS * sizeof **x);
    *y = malloc(count * TW_COMPONENTS * sizeof **y);
    if (!*x || !*y) return false;
    for (size_t i = 0; i < count; i++) {
        const tw_probe_result *r = result_of(probes, law, i + 1);
        tw_probe_kelvin_strain(r->twin_strain, *x + i * TW_COMPONENTS);
        tw_probe_kelvin_stress(r->twin_stress, *y + i * TW_COMPONENTS);
    }
    return true;
}

/* The same in the space of the directions, of these alone. */
static bool fit_plane(const tw_probes *probes, const double *x, const double *y,
                      tw_probes_reading *out)
{
    const size_t count = probes->directions.count;
    const int n = tw_directions_dimensions(&probes->directions);
    double *points = malloc(2 * count * (size_t)n * sizeof *points);
    if (!points) return false;
    for (size_t i = 0; i < 2 * count; i++) {
        double point[TW_SPACE_MAX];
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
                         tw_probes_reading *out)
{
    double *x = NULL, *y = NULL;
    const bool good = gather_twins(probes, law, &x, &y) && fit_plane(probes, x, y, out);
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

/* By the twin. Strain given: what stress the twin has more, over the elastic stiffness. Stress
 * given: what strain the twin has less. */
static void split_by_twin(const tw_probes *probes, const tw_probe_result *r,
                          const double kelvin[36], bool known, double out[TW_COMPONENTS])
{
    double lost[TW_COMPONENTS];
    for (int k = 0; k < TW_COMPONENTS; k++) {
        lost[k] = r->twin_stress[k] - r->stress[k];
        out[k] = probes->by_stress ? r->strain[k] - r->twin_strain[k] : nan("");
    }
    if (probes->by_stress || !known) return;
    tw_probe_kelvin_stress(lost, lost);
    if (!tw_fit_solve(TW_COMPONENTS, kelvin, lost, out)) return;
    for (int k = TW_YZ; k < TW_COMPONENTS; k++)
        out[k] *= sqrt(2.0);
}

/* Without slip there is no irreversible strain. The way back ends only near where it came from, and
 * with what it slips on its own: that would be read as a strain, and a circle be fitted to it. A
 * contact that opens slides before it does. Where there are twins they tell, too: laws that are not
 * exact book a little friction where nothing slides. */
static bool has_slid(const tw_probes *probes, size_t law)
{
    const bool twins = probes->stage->probes.no_slip == 1;
    for (size_t i = 0; i < probes->directions.count; i++) {
        const tw_probe_result *r = result_of(probes, law, i + 1);
        if (!(r->friction_work[TW_PROBE_LOAD] > 0.0)) continue;
        if (!twins || memcmp(r->stress, r->twin_stress, sizeof r->stress) != 0 ||
            memcmp(r->strain, r->twin_strain, sizeof r->strain) != 0)
            return true;
    }
    return false;
}

static bool fit_split(const tw_probes *probes, size_t law, int split, tw_probes_reading *out)
{
    const size_t count = probes->directions.count;
    if (!has_slid(probes, law)) {
        out->unfit[split] = "no contact slid under the loads; larger probes may do";
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
    if (!out->fitted[split])
        out->unfit[split] = "too few directions, or no irreversible strain in them";
    free(points);
    return true;
}

static double difference_of(const tw_probes *probes, const tw_probes_reading *r)
{
    double off = 0.0, all = 0.0;
    for (size_t i = 0; i < probes->directions.count; i++)
        for (int k = 0; k < TW_COMPONENTS; k++) {
            const double weight = k < TW_YZ ? 1.0 : 0.5;
            const double a = r->irreversible[TW_SPLIT_UNLOAD][i][k];
            const double b = r->irreversible[TW_SPLIT_NO_SLIP][i][k];
            off += weight * (a - b) * (a - b);
            all += weight * a * a;
        }
    return sqrt(off / all);
}

/* ---- Can it be trusted? ---- */

static double size_of_response(const tw_probes *probes, const tw_probe_result *r)
{
    double kelvin[TW_COMPONENTS];
    if (probes->by_stress)
        tw_probe_kelvin_strain(r->strain, kelvin);
    else
        tw_probe_kelvin_stress(r->stress, kelvin);
    return tw_probe_size(kelvin);
}

static void judge(const tw_probes *probes, size_t law, tw_probes_reading *out)
{
    const size_t count = probes->directions.count;
    double responses = 0.0;
    for (size_t i = 0; i < count; i++) {
        const tw_probe_result *r = result_of(probes, law, i + 1);
        double missed[TW_COMPONENTS], stress[TW_COMPONENTS];
        responses += size_of_response(probes, r) / (double)count;
        tw_probe_kelvin_stress(r->missed, missed);
        tw_probe_kelvin_stress(r->stress, stress);
        out->missed = tw_math_max(out->missed, tw_probe_size(missed) / tw_probe_size(stress));
    }
    out->drift = size_of_response(probes, result_of(probes, law, 0)) / responses;
    for (size_t i = 0; i < probes->each; i++)
        for (int phase = 0; phase < TW_PROBE_PHASES; phase++) {
            const tw_probe_result *r = result_of(probes, law, i);
            out->restless += r->steps[phase] > 0 && !r->rested[phase];
        }
}

bool tw_probes_read(const tw_probes *probes, size_t law, tw_probes_reading *out)
{
    const tw_scenario_probes *wish = &probes->stage->probes;
    const bool has[TW_SPLITS] = {wish->unload == 1, wish->no_slip == 1};
    const size_t count = probes->directions.count;
    double kelvin[TW_COMPONENTS * TW_COMPONENTS];
    memset(out, 0, sizeof *out);
    out->difference = nan("");
    for (int s = 0; s < TW_SPLITS; s++)
        if (has[s] && !(out->irreversible[s] = malloc(count * sizeof *out->irreversible[s])))
            return false;
    if (has[TW_SPLIT_NO_SLIP] && !read_elastic(probes, law, kelvin, out)) return false;
    for (size_t i = 0; i < count; i++) {
        const tw_probe_result *r = result_of(probes, law, i + 1);
        if (has[TW_SPLIT_UNLOAD]) memcpy(out->irreversible[0][i], r->left, sizeof r->left);
        if (has[TW_SPLIT_NO_SLIP])
            split_by_twin(probes, r, kelvin, out->elastic, out->irreversible[TW_SPLIT_NO_SLIP][i]);
    }
    for (int s = 0; s < TW_SPLITS; s++)
        if (has[s] && !fit_split(probes, law, s, out)) return false;
    if (out->fitted[0] && out->fitted[1]) out->difference = difference_of(probes, out);
    judge(probes, law, out);
    return true;
}

void tw_probes_reading_free(tw_probes_reading *reading)
{
    for (int s = 0; s < TW_SPLITS; s++)
        free(reading->irreversible[s]);
}
