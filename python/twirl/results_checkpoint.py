# SPDX-License-Identifier: BSD-3-Clause
"""A state that was saved: bodies, spheres and contacts as arrays, read with h5py."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import Any, Dict, List, Optional

import numpy as np

from .results_files import RunError, is_file, quote

__all__ = ["Checkpoint"]

VERSION = 7
HEADER = 512
NO_BODY = -1

CONTACT = np.dtype([
    ("body_p", np.int64), ("body_q", np.int64), ("member_p", np.int64), ("member_q", np.int64),
    ("shift", np.int8, 3), ("normal", np.float64, 3), ("overlap", np.float64),
    ("point", np.float64, 3), ("branch", np.float64, 3), ("fn", np.float64),
    ("ft", np.float64, 3), ("force", np.float64, 3), ("sliding", np.bool_),
    ("friction", np.float64)])


class Checkpoint:
    """The state in a checkpoint; arrays are read when they are first used.

    Rows are in the order of the ids of the bodies, so that rows of two states of a run belong to
    the same grains. The file is opened read-only and closed again after each read.
    """

    def __init__(self, path: os.PathLike[str] | str):
        self.path = Path(path)
        self._check_header()
        with self._open() as file:
            attributes = {name: text_of(value) for name, value in file.attrs.items()}
            #: Program that wrote the file.
            self.program: str = attributes.get("program", "")
            #: What the state is: identity of the run, name, step.
            self.label: str = attributes.get("label", "")
            #: Number of steps.
            self.steps = int(self._from(file, "state/steps")[()])
            #: Time [s].
            self.time = float(self._from(file, "state/time")[()])
            #: Number of bodies.
            self.count = int(self._from(file, "bodies/id").shape[0])

    def __repr__(self) -> str:
        return f"<twirl.Checkpoint {str(self.path)!r}: {self.count} bodies, step {self.steps}>"

    # ---- The file ----

    def _check_header(self) -> None:
        if not is_file(self.path):
            raise RunError(f"{self.path}: no such file" if not os.path.lexists(self.path)
                           else f"{self.path}: not a regular file")
        with open(self.path, "rb") as file:
            lines = file.read(HEADER).split(b"\n")
        if not lines[0].startswith(b"twirl checkpoint "):
            raise RunError(f"{self.path}: not a checkpoint of twirl")
        version = lines[0][17:].decode("ascii", "replace")
        if version != str(VERSION):
            raise RunError(f"{self.path}: checkpoint of format {quote(version)}; this version reads "
                           f"format {VERSION}")
        told, size = lines[1][6:] if len(lines) > 1 else b"", self.path.stat().st_size
        if not told.isdigit() or int(told) != size:
            raise RunError(f"{self.path}: damaged: {size} bytes, but its header tells "
                           f"{quote(told.decode('ascii', 'replace').lstrip('0'))}")

    def _open(self) -> Any:
        try:
            import h5py
        except ImportError:
            raise RunError("h5py is missing, which reads checkpoints (Debian: python3-h5py)") from None
        try:
            return h5py.File(self.path, "r")
        except OSError as error:
            raise RunError(f"{self.path}: damaged: {error}") from None

    def _from(self, file: Any, name: str) -> Any:
        try:
            return file[name]
        except KeyError:
            raise RunError(f"{self.path}: damaged: no dataset {name}") from None

    def read(self, *names: str) -> List[np.ndarray]:
        """Datasets by name, as they are in the file: ``read("bodies/x", "cell/h")``.

        docs/guide/checkpoint.md lists them. Rows of bodies are sorted in space here, not by id.
        """
        with self._open() as file:
            try:
                return [self._from(file, name)[()] for name in names]
            except OSError as error:
                raise RunError(f"{self.path}: damaged: {error}") from None

    def _by_id(self, name: str) -> np.ndarray:
        values, = self.read(name)
        if len(values) != self.count:
            raise RunError(f"{self.path}: damaged: {name} has {len(values)} rows for {self.count} bodies")
        return values[self._order]

    @cached_property
    def _order(self) -> np.ndarray:
        ids, = self.read("bodies/id")
        order = np.argsort(ids, kind="stable")
        if not np.array_equal(ids[order], np.arange(self.count)):
            raise RunError(f"{self.path}: damaged: bodies/id does not have each id once")
        return order

    # ---- Cell and bodies ----

    @cached_property
    def cell(self) -> np.ndarray:
        """3 x 3, edges as columns [m]."""
        return self.read("cell/h")[0]

    @property
    def volume(self) -> float:
        """Of the cell [m^3]."""
        return float(abs(np.linalg.det(self.cell)))

    @cached_property
    def positions(self) -> np.ndarray:
        """n x 3: centres of mass [m]."""
        return self._by_id("bodies/x")

    @cached_property
    def quaternions(self) -> np.ndarray:
        """n x 4 (w, x, y, z): orientations of the principal axes."""
        return self._by_id("bodies/q")

    @cached_property
    def masses(self) -> np.ndarray:
        """With mass scaling [kg]."""
        return self._by_id("bodies/mass")

    @cached_property
    def volumes(self) -> np.ndarray:
        """Of the bodies, unions of their spheres [m^3]."""
        volume, = self.read("shapes/volume")
        return volume[self._shapes] * self._by_id("bodies/size")**3

    @cached_property
    def radii(self) -> np.ndarray:
        """Radius of the sphere of equal volume, for a sphere its radius [m]."""
        return np.cbrt(self.volumes * (0.75 / np.pi))

    @cached_property
    def materials(self) -> np.ndarray:
        """Name of the material of each body."""
        names, = self.read("materials/name")
        texts = np.array([bytes(name).rstrip(b"\0").decode("utf-8", "replace") for name in names])
        return texts[self._by_id("bodies/material")]

    @cached_property
    def displacements(self) -> np.ndarray:
        """n x 3: since the stage began, with the motion of the cell [m]."""
        return self.positions + self._by_id("bodies/image") @ self.cell.T - self._by_id("bodies/x_start")

    @cached_property
    def _shapes(self) -> np.ndarray:
        return self._by_id("bodies/shape")

    # ---- Spheres ----

    @cached_property
    def _spheres(self) -> Dict[str, np.ndarray]:
        """In the order of the file: body by body as they are stored, members as in the shape."""
        shape, size, x, q, ids = self.read("bodies/shape", "bodies/size", "bodies/x", "bodies/q",
                                           "bodies/id")
        counts, members = self.read("shapes/count", "shapes/spheres")
        counts = counts.astype(np.int64)
        if len(shape) and (shape.max() >= len(counts) or counts.sum() != len(members)):
            raise RunError(f"{self.path}: damaged: bodies/shape or shapes/count do not fit shapes/spheres")
        start = np.concatenate([[0], np.cumsum(counts)])
        number = counts[shape]
        row = np.repeat(np.arange(len(shape)), number)
        member = np.arange(len(row)) - np.repeat(np.cumsum(number) - number, number)
        template = members[start[shape[row]] + member]
        return {"row": row, "body": ids[row].astype(np.int64), "member": member,
                "position": x[row] + rotate(q[row], template[:, :3] * size[row, None]),
                "radius": template[:, 3] * size[row]}

    @cached_property
    def spheres(self) -> np.ndarray:
        """All spheres: ``body`` and ``member`` (numbers from 0), ``position``, ``radius`` [m]."""
        s = self._spheres
        order = np.lexsort((s["member"], s["body"]))
        out = np.empty(len(order), [("body", np.int64), ("member", np.int64),
                                    ("position", np.float64, 3), ("radius", np.float64)])
        for name in out.dtype.names:
            out[name] = s[name][order]
        return out

    # ---- Contacts ----

    @cached_property
    def contacts(self) -> np.ndarray:
        """A row for each contact, in the order and with the signs of ``twirl export contacts``.

        ``body_p`` < ``body_q`` (-1: a wall, then ``member_q`` is its number), ``shift`` (periodic
        image of q), ``normal`` (from p to q), ``overlap`` [m], ``point`` [m], ``branch`` (from
        centre to centre) [m], ``fn``, ``ft``, ``force`` (on p, with damping) [N], ``sliding``,
        ``friction`` (coefficient).
        """
        names = ["p", "q", "surface", "shift", "n", "zeta", "ft", "drag", "sliding"]
        p, q, surface, shift, n, zeta, ft, drag, sliding = self.read(*("contacts/" + s for s in names))
        s, x = self._spheres, self.read("bodies/x")[0]
        spheres, wall = len(s["row"]), surface == 1
        walls, = self.read("walls/material")
        if np.any(p >= spheres) or np.any(q >= np.where(wall, len(walls), spheres)):
            raise RunError(f"{self.path}: damaged: contacts name spheres or walls that do not exist")
        q = q.astype(np.int64)
        other = np.where(wall, 0, q)
        out = np.empty(len(p), CONTACT)
        row_p, row_q = s["row"][p], s["row"][other]
        out["body_p"], out["member_p"] = s["body"][p], s["member"][p]
        out["body_q"] = np.where(wall, NO_BODY, s["body"][other])
        out["member_q"] = np.where(wall, q, s["member"][other])
        out["shift"], out["normal"], out["overlap"] = shift, n, zeta
        kn, power, mu = self._laws(row_p, row_q, q, wall, s["radius"][p], s["radius"][other])
        out["fn"] = fn = np.where(power, kn * (zeta * np.sqrt(zeta)), kn * zeta)
        out["ft"] = ft
        out["force"] = ft - fn[:, None] * n
        if len(drag):
            out["force"] += drag
        out["point"] = s["position"][p] + (s["radius"][p] - 0.5 * zeta)[:, None] * n
        branch = x[row_q] - x[row_p] + shift @ self.cell.T
        out["branch"] = np.where(wall[:, None], out["point"] - x[row_p], branch)
        out["sliding"], out["friction"] = sliding != 0, mu
        self._exchange(out)
        return out[np.lexsort((out["shift"][:, 2], out["shift"][:, 1], out["shift"][:, 0],
                               out["member_q"], out["member_p"], np.where(
                                   out["body_q"] < 0, np.iinfo(np.int64).max, out["body_q"]),
                               out["body_p"]))]

    def _laws(self, row_p: np.ndarray, row_q: np.ndarray, q: np.ndarray, wall: np.ndarray,
              radius_p: np.ndarray, radius_q: np.ndarray) -> tuple:
        """Normal stiffness, whether it is a Hertz contact, and friction of each contact."""
        material, walls, names = self.read("bodies/material", "walls/material", "materials/density")
        kn, mu, normal, flags = self.read("laws/kn", "laws/mu", "laws/normal", "laws/flags")
        of_wall = walls[np.where(wall, q, 0)] if len(walls) else np.zeros(len(q), np.int64)
        law = (material[row_p].astype(np.int64) * len(names)
               + np.where(wall, of_wall, material[row_q]).astype(np.int64))
        if len(law) and law.max() >= len(kn):
            raise RunError(f"{self.path}: damaged: bodies/material does not fit laws/")
        hertz = normal[law] == 1
        reduced = np.where(wall, radius_p, radius_p * radius_q / (radius_p + radius_q))
        root = np.where(hertz & ((flags[law] & 1) != 0), np.sqrt(reduced), 1.0)
        return kn[law] * root, hertz, mu[law]

    def _exchange(self, out: np.ndarray) -> None:
        """Contacts are seen from the body with the smaller id."""
        turn = (out["body_q"] >= 0) & (out["body_q"] < out["body_p"])
        turned = out[turn]
        turned["point"] -= turned["shift"] @ self.cell.T
        for one, two in (("body_p", "body_q"), ("member_p", "member_q")):
            turned[one], turned[two] = out[two][turn], out[one][turn]
        for name in ("shift", "normal", "ft", "force", "branch"):
            turned[name] = -turned[name]
        out[turn] = turned

    @property
    def stress(self) -> np.ndarray:
        """3 x 3: mean of the contact forces over the cell, compression positive [Pa].

        The history also has the share of the velocities, which is small in slow loading.
        """
        c = self.contacts
        return -np.einsum("ki,kj->ij", c["branch"], c["force"]) / self.volume


def rotate(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Vectors rotated by quaternions, row by row."""
    t = 2.0 * np.cross(q[:, 1:], v)
    return v + q[:, :1] * t + np.cross(q[:, 1:], t)


def text_of(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def find_step(paths: List[Path], step: int) -> Optional[Checkpoint]:
    """The first of the files whose state is at this step."""
    for path in paths:
        state = Checkpoint(path)
        if state.steps == step:
            return state
    return None
