/* SPDX-License-Identifier: BSD-3-Clause */
/* The equations of a control: solved if possible, refused otherwise. */
#include "check.h"

#include "control/equations.h"

static tw_stiffness_response random_answer(tw_random *random)
{
    tw_stiffness_response response;
    double a[TW_COMPONENTS][TW_COMPONENTS];
    for (int i = 0; i < TW_COMPONENTS; i++) {
        for (int j = 0; j < TW_COMPONENTS; j++)
            a[i][j] = check_between(random, -1e8, 1e8);
    }
    for (int i = 0; i < TW_COMPONENTS; i++) {
        for (int j = 0; j < TW_COMPONENTS; j++) {
            double sum = 0.0; /* a a^T: positive, like any stiffness */
            for (int k = 0; k < TW_COMPONENTS; k++)
                sum += a[i][k] * a[j][k] * 1e-8;
            response.elastic[i][j] = sum;
            response.viscous[i][j] = 0.3e-6 * sum;
        }
    }
    return response;
}

/* The solution satisfies all rows: rates directly, stresses by the response. */
static void solutions_satisfy_their_rows(void **state)
{
    (void)state;
    tw_random random = tw_random_seed(1);
    const double dt = 1e-6;
    int solved = 0;
    for (int again = 0; again < 200; again++) {
        const tw_stiffness_response response = random_answer(&random);
        tw_control control = tw_control_default();
        tw_equations rows;
        double wanted[TW_COMPONENTS];
        for (int k = 0; k < TW_COMPONENTS; k++) {
            control.row[k].mode = tw_random_next(&random) % 2 ? TW_CONTROL_STRESS : TW_CONTROL_RATE;
            const uint64_t other = tw_random_next(&random) % TW_COMPONENTS;
            control.row[k].weight[other] += check_between(&random, -0.9, 0.9);
        }
        tw_equations_fill(&rows, &control, &response, 0.0, dt);
        for (int k = 0; k < TW_COMPONENTS; k++) {
            wanted[k] = check_between(&random, -1.0, 1.0);
            rows.right[k][TW_EQUATIONS_RATE] = rows.scale[k] * wanted[k];
        }
        if (!tw_equations_solve(&rows)) continue;
        solved++;
        for (int k = 0; k < TW_COMPONENTS; k++) {
            const tw_control_row *row = &control.row[k];
            double sum = 0.0, size = fabs(wanted[k]);
            for (int i = 0; i < TW_COMPONENTS; i++) {
                double part = rows.right[i][TW_EQUATIONS_RATE];
                if (row->mode == TW_CONTROL_STRESS) {
                    part = 0.0;
                    for (int j = 0; j < TW_COMPONENTS; j++)
                        part += (dt * response.elastic[i][j] + response.viscous[i][j]) *
                                rows.right[j][TW_EQUATIONS_RATE];
                }
                sum += row->weight[i] * part;
                size += fabs(row->weight[i] * part);
            }
            check_at_most(fabs(sum - wanted[k]), 1e-9 * size); /* condition times rounding */
        }
    }
    assert_true(solved > 190);
}

/* Prescribed rates are returned bitwise: no stiffness affects them. */
static void prescribed_rates_are_exact(void **state)
{
    (void)state;
    tw_random random = tw_random_seed(2);
    const tw_stiffness_response response = random_answer(&random);
    const tw_control control = tw_control_default();
    tw_equations rows;
    double wanted[TW_COMPONENTS];
    tw_equations_fill(&rows, &control, &response, 0.0, 1e-6);
    for (int k = 0; k < TW_COMPONENTS; k++)
        rows.right[k][TW_EQUATIONS_RATE] = wanted[k] = check_between(&random, -1.0, 1.0);
    assert_true(tw_equations_solve(&rows));
    for (int k = 0; k < TW_COMPONENTS; k++)
        assert_true(rows.right[k][TW_EQUATIONS_RATE] == wanted[k]);
}

/* Rows with very small or very large weights are valid. */
static void the_size_of_weights_does_not_matter(void **state)
{
    (void)state;
    tw_error error;
    for (int power = -30; power <= 30; power += 10) {
        tw_control control = tw_control_default();
        for (int k = 0; k < TW_COMPONENTS; k++)
            control.row[k].weight[k] = pow(10.0, k % 2 ? power : -power);
        assert_int_equal(tw_equations_check(&control, &error), TW_STATUS_OK);
        control.row[1].weight[0] = control.row[1].weight[1];
        control.row[1].weight[1] = 0.0;
        assert_int_equal(tw_equations_check(&control, &error), TW_STATUS_INPUT);
    }
}

static void a_volume_row_is_recognised_by_its_weights(void **state)
{
    (void)state;
    tw_control_row row = {TW_CONTROL_RATE, {2.0, 2.0, 2.0}, 0.0, 0.0};
    assert_true(tw_equations_is_volume(&row));
    row.mode = TW_CONTROL_STRESS;
    assert_false(tw_equations_is_volume(&row));
    row.mode = TW_CONTROL_RATE;
    row.weight[TW_XY] = 0.1;
    assert_false(tw_equations_is_volume(&row));
    row.weight[TW_XY] = 0.0;
    row.weight[TW_ZZ] = 1.0;
    assert_false(tw_equations_is_volume(&row));
}

static void a_component_out_of_range_is_refused(void **state)
{
    (void)state;
    static const int components[] = {-1, TW_COMPONENTS, 9, 1000000};
    for (size_t k = 0; k < sizeof components / sizeof *components; k++) {
        tw_error error;
        tw_control control = tw_control_default();
        control.row[TW_XX] = tw_control_stress(components[k], 1e5);
        assert_int_equal(tw_equations_check(&control, &error), TW_STATUS_INPUT);
        assert_non_null(strstr(error.text, "row 0"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_component_out_of_range_is_refused),
        cmocka_unit_test(solutions_satisfy_their_rows),
        cmocka_unit_test(prescribed_rates_are_exact),
        cmocka_unit_test(the_size_of_weights_does_not_matter),
        cmocka_unit_test(a_volume_row_is_recognised_by_its_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
