# SPDX-License-Identifier: BSD-3-Clause
"""The discrete-element engine."""

from __future__ import annotations

import functools
import os
import re
import threading
import time
from typing import Callable, List, NamedTuple, Optional, Sequence, Union

import numpy as np

from . import native
from ._core import ffi, lib
from .contact import EXAMPLE, EXTRA, Law, law_struct
from .control import COMPONENTS, ControlStatus, Fluid, Target, control_struct, turned
from .errors import Error, Status
from .motion import Motion, structs
from .native import call, text_of
from .table import Table
from .wall import wall_form, wall_servo

#: Types of the tables of bodies, contacts, spheres and walls.
BODY = native.dtype_of("tw_body_state")
CONTACT = native.dtype_of("tw_contact_state")
SPHERE = native.dtype_of("tw_sphere_state")
WALL = native.text_dtype(native.dtype_of("tw_wall_state"))
EVENT = native.dtype_of("tw_event")
_BODY_DEF = native.dtype_of("tw_body_def")
_BODY_DEFAULT = np.frombuffer(ffi.buffer(ffi.new("tw_body_def *", lib.tw_body_def_default())), _BODY_DEF)

#: Kinds of events: body_came, body_left, contact_began, contact_ended.
EVENTS = tuple(text_of(lib.tw_event_name(kind)) for kind in range(lib.TW_EVENT_KINDS))

Measure = native.record_of(ffi.typeof("tw_measure"))
Energy = native.record_of(ffi.typeof("tw_energy"))
ControlReport = native.record_of(ffi.typeof("tw_control_report"))
StableStep = native.record_of(ffi.typeof("tw_stable_step"))
Times = native.record_of(ffi.typeof("tw_sim_times"))


class Rates(NamedTuple):
    """What Sim.rates finds."""

    table: Table  #: a row for each direction, with the members of tw_statics_rate
    angle: np.ndarray  #: of the directions, from the volumetric axis towards that of axial compression [degrees]
    verdict: str  #: unique, not unique, undecided, or no verdict: the state is not in equilibrium
    certificate: Table  #: contacts that show that the response is not unique, as in sim.contacts
    problem: tuple  #: a StaticsProblem: contacts at the limit, residual, stiffness without slip ...
    equilibrium: tuple  #: a StaticsIncrement: what it took to bring the state to equilibrium


_RATE = native.dtype_of("tw_statics_rate")

#: How long steps are run before signals are looked at [s].
_PATIENCE = 0.05


def _alone(method):
    """Only one thread at a time may be in a simulation. Callbacks of a run are in it."""
    @functools.wraps(method)
    def guarded(self, *args, **kwargs):
        if not self._lock.acquire(blocking=False):
            raise Error("the simulation is in use by another thread")
        try:
            return method(self, *args, **kwargs)
        finally:
            self._lock.release()
    return guarded


class Bodies:
    """The engine's arrays of bodies as they are now: `sim.bodies.x`, `sim.bodies.id`, ...

    Row i is body id[i]; the order follows space and changes. `table()` is in the order of ids.
    """

    _COLUMNS = {name: field.type for name, field in ffi.typeof("tw_body_columns").fields if name != "count"}

    def __init__(self, sim: "Sim"):
        self._sim = sim

    def __len__(self):
        return int(lib.tw_sim_body_count(self._sim._open()))

    def __dir__(self):
        return [*super().__dir__(), *self._COLUMNS]

    def __getattr__(self, name) -> np.ndarray:
        if name not in self._COLUMNS:
            raise AttributeError(f"bodies have no '{name}'; they have {', '.join(self._COLUMNS)}, table() and frame()")
        return self._sim._column(name, self._COLUMNS[name].item)

    def table(self) -> Table:
        """A table of the present state with a row per body, in the order of ids: the members of tw_body_state,
        with velocities at the present time and forces with gravity."""
        count = len(self)
        return self._sim._table("tw_body_state", count, lambda to: self._sim._call(lib.tw_sim_get_bodies, to, count))

    def frame(self):
        """The same as a pandas DataFrame, with a column for each component of vectors."""
        return self.table().frame()

    def __repr__(self):
        return f"<{len(self)} bodies: {', '.join(self._COLUMNS)}>"


