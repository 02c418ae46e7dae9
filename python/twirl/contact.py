# SPDX-License-Identifier: BSD-3-Clause
"""The contact law over arrays.

    from twirl import contact
    law = contact.Law(kn=1e6, kt=1e6, mu=0.5)
    memory = contact.memories(n=[0, 0, 1], zeta=1e-3, count=1000000)
    motion = contact.motions(n=[0, 0, 1], zeta=1e-3, du=[2e-3, 0, 0], count=1000000)
    load = contact.advance(law, motion, memory)        # memory has the state after the step
    load["f"], load["sliding"], memory["ft"]

The arrays are structured, with the members of tw_contact_motion, tw_contact_memory, tw_contact_load, tw_contact_tangent and
the parts of tw_contact_extra (twirl/contact.h), and are passed to the library as they are, without a copy.
"""

from __future__ import annotations

from typing import Optional, Sequence, Union

import numpy as np

from . import native
from ._core import ffi, lib
from .errors import Error
from .native import text_of

MOTION = native.dtype_of("tw_contact_motion")
MEMORY = native.dtype_of("tw_contact_memory")
_PARTS = [lib.tw_contact_part_at(k) for k in range(lib.tw_contact_part_count())]
EXTRA = np.dtype([(text_of(part.name), "f8", (part.numbers,)) if part.numbers > 1 else (text_of(part.name), "f8")
                  for part in _PARTS])
LOAD = native.dtype_of("tw_contact_load")
TANGENT = native.dtype_of("tw_contact_tangent")

#: For messages.
EXAMPLE = "twirl.Law(kn=1e5, kt=1e5, mu=0.5), say"

_REFINEMENTS = [lib.TW_CONTACT_FRESH, lib.TW_CONTACT_INSTANT, lib.TW_CONTACT_TURNING, lib.TW_CONTACT_TILT,
                lib.TW_CONTACT_TWIRL, lib.TW_CONTACT_RESCALE]

#: Members that may be given as words: number of a word, number of words, word of a number.
_WORDS = {"kind": (lib.tw_contact_kind_named, lib.TW_CONTACT_KINDS, lib.tw_contact_kind_name),
          "normal": (lib.tw_contact_normal_named, lib.TW_CONTACT_NORMALS, lib.tw_contact_normal_name)}


def _number_of(member: str, word: str) -> int:
    find, count, name = _WORDS[member]
    number = find(word.encode())
    if number < 0:
        raise Error(f"{member}: '{word}' is unknown; choices: {', '.join(text_of(name(k)) for k in range(count))}")
    return number


class Constants:
    """A struct of constants, which cannot be changed."""

    __slots__ = ("_struct",)
    _TYPE: str
    _MEMBERS: tuple

    def _begin(self, values):
        """Gives the struct its defaults and these values; None: not given."""
        name_of_type = self._TYPE.rpartition("_")[2]
        object.__setattr__(self, "_struct", ffi.new(self._TYPE + " *", getattr(lib, self._TYPE + "_default")()))
        for name, value in values.items():
            if name not in self._MEMBERS:
                raise TypeError(f"a {name_of_type} has no '{name}'; it has {', '.join(self._MEMBERS)}")
            if value is not None:
                is_word = name in _WORDS and isinstance(value, str)
                native.set_member(self._struct, name, _number_of(name, value) if is_word else value)

    def _problem(self):
        """What is wrong with the values, as the library says; NULL: nothing."""
        return getattr(lib, self._TYPE + "_check")(self._struct)

    def __setattr__(self, name, value):
        raise AttributeError(f"a {self._TYPE.rpartition('_')[2]} cannot be changed; replace({name}=...) makes another")

    def __getattr__(self, name):
        if name not in self._MEMBERS:
            raise AttributeError(f"a {self._TYPE.rpartition('_')[2]} has no '{name}'")
        value = getattr(self._struct, name)
        return text_of(_WORDS[name][2](value)) if name in _WORDS else value

    def _values(self):
        return {name: getattr(self._struct, name) for name in self._MEMBERS}

    def replace(self, **changes):
        """Another one, with some values changed."""
        return type(self)(**{**self._values(), **changes})

    def __reduce__(self):
        return _rebuilt, (type(self), self._values())

    def __eq__(self, other):
        return self._values() == other._values() if type(self) is type(other) else NotImplemented

    def __hash__(self):
        return hash(tuple(self._values().values()))

    def __repr__(self):
        default = getattr(lib, self._TYPE + "_default")()
        parts = [f"{name}={getattr(self, name)!r}" for name, value in self._values().items()
                 if value != getattr(default, name)]
        return f"{type(self).__name__}({', '.join(parts)})"


