/* SPDX-License-Identifier: BSD-3-Clause */
/* Rates against one dense factorisation for each set of sliding contacts, and against small
 * increments. */
#include "lattice.h"
#include "packing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/statics.h>

#include "base/mat3.h"
#include "must.h"
#include "statics/statics_lcp.h"

enum { SIX = TW_COMPONENTS };

/* ---- A packing ---- */

typedef struct dense {
    size_t n, contacts;
    double *k; /* (n + 6)^2: bodies, then strains */
    tw_contact_state *contact;
    tw_sphere_state *sphere;
    double *slip, *open;   /* contacts x (n + 6): motion along the force, and apart */
    double *kt, *limit_by; /* of contacts: stiffness, and change of the limit by opening */
    double *falls;         /* of Hertz contacts: change of the force by opening */
    bool *at_limit, *slides, *opens;
    double volume, kn;
    tw_mat3 stress;
} dense;

static const int strain_rows[SIX][2] = {{0, 0}, {4, 4}, {8, 8}, {5, 7}, {2, 6}, {1, 3}};

/* The tangent, column by column, by products with unit vectors. */
static void put_tangent(dense *d, const tw_statics *statics)
{
    const size_t size = tw_statics_size(statics), n = d->n, width = n + SIX;
    double *z = calloc(size, sizeof *z), *kz = calloc(size, sizeof *kz);
    for (size_t j = 0; j < width; j++) {
        memset(z, 0, size * sizeof *z);
        if (j < n) {
            z[j] = 1.0;
        } else {
            z[n + (size_t)strain_rows[j - n][0]] += 0.5;
            z[n + (size_t)strain_rows[j - n][1]] += 0.5;
        }
        tw_statics_product(statics, z, kz);
        for (size_t i = 0; i < width; i++)
            d->k[width * i + j] = i < n ? kz[i]
                                        : 0.5 * (kz[n + (size_t)strain_rows[i - n][0]] +
                                                 kz[n + (size_t)strain_rows[i - n][1]]);
    }
    free(z);
    free(kz);
}

/* The row of the motion along v of two spheres in contact. */
static void put_row(const dense *d, const tw_contact_state *s, tw_vec3 v, double *row)
{
    const double arm_p = d->sphere[s->body_p].radius - 0.5 * s->zeta;
    const double arm_q = d->sphere[s->body_q].radius - 0.5 * s->zeta;
    const double of[3] = {v.x, v.y, v.z};
    const double b[3] = {s->branch.x, s->branch.y, s->branch.z};
    const tw_vec3 turn = tw_vec3_cross(s->n, v); /* v . (theta x a) = theta . (a x v) */
    const double couple[3] = {turn.x, turn.y, turn.z};
    for (int i = 0; i < 3; i++) {
        row[6 * s->body_p + (size_t)i] -= of[i];
        row[6 * s->body_q + (size_t)i] += of[i];
        row[6 * s->body_p + 3 + (size_t)i] -= arm_p * couple[i];
        row[6 * s->body_q + 3 + (size_t)i] -= arm_q * couple[i];
    }
    for (size_t e = 0; e < SIX; e++)
        row[d->n + e] = 0.5 * (of[strain_rows[e][0] / 3] * b[strain_rows[e][0] % 3] +
                               of[strain_rows[e][1] / 3] * b[strain_rows[e][1] % 3]);
}

/* Rows of the motion of contact c along its force, and along its normal, by that of two spheres. */
static void put_rows(dense *d, size_t c, const tw_contact_law *law)
{
    const tw_contact_state *s = &d->contact[c];
    const double size = tw_vec3_norm(s->ft);
    const bool hertz = law->normal == TW_CONTACT_HERTZ;
    d->kt[c] = law->kt * (hertz ? sqrt(s->zeta) : 1.0);
    d->limit_by[c] = law->mu * (hertz ? 1.5 * law->kn * sqrt(s->zeta) : law->kn);
    d->kn += d->limit_by[c] / law->mu / (double)d->contacts; /* the mean */
    d->falls[c] = hertz ? 0.5 * size / s->zeta : 0.0;
    d->at_limit[c] = size >= (1.0 - 1e-9) * law->mu * s->fn;
    if (!(size > 0.0)) return;
    put_row(d, s, tw_vec3_scale(1.0 / size, s->ft), d->slip + (d->n + SIX) * c);
    put_row(d, s, s->n, d->open + (d->n + SIX) * c);
}

/* The set that a motion asks for; true if it is another one. */
static bool change_set(dense *d, const double *z, size_t *sliding)
{
    const size_t width = d->n + SIX;
    bool changed = false;
    *sliding = 0;
    for (size_t c = 0; c < d->contacts; c++) {
        double along = 0.0, apart = 0.0;
        for (size_t j = 0; j < width; j++) {
            along += d->slip[width * c + j] * z[j];
            apart += d->open[width * c + j] * z[j];
        }
        const bool opens = d->falls[c] > 0.0 && apart > 0.0;
        const double more = d->kt[c] * along + d->limit_by[c] * apart;
        const bool slides = d->at_limit[c] && more - (opens ? d->falls[c] * apart : 0.0) > 0.0;
        changed = changed || slides != d->slides[c] || opens != d->opens[c];
        d->slides[c] = slides;
        d->opens[c] = opens;
        *sliding += slides;
    }
    return changed;
}

