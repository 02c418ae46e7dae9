// SPDX-License-Identifier: BSD-3-Clause
// Stages of probes: points and fitted circles in the Rendulic plane, and the envelopes of the response.

import { ChartCard } from "../chart/chart_card.ts";
import type { ChartSpec, Curve } from "../chart/curve.ts";
import type { Stage } from "../data/contract.ts";
import { Table } from "../data/table.ts";
import type { LoadedRun } from "../data/series.ts";
import { short, withUnit } from "../data/unit.ts";
import { el, selectField } from "./dom.ts";
import { surfaceCards } from "./surface.ts";

interface Probes {
    points: Table;
    fits: Table;
    laws: string[];
}

const inverse: [number, string][] = [[1e12, "1/TPa"], [1e9, "1/GPa"], [1e6, "1/MPa"], [1e3, "1/kPa"], [1, "1/Pa"]];

/** The unit in which the diameter of the circle has digits before the point. */
function inverseUnit(diameter: number): [number, string] {
    return inverse.findLast(([size]) => diameter * size >= 1) ?? inverse[0]!;
}

function rowsOf(table: Table, matches: (row: number) => boolean): number[] {
    return Array.from({ length: table.count }, (_, row) => row).filter(matches);
}

function fitRow(probes: Probes, law: string, split: string, circle: string): number {
    const { fits } = probes;
    return rowsOf(fits, (row) => fits.text("law", row) === law && fits.text("split", row) === split && fits.text("circle", row) === circle && Number.isFinite(fits.value("direction_angle", row)))[0] ?? -1;
}

function silent(label: string, number: number, xs: number[], ys: number[], dashed: boolean): Curve {
    return { label, number, dashed, silent: true, xs: Float64Array.from(xs), ys: Float64Array.from(ys), say: () => [label], textX: (i) => String(xs[i]), textY: (i) => String(ys[i]) };
}

/** Through the origin, its diameter in the yield direction. */
function circle(probes: Probes, row: number, size: number, label: string, number: number, dashed: boolean): Curve {
    const { fits } = probes;
    const r = 0.5 * fits.value("diameter", row) * size;
    const angles = Array.from({ length: 121 }, (_, k) => (2 * Math.PI * k) / 120);
    const centre = [r * fits.value("direction_1", row), r * fits.value("direction_2", row)] as const;
    return silent(label, number, angles.map((t) => centre[0] + r * Math.cos(t)), angles.map((t) => centre[1] + r * Math.sin(t)), dashed);
}

function points(probes: Probes, law: string, x: string, y: string, size: number, number: number, label: string, unit: string): Curve {
    const table = probes.points;
    const rows = rowsOf(table, (row) => table.text("law", row) === law);
    const values = (name: string) => Float64Array.from(rows, (row) => size * table.value(name, row));
    return {
        label, number, marks: true, xs: values(x), ys: values(y),
        say: (i) => [label, `probe ${table.text("probe", rows[i]!)}, angle ${table.text("angle", rows[i]!)}°`, `${x}: ${table.text(x, rows[i]!)}${unit}`, `${y}: ${table.text(y, rows[i]!)}${unit}`],
        textX: (i) => table.text(x, rows[i]!),
        textY: (i) => table.text(y, rows[i]!),
    };
}

function addFit(curves: Curve[], probes: Probes, law: string, split: string, name: string, number: number, size: number): void {
    const large = fitRow(probes, law, split, "loading"), small = fitRow(probes, law, split, "unloading");
    const before = split === "unload" ? "" : "no_slip_";
    const modulus = large < 0 ? "" : `, plastic modulus ${withUnit(probes.fits.value("plastic_modulus", large), "stress")}`;
    const width = [1.8, 1, 0.6][number] ?? 0.6;
    if (large >= 0) curves.push({ ...circle(probes, large, size, "", number, false), width });
    if (small >= 0) curves.push({ ...circle(probes, small, size, "", number, true), width });
    curves.push({ ...points(probes, law, `${before}x`, `${before}y`, size, number, name + modulus, "\u00a01/Pa"), width: [1.5, 1.1, 0.7][number] ?? 0.7 });
}