class Sim:
    """A simulation: rigid bodies of spheres in a cell that deforms, or between walls.

        sim = twirl.Sim(cell=9e-3, law=twirl.contact.Law(kn=1e5, kt=1e5, mu=0.5), damping_local=0.3)
        sim.add(x=positions, size=radii)
        sim.set_control(xx=twirl.stress(1e5), yy=twirl.stress(1e5), zz=twirl.rate(10))
        sim.run(1000)
        sim.measure().q

    `Sim.read(file)` begins with a packing, `Sim.load(file)` with a checkpoint. Settings that are not given have
    the engine's defaults (tw_sim_def in twirl/sim.h): the cell is a cube of 1 m and periodic, dt is automatic.
    `cell` is an edge, three edges, or a matrix with the edges as columns [m].
    """

    def __init__(self, cell=None, law: Optional[Law] = None, *, periodic: Union[bool, Sequence[bool], None] = None,
                 density: Optional[float] = None, gravity: Optional[Sequence[float]] = None,
                 dt: Optional[float] = None, dt_fraction: Optional[float] = None, dt_forced: Optional[bool] = None,
                 mass_scale: Optional[float] = None, damping_mass: Optional[float] = None,
                 damping_spin: Optional[float] = None, damping_local: Optional[float] = None,
                 skin: Optional[float] = None, threads: Optional[int] = None, device: Optional[str] = None):
        settings = {"cell": cell, "periodic": periodic, "density": density, "gravity": gravity, "dt": dt,
                    "dt_fraction": dt_fraction, "dt_forced": dt_forced, "mass_scale": mass_scale,
                    "damping_mass": damping_mass, "damping_spin": damping_spin, "damping_local": damping_local,
                    "skin": skin, "threads": threads, "device": device}
        if law is None:
            raise Error(f"law is missing: {EXAMPLE}")
        definition, _kept = _definition(law, settings)
        self._begin(call(lib.tw_sim_create, definition))

    def _begin(self, pointer):
        self._pointer = ffi.gc(pointer, lib.tw_sim_free)
        self._lock = threading.RLock()
        self.bodies = Bodies(self)

    @classmethod
    def read(cls, path: Union[str, os.PathLike], law: Optional[Law] = None, **settings) -> "Sim":
        """From a packing: CSV of spheres, D-file of OVAL or DEMPLA, x_y_z_r file of YADE, data or dump file of
        LAMMPS. Cell and periodic edges are those of the file; the law may be one of a LAMMPS file."""
        for name in ("cell", "periodic"):
            if settings.get(name) is not None:
                raise TypeError(f"{name}: that of the file is taken")
        specimen = call(lib.tw_specimen_read, native.path_bytes(path))
        try:
            if law is None and not specimen.laws:
                raise Error(f"law is missing: the file has none; {EXAMPLE}")
            definition, _kept = _definition(law, settings)
            sim = cls.__new__(cls)
            sim._begin(call(lib.tw_specimen_build, specimen, definition))
        finally:
            lib.tw_specimen_free(specimen)
        return sim

    @classmethod
    def load(cls, path: Union[str, os.PathLike], *, threads: Optional[int] = None,
             device: Optional[str] = None) -> "Sim":
        """From a checkpoint; it continues with the same bits."""
        sim = cls.__new__(cls)
        with native.files_alone():
            sim._begin(call(lib.tw_sim_load, native.path_bytes(path)))
        if threads is not None:
            sim.threads = threads
        if device is not None:
            sim.device = device
        return sim

    # ---- Calls ----

    def _open(self):
        if self._pointer is None:
            raise Error("the simulation has been closed")
        return self._pointer

    def _call(self, function, *args):
        """A function with the simulation first and a tw_error last."""
        call(function, self._open(), *args)

    def _made(self, ctype, function, *args):
        """What a function writes to a pointer of this type, its last argument before the tw_error."""
        out = ffi.new(ctype + " *")
        self._call(function, *args, out)
        return out[0]

    @_alone
    def _column(self, name, item) -> np.ndarray:
        columns = ffi.new("tw_body_columns *")
        self._call(lib.tw_sim_get_body_columns, columns)
        dtype = native.dtype_of(item)
        array = np.empty((columns.count, *dtype.shape), dtype.base)
        ffi.memmove(ffi.from_buffer(array), getattr(columns, name), array.nbytes)
        return array

    @_alone
    def _table(self, ctype, count, fill) -> Table:
        """A table of structs, which `fill` gets as a pointer."""
        table = np.zeros(count, dtype=native.dtype_of(ctype)).view(Table)
        fill(native.pointer_to(table, ctype + " *"))
        return table

    @_alone
    def close(self) -> None:
        """Frees the simulation."""
        if self._pointer is not None:
            ffi.release(self._pointer)
        self._pointer = None

    def __enter__(self) -> "Sim":
        return self

    def __exit__(self, *_):
        self.close()

    def __reduce__(self):  # also that of copy.copy and copy.deepcopy
        raise TypeError("a simulation cannot be copied or pickled: sim.save(file) and twirl.Sim.load(file) make "
                        "another one with the same state")

    def __repr__(self):
        if self._pointer is None:
            return "<Sim, closed>"
        return f"<Sim: {len(self.bodies)} bodies, step {self.steps}, time {self.time:g} s>"

    # ---- Materials, shapes, bodies, walls ----

    @_alone
    def add_material(self, name: str, density: float, law: Optional[Law] = None) -> int:
        """A new material; returns its number. `law` is that of its contacts with itself; others are set with
        set_law."""
        number = self._made("uint32_t", lib.tw_sim_add_material, native.text_bytes(name, "name"), density)
        if law is not None:
            self.set_law(law, number, number)
        return number

    @property
    def materials(self) -> List[str]:
        """Names of the materials, by number."""
        sim = self._open()
        return [text_of(lib.tw_sim_material_name(sim, k)) for k in range(lib.tw_sim_material_count(sim))]

    @_alone
    def set_law(self, law: Law, a: Optional[int] = None, b: Optional[int] = None) -> None:
        """The law of all contacts, or of those of materials a and b."""
        if a is None:
            self._call(lib.tw_sim_set_law, ffi.addressof(law_struct(law)))
        else:
            self._call(lib.tw_sim_set_pair_law, *_pair(a, b), ffi.addressof(law_struct(law)))

    @_alone
    def law(self, a: int = 0, b: Optional[int] = None) -> Law:
        """The law of contacts of materials a and b."""
        return Law.from_struct(self._made("tw_contact_law", lib.tw_sim_get_pair_law, *_pair(a, b)))

    @_alone
    def add_shape(self, spheres) -> int:
        """A new shape: a union of spheres, rows of x, y, z, radius relative to the size of a body; returns its
        number. Shape 0 is the sphere of radius 1."""
        rows = np.ascontiguousarray(native.floats(spheres, "spheres"))
        if rows.ndim != 2 or rows.shape[1] != 4:
            raise ValueError(f"spheres: expected rows of x, y, z, radius, got shape {rows.shape}")
        return self._made("uint32_t", lib.tw_sim_add_shape, native.pointer_to(rows, "tw_sphere *"), len(rows))

    @_alone
    def add_bumpy(self, satellites: int, satellite_radius: float, central_radius: float, distance: float) -> int:
        """Kuhn's bumpy grain as a new shape; returns its number."""
        satellites = native.index(satellites, "satellites")
        return self._made("uint32_t", lib.tw_sim_add_shape_bumpy, satellites, satellite_radius, central_radius, distance)

    @_alone
    def add(self, x, size, *, shape=0, q=None, v=None, w=None, fixed=False, half_step=False, type=1,
            material=0) -> np.ndarray:
        """Adds bodies and returns their ids. Each argument is one value for all or one per body: positions
        x (n x 3) [m], size (radius of a sphere) [m], shape, orientation q (n x 4), velocities v, w, fixed
        (moves with v and w, whatever acts on it), type, material: the members of tw_body_def."""
        defs = self._defs(shape=shape, size=size, x=x, q=q, v=v, w=w, fixed=fixed, half_step=half_step, type=type,
                          material=material)
        first = lib.tw_sim_next_id(self._open())
        pointer = native.pointer_to(defs, "tw_body_def *")
        for k in range(len(defs)):
            self._call(lib.tw_sim_add_body, pointer + k, ffi.NULL)
        return np.arange(first, first + len(defs), dtype=np.uint32)

    @_alone
    def add_bodies(self, x, size, **members) -> np.ndarray:
        """As `add`, between steps: a prepared simulation stays prepared, with contacts, forces and an automatic dt of
        all bodies. Each call makes a new neighbour list: add many at once."""
        if unknown := set(members) - {*_BODY_DEF.names[1:]}:  # without struct_size
            raise TypeError(f"bodies have no {', '.join(sorted(unknown))}")
        defs = self._defs(x=x, size=size, **members)
        first = self._made("uint32_t", lib.tw_sim_add_bodies, native.pointer_to(defs, "tw_body_def *"), len(defs))
        return np.arange(first, first + len(defs), dtype=np.uint32)

    @_alone
    def remove_bodies(self, ids) -> None:
        """Bodies leave, between steps or before the first; their ids are never used again."""
        ids = np.array(self._ids(ids), dtype=np.uint32)
        self._call(lib.tw_sim_remove_bodies, native.pointer_to(ids, "uint32_t *"), len(ids))

    @_alone
    def record_events(self, *kinds: str) -> None:
        """From now on events of these kinds, of twirl.sim.EVENTS, are recorded, until `take_events` takes them; none: no more.
        While there are events that have not been taken `save` refuses: a checkpoint has none."""
        if unknown := set(kinds) - set(EVENTS):
            raise ValueError(f"events: expected {', '.join(EVENTS)}, got {', '.join(sorted(unknown))}")
        self._call(lib.tw_sim_record_events, sum(1 << EVENTS.index(kind) for kind in set(kinds)))

    @_alone
    def take_events(self) -> Table:
        """What has happened since the last call, a table with the members of tw_event in the order of (step, pair); `kind` is
        a name of twirl.sim.EVENTS."""
        count = lib.tw_sim_event_count(self._open())
        rows = np.zeros(count, dtype=EVENT)
        self._call(lib.tw_sim_take_events, native.pointer_to(rows, "tw_event *"), count, ffi.NULL)
        table = np.zeros(count, dtype=[(name, f"U{max(map(len, EVENTS))}" if name == "kind" else EVENT[name])
                                       for name in EVENT.names if name != "unused"]).view(Table)
        for name in table.dtype.names:
            table[name] = [EVENTS[kind] for kind in rows[name]] if name == "kind" else rows[name]
        return table

    @staticmethod
    def _defs(**values) -> np.ndarray:
        """Definitions of bodies; None: the default."""
        values = {name: _member(name, value) for name, value in values.items() if value is not None}
        rows = np.broadcast_shapes(*(value.shape[:value.ndim - _BODY_DEF[name].ndim]
                                     for name, value in values.items()))
        if len(rows) > 1:
            raise ValueError(f"bodies are a list, not an array of shape {rows}")
        defs = np.full(rows[0] if rows else 1, _BODY_DEFAULT[0], dtype=_BODY_DEF)
        for name, value in values.items():
            defs[name] = value
        return defs

    @_alone
    def set_velocity(self, ids, v=None, w=None) -> None:
        """Velocities [m/s] and angular velocities [rad/s] of bodies at the present time; None: unchanged."""
        ids = self._ids(ids)
        state = ffi.new("tw_body_state *")
        given = [None if one is None else np.broadcast_to(native.rows(one, name, (3,)), (len(ids), 3))
                 for name, one in (("v", v), ("w", w))]
        for k, number in enumerate(ids):
            self._call(lib.tw_sim_get_body, number, state)
            velocity = state.v if given[0] is None else given[0][k].tolist()
            spin = state.w if given[1] is None else given[1][k].tolist()
            self._call(lib.tw_sim_set_body_velocity, number, velocity, spin)

    @_alone
    def set_type(self, ids, type: int) -> None:
        """The caller's number of bodies, from 1."""
        type = native.index(type, "type")
        for number in self._ids(ids):
            self._call(lib.tw_sim_set_body_type, number, type)

    @_alone
    def set_material(self, ids, material: int) -> None:
        """The material of bodies; their masses stay."""
        material = native.index(material, "material")
        for number in self._ids(ids):
            self._call(lib.tw_sim_set_body_material, number, material)

    def _ids(self, ids) -> List[int]:
        """Ids of bodies that exist: one, or a list of them."""
        found = np.atleast_1d(native.indices(ids, "ids"))
        if found.ndim > 1:
            raise IndexError(f"ids: expected one or a list of them, got an array of shape {found.shape}")
        for number in found:
            if lib.tw_sim_body_row(self._open(), number) >= len(self.bodies):
                left = number < lib.tw_sim_next_id(self._open())
                raise IndexError(f"ids: there is no body {number}; " + ("it has left the simulation" if left else
                                 f"the simulation has {len(self.bodies)}"))
        return found.tolist()

    @_alone
    def reset_displacements(self) -> None:
        """Displacements of bodies are counted from now on."""
        lib.tw_sim_reset_displacements(self._open())

    @_alone
    def add_wall(self, point, normal=(0.0, 0.0, 1.0), *, v=(0.0, 0.0, 0.0), force: Optional[float] = None,
                 v_max: float = 0.0, material: int = 0, radius: Optional[float] = None, profile=None, closed: bool = False,
                 mesh=None, scale: float = 1.0, q=None, axis=None, spin=(0.0, 0.0, 0.0), front: bool = False,
                 name: str = "", torque: Optional[float] = None, along=None) -> int:
        """A rigid wall; returns its number. It is a plane through `point` with the normal towards the grains, or

        - with `radius`, a sphere about `point`; negative: the grains are inside [m];
        - with `profile`, a surface of revolution: corners (rho, z) [m] of a chain that is turned about the z axis, `closed` if it goes
          on from the last corner to the first;
        - with `mesh`, triangles: an STL or OBJ file, or (vertices, facets), all lengths times `scale`. With `front` grains touch them
          from the side of their normals only.

        Profile and mesh are in a frame at `point`, turned by the quaternion `q`, or so that its z axis is along `axis`. `spin` is the
        angular velocity [rad/s], of a plane about its normal. `name` is unlike those of other walls.

        With `force` it moves along the direction `along`, by default that of the normal, so that it presses on the grains with this
        force [N], at `v_max` at most [m/s], with which it approaches grains that it does not touch. Zero: per step, a tenth of the
        overlap at which one contact carries the force, and at most a thousandth of the largest radius. With `torque` [N m] it turns
        about the axis `along` through `point`; `v_max` [rad/s] is then likewise at the largest distance from `point`."""
        wall = ffi.new("tw_wall_def *", lib.tw_wall_def_default())
        kept = wall_form(wall, radius, profile, closed, mesh, scale, q, axis)
        wall.spin, wall.front = native.vector(spin, name="spin"), bool(front)
        wall.point, wall.normal = native.vector(point, name="point"), native.vector(normal, name="normal")
        wall.v, wall.material = native.vector(v, name="v"), native.index(material, "material")
        wall_servo(wall, force, torque, along, v_max)
        text = ffi.new("char[]", native.text_bytes(name, "name"))
        wall.name = text
        number = self._made("size_t", lib.tw_sim_add_wall, wall)
        del kept, text
        return number

    @_alone
    def add_platens(self, edge: int, *, material: int = 0) -> int:
        """Two walls on the faces of the cell across an edge (0, 1, 2) that is not periodic, which move with the cell; returns the number
        of the lower one. Bodies do not follow the cell along this edge, and the normal stress is the mean of the forces on both over
        their area."""
        return self._made("size_t", lib.tw_sim_add_platens, edge, native.index(material, "material"))

    @property
    @_alone
    def walls(self) -> Table:
        """A table of the walls: point, normal, v, force and torque of the grains, servo (1 for a force, 2 for a torque) with along
        and target, material, form (0 plane, 1 sphere,
        2 profile, 3 mesh), q, spin, driven: by set_wall_motion, absent: by set_wall_present, platen: by
        add_platens, work on the grains since the start [J], name."""
        count = lib.tw_sim_wall_count(self._open())
        raw = self._table("tw_wall_state", count, lambda to: [self._call(lib.tw_sim_get_wall, k, to + k) for k in range(count)])
        table = np.empty(count, WALL).view(Table)
        for column in WALL.names:
            table[column] = np.char.decode(raw[column], "utf-8", "replace") if raw[column].dtype.kind == "S" else raw[column]
        return table

    @_alone
    def set_wall_servo(self, wall: int, *, force: Optional[float] = None, torque: Optional[float] = None, along=None,
                       v_max: float = 0.0) -> None:
        """Another servo of a wall, as in add_wall; without force and torque none. What it chooses, or chose, begins at rest."""
        servo = ffi.new("tw_wall_def *", lib.tw_wall_def_default())
        wall_servo(servo, force, torque, along, v_max)
        self._call(lib.tw_sim_set_wall_servo, native.index(wall, "wall"), servo)

    @_alone
    def set_wall_velocity(self, wall: int, v) -> None:
        """The velocity of a wall [m/s], unless a servo chooses it."""
        self._call(lib.tw_sim_set_wall_velocity, native.index(wall, "wall"), native.vector(v, name="v"))

    @_alone
    def set_wall_spin(self, wall: int, spin) -> None:
        """The angular velocity of a wall [rad/s], of a plane about its normal, unless a servo chooses it."""
        self._call(lib.tw_sim_set_wall_spin, native.index(wall, "wall"), native.vector(spin, name="spin"))

    @_alone
    def set_wall_present(self, wall: int, present: bool) -> None:
        """Takes a wall away, whose contacts end, or puts it back where it is by then. One with a servo stays."""
        self._call(lib.tw_sim_set_wall_present, native.index(wall, "wall"), bool(present))

    @_alone
    def set_wall_motion(self, wall: int, *parts: Motion) -> None:
        """Prescribes the motion of a wall from now on, by parts of twirl.motion that act one after the other:
        motion.velocity(v), .rotate(rate, axis), .oscillate(amplitude, frequency, direction), .swing(amplitude, frequency, axis),
        .table(rows, direction=). Positions follow from the time and do not drift. Without parts a motion ends: the wall stands."""
        made, kept = structs(parts)
        self._call(lib.tw_sim_set_wall_motion, native.index(wall, "wall"), made, len(parts))
        del kept

    # ---- Settings ----

    @_alone
    def set_control(self, *, simple_shear: bool = False, rate_max: Optional[float] = None,
                    tolerance: Optional[float] = None, fluid: Optional[Fluid] = None, **rows: Target) -> None:
        """Controls the cell: xx, yy, zz, yz, xz, xy as twirl.rate(...) or twirl.stress(...); those not given
        have a strain rate of 0. `fluid`, a twirl.fluid(...), fills the pores: stresses are total ones then, and control.pore_pressure
        is its pressure. twirl/control.h describes the rest."""
        if fluid is not None:
            if not isinstance(fluid, Fluid):
                raise TypeError(f"control: fluid is to be twirl.fluid(...), not {fluid!r}")
            now = self.measure() if fluid.volume is None or fluid.solid is None else None
            fluid = fluid._replace(volume=now.volume if fluid.volume is None else fluid.volume,
                                   solid=(1 - now.porosity) * now.volume if fluid.solid is None else fluid.solid)
        try:
            self._call(lib.tw_sim_set_control, control_struct(rows, simple_shear, rate_max, tolerance, fluid))
        except Error as error:  # rows have names here
            raise Error(re.sub(r"row (\d)", lambda found: list(COMPONENTS)[int(found[1])], error.text), error.status) from None

    @property
    @_alone
    def control(self):
        """How well the control holds: a ControlReport, whose status is a ControlStatus."""
        report = native.record(lib.tw_sim_get_control_report(self._open()))
        return report._replace(status=ControlStatus(report.status), set=turned(report.mode, report.set),
                               value=turned(report.mode, report.value))

    @property
    def velocity_gradient(self) -> np.ndarray:
        """Gradient of velocities of the cell and the bodies in it, dv_i/dx_j [1/s], so negative in compression; setting
        it ends a control."""
        return native.array_of(lib.tw_sim_velocity_gradient(self._open()))

    @velocity_gradient.setter
    @_alone
    def velocity_gradient(self, gradient):
        value = ffi.new("tw_mat3 *", native.matrix(gradient, "velocity_gradient"))
        lib.tw_sim_set_velocity_gradient(self._open(), value)

    @_alone
    def set_damping(self, *, mass: float = 0.0, spin: float = 0.0, local: float = 0.0) -> None:
        """Damping of bodies, as damping_mass, damping_spin and damping_local of the constructor."""
        self._call(lib.tw_sim_set_damping, mass, spin, local)

    @property
    def gravity(self) -> np.ndarray:
        """[m/s^2]"""
        return native.array_of(lib.tw_sim_get_definition(self._open()).gravity)

    @gravity.setter
    @_alone
    def gravity(self, gravity):
        lib.tw_sim_set_gravity(self._open(), native.vector(gravity, name="gravity"))

    @property
    def dt(self) -> float:
        """Time step [s]; 0: automatic, and not yet prepared."""
        return lib.tw_sim_dt(self._open())

    @_alone
    def set_dt(self, dt: float, *, forced: bool = False) -> None:
        """A time step [s]; 0: automatic. A step above the stable one is refused unless forced."""
        self._call(lib.tw_sim_set_dt, dt, bool(forced))

    @property
    def threads(self) -> int:
        """Number of threads; results do not depend on it."""
        return lib.tw_sim_threads(self._open())

    @threads.setter
    @_alone
    def threads(self, threads: int):
        lib.tw_sim_set_threads(self._open(), native.count(threads, "threads", 0, native.THREADS_MAX))

    @property
    def device(self) -> str:
        """Where steps are computed: "cpu", "cuda" or "emulated"; results do not depend on it."""
        return text_of(lib.tw_sim_device(self._open()))

    @device.setter
    @_alone
    def device(self, name: Optional[str]):
        self._call(lib.tw_sim_set_device, ffi.NULL if name is None else native.text_bytes(name, "device"))

    # ---- Running ----

    @_alone
    def prepare(self) -> None:
        """Finds contacts, forces and an automatic dt without taking a step."""
        if not lib.tw_sim_is_prepared(self._open()):
            self._call(lib.tw_sim_prepare)

    @property
    def prepared(self) -> bool:
        """Whether contacts and forces are known."""
        return bool(lib.tw_sim_is_prepared(self._open()))

    @_alone
    def run(self, steps: int, callback: Optional[Callable[["Sim"], object]] = None, *,
            every: int = 1) -> int:
        """Advances by a number of steps, and returns the number taken.

        `callback(sim)` is called after every `every` steps; it may look at the simulation and change it, and ends
        the run by returning what is true. Ctrl-C raises KeyboardInterrupt after a complete step, from which the
        simulation can go on. Other threads of Python run meanwhile.
        """
        steps, every = native.count(steps, "steps", 0), native.count(every, "every", 1)
        done, portion = 0, 1
        while done < steps:
            most = steps - done if callback is None else min(every - done % every, steps - done)
            portion = min(portion, most)
            began = time.monotonic()
            self._call(lib.tw_sim_run, portion)
            spent = time.monotonic() - began
            done += portion
            if callback is not None and done % every == 0 and callback(self):
                break
            portion = max(1, min(2 * portion, int(portion * _PATIENCE / max(spent, 1e-6))))
        return done

    @_alone
    def rotate(self, turn, steps: int = 1) -> None:
        """Rotates cell, bodies and walls rigidly by a rotation vector [rad], in equal increments."""
        steps = native.count(steps, "steps", 1)
        self._call(lib.tw_sim_rotate, native.vector(turn, name="turn"), steps)

    # ---- Looking ----

    @property
    def time(self) -> float:
        """[s]"""
        return lib.tw_sim_time(self._open())

    @property
    def steps(self) -> int:
        """Steps since the start."""
        return lib.tw_sim_steps(self._open())

    @property
    def cell(self) -> np.ndarray:
        """Edges of the cell as columns [m]."""
        return native.array_of(lib.tw_sim_cell(self._open()))

    @property
    def definition(self):
        """All settings, as a named tuple."""
        return native.record(lib.tw_sim_get_definition(self._open()))

    @property
    @_alone
    def hash(self) -> int:
        """Equal for states that will continue with the same bits."""
        return lib.tw_sim_hash(self._open())

    @_alone
    def measure(self):
        """Stress, porosity, fabric, coordination, energies ...: a Measure, with the members of tw_measure. Without contacts
        `unbalanced` is inf, so that ``while sim.measure().unbalanced > 0.01`` waits for them."""
        self.prepare()
        return native.record(self._made("tw_measure", lib.tw_sim_measure))

    @_alone
    def moduli(self):
        """Elastic stiffness of the state while no contact slides: a StaticsModuli, with the members of tw_statics_moduli.
        `stiffness` and its part `geometric` are arrays of 6 x 6 [Pa], in the order xx, yy, zz, yz, xz, xy with engineering shear
        strains, `gradient` one of 3 x 3 x 3 x 3. It needs the sparse solver MUMPS, and a cell that is periodic along all edges."""
        self.prepare()
        statics = call(lib.tw_statics_create, self._open(), ffi.new("tw_statics_def *", lib.tw_statics_def_default()))
        try:
            out = ffi.new("tw_statics_moduli *")
            call(lib.tw_statics_compute_moduli, statics, out)
        finally:
            lib.tw_statics_free(statics)
        found = native.record(out)
        return found._replace(stiffness=found.stiffness.reshape(6, 6), geometric=found.geometric.reshape(6, 6),
                              gradient=found.gradient.reshape(3, 3, 3, 3))

    @_alone
    def rates(self, control: str = "strain", axis: str = "z", count: int = 72) -> Rates:
        """The response of the state to small further loads: unit rates of strain or of stress (`control`) in `count` directions of the
        plane of axial and lateral loading, with contacts that stick or slide as each of them wants it. `table` has strain, stress,
        `no_slip` (what the answer would be without slip), second-order work, `sliding` and `found` (sticks, active set, lemke, none:
        this load has no response, and the answer is nan). As `twirl rates`, it brings a copy of the state to static equilibrium first;
        the simulation stays as it is. It needs the sparse solver MUMPS, and a cell that is periodic along all edges."""
        if control not in ("strain", "stress"):
            raise ValueError(f"control: expected strain or stress, got {control!r}")
        if axis not in ("x", "y", "z"):
            raise ValueError(f"axis: expected x, y or z, got {axis!r}")
        count = native.count(count, "count", 1)
        self.prepare()
        survey = ffi.new("tw_statics_survey *")
        call(lib.tw_statics_compute_survey, self._open(),
             ffi.new("tw_statics_survey_def *", {"count": count, "axis": "xyz".index(axis), "by_stress": control == "stress"}), survey)
        try:
            rows = np.frombuffer(ffi.buffer(survey.rate, count * _RATE.itemsize), dtype=_RATE)
            table = np.zeros(count, dtype=[(name, "U10" if name == "found" else _RATE[name]) for name in _RATE.names]).view(Table)
            for name in _RATE.names:
                table[name] = [native.text_of(lib.tw_statics_found_name(k)) for k in rows[name]] if name == "found" else rows[name]
        finally:
            lib.tw_statics_survey_free(survey)
        held = self._table("tw_contact_state", survey.judgement.certificate_count,
                           lambda to: ffi.memmove(to, survey.certificate, survey.judgement.certificate_count * CONTACT.itemsize))
        problem = native.record(survey.problem)
        return Rates(table, np.arange(count) * (360.0 / count), native.text_of(lib.tw_statics_verdict_name(survey.judgement.verdict)), held,
                     problem._replace(stiffness=problem.stiffness.reshape(6, 6)), native.record(survey.equilibrium))

    @property
    @_alone
    def contacts(self) -> Table:
        """A table of the contacts with the members of tw_contact_state, ordered by ids. The engine writes it once,
        and its columns are views of it. It stays as it is when the simulation goes on; frame() makes a pandas DataFrame."""
        self.prepare()
        count = self._made("size_t", lib.tw_sim_contact_count)
        return self._table("tw_contact_state", count, lambda to: self._call(lib.tw_sim_get_contacts, to, count))

    @_alone
    def set_contacts(self, contacts: np.ndarray) -> None:
        """Sets the history of contacts, rows of `contacts`: see tw_sim_set_contacts. Velocities that are to be those of
        the present time, such as zero, are set after it."""
        if not isinstance(contacts, np.ndarray) or contacts.dtype != CONTACT:
            raise TypeError("contacts: expected rows of sim.contacts, an array with the dtype twirl.sim.CONTACT")
        table = np.ascontiguousarray(contacts)
        self._call(lib.tw_sim_set_contacts, native.pointer_to(table, "tw_contact_state *"), len(table), ffi.NULL)

    @_alone
    def contact_part(self, name: str) -> np.ndarray:
        """What contacts remember for laws with rolling, twisting or damping, in the order of `contacts`: one of the parts of
        twirl.contact.EXTRA, a number or a row of them for each. It is zero where no law needs it."""
        self.prepare()
        shape = EXTRA[name].shape if name in EXTRA.names else ()
        values = np.zeros((self._made("size_t", lib.tw_sim_contact_count), *shape))
        self._call(lib.tw_sim_get_contact_part, native.text_bytes(name, "name"), native.pointer_to(values, "double *"), values.size)
        return values

    @_alone
    def set_contact_part(self, name: str, values) -> None:
        """Sets what contact_part gives: one value for all contacts, or one for each. Some law has to need it."""
        part = self.contact_part(name)
        part[...] = native.floats(values, name)
        self._call(lib.tw_sim_set_contact_part, native.text_bytes(name, "name"), native.pointer_to(part, "double *"), part.size)

    @property
    @_alone
    def spheres(self) -> Table:
        """A table of all spheres: x, radius, body, member."""
        count = lib.tw_sim_sphere_count(self._open())
        return self._table("tw_sphere_state", count, lambda to: self._call(lib.tw_sim_get_spheres, to, count))

    @_alone
    def stable_step(self):
        """A stable time step and the body that limits it: a StableStep."""
        self.prepare()
        return native.record(self._made("tw_stable_step", lib.tw_sim_get_stable_step))

    @property
    def times(self):
        """Time spent in each phase by steps and measures [s], summed over threads: Times."""
        return native.record(lib.tw_sim_get_times(self._open()))

    # ---- Files ----

    @_alone
    def save(self, path: Union[str, os.PathLike], label: str = "") -> None:
        """Writes a checkpoint, from which Sim.load continues with the same bits."""
        with native.files_alone():
            self._call(lib.tw_sim_save_labelled, native.path_bytes(path), native.text_bytes(label, "label"))

    @property
    def label(self) -> str:
        """The label of the checkpoint that the simulation was loaded from."""
        return text_of(lib.tw_sim_label(self._open()))

    @_alone
    def export_csv(self, path: Union[str, os.PathLike]) -> None:
        """The spheres as CSV, as Sim.read takes it."""
        self._call(lib.tw_export_csv, native.path_bytes(path))

    @_alone
    def export_vtk(self, folder: Union[str, os.PathLike], name: str, frame: int = 0) -> None:
        """Spheres, contacts and cell for ParaView, in an existing folder."""
        self._call(lib.tw_export_vtk, native.path_bytes(folder), native.text_bytes(name, "name"),
                   native.index(frame, "frame"))


