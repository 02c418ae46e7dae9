# SPDX-License-Identifier: BSD-3-Clause
"""Figures in matplotlib with the look of ``twirl plot``.

    twirl.plot.stress_ratio("dense", "loose", labels=["dense", "loose"], width=8.5)

Each function takes runs (``twirl.Run``, the name of a folder, or a stage of a run) and returns the
axes of matplotlib. Several runs are drawn into one figure, each with its last stage that loads; one
run with all of them. Options of all functions:

``stage``     name of the stage to draw, or a list: one for each run
``labels``    texts of the key, one for each curve
``ax``        axes to draw into; otherwise a new figure is made
``width``, ``height``   of a new figure [cm]; 12, and 0.72 times the width. A journal column has 8.5
``font``      size of the font [pt]; 9, or 8 below a width of 10 cm
``percent``   strains in per cent
``grey``      greys and dashes instead of colours
"""

from __future__ import annotations

import os
from pathlib import Path as FilePath
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from . import derived, plot_axis, plot_plane, plot_style
from .plot_contacts import force_distribution, normals_rose
from .plot_envelope import envelope, envelope_section
from .plot_probes import circles, splits
from .plot_table import FIGURES, GROUPS, LABELS, Entry, Label
from .results import Run, Stage

__all__ = ["circles", "compression_curve", "coordination", "curve", "deviator_stress", "energies",
           "envelope", "envelope_section", "fabric", "figure", "figures", "force_distribution", "loops",
           "normals_rose", "pi_plane", "pore_pressure", "shear_stress", "sliding", "splits", "stress_path", "stress_ratio",
           "void_ratio", "volumetric_strain"]

Source = Union[Run, Stage, str, "os.PathLike[str]"]


class Series(NamedTuple):
    """Rows of a history that are one curve."""

    name: str
    label: str
    rows: np.ndarray
    path: derived.Path
    driven: str
    """Amplitude of cycles that is given: ``stress`` or ``strain``."""


# ---- Which rows ----

def series_of(stage: Stage) -> Series:
    cycle = stage.definition.get("cycle") or {}
    return Series(stage.name, stage.name, stage.history, stage.loading,
                  "strain" if "strain" in cycle else "stress")


def join(stages: Sequence[Stage]) -> List[Series]:
    """Void ratio over stress goes on from stage to stage: successive ones make one curve."""
    out: List[Series] = []
    end = -1
    for stage in stages:
        new, last = series_of(stage), out[-1] if out else None
        if (last and new.path.kind in ("oedometer", "isotropic") and last.path == new.path
                and end == stage.rows.start and not stage.definition.get("from")):
            out[-1] = last._replace(label=f"{last.label}, {new.label}",
                                    rows=np.concatenate([last.rows, new.rows]))
        else:
            out.append(new)
        end = stage.rows.stop
    return out


def relabel(series: List[Series], labels: Optional[Sequence[str]]) -> List[Series]:
    if labels is None:
        return series
    if isinstance(labels, str) or len(labels) != len(series):
        raise ValueError(f"labels: give one for each of the {len(series)} curves: "
                         + ", ".join(s.label for s in series))
    return [s._replace(label=str(label)) for s, label in zip(series, labels)]


def collect(sources: Sequence[Any], stage: Any) -> List[Series]:
    """The curves of all sources, as ``twirl plot`` chooses them."""
    if len(sources) == 1 and isinstance(sources[0], (list, tuple)):
        sources = sources[0]
    if not sources:
        raise TypeError("give at least one run")
    several = len(sources) > 1
    wanted = [stage] if isinstance(stage, (str, Stage)) else list(stage or ())
    if several and len(wanted) > 1 and len(wanted) != len(sources):
        raise ValueError(f"stage: {len(wanted)} stages for {len(sources)} runs; give one, or one for "
                         "each run")
    out: List[Series] = []
    for k, source in enumerate(sources):
        if isinstance(source, Stage):
            found = [series_of(source)]
            name = source.run.name
        else:
            run = source if isinstance(source, Run) else Run(source)
            name = run.name
            mine = ([wanted[k if len(wanted) > 1 else 0]] if wanted else []) if several else wanted
            found = [series_of(run[s] if isinstance(s, str) else s) for s in mine]
            found = found or join(run.loading_stages())
            if several:
                found = found[-1:]
        if not found:
            raise ValueError(f"{name}: no stage to draw")
        out += [s._replace(label=name) for s in found] if several else found
    if several and len({s.label for s in out}) < len(out):
        out = [s._replace(label=f"{s.label}, {s.name}") for s in out]
    return out


# ---- Drawing ----

class Line(NamedTuple):
    x: np.ndarray
    y: np.ndarray
    title: str


def limits(lines: Sequence[Line], of_y: bool, log: bool) -> Tuple[float, float]:
    low, high = np.inf, -np.inf
    for line in lines:
        values = (line.y if of_y else line.x)[np.isfinite(line.x + line.y)]
        if log:
            values = values[values > 0.0]
        if len(values):
            low, high = min(low, float(values.min())), max(high, float(values.max()))
    return low, high


