// SPDX-License-Identifier: BSD-3-Clause
// The energy balance: its curves, and where the work went by the end of the stage.

import { energies } from "../data/quantity.ts";
import { energyError, mainStage } from "../data/results.ts";
import type { LoadedRun, Series } from "../data/series.ts";
import { energyFigure } from "../data/figure.ts";
import { short, withUnit } from "../data/unit.ts";
import { CurvePanel } from "./curves.ts";
import { el, renew } from "./dom.ts";

function mainStages(runs: LoadedRun[]): Series[] {
    return runs.map((run) => mainStage(run)).filter((s) => s !== undefined);
}

function balanceTable(runs: LoadedRun[]): HTMLElement {
    const series = mainStages(runs);
    const ends = (s: Series) => energies.map((quantity) => quantity.values(s)[s.count - 1]!);
    const rows = energies.map((quantity, k) => el("tr", {}, el("th", { scope: "row" }, quantity.label), ...series.flatMap((s) => {
        const values = ends(s), value = values[k]!, work = values[0]!;
        return [
            el("td", { class: "figure", title: quantity.text(s, s.count - 1) }, Number.isFinite(value) ? withUnit(value, "energy") : "–"),
            el("td", { class: "figure" }, Number.isFinite(value) && work !== 0 ? `${short((100 * value) / Math.abs(work), 3)}\u00a0%` : "–"),
        ];
    })));
    const head = series.flatMap((s) => [el("th", { scope: "col" }, `${runs.length > 1 ? `${s.run.run.name}, ` : ""}${s.stage.name}`), el("th", { scope: "col" }, "of the work")]);
    const shown = rows.filter((_, k) => series.some((s) => Number.isFinite(ends(s)[k]!)));
    return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Energy balance" }, el("table", {},
        el("caption", {}, "Since the stage began, at its end"),
        el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Energy"), ...head)), el("tbody", {}, ...shown)));
}

function verdict(runs: LoadedRun[]): string {
    const errors = mainStages(runs).map(energyError).filter(Number.isFinite);
    if (errors.length === 0) return "";
    const worst = Math.max(...errors);
    return `Largest residual: ${short(100 * worst, 2)}\u00a0% of the energy put in or stored. ${worst > 1e-3 ? "Above 0.1 %: the time step is too large." : "Work, losses and stored energy agree."}`;
}

export class EnergySection {
    readonly element: HTMLElement;
    private readonly panel: CurvePanel;
    private readonly side = el("div", { class: "card" });

    constructor(runs: LoadedRun[]) {
        const main = mainStage(runs[0]!);
        const figure = main ? energyFigure(main) : { name: "Energy balance", x: "stage_time", y: "energies" };
        this.panel = new CurvePanel(runs, () => [figure], 0, "Energy balance", (all) => mainStages(all).slice(0, 1));
        this.element = el("section", { id: "energy", "aria-labelledby": "energy-heading" },
            el("div", { class: "heading" }, el("h2", { id: "energy-heading" }, "Energy balance")),
            el("div", { class: "grid" }, this.panel.card.element, this.side));
        this.fill(runs);
    }

    private fill(runs: LoadedRun[]): void {
        renew(this.side, [el("p", {}, verdict(runs)), balanceTable(runs)]);
    }

    update(runs: LoadedRun[]): void {
        this.panel.update(runs);
        this.fill(runs);
    }
}
