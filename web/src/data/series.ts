// SPDX-License-Identifier: BSD-3-Clause
// Runs with their tables, and what can be drawn of them: series of rows and their quantities, as the program describes them.

import type { Figures, FigureSeries, Report, Run, Stage } from "./contract.ts";
import { complete, Table } from "./table.ts";
import { joinUnit, plain, siUnit } from "./unit.ts";

/** The rows of a stage. */
export interface Part {
    name: string;
    first: number;
    count: number;
    stage: Stage | undefined; // where the program lists it
}

export interface Series extends Part {
    run: LoadedRun;
    of: FigureSeries;
}

export interface LoadedRun {
    run: Run;
    table: Table;
    figures: Figures; // of all runs
    parts: Part[]; // one for each stage with rows
    series: Series[];
}

/** A quantity, or with the id "column:NAME" a column of the history. */
export interface Quantity {
    id: string;
    label: string;
    dimension: string;
    zero: boolean; // the axis includes 0
}

export const PREPARATION = "specimen";

/** The stages as the rows name them: they grow while a run goes on. */
function partsOf(run: Run, table: Table): Part[] {
    const parts: Part[] = [];
    for (let i = 0; i < table.count; i++) {
        const name = table.text("stage", i), last = parts.at(-1);
        if (last && last.name === name) last.count++;
        else parts.push({ name, first: i, count: 1, stage: run.stages.find((stage) => stage.name === name) });
    }
    return parts;
}

export function loadRuns(report: Report): LoadedRun[] {
    return report.runs.map((run, number) => {
        const table = new Table(complete(run.history));
        const loaded: LoadedRun = { run, table, figures: report.figures, parts: partsOf(run, table), series: [] };
        for (const of of report.figures.series) {
            const count = Math.min(of.rows, table.count - of.first), last = of.stages?.at(-1) ?? of.stage, stage = run.stages.find((one) => one.name === last);
            if (of.run === number && count > 0) loaded.series.push({ run: loaded, of, name: of.label, first: of.first, count, stage });
        }
        return loaded;
    });
}

/** The stage whose numbers stand for the run: the last one that loads, or the last one. */
export function mainSeries({ series }: LoadedRun): Series | undefined {
    const several = series.filter((s) => s.count > 1 && s.of.stage !== PREPARATION && (s.of.stages?.length ?? 1) < 2)
        .sort((a, b) => a.first - b.first); // those of a test are listed after it
    return several.findLast((s) => s.of.loading) ?? several.at(-1) ?? series.at(-1);
}

/** The test that the rows of a stage are part of, or these rows. */
export function wholeTest(s: Series): Series {
    return s.run.series.find((one) => one.of.stages?.includes(s.of.stage)) ?? s;
}

export function quantityOf(figures: Figures, id: string): Quantity | undefined {
    const column = figures.columns.find((one) => id === `column:${one.name}`);
    if (column) return { id, label: `${column.text} (${column.name})`, dimension: column.dimension, zero: false };
    const found = figures.quantities.find((one) => one.name === id);
    return found && { id, label: plain(found.label), dimension: found.dimension, zero: found.zero };
}

/** Numbers, or the name of the column that has them. */
function source(s: Series, id: string): (number | null)[] | string {
    return id.startsWith("column:") ? id.slice("column:".length) : (s.of.values[id] ?? []);
}

const known = new WeakMap<object, Float64Array>();

/** In SI units; NaN where there is none. */
export function valuesOf(s: Series, id: string): Float64Array {
    const from = source(s, id);
    if (typeof from === "string") return s.run.table.column(from).subarray(s.first, s.first + s.count);
    let values = known.get(from);
    if (!values || values.length !== s.count) known.set(from, values = Float64Array.from({ length: s.count }, (_, i) => from[i] ?? NaN));
    return values;
}

/** The digits of the file where the value is a column of it, and the SI unit. */
export function textOf(s: Series, id: string, i: number): string {
    const from = source(s, id);
    return typeof from === "string" ? s.run.table.text(from, s.first + i) : String(from[i] ?? NaN);
}

export function spell(s: Series, quantity: Quantity, i: number): string {
    return joinUnit(textOf(s, quantity.id, i), siUnit(quantity.dimension));
}

export function isPresent(series: Series[], id: string): boolean {
    return series.some((s) => valuesOf(s, id).some(Number.isFinite));
}
