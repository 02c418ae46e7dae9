// SPDX-License-Identifier: BSD-3-Clause
// The energy balance: its curves, and where the work went by the end of the stage.

import { titleOf } from "../chart/figure_chart.ts";
import { balance } from "../data/results.ts";
import { mainSeries, textOf, valuesOf, type LoadedRun, type Series } from "../data/series.ts";
import { short, withUnit } from "../data/unit.ts";
import { CurvePanel, figuresFor } from "./curves.ts";
import { el, renew, section, tableBox } from "./dom.ts";

const KIND = "energies"; // of figures

function balanceTable(runs: LoadedRun[]): HTMLElement {
    const series = runs.map(mainSeries).filter((s) => s !== undefined);
    const lines = new Map(runs[0]!.figures.figures.filter((figure) => figure.kind === KIND).flatMap((figure) => figure.lines.map((line) => [line.y, titleOf(line)])));
    const end = (s: Series, id: string) => valuesOf(s, id)[s.count - 1]!;
    const rows = [...lines].map(([id, title]) => el("tr", {}, el("th", { scope: "row" }, title), ...series.flatMap((s) => {
        const value = end(s, id), work = end(s, "work");
        return [
            el("td", { class: "figure", title: textOf(s, id, s.count - 1) }, Number.isFinite(value) ? withUnit(value, "energy") : "–"),
            el("td", { class: "figure" }, Number.isFinite(value) && work !== 0 ? `${short((100 * value) / Math.abs(work), 3)}\u00a0%` : "–"),
        ];
    })));
    const head = series.flatMap((s) => [`${runs.length > 1 ? `${s.run.run.name}, ` : ""}${s.of.stage}`, "of the work"]);
    return tableBox("Energy balance", ["Energy", ...head], rows, { caption: "Since the stage began, at its end" });
}

function verdicts(runs: LoadedRun[]): HTMLElement[] {
    return runs.map(mainSeries).flatMap((s) => (s ? balance(s) : []).map(({ value, detail }) =>
        el("p", {}, `${runs.length > 1 ? `${s!.run.run.name}: largest` : "Largest"} residual ${value} ${detail}.`)));
}

export class EnergySection {
    readonly element: HTMLElement;
    private readonly panel: CurvePanel;
    private readonly side = el("div", { class: "card" });

    constructor(runs: LoadedRun[]) {
        this.panel = new CurvePanel(runs, (all) => figuresFor(all).filter((figure) => figure.kind === KIND), 0, "Energy balance");
        this.element = section("energy", "Energy balance", null, el("div", { class: "grid" }, this.panel.card.element, this.side));
        this.fill(runs);
    }

    private fill(runs: LoadedRun[]): void {
        renew(this.side, [...verdicts(runs), balanceTable(runs)]);
    }

    update(runs: LoadedRun[]): void {
        this.panel.update(runs);
        this.fill(runs);
    }
}
