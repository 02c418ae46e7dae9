# SPDX-License-Identifier: BSD-3-Clause
"""Structs of the engine as numpy types and named tuples, made from the declarations of the headers."""

from __future__ import annotations

import collections
import os
import sys
import threading
from contextlib import contextmanager

import numpy as np

from ._core import ffi

#: Structs that are arrays of numbers.
ARRAYS = {"tw_vec3": (3,), "tw_quat": (4,), "tw_mat3": (3, 3)}


def name_of(ctype) -> str:
    """tw_vec3, also where cffi calls it struct tw_vec3."""
    return ctype.cname.rpartition(" ")[2]


def dtype_of(ctype) -> np.dtype:
    """The numpy type with the same layout."""
    if isinstance(ctype, str):
        ctype = ffi.typeof(ctype)
    if name_of(ctype) in ARRAYS:
        return np.dtype((np.float64, ARRAYS[name_of(ctype)]))
    if ctype.kind == "struct":
        members = [(name, field) for name, field in ctype.fields]
        return np.dtype({"names": [name for name, _ in members],
                         "formats": [dtype_of(field.type) for _, field in members],
                         "offsets": [field.offset for _, field in members],
                         "itemsize": ffi.sizeof(ctype)})
    if ctype.kind == "array":
        return np.dtype((dtype_of(ctype.item), (ctype.length,)))
    if ctype.kind in ("pointer", "function"):
        return np.dtype(np.uintp)
    size = ffi.sizeof(ctype)
    if ctype.cname in ("double", "float"):
        return np.dtype(f"f{size}")
    signed = ctype.kind == "enum" or int(ffi.cast(ctype, -1)) < 0
    return np.dtype(f"{'i' if signed else 'u'}{size}")


def array_of(cdata, shape=None) -> np.ndarray:
    """A copy of a tw_vec3, tw_quat, tw_mat3 or array of numbers."""
    ctype = ffi.typeof(cdata)
    if ctype.kind == "struct":
        shape, cdata = ARRAYS[name_of(ctype)], ffi.addressof(cdata)
    size = ffi.sizeof(ctype)
    item = np.float64 if shape else dtype_of(ctype.item)
    values = np.frombuffer(ffi.buffer(cdata, size), dtype=item)
    return values.reshape(shape).copy() if shape else values.copy()


_records: dict = {}


def record_of(ctype):
    """The named tuple with the members of a struct."""
    struct = name_of(ctype)
    if struct not in _records:
        words = struct[len("tw_"):].split("_")
        made = collections.namedtuple("".join(word.capitalize() for word in words), [name for name, _ in ctype.fields])
        made.__doc__ = f"The members of {struct}, which the headers of the engine describe."
        _records[struct] = made
    return _records[struct]


def python_of(cdata, ctype):
    """A value of a struct as Python has it: numbers, arrays, texts and named tuples."""
    if name_of(ctype) in ARRAYS or (ctype.kind == "array" and ctype.item.kind == "primitive"):
        return array_of(cdata)
    if ctype.kind == "struct":
        return record_of(ctype)(*(python_of(getattr(cdata, name), field.type) for name, field in ctype.fields))
    if ctype.kind == "pointer":
        return ffi.string(cdata).decode() if cdata and ctype.item.cname == "char" else None
    return int(cdata) if ctype.kind == "enum" else cdata


def record(cdata):
    """A struct as a named tuple."""
    ctype = ffi.typeof(cdata)
    if ctype.kind == "pointer":
        ctype, cdata = ctype.item, cdata[0]
    return python_of(cdata, ctype)


def vector(values, length=3, name="vector"):
    """Values for the initialiser of a tw_vec3 or tw_quat."""
    array = np.asarray(values, dtype=np.float64)
    if array.shape != (length,):
        raise ValueError(f"{name}: expected {length} numbers, got an array of shape {array.shape}")
    return array.tolist()


def matrix(values, name="matrix"):
    """Values for the initialiser of a tw_mat3; a number is a multiple of the unit matrix, three the diagonal."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim < 2:
        try:
            array = np.diag(np.broadcast_to(array, (3,)))
        except ValueError:
            pass
    if array.shape != (3, 3):
        raise ValueError(f"{name}: expected a number, three numbers or a 3 x 3 matrix, got shape {array.shape}")
    return (array.ravel().tolist(),)


def pointer_to(array: np.ndarray, ctype: str):
    """The data of an array, which must have the layout of the type; it is kept alive by the caller."""
    return ffi.cast(ctype, array.ctypes.data)


def path_bytes(path) -> bytes:
    return os.fsencode(path)


_files = threading.RLock()


@contextmanager
def files_alone():
    """HDF5 is not safe for threads: only one of them may be in it, and h5py has its own lock."""
    h5py = sys.modules.get("h5py")
    other = getattr(getattr(h5py, "_objects", None), "phil", None)
    with _files:
        if other is None:
            yield
        else:
            with other:
                yield
