# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of a state: distribution of contact forces and of directions, local fields."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from . import plot_style
from .fields import Fields
from .figure import forces
from .plot_paint import Painter
from .results_checkpoint import Checkpoint

LABELS = {"grains": "Grains in the window", "porosity": "Porosity", "p": "Mean stress p [kPa]", "q": "Deviator stress q [kPa]",
          "volumetric_strain": "Volumetric strain", "shear_strain": "Shear strain"}


def contacts_of(state: Checkpoint) -> np.ndarray:
    if not len(state.contacts):
        raise ValueError(f"{state.path}: no contacts")
    return state.contacts


def force_distribution(state: Checkpoint, ax: Any = None, **options: Any) -> Any:
    """Probability density of the normal force over its mean, of all contacts and of those that slide."""
    contacts = contacts_of(state)
    return Painter(forces(contacts["fn"], contacts["sliding"]), {"series": []}, plot_style.make(**options), {}).draw(ax)


def normals_rose(state: Checkpoint, plane: str = "xz", bins: int = 36, force: bool = False,
                 ax: Any = None, height: Optional[float] = None, **options: Any) -> Any:
    """Rose of the contact normals, or with ``force`` of the mean normal force, in a plane.

    The length of a petal is the density of directions, relative to that of an isotropic assembly; with
    ``force`` the mean normal force of these contacts over that of all. ``ax`` must be polar.
    """
    style = plot_style.make(height=height or options.get("width", 12.0), **options)
    if len(plane) != 2 or not set(plane) <= set("xyz") or plane[0] == plane[1]:
        raise ValueError(f"plane: {plane!r} is not one of xy, xz, yz")
    contacts = contacts_of(state)
    one, two = ("xyz".index(c) for c in plane)
    n = contacts["n"]
    # Directions far from the plane say little about it: weighted by the part of the normal in it.
    weight = n[:, one]**2 + n[:, two]**2
    angle = np.arctan2(n[:, two], n[:, one])
    both = np.mod(np.concatenate([angle, angle + np.pi]), 2.0 * np.pi)
    edges = np.linspace(0.0, 2.0 * np.pi, bins + 1)
    count = np.histogram(both, edges, weights=np.tile(weight, 2))[0]
    if force:
        sums = np.histogram(both, edges, weights=np.tile(weight * contacts["fn"], 2))[0]
        length = np.divide(sums, count, out=np.zeros(bins), where=count > 0) / contacts["fn"].mean()
    else:
        length = count * bins / count.sum()
    with plot_style.applied(plot_style.settings(style, ax is None)):
        ax = plot_style.new_axes(style, projection="polar") if ax is None else ax
        look = style.line(0)
        ax.bar(edges[:-1], length, width=edges[1], align="edge", color=look["color"], alpha=0.5,
               edgecolor=look["color"], linewidth=0.5)
        t = np.linspace(0.0, 2.0 * np.pi, 181)
        ax.plot(t, np.ones_like(t), color="#444444", linewidth=0.5, linestyle=(0, (5, 3)))
        ax.set_rgrids(np.arange(0.5, 1.1 * length.max(), 0.5))
        ax.set_rlabel_position(45)
        ax.set_thetagrids([0, 90, 180, 270], [plane[0], plane[1], "", ""])
        ax.grid(linewidth=0.35, color="#999999")
        ax.tick_params(labelsize=style.font)
    return ax


def field(fields: Fields, name: str = "shear_strain", plane: str = "xz", ax: Any = None, **options: Any) -> Any:
    """A field of a state in bins (``state.fields``), the mean along the edge across the plane: ``porosity``,
    ``p``, ``q`` and, of two states, ``volumetric_strain``, ``shear_strain``."""
    style = plot_style.make(**options)
    if len(plane) != 2 or not set(plane) <= set("xyz") or plane[0] == plane[1]:
        raise ValueError(f"plane: {plane!r} is not one of xy, xz, yz")
    values = getattr(fields, name, None) if name in LABELS else None
    if values is None:
        raise ValueError(f"name: {name!r} is not one of grains, porosity, p, q and, of two states, volumetric_strain, shear_strain")
    one, two = ("xyz".index(c) for c in plane)
    flat = values.mean(axis=3 - one - two) / (1e3 if name in "pq" else 1.0)
    length = np.linalg.norm(fields.cell, axis=0) * 1e3
    edges = [np.linspace(0.0, length[k], fields.bins[k] + 1) for k in (one, two)]
    own = ax is None
    with plot_style.applied(plot_style.settings(style, own)):
        ax = plot_style.new_axes(style) if own else ax
        mesh = ax.pcolormesh(*edges, flat.T if one < two else flat, cmap="viridis")
        ax.set_aspect("equal")
        ax.set_xlabel(f"{plane[0]} [mm]")
        ax.set_ylabel(f"{plane[1]} [mm]")
        ax.figure.colorbar(mesh, ax=ax, label=LABELS[name])
        ax.set_title(f"coarse graining, window {fields.window * 1e3:.3g} mm", fontsize="medium")
    return ax
