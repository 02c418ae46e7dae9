// SPDX-License-Identifier: BSD-3-Clause
// The section of curves: charts in which figure, axes and stages can be chosen.

import { ChartCard } from "../chart/chart_card.ts";
import { figureSpec } from "../chart/figure_chart.ts";
import type { ChartSpec } from "../chart/curve.ts";
import { ENERGIES, figuresOf, type FigureChoice } from "../data/figure.ts";
import { columns, energies, isPresent, usual, type Quantity } from "../data/quantity.ts";
import { mainSeries, type LoadedRun, type Series } from "../data/series.ts";
import { mainStage } from "../data/results.ts";
import { button, checkField, el, selectField, setChoices, type Choice } from "./dom.ts";

const OWN = "own"; // the figure that none of the list is

/** One curve per run as soon as there are several: its last stage that loads. */
function startSeries(runs: LoadedRun[]): Series[] {
    if (runs.length === 1) return mainSeries(runs[0]!);
    return runs.map((run) => mainStage(run)).filter((s) => s !== undefined);
}

const keyOf = (s: Series, runs: LoadedRun[]) => `${runs.indexOf(s.run)}/${s.run.series.indexOf(s)}`;

export class CurvePanel {
    readonly card: ChartCard;
    private choice: FigureChoice;
    private chosen: Set<string>;
    private touched = false; // the reader has chosen: nothing changes by itself any more
    private choices: Choices | null = null;
    private figures: FigureChoice[];
    private readonly figure = selectField("Figure", [], "", (value) => this.pick(value));
    private readonly x = selectField("x", [], "", (value) => this.change({ x: value }));
    private readonly y = selectField("y", [], "", (value) => this.change({ y: value }));
    private readonly logX = checkField("log x", false, (on) => this.change({ logX: on }));
    private readonly logY = checkField("log y", false, (on) => this.change({ logY: on }));
    private readonly stages = el("div", { class: "stage-list" });

    constructor(private runs: LoadedRun[], private readonly list: (runs: LoadedRun[]) => FigureChoice[], private readonly start: number, heading: string,
        private readonly begin: (runs: LoadedRun[]) => Series[] = startSeries) {
        this.figures = list(runs);
        this.choice = this.startChoice();
        this.chosen = this.startKeys();
        const menu = el("details", { class: "stages-menu" }, el("summary", {}, "Stages"), this.stages);
        const controls = el("div", { class: "controls" }, this.figure.field, this.x.field, this.y.field, this.logX.field, this.logY.field, menu);
        this.fill();
        this.card = new ChartCard(this.spec(), controls, heading);
    }

    private startChoice(): FigureChoice {
        return { ...(this.figures[this.start] ?? this.figures[0]!) };
    }

    private startKeys(): Set<string> {
        return new Set(this.begin(this.runs).map((s) => keyOf(s, this.runs)));
    }

    /** New rows: the axes and what is shown stay, unless a new stage has others. */
    update(runs: LoadedRun[]): void {
        const before = this.choice;
        this.runs = runs;
        if (!this.touched) {
            this.figures = this.list(runs);
            this.choice = this.startChoice();
            this.chosen = this.startKeys();
        }
        this.fill();
        this.card.set(this.spec(), before.x === this.choice.x && before.y === this.choice.y);
    }

    private series(): Series[] {
        return this.runs.flatMap((run) => run.series).filter((s) => this.chosen.has(keyOf(s, this.runs)));
    }

    private spec(): ChartSpec {
        const series = this.series();
        return figureSpec(this.choice, series, this.choices?.all ?? []) ?? emptySpec(this.choice);
    }

    private pick(value: string): void {
        const figure = this.figures[Number(value)];
        if (figure) this.change({ logX: false, logY: false, ...figure });
    }

    private change(part: Partial<FigureChoice>): void {
        this.touched = true;
        this.choice = { ...this.choice, ...part };
        this.fill();
        this.card.set(this.spec(), false);
    }

