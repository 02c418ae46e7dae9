# SPDX-License-Identifier: BSD-3-Clause
"""Local fields of a state in equal bins of its cell: porosity, stress, and from two states strain and rotation."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Optional, Sequence, Tuple

import numpy as np

from .errors import RunError

if TYPE_CHECKING:
    from .results_checkpoint import Checkpoint

__all__ = ["Fields", "fields_of", "gradients"]


@dataclass
class Fields:
    """Arrays by bin, of the shape of ``bins``; bins divide the edges of the cell into equal parts."""

    #: Number of bins along each edge of the cell.
    bins: Tuple[int, int, int]
    #: Edges of the cell as columns [m].
    cell: np.ndarray
    #: Number of grains whose centre is in the bin.
    count: np.ndarray
    #: 1 less the volume of these grains over that of the bin: its mean is the porosity of the cell. Below 0 where bins
    #: are hardly larger than grains.
    porosity: np.ndarray
    #: Of the contacts whose point is in the bin, by branches and forces; the mean of all bins is the stress [Pa].
    stress: np.ndarray
    #: Between two states, of the affine motion that fits the grains of the bin best, compression positive; None: one state.
    strain: Optional[np.ndarray] = None
    #: Rotation vector of that motion, half its vorticity [rad].
    rotation: Optional[np.ndarray] = None

    @property
    def width(self) -> np.ndarray:
        """Of the bins along the edges of the cell [m]."""
        return np.linalg.norm(self.cell, axis=0) / self.bins

    @property
    def shear(self) -> Optional[np.ndarray]:
        """Deviatoric strain sqrt(2/3 e:e), which shows shear bands."""
        if self.strain is None:
            return None
        mean = np.trace(self.strain, axis1=-2, axis2=-1)[..., None, None] / 3.0 * np.eye(3)
        return np.sqrt(2.0 / 3.0 * ((self.strain - mean)**2).sum(axis=(-2, -1)))

    def write_vtk(self, path: "os.PathLike[str] | str") -> None:
        """A structured grid (.vts) with the fields of its cells, for ParaView."""
        nx, ny, nz = self.bins
        corner = np.stack(np.meshgrid(*(np.arange(n + 1) / n for n in self.bins), indexing="ij"), axis=-1)
        points = np.einsum("ij,xyzj->xyzi", self.cell, corner)
        fields = {name: getattr(self, name) for name in ("count", "porosity", "stress", "strain", "rotation", "shear")}
        extent = f"0 {nx} 0 {ny} 0 {nz}"
        with open(path, "w", encoding="ascii") as file:
            file.write(f'<?xml version="1.0"?>\n<VTKFile type="StructuredGrid" version="1.0">\n<StructuredGrid WholeExtent="{extent}">\n'
                       f'<Piece Extent="{extent}">\n<CellData>\n')
            for name, values in fields.items():
                if values is not None:
                    write_array(file, name, values.reshape(*self.bins, -1))
            file.write("</CellData>\n<Points>\n")
            write_array(file, "points", points)
            file.write("</Points>\n</Piece>\n</StructuredGrid>\n</VTKFile>\n")


def write_array(file, name: str, values: np.ndarray) -> None:
    """Points and cells of VTK count x fastest."""
    file.write(f'<DataArray type="Float64" Name="{name}" NumberOfComponents="{values.shape[-1]}" format="ascii">\n')
    np.savetxt(file, values.transpose(2, 1, 0, 3).reshape(-1, values.shape[-1]), fmt="%.9g")
    file.write("</DataArray>\n")


def numbers_of(x: np.ndarray, cell: np.ndarray, bins: Sequence[int]) -> np.ndarray:
    """The bin of each point, as one number; points outside the cell are those of its images inside."""
    reduced = np.linalg.solve(cell, x.T).T
    index = np.floor((reduced - np.floor(reduced)) * bins).astype(int)
    return np.ravel_multi_index(np.minimum(index, np.array(bins) - 1).T, tuple(bins))


def gradients(x0: np.ndarray, cell0: np.ndarray, x1: np.ndarray, cell1: np.ndarray, bins: Sequence[int]) -> np.ndarray:
    """Displacement gradient in each bin of the first cell: the affine motion that fits its points best.

    Points may have left the cell and come back at the other side, if they moved by less than half a cell relative to it. NaN
    where a bin has fewer than four points, or all in a plane.
    """
    s0, s1 = np.linalg.solve(cell0, x0.T).T, np.linalg.solve(cell1, x1.T).T
    s0 = s0 - np.floor(s0)
    step = s1 - s0
    moved = (s0 + step - np.round(step)) @ cell1.T
    start = s0 @ cell0.T
    where = numbers_of(start, cell0, bins)
    out = np.full((int(np.prod(bins)), 3, 3), np.nan)
    for number in np.unique(where):
        inside = where == number
        a, b = (points[inside] - points[inside].mean(axis=0) for points in (start, moved))
        if len(a) >= 4 and np.linalg.matrix_rank(a, tol=1e-6 * np.abs(a).max()) == 3:
            out[number] = np.linalg.lstsq(a, b - a, rcond=None)[0].T
    return out.reshape(*bins, 3, 3)


def fields_of(state: "Checkpoint", bins: Sequence[int], before: "Optional[Checkpoint]" = None) -> Fields:
    """Those of ``Checkpoint.fields``."""
    shape = tuple(int(n) for n in bins)
    if len(shape) != 3 or min(shape) < 1:
        raise ValueError(f"bins: {bins!r} is not the numbers of bins along the three edges, such as (4, 4, 4)")
    if before is not None and before.count != state.count:
        raise RunError(f"{before.path}: not a state of the same run as {state.path}: it has {before.count} bodies, not {state.count}")
    total = int(np.prod(shape))
    room, cell = state.volume / total, state.cell
    where = numbers_of(state.bodies["x"], cell, shape)
    solid = np.bincount(where, state.volumes, total)
    contacts = state.contacts
    stress = np.zeros((total, 3, 3))
    np.add.at(stress, numbers_of(contacts["point"], cell, shape), -np.einsum("ki,kj->kij", contacts["branch"], contacts["force"]) / room)
    out = Fields(shape, cell, np.bincount(where, minlength=total).reshape(shape), (1.0 - solid / room).reshape(shape),
                 stress.reshape(*shape, 3, 3))
    if before is not None:
        h = gradients(before.bodies["x"], before.cell, state.bodies["x"], cell, shape)
        out.strain = -0.5 * (h + np.swapaxes(h, -1, -2))
        out.rotation = 0.5 * np.stack([h[..., 2, 1] - h[..., 1, 2], h[..., 0, 2] - h[..., 2, 0], h[..., 1, 0] - h[..., 0, 1]], axis=-1)
    return out