/* The motion z of bodies by a strain rate (tension positive) and the tangent k with it; then the
 * stress rate. `k` is that of the contacts that do not slide. */
static void solve_set(const dense *d, double shift, const double *strain, double *k, double *z,
                      double *stress)
{
    const size_t n = d->n, width = n + SIX;
    double *a = malloc(n * n * sizeof *a);
    for (size_t c = 0; c < d->contacts; c++) {
        if (!d->slides[c] && !d->opens[c]) continue;
        const double by_slip = d->slides[c] ? d->kt[c] : 0.0;
        const double by_opening = d->slides[c] ? d->limit_by[c] : d->falls[c];
        for (size_t i = 0; i < width; i++) {
            const double left = d->slip[width * c + i];
            for (size_t j = 0; j < width && left != 0.0; j++)
                k[width * i + j] -=
                    left * (by_slip * d->slip[width * c + j] + by_opening * d->open[width * c + j]);
        }
    }
    for (size_t i = 0; i < n; i++) {
        memcpy(a + n * i, k + width * i, n * sizeof *a);
        const double radius = d->sphere[i / 6].radius; /* the first one is held */
        a[n * i + i] += d->kn * (i < 3 ? 1.0 : i % 6 < 3 ? shift : shift * radius * radius);
        z[i] = 0.0;
        for (size_t e = 0; e < SIX; e++)
            z[i] -= k[width * i + n + e] * strain[e];
    }
    tw_statics_lcp_eliminate(n, a, z);
    memcpy(z + n, strain, SIX * sizeof *z);
    const double trace = strain[0] + strain[1] + strain[2];
    for (size_t i = 0; i < SIX; i++) {
        stress[i] = 0.5 * (d->stress.m[strain_rows[i][0]] + d->stress.m[strain_rows[i][1]]) *
                    trace; /* compression positive: -(-) */
        for (size_t j = 0; j < width; j++)
            stress[i] += k[width * (n + i) + j] * z[j] / d->volume;
    }
    free(a);
}

/* One factorisation for each set. Returns the number of contacts that slide; SIZE_MAX: no set was
 * found. */
static size_t solve_by_sets(dense *d, double shift, const double *strain, double *stress)
{
    const size_t width = d->n + SIX;
    double *k = malloc(width * width * sizeof *k), *z = calloc(width, sizeof *z);
    size_t count = SIZE_MAX;
    memset(d->slides, 0, d->contacts * sizeof *d->slides);
    memset(d->opens, 0, d->contacts * sizeof *d->opens);
    for (int turn = 0; turn < 30 && count == SIZE_MAX; turn++) {
        size_t sliding;
        memcpy(k, d->k, width * width * sizeof *k);
        solve_set(d, shift, strain, k, z, stress);
        if (!change_set(d, z, &sliding)) count = sliding;
    }
    free(k);
    free(z);
    return count;
}

/* All of a state of spheres that the dense problem needs. */
static void fill_dense(dense *d, tw_sim *sim, const tw_statics *statics, const tw_contact_law *law)
{
    tw_error error;
    d->n = 6 * tw_sim_body_count(sim);
    must_succeed(tw_sim_contact_count(sim, &d->contacts, &error), &error);
    const size_t width = d->n + SIX;
    const tw_measure m = must_measure(sim);
    d->sphere = calloc(tw_sim_sphere_count(sim), sizeof *d->sphere);
    d->k = calloc(width * width, sizeof *d->k);
    d->contact = calloc(d->contacts, sizeof *d->contact);
    d->slip = calloc(d->contacts * width, sizeof *d->slip);
    d->open = calloc(d->contacts * width, sizeof *d->open);
    d->kt = calloc(d->contacts, sizeof *d->kt);
    d->limit_by = calloc(d->contacts, sizeof *d->limit_by);
    d->falls = calloc(d->contacts, sizeof *d->falls);
    d->opens = calloc(d->contacts, sizeof *d->opens);
    d->at_limit = calloc(d->contacts, sizeof *d->at_limit);
    d->slides = calloc(d->contacts, sizeof *d->slides);
    d->volume = m.volume;
    d->stress = m.stress;
    tw_sim_get_spheres(sim, d->sphere, tw_sim_sphere_count(sim), NULL);
    must_succeed(tw_sim_get_contacts(sim, d->contact, d->contacts, &error), &error);
    put_tangent(d, statics);
    for (size_t c = 0; c < d->contacts; c++)
        put_rows(d, c, law);
}

static void free_dense(dense *d)
{
    free(d->k);
    free(d->contact);
    free(d->slip);
    free(d->open);
    free(d->kt);
    free(d->limit_by);
    free(d->falls);
    free(d->opens);
    free(d->at_limit);
    free(d->slides);
    free(d->sphere);
}

/* A grain on two contacts may spin about the line through them, which the equations of these tests
 * hold in another way. */
