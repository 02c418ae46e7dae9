# SPDX-License-Identifier: BSD-3-Clause
"""Tables: structured arrays of bodies, contacts and histories, and data frames made of them."""

from __future__ import annotations

import itertools
from typing import Any, Dict

import numpy as np

#: Letters of the components of vectors and quaternions.
AXES = {3: "xyz", 4: "wxyz"}


class Table(np.ndarray):
    """A structured array with a field for each column.

    `frame()` is the table as a pandas DataFrame.
    """

    def __getitem__(self, key):
        names = self.dtype.names or ()
        for name in [key] if isinstance(key, str) else key if isinstance(key, list) else ():
            if isinstance(name, str) and name not in names:
                raise ValueError(f"no field of name '{name}'; there is: {', '.join(names)}")
        found = super().__getitem__(key)
        # Columns are plain arrays.
        return found if not isinstance(found, Table) or found.dtype.names else found.view(np.ndarray)

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
