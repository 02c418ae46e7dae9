# SPDX-License-Identifier: BSD-3-Clause
"""twirl contact: Hertz-Mindlin springs, rolling and twisting resistance, damping; and their options."""

import math
import unittest

from cli import COLUMNS, GOOD, HEADER, LAW, TURNS, ContactTest, run, table

HERTZ = ("--normal", "hertz", "--kn", "4", "--kt", "3", "--mu", "0.5")
MICRO = ",work_micro"
ROLLING = ",frx,fry,frz,work_rolling,lost_rolling"
TWISTING = ",mt,work_twisting,lost_twisting"
COUPLE = ",couple_x,couple_y,couple_z"


def integral(function, start, end, count=20000):
    """Midpoint rule; the error is about 1e-10 for the functions here."""
    step = (end - start) / count
    return math.fsum(function(start + (i + 0.5) * step) for i in range(count)) * step


class Hertz(ContactTest):
    def advance_hertz(self, *rows):
        return self.advance(table(rows), law=HERTZ, more=MICRO)

    def test_constant_overlap_is_a_linear_spring(self):
        rows = self.advance_hertz({"zeta": 0.25}, {"zeta": 0.25, "dux": 0.1})
        self.assert_near(rows[1], fn=4 * 0.125, ftx=3 * 0.5 * 0.1, fz=-0.5, sliding=0,
                         work_normal=0.4 * 4 * 0.25**2.5, work_tangential=0.5 * 1.5 * 0.01,
                         work_reversible=0.5 * 1.5 * 0.01, work_dissipated=0.0, work_micro=0.0)

    def test_growing_overlap_adds_unstressed_area(self):
        low, high, push, more = 0.25, 1.0, 0.1, 0.05
        rows = self.advance_hertz({"zeta": low}, {"zeta": low, "dux": push},
                                  {"zeta": high, "dux": more})
        before = 1.5 * push
        # ft' = kt xi', at a uniform rate: ft = ft0 + dxi times the mean stiffness.
        stiffness = integral(lambda z: 3 * math.sqrt(z), low, high) / (high - low)
        self.assertAlmostEqual(rows[2]["ftx"], before + stiffness * more, delta=1e-9)
        self.assert_balanced(rows[2], before, (1.5, 3.0))
        # Micro-slip loses ft^2 kt'/(2 kt^2).
        def lost(z):
            ft = before + more / (high - low) * 2 * (z**1.5 - low**1.5)
            return ft**2 * 1.5 / math.sqrt(z) / (2 * 9 * z)
        self.assertAlmostEqual(rows[2]["work_micro"], integral(lost, low, high), delta=1e-9)

    def test_shrinking_overlap_takes_force_along_unless_rescale_is_off(self):
        path = table([{"zeta": 1.0}, {"zeta": 1.0, "dux": 0.1}, {"zeta": 0.36, "dux": 0.02}])
        rows = self.advance(path, law=HERTZ, more=MICRO)
        # ft = kt delta, delta' = xi'.
        self.assert_near(rows[2], ftx=3 * 0.6 * 0.12, sliding=0)
        self.assert_balanced(rows[2], 0.3, (3.0, 1.8))
        def lost(z):
            delta = 0.1 + 0.02 * (1 - z) / 0.64
            return delta**2 * 1.5 / math.sqrt(z) / 2
        self.assertAlmostEqual(rows[2]["work_micro"], integral(lost, 0.36, 1.0), delta=1e-9)
        off = self.advance(path, "--without", "rescale", law=HERTZ, more=MICRO)
        stiffness = integral(lambda z: 3 * math.sqrt(z), 0.36, 1.0) / 0.64
        self.assertAlmostEqual(off[2]["ftx"], 0.3 + stiffness * 0.02, delta=1e-9)

    def assert_balanced(self, row, before, stiffness):
        stored = row["ftx"]**2 / (2 * stiffness[1]) - before**2 / (2 * stiffness[0])
        self.assert_near(row, work_reversible=stored, work_dissipated=0.0,
                         work_tangential=stored + row["work_micro"])
        self.assertGreater(row["work_micro"], 0.0)

    def test_sliding_loses_all_work_that_is_not_stored(self):
        rows = self.advance_hertz({"zeta": 0.25}, {"zeta": 0.25, "dux": 1.0})
        limit, stiffness = 0.25, 1.5
        self.assert_near(rows[1], ftx=limit, sliding=1, alpha_s=limit / stiffness, work_micro=0.0,
                         work_reversible=0.5 * limit**2 / stiffness,
                         work_dissipated=limit * (1 - limit / stiffness))

    def test_elastic_constants_and_radii_give_the_stiffnesses(self):
        young, poisson, p, q = 1e3, 0.25, 0.6, 0.3
        rows = self.advance(table([{"zeta": 0.01}, {"zeta": 0.01, "dux": 1e-4}]),
                            "--radius-p", repr(p), "--radius-q", repr(q), more=MICRO,
                            law=("--young", "1e3", "--poisson", "0.25", "--mu", "0.5"))
        root = math.sqrt(p * q / (p + q) * 0.01)
        # 1/E* = 2 (1 - nu^2)/E; 1/G* = 2 (2 - nu)/G, G = E/(2 (1 + nu)).
        normal = young / (2 * (1 - poisson**2))
        shear = young / (4 * (2 - poisson) * (1 + poisson))
        self.assertAlmostEqual(rows[1]["fn"] / (4 / 3 * normal * root * 0.01), 1.0, delta=1e-14)
        self.assertAlmostEqual(rows[1]["ftx"] / (8 * shear * root * 1e-4), 1.0, delta=1e-14)
        # q is a plane without --radius-q: the reduced radius is that of p.
        plane, = self.advance(table([{"zeta": 0.01}]), "--radius-p=0.2", more=MICRO,
                              law=("--young", "1e3", "--poisson", "0.25", "--mu", "0.5"))
        self.assertAlmostEqual(plane["fn"] / rows[1]["fn"], 1.0, delta=1e-14)

    def test_a_modulus_and_the_radii_give_the_stiffnesses(self):
        p, q, law = 0.6, 0.3, ("--modulus", "1e3", "--kt-ratio", "0.2", "--mu", "0.5")
        rows = self.advance(table([{"zeta": 0.01}, {"zeta": 0.01, "dux": 1e-4}]),
                            "--radius-p", repr(p), "--radius-q", repr(q), law=law)
        kn = 2 * 1e3 * p * q / (p + q)
        self.assertAlmostEqual(rows[1]["fn"] / (kn * 0.01), 1.0, delta=1e-14)
        self.assertAlmostEqual(rows[1]["ftx"] / (0.2 * kn * 1e-4), 1.0, delta=1e-14)
        # at a plane 2 E R
        plane, = self.advance(table([{"zeta": 0.01}]), "--radius-p=0.2", law=law)
        self.assertAlmostEqual(plane["fn"] / (2 * 1e3 * 0.2 * 0.01), 1.0, delta=1e-14)


