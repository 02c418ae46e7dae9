# SPDX-License-Identifier: BSD-3-Clause
"""Structs of the engine as numpy types and named tuples, made from the declarations of the headers."""

from __future__ import annotations

import collections
import math
import numbers
import os
import sys
import threading
from contextlib import contextmanager

import numpy as np

from ._core import ffi, lib
from .errors import Error


def text_of(chars) -> str:
    """A text of the library."""
    return ffi.string(chars).decode("utf-8", "replace")


def call(function, *args):
    """Calls a function whose last argument is a tw_error; raises if it returns a status that is not OK, or NULL."""
    error = ffi.new("tw_error *")
    result = function(*args, error)
    if result if isinstance(result, int) else not result:
        raise Error(text_of(error.text), error.status)
    return result


#: More threads are a mistake.
THREADS_MAX = 4096
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
    if ctype.kind == "array" and ctype.item.cname == "char":
        return np.dtype(f"S{ctype.length}")
    if ctype.kind == "array":
        return np.dtype((dtype_of(ctype.item), (ctype.length,)))
    if ctype.kind in ("pointer", "function"):
        return np.dtype(np.uintp)
    size = ffi.sizeof(ctype)
    if ctype.cname in ("double", "float"):
        return np.dtype(f"f{size}")
    signed = ctype.kind == "enum" or int(ffi.cast(ctype, -1)) < 0
    return np.dtype(f"{'i' if signed else 'u'}{size}")


def text_dtype(dtype) -> np.dtype:
    """The numpy type of a struct with its arrays of bytes as texts."""
    return np.dtype([(name, f"U{dtype[name].itemsize}" if dtype[name].kind == "S" else dtype[name]) for name in dtype.names])


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
        return text_of(cdata) if cdata and ctype.item.cname == "char" else None
    return int(cdata) if ctype.kind == "enum" else cdata


def record(cdata):
    """A struct as a named tuple."""
    ctype = ffi.typeof(cdata)
    if ctype.kind == "pointer":
        ctype, cdata = ctype.item, cdata[0]
    return python_of(cdata, ctype)


def floats(values, name) -> np.ndarray:
    """An array of float64; the name is that of the argument, for a message."""
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "iufbO":  # numpy takes texts, and of complex numbers a part
            raise TypeError(f"expected numbers, got {array.dtype}")
        if array.dtype.kind == "O" and None in array.ravel().tolist():
            raise TypeError("expected numbers, got None")
        return array.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise (ValueError if isinstance(error, OverflowError) else type(error))(f"{name}: {error}") from None


def rows(values, name, shape) -> np.ndarray:
    """Numbers, vectors or quaternions: one, or a list of them."""
    array = floats(values, name)
    if shape and array.shape[-len(shape):] != shape or array.ndim > len(shape) + 1:
        wanted = f"{shape[0]} numbers, or rows of them" if shape else "a number, or a list of them"
        raise ValueError(f"{name}: expected {wanted}, got an array of shape {array.shape}")
    return array


def flags(values, name) -> np.ndarray:
    """Truth values; 0 and 1 are some."""
    array = np.asarray(values)
    if array.dtype != bool and (array.dtype.kind not in "iu" or not np.isin(array, (0, 1)).all()):
        raise TypeError(f"{name}: expected True or False, got {values!r:.100}")
    return array.astype(bool)


def set_member(struct, name, value):
    """Sets a number of a struct."""
    try:
        setattr(struct, name, value)
    except (TypeError, OverflowError) as error:
        raise TypeError(f"{name}: {error}") from None


def text_bytes(text, name) -> bytes:
    """A text for the engine, whose texts end at a zero."""
    if not isinstance(text, str):
        raise TypeError(f"{name}: expected a text, not {text!r:.100}")
    if "\0" in text:
        raise ValueError(f"{name}: a text must not have zero bytes")
    return text.encode()


def vector(values, length=3, name="vector"):
    """Values for the initialiser of a tw_vec3 or tw_quat."""
    array = floats(values, name)
    if array.shape != (length,):
        raise ValueError(f"{name}: expected {length} numbers, got an array of shape {array.shape}")
    return array.tolist()


def matrix(values, name="matrix"):
    """Values for the initialiser of a tw_mat3; a number is a multiple of the unit matrix, three the diagonal."""
    array = floats(values, name)
    if array.ndim < 2:
        try:
            array = np.diag(np.broadcast_to(array, (3,)))
        except ValueError:
            pass
    if array.shape != (3, 3):
        raise ValueError(f"{name}: expected a number, three numbers or a 3 x 3 matrix, got shape {array.shape}")
    return (array.ravel().tolist(),)


def indices(values, name) -> np.ndarray:
    """Numbers of bodies, laws, materials ... as the engine has them. numpy would take them modulo 2^32 and round."""
    array = np.asarray(values)
    if array.size == 0:
        return np.zeros(array.shape, dtype=np.uint32)
    if array.dtype == bool:
        raise IndexError(f"{name}: expected numbers from 0, got truth values; numpy.flatnonzero turns them into numbers")
    whole = array.dtype.kind in "iu" or all(isinstance(one, int) for one in array.flat)  # of more than 64 bits: objects
    if not whole:
        raise IndexError(f"{name}: expected whole numbers from 0, got {values!r:.100}")
    for one in (array.min(), array.max()):
        if not 0 <= one < 2**32:
            raise IndexError(f"{name}: {one} is out of range; expected whole numbers from 0")
    return array.astype(np.uint32)


def index(value, name) -> int:
    """One such number."""
    array = indices(value, name)
    if array.ndim:
        raise IndexError(f"{name}: expected one whole number from 0, got {value!r:.100}")
    return int(array)


def count(value, name, least, most=math.inf) -> int:
    """A number of steps or the like; 1e6 is one, too."""
    if not isinstance(value, numbers.Real) or not math.isfinite(value) or value != int(value):
        raise TypeError(f"{name}: expected a whole number, got {value!r:.100}")
    if value < least:
        raise ValueError(f"{name} must be at least {least}, not {value}")
    if value > most:
        raise ValueError(f"{name} must be at most {most}, not {value}")
    return int(value)


def pointer_to(array: np.ndarray, ctype: str):
    """The data of an array, which must have the layout of the type; it is kept alive by the caller."""
    return ffi.cast(ctype, array.ctypes.data)


def path_bytes(path) -> bytes:
    found = os.fsencode(path)
    if b"\0" in found:
        raise ValueError(f"{os.fspath(path)!r:.100}: a name of a file must not have zero bytes")
    return found


def take_text(text) -> str:
    """A text that the library has made for its caller, which is freed."""
    if not text:
        raise MemoryError("a text")
    try:
        return text_of(text)
    finally:
        lib.free(text)


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
