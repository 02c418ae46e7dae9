# SPDX-License-Identifier: BSD-3-Clause
"""A state that was saved: bodies, spheres and contacts as arrays, read with h5py."""

from __future__ import annotations

import os
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Set

import numpy as np

from .errors import MissingRunError
from .results_files import RunError, is_file, quote, unreadable
from .results_hash import hash_file
from .table import Table

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


#: Type, and shape of a row or of the value, of the datasets that are used here.
FORMS: Dict[str, tuple] = {
    "state/steps": ("u8",), "state/time": ("f8",), "cell/h": ("f8", 3, 3),
    **{f"bodies/{name}": ("u4",) for name in ("id", "shape", "material")},
    **{f"bodies/{name}": ("f8",) for name in ("size", "mass")},
    **{f"bodies/{name}": ("f8", 3) for name in ("x", "x_start", "image")}, "bodies/q": ("f8", 4),
    "shapes/count": ("u8",), "shapes/spheres": ("f8", 4), "shapes/volume": ("f8",),
    "materials/name": ("u1", 64), "materials/density": ("f8",), "walls/material": ("u4",),
    "laws/kn": ("f8",), "laws/mu": ("f8",), "laws/normal": ("i4",), "laws/flags": ("u4",),
    **{f"contacts/{name}": ("u4",) for name in ("p", "q")},
    **{f"contacts/{name}": ("u1",) for name in ("surface", "sliding")},
    **{f"contacts/{name}": ("f8", 3) for name in ("n", "ft", "drag")},
    "contacts/shift": ("i1", 3), "contacts/zeta": ("f8",)}

#: Files of up to this size are verified when they are opened [bytes].
VERIFIED = 32 << 20

#: Device, number, size and time of files that have been verified.
_verified: Set[tuple] = set()