static bool may_spin(const dense *d)
{
    bool found = false;
    for (uint32_t i = 0; i < d->n / 6; i++) {
        size_t count = 0;
        for (size_t c = 0; c < d->contacts; c++)
            count += d->contact[c].body_p == i || d->contact[c].body_q == i;
        found = found || count < 3;
    }
    return found;
}

/* In loading. */
static tw_sim *sheared(int side, uint64_t seed, const tw_contact_law *law, double strain)
{
    packing_def def = packing_def_default();
    def.bumpy = 0;
    def.side = side;
    def.seed = seed;
    tw_sim *sim = packing_make(&def);
    const tw_mat3 rate = packing_shear(packing_slow_rate());
    scene_set_law(sim, law);
    tw_sim_set_velocity_gradient(sim, &rate);
    scene_set_damping(sim, 0.0, 0.0, 0.5);
    scene_run(sim, strain > 0.0 ? (uint64_t)(strain / packing_slow_rate() / tw_sim_dt(sim)) : 3000);
    return sim;
}

static void compare_with_sets(const tw_contact_law *law)
{
    tw_error error;
    const bool hertz = law->normal == TW_CONTACT_HERTZ;
    size_t compared = 0, slid = 0;
    for (uint64_t seed = 1; seed < 60 && compared < 12; seed++) {
        tw_sim *sim = sheared(3, seed, law, 3e-3);
        const tw_statics_def how = {.geometric = 1, .shift = 1e-11};
        tw_statics *statics = tw_statics_create(sim, &how, &error);
        tw_statics_rates *rates = tw_statics_rates_create(statics, &error);
        must_succeed(rates ? TW_STATUS_OK : error.status, &error);
        const tw_statics_problem problem = tw_statics_rates_problem(rates);
        if (problem.weak == 0 && problem.rattlers == 0 && problem.at_limit > 2) {
            dense d = {0};
            fill_dense(&d, sim, statics, law);
            for (int k = 0; k < 6 && !may_spin(&d); k++) {
                double strain[SIX] = {0}, stress[SIX], off = 0.0, size = 0.0;
                tw_statics_rate r;
                strain[k / 2] = k % 2 ? -1.0 : 1.0;
                strain[(k / 2 + 1) % 3] = 0.3;
                must_succeed(tw_statics_rates_solve(rates, 0, strain, &r, &error), &error);
                for (int i = 0; i < SIX; i++)
                    strain[i] = -strain[i];
                const size_t sliding = solve_by_sets(&d, how.shift, strain, stress);
                if (sliding == SIZE_MAX || r.found == TW_STATICS_NOTHING) continue;
                for (int i = 0; i < SIX; i++) {
                    off = support_most(off, fabs(r.stress[i] + stress[i]));
                    size = support_most(size, fabs(stress[i]));
                }
                print_message("%s, seed %d: %zu at the limit, %zu slide, sets differ by %.1e\n",
                              hertz ? "Hertz" : "linear", (int)seed, problem.at_limit, sliding,
                              off / size);
                assert_int_equal(r.sliding, sliding);
                expect_at_most(off / size, 1e-9);
                compared++;
                slid += sliding;
                /* The same stress, prescribed, gives the strain back. */
                tw_statics_rate back;
                must_succeed(tw_statics_rates_solve(rates, 1, r.stress, &back, &error), &error);
                if (back.found == TW_STATICS_NOTHING || back.sliding != r.sliding) continue;
                for (int i = 0; i < SIX; i++)
                    expect_at_most(fabs(back.strain[i] + strain[i]), 1e-6);
            }
            free_dense(&d);
        }
        tw_statics_rates_free(rates);
        tw_statics_free(statics);
        tw_sim_free(sim);
    }
    assert_true(compared >= 3 && slid > 3);
}

static void rates_are_those_of_a_factorisation_for_each_set(void **context)
{
    (void)context;
    const tw_contact_law linear = packing_law(), hertz = support_hertz_like(linear, 1e-6);
    compare_with_sets(&linear);
    compare_with_sets(&hertz);
}

/* ---- Pairs at zero gap ---- */

enum { PAIRS = 2, LIMITS = 3, OPEN = 0, STICKS = 1, SLIDES = 2 };

/* Gaps below `most`, by every pair of spheres and their images. The number of pairs; a contact with
 * an overlap below `most` counts, too. */
static size_t find_gaps(const dense *d, const tw_sim *sim, double most, tw_contact_state *pair)
{
    const tw_mat3 cell = tw_sim_cell(sim);
    const size_t bodies = d->n / 6;
    size_t count = 0;
    for (size_t p = 0; p < bodies; p++)
        for (size_t q = p + 1; q < bodies; q++)
            for (int image = 0; image < 125; image++) {
                const double at[3] = {image % 5 - 2, image / 5 % 5 - 2, image / 25 - 2};
                const tw_vec3 shift = tw_mat3_mul_vec(cell, tw_vec3_make(at[0], at[1], at[2]));
                const tw_vec3 l = tw_vec3_add(tw_vec3_sub(d->sphere[q].x, d->sphere[p].x), shift);
                const double length = tw_vec3_norm(l);
                if (fabs(length - d->sphere[p].radius - d->sphere[q].radius) > most) continue;
                if (count < PAIRS)
                    pair[count] = (tw_contact_state){.body_p = (uint32_t)p,
                                                     .body_q = (uint32_t)q,
                                                     .n = tw_vec3_scale(1.0 / length, l),
                                                     .branch = l};
                const double zeta = d->sphere[p].radius + d->sphere[q].radius - length;
                if (count < PAIRS && zeta > 0.0) pair[count].zeta = zeta;
                count++;
            }
    return count;
}