def places(lines: Sequence[Line], x: plot_axis.Axis, y: plot_axis.Axis) -> List[Tuple[float, float]]:
    out: List[Tuple[float, float]] = []
    for line in lines:
        out += [(x.place(a), y.place(b)) for a, b in zip(line.x, line.y)]
        out.append((np.nan, np.nan))
    return out


def draw(lines: Sequence[Line], x_label: Label, y_label: Label, style: plot_style.Style, ax: Any,
         log_x: bool = False, log_y: bool = False, math: bool = False) -> Any:
    """Curves with their axes and key, in a new figure or in given axes; math: $ in titles has its
    meaning."""
    x = plot_axis.choose(x_label.dimension, *limits(lines, False, log_x), x_label.zero, log_x, style.percent)
    low, high = limits(lines, True, log_y)
    if y_label is LABELS["b"]:  # its limits are values of interest
        low, high = min(low, -0.05), max(high, 1.05)
    y = plot_axis.choose(y_label.dimension, low, high, y_label.zero, log_y, style.percent)
    own = ax is None
    with plot_style.applied(plot_style.settings(style, own)):
        ax = plot_style.new_axes(style) if own else ax
        rows = sum(len(line.x) + 1 for line in lines)
        drawn: List[Any] = []
        for k, line in enumerate(lines):
            drawn += ax.plot(x.factor * line.x, y.factor * line.y, label=line.title, **style.line(k, rows))
        plot_axis.apply(x, ax, "x", x_label.text)
        plot_axis.apply(y, ax, "y", y_label.text)
        margins = (2.5 + 0.56 * y.characters, 1.5, 3.7, 0.8)
        extra = 0.0
        if len(lines) > 1:
            extra = key(drawn, places(lines, x, y), style, ax, margins)
            for text, line in zip(ax.get_legend().get_texts(), lines):
                text.set_text(line.title)  # not before: a title with a leading _ would be left out
                text.set_parse_math(math)
        if own:
            plot_style.place(ax.figure, ax, style, (*margins[:3], margins[3] + extra))
    return ax


