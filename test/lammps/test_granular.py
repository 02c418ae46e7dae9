# SPDX-License-Identifier: BSD-3-Clause
"""LAMMPS' own pair_style granular and pair_style twirl converge to the same collision."""

import math
import unittest

import granular
from lmp import LammpsTest


class Granular(LammpsTest):
    def ends(self, case, name, counts):
        pair, duration = granular.styles(case)[name], granular.CASES[case][0]
        return [granular.collide(self.lammps, pair, duration, n) for n in counts]

    def test_the_conventional_law_is_that_of_granular(self):
        """Both add an increment and cut it back, so they agree at any step: but for the lever arms, to
        the ratio of overlap and radius, 1e-6."""
        for case in granular.CASES:
            with self.subTest(case=case):
                ours, theirs = (self.ends(case, name, [25])[0]
                                for name in ("pair_style twirl law conventional", "pair_style granular"))
                self.assertLess(granular.difference(ours, theirs), 1e-5)

    def test_hertz_mindlin_converges_to_the_same_limit(self):
        exact = self.ends("hertz", "pair_style twirl", [20, 160, 2560])
        stock = self.ends("hertz", "pair_style granular", [40, 320, 640])
        errors = [granular.difference(end, exact[2]) for end in exact[:2]]
        self.assertGreater(math.log(errors[0] / errors[1], 8.0), 1.6)  # 1.8: second order, and some slides
        errors = [granular.difference(end, exact[2]) for end in stock]
        self.assertLess(math.log(errors[0] / errors[1], 8.0), 1.1)  # 0.93: first order
        # The first-order part is eliminated; what remains is 3 % of it.
        limit = [2.0 * b - a for a, b in zip(stock[1], stock[2])]
        self.assertLess(granular.difference(limit, exact[2]), 0.05 * errors[2])


if __name__ == "__main__":
    unittest.main()
