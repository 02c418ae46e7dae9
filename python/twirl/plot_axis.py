# SPDX-License-Identifier: BSD-3-Clause
"""Units, ranges and tics of an axis: the rules of ``twirl plot`` (apps/twirl/plot/axis.c)."""

from __future__ import annotations

import math
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

STRESSES = ((1e9, "GPa"), (1e6, "MPa"), (1e3, "kPa"), (1.0, "Pa"))
SMALL = ((1e-3, "$10^{-3}$"), (1e-6, "$10^{-6}$"), (1e-9, "$10^{-9}$"))
ENERGIES = ((1e3, "kJ"), (1.0, "J"), (1e-3, "mJ"), (1e-6, "µJ"), (1e-9, "nJ"))
TIMES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))


class Axis(NamedTuple):
    """An axis as it is shown: values are ``factor`` times those in SI units."""

    factor: float
    unit: str
    low: float
    high: float
    step: float = 0.0
    decimals: int = 0
    log: bool = False

    def place(self, value: float) -> float:
        """0 at the lower end, 1 at the upper; nan for what a logarithmic axis cannot show."""
        shown = self.factor * value
        if not self.log:
            return (shown - self.low) / (self.high - self.low)
        return math.log(shown / self.low) / math.log(self.high / self.low) if shown > 0.0 else math.nan

    @property
    def long(self) -> bool:
        """A logarithmic axis with powers of ten only."""
        return self.high > 2e3 * self.low

    @property
    def characters(self) -> int:
        """Of the longest number at a tic."""
        if self.log and self.long:
            return 4
        return max(len(f"{end:.{self.decimals}f}") for end in (self.low, self.high))

    @property
    def minor(self) -> int:
        """Intervals between two tics."""
        return 5 if abs(self.step / 10.0**decade_of(self.step) - 5.0) < 0.1 else 2


def unit_of(units: Sequence[Tuple[float, str]], largest: float, least: float) -> Tuple[float, str]:
    """The unit in which the largest number is at least ``least``; a few thousand kPa are usual."""
    return next((unit for unit in units if largest >= least * unit[0]), units[-1])


def choose_unit(dimension: str, largest: float, percent: bool) -> Tuple[float, str]:
    if dimension == "strain":
        if percent:
            return 0.01, "%"
        return unit_of(SMALL, largest, 0.02) if largest < 2e-3 else (1.0, "–")
    if dimension == "stress":
        return unit_of(STRESSES, largest, 3.0)
    if dimension == "energy":
        return unit_of(ENERGIES, largest, 1.0)
    if dimension == "time":
        return unit_of(TIMES, largest, 1.0)
    return 1.0, ""


def decade_of(value: float) -> int:
    return math.floor(math.log(value) / math.log(10.0) + 1e-9)


def choose_step(low: float, high: float) -> Tuple[float, int]:
    """About five intervals of 1, 2 or 5 times a power of ten; decimals of their numbers."""
    raw = (high - low) / 5.0
    decade = decade_of(raw)
    first = raw / 10.0**decade
    times = 1.0 if first < 1.5 else 2.0 if first < 3.5 else 5.0 if first < 7.5 else 10.0
    return times * 10.0**decade, max(0, -decade if first < 7.5 else -decade - 1)


def round_end(end: float, step: float, span: float, sign: float) -> float:
    """To the next tic if it is near, or a little beyond the data."""
    tics = math.ceil(end / step - 1e-9) if sign > 0.0 else math.floor(end / step + 1e-9)
    return tics * step if abs(tics * step - end) < 0.45 * step else end + sign * 0.04 * span


def choose_linear(low: float, high: float, zero: bool) -> Tuple[float, float, float, int]:
    wide = max(abs(low), abs(high))
    if zero:
        low, high = min(low, 0.0), max(high, 0.0)
        # A hundredth on the other side of zero, such as q of a specimen at rest, is not shown.
        little = 0.01 * (high - low)
        low, high = (0.0 if low > -little else low), (0.0 if high < little else high)
    if not high - low > 1e-9 * wide:
        half = 0.1 * wide if wide > 0.0 else 1.0
        low, high = low - half, high + half
    step, decimals = choose_step(low, high)
    span = high - low
    if low != 0.0:
        low = round_end(low, step, span, -1.0)
    if high != 0.0:
        high = round_end(high, step, span, 1.0)
    return low, high, step, decimals


def round_log(value: float, up: bool) -> float:
    """1, 2 or 5 times a power of ten, at or beyond the value."""
    power = 10.0**decade_of(value)
    first = value / power
    if up:
        return next((k * power for k in (1.0, 2.0, 5.0, 10.0) if first <= k * (1.0 + 1e-3)), value)
    return next((k * power for k in (5.0, 2.0, 1.0) if first >= k * (1.0 - 1e-3)), value)