def key(lines: Sequence[Any], points: Sequence[Tuple[float, float]], style: plot_style.Style, ax: Any,
        margins: Tuple[float, float, float, float]) -> float:
    """In a free corner, or above the frame; returns the room that it needs there [em]."""
    left, right, bottom, top = margins
    box = ax.get_position()
    frame = (style.width / style.em - left - right, style.height / style.em - bottom - top)
    if len(ax.figure.axes) > 1:  # given axes, of any size
        size = ax.figure.get_size_inches() / plot_style.CM / style.em
        frame = (box.width * size[0], box.height * size[1])
    longest = max(len(line.get_label()) for line in lines)
    names = [str(k) for k in range(len(lines))]
    width, height = 3.2 + 0.53 * longest, 1.25 * len(lines) + 0.9
    corner = plot_axis.key_place(points, (width + 1.0) / frame[0], height / frame[1])
    if corner:
        ax.legend(lines, names, loc=corner)
        return 0.0
    columns = max(1, min(len(lines), int(frame[0] / (width + 1.0))))
    ax.legend(lines, names, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncol=columns, columnspacing=1.0)
    return 1.25 * -(-len(lines) // columns)


# ---- Figures ----

#: The figure whose axes are not those of a curve.
PLANE = "pi_plane"


def is_in_plane(s: Series) -> bool:
    return s.path.kind == "true_triaxial" and len(s.rows) > 1 and derived.has(s.rows, "stress_xx", "p")


def members(name: str, every: Sequence[Series]) -> Tuple[Entry, List[Series], str, bool]:
    """The entry of the table, the series that it shows, the abscissa, and whether it is logarithmic."""
    for entry in FIGURES[name]:
        for kinds, x, log in GROUPS:
            abscissa = entry.x or x
            shown = [s for s in every if s.path.kind in entry.kinds & kinds and len(s.rows) > 1
                     and np.isfinite(derived.curve(s.rows, abscissa, s.path)).any()
                     and any(np.isfinite(derived.curve(s.rows, q, s.path)).any() for q, _ in entry.lines)]
            if shown:
                return entry, shown, abscissa, log and abscissa == x
    raise ValueError(f"no figure {name!r} of " + ", ".join(f"{s.label} ({s.path.kind})" for s in every))


def figure(name: str, *runs: Source, stage: Any = None, labels: Optional[Sequence[str]] = None,
           ax: Any = None, **options: Any) -> Any:
    """A figure of ``twirl plot`` by its name: ``stress_ratio``, ``loops``, ``compression_curve`` ..."""
    if name == PLANE:
        return pi_plane(*runs, stage=stage, labels=labels, ax=ax, **options)
    if name not in FIGURES:
        raise ValueError(f"no figure {name!r}; there is: {', '.join([*FIGURES, PLANE])}")
    every = collect(runs, stage)
    entry, shown, x, log = members(name, every)
    left_out = [s.label for s in every if not any(s is other for other in shown)]
    if left_out and sum(isinstance(r, (Run, Stage, str, FilePath)) for r in runs) > 1:
        raise ValueError(f"no figure {name!r} of {', '.join(left_out)} together with {shown[0].label}")
    if len(entry.lines) > 1:
        shown = shown[-1:]  # it has several lines for each series
    else:
        shown = relabel(shown, labels)
    lines = [Line(derived.curve(s.rows, x, s.path), derived.curve(s.rows, quantity, s.path),
                  title or s.label)
             for s in shown for quantity, title in entry.lines]
    lines = [line for line in lines if np.isfinite(line.y).any()]
    return draw(lines, LABELS[x], LABELS[entry.lines[0][0]], plot_style.make(**options), ax, log, entry.log,
                labels is not None)


def figures(*runs: Source, stage: Any = None) -> List[str]:
    """Names of the figures that ``twirl plot`` draws of these runs, without the error of a rotation and
    the figures of probes."""
    every = collect(runs, stage)
    out = []
    for name in FIGURES:
        try:
            entry, shown, _, _ = members(name, every)
        except ValueError:
            continue
        together = len(shown) == len(every) and len(entry.lines) == 1
        needed = any(s.path.kind in entry.needs for s in shown)
        driven = not entry.driven or any(s.driven == entry.driven for s in shown)
        if needed and driven and (together or len(runs) == 1):
            out.append(name)
    in_plane = sum(is_in_plane(s) for s in every)
    if in_plane and (in_plane == len(every) or len(runs) == 1):
        out.append(PLANE)
    return out


def curve(*runs: Source, y: str, x: Optional[str] = None, stage: Any = None,
          labels: Optional[Sequence[str]] = None, ax: Any = None, **options: Any) -> Any:
    """Any quantity, or column of the history, over another: ``curve(run, y="rattlers", x="strain")``.

    Without ``x`` it is that of the path, such as the axial strain.
    """
    every = relabel(collect(runs, stage), labels)
    if x is None:
        x = next((x for kinds, x, _ in GROUPS if every[0].path.kind in kinds), "time")
    lines = [Line(np.asarray(derived.curve(s.rows, x, s.path), float),
                  np.asarray(derived.curve(s.rows, y, s.path), float), s.label) for s in every]
    x_label, y_label = (LABELS.get(name, Label(name, zero=False)) for name in (x, y))
    return draw(lines, x_label, y_label, plot_style.make(**options), ax, math=labels is not None)


def stress_ratio(*runs: Source, **options: Any) -> Any:
    """q/p over axial strain; shear over normal stress in simple shear."""
    return figure("stress_ratio", *runs, **options)


def deviator_stress(*runs: Source, **options: Any) -> Any:
    """q over axial strain."""
    return figure("deviator_stress", *runs, **options)


def shear_stress(*runs: Source, **options: Any) -> Any:
    """Shear stress over shear strain, in simple shear."""
    return figure("shear_stress", *runs, **options)


def volumetric_strain(*runs: Source, **options: Any) -> Any:
    """Volumetric strain over the strain of the path, or the number of cycles."""
    return figure("volumetric_strain", *runs, **options)


def void_ratio(*runs: Source, **options: Any) -> Any:
    """Void ratio over the strain of the path."""
    return figure("void_ratio", *runs, **options)


def stress_path(*runs: Source, **options: Any) -> Any:
    """q over p; shear over normal stress in simple shear."""
    return figure("stress_path", *runs, **options)


def pi_plane(*runs: Source, stage: Any = None, labels: Optional[Sequence[str]] = None, ax: Any = None,
             **options: Any) -> Any:
    """Stress over p of true triaxial paths in the deviatoric plane, with their peaks.

    Of two paths or more also the strength of Lade and Duncan, I1^3/I3 = constant, at the mean of the peaks.
    """
    every = collect(runs, stage)
    shown = [s for s in every if is_in_plane(s)]
    if not shown:
        raise ValueError(f"no figure {PLANE!r} of " + ", ".join(f"{s.label} ({s.path.kind})" for s in every))
    traces = [plot_plane.trace_of(s.rows, s.path, s.label) for s in relabel(shown, labels)]
    return plot_plane.draw(traces, plot_style.make(**options), ax, labels is not None)


def pore_pressure(*runs: Source, **options: Any) -> Any:
    """Pore-pressure ratio of undrained tests."""
    return figure("pore_pressure", *runs, **options)


def loops(*runs: Source, **options: Any) -> Any:
    """Stress over strain of cyclic tests."""
    return figure("loops", *runs, **options)


def compression_curve(*runs: Source, **options: Any) -> Any:
    """Void ratio over the logarithm of axial stress or p; successive stages are one curve."""
    return figure("compression_curve", *runs, **options)


def coordination(*runs: Source, **options: Any) -> Any:
    """Coordination number."""
    return figure("coordination", *runs, **options)


def sliding(*runs: Source, **options: Any) -> Any:
    """Fraction of sliding contacts."""
    return figure("sliding", *runs, **options)


def fabric(*runs: Source, **options: Any) -> Any:
    """Deviator of the fabric tensor."""
    return figure("fabric", *runs, **options)


def energies(run: Source, **options: Any) -> Any:
    """Work, dissipation and stored energy since the stage began, of one stage."""
    return figure("energies", run, **options)
