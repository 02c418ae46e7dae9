// SPDX-License-Identifier: BSD-3-Clause
// The section of curves: charts in which figure, axes and stages can be chosen.

import { ChartCard } from "../chart/chart_card.ts";
import { chosenSpec, describedSpec, type Choice } from "../chart/figure_chart.ts";
import type { ChartSpec } from "../chart/curve.ts";
import type { Figure, FigureSeries } from "../data/contract.ts";
import { isPresent, mainSeries, quantityOf, type LoadedRun, type Series } from "../data/series.ts";
import { button, checkField, el, section, selectField, setChoices, type Choice as Option } from "./dom.ts";

const OWN = "own"; // the figure that none of the list is

const keyOf = (s: Series) => `${s.of.run}/${s.first}/${s.of.stages?.length ?? 1}`;

/** The ordinate of a figure: its quantity, or its kind if it has several. */
function ordinateOf(figure: Figure): string {
    const [first, ...more] = new Set(figure.lines.filter((line) => !line.second).map((line) => line.y));
    return more.length > 0 ? figure.kind : (first ?? "");
}

function choiceOf(figure: Figure | undefined): Choice {
    if (!figure) return { figure: null, x: "column:step", y: "column:p", logX: false, logY: false };
    return { figure, x: figure.lines[0]?.x ?? "", y: ordinateOf(figure), logX: figure.x.log, logY: figure.y.log };
}

export class CurvePanel {
    readonly card: ChartCard;
    private figures: Figure[];
    private choice: Choice;
    private chosen: Set<string>;
    private touched = false; // the reader has chosen: nothing changes by itself any more
    private choices: Choices | null = null;
    private readonly figure = selectField("Figure", [], "", (value) => this.pick(this.figures[Number(value)]));
    private readonly x = selectField("x", [], "", (value) => this.change({ x: value }));
    private readonly y = selectField("y", [], "", (value) => this.change({ y: value }));
    private readonly logX = checkField("log x", false, (on) => this.change({ logX: on }));
    private readonly logY = checkField("log y", false, (on) => this.change({ logY: on }));
    private readonly stages = el("div", { class: "stage-list" });

    constructor(private runs: LoadedRun[], private readonly list: (runs: LoadedRun[]) => Figure[], private readonly start: number, heading: string) {
        this.figures = list(runs);
        this.choice = choiceOf(this.figures[start] ?? this.figures[0]);
        this.chosen = this.seriesOf(this.choice.figure);
        const menu = el("details", { class: "stages-menu" }, el("summary", {}, "Stages"), this.stages);
        const controls = el("div", { class: "controls" }, this.figure.field, this.x.field, this.y.field, this.logX.field, this.logY.field, menu);
        this.fill();
        this.card = new ChartCard(this.spec(), controls, heading);
    }

    /** Of a figure; without one, that of each run which stands for it. */
    private seriesOf(figure: Figure | null): Set<string> {
        const { figures } = this.runs[0]!, all = this.runs.flatMap((run) => run.series);
        const main = this.runs.map(mainSeries).filter((s) => s !== undefined);
        const shown = figure ? all.filter((s) => figure.lines.some((line) => figures.series[line.series] === s.of)) : main;
        return new Set(shown.map(keyOf));
    }

    /** New rows: the axes and what is shown stay, unless a new stage has others. */
    update(runs: LoadedRun[]): void {
        const before = this.choice, name = before.figure?.name;
        this.runs = runs;
        this.figures = this.list(runs);
        if (this.touched) this.choice = { ...before, figure: this.figures.find((figure) => figure.name === name) ?? null };
        else {
            this.choice = choiceOf(this.figures[this.start] ?? this.figures[0]);
            this.chosen = this.seriesOf(this.choice.figure);
        }
        this.fill();
        this.card.set(this.spec(), before.x === this.choice.x && before.y === this.choice.y);
    }

    private spec(): ChartSpec {
        const { figure } = this.choice, usual = this.seriesOf(figure);
        const described = figure && usual.size === this.chosen.size && [...usual].every((key) => this.chosen.has(key)) && figure.x.log === this.choice.logX && figure.y.log === this.choice.logY;
        if (described) return describedSpec(figure, this.runs);
        const series = this.runs.flatMap((run) => run.series).filter((s) => this.chosen.has(keyOf(s)));
        return chosenSpec(this.choice, series, this.runs[0]!.figures) ?? emptySpec(this.choice);
    }