def choose_log(low: float, high: float) -> Tuple[float, float]:
    low, high = round_log(low, False), round_log(high, True)
    if high > 2e3 * low:
        low, high = 10.0**decade_of(low), 10.0**(decade_of(high * 0.999) + 1)
    return low, high if high > low else 10.0 * low


def choose(dimension: str, low: float, high: float, zero: bool = False, log: bool = False,
           percent: bool = False) -> Axis:
    """Round ends near the data, numbers with few digits. low > high: there is none."""
    if not low <= high:
        low, high = 0.0, 1.0
    size, unit = choose_unit(dimension, max(abs(low), abs(high)), percent)
    low, high, log = low / size, high / size, log and low > 0.0
    if log:
        return Axis(1.0 / size, unit, *choose_log(low, high), log=True)
    return Axis(1.0 / size, unit, *choose_linear(low, high, zero))


# ---- matplotlib ----

def log_tics(axis: Axis) -> Tuple[List[float], List[float]]:
    """20, 50, 100 ... on a few decades; powers of ten on more. Major and minor tics."""
    first, last = decade_of(axis.low), decade_of(axis.high)
    if axis.long:
        stride = (last - first) // 7 + 1
        return ([10.0**k for k in range(first, last + 1, stride)],
                [] if stride > 1 else [m * 10.0**k for k in range(first, last) for m in range(2, 10)])
    every = [(m, m * 10.0**k) for k in range(first, last + 1) for m in range(1, 10)]
    inside = [(m, tic) for m, tic in every if axis.low * 0.999 <= tic <= axis.high * 1.001]
    return ([tic for m, tic in inside if m in (1, 2, 5)], [tic for m, tic in inside if m not in (1, 2, 5)])


def number(value: float, decimals: int) -> str:
    text = f"{value:.{decimals}f}"
    return text.replace("-", "\u2212") if float(text) != 0.0 else text.lstrip("-")


def apply(axis: Axis, ax: Any, which: str, label: str) -> None:
    """Range, tics and label of the x or y axis of matplotlib."""
    from matplotlib import ticker

    target = ax.xaxis if which == "x" else ax.yaxis
    (ax.set_xscale if which == "x" else ax.set_yscale)("log" if axis.log else "linear")
    if axis.log:
        major, minor = log_tics(axis)
        target.set_major_locator(ticker.FixedLocator(major))
        target.set_minor_locator(ticker.FixedLocator(minor))
        target.set_major_formatter(ticker.LogFormatterMathtext() if axis.long
                                   else ticker.FuncFormatter(lambda value, _: f"{value:g}"))
        target.set_minor_formatter(ticker.NullFormatter())
    else:
        target.set_major_locator(ticker.MultipleLocator(axis.step))
        target.set_minor_locator(ticker.AutoMinorLocator(axis.minor))
        target.set_major_formatter(ticker.FuncFormatter(lambda value, _: number(value, axis.decimals)))
    (ax.set_xlim if which == "x" else ax.set_ylim)(axis.low, axis.high)
    (ax.set_xlabel if which == "x" else ax.set_ylabel)(
        label + (f"\u00a0[{axis.unit}]" if axis.unit else ""))
    if not axis.log and axis.low < 0.0 < axis.high:
        line = ax.axvline if which == "x" else ax.axhline
        line(0.0, color="#999999", linewidth=0.35, zorder=0.5, label="_zero")


def key_place(points: Sequence[Tuple[float, float]], width: float, height: float) -> Optional[str]:
    """A corner where a key of this size, relative to the frame, covers no curve; None: there is none.

    ``points`` are places on the curves, 0 to 1, with nan between curves (apps/twirl/plot/key_place.c).
    """
    import numpy as np

    if width > 0.95 or height > 0.95 or len(points) == 0:
        return None
    xy = np.asarray(points, float)
    a, b = xy, np.vstack([xy[1:], xy[-1:]])
    alone = np.isnan(b).any(axis=1)
    b = np.where(alone[:, None], a, b)
    longest = np.nanmax(np.abs(b - a), axis=1, initial=0.0)
    parts = int(1 + min(100.0 * float(np.nanmax(longest, initial=0.0)), 1000.0))
    t = np.linspace(0.0, 1.0, parts + 1)[:, None, None]
    every = (a[None] + t * (b - a)[None]).reshape(-1, 2)
    for name in ("upper right", "upper left", "lower right", "lower left"):
        x0, y0 = (1.0 - width if "right" in name else 0.0), (1.0 - height if "upper" in name else 0.0)
        inside = ((every[:, 0] >= x0) & (every[:, 0] <= x0 + width)
                  & (every[:, 1] >= y0) & (every[:, 1] <= y0 + height))
        if not inside.any():
            return name
    return None
