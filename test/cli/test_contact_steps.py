# SPDX-License-Identifier: BSD-3-Clause
"""twirl contact: steps against closed-form solutions."""

import math
import unittest

from cli import COLUMNS, LAW, TURNS, ContactTest, run, table


class Steps(ContactTest):
    def test_starting_state_ignores_movement(self):
        rows = self.advance(table([{"zeta": 0.3, "dux": 5.0, "duy": 1.0, "duz": -2.0, "tpz": 1.0}],
                                  COLUMNS + TURNS), law=("--kn", "7", "--kt", "3", "--mu", "0.5"))
        self.assertEqual(len(rows), 1)
        self.assert_near(rows[0], fn=2.1, work_normal=0.5 * 7 * 0.09, fz=-2.1)
        for name in ("ftx", "fty", "ftz", "fx", "fy", "sliding", "alpha_o", "work_tangential",
                     "work_reversible", "work_dissipated"):
            self.assertEqual(rows[0][name], 0.0, name)
        self.assertEqual(rows[0]["alpha_s"], 1.0)

    def test_starting_state_is_the_same_for_every_law_and_without_friction(self):
        text = table([{"zeta": 0.3, "dux": 5.0}])
        for law in ("exact", "paper", "conventional"):
            for mu in ("0", "0.5"):
                row, = self.advance(text, "--law", law, law=("--kn=1", "--kt=1", "--mu", mu))
                self.assertEqual((row["fn"], row["fz"], row["sliding"], row["alpha_s"]),
                                 (0.3, -0.3, 0.0, 1.0))

    def test_starting_gap_carries_nothing(self):
        row, = self.advance(table([{"zeta": -0.3}]))
        self.assertEqual(row, {**dict.fromkeys(row, 0.0), "alpha_s": 1.0})

    def test_zero_is_not_written_with_a_sign(self):
        done = run("contact", *LAW, text=table([{"zeta": 1.0},
                                                {"zeta": 1.0, "dux": -1.0, "duy": -0.0}]))
        self.assertEqual(done.returncode, 0)
        self.assertNotIn("-0,", done.stdout)

    def test_elastic_step(self):
        rows = self.advance(table([{"zeta": 1.0}, {"zeta": 1.5, "dux": 0.1, "duy": -0.2}]),
                            law=("--kn", "2", "--kt", "3", "--mu", "0.5"))
        # ft = kt dxi; |ft| = 0.67 is below mu fn = 1.5. Work kt |dxi|^2/2, all of it stored.
        self.assert_near(rows[1], fn=3.0, ftx=0.3, fty=-0.6, ftz=0.0, fx=0.3, fy=-0.6, fz=-3.0,
                         sliding=0, alpha_o=0, alpha_s=1, work_normal=0.5 * 2 * 1.5**2,
                         work_tangential=0.075, work_reversible=0.075, work_dissipated=0.0)

    def test_movement_along_the_normal_gives_no_tangential_force(self):
        rows = self.advance(table([{"zeta": 1.0}, {"zeta": 1.0, "duz": 0.3}]))
        self.assert_near(rows[1], ftx=0.0, fty=0.0, ftz=0.0, work_tangential=0.0)

    def test_sliding_step(self):
        rows = self.advance(table([{"zeta": 1.0}, {"zeta": 1.0, "dux": 3.0, "duy": 4.0}]))
        # The limit 0.5 is reached after 0.5 of the 5 moved.
        self.assert_near(rows[1], ftx=0.3, fty=0.4, sliding=1, alpha_s=0.1,
                         work_tangential=0.5 * 0.5**2 + 0.5 * 4.5, work_reversible=0.125,
                         work_dissipated=0.5 * 4.5)

    def test_turning_step_from_minus_90_degrees(self):
        for q in (1e-3, 0.3, 1.0, 4.0):
            rows = self.advance(table([{"zeta": 1.0}, {"zeta": 1.0, "duy": -0.5},
                                       {"zeta": 1.0, "dux": 0.5 * q}]))
            self.assertEqual((rows[1]["ftx"], rows[1]["fty"]), (0.0, -0.5))
            # tan(theta/2) = tan(-45 deg) exp(-q); W = (mu fn)^2/kt ln cosh(q).
            theta = 2.0 * math.atan(-math.exp(-q))
            work = 0.25 * math.log(math.cosh(q))
            self.assert_near(rows[2], ftx=0.5 * math.cos(theta), fty=0.5 * math.sin(theta),
                             sliding=1, alpha_s=0, work_reversible=0.0)
            self.assertAlmostEqual(rows[2]["work_tangential"], work, delta=1e-10)
            self.assertAlmostEqual(rows[2]["work_dissipated"], work, delta=1e-10)

    def test_conventional_law_scales_back(self):
        rows = self.advance(table([{"zeta": 1.0}, {"zeta": 1.0, "duy": -0.5},
                                   {"zeta": 1.0, "dux": 0.35}]), "--law", "conventional")
        theta = math.atan2(-0.5, 0.35)
        self.assert_near(rows[2], ftx=0.5 * math.cos(theta), fty=0.5 * math.sin(theta))

    def test_new_contact_counts_movement_after_touching(self):
        path = table([{"zeta": -1.0}, {"zeta": 3.0, "dux": 0.4}])
        self.assert_near(self.advance(path)[1], alpha_o=0.25, ftx=0.3, sliding=0)
        self.assert_near(self.advance(path, "--without", "fresh")[1], alpha_o=0.0, ftx=0.4)

    def test_opening_contact_carries_nothing(self):
        rows = self.advance(table([{"zeta": 1.0}, {"zeta": 1.0, "dux": 0.2}, {"zeta": -1.0}]))
        self.assert_near(rows[1], ftx=0.2)
        self.assert_near(rows[2], fn=0.0, ftx=0.0, fx=0.0, fz=0.0, work_normal=0.0, sliding=0)

    def test_twirl_rotates_the_force(self):
        path = table([{"zeta": 1.0}, {"zeta": 1.0, "dux": 0.2}, {"zeta": 1.0, "tpz": 0.3, "tqz": 0.5}],
                     COLUMNS + TURNS)
        # The mean of the two twists.
        self.assert_near(self.advance(path)[2], ftx=0.2 * math.cos(0.4), fty=0.2 * math.sin(0.4))
        self.assert_near(self.advance(path, "--without=twirl")[2], ftx=0.2, fty=0.0)

    def test_tilt_carries_the_force_into_the_new_plane(self):
        angle = 0.3
        path = table([{"zeta": 1.0}, {"zeta": 1.0, "dux": 0.2},
                      {"zeta": 1.0, "nx": math.sin(angle), "nz": math.cos(angle)}])
        self.assert_near(self.advance(path)[2], ftx=0.2 * math.cos(angle),
                         ftz=-0.2 * math.sin(angle))
        self.assert_near(self.advance(path, "--without", "twirl,tilt")[2], ftx=0.2, ftz=0.0)

    def test_normal_within_tolerance_is_normalised(self):
        exact = self.advance(table([{"zeta": 1.0}, {"zeta": 1.0, "dux": 0.2}]))
        nearly = self.advance(table([{"zeta": 1.0, "nz": 1 + 9e-7},
                                     {"zeta": 1.0, "nz": 1 - 9e-7, "dux": 0.2}]))
        self.assertEqual(nearly, exact)


if __name__ == "__main__":
    unittest.main()
