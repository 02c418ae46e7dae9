# SPDX-License-Identifier: BSD-3-Clause
"""Quantities computed from the rows of a history, with the definitions of ``twirl plot``.

Functions take a history, or the rows of a stage, as a structured array (``run.history``,
``stage.history``). Stresses and strains are positive in compression. Where a row has no value the
result is ``nan``. Quantities of ``curves.csv`` have its bits.
"""

from __future__ import annotations

from typing import Any, Dict, Mapping, NamedTuple, Optional, Sequence

import numpy as np

__all__ = ["Path", "axial_strain", "curve", "curves", "deviator_stress", "dilation_angle",
           "energy_balance_error", "intermediate_stress", "mean_stress", "mobilised_friction_angle",
           "principal_stresses", "stress_ratio", "stress_tensor", "void_ratio", "volumetric_strain",
           "work"]

#: Paths with one axial and two equal lateral stresses: q has a sign.
AXIAL = ("triaxial", "constant_p", "undrained", "cyclic", "cyclic_undrained", "oedometer")


class Path(NamedTuple):
    """What a stage drives, as far as the definitions depend on it."""

    kind: str = "plain"
    """As in the table of figures: ``triaxial``, ``shear_undrained``, ``cyclic`` ..."""
    axis: int = 2
    """Axial direction: 0, 1, 2 for x, y, z."""
    normal: Optional[str] = None
    """Simple shear: column of the stress across the sheared plane."""

    @staticmethod
    def of(stage: Mapping[str, Any]) -> "Path":
        """Of a stage of a resolved scenario."""
        path = stage.get("path", "")
        cycle = stage.get("cycle") or {}
        cyclic = path == "cyclic"
        base = cycle.get("base", "") if cyclic else path
        kind = {"relax": "rest", "free_flight": "rest", "simple_shear": "shear"}.get(base, base)
        if cyclic and base in ("triaxial", "constant_p"):
            kind = "cyclic"
        elif cyclic and base in ("undrained", "simple_shear"):
            kind = "cyclic_" + kind
        if base == "simple_shear" and stage.get("constant") == "volume":
            kind += "_undrained"
        axis = stage.get("axis")
        plane = stage.get("plane")
        return Path(kind, "xyz".index(axis) if axis in ("x", "y", "z") else 2,
                    None if plane is None else "stress_yy" if plane == "xy" else "stress_zz")


PLAIN = Path()


def has(rows: np.ndarray, *names: str) -> bool:
    return all(name in rows.dtype.names for name in names)


