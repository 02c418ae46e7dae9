# SPDX-License-Identifier: BSD-3-Clause
"""Tables: structured arrays of bodies, contacts and histories, and data frames made of them."""

from __future__ import annotations

import itertools
from typing import Any, Dict

import numpy as np

#: What the engine and the files of states call by different names.
SYNONYMS = {"zeta": "overlap", "overlap": "zeta", "n": "normal", "normal": "n"}

#: Letters of the components of vectors and quaternions.
AXES = {3: "xyz", 4: "wxyz"}


class Table(np.ndarray):
    """A structured array with a field for each column.

    `table["overlap"]` and `table["zeta"]` are the same column, and so are "normal" and "n". `frame()` is the table as
    a pandas DataFrame.
    """

    def __getitem__(self, key):
        found = super().__getitem__(self._named(key))
        # Columns are plain arrays.
        return found if not isinstance(found, Table) or found.dtype.names else found.view(np.ndarray)

    def __setitem__(self, key, value):
        super().__setitem__(self._named(key), value)

    def _named(self, key):
        """The names of fields in a key as this table has them."""
        names = self.dtype.names
        if isinstance(key, list) and any(isinstance(one, str) for one in key):
            return [self._named(one) for one in key]
        if not isinstance(key, str) or names is None or key in names:
            return key
        if SYNONYMS.get(key) not in names:
            raise ValueError(f"no field of name '{key}'; there is: {', '.join(names)}")
        return SYNONYMS[key]

    def frame(self) -> Any:
        """A pandas DataFrame; vectors are a column for each component: x_x, x_y, x_z."""
        return frame_of(self)


def frame_of(table: np.ndarray) -> Any:
    """The table as a pandas DataFrame."""
    try:
        import pandas
    except ImportError:
        raise ImportError("pandas is missing (Debian: python3-pandas); the table is also a structured array of "
                          "numpy") from None
    columns: Dict[str, np.ndarray] = {}
    for name in table.dtype.names or ():
        values = np.asarray(table[name])
        letters = [AXES.get(size, map(str, range(size))) for size in values.shape[1:]]
        for at, component in zip(np.ndindex(values.shape[1:]), itertools.product(*letters)):
            columns["_".join([name, *filter(None, ["".join(component)])])] = values[(slice(None), *at)]
    return pandas.DataFrame(columns)
