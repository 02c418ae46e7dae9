// SPDX-License-Identifier: BSD-3-Clause
import assert from "node:assert/strict";
import test from "node:test";
import { curveCsv, equalise, wholeView, zoomRange, type ChartSpec, type Curve } from "../src/chart/curve.ts";
import { chosenSpec, describedSpec } from "../src/chart/figure_chart.ts";
import { chartSvg } from "../src/chart/svg.ts";
import type { Figure, FigureShape } from "../src/data/contract.ts";
import { loadRuns } from "../src/data/series.ts";
import { setDimensions } from "../src/data/unit.ts";

const axis = { label: "a", unit: "", log: false, zero: false, column: "a" };

function curve(label: string, xs: number[], ys: number[]): Curve {
    return { label, number: 0, xs: Float64Array.from(xs), ys: Float64Array.from(ys), say: () => [label], textX: (i) => String(xs[i]), textY: (i) => String(ys[i]) };
}

const spec = (curves: Curve[], log = false): ChartSpec => ({ title: "t", x: axis, y: { ...axis, log }, curves });

test("the view covers what is drawn, and only that", () => {
    const view = wholeView(spec([curve("", [0, 1, 2], [1, NaN, 3]), { ...curve("", [0], [99]), hidden: true }]));
    assert.ok(view.y[0] <= 1 && view.y[1] >= 3 && view.y[1] < 10);
    const positive = wholeView(spec([curve("", [0, 1, 2], [-5, 10, 1000])], true));
    assert.ok(positive.y[0] > 5 && positive.y[0] < 10 && positive.y[1] > 1000 && positive.y[1] < 2000);
    const given = wholeView({ ...spec([curve("", [0, 1], [0, 1])]), x: { ...axis, range: [-3, 7] } });
    assert.deepEqual(given.x, [-3, 7]);
});

test("zooming keeps the point in place", () => {
    assert.deepEqual(zoomRange([0, 10], 2, 0.5, false), [1, 6]);
    const [low, high] = zoomRange([1, 100], 10, 0.5, true);
    assert.ok(Math.abs(low - Math.sqrt(10)) < 1e-9 && Math.abs(high - 10 * Math.sqrt(10)) < 1e-9);
});

test("equal scales have equal units per pixel", () => {
    const view = equalise({ x: [0, 1], y: [0, 4] }, 200, 100);
    assert.ok(Math.abs((view.x[1] - view.x[0]) / 200 - (view.y[1] - view.y[0]) / 100) < 1e-12);
    assert.deepEqual(view.y, [0, 4]);
});

test("CSV has a block of columns for each curve, with texts quoted and formulas disarmed", () => {
    const csv = curveCsv(spec([curve('say "hi", you', [1, 2], [3, 4]), curve("b", [5], [6])]));
    assert.equal(csv, '"a (say ""hi"", you)","a (say ""hi"", you)",a (b),a (b)\n1,3,5,6\n2,4,,\n');
    const formula = { ...curve("x", [1], [2]), textX: () => "=1+1" };
    assert.ok(curveCsv(spec([formula])).includes("'=1+1"));
});

test("SVG shows hostile labels as text", () => {
    const svg = chartSvg(spec([curve('</text><script>alert("1")</script>\u0000', [0, 1], [0, 1]), curve("b", [0, 1], [1, 0])]), { x: [0, 1], y: [0, 1] });
    assert.ok(!svg.includes("<script"));
    assert.ok(svg.includes("&lt;script&gt;"));
    assert.ok(!svg.includes("\u0000"));
});

test("lines of an SVG break where there is no number", () => {
    const svg = chartSvg(spec([curve("", [0, 1, 2, 3], [0, NaN, 1, 2])]), { x: [0, 3], y: [0, 2] });
    const path = /<path[^>]* d="([^"]*)"/.exec(svg)![1]!;
    assert.equal(path.split("M").length - 1, 2);
});

test("a line of many points is thinned out to its extremes in each column of pixels", () => {
    const count = 100_000, xs = Array.from({ length: count }, (_, i) => i / count), ys = xs.map((_, i) => 0.5 + 0.2 * Math.sin(i));
    [ys[54_321], ys[54_322], ys[70_000]] = [0.97, 0.03, NaN];
    const path = /<path[^>]* d="([^"]*)"/.exec(chartSvg(spec([curve("", xs, ys)]), { x: [0, 1], y: [0, 1] }))![1]!;
    const [top, bottom] = [16, 432 - 58], drawn = [...path.matchAll(/[ML](\S+) ([\d.]+)/g)].map((point) => (bottom - Number(point[2])) / (bottom - top));
    assert.ok(drawn.length > 1000 && drawn.length < 4 * 2 * 600, `${drawn.length} points`);
    const up = drawn.findIndex((y) => Math.abs(y - 0.97) < 1e-3), down = drawn.findIndex((y) => Math.abs(y - 0.03) < 1e-3);
    assert.ok(up > 0 && down === up + 1, "single points that stand out are there, in their order");
    assert.equal(path.split("M").length - 1, 2, "what is not a number still interrupts the line");
});

