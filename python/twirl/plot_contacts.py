# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of a state: distributions of contact forces and of directions."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from . import plot_style
from .figure import forces, young as young_figures
from .plot_paint import Painter
from .results_checkpoint import Checkpoint


def contacts_of(state: Checkpoint) -> np.ndarray:
    if not len(state.contacts):
        raise ValueError(f"{state.path}: no contacts")
    return state.contacts


def force_distribution(state: Checkpoint, ax: Any = None, **options: Any) -> Any:
    """Probability density of the normal force over its mean, of all contacts and of those that slide."""
    contacts = contacts_of(state)
    return Painter(forces(contacts["fn"], contacts["sliding"]), {"series": []}, plot_style.make(**options), {}).draw(ax)


def young(moduli: Any, plane: str = "", ax: Any = None, **options: Any) -> Any:
    """Young's modulus by direction of ``state.moduli()``: the surface, in 3D, or its section by the plane ``xy``, ``xz`` or ``yz``."""
    names = [figure for figure in young_figures(moduli) if figure["name"] == "_".join(filter(None, ("young", plane)))]
    if not names:
        raise ValueError(f"plane: {plane!r} is not one of xy, xz, yz" if moduli.definite else "the stiffness is not positive definite")
    options.setdefault("height", options.get("width") or 12.0)
    return Painter(names[0], {"series": []}, plot_style.make(**options), {}).draw(ax)


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