def _rebuilt(kind, members):
    """A copy of a law or material, also of one from another process."""
    return kind(**members)


class Law(Constants):
    """The constants of a contact: the members of tw_contact_law, with its defaults.

    `kind` ("exact", "paper", "conventional") and `normal` ("linear", "hertz") may be given as words, and
    `without` names refinements to be switched off ("fresh", "instant", "turning", "tilt", "twirl", "rescale").
    A law cannot be changed; `law.replace(mu=0.3)` makes another. An invalid law raises twirl.Error.
    """

    __slots__ = ()
    _TYPE = "tw_contact_law"
    _MEMBERS = tuple(name for name, _ in ffi.typeof(_TYPE).fields)

    def __init__(self, kn: Optional[float] = None, kt: Optional[float] = None, mu: Optional[float] = None, *,
                 kind: Union[str, int, None] = None, normal: Union[str, int, None] = None,
                 without: Union[str, Sequence[str]] = (), **more):
        self._begin({"kn": kn, "kt": kt, "mu": mu, "kind": kind, "normal": normal, **more})
        for name in [without] if isinstance(without, str) else without:
            bit = lib.tw_contact_refinement_named(name.encode())
            if not bit:
                known = ", ".join(text_of(lib.tw_contact_refinement_name(one)) for one in _REFINEMENTS)
                raise Error(f"'{name}' is not a refinement; choices: {known}")
            self._struct.refine &= ~bit
        if kn is None:
            raise Error(f"kn is missing: {EXAMPLE}")
        if self._problem():
            raise Error(text_of(self._problem()))

    @staticmethod
    def from_struct(struct) -> "Law":
        """From a tw_contact_law of the engine."""
        law = Law.__new__(Law)
        object.__setattr__(law, "_struct", ffi.new("tw_contact_law *", struct))
        return law

    @property
    def extras(self) -> bool:
        """Whether the law needs an array of extras: rolling, twisting or damping."""
        return lib.tw_contact_law_extras(self._struct) != 0


class Material(Constants):
    """The constants of a material: the members of tw_material (twirl/material.h), with its defaults.

    `Material(normal="hertz", young=70e9, poisson=0.2, friction=0.4).law()` is the law of contacts of two such grains,
    `a.law(b)` of a grain of each.
    """

    __slots__ = ()
    _TYPE = "tw_material"
    _MEMBERS = tuple(name for name, _ in ffi.typeof(_TYPE).fields if name != "struct_size")

    def __init__(self, **values):
        self._begin(values)
        if self._problem():
            raise Error(self._missing(values) or text_of(self._problem()))

    def _missing(self, values):
        """What a material of this kind needs and has not been given."""
        linear, hertz = ["kn", "kt", "modulus"], ["young", "poisson"]
        needed, others, other = ("kn", hertz, "hertz") if self.normal == "linear" else ("young", linear, "linear")
        if needed in values or "modulus" in values and needed == "kn":
            return None
        given = [name for name in others if name in values]
        why = f"{', '.join(given)} belong{'s' if len(given) == 1 else ''} to normal='{other}'"
        return f"{needed} is missing: {why if given else f'normal is {self.normal!r}'}"

    def law(self, other: Optional["Material"] = None) -> Law:
        """The law of contacts with another material, or with this one."""
        law = ffi.new("tw_contact_law *")
        why = lib.tw_material_pair_law(self._struct, (other or self)._struct, law)
        if why:
            raise Error(text_of(why))
        return Law.from_struct(law[0])


