/* SPDX-License-Identifier: BSD-3-Clause */
/* Quantities with and without units. */
#include "support.h"

#include <math.h>

#include "scenario/schema.h"

static void quantities_are_converted_to_si(void **state)
{
    (void)state;
    /* Equal to the literal in SI units: scaling must not add a rounding error. */
    static const struct {
        tw_unit unit;
        const char *text;
        double value;
    } cases[] = {
        {TW_UNIT_NONE, "0.25", 0.25},
        {TW_UNIT_NONE, "25 %", 0.25},
        {TW_UNIT_NONE, "25%", 0.25},
        {TW_UNIT_NONE, "-1.5e-3", -1.5e-3},
        {TW_UNIT_NONE, "+.5", 0.5},
        {TW_UNIT_NONE, "5.", 5.0},
        {TW_UNIT_LENGTH, "2", 2.0},
        {TW_UNIT_LENGTH, "2 m", 2.0},
        {TW_UNIT_LENGTH, "0.5 mm", 0.5e-3},
        {TW_UNIT_LENGTH, "0.5mm", 0.5e-3},
        {TW_UNIT_LENGTH, "75 um", 75e-6},
        {TW_UNIT_LENGTH, "75 \xc2\xb5m", 75e-6},
        {TW_UNIT_LENGTH, "75 \xce\xbcm", 75e-6},
        {TW_UNIT_LENGTH, "3 cm", 0.03},
        {TW_UNIT_STRESS, "100 kPa", 1e5},
        {TW_UNIT_STRESS, "1e2 kPa", 1e5},
        {TW_UNIT_STRESS, "2.5 MPa", 2.5e6},
        {TW_UNIT_STRESS, "70 GPa", 70e9},
        {TW_UNIT_STRESS, "7 Pa", 7.0},
        {TW_UNIT_TIME, "5 min", 300.0},
        {TW_UNIT_TIME, "2 h", 7200.0},
        {TW_UNIT_TIME, "20 ms", 0.02},
        {TW_UNIT_TIME, "20 us", 20e-6},
        {TW_UNIT_TIME, "3 s", 3.0},
        {TW_UNIT_RATE, "1e-3 /s", 1e-3},
        {TW_UNIT_RATE, "1e-3 1/s", 1e-3},
        {TW_UNIT_RATE, "1e-3 s^-1", 1e-3},
        {TW_UNIT_RATE, "2 %/s", 0.02},
        {TW_UNIT_RATE, "3 /min", 0.05},
        {TW_UNIT_RATE, "6 %/min", 1e-3},
        {TW_UNIT_STIFFNESS, "2 kN/m", 2e3},
        {TW_UNIT_STIFFNESS, "2 MN/m", 2e6},
        {TW_UNIT_STIFFNESS, "2 N/m", 2.0},
        {TW_UNIT_DENSITY, "2.65 g/cm^3", 2650.0},
        {TW_UNIT_DENSITY, "2.65 g/cm3", 2650.0},
        {TW_UNIT_DENSITY, "2650 kg/m^3", 2650.0},
        {TW_UNIT_DENSITY, "2650 kg/m3", 2650.0},
        {TW_UNIT_VISCOSITY, "3 N s/m", 3.0},
        {TW_UNIT_ANGLE, "0", 0.0},
        {TW_UNIT_ANGLE, "1.5 rad", 1.5},
        {TW_UNIT_ANGLE, "180 deg", 3.14159265358979323846},
        {TW_UNIT_ANGLE, "90\xc2\xb0", 3.14159265358979323846 / 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = nan("");
        char why[200] = "";
        if (!tw_unit_read(cases[i].unit, cases[i].text, &value, why, sizeof why))
            fail_msg("'%s' %s", cases[i].text, why);
        if (value != cases[i].value)
            fail_msg("'%s' is %.17g, not %.17g", cases[i].text, value, cases[i].value);
    }
}

static void invalid_quantities_are_refused_with_a_reason(void **state)
{
    (void)state;
    static const struct {
        tw_unit unit;
        const char *text, *why;
    } cases[] = {
        {TW_UNIT_NONE, "", "is not a number"},
        {TW_UNIT_NONE, "fast", "is not a number"},
        {TW_UNIT_NONE, ".", "is not a number"},
        {TW_UNIT_NONE, "inf", "is not a number"},
        {TW_UNIT_NONE, ".nan", "is not a number"},
        {TW_UNIT_NONE, "0x10", "has an unknown unit; expected a number without unit or in %"},
        {TW_UNIT_NONE, "1_000", "is not a number"},
        {TW_UNIT_NONE, "1e999", "is beyond the range of a double"},
        {TW_UNIT_NONE, "1e-999", "is beyond the range of a double"},
        {TW_UNIT_RATE, "1e-323 %/min", "is beyond the range of a double"},
        {TW_UNIT_NONE, "0,5", "is not a number (use a decimal point)"},
        {TW_UNIT_NONE, "5 kPa", "is a stress; expected a number without unit or in %"},
        {TW_UNIT_STRESS, "5 kpa", "has an unknown unit; write 'kPa'"},
        {TW_UNIT_STRESS, "5 KPA", "has an unknown unit; write 'kPa'"},
        {TW_UNIT_LENGTH, "5 MM", "has an unknown unit; write 'mm'"},
        {TW_UNIT_STRESS, "5 bar", "has an unknown unit; 1 bar is 100 kPa"},
        {TW_UNIT_STRESS, "5 psi", "has an unknown unit; 1 psi is 6.894757 kPa"},
        {TW_UNIT_STRESS, "5 atm", "has an unknown unit; 1 atm is 101.325 kPa"},
        {TW_UNIT_STRESS, "5 furlong", "has an unknown unit; expected a stress [Pa, kPa, MPa, GPa]"},
        {TW_UNIT_STRESS, "5 mm", "is a length; expected a stress [Pa, kPa, MPa, GPa]"},
        {TW_UNIT_STRESS, "1e308 GPa", "is beyond the range of a double"},
        {TW_UNIT_RATE, "5 s", "is a time; expected a rate [/s, %/s, /min, %/min]"},
        {TW_UNIT_ANGLE, "30", "has no unit; write '30 deg' or '30 rad'"},
        {TW_UNIT_ANGLE, "30 grad", "has an unknown unit; expected an angle [deg, rad]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = 7.0;
        char why[200] = "";
        assert_false(tw_unit_read(cases[i].unit, cases[i].text, &value, why, sizeof why));
        if (strcmp(why, cases[i].why) != 0)
            fail_msg("'%s': expected '%s', found '%s'", cases[i].text, cases[i].why, why);
        assert_true(value == 7.0);
    }
}

static void written_quantities_read_back_identically(void **state)
{
    (void)state;
    uint64_t bits = 88172645463325252u;
    for (int i = 0; i < 20000; i++) {
        bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;
        double value, again;
        char text[64], why[200];
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) continue;
        const tw_unit unit = (tw_unit)(i % TW_UNIT_COUNT);
        tw_unit_write(unit, value, text, sizeof text);
        if (!tw_unit_read(unit, text, &again, why, sizeof why)) fail_msg("'%s' %s", text, why);
        if (memcmp(&value, &again, sizeof value) != 0) fail_msg("%.17g became %.17g", value, again);
    }
    char text[64];
    tw_unit_write(TW_UNIT_STRESS, 0.1, text, sizeof text);
    assert_string_equal(text, "0.1"); /* no more digits than necessary */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantities_are_converted_to_si),
        cmocka_unit_test(invalid_quantities_are_refused_with_a_reason),
        cmocka_unit_test(written_quantities_read_back_identically),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
