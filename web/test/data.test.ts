// SPDX-License-Identifier: BSD-3-Clause
import assert from "node:assert/strict";
import test from "node:test";
import { deflateSync } from "node:zlib";
import { chooseRange, ticksFor } from "../src/data/axis.ts";
import { readReport, type Figures, type Run } from "../src/data/contract.ts";
import { resultsOf, stepsOf } from "../src/data/results.ts";
import { loadRuns, mainSeries, quantityOf, spell, textOf, valuesOf } from "../src/data/series.ts";
import { joinFigures, joinRun, spliceRows, Table } from "../src/data/table.ts";
import { plain, setDimensions, short, unitFor, withUnit } from "../src/data/unit.ts";
import { f32, unpack } from "../src/data/unpack.ts";

const names = "step,time,stage,stage_step,strain,stress,strain_xx,strain_yy,strain_zz,strain_volume,stress_xx,stress_yy,stress_zz,stress_yz,stress_xz,stress_xy,p,q,stress_ratio,void_ratio,coordination,sliding_fraction,unbalanced,kinetic,rotational,normal,tangential,friction,contact_damping,body_damping,cell,residual,check";

/** Triaxial compression along an axis, sheared by stresses s1 = s3 (1 + k) of 100 kPa. */
function row(step: number, stage: string, k: number, axis: number): string {
    const s = [1e5, 1e5, 1e5], e = [-0.004 * k, -0.004 * k, -0.004 * k];
    s[axis] = 1e5 * (1 + k);
    e[axis] = 0.01 * k;
    const p = (s[0]! + s[1]! + s[2]!) / 3, q = 1e5 * k;
    const work = 2 * k;
    return [step, 1e-6 * step, stage, step, e[axis], s[axis], ...e, e[0]! + e[1]! + e[2]!, ...s, 0, 0, 0, p, q, q / p, 0.6 + 0.01 * k, 5 - k, 0.1 * k, 1e-3,
        0, 0, 0.25 * work, 0, 0.7 * work, 0, 0.049 * work, work, 0.001 * work * 0.5, 7].join(",");
}

function sampleRun(axis: string): Run {
    const number = "xyz".indexOf(axis);
    const rows = [row(0, "specimen", 0, number), row(10, "specimen", 0, number), ...[0, 0.5, 1, 2, 1.5].map((k, i) => row(20 + i, "shear", k, number))];
    return {
        name: "sample", title: "t", state: "finished", warnings: [], snapshots: [],
        history: [names, ...rows].join("\n") + "\n",
        stages: [{ name: "specimen", path: "preparation", first_row: 0, rows: 2 }, { name: "shear", path: "triaxial", axis, first_row: 2, rows: 5 }],
    };
}

/** What the program says about the sample. */
const figures: Figures = {
    quantities: [
        { name: "axial_strain", label: "Axial strain\u00a0{ε}_a", dimension: "strain", zero: true },
        { name: "q", label: "Deviator stress\u00a0{q}", dimension: "stress", zero: true },
    ],
    columns: [{ name: "p", dimension: "stress", text: "mean stress" }],
    dimensions: [
        { name: "stress", si: "Pa", units: [{ name: "MPa", size: 1e6, from: 3e6 }, { name: "kPa", size: 1e3, from: 3e3 }, { name: "Pa", size: 1, from: 0 }] },
        { name: "length", si: "m", units: [{ name: "m", size: 1, from: 0.5 }, { name: "mm", size: 1e-3, from: 0 }] }, { name: "angle", si: "°", units: [{ name: "°", size: 1, from: 0 }] },
    ],
    series: [{
        run: 0, stage: "shear", label: "shear", kind: "triaxial", loading: true, drawn: true, abscissa: "axial_strain", first: 2, rows: 5,
        results: { peak_ratio: 1.2, peak_strain: 0.02, peak_angle: 30 },
        values: { axial_strain: "strain_zz", p: "p", void_ratio: "void_ratio", volumetric_strain: [0, 0.001, 0.002, 0.004, 0.003], sliding_fraction: "sliding_fraction", coordination: "coordination", q: [0, 5e4, 1e5, 2e5, null], friction_angle: [0, 11.5, 19.5, 30, 25.4] },
    }],
    energy_limit: 0.001,
    figures: [],
};
setDimensions(figures.dimensions);

const loaded = (run: Run) => loadRuns({ format: 1, program: "twirl", runs: [run], figures })[0]!;