// ---- Descriptions ----

const line = { label: "Mean stress\u00a0{p}", unit: "kPa", q: "p", factor: 1e-3, low: 0, high: 250, log: false, zero: true };
const strain = { ...line, label: "Axial strain\u00a0{ε}_a", unit: "%", q: "axial_strain", factor: 100, high: 5 };
const shape: FigureShape = { kind: "curve", title: "", plain: false, style: -2, dash: 2, side: 0, width: 1, x: [0, null, 2], y: [3, 4, 5], texts: [] };
const figure: Figure = {
    name: "sample", kind: "sample", group: "axial", title: "Sample", stage: null, run: null, x: strain, y: line, equal: true, surface: null,
    lines: [{ series: 1, x: "axial_strain", y: "p", title: "shear", style: 3 }],
    shapes: [
        { ...shape, kind: "points", title: "peaks {q}/{p}", style: 1, texts: ["probe 0, angle 0°", "probe 1, angle 45°", "probe 2, angle 90°"] }, shape,
        { ...shape, kind: "note", title: "{σ}_x/{p}", x: [1], y: [2], side: 1 }, { ...shape, kind: "arrow", x: [0, 1], y: [0, 1] },
    ],
};
const described = {
    quantities: [{ name: "axial_strain", label: strain.label, dimension: "strain", zero: true }, { name: "p", label: line.label, dimension: "stress", zero: true }],
    columns: [], figures: [figure],
    dimensions: [{ name: "stress", si: "Pa", units: [{ name: "kPa", size: 1e3, from: 3e3 }] }, { name: "strain", si: "", units: [{ name: "%", size: 0.01, from: 0 }] }],
    series: ["settle", "shear"].map((stage, k) => ({
        run: 0, stage, label: stage, kind: "triaxial", loading: true, drawn: true, abscissa: "axial_strain", first: 3 * k, rows: 3, values: { axial_strain: [0, 0.01, 0.02], p: "p" },
    })),
};
setDimensions(described.dimensions);
const history = "step,stage,p\n0,settle,1e5\n1,settle,1e5\n2,settle,1e5\n3,shear,1e5\n4,shear,1.5e5\n5,shear,2e5\n";
const runs = loadRuns({ format: 1, program: "twirl", figures: described, runs: [{ name: "one", title: "", state: "finished", warnings: [], history, stages: [], snapshots: [] }] });

test("a figure is drawn as described: lines in the units of the axes, shapes around them", () => {
    const drawn = describedSpec(figure, runs);
    assert.equal(drawn.equal, true);
    assert.deepEqual([drawn.x.label, drawn.x.unit, drawn.x.range], ["Axial strain\u00a0εₐ", "%", [0, 5]]);
    const [guide, path, marks, arrow] = drawn.curves as [Curve, Curve, Curve, Curve];
    assert.deepEqual([[...path.xs], [...path.ys], path.label, path.number], [[0, 1, 2], [100, 150, 200], "shear", 2]);
    assert.deepEqual(path.say(1), ["shear", "Axial strain\u00a0εₐ: 0.01", "Mean stress\u00a0p: 1.5e5\u00a0Pa", "step 4"]);
    assert.deepEqual([[...guide.xs], guide.guide, guide.silent, guide.dashed], [[0, NaN, 2], true, true, true]);
    assert.deepEqual([marks.marks, marks.label, marks.silent, marks.textY(1)], [true, "peaks q/p", false, "4000"]);
    assert.deepEqual(marks.say(2), ["peaks q/p", "probe 2, angle 90°", "Axial strain\u00a0εₐ: 2\u00a0%", "Mean stress\u00a0p: 5\u00a0kPa"]);
    assert.deepEqual([[...arrow.xs], arrow.silent], [[0, 1], true]);
    assert.deepEqual(drawn.notes, [{ x: 1, y: 2, text: "σx/p", side: 1 }]);
});

test("quantities and stages that a reader chooses are drawn with the units of the program", () => {
    const { series, figures } = runs[0]!;
    const drawn = chosenSpec({ figure: null, x: "axial_strain", y: "p", logX: false, logY: false }, series, figures)!;
    assert.deepEqual(drawn.curves.map((one) => one.label), ["settle", "shear"]);
    assert.deepEqual([drawn.y.unit, [...drawn.curves[1]!.ys], drawn.title], ["kPa", [100, 150, 200], "p over axial_strain"]);
    assert.equal(chosenSpec({ figure: null, x: "axial_strain", y: "nothing", logX: false, logY: false }, series, figures), null);
});