class Checkpoint:
    """The state in a checkpoint; arrays are read when they are first used.

    Rows are in the order of the ids of the bodies, so that rows of two states of a run belong to
    the same grains. The file is opened read-only and closed again after each read.
    """

    def __init__(self, path: os.PathLike[str] | str):
        self.path = Path(path)
        self._check_header()
        if self._size <= VERIFIED:
            self.verify()
        with self._open() as file:
            #: Program that wrote the file.
            self.program: str = self._attribute(file, "program")
            #: What the state is: identity of the run, name, step.
            self.label: str = self._attribute(file, "label")
            #: Number of steps.
            self.steps = int(self._from(file, "state/steps")[()])
            #: Time [s].
            self.time = float(self._from(file, "state/time")[()])
            #: Number of bodies.
            self.count = len(self._from(file, "bodies/id"))

    def __repr__(self) -> str:
        return f"<twirl.Checkpoint {str(self.path)!r}: {self.count} bodies, step {self.steps}>"

    # ---- The file ----

    def _check_header(self) -> None:
        if not is_file(self.path):
            if not os.path.lexists(self.path):
                raise MissingRunError(f"{self.path}: no such file")
            raise RunError(f"{self.path}: not a regular file")
        try:
            with open(self.path, "rb") as file:
                self._header, self._size = file.read(HEADER), os.fstat(file.fileno()).st_size
        except OSError as error:
            raise unreadable(self.path, "cannot be read", error) from None
        lines = self._header.split(b"\n")
        if not lines[0].startswith(b"twirl checkpoint "):
            raise RunError(f"{self.path}: not a checkpoint of twirl")
        version = lines[0][17:].decode("ascii", "replace")
        if version != str(VERSION):
            raise RunError(f"{self.path}: checkpoint of format {quote(version)}; this version reads "
                           f"format {VERSION}")
        told = lines[1][6:] if len(lines) > 1 else b""
        if not told.isdigit() or len(told) > 20 or int(told) != self._size:
            raise RunError(f"{self.path}: damaged: {self._size} bytes, but its header tells "
                           f"{quote(told.decode('ascii', 'replace').lstrip('0'))}")

    def verify(self) -> None:
        """Raises RunError if the file is not, byte for byte, what the program has written.

        It is done on opening for files of up to 32 MB, some 40 000 grains. Larger ones take a minute per gigabyte;
        ``twirl info`` takes a second.
        """
        about = os.stat(self.path)
        key = about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns
        if key in _verified:
            return
        try:
            with open(self.path, "rb") as file:
                file.seek(HEADER)
                value = hash_file(file, VERSION)
        except OSError as error:
            raise unreadable(self.path, "cannot be read", error) from None
        made = (f"twirl checkpoint {VERSION}\nbytes {self._size:020d}\nhash {value:016x}\nAn HDF5 file follows this "
                f"{HEADER}-byte header; the hash is that of the HDF5 part.\n").encode()
        if self._header != made.ljust(HEADER, b"\0"):
            raise RunError(f"{self.path}: damaged, or changed by another program: the hash of its content is not the "
                           "one it was written with")
        _verified.add(key)

    @contextmanager
    def _open(self) -> Iterator[Any]:
        """The file of h5py. What it raises is damage of the file."""
        try:
            import h5py
        except ImportError:
            raise RunError("h5py is missing, which reads checkpoints (Debian: python3-h5py)") from None
        try:
            with h5py.File(self.path, "r") as file:
                yield file
        except (LookupError, MemoryError, OSError, RuntimeError, TypeError, ValueError) as error:
            raise self._damaged(str(error) or type(error).__name__) from None

    def _damaged(self, what: str) -> RunError:
        return RunError(f"{self.path}: damaged: {what}")

    def _attribute(self, file: Any, name: str) -> str:
        value = file.attrs.get(name, "")
        if not isinstance(value, (bytes, str)):
            raise self._damaged(f"the attribute {name} is not a text")
        return text_of(value)

    def _from(self, file: Any, name: str) -> Any:
        """A dataset that is in this file, as the program writes them: none that leads to other files, and none that
        is larger than the file."""
        import h5py
        found = file
        for part in name.split("/"):
            link = found.get(part, getlink=True) if part and isinstance(found, h5py.Group) else None
            if link is None:
                raise self._damaged(f"no dataset {name}")
            if not isinstance(link, h5py.HardLink):
                raise self._damaged(f"{name} is a link")
            found = found[part]
        if not isinstance(found, h5py.Dataset):
            raise self._damaged(f"no dataset {name}")
        plan = found.id.get_create_plist()
        if plan.get_layout() != h5py.h5d.CONTIGUOUS or plan.get_external_count() > 0:
            raise self._damaged(f"{name} is not stored in one piece in the file")
        if found.shape is None or found.dtype.kind not in "iuf" or found.size * found.dtype.itemsize > self._size:
            raise self._damaged(f"{name} is larger than the file, or has no numbers")
        if name in FORMS:
            self._check_form(name, found)
        return found

    def _check_form(self, name: str, found: Any) -> None:
        kind, tail = FORMS[name][0], tuple(FORMS[name][1:])
        rows = name.partition("/")[0] not in ("cell", "state")
        if found.dtype != kind or len(found.shape) != rows + len(tail) or found.shape[rows:] != tail:
            raise self._damaged(f"{name} is {found.dtype} of shape {found.shape}; expected "
                                f"{np.dtype(kind)}, {'rows of ' if rows else ''}{tail or 'single numbers'}")

    def read(self, *names: str) -> List[np.ndarray]:
        """Datasets by name, as they are in the file: ``read("bodies/x", "cell/h")``.

        docs/guide/checkpoint.md lists them. Rows of bodies are sorted in space here, not by id.
        """
        with self._open() as file:
            return [self._from(file, name)[()] for name in names]

    def _rows(self, *names: str, count: Optional[int] = None) -> List[np.ndarray]:
        """The same of datasets that have as many rows as the first, or `count`."""
        found = self.read(*names)
        wanted = len(found[0]) if count is None else count
        for name, values in zip(names, found):
            if len(values) != wanted:
                raise self._damaged(f"{name} has {len(values)} rows instead of {wanted}")
        return found

    def _by_id(self, name: str) -> np.ndarray:
        return self._rows(name, count=self.count)[0][self._order]

    @cached_property
    def _order(self) -> np.ndarray:
        ids, = self._rows("bodies/id", count=self.count)
        order = np.argsort(ids, kind="stable")
        if not np.array_equal(ids[order], np.arange(self.count)):
            raise self._damaged("bodies/id does not have each id once")
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
        self._check_numbers("bodies/shape", self._shapes, len(volume))
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
        material = self._by_id("bodies/material")
        self._check_numbers("bodies/material", material, len(texts))
        return texts[material]

    @cached_property
    def displacements(self) -> np.ndarray:
        """n x 3: since the stage began, with the motion of the cell [m]."""
        return self.positions + self._by_id("bodies/image") @ self.cell.T - self._by_id("bodies/x_start")

    def _check_numbers(self, name: str, numbers: np.ndarray, count: int) -> None:
        if len(numbers) and int(numbers.max()) >= count:
            raise self._damaged(f"{name} has the number {numbers.max()}, and there are {count}")

    @cached_property
    def _shapes(self) -> np.ndarray:
        return self._by_id("bodies/shape")

    # ---- Spheres ----

    @cached_property
    def _spheres(self) -> Dict[str, np.ndarray]:
        """In the order of the file: body by body as they are stored, members as in the shape."""
        shape, size, x, q, ids = self._rows("bodies/shape", "bodies/size", "bodies/x", "bodies/q",
                                            "bodies/id", count=self.count)
        counts, members = self.read("shapes/count", "shapes/spheres")
        self._check_numbers("bodies/shape", shape, len(counts))
        if sum(counts.tolist()) != len(members):
            raise self._damaged("shapes/count does not fit shapes/spheres")
        counts = counts.astype(np.int64)
        start = np.concatenate([[0], np.cumsum(counts)])
        number = counts[shape]
        if number.sum() >= 2**32:
            raise self._damaged(f"{number.sum()} spheres")
        row = np.repeat(np.arange(len(shape)), number)
        member = np.arange(len(row)) - np.repeat(np.cumsum(number) - number, number)
        template = members[start[shape[row]] + member]
        return {"row": row, "body": ids[row].astype(np.int64), "member": member,
                "position": x[row] + rotate(q[row], template[:, :3] * size[row, None]),
                "radius": template[:, 3] * size[row]}

    @cached_property
    def spheres(self) -> Table:
        """All spheres: ``body`` and ``member`` (numbers from 0), ``position``, ``radius`` [m]."""
        s = self._spheres
        order = np.lexsort((s["member"], s["body"]))
        out = np.empty(len(order), [("body", np.int64), ("member", np.int64),
                                    ("position", np.float64, 3), ("radius", np.float64)]).view(Table)
        for name in out.dtype.names:
            out[name] = s[name][order]
        return out

    # ---- Contacts ----

    @cached_property
    def contacts(self) -> Table:
        """A row for each contact, in the order and with the signs of ``twirl export contacts``.

        ``body_p`` < ``body_q`` (-1: a wall, then ``member_q`` is its number), ``shift`` (periodic
        image of q), ``normal`` (from p to q), ``overlap`` [m], ``point`` [m], ``branch`` (from
        centre to centre) [m], ``fn``, ``ft``, ``force`` (on p, with damping) [N], ``sliding``,
        ``friction`` (coefficient).
        """
        names = ["p", "q", "surface", "shift", "n", "zeta", "ft", "sliding"]
        p, q, surface, shift, n, zeta, ft, sliding = self._rows(*("contacts/" + s for s in names))
        drag, = self.read("contacts/drag")
        s, x = self._spheres, self.read("bodies/x")[0]
        spheres, wall = len(s["row"]), surface == 1
        walls, = self.read("walls/material")
        if np.any(p >= spheres) or np.any(surface > 1) or np.any(q >= np.where(wall, len(walls), spheres)):
            raise self._damaged("contacts name spheres or walls that do not exist")
        if len(drag) not in (0, len(p)):
            raise self._damaged(f"contacts/drag has {len(drag)} rows instead of {len(p)}")
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
                               out["body_p"]))].view(Table)

    def _laws(self, row_p: np.ndarray, row_q: np.ndarray, q: np.ndarray, wall: np.ndarray,
              radius_p: np.ndarray, radius_q: np.ndarray) -> tuple:
        """Normal stiffness, whether it is a Hertz contact, and friction of each contact."""
        material, = self._rows("bodies/material", count=self.count)
        walls, names = self.read("walls/material", "materials/density")
        kn, mu, normal, flags = self._rows("laws/kn", "laws/mu", "laws/normal", "laws/flags", count=len(names)**2)
        self._check_numbers("bodies/material", material, len(names))
        self._check_numbers("walls/material", walls, len(names))
        of_wall = walls[np.where(wall, q, 0)] if len(walls) else np.zeros(len(q), np.int64)
        law = (material[row_p].astype(np.int64) * len(names)
               + np.where(wall, of_wall, material[row_q]).astype(np.int64))
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
