# SPDX-License-Identifier: BSD-3-Clause
"""Draws descriptions of figures with matplotlib. What a figure shows is decided in the library."""

from __future__ import annotations

import re
from typing import Any, Dict, List, NamedTuple, Tuple

import numpy as np

from . import plot_style
from .figure import numbers

CORNERS = {"top right": "upper right", "top left": "upper left", "bottom right": "lower right",
           "bottom left": "lower left"}
INKS = {0: "#000000", -1: "#444444", -2: "#999999", -3: "#cccccc"}
MARKS = {1: ("o", "full"), 2: ("s", "none"), 3: ("^", "none"), 4: ("D", "none"), 5: ("x", "none"), 6: ("+", "none")}
MARKUP = re.compile(r"((?:\{[^}]*\}|_.|\^\{[^}]*\})+)")
TOKEN = re.compile(r"\{([^}]*)\}|_(.)|\^\{([^}]*)\}")

# Of surfaces: colour of the largest share, in colours and in greys; where the light comes from; the view [deg].
FULL = {False: (213, 94, 0), True: (110, 110, 110)}
LIGHT = np.array([0.35, 0.75, 0.56])
AZIMUTH, ELEVATION = 35.0, 25.0


def math_of(text: str) -> str:
    """The markup of descriptions as that of matplotlib."""
    def token(found: "re.Match[str]") -> str:
        symbol, below, above = found.groups()
        if symbol is not None:
            return symbol
        return rf"_\mathrm{{{below}}}" if below is not None else rf"^{{{above}}}"

    parts = MARKUP.split(text)
    # Fonts of text have no angle brackets.
    return "".join(f"${TOKEN.sub(token, part)}$" if k % 2 else
                   part.replace("$", r"\$").replace("⟨", r"$\langle$").replace("⟩", r"$\rangle$") for k, part in enumerate(parts))


class Entry(NamedTuple):
    """A line of the key."""

    artist: Any
    title: str
    math: bool
    """Whether $ has its meaning."""


