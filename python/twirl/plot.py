# SPDX-License-Identifier: BSD-3-Clause
"""Figures in matplotlib with the look of ``twirl plot``.

    twirl.plot.stress_ratio("dense", "loose", labels=["dense", "loose"], width=8.5)

Each function takes runs (``twirl.Run``, the name of a folder, or a stage of a run) and returns the
axes of matplotlib. Several runs are drawn into one figure, each with its last stage that loads; one
run with all of them. Successive stages without ``from`` are one test, and one curve with its stages
marked. Options of all functions:

``stage``     name of the stage to draw, or a list: one for each run
``apart``     draw each stage of a test as a curve of its own
``labels``    texts of the key, one for each curve
``ax``        axes to draw into; otherwise a new figure is made
``width``, ``height``   of a new figure [cm]; 12, and 0.72 times the width. A journal column has 8.5
``font``      size of the font [pt]; 9, or 8 below a width of 10 cm
``percent``   strains in per cent
``grey``      greys and dashes instead of colours
``log``       logarithmic axes: ``"x"``, ``"y"`` or ``"xy"``
``xrange``, ``yrange``   ends of the axis in the numbers that it shows; None: that end is chosen
"""

from __future__ import annotations

import math
import os
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

from . import plot_style
from .errors import warn
from .figure import check_results, describe
from .plot_contacts import force_distribution, normals_rose, young
from .plot_paint import Painter
from .results import Run, Stage

__all__ = ["curve", "envelope", "envelope_section", "figure", "figures", "force_distribution", "normals_rose", "young"]

Source = Union[Run, Stage, str, "os.PathLike[str]"]
Document = Dict[str, Any]
Range = Tuple[Optional[float], Optional[float]]

PLANES = ("xy", "xz", "yz", "deviatoric")


def collect(sources: Sequence[Any], stage: Any) -> Tuple[List[Any], List[str]]:
    """Folders, and names of stages as the library takes them."""
    if len(sources) == 1 and isinstance(sources[0], (list, tuple)):
        sources = sources[0]
    if not sources:
        raise TypeError("give at least one run")
    wanted = [stage] if isinstance(stage, (str, Stage)) else list(stage or ())
    wanted = [one.name if isinstance(one, Stage) else one for one in wanted]
    if any(isinstance(source, Stage) for source in sources):
        wanted = (wanted or [""]) * (1 if len(wanted) > 1 else len(sources))
        wanted = [s.name if isinstance(s, Stage) else name for s, name in zip(sources, wanted)]
    inputs = [s.run.folder if isinstance(s, Stage) else s.folder if isinstance(s, Run) else s for s in sources]
    for text in check_results(inputs):
        warn(text)
    return inputs, wanted


def no_figure(name: str, document: Document) -> ValueError:
    shown = ", ".join(f"{s['label']} ({s['kind']})" for s in document["series"] if s["drawn"])
    there = dict.fromkeys(figure["kind"] for figure in document["figures"])
    return ValueError(f"no figure {name!r} of {shown}; there is: {', '.join(there)}")


def find(name: str, document: Document) -> Dict[str, Any]:
    """The figure of this kind or name; of those of single stages, the last."""
    found = [figure for figure in document["figures"] if name in (figure["kind"], figure["name"])]
    if not found:
        raise no_figure(name, document)
    return found[0] if found[0]["stage"] is None else found[-1]


def relabel(figure: Dict[str, Any], document: Document, labels: Sequence[str]) -> Dict[int, str]:
    """Labels by series; a figure with several lines of a series keeps its own."""
    shown = [line["series"] for line in figure["lines"] if not line["second"]]
    if len(set(shown)) < len(shown):
        return {}
    if isinstance(labels, str) or len(labels) != len(shown):
        raise ValueError(f"labels: give one for each of the {len(shown)} curves: "
                         + ", ".join(document["series"][k]["label"] for k in shown))
    return {k: str(label) for k, label in zip(shown, labels)}


def size_for(ax: Any, style: plot_style.Style) -> Tuple[float, float]:
    """The size of a figure [cm] whose frame is that of these axes."""
    if ax is None:
        return style.width, style.height
    box, size = ax.get_position(), ax.figure.get_size_inches() / plot_style.CM
    return box.width * size[0] + 6.0 * style.em, box.height * size[1] + 4.5 * style.em