/** From the origin: the normal of the yield surface, across the circle, and the direction of flow. */
function addDirections(curves: Curve[], probes: Probes, row: number, size: number): void {
    const { fits } = probes, length = 1.12 * size * fits.value("diameter", row);
    for (const [name, column, dashed] of [["yield direction", "direction", false], ["flow direction", "flow", true]] as const) {
        const x = fits.value(`${column}_1`, row), y = fits.value(`${column}_2`, row);
        if (Math.hypot(x, y) > 0.5) curves.push(silent(name, 5, [0, length * x], [0, length * y], dashed));
    }
}

function circleSpec(probes: Probes, stage: string, parts: { law: string; split: string; name: string }[]): ChartSpec | null {
    const first = parts.map((part) => fitRow(probes, part.law, part.split, "loading")).find((row) => row >= 0);
    if (first === undefined) return null;
    const [size, unit] = inverseUnit(probes.fits.value("diameter", first));
    const curves: Curve[] = [];
    parts.forEach((part, number) => addFit(curves, probes, part.law, part.split, part.name, number, size));
    addDirections(curves, probes, first, size);
    return {
        title: `${stage} circles`, equal: true, curves,
        x: { label: "Volumetric direction", unit, log: false, zero: true, column: "x" },
        y: { label: "Deviatoric direction", unit, log: false, zero: true, column: "y" },
    };
}

// ---- Envelopes ----

const responses: [string, string][] = [["strain", "Strain increment"], ["stress", "Stress increment"], ["irreversible", "Irreversible strain"], ["no_slip_irreversible", "Irreversible strain, by the no-slip companion"]];

function has(table: Table, name: string): boolean {
    return table.has(name) && table.column(name).some(Number.isFinite);
}

/** Strains at 1e-5 are shown as such; stresses in Pa, kPa or MPa. */
function envelopeUnit(probes: Probes, quantity: string, names: string[]): [number, string] {
    const largest = Math.max(...names.flatMap((name) => [...probes.points.column(name)].filter(Number.isFinite).map(Math.abs)), 0);
    if (quantity === "stress") return largest >= 3e6 ? [1e-6, "MPa"] : largest >= 3e3 ? [1e-3, "kPa"] : [1, "Pa"];
    return largest < 2e-3 ? [1e6, "10⁻⁶"] : [100, "%"];
}

function envelopeSpec(probes: Probes, stage: string, quantity: string, plane: [number, number]): ChartSpec {
    const spherical = has(probes.points, `${quantity}_3`);
    const axes = spherical ? ["x", "y", "z"] : ["volumetric", "deviatoric", ""];
    const names = plane.map((k) => `${quantity}_${k}`) as [string, string];
    const [size, unit] = envelopeUnit(probes, quantity, names);
    const label = responses.find(([name]) => name === quantity)![1];
    const si = quantity === "stress" ? "\u00a0Pa" : "";
    return {
        title: `${stage} ${quantity} envelope`, equal: true,
        x: { label: `${label}, ${axes[plane[0] - 1]}`, unit, log: false, zero: true, column: names[0] },
        y: { label: `${label}, ${axes[plane[1] - 1]}`, unit, log: false, zero: true, column: names[1] },
        curves: probes.laws.map((law, number) => points(probes, law, names[0], names[1], size, number, law, si)),
    };
}

