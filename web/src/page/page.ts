// SPDX-License-Identifier: BSD-3-Clause
// The whole page.

import type { Report, Snapshot } from "../data/contract.ts";
import { loadRuns, type LoadedRun } from "../data/series.ts";
import { SpecimenSection } from "../specimen/section.ts";
import { CurvesSection } from "./curves.ts";
import { button, el, liveRegion } from "./dom.ts";
import { EnergySection } from "./energy.ts";
import { probeCount, probesSection, probesTitle } from "./probes.ts";
import { SummarySection } from "./summary.ts";
import { textsSection } from "./texts.ts";
import { isDark, onTheme, switchTheme } from "./theme.ts";

function themeButton(): HTMLButtonElement {
    const toggle = button("", switchTheme, { class: "theme" });
    const label = () => (toggle.textContent = isDark() ? "Light" : "Dark");
    toggle.setAttribute("aria-label", "Switch between light and dark");
    label();
    onTheme(label);
    return toggle;
}

export class Page {
    private readonly summary: SummarySection;
    private readonly curves: CurvesSection;
    private readonly energy: EnergySection;
    private readonly specimen: SpecimenSection;
    private probes: HTMLElement | null;
    private texts: HTMLElement;
    private runs: LoadedRun[];

    constructor(host: HTMLElement, report: Report, status: HTMLElement | null = null, fetchSnapshot?: (number: number) => Promise<Snapshot>) {
        this.runs = loadRuns(report);
        this.summary = new SummarySection(this.runs, report.program);
        this.curves = new CurvesSection(this.runs);
        this.energy = new EnergySection(this.runs);
        this.specimen = new SpecimenSection(report.runs, fetchSnapshot);
        this.probes = probesSection(this.runs);
        this.texts = textsSection(this.runs);
        const links: [string, string][] = [["summary", "Summary"], ["curves", "Curves"], ["specimen", "Specimen"], ["energy", "Energy"], ["probes", probesTitle(this.runs)], ["files", "Files"]];
        const shown = links.filter(([id]) => id !== "probes" || this.probes);
        host.replaceChildren(
            el("a", { class: "skip", href: "#main" }, "Skip to the content"),
            el("header", { class: "bar" },
                el("span", { class: "brand" }, "twirl"),
                el("nav", { "aria-label": "Sections" }, ...shown.map(([id, text]) => el("a", { href: `#${id}` }, text))),
                status, themeButton()),
            el("main", { id: "main", tabindex: -1 }, this.summary.element, this.curves.element, this.specimen.element, this.energy.element, this.probes, this.texts),
            liveRegion);
    }

    /** New data of the same runs. */
    update(report: Report): void {
        const before = this.runs;
        this.runs = loadRuns(report);
        this.summary.update(this.runs);
        this.curves.update(this.runs);
        this.energy.update(this.runs);
        this.specimen.update(report.runs);
        if (probeCount(before) !== probeCount(this.runs)) this.probes = this.swap(this.probes, probesSection(this.runs));
        if (!this.texts.querySelector("details[open]")) this.texts = this.swap(this.texts, textsSection(this.runs))!;
    }

    private swap(old: HTMLElement | null, next: HTMLElement | null): HTMLElement | null {
        if (old && next) old.replaceWith(next);
        else if (next) this.texts.before(next);
        return next;
    }
}
