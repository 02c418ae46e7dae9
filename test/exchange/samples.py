# SPDX-License-Identifier: BSD-3-Clause
"""Shared by the tests of written files. EXCHANGE_SAMPLE names the program that writes them."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest

SAMPLE = os.environ.get("EXCHANGE_SAMPLE", "exchange_sample")
SCENES = ("sheared", "gaps", "box")


class SampleTest(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        subprocess.run([SAMPLE, cls.folder], check=True, timeout=60)
        cls.truth = {}
        for scene in SCENES:
            with open(cls.path(scene + ".json"), encoding="utf-8") as file:
                cls.truth[scene] = json.load(file)

    @classmethod
    def path(cls, *names):
        return os.path.join(cls.folder, *names)

    def read(self, *names):
        with open(self.path(*names), encoding="utf-8") as file:
            return file.read()

    def assert_close(self, found, expected, delta, message=""):
        """Two numbers or two sequences of numbers."""
        if isinstance(expected, (int, float)):
            found, expected = [found], [expected]
        self.assertEqual(len(found), len(expected), message)
        for a, b in zip(found, expected):
            self.assertLessEqual(abs(a - b), delta, f"{message}: {found} {expected}")


def add(*vectors):
    return [sum(parts) for parts in zip(*vectors)]


def scaled(factor, vector):
    return [factor * x for x in vector]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def grain_stresses(truth):
    """The stress of each body, nine numbers, from its contacts: positive in compression."""
    centre, volume, sums = {}, {}, {}
    for s in truth["spheres"]:
        centre[s["body"]], volume[s["body"]] = s["centre"], s["volume"]
        sums[s["body"]] = [0.0] * 9
    for c in truth["contacts"]:
        image = centre.get(c["body_q"])
        if image:
            image = add(image, *(scaled(n, truth[e]) for n, e in zip(c["shift"], "abc")))
        for body, x, sign in ((c["body_p"], centre[c["body_p"]], -1.0), (c["body_q"], image, 1.0)):
            if body < 0:
                continue
            arm = add(c["point"], scaled(-1.0, x))
            sums[body] = [old + sign * a * f for old, (a, f) in
                          zip(sums[body], ((a, f) for a in arm for f in c["force"]))]
    return {body: scaled(1.0 / volume[body], sums[body]) for body in sums}


def velocity(sphere):
    """The velocity of the centre of a sphere, from the reference values of its body."""
    arm = add(sphere["x"], scaled(-1.0, sphere["centre"]))
    return add(sphere["v"], cross(sphere["w"], arm))
