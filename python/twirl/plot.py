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
from .plot_contacts import field, force_distribution, normals_rose
from .plot_paint import Painter
from .results import Run, Stage

__all__ = ["anisotropy", "circles", "compression_curve", "coordination", "curve", "deviator_stress", "energies",
           "envelope", "envelope_section", "fabric", "field", "figure", "figures", "force_distribution", "loops", "mobilised_friction", "moduli",
           "normals_rose", "pi_plane", "pore_pressure", "rates_envelope", "rates_work", "redundancy", "shear_stress", "sliding", "splits", "stress_path", "stress_pressure", "stress_ratio", "strong_contacts",
           "stress_volume", "void_ratio", "volumetric_strain"]

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


def named(name: str, text: str) -> Callable[..., Any]:
    """The function that draws the figures of this name."""
    def draw(*runs: Source, **options: Any) -> Any:
        return figure(name, *runs, **options)

    draw.__name__ = draw.__qualname__ = name
    draw.__doc__ = text
    return draw


stress_ratio = named("stress_ratio", "q/p over axial strain; shear over normal stress in simple shear.")
deviator_stress = named("deviator_stress", "q over axial strain.")
shear_stress = named("shear_stress", "Shear stress over shear strain, in simple shear.")
stress_volume = named("stress_volume", "q or shear stress, and the volumetric strain at the right, over the strain of the path.")
stress_pressure = named("stress_pressure", "The same with the pore-pressure ratio of undrained tests.")
volumetric_strain = named("volumetric_strain", "Volumetric strain over the strain of the path, or the number of cycles.")
void_ratio = named("void_ratio", "Void ratio over the strain of the path.")
stress_path = named("stress_path", "q over p; shear over normal stress in simple shear.")
pi_plane = named("pi_plane", """Stress over p of true triaxial paths in the deviatoric plane, with their peaks.

Of two paths or more also the strength of Lade and Duncan, I1^3/I3 = constant, at the mean of the peaks.""")
pore_pressure = named("pore_pressure", "Pore-pressure ratio of undrained tests.")
loops = named("loops", "Stress over strain of cyclic tests.")
compression_curve = named("compression_curve",
                          "Void ratio over the logarithm of axial stress or p; successive stages are one curve.")
coordination = named("coordination", "Coordination number.")
sliding = named("sliding", "Fraction of sliding contacts.")
fabric = named("fabric", "Deviator of the fabric tensor.")
mobilised_friction = named("mobilised_friction", "Mean tangential force over the friction limit.")
moduli = named("moduli", "Bulk and shear modulus of the states that were kept, with output.moduli.")
redundancy = named("redundancy", "Motions that contacts prevent over those of the grains.")
anisotropy = named("anisotropy", """Anisotropies of contacts, branch lengths, normal and tangential forces of one test, and q/p beside their sum.

The last line is what the sum neglects.""")
strong_contacts = named("strong_contacts", "Contacts above the mean normal force, and their shares of p and q, of one test.")
energies = named("energies", "Work, dissipation and stored energy since the curve began, of one test.")
circles = named("circles", """Irreversible strain over stress of each probe, in its direction, with the fitted circles.

One colour for each law, small circles dashed, directions of yield and flow of the first law. The
split is that by unloading, or by the no-slip companion if there is no other.""")
rates_envelope = named("rates_envelope", "Response of a stage of rates to unit rates of strain or stress, with slip and without.")
rates_work = named("rates_work", "Normalised second-order work of a stage of rates over the direction, with the directions in which it is negative or has no solution.")
splits = named("splits", "Both splits of the strain, by unloading and by the no-slip companion, of the first law.")
