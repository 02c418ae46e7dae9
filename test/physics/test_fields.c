/* SPDX-License-Identifier: BSD-3-Clause */
/* Local fields by coarse graining: closed forms of lattices and planted motions, brute force sums
 * over images, and totals of the state. */
#include <stdlib.h>
#include <string.h>

#include "../must.h"
#include "base/mat3.h"
#include "lattice.h"
#include "packing.h"
#include "tensor.h"

static tw_sim *empty_cell(const tw_mat3 *cell)
{
    tw_sim_def def = tw_sim_def_default();
    def.cell = *cell;
    def.density = 1000.0;
    def.law = support_law(1e3, 1e3, 0.5);
    def.threads = 1;
    return scene_create(&def);
}

static void add_point(tw_sim *sim, double size, tw_vec3 x)
{
    const tw_vec3 zero = {0.0, 0.0, 0.0};
    const tw_body_def body = scene_sphere(size, x, zero, zero);
    scene_add(sim, &body);
}

static tw_sim_field *fields_of(const tw_sim *sim, const tw_sim *since,
                               const tw_sim_field_grid *grid)
{
    tw_error error;
    const size_t count = grid->count[0] * grid->count[1] * grid->count[2];
    tw_sim_field *out = malloc(count * sizeof *out);
    assert_non_null(out);
    must_succeed(tw_sim_get_fields(sim, since, NULL, 0, grid, out, count, &error), &error);
    return out;
}

static const tw_mat3 skew = {{1.0, 0.2, 0.0, 0.0, 1.5, 0.1, 0.0, 0.0, 0.8}};
enum { POINTS = 10000 };

/* Points at `motion(x)`, brought back into the cell, which is `cell`. */
static tw_sim *cloud(const tw_mat3 *cell, tw_vec3 (*motion)(tw_vec3))
{
    support_random random = {7};
    tw_sim *sim = empty_cell(cell);
    const tw_mat3 inverse = tw_mat3_inverse(*cell);
    for (int i = 0; i < POINTS; i++) {
        const double a = support_uniform(&random, 0.0, 1.0);
        const double b = support_uniform(&random, 0.0, 1.0);
        const double c = support_uniform(&random, 0.0, 1.0);
        const tw_vec3 to = motion(tw_mat3_mul_vec(skew, tw_vec3_make(a, b, c)));
        const tw_vec3 s = tw_mat3_mul_vec(inverse, to);
        const tw_vec3 in = {s.x - floor(s.x), s.y - floor(s.y), s.z - floor(s.z)};
        add_point(sim, 0.001, tw_mat3_mul_vec(*cell, in));
    }
    return sim;
}

static tw_vec3 stay(tw_vec3 x)
{
    return x;
}

static const tw_mat3 affine = {{1.01, 0.02, 0.0, -0.005, 0.98, 0.01, 0.003, 0.0, 1.02}};

/* Some points leave the cell. */
static tw_vec3 deform(tw_vec3 x)
{
    return tw_vec3_add(tw_mat3_mul_vec(affine, x), tw_vec3_make(0.03, -0.1, 0.05));
}

static double away(const tw_mat3 *a, const tw_mat3 *b)
{
    return tw_mat3_max_abs(tw_mat3_sub(*a, *b));
}

static void an_affine_motion_has_uniform_strain_and_rotation(void **state)
{
    (void)state;
    const tw_mat3 cell = tw_mat3_mul(affine, skew);
    tw_sim *then = cloud(&skew, stay), *now = cloud(&cell, deform);
    const tw_sim_field_grid grid = {{3, 2, 4}, {0.1, 0.25, 0.125}, 0.35};
    tw_sim_field *out = fields_of(now, then, &grid);
    const tw_mat3 g = tw_mat3_sub(affine, tw_mat3_identity());
    const tw_mat3 strain = tw_mat3_scale(-0.5, tw_mat3_add(g, tw_mat3_transpose(g)));
    const tw_vec3 turn =
        tw_vec3_make(0.5 * (g.m[7] - g.m[5]), 0.5 * (g.m[2] - g.m[6]), 0.5 * (g.m[3] - g.m[1]));
    double worst = 0.0;
    for (size_t i = 0; i < 24; i++) {
        worst = support_most(worst, away(&out[i].strain, &strain));
        worst = support_most(worst, tw_vec3_norm(tw_vec3_sub(out[i].rotation, turn)));
        assert_true(isnan(out[i].stress.m[0])); /* no contacts are known before preparation */
    }
    assert_true(worst < 1e-12); /* rounding of sums of some hundred terms */
    free(out);
    tw_sim_free(now);
    tw_sim_free(then);
}