function envelope(probes: Probes, stage: string): HTMLElement {
    const found = responses.filter(([name]) => has(probes.points, `${name}_1`));
    const spherical = has(probes.points, "strain_3");
    let quantity = (found.find(([name]) => name === "irreversible") ?? found[0] ?? responses[0]!)[0];
    let plane: [number, number] = [1, 2];
    const change = () => card.set(envelopeSpec(probes, stage, quantity, plane), false);
    const which = selectField("Response", found.map(([value, text]) => ({ value, text })), quantity, (value) => {
        quantity = value;
        change();
    });
    const planes = selectField("Plane", [{ value: "1 2", text: "x, y" }, { value: "1 3", text: "x, z" }, { value: "2 3", text: "y, z" }], "1 2", (value) => {
        plane = value.split(" ").map(Number) as [number, number];
        change();
    });
    const card = new ChartCard(envelopeSpec(probes, stage, quantity, plane), el("div", { class: "controls" }, which.field, spherical ? planes.field : null), `Response envelope of ${stage}`);
    return card.element;
}

// ---- The fits as a table ----

const fitColumns: [string, string][] = [["law", "Law"], ["split", "Split"], ["circle", "Circle"], ["points", "Points"], ["plastic_modulus", "Plastic modulus"], ["rms", "rms"], ["direction_angle", "Yield direction"], ["flow_angle", "Flow direction"]];

function fitCell(fits: Table, column: string, row: number): string {
    const value = fits.value(column, row);
    if (["law", "split", "circle", "points"].includes(column)) return fits.text(column, row).replace("_", "-");
    if (column === "plastic_modulus") return withUnit(value, "stress");
    return Number.isFinite(value) ? short(value) + (column.endsWith("angle") ? "°" : "") : "–";
}

function fitTable(fits: Table): HTMLElement {
    const rows = rowsOf(fits, () => true).map((row) => el("tr", {}, ...fitColumns.map(([column]) => el("td", { class: column === "law" ? null : "figure", title: fits.text(column, row) }, fitCell(fits, column, row)))));
    return el("div", { class: "scroll card", tabindex: 0, role: "region", "aria-label": "Fitted circles" }, el("table", {},
        el("caption", {}, "Fitted circles"), el("thead", {}, el("tr", {}, ...fitColumns.map(([, name]) => el("th", { scope: "col" }, name)))), el("tbody", {}, ...rows)));
}

function probeStage(name: string, stage: Stage): HTMLElement[] {
    const table = new Table(stage.probes!), fits = new Table(stage.fits ?? "");
    const laws = [...new Set(rowsOf(table, () => true).map((row) => table.text("law", row)))];
    const probes: Probes = { points: table, fits, laws };
    const split = laws.some((law) => fitRow(probes, law, "unload", "loading") >= 0) ? "unload" : "no_slip";
    const circles = circleSpec(probes, stage.name, laws.map((law) => ({ law, split, name: law })));
    const splits = split === "unload" && fitRow(probes, laws[0]!, "no_slip", "loading") >= 0
        ? circleSpec(probes, stage.name, [{ law: laws[0]!, split: "unload", name: "by unloading" }, { law: laws[0]!, split: "no_slip", name: "by the no-slip companion" }])
        : null;
    const head = (text: string) => el("h4", {}, text);
    const cards = [
        circles && new ChartCard(circles, head("Plastic strain over stress, by direction of the stress increment"), `Circles of ${name}`).element,
        ...surfaceCards(table, laws, stage.name),
        envelope(probes, stage.name),
        splits && new ChartCard(splits, head("Both splits of the strain"), `Splits of ${name}`).element,
        fits.count > 0 && fitTable(fits),
    ];
    return [el("h3", {}, name), el("div", { class: "grid" }, ...cards)];
}

/** Null where no run has probes. */
export function probesSection(runs: LoadedRun[]): HTMLElement | null {
    const parts = runs.flatMap((run) => run.run.stages.filter((stage) => stage.probes).flatMap((stage) => probeStage(runs.length > 1 ? `${run.run.name}, ${stage.name}` : stage.name, stage)));
    if (parts.length === 0) return null;
    return el("section", { id: "probes", "aria-labelledby": "probes-heading" }, el("div", { class: "heading" }, el("h2", { id: "probes-heading" }, "Probes")), ...parts);
}
