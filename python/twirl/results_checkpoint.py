# SPDX-License-Identifier: BSD-3-Clause
"""A state that was saved: bodies, spheres, walls and contacts as tables, read by the library."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence

import numpy as np

from ._core import lib
from .errors import Error, MissingRunError, RunError
from .results_files import is_file
from .sim import CONTACT, Sim
from .table import Table

if TYPE_CHECKING:
    from .fields import Fields

__all__ = ["Checkpoint"]

#: Rows of contacts have numbers with a sign, of which -1 is none, and truth values where the engine has its own.
TYPES = {"body_p": np.int64, "body_q": np.int64, "member_p": np.int64, "member_q": np.int64, "sliding": np.bool_}
STATE_CONTACT = np.dtype([*((name, TYPES.get(name, CONTACT[name])) for name in CONTACT.names), ("friction", np.float64)])
NO_BODY = -1


class Checkpoint:
    """The state in a checkpoint; its tables have the columns of those of Sim.

    Rows are in ascending order of the ids of the bodies, a column of ``bodies``: rows of two states
    belong to the same grains if none has come or gone. A file that is not, byte for byte, as the program has written it is refused.
    """

    def __init__(self, path: os.PathLike[str] | str):
        self.path = Path(path)
        if not is_file(self.path):
            if not os.path.lexists(self.path):
                raise MissingRunError(f"{self.path}: no such file")
            raise RunError(f"{self.path}: not a regular file")
        try:
            self._sim = Sim.load(self.path, threads=1)
        except Error as error:
            raise RunError(error.text) from None
        #: What the state is: identity of the run, name, step.
        self.label: str = self._sim.label
        #: Number of steps.
        self.steps: int = self._sim.steps
        #: Time [s].
        self.time: float = self._sim.time
        #: Number of bodies.
        self.count = len(self._sim.bodies)

    def __repr__(self) -> str:
        return f"<twirl.Checkpoint {str(self.path)!r}: {self.count} bodies, step {self.steps}>"

    def read(self, *names: str) -> List[np.ndarray]:
        """Datasets by name, as they are in the file: ``read("bodies/flags", "cell/h")``. It needs h5py.

        docs/guide/checkpoint.md lists them. Rows of bodies are sorted in space here, not by id.
        """
        try:
            import h5py
        except ImportError:
            raise RunError("h5py is missing, which reads datasets (Debian: python3-h5py)") from None
        try:
            with h5py.File(self.path, "r") as file:
                return [dataset(file, name)[()] for name in names]
        except (LookupError, MemoryError, OSError, RuntimeError, TypeError, ValueError) as error:
            raise RunError(f"{self.path}: {error}") from None

    # ---- Cell and bodies ----

    @cached_property
    def cell(self) -> np.ndarray:
        """3 x 3, edges as columns [m]."""
        return self._sim.cell

    @property
    def volume(self) -> float:
        """Of the cell [m^3]."""
        return float(abs(np.linalg.det(self.cell)))

    @cached_property
    def bodies(self) -> Table:
        """A row for each body, with the members of tw_body_state: x, q, v, w, mass, displacement ..."""
        return self._sim.bodies.table()

    @cached_property
    def volumes(self) -> np.ndarray:
        """Of the bodies, unions of their spheres [m^3]."""
        return self.read("shapes/volume")[0][self.bodies["shape"]] * self.bodies["size"]**3

    @cached_property
    def radii(self) -> np.ndarray:
        """Radius of the sphere of equal volume, for a sphere its radius [m]."""
        return np.cbrt(self.volumes * (0.75 / np.pi))

    @property
    def grading(self) -> Dict[str, float]:
        """Diameters of spheres of equal volume below which 10, 30, 50 and 60 % of the volume are, D10 ... D60 [m], and their
        coefficients Cu = D60/D10, Cc = D30^2/(D10 D60), as ``twirl info`` prints them."""
        volumes = np.sort(self.volumes)
        finer = np.cumsum(volumes)
        shares = {"D10": 0.1, "D30": 0.3, "D50": 0.5, "D60": 0.6}
        out = {name: float(np.cbrt(6.0 / np.pi * volumes[np.searchsorted(finer[:-1], share * finer[-1])]))
               for name, share in shares.items()}
        return {**out, "Cu": out["D60"] / out["D10"], "Cc": out["D30"]**2 / (out["D10"] * out["D60"])}

    @property
    def materials(self) -> List[str]:
        """Names of the materials, by number, which is a column of ``bodies``."""
        return self._sim.materials

    @cached_property
    def spheres(self) -> Table:
        """All spheres: x, radius [m], body, member."""
        return self._sim.spheres

    @cached_property
    def walls(self) -> Table:
        """All walls, with the columns of Sim.walls."""
        return self._sim.walls

    # ---- Contacts ----

    @cached_property
    def contacts(self) -> Table:
        """A row for each contact, in the order and with the signs of ``twirl export contacts``: the members of
        tw_contact_state, and ``friction``, the coefficient. ``body_q`` is -1 for a wall."""
        found = self._sim.contacts
        out = np.empty(len(found), STATE_CONTACT).view(Table)
        for name in CONTACT.names:
            out[name] = found[name]
        wall, materials = found["body_q"] == lib.TW_NO_BODY, range(len(self.materials))
        out["body_q"][wall] = NO_BODY
        row = np.searchsorted(self.bodies["id"], np.where(wall, 0, out["body_q"]))
        other = self.bodies["material"][row]
        other[wall] = self.walls["material"][out["member_q"][wall]]
        friction = np.array([[self._sim.law(a, b).mu for b in materials] for a in materials])
        out["friction"] = friction[self.bodies["material"][np.searchsorted(self.bodies["id"], out["body_p"])], other]
        return out

    @property
    def stress(self) -> np.ndarray:
        """3 x 3: mean of the contact forces over the cell, compression positive [Pa].

        The history also has the share of the velocities, which is small in slow loading.
        """
        return self.measure().stress

    def fields(self, bins: Sequence[int], before: Optional[Checkpoint] = None, window: Optional[float] = None) -> Fields:
        """Porosity and stress at the middle of equal bins along the three edges of the cell; with an earlier state of the run also
        strain and rotation since then: ``state.fields((4, 4, 8), before=start).write_vtk("fields.vts")``. Grains and contacts within
        ``window`` [m] count, by default three mean diameters."""
        from .fields import Fields

        return Fields(self, bins, before, window)

    def measure(self):
        """Stress, porosity, fabric, coordination, energies ... as those of Sim."""
        return self._sim.measure()

    def moduli(self):
        """The elastic stiffness of the state, as that of Sim."""
        return self._sim.moduli()

    def rates(self, control: str = "strain", axis: str = "z", count: int = 72):
        """The response to small further loads, and whether it is unique, as that of Sim."""
        return self._sim.rates(control, axis, count)


def dataset(file: Any, name: str) -> Any:
    """A dataset of a file of h5py, as the program writes them: none that leads to other files, and none that is larger
    than the file."""
    import h5py
    found = file
    for part in name.split("/"):
        link = found.get(part, getlink=True) if part and isinstance(found, h5py.Group) else None
        if link is None:
            raise LookupError(f"no dataset {name}")
        if not isinstance(link, h5py.HardLink):
            raise ValueError(f"{name} is a link")
        found = found[part]
    if not isinstance(found, h5py.Dataset):
        raise LookupError(f"no dataset {name}")
    plan = found.id.get_create_plist()
    if plan.get_layout() != h5py.h5d.CONTIGUOUS or plan.get_external_count() > 0:
        raise ValueError(f"{name} is not stored in one piece in the file")
    if found.shape is None or found.dtype.kind not in "iuf" or found.size * found.dtype.itemsize > file.id.get_filesize():
        raise ValueError(f"{name} is larger than the file, or has no numbers")
    return found
