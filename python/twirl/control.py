# SPDX-License-Identifier: BSD-3-Clause
"""Control of the cell in strain rate and stress, both positive in compression. The engine in C counts rates positive
in extension: they are turned here."""

from __future__ import annotations

import enum
from typing import NamedTuple, Optional, Sequence

import numpy as np

from ._core import ffi, lib

#: Whether the stresses are at their set points: OFF, APPROACHING, HOLDING, MISSING.
ControlStatus = enum.IntEnum("ControlStatus", {  # type: ignore[misc]
    name[len("TW_CONTROL_"):]: value for value, name in ffi.typeof("tw_control_status").elements.items()})

COMPONENTS = {"xx": lib.TW_XX, "yy": lib.TW_YY, "zz": lib.TW_ZZ, "yz": lib.TW_YZ, "xz": lib.TW_XZ, "xy": lib.TW_XY}


class Target(NamedTuple):
    """What a row of a control is to reach."""

    mode: int
    target: float
    ramp: float = 0.0
    weight: Optional[Sequence[float]] = None


def rate(value: float, *, ramp: float = 0.0, weight: Optional[Sequence[float]] = None) -> Target:
    """A strain rate [1/s], positive in compression, reached with `ramp` [1/s^2] (0: at once).

    `weight`, up to six numbers for xx, yy, zz, yz, xz, xy, controls a sum of components instead of one. Shear rates are engineering rates; a positive one raises the shear stress.
    """
    return Target(lib.TW_CONTROL_RATE, value, ramp, weight)


def stress(value: float, *, ramp: float = 0.0, weight: Optional[Sequence[float]] = None) -> Target:
    """A stress [Pa], positive in compression, reached with `ramp` [Pa/s] (0: at once); `weight` as for rate."""
    return Target(lib.TW_CONTROL_STRESS, value, ramp, weight)


class Fluid(NamedTuple):
    """A fluid in the pores that cannot drain."""

    bulk: float
    pressure: float = 0.0
    volume: Optional[float] = None
    solid: Optional[float] = None


def fluid(bulk: float, *, pressure: float = 0.0, volume: Optional[float] = None, solid: Optional[float] = None) -> Fluid:
    """A pore fluid of a bulk modulus [Pa] that cannot drain and has this pressure [Pa] now; stresses of the control are then total ones.

    With `volume`, the fluid has this pressure where the cell has this volume [m^3]; `solid` is the volume of the grains [m^3], by default
    that of all bodies.
    """
    return Fluid(bulk, pressure, volume, solid)


def turned(mode, value):
    """A value of the engine as Python has it, or the other way round: rates have the opposite sign. Numbers or arrays."""
    return np.where(np.equal(mode, lib.TW_CONTROL_RATE), 0.0 - value, value)  # 0 is not to become -0


def control_struct(rows: dict, simple_shear: bool, rate_max: Optional[float], tolerance: Optional[float], fluid: Optional[Fluid]):
    """A tw_control: the rows given, all others at rest; volume and solid of the fluid have their values."""
    control = ffi.new("tw_control *", lib.tw_control_default())
    for name, target in rows.items():
        if name not in COMPONENTS:
            raise TypeError(f"control: there is no component '{name}'; choices: {', '.join(COMPONENTS)}")
        if not isinstance(target, Target):
            raise TypeError(f"control: {name} is to be twirl.rate(...) or twirl.stress(...), not {target!r}")
        row = control.row[COMPONENTS[name]]
        row.mode, row.target, row.ramp = target.mode, turned(target.mode, target.target), target.ramp
        if target.weight is not None:
            weight = [float(one) for one in target.weight]
            if len(weight) > lib.TW_COMPONENTS:
                raise ValueError(f"control: {name}: at most {lib.TW_COMPONENTS} weights")
            row.weight = weight + [0.0] * (lib.TW_COMPONENTS - len(weight))
    control.simple_shear = bool(simple_shear)
    if rate_max is not None:
        control.rate_max = rate_max
    if tolerance is not None:
        control.tolerance = tolerance
    if fluid is not None:
        control.fluid = fluid._asdict()
    return control
