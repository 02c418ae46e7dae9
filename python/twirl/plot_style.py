# SPDX-License-Identifier: BSD-3-Clause
"""How figures look: sizes on paper, font, colours and lines of ``twirl plot``
(apps/twirl/plot/plot_style.c)."""

from __future__ import annotations

from contextlib import contextmanager
from functools import lru_cache
from typing import Any, Dict, Iterator, NamedTuple, Optional, Tuple

#: Okabe and Ito: distinct for the colour-blind.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#000000", "#56b4e9")
DASHED, DOTTED, MIXED = ((0, tuple(0.375 * part for part in parts))  # [pt], as long as those of gnuplot
                         for parts in ((8, 4), (2, 3), (10, 3, 2, 3)))

LINES = [*((colour, "-") for colour in COLOURS), *((colour, DASHED) for colour in COLOURS[:3])]
GREYS = [("#000000", "-"), ("#888888", "-"), ("#000000", DASHED), ("#777777", DASHED),
         ("#000000", DOTTED), ("#777777", DOTTED), ("#000000", MIXED), ("#777777", MIXED),
         ("#bbbbbb", "-"), ("#bbbbbb", DASHED)]

#: Those with the metrics of Helvetica first.
FONTS = ("Helvetica", "Arial", "Liberation Sans", "Nimbus Sans", "TeX Gyre Heros", "DejaVu Sans")

CM = 1.0 / 2.54
POINTS = 72.0 / 2.54  # in a centimetre
LINE, FRAME = 0.9, 0.5  # widths [pt]
DPI = 254.0  # 100 pixels per centimetre, as the PNG of twirl plot


class Style(NamedTuple):
    width: float = 12.0
    """Of the figure [cm]."""
    height: float = 8.64
    font: float = 9.0
    """Size of the font [pt]."""
    grey: bool = False
    percent: bool = False

    @property
    def em(self) -> float:
        """The size of the font [cm]."""
        return self.font / POINTS

    def line(self, number: int, rows: int = 0) -> Dict[str, Any]:
        """Properties of the line of this number, from 0."""
        colour, dashes = (GREYS if self.grey else LINES)[number % 10]
        return {"color": colour, "linestyle": dashes, "linewidth": 0.7 if rows > 4000 else LINE}


def make(width: Optional[float] = None, height: Optional[float] = None, font: Optional[float] = None,
         grey: bool = False, percent: bool = False) -> Style:
    width = 12.0 if width is None else float(width)
    if not 3.0 <= width <= 100.0:
        raise ValueError(f"width: {width:g} is not between 3 and 100 cm")
    height = 0.72 * width if height is None else float(height)
    if not 3.0 <= height <= 100.0:
        raise ValueError(f"height: {height:g} is not between 3 and 100 cm")
    return Style(width, height, font or (8.0 if width < 10.0 else 9.0), grey, percent)


@lru_cache(maxsize=None)
def family() -> str:
    """The first of the fonts that is installed."""
    from matplotlib import font_manager

    known = {font.name for font in font_manager.fontManager.ttflist}
    return next(name for name in FONTS if name in known or name == FONTS[-1])


def symbols() -> Dict[str, Any]:
    """Fonts of symbols. matplotlib looks them up when it draws, not when a text is made."""
    name = family()
    return {"mathtext.fontset": "custom", "mathtext.rm": name, "mathtext.it": name + ":italic",
            "mathtext.bf": name + ":bold", "mathtext.cal": name, "mathtext.sf": name,
            "mathtext.tt": name, "savefig.dpi": DPI, "pdf.fonttype": 42}


@contextmanager
def applied(values: Dict[str, Any]) -> Iterator[None]:
    """Settings of matplotlib for a while. rc_context would also take back what a backend sets when pyplot is first used
    within: notebooks would show no further figure."""
    import matplotlib

    before = {name: matplotlib.rcParams[name] for name in values}
    matplotlib.rcParams.update(values)
    try:
        yield
    finally:
        matplotlib.rcParams.update(before)


@lru_cache(maxsize=None)
def figure_class() -> Any:
    """A figure that is drawn with these fonts, whatever the settings of the user are by then."""
    from matplotlib.figure import Figure

    class StyledFigure(Figure):
        def draw(self, renderer: Any) -> None:
            with applied(symbols()):
                super().draw(renderer)

        def get_tightbbox(self, *arguments: Any, **keywords: Any) -> Any:
            with applied(symbols()):
                return super().get_tightbbox(*arguments, **keywords)

        def savefig(self, *arguments: Any, **keywords: Any) -> None:
            with applied(symbols()):
                super().savefig(*arguments, **keywords)

    return StyledFigure


def new_axes(style: Style, **keywords: Any) -> Any:
    """Axes in a figure of this size."""
    from matplotlib import pyplot

    return pyplot.figure(figsize=(style.width * CM + 1e-6, style.height * CM + 1e-6), FigureClass=figure_class()
                         ).add_subplot(**keywords)


def settings(style: Style, own: bool = True) -> Dict[str, Any]:
    """Settings of matplotlib for figures like those of ``twirl plot``; own: of a figure of ours."""
    return {**(symbols() if own else {}), "font.family": family(), "font.size": style.font,
            "axes.labelsize": style.font, "xtick.labelsize": style.font,
            "ytick.labelsize": style.font, "legend.fontsize": style.font, "axes.linewidth": FRAME,
            "lines.dash_capstyle": "butt", "lines.scale_dashes": False,
            "axes.unicode_minus": True, "xtick.direction": "in", "ytick.direction": "in",
            "xtick.top": True, "ytick.right": True, "xtick.major.width": FRAME,
            "ytick.major.width": FRAME, "xtick.minor.width": FRAME, "ytick.minor.width": FRAME,
            "xtick.major.size": 0.42 * style.font, "ytick.major.size": 0.42 * style.font,
            "xtick.minor.size": 0.21 * style.font, "ytick.minor.size": 0.21 * style.font,
            "xtick.major.pad": 0.45 * style.font, "ytick.major.pad": 0.45 * style.font,
            "legend.frameon": False, "legend.handlelength": 2.0, "legend.borderpad": 0.35,
            "legend.borderaxespad": 0.6, "legend.labelspacing": 0.2, "figure.dpi": DPI / 2, "figure.facecolor": "white",
            "axes.grid": False, "axes.spines.top": True, "axes.spines.right": True}


def place(fig: Any, ax: Any, style: Style, margins: Tuple[float, float, float, float]) -> None:
    """Margins around the frame in ems, left, right, bottom, top; labels one em from the edge."""
    from matplotlib.transforms import blended_transform_factory as blend

    left, right, bottom, top = (margin * style.em for margin in margins)
    fig.subplots_adjust(left=left / style.width, right=1.0 - right / style.width,
                        bottom=bottom / style.height, top=1.0 - top / style.height)
    ax.xaxis.set_label_coords(0.5, 1.35 * style.em / style.height, blend(ax.transAxes, fig.transFigure))
    ax.yaxis.set_label_coords(1.35 * style.em / style.width, 0.5, blend(fig.transFigure, ax.transAxes))
