// SPDX-License-Identifier: BSD-3-Clause
import assert from "node:assert/strict";
import test from "node:test";
import { gzipSync } from "node:zlib";
import { chooseRange, ticksFor } from "../src/data/axis.ts";
import { readReport, type Run } from "../src/data/contract.ts";
import { dot, envelopeOf, planes, radiusOf, sections, triangulate, type Vec } from "../src/data/envelope.ts";
import { factsOf } from "../src/data/facts.ts";
import { figuresOf } from "../src/data/figure.ts";
import { meanStrength, peakOf, ratioAt } from "../src/data/plane.ts";
import { mobilisedAngle, usual } from "../src/data/quantity.ts";
import { energyError, resultsOf, stepsOf } from "../src/data/results.ts";
import { loadRun, mainSeries } from "../src/data/series.ts";
import { joinRun, spliceRows, Table } from "../src/data/table.ts";
import { short, unitFor, withUnit } from "../src/data/unit.ts";
import { f32, unpack } from "../src/data/unpack.ts";
import { numberAt, textAt } from "../src/data/node.ts";

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
        resolved: {
            title: "t", specimen: { count: 500, shapes: [{ shape: "sphere", share: 1 }], sizes: { d_min: 0.0008, d_max: 0.0012 } },
            material: { kn: 1e5, friction: 0.5 }, stages: [{ path: "triaxial", name: "shear", axis }],
        },
        history: [names, ...rows].join("\n") + "\n",
        stages: [{ name: "specimen", path: "preparation", first_row: 0, rows: 2 }, { name: "shear", path: "triaxial", axis, first_row: 2, rows: 5 }],
    };
}

test("the response of a linear material is an ellipsoid, also in the deviatoric section", () => {
    const count = 80, lines = ["law,direction_xx,direction_yy,direction_zz,stress_xx,stress_yy,stress_zz,strain_xx,strain_yy,strain_zz,irreversible_xx,irreversible_yy,irreversible_zz"];
    for (let k = 0; k < count; k++) {
        const z = 1 - (2 * k + 1) / count, turn = k * Math.PI * (3 - Math.sqrt(5)), r = Math.sqrt(1 - z * z);
        const way = [r * Math.cos(turn), r * Math.sin(turn), z] as const;
        lines.push(["exact", ...way, ...way.map((part) => 1e3 * part), 3e-6 * way[0], 2e-6 * way[1], 4e-6 * way[2], 0, 0, 0].join());
    }
    const table = new Table(lines.join("\n") + "\n"), envelope = envelopeOf(table, "exact")!;
    assert.ok(envelope.isStrain && envelope.others === null);
    assert.equal(envelope.triangles.length, 2 * count - 4);
    const [curve, ...more] = sections(envelope, envelope.ends, planes[3]!.normal);
    assert.equal(more.length, 0);
    assert.deepEqual(curve![0], curve!.at(-1));
    for (const point of curve!) {
        // Between neighbours a point is inside of the ellipsoid, by the sagitta of a triangle: at most 6 %.
        const size = Math.hypot(point[0] / 3e-6, point[1] / 2e-6, point[2] / 4e-6);
        assert.ok(size > 0.94 && size < 1 + 1e-9 && Math.abs(point[0] + point[1] + point[2]) < 1e-18);
        assert.ok(Math.abs(Math.hypot(dot(point, planes[3]!.across), dot(point, planes[3]!.up)) - Math.hypot(...point)) < 1e-18);
    }
    assert.ok(radiusOf(envelope, 2) > 0.94 * 4e-6 && radiusOf(envelope, 2) < 4e-6);
    assert.equal(triangulate(envelope.ways.slice(0, 30) as Vec[]), null); // those above a plane
});

test("the strength of Lade and Duncan passes through the peaks it was made of", () => {
    const peak = peakOf(7, [0, 0, 0], [0, 1, 0.9], [0, 1.2, 1.1]);
    assert.deepEqual(peak, { row: 8, x: 0, y: 1, ratio: 1.2 });
    const value = meanStrength([peak, peak]);
    // Triaxial compression: s1 = p + 2q/3, s3 = p - q/3.
    assert.ok(Math.abs(value - 27 / (1.8 * 0.6 * 0.6)) < 1e-9);
    assert.ok(Math.abs(ratioAt(value, 0) - 1.2) < 1e-12);
    assert.ok(ratioAt(value, Math.PI / 3) < 1.2); // weaker in extension
    assert.ok(Number.isNaN(meanStrength([peak])));
});