test("data survive base64 and zlib", async () => {
    const data = { format: 1, text: "ε ≥ 0 </script>" };
    const packed = deflateSync(JSON.stringify(data)).toString("base64");
    assert.deepEqual(await unpack(` ${packed}\n`), data);
});

test("arrays are little-endian floats, and too few bytes are refused", () => {
    assert.deepEqual([...f32("AACAPwAAAMA=", 2, "x")], [1, -2]);
    assert.throws(() => f32("AACAPw==", 2, "bodies.x"), /bodies\.x: 4 bytes/);
});

test("data of another format are refused", () => {
    assert.throws(() => readReport({ format: 2, runs: [] }), /format 2/);
    assert.throws(() => readReport([]), /not an object/);
    assert.throws(() => readReport({ format: 1, runs: [{}] }), /no history/);
});

test("a table keeps the digits of the file", () => {
    const table = new Table("a,stage,b\n0.10000000000000001,x,nan\n1e-5,y,2\n");
    assert.equal(table.count, 2);
    assert.equal(table.text("a", 0), "0.10000000000000001");
    assert.equal(table.value("a", 0), 0.1);
    assert.ok(Number.isNaN(table.value("b", 0)));
    assert.equal(table.text("b", 0), "nan");
    assert.ok(Number.isNaN(table.value("missing", 0)));
});

test("new rows replace those from their number on; half a line is not a row", () => {
    assert.equal(spliceRows("h\n1\n2\n3\n", 2, "4\n5\n6"), "h\n1\n2\n4\n5\n");
    assert.equal(spliceRows("h\n1\n", 1, ""), "h\n1\n");
});

test("rows of another run replace everything", () => {
    const run = { ...sampleRun("z"), id: "a", from: 0 };
    const more = { ...run, history: "x\n", from: 7 };
    assert.equal(joinRun(run, more).history, run.history + "x\n");
    assert.equal(joinRun(run, { ...more, id: "b", from: 0, history: "h\n" }).history, "h\n");
    assert.equal(joinRun(null, more).history, "x\n");
});

test("values are columns of the history, with its digits, or numbers of the program", () => {
    const run = loaded(sampleRun("z")), s = mainSeries(run)!;
    assert.equal(s.count, 5);
    assert.deepEqual([...valuesOf(s, "axial_strain")], [0, 0.005, 0.01, 0.02, 0.015]);
    assert.equal(textOf(s, "axial_strain", 3), "0.02");
    assert.equal(textOf(s, "column:p", 3), run.table.text("p", 5));
    assert.deepEqual([...valuesOf(s, "q")], [0, 5e4, 1e5, 2e5, NaN]);
    assert.equal(spell(s, quantityOf(figures, "q")!, 3), "200000\u00a0Pa");
    assert.ok(valuesOf(s, "ru").every(Number.isNaN));
    assert.equal(quantityOf(figures, "column:p")!.label, "mean stress (p)");
    assert.equal(quantityOf(figures, "nothing"), undefined);
});

test("a series has no more rows than the history", () => {
    const run = sampleRun("z");
    run.history = run.history.split("\n").slice(0, 6).join("\n") + "\n";
    assert.deepEqual([...valuesOf(loaded(run).series[0]!, "q")], [0, 5e4, 1e5]);
});

test("units of axes are those of the program", () => {
    assert.deepEqual(unitFor("stress", 142593), { size: 1e3, name: "kPa" });
    assert.deepEqual(unitFor("stress", 2999), { size: 1, name: "Pa" });
    assert.deepEqual(unitFor("none", 1), { size: 1, name: "" });
});

test("markup becomes plain text", () => {
    assert.equal(plain("Axial strain\u00a0{ε}_a"), "Axial strain\u00a0εₐ");
    assert.equal(plain("10^{−12}"), "10⁻¹²");
    assert.equal(plain("{I}_1^{3}/{I}_3"), "I₁³/I₃");
    assert.equal(plain("{F}_q"), "Fq");
});