    /** Everything that can be chosen, with what is chosen. */
    private fill(): void {
        const choices = choicesFor(this.runs);
        if (choices !== this.choices) {
            this.choices = choices;
            setChoices(this.x.select, choices.x, this.choice.x);
            setChoices(this.y.select, choices.y, this.choice.y);
            this.fillStages();
        }
        this.x.select.value = this.choice.x;
        this.y.select.value = this.choice.y;
        this.logX.box.checked = this.choice.logX ?? false;
        this.logY.box.checked = this.choice.logY ?? false;
        const at = this.figures.findIndex((figure) => figure.x === this.choice.x && figure.y === this.choice.y);
        const list: Choice[] = this.figures.map((figure, i) => ({ value: String(i), text: figure.name }));
        setChoices(this.figure.select, at < 0 ? [{ value: OWN, text: "own choice" }, ...list] : list, at < 0 ? OWN : String(at));
    }

    private fillStages(): void {
        const several = this.runs.length > 1;
        const fields = this.runs.flatMap((run) => run.series.map((s) => {
            const key = keyOf(s, this.runs);
            const name = several ? `${run.run.name}: ${s.stage.name}` : s.stage.name || "history";
            return checkField(name, this.chosen.has(key), (on) => {
                this.touched = true;
                if (on) this.chosen.add(key);
                else this.chosen.delete(key);
                this.card.set(this.spec(), false);
            }).field;
        }));
        this.stages.replaceChildren(...fields);
    }
}

interface Choices {
    all: readonly Quantity[];
    x: Choice[];
    y: Choice[];
}

const known = new WeakMap<LoadedRun[], Choices>();

/** The quantities of which any row has a number; found once, for there are many. */
function choicesFor(runs: LoadedRun[]): Choices {
    const found = known.get(runs);
    if (found) return found;
    const series = runs.flatMap((run) => run.series);
    const present = (quantity: Quantity) => isPresent(quantity, series);
    const named = (list: readonly Quantity[], group: string): Choice[] =>
        list.map((quantity) => ({ value: quantity.id, text: quantity.choice ?? quantity.label.replace("\u00a0", " "), group }));
    const main = usual.filter((quantity) => !energies.includes(quantity) && present(quantity));
    const energy = energies.filter(present), raw = columns(runs).filter(present);
    const head = "Energies since the stage began";
    const [first, second, third] = [named(main, "Usual"), named(energy, head), named(raw, "Columns of history.csv")];
    const all: Choice[] = energy.length > 0 ? [{ value: ENERGIES, text: "all energies", group: head }] : [];
    const choices = { all: [...main, ...energy, ...raw], x: [...first, ...second, ...third], y: [...first, ...all, ...second, ...third] };
    known.set(runs, choices);
    return choices;
}

function emptySpec(choice: FigureChoice): ChartSpec {
    const axis = (id: string) => ({ label: id.replace("column:", ""), unit: "", log: false, zero: true, column: id });
    return { title: "nothing", x: axis(choice.x), y: axis(choice.y), curves: [] };
}

function figuresFor(runs: LoadedRun[]): FigureChoice[] {
    const main = mainStage(runs[0]!);
    return main ? figuresOf(main) : [{ name: "History", x: "column:step", y: "column:p" }];
}

export class CurvesSection {
    readonly element: HTMLElement;
    private readonly grid = el("div", { class: "grid" });
    private readonly panels: CurvePanel[] = [];

    constructor(private runs: LoadedRun[]) {
        this.add(0);
        this.add(figuresFor(runs).findIndex((figure) => ["volumetric_strain", "ru", "k0"].includes(figure.y)));
        this.element = el("section", { id: "curves", "aria-labelledby": "curves-heading" },
            el("div", { class: "heading" }, el("h2", { id: "curves-heading" }, "Curves"),
                el("p", { class: "hint" }, "Drag to zoom, double click to show all; point at a curve for its values. Click into a chart to zoom with the wheel or the keys.")),
            this.grid,
            button("Add a chart", () => this.add(this.panels.length), { class: "add" }));
    }

    private add(start: number): void {
        const panel = new CurvePanel(this.runs, figuresFor, Math.max(0, start), `Chart ${this.panels.length + 1}`);
        this.panels.push(panel);
        this.grid.append(panel.card.element);
    }

    update(runs: LoadedRun[]): void {
        this.runs = runs;
        for (const panel of this.panels) panel.update(runs);
    }
}
