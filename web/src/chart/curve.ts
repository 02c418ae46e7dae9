// SPDX-License-Identifier: BSD-3-Clause
// What a chart draws.

import type { Range } from "../data/axis.ts";
import { chooseRange } from "../data/axis.ts";

export interface Curve {
    label: string;
    number: number; // chooses colour and dashes
    dashed?: boolean;
    marks?: boolean; // points instead of a line
    width?: number; // of the line, or size of the points, over the usual one: curves that coincide are all seen
    xs: Float64Array; // in the unit of the axis
    ys: Float64Array;
    hidden?: boolean;
    column?: string | undefined; // of its ys, where that is not the one of the axis
    silent?: boolean; // not to be pointed at: a fitted circle
    guide?: boolean; // in grey: an axis, a circle of equal stress ratio
    say(i: number): string[]; // what point i is, with the digits of the file
    textX(i: number): string; // for tables, in SI units
    textY(i: number): string;
}

export interface AxisSpec {
    label: string;
    unit: string;
    log: boolean;
    zero: boolean;
    column: string; // name for tables and files
    range?: Range; // that shows everything; otherwise it is chosen
}

/** An axis at the right. Curves over it have their ys in numbers of the first axis, which is linear. */
export interface SecondAxis extends AxisSpec {
    toFirst(value: number): number;
    fromFirst(value: number): number;
}

/** A text in the frame, at a place in the units of the axes. */
export interface Note {
    x: number;
    y: number;
    text: string;
    side: number; // -1: left of the place, 0: centred, 1: right of it
}

export interface ChartSpec {
    title: string; // for readers who do not see it, and names of files
    x: AxisSpec;
    y: AxisSpec;
    second?: SecondAxis | undefined;
    curves: Curve[];
    equal?: boolean; // equal scales
    notes?: Note[];
}

export interface View {
    x: Range;
    y: Range;
}

/** Okabe and Ito: distinct for the colour-blind. Lighter ones on a dark ground. */
const light = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b07800", "#000000", "#3a9bd0"];
const dark = ["#56b4e9", "#f0803c", "#2fc79a", "#e39ac4", "#f0b429", "#ffffff", "#9ad4f5"];

function colourOf(number: number, isDark: boolean): string {
    const list = isDark ? dark : light;
    return list[number % list.length]!;
}

export function strokeOf(curve: Curve, isDark: boolean): string {
    return curve.guide ? (isDark ? "#7d8790" : "#999999") : colourOf(curve.number, isDark);
}

/** Dashes after the colours are used up. */
export function dashOf(curve: Curve): number[] {
    return curve.dashed || Math.floor(curve.number / light.length) % 2 === 1 ? [7, 4] : [];
}

export function usable(value: number, log: boolean): boolean {
    return Number.isFinite(value) && (!log || value > 0);
}

function extent(curves: Curve[], pick: (curve: Curve) => Float64Array, log: boolean, other: (curve: Curve) => Float64Array, otherLog: boolean): Range {
    let low = Infinity, high = -Infinity;
    for (const curve of curves) {
        if (curve.hidden) continue;
        const mates = other(curve);
        pick(curve).forEach((value, i) => {
            if (!usable(value, log) || !usable(mates[i]!, otherLog)) return;
            low = Math.min(low, value);
            high = Math.max(high, value);
        });
    }
    return [low, high];
}

/** The view that shows everything. */
export function wholeView(spec: ChartSpec): View {
    const xs = extent(spec.curves, (c) => c.xs, spec.x.log, (c) => c.ys, spec.y.log);
    const ys = extent(spec.curves, (c) => c.ys, spec.y.log, (c) => c.xs, spec.x.log);
    return {
        x: spec.x.range ?? chooseRange(xs[0], xs[1], spec.x.zero, spec.x.log),
        y: spec.y.range ?? chooseRange(ys[0], ys[1], spec.y.zero, spec.y.log),
    };
}

/** Widens the view so that a unit has the same length along both axes of a frame of this size. */
export function equalise(view: View, width: number, height: number): View {
    const unit = Math.max((view.x[1] - view.x[0]) / width, (view.y[1] - view.y[0]) / height);
    const around = (range: Range, length: number): Range => {
        const middle = 0.5 * (range[0] + range[1]);
        return [middle - 0.5 * unit * length, middle + 0.5 * unit * length];
    };
    return { x: around(view.x, width), y: around(view.y, height) };
}

/** The range with the given point kept in place and `factor` times the width. */
export function zoomRange(range: Range, at: number, factor: number, log: boolean): Range {
    if (log) {
        const [low, high] = range.map(Math.log) as Range;
        return zoomRange([low, high], Math.log(at), factor, false).map(Math.exp) as Range;
    }
    return [at + (range[0] - at) * factor, at + (range[1] - at) * factor];
}

export function axisTitle(axis: AxisSpec): string {
    return axis.unit === "" ? axis.label : `${axis.label}\u00a0[${axis.unit}]`;
}

/** The curves as a table: a block of columns x, y for each. */
export function curveTable(spec: ChartSpec): { header: string[]; rows: string[][] } {
    const shown = spec.curves.filter((curve) => !curve.hidden && !curve.silent);
    const header = shown.flatMap((curve) => [`${spec.x.column} (${curve.label})`, `${curve.column ?? spec.y.column} (${curve.label})`]);
    const count = Math.max(0, ...shown.map((curve) => curve.xs.length));
    const rows = Array.from({ length: count }, (_, i) =>
        shown.flatMap((curve) => (i < curve.xs.length ? [curve.textX(i), curve.textY(i)] : ["", ""])));
    return { header, rows };
}

function quoted(cell: string): string {
    // A cell that begins with = + @ would be taken for a formula by spreadsheets; numbers may begin with -.
    const safe = /^[=+@\t]/.test(cell) ? `'${cell}` : cell;
    return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function curveCsv(spec: ChartSpec): string {
    const { header, rows } = curveTable(spec);
    return [header, ...rows].map((row) => row.map(quoted).join(",") + "\n").join("");
}
