// SPDX-License-Identifier: BSD-3-Clause
// Runs with their tables, and the parts of them that are drawn: the rows of a stage, with what the
// scenario says about its path.

import type { Column, Run, Stage } from "./contract.ts";
import { complete, Table } from "./table.ts";
import { at, type Node, numberAt, textAt } from "./node.ts";

/** A rigid rotation, as its stage describes it. */
export interface Turn {
    axis: [number, number, number]; // of length 1
    angle: number; // of all increments [rad]
    increments: number;
}

export interface Series {
    run: LoadedRun;
    stage: Stage;
    first: number;
    count: number;
    path: string; // key `path`; "cyclic" stages have the path that they repeat in `base`
    base: string;
    axis: number; // 0 to 2: the driven axis
    normal: number; // 0 to 2: normal of the sheared plane
    closed: boolean; // constant volume
    turn: Turn | null; // of the path "rotate"
}

export interface LoadedRun {
    run: Run;
    table: Table;
    scenario: Node;
    texts: Map<string, string>; // what the columns are
    series: Series[]; // one for each stage with rows
}

export const PREPARATION = "specimen";

const axes = ["x", "y", "z"];
const axial = ["triaxial", "constant_p", "undrained", "oedometer"];
const resting = ["isotropic", "relax", "free_flight", "preparation", "probes", ""];

function stageNode(scenario: Node, name: string): Node | undefined {
    const stages = at(scenario, "stages");
    return Array.isArray(stages) ? stages.find((node) => textAt(node, "name") === name) : undefined;
}

function turnOf(node: Node | undefined): Turn {
    const [x, y, z] = [0, 1, 2].map((k) => numberAt(node, "rotation", "axis", k)) as [number, number, number];
    const length = Math.hypot(x, y, z);
    return { axis: [x / length, y / length, z / length], angle: numberAt(node, "rotation", "angle"), increments: numberAt(node, "rotation", "increments") };
}

function seriesOf(run: LoadedRun, stage: Stage): Series {
    const node = stageNode(run.scenario, stage.name);
    const path = stage.name === PREPARATION ? "preparation" : (stage.path ?? textAt(node, "path"));
    const base = textAt(node, "cycle", "base") || path;
    const axis = axes.indexOf(stage.axis ?? textAt(node, "axis"));
    return {
        run,
        stage,
        first: stage.first_row,
        count: Math.max(0, Math.min(stage.rows, run.table.count - stage.first_row)),
        path,
        base,
        axis: axis < 0 ? 2 : axis,
        normal: (stage.plane ?? textAt(node, "plane")) === "xy" ? 1 : 2,
        closed: base === "undrained" || textAt(node, "constant") === "volume",
        turn: path === "rotate" ? turnOf(node) : null,
    };
}

/** The stages as the rows name them, where the program does not list them. */
export function stagesOf(table: Table): Stage[] {
    const stages: Stage[] = [];
    for (let i = 0; i < table.count; i++) {
        const name = table.text("stage", i);
        const last = stages[stages.length - 1];
        if (last && last.name === name) last.rows++;
        else stages.push({ name, first_row: i, rows: 1 });
    }
    return stages;
}

/** The rows of the stages are counted here, for they grow while a run goes on. */
export function loadRun(run: Run, columns: Column[] = []): LoadedRun {
    const table = new Table(complete(run.history));
    const texts = new Map(columns.map((column) => [column.name, column.text ?? ""]));
    const loaded: LoadedRun = { run, table, texts, scenario: run.resolved ?? null, series: [] };
    const counted = table.has("stage") ? stagesOf(table) : [];
    const stages = counted.length > 0
        ? counted.map((part) => ({ ...run.stages.find((stage) => stage.name === part.name), ...part }))
        : [{ name: "", first_row: 0, rows: table.count }];
    loaded.series = stages.map((stage) => seriesOf(loaded, stage)).filter((s) => s.count > 0);
    return loaded;
}

/** Whether q has a sign: the axial stress minus the mean of two equal lateral ones. */
export function isAxial(s: Series): boolean {
    return axial.includes(s.base);
}

export function isShear(s: Series): boolean {
    return s.base === "simple_shear";
}

export function isLoading(s: Series): boolean {
    return !resting.includes(s.path);
}

/** The stages that load; the others if there are none; the preparation if there is nothing else. */
export function mainSeries(run: LoadedRun): Series[] {
    const loading = run.series.filter((s) => isLoading(s) && s.count > 1);
    if (loading.length > 0) return loading;
    const others = run.series.filter((s) => s.stage.name !== PREPARATION && s.count > 1);
    return others.length > 0 ? others : run.series;
}