test("new numbers of a series follow those that are known", () => {
    const from = (rows: number, more: object) => ({ ...figures, series: [{ ...figures.series[0]!, rows, from: 3, values: more as Figures["series"][0]["values"] }] });
    const joined = joinFigures(figures, from(6, { p: "p", q: [7, 8, 9], ru: [1, 2, 3] })).series[0]!;
    assert.deepEqual(joined.values, { p: "p", q: [0, 5e4, 1e5, 7, 8, 9], ru: [null, null, null, 1, 2, 3] });
    assert.equal(joinFigures(null, figures).series[0]!.values, figures.series[0]!.values);
    // A test begins with the rows of its first stage, and is another series.
    const [one] = figures.series, both = { ...one!, stages: ["shear", "unload"], from: 0, values: { q: [1, 2, 3, 4] } };
    const more = joinFigures({ ...figures, series: [one!, both] }, { ...figures, series: [{ ...both, from: 4, rows: 5, values: { q: [5] } }] });
    assert.deepEqual(more.series[0]!.values, { q: [1, 2, 3, 4, 5] });
});

test("key numbers: peak, angle, void ratio, sliding, energy", () => {
    const run = sampleRun("z");
    run.stages[1]!.energy_error = 0.0005;
    const results = Object.fromEntries(resultsOf(mainSeries(loaded(run))!).map((result) => [result.name, result]));
    assert.equal(results["Peak q/p"]!.value, "1.2");
    assert.equal(results["Friction angle"]!.value, "30°");
    assert.equal(results["Void ratio"]!.value, "0.615");
    assert.equal(results["Sliding contacts"]!.value, "15\u00a0%");
    assert.equal(results["Energy balance error"]!.value, "0.05\u00a0%");
    assert.ok(!results["Energy balance error"]!.caution);
    run.stages[1]!.energy_error = 0.002;
    assert.ok(resultsOf(mainSeries(loaded(run))!).find((result) => result.name === "Energy balance error")!.caution);
});

test("key numbers of a stage within a test are those of the test, as `twirl info` prints them", () => {
    const [one] = figures.series, results = { peak_ratio: 1.3, peak_strain: 0.01, peak_angle: 31 };
    const report = { format: 1, program: "twirl", runs: [sampleRun("z")], figures: { ...figures, series: [{ ...one!, stages: ["load", "shear"], results, first: 0, rows: 7 }, one!] } };
    const of = Object.fromEntries(resultsOf(mainSeries(loadRuns(report)[0]!)!).map((result) => [result.name, result.value]));
    assert.equal(of["Peak q/p"], "1.3");
    assert.equal(of["Friction angle"], "31°");
});

test("the steps of the stages add up to those of the run", () => {
    const run = sampleRun("z");
    // The preparation counts its phases anew; a stage begins with the last state of the one before.
    run.history = ["step,stage,stage_step", "0,specimen,0", "5320,specimen,0", "9280,specimen,3960", "9280,shear,0", "9400,shear,120"].join("\n") + "\n";
    const whole = loaded(run);
    assert.deepEqual(whole.parts.map((part) => stepsOf(whole, part)), [9280, 120]);
});

test("ranges have a little room around the data", () => {
    assert.deepEqual(chooseRange(0.25, 1, true, false), [0, 1.04]);
    assert.deepEqual(chooseRange(-1, 0, true, false), [-1.04, 0]);
    const [low, high] = chooseRange(5, 5, false, false);
    assert.ok(low < 5 && high > 5);
    const [least, most] = chooseRange(30, 900, false, true);
    assert.ok(least > 20 && least < 30 && most > 900 && most < 1100);
    assert.deepEqual(chooseRange(Infinity, -Infinity, true, false), [0, 1]);
});

test("ticks are round numbers within the range", () => {
    assert.deepEqual(ticksFor([0, 1], false).map((tick) => tick.text), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
    assert.deepEqual(ticksFor([-1.3, 0.2], false, 3).map((tick) => tick.text), ["−1.0", "−0.5", "0.0"]);
    assert.deepEqual(ticksFor([20, 500], true).map((tick) => tick.text), ["20", "50", "100", "200", "500"]);
    assert.deepEqual(ticksFor([1e-6, 1], true).map((tick) => tick.text), ["10⁻⁶", "10⁻⁵", "10⁻⁴", "10⁻³", "10⁻²", "10⁻¹", "10⁰"]);
});

test("units keep digits before the point", () => {
    assert.equal(withUnit(0.0012, "length"), "1.2\u00a0mm");
    assert.equal(withUnit(0.05, "strain"), "5\u00a0%");
    assert.equal(short(6.313e-6), "6.313·10⁻⁶");
    assert.equal(short(-0.25), "−0.25");
    assert.equal(short(NaN), "–");
});