def law_struct(law):
    """The tw_contact_law of a Law."""
    if not isinstance(law, Law):
        hint = ": that of a material is material.law()" if isinstance(law, Material) else ""
        raise TypeError(f"law: expected a twirl.Law, not {law!r:.100}{hint}")
    return law._struct[0]


def _table(dtype, count, values):
    for name in values:
        if name not in dtype.names:
            raise TypeError(f"there is no '{name}'; there are {', '.join(dtype.names)}")
    shapes = [np.shape(value)[:np.ndim(value) - dtype[name].ndim] for name, value in values.items()]
    size = np.broadcast_shapes((count,) if count is not None else (), *shapes)
    table = np.zeros(size or (1,), dtype=dtype)
    for name, value in values.items():
        table[name] = value
    return table


def motions(count: Optional[int] = None, **values) -> np.ndarray:
    """An array of motions; values not given are 0. Each value is one for all contacts or one per contact."""
    return _table(MOTION, count, values)


def memories(count: Optional[int] = None, **values) -> np.ndarray:
    """An array of memories: n, zeta, ft; values not given are 0."""
    return _table(MEMORY, count, values)


def extras(count: int) -> np.ndarray:
    """An array of extras of new contacts."""
    return np.zeros(count, dtype=EXTRA)


def _checked(array, dtype, name, count, writable):
    if not isinstance(array, np.ndarray) or array.dtype != dtype:
        raise TypeError(f"{name}: expected an array with the dtype contact.{name.upper()}")
    if array.ndim != 1 or not array.flags.c_contiguous:
        raise ValueError(f"{name}: expected a contiguous array with one dimension")
    if count is not None and len(array) != count:
        raise ValueError(f"{name}: {len(array)} contacts, but motion has {count}")
    if writable and not array.flags.writeable:
        raise ValueError(f"{name}: the array is read-only, and it receives the new state")
    return array


def advance(law: Union[Law, Sequence[Law]], motion: np.ndarray, memory: np.ndarray, *, dt: float = 0.0,
            extra: Optional[np.ndarray] = None, law_of: Optional[np.ndarray] = None,
            load: Optional[np.ndarray] = None) -> np.ndarray:
    """Advances contacts by one step of duration dt [s], which only damping uses, and returns their loads.

    `memory`, and `extra` if the law needs one (law.extras), are changed in place. With several laws, contact i has
    law[law_of[i]]. `load`, if given, receives the result. The bits are those of tw_contact_advance, contact by
    contact.
    """
    laws = list(law) if isinstance(law, (list, tuple)) else [law]
    structs = [law_struct(one) for one in laws]
    if not laws:
        raise ValueError("law: there is none")
    count = len(_checked(motion, MOTION, "motion", None, False))
    _checked(memory, MEMORY, "memory", count, True)
    load = np.empty(count, dtype=LOAD) if load is None else _checked(load, LOAD, "load", count, True)
    if extra is not None:
        _checked(extra, EXTRA, "extra", count, True)
    elif any(one.extras for one in laws):
        raise Error("the law has rolling, twisting or damping and needs extra=contact.extras(count)")
    if law_of is not None:
        law_of = np.ascontiguousarray(native.indices(law_of, "law_of"))
        if law_of.shape != (count,):
            raise ValueError(f"law_of: expected {count} numbers, got shape {law_of.shape}")
        if count and law_of.max() >= len(laws):
            raise IndexError(f"law_of: there is no law {law_of.max()}: {len(laws)} are given")
    elif len(laws) > 1:
        raise ValueError("several laws need law_of, the number of the law of each contact")
    if any(_overlap(a, b) for a, b in ((motion, memory), (motion, load), (memory, load), (memory, extra), (load, extra))):
        raise ValueError("the arrays must not share memory")
    table = ffi.new("tw_contact_law[]", structs)
    lib.tw_contact_advance_batch(
        table, ffi.NULL if law_of is None else native.pointer_to(law_of, "uint32_t *"),
        native.pointer_to(motion, "tw_contact_motion *"), dt, native.pointer_to(memory, "tw_contact_memory *"),
        _extra_of(extra),
        native.pointer_to(load, "tw_contact_load *"), count)
    return load