def _member(name, value):
    """Values of a member of tw_body_def."""
    if name in ("fixed", "half_step"):
        return native.flags(value, name)
    member = _BODY_DEF[name]
    return native.indices(value, name) if member.kind in "iu" else native.rows(value, name, member.shape)


def _pair(a, b):
    """Numbers of two materials; None: the same."""
    a = native.index(a, "a")
    return a, a if b is None else native.index(b, "b")


def _definition(law, settings):
    """A tw_sim_def, and what it points to."""
    definition = ffi.new("tw_sim_def *", lib.tw_sim_def_default())
    kept = []
    if law is not None:
        definition.law = law_struct(law)
    for name, value in settings.items():
        if not hasattr(definition, name) or name in ("law", "struct_size"):
            raise TypeError(f"a simulation has no setting '{name}'")
        if value is None:
            continue
        if name == "cell":
            value = native.matrix(value, name)
        elif name == "periodic":
            value = native.flags(value, name)
            if value.shape not in ((), (3,)):
                raise ValueError(f"periodic: expected one or three truth values, got an array of shape {value.shape}")
            value = np.broadcast_to(value, (3,)).astype(int).tolist()
        elif name == "gravity":
            value = native.vector(value, name=name)
        elif name == "device":
            value = ffi.new("char[]", native.text_bytes(value, name))
            kept.append(value)
        native.set_member(definition, name, value)
    return definition, kept


def check_device(name: str) -> None:
    """Raises twirl.Error if a device cannot be used."""
    call(lib.tw_sim_check_device, native.text_bytes(name, "name"))


__all__ = ["BODY", "CONTACT", "SPHERE", "WALL", "Bodies", "ControlReport", "Energy", "Measure", "Sim", "StableStep",
           "Status", "Times", "check_device"]
