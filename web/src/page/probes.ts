// SPDX-License-Identifier: BSD-3-Clause
// Stages of probes: figures as described, any response by its columns, and the fitted circles as a table. Stages of rates: the
// verdict, figures, and the contacts of a certificate.

import { ChartCard } from "../chart/chart_card.ts";
import { describedSpec } from "../chart/figure_chart.ts";
import type { ChartSpec, Curve } from "../chart/curve.ts";
import { ratesOf, WALL, type Figure, type Rates, type Stage } from "../data/contract.ts";
import { Table } from "../data/table.ts";
import type { LoadedRun } from "../data/series.ts";
import { joinUnit, short, siUnit, unitFor, withUnit } from "../data/unit.ts";
import { el, section, selectField, tableBox } from "./dom.ts";
import { surfaceCards } from "./surface.ts";

interface Probes {
    points: Table;
    laws: string[];
}

function rowsOf(table: Table, matches: (row: number) => boolean): number[] {
    return Array.from({ length: table.count }, (_, row) => row).filter(matches);
}

function points(probes: Probes, law: string, x: string, y: string, size: number, number: number, label: string, si: string): Curve {
    const table = probes.points;
    const rows = rowsOf(table, (row) => table.text("law", row) === law);
    const values = (name: string) => Float64Array.from(rows, (row) => table.value(name, row) / size);
    return {
        label, number, marks: true, xs: values(x), ys: values(y),
        say: (i) => [label, `probe ${table.text("probe", rows[i]!)}, angle ${table.text("angle", rows[i]!)}°`, ...[x, y].map((name) => `${name}: ${joinUnit(table.text(name, rows[i]!), si)}`)],
        textX: (i) => table.text(x, rows[i]!),
        textY: (i) => table.text(y, rows[i]!),
    };
}

// ---- Any response ----

const responses: [string, string][] = [["strain", "Strain increment"], ["stress", "Stress increment"], ["irreversible", "Irreversible strain"], ["no_slip_irreversible", "Irreversible strain, by the no-slip companion"]];

function has(table: Table, name: string): boolean {
    return table.has(name) && table.column(name).some(Number.isFinite);
}

