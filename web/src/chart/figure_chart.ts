// SPDX-License-Identifier: BSD-3-Clause
// Charts of descriptions of figures, and of quantities that the reader has chosen.

import type { Figure, FigureAxis, Figures, FigureShape } from "../data/contract.ts";
import { quantityOf, spell, textOf, valuesOf, type LoadedRun, type Quantity, type Series } from "../data/series.ts";
import { joinUnit, plain, unitFor } from "../data/unit.ts";
import type { AxisSpec, ChartSpec, Curve, Note, SecondAxis } from "./curve.ts";

export interface Choice {
    figure: Figure | null; // as described, as long as its axes and stages are shown
    x: string; // ids of quantities
    y: string; // or the kind of a figure with several of them
    logX: boolean;
    logY: boolean;
}

const name = (id: string) => id.replace("column:", "");

export const titleOf = (part: { title: string; plain?: boolean }) => (part.plain ? part.title : plain(part.title));

/** The quantities that an ordinate stands for, with their words in the key. */
function ordinates(figures: Figures, id: string): { quantity: Quantity; word: string }[] {
    const several = figures.figures.find((figure) => figure.kind === id && !figure.second && new Set(figure.lines.map((line) => line.y)).size > 1);
    const lines = several ? several.lines.map((line) => ({ id: line.y, word: titleOf(line) })) : [{ id, word: "" }];
    return lines.flatMap((line) => {
        const quantity = quantityOf(figures, line.id);
        return quantity ? [{ quantity, word: line.word }] : [];
    });
}

function curveOf(s: Series, x: Quantity, y: Quantity, label: string, number: number, sizeX: number, sizeY: number): Curve {
    const scaled = (values: Float64Array, size: number) => (size === 1 ? values : values.map((value) => value / size));
    return {
        label, number, xs: scaled(valuesOf(s, x.id), sizeX), ys: scaled(valuesOf(s, y.id), sizeY),
        say: (i) => [label || s.name, `${x.label}: ${spell(s, x, i)}`, `${y.label}: ${spell(s, y, i)}`, `step ${s.run.table.text("step", s.first + i)}`],
        textX: (i) => textOf(s, x.id, i),
        textY: (i) => textOf(s, y.id, i),
    };
}

// ---- As described ----

function describedAxis(axis: FigureAxis): AxisSpec {
    const label = plain(axis.label);
    return { label, unit: plain(axis.unit), log: axis.log, zero: axis.zero, column: name(axis.q ?? label), range: [axis.low, axis.high] };
}

/** Its numbers at those of the first axis: both are zoomed together. */
function secondAxis(second: FigureAxis, first: FigureAxis): SecondAxis {
    const size = (second.high - second.low) / (first.high - first.low);
    return { ...describedAxis(second), toFirst: (value) => first.low + (value - second.low) / size, fromFirst: (value) => second.low + (value - first.low) * size };
}

const black = 5; // its number among the colours

/** A curve that is fitted to points is not to be pointed at, nor is a guide. */
function shapeOf(shape: FigureShape, { x, y, shapes }: Figure): Curve {
    const fitted = shapes.some((other) => other.kind === "points" && other.style === shape.style);
    const label = titleOf(shape), marks = shape.kind === "points";
    const number = (axis: FigureAxis, value: number | null | undefined) => String((value ?? NaN) / axis.factor);
    return {
        label, marks, number: shape.style > 0 ? shape.style - 1 : black, guide: shape.style < 0, silent: !marks && (shape.style <= 0 || label === "" || fitted),
        dashed: shape.dash > 1, width: marks ? 1 : shape.width / 2,
        xs: Float64Array.from(shape.x, (value) => value ?? NaN), ys: Float64Array.from(shape.y, (value) => value ?? NaN),
        say: (i) => [...(label === "" ? [] : [label]), ...shape.texts.slice(i, i + 1), ...[[x, shape.x] as const, [y, shape.y] as const].map(([axis, values]) =>
            `${plain(axis.label)}: ${joinUnit(String(values[i]), plain(axis.unit))}`)],
        textX: (i) => number(x, shape.x[i]),
        textY: (i) => number(y, shape.y[i]),
    };
}

/** A figure with the stages and axes of its description; one of shapes alone needs no runs. */
export function describedSpec(figure: Figure, runs: LoadedRun[]): ChartSpec {
    const second = figure.second ? secondAxis(figure.second, figure.y) : undefined;
    const notes: Note[] = figure.shapes.filter((shape) => shape.kind === "note")
        .map((shape) => ({ x: shape.x[0] ?? NaN, y: shape.y[0] ?? NaN, text: titleOf(shape), side: shape.side }));
    const lines = figure.lines.flatMap((line) => {
        const { figures } = runs[0]!, s = runs.flatMap((run) => run.series).find((one) => one.of === figures.series[line.series]);
        const x = quantityOf(figures, line.x), y = quantityOf(figures, line.y);
        if (!s || !x || !y) return [];
        const curve = curveOf(s, x, y, titleOf(line), line.style - 1, 1 / figure.x.factor, 1 / (line.second ? figure.second! : figure.y).factor);
        return [{ ...curve, dashed: line.dash === 2, column: line.second ? line.y : undefined, ys: line.second ? curve.ys.map(second!.toFirst) : curve.ys }];
    });
    const shapes = (front: boolean) => figure.shapes.filter((shape) => shape.kind !== "note" && (shape.kind !== "curve") === front).map((shape) => shapeOf(shape, figure));
    return { title: figure.name, x: describedAxis(figure.x), y: describedAxis(figure.y), second, equal: figure.equal, notes, curves: [...shapes(false), ...lines, ...shapes(true)] };
}

// ---- As chosen ----

function largest(values: Float64Array[]): number {
    return values.reduce((most, list) => list.reduce((sofar, value) => (Math.abs(value) > sofar ? Math.abs(value) : sofar), most), 0);
}

/** Runs, stages and quantities, as far as there are several. */
function labelOf(s: Series, word: string, runs: number, stages: number): string {
    const words = [...(runs > 1 ? [s.run.run.name] : []), ...(stages > runs || (runs === 1 && word === "") ? [s.of.stage || "history"] : []), word];
    return words.filter((text) => text !== "").join(", ");
}

export function chosenSpec(choice: Choice, series: Series[], figures: Figures): ChartSpec | null {
    const x = quantityOf(figures, choice.x);
    const ys = ordinates(figures, choice.y).filter(({ quantity }) => series.some((s) => valuesOf(s, quantity.id).some(Number.isFinite)));
    if (!x || ys.length === 0) return null;
    const unitX = unitFor(x.dimension, largest(series.map((s) => valuesOf(s, x.id))));
    const unitY = unitFor(ys[0]!.quantity.dimension, largest(series.flatMap((s) => ys.map(({ quantity }) => valuesOf(s, quantity.id)))));
    const runs = new Set(series.map((s) => s.run)).size;
    const pairs = series.flatMap((s) => ys.map((y) => ({ s, y })));
    const curves = pairs.map(({ s, y }, number) => curveOf(s, x, y.quantity, labelOf(s, y.word, runs, series.length), number, unitX.size, unitY.size));
    const first = ys[0]!.quantity, several = ys.length > 1;
    return {
        title: `${name(choice.y)} over ${name(choice.x)}`, curves,
        x: { label: x.label, unit: unitX.name, log: choice.logX, zero: x.zero && !choice.logX, column: name(x.id) },
        y: { label: several ? choice.figure?.y.label ?? choice.y : first.label, unit: unitY.name, log: choice.logY, zero: first.zero && !choice.logY, column: several ? choice.y : name(first.id) },
    };
}