/* Contacts with small overlaps are pairs of that kind; the tangent is without them already. */
static void leave_out(dense *d, double most)
{
    d->stress = (tw_mat3){{0.0}};
    for (size_t c = 0; c < d->contacts; c++) {
        const tw_contact_state *s = &d->contact[c];
        const tw_vec3 f = tw_vec3_add_scaled(s->ft, -s->fn, s->n);
        const double of[3] = {f.x, f.y, f.z}, b[3] = {s->branch.x, s->branch.y, s->branch.z};
        if (s->zeta <= most) d->at_limit[c] = false;
        for (int i = 0; i < 9 && s->zeta > most; i++)
            d->stress.m[i] -= of[i / 3] * b[i % 3] / d->volume;
    }
}

typedef struct gaps {
    size_t count;
    tw_contact_state pair[PAIRS];
    double *row[PAIRS][3]; /* motions along the normal, and along two tangents */
    int now[PAIRS];
    double along[PAIRS][2]; /* of those that slide: direction of the motion */
} gaps;

static double times(const double *row, const double *z, size_t width)
{
    double sum = 0.0;
    for (size_t j = 0; j < width; j++)
        sum += row[j] * z[j];
    return sum;
}

/* Adds the stiffness of the pairs that close. */
static void add_gaps(const dense *d, const gaps *g, const tw_contact_law *law, double *k)
{
    const size_t width = d->n + SIX;
    for (size_t c = 0; c < g->count; c++) {
        double *const *row = g->row[c];
        for (size_t i = 0; i < width && g->now[c] != OPEN; i++)
            for (size_t j = 0; j < width; j++) {
                const double drag = g->along[c][0] * row[1][i] + g->along[c][1] * row[2][i];
                double sum = law->kn * row[0][i] * row[0][j];
                if (g->now[c] == SLIDES) sum -= law->mu * law->kn * drag * row[0][j];
                for (int t = 1; t < 3 && g->now[c] == STICKS; t++)
                    sum += law->kt * row[t][i] * row[t][j];
                k[width * i + j] += sum;
            }
    }
}

/* Whether z is what the set says. Directions of those that slide become those of z; *off: by how
 * much they were others. */
static bool fits(const dense *d, gaps *g, const tw_contact_law *law, const double *z, double *off)
{
    const size_t width = d->n + SIX;
    bool same = true;
    *off = 0.0;
    for (size_t c = 0; c < g->count; c++) {
        const double open = times(g->row[c][0], z, width);
        const double x = times(g->row[c][1], z, width), y = times(g->row[c][2], z, width);
        const double motion = sqrt(x * x + y * y), limit = -law->mu * law->kn / law->kt * open;
        const int now = open >= 0.0 ? OPEN : motion <= limit ? STICKS : SLIDES;
        same = same && now == g->now[c];
        if (g->now[c] != SLIDES) continue;
        *off = support_most(*off, fabs(x / motion - g->along[c][0]));
        *off = support_most(*off, fabs(y / motion - g->along[c][1]));
        const double a = 0.8 * g->along[c][0] + 0.2 * x / motion;
        const double b = 0.8 * g->along[c][1] + 0.2 * y / motion, size = sqrt(a * a + b * b);
        g->along[c][0] = a / size; /* all of the way does not always converge */
        g->along[c][1] = b / size;
    }
    return same;
}

/* The stress rate of every set of contacts that slide and of pairs that open, stick and slide that
 * is what its own motion asks for; the smallest difference to a given one is in *off. Returns the
 * number of sets, `closed` the pairs of the last that close. */
static size_t try_all_sets(dense *d, gaps *g, const tw_contact_law *law, double shift,
                           const double *strain, const double *given, double *off, size_t *closed)
{
    const size_t width = d->n + SIX;
    double *k = malloc(width * width * sizeof *k), *z = calloc(width, sizeof *z), stress[SIX];
    size_t limit[LIMITS], limits = 0, found = 0;
    for (size_t c = 0; c < d->contacts; c++)
        if (d->at_limit[c]) limit[limits++] = c;
    memset(d->opens, 0, d->contacts * sizeof *d->opens);
    *off = HUGE_VAL;
    for (unsigned set = 0; set < 9U << limits; set++) {
        double turned = 1.0;
        bool good = true;
        for (size_t c = 0, rest = set >> limits; c < PAIRS; c++, rest /= 3)
            g->now[c] = (int)(rest % 3);
        for (size_t c = g->count; c < PAIRS; c++) /* there are no such pairs */
            good = good && g->now[c] == OPEN;
        memset(g->along, 0, sizeof g->along);
        /* Directions start without friction and follow the motion. */
        for (int turn = 0; turn < 300 && good && turned > 1e-13; turn++) {
            size_t sliding;
            for (size_t i = 0; i < limits; i++)
                d->slides[limit[i]] = set >> i & 1U;
            memcpy(k, d->k, width * width * sizeof *k);
            add_gaps(d, g, law, k);
            solve_set(d, shift, strain, k, z, stress);
            const bool same = fits(d, g, law, z, &turned) && !change_set(d, z, &sliding);
            if (turn > 25 || turned <= 1e-13) good = same;
        }
        if (!good || turned > 1e-13) continue;
        double most = 0.0, size = 0.0;
        for (int i = 0; i < SIX; i++) {
            most = support_most(most, fabs(given[i] + stress[i]));
            size = support_most(size, fabs(stress[i]));
        }
        if (most / size < *off) *off = most / size;
        *closed = 0;
        for (size_t c = 0; c < g->count; c++)
            *closed += g->now[c] != OPEN;
        found++;
    }
    free(k);
    free(z);
    return found;
}