    private pick(figure: Figure | undefined): void {
        if (!figure) return;
        this.chosen = this.seriesOf(figure);
        this.choices = null; // the boxes of the stages
        this.change(choiceOf(figure));
    }

    private change(part: Partial<Choice>): void {
        this.touched = true;
        const next = { ...this.choice, ...part };
        const same = next.figure && next.x === next.figure.lines[0]?.x && next.y === ordinateOf(next.figure);
        this.choice = same ? next : { ...next, figure: null };
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
        this.logX.box.checked = this.choice.logX;
        this.logY.box.checked = this.choice.logY;
        const at = this.choice.figure ? this.figures.indexOf(this.choice.figure) : -1;
        const list: Option[] = this.figures.map((figure, i) => ({ value: String(i), text: titleOf(figure, this.figures, this.runs) }));
        setChoices(this.figure.select, at < 0 ? [{ value: OWN, text: "own choice" }, ...list] : list, at < 0 ? OWN : String(at));
    }

    private fillStages(): void {
        const several = this.runs.length > 1;
        const fields = this.runs.flatMap((run) => run.series.map((s) => {
            const key = keyOf(s), name = several ? `${run.run.name}: ${s.of.stages?.join(", ") ?? s.of.stage}` : s.name || "history";
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

/** Where others have the same title, with the stage or the kind of path. */
function titleOf(figure: Figure, among: Figure[], runs: LoadedRun[]): string {
    if (among.filter((other) => other.title === figure.title).length < 2) return figure.title;
    const run = runs.length > 1 && figure.run !== null ? `, ${runs[figure.run]?.run.name ?? ""}` : "";
    return figure.stage !== null ? `${figure.title}${run}, ${figure.stage}` : `${figure.title}, ${figure.group.replaceAll("_", " ")}`;
}

interface Choices {
    x: Option[];
    y: Option[];
}

const known = new WeakMap<LoadedRun[], Choices>();

/** The quantities of which any row has a number; found once, for there are many. */
function choicesFor(runs: LoadedRun[]): Choices {
    const found = known.get(runs);
    if (found) return found;
    const { figures } = runs[0]!, series = runs.flatMap((run) => run.series);
    const named = (ids: string[], group: string): Option[] =>
        ids.filter((id) => isPresent(series, id)).map((id) => ({ value: id, text: quantityOf(figures, id)!.label.replace("\u00a0", " "), group }));
    const single = [...named(figures.quantities.map((one) => one.name), "Usual"), ...named(figures.columns.map((one) => `column:${one.name}`), "Columns of history.csv")];
    const several = figures.figures.filter((figure, k) => ordinateOf(figure) === figure.kind && figures.figures.findIndex((one) => one.kind === figure.kind) === k);
    const choices = { x: single, y: [...several.filter((figure) => !figures.quantities.some((one) => one.name === figure.kind)).map((figure) => ({ value: figure.kind, text: figure.title, group: "Figures" })), ...single] };
    known.set(runs, choices);
    return choices;
}

function emptySpec(choice: Choice): ChartSpec {
    const axis = (id: string) => ({ label: id.replace("column:", ""), unit: "", log: false, zero: true, column: id });
    return { title: "nothing", x: axis(choice.x), y: axis(choice.y), curves: [] };
}

/** Figures of lines, those of the stage that stands for the first run first. */
export function figuresFor(runs: LoadedRun[]): Figure[] {
    const { figures, series } = runs[0]!.figures, main = mainSeries(runs[0]!)?.of;
    const drawn = figures.filter((figure) => figure.lines.length > 0);
    const has = (one: FigureSeries) => main && one.run === main.run && one.first <= main.first && main.first < one.first + one.rows;
    const isMain = (figure: Figure) => figure.lines.some((line) => has(series[line.series]!));
    return [...drawn.filter(isMain), ...drawn.filter((figure) => !isMain(figure))];
}

export class CurvesSection {
    readonly element: HTMLElement;
    private readonly grid = el("div", { class: "grid" });
    private readonly panels: CurvePanel[] = [];

    constructor(private runs: LoadedRun[]) {
        this.add(0);
        this.add(figuresFor(runs).findIndex((figure) => ["volumetric_strain", "pore_pressure", "k0"].includes(figure.kind)));
        this.element = section("curves", "Curves", "Drag to zoom, double click to show all; point at a curve for its values. Click into a chart to zoom with the wheel or the keys.",
            this.grid, button("Add a chart", () => this.add(this.panels.length), { class: "add" }));
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
