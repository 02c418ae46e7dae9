# SPDX-License-Identifier: BSD-3-Clause
"""Forms of walls, for Sim.add_wall."""

from __future__ import annotations

import math
import os

import numpy as np

from . import native
from ._core import ffi, lib


def _frame_along(axis) -> list:
    """The quaternion of the shortest rotation from z to an axis."""
    x, y, z = native.vector(axis, name="axis")
    length = math.sqrt(x * x + y * y + z * z)
    if not length > 0:
        raise ValueError(f"axis: expected a direction, got {axis!r:.100}")
    w, x, y = 1.0 + z / length, -y / length, x / length
    if w < 1e-12:
        return [0.0, 1.0, 0.0, 0.0]
    norm = math.sqrt(w * w + x * x + y * y)
    return [w / norm, x / norm, y / norm, 0.0]


def _mesh(mesh, scale):
    """A tw_mesh, from a file or from vertices and facets."""
    made = ffi.gc(ffi.new("tw_mesh *"), lib.tw_mesh_free)
    if isinstance(mesh, (str, bytes, os.PathLike)):
        native.call(lib.tw_mesh_read, made, native.path_bytes(mesh), scale)
        return made
    try:
        vertices, facets = mesh
    except (TypeError, ValueError):
        raise TypeError(f"mesh: expected a file, or vertices and facets, got {mesh!r:.100}") from None
    vertices, facets = native.floats(vertices, "mesh: vertices"), native.indices(facets, "mesh: facets")
    if vertices.ndim != 2 or vertices.shape[1] != 3 or facets.ndim != 2 or facets.shape[1] != 3:
        raise ValueError("mesh: expected rows of three coordinates and rows of three numbers of vertices, got arrays of shape "
                         f"{vertices.shape} and {facets.shape}")
    if facets.size and facets.max() >= len(vertices):
        raise IndexError(f"mesh: there is no vertex {facets.max()}; there are {len(vertices)}")
    if not np.isfinite(vertices).all():
        raise ValueError("mesh: vertices must be finite")
    corner, number = np.ascontiguousarray(vertices[facets]), np.arange(1, len(facets) + 1, dtype=np.uint32)
    soup = ffi.new("tw_mesh_soup *", {"corner": native.pointer_to(corner, "tw_vec3 *"), "number": native.pointer_to(number, "uint32_t *"),
                                      "count": len(facets), "capacity": len(facets)})
    native.call(lib.tw_mesh_make, made, soup, scale)
    return made


def wall_servo(wall, force, torque, along, v_max):
    """Sets the servo of a tw_wall_def, none without force and torque."""
    if force is not None and torque is not None:
        raise TypeError("a servo is for a force or a torque, not for both")
    if force is not None:
        wall.servo = lib.TW_WALL_SERVO_FORCE
        native.set_member(wall, "force", force)
    elif torque is not None:
        wall.servo = lib.TW_WALL_SERVO_TORQUE
        native.set_member(wall, "torque", torque)
    if along is not None:
        wall.along = native.vector(along, name="along")
    native.set_member(wall, "v_max", v_max)


def wall_form(wall, radius, profile, closed, mesh, scale, q, axis):
    """Sets form and frame of a tw_wall_def; returns what it refers to."""
    given = [name for name, value in (("radius", radius), ("profile", profile), ("mesh", mesh)) if value is not None]
    if len(given) > 1:
        raise TypeError(f"add_wall: give one of {' and '.join(given)}")
    if q is not None and axis is not None:
        raise TypeError("add_wall: give q or axis")
    if q is not None:
        wall.q = native.vector(q, 4, "q")
    elif axis is not None:
        wall.q = _frame_along(axis)
    if radius is not None:
        wall.form = lib.TW_WALL_SPHERE
        native.set_member(wall, "radius", radius)
    elif profile is not None:
        corners = np.ascontiguousarray(native.floats(profile, "profile"))
        if corners.ndim != 2 or corners.shape[1] != 2:
            raise ValueError(f"profile: expected rows of rho and z, got an array of shape {corners.shape}")
        wall.form, wall.corners, wall.closed = lib.TW_WALL_PROFILE, len(corners), bool(closed)
        wall.corner = native.pointer_to(corners, "tw_profile_point *")
        return corners
    elif mesh is not None:
        made = _mesh(mesh, scale)
        wall.form, wall.mesh = lib.TW_WALL_MESH, made
        return made
    return None