/* Pairs that are rather near are taken as if their gap was zero: that is what the tolerance is. */
static void pairs_close_as_in_a_search_over_all_sets(void **context)
{
    (void)context;
    tw_error error;
    const tw_contact_law law = packing_law();
    size_t compared = 0, closing = 0, open = 0;
    for (uint64_t seed = 1; seed < 40 && compared < 8; seed++) {
        tw_sim *sim = sheared(3, seed, &law, 5e-4);
        for (double near = 0.02; near < 0.5; near *= 2.0) {
            const double zero = near * must_measure(sim).overlap_mean;
            const tw_statics_def how = {.geometric = 1, .shift = 1e-11, .zero_gap = near};
            tw_statics *statics = tw_statics_create(sim, &how, &error);
            tw_statics_rates *rates = tw_statics_rates_create(statics, &error);
            must_succeed(rates ? TW_STATUS_OK : error.status, &error);
            const tw_statics_problem problem = tw_statics_rates_problem(rates);
            dense d = {0};
            gaps g = {0};
            fill_dense(&d, sim, statics, &law);
            g.count = find_gaps(&d, sim, zero, g.pair);
            leave_out(&d, zero);
            const bool use = problem.weak == 0 && problem.rattlers == 0 && !may_spin(&d) &&
                             g.count > 0 && g.count <= PAIRS && problem.at_limit <= LIMITS;
            if (use) assert_int_equal(g.count, problem.zero_gap);
            for (int k = 0; k < 4 && use; k++) {
                double strain[SIX] = {0}, off;
                tw_statics_rate r;
                size_t closed = 0;
                for (size_t c = 0; c < g.count && k == 0; c++) {
                    const tw_vec3 n = g.pair[c].n, aside = tw_vec3_make(-n.y, n.x, 0.0);
                    const tw_vec3 t = tw_vec3_scale(1.0 / tw_vec3_norm(aside), aside);
                    const tw_vec3 to[3] = {n, t, tw_vec3_cross(n, t)};
                    for (int i = 0; i < 3; i++) {
                        g.row[c][i] = calloc(d.n + SIX, sizeof(double));
                        put_row(&d, &g.pair[c], to[i], g.row[c][i]);
                    }
                }
                strain[k / 2] = k % 2 ? -1.0 : 1.0;
                strain[(k / 2 + 1) % 3] = 0.3;
                must_succeed(tw_statics_rates_solve(rates, 0, strain, &r, &error), &error);
                for (int i = 0; i < SIX; i++)
                    strain[i] = -strain[i];
                const size_t sets =
                    try_all_sets(&d, &g, &law, how.shift, strain, r.stress, &off, &closed);
                print_message("seed %d, within %g: %zu pairs, %zu at the limit; %zu slide; %zu "
                              "sets, %zu pairs close, off by %.1e\n",
                              (int)seed, near, g.count, problem.at_limit, r.sliding, sets, closed,
                              off);
                assert_int_equal(r.found == TW_STATICS_NOTHING, sets == 0);
                if (sets == 0) continue;
                expect_at_most(off, 1e-9);
                compared++;
                closing += closed;
                open += g.count - closed;
            }
            for (size_t c = 0; c < PAIRS; c++)
                for (int i = 0; i < 3; i++)
                    free(g.row[c][i]);
            free_dense(&d);
            tw_statics_rates_free(rates);
            tw_statics_free(statics);
        }
        tw_sim_free(sim);
    }
    assert_true(compared > 3 && closing > 0 && open > 0);
}

/* In loading, then in equilibrium; NULL: that was not found. */
static tw_sim *state_with_slip(uint64_t seed, const tw_contact_law *law)
{
    tw_error error;
    tw_statics_increment how;
    const tw_statics_increment_def none = tw_statics_increment_def_default();
    tw_sim *sim = sheared(4, seed, law, 0.0);
    tw_sim *rest = tw_statics_increase(sim, &none, &how, &error);
    must_succeed(rest ? TW_STATUS_OK : error.status, &error);
    tw_sim_free(sim);
    if (how.reached) return rest;
    tw_sim_free(rest);
    return NULL;
}

/* What a direction shows, of its stress rate: the share of slip, that of contacts that unload, and
 * how far an increment is off. */