class Resistance(ContactTest):
    """Spheres of radius 0.4 and 0.1: the reduced radius is 0.08."""
    RADII = ("--radius-p", "0.4", "--radius-q", "0.1")

    def test_rolling_resists_up_to_its_limit(self):
        options = ("--rolling", "0.2", "--k-r", "5", *self.RADII)
        path = table([{"zeta": 1.0}, {"zeta": 1.0, "tqy": 0.1}, {"zeta": 1.0, "tqy": 0.4}],
                     COLUMNS + TURNS)
        rows = self.advance(path, *options, more=ROLLING + COUPLE)
        moved = 2 * 0.08 * math.tan(0.05)
        # q turns about y: the top of the contact moves along -x. The couple on q resists.
        self.assert_near(rows[1], frx=-5 * moved, fry=0.0, frz=0.0, work_rolling=2.5 * moved**2,
                         lost_rolling=0.0, couple_x=0.0, couple_y=0.08 * 5 * moved, couple_z=0.0)
        more = 2 * 0.08 * math.tan(0.2)
        stuck = 0.2 / 5 - moved
        self.assert_near(rows[2], frx=-0.2, couple_y=0.08 * 0.2,
                         work_rolling=0.5 * (5 * moved + 0.2) * stuck + 0.2 * (more - stuck),
                         lost_rolling=0.2 * (more - stuck))

    def test_levers_of_yade_are_the_product_and_the_smaller_radius(self):
        options = ("--rolling", "0.2", "--k-r", "5", "--levers", "yade", *self.RADII)
        path = table([{"zeta": 1.0}, {"zeta": 1.0, "tqy": 1e-3}, {"zeta": 1.0, "tqy": 2.0}], COLUMNS + TURNS)
        rows = self.advance(path, *options, more=ROLLING + COUPLE)
        self.assertAlmostEqual(rows[1]["couple_y"] / (5 * 0.4 * 0.1 * 2 * math.tan(5e-4)), 1.0, delta=1e-14)
        self.assertAlmostEqual(rows[2]["couple_y"] / (0.2 * 1.0 * 0.1), 1.0, delta=1e-14)

    def test_a_common_rotation_is_not_resisted(self):
        path = table([{"zeta": 1.0}, {"zeta": 1.0, "tpy": 0.3, "tqy": 0.3, "tpz": 0.2, "tqz": 0.2}],
                     COLUMNS + TURNS)
        rows = self.advance(path, "--rolling=1", "--twisting=1", *self.RADII,
                            more=ROLLING + TWISTING + COUPLE)
        self.assert_near(rows[1], frx=0.0, fry=0.0, frz=0.0, mt=0.0, couple_x=0.0, couple_y=0.0,
                         couple_z=0.0, work_rolling=0.0, work_twisting=0.0)

    def test_twisting_resists_up_to_its_limit(self):
        path = table([{"zeta": 1.0}, {"zeta": 1.0, "tqz": 0.1}, {"zeta": 1.0, "tqz": 1.0}],
                     COLUMNS + TURNS)
        rows = self.advance(path, "--twisting", "0.1", "--k-w", "5", *self.RADII,
                            more=TWISTING + COUPLE)
        moved = 2 * 0.08 * math.tan(0.05)
        self.assert_near(rows[1], mt=0.08 * 5 * moved, couple_z=0.08 * 5 * moved,
                         work_twisting=2.5 * moved**2, lost_twisting=0.0)
        more = 2 * 0.08 * math.tan(0.5)
        stuck = 0.1 / 5 - moved
        self.assert_near(rows[2], mt=0.08 * 0.1,
                         work_twisting=0.5 * (5 * moved + 0.1) * stuck + 0.1 * (more - stuck),
                         lost_twisting=0.1 * (more - stuck))

    def test_stiffnesses_are_the_tangential_one_by_default(self):
        path = table([{"zeta": 1.0}, {"zeta": 1.0, "tqy": 0.1, "tqz": 0.1}], COLUMNS + TURNS)
        short = run("contact", "--kn=1", "--kt=7", "--mu=0.5", "--rolling=1", "--twisting=1",
                    *self.RADII, text=path)
        full = run("contact", "--kn=1", "--kt=7", "--mu=0.5", "--rolling=1", "--twisting=1",
                   "--k-r=7", "--k-w=7", *self.RADII, text=path)
        self.assertEqual(short.returncode, 0, short.stderr)
        self.assertEqual(short.stdout, full.stdout)
        self.assertNotEqual(self.rows_of(full.stdout, ROLLING + TWISTING + COUPLE)[1]["mt"], 0.0)


