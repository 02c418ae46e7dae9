// SPDX-License-Identifier: BSD-3-Clause
import assert from "node:assert/strict";
import test from "node:test";
import { curveCsv, equalise, wholeView, zoomRange, type ChartSpec, type Curve } from "../src/chart/curve.ts";
import { chartSvg } from "../src/chart/svg.ts";

const axis = { label: "a", unit: "", log: false, zero: false, column: "a" };

function curve(label: string, xs: number[], ys: number[]): Curve {
    return { label, number: 0, xs: Float64Array.from(xs), ys: Float64Array.from(ys), say: () => [label], textX: (i) => String(xs[i]), textY: (i) => String(ys[i]) };
}

const spec = (curves: Curve[], log = false): ChartSpec => ({ title: "t", x: axis, y: { ...axis, log }, curves });

test("the view covers what is drawn, and only that", () => {
    const view = wholeView(spec([curve("", [0, 1, 2], [1, NaN, 3]), { ...curve("", [0], [99]), hidden: true }]));
    assert.ok(view.y[0] <= 1 && view.y[1] >= 3 && view.y[1] < 10);
    const positive = wholeView(spec([curve("", [0, 1, 2], [-5, 10, 1000])], true));
    assert.deepEqual(positive.y, [10, 1000]);
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