typedef struct shares {
    double slip, unloading, off;
} shares;

static shares compare_direction(tw_sim *rest, const tw_statics_rates *rates, int k)
{
    tw_error error;
    tw_statics_increment how;
    tw_statics_increment_def step = tw_statics_increment_def_default();
    const tw_statics_problem problem = tw_statics_rates_problem(rates);
    const double small =
        1e-8; /* strains at which contacts change are far above: overlaps are 1e-3 */
    double unit[SIX] = {0}, size = 0.0;
    tw_statics_rate r;
    shares s = {0.0, 0.0, 0.0};
    unit[k / 2] = k % 2 ? -1.0 : 1.0;
    unit[(k / 2 + 1) % 3] = 0.3;
    must_succeed(tw_statics_rates_solve(rates, 0, unit, &r, &error), &error);
    for (int i = 0; i < SIX; i++)
        step.change[i] = small * unit[i];
    tw_sim *end = tw_statics_increase(rest, &step, &how, &error);
    must_succeed(end ? TW_STATUS_OK : error.status, &error);
    assert_int_equal(how.reached, 1);
    for (size_t i = 0; i < SIX; i++) {
        double loading = 0.0;
        for (size_t j = 0; j < SIX; j++)
            loading += problem.stiffness[SIX * i + j] * unit[j];
        size = support_most(size, fabs(r.stress[i]));
        s.slip = support_most(s.slip, fabs(r.stress[i] - r.no_slip[i]));
        s.unloading = support_most(s.unloading, fabs(r.no_slip[i] - loading));
        s.off = support_most(s.off, fabs(r.stress[i] - how.stress[i] / small));
    }
    print_message("%zu of %zu slide, share of slip %.1e, of unloading %.1e; off by %.1e\n",
                  r.sliding, problem.at_limit, s.slip / size, s.unloading / size, s.off / size);
    tw_sim_free(end);
    return (shares){s.slip / size, s.unloading / size, s.off / size};
}

/* Increments are found by Newton's method with the kernel itself, without a choice of branches. */
static void compare_with_increments(const tw_contact_law *law)
{
    tw_error error;
    const bool hertz = law->normal == TW_CONTACT_HERTZ;
    const tw_statics_def statics_def = tw_statics_def_default();
    shares most = {0.0, 0.0, 0.0};
    size_t compared = 0;
    for (uint64_t seed = 1; seed < 9 && compared < 1; seed++) {
        tw_statics_judgement judgement;
        tw_sim *rest = state_with_slip(seed, law);
        if (!rest) continue;
        tw_statics *statics = tw_statics_create(rest, &statics_def, &error);
        tw_statics_rates *rates = tw_statics_rates_create(statics, &error);
        must_succeed(rates ? TW_STATUS_OK : error.status, &error);
        must_succeed(tw_statics_rates_judge(rates, 0, &judgement, &error), &error);
        if (judgement.verdict == TW_STATICS_UNIQUE) {
            print_message("%s, seed %d\n", hertz ? "Hertz" : "linear", (int)seed);
            compared++;
            for (int k = 0; k < 6; k++) {
                const shares s = compare_direction(rest, rates, k);
                expect_at_most(s.off, 1e-3);
                most.slip = support_most(most.slip, s.slip);
                most.unloading = support_most(most.unloading, s.unloading);
            }
        }
        tw_statics_rates_free(rates);
        tw_statics_free(statics);
        tw_sim_free(rest);
    }
    assert_true(compared > 0);
    expect_at_least(most.slip, 0.1);
    if (hertz)
        expect_at_least(most.unloading, 1e-2);
    else
        expect_at_most(most.unloading, 1e-12);
}

/* The gap of two spheres, of the nearest images; below zero: they overlap. */
static double gap_of(const tw_sim *sim, size_t p, size_t q)
{
    dense d = {.n = 6 * tw_sim_body_count(sim)};
    double gap = HUGE_VAL;
    const tw_mat3 cell = tw_sim_cell(sim);
    d.sphere = calloc(tw_sim_sphere_count(sim), sizeof *d.sphere);
    tw_sim_get_spheres(sim, d.sphere, tw_sim_sphere_count(sim), NULL);
    for (int image = 0; image < 125; image++) {
        const tw_vec3 at = tw_vec3_make(image % 5 - 2, image / 5 % 5 - 2, image / 25 - 2);
        const tw_vec3 l =
            tw_vec3_add(tw_vec3_sub(d.sphere[q].x, d.sphere[p].x), tw_mat3_mul_vec(cell, at));
        const double one = tw_vec3_norm(l) - d.sphere[p].radius - d.sphere[q].radius;
        if (one < gap) gap = one;
    }
    free(d.sphere);
    return gap;
}