class Damping(ContactTest):
    VISCOUS = ",work_viscous"

    def advance_damped(self, *options, rows):
        return self.advance(table(rows), *options, "--dt", "0.5", more=self.VISCOUS)

    def test_normal_and_tangential_damping_are_separate(self):
        path = [{"zeta": 1.0}, {"zeta": 1.1, "dux": 0.01, "duz": -0.1}]
        normal = self.advance_damped("--nu-n", "3", rows=path)
        tangential = self.advance_damped("--nu-t", "3", rows=path)
        both = self.advance_damped("--nu", "3", rows=path)
        # The rate is 0 before: 1.5 times the mean of the step, the extrapolation to its end.
        self.assert_near(normal[1], ftx=0.01, fx=0.01, fz=-1.1 - 1.5 * 3 * 0.1 / 0.5)
        self.assert_near(tangential[1], ftx=0.01, fx=0.01 + 1.5 * 3 * 0.01 / 0.5, fz=-1.1)
        self.assert_near(both[1], fx=tangential[1]["fx"], fz=normal[1]["fz"])
        self.assertGreater(both[1]["work_viscous"], 0.0)

    def test_damping_stays_within_the_friction_limit(self):
        rows = self.advance_damped("--nu-t", "3", rows=[{"zeta": 1.0}, {"zeta": 1.0, "dux": 0.3},
                                                        {"zeta": 1.0, "dux": 1.0}])
        self.assert_near(rows[1], ftx=0.3, fx=0.5, sliding=0)
        self.assert_near(rows[2], ftx=0.5, fx=0.5, sliding=1)

    def test_damping_pulls_unless_told_otherwise(self):
        path = [{"zeta": 1.0}, {"zeta": 0.1, "duz": 0.9}]
        pulled = self.advance_damped("--nu-n", "3", rows=path)
        free = self.advance_damped("--nu-n", "3", "--no-tension", rows=path)
        self.assert_near(pulled[1], fz=-0.1 + 1.5 * 3 * 0.9 / 0.5)
        self.assert_near(free[1], fz=0.0, fn=0.1)

    def test_restitution_is_a_damping_ratio(self):
        path = [{"zeta": 1.0}, {"zeta": 1.1, "duz": -0.1}]
        rows = self.advance_damped("--restitution", "0.5", "--mass", "2", rows=path)
        log = math.log(0.5)
        nu = 2 * -log / math.hypot(math.pi, log) * math.sqrt(2 * 1)
        self.assertAlmostEqual(rows[1]["fz"], -1.1 - 1.5 * nu * 0.1 / 0.5, delta=1e-14)