static void remove_every(tw_sim *sim, uint32_t step)
{
    uint32_t ids[POINTS];
    size_t count = 0;
    tw_error error;
    for (uint32_t id = 0; id < POINTS; id += step)
        ids[count++] = id;
    must_succeed(tw_sim_remove_bodies(sim, ids, count, &error), &error);
}

/* Of those that have left and those that have come nothing is known: strains are those of the
 * others, which move as they did. */
static void strains_are_those_of_bodies_that_both_states_have(void **state)
{
    (void)state;
    const tw_mat3 cell = tw_mat3_mul(affine, skew), g = tw_mat3_sub(affine, tw_mat3_identity());
    const tw_mat3 strain = tw_mat3_scale(-0.5, tw_mat3_add(g, tw_mat3_transpose(g)));
    tw_sim *then = cloud(&skew, stay), *now = cloud(&cell, deform);
    remove_every(then, 3);
    remove_every(now, 5);
    assert_int_not_equal(tw_sim_body_count(then), tw_sim_body_count(now));
    support_random random = {9};
    for (int i = 0; i < 500; i++) {
        const double a = support_uniform(&random, 0.0, 1.0), b = support_uniform(&random, 0.0, 1.0);
        add_point(now, 0.002, tw_mat3_mul_vec(cell, tw_vec3_make(a, b, 0.5)));
    }
    const tw_sim_field_grid grid = {{3, 2, 4}, {0.1, 0.25, 0.125}, 0.35};
    tw_sim_field *out = fields_of(now, then, &grid);
    double worst = 0.0;
    for (size_t i = 0; i < 24; i++)
        worst = support_most(worst, away(&out[i].strain, &strain));
    assert_true(worst < 1e-12);
    free(out);
    tw_sim_free(now);
    tw_sim_free(then);
}

static const double band_low = 0.3, band_high = 0.5, band_shear = 0.2;

/* Simple shear in a band across z, rigid blocks above and below. */
static tw_vec3 slip(tw_vec3 x)
{
    const double height = tw_math_min(tw_math_max(x.z - band_low, 0.0), band_high - band_low);
    return tw_vec3_add(x, tw_vec3_make(band_shear * height, 0.0, 0.0));
}

static void a_shear_band_is_where_it_was_planted(void **state)
{
    (void)state;
    /* z of the band and of the grid do not depend on x and y in this cell */
    tw_sim *then = cloud(&skew, stay), *now = cloud(&skew, slip);
    const tw_sim_field_grid grid = {{2, 2, 4}, {0.2, 0.2, 0.0}, 0.09};
    tw_sim_field *out = fields_of(now, then, &grid);
    double worst = 0.0;
    for (size_t i = 0; i < 16; i++) {
        const size_t k = i / 4; /* z = 0, 0.2, 0.4, 0.6 */
        if (k == 0) continue;   /* across the face the blocks slip past each other */
        const double shear = k == 2 ? band_shear : 0.0;
        assert_true(out[i].grains > 4.0);
        const tw_mat3 strain = {{0.0, 0.0, -0.5 * shear, 0.0, 0.0, 0.0, -0.5 * shear, 0.0, 0.0}};
        worst = support_most(worst, away(&out[i].strain, &strain));
        worst = support_most(worst, fabs(out[i].rotation.y - 0.5 * shear));
    }
    assert_true(worst < 1e-11); /* few grains in a window: a worse condition than above */
    free(out);
    tw_sim_free(now);
    tw_sim_free(then);
}

enum { SIDE = 6 };

static tw_sim *cubic(double edge, double size)
{
    const double length = SIDE * edge;
    const tw_mat3 cell = {{length, 0.0, 0.0, 0.0, length, 0.0, 0.0, 0.0, length}};
    tw_sim *sim = empty_cell(&cell);
    for (int i = 0; i < SIDE * SIDE * SIDE; i++)
        add_point(
            sim, size,
            tw_vec3_make(edge * (i % SIDE), edge * (i / SIDE % SIDE), edge * (i / SIDE / SIDE)));
    return sim;
}

