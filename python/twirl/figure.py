# SPDX-License-Identifier: BSD-3-Clause
"""Descriptions of figures and their numbers, made by the library (src/figure/README.md has their form)."""

from __future__ import annotations

import json
import os
import re
from typing import Any, Dict, Iterator, List, Sequence, Tuple, Union

import numpy as np

from . import native
from ._core import ffi, lib
from .errors import Error, RunError, Status
from .native import call, text_of

#: How messages begin that are about an argument, not about a file.
ARGUMENT = re.compile(r"(stage|labels|x|y|law): ")


def make_set(inputs: Sequence[Union[str, "os.PathLike[str]"]], stages: Sequence[str] = (), labels: Sequence[str] = (),
             **members: Any) -> Tuple[Any, Any]:
    """The tw_figure_set of these runs, and its request; ``members`` are further ones of that."""
    request = ffi.new("tw_figure_request *", lib.tw_figure_request_default())
    texts = []  # as long as the request is used
    for name, values in (("input", [native.path_bytes(path) for path in inputs]),
                         ("stage", [native.text_bytes(one, "stage") for one in stages]),
                         ("label", [native.text_bytes(one, "labels") for one in labels])):
        items = [ffi.new("char[]", value) for value in values]
        texts += [items, ffi.new("const char *[]", items or 1)]
        setattr(request, name + "s", texts[-1])
        setattr(request, name + "_count", len(items))
    for name, value in members.items():
        if isinstance(value, str):
            texts.append(ffi.new("char[]", native.text_bytes(value, name)))
            value = texts[-1]
        if value is not None:
            setattr(request, name, value)
    made = ffi.gc(ffi.new("tw_figure_set *"), lambda one, texts=texts: lib.tw_figure_set_free(one))
    try:
        call(lib.tw_figure_set_make, made, request)
    except Error as error:
        is_argument = error.status == Status.INPUT and ARGUMENT.match(error.text)
        raise (ValueError if is_argument else RunError)(error.text) from None
    return made, request


def describe(inputs: Sequence[Union[str, "os.PathLike[str]"]], stages: Sequence[str] = (), labels: Sequence[str] = (),
             **members: Any) -> Dict[str, Any]:
    """The document of the figures of these runs."""
    made, request = make_set(inputs, stages, labels, **members)
    return json.loads(native.take_text(lib.tw_figure_document_text(made, request)))


def added(add: Any, *arguments: Any) -> List[Dict[str, Any]]:
    """The figures that a function of the library adds to a set."""
    made = ffi.gc(ffi.new("tw_figure_set *"), lib.tw_figure_set_free)
    call(add, made, *arguments)
    return json.loads(native.take_text(lib.tw_figure_document_figures(made)))


def forces(force: np.ndarray, sliding: np.ndarray) -> Dict[str, Any]:
    """The figure of the distribution of these normal forces."""
    force, slides = np.ascontiguousarray(force, np.float64), np.ascontiguousarray(sliding, np.uint8)
    return added(lib.tw_figure_forces_add, ffi.from_buffer("double[]", force), ffi.from_buffer("unsigned char[]", slides), len(force))[0]


def young(moduli: Any) -> List[Dict[str, Any]]:
    """The figures of Young's modulus by direction of a StaticsModuli: the surface, and its sections."""
    of = {"stiffness": list(moduli.stiffness.flat), "young": moduli.young, "definite": int(moduli.definite)}
    return added(lib.tw_figure_young_add, ffi.new("tw_statics_moduli *", of))


def numbers(values: Sequence[Any]) -> np.ndarray:
    """Numbers of a document; null is nan."""
    return np.array(values, dtype=np.float64)


def check_results(inputs: Sequence[Union[str, "os.PathLike[str]"]]) -> Iterator[str]:
    """What is not as the runs in these folders have written it, a sentence for each folder."""
    error = ffi.new("tw_error *")
    for folder in dict.fromkeys(map(os.fspath, inputs)):
        if os.path.isdir(folder) and lib.tw_run_results_check(native.path_bytes(folder), error) == Status.INPUT:
            yield text_of(error.text)
