# SPDX-License-Identifier: BSD-3-Clause
"""Quantities computed from the rows of a history, with the definitions of ``twirl plot``.

Functions take a history, or the rows of a stage, as a structured array (``run.history``,
``stage.history``). Stresses and strains are positive in compression. Where a row has no value the
result is ``nan``. Quantities of ``curves.csv`` are computed by the library and have its bits.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import count, takewhile
from typing import Any, Callable, Dict, List, NamedTuple

import numpy as np

from ._core import ffi, lib
from .figure import make_set
from .native import text_of

__all__ = ["Path", "axial_strain", "curve", "curves", "deviator_stress", "dilation_angle",
           "energy_balance_error", "intermediate_stress", "mean_stress", "mobilised_friction_angle",
           "principal_stresses", "stress_ratio", "stress_tensor", "void_ratio", "volumetric_strain",
           "work"]


class Path(NamedTuple):
    """What a stage drives, as far as the definitions depend on it: ``stage.loading``."""

    kind: str = "plain"
    """``triaxial``, ``shear_undrained``, ``cyclic`` ...; ``plain``: not known."""
    axis: int = 2
    """Axial direction: 0, 1, 2 for x, y, z."""
    series: Any = None
    """The tw_figure_series of the stage: some quantities need its definition."""
    owner: Any = None
    """The tw_figure_set that has it."""


PLAIN = Path()


@lru_cache(maxsize=None)
def column_names() -> List[str]:
    return [text_of(lib.tw_figure_history_name(k)) for k in range(lib.TW_HISTORY_COLUMN_COUNT)]


@lru_cache(maxsize=None)
def quantity_names() -> List[str]:
    return [text_of(lib.tw_figure_quantity_at(k).name) for k in range(lib.tw_figure_quantity_count())]


@lru_cache(maxsize=None)
def kinds() -> List[str]:
    """Names of the kinds of paths, by their numbers."""
    names = (lib.tw_figure_kind_name(k) for k in count())
    return [text_of(name) for name in takewhile(bool, names)]


def loading_of(folder: Any, stage: str) -> Path:
    """Of a stage with rows."""
    made, _ = make_set([folder], [stage], every=1)
    series = made.series[0]
    return Path(kinds()[series.kind], series.axis, series, made)


def curves(rows: np.ndarray, path: Path = PLAIN) -> Dict[str, np.ndarray]:
    """All quantities that have a number in any row."""
    if len(rows) == 0:
        return {}
    names = rows.dtype.names or ()
    table = np.full((len(rows), len(column_names())), np.nan)
    history = ffi.new("tw_figure_history *", {"count": len(rows)})
    for k, column in enumerate(column_names()):
        found = next((name for name in (column, "energy_" + column) if name in names), None)
        if found and rows[found].dtype.kind in "fiu":
            table[:, k] = rows[found]
            history.present[k] = 1
    history.rows = ffi.cast("tw_figure_row *", table.ctypes.data)
    series = ffi.new("tw_figure_series *", {"history": history, "count": len(rows), "kind": kinds().index(path.kind),
                                            "axis": path.axis})
    if path.series:
        series.definition = path.series.definition
    if not lib.tw_figure_quantity_compute(series):
        raise MemoryError("quantities")
    try:
        return {name: np.frombuffer(ffi.buffer(series.values[k], 8 * len(rows))).copy()
                for k, name in enumerate(quantity_names()) if series.values[k]}
    finally:
        lib.free(series.values)


def curve(rows: np.ndarray, name: str, path: Path = PLAIN) -> np.ndarray:
    """A quantity of ``curves.csv`` by its name, or any column of the history; nan if it has none."""
    if name in quantity_names():
        found = curves(rows, path).get(name)
        return np.full(len(rows), np.nan) if found is None else found
    if name in (rows.dtype.names or ()):
        return rows[name]
    raise KeyError(f"{name!r} is neither a quantity nor a column; quantities: " + ", ".join(quantity_names()))


def stress_tensor(rows: np.ndarray) -> np.ndarray:
    """n x 3 x 3 [Pa]."""
    out = np.empty((len(rows), 3, 3))
    for k, name in enumerate("xyz"):
        out[:, k, k] = rows[f"stress_{name}{name}"]
    for i, j in ((1, 2), (0, 2), (0, 1)):
        out[:, i, j] = out[:, j, i] = rows["stress_" + "xyz"[i] + "xyz"[j]]
    return out


def named(name: str, text: str) -> Callable[..., np.ndarray]:
    """The function of rows, and of the path of a stage, that gives this quantity or column."""
    def quantity(rows: np.ndarray, path: Path = PLAIN) -> np.ndarray:
        return curve(rows, name, path)

    quantity.__doc__ = text
    return quantity


mean_stress = named("p", "p [Pa].")
deviator_stress = named("q", "q [Pa]: axial minus mean lateral stress on axial paths, sqrt(3/2 s:s) on others.")
stress_ratio = named("stress_ratio", "q/p.")
mobilised_friction_angle = named("friction_angle", "Degrees: sin phi = (s1 - s3)/(s1 + s3), from the principal stresses.")
intermediate_stress = named("b", "b = (s2 - s3)/(s1 - s3) of the normal stresses; none as long as q < 0.02 p.")
axial_strain = named("axial_strain", "Of the driven axis.")
volumetric_strain = named("volumetric_strain", "Sum of the three strains; without them ln(V0/V) with the volume V0 of the first row.")
void_ratio = named("void_ratio", "Volume of the voids over that of the grains.")
work = named("work", "Of cell, walls and gravity since the first row [J].")


def principal_stresses(rows: np.ndarray) -> np.ndarray:
    """n x 3, largest first [Pa]."""
    stress = stress_tensor(rows)
    out = np.full((len(rows), 3), np.nan)
    good = np.isfinite(stress).all(axis=(1, 2))
    out[good] = np.linalg.eigvalsh(stress[good])[:, ::-1]
    return out


def dilation_angle(rows: np.ndarray, path: Path, window: float = 0.01) -> np.ndarray:
    """Degrees, in axial compression: sin psi = d/(2 + d), d = -(d e_v)/(d e_a) over a window of strain.

    The window begins at each row; the last rows have no value (Vermeer and de Borst, total strains).
    """
    strain, volume = axial_strain(rows, path), volumetric_strain(rows)
    after = np.interp(strain + window, strain, volume, right=np.nan)
    rate = -(after - volume) / window
    return np.degrees(np.arcsin(rate / (2.0 + rate)))


def energy_balance_error(rows: np.ndarray) -> np.ndarray:
    """Residual of the energy balance over the work done, both since the first row.

    Below 1e-3 in a sound run, if the work is not small; otherwise the time step is too large.
    """
    done, out = np.abs(work(rows)), np.full(len(rows), np.nan)
    return np.divide(np.abs(curve(rows, "residual")), done, out=out, where=done > 0.0)