/* The weight has the Fourier transform 105 j3(k)/k^3, k = 2 pi w/a g: less than 105/k^4, and a sum
 * over the lattice is 1 + the sum of these over reciprocal vectors g, of which the mean over a grid
 * of a/4 leaves multiples of 4: six of length 4, twelve of 4 sqrt2 ... */
static void a_lattice_has_its_porosity(void **state)
{
    (void)state;
    const double a = 2e-3, size = 0.45 * a, w = 2.0 * a;
    tw_sim *sim = cubic(a, size);
    const double solid = 4.0 / 3.0 * TW_MATH_PI * 0.45 * 0.45 * 0.45;
    const tw_sim_field_grid grid = {{4 * SIDE, 4 * SIDE, 4 * SIDE}, {0.01, 0.0, 0.02}, w};
    const size_t count = 64 * SIDE * SIDE * SIDE;
    tw_sim_field *out = fields_of(sim, NULL, &grid);
    double sum = 0.0, least = 1.0, most = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += out[i].porosity / (double)count;
        least = tw_math_min(least, out[i].porosity);
        most = support_most(most, out[i].porosity);
        assert_true(isnan(out[i].strain.m[0]));
    }
    const double k = 2.0 * TW_MATH_PI * 2.0, k4 = 4.0 * k;
    assert_true(fabs(sum - (1.0 - solid)) < 2.0 * 6.0 * 105.0 / (k4 * k4 * k4 * k4) * solid);
    assert_true(most - least < 2.0 * 2.0 * 6.0 * 105.0 / (k * k * k * k) * solid);
    assert_true(fabs(tw_sim_mean_diameter(sim) - 2.0 * size) < 1e-15);
    free(out);
    tw_sim_free(sim);
}

/* Weight at the square of a distance. */
static double weight_of(double r2, double w)
{
    const double rest = 1.0 - r2 / (w * w);
    return rest > 0.0 ? 105.0 / (32.0 * TW_MATH_PI * w * w * w) * rest * rest : 0.0;
}

/* Sum over 27 images, and along a line from x over `branch` by the midpoint rule. */
static double mean_weight(const tw_mat3 *cell, tw_vec3 at, tw_vec3 x, tw_vec3 branch, int parts,
                          double w)
{
    double sum = 0.0;
    for (int image = 0; image < 27; image++) {
        const tw_vec3 s = {image % 3 - 1, image / 3 % 3 - 1, image / 9 - 1};
        const tw_vec3 from = tw_vec3_sub(tw_vec3_add(x, tw_mat3_mul_vec(*cell, s)), at);
        for (int i = 0; i < parts; i++) {
            const tw_vec3 d = tw_vec3_add_scaled(from, (i + 0.5) / parts, branch);
            sum += weight_of(tw_vec3_dot(d, d), w) / parts;
        }
    }
    return sum;
}

static void a_packing_has_the_sums_by_brute_force(void **state)
{
    (void)state;
    const packing_def def = packing_def_default();
    tw_sim *sim = packing_make(&def);
    const tw_measure m = must_measure(sim);
    const tw_mat3 cell = tw_sim_cell(sim);
    const double w = 0.45 * tw_math_cbrt(m.volume);
    const tw_sim_field_grid grid = {{2, 3, 1}, {0.2, 0.1, 0.7}, w};
    tw_sim_field *out = fields_of(sim, NULL, &grid);
    size_t count;
    tw_error error;
    must_succeed(tw_sim_contact_count(sim, &count, &error), &error);
    tw_contact_state *contacts = malloc((count + 1) * sizeof *contacts);
    assert_non_null(contacts);
    must_succeed(tw_sim_get_contacts(sim, contacts, count, &error), &error);
    const double density = tw_sim_get_definition(sim).density;
    for (size_t i = 0; i < 6; i++) {
        const tw_vec3 at = tw_mat3_mul_vec(
            cell, tw_vec3_make(0.2 + (double)(i % 2) / 2.0, 0.1 + (double)(i / 2) / 3.0, 0.7));
        const tw_vec3 none = {0.0, 0.0, 0.0};
        double solid = 0.0;
        for (uint32_t id = 0; id < tw_sim_body_count(sim); id++) {
            const tw_body_state body = must_body(sim, id);
            solid += body.mass / density * mean_weight(&cell, at, body.x, none, 1, w);
        }
        assert_true(fabs(out[i].porosity - (1.0 - solid)) < 1e-12);
        tw_mat3 stress = tw_mat3_zero();
        for (size_t k = 0; k < count; k++) {
            const tw_contact_state *c = &contacts[k];
            const tw_body_state body = must_body(sim, c->body_p);
            const double weight = mean_weight(&cell, at, body.x, c->branch, 200, w);
            stress = tw_mat3_add_scaled(stress, -weight, tw_mat3_outer(c->branch, c->force));
        }
        /* midpoint rule: 1/24 of the second derivative times the square of a part, w/200 */
        assert_true(away(&out[i].stress, &stress) < 1e-4 * m.p);
    }
    free(contacts);
    free(out);
    tw_sim_free(sim);
}