function envelopeSpec(probes: Probes, stage: string, quantity: string, plane: [number, number]): ChartSpec {
    const spherical = has(probes.points, `${quantity}_3`);
    const axes = spherical ? ["x", "y", "z"] : ["volumetric", "deviatoric", ""];
    const names = plane.map((k) => `${quantity}_${k}`) as [string, string];
    const largest = Math.max(0, ...names.flatMap((name) => [...probes.points.column(name)].filter(Number.isFinite).map(Math.abs)));
    const dimension = quantity === "stress" ? "stress" : "strain", { size, name: unit } = unitFor(dimension, largest);
    const label = responses.find(([name]) => name === quantity)![1];
    return {
        title: `${stage} ${quantity} envelope`, equal: true,
        x: { label: `${label}, ${axes[plane[0] - 1]}`, unit, log: false, zero: true, column: names[0] },
        y: { label: `${label}, ${axes[plane[1] - 1]}`, unit, log: false, zero: true, column: names[1] },
        curves: probes.laws.map((law, number) => points(probes, law, names[0], names[1], size, number, law, siUnit(dimension))),
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
    return tableBox("Fitted circles", fitColumns.map(([, name]) => name), rows, { caption: "Fitted circles", box: "scroll card whole" });
}

const nameOf = (runs: LoadedRun[], run: LoadedRun, stage: Stage) => (runs.length > 1 ? `${run.run.name}, ${stage.name}` : stage.name);

function figuresOf(runs: LoadedRun[], run: LoadedRun, stage: Stage): Figure[] {
    return run.figures.figures.filter((figure) => figure.group === "probes" && figure.stage === stage.name && figure.run === runs.indexOf(run));
}

function figureCard(runs: LoadedRun[], figure: Figure, name: string): HTMLElement {
    return new ChartCard(describedSpec(figure, runs), el("h4", {}, figure.title), `${figure.title}, ${name}`).element;
}

function probeStage(runs: LoadedRun[], run: LoadedRun, stage: Stage): HTMLElement[] {
    const name = nameOf(runs, run, stage);
    const table = new Table(stage.probes!), fits = new Table(stage.fits ?? "");
    const laws = [...new Set(rowsOf(table, () => true).map((row) => table.text("law", row)))];
    const figures = figuresOf(runs, run, stage);
    const flat = figures.filter((figure) => !figure.surface && figure.kind !== "envelope_section").map((figure) => figureCard(runs, figure, name));
    const cards = [
        ...flat.slice(0, 1),
        ...surfaceCards(runs, figures, laws, stage.name),
        envelope({ points: table, laws }, stage.name),
        ...flat.slice(1),
        fits.count > 0 && fitTable(fits),
    ];
    return [el("h3", {}, name), el("div", { class: "grid" }, ...cards)];
}

// ---- Rates ----

function verdictTable(rates: Rates): HTMLElement {
    const { reached, iterations, moved } = rates.equilibrium;
    const facts: [string, string][] = [
        ["Verdict", rates.verdict],
        ["Directions", `${rates.directions} of ${rates.control}, about ${rates.axis}`],
        ["Without a solution", String(rates.without_solution)],
        ["Second-order work negative", String(rates.negative_work)],
        ["Contacts at the friction limit", `${rates.at_limit} of ${rates.contacts}`],
        ["Equilibrium", `${reached ? "reached" : "not reached"}; iterations: ${iterations}, grains moved by up to ${short(moved, 2)} m`],
        ["Residual", `${short(rates.residual, 2)} of the mean contact force, on body ${rates.worst_body}`],
    ];
    return tableBox("Response to small loads", [], facts.map(([name, value]) => el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, value))), { caption: "Response to small loads", box: "scroll card whole" });
}

function certificateTable(rates: Rates): HTMLElement {
    const rows = rates.certificate.map((contact) => el("tr", {},
        ...[contact.body_p, contact.body_q].map((id) => el("td", { class: "figure" }, id === WALL ? "wall" : String(id))),
        ...[contact.normal_force, contact.tangential_force].map((force) => el("td", { class: "figure", title: `${force} N` }, short(force / rates.force_mean)))));
    return tableBox("Certificate", ["Grain", "Grain", "Normal force over the mean", "Tangential force over the mean"], rows, { caption: "Contacts of the certificate", box: "scroll card whole" });
}

function ratesStage(runs: LoadedRun[], run: LoadedRun, stage: Stage, rates: Rates): HTMLElement[] {
    const name = nameOf(runs, run, stage);
    const cards = figuresOf(runs, run, stage).map((figure) => figureCard(runs, figure, name));
    return [el("h3", {}, name), el("div", { class: "grid" }, verdictTable(rates), ...cards, rates.certificate.length > 0 ? certificateTable(rates) : "")];
}

/** Number of stages with probes or rates. */
export function probeCount(runs: LoadedRun[]): number {
    return runs.flatMap((run) => run.run.stages).filter((stage) => stage.probes || ratesOf(stage)).length;
}

/** What the runs have of it. */
export function probesTitle(runs: LoadedRun[]): string {
    const stages = runs.flatMap((run) => run.run.stages), probes = stages.some((stage) => stage.probes);
    return !stages.some(ratesOf) ? "Probes" : probes ? "Probes and rates" : "Rates";
}

/** Null where no run has probes or rates. */
export function probesSection(runs: LoadedRun[]): HTMLElement | null {
    const parts = runs.flatMap((run) => run.run.stages.flatMap((stage) => {
        const rates = ratesOf(stage);
        return stage.probes ? probeStage(runs, run, stage) : rates ? ratesStage(runs, run, stage, rates) : [];
    }));
    return parts.length === 0 ? null : section("probes", probesTitle(runs), null, ...parts);
}