test("data survive base64 and gzip", async () => {
    const data = { format: 1, text: "ε ≥ 0 </script>" };
    const packed = gzipSync(JSON.stringify(data)).toString("base64");
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

test("values of the scenario are found by their keys; what is not there is empty", () => {
    const node = { specimen: { cell: { aspect: [1, 1, 2] } }, stages: [{ name: "s", end: { strain: 0.05 } }] };
    assert.equal(numberAt(node, "specimen", "cell", "aspect", 2), 2);
    assert.equal(textAt(node, "stages", 0, "end", "strain"), "0.05");
    assert.equal(textAt(node, "stages", 0, "name"), "s");
    assert.equal(textAt(node, "stages", 1, "name"), "");
    assert.ok(Number.isNaN(numberAt(null, "stages", 0)) && Number.isNaN(numberAt(node, "stages", "0")));
});

const quantity = (id: string) => usual.find((one) => one.id === id)!;

test("q follows the driven axis, and keeps its sign", () => {
    for (const axis of ["x", "y", "z"]) {
        const [s] = mainSeries(loadRun(sampleRun(axis)));
        assert.deepEqual([...quantity("q").values(s!)], [0, 5e4, 1e5, 2e5, 1.5e5]);
        assert.deepEqual([...quantity("axial_strain").values(s!)], [0, 0.005, 0.01, 0.02, 0.015]);
    }
});

test("values are the columns, where there is one", () => {
    const run = loadRun(sampleRun("z"));
    const [s] = mainSeries(run);
    assert.equal(s!.count, 5);
    assert.equal(quantity("p").text(s!, 3), run.table.text("p", 5));
    assert.equal(quantity("axial_strain").text(s!, 3), "0.02");
    const volume = quantity("volumetric_strain").values(s!);
    assert.ok(Math.abs(volume[3]! - 0.004) < 1e-15);
});

test("the mobilised friction angle of a stress ratio s1/s3 = 3 is 30 degrees", () => {
    const [s] = mainSeries(loadRun(sampleRun("z")));
    assert.ok(Math.abs(mobilisedAngle(s!, s!.first + 3) - 30) < 1e-6); // acos near 1 has half the digits
    assert.equal(mobilisedAngle(s!, s!.first), 0);
});

test("key numbers: peak, angle, void ratio, sliding, energy", () => {
    const [s] = mainSeries(loadRun(sampleRun("z")));
    const results = Object.fromEntries(resultsOf(s!).map((result) => [result.name, result]));
    assert.equal(results["Peak q/p"]!.value, "1.2");
    assert.equal(results["Friction angle"]!.value, "30°");
    assert.equal(results["Void ratio"]!.value, "0.615");
    assert.equal(results["Sliding contacts"]!.value, "15\u00a0%");
    assert.ok(Math.abs(energyError(s!) - 0.0005) < 1e-12);
    assert.ok(!results["Energy balance error"]!.caution);
});

test("an energy residual of more than 0.1 % of the work is a caution", () => {
    const run = sampleRun("z");
    run.history = run.history.split("\n").map((line, i) => (i < 4 || line === "" ? line : line.replace(/,[^,]+,7$/, ",0.1,7"))).join("\n");
    assert.equal(run.history.match(/,0\.1,7$/gm)?.length, 4);
    const [s] = mainSeries(loadRun(run));
    assert.ok(resultsOf(s!).find((result) => result.name === "Energy balance error")!.caution);
});

test("where nothing happens, the residual is compared with what is stored", () => {
    const run = sampleRun("z");
    const settled = (work: number, residual: number) => ["stage,cell,residual,friction,normal,tangential,body_damping", "shear,0,0,0,1e-3,0,0", `shear,${work},${residual},0,1e-3,0,0`].join("\n") + "\n";
    run.history = settled(1e-9, 5e-10);
    assert.ok(Math.abs(energyError(loadRun(run).series[0]!) - 5e-7) < 1e-18);
    run.history = settled(-2e-3, 4e-6); // a work that matters
    assert.ok(Math.abs(energyError(loadRun(run).series[0]!) - 2e-3) < 1e-15);
});

test("the steps of the stages add up to those of the run", () => {
    const run = sampleRun("z");
    // The preparation counts its phases anew; a stage begins with the last state of the one before.
    run.history = ["step,stage,stage_step", "0,specimen,0", "5320,specimen,0", "9280,specimen,3960", "9280,shear,0", "9400,shear,120"].join("\n") + "\n";
    assert.deepEqual(loadRun(run).series.map(stepsOf), [9280, 120]);
});

test("facts: grains, sizes, material, path", () => {
    const facts = Object.fromEntries(factsOf(loadRun(sampleRun("x"))).map((fact) => [fact.name, fact.text]));
    assert.equal(facts["Specimen"], "500 spheres, diameters 0.8\u00a0mm to 1.2\u00a0mm");
    assert.equal(facts["Path"], "triaxial along x");
    assert.ok(facts["Material"]!.includes("friction 0.5"));
});

test("figures depend on the path", () => {
    const first = (path: string, more = {}) => {
        const run = sampleRun("z");
        run.stages[1]!.path = path;
        run.resolved = { stages: [{ path, name: "shear", axis: "z", ...more }] };
        return figuresOf(loadRun(run).series[1]!).map((figure) => `${figure.y}/${figure.x}`);
    };
    assert.equal(first("triaxial")[0], "stress_ratio/axial_strain");
    assert.ok(first("undrained").includes("ru/axial_strain"));
    assert.equal(first("oedometer")[0], "void_ratio/axial_stress");
    assert.equal(first("simple_shear")[0], "shear_ratio/shear_strain");
    assert.equal(first("cyclic", { cycle: { base: "undrained" } })[0], "q/axial_strain");
    assert.equal(first("relax")[0], "unbalanced/stage_time");
});

test("a rotation is drawn over its angle: the error of the stress that was rotated back", () => {
    // About z, by 40 degrees in 4 increments; the last stress is too large by 1 %.
    const first = { xx: 3e5, yy: 1e5, zz: 2e5, yz: 2e4, xz: 1e4, xy: 5e4 };
    const rows = [0, 1, 2, 3, 4].map((step) => {
        const c = Math.cos((step * Math.PI) / 18), w = Math.sin((step * Math.PI) / 18), by = step === 4 ? 1.01 : 1;
        const { xx, yy, zz, yz, xz, xy } = first;
        const rotated = [c * c * xx - 2 * c * w * xy + w * w * yy, w * w * xx + 2 * c * w * xy + c * c * yy, zz, w * xz + c * yz, c * xz - w * yz, c * w * (xx - yy) + (c * c - w * w) * xy];
        return [step, 0, "turn", step, ...rotated.map((part) => by * part), (by * (xx + yy + zz)) / 3].join();
    });
    const run = sampleRun("z");
    run.history = ["step,time,stage,stage_step,stress_xx,stress_yy,stress_zz,stress_yz,stress_xz,stress_xy,p", ...rows].join("\n") + "\n";
    run.resolved = { stages: [{ path: "rotate", name: "turn", rotation: { axis: [0, 0, 2], angle: 0.69813170079773179, increments: 4 } }] };
    run.stages = [{ name: "turn", path: "rotate", first_row: 0, rows: 5 }];
    const [s] = mainSeries(loadRun(run));
    assert.deepEqual(figuresOf(s!).map((figure) => `${figure.y}/${figure.x}`), ["turn_error/angle"]);
    quantity("angle").values(s!).forEach((angle, i) => assert.ok(Math.abs(angle - 10 * i) < 1e-12));
    const error = quantity("turn_error").values(s!), { xx, yy, zz, yz, xz, xy } = first;
    assert.ok(Number.isNaN(error[0])); // the reference
    // A few roundings of numbers of the size of p.
    for (const i of [1, 2, 3]) assert.ok(error[i]! < 1e-15);
    const norm = Math.sqrt(xx * xx + yy * yy + zz * zz + 2 * (yz * yz + xz * xz + xy * xy));
    assert.ok(Math.abs(error[4]! - (0.01 * norm) / 2e5) < 1e-15);
    const result = resultsOf(s!).find((one) => one.name === "Error of the rotated stress")!;
    assert.equal(result.detail, "|Δσ|/p after a rotation by 40°");
});

test("ranges end at ticks that are near", () => {
    assert.deepEqual(chooseRange(0.001, 0.96, true, false), [0, 1]);
    assert.deepEqual(chooseRange(30, 900, false, true), [20, 1000]);
    const [low, high] = chooseRange(5, 5, false, false);
    assert.ok(low < 5 && high > 5);
    assert.deepEqual(chooseRange(Infinity, -Infinity, true, false), [0, 1]);
});

test("ticks are round numbers within the range", () => {
    assert.deepEqual(ticksFor([0, 1], false).map((tick) => tick.text), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
    assert.deepEqual(ticksFor([-1.3, 0.2], false, 3).map((tick) => tick.text), ["−1.0", "−0.5", "0.0"]);
    assert.deepEqual(ticksFor([20, 500], true).map((tick) => tick.text), ["20", "50", "100", "200", "500"]);
    assert.deepEqual(ticksFor([1e-6, 1], true).map((tick) => tick.text), ["1e-6", "1e-5", "1e-4", "1e-3", "1e-2", "1e-1", "1e0"]);
});

test("units keep digits before the point", () => {
    assert.equal(unitFor("stress", 142593).name, "kPa");
    assert.equal(unitFor("stress", 2999).name, "Pa");
    assert.equal(withUnit(0.0012, "length"), "1.2\u00a0mm");
    assert.equal(withUnit(0.05, "strain"), "5\u00a0%");
    assert.equal(short(6.313e-6), "6.313·10⁻⁶");
    assert.equal(short(-0.25), "−0.25");
    assert.equal(short(NaN), "–");
});