static void a_compressed_lattice_has_its_stress(void **state)
{
    (void)state;
    const lattice def = {
        .radius = 1e-3, .overlap = 1e-6, .cells = 3, .law = support_law(1e5, 0.5e5, 0.5)};
    tw_sim *sim = lattice_make(&def);
    const tw_measure m = must_measure(sim);
    const double edge = lattice_edge(&def);
    const tw_sim_field_grid grid = {{12, 12, 12}, {0.0, 0.01, 0.02}, 1.5 * edge};
    tw_sim_field *out = fields_of(sim, NULL, &grid);
    tw_mat3 mean = tw_mat3_zero();
    double worst = 0.0;
    for (size_t i = 0; i < 12 * 12 * 12; i++) {
        mean = tw_mat3_add_scaled(mean, 1.0 / (12.0 * 12.0 * 12.0), out[i].stress);
        worst = support_most(worst, away(&out[i].stress, &m.stress));
    }
    /* Reciprocal vectors of the faces are (1, 1, 1) and longer, those that the grid leaves (4, 0,
     * 0) and longer: see above. */
    const double k = 2.0 * TW_MATH_PI * 1.5 * sqrt(3.0), k4 = 2.0 * TW_MATH_PI * 1.5 * 4.0;
    assert_true(m.p > 0.0);
    assert_true(away(&mean, &m.stress) < 2.0 * 6.0 * 105.0 / (k4 * k4 * k4 * k4) * m.p);
    assert_true(worst < 2.0 * 8.0 * 105.0 / (k * k * k * k) * m.p);
    free(out);
    tw_sim_free(sim);
}

static void what_cannot_be_computed_is_refused(void **state)
{
    (void)state;
    tw_sim *sim = cubic(2e-3, 0.9e-3), *other = cloud(&skew, stay);
    const double w[] = {0.0, -1.0, (double)NAN, 0.02};
    tw_sim_field out[1];
    tw_error error;
    for (int i = 0; i < 4; i++) {
        const tw_sim_field_grid grid = {{1, 1, 1}, {0.5, 0.5, 0.5}, w[i]};
        assert_int_equal(tw_sim_get_fields(sim, NULL, NULL, 0, &grid, out, 1, &error),
                         TW_STATUS_INPUT);
        assert_non_null(strstr(error.text, "window"));
    }
    const tw_sim_field_grid none = {{1, 0, 1}, {0.5, 0.5, 0.5}, 4e-3};
    assert_int_equal(tw_sim_get_fields(sim, NULL, NULL, 0, &none, out, 1, &error), TW_STATUS_INPUT);
    assert_non_null(strstr(error.text, "count"));
    const tw_sim_field_grid one = {{1, 1, 1}, {0.5, 0.5, 0.5}, 4e-3};
    tw_mat3 sheared = skew;
    sheared.m[1] += 1.0;
    tw_sim *far = cloud(&sheared, stay);
    assert_int_equal(tw_sim_get_fields(far, other, NULL, 0, &one, out, 1, &error), TW_STATUS_INPUT);
    assert_non_null(strstr(error.text, "edges"));
    tw_sim_free(far);
    tw_sim_free(other);
    tw_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_affine_motion_has_uniform_strain_and_rotation),
        cmocka_unit_test(strains_are_those_of_bodies_that_both_states_have),
        cmocka_unit_test(a_shear_band_is_where_it_was_planted),
        cmocka_unit_test(a_lattice_has_its_porosity),
        cmocka_unit_test(a_packing_has_the_sums_by_brute_force),
        cmocka_unit_test(a_compressed_lattice_has_its_stress),
        cmocka_unit_test(what_cannot_be_computed_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
