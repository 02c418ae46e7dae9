// SPDX-License-Identifier: BSD-3-Clause
// The curves of a figure: which quantities, of which stages of which runs.

import { ENERGIES, planeFigure, quantitiesFor, type FigureChoice } from "../data/figure.ts";
import { spell, type Quantity } from "../data/quantity.ts";
import type { Series } from "../data/series.ts";
import { unitFor, type Unit } from "../data/unit.ts";
import { planeSpec } from "./plane_chart.ts";
import type { AxisSpec, ChartSpec, Curve } from "./curve.ts";

function largest(quantities: Quantity[], series: Series[]): number {
    let most = 0;
    for (const quantity of quantities)
        for (const s of series)
            quantity.values(s).forEach((value) => {
                if (Number.isFinite(value)) most = Math.max(most, Math.abs(value));
            });
    return most;
}

function scaled(values: Float64Array, unit: Unit): Float64Array {
    return unit.size === 1 ? values : values.map((value) => value / unit.size);
}

function labelOf(s: Series, quantity: Quantity, among: { runs: number; stages: number; quantities: number }): string {
    const words: string[] = [];
    if (among.runs > 1) words.push(s.run.run.name);
    if (among.stages > 1 || (among.runs === 1 && among.quantities === 1)) words.push(s.stage.name || "history");
    if (among.quantities > 1) words.push(quantity.label);
    return words.join(", ");
}

function axisSpec(quantities: Quantity[], unit: Unit, log: boolean, label?: string): AxisSpec {
    const first = quantities[0]!;
    return {
        label: label ?? first.label,
        unit: unit.name,
        log,
        zero: quantities.some((quantity) => quantity.zero) && !log,
        column: first.id.replace("column:", ""),
    };
}

const plain = (quantity: Quantity) => quantity.label.replace("\u00a0", " ");

export function figureSpec(choice: FigureChoice, series: Series[], all: readonly Quantity[]): ChartSpec | null {
    const [qx] = quantitiesFor(choice.x, all);
    const qys = quantitiesFor(choice.y, all).filter((quantity) => series.some((s) => quantity.values(s).some(Number.isFinite)));
    if (!qx || qys.length === 0) return null;
    const ux = unitFor(qx.dimension, largest([qx], series)), uy = unitFor(qys[0]!.dimension, largest(qys, series));
    const runs = new Set(series.map((s) => s.run)).size;
    const stages = Math.max(...[...new Set(series.map((s) => s.run))].map((run) => series.filter((s) => s.run === run).length));
    const curves: Curve[] = [];
    for (const s of series) {
        for (const qy of qys) {
            const xs = scaled(qx.values(s), ux), ys = scaled(qy.values(s), uy);
            const label = labelOf(s, qy, { runs, stages, quantities: qys.length });
            curves.push({
                label, xs, ys,
                number: curves.length,
                say: (i) => [label || s.stage.name, `${plain(qx)}: ${spell(qx, s, i)}`, `${plain(qy)}: ${spell(qy, s, i)}`, `step ${s.run.table.text("step", s.first + i)}`],
                textX: (i) => qx.text(s, i),
                textY: (i) => qy.text(s, i),
            });
        }
    }
    const isEnergies = choice.y === ENERGIES;
    const y = axisSpec(qys, uy, choice.logY ?? false, isEnergies ? "Energy since the stage began" : undefined);
    const spec = {
        title: `${isEnergies ? ENERGIES : y.column} over ${qx.id.replace("column:", "")}`,
        x: axisSpec([qx], ux, choice.logX ?? false),
        y: isEnergies ? { ...y, column: "energy" } : y,
        curves,
    };
    if (choice.x !== planeFigure.x || choice.y !== planeFigure.y || choice.logX || choice.logY) return spec;
    return planeSpec(spec, series, qx, qys[0]!, quantitiesFor("stress_ratio", all)[0]!);
}
