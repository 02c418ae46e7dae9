# SPDX-License-Identifier: BSD-3-Clause
"""Probes in the Rendulic plane with their circles (apps/twirl/plot/plot_probes.c)."""

from __future__ import annotations

import os
from typing import Any, List, Optional, Tuple, Union

import numpy as np

from . import plot_style
from .results import Run, RunError, Stage

UNITS = ((1.0, "Pa"), (1e3, "kPa"), (1e6, "MPa"), (1e9, "GPa"), (1e12, "TPa"))
MARKERS = (("o", "full"), ("s", "none"), ("^", "none"), ("D", "none"), ("x", "none"), ("+", "none"))
WIDTHS = (1.5, 0.9, 0.5)  # the first is the widest, so that lines that coincide are all visible
GREY = "#444444"


def unit_of(modulus: float) -> Tuple[float, str]:
    """The unit in which the modulus has digits before the decimal point."""
    return [unit for k, unit in enumerate(UNITS) if k == 0 or modulus >= unit[0]][-1]


def inverse_unit_of(modulus: float) -> Tuple[float, str]:
    """The unit in whose inverse the diameter has digits before the decimal point."""
    return next((unit for unit in UNITS if modulus <= unit[0]), UNITS[-1])


SPACES = {"rendulic": "in the Rendulic plane", "sphere": "on a sphere of directions"}


def stage_of(source: Union[Run, Stage, str, "os.PathLike[str]"], stage: Optional[str], space: str = "rendulic") -> Stage:
    """The stage given, or the last one with probes in this space."""
    if isinstance(source, Stage):
        return source
    run = source if isinstance(source, Run) else Run(source)
    if stage is not None:
        return run[stage]
    found = [s for s in run if s.path == "probes" and (s.definition.get("probes") or {}).get("space") == space]
    if not found:
        raise RunError(f"{run.folder}: no stage with probes {SPACES[space]}")
    return found[-1]


def fits_of(stage: Stage, split: str, circle: str) -> np.ndarray:
    """The fitted circles in the plane; spheres of directions have none."""
    fits = stage.fits
    keep = ((fits["split"] == split) & (fits["circle"] == circle)
            & np.isfinite(fits["direction_angle"]) & np.isfinite(fits["plastic_modulus"]))
    return fits[keep]