/* The smallest gap between two bodies that are no rattlers, or that is not there: 0. */
static double smallest_gap(tw_sim *sim, size_t *p, size_t *q)
{
    double least = HUGE_VAL;
    const size_t bodies = tw_sim_body_count(sim);
    uint32_t *contacts = calloc(bodies, sizeof *contacts);
    size_t count;
    must_succeed(tw_sim_contact_count(sim, &count, NULL), NULL);
    tw_contact_state *contact = calloc(count, sizeof *contact);
    must_succeed(tw_sim_get_contacts(sim, contact, count, NULL), NULL);
    for (size_t k = 0; k < count; k++) {
        contacts[contact[k].body_p]++;
        contacts[contact[k].body_q]++;
    }
    for (size_t i = 0; i < bodies; i++)
        for (size_t j = i + 1; j < bodies; j++) {
            const double gap = contacts[i] > 3 && contacts[j] > 3 ? gap_of(sim, i, j) : 0.0;
            if (!(gap > 0.0 && gap < least)) continue;
            least = gap;
            *p = i;
            *q = j;
        }
    free(contacts);
    free(contact);
    return least;
}

/* A state in equilibrium in which a gap is zero, by the secant method; NULL: not found. */
static tw_sim *close_a_gap(tw_sim *rest)
{
    tw_error error;
    size_t p = 0, q = 0;
    const double enough = 1e-9 * must_measure(rest).overlap_mean;
    double x[2] = {0.0, 0.0}, gap[2] = {smallest_gap(rest, &p, &q), 0.0};
    tw_sim *end = NULL;
    x[1] = 0.5 * gap[0] / 1e-3; /* grains of about 1 mm */
    for (int turn = 0; turn < 12 && (!end || fabs(gap[1]) > enough); turn++) {
        tw_statics_increment how;
        tw_statics_increment_def step = tw_statics_increment_def_default();
        for (int k = 0; k < 3; k++)
            step.change[k] = x[1];
        tw_sim_free(end);
        end = tw_statics_increase(rest, &step, &how, &error);
        must_succeed(end ? TW_STATUS_OK : error.status, &error);
        gap[1] = gap_of(end, p, q);
        if (!how.reached || fabs(gap[1]) <= enough) break;
        const double next = x[1] - gap[1] * (x[1] - x[0]) / (gap[1] - gap[0]);
        x[0] = x[1];
        gap[0] = gap[1];
        x[1] = next;
    }
    if (fabs(gap[1]) <= enough) return end;
    tw_sim_free(end);
    return NULL;
}

/* The kernel itself closes and opens the pair in the increments. */
static void pairs_at_zero_gap_close_as_in_increments(void **context)
{
    (void)context;
    tw_error error;
    const tw_contact_law law = packing_law();
    double most = 0.0;
    for (uint64_t seed = 1; seed < 9 && most < 1e-3; seed++) {
        tw_sim *rest = state_with_slip(seed, &law), *sim = rest ? close_a_gap(rest) : NULL;
        tw_sim_free(rest);
        if (!sim) continue;
        tw_statics_rates *rates[2];
        tw_statics *statics[2];
        for (int without = 0; without < 2; without++) {
            tw_statics_def def = tw_statics_def_default();
            if (without) def.zero_gap = 0.0;
            statics[without] = tw_statics_create(sim, &def, &error);
            must_succeed(statics[without] ? TW_STATUS_OK : error.status, &error);
            rates[without] = tw_statics_rates_create(statics[without], &error);
            must_succeed(rates[without] ? TW_STATUS_OK : error.status, &error);
        }
        const tw_statics_problem problem = tw_statics_rates_problem(rates[0]);
        tw_statics_judgement judgement;
        must_succeed(tw_statics_rates_judge(rates[0], 0, &judgement, &error), &error);
        print_message("seed %d: %zu pairs at zero gap\n", (int)seed, problem.zero_gap);
        assert_true(problem.zero_gap > 0);
        for (int k = 0; k < 6 && judgement.verdict == TW_STATICS_UNIQUE; k++) {
            const shares with = compare_direction(sim, rates[0], k);
            const shares without = compare_direction(sim, rates[1], k);
            expect_at_most(with.off, 1e-3);
            most = support_most(most, without.off);
        }
        for (int without = 0; without < 2; without++) {
            tw_statics_rates_free(rates[without]);
            tw_statics_free(statics[without]);
        }
        tw_sim_free(sim);
    }
    expect_at_least(most, 1e-3); /* they matter */
}

/* A simple cubic lattice, one sphere of which just fits between its six neighbours: with a
 * stiffness like theirs it makes the lattice a perfect one where it is compressed, with a motion
 * that is the same everywhere, and leaves a hole where it is extended. By strain and by stress. */
