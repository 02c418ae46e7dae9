# SPDX-License-Identifier: BSD-3-Clause
"""Copies of sources with something planted in them that only a test has."""

import sys
from pathlib import Path


def plant(planted):
    """SCRIPT ROOT OUT writes each copy to OUT. `planted`: source, copy, and edits, whose old text the source has exactly once."""
    root, out = map(Path, sys.argv[1:])
    for source, copy, edits in planted:
        text = (root / source).read_text(encoding="utf-8")
        for old, new in edits:
            if text.count(old) != 1:
                sys.exit(f"{sys.argv[0]}: {source} has not exactly one '{old}'")
            text = text.replace(old, new)
        (out / copy).parent.mkdir(parents=True, exist_ok=True)
        (out / copy).write_text(text, encoding="utf-8")