def derivative(law: Law, motion: np.ndarray, memory: np.ndarray, *, extra: Optional[np.ndarray] = None) -> np.ndarray:
    """How force and couple at the end of a step change with its motion, in closed form (docs/theory/statics.md).

    An array with the members of tw_contact_tangent: tangent["f_du"][i] is a matrix of 3 x 3, and tangent["branch"] says
    what the contact does (lib.TW_CONTACT_SLIDES and others). Nothing is changed. Without `extra` there are no couples.
    Only exact laws with all refinements have a derivative; damping is left out.
    """
    struct = ffi.new("tw_contact_law *", law_struct(law))
    count = len(_checked(motion, MOTION, "motion", None, False))
    _checked(memory, MEMORY, "memory", count, False)
    if extra is not None:
        _checked(extra, EXTRA, "extra", count, False)
    motions_at, memory_at = (native.pointer_to(motion, "tw_contact_motion *"),
                             native.pointer_to(memory, "tw_contact_memory *"))
    return _tangents(count, extra, lambda k, extra_at, tangent: lib.tw_contact_derivative(
        struct, motions_at + k, memory_at + k, extra_at, tangent))


def derivative_rate(law: Law, memory: np.ndarray, *, branch=0, radius=0.0, ratio=0.0,
                    extra: Optional[np.ndarray] = None) -> np.ndarray:
    """The same for a short step from a state, in a branch that is given: bits such as lib.TW_CONTACT_SLIDES.

    `branch`, `radius` (reduced) and `ratio` (of the radii) are one for all contacts or one per contact.
    """
    struct = law_struct(law)
    count = len(_checked(memory, MEMORY, "memory", None, False))
    if extra is not None:
        _checked(extra, EXTRA, "extra", count, False)
    branches, radii, ratios = (np.broadcast_to(value, count) for value in (branch, radius, ratio))
    memory_at = native.pointer_to(memory, "tw_contact_memory *")

    def fill(k, extra_at, tangent):
        own = ffi.new("tw_contact_law *", struct)
        own[0] = lib.tw_contact_law_at(own, float(radii[k]), 0.0, float(ratios[k]))
        return lib.tw_contact_derivative_rate(own, memory_at + k, extra_at, float(radii[k]), int(branches[k]), tangent)

    return _tangents(count, extra, fill)


def _tangents(count, extra, fill):
    tangent = np.zeros(count, dtype=TANGENT)
    tangent_at = native.pointer_to(tangent, "tw_contact_tangent *")
    for k in range(count):
        why = fill(k, _extra_of(extra, k), tangent_at + k)
        if why:
            raise Error(text_of(why))
    return tangent


def _extra_of(extra, first=0):
    """The tw_contact_extra of an array, from this contact on."""
    if extra is None:
        return ffi.NULL
    needs = 0
    for part in _PARTS:
        needs |= part.need
    numbers = native.pointer_to(extra, "double *") + first * (EXTRA.itemsize // 8)
    return ffi.new("tw_contact_extra *", lib.tw_contact_extra_of(needs, numbers))


def _overlap(a, b):
    return a is not None and b is not None and np.may_share_memory(a, b)


def damping_ratio(restitution: float, no_tension: bool = False) -> float:
    """The damping ratio that gives a coefficient of restitution; `no_tension`: damping does not pull."""
    return lib.tw_contact_law_damping_ratio(restitution, lib.TW_CONTACT_NO_TENSION if no_tension else 0)
