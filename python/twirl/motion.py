# SPDX-License-Identifier: BSD-3-Clause
"""Parts of a prescribed motion, for Sim.set_wall_motion: displacements along a direction and rotations about an axis that is fixed
in space, as functions of the time since the motion began. Directions and axes may have any length."""

from __future__ import annotations

from typing import NamedTuple, Sequence

from . import native
from ._core import ffi, lib

ORIGIN = (0.0, 0.0, 0.0)


class Motion(NamedTuple):
    """A part of a motion: the members of tw_wall_motion."""

    kind: int
    along: Sequence[float]
    through: Sequence[float] = ORIGIN
    rate: float = 0.0
    amplitude: float = 0.0
    frequency: float = 0.0
    phase: float = 0.0
    rows: Sequence = ()
    cubic: bool = False


def velocity(v) -> Motion:
    """A constant velocity [m/s]."""
    return Motion(lib.TW_WALL_MOTION_VELOCITY, v)


def rotate(rate: float, axis, through=ORIGIN) -> Motion:
    """With `rate` [rad/s] about an axis through a point."""
    return Motion(lib.TW_WALL_MOTION_ROTATE, axis, through, rate)


def oscillate(amplitude: float, frequency: float, direction, *, phase: float = 0.0) -> Motion:
    """By amplitude (sin(2 pi frequency t + phase) - sin(phase)) [m] along a direction."""
    return Motion(lib.TW_WALL_MOTION_OSCILLATE, direction, ORIGIN, 0.0, amplitude, frequency, phase)


def swing(amplitude: float, frequency: float, axis, through=ORIGIN, *, phase: float = 0.0) -> Motion:
    """By an angle about an axis, as oscillate [rad]."""
    return Motion(lib.TW_WALL_MOTION_SWING, axis, through, 0.0, amplitude, frequency, phase)


def table(rows, *, direction=None, axis=None, through=ORIGIN, cubic: bool = False) -> Motion:
    """Rows of time [s] and displacement [m] along `direction`, or angle [rad] about `axis`: linear between rows, or with `cubic` without
    corners. They count from the value at t = 0; beyond the rows the value stays."""
    if (direction is None) == (axis is None):
        raise TypeError("table: give either direction or axis")
    kind = lib.TW_WALL_MOTION_TABLE if axis is None else lib.TW_WALL_MOTION_TABLE_ANGLE
    return Motion(kind, direction if axis is None else axis, through, rows=rows, cubic=cubic)


def structs(parts) -> tuple:
    """An array of tw_wall_motion, and what it refers to."""
    made, kept = ffi.new("tw_wall_motion[]", len(parts)), []
    for to, part in zip(made, parts):
        if not isinstance(part, Motion):
            raise TypeError(f"motion: expected twirl.motion.rotate(...) or the like, got {part!r:.100}")
        to.kind, to.cubic = part.kind, bool(part.cubic)
        to.along = native.vector(part.along, name="direction or axis")
        to.through = native.vector(part.through, name="through")
        for name in ("rate", "amplitude", "frequency", "phase"):
            native.set_member(to, name, getattr(part, name))
        rows = native.floats(part.rows, "rows") if len(part.rows) else native.floats([], "rows").reshape(0, 2)
        if rows.ndim != 2 or rows.shape[1] != 2:
            raise ValueError(f"rows: expected rows of time and value, got an array of shape {rows.shape}")
        kept.append(ffi.new("tw_wall_motion_row[]", [tuple(row) for row in rows.tolist()]))
        to.row, to.rows = kept[-1], len(rows)
    return made, kept
