// SPDX-License-Identifier: BSD-3-Clause
// The data that the program puts into the page: web/DATA.md.

import { setDimensions } from "./unit.ts";

export type State = "finished" | "interrupted" | "running" | "failed";

export interface Stage {
    name: string;
    path?: string;
    axis?: string | null;
    plane?: string | null;
    state?: "done" | "current" | "waiting";
    first_row: number; // in the history, counted from 0 after the header
    rows: number;
    end?: string | null;
    end_text?: string | null;
    summary?: Record<string, unknown> | null;
    energy_error?: number | null; // residual over the energy put in or stored
    probes?: string | null; // CSV
    fits?: string | null;
}

/** What is used of `rates.json`: docs/guide/statics.md. */
export interface Rates {
    control: string;
    axis: string;
    directions: number;
    contacts: number;
    at_limit: number;
    equilibrium: { reached: boolean; iterations: number; moved: number };
    residual: number;
    worst_body: number;
    force_mean: number;
    verdict: string;
    certificate: { body_p: number; body_q: number; normal_force: number; tangential_force: number }[];
    without_solution: number;
    negative_work: number;
}

export const ratesOf = (stage: Stage) => stage.summary?.rates as Rates | undefined;

/** Arrays in base64; lengths in metres. */
export interface Bodies {
    count: number;
    total?: number;
    x: string; // f32 x 3
    size: string; // f32
    q?: string | null; // f32 x 4: w, x, y, z
    shape?: string | null; // u32
    id?: string | null; // u32
    speed?: string | null; // f32; absent if no body moves
}

export interface Contacts {
    count: number;
    p: string; // u32: place of the body
    q: string; // u32, or WALL
    shift: string; // i8 x 3
    f: string; // f32 x 3: force on p
    fn?: string | null; // f32: its normal part
    point: string; // f32 x 3
    sliding: string; // u8
}

/** Of a state, all together. */
export interface Walls {
    vertices: number;
    triangles: number;
    edges: number;
    left_out: number; // walls with too many triangles
    x: string; // f32 x 3
    triangle: string; // u32 x 3: vertices
    edge: string; // u32 x 2: lines that are drawn
}

export const WALL = 0xffffffff;

export interface Snapshot {
    stage: string;
    latest?: boolean;
    within?: boolean; // on the way through the stage
    step: number | null;
    time: number | null;
    row?: number | null;
    number?: number; // in twirl watch: to be asked for
    cell?: number[]; // edges as columns, row by row
    shapes?: number[][][]; // spheres x, y, z, radius at size 1
    periodic?: boolean[]; // along the edges
    extent?: number[]; // box around grains and walls: lowest x, y, z, highest x, y, z
    walls?: Walls;
    bodies?: Bodies;
    contacts?: Contacts | null;
    figures?: Figure[]; // of this state
}

export type CompleteSnapshot = Snapshot & Required<Pick<Snapshot, "cell" | "shapes" | "bodies">>;

export function isComplete(snapshot: Snapshot): snapshot is CompleteSnapshot {
    return Boolean(snapshot.cell && snapshot.shapes && snapshot.bodies);
}

// ---- Descriptions of figures: src/figure/README.md ----

export interface FigureSeries {
    run: number;
    stage: string;
    stages?: string[]; // several: of one test
    label: string;
    kind: string; // of path
    loading: boolean;
    drawn: boolean;
    abscissa: string;
    first: number;
    rows: number;
    from?: number;
    results?: Record<string, number>; // as `twirl info RUN` prints them
    values: Record<string, (number | null)[] | string>; // or the name of a column
}

export interface FigureAxis {
    label: string;
    unit: string;
    q: string | null; // quantity
    factor: number; // shown over SI
    low: number;
    high: number;
    log: boolean;
    zero: boolean;
}

export interface FigureShape {
    kind: "curve" | "points" | "arrow" | "note";
    title: string;
    plain: boolean;
    style: number; // from 1; 0 and below: greys
    dash: number;
    side: number;
    width: number;
    x: (number | null)[]; // as shown
    y: (number | null)[];
    texts: string[]; // what each point is; none: nothing to say
}

export interface FigureSurface {
    points: [number, number, number][];
    shares: (number | null)[];
    triangles: [number, number, number][];
    reach: number;
    radius: [number, number, number];
    labels: [string, string, string];
}

export interface Figure {
    name: string;
    kind: string;
    group: string;
    title: string;
    stage: string | null;
    run: number | null;
    x: FigureAxis;
    y: FigureAxis;
    second?: FigureAxis | null; // at the right
    equal: boolean;
    lines: { series: number; x: string; y: string; title: string; plain?: boolean; style: number; dash?: number; second?: boolean }[];
    shapes: FigureShape[];
    surface: FigureSurface | null;
}

export interface Figures {
    quantities: { name: string; label: string; dimension: string; zero: boolean }[];
    columns: { name: string; dimension: string; text: string }[];
    results?: { name: string; dimension: string; text: string }[];
    energy_limit?: number; // of the error of the energy balance
    dimensions: { name: string; si: string; units: { name: string; size: number; from: number }[] }[];
    series: FigureSeries[];
    figures: Figure[];
}

export interface Run {
    name: string;
    title: string;
    id?: string;
    state: State;
    failure?: string | null;
    scenario?: string | null; // with every default filled in
    about?: string | null; // in words, a label of ten characters in front of each line
    summary?: Record<string, unknown> | null;
    log?: string | null;
    warnings: string[];
    history: string;
    from?: number;
    rows?: number;
    stages: Stage[];
    snapshots: Snapshot[];
}

export interface Report {
    format: number;
    program: string;
    runs: Run[];
    figures: Figures; // of all runs
}

function isObject(value: unknown): value is Record<string, unknown> {
    return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Browsers take seconds to break a word of ten thousand letters into lines. */
function brief(text: unknown, most: number): string {
    const whole = String(text ?? "");
    return whole.length > most ? `${whole.slice(0, most)}…` : whole;
}

function readStage(stage: Stage): Stage {
    return { ...stage, name: String(stage.name), end_text: stage.end_text ? brief(stage.end_text, 500) : null };
}

const states: readonly string[] = ["finished", "interrupted", "running", "failed"];

function readRun(value: unknown, number: number): Run {
    if (!isObject(value)) throw new Error(`run ${number + 1} is not an object`);
    if (typeof value.history !== "string") throw new Error(`run ${number + 1} has no history`);
    const run = value as unknown as Run;
    return {
        ...run,
        name: brief(run.name ?? `run ${number + 1}`, 200),
        title: brief(run.title, 500),
        failure: run.failure ? brief(run.failure, 1000) : null,
        state: states.includes(run.state) ? run.state : "interrupted",
        warnings: Array.isArray(run.warnings) ? run.warnings.map((warning) => brief(warning, 1000)) : [],
        stages: Array.isArray(run.stages) ? run.stages.map(readStage) : [],
        snapshots: Array.isArray(run.snapshots) ? run.snapshots : [],
    };
}

/** Checks what the page could not do without; everything else may be absent. */
export function readReport(value: unknown): Report {
    if (!isObject(value)) throw new Error("the data are not an object");
    if (value.format !== 1)
        throw new Error(`the data have format ${String(value.format)}, this page reads format 1`);
    if (!Array.isArray(value.runs)) throw new Error("there are no runs");
    const runs = value.runs.map((run, i) => readRun(run, i));
    if (!isObject(value.figures)) throw new Error("there are no figures");
    const figures = value.figures as unknown as Figures;
    setDimensions(figures.dimensions);
    return { format: 1, program: String(value.program ?? "twirl"), runs, figures };
}