def paint(choose: Callable[[Document], Dict[str, Any]], runs: Sequence[Any], stage: Any = None,
          labels: Optional[Sequence[str]] = None, ax: Any = None, members: Optional[Dict[str, Any]] = None,
          apart: bool = False, log: str = "", xrange: Range = (None, None), yrange: Range = (None, None), **options: Any) -> Any:
    """Draws the figure that ``choose`` takes from the document of the runs."""
    style = plot_style.make(**options)
    width, height = size_for(ax, style)
    inputs, stages = collect(runs, stage)
    request = {"width": width, "height": height, "font_size": style.font, "percent": int(style.percent), "apart": int(apart),
               "log": [int(axis in log) for axis in "xy"], "range": [[math.nan if end is None else end for end in ends] for ends in (xrange, yrange)],
               **(members or {})}
    document = describe(inputs, stages, **request)
    for run in document["runs"]:
        if run["problem"]:
            warn(run["problem"])
    figure = choose(document)
    titles: Dict[int, str] = {}
    if labels is not None:  # once more: the place of the key depends on them
        titles = relabel(figure, document, labels)
        every = [titles.get(k, s["label"]) for k, s in enumerate(document["series"]) if s["drawn"]]
        document = describe(inputs, stages, every, **request)
        figure = choose(document)
    return Painter(figure, document, style, titles).draw(ax)


# ---- Figures ----

def figure(name: str, *runs: Source, **options: Any) -> Any:
    """A figure of ``twirl plot`` by its name: ``stress_ratio``, ``loops``, ``compression_curve`` ..."""
    return paint(lambda document: find(name, document), runs, **options)


def figures(*runs: Source, stage: Any = None) -> List[str]:
    """Names of the figures of these runs."""
    return list(dict.fromkeys(figure["kind"] for figure in describe(*collect(runs, stage))["figures"]))


def curve(*runs: Source, y: str, x: Optional[str] = None, **options: Any) -> Any:
    """Any quantity, or column of the history, over another: ``curve(run, y="rattlers", x="strain")``.

    Without ``x`` it is that of the path, such as the axial strain.
    """
    return paint(lambda document: find("curve", document), runs, members={"x": x, "y": y}, **options)


def envelope(run: Source, stage: Optional[str] = None, law: Optional[str] = None, **options: Any) -> Any:
    """The surface through the ends of all responses of probes, in 3D; of stress probes the strains.

    Colour: the irreversible strain over the largest one. ``ax``: axes with ``projection="3d"``.
    ``law``: that of the probes; the first by default.
    """
    return paint(lambda document: find("envelope", document), [run], stage, members={"law": law}, **options)


def envelope_section(run: Source, plane: str = "xy", stage: Optional[str] = None, law: Optional[str] = None,
                     **options: Any) -> Any:
    """Section of the response surface by a plane through the origin: ``xy``, ``xz``, ``yz``, or
    ``deviatoric``, the plane of equal volume.

    Total response and its reversible part, and the irreversible strains of all probes, projected onto
    the plane; of strain probes the stress with and without slip.
    """
    if plane not in PLANES:
        raise ValueError(f"plane: {plane!r} is none of {', '.join(PLANES)}")
    options.setdefault("height", options.get("width") or 12.0)

    def choose(document: Document) -> Dict[str, Any]:
        return find(find("envelope_section", document)["stage"] + "_envelope_" + plane, document)

    return paint(choose, [run], stage, members={"law": law}, **options)


def __getattr__(name: str) -> Callable[..., Any]:
    """Figures of ``twirl plot`` are functions by their names: ``stress_path(run)`` is ``figure("stress_path", run)``."""
    if name.startswith("_"):
        raise AttributeError(name)
    if name == "field":
        raise AttributeError("field was removed: pyplot.pcolormesh(fields.porosity.mean(axis=1).T), or twirl render --field")

    def draw(*runs: Source, **options: Any) -> Any:
        return figure(name, *runs, **options)

    draw.__name__ = draw.__qualname__ = name
    return draw
