# SPDX-License-Identifier: BSD-3-Clause
"""The response envelope of probes in all directions of principal space: the surface through the ends
of their responses, and its sections, as ``twirl plot`` has them (apps/twirl/plot/envelope.c)."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Tuple

import numpy as np

#: Normals of the planes of sections.
PLANES = {"xy": (0.0, 0.0, 1.0), "xz": (0.0, 1.0, 0.0), "yz": (1.0, 0.0, 0.0),
          "deviatoric": (1.0, 1.0, 1.0)}


class Surface(NamedTuple):
    ways: np.ndarray
    """Unit directions of loading, n x 3."""
    ends: np.ndarray
    """Responses: strains to stress probes, stresses [Pa] to strain probes."""
    others: Optional[np.ndarray]
    """Reversible strains; stresses without slip; None if they are not known."""
    irreversible: np.ndarray
    is_strain: bool
    """The response is a strain."""
    triangles: np.ndarray
    """Neighbouring probes, m x 3, counterclockwise from outside."""

    @property
    def reach(self) -> float:
        """Largest coordinate of any end, in absolute value."""
        return float(np.abs(self.ends).max())

    @property
    def shares(self) -> np.ndarray:
        """Irreversible strain over the largest one; nan where it is not known."""
        size = norms(self.irreversible)
        return size / np.nanmax(size, initial=0.0) if np.nanmax(size, initial=0.0) > 0.0 else 0.0 * size


def norms(vectors: np.ndarray) -> np.ndarray:
    return np.sqrt((vectors * vectors).sum(axis=1))


def columns(probes: np.ndarray, name: str) -> np.ndarray:
    names = [f"{name}_{a}{a}" for a in "xyz"]
    if not all(column in probes.dtype.names for column in names):
        return np.full((len(probes), 3), np.nan)
    return np.column_stack([probes[column] for column in names])


# ---- The surface: the convex hull of the directions, by gift wrapping ----

def beyond(points: np.ndarray, i: int, j: int, k: int) -> np.ndarray:
    """Six times the volume of the tetrahedron with each point: positive beyond the plane of i, j, k."""
    u, v, w = points[j] - points[i], points[k] - points[i], points - points[i]
    return ((u[1] * v[2] - u[2] * v[1]) * w[:, 0] + (u[2] * v[0] - u[0] * v[2]) * w[:, 1]
            + (u[0] * v[1] - u[1] * v[0]) * w[:, 2])


def wrap(points: np.ndarray, i: int, j: int) -> int:
    """The point with which the edge from i to j makes a triangle that no point is beyond."""
    best = next(k for k in range(len(points)) if k not in (i, j))
    while True:
        outside = beyond(points, i, j, best) > 0.0
        outside[[i, j]] = False
        outside[:best + 1] = False
        if not outside.any():
            return best
        best = int(outside.argmax())


def triangulate(ways: np.ndarray) -> Optional[np.ndarray]:
    """A closed surface on n points has 2n - 4 triangles. None: the directions are not all around."""
    most = 2 * len(ways) - 4
    first = 1 + int((ways[1:] @ ways[0]).argmax())  # an edge of the hull: the nearest point on the sphere
    triangles: List[Tuple[int, int, int]] = [(0, first, wrap(ways, 0, first))]
    edges = set()
    for t in triangles:  # which grows
        edges |= {(t[k], t[(k + 1) % 3]) for k in range(3)}
        for k in range(3):
            i, j = t[(k + 1) % 3], t[k]
            if (i, j) in edges:
                continue
            if len(triangles) == most:
                return None
            new = (i, j, wrap(ways, i, j))
            triangles.append(new)
            edges |= {(new[m], new[(m + 1) % 3]) for m in range(3)}
    a, b, c = (ways[[t[k] for t in triangles]] for k in range(3))
    around = (np.cross(b - a, c - a) * -a).sum(axis=1) < 0.0  # the origin is inside
    return np.array(triangles) if len(triangles) == most and around.all() else None


def surface_of(probes: np.ndarray, law: Optional[str] = None) -> Surface:
    """Of the probes of a law, the first by default. ValueError: the directions are not all around."""
    rows = probes[probes["law"] == (probes["law"][0] if law is None else law)]
    ways, strain, stress = (columns(rows, name) for name in ("direction", "strain", "stress"))
    triangles = triangulate(ways) if len(rows) > 3 and np.isfinite(ways).all() else None
    if triangles is None:
        raise ValueError("the directions of the probes are not all around: set probes.space to sphere")
    sizes = norms(stress)
    is_strain = bool(sizes.max() < 1.02 * sizes.min())  # stress was prescribed: the same in all probes
    others = columns(rows, "reversible" if is_strain else "no_slip_stress")
    return Surface(ways, strain if is_strain else stress, others if np.isfinite(others).all() else None,
                   columns(rows, "irreversible"), is_strain, triangles)


# ---- Sections ----

def sections(surface: Surface, points: np.ndarray, normal: Any) -> List[np.ndarray]:
    """Closed curves in which the plane through the origin cuts the surface through ``points``.

    A triangle that the plane cuts has one edge on which it goes upwards: the way out, to the triangle
    of which it is the way in.
    """
    height = points @ np.asarray(normal, float)
    above = height >= 0.0
    owner = {(t[k], t[(k + 1) % 3]): n for n, t in enumerate(surface.triangles.tolist()) for k in range(3)}
    ways_out = {n: (i, j) for (i, j), n in owner.items() if above[j] and not above[i]}
    curves: List[np.ndarray] = []
    while ways_out:
        n, edges = next(iter(ways_out)), []
        while n in ways_out:
            i, j = ways_out.pop(n)
            edges.append((i, j))
            n = owner[j, i]
        ends = [points[i] + height[i] / (height[i] - height[j]) * (points[j] - points[i]) for i, j in edges]
        curves.append(np.array([*ends, ends[0]]))
    return curves


def flat(points: np.ndarray, plane: str) -> Tuple[np.ndarray, np.ndarray]:
    """Coordinates in the plane of a section; in the deviatoric plane z points upwards."""
    x, y, z = np.asarray(points, float).T
    if plane == "deviatoric":
        return (x - y) / np.sqrt(2.0), (2.0 * z - x - y) / np.sqrt(6.0)
    across = {"x": x, "y": y, "z": z}
    return across[plane[0]], across[plane[1]]


def radius(surface: Surface, axis: int) -> float:
    """Distance from the origin to the surface along an axis; 0 if the axis does not meet it."""
    x, y = (axis + 1) % 3, (axis + 2) % 3
    p = surface.ends[surface.triangles]
    after, before = np.roll(p, -1, axis=1), np.roll(p, -2, axis=1)
    weight = after[..., x] * before[..., y] - after[..., y] * before[..., x]  # of the triangle's shadow
    inside = (weight >= 0.0).all(axis=1) | (weight <= 0.0).all(axis=1)
    total = weight.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        height = (weight * p[..., axis]).sum(axis=1) / total
    found = height[inside & (total != 0.0) & (height > 0.0)]
    return float(found[0]) if len(found) else 0.0
