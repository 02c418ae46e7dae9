// SPDX-License-Identifier: BSD-3-Clause
// What happened, at a glance: what was run, its state, warnings, key numbers, how the stages ended.

import type { State } from "../data/contract.ts";
import { probeResults, resultsOf, stepsOf, type Result } from "../data/results.ts";
import { mainSeries, wholeTest, type LoadedRun } from "../data/series.ts";
import { short, withUnit } from "../data/unit.ts";
import { el, renew, tableBox } from "./dom.ts";

const states: Record<State, { sign: string; text: string }> = {
    finished: { sign: "✓", text: "finished" },
    running: { sign: "▶", text: "running" },
    interrupted: { sign: "❚❚", text: "interrupted" },
    failed: { sign: "✕", text: "failed" },
};

function chip(state: State): HTMLElement {
    const { sign, text } = states[state];
    return el("span", { class: `chip ${state}` }, el("span", { "aria-hidden": "true" }, sign), ` ${text}`);
}

function titleOf(run: LoadedRun): string {
    return run.run.title || run.run.name;
}

/** What was run, in the words of `twirl check`: labels of ten characters, empty where a line continues the one before. */
function about({ run }: LoadedRun): HTMLElement {
    const lines = (run.about ?? "").trim().replaceAll(/\n {11}/g, "; ").split("\n");
    return el("dl", { class: "facts" }, ...lines.flatMap((line) => [el("dt", {}, line.slice(0, 10)), el("dd", {}, line.slice(11))]));
}

function problems(runs: LoadedRun[]): HTMLElement | null {
    const items: HTMLElement[] = [];
    for (const { run } of runs) {
        const before = runs.length > 1 ? `${run.name}: ` : "";
        if (run.state === "failed") items.push(el("li", { class: "failure" }, `${before}The run failed${run.failure ? `: ${run.failure}` : ""}`));
        if (run.state === "interrupted") items.push(el("li", {}, `${before}The run was interrupted and can be resumed; the curves end there.`));
        for (const warning of run.warnings) items.push(el("li", {}, before + warning));
    }
    if (items.length === 0) return null;
    return el("aside", { class: "warnings", role: "note", "aria-label": "Warnings" },
        el("h2", {}, items.length === 1 ? "Warning" : `${items.length} warnings`), el("ul", {}, ...items));
}

// ---- Key numbers ----

function card(result: Result): HTMLElement {
    return el("div", { class: result.caution ? "number caution" : "number" },
        el("dt", {}, result.name), el("dd", {}, el("strong", {}, result.value), el("span", { class: "detail" }, result.detail)));
}

function allResults(run: LoadedRun): Result[] {
    const main = mainSeries(run);
    return [...(main ? resultsOf(main) : []), ...probeResults(run)];
}

function numbers(run: LoadedRun): HTMLElement {
    const main = mainSeries(run), others = run.run.stages.filter((stage) => stage.path !== "preparation").length > 1;
    const stages = main ? wholeTest(main).of.stages ?? [] : [], what = stages.length > 1 ? `the test ${stages.join(", ")}, energy of its last stage` : `stage ${main?.name}`;
    return el("div", {}, others && main ? el("p", { class: "detail" }, `Key numbers of ${what}; for the others see Stages and Response.`) : null,
        el("dl", { class: "numbers", "aria-label": "Key numbers" }, ...allResults(run).map(card)));
}

/** A row for each run. */
function comparison(runs: LoadedRun[]): HTMLElement {
    const lists = runs.map(allResults);
    const names = [...new Set(lists.flatMap((list) => list.map((result) => result.name)))];
    const rows = runs.map((run, i) => el("tr", {},
        el("th", { scope: "row" }, run.run.name),
        el("td", {}, chip(run.run.state)),
        ...names.map((name) => {
            const result = lists[i]!.find((one) => one.name === name);
            return el("td", { class: result?.caution ? "caution" : null, title: result?.detail }, result?.value ?? "–");
        })));
    return tableBox("Comparison of the runs", ["Run", "State", ...names], rows, { class: "comparison" });
}

// ---- Response ----

/** The numbers that `twirl info RUN` prints, of stages and tests. */
function responses(runs: LoadedRun[]): HTMLElement | null {
    const all = runs.flatMap((run) => run.series.filter((s) => Object.keys(s.of.results ?? {}).length > 0)).sort((a, b) => a.first - b.first);
    if (all.length === 0) return null;
    const kinds = runs[0]!.figures.results ?? [], text = (name: string, dimension: string, value: number | undefined) =>
        value === undefined ? "–" : name === "steady" ? (value === 1 ? "yes" : "no") : withUnit(value, dimension);
    const rows = kinds.filter(({ name }) => all.some((s) => name in s.of.results!)).map(({ name, dimension, text: what }) =>
        el("tr", {}, el("th", { scope: "row", title: what }, name.replaceAll("_", " ")), ...all.map((s) => {
            const value = s.of.results![name];
            return el("td", { class: "figure", title: value }, text(name, dimension, value));
        })));
    const head = all.map((s) => el("th", { scope: "col", class: "figure" }, runs.length > 1 ? `${s.run.run.name}, ${s.name}` : s.name));
    return el("details", { class: "about" }, el("summary", {}, "Response of the stages: all numbers of twirl info"), tableBox("Response", ["Quantity", ...head], rows));
}

