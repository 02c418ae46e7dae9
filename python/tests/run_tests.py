# SPDX-License-Identifier: BSD-3-Clause
"""Runs one file of tests with pytest, for ctest. Exit status 77: skipped, something is not installed."""

import importlib.util
import os
import sys

if not importlib.util.find_spec("pytest"):
    print("not installed: pytest; scripts/setup test installs it. Skipped.")
    sys.exit(77)
import pytest  # noqa: E402

os.environ.setdefault("MPLBACKEND", "Agg")


class Outcome:
    """Whether any test was not skipped."""

    ran = False

    def pytest_runtest_logreport(self, report):
        self.ran = self.ran or report.when == "call" and not report.skipped


outcome = Outcome()
status = pytest.main(["-q", "-rs", "-p", "no:cacheprovider", *sys.argv[1:]], plugins=[outcome])
skipped = status == pytest.ExitCode.NO_TESTS_COLLECTED or status == 0 and not outcome.ran
sys.exit(77 if skipped else int(status))
