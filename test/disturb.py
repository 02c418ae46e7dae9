# SPDX-License-Identifier: BSD-3-Clause
"""Other roundings of another program: a test must not depend on those of one machine (CONTRIBUTING.md).

With TWIRL_TEST_DISTURB=1e-15 in the environment, the reals that a test exchanges with another program, in files and
in its output, are multiplied by 1 + e with random |e| <= 1e-15, from the seed TWIRL_TEST_SEED.
"""

import os
import random
import re

SIZE = float(os.environ.get("TWIRL_TEST_DISTURB") or 0.0)
RANDOM = random.Random(int(os.environ.get("TWIRL_TEST_SEED") or 0))
# A number with a point or an exponent; not part of a name, of a format or of a longer row of points.
REAL = re.compile(r"(?<![\w.%/])(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][-+]?\d+)?(?![\w./])")


def number(value):
    return value * (1.0 + RANDOM.uniform(-SIZE, SIZE)) if SIZE else value


def text(words):
    """A text with all its reals disturbed."""
    return REAL.sub(lambda found: repr(number(float(found[0]))), words) if SIZE else words


def files(folder, *endings):
    """Disturbs the files of a folder whose names end so."""
    if not SIZE:
        return
    for path in sorted(folder.iterdir()):
        if path.name.endswith(endings):
            path.write_text(text(path.read_text(encoding="utf-8")), encoding="utf-8")
