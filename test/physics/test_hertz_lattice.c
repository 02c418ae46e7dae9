/* SPDX-License-Identifier: BSD-3-Clause */
/* Moduli of face-centred cubic lattices with Hertz contacts, in randomly rotated cells. */
#include "../must.h"
#include "lattice.h"

static const double radius = 1e-3;

/* Half the difference of the responses to a strain and to its opposite: without the quadratic term.
 */
static tw_mat3 respond_evenly(const lattice *def, const tw_mat3 *strain)
{
    const tw_mat3 opposite = tensor_add_scaled(tensor_zero(), -1.0, *strain);
    const tw_mat3 there = lattice_respond(def, strain), back = lattice_respond(def, &opposite);
    return tensor_add_scaled(tensor_add_scaled(tensor_zero(), 0.5, there), -0.5, back);
}

static lattice hertz_lattice(double kn, double kt, double share, uint64_t seed)
{
    support_random random = {seed};
    lattice def = {.radius = radius,
                   .overlap = share * radius,
                   .cells = 2,
                   .law = support_law(kn, kt, 2.0),
                   .dt = 1e-7};
    def.law.normal = TW_CONTACT_HERTZ;
    if (seed > 0) def.turn = tensor_random_turn(&random);
    return def;
}

static void hertz_moduli_agree_with_the_closed_form_in_any_cell(void **state)
{
    (void)state;
    static const double ratios[] = {1.0, 0.4, 1.3};
    for (uint64_t seed = 0; seed < 6; seed++) {
        const double share = 2e-6;
        lattice def = hertz_lattice(1e9, ratios[seed % 3] * 1e9, share, seed);
        if (seed % 2) {
            def.law.flags |= TW_CONTACT_BY_RADIUS;
            def.law.kn /= sqrt(0.5 * radius);
            def.law.kt /= sqrt(0.5 * radius);
        }
        def.primitive = seed > 3;
        def.cells = def.primitive ? 3 : 2;
        for (int k = 0; k < 6; k++) {
            const tw_mat3 strain = lattice_strain(k, 2e-4 * share);
            const tw_mat3 right = lattice_stress(&def, &strain);
            const tw_mat3 found = respond_evenly(&def, &strain);
            /* Prestress: a few overlap/R, 2e-6; rounding of positions: 1e-15 R of strains of 4e-10;
             * the tangential force follows the mean stiffness while the overlap grows, and that of
             * the end while it shrinks: 4e-4/8 of it. */
            expect_at_most(tensor_distance(found, right) / tensor_norm(right), 3e-5);
        }
    }
}

/* fn = sqrt2 R^2 p for each bond, and kn = (3/2) A^(2/3) fn^(1/3), kt = B/A^(1/3) fn^(1/3): Walton
 * (1987) for this lattice. */
static void hertz_moduli_grow_with_the_third_root_of_pressure(void **state)
{
    (void)state;
    const double a = 1e9, b = 0.7e9;
    double first = 0.0;
    for (int i = 0; i < 4; i++) {
        const double share = 2e-6 * pow(4.0, i);
        const lattice def = hertz_lattice(a, b, share, 5);
        tw_sim *sim = lattice_make(&def);
        const double p = must_measure(sim).p;
        tw_sim_free(sim);
        const tw_mat3 strain = lattice_strain(5, 2e-4 * share);
        const double modulus = -0.5 * respond_evenly(&def, &strain).m[1] / strain.m[1];
        const double k = (1.5 * a + b) / cbrt(a) * cbrt(sqrt(2.0) * radius * radius * p);
        /* As above; prestress: a few overlap/R. */
        expect_at_most(fabs(modulus / (0.5 * k / (sqrt(2.0) * radius)) - 1.0), 3e-5 + 4.0 * share);
        if (i == 0) first = p;
        expect_at_most(fabs(p / first / pow(4.0, 1.5 * i) - 1.0), 4.0 * share);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hertz_moduli_agree_with_the_closed_form_in_any_cell),
        cmocka_unit_test(hertz_moduli_grow_with_the_third_root_of_pressure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
