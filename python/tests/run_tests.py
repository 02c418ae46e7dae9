# SPDX-License-Identifier: BSD-3-Clause
"""Runs one file of tests with pytest, for ctest. Exit status 77: skipped, something is not installed."""

import importlib.util
import os
import sys

missing = [name for name in ("pytest", "h5py", "matplotlib", "pandas") if not importlib.util.find_spec(name)]
if missing:
    print(f"not installed: {', '.join(missing)}; scripts/setup test installs them. Skipped.")
    sys.exit(77)
os.environ.setdefault("MPLBACKEND", "Agg")
sys.exit(__import__("pytest").main(["-q", "-p", "no:cacheprovider", *sys.argv[1:]]))