static void a_pinched_rattler_carries_compression_alone(void **context)
{
    (void)context;
    enum { SIDE = 3, BODIES = SIDE * SIDE * SIDE };
    const double kn = 1e6, r = 1e-3, zeta = 1e-6, d = 2.0 * r - zeta;
    const double p = (BODIES - 2.0) / BODIES * kn * zeta / (d * d);
    const tw_contact_law law = support_law(kn, kn, 0.5);
    const tw_vec3 none = {0.0, 0.0, 0.0};
    const tw_statics_def statics_def = tw_statics_def_default();
    tw_error error;
    tw_statics_moduli hole;
    tw_sim_def def = tw_sim_def_default();
    def.cell = tw_mat3_diagonal(SIDE * d, SIDE * d, SIDE * d);
    def.law = law;
    tw_sim *sim = scene_create(&def);
    for (int i = 0; i < BODIES; i++) {
        const tw_vec3 x = {d * (i % SIDE), d * (i / SIDE % SIDE), d * (i / SIDE / SIDE)};
        const tw_body_def body = scene_sphere(i == 0 ? r - (1.0 + 1e-7) * zeta : r, x, none, none);
        scene_add(sim, &body);
    }
    tw_statics *statics = tw_statics_create(sim, &statics_def, &error);
    must_succeed(statics ? TW_STATUS_OK : error.status, &error);
    must_succeed(tw_statics_compute_moduli(statics, &hole, &error), &error);
    tw_statics_free(statics);
    statics = tw_statics_create(sim, &statics_def, &error);
    tw_statics_rates *rates = tw_statics_rates_create(statics, &error);
    must_succeed(rates ? TW_STATUS_OK : error.status, &error);
    const tw_statics_problem problem = tw_statics_rates_problem(rates);
    assert_int_equal(problem.rattlers, 1);
    assert_int_equal(problem.zero_gap, 6);
    const double bulk = hole.stiffness[0] + hole.stiffness[1] + hole.stiffness[2];
    assert_true(bulk < 0.99 * kn / d);
    for (int k = 0; k < 4; k++) {
        const int by_stress = k / 2;
        const double way = k % 2 ? -1.0 : 1.0, one[SIX] = {way, way, way};
        const double by = k % 2 ? bulk : kn / d + 2.0 * p;
        tw_statics_rate rate;
        must_succeed(tw_statics_rates_solve(rates, by_stress, one, &rate, &error), &error);
        for (int i = 0; i < SIX; i++) {
            const double right = i < 3 ? way : 0.0;
            const double found = by_stress ? rate.strain[i] * by : rate.stress[i] / by;
            expect_at_most(fabs(found - right), 1e-8);
        }
    }
    tw_statics_rates_free(rates);
    tw_statics_free(statics);
    tw_sim_free(sim);
}

/* A row of small spheres that just fits between two of a lattice: pairs at zero gap are found
 * whatever the sizes of others are. */
static void pairs_at_zero_gap_are_found_among_small_grains(void **context)
{
    (void)context;
    enum { ROW = 7 };
    tw_error error;
    const double r = 1e-3, overlap = 1e-6, d = 2.0 * r - overlap;
    const double gap = 0.9e-5 * overlap, room = sqrt(2.0) * d - 2.0 * r;
    const double small = 0.5 * (room - (ROW + 1) * gap) / ROW;
    const tw_vec3 none = {0.0, 0.0, 0.0};
    const tw_contact_law law = packing_law();
    const tw_statics_def def = tw_statics_def_default();
    tw_sim *sim = lattice_simple_cubic(r, overlap, 3, &law);
    const tw_vec3 first = must_body(sim, 0).x, along = {sqrt(0.5), sqrt(0.5), 0.0};
    for (int k = 0; k < ROW; k++) {
        const double far = r + gap + small + k * (2.0 * small + gap);
        const tw_body_def body =
            scene_sphere(small, tw_vec3_add_scaled(first, far, along), none, none);
        scene_add(sim, &body);
    }
    tw_statics *statics = tw_statics_create(sim, &def, &error);
    tw_statics_rates *rates = tw_statics_rates_create(statics, &error);
    must_succeed(rates ? TW_STATUS_OK : error.status, &error);
    assert_int_equal(tw_statics_rates_problem(rates).zero_gap, ROW + 1);
    tw_statics_rates_free(rates);
    tw_statics_free(statics);
    tw_sim_free(sim);
}

static void an_error_that_nobody_wants_is_left_out(void **context)
{
    (void)context;
    tw_statics_survey survey;
    assert_int_equal(tw_statics_survey_read("/nowhere", &survey, NULL), TW_STATUS_FILE);
}

static void rates_are_the_limit_of_small_increments(void **context)
{
    (void)context;
    const tw_contact_law linear = packing_law(), hertz = support_hertz_like(linear, 1e-6);
    compare_with_increments(&linear);
    compare_with_increments(&hertz);
}

static void a_wall_is_called_a_wall(void **context)
{
    (void)context;
    char text[TW_STATICS_BODIES_TEXT];
    tw_contact_state contact = {.body_p = TW_NO_BODY - 1, .body_q = TW_NO_BODY - 2};
    tw_statics_print_bodies(&contact, text);
    assert_string_equal(text, "bodies 4294967294 and 4294967293");
    contact.body_q = TW_NO_BODY;
    tw_statics_print_bodies(&contact, text);
    assert_string_equal(text, "body 4294967294 and a wall");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_are_those_of_a_factorisation_for_each_set),
        cmocka_unit_test(pairs_close_as_in_a_search_over_all_sets),
        cmocka_unit_test(pairs_at_zero_gap_close_as_in_increments),
        cmocka_unit_test(a_pinched_rattler_carries_compression_alone),
        cmocka_unit_test(pairs_at_zero_gap_are_found_among_small_grains),
        cmocka_unit_test(rates_are_the_limit_of_small_increments),
        cmocka_unit_test(an_error_that_nobody_wants_is_left_out),
        cmocka_unit_test(a_wall_is_called_a_wall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