// ---- Stages ----

/** Values below what matters here, such as strains of a specimen at rest, are zero. */
const stageColumns: [string, string, string, number?][] = [
    ["Strain", "strain", "strain", 1e-5], ["p", "p", "stress"], ["q/p", "stress_ratio", "ratio", 1e-4], ["Void ratio", "void_ratio", "ratio"],
    ["Coordination", "coordination", "ratio"], ["Unbalanced", "unbalanced", "ratio"],
];

const stageStates: Record<string, string> = { done: "ended", current: "going on", waiting: "not begun" };

/** How a stage ended; the text of the program where there is one. */
function ending(run: LoadedRun, name: string): string {
    const stage = run.run.stages.find((one) => one.name === name);
    if (stage?.end_text) return stage.end_text;
    if (stage?.end) return `ended by ${stage.end}`;
    if (stage?.state === "done" && stage.path === "preparation") {
        const friction = stage.summary?.friction;
        return `in equilibrium${typeof friction === "number" ? `, compressed with friction ${short(friction, 4)}` : ""}`;
    }
    return stageStates[stage?.state ?? ""] ?? "";
}

function stageRow(run: LoadedRun, name: string, path: string, several: boolean): HTMLElement {
    const s = run.parts.find((one) => one.name === name);
    const last = s ? s.first + s.count - 1 : -1;
    const number = (column: string, dimension: string, least: number) => {
        const exact = s ? run.table.value(column, last) : NaN, value = Math.abs(exact) < least ? 0 : exact;
        return el("td", { class: "figure", title: s ? run.table.text(column, last) : null }, Number.isFinite(value) ? withUnit(value, dimension) : "–");
    };
    return el("tr", {},
        several ? el("th", { scope: "row" }, run.run.name) : null,
        el(several ? "td" : "th", several ? {} : { scope: "row" }, name),
        el("td", {}, path.replaceAll("_", " ")),
        el("td", { class: "wide" }, ending(run, name)),
        el("td", { class: "figure" }, s ? stepsOf(run, s).toLocaleString("en-US") : "–"),
        ...stageColumns.map(([, column, dimension, least]) => number(column, dimension, least ?? 0)));
}

function stages(runs: LoadedRun[]): HTMLElement {
    const several = runs.length > 1;
    const head = [...(several ? ["Run"] : []), "Stage", "Path", "How it ended", "Steps", ...stageColumns.map(([name]) => name)];
    const rows = runs.flatMap((run) => run.run.stages.map((stage) => stageRow(run, stage.name, stage.path ?? "", several)));
    return tableBox("Stages", head, rows, { caption: "Stages, and the state at the end of each", class: "stages" });
}

// ---- All ----

function sizeText(runs: LoadedRun[]): string {
    const parts = runs.map(({ run, table }) => {
        const steps = table.value("step", table.count - 1), time = table.value("time", table.count - 1);
        const grains = run.summary?.bodies ?? run.snapshots.at(-1)?.bodies?.total;
        return `${runs.length > 1 ? `${run.name}: ` : ""}${typeof grains === "number" ? `${grains.toLocaleString("en-US")} grains, ` : ""}${Number.isFinite(steps) ? `${steps.toLocaleString("en-US")} steps` : "no steps yet"}${Number.isFinite(time) ? `, ${withUnit(time, "time", 3)} simulated` : ""}`;
    });
    return parts.join("; ");
}

function content(runs: LoadedRun[], program: string): (HTMLElement | null)[] {
    const first = runs[0]!;
    const single = runs.length === 1;
    const heading = single ? titleOf(first) : `${short(runs.length)} runs: ${runs.map((run) => run.run.name).join(", ")}`;
    const same = single || runs.every((run) => titleOf(run) === titleOf(first));
    const state = single ? chip(first.run.state) : null;
    return [
        el("div", { class: "headline" }, el("h1", { title: heading.slice(0, 500) }, heading), state),
        el("p", { class: "sub" }, [...(single ? [first.run.name] : same ? [titleOf(first)] : []), sizeText(runs), program].filter((text) => text !== "").join(" · ")),
        problems(runs),
        ...(single ? [about(first), numbers(first)] : [comparison(runs), ...runs.map((run) => el("details", { class: "about" }, el("summary", {}, `${run.run.name}: what was run`), about(run)))]),
        stages(runs),
        responses(runs),
    ];
}

export class SummarySection {
    readonly element = el("section", { id: "summary", "aria-label": "Summary" });

    constructor(runs: LoadedRun[], private readonly program: string) {
        this.update(runs);
    }

    update(runs: LoadedRun[]): void {
        renew(this.element, content(runs, this.program));
    }
}
