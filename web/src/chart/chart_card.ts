// SPDX-License-Identifier: BSD-3-Clause
// A chart with what belongs to it: key, zoom, files, the table of its values.

import { button, el, fileName, renew, save, say, tableBox } from "../page/dom.ts";
import { isDark, onTheme } from "../page/theme.ts";
import { Chart } from "./chart.ts";
import { chartSvg } from "./svg.ts";
import { curveCsv, curveTable, dashOf, strokeOf, type ChartSpec, type Curve } from "./curve.ts";

const pageRows = 100;

export class ChartCard {
    readonly element: HTMLElement;
    private readonly chart: Chart;
    private readonly key = el("ul", { class: "key" });
    private readonly table = el("div", { class: "table-box" });
    private readonly details: HTMLDetailsElement;
    private readonly resetButton: HTMLButtonElement;
    private hidden = new Set<string>();
    private page = 0;

    constructor(private spec: ChartSpec, controls: HTMLElement | null, heading: string) {
        this.resetButton = button("Show all", () => this.chart.reset(), { disabled: true, title: "Show everything (double click, or key 0)" });
        this.chart = new Chart(spec, say, (zoomed) => (this.resetButton.disabled = !zoomed));
        this.details = el("details", { class: "values", ontoggle: () => this.fillTable() }, el("summary", {}, "Table of values"), this.table);
        const tools = el("div", { class: "tools", role: "group", "aria-label": "Zoom and files" },
            button("+", () => this.chart.zoom(0.7), { "aria-label": "Zoom in", class: "square" }),
            button("−", () => this.chart.zoom(1 / 0.7), { "aria-label": "Zoom out", class: "square" }),
            this.resetButton,
            el("span", { class: "gap" }),
            button("SVG", () => this.saveSvg(), { "aria-label": "Save as SVG" }),
            button("CSV", () => this.saveCsv(), { "aria-label": "Save values as CSV" }));
        this.element = el("section", { class: "card chart-card", "aria-label": heading }, controls, this.chart.element, this.key, tools, this.details);
        onTheme(() => this.redraw());
        this.fillKey();
    }

    /** `keep`: other data for the same axes. */
    set(spec: ChartSpec, keep: boolean): void {
        this.spec = spec;
        for (const curve of spec.curves) if (this.hidden.has(curve.label)) curve.hidden = true;
        this.chart.set(spec, keep);
        this.fillKey();
        this.fillTable();
    }

    private redraw(): void {
        this.chart.draw();
        this.fillKey();
    }

    private fillKey(): void {
        const named = this.spec.curves.filter((curve) => curve.label !== "");
        renew(this.key, named.map((curve) => this.keyEntry(curve)));
        this.key.hidden = named.length === 0;
    }

    private keyEntry(curve: Curve): HTMLElement {
        const colour = strokeOf(curve, isDark());
        const swatch = el("span", { class: curve.marks ? "swatch mark" : "swatch", "aria-hidden": "true" });
        swatch.style.setProperty("--colour", colour);
        if (dashOf(curve).length > 0) swatch.classList.add("dashed");
        const text = el("span", { class: "key-text", title: curve.label.slice(0, 500) }, curve.label);
        const entry = el("button", { type: "button", class: "key-entry", "aria-pressed": String(!curve.hidden), onclick: () => this.toggle(curve) }, swatch, text);
        return el("li", {}, entry);
    }

    private toggle(curve: Curve): void {
        curve.hidden = !curve.hidden;
        if (curve.hidden) this.hidden.add(curve.label);
        else this.hidden.delete(curve.label);
        this.set(this.spec, true);
    }

    private saveSvg(): void {
        save(chartSvg(this.spec, this.chart.shown), fileName(this.spec.title, "svg"), "image/svg+xml");
    }

    private saveCsv(): void {
        save(curveCsv(this.spec), fileName(this.spec.title, "csv"), "text/csv");
    }

    // ---- The table ----

    private fillTable(): void {
        if (!this.details.open) {
            this.table.replaceChildren();
            return;
        }
        const { header, rows } = curveTable(this.spec);
        const pages = Math.max(1, Math.ceil(rows.length / pageRows));
        this.page = Math.min(this.page, pages - 1);
        const from = this.page * pageRows;
        const body = rows.slice(from, from + pageRows).map((row) => el("tr", {}, ...row.map((cell) => el("td", {}, cell))));
        const caption = `Rows ${Math.min(from + 1, rows.length)} to ${Math.min(from + pageRows, rows.length)} of ${rows.length}, SI units`;
        const turn = (by: number) => {
            this.page += by;
            this.fillTable();
        };
        renew(this.table, [
            tableBox("Values", header, body, { caption }),
            el("div", { class: "tools", hidden: pages === 1 },
                button("Previous rows", () => turn(-1), { disabled: this.page === 0 }),
                button("Next rows", () => turn(1), { disabled: this.page === pages - 1 })),
        ]);
    }
}
