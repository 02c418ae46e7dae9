# SPDX-License-Identifier: BSD-3-Clause
"""The response surface of probes on a sphere of directions (apps/twirl/plot/plot_envelope.c)."""

from __future__ import annotations

import os
from typing import Any, NamedTuple, Optional, Union

import numpy as np

from . import envelope as surfaces
from . import plot_axis, plot_style
from .plot_probes import stage_of
from .results import Run, RunError, Stage

FULL = {False: (213, 94, 0), True: (110, 110, 110)}  # colour of the largest irreversible strain
LIGHT = np.array([0.35, 0.75, 0.56])
AZIMUTH, ELEVATION = 35.0, 25.0  # from between the positive axes [deg]

Source = Union[Run, Stage, str, "os.PathLike[str]"]


class Unit(NamedTuple):
    size: float
    name: str
    symbol: str


def unit_of(surface: surfaces.Surface) -> Unit:
    if not surface.is_strain:
        return Unit(1e3, "kPa", r"\sigma") if surface.reach >= 2e3 else Unit(1.0, "Pa", r"\sigma")
    size, exponent = 1.0, 0
    while surface.reach < 10.0 * size and exponent > -15:
        size, exponent = size / 10.0, exponent - 1
    return Unit(size, f"$10^{{{exponent}}}$", r"\varepsilon")


def surface_of(source: Source, stage: Optional[str], law: Optional[str]) -> surfaces.Surface:
    chosen = stage_of(source, stage, "sphere")
    try:
        return surfaces.surface_of(chosen.probes, law)
    except ValueError as error:
        raise RunError(f"{chosen.run.folder}: stage '{chosen.name}': {error}") from None


def colours(surface: surfaces.Surface, grey: bool) -> np.ndarray:
    """Of the facets: from white, where the response is elastic, to orange or grey; lit from one side."""
    p = surface.ends[surface.triangles]
    normal = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
    size = surfaces.norms(normal)
    towards = np.divide(normal @ LIGHT, size, out=np.zeros(len(p)), where=size > 0.0)
    light = 0.72 + 0.28 * np.maximum(0.0, towards)
    share = np.minimum(1.0, np.nan_to_num(surface.shares[surface.triangles].mean(axis=1)))
    white = 255.0 + share[:, None] * (np.array(FULL[grey]) - 255.0)
    return np.floor(light[:, None] * white) / 255.0


def envelope(source: Source, stage: Optional[str] = None, law: Optional[str] = None, ax: Any = None,
             **options: Any) -> Any:
    """The surface through the ends of all responses, in 3D; of stress probes the strains.

    Colour: the irreversible strain over the largest one. ``ax``: axes with ``projection="3d"``.
    ``law``: that of the probes; the first by default.
    """
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    surface, style = surface_of(source, stage, law), plot_style.make(**options)
    unit = unit_of(surface)
    reach = surface.reach / unit.size
    own = ax is None
    with plot_style.applied(plot_style.settings(style, own)):
        ax = plot_style.new_axes(style, projection="3d", proj_type="ortho") if own else ax
        ax.add_collection3d(Poly3DCollection(surface.ends[surface.triangles] / unit.size, linewidths=0.15,
                                             facecolors=colours(surface, style.grey), edgecolors="#666666"))
        for k, letter in enumerate("xyz"):
            way = np.eye(3)[k]
            start, end = way * surfaces.radius(surface, k) / unit.size, 1.35 * reach * way
            ax.quiver(*start, *(end - start), color="black", linewidth=0.5, arrow_length_ratio=0.12)
            ax.text(*(1.16 * end), rf"$\Delta{unit.symbol}_{letter}$", ha="center", va="center")
        for limits in (ax.set_xlim, ax.set_ylim, ax.set_zlim):
            limits(-reach, reach)
        ax.set_box_aspect((1.0, 1.0, 1.0))
        ax.view_init(elev=ELEVATION, azim=AZIMUTH)
        ax.set_axis_off()
        if own:
            ax.figure.subplots_adjust(left=0.0, right=1.0, bottom=0.0, top=1.0)
    return ax


def labels_of(unit: Unit, plane: str) -> Any:
    part = [rf"\Delta{unit.symbol}_{letter}" for letter in "xyz"]
    if plane == "deviatoric":
        return (rf"$({part[0]} - {part[1]})$/√2", rf"$(2{part[2]} - {part[0]} - {part[1]})$/√6")
    return tuple(f"${part['xyz'.index(letter)]}$" for letter in plane)


def envelope_section(source: Source, plane: str = "xy", stage: Optional[str] = None, law: Optional[str] = None,
                     ax: Any = None, **options: Any) -> Any:
    """Section of the response surface by a plane through the origin: ``xy``, ``xz``, ``yz``, or
    ``deviatoric``, the plane of equal volume.

    Total response and its reversible part, and the irreversible strains of all probes, projected onto
    the plane; of strain probes the stress with and without slip.
    """
    if plane not in surfaces.PLANES:
        raise ValueError(f"plane: {plane!r} is none of {', '.join(surfaces.PLANES)}")
    surface = surface_of(source, stage, law)
    if "height" not in options:
        options["height"] = options.get("width") or 12.0
    style = plot_style.make(**options)
    unit, own = unit_of(surface), ax is None
    reach = surface.reach / unit.size
    axis = plot_axis.choose("ratio", -reach, reach)
    wide = max(axis.high, 1.08 * reach)
    parts = [(surface.ends, "total"), (surface.others, "reversible" if surface.is_strain else "no slip")]
    with plot_style.applied(plot_style.settings(style, own)):
        ax = plot_style.new_axes(style) if own else ax
        for number, (points, title) in enumerate(parts):
            if points is None:
                continue
            for k, curve in enumerate(surfaces.sections(surface, points, surfaces.PLANES[plane])):
                x, y = surfaces.flat(curve / unit.size, plane)
                ax.plot(x, y, label=title if k == 0 else "_more", **style.line(number))
        if surface.is_strain and surface.others is not None:
            x, y = surfaces.flat(surface.irreversible / unit.size, plane)
            ax.plot(x, y, "o", color=style.line(2)["color"], markersize=0.3 * style.font, label="irreversible")
        for which, label in zip("xy", labels_of(unit, plane)):
            plot_axis.apply(axis._replace(low=-wide, high=wide, unit=unit.name), ax, which, label)
        ax.set_aspect("equal", adjustable="box")
        ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncol=3, columnspacing=1.0)
        if own:
            plot_style.place(ax.figure, ax, style, (4.6, 1.0, 3.7, 2.2))
    return ax