class Drawing:
    """A frame with equal scales, and the key beside it."""

    def __init__(self, stage: Stage, first: np.void, ax: Any, style: plot_style.Style):
        self.stage, self.style = stage, style
        self.size, self.unit = inverse_unit_of(first["plastic_modulus"])
        self.number = 0
        self.own = ax is None
        self.ax = plot_style.new_axes(style) if ax is None else ax
        self.ranges = [self._range(first, k) for k in range(2)]

    def _range(self, first: np.void, k: int) -> Tuple[float, float]:
        """Covers the points, the first circle and the arrows."""
        d = first["diameter"] * self.size
        middle = 0.5 * d * first[f"direction_{k + 1}"]
        ends = [1.2 * d * first[f"{name}_{k + 1}"] for name in ("direction", "flow")]
        points = self.size * self.stage.probes["xy"[k]]
        points = points[np.isfinite(points)]
        return (min(points.min() - 0.05 * d, min(*ends, middle - 0.5 * d) - 0.1 * d),
                max(points.max() + 0.05 * d, max(*ends, middle + 0.5 * d) + 0.1 * d))

    def circle(self, fit: np.void, dashed: bool, title: Optional[str]) -> None:
        r = 0.5 * fit["diameter"] * self.size
        t = np.linspace(0.0, 2.0 * np.pi, 181)
        look = self.style.line(self.number)
        self.ax.plot(r * fit["direction_1"] + r * np.cos(t), r * fit["direction_2"] + r * np.sin(t),
                     color=look["color"], linewidth=WIDTHS[min(self.number, 2)],
                     linestyle=(0, (5, 3)) if dashed else "-", label=title or "_circle")

    def fit(self, fit: np.void, title: str) -> None:
        """The circle, its small counterpart and the points."""
        self.circle(fit, False, title)
        small = fits_of(self.stage, str(fit["split"]), "unloading")
        for other in small[small["law"] == fit["law"]]:
            self.circle(other, True, None)
        probes = self.stage.probes[self.stage.probes["law"] == fit["law"]]
        prefix = "" if fit["split"] == "unload" else "no_slip_"
        marker, fill = MARKERS[self.number % len(MARKERS)]
        size, unit = unit_of(fit["plastic_modulus"])
        self.ax.plot(self.size * probes[prefix + "x"], self.size * probes[prefix + "y"], marker,
                     color=self.style.line(self.number)["color"], markersize=0.3 * self.style.font,
                     fillstyle=fill, markeredgewidth=0.5,
                     label=f"modulus {fit['plastic_modulus'] / size:.4g} {unit}")
        self.number += 1

    def directions(self, fit: np.void) -> None:
        """Arrows: the normal of the yield surface, across the circle, and the direction of flow."""
        d = 1.12 * fit["diameter"] * self.size
        yields, flow = ([fit[f"{name}_{k}"] for k in (1, 2)] for name in ("direction", "flow"))
        left = flow[0] * yields[1] - flow[1] * yields[0] > 0.0
        for k, (name, way) in enumerate((("yield", yields), ("flow", flow))):
            on_left = (k == 0) == left
            end = (d * way[0], d * way[1])
            self.ax.annotate("", end, (0.0, 0.0), arrowprops={
                "arrowstyle": "->", "color": GREY, "linewidth": 0.7, "shrinkA": 0, "shrinkB": 0,
                "linestyle": "-" if k == 0 else (0, (5, 3))})
            side = -0.5 if on_left else 0.5
            self.ax.annotate(name, end, xytext=(side * self.style.font, 0.3 * self.style.font),
                             textcoords="offset points", color=GREY, ha="right" if on_left else "left",
                             va="center")

    def finish(self) -> Any:
        ax, style = self.ax, self.style
        (x1, x2), (y1, y2) = self.ranges
        for line, low, high in ((ax.axvline, x1, x2), (ax.axhline, y1, y2)):
            if low < 0.0 < high:
                line(0.0, color="#999999", linewidth=0.35, zorder=0.5, label="_zero")
        ax.set_xlabel(f"Volumetric direction\u00a0[1/{self.unit}]")
        ax.set_ylabel(f"Deviatoric direction\u00a0[1/{self.unit}]")
        if self.own:
            height = style.height - (3.7 + 0.8) * style.em
            right = min(0.66 * style.width, 4.2 * style.em + height * (x2 - x1) / (y2 - y1))
            plot_style.place(ax.figure, ax, style, (4.2, (style.width - right) / style.em, 3.7, 0.8))
        ax.set_aspect("equal", adjustable="box", anchor="W")
        ax.set_xlim(x1, x2)
        ax.set_ylim(y1, y2)
        ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), handlelength=1.5)
        return ax


def circles(source: Union[Run, Stage, str, "os.PathLike[str]"], stage: Optional[str] = None, ax: Any = None,
            **options: Any) -> Any:
    """Irreversible strain over stress of each probe, in its direction, with the fitted circles.

    One colour for each law, small circles dashed, directions of yield and flow of the first law. The
    split is that by unloading, or by the no-slip companion if there is no other.
    """
    chosen, style = stage_of(source, stage), plot_style.make(**options)
    fits = fits_of(chosen, "unload", "loading")
    if not len(fits):
        fits = fits_of(chosen, "no_slip", "loading")
    if not len(fits):
        raise RunError(f"{chosen.run.folder}: stage '{chosen.name}' has no circle: its directions are on "
                       "a sphere, or nothing slid (see the log)")
    with plot_style.applied(plot_style.settings(style, ax is None)):
        drawing = Drawing(chosen, fits[0], ax, style)
        drawing.directions(fits[0])
        for fit in fits:
            drawing.fit(fit, str(fit["law"]))
        return drawing.finish()


def splits(source: Union[Run, Stage, str, "os.PathLike[str]"], stage: Optional[str] = None, ax: Any = None,
           **options: Any) -> Any:
    """Both splits of the strain, by unloading and by the no-slip companion, of the first law."""
    chosen, style = stage_of(source, stage), plot_style.make(**options)
    unload, no_slip = (fits_of(chosen, split, "loading") for split in ("unload", "no_slip"))
    pairs: List[Tuple[np.void, np.void]] = [(a, b) for a in unload[:1] for b in no_slip
                                            if a["law"] == b["law"]]
    if not pairs:
        raise RunError(f"{chosen.run.folder}: stage '{chosen.name}' does not have both splits: set "
                       "probes.unload and probes.no_slip")
    with plot_style.applied(plot_style.settings(style, ax is None)):
        drawing = Drawing(chosen, pairs[0][0], ax, style)
        drawing.fit(pairs[0][0], "unloading")
        drawing.fit(pairs[0][1], "no-slip companion")
        return drawing.finish()
