# SPDX-License-Identifier: BSD-3-Clause
"""Stress paths in the deviatoric (pi) plane (apps/twirl/plot/plot_plane.c)."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from . import derived, plot_style

ROOT = np.sqrt(2.0 / 3.0)  # distance from the centre over q/p
THIRD = 2.0 * np.pi / 3.0


class Trace(NamedTuple):
    """The path of a true triaxial stage: stress over p, the driven axis upwards."""

    label: str
    x: np.ndarray
    y: np.ndarray
    axis: int
    peak: Tuple[float, float, float]
    """Place, and q/p there."""


def trace_of(rows: np.ndarray, path: derived.Path, label: str) -> Trace:
    x, y = (derived.curve(rows, name, path) for name in ("pi_x", "pi_y"))
    ratio = np.nan_to_num(derived.curve(rows, "stress_ratio", path), nan=0.0)
    at = int(ratio.argmax())
    return Trace(label, x, y, path.axis, (x[at], y[at], ratio[at]) if ratio[at] > 0.0 else (0.0, 0.0, 0.0))


# ---- Strength: the surface of Lade and Duncan, I1^3/I3 = constant ----

def third_invariant(ratio: Any, angle: Any) -> Any:
    """I3/p^3 = 1 - eta^2/3 + 2/27 eta^3 cos(3 angle), with eta = q/p."""
    return 1.0 - ratio * ratio / 3.0 + 2.0 / 27.0 * ratio * ratio * ratio * np.cos(3.0 * angle)


def ratio_at(value: float, angle: Any) -> Any:
    """q/p at which I1^3/I3 has the value: below the ratio at which a principal stress is zero."""
    angle = np.asarray(angle, float)
    low, high = np.zeros(angle.shape), np.full(angle.shape, 1.5)
    for _ in range(31):
        high = np.where((third_invariant(high, angle) > 27.0 / value) & (high < 3.0), high + 0.05, high)
    for _ in range(60):
        middle = 0.5 * (low + high)
        more = third_invariant(middle, angle) > 27.0 / value
        low, high = np.where(more, middle, low), np.where(more, high, middle)
    return low


def mean_strength(traces: Sequence[Trace]) -> Optional[float]:
    """Mean of I1^3/I3 over the peaks; None if there are fewer than two paths, or no peak."""
    if len(traces) < 2 or not all(trace.peak[2] > 0.0 for trace in traces):
        return None
    x, y, ratio = np.array([trace.peak for trace in traces]).T
    value = float(np.mean(27.0 / third_invariant(ratio, np.arctan2(x, y))))
    return value if np.isfinite(value) and value > 27.0 else None


# ---- The figure ----

def draw_axes(ax: Any, axis: int, reach: float, font: float) -> None:
    """Three axes and circles of equal q/p; ``reach`` is the length of an axis."""
    for k in range(3):
        x, y = np.sin(k * THIRD), np.cos(k * THIRD)
        ax.annotate("", (reach * x, reach * y), (0.0, 0.0), zorder=1.0, arrowprops={
            "arrowstyle": "-|>", "color": "black", "linewidth": 0.5, "shrinkA": 0, "shrinkB": 0})
        ax.text(1.09 * reach * x, 1.09 * reach * y, rf"$\sigma_{'xyz'[(axis + k) % 3]}$/$p$", ha="center", va="center")
    step = 0.5 if reach > 1.0 else 0.25 if reach > 0.4 else 0.1
    angle = np.linspace(0.0, 2.0 * np.pi, 91)
    k = 1
    while k * step * ROOT < 0.93 * reach:
        radius = k * step * ROOT
        ax.plot(radius * np.cos(angle), radius * np.sin(angle), color="#cccccc", linewidth=0.35, label="_circle",
                zorder=0.6)
        ax.text(-radius * np.sin(0.5 * THIRD), radius * np.cos(0.5 * THIRD) + 0.035 * reach, f"$q$/$p$ = {k * step:g}",
                color="#777777", fontsize=0.85 * font, ha="center", va="center")
        k += 1


def frame(ax: Any, style: plot_style.Style, reach: float, own: bool) -> None:
    """Equal scales: the frame is the whole figure, the plane at its left."""
    low, high, left = -0.78 * reach, 1.2 * reach, -1.1 * reach
    ax.set_axis_off()
    ax.set_ylim(low, high)
    if own:
        ax.figure.subplots_adjust(left=0.0, right=1.0, bottom=0.0, top=1.0)
        ax.set_xlim(left, left + style.width / style.height * (high - low))
    else:
        ax.set_xlim(left, -left)
        ax.set_aspect("equal")


def draw(traces: Sequence[Trace], style: plot_style.Style, ax: Any, math: bool) -> Any:
    """math: $ in labels has its meaning."""
    value = mean_strength(traces)
    reach = 0.0 if value is None else ROOT * float(ratio_at(value, 0.0))
    reach = 1.2 * max(reach, *(ROOT * trace.peak[2] for trace in traces))
    own = ax is None
    with plot_style.applied(plot_style.settings(style, own)):
        ax = plot_style.new_axes(style) if own else ax
        draw_axes(ax, traces[0].axis, reach, style.font)
        entries: List[Tuple[Any, str, bool]] = []  # of the key: line, title, whether $ has its meaning
        if value is not None:
            angle = np.linspace(0.0, 2.0 * np.pi, 181)
            radius = ROOT * ratio_at(value, angle)
            line, = ax.plot(radius * np.sin(angle), radius * np.cos(angle), color="#999999", linewidth=0.8,
                            linestyle=(0, (2.25, 1.5)), label="_strength")
            entries.append((line, f"$I_1^3$/$I_3$ = {value:.1f}", True))
        for k, trace in enumerate(traces):
            line, = ax.plot(trace.x, trace.y, label=trace.label, **style.line(k))
            entries.append((line, trace.label, math))
        line, = ax.plot([trace.peak[0] for trace in traces], [trace.peak[1] for trace in traces], "o", color="black",
                        markersize=0.3 * style.font, label="peaks")
        entries.append((line, "peaks", False))
        frame(ax, style, reach, own)
        place = {"loc": "upper right", "bbox_to_anchor": (0.995, 0.98)} if own else {
            "loc": "lower center", "bbox_to_anchor": (0.5, 1.0), "ncol": 3}
        legend = ax.legend([entry[0] for entry in entries], [str(k) for k in range(len(entries))], **place)
        for text, (_, title, parse) in zip(legend.get_texts(), entries):
            text.set_text(title)  # not before: a title with a leading _ would be left out
            text.set_parse_math(parse)
    return ax