class Options(ContactTest):
    def test_combinations_that_make_no_sense(self):
        radius = ("--radius-p", "1")
        for options, needles in (
                ((*LAW, "--normal", "herz"), ("--normal: 'herz' is not a normal law", "'hertz'")),
                ((*LAW, "--young", "1e9"), ("--young takes the place of --kn and --kt",)),
                (("--young", "1e9", "--mu", "1"), ("--radius-p is missing",)),
                (("--young", "-1", "--mu", "1", *radius), ("young", "--young -1")),
                (("--young", "1", "--poisson", "0.6", "--mu", "1", *radius),
                 ("poisson", "--poisson 0.6")),
                (("--young=1", "--normal=linear", "--mu=1", *radius), ("--normal linear",)),
                (("--young=1", "--mu=1", "--rolling=1", "--k-r=1", *radius), ("--k-r", "--young")),
                ((*LAW, "--modulus", "1e9"), ("--modulus takes the place of --kn and --kt",)),
                (("--modulus", "1e9", "--mu", "1"), ("--radius-p is missing",)),
                (("--modulus=1", "--normal=hertz", "--mu=1", *radius), ("--modulus is for linear contacts",)),
                ((*LAW, "--kt-ratio", "0.3"), ("--kt-ratio requires --modulus",)),
                ((*LAW, "--levers", "pfc"), ("--levers", "reduced", "yade")),
                ((*LAW, "--poisson", "0.3"), ("--poisson requires --young",)),
                ((*LAW, "--k-r", "1", *radius), ("--rolling is missing",)),
                ((*LAW, "--nu-w", "1", *radius), ("--twisting is missing",)),
                ((*LAW, "--rolling", "1"), ("--radius-p is missing",)),
                ((*LAW, "--twisting", "1", "--radius-q", "2"), ("--radius-p is missing",)),
                ((*LAW, "--rolling", "-1", *radius), ("mu_r", "--rolling -1")),
                ((*LAW, "--restitution", "0.5", "--nu", "1"), ("--restitution takes the place",)),
                ((*LAW, "--restitution", "0"), ("--restitution must be above 0", "--restitution 0")),
                ((*LAW, "--restitution", "0.5", "--dt", "1"), ("--mass is missing",)),
                ((*LAW, "--nu", "1", "--nu-t", "1"), ("--nu sets both",)),
                ((*LAW, "--nu-t", "1"), ("--dt is missing",)),
                ((*HERTZ, "--law", "paper"), ("paper",)),
                ((*LAW, "--radius-p", "0"), ("--radius-p: '0' must be greater than 0",))):
            done = run("contact", *options, text=HEADER + GOOD)
            self.assert_refused(done, "twirl contact: ", *needles)
            self.assertEqual(done.stdout, "")

    def test_radii_and_mass_change_nothing_that_does_not_use_them(self):
        plain = run("contact", *LAW, text=HEADER + GOOD)
        full = run("contact", *LAW, "--radius-p=1", "--radius-q=2", "--mass=3", "--no-tension",
                   "--normal=linear", "--rolling=0", "--without", "rescale", text=HEADER + GOOD)
        self.assertEqual(full.returncode, 0, full.stderr)
        self.assertEqual(full.stdout, plain.stdout)


if __name__ == "__main__":
    unittest.main()
