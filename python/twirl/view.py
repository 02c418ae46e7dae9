# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of the engine, seen without a copy.

A View behaves like a read-only numpy array: it can be indexed, computed with, passed to functions of numpy and
drawn. It is refused with a ViewError once the simulation has changed, because the engine may have sorted its
bodies since. `view.copy()` is an array of one's own.

`numpy.asarray(view)` is an array on the engine's memory that nobody checks. It keeps that memory alive, also after
the simulation has been closed; while there is one, bodies cannot be added, since that moves the memory.
"""

from __future__ import annotations

import weakref

import numpy as np

from .errors import ViewError


class _Memory:
    """Gives numpy a piece of memory, and keeps its owner alive."""

    __slots__ = ("owner", "__array_interface__", "__weakref__")

    def __init__(self, owner, address, dtype, count):
        self.owner = owner
        base = dtype.base
        self.__array_interface__ = {"version": 3, "data": (address, True), "typestr": base.str,
                                    "shape": (count, *dtype.shape)}


class Lender:
    """The memory that a simulation has lent."""

    def __init__(self):
        self._views = weakref.WeakValueDictionary()  # by identity: views compare like arrays
        self._lent = weakref.WeakSet()

    def lend(self, owner, address, dtype, count) -> "View":
        """A view of `count` rows at the address."""
        if count == 0:
            return View(np.empty((0, *dtype.shape), dtype.base), self)
        memory = _Memory(owner, address, dtype, count)
        self._lent.add(memory)
        return View(np.asarray(memory), self)

    def keep(self, view):
        self._views[id(view)] = view

    def end(self, why):
        """All views become invalid."""
        for view in list(self._views.values()):
            view._end(why)
        self._views.clear()

    @property
    def in_use(self) -> bool:
        """Whether arrays made from views still exist."""
        return len(self._lent) > 0


def _plain(value):
    if isinstance(value, View):
        return value._now()
    if isinstance(value, (tuple, list)):
        return type(value)(_plain(one) for one in value)
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    return value


class View(np.lib.mixins.NDArrayOperatorsMixin):
    """A read-only array of the engine, valid until the simulation changes."""

    def __init__(self, array, lender):
        self._array = array
        self._lender = lender
        self._why = ""
        lender.keep(self)

    def _end(self, why):
        self._array, self._why = None, why

    def _now(self) -> np.ndarray:
        if self._array is None:
            raise ViewError(f"this view is no longer valid: {self._why}; take it from the simulation again")
        return self._array

    @property
    def valid(self) -> bool:
        """Whether the view can still be used."""
        return self._array is not None

    def _wrap(self, result):
        """What shares memory with the view is a view too."""
        if isinstance(result, np.ndarray) and np.may_share_memory(result, self._array):
            return View(result, self._lender)
        return result

    def __array__(self, dtype=None, copy=None):
        array = self._now()
        if copy:
            return np.array(array, dtype=dtype)
        return array if dtype is None else array.astype(dtype, copy=False)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        if any(isinstance(one, View) for one in kwargs.get("out", ())):
            raise ValueError("the arrays of the engine are read-only")
        return getattr(ufunc, method)(*_plain(inputs), **_plain(kwargs))

    def __array_function__(self, function, types, args, kwargs):
        return self._wrap(function(*_plain(args), **_plain(kwargs)))

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        value = getattr(self._now(), name)
        if not callable(value):
            return self._wrap(value)

        def method(*args, **kwargs):
            return self._wrap(getattr(self._now(), name)(*_plain(args), **_plain(kwargs)))
        return method

    def __getitem__(self, key):
        return self._wrap(self._now()[_plain(key)])

    def __setitem__(self, key, value):
        raise ValueError("the arrays of the engine are read-only: bodies are changed by methods of the simulation")

    def __len__(self):
        return len(self._now())

    def __iter__(self):
        return (self[k] for k in range(len(self)))

    def __contains__(self, value):
        return value in self._now()

    def __reduce__(self):
        return self._now().copy().__reduce__()  # a copy is an array of its own

    def __float__(self):
        return float(self._now())

    def __repr__(self):
        return "View(no longer valid)" if self._array is None else f"View({self._array!r})"
