# SPDX-License-Identifier: BSD-3-Clause
"""Local fields of a state: porosity, stress, and from two states strain and rotation. The library computes them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Optional, Sequence, Tuple

import numpy as np

from . import native
from .native import ffi, lib

if TYPE_CHECKING:
    from .results_checkpoint import Checkpoint

__all__ = ["Fields"]


class Fields:
    """Arrays by bin, of the shape of ``bins``, which divide the edges of the cell into equal parts.

    Values are those of tw_sim_get_fields at the middle of each bin, by coarse graining in a sphere of radius ``window``.
    """

    def __init__(self, state: "Checkpoint", bins: Sequence[int], before: "Optional[Checkpoint]", window: Optional[float]):
        shape = tuple(int(n) for n in bins)
        if len(shape) != 3 or min(shape) < 1:
            raise ValueError(f"bins: {bins!r} is not the numbers of bins along the three edges, such as (4, 4, 4)")
        #: Number of bins along each edge of the cell.
        self.bins: Tuple[int, int, int] = (shape[0], shape[1], shape[2])
        #: Edges of the cell as columns [m].
        self.cell: np.ndarray = state.cell
        #: Radius in which grains and contacts count [m].
        self.window: float = 3.0 * lib.tw_sim_mean_diameter(state._sim._pointer) if window is None else float(window)
        self._sim, self._since = state._sim, before is not None
        self._grid = ffi.new("tw_sim_field_grid *", {"count": shape, "at": [0.5 / n for n in shape], "window": self.window})
        self._fields = ffi.new("tw_sim_field[]", int(np.prod(shape)))
        since = ffi.NULL if before is None else before._sim._pointer
        state._sim._call(lib.tw_sim_get_fields, since, ffi.NULL, 0, self._grid, self._fields, len(self._fields))

    def _get(self, name: str, *components: int) -> np.ndarray:
        count = int(np.prod(components))
        offset = ffi.offsetof("tw_sim_field", name) // 8
        rows = np.frombuffer(ffi.buffer(self._fields), np.float64).reshape(len(self._fields), -1)
        # The first edge counts fastest.
        values = rows[:, offset:offset + count].reshape(*self.bins[::-1], count).transpose(2, 1, 0, 3)
        return values.reshape(*self.bins, *components).copy()

    @property
    def width(self) -> np.ndarray:
        """Of the bins along the edges of the cell [m]."""
        return np.linalg.norm(self.cell, axis=0) / self.bins

    @property
    def grains(self) -> np.ndarray:
        """Number of grains with their centre in the window."""
        return self._get("grains")

    @property
    def porosity(self) -> np.ndarray:
        return self._get("porosity")

    @property
    def stress(self) -> np.ndarray:
        """3 x 3 [Pa]."""
        return self._get("stress", 3, 3)

    @property
    def p(self) -> np.ndarray:
        """Mean stress [Pa]."""
        return self._get("p")

    @property
    def q(self) -> np.ndarray:
        """Deviator stress sqrt(3/2 s:s) [Pa]."""
        return self._get("q")

    @property
    def strain(self) -> Optional[np.ndarray]:
        """3 x 3, compression positive; None: one state."""
        return self._get("strain", 3, 3) if self._since else None

    @property
    def volumetric_strain(self) -> Optional[np.ndarray]:
        return self._get("volumetric_strain") if self._since else None

    @property
    def shear_strain(self) -> Optional[np.ndarray]:
        """sqrt(2/3 e:e), which shows shear bands."""
        return self._get("shear_strain") if self._since else None

    @property
    def rotation(self) -> Optional[np.ndarray]:
        """Rotation vector, half the vorticity [rad]."""
        return self._get("rotation", 3) if self._since else None

    def write_vtk(self, path: "os.PathLike[str] | str") -> None:
        """A structured grid (.vts) with the fields of its cells, for ParaView."""
        self._sim._call(lib.tw_export_fields, self._grid, self._fields, len(self._fields), native.path_bytes(path))