def ratio(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    out = np.full(np.shape(a), np.nan)
    np.divide(a, b, out=out, where=b > 0.0)
    return out


# ---- Stresses ----

def shear_stress_component(rows: np.ndarray, one: str, other: str) -> np.ndarray:
    """A shear stress may be given as xy, as yx, or as both, which differ out of equilibrium."""
    a, b = "stress_" + one, "stress_" + other
    a, b = (a if has(rows, a) else b), (b if has(rows, b) else a)
    return 0.5 * (rows[a] + rows[b])


def stress_tensor(rows: np.ndarray) -> np.ndarray:
    """n x 3 x 3 [Pa]."""
    out = np.empty((len(rows), 3, 3))
    for k, name in enumerate("xyz"):
        out[:, k, k] = rows[f"stress_{name}{name}"]
    for i, j, one, other in ((1, 2, "yz", "zy"), (0, 2, "xz", "zx"), (0, 1, "xy", "yx")):
        out[:, i, j] = out[:, j, i] = shear_stress_component(rows, one, other)
    return out


def normal_stresses(rows: np.ndarray, axis: int) -> Sequence[np.ndarray]:
    """Axial stress and the two lateral ones."""
    names = ("stress_xx", "stress_yy", "stress_zz")
    return [rows[names[(axis + k) % 3]] for k in range(3)]


def mean_stress(rows: np.ndarray) -> np.ndarray:
    """p [Pa]."""
    return rows["p"]


def deviator_stress(rows: np.ndarray, path: Path = PLAIN) -> np.ndarray:
    """q [Pa]: axial minus mean lateral stress on axial paths, sqrt(3/2 s:s) on others."""
    if path.kind in AXIAL:
        axial, second, third = normal_stresses(rows, path.axis)
        return axial - 0.5 * (second + third)
    if has(rows, "q"):
        return rows["q"]
    x, y, z = normal_stresses(rows, 0)
    yz, xz, xy = (shear_stress_component(rows, *pair)
                  for pair in (("yz", "zy"), ("xz", "zx"), ("xy", "yx")))
    return np.sqrt(0.5 * ((x - y) * (x - y) + (y - z) * (y - z) + (z - x) * (z - x))
                   + 3.0 * (xy * xy + xz * xz + yz * yz))


def stress_ratio(rows: np.ndarray, path: Path = PLAIN) -> np.ndarray:
    """q/p."""
    return ratio(deviator_stress(rows, path), rows["p"])


def principal_stresses(rows: np.ndarray) -> np.ndarray:
    """n x 3, largest first [Pa]."""
    stress = stress_tensor(rows)
    out = np.full((len(rows), 3), np.nan)
    good = np.isfinite(stress).all(axis=(1, 2))
    out[good] = np.linalg.eigvalsh(stress[good])[:, ::-1]
    return out


def mobilised_friction_angle(rows: np.ndarray) -> np.ndarray:
    """Degrees: sin phi = (s1 - s3)/(s1 + s3), from the principal stresses."""
    s = principal_stresses(rows)
    sine = ratio(s[:, 0] - s[:, 2], s[:, 0] + s[:, 2])
    sine[sine > 1.0] = np.nan
    return np.degrees(np.arcsin(sine))


def intermediate_stress(rows: np.ndarray, path: Path = PLAIN) -> np.ndarray:
    """b = (s2 - s3)/(s1 - s3) of the normal stresses; none as long as q < 0.02 p."""
    x, y, z = normal_stresses(rows, 0)
    major, minor = np.maximum(x, np.maximum(y, z)), np.minimum(x, np.minimum(y, z))
    middle = x + y + z - major - minor
    out = np.full(len(rows), np.nan)
    np.divide(middle - minor, major - minor, out=out,
              where=deviator_stress(rows, path) > 0.02 * rows["p"])
    return out


# ---- Strains ----

def axial_strain(rows: np.ndarray, path: Path = PLAIN) -> np.ndarray:
    """Of the driven axis."""
    return rows["strain_" + 2 * "xyz"[path.axis]]


def volumetric_strain(rows: np.ndarray) -> np.ndarray:
    """Sum of the three strains; without them ln(V0/V) with the volume V0 of the first row."""
    if has(rows, "strain_xx", "strain_yy", "strain_zz"):
        return rows["strain_xx"] + rows["strain_yy"] + rows["strain_zz"]
    return np.log(rows["volume"][:1] / rows["volume"])


def void_ratio(rows: np.ndarray) -> np.ndarray:
    """Volume of the voids over that of the grains."""
    return rows["void_ratio"]


def dilation_angle(rows: np.ndarray, path: Path, window: float = 0.01) -> np.ndarray:
    """Degrees, in axial compression: sin psi = d/(2 + d), d = -(d e_v)/(d e_a) over a window of strain.

    The window begins at each row; the last rows have no value (Vermeer and de Borst, total strains).
    """
    strain, volume = axial_strain(rows, path), volumetric_strain(rows)
    after = np.interp(strain + window, strain, volume, right=np.nan)
    rate = -(after - volume) / window
    return np.degrees(np.arcsin(rate / (2.0 + rate)))


# ---- Energies ----

ENERGIES = {"work": (["cell"], ["walls", "gravity"]),
            "kinetic": (["kinetic", "rotational"], []),
            "stored": (["normal", "tangential"], ["stored_rolling", "stored_twisting"]),
            "friction": (["friction"], []),
            "damping": (["contact_damping", "body_damping"], []),
            "residual": (["residual"], [])}

#: Losses that only some laws have: nan if there are none to the end.
LOSSES = ("micro_slip", "rolling", "twisting")


def energy(rows: np.ndarray, name: str) -> np.ndarray:
    """Since the first row [J]: a sum of columns; those that some runs do not have count as 0."""
    if name in LOSSES:
        if not has(rows, name) or len(rows) == 0 or rows[name][-1] == 0.0:
            return np.full(len(rows), np.nan)
        return rows[name] - rows[name][:1]
    needed, others = ENERGIES[name]
    out = np.zeros(len(rows))
    for column in needed + [other for other in others if has(rows, other)]:
        column = column if has(rows, column) else "energy_" + column
        out += rows[column] - rows[column][:1]
    return out


def work(rows: np.ndarray) -> np.ndarray:
    """Of cell, walls and gravity since the first row [J]."""
    return energy(rows, "work")


def energy_balance_error(rows: np.ndarray) -> np.ndarray:
    """Residual of the energy balance over the work done, both since the first row.

    Below 1e-3 in a sound run, if the work is not small; otherwise the time step is too large.
    """
    return ratio(np.abs(energy(rows, "residual")), np.abs(work(rows)))


# ---- By name, as in curves.csv ----

def lateral_ratio(rows: np.ndarray, path: Path) -> np.ndarray:
    axial, second, third = normal_stresses(rows, path.axis)
    return ratio(0.5 * (second + third), axial)


def across(rows: np.ndarray, path: Path) -> np.ndarray:
    return rows[path.normal] if path.normal else np.full(len(rows), np.nan)


def pi(rows: np.ndarray, path: Path, up: bool) -> np.ndarray:
    axial, second, third = normal_stresses(rows, path.axis)
    if up:
        return ratio((2.0 * axial - second - third) / np.sqrt(6.0), rows["p"])
    return ratio((second - third) / np.sqrt(2.0), rows["p"])


def cycles(rows: np.ndarray) -> np.ndarray:
    """The count goes back where a specimen that fails does not reach the amplitude: it stays."""
    return np.fmax.accumulate(rows["cycle"]) if len(rows) else rows["cycle"]


CURVES = {
    "time": lambda rows, path: rows["time"] - rows["time"][:1],
    "axial_strain": axial_strain,
    "shear_strain": lambda rows, path: rows["strain"],
    "major_strain": lambda rows, path: np.maximum(
        rows["strain_xx"], np.maximum(rows["strain_yy"], rows["strain_zz"])),
    "strain": lambda rows, path: rows["strain"],
    "cycle": lambda rows, path: cycles(rows),
    "stress_ratio": stress_ratio,
    "p": lambda rows, path: rows["p"],
    "q": deviator_stress,
    "volumetric_strain": lambda rows, path: volumetric_strain(rows),
    "void_ratio": lambda rows, path: rows["void_ratio"],
    "ru": lambda rows, path: rows["ru"],
    "shear_stress": lambda rows, path: rows["stress"],
    "normal_stress": across,
    "shear_ratio": lambda rows, path: ratio(rows["stress"], across(rows, path)),
    "axial_stress": lambda rows, path: normal_stresses(rows, path.axis)[0],
    "k0": lateral_ratio,
    "b": intermediate_stress,
    "pi_x": lambda rows, path: pi(rows, path, False),
    "pi_y": lambda rows, path: pi(rows, path, True),
    "unbalanced": lambda rows, path: rows["unbalanced"],
    "coordination": lambda rows, path: rows["coordination"],
    "sliding_fraction": lambda rows, path: rows["sliding_fraction"],
    "fabric_deviator": lambda rows, path: rows["fabric_deviator"],
}


def curve(rows: np.ndarray, name: str, path: Path = PLAIN) -> np.ndarray:
    """A quantity of ``curves.csv`` by its name, or any column of the history; nan if it has none."""
    if name in ENERGIES or name in LOSSES:
        found, compute = True, lambda rows, path: energy(rows, name)
    else:
        found, compute = name in CURVES, CURVES.get(name)
    if not found and has(rows, name):
        return rows[name]
    if not found:
        raise KeyError(f"{name!r} is neither a quantity nor a column; quantities: "
                       + ", ".join([*CURVES, *ENERGIES, *LOSSES]))
    try:
        return compute(rows, path)
    except (KeyError, ValueError):  # a column that the history lacks
        return np.full(len(rows), np.nan)


def curves(rows: np.ndarray, path: Path = PLAIN) -> Dict[str, np.ndarray]:
    """All quantities that have a number in any row."""
    every = {name: curve(rows, name, path) for name in [*CURVES, *ENERGIES, *LOSSES]}
    return {name: values for name, values in every.items() if np.isfinite(values).any()}