class Painter:
    """One figure of a document. ``titles``: of lines by their series, in place of those of the document."""

    def __init__(self, figure: Dict[str, Any], document: Dict[str, Any], style: plot_style.Style, titles: Dict[int, str]):
        self.figure, self.document, self.style, self.titles = figure, document, style, titles
        self.entries: List[Entry] = []

    def draw(self, ax: Any) -> Any:
        """Into given axes, or None for a new figure of its own."""
        own = ax is None
        with plot_style.applied(plot_style.settings(self.style, own)):
            space = {"projection": "3d", "proj_type": "ortho"} if self.figure["surface"] else {}
            ax = plot_style.new_axes(self.style, **space) if own else ax
            if self.figure["surface"]:
                self._surface(ax, own)
                return ax
            for shape in self.figure["shapes"]:
                self._shape(ax, shape)
            second = ax.twinx() if self.figure["second"] else None
            self._lines(ax, second)
            self.entries.sort(key=lambda entry: entry.artist.get_zorder())
            self._frame(ax)
            if second:
                ax.tick_params(axis="y", which="both", right=False)
                second.tick_params(axis="y", which="both", left=False)
                self._axis(second, "y", self.figure["second"])
            extra = self._key(ax, own)
            if own:
                self._place(ax, extra)
        return ax

    # ---- What is drawn ----

    def _lines(self, ax: Any, second: Any) -> None:
        rows = sum(self.document["series"][line["series"]]["rows"] + 1 for line in self.figure["lines"])
        for line in self.figure["lines"]:
            values = self.document["series"][line["series"]]["values"]
            axes = self.figure["x"], self.figure["second" if line["second"] else "y"]
            x, y = (axis["factor"] * numbers(values[line[which]]) for which, axis in zip("xy", axes))
            math = line["series"] in self.titles or not line["plain"]
            own = line["title"] if line["plain"] else math_of(line["title"])
            title = own and self.titles.get(line["series"], own)
            look = self.style.line(line["style"] - 1, rows)
            if line["dash"]:
                look["linestyle"] = plot_style.DASHED
            drawn, = (second if line["second"] else ax).plot(x, y, label=title or "_second", **look)
            if title:
                self.entries.append(Entry(drawn, title, math))

    def _shape(self, ax: Any, shape: Dict[str, Any]) -> None:
        x, y = numbers(shape["x"]), numbers(shape["y"])
        style, title = shape["style"], shape["title"] if shape["plain"] else math_of(shape["title"])
        look = self.style.line(style - 1) if style > 0 else {"color": INKS[style], "linestyle": "-"}
        colour, font = look["color"], self.style.font
        if shape["kind"] == "note":
            small = style == -2
            ax.annotate(title, (x[0], y[0]), xytext=(0.5 * shape["side"] * font, 0.0), textcoords="offset points",
                        color="#777777" if small else colour, fontsize=(0.85 if small else 1.0) * font, parse_math=not shape["plain"], va="center",
                        ha={-1: "right", 0: "center", 1: "left"}[shape["side"]])
            return
        if shape["dash"]:
            look["linestyle"] = "-" if shape["dash"] == 1 else plot_style.DASHED
        look["linewidth"] = 0.5 * shape["width"]
        if shape["kind"] == "arrow":
            ax.annotate("", (x[1], y[1]), (x[0], y[0]), zorder=3.0, arrowprops={
                "arrowstyle": "-|>", "shrinkA": 0, "shrinkB": 0, **look})
            return
        if shape["kind"] == "points":
            marker, fill = MARKS[shape["mark"]]
            look = {"color": colour, "linestyle": "none", "marker": marker, "fillstyle": fill, "zorder": 3.0,
                    "markersize": 0.3 * font, "markeredgewidth": 0.5}
        else:
            look["zorder"] = 1.5  # behind the lines
        drawn, = ax.plot(x, y, label=title or "_shape", **look)
        if title:
            self.entries.append(Entry(drawn, title, not shape["plain"]))

    def _surface(self, ax: Any, own: bool) -> None:
        """From white, where the response is elastic, to orange or grey; lit from one side."""
        from mpl_toolkits.mplot3d.art3d import Poly3DCollection

        surface = self.figure["surface"]
        triangles = np.array(surface["triangles"])
        corners = numbers(surface["points"])[triangles]
        normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        size = np.linalg.norm(normal, axis=1)
        light = 0.72 + 0.28 * np.maximum(0.0, np.divide(normal @ LIGHT, size, out=0.0 * size, where=size > 0.0))
        share = np.minimum(1.0, np.nan_to_num(numbers(surface["shares"])[triangles].mean(axis=1)))
        white = 255.0 + share[:, None] * (np.array(FULL[self.style.grey]) - 255.0)
        ax.add_collection3d(Poly3DCollection(corners, linewidths=0.15, edgecolors="#666666",
                                             facecolors=np.floor(light[:, None] * white) / 255.0))
        reach = surface["reach"]
        for way, radius, label in zip(np.eye(3), surface["radius"], surface["labels"]):
            start, end = radius * way, 1.35 * reach * way
            ax.quiver(*start, *(end - start), color="black", linewidth=0.5, arrow_length_ratio=0.12)
            ax.text(*(1.16 * end), math_of(label), ha="center", va="center")
        for limits in (ax.set_xlim, ax.set_ylim, ax.set_zlim):
            limits(-reach, reach)
        ax.set_box_aspect((1.0, 1.0, 1.0))
        ax.view_init(elev=ELEVATION, azim=AZIMUTH)
        ax.set_axis_off()
        if own:
            ax.figure.subplots_adjust(left=0.0, right=1.0, bottom=0.0, top=1.0)

    # ---- Around it ----

    def _axis(self, ax: Any, which: str, axis: Dict[str, Any]) -> None:
        from matplotlib import ticker

        target = getattr(ax, which + "axis")
        ax.set(**{which + "scale": "log" if axis["log"] else "linear", which + "lim": (axis["low"], axis["high"])})
        target.set_major_locator(ticker.FixedLocator([tick for tick, _ in axis["ticks"]]))
        target.set_major_formatter(ticker.FixedFormatter([math_of(text) for _, text in axis["ticks"]]))
        target.set_minor_locator(ticker.FixedLocator(axis["minor"]))
        target.set_minor_formatter(ticker.NullFormatter())
        target.set_label_text(math_of(axis["label"] + (f"\u00a0[{axis['unit']}]" if axis["unit"] else "")))

    def _frame(self, ax: Any) -> None:
        for which in "xy":
            axis = self.figure[which]
            self._axis(ax, which, axis)
            if not axis["log"] and not self.figure["bare"] and axis["low"] < 0.0 < axis["high"]:
                (ax.axvline if which == "x" else ax.axhline)(0.0, color=INKS[-2], linewidth=0.35, zorder=0.5, label="_zero")
        if self.figure["equal"]:
            ax.set_aspect("equal", adjustable="box", anchor="W" if self.figure["key"] == "beside" else "C")
        if self.figure["bare"]:
            ax.set_axis_off()

    def _key(self, ax: Any, own: bool) -> float:
        """Returns the room above the frame that it needs [em]."""
        where, count = self.figure["key"], len(self.entries)
        if where == "none" or count == 0:
            return 0.0
        place: Dict[str, Any] = {"loc": CORNERS.get(where)}
        columns = 1
        if where == "beside" and self.figure["bare"]:
            place = {"loc": "upper right", "bbox_to_anchor": (0.995, 0.98), "bbox_transform": ax.figure.transFigure} if own else {
                "loc": "lower center", "bbox_to_anchor": (0.5, 1.0), "ncol": 3}
        elif where == "beside":
            place = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0), "handlelength": 1.5}
        elif where == "above":
            longest = max(len(entry.title) for entry in self.entries)
            wide = ax.get_position().width * ax.figure.get_size_inches()[0] / plot_style.CM / self.style.em
            columns = max(1, min(count, int(wide / (4.2 + 0.53 * longest))))
            place = {"loc": "lower center", "bbox_to_anchor": (0.5, 1.0), "ncol": columns, "columnspacing": 1.0}
        legend = ax.legend([entry.artist for entry in self.entries], [str(k) for k in range(count)], **place)
        for text, entry in zip(legend.get_texts(), self.entries):
            text.set_text(entry.title)  # not before: a title with a leading _ would be left out
            text.set_parse_math(entry.math)
        return 1.25 * -(-count // columns) if where == "above" else 0.0

    def _place(self, ax: Any, extra: float) -> None:
        if self.figure["bare"]:
            ax.figure.subplots_adjust(left=0.0, right=1.0, bottom=0.0, top=1.0)
            return
        x, y = self.figure["x"], self.figure["y"]

        def room(axis: Dict[str, Any]) -> float:
            return 2.5 + 0.56 * max((len(text) if "^" not in text else 4 for _, text in axis["ticks"]), default=1)

        right = room(self.figure["second"]) if self.figure["second"] else 1.5
        margins: Tuple[float, float, float, float] = (room(y), right, 3.7, 0.8 + extra)
        if self.figure["key"] == "beside":  # as much room for the frame as its scales need
            left, em = margins[0], self.style.em
            height = self.style.height - (margins[2] + margins[3]) * em
            right = min(0.66 * self.style.width, left * em + height * (x["high"] - x["low"]) / (y["high"] - y["low"]))
            margins = (left, (self.style.width - right) / em, 3.7, 0.8)
        plot_style.place(ax.figure, ax, self.style, margins)
